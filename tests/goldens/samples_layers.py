"""Layers and what they are called with; `outcomes` says what MindSpore makes of each (see `samples.py`).

A line is `c("Dense(3, 4)", f(2, 3))`: an expression under `nn`, and the inputs. Before the call the Parameters get
values drawn from a generator that the line seeds, so no two implementations have to draw alike.
"""

import re
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from samples import In, below, dist, f, h, is_float, lit, sign, spread, unit

__all__ = ["LAYERS", "STARTS", "Call", "is_float"]


@dataclass(frozen=True)
class Call:
    """One layer and one call of it.

    Attributes:
        make: the layer, an expression in which the names of `nn`, and `ms`, `np`, `nn` are known.
        args: descriptions of the inputs, or values.
        train: call it in training mode, twice, and record the state that it leaves.
        fails: making or calling it raises.
        grad: compare gradients.
        half: convert the Parameters to float16 first.
        tol: relative and absolute tolerance, if not the dtype's own.
        why: why this line departs from the usual.
    """

    make: str
    args: tuple
    train: bool = False
    fails: bool = False
    grad: bool = True
    half: bool = False
    tol: float | None = None
    why: str = ""

    @property
    def id(self) -> str:
        marks = [mark for mark in ("train", "half") if getattr(self, mark)]
        return f"{self.make}({', '.join(map(repr, self.args))}){' '.join(['', *marks])}"

    def inputs(self) -> list[Any]:
        rng = np.random.RandomState(zlib.crc32(self.id.encode()))
        return [a.make(rng) if isinstance(a, In) else a for a in self.args]

    def values(self, path: str, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Return the values that the Parameter at a path is filled with."""
        rng = np.random.RandomState(zlib.crc32(f"{self.id}:{path}".encode()))
        drawn = rng.uniform(0.5, 1.5, shape) if "variance" in path else 0.5 * rng.standard_normal(shape)
        return np.asarray(drawn, dtype)

    def cotangent(self, i: int, output: np.ndarray) -> np.ndarray:
        """Return the cotangents that gradients are pulled back from: small whole numbers, exact in every dtype."""
        rng = np.random.RandomState(zlib.crc32(self.id.encode()) ^ (i + 1))
        return np.asarray(
            rng.randint(1, 4, output.shape) * (rng.randint(0, 2, output.shape) * 2 - 1), output.dtype
        )

    def build(self, ms: Any) -> Any:
        names = {name: getattr(ms.nn, name) for name in dir(ms.nn) if name[0].isupper()}
        cell = eval(self.make, {**names, "ms": ms, "nn": ms.nn, "np": np})
        if self.half:
            cell.to(ms.float16)
        return cell.set_train(self.train)


def c(make: str, *args: Any, **options: Any) -> Call:
    return Call(make, args, **options)


SIMPLE = ["ReLU()", "ReLU6()", "LeakyReLU()", "LeakyReLU(0.1)", "ELU()", "ELU(1.0)", "GELU()", "GELU(False)", "SiLU()",
          "Sigmoid()", "Tanh()", "Softmax()", "Softmax(0)", "LogSoftmax()", "LogSoftmax(1)", "HSwish()", "HSigmoid()",
          "Mish()", "CELU()", "CELU(0.5)", "FastGelu()", "HShrink()", "HShrink(0.2)", "SoftShrink()",
          "SoftShrink(0.2)", "Hardtanh()", "Hardtanh(-0.5, 0.7)", "LogSigmoid()", "Softmin()", "Softsign()", "Tanhshrink()",
          "Threshold(0.1, 20)", "Identity()", "Identity(1, a=2)"]  # fmt: skip

ACTIVATIONS = [
    *[c(make, f(4, 3)) for make in SIMPLE],
    *[c(make, h(2, 3, 2)) for make in SIMPLE],
    c("SeLU()", f(4, 3), grad=False, why="MindSpore's gradient of the negative side is wrong"),
    c("PReLU()", f(2, 3, 4)),
    c("PReLU(3)", f(2, 3, 4)),
    c("PReLU(3, w=0.1)", f(2, 3)),
    c("PReLU(3, w=ms.Tensor([0.1, 0.2, 0.3]))", f(2, 3)),
    c("PReLU(2)", f(2, 3), fails=True),
    c("PReLU(0)", f(2, 3), fails=True),
    c("PReLU(1.5)", f(2, 3), fails=True),
    c("PReLU(3, w=ms.Tensor([0.1, 0.2]))", f(2, 3), fails=True),
    c("GLU()", f(4, 6)),
    c("GLU(0)", f(4, 6)),
    c("Softmax2d()", f(2, 3, 2, 2)),
    c("Softmax2d()", f(2, 3), fails=True),
    c("RReLU(0.2, 0.2)", f(4, 3)),
    c("LeakyReLU('a')", f(3), fails=True),
    c("ELU('a')", f(3), fails=True),
    c("CELU('a')", f(3), fails=True),
    c("Softmax('a')", f(3), fails=True),
    c("Softmax(5)", f(3), fails=True),
    c("Hardtanh(2.0, 1.0)", f(3), fails=True),
    c("Hardtanh('a', 1.0)", f(3), fails=True),
    c("GELU('tanh')", f(3), fails=True),
    c("Threshold('a', 1)", f(3), fails=True),
    c("HShrink('a')", f(3), fails=True),
    c("Sigmoid()", lit([1, 2], "int32"), fails=True),
]

LINEAR = [
    c("Dense(3, 4)", f(2, 3)),
    c("Dense(3, 4)", f(2, 5, 3)),
    c("Dense(3, 4)", f(3)),
    c("Dense(3, 4, has_bias=False)", f(2, 3)),
    c("Dense(3, 4, activation='relu')", f(2, 3)),
    c("Dense(3, 4, activation='sigmoid')", f(2, 3)),
    c("Dense(3, 4, activation=nn.Tanh())", f(2, 3), tol=1e-4),
    c("Dense(3, 4, weight_init='ones', bias_init='zeros', dtype=ms.float16)", h(2, 3)),
    c("Dense(3, 4)", h(2, 3), half=True),
    c("Dense(3, 4)", h(2, 3), fails=True),
    c("Dense(3, 4)", f(2, 4), fails=True),
    c("Dense(3, 4)", lit([[1, 2, 3]], "int64"), fails=True),
    c("Dense(3.0, 4)", f(2, 3), fails=True),
    c("Dense(0, 4)", f(2, 3), fails=True),
    c("Dense(3, -1)", f(2, 3), fails=True),
    c("Dense(3, 4, has_bias=3)", f(2, 3), fails=True),
    c("Dense(3, 4, activation='nope')", f(2, 3), fails=True),
    c("Dense(3, 4, activation=3)", f(2, 3), fails=True),
    c("Dense(3, 4, weight_init=ms.Tensor(np.ones((3, 4), np.float32)))", f(2, 3), fails=True),
    c("Dense(3, 4, weight_init=ms.Tensor(np.ones((4, 3), np.float32)))", f(2, 3)),
    c("Dense(3, 4, bias_init=ms.Tensor(np.ones(3, np.float32)))", f(2, 3), fails=True),
    c("Dense(3, 4, weight_init='nope')", f(2, 3), fails=True),
    c("Dense(3, 4, dtype=3)", f(2, 3), fails=True),
    c("BiDense(2, 3, 4)", f(5, 2), f(5, 3)),
    c("BiDense(2, 3, 4, has_bias=False)", f(5, 2), f(5, 3)),
    c("Flatten()", f(2, 3, 4)),
    c("Flatten(0, 1)", f(2, 3, 4)),
    c("Flatten()", f(3), fails=True),
    c("Flatten('a')", f(2, 3), fails=True),
    c("Flatten(3, 1)", f(2, 3), fails=True),
    c("OneHot(depth=4)", lit([0, 2, 3], "int32"), grad=False),
    c("OneHot(axis=0, depth=3, on_value=2.0, off_value=-1.0)", lit([[0, 2], [1, 1]], "int32"), grad=False),
    c("Pad(((1, 1), (0, 2)))", f(2, 3)),
    c("Pad(((1, 1), (2, 2)), mode='REFLECT')", f(2, 3)),
    c("Pad(((1, 1), (2, 2)), mode='SYMMETRIC')", f(2, 3)),
    c("Pad(((1, 1),), mode='NOPE')", f(2), fails=True),
    c("Pad(3)", f(2), fails=True),
    c("ZeroPad2d(1)", f(1, 2, 3, 3)),
    c("ConstantPad1d((1, 2), 0.5)", f(2, 3)),
    c("ConstantPad2d(1, 0.5)", f(1, 2, 3, 3)),
    c("ReflectionPad1d(1)", f(1, 2, 3)),
    c("ReflectionPad2d((1, 0, 2, 1))", f(1, 2, 3, 4)),
    c("ReplicationPad2d((1, 0, 2, 1))", f(1, 2, 3, 4)),
    c("Unflatten(1, (2, 3))", f(4, 6)),
    c("PixelShuffle(2)", f(1, 4, 2, 3)),
    c("PixelUnshuffle(2)", f(1, 1, 4, 6)),
    c("ChannelShuffle(2)", f(1, 4, 2, 2)),
    c("Tril()", f(3, 3)),
    c("Triu()", f(3, 3)),
    c("Norm()", f(3, 2)),
    c("Norm(0, True)", f(3, 2)),
    c("Norm('a')", f(3, 2), fails=True),
    c("MatMul()", f(2, 3), f(3, 4)),
    c("MatMul(True, True)", f(5, 3, 2), f(5, 4, 3)),
    c("ReduceLogSumExp(0)", f(3, 2)),
    c("ReduceLogSumExp((), True)", f(3, 2)),
    c("L1Regularizer(0.1)", f(3, 2)),
    c("L1Regularizer(-1.0)", f(3, 2), fails=True),
    c("Moments(axis=0)", f(3, 2)),
    c("Moments(axis=(0, 1), keep_dims=True)", f(3, 2)),
    c("ClipByNorm()", f(3, 2), lit(1.0)),
]

CONVOLUTIONS = [
    c("Conv2d(2, 3, 3)", f(1, 2, 5, 6)),
    c("Conv2d(2, 3, 3, stride=2)", f(2, 2, 5, 6)),
    c("Conv2d(2, 3, (2, 3), pad_mode='valid', has_bias=True)", f(1, 2, 5, 6)),
    c("Conv2d(2, 3, 3, pad_mode='pad', padding=1, has_bias=True)", f(1, 2, 5, 6)),
    c("Conv2d(2, 4, 3, pad_mode='pad', padding=(1, 2, 0, 1), dilation=2, group=2)", f(1, 2, 6, 6)),
    c("Conv2d(4, 4, 3, group=4, stride=(1, 2))", f(1, 4, 4, 5)),
    c("Conv2d(2, 3, 3)", f(2, 5, 6), fails=True),
    c("Conv2d(2, 3, 3, has_bias=True)", h(1, 2, 5, 6), half=True, tol=5e-3),
    c("Conv2d(2, 3, 3)", h(1, 2, 5, 6), fails=True),
    c("Conv2d(2, 3, 3)", f(1, 3, 5, 6), fails=True),
    c("Conv2d(2, 3, 3)", f(5, 6), fails=True),
    c("Conv2d(2, 3, 0)", f(1, 2, 5, 6), fails=True),
    c("Conv2d(2, 3, 1.5)", f(1, 2, 5, 6), fails=True),
    c("Conv2d(2.0, 3, 3)", f(1, 2, 5, 6), fails=True),
    c("Conv2d(0, 3, 3)", f(1, 2, 5, 6), fails=True),
    c("Conv2d(2, 3, 3, group=2)", f(1, 2, 5, 6), fails=True),
    c("Conv2d(3, 2, 3, group=2)", f(1, 3, 5, 6), fails=True),
    c("Conv2d(2, 3, 3, pad_mode='nope')", f(1, 2, 5, 6), fails=True),
    c("Conv2d(2, 3, 3, pad_mode='same', padding=1)", f(1, 2, 5, 6), fails=True),
    c("Conv2d(2, 3, 3, pad_mode='pad', padding=-1)", f(1, 2, 5, 6), fails=True),
    c("Conv2d(2, 3, 3, pad_mode='pad', padding=(1, 1))", f(1, 2, 5, 6), fails=True),
    c("Conv2d(2, 3, 3, stride=0)", f(1, 2, 5, 6), fails=True),
    c("Conv2d(2, 3, 3, dilation=0)", f(1, 2, 5, 6), fails=True),
    c("Conv2d(2, 3, 3, data_format='NWHC')", f(1, 2, 5, 6), fails=True),
    c("Conv1d(2, 3, 3)", f(1, 2, 6)),
    c("Conv1d(2, 3, 3, stride=2, pad_mode='valid', has_bias=True)", f(1, 2, 7)),
    c("Conv1d(4, 4, 2, pad_mode='pad', padding=2, dilation=2, group=2)", f(2, 4, 6)),
    c("Conv1d(2, 3, (3, 3))", f(1, 2, 6), fails=True),
    c("Conv1d(2, 3, 3)", f(1, 2, 5, 6), fails=True),
    c("Conv3d(2, 3, 2)", f(1, 2, 3, 4, 3), tol=1e-4),
    c("Conv3d(2, 3, (1, 2, 3), stride=2, pad_mode='valid', has_bias=True)", f(1, 2, 3, 4, 5), tol=1e-4),
    c("Conv2dTranspose(2, 3, 3)", f(1, 2, 4, 5)),
    c("Conv2dTranspose(2, 3, 3, stride=2)", f(1, 2, 4, 5)),
    c("Conv2dTranspose(2, 3, 3, stride=2, pad_mode='valid', has_bias=True)", f(1, 2, 4, 5)),
    c("Conv2dTranspose(2, 3, 3, stride=2, pad_mode='pad', padding=1, output_padding=1)", f(1, 2, 4, 5)),
    c("Conv2dTranspose(2, 4, 3, stride=2, pad_mode='pad', padding=1, dilation=2)", f(1, 2, 4, 5)),
    c("Conv2dTranspose(2, 3, 3, pad_mode='nope')", f(1, 2, 4, 5), fails=True),
    c("Conv2dTranspose(2, 3, 3, stride=2, output_padding=1)", f(1, 2, 4, 5), fails=True),
    c("Conv2dTranspose(2, 3, 3, stride=2, pad_mode='pad', output_padding=2)", f(1, 2, 4, 5), fails=True),
    c("Conv3dTranspose(2, 3, 2, stride=2, pad_mode='pad', output_padding=1)", f(1, 2, 2, 3, 2), tol=1e-4),
    c("Conv3dTranspose(2, 3, 2)", f(1, 2, 2, 3, 2), tol=1e-4),
    c("Conv1dTranspose(2, 3, 3, pad_mode='pad')", f(1, 2, 6)),
    c("Conv1dTranspose(2, 3, 3, stride=2, pad_mode='valid', has_bias=True)", f(1, 2, 6)),
]

NORMS = [
    c("BatchNorm2d(3)", f(2, 3, 2, 2), tol=1e-4),
    c("BatchNorm2d(3)", f(2, 3, 2, 2), train=True, tol=1e-4),
    c("BatchNorm2d(3, momentum=0.3, eps=1e-2)", f(2, 3, 2, 2), train=True, tol=1e-4),
    c("BatchNorm2d(3, affine=False)", f(2, 3, 2, 2), train=True, tol=1e-4),
    c("BatchNorm2d(3, use_batch_statistics=True)", f(2, 3, 2, 2), tol=1e-4),
    c("BatchNorm2d(3, use_batch_statistics=False)", f(2, 3, 2, 2), train=True, tol=1e-4),
    c(
        "BatchNorm2d(3)",
        h(2, 3, 2, 2),
        train=True,
        tol=1e-2,
        why="MindSpore rounds the statistics to float16",
    ),
    c("BatchNorm2d(3)", h(2, 3, 2, 2), tol=5e-3),
    c("BatchNorm1d(3)", f(4, 3), train=True, tol=1e-4),
    c("BatchNorm1d(3)", f(4, 3), tol=1e-4),
    c("BatchNorm1d(3)", f(4, 3, 2), train=True, tol=1e-4),
    c("BatchNorm3d(3)", f(2, 3, 2, 2, 2), train=True, tol=1e-4),
    c("BatchNorm2d(3)", f(2, 4, 2, 2), fails=True),
    c("BatchNorm2d(3)", f(2, 3), fails=True),
    c("BatchNorm1d(3)", f(2, 3, 2, 2), fails=True),
    c("BatchNorm3d(3)", f(2, 3, 2, 2), fails=True),
    c("BatchNorm2d(0)", f(2, 3, 2, 2), fails=True),
    c("BatchNorm2d(3.0)", f(2, 3, 2, 2), fails=True),
    c("BatchNorm2d(3, momentum=1.5)", f(2, 3, 2, 2), fails=True),
    c("BatchNorm2d(3, eps=0.0)", f(2, 3, 2, 2), fails=True),
    c("BatchNorm2d(3, gamma_init='nope')", f(2, 3, 2, 2), fails=True),
    c("BatchNorm2d(3, use_batch_statistics=3)", f(2, 3, 2, 2), fails=True),
    c("BatchNorm2d(3, data_format='NC')", f(2, 3, 2, 2), fails=True),
    c("LayerNorm((3,))", f(2, 3)),
    c("LayerNorm([3, 4], begin_norm_axis=1, begin_params_axis=1)", f(2, 3, 4)),
    c("LayerNorm((4,), epsilon=1e-3)", f(2, 3, 4)),
    c("LayerNorm((3,))", h(2, 3), tol=5e-3),
    c("LayerNorm(3)", f(2, 3), fails=True),
    c("LayerNorm((4,))", f(2, 3), fails=True),
    c("SyncBatchNorm(3)", f(2, 3, 2, 2), train=True, tol=1e-4),
    c("LRN()", f(1, 6, 2, 2)),
    c("LRN(1, 2.0, 0.5, 0.75)", f(1, 6, 2, 2)),
    c("GroupNorm(2, 4)", f(2, 4, 3, 2), tol=1e-4),
    c("GroupNorm(1, 4, affine=False)", f(2, 4, 3, 2), tol=1e-4),
    c("GroupNorm(3, 4)", f(2, 4, 3, 2), fails=True),
    c("GroupNorm(2, 4)", f(2, 3, 3, 2), fails=True),
    c("GroupNorm(2.0, 4)", f(2, 4, 3, 2), fails=True),
]

POOLS = [
    c("MaxPool2d(2)", spread(1, 2, 4, 5)),
    c("MaxPool2d(2, 2)", spread(1, 2, 4, 5)),
    c("MaxPool2d((2, 3), 2, pad_mode='same')", spread(1, 2, 4, 5)),
    c("MaxPool2d(3, 2, pad_mode='pad', padding=1)", spread(1, 2, 5, 5)),
    c("MaxPool2d(2, 2)", spread(2, 4, 5)),
    c("MaxPool2d(2, 2)", spread(1, 2, 4, 4, dtype="float16")),
    c("MaxPool2d(0)", f(1, 2, 4, 4), fails=True),
    c("MaxPool2d(2, pad_mode='nope')", f(1, 2, 4, 4), fails=True),
    c("MaxPool2d('a')", f(1, 2, 4, 4), fails=True),
    c("MaxPool2d(2)", f(4), fails=True),
    c("MaxPool2d(2, 2.5)", f(1, 2, 4, 4), fails=True),
    c("MaxPool2d(2, pad_mode='same', padding=1)", f(1, 2, 4, 4), fails=True),
    c("MaxPool1d(2)", spread(1, 2, 5)),
    c("MaxPool1d(3, 2, pad_mode='same')", spread(1, 2, 5)),
    c("MaxPool1d(2)", spread(2, 5)),
    c("AvgPool2d(2)", f(1, 2, 4, 5)),
    c("AvgPool2d(3, 2, pad_mode='same')", f(1, 2, 4, 5)),
    c("AvgPool2d(3, 2, pad_mode='pad', padding=1)", f(1, 2, 5, 5)),
    c("AvgPool2d(3, 2, pad_mode='pad', padding=1, count_include_pad=False)", f(1, 2, 5, 5)),
    c("AvgPool2d(2, 2)", f(2, 4, 5)),
    c("AvgPool2d(2, divisor_override=0, pad_mode='pad')", f(1, 2, 4, 4), fails=True),
    c("AvgPool1d(2)", f(1, 2, 5)),
    c("AvgPool1d(3, 2, pad_mode='same')", f(1, 2, 5)),
    c("LPPool1d(2, 2)", f(1, 2, 5), tol=1e-4),
    c("LPPool2d(2, (2, 3), 1)", f(1, 2, 4, 5), tol=1e-4),
    c("MaxUnpool2d(2)", f(1, 1, 2, 2), lit([[[[0, 3], [9, 15]]]], "int64")),
    c("MaxUnpool1d(2)", f(1, 1, 2), lit([[[1, 2]]], "int64")),
    c("AdaptiveAvgPool1d(2)", f(1, 2, 4)),
    c("AdaptiveAvgPool2d(2)", f(1, 2, 4, 5)),
    c("AdaptiveAvgPool2d((2, None))", f(1, 2, 4, 5)),
    c("AdaptiveAvgPool2d(1)", f(2, 4, 5)),
    c("AdaptiveAvgPool3d((2, 1, 2))", f(1, 2, 4, 3, 4)),
    c("AdaptiveMaxPool1d(2)", spread(1, 2, 4)),
    c("AdaptiveMaxPool2d(2)", spread(1, 2, 4, 5)),
    c("AdaptiveAvgPool2d('a')", f(1, 2, 4, 5), fails=True),
]

EMBEDDINGS = [
    c("Embedding(5, 3)", below(5, 2, 4)),
    c("Embedding(5, 3)", below(5, 4, dtype="int64")),
    c("Embedding(5, 3, use_one_hot=True)", below(5, 2, 4)),
    c("Embedding(5, 3, padding_idx=1)", lit([0, 1, 2], "int32")),
    c("Embedding(5, 3)", f(2), fails=True),
    c("Embedding(5, 3, padding_idx=7)", below(5, 2), fails=True),
    c("Embedding(5.0, 3)", below(5, 2), fails=True),
    c("Embedding(5, 3, use_one_hot=3)", below(5, 2), fails=True),
    c("EmbeddingLookup(5, 3, target='DEVICE', sparse=False)", below(5, 2, 4)),
    c("Dropout(p=0.5)", f(3, 2)),
    c("Dropout(p=0.0)", f(3, 2), train=True),
    c("Dropout(0.9)", h(3, 2)),
    c("Dropout(1.0)", f(3, 2), train=True),
    c("Dropout(p=1.0)", f(3), fails=True),
    c("Dropout(p=-0.1)", f(3), fails=True),
    c("Dropout(keep_prob=0.0)", f(3), fails=True),
    c("Dropout(keep_prob=1.5)", f(3), fails=True),
    c("Dropout(p='a')", f(3), fails=True),
    c("Dropout(p=1)", f(3), fails=True),
    c("Dropout2d(0.0)", f(1, 2, 3, 3), train=True),
    c("Dropout2d(0.5)", f(1, 2, 3, 3)),
    c("Dropout1d(0.5)", f(2, 3, 3)),
    c("Dropout3d(0.5)", f(1, 2, 2, 2, 2)),
    c("Dropout1d(1.5)", f(2, 3, 3), fails=True),
    c("Dropout2d(1.5)", f(2, 3, 3), fails=True),
]


def _reduced(make: str, *args: Any, **options: Any) -> list[Call]:
    """A loss with each reduction."""
    end = "" if make[-2] == "(" else ", "
    return [c(f"{make[:-1]}{end}reduction='{r}')", *args, **options) for r in ("mean", "sum", "none")]


LOSSES = [
    *_reduced("MSELoss()", f(3, 4), f(3, 4)),
    *_reduced("L1Loss()", f(3, 4), f(3, 4)),
    *_reduced("SmoothL1Loss()", f(3, 4), f(3, 4)),
    *_reduced("SmoothL1Loss(beta=0.5)", f(3, 4), f(3, 4)),
    *_reduced("HuberLoss(delta=0.7)", f(3, 4), f(3, 4)),
    *_reduced("CrossEntropyLoss()", f(3, 4), below(4, 3)),
    *_reduced("CrossEntropyLoss()", f(3, 4), dist(3, 4)),
    *_reduced("CrossEntropyLoss(label_smoothing=0.1)", f(3, 4), below(4, 3)),
    *_reduced("CrossEntropyLoss(ignore_index=1)", f(3, 4), lit([0, 1, 2], "int32")),
    *_reduced("CrossEntropyLoss(weight=ms.Tensor([1.0, 2.0, 3.0, 0.5]))", f(3, 4), below(4, 3)),
    *_reduced("CrossEntropyLoss()", f(2, 4, 3), below(4, 2, 3)),
    *_reduced("NLLLoss()", f(3, 4), below(4, 3)),
    *_reduced("NLLLoss(weight=ms.Tensor([1.0, 2.0, 3.0, 0.5]))", f(3, 4), below(4, 3)),
    *_reduced("SoftmaxCrossEntropyWithLogits(sparse=True)", f(3, 4), below(4, 3)),
    *_reduced("SoftmaxCrossEntropyWithLogits()", f(3, 4), dist(3, 4)),
    *_reduced("BCELoss()", unit(3, 4), unit(3, 4)),
    *_reduced(
        "BCELoss(weight=ms.Tensor(np.arange(12, dtype=np.float32).reshape(3, 4)))", unit(3, 4), unit(3, 4)
    ),
    *_reduced("BCEWithLogitsLoss()", f(3, 4), unit(3, 4)),
    *_reduced(
        "BCEWithLogitsLoss(weight=ms.Tensor([1.0, 2.0, 3.0, 0.5]), pos_weight=ms.Tensor([0.5, 2.0, 1.0, 1.0]))",
        f(3, 4),
        unit(3, 4),
    ),
    *_reduced("KLDivLoss()", f(3, 4), dist(3, 4)),
    c("KLDivLoss(reduction='batchmean')", f(3, 4), dist(3, 4)),
    *_reduced("CosineEmbeddingLoss(margin=0.1)", f(3, 4), f(3, 4), sign(3)),
    *_reduced("MAELoss()", f(3, 4), f(3, 4)),
    *_reduced("MarginRankingLoss(margin=0.5)", f(4), f(4), sign(4)),
    *_reduced("MultiLabelSoftMarginLoss()", f(3, 4), unit(3, 4)),
    *_reduced("GaussianNLLLoss()", f(3, 4), f(3, 4), unit(3, 4)),
    *_reduced("PoissonNLLLoss()", f(3, 4), unit(3, 4)),
    *_reduced("PoissonNLLLoss(log_input=False, full=True)", unit(3, 4), lit([[0.0, 1.0, 2.0, 5.0]] * 3)),
    *_reduced("FocalLoss()", f(2, 4), below(4, 2, 1)),
    c("FocalLoss(weight=ms.Tensor([1.0, 2.0, 3.0, 0.5]), gamma=1.5)", f(2, 4, 3), below(4, 2, 1, 3)),
    c("DiceLoss()", unit(3, 4), unit(3, 4)),
    c("DiceLoss(smooth=-1.0)", unit(3, 4), unit(3, 4), fails=True),
    c("DiceLoss()", unit(3, 4), unit(3, 3), fails=True),
    c("RMSELoss()", f(3, 4), f(3, 4)),
    c("MSELoss()", h(3, 4), h(3, 4)),
    c("MSELoss()", f(3, 4), f(4)),
    c("MSELoss()", f(3, 4), f(3, 3), fails=True),
    c("MSELoss('nope')", f(3, 4), f(3, 4), fails=True),
    c("L1Loss('nope')", f(3, 4), f(3, 4), fails=True),
    c("SmoothL1Loss(beta=-1.0)", f(3, 4), f(3, 4), fails=True),
    c("SmoothL1Loss(beta='a')", f(3, 4), f(3, 4), fails=True),
    c("HuberLoss(delta=-1.0)", f(3, 4), f(3, 4), fails=True),
    c("CrossEntropyLoss(reduction='nope')", f(3, 4), below(4, 3), fails=True),
    c("CrossEntropyLoss(label_smoothing=2.0)", f(3, 4), below(4, 3), fails=True),
    c("CrossEntropyLoss()", f(3, 4), f(3), fails=True),
    c("NLLLoss(ignore_index=1.5)", f(3, 4), below(4, 3), fails=True),
    c("SoftmaxCrossEntropyWithLogits(sparse=3)", f(3, 4), below(4, 3), fails=True),
    c("SoftmaxCrossEntropyWithLogits(reduction='nope')", f(3, 4), f(3, 4), fails=True),
    c("SoftmaxCrossEntropyWithLogits()", f(3, 4), f(3, 3), fails=True),
    c("BCELoss(reduction='nope')", unit(3, 4), unit(3, 4), fails=True),
    c("BCEWithLogitsLoss(reduction='nope')", f(3, 4), unit(3, 4), fails=True),
    c("KLDivLoss(reduction='nope')", f(3, 4), f(3, 4), fails=True),
    c("CosineEmbeddingLoss(margin=2.0)", f(3, 4), f(3, 4), sign(3), fails=True),
    c("CosineEmbeddingLoss(margin='a')", f(3, 4), f(3, 4), sign(3), fails=True),
]

LAYERS = [*ACTIVATIONS, *LINEAR, *CONVOLUTIONS, *NORMS, *POOLS, *EMBEDDINGS, *LOSSES]

# Layers whose starting values are drawn: their distribution is recorded (mean, standard deviation, least, greatest).
STARTS = [
    "Dense(300, 200)",
    "Dense(300, 200, weight_init='normal', bias_init='uniform')",
    "Dense(300, 200, weight_init='XavierUniform', bias_init='ones')",
    "Dense(300, 200, weight_init='TruncatedNormal', bias_init=0.3)",
    "Dense(300, 200, weight_init=ms.common.initializer.HeNormal())",
    "Dense(300, 200, weight_init=ms.common.initializer.Normal(0.5, 2.0))",
    "Dense(300, 200, weight_init='he_uniform')",
    "Dense(300, 200, weight_init='xavier_normal')",
    "BiDense(40, 50, 30)",
    "Conv1d(64, 64, 5, has_bias=True)",
    "Conv2d(32, 64, 3, has_bias=True)",
    "Conv2d(32, 64, 3, weight_init='normal', has_bias=True, bias_init='normal')",
    "Conv2d(32, 64, 3, group=4, has_bias=True)",
    "Conv3d(16, 32, 3, has_bias=True)",
    "Conv2dTranspose(32, 64, 3, has_bias=True)",
    "Conv1dTranspose(64, 64, 5, has_bias=True)",
    "Embedding(1000, 50)",
    "Embedding(1000, 50, embedding_table='uniform', padding_idx=3)",
    "EmbeddingLookup(1000, 50)",
    "BatchNorm2d(5)",
    "BatchNorm2d(5, gamma_init='zeros', moving_var_init=2.0)",
    "LayerNorm((5,))",
    "GroupNorm(1, 5)",
    "PReLU(5)",
]


# ---------------------------------------------------------------------- recording

ADDRESS = re.compile(r"<mindspore[.\w]*\.(\w+) object at 0x[0-9a-f]+>")


def leaves(value: Any) -> list:
    return [leaf for v in value for leaf in leaves(v)] if isinstance(value, list | tuple) else [value]


def run(ms: Any, call: Call) -> dict[str, Any]:
    """Describe a layer: its tree and Parameters, outputs, gradients, and the state that training left."""
    cell = call.build(ms)
    told: dict[str, Any] = {"tree": ADDRESS.sub(r"<\1>", str(cell))}
    parameters = list(cell.parameters_and_names())
    told["parameters"] = [[n, p.name, list(p.shape), str(p.dtype), p.requires_grad] for n, p in parameters]
    for path, p in parameters:
        p.set_data(ms.Tensor(call.values(path, p.shape, p.asnumpy().dtype)))
    inputs = [ms.Tensor(x) if isinstance(x, np.ndarray) else x for x in call.inputs()]
    outputs = [o.asnumpy().copy() for o in leaves(cell(*inputs))]
    state = [p for _, p in parameters if not p.requires_grad] if call.train else []
    told |= {"outputs": outputs, "grads": [], "state": [p.asnumpy().copy() for p in state]}
    weights = [p for _, p in parameters if p.requires_grad]
    at = [i for i, x in enumerate(inputs) if isinstance(x, ms.Tensor) and x.is_floating_point()]
    if call.grad and (at or weights):

        def scalar(*args: Any) -> Any:
            outs = leaves(cell(*args))
            sens = [ms.Tensor(call.cotangent(i, o)) for i, o in enumerate(outputs)]
            return sum(
                ((o * s).astype(ms.float32).sum() for o, s in zip(outs, sens, strict=True)), ms.Tensor(0.0)
            )

        grads = ms.grad(scalar, tuple(at) or None, weights or None)(*inputs)
        told["grads"] = [g.asnumpy() for g in leaves(grads)]
    return told


def start(ms: Any, make: str) -> dict[str, list[float]]:
    """How the starting values of a layer are distributed."""
    ms.set_seed(1)
    values = {name: p.asnumpy() for name, p in Call(make, ()).build(ms).parameters_and_names()}
    return {n: [float(s) for s in (v.mean(), v.std(), v.min(), v.max())] for n, v in values.items()}


def outcomes(ms: Any) -> dict[str, Any]:
    """Return the description of each layer, or the exception's type."""
    found: dict[str, dict[str, Any]] = {}
    for call in LAYERS:
        if call.id in found:
            raise ValueError(f"twice in the table: {call.id}")
        try:
            found[call.id] = run(ms, call)
        except Exception as error:
            found[call.id] = {"error": type(error).__name__}
        if call.fails != ("error" in found[call.id]):
            print("DOES NOT RAISE:" if call.fails else "RAISES:", call.id, found[call.id].get("error"))
    return {"layers": found, "starts": {make: start(ms, make) for make in STARTS}}
