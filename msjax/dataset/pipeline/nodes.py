"""Pipeline nodes: a tree, in which each node yields rows made from those of its children.

`Dataset` is what users hold; it has one node. Nodes keep no state of a traversal: that is in the `Run` handed
to `rows`, so that several iterators may go through one pipeline at once.
"""

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, count, islice
from typing import Any

import numpy as np

from msjax.core.tensor.box import users_line
from msjax.dataset import config
from msjax.dataset.common import checks
from msjax.dataset.common.columns import (
    Column,
    Row,
    SourcedRow,
    call_user_function,
    failed,
    name_of,
    origin_of,
    own_column,
    spread_row,
)
from msjax.dataset.pipeline.executors import Executor, ThreadExecutor, run_in_order, threads
from msjax.dataset.pipeline.processes import ProcessExecutor, kept_executors, pickled
from msjax.dataset.random.generators import Run, draws_natively
from msjax.dataset.random.mindspore_rng import Mt19937Long
from msjax.dataset.random.samplers import BuiltinSampler

_AT_ONCE = 2  # rows that a worker gets at once
_BUFFER = 10000  # through which rows without random access are split


class Node:
    """One step of a pipeline.

    Args:
        children: the nodes that the rows come from.
        columns: the names of the columns of the rows given.

    Attributes:
        made: the user's line that made it, for errors.
        stage: counts its rows and its time, if it is profiled.
    """

    stage: Any = None

    def __init__(self, children: Sequence["Node"], columns: Sequence[str]) -> None:
        self.children = tuple(children)
        self._columns = list(columns)
        self.made = users_line().replace("(in ", "(made in ")

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in their order in a row."""
        return self._columns

    def rows(self, run: Run) -> Iterator[Row]:
        """One pass over the data."""
        raise NotImplementedError

    def rows_from(self, run: Run, start: int) -> Iterator[Row]:
        """One pass over the data without its first rows, which are computed only if what follows depends on them."""
        return islice(self.rows(run), start, None)

    def size(self) -> int:
        """Return the number of rows of one pass; for endless repetition, those of one repetition."""
        return self.children[0].size()

    def counted(self) -> int:
        """Return the number of rows of one pass, found by making one."""
        if not hasattr(self, "_counted"):
            self._counted = sum(1 for _ in self.rows(Run(silent=True)))
        return self._counted

    @property
    def endless(self) -> bool:
        """True if a pass never ends."""
        return any(child.endless for child in self.children)

    @property
    def shuffled(self) -> bool:
        """True if the order changes from pass to pass."""
        return any(child.shuffled for child in self.children)

    @property
    def sharded(self) -> bool:
        """True if other processes have the rest of the rows."""
        return any(child.sharded for child in self.children)

    @property
    def foreseen(self) -> bool:
        """True if nothing that the program does between two epochs changes the second: it may be begun before."""
        return False

    def draws(self, run: Run) -> bool:
        """Return True if a pass that is read to its end draws more random numbers than one that is not."""
        return any(child.draws(run.child(i)) for i, child in enumerate(self.children))

    def leave(self, rows: Iterator[Row], run: Run, index: int = 0) -> None:
        """Keep what is left of a child's rows if a later pass depends on it.

        Args:
            rows: the rest.
            run: at this node.
            index: which child.
        """
        child = self.children[index]
        if run.seeded and not run.silent and not child.endless and child.draws(run.child(index)):
            run.leave(rows, index)

    def enlarging(
        self, results: Iterator[Any], executors: list[Any], make: Callable[[], Any], free: Callable[[], bool]
    ) -> Iterator[Any]:
        """Return the results of threads or processes, of which a pipeline that is tuned may get more meanwhile.

        Args:
            results: the results.
            executors: the threads or processes, to which more are appended.
            make: makes one.
            free: tells whether no value hangs on how many there are: after a seed, each has random numbers of its own.
        """
        return results if self.stage is None else self.stage.enlarging(results, executors, make, free)

    def batch_size(self) -> int:
        """Rows per batch, of the last child; 1 if there are no batches, -1 if a function decides."""
        return self.children[-1].batch_size() if self.children else 1

    def repeat_count(self) -> int:
        """Return the count of the last `repeat`, of the last child; -1 if endless."""
        return self.children[-1].repeat_count() if self.children else 1


# ---------------------------------------------------------------- where rows come from


class FixedRows:
    """A source whose rows are the same in every epoch, whatever the program does."""


class FileRows(FixedRows):
    """A source whose rows come from files, which errors name."""

    def file_of(self, index: int) -> Any:
        """Return the path of the file of a row."""
        raise NotImplementedError


class ArrayRows:
    """A source whose rows lie in arrays, so that a batch is a few indexed reads."""

    def take(self, indices: list[int]) -> list[np.ndarray] | None:
        """Return the columns of some rows; None if they do not lie in arrays of numbers."""
        raise NotImplementedError


class RandomAccess(Node):
    """Rows of an object with `__len__` and `__getitem__`, in the order of a sampler.

    Attributes:
        workers: how many read rows ahead of those who ask; 1: nobody does.
        processes: whether these are processes, or threads.
        row_size: how many MB of shared memory a row of a process may take; -1: any.
        mappable: whether any row can be asked for, so that another sampler may take the place of this one.
    """

    workers = 1
    processes = False
    row_size = -1
    mappable = True

    def __init__(
        self, op: str, source: Any, columns: Sequence[str], dtypes: Any, sampler: BuiltinSampler
    ) -> None:
        super().__init__((), columns)
        self.op, self.source, self.sampler = op, source, sampler
        self.convert = _Converter(op, len(columns), dtypes, self.made)

    def length(self) -> int:
        """Return the number of rows of the source.

        Raises:
            RuntimeError: if none.
        """
        if not hasattr(self.source, "__len__"):
            raise RuntimeError(f"`{self.op}`: a source with `__getitem__` must have `__len__` too.")
        size = len(self.source)
        if not size:
            raise RuntimeError(f"`{self.op}`: argument `source` must have at least one row. Received: none.")
        return size

    def rows(self, run: Run) -> Iterator[Row]:
        """Yield the rows that the sampler asks for."""
        return self.rows_from(run, 0)

    def rows_from(self, run: Run, start: int) -> Iterator[Row]:
        """Return the same without the first rows, which are not read."""
        indices = islice(self.sampler.indices(self.length(), run), start, None)
        if self.workers < 2 or run.inline:
            for index in indices:
                yield self.row(index)
            return
        work = pickled(f"`{self.op}`: the source", self.source) if self.processes else None
        if work is not None:
            with kept_executors(run, lambda: self._in_processes(work, self.workers)) as executors:
                yield from self._read_ahead(indices, executors, lambda: self._in_processes(work, 1)[0], run)
            return
        with threads([self._columns_of] * self.workers) as executors:
            yield from self._read_ahead(indices, executors, lambda: ThreadExecutor(self._columns_of), run)

    def _read_ahead(
        self, indices: Iterable[int], executors: list[Any], more: Callable[[], Executor], run: Run
    ) -> Iterator[Row]:
        results = run_in_order(iter(indices), executors, 0, _AT_ONCE)
        for index, columns in self.enlarging(results, executors, more, lambda: not run.seeded):
            if isinstance(columns, Exception):
                raise columns
            yield self.convert(columns, partial(self.describe, index))

    def _in_processes(self, work: bytes, count: int) -> list[ProcessExecutor]:
        def fail(index: int, kind: str, text: str, line: str, name: str) -> Exception:
            where = f"`{self.op}`: the source, asked for {self.describe(index)},"
            return RuntimeError(f"{where} raised {kind}: {text}{line or self.made}")

        where, seed = f"`{self.op}`: the source", config.own_seed()
        seeds = [None if seed is None else (seed + i, seed) for i in range(count)]

        def columns(index: int, value: Any) -> tuple[Any, ...]:
            return spread_row(value)

        more: dict[str, Any] = {"made": self.made, "row_sizes": (-1, self.row_size)}
        return [
            ProcessExecutor(where, "source", work, one, self.describe, int, columns, fail, **more)
            for one in seeds
        ]

    def row(self, index: int) -> Row:
        """One row."""
        return self.convert(self._columns_of(index), partial(self.describe, index))

    def _columns_of(self, index: int) -> tuple[Any, ...]:
        try:
            return spread_row(self.source[index])
        except Exception as error:
            where = f"`{self.op}`: the source, asked for {self.describe(index)},"
            raise failed(error, where, made=self.made) from error

    def rows_stacked(self, run: Run, length: int, start: int = 0) -> Iterator[Row] | None:
        """Yield so many rows at once, stacked, after the first ones; None where rows have to be read one by one."""
        source = self.source
        if (
            type(self) is not RandomAccess
            or not isinstance(source, ArrayRows)
            or self.convert.dtypes is not None
        ):
            return None
        return None if source.take([]) is None else self._take_rows(source, run, length, start)

    def _take_rows(self, source: ArrayRows, run: Run, length: int, start: int) -> Iterator[Row]:
        indices = islice(self.sampler.indices(self.length(), run), start, None)
        while some := list(islice(indices, length)):
            where = f"`{self.op}`: the source, asked for rows {some[0]} to {some[-1]},"
            yield call_user_function(source.take, (some,), where, made=self.made)

    def describe(self, index: int) -> str:
        """Return how errors call a row: its number, and its file if there is one."""
        file = self.source.file_of(index) if isinstance(self.source, FileRows) else None
        return f"row {index}" if file is None else f"row {index} ({file})"

    def size(self) -> int:
        """Return the number of rows that the sampler asks for."""
        return self.sampler.count(self.length())

    @property
    def shuffled(self) -> bool:
        """True if the sampler shuffles."""
        return self.sampler.is_shuffled()

    @property
    def sharded(self) -> bool:
        """True if the sampler leaves rows to other processes."""
        return self.sampler.is_sharded()

    @property
    def foreseen(self) -> bool:
        """True if rows and sampler are this package's."""
        samplers = [self.sampler]
        while (child := samplers[-1].get_child()) is not None:
            samplers.append(child)
        return isinstance(self.source, FixedRows) and all(map(draws_natively, samplers))


