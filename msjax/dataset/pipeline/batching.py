"""Batching: fixed batch sizes, padded batches, buckets by length."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from msjax.dataset import config
from msjax.dataset.common import checks
from msjax.dataset.common.columns import (
    Column,
    Row,
    call_user_function,
    name_of,
    origin_of,
    stack_column,
    to_column,
)
from msjax.dataset.pipeline.executors import run_in_order
from msjax.dataset.pipeline.map_node import Plan
from msjax.dataset.pipeline.nodes import Node, RandomAccess
from msjax.dataset.pipeline.processes import ProcessExecutor, kept_executors, pickled
from msjax.dataset.pipeline.worker_process import BatchInfo as BatchInfo
from msjax.dataset.random.generators import Run
from msjax.dataset.random.samplers import BuiltinSampler


class Padding:
    """Padding of a batch's columns: target shapes and fill values.

    Args:
        columns: the columns of the dataset.
        info: column -> (shape, value), where None in a shape, or for the whole, stands for the longest of the
            batch. An empty dict pads all columns to the longest with zeros, strings
            with empty ones.
    """

    def __init__(self, op: str, columns: Sequence[str], info: dict[str, Any]) -> None:
        self.op, self.columns = op, columns
        if not isinstance(info, dict):
            raise TypeError(
                checks.argument_error_text(op, "pad_info", "be a dict from columns to (shape, value)", info)
            )
        for name in info:
            if name not in columns:
                raise RuntimeError(
                    f"`{op}`: argument `pad_info` names a column {name!r}; there are {list(columns)}."
                )
        self.info = info or dict.fromkeys(columns)

    def pad(self, rows: Sequence[Row]) -> list[Row]:
        """Pad rows so that their columns have one shape."""
        padded = [list(row) for row in rows]
        for name, info in self.info.items():
            place = self.columns.index(name)
            if isinstance(rows[0][place], dict):
                continue
            shape, value = (None, None) if info is None else info
            shape = self._shape([row[place] for row in rows], name, shape)
            text = isinstance(value, str | bytes)
            if value is not None and text != (rows[0][place].dtype.kind in "US"):
                raise RuntimeError(
                    f"`{self.op}`: `pad_info` fills column `{name}`, {rows[0][place].dtype}, with {value!r}."
                )
            for row in padded:
                fill = ("" if row[place].dtype.kind in "US" else 0) if value is None else value
                row[place] = pad_end(row[place], shape, fill)
        return padded

    def _shape(self, columns: Sequence[Column], name: str, wanted: Sequence[int | None] | None) -> list[int]:
        rank = columns[0].ndim
        sizes = [None] * rank if wanted is None else list(wanted)
        if len(sizes) != rank or any(column.ndim != rank for column in columns):
            raise RuntimeError(
                f"`{self.op}`: `pad_info` gives column `{name}` the shape {wanted}; the column has {rank} dimensions."
            )
        return [max(c.shape[i] for c in columns) if size is None else size for i, size in enumerate(sizes)]


def pad_end(array: np.ndarray, shape: Sequence[int], value: Any) -> np.ndarray:
    """Return an array cut, or filled up with `value` behind its end, to `shape`; its dtype stays."""
    if array.shape == tuple(shape):
        return array
    if array.dtype.kind in "US":
        filling = np.array(value, array.dtype.kind)
        padded = np.empty(shape, np.promote_types(array.dtype, filling.dtype))
    else:
        filling, padded = np.asarray(value).astype(array.dtype), np.empty(shape, array.dtype)
    padded[...] = filling
    common = tuple(slice(min(old, new)) for old, new in zip(array.shape, shape, strict=True))
    padded[common] = array[common]
    return padded


class Batch(Node):
    """Rows stacked.

    Args:
        batch_size: how many; or a function of a `BatchInfo` that tells.
        drop_remainder: leave out a last batch with fewer rows.
        mapped: with inputs and outputs: a function of the lists of columns and a `BatchInfo`, applied before
            stacking.
        padding: makes the rows of one shape.
        workers: processes that run `mapped`; 0: this one does.
        row_sizes: how many MB of shared memory a batch may take there, and back; -1: any.
    """

    def __init__(
        self,
        child: Node,
        op: str,
        batch_size: int | Callable[[BatchInfo], int],
        drop_remainder: bool,
        mapped: Callable[..., Any] | None = None,
        input_columns: Sequence[str] | None = None,
        output_columns: Sequence[str] | None = None,
        padding: Padding | None = None,
        workers: int = 0,
        row_sizes: Sequence[int] = (-1, -1),
    ) -> None:
        self.plan, self.workers, self.row_sizes = None, workers, row_sizes
        if mapped is not None:
            inputs = child.columns if input_columns is None else input_columns
            self.plan = Plan(op, child.columns, inputs, inputs if output_columns is None else output_columns)
        super().__init__((child,), self.plan.columns if self.plan else child.columns)
        self.op, self.number, self.drop, self.mapped, self.padding = (
            op,
            batch_size,
            drop_remainder,
            mapped,
            padding,
        )

    def rows(self, run: Run) -> Iterator[Row]:
        """Return the batches."""
        return self._rows(run, 0)

    def rows_from(self, run: Run, start: int) -> Iterator[Row]:
        """Return the same without the first ones."""
        whole = isinstance(self.number, int) and not self.plan
        return self._rows(run, start) if whole else super().rows_from(run, start)

    def _rows(self, run: Run, start: int) -> Iterator[Row]:
        child = self.children[0]
        first = start * self.number if isinstance(self.number, int) else 0
        if (
            isinstance(child, RandomAccess)
            and isinstance(self.number, int)
            and not self.padding
            and not self.plan
        ):
            batches = child.rows_stacked(run.child(), self.number, first)
            if batches is not None:
                yield from (one for one in batches if not self.drop or len(one[0]) == self.number)
                return
        lists = self._list_rows(run, start)
        work = None
        if self.workers and self.plan and not run.inline:
            work = pickled(f"`{self.op}`: the function `{name_of(self.mapped)}`", self.mapped)
        if work is None:
            yield from (self.stacked(rows, info, run) for rows, info in lists)
            return
        with kept_executors(run, lambda: self._in_processes(work, self.workers)) as executors:
            results = run_in_order(lists, executors)
            more = lambda: self._in_processes(work, 1)[0]  # noqa: E731
            for (rows, info), given in self.enlarging(results, executors, more, lambda: not run.seeded):
                if isinstance(given, Exception):
                    raise given
                yield self._join_columns(rows, check_lists(self._where(info), given, len(rows)))

    def _list_rows(self, run: Run, start: int) -> Iterator[tuple[list[Row], BatchInfo]]:
        """Return the rows of each batch."""
        child, rows = self.children[0], list[Row]()
        first = start * self.number if isinstance(self.number, int) else 0
        info = BatchInfo(start, run.epoch)
        wanted = self._batch_size(info)
        whole = isinstance(self.number, int) and not self.padding and not self.plan
        below = run.batched_child(self.number, child.columns) if whole else run.child()  # type: ignore[arg-type]
        for row in child.rows_from(below, first):
            rows.append(row)
            if len(rows) == wanted:
                yield rows, info
                rows, info = [], BatchInfo(info.get_batch_num() + 1, run.epoch)
                wanted = self._batch_size(info)
        if rows and not self.drop:
            yield rows, info

    def _in_processes(self, work: bytes, count: int) -> list[ProcessExecutor]:
        assert self.plan is not None
        inputs, seed = self.plan.inputs, config.own_seed()

        def name(item: tuple[list[Row], BatchInfo]) -> str:
            return f"batch {item[1].get_batch_num()}"

        def prepare(item: tuple[list[Row], BatchInfo]) -> tuple[list[Any], int, int]:
            rows, info = item
            return [[row[i] for row in rows] for i in inputs], info.get_batch_num(), info.get_epoch_num()

        def listed(item: tuple[list[Row], BatchInfo], value: Any) -> list[Any]:
            return list(value)

        def fail(item: tuple[list[Row], BatchInfo], kind: str, text: str, line: str, _: str) -> Exception:
            return RuntimeError(f"{self._where(item[1])} raised {kind}: {text}{line or self.made}")

        where = f"`{self.op}`: the function `{name_of(self.mapped)}` of whole batches"
        return [
            ProcessExecutor(
                where,
                "batches",
                work,
                None if seed is None else (seed + i, seed),
                name,
                prepare,
                listed,
                fail,
                made=self.made,
                row_sizes=self.row_sizes,
            )
            for i in range(count)
        ]

    def _where(self, info: BatchInfo) -> str:
        return f"`{self.op}`: the function `{name_of(self.mapped)}` of whole batches, given batch {info.get_batch_num()},"

    def _batch_size(self, info: BatchInfo) -> int:
        if isinstance(self.number, int):
            return self.number
        where = f"`{self.op}`: the `batch_size` function"
        wanted = call_user_function(self.number, (info,), where, made=self.made)
        if isinstance(wanted, bool) or not isinstance(wanted, int | np.integer) or wanted < 1:
            raise RuntimeError(
                f"`{self.op}`: the `batch_size` function must give an int above 0. Received: {wanted!r}."
            )
        return int(wanted)

    def stacked(self, rows: Sequence[Row], info: BatchInfo, run: Run) -> Row:
        """One batch."""
        names = self.children[0].columns
        if self.padding:
            rows = self.padding.pad(rows)
        if self.plan is None or self.mapped is None:
            try:
                return [
                    stack_column(column, name, self.op, run.empty)
                    for column, name in zip(zip(*rows, strict=True), names, strict=True)
                ]
            except RuntimeError as error:
                ends = dict.fromkeys(origin for one in (rows[0], rows[-1]) if (origin := origin_of(one)))
                which = f" Given: {' to '.join(ends)}." if ends else ""
                raise RuntimeError(f"{error}{which}{self.made}") from error.__cause__
        lists = [[row[i] for row in rows] for i in self.plan.inputs]
        return self._join_columns(rows, map_lists(self.op, self.mapped, lists, info, made=self.made))

    def _join_columns(self, rows: Sequence[Row], given: Sequence[Any]) -> Row:
        """Return the batch of what the function gave for the rows, and of the columns that it did not get."""
        assert self.plan is not None
        names = self.children[0].columns
        if len(given) != len(self.plan.outputs):
            raise RuntimeError(
                f"`{self.op}`: `per_batch_map` gave {len(given)} columns. Expected: {len(self.plan.outputs)}."
            )
        new = {
            name: _restack_column(self.op, name, one)
            for name, one in zip(self.plan.outputs, given, strict=True)
        }
        old = [i for i, name in enumerate(names) if i not in self.plan.inputs and name not in new]
        rest = {names[i]: stack_column([row[i] for row in rows], names[i], self.op) for i in old}
        return [(new | rest)[name] for name in self.columns]

    @property
    def foreseen(self) -> bool:
        """True if there are no functions of the user's."""
        return isinstance(self.number, int) and self.plan is None and self.children[0].foreseen

    def draws(self, run: Run) -> bool:
        """Return True if a function might have drawn, or what is below has."""
        return self.mapped is not None or super().draws(run)

    def size(self) -> int:
        """Return the number of batches; if a function decides the batch size, found by a pass over the data."""
        if not isinstance(self.number, int):
            return self.counted()
        rows = self.children[0].size()
        return rows // self.number if self.drop else -(-rows // self.number)

    def batch_size(self) -> int:
        """Rows per batch; -1 if a function decides."""
        return self.number if isinstance(self.number, int) else -1


