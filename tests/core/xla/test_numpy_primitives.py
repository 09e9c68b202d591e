"""Primitives in NumPy against the same ones in XLA, each with what is special about it."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from msjax.core.xla.numpy_evaluator import Evaluation, UnsupportedError
from msjax.core.xla.numpy_primitives import PRIMITIVES

rng = np.random.default_rng(0)
X = rng.normal(size=(3, 4)).astype(np.float32)
Y = rng.normal(size=(3, 4)).astype(np.float32)
WIDE = rng.normal(size=(130, 100)).astype(np.float32) / 10
UNIT = rng.uniform(0.05, 0.95, (3, 4)).astype(np.float32)
I = rng.integers(-9, 9, (3, 4)).astype(np.int32)  # noqa: E741
J = np.where(rng.integers(0, 4, (3, 4)) == 0, 0, rng.integers(-5, 5, (3, 4))).astype(np.int32)
U = rng.integers(0, 200, (3, 4)).astype(np.uint8)
B = rng.integers(0, 2, (3, 4)).astype(bool)
ODD = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 3e9, -3e9, 2.5, -2.5, 0.49999997], np.float32)
LEAST = np.array([-(2**31), 7, -7, 5], np.int32)

# Both libraries are right to two units in the last place or so.
CLOSE = 4 * float(np.finfo(np.float32).eps)

UNARY = """
    abs acos asin asinh atan cbrt ceil cos cosh erf erf_inv erfc exp exp2 expm1 floor is_finite log1p logistic
    neg rsqrt sign sin sinh sqrt square tan tanh log
