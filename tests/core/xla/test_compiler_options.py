"""Programs of single operators, which are compiled in their own way outside of traces and in the general way inside."""

import contextlib
import gc
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax._src import pjit

import msjax as ms
from msjax import nn, ops
from msjax.core.op.op import op
from msjax.core.xla import compiler_options, jaxpr_queries


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
    own = compiler_options.by_itself(fn, general, [X])
    assert own is not general
    np.testing.assert_allclose(own(X), fn(X), rtol=1e-6)


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="only CPU's compiler is asked for something")
def test_what_the_quick_generators_do_slowly_they_do_not_do(monkeypatch):
    monkeypatch.setattr(compiler_options, "_quick", dict)  # would be the options of the general way
    monkeypatch.setattr(compiler_options, "_in_one_thread", lambda: {"xla_cpu_no_such_option": 1})
    compiler_options.by_itself(jnp.sin, jnp.sin, [X])(X)
    with pytest.raises(jax.errors.JaxRuntimeError, match="xla_cpu_no_such_option"):
        compiler_options.by_itself(jnp.transpose, jnp.transpose, [X])(X)


def kept_by_jax():
    """For how many programs of operators by themselves JAX keeps what they were compiled from."""
    options = [tuple(o.items()) for o in (compiler_options._quick(), compiler_options._in_one_thread())]
    keys = pjit._pjit_lower.cache_keys()
    return sum(any(a in options for a in key[2] if type(a) is tuple) for key in keys)


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="only CPU's compiler is asked for something")
def test_what_programs_were_compiled_from_is_forgotten():
    arrays = [jnp.full(3, i) for i in range(40)]
    own = [compiler_options.by_itself(lambda x, i=i: x + i, jnp.add, [x]) for i, x in enumerate(arrays)]
    for program, x in zip(own, arrays, strict=True):
        program(x)
    assert kept_by_jax() >= 40
    compiler_options.forget_modules()
    assert kept_by_jax() == 0
    for i, (program, x) in enumerate(zip(own, arrays, strict=True)):
        np.testing.assert_array_equal(
            program(x), np.full(3, 2 * i)
        )  # the same kind of call: not compiled again
        np.testing.assert_array_equal(program(np.asarray(x)), np.full(3, 2 * i))  # another kind
    made = [compiler_options.by_itself(lambda x, i=i: x - i, jnp.add, [X]) for i in range(100)]
    for program in made:
        program(X)
        compiler_options.by_itself(jnp.cos, jnp.cos, [X])
    assert kept_by_jax() < 20


def test_another_jax_may_keep_them_in_another_place(monkeypatch):
    monkeypatch.delattr(pjit, "_pjit_lower")
    compiler_options.forget_modules()
    compiler_options.forget_module(jax.make_jaxpr(jnp.sin)(X))


@pytest.mark.parametrize(("grown", "times"), [(1.1, 0), (1.2, 1)])
def test_memory_is_given_back_if_it_has_grown(monkeypatch, grown, times):
    calls = []
    monkeypatch.setattr(compiler_options, "_least", [2**28])
    monkeypatch.setattr(compiler_options, "_resident", lambda: int(2**28 * grown))
    monkeypatch.setattr(compiler_options, "_trim", lambda: calls.append)
    compiler_options.give_back_much()
    assert len(calls) == times
    compiler_options.give_back_much()
    assert len(calls) == times


def test_options_that_xla_does_not_know_are_not_used():
    assert compiler_options._known({"xla_cpu_no_such_option": True}) is None


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="options of XLA for CPU")
def test_options_that_are_not_asked_for_are_there(monkeypatch):
    values = {"scheduler_type": "CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED", "parallel_codegen_split_count": 1}
    options = {name: values.get(name.removeprefix("xla_cpu_"), False) for name in compiler_options._SURE}
    monkeypatch.setattr(compiler_options, "_SURE", set())
    assert compiler_options._known(options) == options


@pytest.mark.parametrize("library", [object(), None])
def test_memory_is_given_back_where_the_c_library_can(monkeypatch, library):
    compiler_options._trim.cache_clear()
    if library is not None:
        monkeypatch.setattr(compiler_options.ctypes, "CDLL", lambda name: library)
        assert compiler_options._trim() is None
    compiler_options.give_back_memory()
    compiler_options._trim.cache_clear()


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


def test_a_step_copies_no_weights():
    step, _ = training()
    step(ms.Tensor(X))
    ((entry,),) = step._entries.values()
    given, rest = [[box._value for box in boxes] for boxes in entry.boxes]
    text = entry.run.lower(given, rest, [jnp.asarray(X)]).compile().as_text()
    assert jax.default_backend() != "cpu" or " copy(" not in text[text.index("\nENTRY") :]


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="an option of XLA for CPU")
def test_xla_makes_no_loops_of_what_runs_in_place():

    def all_of_them(state, x, i):
        for name in sorted(jaxpr_queries.ELEMENTWISE):
            function = getattr(lax, name, None)
            for given in ((x,), (x, x), (x, x, x), (i,), (i, i), (x + 1j * x,)):
                with contextlib.suppress(Exception):  # it takes other arguments
                    out = function(*given)
                    state += jnp.sum(jnp.real(out)).astype(x.dtype)
        image = x.reshape(1, 1, 4, 4)
        parts = lax.split(x[:, ::-1].T, (2, 2))
        state += (
            lax.conv(image, image, (1, 1), "SAME").sum()
            + (x @ x).max()
            + x.min()
            + (i == 1).any()
            + (i > 1).all()
        )
        state += (
            x[i % 4, i % 2].sum()
            + x[1:3].sum()
            + jnp.concatenate(parts).sum()
            + lax.pad(x, x[0, 0], [(1, 1, 0), (0, 2, 1)]).sum()
        )
        state += (
            jnp.argmax(x) + jnp.argmin(x) + lax.iota(np.int32, 4).sum() + lax.reduce_precision(x, 5, 10).sum()
        )
        return state + x**3 + x.squeeze() + jnp.where(i == 1, x, 2.0) + (i | (~i ^ 2))

    given = (
        jnp.ones((4, 4)),
        jnp.asarray(np.linspace(0.1, 0.9, 16, dtype=np.float32).reshape(4, 4)),
        jnp.ones((4, 4), int),
    )
    program = jax.jit(all_of_them, donate_argnums=0, compiler_options=compiler_options.in_place())
    jaxpr = jax.make_jaxpr(all_of_them)(*given).jaxpr
    others = set(jaxpr_queries.names(jaxpr)) - compiler_options._STRAIGHT
    assert not others
    rare = {"add_any", "argmax", "copy", "copy_p", "custom_jvp_call", "custom_vjp_call", "stop_gradient"}
    newer = {"log2", "one_minus_square"}
    assert compiler_options._STRAIGHT - set(jaxpr_queries.names(jaxpr)) <= rare | newer
    text = program.lower(*given).compile().as_text()
    assert not re.findall(r" = [^ ]+ (while|conditional|call)\(", text)


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
