"""Programs of single operators, which are compiled in their own way outside of traces and in the general way inside."""

import contextlib
import gc
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import msjax as ms
from msjax import nn, ops
from msjax.core.op.op import op
from msjax.core.xla import compiler_options


@pytest.fixture
def fresh():
    """An operator that nobody has called yet."""

    @op
    def scaled(x, y):
        return jnp.sin(x) * y

    return scaled


X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize("first", ["outside", "inside"])
@pytest.mark.parametrize(
    "transform", [jax.jit, jax.vmap, lambda f: jax.grad(lambda x: f(x).sum()), lambda f: jax.jit(jax.vmap(f))]
)
def test_in_traces_of_jax(fresh, transform, first):
    inside = transform(lambda x: fresh(x, x)._value)
    expected = transform(lambda x: jnp.sin(x) * x)(X)
    if first == "outside":
        fresh(ms.Tensor(X), 2.0)
    np.testing.assert_allclose(inside(jnp.asarray(X)), expected, rtol=1e-6)
    np.testing.assert_allclose(fresh(ms.Tensor(X), 2.0).asnumpy(), 2 * np.sin(X), rtol=1e-6)


def test_gradients_of_what_is_known_in_a_trace_of_jax(fresh):
    known = ms.Tensor(X)

    @jax.jit
    def inside(x):
        return ms.grad(lambda v: fresh(v, v))(known)._value + x

    expected = np.cos(X) * X + np.sin(X)
    np.testing.assert_allclose(inside(jnp.zeros(())), expected, rtol=1e-6)
    np.testing.assert_allclose(ms.grad(lambda v: fresh(v, v))(known).asnumpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(inside(jnp.ones(())), expected + 1, rtol=1e-6)


def test_an_error_of_the_values_is_raised_once():
    with pytest.raises(ValueError, match="must broadcast") as raised:
        ops.add(ms.Tensor(X), ms.Tensor(X[:, :2]))
    assert raised.value.__context__ is None or "compiler_options" not in str(raised.value.__context__)


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="only CPU's compiler is asked for something")
@pytest.mark.parametrize("fn", [jnp.sin, jnp.transpose])
def test_an_operator_by_itself_is_compiled_in_its_own_way(fn):
    general = jax.jit(fn)
    own = compiler_options.jit_operator(fn, general, [X])
    assert own is not general
    np.testing.assert_allclose(own(X), fn(X), rtol=1e-6)


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="only CPU's compiler is asked for something")
def test_what_the_quick_generators_do_slowly_they_do_not_do(monkeypatch):
    monkeypatch.setattr(compiler_options, "_quick", dict)  # would be the options of the general way
    monkeypatch.setattr(compiler_options, "_in_one_thread", lambda: {"xla_cpu_no_such_option": 1})
    compiler_options.jit_operator(jnp.sin, jnp.sin, [X])(X)
    with pytest.raises(jax.errors.JaxRuntimeError, match="xla_cpu_no_such_option"):
        compiler_options.jit_operator(jnp.transpose, jnp.transpose, [X])(X)

    def update(*arrays):
        return [jnp.sin(x) for x in arrays]

    compiler_options.jit_operator(update, update, [X])(X)
    with pytest.raises(jax.errors.JaxRuntimeError, match="xla_cpu_no_such_option"):
        compiler_options.jit_operator(update, update, [X] * 9)(*[X] * 9)


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="only CPU's compiler is asked for something")
def test_what_is_compiled_ahead_of_time_keeps_no_function():
    """And so no jaxpr and no MLIR module, which JAX keeps as long as the function that they were made of."""

    def scaled(x):
        return x * 2

    alive = weakref.ref(scaled)
    program = compiler_options.compile_ahead(scaled, jnp.add, [X])
    del scaled
    gc.collect()
    assert alive() is None
    np.testing.assert_array_equal(program(X), X * 2)
    with pytest.raises(TypeError):
        program(X[:1])


def test_a_backward_program_takes_other_cotangents_than_the_first_ones():
    @op
    def two(x):
        return jnp.sin(x), x * x

    x = ms.Tensor(X)
    expected = np.cos(X), 2 * X
    for chosen in [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)]:

        def total(x, chosen=chosen):
            return sum([part.sum() for part, wanted in zip(two(x), chosen, strict=True) if wanted])

        wanted = sum(factor * part for factor, part in zip(chosen, expected, strict=True))
        np.testing.assert_allclose(ms.grad(total)(x).asnumpy(), wanted, rtol=1e-6)


def test_options_that_xla_does_not_know_are_not_used():
    assert compiler_options._known_options({"xla_cpu_no_such_option": True}) is None


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="options of XLA for CPU")
def test_options_that_are_not_asked_for_are_there(monkeypatch):
    values = {"scheduler_type": "CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED", "parallel_codegen_split_count": 1}
    options = {name: values.get(name.removeprefix("xla_cpu_"), False) for name in compiler_options._SURE}
    monkeypatch.setattr(compiler_options, "_SURE", set())
    assert compiler_options._known_options(options) == options


def training():
    """A compiled training step, and its net."""
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 2))
    rule = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    gradient = ms.value_and_grad(lambda x: ops.square(net(x)).sum(), None, rule.parameters)

    @ms.jit
    def step(x):
        loss, gradients = gradient(x)
        rule(gradients)
        return loss

    return step, net


@pytest.mark.parametrize("before", [0, 1, 2])
def test_a_step_in_a_trace_of_jax_is_refused_and_changes_nothing(before):
    step, net = training()
    for _ in range(before):
        step(ms.Tensor(X))
    weight = net[0].weight.asnumpy()
    with pytest.raises(RuntimeError, match="functional_call"):
        jax.jit(lambda x: step(ms.Tensor(x))._value)(X)
    np.testing.assert_array_equal(net[0].weight.asnumpy(), weight)
    assert np.isfinite(step(ms.Tensor(X)).asnumpy())
    assert not np.array_equal(net[0].weight.asnumpy(), weight)


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("fails", [False, True])
def test_cycles_are_not_collected_while_a_program_is_made(enabled, fails):
    collecting = []

    @ms.jit
    def fn(x):
        collecting.append(gc.isenabled())
        if fails:
            raise ValueError("told")
        return x * 2

    try:
        if not enabled:
            gc.disable()
        with pytest.raises(ValueError, match="told") if fails else contextlib.nullcontext():
            fn(ms.Tensor(X))
        assert gc.isenabled() == enabled
    finally:
        gc.enable()
    assert not any(collecting)
