"""Operators at shapes that keep changing: what is compiled and what is not, and that nobody sees it in the results."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import msjax as ms
from msjax import ops
from msjax.core.op.op import op
from msjax.core.tape import nodes
from msjax.core.xla import changing_shapes, compiler_options


@pytest.fixture
def compiled() -> Iterator[list[str]]:
    """The names of programs as they are compiled."""
    found: list[str] = []
    # XLA is asked once which options it has, by compiling something.
    compiler_options.jit_operator(jnp.sin, jnp.sin, [jnp.ones(2)])

    def count(event: str, duration_secs: float, **more: Any) -> None:
        if event.endswith("backend_compile_duration"):
            found.append(str(more.get("fun_name", "")))

    jax.monitoring.register_event_duration_secs_listener(count)
    yield found
    jax.monitoring.unregister_event_duration_listener(count)


def fresh() -> Any:
    """An operator without a history."""

    @op(static="axis")
    def shares(x: Any, axis: int) -> Any:
        return jax.nn.softmax(x, axis) + x.mean()

    return shares


def given(length: int, rows: int = 2) -> np.ndarray:
    return np.random.default_rng(length).normal(size=(rows, length)).astype(np.float32)


def expected(x: np.ndarray) -> np.ndarray:
    e = np.exp(x.astype(np.float64))
    return e / e.sum(-1, keepdims=True) + x.mean(dtype=np.float64)


def test_what_comes_once_is_not_compiled(compiled: list[str]) -> None:
    shares = fresh()
    for length in range(2, 40):
        x = given(length)
        np.testing.assert_allclose(shares(ms.Tensor(x), -1).asnumpy(), expected(x), rtol=2e-6, atol=5e-7)
    assert not compiled


_FIRST_STEP = """
import jax, numpy as np
import msjax as ms
from msjax import nn

