"""`GeneratorDataset`, `NumpySlicesDataset`, `PaddedDataset`: datasets made of Python data."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from msjax.core.dtype import DType
from msjax.dataset.common import checks
from msjax.dataset.common.arguments import KeepsArguments, named_arguments
from msjax.dataset.pipeline.batching import BatchAccess
from msjax.dataset.pipeline.dataset import Dataset
from msjax.dataset.pipeline.describing import NONE_AS
from msjax.dataset.pipeline.nodes import ArrayRows, FileRows, IterableSource, RandomAccess, as_mappable
from msjax.dataset.random.samplers import (
    BuiltinSampler,
    bind_labels,
    choose_sampler,
    within_share,
)
from msjax.dataset.sources.schema import as_schema
from msjax.ops.common.docstrings import documented_by


class GeneratorDataset(KeepsArguments, Dataset):
    """Rows of a Python object.

    A row is a tuple or list with one value for each column, or for one column the value itself. Python
    numbers become int64, float64 and bool arrays, Tensors their contents, dicts stay dicts of arrays.

    Args:
        source: an object with `__getitem__` and `__len__`, whose rows are read in the order of a sampler; an
            iterable; or a function without arguments that gives an iterator, such as a generator function.
            The latter two are read in order, from a fresh iterator in each epoch.
        column_names: str or list of str.
        column_types: list of MindSpore dtypes. Checked, not converted to. Default: what the values are.
        schema (Union[str, Schema]): the columns, in place of `column_names`. Types are not converted.
        num_samples: how many rows an epoch has at most. None or 0: all.
        num_parallel_workers: how many workers read the rows of an object with `__getitem__`, if more than 1.
        shuffle: whether random-access rows come in another random order in each epoch. Default: yes.
        sampler: a sampler or an iterable of row numbers, instead of `shuffle`, `num_samples` and shards.
        num_shards: read only the rows of one of so many shares; see `DistributedSampler`.
        shard_id: which share.
        python_multiprocessing: whether several workers are processes, each with a copy of the source, or threads.
        max_rowsize: how many MB of shared memory a row of a process may take; larger ones go through a pipe. Default: -1,
            any.
        batch_sampler: an iterable of lists of row numbers, one for each batch.
        collate_fn: with `batch_sampler`: from the lists of columns of a batch to as many lists or arrays.

    Raises:
        TypeError, ValueError: for arguments of a wrong kind, or that contradict each other.
        NotImplementedError: for `column_types` that are no dtypes.
        RuntimeError: when the data is read, if the source raises or its rows do not fit the columns.

    Examples:
        >>> import msjax.dataset as ds
        >>> class Squares:
        ...     def __getitem__(self, index):
        ...         return index, index**2
        ...     def __len__(self):
        ...         return 4
        >>> data = ds.GeneratorDataset(Squares(), ["x", "y"], shuffle=False)
        >>> [list(map(int, row)) for row in data]
        [[0, 0], [1, 1], [2, 4], [3, 9]]
    """

    def __init__(
        self,
        source: Any,
        column_names: str | list[str] | None = None,
        column_types: list[DType] | None = None,
        schema: Any = None,
        num_samples: int | None = None,
        num_parallel_workers: int = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        python_multiprocessing: bool = True,
        max_rowsize: Any = None,
        batch_sampler: Any = None,
        collate_fn: Callable[..., Any] | None = None,
    ) -> None:
        op = type(self).__name__
        if schema is not None and column_names is None:
            column_names = [column.name for column in getattr(as_schema(op, schema), "columns", ())]
        if column_names is None:
            raise ValueError(f"`{op}`: argument `column_names` is needed. Received: None.")
        names = checks.check_column_names(op, "column_names", column_names)
        checks.check_num_workers(op, num_parallel_workers)
        checks.check_bool(op, "python_multiprocessing", python_multiprocessing)
        row_size = -1 if max_rowsize is None else checks.check_int(op, "max_rowsize", max_rowsize, -1)
        _check_choice(op, num_samples, shuffle, num_shards, shard_id)
        chosen = {"sampler": sampler, "num_shards": num_shards, "batch_sampler": batch_sampler}
        types = None if column_types is None else _dtypes(op, column_types)
        random_access = hasattr(source, "__getitem__")
        if not random_access:
            _check_sequential(op, source, shuffle, chosen)
        if batch_sampler is not None:
            _check_batches(
                op, batch_sampler, collate_fn, {**chosen, "num_samples": num_samples, "shuffle": shuffle}
            )
            node: Any = BatchAccess(op, source, names, types, batch_sampler, collate_fn)
        elif collate_fn is not None:
            raise ValueError(f"`{op}`: argument `collate_fn` needs `batch_sampler`.")
        elif random_access:
            rows = choose_sampler(op, sampler, shuffle, num_samples, num_shards, shard_id)
            bind_labels(op, rows, source)
            node = RandomAccess(op, source, names, types, rows)
            if not isinstance(node.source, FileRows | _Slices):
                node.workers, node.processes = num_parallel_workers or 1, python_multiprocessing
                node.row_size = row_size
        else:
            node = IterableSource(op, source, names, types, num_samples)
        super().__init__(node)
        self.keep_attributes(
            {
                "source": source,
                "source_len": len(source) if hasattr(source, "__len__") else -1,
                "column_names": names,
                "column_types": column_types or [],
                "schema": schema,
                "num_samples": num_samples or 0,
                "num_parallel_workers": num_parallel_workers,
                "num_shards": num_shards or 1,
                "shard_id": shard_id or 0,
                "python_multiprocessing": python_multiprocessing,
                "max_rowsize": row_size,
                "has_batch_sampler": batch_sampler is not None,
                "collate_fn": collate_fn,
                "shuffle_flag": _SHUFFLE_FLAGS[shuffle],
                **_arguments(self),
            }
        )

    @property
    def sampler(self) -> BuiltinSampler | None:
        """Return the sampler; None for a source without `__getitem__`, unless it was given one."""
        return getattr(self.node, "sampler", None)

    def use_sampler(self, new_sampler: Any) -> None:
        """Read the rows that another sampler asks for, in place of the one there is.

        A source without `__getitem__` is read in order whatever the sampler, as in MindSpore; a warning says so.

        Raises:
            TypeError: if it is not a sampler.
            ValueError: if rows are batched by a sampler.
        """
        if not isinstance(new_sampler, BuiltinSampler):
            checks.fail(TypeError, "use_sampler", "new_sampler", "be a sampler", new_sampler)
        node = self._sampled("use_sampler", new_sampler)
        if node is not None:
            node.sampler, self.dataset_size = within_share(new_sampler, node.sampler), None

    def add_sampler(self, new_sampler: BuiltinSampler) -> None:
        """Let another sampler choose among the rows that the present one asks for.

        Raises:
            TypeError: if it is not a sampler.
            ValueError: if rows are batched by a sampler.
        """
        if not isinstance(new_sampler, BuiltinSampler):
            checks.fail(TypeError, "add_sampler", "new_sampler", "be a sampler", new_sampler)
        node = self._sampled("add_sampler", new_sampler)
        if node is not None:
            new_sampler.add_child(node.sampler)
            node.sampler, self.dataset_size = new_sampler, None

    def _sampled(self, op: str, sampler: BuiltinSampler) -> RandomAccess | None:
        """Return the node that takes a sampler; None if the rows come in one order only."""
        node = self.node
        if isinstance(node, IterableSource):
            bind_labels(op, sampler, node.source)
            node.sampler = sampler
            warnings.warn(
                f"`{op}`: a sampler has no effect on a source without `__getitem__`, as in MindSpore. "
                "Use the methods `shuffle`, `skip` and `take`.",
                stacklevel=3,
            )
            return None
        found = as_mappable(node)
        if found is None:
            raise ValueError(f"`{op}`: the rows must not be batched by a sampler already.")
        bind_labels(op, sampler, found.source)
        return found

    def __len__(self) -> int:
        return self.get_dataset_size()

    def __getitem__(self, index: int) -> Any:
        """Return the source's row at an index."""
        if isinstance(index, bool) or not isinstance(index, int | np.number):
            checks.fail(TypeError, type(self).__name__, "index", "be an int", index)
        return self.source[index]


