"""`map` node: functions and transforms applied to columns of every row."""

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np

from msjax.dataset import config
from msjax.dataset.common import checks
from msjax.dataset.common.columns import (
    Blocks,
    Column,
    Row,
    SourcedRow,
    call_user_function,
    failed,
    name_of,
    origin_of,
    to_column,
)
from msjax.dataset.config import ErrorSamplesMode
from msjax.dataset.debug import DebugHook
from msjax.dataset.pipeline.callbacks import DSCallback, Reporter
from msjax.dataset.pipeline.executors import ThreadExecutor, run_in_order, threads
from msjax.dataset.pipeline.nodes import Node
from msjax.dataset.pipeline.processes import ProcessExecutor, kept_executors, pickled
from msjax.dataset.random import generators
from msjax.dataset.random.generators import Run, Worker

_REPLACEMENTS = 64  # good rows kept to stand in for bad ones
_AT_ONCE = 4  # rows that a thread gets at once
_IMAGES = ("msjax.dataset.vision.", "mindspore.dataset.vision.")  # a name that `install_as` may have given it


class Plan:
    """Column plan of a `map`: positions of its input columns in a row, and of its outputs in the result.

    As many outputs as inputs take the inputs' places; otherwise the outputs come first and the other columns
    after them. A column that an output's name displaces is gone.
    """

    def __init__(
        self, op: str, columns: Sequence[str], inputs: Sequence[str], outputs: Sequence[str]
    ) -> None:
        checks.check_columns_exist(op, "input_columns", inputs, columns)
        self.inputs, self.changed = [columns.index(name) for name in inputs], {*inputs, *outputs}
        self.outputs = list(outputs)
        if len(inputs) == len(outputs):
            new = dict(zip(inputs, outputs, strict=True))
            self.columns = [new.get(name, name) for name in columns if name in new or name not in outputs]
        else:
            self.columns = [
                *outputs,
                *(name for name in columns if name not in inputs and name not in outputs),
            ]
        self._places = [
            (True, self.outputs.index(name)) if name in outputs else (False, columns.index(name))
            for name in self.columns
        ]

    def place(self, row: Row, given: Sequence[Column]) -> Row:
        """Return the new row, from the old one and the function's results."""
        return SourcedRow(
            [given[i] if new else row[i] for new, i in self._places], getattr(row, "origin", "")
        )


def releases_lock(operation: Any) -> bool:
    """Return True if a transform spends its time outside of Python, and draws from nothing that threads share."""
    parts = getattr(operation, "transforms", None)
    if parts is not None:
        return generators.draws_natively(operation) and all(map(releases_lock, parts))
    known = generators.draws_natively(operation) and type(operation).__module__.startswith(_IMAGES)
    return known and not getattr(operation, "python_only", False)


