"""Training steps: eager and compiled, with a loss scale, and with gradients that overflow."""

import numpy as np
import pytest

import msjax as ms
from msjax import nn

DATA = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
LABEL = np.array([[1.0], [2.0]], np.float32)
MODES = {"eager": lambda cell: cell, "compiled": ms.jit}


def parts(half=False):
    net = nn.Dense(2, 1, weight_init=ms.Tensor([[0.5, 0.25]]), bias_init="zeros")
    if half:
        net.to_float(ms.float16)
    return net, nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1)


def after(mode, make, steps=3, data=DATA):
    """The losses of some steps, and the weights after them."""
    net, network, optimizer = parts()
    step = MODES[mode](make(network, optimizer))
    x, y = ms.Tensor(data), ms.Tensor(LABEL)
    losses = []
    for _ in range(steps):
        out = step(x, y)
        losses.append((out[0] if isinstance(out, tuple) else out).asnumpy())
    return np.array(losses), net.weight.asnumpy()


SCALES = {
    "Tensor": lambda: ms.Tensor(1024.0),
    "vector": lambda: ms.Tensor([1024.0]),
    "fixed": lambda: nn.FixedLossScaleUpdateCell(1024.0),
    "dynamic": lambda: nn.DynamicLossScaleUpdateCell(1024.0, 2, 2),
}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("mode", MODES)
def test_a_loss_scale_changes_nothing(mode, scale):
    plain = after(mode, nn.TrainOneStepCell)
    scaled = after(mode, lambda n, o: nn.TrainOneStepWithLossScaleCell(n, o, SCALES[scale]()))
    np.testing.assert_allclose(scaled[0], plain[0], rtol=1e-5)
    np.testing.assert_allclose(scaled[1], plain[1], rtol=1e-4)


@pytest.mark.parametrize("mode", MODES)
def test_overflow_skips_the_step_and_lowers_the_scale(mode):
    net, network, optimizer = parts()
    manager = nn.DynamicLossScaleUpdateCell(1024.0, 2, 3)
    cell = nn.TrainOneStepWithLossScaleCell(network, optimizer, manager)
    step = MODES[mode](cell)
    x, y = ms.Tensor(DATA * 1e-2), ms.Tensor(LABEL)
    _, overflow, scale = step(x, y)
    assert (bool(overflow), float(scale.asnumpy())) == (False, 1024)
    weight, bias = net.weight.asnumpy(), net.bias.asnumpy()
    loss, overflow, scale = step(x * 1e30, y)
    assert bool(overflow)
    assert np.isinf(loss.asnumpy())
    np.testing.assert_array_equal(net.weight.asnumpy(), weight)
    np.testing.assert_array_equal(net.bias.asnumpy(), bias)
    assert float(cell.scale_sense.asnumpy()) == 512
    scales = []
    for _ in range(3):
        _, overflow, scale = step(x, y)
        scales.append(float(cell.scale_sense.asnumpy()))
        assert not bool(overflow)
    assert scales == [512, 512, 1024]
    assert not np.array_equal(net.weight.asnumpy(), weight)


def test_a_step_of_ones_own():
    """As MindSpore's documentation derives one: the methods for overflow, called one by one."""

    class Own(nn.TrainOneStepWithLossScaleCell):
        def construct(self, data, label):
            loss = self.network(data, label)
            status, scaled = self.start_overflow_check(loss, self.scale_sense)
            grads = ms.ops.GradOperation(get_by_list=True, sens_param=True)(self.network, self.weights)(
                data, label, ms.ops.ones_like(loss) * scaled
            )
            grads = tuple(g / scaled for g in grads)
            overflow = self.process_loss_scale(self.get_overflow_status(status, grads))
            if not overflow:
                self.optimizer(grads)
            return loss, overflow

    losses, weight = after("eager", lambda n, o: Own(n, o, ms.Tensor(8.0)))
    want = after("eager", nn.TrainOneStepCell)
    np.testing.assert_allclose(losses, want[0], rtol=1e-5)
    np.testing.assert_allclose(weight, want[1], rtol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_gradients_are_returned(mode):
    _, network, optimizer = parts()
    step = MODES[mode](nn.TrainOneStepCell(network, optimizer, return_grad=True))
    loss, gradients = step(ms.Tensor(DATA), ms.Tensor(LABEL))
    assert float(loss.asnumpy()) == 0.125
    assert {name: g.asnumpy().tolist() for name, g in gradients.items()} == {
        "weight": [[1.5, 2.0]],
        "bias": [0.5],
    }


def test_half_precision_gives_gradients_in_the_weights_precision():
    net, network, optimizer = parts(half=True)
    step = nn.TrainOneStepWithLossScaleCell(network, optimizer, nn.DynamicLossScaleUpdateCell(1024.0, 2, 2))
    _, overflow, _ = step(ms.Tensor(DATA), ms.Tensor(LABEL))
    assert not bool(overflow)
    assert str(net.weight.dtype) == "Float32"
    np.testing.assert_allclose(net.weight.asnumpy(), [[0.35, 0.05]], rtol=1e-3)


def test_state_of_a_failing_step_is_as_before():
    class Fails(nn.Cell):
        def __init__(self, net):
            super().__init__()
            self.norm = nn.BatchNorm1d(2)
            self.net = net

        def construct(self, data, label):
            out = self.net(self.norm(data)) - label
            raise ArithmeticError("no")
            return out

    net, _, optimizer = parts()
    cell = nn.TrainOneStepCell(Fails(net), optimizer).set_train()
    before = [p.asnumpy() for p in cell.get_parameters()]
    with pytest.raises(ArithmeticError):
        ms.jit(cell)(ms.Tensor(DATA), ms.Tensor(LABEL))
    for p, value in zip(cell.get_parameters(), before, strict=True):
        np.testing.assert_array_equal(p.asnumpy(), value)


def test_a_derived_step_may_ask_for_a_graceful_exit():
    net = nn.Dense(2, 1)
    assert nn.TrainOneStepCell(net, nn.SGD(net.trainable_params())).use_graceful_exit is False