_SHUFFLE_FLAGS = {None: 2, True: 2, False: 5}  # MindSpore's numbers, which its programs print


def _arguments(self: GeneratorDataset) -> dict[str, Any]:
    """Return the arguments that a dataset of a class derived from `GeneratorDataset` was made with, by name."""
    if type(self).__init__ is GeneratorDataset.__init__:
        return {}
    return {
        name: NONE_AS.get(name) if value is None else value
        for name, value in named_arguments(self).items()
        if value is not None or name not in ("column_names", "schema")
    }


@documented_by(GeneratorDataset)
class NumpySlicesDataset(GeneratorDataset):
    """Rows that are slices of arrays or lists along their first axis.

    Args:
        data: an array or list, for one column; a tuple of arrays and lists, or a dict from name to such, for
            several of the same length.
        column_names: str or list of str. Default: the keys of a dict, else `column_0`, `column_1` ...
        shuffle: whether the rows come in another random order in each epoch. Default: yes.

    Raises:
        TypeError: if the data is something else.
        ValueError: if it is empty, columns differ in length, or there are more or fewer names than columns.

    Examples:
        >>> import msjax.dataset as ds
        >>> data = ds.NumpySlicesDataset({"x": [[1, 2], [3, 4]], "y": [0.5, 1.5]}, shuffle=False)
        >>> for row in data.create_dict_iterator(num_epochs=1, output_numpy=True):
        ...     print(row["x"].tolist(), row["y"].tolist())
        [1, 2] 0.5
        [3, 4] 1.5
    """

    def __init__(
        self,
        data: Any,
        column_names: str | list[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        slices = _Slices(data)
        names = slices.names if column_names is None else column_names
        given = checks.check_column_names("NumpySlicesDataset", "column_names", names)
        if len(given) != len(slices.columns):
            rule = f"hold {len(slices.columns)} names, one for each column of the data"
            checks.fail(ValueError, "NumpySlicesDataset", "column_names", rule, column_names)
        super().__init__(
            slices,
            given,
            None,
            None,
            num_samples,
            num_parallel_workers,
            shuffle,
            sampler,
            num_shards,
            shard_id,
        )


class PaddedDataset(GeneratorDataset):
    """Rows given as dicts, in their order.

    Args:
        padded_samples: list of dicts from column name to value, all with the same names.

    Raises:
        TypeError: if it is something else.
        ValueError: if it is empty.
        RuntimeError: if the names differ. MindSpore raises this when the data is read.
    """

    def __init__(self, padded_samples: list[dict[str, Any]]) -> None:
        op = "PaddedDataset"
        if not padded_samples:
            checks.fail(ValueError, op, "padded_samples", "hold at least one row", padded_samples)
        if not isinstance(padded_samples, list) or not all(isinstance(row, dict) for row in padded_samples):
            checks.fail(TypeError, op, "padded_samples", "be a list of dicts", padded_samples)
        names = list(padded_samples[0])
        if any(row.keys() != set(names) for row in padded_samples):
            checks.fail(RuntimeError, op, "padded_samples", "have the same names in all rows", padded_samples)
        super().__init__([tuple(row[name] for name in names) for row in padded_samples], names, shuffle=False)


class _Slices(ArrayRows):
    """Random access to rows across columns."""

    def __init__(self, data: Any) -> None:
        op = "NumpySlicesDataset"
        if not isinstance(data, list | tuple | dict | np.ndarray):
            checks.fail(TypeError, op, "data", "be an array, a list, a tuple or a dict", data)
        if isinstance(data, np.ndarray) and not data.ndim:
            checks.fail(TypeError, op, "data", "have a first axis", data)
        if not len(data):
            checks.fail(ValueError, op, "data", "not be empty", data)
        self.columns = (
            list(data.values())
            if isinstance(data, dict)
            else list(data)
            if isinstance(data, tuple)
            else [data]
        )
        self.names = (
            list(data) if isinstance(data, dict) else [f"column_{i}" for i in range(len(self.columns))]
        )
        for column in self.columns:
            if isinstance(data, tuple) and not isinstance(column, list | np.ndarray):
                checks.fail(TypeError, op, "data", "hold lists and arrays, if it is a tuple", column)
            if not hasattr(column, "__len__"):
                checks.fail(TypeError, op, "data", "hold sequences, if it is a dict", column)
        lengths = [len(column) for column in self.columns]
        if len(set(lengths)) > 1:
            raise ValueError(f"`{op}`: the columns of `data` must have one length. Received: {lengths}.")

    def __len__(self) -> int:
        return len(self.columns[0])

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return tuple(column[index] for column in self.columns)

    def take(self, indices: list[int]) -> list[np.ndarray] | None:
        """Return the columns of some rows, if all are arrays of numbers."""
        if any(type(column) is not np.ndarray or column.dtype.kind not in "biuf" for column in self.columns):
            return None
        return [column[np.array(indices, np.int64)] for column in self.columns]


def _check_choice(op: str, num_samples: Any, shuffle: Any, num_shards: Any, shard_id: Any) -> None:
    if num_samples is not None:
        checks.check_int(op, "num_samples", num_samples, 0, checks.INT64_MAX)
    if shuffle is not None:
        checks.check_bool(op, "shuffle", shuffle)
    if (num_shards is None) != (shard_id is None):
        raise ValueError(
            f"`{op}`: arguments `num_shards` and `shard_id` must come together. "
            f"Received: num_shards={num_shards!r}, shard_id={shard_id!r}."
        )
    if num_shards is not None:
        checks.check_int(op, "num_shards", num_shards, 1)
        if isinstance(shard_id, int) and shard_id >= num_shards:
            checks.fail(ValueError, op, "shard_id", f"be less than num_shards={num_shards}", shard_id)


def _check_sequential(op: str, source: Any, shuffle: bool | None, chosen: dict[str, Any]) -> None:
    if not hasattr(source, "__iter__") and not callable(source):
        rule = "have `__getitem__` and `__len__`, be iterable, or be a function that gives an iterator"
        checks.fail(TypeError, op, "source", rule, source)
    for name, value in chosen.items():
        if value is not None:
            raise ValueError(
                f"`{op}`: argument `{name}` needs a source with `__getitem__`. Received: {name}={value!r}."
            )
    if shuffle:
        warnings.warn(
            f"`{op}`: shuffle=True has no effect on a source without `__getitem__`, as in MindSpore. "
            "Use the method `shuffle`.",
            stacklevel=4,
        )


def _check_batches(op: str, batch_sampler: Any, collate_fn: Any, others: dict[str, Any]) -> None:
    if not hasattr(batch_sampler, "__iter__") and not hasattr(batch_sampler, "__getitem__"):
        checks.fail(TypeError, op, "batch_sampler", "be an iterable of lists of row numbers", batch_sampler)
    given = [name for name, value in others.items() if value is not None and name != "batch_sampler"]
    if given:
        raise ValueError(
            f"`{op}`: argument `batch_sampler` excludes others that choose rows. Received: {given}."
        )
    if collate_fn is not None:
        checks.check_callable(op, "collate_fn", collate_fn)


def _dtypes(op: str, column_types: Sequence[Any]) -> list[np.dtype]:
    for dtype in column_types:
        if not isinstance(dtype, DType) or dtype.np is None:
            checks.fail(NotImplementedError, op, "column_types", "hold MindSpore dtypes", dtype)
    return [np.dtype(dtype.np) for dtype in column_types]