class Map(Node):
    """Operations on some columns of each row.

    Args:
        operations: functions or transforms, each called with what the one before gave.
        input_columns: what the first one is called with. Default: the first column.
        output_columns: the names of what the last one gives. Default: those of the input.
        callbacks: what is told about the steps.
        workers: number of workers, each with its own random numbers.
        processes: whether functions in Python run in a process for each worker.
        row_sizes: how many MB of shared memory a row may take there, and back; -1: any.
    """

    def __init__(
        self,
        child: Node,
        operations: Sequence[Callable[..., Any]],
        input_columns: Sequence[str] | None,
        output_columns: Sequence[str] | None,
        callbacks: Sequence[DSCallback],
        workers: int | None = None,
        processes: bool = False,
        row_sizes: Sequence[int] = (-1, -1),
    ) -> None:
        inputs = child.columns[:1] if input_columns is None else input_columns
        self.plan = Plan("map", child.columns, inputs, inputs if output_columns is None else output_columns)
        super().__init__((child,), self.plan.columns)
        self.operations, self.callbacks = operations, callbacks
        self.workers, self.processes, self.row_sizes = workers, processes, row_sizes
        self.ahead = all(map(releases_lock, operations))
        self._steps = [_Step(one, following) for one, following in zip_longest(operations, operations[1:])]
        self._hooks: list[list[DebugHook]] = []

    def rows(self, run: Run) -> Iterator[Row]:
        """Return the rows with their new columns."""
        return self._rows(run, 0)

    def rows_from(self, run: Run, start: int) -> Iterator[Row]:
        """Return the same without the first ones; after a seed these are computed, as what follows draws after them."""
        exact = run.seeded or self.callbacks or config.get_error_samples_mode() != ErrorSamplesMode.RETURN
        return super().rows_from(run, start) if exact else self._rows(run, start)

    def _rows(self, run: Run, start: int) -> Iterator[Row]:
        mode = config.get_error_samples_mode()
        reporter = Reporter.of(run, self.callbacks) if self.callbacks and not run.silent else None
        good: list[Row] = []
        bad = 0
        for row, given in self._results(run, reporter, start):
            if isinstance(given, Exception):
                if mode == ErrorSamplesMode.RETURN or not isinstance(given, RuntimeError):
                    raise given
                bad += 1
                continue
            new = self.plan.place(row, given)
            if mode == ErrorSamplesMode.REPLACE and len(good) < _REPLACEMENTS:
                good.append(new)
            yield new
            if reporter:
                reporter.step_ends()
        if mode == ErrorSamplesMode.REPLACE and good:
            yield from ([*good[i % len(good)]] for i in range(bad))

    @property
    def foreseen(self) -> bool:
        """True if there are no functions of the user's."""
        return self.ahead and not self.callbacks and self.children[0].foreseen

    def draws(self, run: Run) -> bool:
        """Return True if a transform drew, or a function might have."""
        workers = run.workers(self.workers or config.get_num_parallel_workers())
        native = all(map(generators.draws_natively, self.operations))
        return not native or any(one.drawn for one in workers.all) or super().draws(run)

    def _results(self, run: Run, reporter: Reporter | None, start: int) -> Iterator[tuple[Row, Any]]:
        """Each row with the columns that the operations give for it, or the error."""
        self._hooks = _hooks(self.operations)
        workers = run.workers(self.workers or config.get_num_parallel_workers())
        rows = self.children[0].rows_from(run.stacked_child(self.plan.changed), start)
        work = (
            self._sendable() if self.processes and not (run.inline or self.callbacks or self.ahead) else None
        )
        if work is not None:
            begin = workers.turn()
            with kept_executors(run, lambda: self._in_processes(work, workers.all)) as executors:
                results = run_in_order(rows, executors, begin, _AT_ONCE)

                def another() -> ProcessExecutor:
                    return self._in_processes(work, [Worker(0, False, 0)])[0]

                for pair in self.enlarging(results, executors, another, lambda: not run.seeded):
                    workers.next()
                    yield pair
        elif run.inline or self.callbacks or not self.ahead:
            for row in rows:
                if run.cancelled:
                    return
                if reporter:
                    reporter.step_begins()
                try:
                    yield row, self._apply(workers.next(), row)
                except RuntimeError as error:
                    yield row, error
        else:
            # Each worker has its own thread, and with it its own random numbers: values depend on no other thread.
            places = self._places(run)
            begin = workers.turn()

            def work_of(worker: Worker) -> Callable[[Any], Any]:
                return partial(self._apply_numbered, worker, places)

            def more() -> ThreadExecutor:
                return ThreadExecutor(work_of(Worker(0, False, 0)))

            def free() -> bool:
                return not (run.seeded and any(one.drawn for one in workers.all))

            with threads(map(work_of, workers.all)) as executors:
                results = run_in_order(enumerate(rows), executors, begin, _AT_ONCE)
                for (_, row), given in self.enlarging(results, executors, more, free):
                    if run.cancelled:
                        return
                    workers.next()
                    yield row, given
                if self.stage:
                    self.stage.threads = len(executors)
                    self.stage.busy += sum(one.busy for one in executors)
        workers.next()

    def _sendable(self) -> bytes | None:
        names = ", ".join(f"`{name_of(one)}`" for one in self.operations)
        native = any(map(generators.draws_natively, self.operations))
        return pickled(
            f"`map`: operation {names}", self.operations if not native else _Operations(self.operations)
        )

    def _in_processes(self, work: bytes, workers: Sequence[Worker]) -> list[ProcessExecutor]:
        native = any(map(generators.draws_natively, self.operations))

        def fail(row: Row, kind: str, text: str, line: str, name: str) -> Exception:
            where = f"`map`: operation `{name_of(self.operations[0]) if native else name}`"
            origin = origin_of(row)
            given = f", given {origin}," if origin else ""
            return RuntimeError(f"{where}{given} raised {kind}: {text}{line or self.made}")

        def prepare(row: Row) -> tuple[Column, ...]:
            return tuple(row[i] for i in self.plan.inputs)

        where = "`map`: operation " + ", ".join(f"`{name_of(one)}`" for one in self.operations)
        return [
            ProcessExecutor(
                where,
                "callable" if native else "functions",
                work,
                one.seeds,
                origin_of,
                prepare,
                self._check_columns,
                fail,
                made=self.made,
                row_sizes=self.row_sizes,
            )
            for one in workers
        ]

    def _places(self, run: Run) -> list[Blocks | None]:
        """Return, for each output, the memory of the batches that it goes into, if the next step makes them."""
        length, names = run.stacked
        if config.get_error_samples_mode() != ErrorSamplesMode.RETURN:  # rows are left out
            return []
        places = [Blocks(length, run.empty) if name in names else None for name in self.plan.outputs]
        return places if any(places) else []

    def _apply_numbered(
        self, worker: Worker, places: list[Blocks | None], item: tuple[int, Row]
    ) -> list[Column]:
        number, row = item
        if not places:
            return self._apply(worker, row)
        slots = [one and one.slot(number) for one in places]
        columns = self._apply(worker, row, slots[0] if len(slots) == 1 else None)
        return [
            column if place is None or column is slot else place.placed(number, column, slot)
            for place, slot, column in zip(places, slots, columns, strict=True)
        ]

    def _apply(self, worker: Worker, row: Row, slot: np.ndarray | None = None) -> list[Column]:
        values = tuple(row[i] for i in self.plan.inputs)
        outside = generators.swap_worker(worker)
        last, fused, native = len(self._steps) - 1, False, True
        try:
            self._look(0, values)
            for worker.place, step in enumerate(self._steps):
                if fused:
                    fused = False
                    continue
                if step.native is not native:
                    native = step.native
                    generators.swap_worker(worker if native else None)
                try:
                    operation, fused = (step.operation, False) if self._hooks else step.choose(values)
                    if (
                        slot is not None
                        and worker.place + fused == last
                        and _write_result(operation, values, slot)
                    ):
                        return [slot]
                    given = operation(*values)
                except Exception as error:
                    where = f"`map`: operation `{name_of(step.operation)}`"
                    raise failed(error, where, row, self.made) from error
                values = given if isinstance(given, tuple) else (given,)
                self._look(worker.place + 1, values)
        finally:
            generators.swap_worker(outside)
        return self._check_columns(row, values)

    def _look(self, place: int, values: tuple[Any, ...]) -> None:
        """Show values to the hooks before the first operation, 0, or after another one."""
        for hook in self._hooks[place] if self._hooks else ():
            call_user_function(hook, values, f"`map`: hook `{name_of(hook)}`", made=self.made)

    def _check_columns(self, row: Row, values: Sequence[Any]) -> list[Column]:
        try:
            if len(values) == len(self.plan.outputs):
                return [to_column(value, "it") for value in values]
            wanted = f"{len(self.plan.outputs)}, as output_columns={self.plan.outputs}"
            raise RuntimeError(f"it gave {len(values)} columns. Expected: {wanted}.")
        except RuntimeError as error:
            origin = origin_of(row)
            where = (
                f"`map`: operation `{name_of(self.operations[-1])}`{f', given {origin},' if origin else ''}"
            )
            raise RuntimeError(f"{where} {str(error).removeprefix('it ')}{self.made}") from error.__cause__


