"""Networks as ONNX files. What they compute is checked where ONNX Runtime is installed."""

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, nn, ops


class Parts(nn.Cell):
    """A little of each: convolutions, poolings, normalizations, an embedding, a loop, products, changes of shape."""

    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(
            nn.Conv2d(2, 4, 3, 2, has_bias=True),
            nn.BatchNorm2d(4),
            nn.LeakyReLU(0.1),
            nn.Conv2d(4, 4, 3, group=2),
            nn.MaxPool2d(3, 2, pad_mode="same"),
            nn.Conv2dTranspose(4, 2, 3, 2),
            nn.AvgPool2d(2, 2),
        )
        self.table = nn.Embedding(5, 3)
        self.recurrent = nn.GRU(3, 2)
        self.norm = nn.LayerNorm((2,))
        self.dense = nn.SequentialCell(nn.Dense(2, 4, activation="gelu"), nn.Dropout(p=0.5))

    def construct(self, x, i):
        y = self.body(x)
        h = self.norm(self.recurrent(self.table(i))[0])
        z = ops.softmax(self.dense(h), -1)
        parts = ops.stack([z[:, :, ::2], ops.flip(z, (2,))[:, :, :2]], 1)
        chosen = ops.gather_elements(z, 2, ops.argmax(z, 2).expand_dims(2))
        return (
            y,
            (y.mean((2, 3)), parts.transpose(1, 0, 2, 3)),
            ops.where(z > 0.25, z, -z),
            chosen,
            ops.cumsum(z, 1),
        )


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    net, path = Parts().set_train(), tmp_path_factory.mktemp("onnx") / "deep" / "net"
    x = Tensor(np.sin(np.arange(128)).reshape(1, 2, 8, 8).astype(np.float32))
    given = x, Tensor([[1, 4], [0, 2], [3, 3]], ms.int32)
    ms.onnx.export(net, *given, file_name=str(path), input_names=["image"], output_names=["map"])
    assert net.training
    return net.set_train(False), given, path.with_suffix(".onnx")


def test_operators_and_names(written):
    content = written[2].read_bytes()
    wanted = "Conv Gather MatMul Where Transpose Concat image input_1 map output_1 body.0.weight"
    assert not [name for name in wanted.split() if name.encode() not in content]


def test_as_computed_here(written):
    runtime = pytest.importorskip("onnxruntime")
    net, given, path = written
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_inputs()]
    found = session.run(None, dict(zip(names, [x.asnumpy() for x in given], strict=True)))
    y, (mean, parts), *others = net(*given)
    for a, b in zip(found, [y, mean, parts, *others], strict=True):
        np.testing.assert_allclose(a, b.asnumpy(), rtol=1e-4, atol=1e-5)
        assert a.dtype == b.asnumpy().dtype


def test_parameters_as_inputs_and_from_the_other_package(tmp_path):
    net, x, path = nn.Dense(3, 2), Tensor([[1.0, 2.0, 3.0]]), tmp_path / "a.onnx"
    ms.export(net, x, file_name=str(path), file_format="ONNX")
    weight = net.weight.asnumpy().tobytes()
    assert weight in path.read_bytes()
    ms.onnx.export(net, x, file_name=str(tmp_path / "b"), export_params=False)
    assert weight not in (tmp_path / "b.onnx").read_bytes()


def test_refused(tmp_path):
    path, x = str(tmp_path / "a"), Tensor([[2.0, 1.0]])

    class Sorted(nn.Cell):
        def construct(self, x):
            return ops.sort(x)[0]

    for kind, net, options, said in (
        (NotImplementedError, Sorted(), {}, "'sort'"),
        (NotImplementedError, nn.ReLU(), {"dynamic_axes": {"input_0": {0: "n"}}}, "dynamic_axes"),
        (TypeError, ops.relu, {}, "Cell"),
        (TypeError, nn.ReLU(), {"input_names": "x"}, "input_names"),
        (ValueError, nn.ReLU(), {"output_names": ["a", "b"]}, "output_names"),
    ):
        with pytest.raises(kind, match=said):
            ms.onnx.export(net, x, file_name=path, **options)
    assert not list(tmp_path.iterdir())
