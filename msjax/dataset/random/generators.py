"""Random generators of samplers, shuffling and augmentation.

Every iterator has a `Run`. Orders of rows are drawn from the seed, and so is what transforms of arrays draw in a `map`:
each has separate numbers for each of MindSpore's workers, which take turns (`Worker`). Two iterators over one pipeline
under one seed therefore give the same rows; the epochs and repeats of one iterator, which go on drawing, differ. Outside
of a `map`, and in what a user's function calls, each call begins with the seed. Transforms of PIL images, and others that
MindSpore has in Python, draw from Python's `random` and from `numpy.random`.
"""

import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from msjax.dataset import config
from msjax.dataset.common.recycling import Recycler
from msjax.dataset.random.mindspore_rng import Mt19937

# Shards must cut one permutation, also in processes that know nothing of each other and set no seed.
_COMMON = 5489
_ALONE: tuple[int, frozenset[str]] = (0, frozenset())  # rows that nobody stacks
# Where a place keeps what its order is drawn from, its workers, and what it left unread.
_ORDER, _WORKERS, _REST = -1, -2, -4

T = TypeVar("T")

_local = threading.local()


def seed_or_random() -> int:
    """Return the seed that was set, or a fresh random number."""
    seed = config.own_seed()
    return secrets.randbits(64) if seed is None else seed


def transform_generator(owner: Any) -> Mt19937:
    """Return the generator of a transform's random numbers in MindSpore's way.

    Args:
        owner: the transform.
    """
    worker = getattr(_local, "worker", None)
    return Mt19937(_begin()) if worker is None else worker.words(owner)


def _begin() -> int:
    seed = config.own_seed()
    return secrets.randbits(32) if seed is None else seed


class Worker:
    """One of the workers of a `map`: the numbers of each of its transforms.

    Args:
        number: which one; the seed of its transforms is so much larger, that of those within others is not.
        seeded: whether a seed was set; else every transform has a random one.
        seed: that seed.
    """

    def __init__(self, number: int, seeded: bool, seed: int) -> None:
        self.seeds = (seed + number, seed) if seeded else None
        self.place, self.inner = 0, False
        self.drawn: dict[tuple[int, int], Mt19937] = {}

    def words(self, owner: Any) -> Mt19937:
        """Return the numbers of one of its transforms."""
        key = (self.place, id(owner))
        known = self.drawn.get(key)
        if known is None:
            seed = secrets.randbits(32) if self.seeds is None else self.seeds[self.inner]
            known = self.drawn[key] = Mt19937(seed)
        return known


def swap_worker(worker: Worker | None) -> Worker | None:
    """Set the worker whose numbers this thread's transforms draw, None outside of a `map`, and return the previous one."""
    before = getattr(_local, "worker", None)
    _local.worker = worker
    return before


def apply_nested(
    functions: Sequence[Callable[..., Any]], columns: tuple[Any, ...], inner: bool = True
) -> tuple[Any, ...]:
    """Apply transforms nested within another one in order; the user's functions draw as outside of `map`."""
    worker = getattr(_local, "worker", None)
    if worker is None:
        return apply_in_order(functions, columns)
    before, worker.inner = worker.inner, worker.inner or inner
    try:
        for function in functions:
            columns = (
                apply_in_order((function,), columns)
                if draws_natively(function)
                else call_outside_map(function, columns)
            )
    finally:
        worker.inner = before
    return columns


def draws_natively(function: Any) -> bool:
    """Return True if a transform draws from its worker's generator: those of this package, with exceptions."""
    kind = type(function)
    module = getattr(kind.__module__, "own", kind.__module__)  # see `class_paths`
    return module.startswith("msjax.dataset.") and not getattr(kind, "in_python", False)


def call_outside_map(function: Callable[..., Any], columns: tuple[Any, ...]) -> tuple[Any, ...]:
    """Apply a function; transforms that it calls draw as outside of `map`."""
    before = swap_worker(None)
    try:
        return apply_in_order((function,), columns)
    finally:
        swap_worker(before)


def apply_in_order(functions: Sequence[Callable[..., Any]], columns: tuple[Any, ...]) -> tuple[Any, ...]:
    """Apply functions in order, each to the results of the one before."""
    for function in functions:
        given = function(*columns)
        columns = given if isinstance(given, tuple) else (given,)
    return columns


class Workers:
    """Workers of a `map`, which take turns; the end of a pass counts as a row.

    Args:
        count: how many.
        seeded: whether a seed was set.
        seed: that seed.
    """

    def __init__(self, count: int, seeded: bool, seed: int) -> None:
        self.all = [Worker(number, seeded, seed) for number in range(count)]
        self.turns = 0

    def next(self) -> Worker:
        """Return the worker whose turn it is."""
        self.turns += 1
        return self.all[(self.turns - 1) % len(self.all)]

    def turn(self) -> int:
        """Return the number of the worker whose turn is next."""
        return self.turns % len(self.all)

    def __len__(self) -> int:
        return len(self.all)


class Rest:
    """Rows that a pass left unread; reading them brings random numbers to where MindSpore has them after the pass.

    Args:
        rows: them.
    """

    def __init__(self, rows: Iterator[Any]) -> None:
        self.rows = rows


class _Shared:
    """State shared by all nodes of one run."""

    __slots__ = (
        "cancelled", "entropy", "epoch", "generators", "inline", "memory", "recycler", "seeded", "silent",
    )  # fmt: skip

    def __init__(self, silent: bool, inline: bool) -> None:
        self.silent, self.inline = silent, inline
        self.seeded = config.own_seed() is not None
        self.entropy = seed_or_random()
        self.epoch, self.cancelled = 0, False
        self.generators: dict[tuple[int, ...], np.random.Generator] = {}
        self.memory: dict[tuple[int, ...], object] = {}
        self.recycler = Recycler()


