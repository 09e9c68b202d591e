"""Cells, their gradients and their training, against what MindSpore prints for tests/goldens/cells_cases.py."""

import msjax as ms
from msjax import nn, ops
from tests.goldens.replaying import replayed

names, test_as_mindspore = replayed("cells", 5e-5)


def test_dicts_keep_their_order():
    class Net(nn.Cell):
        def construct(self, inputs, **more):
            return {"z": ops.cat([*inputs.values()]), "b": list(more)}

    x, y, net = ms.Tensor([1.0]), ms.Tensor([2.0]), Net()
    for call in (net, ms.jit(net), net.to_float(ms.float16), lambda *a, **k: ms.recompute(net, *a, **k)):
        found = call({"b": x, "a": y}, z=x, c=y)
        assert list(found) == ["z", "b"]
        assert found["z"].asnumpy().tolist() == [1.0, 2.0]
        assert found["b"] == ["z", "c"]
    gradient = ms.jit(ms.grad(lambda inputs: ops.cat([v * i for i, v in enumerate(inputs.values())])))
    assert [float(g) for g in gradient(ms.mutable({"b": x, "a": y})).values()] == [0.0, 1.0]