def as_mappable(node: Node) -> RandomAccess | None:
    """Return a source that gives any row that a sampler asks for; None for other nodes."""
    return node if isinstance(node, RandomAccess) and node.mappable else None


class IterableSource(Node):
    """Rows of a generator function or of an iterable.

    Attributes:
        sampler: one that was given, without effect but that the rows count as a shard's.
    """

    sampler: BuiltinSampler | None = None

    def __init__(
        self, op: str, source: Any, columns: Sequence[str], dtypes: Any, num_samples: int | None
    ) -> None:
        super().__init__((), columns)
        self.op, self.num_samples = op, num_samples or None
        self.source: Any = _Replayed(source) if isinstance(source, Iterator) and _once(source) else source
        self.convert = _Converter(op, len(columns), dtypes, self.made)

    def rows(self, run: Run) -> Iterator[Row]:
        """Yield the rows of a fresh iterator over the source."""
        where = f"`{self.op}`: the source"
        begin = (
            (lambda: iter(self.source)) if hasattr(self.source, "__iter__") else (lambda: iter(self.source()))
        )
        values = call_user_function(begin, (), where, made=self.made)
        for number in range(self.num_samples) if self.num_samples else count():
            columns = call_user_function(
                self._next, (values,), f"{where}, asked for row {number},", made=self.made
            )
            if columns is _END:
                return
            yield self.convert(columns, f"row {number}")

    @staticmethod
    def _next(values: Iterator[Any]) -> Any:
        value = next(values, _END)
        return value if value is _END else spread_row(value)

    def size(self) -> int:
        """Return the length of the source, if it says; else as many as it gives."""
        if hasattr(self.source, "__len__"):
            return min(len(self.source), self.num_samples or math.inf)  # type: ignore[return-value]
        return self.counted()

    @property
    def sharded(self) -> bool:
        """True if it was given a sampler that leaves rows to other processes."""
        return self.sampler is not None and self.sampler.is_sharded()