def map_lists(
    op: str, function: Callable[..., Any], lists: list[list[Column]], *info: BatchInfo, made: str = ""
) -> list[Any]:
    """Apply a user's function to the columns of a batch and check that each result has as many rows."""
    where = f"`{op}`: the function `{name_of(function)}` of whole batches"
    if info:
        where += f", given batch {info[0].get_batch_num()},"
    given = call_user_function(function, (*lists, *info), where, made=made)
    return check_lists(where, given if isinstance(given, tuple) else (given,), len(lists[0]))


def check_lists(where: str, given: Sequence[Any], count: int) -> list[Any]:
    """Return what a function of whole batches gave, if each of its results has as many rows as it got.

    Raises:
        RuntimeError: if not.
    """
    for one in given:
        if isinstance(one, dict):
            continue
        if not hasattr(one, "__len__") or len(one) != count:
            raise RuntimeError(
                f"{where} must give, for each column, a list or array of {count} rows. Received: {one!r}."
            )
    return list(given)


def _restack_column(op: str, name: str, column: Any) -> Column:
    """One column of a batch, of what a function gave for its rows; of dicts it is a dict of lists, as in MindSpore."""
    if isinstance(column, dict):
        return column
    if isinstance(column, list) and column and isinstance(column[0], dict):
        return {key: [one[key] for one in column] for key in column[0]}
    return stack_column([to_column(value, f"`{op}`: `per_batch_map`") for value in column], name, op)


