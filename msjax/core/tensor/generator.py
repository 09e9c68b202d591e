"""Random states beside the one of the process (`Generator`), and MindSpore's functions for the process's own."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax.core.tensor import random_state
from msjax.core.tensor.tensor import Tensor, resolve, wrap

_MOST_SEED = 2**32


def _as_bytes(key: jax.Array) -> jax.Array:
    """Return a state as MindSpore shows it: 16 bytes; the first four of a new state are the seed."""
    # The key is (0, seed) as two words, high one first; flipped, the seed's bytes come first.
    words = jax.lax.bitcast_convert_type(jnp.flip(key), jnp.uint8).reshape(8)
    return jnp.pad(words, (0, 8))


def _of_bytes(what: str, state: object) -> jax.Array:
    box = state if isinstance(state, Tensor) else Tensor(state)
    if box.shape != (16,) or box._value.dtype != np.uint8:
        raise RuntimeError(
            f"`{what}`: argument `state` must be a uint8 Tensor of shape (16,). Received: {box.shape}, {box.dtype}."
        )
    return jnp.flip(jax.lax.bitcast_convert_type(box.array[:8].reshape(2, 4), jnp.uint32))


class Generator:
    """A random state.

    Examples:
        >>> import msjax as ms
        >>> generator = ms.Generator().manual_seed(5)
        >>> generator.initial_seed()
        5
    """

    def __init__(self) -> None:
        self._seed = 0
        self._source: Tensor | None = None
        self._steps: Tensor | None = None

    @property
    def box(self) -> Tensor:
        """The Tensor that holds the state, which operators draw from and advance."""
        if self._source is None:
            self._source = wrap(random_state._data(self._seed))
        return self._source

    def manual_seed(self, seed: int) -> "Generator":
        """Start again from a seed.

        Args:
            seed: an int.

        Raises:
            TypeError: if it is no int.
        """
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
            raise TypeError(
                f"`manual_seed`: argument `seed` must be an int. Received: {seed!r} ({type(seed).__name__})."
            )
        self._seed = int(seed)
        self.box._assign(random_state._data(self._seed % _MOST_SEED))
        self._steps = wrap(jnp.zeros((), jnp.int64))
        return self

    def seed(self) -> int:
        """Start again from a seed of the operating system, and return it."""
        self.manual_seed(int(np.random.SeedSequence().entropy) % _MOST_SEED)  # type: ignore[arg-type]
        return self._seed

    def initial_seed(self) -> int:
        """Return the seed that the state began with."""
        return self._seed

    def get_state(self) -> Tensor:
        """Return a copy of the state, for `set_state`. It knows the seed that the state began with."""
        state: Any = wrap(_as_bytes(resolve(self.box)._value))
        state.initial_seed = self._seed
        state.steps = None if self._steps is None else wrap(resolve(self._steps)._value)
        return state

    def set_state(self, state: object) -> None:
        """Restore a state from `get_state`.

        Raises:
            RuntimeError: for any other shape or dtype.
        """
        self.box._assign(_of_bytes("set_state", state))
        self._seed = getattr(state, "initial_seed", self._seed)
        self._steps = getattr(state, "steps", None)

    def _step(self, step: Tensor) -> tuple[Tensor, Tensor]:
        """Return the seed and the steps so far, and add `step` to these: MindSpore's inner operators draw from them."""
        if self._steps is None:
            self._steps = wrap(jnp.zeros((), jnp.int64))
        before = resolve(self._steps)._value
        self._steps._assign(before + resolve(step)._value)
        return wrap(jnp.asarray(self._seed, jnp.int64)), wrap(before)


class _Default(Generator):
    """The random state of the process."""

    # MindSpore's own default generator shows itself as a Generator.
    def __repr__(self) -> str:
        return f"<{Generator.__module__}.Generator object at {id(self):#x}>"

    @property
    def box(self) -> Tensor:
        return random_state.source()


default_generator = _Default()


def manual_seed(seed: int) -> Generator:
    """Set the seed of the random operators. Unlike `set_seed` it leaves NumPy's and Python's alone.

    Args:
        seed: an int.

    Returns:
        Generator: the default one of the process.

    Raises:
        TypeError: if it is no int.

    Examples:
        >>> import msjax as ms
        >>> ms.manual_seed(13).initial_seed()
        13
    """
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Set a seed from the operating system, and return it.

    Examples:
        >>> import msjax as ms
        >>> ms.seed() == ms.initial_seed()
        True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """Return the seed that :func:`manual_seed` or :func:`seed` set last, or 0.

    Examples:
        >>> import msjax as ms
        >>> ms.manual_seed(13).initial_seed() == ms.initial_seed()
        True
    """
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Return a copy of the random state of the process, for :func:`set_rng_state`."""
    return default_generator.get_state()


def set_rng_state(state: object) -> None:
    """Restore a state from :func:`get_rng_state`.

    Args:
        state: Tensor of dtype uint8 and shape (16,).

    Raises:
        RuntimeError: for any other shape or dtype.
    """
    default_generator.set_state(state)
