"""Networks for the optimizer THOR: the layers that MindSpore puts in, with the same Parameters."""

import itertools

import numpy as np
import pytest

import msjax as ms
import msjax.dataset as ds
from msjax import Tensor, nn
from msjax.nn.optim import second_order
from msjax.train import ConvertModelUtils, ConvertNetUtils, LambdaCallback, Model


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


class Small(nn.Cell):
    """One layer of each kind that has second-order statistics, and a normalization."""

    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(5, 4)
        self.c = nn.Conv2d(1, 2, (1, 2))
        self.n = nn.LayerNorm((8,))
        self.d = nn.Dense(8, 3)

    def construct(self, ids):
        images = self.e(ids).reshape(-1, 1, 1, 4)
        return self.d(self.n(self.c(images).reshape(-1, 8)))


def inverse(matrix, damping):
    return np.linalg.inv(matrix + np.sqrt(damping) * np.eye(len(matrix)))


def test_a_step_divides_by_the_statistics_of_layers():
    net = Small()
    rates, damping = ms.Tensor([0.5, 0.25]), ms.Tensor([0.04])
    optimizer = nn.thor(net, rates, damping, 0.5, loss_scale=2.0, batch_size=3, weight_decay=0.1, frequency=2)
    net.d.to_float(ms.float32)
    assert [type(net.e), type(net.c), type(net.d)] == [nn.EmbeddingThor, nn.Conv2dThor, nn.DenseThor]
    ids = ms.Tensor(np.array([1, 3, 1], np.int32))
    loss = lambda ids: (net(ids) ** 2).sum() * 0.01  # noqa: E731
    gradients = ms.grad(loss, None, optimizer.parameters)(ids)
    before = {p.name: p.asnumpy() for p in optimizer.parameters}
    given = {p.name: g.asnumpy() / 2 for p, g in zip(optimizer.parameters, gradients, strict=True)}
    assert optimizer(gradients) == (True,) * 6
    changes = {
        p.name: (before[p.name] - p.asnumpy()) / 0.5 - 0.1 * before[p.name] for p in optimizer.parameters
    }
    scale = (3 / 2) ** 2
    counts = net.c.a_normalizer.asnumpy(), net.c.g_normalizer.asnumpy()
    root = 1 / np.sqrt(counts[0])
    left = inverse(net.c.matrix_g_cov.asnumpy() * scale, 0.04 / counts[1]) * root
    right = inverse(net.c.matrix_a_cov.asnumpy(), 0.04 / counts[0]) * root
    expected = {
        "c.weight": (left @ given["c.weight"].reshape(2, 2) @ right).reshape(2, 1, 1, 2),
        "e.embedding_table": given["e.embedding_table"]
        / (net.e.matrix_a.asnumpy()[:, None] / 3 + 0.2)
        @ inverse(net.e.matrix_g.asnumpy() * scale, 0.04),
        "n.gamma": given["n.gamma"] / (given["n.gamma"] ** 2 / 3 + 0.2),
        "d.bias": given["d.bias"],
    }
    g = inverse(net.d.matrix_g.asnumpy() * scale, 0.04)
    expected["d.weight"] = g @ given["d.weight"] @ inverse(net.d.matrix_a.asnumpy(), 0.04)
    for name, value in expected.items():
        np.testing.assert_allclose(changes[name], value, rtol=2e-3, atol=2e-5, err_msg=name)
    assert optimizer.cov_step.asnumpy().tolist() == [1]


def test_large_matrices_are_inverted_in_blocks():
    matrix = np.diag(np.arange(1.0, 6.0)).astype(np.float32) + 0.1
    found = second_order.damped_inverse(Tensor(matrix), Tensor(0.5), block=2).asnumpy()
    expected = np.zeros((5, 5))
    for part in (slice(0, 2), slice(2, 4), slice(4, 5)):
        expected[part, part] = inverse(matrix[part, part], 0.25)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_model_computes_statistics_every_few_steps():
    ms.set_seed(1)
    x = np.eye(4, dtype=np.float32)
    data = ds.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(2)
    net = nn.SequentialCell(nn.Dense(4, 3, weight_init="ones"), nn.Dense(3, 1, weight_init="ones"))
    optimizer = nn.thor(net, ms.Tensor(0.01), ms.Tensor([1.0]), 0.5, frequency=3)
    arguments = {"loss_fn": nn.MSELoss(), "optimizer": optimizer}
    model = ConvertModelUtils.convert_to_thor_model(Model(net, **arguments), net, **arguments)
    assert type(model).__name__ == "ModelThor"
    seen = []
    keep = lambda context: seen.append(optimizer.matrix_a[0].asnumpy())  # noqa: E731
    model.train(2, data, callbacks=LambdaCallback(on_train_step_end=keep))
    assert [np.array_equal(a, b) for a, b in itertools.pairwise(seen)] == [True, True, False]
    optimizer.thor = True
    with pytest.raises(NotImplementedError, match="convert_to_thor_model"):
        ms.jit(lambda: optimizer(tuple(optimizer.parameters)))()


@pytest.mark.parametrize(
    ("error", "wrong"),
    [
        (TypeError, {"learning_rate": 0.1}),
        (TypeError, {"momentum": 1}),
        (ValueError, {"momentum": -1.0}),
        (TypeError, {"frequency": 2.0}),
        (ValueError, {"frequency": 1}),
        (TypeError, {"use_nesterov": 1}),
    ],
)
def test_arguments_of_thor_that_must_fail(error, wrong):
    with pytest.raises(error, match=next(iter(wrong))):
        nn.thor(
            nn.Dense(2, 1),
            **{"learning_rate": ms.Tensor(0.1), "damping": ms.Tensor([0.1]), "momentum": 0.9} | wrong,
        )
