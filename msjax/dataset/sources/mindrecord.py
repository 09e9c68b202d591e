"""`MindDataset`: rows of MindRecord files."""

import os
import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.cache import check_cache
from msjax.dataset.common.columns import Row, SourcedRow, call_user_function
from msjax.dataset.pipeline.nodes import FixedRows, RandomAccess
from msjax.dataset.random.generators import Run
from msjax.dataset.random.mindspore_rng import (
    MinstdRand0,
    RecordShareShuffleState,
    RecordShuffleState,
    shuffle,
)
from msjax.dataset.random.samplers import (
    BuiltinSampler,
    DistributedSampler,
    PKSampler,
    RandomSampler,
    SequentialSampler,
    Shuffle,
    SubsetSampler,
    choose_sampler,
    within_share,
)
from msjax.dataset.sources.generator import GeneratorDataset
from msjax.dataset.sources.image_folder import check_choice
from msjax.mindrecord import ciphering, index
from msjax.mindrecord.rows import Rows, decipher

_SAMPLERS = (SubsetSampler, PKSampler, DistributedSampler, RandomSampler, SequentialSampler)


class MindDataset(GeneratorDataset):
    """Rows of MindRecord files, as `msjax.mindrecord.FileWriter` and MindSpore write them.

    Args:
        dataset_files: one of the files that were written together, which stands for all of them; or a list of just
            those to read.
        columns_list: the fields to give, in this order. Default: all, sorted.
        num_parallel_workers: without effect.
        shuffle: whether the rows come in another random order in each epoch. `Shuffle.FILES` shuffles files and keeps
            the order in each, `Shuffle.INFILE` the rows in each file, `Shuffle.PARTIAL` the first `num_samples` rows of
            shuffled files. Default: yes.
        num_shards: read only the rows of one of so many shares; see `DistributedSampler`.
        shard_id: which share.
        sampler: instead of `shuffle`, `num_samples` and shards, a SubsetSampler (whose row numbers are taken modulo the
            number of rows), SubsetRandomSampler, RandomSampler, SequentialSampler, DistributedSampler or PKSampler.
        padded_sample: dict from the names in `columns_list` to values: a row that comes after the others.
        num_padded: how often.
        num_samples: how many rows an epoch has, drawn with replacement if they are shuffled. None or 0: all.
        cache: needs MindSpore's cache server, which there is not here.

    Columns: numbers of the schema's types; strs; bytes as arrays of one element; arrays of the schema's shapes.

    Raises:
        TypeError, ValueError: for arguments of a wrong kind; if there is no such file; for other samplers.
        RuntimeError: for `cache`.
        RuntimeError: for arguments that contradict each other; for files of another kind; for columns that the schema lacks.

    Examples:
        >>> import os, tempfile
        >>> import msjax.dataset as ds
        >>> from msjax.mindrecord import FileWriter
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "some.mindrecord")
        ...     writer = FileWriter(path)
        ...     writer.add_schema({"x": {"type": "float32", "shape": [-1]}, "label": {"type": "int32"}})
        ...     writer.write_raw_data([{"x": np.ones(2, np.float32), "label": i} for i in range(3)])
        ...     writer.commit()
        ...     data = ds.MindDataset(path, ["label", "x"], shuffle=False)
        ...     [(row["label"].tolist(), row["x"].tolist()) for row in data.create_dict_iterator(1, output_numpy=True)]
        [(0, [1.0, 1.0]), (1, [1.0, 1.0]), (2, [1.0, 1.0])]
    """

    def __init__(
        self,
        dataset_files: str | list[str],
        columns_list: list[str] | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        sampler: Any = None,
        padded_sample: dict[str, Any] | None = None,
        num_padded: int | None = None,
        num_samples: int | None = None,
        cache: Any = None,
    ) -> None:
        op = "MindDataset"
        self.dataset_files = _existing(dataset_files)
        if columns_list is not None and not isinstance(columns_list, list):
            checks.fail(TypeError, op, "columns_list", "be a list of str", columns_list)
        checks.check_num_workers(op, num_parallel_workers)
        if shuffle is not None and not isinstance(shuffle, bool | Shuffle):
            checks.fail(TypeError, op, "shuffle", "be a bool or a Shuffle", shuffle)
        if num_samples is not None:
            checks.check_int(op, "num_samples", num_samples, 0, checks.INT64_MAX)
        check_choice(op, sampler, {"shuffle": shuffle, "num_shards": num_shards, "shard_id": shard_id})
        if num_shards is not None:
            checks.check_int(op, "num_shards", num_shards, 1)
            checks.check_int(op, "shard_id", shard_id, 0, num_shards - 1)
        if sampler is not None and num_samples is not None:
            raise RuntimeError(f"`{op}`: arguments `sampler` and `num_samples` exclude each other.")
        check_cache(op, cache)
        _check_padding(padded_sample, num_padded, columns_list)
        if num_samples and shuffle in (Shuffle.FILES, Shuffle.INFILE):
            raise ValueError(f"`{op}`: {shuffle} and `num_samples` exclude each other.")
        files, copies = decipher(self.dataset_files)
        source = _Source(Rows(files, columns_list), padded_sample, num_padded or 0)
        weakref.finalize(source, ciphering.forget, copies)
        chosen = _sampler(source, sampler, shuffle, num_samples, num_shards, shard_id)
        super().__init__(source, source.rows.columns, sampler=chosen)
        self.node: Any = _Node(op, source, source.rows.columns, None, chosen)

    def use_sampler(self, new_sampler: Any) -> None:
        """Read the rows that another sampler asks for, in place of the one there is."""
        if new_sampler is None:
            checks.fail(TypeError, "use_sampler", "new_sampler", "be a sampler", None)
        self.node.sampler = within_share(_fitting(self.source, new_sampler), self.node.sampler)

    def __getitem__(self, index: int) -> list[np.ndarray]:
        """Return the columns of a row."""
        if isinstance(index, bool) or not isinstance(index, int):
            checks.fail(TypeError, "MindDataset", "index", "be an int", index)
        if index < 0:
            checks.fail(ValueError, "MindDataset", "index", "be at least 0", index)
        return list(self.source[index])


