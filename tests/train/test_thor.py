"""Networks for the optimizer THOR: the layers that MindSpore puts in, with the same Parameters."""

import numpy as np

import msjax as ms
from msjax import Tensor, nn
from msjax.train import ConvertNetUtils


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(10, 4)
        self.s = nn.SequentialCell(nn.Conv2d(1, 2, 3, has_bias=True), nn.BatchNorm2d(2), nn.ReLU())
        self.c1 = nn.Conv1d(2, 2, 3)
        self.d = nn.Dense(3, 4, activation="relu")
        self.d2 = nn.Dense(3, 1001, has_bias=False)
        self.frozen = nn.Dense(2, 2)
        self.frozen.weight.requires_grad = False
        self.g = nn.Dense(3, 4, activation="fast_gelu")
        self.wide = nn.Dense(2, 2)


def test_layers_and_names_as_in_mindspore():
    net = Net()
    ConvertNetUtils().convert_to_thor_net(net)
    kinds = {name: type(cell).__name__ for name, cell in net.cells_and_names() if name and name != "s"}
    thor = {"e": "EmbeddingThor", "s.0": "Conv2dThor", "d": "DenseThor", "d2": "DenseThor", "g": "DenseThor"}
    assert {name: kind for name, kind in kinds.items() if kind.endswith("Thor")} == thor
    assert type(net.g.activation).__name__ == "FastGelu"
    names = [p.name for p in net.get_parameters()]
    assert names[:3] == ["e.embedding_table", "e.matrix_a", "e.matrix_g"]
    assert {"s.0.weight", "s.0.matrix_a_cov", "d.weight", "d.bias", "d.matrix_g", "d2.matrix_a"} <= set(names)
    assert net.cell_type == "second-order"
    assert len(names) == len(set(names))
    assert not [name for name in names if name.endswith("init")]


def test_values_remain():
    net = Net()
    x, image = Tensor(np.ones((2, 3), np.float32)), ms.ops.ones((1, 1, 4, 4))
    net.s[0].bias.set_data(Tensor([1.0, 2.0]))
    before = [net.d2(x), net.s[0](image), net.e(Tensor([1])), net.d(x)]
    ConvertNetUtils().convert_to_thor_net(net)
    after = [net.d2(x), net.s[0](image), net.e(Tensor([1])), net.d(x)]
    for old, new in zip(before[:3], after[:3], strict=True):
        np.testing.assert_allclose(new.asnumpy(), old.asnumpy(), rtol=1e-6)
    assert after[3].dtype == ms.float16
    assert net.s.cell_list[0] is net.s[0]
