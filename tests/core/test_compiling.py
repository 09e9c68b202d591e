"""Programs of single operators, which are compiled in their own way outside of traces and in the general way inside."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import msjax as ms
from msjax import ops
from msjax.core import compiling
from msjax.core.op import op


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
def test_what_the_quick_generators_do_slowly_is_compiled_in_the_general_way():
    general = jax.jit(jnp.transpose)
    assert compiling.by_itself(jnp.transpose, general, [X]) is general
    assert compiling.by_itself(jnp.sin, general, [X]) is not general


def test_options_that_xla_does_not_know_are_not_used():
    assert compiling._known({"xla_cpu_no_such_option": True}) is None


@pytest.mark.parametrize("library", [object(), None])
def test_memory_is_given_back_where_the_c_library_can(monkeypatch, library):
    compiling._trim.cache_clear()
    if library is not None:
        monkeypatch.setattr(compiling.ctypes, "CDLL", lambda name: library)
        assert compiling._trim() is None
    compiling.give_back_memory()
    compiling._trim.cache_clear()