class Run:
    """Run of one iterator through a pipeline, seen from one node.

    Args:
        silent: the rows are only inspected, for their shapes or number; callbacks are not called.
        inline: all work is done by the thread that asks for rows, when it asks.
    """

    __slots__ = ("_order", "_shared", "path", "stacked")

    def __init__(self, silent: bool = False, inline: bool = False) -> None:
        self._shared = _Shared(silent, silent or inline)
        self._order: tuple[int, int] | None = None  # a seed, and from which part of the path on it counts
        self.path: tuple[int, ...] = ()
        self.stacked: tuple[int, frozenset[str]] = _ALONE

    @classmethod
    def resumed(cls, entropy: int, seeded: bool, epoch: int, inline: bool) -> "Run":
        """Return the run of an iterator that goes on with an epoch of another one, whose seed it has."""
        run = cls(inline=inline)
        run._shared.entropy, run._shared.seeded, run._shared.epoch = entropy, seeded, epoch
        return run

    @property
    def entropy(self) -> int:
        """The seed of all that is drawn."""
        return self._shared.entropy

    @property
    def generators(self) -> dict[tuple[int, ...], np.random.Generator]:
        """NumPy's generators of nodes, by their path."""
        return self._shared.generators

    @property
    def epoch(self) -> int:
        """Number of epochs that the iterator has finished. Repeats within the pipeline do not count."""
        return self._shared.epoch

    @property
    def seeded(self) -> bool:
        """True if a seed was set."""
        return self._shared.seeded

    @property
    def silent(self) -> bool:
        """True if callbacks are suppressed."""
        return self._shared.silent

    @property
    def cancelled(self) -> bool:
        """True if nobody wants further rows: what is given then is looked at by nobody."""
        return self._shared.cancelled

    def cancel(self, wanted: bool = False) -> None:
        """Set that no further rows are wanted, or that they are again."""
        self._shared.cancelled = not wanted

    @property
    def inline(self) -> bool:
        """True if no thread or process may work ahead."""
        return self._shared.inline

    @property
    def memory(self) -> dict[tuple[int, ...], object]:
        """State that nodes keep from one pass to the next, by their path."""
        return self._shared.memory

    def empty(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        """Return an uninitialised array for a column of a batch, in the memory of one that is gone."""
        return self._shared.recycler.empty(shape, dtype)

    def next_epoch(self) -> None:
        """The iterator has reached the end."""
        self._shared.epoch += 1

    def leave(self, rows: Iterator[Any], index: int = 0) -> None:
        """Keep what a child's pass has left, until `settle`.

        Args:
            rows: the rest of its rows.
            index: which child.
        """
        self._shared.memory[*self.path, index, _REST] = Rest(rows)

    def settle(self, wanted: bool = True) -> None:
        """Read what passes left, before another pass.

        Args:
            wanted: whether there will be one; else the rows are forgotten.
        """
        memory = self._shared.memory
        while found := [key for key, value in memory.items() if isinstance(value, Rest)]:
            rest = memory.pop(found[0])
            assert isinstance(rest, Rest)
            for _ in rest.rows if wanted else ():
                if self.cancelled:
                    break

    def child(self, index: int = 0) -> "Run":
        """Return the same run, one node further towards the source."""
        run = Run.__new__(Run)
        run._shared, run._order, run.path = self._shared, self._order, (*self.path, index)
        run.stacked = _ALONE
        return run

    def batched_child(self, length: int, columns: Iterable[str]) -> "Run":
        """Return the same run, one node further, where so many rows of these columns will be stacked."""
        run = self.child()
        run.stacked = (length, frozenset(columns))
        return run

    def stacked_child(self, changed: Iterable[str] = (), names: Mapping[str, str] | None = None) -> "Run":
        """Return the same run, one node further, for a node whose rows are those of its child, in their order.

        Args:
            changed: columns that the node takes or gives, and nobody stacks as the child gives them.
            names: the columns that the node renames, and their names in the child.
        """
        length, columns = self.stacked
        return self.batched_child(
            length, [(names or {}).get(one, one) for one in columns.difference(changed)]
        )

    def with_order(self, seed: int) -> "Run":
        """Return the same run with one order of rows in every epoch; augmentation stays random.

        The order depends on nothing but the seed and the steps from here to the source.
        """
        run = self.child()
        run._order, run.path = (seed, len(self.path)), self.path
        return run

    def generator(self) -> np.random.Generator:
        """Return this node's generator, which goes on from pass to pass."""
        known = self._shared.generators.get(self.path)
        if known is None:
            known = self._shared.generators[self.path] = _at(self._shared.entropy, self.path)
        return known

    def kept(self, make: Callable[[int], T], common: bool = False) -> T:
        """Return this node's shuffle state in MindSpore's way, made from the seed and kept from pass to pass.

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

    def afresh(self, make: Callable[[int], T]) -> T:
        """Make an object from the seed, if one was set, so that it gives the same order in every pass."""
        return make(self._shared.entropy)

    def workers(self, count: int) -> "Workers":
        """Return this node's workers, which are kept from pass to pass."""
        key = (*self.path, _WORKERS)
        known = self._shared.memory.get(key)
        if known is None:
            known = self._shared.memory[key] = Workers(count, self._shared.seeded, self._shared.entropy)
        return known  # type: ignore[return-value]

    def order(self, common: bool = False) -> np.random.Generator:
        """Return the generator of the order of rows where MindSpore's way is not known.

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