""".split()
POSITIVE = {"acos", "asin", "erf_inv", "log", "log1p", "rsqrt", "sqrt"}
# Of these XLA has series of its own, right to some units more.
SERIES = {
    "erf_inv": 1e-5,
    "erfc": 1e-5,
    "exp2": 1e-6,
    "cosh": 1e-6,
    "sinh": 1e-6,
    "tan": 1e-6,
}

CASES: dict[str, tuple[Any, ...]] = {
    **{name: (getattr(lax, name), UNIT if name in POSITIVE else X) for name in UNARY},
    **{
        f"{name} odd": (getattr(lax, name), ODD)
        for name in ("abs", "ceil", "floor", "is_finite", "neg", "sign", "tanh", "exp")
    },
    **{
        f"{name} reals": (getattr(lax, name), X, Y)
        for name in "add sub mul div max min rem atan2 eq ne lt le gt ge nextafter".split()
    },
    **{
        f"{name} integers": (getattr(lax, name), I, J) for name in "add sub mul div max min rem eq lt".split()
    },
    **{
        f"{name} bytes": (getattr(lax, name), U, U[::-1].copy()) for name in "add sub mul div rem max".split()
    },
    **{f"{name} bits": (getattr(lax, f"bitwise_{name}"), I, J) for name in ("and", "or", "xor")},
    "the least integer by -1": (lambda x: lax.div(x, jnp.full_like(x, -1)), LEAST),
    "max of nan": (lambda x: lax.max(x, jnp.ones_like(x)), ODD),
    "not": (lax.bitwise_not, I),
    "not of a bool": (lax.bitwise_not, B),
    "power": (lax.pow, UNIT, X),
    "acosh": (lambda x: lax.acosh(1 + x), UNIT),
    "atanh": (lax.atanh, UNIT),
    **{f"to the {n}": (lambda x, n=n: lax.integer_pow(x, n), X) for n in (-3, -1, 0, 2, 3, 7)},
    "round": (lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), ODD),
    "round to even": (lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), ODD),
    **{
        f"to {d}": (lambda x, d=d: lax.convert_element_type(x, d), ODD)
        for d in ("int8", "int32", "int64", "uint8", "bool", "float64")
    },
    "an integer to a byte": (lambda x: lax.convert_element_type(x, np.uint8), I),
    **{
        f"shift {n}": (fn, I, np.abs(J) * 9)
        for n, fn in (
            ("left", lax.shift_left),
            ("right", lax.shift_right_arithmetic),
            ("logical", lax.shift_right_logical),
        )
    },
    "bits": (lambda x: lax.bitcast_convert_type(x, np.int32), X),
    "clamp": (lambda x: lax.clamp(np.float32(-0.5), x, np.float32(0.5)), ODD),
    "select": (lambda b, x, y: lax.select_n(b, x, y), B, X, Y),
    "select of three": (
        lambda x, y: lax.select_n(jnp.asarray([[0, 1, 2, 1]] * 3, np.int32), x, y, x + y),
        X,
        Y,
    ),
    "broadcast": (lambda x: lax.broadcast_in_dim(x, (2, 3, 5, 4), (1, 3)), X),
    "reverse": (lambda x: lax.rev(x, (0, 1)), X),
    "transpose": (lambda x: x.T, X),
    "squeeze": (lambda x: x[:1].squeeze(0), X),
    "slice": (lambda x: lax.slice(x, (0, 1), (3, 4), (2, 2)), X),
    "split": (lambda x: lax.split(x, (1, 3), 1), X),
    "concatenate": (lambda x, y: lax.concatenate([x, y], 1), X, Y),
    **{
        f"pad {p}": (lambda x, p=p: lax.pad(x, np.float32(7), p), X)
        for p in (((1, 2, 0), (0, 0, 2)), ((-1, 1, 0), (2, -2, 1)))
    },
    "iota": (lambda x: x + lax.broadcasted_iota(np.float32, (3, 4), 1), X),
    "window": (lambda x, i: lax.dynamic_slice(x, (i[0, 0], i[0, 1]), (2, 2)), X, I * 5),
    "write a window": (
        lambda x, y, i: lax.dynamic_update_slice(x, y[:2, :2], (i[0, 0], i[1, 1])),
        X,
        Y,
        I * 5,
    ),
    "rows": (lambda x, i: x[i], X, J),
    "rows outside": (lambda x, i: x.at[i, 1].get(mode="fill"), X, J * 4),
    "rows cut": (lambda x, i: x.at[1, i].get(mode="clip"), X, J * 4),
    "integers outside": (lambda x, i: x.at[i].get(mode="fill"), I, J * 4),
    "rows along": (lambda x, i: jnp.take_along_axis(x, i, 0), X, np.abs(J) % 3),
    "mapped rows": (jax.vmap(lambda x, i: x[i]), X, np.abs(J) % 4),
    "every second": (lambda x: x[::-1, ::2], X),
    "a mask": (lambda x: x[jnp.asarray([0, 2])[:, None], jnp.asarray([1, 3])], X),
    "rows added": (lambda x, y, i: x.at[i[0]].add(y[jnp.asarray([0, 1, 2, 0])]), X, Y, np.abs(J) % 3),
    "elements added": (lambda x, y, i: x.at[i % 3, i % 4].add(y), X, Y, J),
    **{
        f"rows added, {m}": (
            lambda x, y, i, m=m: x.at[i[0]].add(y[jnp.asarray([0, 1, 2, 0])], mode=m),
            X,
            Y,
            J,
        )
        for m in ("clip", "drop")
    },
    "mapped rows added": (jax.vmap(lambda x, y, i: x.at[i].add(y)), X, Y, np.abs(J) % 4),
    "windows added": (
        lambda x, i: lax.scatter_add(
            x, i[:2, :2], Y[None, :2, :2].repeat(2, 0), lax.ScatterDimensionNumbers((1, 2), (), (0, 1))
        ),
        X,
        J,
    ),
    "rows replaced": (lambda x, y, i: x.at[i[0]].set(y[jnp.asarray([0, 1, 2, 0])]), X, Y, J),
    "a product that nobody needs": (lambda x, y: (lambda a, b: a)(x + 1, jnp.linalg.svd(y)), X, Y),
    **{
        f"{n} along {a}": (lambda x, n=n, a=a: getattr(jnp, n)(x, a), X)
        for n in ("sum", "max", "min", "prod", "argmax", "argmin")
        for a in (0, 1)
    },
    **{
        f"{n} of bools": (lambda x, n=n: getattr(jnp, n)(x, 1), B)
        for n in ("all", "any", "sum", "max", "argmax")
    },
    **{f"{n} of nothing": (lambda x, n=n: getattr(jnp, n)(x[:0], 0), X) for n in ("sum", "prod")},
    "argmax of nan": (lambda x: jnp.argmax(x), ODD),
    "sum of bytes": (lambda x: lax.reduce(x, np.uint8(0), lax.add, (0, 1)), U),
    **{n: (lambda x, n=n: getattr(lax, n)(x, 1, True), X) for n in ("cumsum", "cumprod", "cummax", "cummin")},
    "matmul": (lambda x, y: x @ y.T, X, Y),
    "of integers": (lambda x, y: x @ y.T, I, J),
    "a batch of products": (
        lambda x, y: jnp.einsum("bik,kjb->jbi", x.reshape(2, 3, 2), y.reshape(2, 3, 2)),
        X,
        Y,
    ),
    "of other results": (
        lambda x, y: lax.dot_general(x, y, (((1,), (1,)), ((), ())), preferred_element_type=np.int64),
        I,
        J,
    ),
    "a product in parts": (lambda x, y: x @ y, WIDE, WIDE.T),
    "products in parts": (lambda x, y: jnp.einsum("ik,bkj->bij", x, y), WIDE[:70], np.stack([WIDE.T] * 2)),
    "sort": (lambda x: jnp.sort(x), np.array([2, np.nan, -1, np.inf, 0], np.float32)),
    "order": (lambda x: jnp.argsort(x, 0), J),
    "a barrier": (lambda x: lax.optimization_barrier(x), X),
    "no gradient": (lambda x: lax.stop_gradient(x) * 1, X),
}

# What adds or multiplies along a dimension may do so in any order: some roundings, of absolute values, come together.
ORDERS = (
    "sum",
    "prod",
    "cumsum",
    "cumprod",
    "matmul",
    "a batch of products",
    "a product in parts",
    "products in parts",
)


@pytest.mark.parametrize("name", CASES)
def test_is_what_xla_gives(name: str) -> None:
    fn, *arrays = CASES[name]
    found = Evaluation(jax.make_jaxpr(fn)(*arrays)).run(arrays)
    want = jax.tree.leaves(jax.jit(fn)(*arrays))
    for a, b in zip(found, map(np.asarray, want), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if a.dtype.kind != "f":
            np.testing.assert_array_equal(a, b)
            continue
        rtol, atol = SERIES.get(name, CLOSE), 0.0
        if name.startswith(ORDERS):
            atol = 12 * CLOSE
        # XLA on CPU takes numbers below the smallest normal one for 0 in some functions.
        np.testing.assert_allclose(a, b, rtol=rtol, atol=max(atol, 1.2e-38))
        np.testing.assert_array_equal(np.signbit(a[a == 0]), np.signbit(b[a == 0]))


BROADCASTS: dict[str, Any] = {
    "two rows and columns": lambda x: x[:, :1] * x[:1],
    "beside the whole": lambda x: (x - x.mean(1, keepdims=True)) / (x.max(0) + 3),
    "read twice": lambda x: (lambda m: (x + m) * (x - m) + m)(x.sum(1, keepdims=True)),
    "added to itself": lambda x: (lambda m: x * 0 + (m + m))(jnp.broadcast_to(x[0], x.shape)),
    "a result too": lambda x: (lambda m: (m, x + m))(jnp.broadcast_to(x[0], x.shape)),
    "a choice": lambda x: jnp.where(x[:1] > 0, x, x[:, :1]),
    "one of three": lambda x: lax.select_n(
        jnp.broadcast_to(jnp.array([0, 1, 2, 1]), x.shape),
        *[jnp.broadcast_to(x[i], x.shape) for i in (0, 1)],
        x,
    ),
    "integers divided": lambda x: (x * 9).astype(jnp.int32) // jnp.arange(1, 5),
    "summed afterwards": lambda x: (x * x[:1]).sum(0) + jnp.broadcast_to(x[0], x.shape).sum(0),
    "a number": lambda x: (x + x[0, 0]) * jnp.float32(2),
    # Its gradient adds (1, 1) to (1, 4).
    "a row replaced": lambda x: jax.grad(lambda y: (y.at[jnp.array([1])].set(y[:1] ** 2) * x).sum())(x),
}


@pytest.mark.parametrize("name", BROADCASTS)
def test_broadcasts_that_are_left_to_those_who_read_them(name: str) -> None:
    fn = BROADCASTS[name]
    found = Evaluation(jax.make_jaxpr(fn)(X)).run([X])
    wanted = jax.tree.leaves(jax.jit(fn)(X))
    for a, b in zip(found, wanted, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=2e-6, atol=2e-6)


def test_what_stays_with_xla() -> None:
    for fn, array in (
        (lambda x: x + 1, X.astype(np.float16)),
        (lambda x: x * 1j, X),
        (jnp.linalg.svd, X),
        (lax.digamma, X),
        (lax.lgamma, X),
    ):
        with pytest.raises(UnsupportedError):
            Evaluation(jax.make_jaxpr(fn)(array))


def test_results_have_memory_of_their_own() -> None:
    constant = np.ones(3, np.float32)
    evaluation = Evaluation(jax.make_jaxpr(lambda x: (x, x.T, x[:1], x, constant, x + 0))(X))
    found = evaluation.run([X])
    for i, a in enumerate(found):
        assert not any(np.shares_memory(a, b) for b in (X, constant, *found[:i]))


def test_every_primitive_is_compared() -> None:
    seen = set()

    def look(jaxpr: Any) -> None:
        for eqn in jaxpr.eqns:
            seen.add(eqn.primitive.name)
            for value in eqn.params.values():
                if hasattr(inner := getattr(value, "jaxpr", value), "eqns"):
                    look(inner)

    for fn, *arrays in CASES.values():
        look(jax.make_jaxpr(fn)(*arrays).jaxpr)
    # These appear in programs that JAX differentiates, or in other versions of it.
    assert set(PRIMITIVES) - seen <= {
        "dim_as_value",  # of symbols: tests/core/xla/test_shape_templates.py
        "add_any",
        "copy",
        "copy_p",
        "reduce_xor",
        "one_minus_square",
        "log1p",
        "not",
        "stop_gradient",
        "squeeze",
    }