_END = object()


def _once(source: Iterator[Any]) -> bool:
    """Return True if an iterator can be consumed only once; user-defined ones may begin again in `__iter__`."""
    return inspect.isgenerator(source) or type(source).__module__ in ("builtins", "itertools")


class _Replayed:
    """Replay buffer: keeps the items of an iterator, so that every epoch can go through them."""

    def __init__(self, items: Iterator[Any]) -> None:
        self.items, self.seen = items, []

    def __iter__(self) -> Iterator[Any]:
        for place in count():
            if place == len(self.seen):
                item = next(self.items, _END)
                if item is _END:
                    return
                self.seen.append(item)
            yield self.seen[place]


class _Converter:
    """Conversion of a source's values to rows of the pipeline."""

    def __init__(self, op: str, count: int, dtypes: Sequence[np.dtype] | None, made: str) -> None:
        self.count, self.dtypes, self.op, self.made = count, dtypes, op, made
        self.where = f"`{op}`: the source"

    def __call__(self, columns: tuple[Any, ...], origin: str | Callable[[], str]) -> Row:
        if len(columns) != self.count:
            raise RuntimeError(
                f"{self._asked(origin)} gave {len(columns)} columns. Expected: {self.count}{self.made}."
            )
        try:
            row = SourcedRow([own_column(column, self.where) for column in columns], origin)
        except RuntimeError as error:
            text = str(error).replace(self.where, self._asked(origin), 1)
            raise RuntimeError(text + self.made) from error.__cause__
        if self.dtypes is not None:
            for column, dtype in zip(row, self.dtypes, strict=False):
                if getattr(column, "dtype", None) != dtype:
                    raise RuntimeError(
                        f"{self._asked(origin)} gave a column of dtype {getattr(column, 'dtype', 'dict')} where "
                        f"`column_types` has {dtype}. Let the source convert, or `map` with `TypeCast`.{self.made}"
                    )
        return row

    def _asked(self, origin: str | Callable[[], str]) -> str:
        return f"{self.where}, asked for {origin if isinstance(origin, str) else origin()},"


