"""Samplers: choose the rows of a random-access source that an epoch reads, and their order."""

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import islice
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.arguments import KeepsArguments
from msjax.dataset.random.generators import Run
from msjax.dataset.random.mindspore_rng import MinstdRand0, Mt19937, RecordShuffleState, ShuffleState, shuffle


class Shuffle(str, Enum):  # noqa: UP042 - MindSpore's prints as `Shuffle.GLOBAL`
    """Scope of shuffling. Datasets made of Python data know `GLOBAL` (everything) and `FALSE` (nothing)."""

    FALSE = "false"
    ADAPTIVE = "adaptive"
    GLOBAL = "global"
    PARTIAL = "partial"
    FILES = "files"
    INFILE = "infile"


class BuiltinSampler(KeepsArguments):
    """Base class of samplers; `order` is the shuffle state to use.

    Args:
        num_samples: how many rows an epoch has at most. None or 0: all that the sampler has.

    Raises:
        TypeError: if `num_samples` is not an int.
        ValueError: if it is negative.
    """

    num_samples: int | None = None
    _child: "BuiltinSampler | None" = None

    order: type[ShuffleState] = ShuffleState

    def __init__(self, num_samples: int | None = None) -> None:
        if num_samples is not None:
            checks.check_int(type(self).__name__, "num_samples", num_samples, 0, checks.INT64_MAX)
        self.num_samples = num_samples

    def add_child(self, sampler: "BuiltinSampler") -> None:
        """Restrict the sampler to the rows of another one, instead of all.

        Raises:
            RuntimeError: if there is a child already.
        """
        if self._child is not None:
            raise RuntimeError(
                f"`{type(self).__name__}`: there is a child already: {type(self._child).__name__}."
            )
        self._child = sampler

    def get_child(self) -> "BuiltinSampler | None":
        """Return the sampler that this one chooses from."""
        return self._child

    def get_num_samples(self) -> int | None:
        """Return the maximum number of rows of an epoch, as far as known without a source."""
        return self.num_samples

    def is_shuffled(self) -> bool:
        """Return True if the order changes from epoch to epoch."""
        return self._child is not None and self._child.is_shuffled()

    def is_sharded(self) -> bool:
        """Return True if the sampler leaves rows to other processes."""
        return self._child is not None and self._child.is_sharded()

    def indices(self, size: int, run: Run) -> Iterable[int]:
        """Return the row numbers of one epoch of a source of `size` rows."""
        if self._child is None:
            return self._draw(size, run)
        chosen = list(self._child.indices(size, run.child()))
        return [chosen[i] for i in self._draw(len(chosen), run)]

    def count(self, size: int) -> int:
        """Return the number of rows of an epoch."""
        return self._count(size if self._child is None else self._child.count(size))

    def _draw(self, size: int, run: Run) -> Iterable[int]:
        raise NotImplementedError

    def _count(self, size: int) -> int:
        return min(size, self.num_samples or size)


