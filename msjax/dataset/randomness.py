"""Where the random numbers of samplers, shuffling and augmentation come from.

Every iterator has a `Run`, and every place in its pipeline a generator of its own, derived from the seed and from the
place; orders of rows are drawn from the seed alone, as in MindSpore (see `orders`). So two iterators over one pipeline
under one seed give the same rows; the epochs and repeats of one iterator, which go on drawing, differ.
"""

import secrets
import threading
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from msjax.dataset import config

# Shards must cut one permutation, also in processes that know nothing of each other and set no seed.
_COMMON = 5489
_ORDER = -1  # where a place keeps what its order is drawn from

T = TypeVar("T")

_local = threading.local()
_eager: tuple[int | None, np.random.Generator] | None = None


def entropy() -> int:
    """The seed that was set, or a fresh random number."""
    seed = config.own_seed()
    return secrets.randbits(64) if seed is None else seed


def current() -> np.random.Generator:
    """What a random transform draws from: its pipeline's generator; outside a pipeline, one for the process."""
    generator = getattr(_local, "generator", None)
    return _outside() if generator is None else generator


def swap(generator: np.random.Generator | None) -> np.random.Generator | None:
    """Make `generator` this thread's `current` and return what was."""
    before = getattr(_local, "generator", None)
    _local.generator = generator
    return before


def _outside() -> np.random.Generator:
    global _eager
    times = config.times_seeded()
    if _eager is None or _eager[0] != times:
        _eager = (times, np.random.default_rng(entropy()))
    return _eager[1]


class _Shared:
    """What all places of one run share."""

    __slots__ = ("entropy", "epoch", "generators", "memory", "seeded", "silent")

    def __init__(self, silent: bool) -> None:
        self.silent = silent
        self.seeded = config.own_seed() is not None
        self.entropy = entropy()
        self.epoch = 0
        self.generators: dict[tuple[int, ...], np.random.Generator] = {}
        self.memory: dict[tuple[int, ...], object] = {}


class Run:
    """One iterator's way through a pipeline, seen from one place in it.

    Args:
        silent: the rows are only looked at, to find their shapes or number; callbacks are not told.
    """

    __slots__ = ("_order", "_shared", "path")

    def __init__(self, silent: bool = False) -> None:
        self._shared = _Shared(silent)
        self._order: tuple[int, int] | None = None  # a seed, and from which part of the path on it counts
        self.path: tuple[int, ...] = ()

    @property
    def epoch(self) -> int:
        """How many epochs the iterator has finished. Repeats within the pipeline do not count."""
        return self._shared.epoch

    @property
    def seeded(self) -> bool:
        """Whether a seed was set."""
        return self._shared.seeded

    @property
    def silent(self) -> bool:
        """Whether callbacks are not told."""
        return self._shared.silent

    @property
    def memory(self) -> dict[tuple[int, ...], object]:
        """What places keep from one pass to the next, by their path."""
        return self._shared.memory

    def next_epoch(self) -> None:
        """The iterator has reached the end."""
        self._shared.epoch += 1

    def child(self, index: int = 0) -> "Run":
        """The same run, one place further towards the source."""
        run = Run.__new__(Run)
        run._shared, run._order, run.path = self._shared, self._order, (*self.path, index)
        return run

    def with_order(self, seed: int) -> "Run":
        """The same run, but with one order of rows in every epoch; augmentation stays random.

        The order depends on nothing but the seed and the steps from here to the source.
        """
        run = self.child()
        run._order, run.path = (seed, len(self.path)), self.path
        return run

    def generator(self) -> np.random.Generator:
        """This place's own generator, which goes on from pass to pass."""
        known = self._shared.generators.get(self.path)
        if known is None:
            known = self._shared.generators[self.path] = _at(self._shared.entropy, self.path)
        return known

    def kept(self, make: Callable[[int], T], common: bool = False) -> T:
        """What this place draws its order from in MindSpore's way, made of the seed and kept from pass to pass.

        Args:
            make: from a seed.
            common: the same in all processes, even if no seed is set.
        """
        if self._order is not None:
            seed, start = self._order
            return make(_word(seed, self.path[start:]))
        key = (*self.path, _ORDER)
        known = self._shared.memory.get(key)
        if known is None:
            if self._shared.seeded:
                seed = self._shared.entropy
            else:
                seed = _COMMON if common else _word(self._shared.entropy, self.path)
            known = self._shared.memory[key] = make(seed)
        return known  # type: ignore[return-value]

    def order(self, common: bool = False) -> np.random.Generator:
        """What the order of rows is drawn from where MindSpore's way is not known.

        Args:
            common: the same in all processes, even if no seed is set.
        """
        if self._order is not None:
            seed, start = self._order
            return _at(seed, self.path[start:])
        if common and not self._shared.seeded and self.path not in self._shared.generators:
            self._shared.generators[self.path] = _at(_COMMON, self.path)
        return self.generator()


def _word(seed: int, path: tuple[int, ...]) -> int:
    return int(np.random.SeedSequence(seed, spawn_key=path).generate_state(1)[0])


def _at(seed: int, path: tuple[int, ...]) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=path))