# ---------------------------------------------------------------- which rows, and in which order


class Passing(Node):
    """A step without functions of the user's."""

    @property
    def foreseen(self) -> bool:
        """True if it is true below."""
        return all(child.foreseen for child in self.children)


def shuffle_rows(rows: Iterator[Row], size: int, words: Mt19937Long) -> Iterator[Row]:
    """Yield rows in random order: fill a buffer, give one of its rows and refill it, then empty it."""
    buffer = list(islice(rows, size))
    while buffer:
        place = words.word() % len(buffer)
        buffer[place], buffer[-1] = buffer[-1], buffer[place]
        yield buffer.pop()
        buffer += islice(rows, 1)


def some_rows(op: str, rows: Iterator[Row]) -> Iterator[Row]:
    """Return rows that are to be shuffled.

    Args:
        op: the method, for the error.
        rows: them.

    Raises:
        RuntimeError: if there are none.
    """
    first = next(iter(rows), None)
    if first is None:
        raise RuntimeError(f"`{op}`: there are no rows to shuffle.")
    return chain([first], rows)


class Shuffle(Passing):
    """Shuffle node: each row is drawn from a buffer of the next `buffer_size` ones."""

    def __init__(self, child: Node, buffer_size: int) -> None:
        super().__init__((child,), child.columns)
        self.buffer_size = buffer_size

    def rows(self, run: Run) -> Iterator[Row]:
        """Yield the rows out of the buffer."""
        rows = some_rows("shuffle", self.children[0].rows(run.child()))
        yield from shuffle_rows(rows, self.buffer_size, run.kept(Mt19937Long))

    def draws(self, run: Run) -> bool:
        """Return True: a number for each row."""
        return True

    @property
    def shuffled(self) -> bool:
        """True: the order changes."""
        return True


