"""The random state: one Tensor, read and advanced by every operator that draws.

Being a Tensor, it is captured and written back by compiled functions like any other state, so that dropout differs
between the calls of a compiled step, `set_seed` repeats a run exactly, and a step that raises does not advance it.
Under `vmap` all lanes draw the same numbers, because the state is not mapped.
"""

import contextlib
import contextvars
import random
import zlib
from collections.abc import Iterator

import jax
import numpy as np

from msjax.core.state import override_state
from msjax.core.tensor.construction import constant
from msjax.core.tensor.tensor import Tensor, resolve, wrap

_IMPL = "threefry2x32"
_MOST_SEED = 2**32
_seed: int | None = None
_times = 0
_source: Tensor | None = None
# One box for each operator and seed that a call named.
_streams: dict[tuple[str, tuple[int, ...]], Tensor] = {}
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
        with override_state(frame=None, scope=None):
            _source = wrap(_data(int(start) % _MOST_SEED))  # type: ignore[arg-type]
    return _source


def new_stream(name: str, seeds: tuple[int, ...], base: int = 0) -> Tensor:
    """Return a new box with a random state that these numbers give, in every process the same.

    Args:
        name: of the operator that draws.
        seeds: those that the caller gave.
        base: the seed of the process, if it takes part.
    """
    with override_state(frame=None, scope=None):
        return wrap(_stream_data(name, seeds, base))


def _stream_data(name: str, seeds: tuple[int, ...], base: int) -> jax.Array:
    words = [base, zlib.crc32(name.encode()), *(seed % 2**64 for seed in seeds)]
    return constant(np.random.SeedSequence(words).generate_state(2))


def stream(name: str, *seeds: int) -> Tensor:
    """Return the box that an operator draws from when it is called with a seed; `set_seed` starts it again.

    Without a seed (None, 0 or less), and within `drawing_from`, it is that of :func:`source`.
    """
    if _lent.get() is not None or not seeds or not all(type(seed) is int and seed > 0 for seed in seeds):
        return source()
    found = _streams.get((name, seeds))
    if found is None:
        found = _streams[name, seeds] = new_stream(name, seeds, _seed or 0)
    return found


def is_lent() -> bool:
    """Return True within `drawing_from`."""
    return _lent.get() is not None


@contextlib.contextmanager
def drawing_from(box: Tensor) -> Iterator[None]:
    """Make operators draw from another box, and advance that one.

    Args:
        box: the state of a `Generator`, or a stream.
    """
    token = _lent.set(box)
    try:
        yield
    finally:
        _lent.reset(token)


def key_data(key: jax.Array) -> jax.Array:
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
    with override_state(frame=None, scope=None):
        if _source is not None:
            _source._assign(_data(_seed))
        for (name, seeds), box in _streams.items():
            box._assign(_stream_data(name, seeds, _seed))


def get_seed() -> int | None:
    """Return the seed that was set, or None."""
    return _seed


def times_seeded() -> int:
    """Return how many times the seed has been set, for users with a random state of their own."""
    return _times


def get_rng_state() -> Tensor:
    """Return a copy of the random state, for :func:`set_rng_state`."""
    return wrap(resolve(source())._value)


def set_rng_state(state: object) -> None:
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