class BatchAccess(RandomAccess):
    """Batches of a random-access source.

    Args:
        batches: gives the row numbers of each batch.
        collate: a function of the lists of columns, applied before stacking; or None.
    """

    mappable = False

    def __init__(
        self,
        op: str,
        source: Any,
        columns: Sequence[str],
        dtypes: Any,
        batches: Any,
        collate: Callable[..., Any] | None,
    ) -> None:
        super().__init__(op, source, columns, dtypes, BuiltinSampler())
        self.batches, self.collate = batches, collate

    def rows(self, run: Run) -> Iterator[Row]:
        """One batch for each list of rows."""
        return self.rows_from(run, 0)

    def rows_from(self, run: Run, start: int) -> Iterator[Row]:
        """Return the same without the first ones."""
        for indices in islice(self._lists(), start, None):
            lists = [list(column) for column in zip(*(self.row(int(i)) for i in indices), strict=True)]
            given = lists if self.collate is None else map_lists(self.op, self.collate, lists, made=self.made)
            if len(given) != len(self.columns):
                raise RuntimeError(
                    f"`{self.op}`: `collate_fn` gave {len(given)} columns. Expected: {len(self.columns)}."
                )
            yield [
                _restack_column(self.op, name, column)
                for name, column in zip(self.columns, given, strict=True)
            ]

    def _lists(self) -> Iterable[Sequence[int]]:
        return (
            self.batches
            if hasattr(self.batches, "__iter__")
            else map(self.batches.__getitem__, range(self.size()))
        )

    def size(self) -> int:
        """Return the number of batches that the batch sampler asks for."""
        return len(self.batches) if hasattr(self.batches, "__len__") else sum(1 for _ in self._lists())

    def batch_size(self) -> int:
        """-1: the batch sampler decides."""
        return -1


