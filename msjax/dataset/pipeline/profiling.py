"""Profile of a pipeline: how long each step takes, and who waits for whom."""

import copy
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from msjax.dataset.common.columns import Row
from msjax.dataset.pipeline.nodes import Node


class Stage:
    """Times of one step.

    Args:
        name: of the step.
        below: the steps that its rows come from.

        node: the step.

    Attributes:
        rows: how many it gave.
        seconds: how long those who asked waited for them.
        busy: how long its threads worked, all of them together; 0 without threads.
        threads: how many it has.
        workers: how many threads or processes work for it now; 0 without such.
        free: whether more of them would change no value.
        wanted: how many there should be, if it is free.
    """

    def __init__(self, name: str, below: "list[Stage]", node: Node) -> None:
        self.name, self.below, self.node = name, below, node
        self.rows, self.seconds, self.busy, self.threads = 0, 0.0, 0.0, 0
        self.workers, self.free, self.wanted = 0, False, 0
        self._inside = False

    @property
    def own(self) -> float:
        """Seconds less those that it waited for the steps below."""
        return max(self.seconds - sum(one.seconds for one in self.below), 0.0)

    def enlarging(
        self, results: Iterator[Any], executors: list[Any], make: Callable[[], Any], free: Callable[[], bool]
    ) -> Iterator[Any]:
        """Yield the results of threads or processes; meanwhile those that are wanted are made, if the step is free to."""
        for result in results:
            self.free = free()
            while self.free and len(executors) < self.wanted:
                executors.append(make())
            self.workers = len(executors)
            yield result

    def timed(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """Return a method of a node that gives rows, which counts them and their time."""

        def counted(*arguments: Any) -> Any:
            rows = method(*arguments)
            return None if rows is None else self._count(rows)

        return counted

    def _count(self, rows: Iterator[Row]) -> Iterator[Row]:
        while True:
            outer, self._inside = not self._inside, True
            begin = time.perf_counter()
            try:
                row = next(rows, None)
            finally:
                if outer:
                    self._inside = False
                    self.seconds += time.perf_counter() - begin
            if row is None:
                return
            self.rows += outer
            yield row

    def __iter__(self) -> "Iterator[Stage]":
        for one in self.below:
            yield from one
        yield self


class Profile:
    """Times of the pipelines of a block; its text is a table.

    Attributes:
        stages: the last step of each iterator, which has those below it.
        waited: seconds that the program waited for rows.
        computed: seconds that it did something else between them.
    """

    def __init__(self) -> None:
        self.stages: list[Stage] = []
        self.waited = self.computed = 0.0

    def of(self, node: Node) -> Node:
        """Return a copy of a pipeline that counts."""
        counting, stage = _counting(node)
        self.stages.append(stage)
        return counting

    def __str__(self) -> str:
        lines = [f"{'step':32} {'rows':>8} {'ms a row':>9} {'own ms':>9}  threads busy"]
        for last in self.stages:
            for one in last:
                count = max(one.rows, 1)
                share = one.busy / one.threads / one.seconds if one.threads and one.seconds else None
                threads = "" if share is None else f"{one.threads} x {min(share, 1):.0%}"
                times = f"{1e3 * one.seconds / count:9.3f} {1e3 * one.own / count:9.3f}"
                lines.append(f"{one.name[:32]:32} {one.rows:8} {times}  {threads}".rstrip())
        total = self.waited + self.computed
        if total:
            lines.append(f"The program waits for rows for {self.waited / total:.0%} of its time.")
        return "\n".join(lines)


def _counting(node: Node) -> tuple[Node, Stage]:
    below = [_counting(child) for child in node.children]
    made = copy.copy(node)
    made.children = tuple(child for child, _ in below)
    text = getattr(node, "op", type(node).__name__.lower())
    names = ", ".join(getattr(one, "__name__", type(one).__name__) for one in getattr(node, "operations", ()))
    made.stage = stage = Stage(f"{text} {names}".strip(), [one for _, one in below], node)
    for name in ("rows", "rows_from", "rows_stacked"):
        if hasattr(made, name):
            setattr(made, name, stage.timed(getattr(made, name)))
    return made, stage


_current: list[Profile] = []


def current() -> Profile | None:
    """Return the profile that the innermost block makes."""
    return _current[-1] if _current else None


@contextmanager
def profile_stages() -> Iterator[Profile]:
    """Measure the pipelines whose iterators are made in a block, step by step.

    The table has for each step how long who asked for a row waited for it (`ms a row`), and how much of that was not
    waiting for the steps before (`own ms`); for a `map` in threads the latter is mostly waiting for these, which are
    busy all the time where they are too few. Its last line says whether the pipeline or the program is the slower one.

    Returns:
        A context manager, whose value is the `Profile`.

    Examples:
        >>> import numpy as np
        >>> import msjax.dataset as ds
        >>> from msjax.dataset.pipeline.profiling import profile_stages
        >>> data = ds.NumpySlicesDataset(np.zeros((8, 4, 4, 3), np.uint8), "x").map(ds.vision.HWC2CHW(), "x").batch(2)
        >>> with profile_stages() as profile:
        ...     for batch in data.create_tuple_iterator(num_epochs=1):
        ...         pass
        >>> [(stage.name, stage.rows) for stage in profile.stages[0]]
        [('NumpySlicesDataset', 8), ('map HWC2CHW', 8), ('batch', 4)]
    """
    profile = Profile()
    _current.append(profile)
    try:
        yield profile
    finally:
        _current.remove(profile)