class SequentialSampler(BuiltinSampler):
    """Rows in their order.

    Args:
        start_index: the first row. Default: 0.
        num_samples: how many. None or 0: to the end.

    Raises:
        TypeError: if an argument is not an int.
        ValueError: if `num_samples` is negative.
        RuntimeError: if `start_index` is negative, or (when the data is read) if there is no such row.

    Examples:
        >>> import msjax.dataset as ds
        >>> sampler = ds.SequentialSampler(2, 3)
        >>> data = ds.NumpySlicesDataset([10, 20, 30, 40, 50, 60], ["x"], sampler=sampler)
        >>> [int(row["x"]) for row in data.create_dict_iterator(1, output_numpy=True)]
        [30, 40, 50]
    """

    def __init__(self, start_index: int | None = None, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        if start_index is not None and (isinstance(start_index, bool) or not isinstance(start_index, int)):
            checks.fail(TypeError, "SequentialSampler", "start_index", "be an int", start_index)
        if start_index is not None and start_index < 0:
            checks.fail(RuntimeError, "SequentialSampler", "start_index", "be at least 0", start_index)
        self.start_index = start_index or 0

    def _draw(self, size: int, run: Run) -> Iterable[int]:
        if self.start_index >= size:
            rule = f"be less than the {size} rows of the source"
            checks.fail(RuntimeError, "SequentialSampler", "start_index", rule, self.start_index)
        return range(self.start_index, self.start_index + self._count(size))

    def _count(self, size: int) -> int:
        return super()._count(max(size - self.start_index, 0))


class RandomSampler(BuiltinSampler):
    """Rows in a random order, another in each epoch.

    Args:
        replacement: draw with replacement, so that rows may come several times and others not at all.
        num_samples: how many, at most as many as there are. None or 0: as many.
        shuffle: `Shuffle.GLOBAL`, the only mode for data of this kind.

    Raises:
        TypeError: if `replacement` is not a bool, `num_samples` not an int, or `shuffle` not a shuffle mode.
        ValueError: if `num_samples` is negative.
        RuntimeError: for the modes of datasets made of files.
    """

    def __init__(
        self, replacement: bool = False, num_samples: int | None = None, shuffle: Shuffle = Shuffle.GLOBAL
    ) -> None:
        super().__init__(num_samples)
        self.replacement = checks.check_bool("RandomSampler", "replacement", replacement)
        if not isinstance(shuffle, Shuffle) or shuffle is Shuffle.FALSE:
            checks.fail(TypeError, "RandomSampler", "shuffle", "be a mode that shuffles", shuffle)
        if shuffle is not Shuffle.GLOBAL:
            checks.fail(RuntimeError, "RandomSampler", "shuffle", "be Shuffle.GLOBAL for this data", shuffle)

    def is_shuffled(self) -> bool:
        """Return True: the order changes from epoch to epoch."""
        return True

    def _draw(self, size: int, run: Run) -> Iterable[int]:
        count = self._count(size)
        order = run.kept(self.order)
        if not self.replacement:
            return order.permuted(size)[:count]
        words = order.words()
        return [words.below(size) for _ in range(count)]


class Share(BuiltinSampler):
    """Share of a split, of the rows that its child gives.

    After a seed, the shares of one split cut what MindSpore's unchanging RandomSampler makes of these rows. Without one
    they cut their own order, so that they are disjoint in every epoch.

    Args:
        start: its first row in that order.
        count: how many.
        seed: of that order, if none was set.
        randomize: whether the order is random.
    """

    def __init__(self, start: int, count: int, seed: int, randomize: bool) -> None:
        super().__init__(count)
        self.start, self.seed, self.randomize = start, seed, randomize

    def is_shuffled(self) -> bool:
        """Return True if the order of the child sampler changes from epoch to epoch."""
        return self._child is not None and self._child.is_shuffled()

    def indices(self, size: int, run: Run) -> Iterable[int]:
        """Return the row numbers of one epoch of a source of `size` rows."""
        assert self._child is not None
        fixed = run.child() if run.seeded else run.child().with_order(self.seed)
        chosen = list(self._child.indices(size, fixed))
        places = list(range(len(chosen)))
        if self.randomize and run.seeded:
            shuffle(
                places,
                run.afresh(MinstdRand0 if issubclass(self._child.order, RecordShuffleState) else Mt19937),
            )
        elif self.randomize:
            places = np.random.default_rng(self.seed).permutation(len(chosen)).tolist()
        share = places[self.start : self.start + (self.num_samples or 0)]
        if not run.seeded and self.is_shuffled():
            share = run.order().permutation(share).tolist()
        return [chosen[place] for place in share]


class SubsetSampler(BuiltinSampler):
    """The rows of a list, in its order.

    Args:
        indices: an int, or a sequence or other iterable of ints; repetitions are allowed.
        num_samples: how many of them. None or 0: all.

    Raises:
        TypeError: if `indices` holds something else than ints.
        RuntimeError: when the data is read, if there is no such row.
    """

    def __init__(self, indices: Any, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        listed = list(indices) if isinstance(indices, Iterable) else [indices]
        for index in listed:
            if isinstance(index, bool) or not isinstance(index, int | np.integer):
                checks.fail(TypeError, type(self).__name__, "indices", "hold ints only", index)
        self.listed = [int(index) for index in listed]

    def _draw(self, size: int, run: Run) -> Iterable[int]:
        wrong = next((index for index in self.listed if not 0 <= index < size), None)
        if wrong is not None:
            rule = f"hold rows in [0, {size - 1}] only"
            checks.fail(RuntimeError, type(self).__name__, "indices", rule, wrong)
        return self.listed[: self._count(size)]

    def _count(self, size: int) -> int:
        return self.get_num_samples()

    def get_num_samples(self) -> int:
        """Return the number of rows of an epoch."""
        return min(len(self.listed), self.num_samples or len(self.listed))


class SubsetRandomSampler(SubsetSampler):
    """The rows of a list in a random order, another in each epoch. Arguments and errors: see `SubsetSampler`."""

    def is_shuffled(self) -> bool:
        """Return True: the order changes from epoch to epoch."""
        return True

    def _draw(self, size: int, run: Run) -> Iterable[int]:
        return run.kept(self.order).reshuffled(list(super()._draw(size, run)))


class DistributedSampler(BuiltinSampler):
    """Distributed sampler: every `num_shards`-th row, starting at `shard_id`.

    All shares have the same number of rows; where rows are lacking, the first ones come again. Shuffled
    shares are cut from one permutation that all processes agree on, under a common seed and without any.

    Args:
        num_shards: into how many shares.
        shard_id: which of them, in [0, num_shards).
        shuffle: whether to permute all rows before cutting, again in each epoch.
        num_samples: how many rows of the share. None or 0: all.
        offset: which share gets the first row, in [0, num_shards]; then no row comes twice and shares may
            differ by one row. -1: as described above.

    Raises:
        TypeError: if an argument is of another type.
        RuntimeError: if one is out of its range. MindSpore raises this when the pipeline is built.
    """

    def __init__(
        self,
        num_shards: int,
        shard_id: int,
        shuffle: bool | Shuffle = True,
        num_samples: int | None = None,
        offset: int = -1,
    ) -> None:
        super().__init__(num_samples)
        for name, value in (("num_shards", num_shards), ("shard_id", shard_id), ("offset", offset)):
            if isinstance(value, bool) or not isinstance(value, int):
                checks.fail(TypeError, "DistributedSampler", name, "be an int", value)
        if not isinstance(shuffle, bool | Shuffle):
            checks.fail(TypeError, "DistributedSampler", "shuffle", "be a bool or a Shuffle", shuffle)
        if shuffle not in (True, False, Shuffle.GLOBAL, Shuffle.FALSE):
            checks.fail(
                RuntimeError,
                "DistributedSampler",
                "shuffle",
                "be Shuffle.GLOBAL or FALSE for this data",
                shuffle,
            )
        if num_shards < 1:
            checks.fail(RuntimeError, "DistributedSampler", "num_shards", "be at least 1", num_shards)
        if not 0 <= shard_id < num_shards:
            rule = f"be in [0, {num_shards - 1}], as num_shards={num_shards}"
            checks.fail(RuntimeError, "DistributedSampler", "shard_id", rule, shard_id)
        if not -1 <= offset <= num_shards:
            rule = f"be in [-1, {num_shards}], as num_shards={num_shards}"
            checks.fail(RuntimeError, "DistributedSampler", "offset", rule, offset)
        self.num_shards, self.shard_id, self.offset = num_shards, shard_id, offset
        self.shuffle = shuffle in (True, Shuffle.GLOBAL)

    def is_shuffled(self) -> bool:
        """Return True if the order changes from epoch to epoch."""
        return self.shuffle or super().is_shuffled()

    def is_sharded(self) -> bool:
        """Return True: other processes have the rest of the rows."""
        return True

    def _draw(self, size: int, run: Run) -> Iterable[int]:
        # MindSpore's sampler has the next seed already in its first epoch.
        rows = (
            np.array(run.kept(self.order, common=True).permuted(size, 1)) if self.shuffle else np.arange(size)
        )
        positions = self._first() + self.num_shards * np.arange(self._count(size))
        return rows[positions % size].tolist()

    def _first(self) -> int:
        return self.shard_id if self.offset < 0 else (self.shard_id - self.offset) % self.num_shards

    def _count(self, size: int) -> int:
        last = size if self.offset < 0 else size - self._first() + self.num_shards - 1
        share = -(-size // self.num_shards) if self.offset < 0 else max(last // self.num_shards, 0)
        return min(share, self.num_samples or share)


class WeightedRandomSampler(BuiltinSampler):
    """Rows drawn at random, row i in proportion to `weights[i]`.

    Args:
        weights: list of numbers >= 0, not all 0. Rows beyond its end have weight 0.
        num_samples: how many rows, at most as many as there are. None or 0: as many.
        replacement: whether a row may come several times in an epoch.

    Raises:
        TypeError: if `weights` holds something else than numbers, or `replacement` is not a bool.
        ValueError: if `num_samples` is negative.
        RuntimeError: if there is no weight, a negative one, or none above 0; when the data is read, if there
            are more weights than rows.
    """

    def __init__(
        self, weights: Sequence[float], num_samples: int | None = None, replacement: bool = True
    ) -> None:
        super().__init__(num_samples)
        weights = list(weights) if isinstance(weights, Iterable) else [weights]
        for weight in weights:
            if isinstance(weight, bool) or not isinstance(weight, int | float | np.number):
                checks.fail(TypeError, "WeightedRandomSampler", "weights", "hold numbers only", weight)
        if not weights or min(weights) < 0 or max(weights) == 0:
            rule = "hold numbers, none below 0 and not all 0"
            checks.fail(RuntimeError, "WeightedRandomSampler", "weights", rule, weights)
        self.weights = np.array(weights, np.float64)
        self.replacement = checks.check_bool("WeightedRandomSampler", "replacement", replacement)

    def is_shuffled(self) -> bool:
        """Return True: the order changes from epoch to epoch."""
        return True

    def _draw(self, size: int, run: Run) -> Iterable[int]:
        if len(self.weights) > size:
            raise RuntimeError(
                f"`WeightedRandomSampler`: argument `weights` must have no more elements than there are rows, {size}. "
                f"Received: {len(self.weights)} weights."
            )
        # After a seed every epoch of MindSpore's sampler draws the same.
        count, order = self._count(size), run.kept(self.order)
        words = Mt19937(order.seed) if run.seeded else order.words()
        if self.replacement:
            reached = np.cumsum(self.weights / self.weights.sum())
            return np.searchsorted(reached, [words.fraction() for _ in range(count)]).tolist()
        if count > len(self.weights):
            raise RuntimeError(
                f"`WeightedRandomSampler`: without replacement, argument `weights` must have an element for each of the "
                f"{count} samples. Received: {len(self.weights)} weights."
            )
        # Sorting by Exp(1)/weight draws without replacement and puts rows of weight 0 last.
        waits = np.full(size, np.inf)
        some = self.weights > 0
        draws = -np.log1p([-words.fraction() for _ in self.weights])
        waits[: len(some)][some] = draws[some] / self.weights[some]
        return np.argsort(waits, kind="stable")[:count].tolist()


class PKSampler(BuiltinSampler):
    """P classes and K rows of each, drawn with replacement, for datasets of labelled files.

    Args:
        num_val: rows per class.
        num_class: not supported, as in MindSpore.
        shuffle: whether the classes come in a random order, the same in all epochs. Default: in that of their labels.
        class_column: for MindDataset, the column with the label.
        num_samples: how many rows at most.

    Raises:
        TypeError, ValueError: for arguments of a wrong kind.
        NotImplementedError: for `num_class`.
    """

    _groups: list[np.ndarray] | None = None  # the rows of each class

    def __init__(
        self,
        num_val: int,
        num_class: int | None = None,
        shuffle: bool = False,
        class_column: str = "label",
        num_samples: int | None = None,
    ) -> None:
        super().__init__(num_samples)
        checks.check_int("PKSampler", "num_val", num_val, 1)
        if num_class is not None:
            raise NotImplementedError("`PKSampler`: argument `num_class` is not supported.")
        checks.check_bool("PKSampler", "shuffle", shuffle)
        if not isinstance(class_column, str):
            checks.fail(TypeError, "PKSampler", "class_column", "be a str", class_column)
        self.num_val, self.shuffle, self.class_column = num_val, shuffle, class_column

    def bind_labels(self, labels: Sequence[int]) -> None:
        """Take the label of every row of the source."""
        found = np.asarray(labels)
        self._groups = [np.flatnonzero(found == label) for label in np.unique(found)]

    def is_shuffled(self) -> bool:
        """Return True: the rows change from epoch to epoch."""
        return True

    def _draw(self, size: int, run: Run) -> Iterable[int]:
        if self._child is not None or self._groups is None:
            raise RuntimeError("`PKSampler`: cannot choose from the rows of another sampler.")
        order = run.kept(self.order)
        words, groups = order.words(), self._groups
        if self.shuffle:
            if len(order.rows) != len(groups):
                order.rows = list(range(len(groups)))
                shuffle(order.rows, words)
            groups = [groups[i] for i in order.rows]
        drawn = (group[words.below(len(group))] for group in groups for _ in range(self.num_val))
        return [int(row) for row in islice(drawn, self._count(size))]

    def _count(self, size: int) -> int:
        every = self.num_val * len(self._groups or ())
        return min(every, self.num_samples or every)


def bind_labels(op: str, sampler: BuiltinSampler | None, source: Any) -> None:
    """Give a PKSampler, among those that a dataset uses, the labels of its rows.

    Raises:
        ValueError: if the dataset has none; RuntimeError where its sampler is changed afterwards.
    """
    error = RuntimeError if op.endswith("_sampler") else ValueError
    while sampler is not None:
        if isinstance(sampler, PKSampler):
            labels = source.labels() if hasattr(source, "labels") else None
            if labels is None:
                raise error(
                    f"`{op}`: argument `sampler` must not be a PKSampler, which needs a dataset of labelled files."
                )
            sampler.bind_labels(labels)
        sampler = sampler.get_child()


class Sampler(BuiltinSampler):
    """Base class of user-defined samplers: a subclass yields row numbers in `__iter__`.

    `self.dataset_size` is the number of rows when `__iter__` is called, once per epoch.

    Args:
        num_samples: how many rows an epoch has at most. None or 0: all that `__iter__` gives.

    Examples:
        >>> import msjax.dataset as ds
        >>> class Backwards(ds.Sampler):
        ...     def __iter__(self):
        ...         return iter(range(self.dataset_size - 1, -1, -1))
        >>> data = ds.NumpySlicesDataset([10, 20, 30], ["x"], sampler=Backwards())
        >>> [int(row["x"]) for row in data.create_dict_iterator(1, output_numpy=True)]
        [30, 20, 10]
    """

    dataset_size: int = 0

    def __iter__(self) -> Iterator[int]:
        raise NotImplementedError(f"`{type(self).__name__}`: a sampler must define `__iter__`.")

    def _draw(self, size: int, run: Run) -> Iterable[int]:
        self.dataset_size = size
        return (int(index) for index in islice(iter(self), self.num_samples or None))

    def _count(self, size: int) -> int:
        self.dataset_size = size
        return sum(1 for _ in islice(iter(self), self.num_samples or None))


class IterSampler(Sampler):
    """A sampler made of any iterable of row numbers.

    Args:
        sampler: what is iterated, again in each epoch.
        num_samples: how many rows an epoch has at most.
    """

    def __init__(self, sampler: Iterable[int], num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.sampler = sampler

    def __iter__(self) -> Iterator[int]:
        return iter(self.sampler)


def as_sampler(op: str, value: Any) -> BuiltinSampler:
    """Convert what a user gave as a sampler to one.

    Raises:
        TypeError: if it is neither a sampler nor an iterable of row numbers.
    """
    if isinstance(value, BuiltinSampler):
        return value
    if isinstance(value, str) or (not hasattr(value, "__iter__") and not hasattr(value, "__getitem__")):
        checks.fail(TypeError, op, "sampler", "be a sampler or an iterable of row numbers", value)
    return IterSampler(value)


def choose_sampler(
    op: str,
    sampler: Any,
    shuffle: bool | None,
    num_samples: int | None,
    num_shards: int | None,
    shard_id: int | None,
) -> BuiltinSampler:
    """Return the sampler that a dataset's arguments ask for; shuffled by default.

    As in MindSpore, a number of shuffled rows is drawn with replacement: some may come twice, others never.

    Raises:
        ValueError: if a sampler stands beside an argument that asks for another.
    """
    if sampler is not None:
        listed = not isinstance(
            sampler, BuiltinSampler
        )  # the first rows of a list can be taken, in its order
        rest = {
            "shuffle": None if listed and not shuffle else shuffle,
            "num_samples": None if listed else num_samples,
            "num_shards": num_shards,
            "shard_id": shard_id,
        }
        given = [f"{name}={value!r}" for name, value in rest.items() if value is not None]
        if given:
            raise ValueError(
                f"`{op}`: argument `sampler` excludes others that choose rows. Received: {', '.join(given)}."
            )
        chosen = as_sampler(op, sampler)
        if listed:
            chosen.num_samples = num_samples
        return chosen
    if num_shards is not None and shard_id is not None:
        return DistributedSampler(num_shards, shard_id, shuffle is not False, num_samples)
    if shuffle is False:
        return SequentialSampler(None, num_samples)
    return RandomSampler(num_samples is not None, num_samples)


def within_share(sampler: BuiltinSampler, before: BuiltinSampler) -> BuiltinSampler:
    """Return a sampler to replace another one, whose child it gets; in a share of a split it chooses within that.

    Raises:
        RuntimeError: if it has a child, as in MindSpore.
    """
    kept = before if isinstance(before, Share) else before.get_child()
    if kept is not None or sampler.get_child() is not None:
        sampler.add_child(kept)  # type: ignore[arg-type] - raises where it is None
    return sampler
