"""The extension points: an operator, a gradient and a transformation of a user's own beside JAX alone."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, extend, nn, ops
from msjax.extend import (
    Array,
    ArrayLike,
    ArrayOrNumber,
    call_as_operator,
    custom_call,
    op,
    tensors_in,
    trace,
    transformation,
)

POINTS = np.array([0.3, -1.2, 2.5], np.float32)


@op(static="order")
def bump(x: ArrayOrNumber, order: int = 1) -> Array:
    return jnp.exp(-(x ** (2 * order)))


@op
def scaled(x: Array, by: ArrayOrNumber) -> Array:
    return x * by


@op(static="sizes wide")
def filled(x: ArrayLike, sizes, wide: bool = False) -> Array:
    return jnp.broadcast_to(jnp.asarray(x, jnp.float64 if wide else None), sizes)


@op(random=True)
def jittered(key, x: Array) -> Array:
    return x + jax.random.uniform(key, x.shape)


def write_every(base, changed, *, step):
    return base.at[::step].set(changed)


@op(static="step", view=write_every)
def every(x: Array, step: int) -> Array:
    return x[::step]


def round_through(x, limit):
    def backward(saved, gradients):
        return [ops.clamp(gradients[0], -limit, limit)]

    return custom_call("round_through", lambda x: (ops.round(x), ()), backward, (x,))


def cube(x):
    """x^3, with the derivative 3 x^2 made of operators on what was saved."""
    return custom_call("cube", lambda x: (x * x * x, x), lambda x, gs: [3 * x * x * gs[0]], (x,))


def _laplacian(fn, options, x):
    traced = trace(fn, (x,), {}, same_values=True, differentiable=True)

    def pure(x, *captured):
        _, *written = traced.fn(x, *captured)
        return [jnp.trace(jax.hessian(lambda x: traced.fn(x, *captured)[0])(x)), *written]

    results, _ = call_as_operator("laplacian", traced, pure, tensors_in(x))
    return traced.finish(results, [x])


_run_laplacian = transformation(_laplacian)


def laplacian(fn):
    return lambda x: _run_laplacian(fn, None, (x,), {})


def test_everything_is_named():
    for name in [
        "Array",
        "ArrayLike",
        "ArrayOrBool",
        "ArrayOrNumber",
        "BoolLike",
        "Traced",
        "call_as_operator",
    ]:
        assert hasattr(extend, name)
    for name in ["custom_call", "op", "tensors_in", "trace", "transformation"]:
        assert callable(getattr(extend, name))
        assert f"    {name}" in extend.__doc__ or f", {name}" in extend.__doc__


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("derivative", [0, 1, 2])
def test_an_operator_has_the_values_and_derivatives_of_its_function(order, derivative):
    ours, alone = (lambda x: bump(x, order)), (lambda x: bump.pure(x, order))
    for _ in range(derivative):
        ours, alone = ms.grad(ours), jax.grad(alone)
    expected = np.asarray(jax.vmap(alone)(POINTS))
    eager = [ours(Tensor(x)).asnumpy() for x in POINTS]
    for found in [
        eager,
        ms.vmap(ours)(Tensor(POINTS)).asnumpy(),
        ms.jit(ms.vmap(ours))(Tensor(POINTS)).asnumpy(),
    ]:
        np.testing.assert_allclose(found, expected, 1e-5, 1e-6)


def test_numbers_take_the_dtype_of_the_tensors_beside_them():
    assert scaled(Tensor([1.0], ms.float16), 2.5).dtype == ms.float16
    assert scaled(Tensor([1], ms.int32), 2.5).dtype == ms.float32
    assert bump(2.0).dtype == ms.float32
    assert filled([Tensor(1.0), Tensor(2.0)], (3, 2), wide=True).dtype == ms.float64
    np.testing.assert_array_equal(filled(np.float32([1, 2]), [2, 2]).asnumpy(), [[1, 2], [1, 2]])


def test_what_an_operator_does_not_take_is_refused_by_name():
    with pytest.raises(TypeError, match=r"`scaled`: argument `x` must be a Tensor\. Received: x=3\.0"):
        scaled(3.0, 2.0)
    with pytest.raises(
        TypeError, match=r"`scaled`: argument `by` must be a Tensor or a number\. Received: by='b'"
    ):
        scaled(Tensor(1.0), "b")
    with pytest.raises(TypeError, match=r"`filled`: argument `wide` must be a bool\. Received: wide=1"):
        filled(Tensor(1.0), (2,), 1)
    with pytest.raises(ValueError, match="has no parameter"):
        op(static="axes")(lambda x, axis: x)
    with pytest.raises(TypeError, match=r"`bump`: argument `order` must be an int\. Received: order=\{\}"):
        bump(Tensor(1.0), order={})


def test_static_arguments_are_told_apart_by_type():
    """1, True and 1.0 are equal and hash alike."""

    @op(static="setting")
    def length_of(x: Array, setting) -> Array:
        return x + len(repr(setting))

    for _ in range(3):
        settings = [1, True, 1.0, (1,), (True,), (1.0,)]
        assert [int(length_of(Tensor(0), setting).item()) for setting in settings] == [1, 4, 3, 4, 7, 6]


def test_draws_follow_the_seed_and_differ():
    ms.set_seed(1)
    first, second = jittered(Tensor([0.0, 0.0])), ms.jit(jittered)(Tensor([0.0, 0.0]))
    ms.set_seed(1)
    again = jittered(Tensor([0.0, 0.0]))
    assert (first == again).all()
    assert not (first == second).any()


@pytest.mark.parametrize("compiled", [False, True])
def test_a_view_writes_to_its_base(compiled):
    def changed(x):
        x = x * 1
        y = every(x, 2)
        y[0] = 7.0
        x[2] = 5.0
        return x, y

    x, y = (ms.jit(changed) if compiled else changed)(Tensor([0.0, 1.0, 2.0, 3.0]))
    assert x.asnumpy().tolist() == [7, 1, 5, 3]
    assert y.asnumpy().tolist() == [7, 5]
    gradient = ms.grad(lambda x: (changed(x)[0] * Tensor([1.0, 2.0, 3.0, 4.0])).sum())
    assert gradient(Tensor([0.0, 1.0, 2.0, 3.0])).asnumpy().tolist() == [0, 2, 0, 4]


def test_an_operator_as_a_method(monkeypatch):
    monkeypatch.setattr(Tensor, "bump", bump, raising=False)
    assert (Tensor(POINTS).bump(order=2) == bump(Tensor(POINTS), 2)).all()


@pytest.mark.parametrize("wrap", [lambda f: f, ms.jit], ids=["eager", "compiled"])
def test_a_gradient_of_ones_own(wrap):
    def f(x):
        return (round_through(x, 2.0) * Tensor([1.0, 5.0, -3.0])).sum()

    assert wrap(f)(Tensor([0.4, 1.6, 3.0])).item() == 1.0
    assert wrap(ms.grad(f))(Tensor([0.4, 1.6, 3.0])).asnumpy().tolist() == [1, 2, -2]
    assert wrap(ms.grad(cube))(Tensor(2.0)).item() == 12
    assert wrap(ms.grad(ms.grad(cube)))(Tensor(2.0)).item() == 12
    assert wrap(ms.vmap(ms.grad(cube)))(Tensor([1.0, 2.0])).asnumpy().tolist() == [3, 12]


def test_a_gradient_that_does_not_fit_its_input_is_refused():
    def wrong(x):
        return custom_call("wrong", lambda x: (x * 1, ()), lambda s, gs: [ops.ones((7,))], (x,)).sum()

    with pytest.raises(RuntimeError, match="`wrong`: a grad tensor"):
        ms.grad(wrong)(Tensor(POINTS))


@pytest.mark.parametrize("wrap", [lambda f: f, ms.jit], ids=["eager", "compiled"])
def test_a_transformation_nests_with_all_others(wrap):
    def f(x):
        return (x * x * x).sum()  # second derivatives 6 x

    x = Tensor([1.0, 2.0])
    assert wrap(laplacian(f))(x).item() == 18
    assert wrap(ms.grad(laplacian(f)))(x).asnumpy().tolist() == [6, 6]
    assert wrap(ms.vmap(laplacian(f)))(Tensor([[1.0, 2.0], [0.0, 1.0]])).asnumpy().tolist() == [18, 6]
    assert wrap(laplacian(lambda x: laplacian(lambda y: (y**4).sum())(x)))(x).item() == 48


def test_a_transformation_sees_what_the_function_reads_and_writes():
    weight, calls = ms.Parameter(Tensor(2.0)), ms.Parameter(Tensor(0.0))

    def f(x):
        ops.assign_add(calls, Tensor(1.0))
        return weight * (x * x).sum()

    x = Tensor([1.0, 2.0])
    assert laplacian(f)(x).item() == 8
    assert calls.item() == 1
    weight.set_data(Tensor(3.0))
    assert laplacian(f)(x).item() == 12
    assert calls.item() == 2
    value, gradient = ms.value_and_grad(lambda: laplacian(f)(x), None, [weight])()
    assert (value.item(), gradient[0].item()) == (12, 4)
    assert calls.item() == 3


def test_a_trace_for_derivatives_has_them_under_no_grad():
    with ms.no_grad():
        assert laplacian(lambda x: (x * x).sum())(Tensor([1.0, 2.0])).item() == 4


def test_a_transformation_is_compiled_once_for_a_function():
    runs = itertools.count()  # a list would change at each call

    def f(x):
        next(runs)
        return (x * x).sum()

    first, count = laplacian(f)(Tensor(POINTS)), next(runs)
    assert laplacian(f)(Tensor(POINTS)).item() == first.item()
    assert next(runs) == count + 1
    with pytest.raises(TypeError):
        transformation(_laplacian)(f, {"unhashable": []}, (Tensor(POINTS),), {})


def test_a_network_learns_an_equation():
    net = nn.SequentialCell(nn.Dense(2, 4), nn.Tanh(), nn.Dense(4, 1))
    points = Tensor(np.float32([[0.1, 0.2], [0.5, -0.3]]))

    def residual(points):
        return (ms.vmap(laplacian(lambda x: net(x).sum()))(points) ** 2).mean()

    _, gradients = ms.value_and_grad(residual, None, net.trainable_params())(points)
    weights = [p.asnumpy() for p in net.trainable_params()]

    def alone(weights):
        w, b, v, _ = weights

        def value(x):
            return (v @ jnp.tanh(w @ x + b)).sum()

        return (
            jax.vmap(lambda x: jnp.trace(jax.hessian(value)(x)))(jnp.asarray(points.asnumpy())) ** 2
        ).mean()

    for found, expected in zip(gradients, jax.grad(alone)(weights), strict=True):
        np.testing.assert_allclose(found.asnumpy(), expected, 1e-4, 1e-6)