net = nn.SequentialCell([*[nn.Dense(8, 8, activation="relu") for _ in range(3)], nn.Dense(8, 3)])
optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
loss = nn.CrossEntropyLoss()
gradient = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
x, y = ms.Tensor(np.linspace(-1, 1, 32, dtype=np.float32).reshape(4, 8)), ms.Tensor(np.array([0, 1, 2, 0], np.int32))
compiled = []
jax.monitoring.register_event_duration_secs_listener(
    lambda event, seconds, **more: event.endswith("backend_compile_duration") and compiled.append(more)
)
value, gradients = gradient(x, y)
optimizer(gradients)
assert np.isfinite(value.asnumpy())
assert not compiled, compiled
"""


def test_the_first_step_of_a_net_compiles_nothing() -> None:
    # In a process of its own: operators that other tests have called often are compiled.
    done = subprocess.run(
        [sys.executable, "-c", _FIRST_STEP], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr


def test_one_shape_is_compiled_and_then_others_until_there_are_many(compiled: list[str]) -> None:
    shares, counts = fresh(), []
    for _ in range(changing_shapes.ENOUGH + 1):
        shares(ms.Tensor(given(2)), -1)
    for length in range(2, 9):
        x = given(length)
        np.testing.assert_allclose(shares(ms.Tensor(x), -1).asnumpy(), expected(x), rtol=2e-6, atol=5e-7)
        counts.append(len(compiled))
    assert counts == [1, 2, 3, 3, 3, 3, 3]


def test_what_comes_back_is_compiled(compiled: list[str]) -> None:
    shares, x = fresh(), ms.Tensor(given(50))
    for length in range(2, 6):
        shares(ms.Tensor(given(length)), -1)
    before, results = len(compiled), set()
    for _ in range(changing_shapes.ENOUGH + 2):
        results.add(shares(x, -1).asnumpy().tobytes())
    assert len(compiled) == before + 1
    assert len(results) <= 2  # NumPy's and XLA's


def test_more_work_is_compiled_sooner(compiled: list[str]) -> None:
    shares = fresh()
    for length in range(2, 6):
        shares(ms.Tensor(given(length)), -1)
    before = len(compiled)
    x = ms.Tensor(given(changing_shapes.ENOUGH, rows=changing_shapes.ELEMENTS))
    shares(x, -1)
    assert len(compiled) == before + 1


def test_a_run_and_its_repetition_give_the_same_bits() -> None:
    runs = []
    for _ in range(2):
        shares = fresh()
        runs.append(
            [shares(ms.Tensor(given(n)), -1).asnumpy().tobytes() for n in (3, 4, 5, 6, 7, 6, 5, 3, 8)]
        )
    assert runs[0] == runs[1]


def test_lengths_that_mean_something_else() -> None:
    # 1 broadcasts, 0 is empty, and equal lengths may be two things.
    for shapes in ([(n, n) for n in (5, 6, 7, 8, 9, 1, 2)], [(4, n) for n in (5, 6, 7, 8, 1, 4, 9, 2)]):
        for shape in shapes:
            x, y = np.ones(shape, np.float32), np.arange(shape[1], dtype=np.float32)
            out = ops.add(ms.Tensor(x), ms.Tensor(y))
            np.testing.assert_array_equal(out.asnumpy(), x + y)


def test_settings_that_keep_changing(compiled: list[str]) -> None:
    counts = []
    for length in range(2, 60):
        np.testing.assert_array_equal(ops.arange(length + 1000).asnumpy(), np.arange(length + 1000))
        counts.append(len(compiled))
    assert counts[-1] == counts[25]


def test_an_error_is_the_operators_own() -> None:
    for n in range(2, 12):
        ops.matmul(ms.Tensor(given(n)), ms.Tensor(given(n).T.copy()))
    with pytest.raises(RuntimeError, match="matmul"):
        ops.matmul(ms.Tensor(given(12)), ms.Tensor(given(13)))


def test_what_numpy_does_not_have_is_compiled() -> None:
    for n in range(2, 8):
        x = given(n, rows=n)
        s = np.linalg.svd(x, compute_uv=False)
        np.testing.assert_allclose(ops.svd(ms.Tensor(x), compute_uv=False).asnumpy(), s, rtol=1e-4, atol=1e-5)


def test_inside_traces() -> None:
    shares = fresh()
    for n in range(2, 9):
        x = given(n)
        want = shares(ms.Tensor(x), -1).asnumpy()
        traced = jax.jit(lambda a: shares(ms.Tensor.from_array(a), -1).array)(jnp.asarray(x))
        np.testing.assert_allclose(traced, want, rtol=2e-6, atol=5e-7)
        np.testing.assert_allclose(
            ms.jit(lambda t: shares(t, -1))(ms.Tensor(x)).asnumpy(), want, rtol=2e-6, atol=5e-7
        )


def test_results_are_arrays_of_their_own() -> None:
    for n in range(2, 10):
        x = ms.Tensor(given(n))
        same = x.copy()
        assert same.array.unsafe_buffer_pointer() != x.array.unsafe_buffer_pointer()


def test_an_argument_can_be_donated_afterwards() -> None:
    p = ms.Parameter(ms.Tensor(given(64)), name="p")
    shares = fresh()
    for n in range(2, 8):
        shares(ms.Tensor(given(n)), -1)
    before = shares(p, -1).asnumpy().copy()

    @ms.jit
    def step(x: ms.Tensor) -> None:
        ops.assign(p, p + x)

    for _ in range(3):
        step(ms.Tensor(np.float32(1)))
    np.testing.assert_allclose(p.asnumpy(), given(64) + 3, rtol=1e-6)
    np.testing.assert_array_equal(before, shares(ms.Tensor(given(64)), -1).asnumpy())


def test_gradients_of_all_lengths(compiled: list[str]) -> None:
    w = ms.Parameter(ms.Tensor(given(4, rows=3)), name="w")

    def loss(x: ms.Tensor) -> ms.Tensor:
        h = ops.tanh(ops.matmul(x, w)) + ops.softmax(x, -1).sum(-1, keepdims=True)
        return (h * h).mean() + ops.amax(ops.select(h > 0, h, -h), 0).sum()

    def by_jax(x: jax.Array, w: jax.Array) -> jax.Array:
        h = jnp.tanh(x @ w) + jax.nn.softmax(x, -1).sum(-1, keepdims=True)
        return (h * h).mean() + jnp.where(h > 0, h, -h).max(0).sum()

    gradient, counts = ms.value_and_grad(loss, 0, w), []
    for length in range(2, 16):
        x = given(3, rows=length)
        value, (by_x, by_w) = gradient(ms.Tensor(x))
        counts.append(len(compiled))
        if length not in (2, 3, 8, 15):  # JAX compiles for each
            continue
        want = jax.value_and_grad(by_jax, (0, 1))(jnp.asarray(x), w.array)
        del compiled[counts[-1] :]
        for a, b in zip((value, by_x, by_w), (want[0], *want[1]), strict=True):
            # Sums of up to 15 terms up to 2 in size, some of which cancel: as many roundings.
            np.testing.assert_allclose(a.asnumpy(), b, rtol=1e-5, atol=15 * 2 * 1.2e-7)
    assert counts[-1] == counts[7]


def test_second_derivatives_of_all_lengths() -> None:
    for length in range(2, 10):
        x = given(length)
        second = ms.grad(lambda t: ms.grad(lambda u: (ops.tanh(u) * u).sum())(t).sum())(ms.Tensor(x))
        want = jax.vmap(jax.grad(jax.grad(lambda u: jnp.tanh(u) * u)))(x.reshape(-1)).reshape(x.shape)
        np.testing.assert_allclose(second.asnumpy(), want, rtol=1e-4, atol=1e-5)


WAYS = {
    "jit": lambda f, x: jax.jit(f)(x),
    "grad": lambda f, x: jax.grad(lambda a: f(a).sum())(x),
    "vjp": lambda f, x: jax.vjp(f, x)[1](jnp.ones_like(x))[0],
    "jvp": lambda f, x: jax.jvp(f, (x,), (jnp.ones_like(x),))[1],
    "linearize": lambda f, x: jax.linearize(f, x)[1](jnp.ones_like(x)),
    "second": lambda f, x: jax.hessian(lambda a: f(a).sum())(x),
    "vmap": lambda f, x: jax.vmap(f)(x),
    "checkpoint": lambda f, x: jax.grad(lambda a: jax.checkpoint(f)(a).sum())(x),
}


@pytest.mark.parametrize("way", WAYS)
def test_inside_transformations_of_jax(way: str) -> None:
    shares = fresh()

    def through(a: jax.Array) -> jax.Array:
        return shares(ms.Tensor.from_array(a), -1).array

    for n in range(2, 7):
        x = jnp.asarray(given(n))
        want = WAYS[way](lambda a: jax.nn.softmax(a, -1) + a.mean(), x)
        np.testing.assert_allclose(WAYS[way](through, x), want, rtol=2e-5, atol=2e-6)
        shares(ms.Tensor(given(n)), -1)


@pytest.mark.parametrize("recorded", [False, True])
def test_compiled_gradients_of_all_lengths(recorded: bool) -> None:
    shares = fresh()
    gradient = ms.jit(ms.grad(lambda t: (shares(t, -1) * t).sum()))
    for n in range(2, 7):
        x = given(n)
        want = jax.grad(lambda a: ((jax.nn.softmax(a, -1) + a.mean()) * a).sum())(jnp.asarray(x))
        np.testing.assert_allclose(gradient(ms.Tensor(x)).asnumpy(), want, rtol=2e-5, atol=2e-6)
        if recorded:
            eager = ms.grad(lambda t: (shares(t, -1) * t).sum())(ms.Tensor(x))
            np.testing.assert_allclose(eager.asnumpy(), want, rtol=2e-5, atol=2e-6)


def test_a_loop_over_fixed_shapes_is_compiled(compiled: list[str]) -> None:
    shares, counts = fresh(), []
    for n in range(2, 6):
        shares(ms.Tensor(given(n)), -1)

    def loss(t: ms.Tensor) -> ms.Tensor:
        return (ops.tanh(shares(t, -1)) * shares(t, -1)).sum() + shares(t, -1).mean()

    for _ in range(9):
        got = ms.grad(loss)(ms.Tensor(given(40)))
        counts.append(len(compiled))

    def by_jax(a: jax.Array) -> jax.Array:
        s = jax.nn.softmax(a, -1) + a.mean()
        return (jnp.tanh(s) * s).sum() + s.mean()

    np.testing.assert_allclose(got.asnumpy(), jax.grad(by_jax)(jnp.asarray(given(40))), rtol=2e-5, atol=2e-6)
    assert counts[-1] == counts[-2]


def test_loops_over_many_fixed_shapes_are_not_all_compiled(
    compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nodes, "_MOST_SETTLED", 2)
    shares, counts = fresh(), []

    def loss(t: ms.Tensor) -> ms.Tensor:
        return (shares(shares(shares(t, -1), -1), -1) * t).sum()

    for length in (11, 12, 13, 14, 21, 22, 23, 24):
        results = [ms.grad(loss)(ms.Tensor(given(length))).asnumpy() for _ in range(6)]
        counts.append(len(compiled))
        for result in results[1:]:
            np.testing.assert_allclose(result, results[0], rtol=2e-5, atol=2e-6)
    assert counts[-1] == counts[-2] == counts[-3]


def test_gradients_through_integers_of_all_lengths() -> None:
    def loss(t: ms.Tensor) -> ms.Tensor:
        return (t.astype(ms.int32).astype(ms.float32) * t).sum() + ops.argmax(t, -1).astype(ms.float32).sum()

    for n in range(2, 8):
        x = ms.Tensor(3 * given(n))
        want = ms.jit(ms.grad(loss))(x).asnumpy()
        np.testing.assert_allclose(ms.grad(loss)(x).asnumpy(), want, rtol=1e-6)


def test_memory_is_given_back_after_many_elements_at_new_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    trims: list[int] = []
    monkeypatch.setattr(changing_shapes, "_trim", lambda pad: trims.append(pad))
    monkeypatch.setattr(changing_shapes, "_since_trim", 0)
    monkeypatch.setattr(changing_shapes, "ELEMENTS_BETWEEN_TRIMS", 1000)
    shares = fresh()
    for length in range(3, 60):
        shares(ms.Tensor(given(length)), -1)
    assert 2 <= len(trims) <= 57
    before = len(trims)
    for _ in range(5):
        shares(ms.Tensor(given(59)), -1)
    assert len(trims) == before, "only new shapes count"