class Repeat(Passing):
    """Repeat node: several passes, one after the other; endlessly if `count` is -1."""

    def __init__(self, child: Node, count: int) -> None:
        super().__init__((child,), child.columns)
        self.count = count

    def rows(self, run: Run) -> Iterator[Row]:
        """Yield the child's rows repeatedly. If the child is empty, endless repetition stops: it would never yield."""
        below, done = run.child(), 0
        while self.count < 0 or done < self.count:
            empty = True
            run.settle()
            for row in self.children[0].rows(below):
                empty = False
                yield row
            if empty and self.count < 0:
                return
            done += 1

    def size(self) -> int:
        """Return the number of rows of all passes; of one if the repetition is endless."""
        return self.children[0].size() * max(self.count, 1)

    def draws(self, run: Run) -> bool:
        """Return True if there is a pass that a reader may not come to, in an order of its own."""
        return super().draws(run) or (self.count != 1 and self.shuffled)

    @property
    def endless(self) -> bool:
        """True if the repetition has no end."""
        return self.count < 0 or super().endless

    def repeat_count(self) -> int:
        """Return the repeat count; that of another `repeat` below if this one does nothing."""
        return super().repeat_count() if self.count == 1 else self.count


class Take(Passing):
    """The first `count` rows; all if it is -1."""

    def __init__(self, child: Node, count: int) -> None:
        super().__init__((child,), child.columns)
        self.count = count

    def rows(self, run: Run) -> Iterator[Row]:
        """Yield at most `count` rows."""
        return self.rows_from(run, 0)

    def rows_from(self, run: Run, start: int) -> Iterator[Row]:
        """Return the same without the first ones."""
        if self.count < 0:
            return self.children[0].rows_from(run.child(), start)
        # The last row is read even if it was given already: a pass that is not begun has no order, and the next one that.
        begin = min(start, self.count - 1)
        rows = self.children[0].rows_from(run.child(), begin)
        return self._first(iter(rows), run, start - begin, self.count - begin)

    def _first(self, rows: Iterator[Row], run: Run, start: int, stop: int) -> Iterator[Row]:
        yield from islice(rows, start, stop)
        self.leave(rows, run)

    def size(self) -> int:
        """Return `count`, or the number of the child's rows if that is smaller."""
        if self.count >= 0 and self.children[0].endless:
            return self.count
        there = self.children[0].size()
        return there if self.count < 0 else min(self.count, there)

    @property
    def endless(self) -> bool:
        """True if the child is endless and nothing is cut off."""
        return self.count < 0 and super().endless


class Skip(Passing):
    """All but the first `count` rows."""

    def __init__(self, child: Node, count: int) -> None:
        super().__init__((child,), child.columns)
        self.count = count

    def rows(self, run: Run) -> Iterator[Row]:
        """Return the rest."""
        return islice(self.children[0].rows(run.child()), self.count, None)

    def rows_from(self, run: Run, start: int) -> Iterator[Row]:
        """Return the same without the first ones."""
        return self.children[0].rows_from(run.child(), self.count + start)

    def size(self) -> int:
        """Return the number of remaining rows."""
        return max(self.children[0].size() - self.count, 0)


class Part(Node):
    """Share of a split of rows without random access: with a seed, the rows of MindSpore's shuffling.

    Without a seed the order that the shares of one split cut is its own, so that they are disjoint in every epoch.
    """

    def __init__(self, child: Node, start: int, stop: int, total: int, seed: int, randomize: bool) -> None:
        super().__init__((child,), child.columns)
        self.seed, self.start, self.stop, self.randomize = seed, start, stop, randomize
        order = np.random.default_rng(seed).permutation(total) if randomize else np.arange(total)
        self.places = order[start:stop].tolist()

    @property
    def shuffled(self) -> bool:
        """True if it is cut from a random permutation."""
        return self.randomize or super().shuffled

    def rows(self, run: Run) -> Iterator[Row]:
        """Yield the share's rows, the same in each epoch if the child's are."""
        child = self.children[0]
        if run.seeded:
            rows = child.rows(run.child())
            if self.randomize:
                rows = shuffle_rows(some_rows("split", rows), _BUFFER, run.afresh(Mt19937Long))
            # To the end, so that what shuffles below has drawn as much for every share.
            yield from (row for place, row in enumerate(rows) if self.start <= place < self.stop)
            return
        places = run.order().permutation(self.places).tolist() if child.shuffled else self.places
        wanted, fixed = set(places), run.child().with_order(self.seed)
        rows = some_rows("split", child.rows(fixed)) if self.randomize else child.rows(fixed)
        found = {place: row for place, row in enumerate(rows) if place in wanted}
        yield from (found.pop(place) for place in places if place in found)

    def size(self) -> int:
        """Return the number of rows of the share."""
        return len(self.places)