class Bucket(Node):
    """Batches of rows of similar length.

    Args:
        length: from the columns of a row to its length.
        inputs: the names of those columns.
        boundaries: increasing lengths; row -> the first bucket whose boundary is larger, else the last one.
        sizes: rows per batch of each bucket, one more than there are boundaries.
        padding: for each bucket, or None.
        drop: leave out what is left in the buckets at the end.
    """

    def __init__(
        self,
        child: Node,
        length: Callable[..., Any],
        inputs: Sequence[str],
        boundaries: Sequence[int],
        sizes: Sequence[int],
        padding: Sequence[Padding | None],
        drop: bool,
    ) -> None:
        super().__init__((child,), child.columns)
        op = "bucket_batch_by_length"
        checks.check_columns_exist(op, "column_names", inputs, child.columns)
        self.inputs = [child.columns.index(name) for name in inputs]
        self.length, self.boundaries, self.drop = length, list(boundaries), drop
        self.batches = [Batch(child, op, n, False, padding=p) for n, p in zip(sizes, padding, strict=True)]

    def rows(self, run: Run) -> Iterator[Row]:
        """Each batch as soon as it is full; then what is left, bucket by bucket."""
        held: list[list[Row]] = [[] for _ in self.batches]
        for row in self.children[0].rows(run.child()):
            columns = [row[i] for i in self.inputs]
            which = int(np.searchsorted(self.boundaries, self._length(columns), side="right"))
            held[which].append(row)
            if len(held[which]) == self.batches[which].number:
                yield self._stack_rows(which, held[which], run)
                held[which] = []
        if not self.drop:
            yield from (self._stack_rows(which, rows, run) for which, rows in enumerate(held) if rows)

    def _length(self, columns: list[Column]) -> int:
        where = "`bucket_batch_by_length`: `element_length_function`"
        given = call_user_function(self.length, columns, where, made=self.made)
        size = np.asarray(given)
        if size.dtype.kind not in "iub" or size.size != 1 or size.item() < 0:
            raise RuntimeError(
                f"`bucket_batch_by_length`: `element_length_function` must give an int of 0 or more. Received: {given!r}."
            )
        return size.item()

    def _stack_rows(self, which: int, rows: list[Row], run: Run) -> Row:
        return self.batches[which].stacked(rows, BatchInfo(0, 0), run)

    def size(self) -> int:
        """Return the number of batches, found by a pass over the data."""
        return self.counted()
