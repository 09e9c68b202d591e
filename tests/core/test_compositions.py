"""Every way to transform a function, inside every other, two and three deep.

Each composition is compared with jax's own transformations of the same pure function: its value, its gradient, its
value and gradient compiled, and the state that it leaves behind. Gradients are also compared with differences where
no derivative in the composition was made up.

`MSJAX_ALL=1` runs every composition three deep; otherwise a fixed sample of them is run.
"""

import itertools
import os
import zlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from msjax.core import random
from msjax.core.grad import grad
from msjax.core.jit import jit
from msjax.core.tensor import Tensor
from tests.core.compositions import NAMES, UNTRUE, State, base, base_twin, ways

X = 0.7


def _sampled(names: tuple[str, ...]) -> bool:
    return os.environ.get("MSJAX_ALL") == "1" or zlib.crc32(" ".join(names).encode()) % 40 == 0


PAIRS = list(itertools.product(NAMES, repeat=2))
TRIPLES = [names for names in itertools.product(NAMES, repeat=3) if _sampled(names)]


def _composed(names, state):
    over_tensors, over_arrays = base, base_twin
    for name in reversed(names):
        here, twin = ways(state)[name]
        over_tensors, over_arrays = here(over_tensors), twin(over_arrays)
    return over_tensors, over_arrays


def _check(names, outer, outer_twin):
    """One composition under one outer transformation: result and state."""
    random.set_seed(3)
    state = State()
    fn, twin = _composed(names, state)
    found = np.asarray(outer(fn)(Tensor(jnp.float64(X))).array)
    expected = np.asarray(outer_twin(twin)(jnp.float64(X)))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(np.asarray(state.box.array), np.asarray(state.twin[0]), rtol=1e-12)
    np.testing.assert_array_equal(np.asarray(random.get_rng_state().array), np.asarray(state.key))


def _difference(names, step=2e-5):
    """The derivative by central differences, extrapolated once; each value from the same state and random numbers."""

    def value(offset):
        random.set_seed(3)
        fn, _ = _composed(names, State())
        return float(fn(Tensor(jnp.float64(X + offset))).array)

    wide, narrow = ((value(h) - value(-h)) / (2 * h) for h in (step, step / 2))
    return (4 * narrow - wide) / 3


def _twin_of(fn):
    return fn


@pytest.mark.parametrize("names", PAIRS + TRIPLES, ids=" ".join)
@pytest.mark.parametrize(
    ("outer", "outer_twin"),
    [
        (lambda f: f, _twin_of),
        (grad, jax.grad),
        (lambda f: jit(grad(f)), jax.grad),
        (lambda f: grad(jit(f)), jax.grad),
    ],
    ids=["value", "grad", "jit_grad", "grad_jit"],
)
def test_agrees_with_jax(names, outer, outer_twin):
    _check(names, outer, outer_twin)


@pytest.mark.parametrize("names", [n for n in PAIRS + TRIPLES if not UNTRUE.intersection(n)], ids=" ".join)
def test_agrees_with_differences(names):
    random.set_seed(3)
    fn, _ = _composed(names, State())
    gradient = float(grad(fn)(Tensor(jnp.float64(X))).array)
    np.testing.assert_allclose(gradient, _difference(names), rtol=1e-5, atol=1e-6)