class Filter(Node):
    """Filter node: the rows for which a predicate of some columns holds."""

    def __init__(
        self, child: Node, predicate: Callable[..., Any], input_columns: Sequence[str] | None
    ) -> None:
        super().__init__((child,), child.columns)
        names = child.columns if input_columns is None else input_columns
        checks.check_columns_exist("filter", "input_columns", names, child.columns)
        self.predicate = predicate
        self.inputs = [child.columns.index(name) for name in names]

    def rows(self, run: Run) -> Iterator[Row]:
        """Yield the rows for which the predicate holds."""
        where = f"`filter`: the predicate `{name_of(self.predicate)}`"
        for row in self.children[0].rows(run.child()):
            if call_user_function(self._holds, [row[i] for i in self.inputs], where, row, self.made):
                yield row

    def _holds(self, *columns: Column) -> bool:
        return bool(self.predicate(*columns))

    def size(self) -> int:
        """Return the number of rows, found by a pass over the data."""
        return self.counted()


# ---------------------------------------------------------------- which columns


class Project(Passing):
    """Some columns, in the order asked for."""

    def __init__(self, child: Node, columns: Sequence[str]) -> None:
        checks.check_columns_exist("project", "columns", columns, child.columns)
        super().__init__((child,), columns)
        self.places = [child.columns.index(name) for name in columns]

    def rows(self, run: Run) -> Iterator[Row]:
        """Return the rows, cut."""
        return self.rows_from(run, 0)

    def rows_from(self, run: Run, start: int) -> Iterator[Row]:
        """Return the same without the first ones."""
        for row in self.children[0].rows_from(run.stacked_child(), start):
            yield SourcedRow([row[i] for i in self.places], getattr(row, "origin", ""))


class Rename(Passing):
    """The same rows under other names."""

    def __init__(self, child: Node, names: dict[str, str]) -> None:
        checks.check_columns_exist("rename", "input_columns", list(names), child.columns)
        columns = [names.get(name, name) for name in child.columns]
        if len(set(columns)) < len(columns):
            raise RuntimeError(
                f"`rename`: {names} gives two columns one name; the columns are {child.columns}."
            )
        super().__init__((child,), columns)
        self.names = names

    def rows(self, run: Run) -> Iterator[Row]:
        """Return the child's rows."""
        return self.rows_from(run, 0)

    def rows_from(self, run: Run, start: int) -> Iterator[Row]:
        """Return the same without the first ones."""
        names = {new: old for old, new in self.names.items()}
        return self.children[0].rows_from(run.stacked_child((), names), start)


# ---------------------------------------------------------------- several children


class Zip(Passing):
    """Rows side by side, as many as the shortest has."""

    def __init__(self, children: Sequence[Node]) -> None:
        columns = [name for child in children for name in child.columns]
        twice = sorted({name for name in columns if columns.count(name) > 1})
        if twice:
            raise RuntimeError(f"`zip`: the datasets share the columns {twice}. Use `rename`.")
        super().__init__(children, columns)

    def rows(self, run: Run) -> Iterator[Row]:
        """One row of each child, joined."""
        below = [iter(child.rows(run.child(i))) for i, child in enumerate(self.children)]
        for parts in zip(*below, strict=False):
            yield SourcedRow([column for part in parts for column in part], partial(_origins, parts))
        for i, rows in enumerate(below):
            self.leave(rows, run, i)

    def size(self) -> int:
        """Return the number of rows of the shortest child."""
        sizes = [child.size() for child in self.children if not child.endless]
        return min(sizes or [child.size() for child in self.children])

    @property
    def endless(self) -> bool:
        """True if all children are endless."""
        return all(child.endless for child in self.children)


def _origins(parts: Sequence[Row]) -> str:
    return " and ".join(filter(None, map(origin_of, parts)))
