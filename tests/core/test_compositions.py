"""Every way to transform a function, inside every other, two and three deep.

Each composition is compared with jax's own transformations of the same pure function: its value, its gradient, its
value and gradient compiled, and the state that it leaves behind. Gradients are also compared with differences where
no derivative in the composition was made up.

`MSJAX_ALL=1` runs every composition three deep; otherwise a fixed sample of them is run. Each composition is run under one
of the two transformations that compile, under both if that is set.
"""

import functools
import itertools
import os
import zlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from msjax.core.autodiff.grad import grad
from msjax.core.jit.jit import jit
from msjax.core.tensor import random_state
from msjax.core.tensor.tensor import Tensor
from tests.core.compositions import NAMES, UNTRUE, State, base, base_twin, ways

X = 0.7


ALL = os.environ.get("MSJAX_ALL") == "1"


def _number(names: tuple[str, ...]) -> int:
    return zlib.crc32(" ".join(names).encode())


def _sampled(names: tuple[str, ...]) -> bool:
    return ALL or _number(names) % 80 == 0


PAIRS = list(itertools.product(NAMES, repeat=2))
TRIPLES = [names for names in itertools.product(NAMES, repeat=3) if _sampled(names)]


def _composed(names, state, twin):
    fn = base_twin if twin else base
    for name in reversed(names):
        fn = ways(state)[name][twin](fn)
    return fn


@functools.cache
def _expected(names, differentiated):
    """Return jax's own outcome: the value or the gradient, the state, and the key of the random numbers."""
    random_state.set_seed(3)
    state = State()
    twin = _composed(names, state, True)
    found = np.asarray((jax.grad(twin) if differentiated else twin)(jnp.float64(X)))
    return found, np.asarray(state.twin[0]), np.asarray(state.key)


def _difference(names, step=2e-5):
    """The derivative by central differences, extrapolated once; each value from the same state and random numbers."""

    def value(offset):
        random_state.set_seed(3)
        fn = _composed(names, State(), False)
        return float(fn(Tensor(jnp.float64(X + offset))).array)

    wide, narrow = ((value(h) - value(-h)) / (2 * h) for h in (step, step / 2))
    return (4 * narrow - wide) / 3


OUTER = {
    "value": lambda f: f,
    "grad": grad,
    "jit_grad": lambda f: jit(grad(f)),
    "grad_jit": lambda f: grad(jit(f)),
}


def _outers(names):
    """Those that a composition is run under."""
    return [o for o in OUTER if o != ("jit_grad", "grad_jit")[_number(names) // 80 % 2] or ALL]


@pytest.mark.parametrize(
    ("names", "outer"),
    [
        pytest.param(names, outer, id=f"{outer}-{' '.join(names)}")
        for names in PAIRS + TRIPLES
        for outer in _outers(names)
    ],
)
def test_agrees_with_jax(names, outer):
    """One composition under one outer transformation: result and state."""
    value, state, key = _expected(names, outer != "value")
    random_state.set_seed(3)
    own = State()
    fn = _composed(names, own, False)
    np.testing.assert_allclose(
        np.asarray(OUTER[outer](fn)(Tensor(jnp.float64(X))).array), value, rtol=1e-9, atol=1e-11
    )
    np.testing.assert_allclose(np.asarray(own.box.array), state, rtol=1e-12)
    np.testing.assert_array_equal(np.asarray(random_state.get_rng_state().array), key)


@pytest.mark.parametrize("names", [n for n in PAIRS + TRIPLES if not UNTRUE.intersection(n)], ids=" ".join)
def test_agrees_with_differences(names):
    random_state.set_seed(3)
    fn = _composed(names, State(), False)
    gradient = float(grad(fn)(Tensor(jnp.float64(X))).array)
    np.testing.assert_allclose(gradient, _difference(names), rtol=1e-5, atol=1e-6)
