"""Settings that a program changes after it made a layer: those that MindSpore 2.10 then follows, and those that it does not.

Which is which was asked of MindSpore for each of them. Its layers make their operator once, so `bn.eps = 1e-3` and
`conv.stride = (1, 1)`, which programs that come from PyTorch write, leave the results as they are.
"""

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, nn


def drawn(*shape):
    return Tensor(np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32))


IMAGES, ROWS, LINES = drawn(2, 4, 6, 6), drawn(3, 4), drawn(2, 4, 6)
PAIR = (drawn(3, 4), drawn(4, 3).T)
CLASSES = Tensor([1, 0, 2], ms.int32)
SIGNS = Tensor([1, -1, 1], ms.int32)
KEPT = {
    "Conv1d": (lambda: nn.Conv1d(4, 4, 3, weight_init="ones"), (LINES,), {"stride": (1, 2), "pad_mode": "valid"}),
    "Conv2d": (
        lambda: nn.Conv2d(4, 4, 3, weight_init="ones"),
        (IMAGES,),
        {"stride": (2, 2), "dilation": (2, 2), "pad_mode": "valid", "padding": 1, "group": 2},
    ),
    "Conv3d": (
        lambda: nn.Conv3d(2, 2, 2, weight_init="ones"), (drawn(1, 2, 4, 4, 4),), {"stride": (2, 2, 2)}
    ),
    "Conv2dTranspose": (
        lambda: nn.Conv2dTranspose(4, 4, 3, weight_init="ones"),
        (IMAGES,),
        {"dilation": (2, 2), "pad_mode": "valid"},
    ),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(4), (ROWS,), {"eps": 0.25, "momentum": 0.5}),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(4), (IMAGES,), {"eps": 0.25, "momentum": 0.5}),
    "LayerNorm": (lambda: nn.LayerNorm((4,)), (ROWS,), {"epsilon": 0.25, "begin_norm_axis": 0}),
    "MaxPool2d": (lambda: nn.MaxPool2d(2, 2), (IMAGES,), {"kernel_size": 1, "stride": 1}),
    "MaxPool2d, pad": (
        lambda: nn.MaxPool2d(3, 2, "pad", 1), (IMAGES,), {"kernel_size": 2, "padding": 0, "dilation": 2, "ceil_mode": True}
    ),
    "AvgPool2d, pad": (
        lambda: nn.AvgPool2d(3, 2, "pad", 1), (IMAGES,), {"count_include_pad": False, "ceil_mode": True}
    ),
    "AvgPool2d": (lambda: nn.AvgPool2d(2, 2), (IMAGES,), {"kernel_size": 1, "stride": 1}),
    "AvgPool2d, same": (lambda: nn.AvgPool2d(3, 2, "same"), (IMAGES,), {"stride": 1, "pad_mode": "VALID"}),
    "SmoothL1Loss": (lambda: nn.SmoothL1Loss(), PAIR, {"beta": 0.25, "reduction": "sum"}),
    "SoftmaxCrossEntropyWithLogits": (
        lambda: nn.SoftmaxCrossEntropyWithLogits(True), (ROWS, CLASSES), {"reduction": "sum"}
    ),
    "MSELoss": (lambda: nn.MSELoss(), PAIR, {"reduction": "sum"}),
}  # fmt: skip
FOLLOWED = {
    "Conv2d": (
        lambda has_bias=True: nn.Conv2d(4, 4, 3, has_bias=has_bias, weight_init="ones", bias_init="ones"),
        (IMAGES,),
        {"has_bias": False},
    ),
    "Dense": (
        lambda has_bias=True: nn.Dense(4, 3, "ones", "ones", has_bias=has_bias), (ROWS,), {"has_bias": False}
    ),
    "MSELoss, sum": (lambda reduction="mean": nn.MSELoss(reduction), PAIR, {"average": False}),
    "MSELoss, none": (lambda reduction="mean": nn.MSELoss(reduction), PAIR, {"reduce": False}),
    "SoftmaxCrossEntropyWithLogits, mean": (
        lambda reduction="none": nn.SoftmaxCrossEntropyWithLogits(True, reduction),
        (ROWS, CLASSES),
        {"reduce": True, "average": True},
    ),
    "CosineEmbeddingLoss, sum": (
        lambda reduction="mean": nn.CosineEmbeddingLoss(reduction=reduction), (*PAIR, SIGNS), {"average": False}
    ),
}  # fmt: skip


def result(layer, inputs, compiled):
    call = ms.jit(layer) if compiled else layer
    moving = [p.asnumpy() for p in layer.get_parameters() if not p.requires_grad]
    return [call(*inputs).asnumpy(), *moving]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("case", KEPT)
def test_settings_of_operators_are_those_of_the_constructor(case, compiled):
    make, inputs, settings = KEPT[case]
    expected = result(make().set_train(), inputs, compiled)
    layer = make().set_train()
    for name, value in settings.items():
        setattr(layer, name, value)
    for got, wanted in zip(result(layer, inputs, compiled), expected, strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("case", FOLLOWED)
def test_settings_that_layers_ask_at_the_call(case, compiled):
    make, inputs, settings = FOLLOWED[case]
    reduction = case.partition(", ")[2]
    expected = make(reduction=reduction) if reduction else make(**settings)
    layer = make()
    for name, value in settings.items():
        setattr(layer, name, value)
    wanted = result(expected, inputs, compiled)[0]
    assert not np.array_equal(result(make(), inputs, compiled)[0], wanted)
    np.testing.assert_array_equal(result(layer, inputs, compiled)[0], wanted)


def test_an_activation_that_was_not_there_is_not_called():
    layer = nn.Dense(4, 3)
    expected = layer(ROWS).asnumpy()
    layer.activation = nn.ReLU()
    np.testing.assert_array_equal(layer(ROWS).asnumpy(), expected)
    layer = nn.Dense(4, 3, activation="relu")
    layer.activation_flag = False
    assert (layer(ROWS).asnumpy() < 0).any()


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("make", "name", "value"),
    [
        (lambda: nn.Dropout(p=0.5), "p", 0.0),
        (lambda: nn.Dropout(p=0.5), "keep_prob", 1.0),
        (lambda: nn.Dropout(keep_prob=0.5), "p", 0),
        (lambda: nn.Dropout(keep_prob=0.5), "keep_prob", 1.0),
        (lambda: nn.Dropout2d(p=0.5), "keep_prob", 1.0),
    ],
)
def test_dropout_that_is_switched_off(make, name, value, compiled):
    layer = make().set_train()
    setattr(layer, name, value)
    np.testing.assert_array_equal(result(layer, (IMAGES,), compiled)[0], IMAGES.asnumpy())


def test_dropout_with_both_probabilities():
    assert nn.Dropout(keep_prob=1.0, p=0.5).set_train()(IMAGES) is IMAGES