def _hooks(operations: Sequence[Callable[..., Any]]) -> list[list[DebugHook]]:
    """Return the hooks of debug mode before the first operation and after each one; none if it is off."""
    hooks = config.debug_hooks()
    if not hooks:
        return []
    names = [name_of(one) for one in operations]
    around = []
    for number, name in enumerate([names[0], *names]):
        copies = copy.deepcopy(hooks)  # each may keep what it likes
        for hook in copies:
            hook.set_previous_op_name(name)
            hook.set_is_first(number == 0)
        around.append(copies)
    return around


class _Step:
    """An operation of a `map`.

    Args:
        operation: it.
        following: the next one, or None.
    """

    def __init__(self, operation: Callable[..., Any], following: Callable[..., Any] | None) -> None:
        self.operation, self.native = operation, generators.draws_natively(operation)
        join = getattr(operation, "joined_with", None) if self.native else None
        self._joined = join(following) if join else None

    def choose(self, values: tuple[Any, ...]) -> tuple[Callable[..., Any], bool]:
        """Return what is called with these values: the operation; or one that does the next one's work too, and True."""
        joined = self._joined
        return (self.operation, False) if joined is None or not joined.accepts(*values) else (joined, True)


def _write_result(operation: Any, values: tuple[Any, ...], slot: np.ndarray) -> bool:
    """Return True if an operation can write its result to a given place, and has."""
    write = getattr(operation, "write", None)
    return write is not None and len(values) == 1 and write(values[0], slot)


class _Operations:
    """Operations with transforms of this package among them, in a worker process.

    Args:
        operations: them.
    """

    def __init__(self, operations: Sequence[Callable[..., Any]]) -> None:
        self.operations = operations
        self.worker: Worker | None = None

    def begin(self, seeds: tuple[int, int] | None) -> None:
        """Set the seeds of the transforms' random numbers."""
        self.worker = Worker(0, False, 0)
        self.worker.seeds = seeds

    def __call__(self, columns: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return what the last operation gives."""
        worker = self.worker
        assert worker is not None
        before = generators.swap_worker(worker)
        try:
            for place, operation in enumerate(self.operations):
                worker.place = place
                native = generators.draws_natively(operation)
                generators.swap_worker(worker if native else None)
                columns = generators.apply_in_order((operation,), columns)
        finally:
            generators.swap_worker(before)
        return columns