class _Node(RandomAccess):
    def length(self) -> int:
        """Return the number of rows, which may be 0."""
        return len(self.source)

    def row(self, index: int) -> Row:
        """One row, whose bytes keep zeros at their ends."""
        where = f"`MindDataset`: row {index}"
        return SourcedRow(
            call_user_function(self.source.__getitem__, (index,), where, made=self.made), f"row {index}"
        )

    def rows_from(self, run: Run, start: int) -> Any:
        """None of an empty file."""
        return super().rows_from(run, start) if self.size() else iter(())


class _Source(FixedRows):
    """The rows as tuples of arrays, those of the files before the padding."""

    def __init__(self, rows: Rows, padding: dict[str, Any] | None, count: int) -> None:
        self.rows, self.count = rows, count
        self.padding = (
            tuple(self._column(name, padding[name]) for name in rows.columns) if padding and count else ()
        )

    def __len__(self) -> int:
        return len(self.rows) + self.count

    def __getitem__(self, index: int) -> tuple[np.ndarray, ...]:
        if index >= len(self.rows):
            if index >= len(self):
                raise IndexError(f"Row {index} of {len(self)}.")
            return self.padding
        scalars, blobs = self.rows.read(index)
        values = {**scalars, **blobs}
        return tuple(self._column(name, values[name]) for name in self.rows.columns)

    def _column(self, name: str, value: Any) -> np.ndarray:
        entry = self.rows.schema[name]
        if entry["type"] == "string":
            return np.array(str(value))
        if entry["type"] == "bytes":
            data = value.tobytes() if isinstance(value, np.ndarray) else bytes(value)
            return np.array([data], f"S{max(len(data), 1)}")
        if "shape" not in entry:
            return np.array(value, entry["type"])
        if isinstance(value, np.ndarray):
            return value.astype(entry["type"])
        if not entry["shape"]:
            return np.frombuffer(value, entry["type"])
        return self.rows.array(name, value)


def _existing(files: Any) -> Any:
    for path in files if isinstance(files, list) else [files]:
        if not isinstance(path, str):
            checks.fail(TypeError, "MindDataset", "dataset_files", "hold paths of type str", path)
        if not os.path.isfile(path) or not os.access(path, os.R_OK):
            checks.fail(ValueError, "MindDataset", "dataset_files", "name files that can be read", path)
    if not files:
        checks.fail(RuntimeError, "MindDataset", "dataset_files", "name at least one file", files)
    return files


def _check_padding(sample: Any, count: Any, columns: Any) -> None:
    op = "MindDataset"
    if sample is not None and not isinstance(sample, dict):
        checks.fail(TypeError, op, "padded_sample", "be a dict", sample)
    if sample is None:
        if count is not None:
            raise RuntimeError(
                f"`{op}`: argument `num_padded` needs `padded_sample`. Received: num_padded={count}."
            )
        return
    if count is None:
        raise RuntimeError(f"`{op}`: argument `padded_sample` needs `num_padded`.")
    if not columns:
        raise RuntimeError(f"`{op}`: argument `padded_sample` needs `columns_list`.")
    checks.check_int(op, "num_padded", count, 0)
    missing = [name for name in columns if name not in sample]
    if missing:
        raise ValueError(
            f"`{op}`: argument `padded_sample` must have a value for each of `columns_list`. Missing: {missing}."
        )


def _sampler(
    source: _Source,
    sampler: Any,
    shuffle: Any,
    num_samples: int | None,
    num_shards: int | None,
    shard_id: int | None,
) -> BuiltinSampler:
    if sampler is not None:
        return _fitting(source, sampler)
    if num_shards is not None and source.count and len(source) % num_shards:
        raise RuntimeError(
            f"Invalid data, the size of dataset and padded samples: {len(source)} can not be divisible by the value of "
            f"'num_shards': {num_shards}. Change `num_padded`."
        )
    if shuffle in (Shuffle.FILES, Shuffle.INFILE) or (shuffle is Shuffle.PARTIAL and num_shards is None):
        blocks: BuiltinSampler = _Blocks(source.rows.ends, shuffle, num_samples)
        if num_shards is None:
            return blocks
        share = DistributedSampler(num_shards, int(shard_id or 0), False)
        share.add_child(blocks)
        return share
    shuffled = shuffle is not False and shuffle is not Shuffle.FALSE
    return _make_sampler(choose_sampler("MindDataset", None, shuffled, num_samples, num_shards, shard_id))


