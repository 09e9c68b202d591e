"""The random state: one Tensor, read and advanced by every operator that draws.

Being a Tensor, it is captured and written back by compiled functions like any other state, so that dropout differs
between the calls of a compiled step, `set_seed` repeats a run exactly, and a step that raises does not advance it.
Under `vmap` all lanes draw the same numbers, because the state is not mapped.
"""

import contextlib
import contextvars
import random
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from msjax.core.state import swapped
from msjax.core.tensor.construction import constant
from msjax.core.tensor.tensor import Tensor, resolve, wrap

_IMPL = "threefry2x32"
_MOST_SEED = 2**32
_seed: int | None = None
_times = 0
_source: Tensor | None = None
# A context variable: threads and asynchronous tasks that draw from generators of their own do not disturb each other.
_lent: contextvars.ContextVar[Tensor | None] = contextvars.ContextVar("lent", default=None)


def _data(seed: int) -> jax.Array:
    # What `jax.random.key` makes of 32 bits; that would compile a program first.
    return constant(np.array([0, seed], np.uint32))


def source() -> Tensor:
    """Return the box that holds the random state, as key data (uint32, shape (2,))."""
    global _source
    lent = _lent.get()
    if lent is not None:
        return lent
    if _source is None:
        start = np.random.SeedSequence().entropy if _seed is None else _seed
        with swapped(frame=None, scope=None):
            _source = wrap(_data(int(start) % _MOST_SEED))  # type: ignore[arg-type]
    return _source


@contextlib.contextmanager
def drawing_from(box: Tensor) -> Iterator[None]:
    """Make operators draw from another box, and advance that one.

    Args:
        box: the state of a `Generator`.
    """
    token = _lent.set(box)
    try:
        yield
    finally:
        _lent.reset(token)


def key_data(key: Any) -> jax.Array:
    """Convert a JAX key, new style or raw, to the data that the random state holds."""
    return jax.random.key_data(key) if jax.numpy.issubdtype(key.dtype, jax.dtypes.prng_key) else key


def split(state_data: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Split the random state into a key to draw with and the next state."""
    key = jax.random.wrap_key_data(state_data, impl=_IMPL)
    key, following = jax.random.split(key)
    return key, jax.random.key_data(following)


_split = jax.jit(split, inline=True)


def next_key() -> jax.Array:
    """Return a fresh key, and advance the state."""
    box = source()
    key, following = _split(resolve(box)._value)
    box._assign(following)
    return key


def set_seed(seed: int) -> None:
    """Set the seed of all random operators and initializers, of `numpy.random` and of Python's `random`.

    Args:
        seed: an int in [0, 2**32).

    Raises:
        TypeError: if `seed` is not an int.
        ValueError: if it is negative or too large.

    Examples:
        >>> import msjax as ms
        >>> ms.set_seed(1)
        >>> a = ms.ops.rand(3)
        >>> ms.set_seed(1)
        >>> bool((a == ms.ops.rand(3)).all())
        True
    """
    global _seed, _times
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise TypeError(
            f"`set_seed`: argument `seed` must be an int. Received: {seed!r} ({type(seed).__name__})."
        )
    if not 0 <= seed < _MOST_SEED:
        raise ValueError(f"`set_seed`: argument `seed` must be in [0, 2**32). Received: {seed}.")
    _seed, _times = int(seed), _times + 1
    random.seed(_seed)
    np.random.seed(_seed)  # noqa: NPY002  MindSpore sets NumPy's own seed too
    if _source is not None:
        with swapped(frame=None, scope=None):
            _source._assign(_data(_seed))


def get_seed() -> int | None:
    """Return the seed that was set, or None."""
    return _seed


def times_seeded() -> int:
    """Return how many times the seed has been set, for users with a random state of their own."""
    return _times


def get_rng_state() -> Tensor:
    """Return a copy of the random state, for :func:`set_rng_state`."""
    return wrap(resolve(source())._value)


def set_rng_state(state: Any) -> None:
    """Restore a state from :func:`get_rng_state`.

    Args:
        state: Tensor of dtype uint32 and shape (2,).

    Raises:
        ValueError: for any other shape or dtype.
    """
    box = state if isinstance(state, Tensor) else Tensor(state)
    if box.shape != (2,) or box._value.dtype != np.uint32:
        raise ValueError(
            f"`set_rng_state`: expected a uint32 Tensor of shape (2,). Received: shape={box.shape}, dtype={box.dtype}."
        )
    source()._assign(box.array)
