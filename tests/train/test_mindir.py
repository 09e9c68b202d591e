"""`export`, `load` and `nn.GraphCell`: what comes back computes the same."""

import os

import numpy as np
import pytest

import msjax as ms
from msjax import Parameter, Tensor, nn, ops
from msjax.core.tensor import random_state


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def through(net, *inputs, **options):
    """The network, written and read."""
    ms.export(net, *inputs, file_name="net", file_format="MINDIR", **options)
    return nn.GraphCell(ms.load("net.mindir"))


def content(path):
    with open(path, "rb") as file:
        return file.read()


def values(*shape):
    return Tensor(np.random.default_rng(0).normal(size=shape).astype(np.float32))


class Net(nn.Cell):
    """Parameters, buffers that change, several outputs."""

    def __init__(self):
        super().__init__()
        self.count = Parameter(Tensor([0.0]), name="count", requires_grad=False)
        self.conv = nn.Conv2d(1, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.dense = nn.Dense(4 * 16, 2)

    def construct(self, x):
        self.count += 1
        x = ops.max_pool2d(ops.relu(self.norm(self.conv(x))), 2)
        return self.dense(x.reshape(x.shape[0], -1)), {
            "n": x.shape[0],
            "count": self.count + 0,
            "name": "net",
        }


def test_it_computes_the_same_and_keeps_state():
    net, x = Net().set_train(), values(2, 1, 8, 8)
    loaded = through(net, x)
    assert loaded.graph.exported.platforms == ("cpu", "cuda", "tpu")
    names = [p.name for p in net.get_parameters()]
    assert [p.name for p in loaded.get_parameters()] == names
    for step in range(2):
        (ours, more), (wanted, _) = loaded(x), net(x)
        np.testing.assert_allclose(ours.asnumpy(), wanted.asnumpy(), rtol=1e-5)
        assert (more["n"], more["name"], more["count"].asnumpy()) == (2, "net", step + 1)
    for p, q in zip(loaded.get_parameters(), net.get_parameters(), strict=True):
        assert p.requires_grad is q.requires_grad
        np.testing.assert_allclose(p.asnumpy(), q.asnumpy(), rtol=1e-5)
    np.testing.assert_array_equal(ms.jit(loaded)(x)[1]["count"].asnumpy(), [3.0])


def test_sizes_that_are_open():
    net = Net()
    loaded = through(net, Tensor(shape=[None, 1, 8, 8], dtype=ms.float32))
    for n in (1, 3):
        (ours, more), (wanted, _) = loaded(values(n, 1, 8, 8)), net(values(n, 1, 8, 8))
        np.testing.assert_allclose(ours.asnumpy(), wanted.asnumpy(), rtol=1e-5)
        assert more["n"] == n
    with pytest.raises(RuntimeError, match="input 0 must be of dtype and shape"):
        loaded(values(1, 2, 8, 8))


@pytest.mark.parametrize(
    "fn",
    [
        lambda x, y: x + y,  # sizes that must be equal
        lambda x, y: ops.cat([x[:, :2], y], 1),
        lambda x, y: x[0] + ops.ones((y.shape[0], 3), ms.float32),
        lambda x, y: x.view(-1, 1).sum() * ops.softmax(y),
    ],
)
def test_two_open_inputs(fn):
    anything = Tensor(shape=(None, 3), dtype=ms.float32)
    x = values(4, 3)
    np.testing.assert_allclose(through(fn, anything, anything)(x, x).asnumpy(), fn(x, x).asnumpy(), rtol=1e-6)


def test_open_sizes_of_different_axes_that_must_be_equal():
    x = Tensor(shape=(None, None, 4), dtype=ms.float32)
    loaded = through(
        lambda x, mask: ops.bmm(x, x.swapaxes(1, 2)) + mask,
        x,
        Tensor(shape=(None, 1, None), dtype=ms.float32),
    )
    assert loaded(values(2, 3, 4), values(2, 1, 3)).shape == (2, 3, 3)
    with pytest.raises(RuntimeError, match=r"input 1 .*\[n0, 1, n1\].* 'n1': 3"):
        loaded(values(2, 3, 4), values(2, 1, 5))


def test_sizes_that_cannot_be_open():
    with pytest.raises(ValueError, match=r"\[\(-1, 3\)\].* once for each"):
        through(lambda x: ops.cat([x[:2]] * int(x.shape[0])), Tensor(shape=[None, 3], dtype=ms.float32))


def test_gradients_and_training():
    net = nn.Dense(3, 2)
    loaded, x = through(net, Tensor(shape=[None, 3], dtype=ms.float32)), values(4, 3)
    for trained in (net, loaded):
        step = nn.TrainOneStepCell(
            nn.WithLossCell(trained, nn.MSELoss()), nn.SGD(trained.trainable_params(), 0.1)
        )
        losses = [float(step(x, ops.ones((4, 2)))) for _ in range(2)]
    assert losses[1] < losses[0]
    trained = loaded.graph.parameters()["weight"]
    np.testing.assert_allclose(trained.asnumpy(), net.weight.asnumpy(), rtol=1e-5)
    of = [ms.grad(lambda x, n=n: (n(x) ** 2).sum())(x).asnumpy() for n in (net, loaded)]
    np.testing.assert_allclose(of[0], of[1], rtol=1e-5)


def test_branches_loops_and_exceptions():
    def f(x):
        if (x < 0).any():
            raise ValueError("negative")
        while x.sum() < 100:
            x = x * 2
        return x

    loaded = through(f, Tensor([1.0, 2.0]))
    np.testing.assert_array_equal(loaded(Tensor([1.0, 2.0])).asnumpy(), f(Tensor([1.0, 2.0])).asnumpy())
    with pytest.raises(ValueError, match="negative"):
        loaded(Tensor([-1.0, 2.0]))


def test_exceptions_of_other_functions_whose_message_has_values():
    @ms.jit
    def told(x):
        if x.sum() < 0:
            raise ValueError(f"the sum is {x.sum()}")
        return x * 2

    with pytest.raises(ValueError, match="the sum is -1"):
        told(Tensor([-1.0]))

    def f(x):
        if x.sum() < 0:
            raise ValueError("negative")
        return x * 2

    loaded = through(f, Tensor([1.0]))  # beside the other, whose message is never to be had again
    np.testing.assert_array_equal(loaded(Tensor([2.0])).asnumpy(), [4.0])
    with pytest.raises(ValueError, match="negative"):
        loaded(Tensor([-2.0]))


def test_random_operators_draw_from_the_random_state():
    loaded = through(nn.Dropout(p=0.5).set_train(), ops.ones((64,)))
    before = random_state.source().asnumpy()
    assert (loaded(ops.ones((64,))).asnumpy() != loaded(ops.ones((64,))).asnumpy()).any()
    assert (random_state.source().asnumpy() != before).any()


def test_inputs_in_lists_and_constants():
    x = values(2, 3)
    loaded = through(ms.jit(lambda pair, factor: pair[0] * factor + pair[1]), [x, x + 1], 3)
    np.testing.assert_allclose(loaded([x, x]).asnumpy(), (x * 4).asnumpy(), rtol=1e-6)
    with pytest.raises(RuntimeError, match="takes 2 Tensors"):
        loaded(x)
    with pytest.raises(RuntimeError, match="must be Tensors"):
        loaded(x, 3)


def test_params_init():
    ms.export(nn.Dense(2, 1, weight_init="ones"), values(1, 2), file_name="net", file_format="MINDIR")
    graph = ms.load("net.mindir")
    other = nn.GraphCell(graph, {"bias": Tensor([3.0]), "nothing": Tensor(1.0)})
    assert float(other(ops.ones((1, 2)))) == 5
    assert float(nn.GraphCell(graph)(ops.ones((1, 2)))) == 5  # Cells of one graph share its Parameters
    with pytest.raises(ValueError, match=r"shape \(1,\)"):
        nn.GraphCell(graph, {"bias": Tensor([3.0, 4.0])})
    with pytest.raises(TypeError, match="from str to Tensor"):
        nn.GraphCell(graph, {"bias": 3.0})
    with pytest.raises(TypeError, match="must be a dict"):
        nn.GraphCell(graph, [3.0])
    with pytest.raises(TypeError, match=r"mindspore.load"):
        nn.GraphCell("net.mindir")


def test_encryption():
    key, x = b"0123456789abcdef", Tensor([1.0])
    for mode in ("AES-GCM", "SM4-CBC", lambda data, key: data[::-1]):
        ms.export(lambda x: x * 2, x, file_name="net", file_format="MINDIR", enc_key=key, enc_mode=mode)
        undo = mode if isinstance(mode, str) else lambda path, key: content(path)[::-1]
        assert float(nn.GraphCell(ms.load("net.mindir", dec_key=key, dec_mode=undo))(x)) == 2
    ms.export(lambda x: x, x, file_name="net", file_format="MINDIR", enc_key=key)
    with pytest.raises(RuntimeError, match="dec_key"):
        ms.load("net.mindir")
    with pytest.raises(RuntimeError, match="does not fit"):
        ms.load("net.mindir", dec_key=key[::-1])
    with pytest.raises(TypeError, match="dec_key"):
        ms.load("net.mindir", dec_key="text")


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (ValueError, {"file_format": "TFLITE"}),
        (NotImplementedError, {"file_format": "AIR"}),
        (NotImplementedError, {"custom_func": print}),
        (NotImplementedError, {"obf_func": print}),
        (TypeError, {"file_name": 3}),
        (ValueError, {"file_name": "a b"}),
        (TypeError, {"other": 3}),
        (ValueError, {"enc_key": "text"}),
        (ValueError, {"enc_key": b"short"}),
        (ValueError, {"enc_key": b"0123456789abcdef", "enc_mode": "ROT13"}),
    ],
)
def test_what_export_refuses(error, options):
    with pytest.raises(error):
        ms.export(nn.ReLU(), values(2), **{"file_name": "net", "file_format": "MINDIR", **options})
    assert not os.listdir()


def test_what_load_refuses():
    for name in ("missing.mindir", "net", 3):
        with pytest.raises(ValueError, match="Received: "):
            ms.load(name)
    with pytest.raises(NotImplementedError, match="obf_func"):
        ms.load("net.mindir", obf_func=print)
    with open("real.mindir", "wb") as file:
        file.write(b"\x08\x03\x12\tMindSpore")
    with pytest.raises(RuntimeError, match="MindIR file of MindSpore's"):
        ms.load("real.mindir")


def test_a_net_that_fails_leaves_the_old_file():
    through(nn.ReLU(), values(2))
    before = content("net.mindir")
    with pytest.raises(TypeError, match=r"export.*object"):
        through(lambda x: object(), values(2))
    with pytest.raises(RuntimeError, match="must be a Cell"):
        through(3, values(2))
    assert os.listdir() == ["net.mindir"]
    assert content("net.mindir") == before
    with open("cut.mindir", "wb") as file:
        file.write(before[: len(before) // 2])
    with pytest.raises(RuntimeError, match=r"cut\.mindir"):
        ms.load("cut.mindir")