def _make_sampler(sampler: BuiltinSampler) -> BuiltinSampler:
    """Return the sampler, which shuffles as MindRecord files are."""
    if isinstance(sampler, RandomSampler) and (sampler.replacement or sampler.num_samples):
        child, sampler = sampler.get_child(), _RandomRows(sampler)
        if child is not None:
            sampler.add_child(child)
        return sampler
    sampler.order = RecordShareShuffleState if isinstance(sampler, DistributedSampler) else RecordShuffleState
    return sampler


def _fitting(source: _Source, sampler: Any) -> BuiltinSampler:
    """Return the sampler, with the rows of the files in mind.

    Raises:
        ValueError: for samplers that MindRecord files do not take.
    """
    if not isinstance(sampler, _SAMPLERS):
        names = ", ".join(one.__name__ for one in _SAMPLERS)
        checks.fail(ValueError, "MindDataset", "sampler", f"be one of {names}", sampler)
    child = sampler.get_child()
    if isinstance(sampler, PKSampler):
        sampler = _Classes(source.rows, sampler)
    elif isinstance(sampler, SubsetSampler):
        wrapped = [number % max(len(source), 1) for number in sampler.listed]
        sampler = type(sampler)(wrapped, sampler.num_samples)
    elif isinstance(sampler, SequentialSampler) and sampler.start_index >= len(source):
        sampler = SubsetSampler([])
    if child is not None and sampler.get_child() is None:
        sampler.add_child(child)
    return _make_sampler(sampler)


class _FileOrder(RecordShuffleState):
    """Shuffle state of files, or of the rows within files, kept from pass to pass."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.parts: list[list[int]] = []

    def within(self, files: list[np.ndarray]) -> list[int]:
        """All rows, each file's shuffled by the same numbers."""
        self.parts = self.parts or [rows.tolist() for rows in files]
        self.passes += 1
        for rows in self.parts:
            shuffle(rows, MinstdRand0(self.seed + self.passes))
        return [row for rows in self.parts for row in rows]


class _Blocks(BuiltinSampler):
    """All rows, files in a random order or the rows of each; `PARTIAL`: the first of shuffled files, in a random order."""

    def __init__(self, ends: list[int], mode: Shuffle, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.ends, self.mode = ends, mode

    def is_shuffled(self) -> bool:
        return True

    def _draw(self, size: int, run: Run) -> Iterable[int]:
        files = np.split(np.arange(size), self.ends)
        partial = self.mode is Shuffle.PARTIAL
        order: Any = run.kept(RecordShareShuffleState if partial else _FileOrder, common=True)
        if self.mode is Shuffle.INFILE:
            return order.within(files)
        numbers = order.permuted(len(files) - 1)  # what follows the last end is padding
        rows = np.concatenate([*(files[number] for number in numbers), files[-1]]).tolist()[
            : self._count(size)
        ]
        if partial:
            shuffle(rows, MinstdRand0(order.seed + order.passes))
        return rows


class _RandomRows(BuiltinSampler):
    """A RandomSampler that draws some of the rows, or with replacement, which may be more than there are."""

    def __init__(self, sampler: RandomSampler) -> None:
        super().__init__(sampler.num_samples)
        self.replacement = sampler.replacement

    def is_shuffled(self) -> bool:
        return True

    def _draw(self, size: int, run: Run) -> Iterable[int]:
        return run.kept(RecordShuffleState).chosen(size, self._count(size), self.replacement)

    def _count(self, size: int) -> int:
        drawn = self.replacement and size and self.num_samples
        return drawn or super()._count(size)


class _Classes(BuiltinSampler):
    """A PKSampler over an index field: the first row of each class, the second of each, and so on."""

    def __init__(self, rows: Rows, sampler: PKSampler) -> None:
        super().__init__(sampler.num_samples)
        self.shuffle, column = sampler.shuffle, sampler.class_column
        if f"{column}_0" not in index.fields(rows.paths[0]):
            raise RuntimeError(
                f"Invalid data, 'class_column': {column} can not found in fields of mindrecord files. Name an index "
                "field in `class_column` of PKSampler."
            )
        labels = np.array([label for path in rows.paths for label in index.values(path, f"{column}_0")])
        self.groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
        self.per_class = sampler.num_val

    def is_shuffled(self) -> bool:
        return self.shuffle

    def _draw(self, size: int, run: Run) -> Iterable[int]:
        groups = self.groups
        if self.shuffle:
            random = run.order()
            groups = [random.permutation(group) for group in groups]
        taken = [group[number % len(group)] for number in range(self.per_class) for group in groups]
        return [int(row) for row in taken[: self._count(size)]]

    def _count(self, size: int) -> int:
        every = self.per_class * len(self.groups)
        return min(every, self.num_samples or every)
