"""Cells as pure JAX functions."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import msjax as ms
from msjax import nn, ops, torch
from msjax.interop import as_jax, functional_call


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(3, 4)
        self.bn = nn.BatchNorm1d(4)
        self.drop = nn.Dropout(p=0.5)
        self.fc2 = nn.Dense(4, 1)

    def construct(self, x):
        return self.fc2(self.drop(ops.tanh(self.bn(self.fc1(x)))))


@pytest.fixture
def net():
    ms.set_seed(0)
    return Net().set_train(False)


X = np.linspace(-1, 1, 15, dtype=np.float32).reshape(5, 3)


def test_gives_what_the_cell_gives(net):
    expected = net(ms.Tensor(X)).asnumpy()
    apply, params = as_jax(net)
    assert set(params) == {name for name, _ in net.parameters_and_names()}
    np.testing.assert_allclose(apply(params, X), expected, rtol=1e-6)
    np.testing.assert_allclose(jax.jit(apply)(params, jnp.asarray(X)), expected, rtol=1e-5)
    np.testing.assert_allclose(functional_call(net, params, ms.Tensor(X)), expected, rtol=1e-6)


def test_gradients_agree_with_value_and_grad(net):
    apply, params = as_jax(net)
    weights = net.trainable_params()
    expected = ms.grad(lambda x: (net(x) ** 2).sum(), None, weights)(ms.Tensor(X))
    found = jax.jit(jax.grad(lambda p: (apply(p, jnp.asarray(X)) ** 2).sum()))(params)
    for weight, gradient in zip(weights, expected, strict=True):
        np.testing.assert_allclose(found[weight.name], gradient.asnumpy(), rtol=1e-4, atol=1e-6)


def test_trains_with_optax_and_leaves_the_cell_alone(net):
    before = {name: p.asnumpy() for name, p in net.parameters_and_names()}
    apply, params = as_jax(net)
    rule = optax.adam(0.05)
    slots = rule.init(params)

    @jax.jit
    def step(params, slots):
        loss, grads = jax.value_and_grad(lambda p: ((apply(p, X) - 1.0) ** 2).mean())(params)
        updates, slots = rule.update(grads, slots)
        return optax.apply_updates(params, updates), slots, loss

    losses = []
    for _ in range(30):
        params, slots, loss = step(params, slots)
        losses.append(float(loss))
    assert losses[-1] < 0.2 * losses[0]
    for name, p in net.parameters_and_names():
        np.testing.assert_array_equal(p.asnumpy(), before[name])


def test_maps_over_parameters(net):
    apply, params = as_jax(net)
    several = jax.tree.map(lambda p: jnp.stack([p, 2 * p]), params)
    found = jax.vmap(apply, (0, None))(several, jnp.asarray(X))
    np.testing.assert_allclose(found[0], apply(params, X), rtol=1e-5)
    assert found.shape == (2, 5, 1)


def test_returns_state(net):
    net.set_train()
    apply, params = as_jax(net, has_state=True)
    out, after = jax.jit(apply)(params, jnp.asarray(X), rng=jax.random.key(0))
    assert out.shape == (5, 1)
    assert np.abs(after["bn.moving_mean"] - params["bn.moving_mean"]).max() > 1e-4
    np.testing.assert_array_equal(net.bn.moving_mean.asnumpy(), params["bn.moving_mean"])


def test_drawing_needs_a_key(net):
    net.set_train()
    apply, params = as_jax(net)
    with pytest.raises(RuntimeError, match=r"rng=jax\.random\.key"):
        apply(params, X)
    one, same, other = (apply(params, X, rng=jax.random.key(k)) for k in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert np.abs(one - other).max() > 0


def test_refuses_what_does_not_fit(net):
    with pytest.raises(KeyError, match="no Parameter 'x'"):
        functional_call(net, {"x": X}, X)
    with pytest.raises(ValueError, match="has shape"):
        functional_call(net, {"fc1.weight": X}, X)


def test_custom_derivatives_survive():
    class Clipped(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return (dout * 10.0,)

    apply, params = as_jax(Clipped())
    assert jax.grad(lambda x: apply(params, x))(jnp.float32(3.0)) == 10.0


def test_tensors_are_pytrees_and_arrays():
    x = ms.Tensor([1.0, 2.0])
    doubled = jax.tree.map(lambda a: a * 2, {"x": x})["x"]
    assert isinstance(doubled, ms.Tensor)
    np.testing.assert_array_equal(doubled.asnumpy(), [2.0, 4.0])
    np.testing.assert_allclose(jnp.sin(x), np.sin([1.0, 2.0]), rtol=1e-6)
    np.testing.assert_array_equal(jax.jit(lambda t: t * 3)(x).asnumpy(), [3.0, 6.0])
    np.testing.assert_array_equal(jnp.from_dlpack(x), [1.0, 2.0])
    np.testing.assert_array_equal(ms.Tensor.from_dlpack(jnp.arange(3.0)).asnumpy(), [0.0, 1.0, 2.0])


def test_as_jax_refuses_what_cannot_be_called():
    with pytest.raises(
        TypeError, match=r"`as_jax`: argument `net` must be a Cell or a function\. Received: net=3"
    ):
        as_jax(3)


class Doubling(nn.Cell):
    def construct(self, x, times):
        count = ms.Tensor(0)
        while count < times:
            x = x * 2
            count = count + 1
        if x.sum() > 100:
            return x * 0
        return x


@pytest.mark.parametrize("function", [Doubling(), Doubling().construct], ids=["cell", "method"])
def test_control_flow_over_tensors_is_compiled(function):
    apply, params = as_jax(function)
    one, counts = jnp.ones(2, jnp.float32), jnp.asarray([3, 7])
    np.testing.assert_array_equal(jax.jit(apply)(params, one, counts[0]), [8.0, 8.0])
    each = jax.vmap(apply, (None, None, 0))(params, one, counts)
    np.testing.assert_array_equal(each, [[8.0, 8.0], [0.0, 0.0]])
    slope = jax.jit(jax.grad(lambda x: apply(params, x, 3).sum()))
    np.testing.assert_array_equal(slope(one), [8.0, 8.0])


def test_compiled_steps_leave_the_arrays_that_were_given_out():
    """A compiled step reuses the memory of Parameters: not that of arrays which as_jax, or a call, has returned."""
    w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")

    @ms.jit
    def step():
        ops.assign(w, w + 1)

    for _ in range(3):
        step()
    apply, params = as_jax(lambda: w)
    found = [params["w"], apply({}), functional_call(lambda: w, {}, has_state=True)[1]["w"]]
    step()
    for array in found:
        np.testing.assert_array_equal(array, [4.0, 5.0])
    np.testing.assert_array_equal(w.asnumpy(), [5.0, 6.0])


class Remembering(nn.Cell):
    def __init__(self):
        super().__init__()
        self.calls, self.last, self.all = 0, ms.Tensor([0.0]), []
        self.total = ms.Parameter(ms.Tensor([0.0]), name="total", requires_grad=False)

    def construct(self, x):
        self.calls += 1
        self.last = self.last + x
        self.all.append(self.last)
        self.total += x
        return self.last


@pytest.mark.parametrize("compiled", [False, True])
def test_what_a_call_sets_is_undone(compiled):
    net = Remembering()
    apply, params = as_jax(net, has_state=True)
    for _ in range(2):
        out, after = (jax.jit(apply) if compiled else apply)(params, jnp.ones(1, jnp.float32))
        np.testing.assert_array_equal(out, [1.0])
        np.testing.assert_array_equal(after["total"], [1.0])
        assert (net.calls, net.all, net.last.asnumpy(), net.total.asnumpy()) == (0, [], [0.0], [0.0])


class Averaging(nn.Cell):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", ms.Tensor([0.0]))

    def construct(self, x):
        self.mean.copy_(self.mean * 0.5 + x * 0.5)
        return x - self.mean


@pytest.mark.parametrize(
    ("net", "name"),
    [(Averaging(), "mean"), (torch.nn.BatchNorm1d(1, momentum=0.5), "running_mean")],
    ids=["cell", "module"],
)
def test_buffers_are_values_as_parameters_are(net, name):
    apply, values = as_jax(net, has_state=True)
    x = jnp.full((2, 1), 4.0, jnp.float32)
    for expected in (2.0, 3.0):
        _, values = jax.jit(apply)(values, x if name == "running_mean" else x[0])
        np.testing.assert_array_equal(values[name], [expected])
    assert dict(net.named_buffers())[name].asnumpy() == [0.0]
