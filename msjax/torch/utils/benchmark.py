"""`torch.utils.benchmark`: times of statements, and tables that compare them. Callgrind and fuzzers are not there."""

import contextlib
import dataclasses
import enum
import math
import statistics
import sys
import textwrap
import timeit as python_timeit
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import jax
import numpy as np

from msjax.public_api import torch_api

_UNITS = {
    "ns": (1e-9, "nanosecond"),
    "us": (1e-6, "microsecond"),
    "ms": (1e-3, "millisecond"),
    "s": (1.0, "second"),
}
_SUSPICIOUS, _GROSS = 0.1, 0.25  # interquartile ranges as parts of the median
_MOST_FIGURES, _LEAST_INTERVAL = 4, 25e-9

timer = python_timeit.default_timer


class Language(enum.Enum):
    """Language of a statement: C++ is not there."""

    PYTHON = 0
    CPP = 1


class Colorize(enum.Enum):
    """Choice of what the colours of a table compare."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


def select_unit(t: float) -> tuple[str, float]:
    """Return the unit for a time in seconds, and how many seconds it is."""
    unit = {-3: "ns", -2: "us", -1: "ms"}.get(int(math.log10(t) // 3) if t > 0 else -3, "s")
    return unit, _UNITS[unit][0]


def unit_to_english(u: str) -> str:
    """Return the name of a unit."""
    return _UNITS[u][1]


def trim_sigfig(x: float, n: int) -> float:
    """Return a number with n significant figures."""
    scale = 10 ** (math.ceil(math.log10(abs(x))) - n)
    return float(round(x / scale) * scale)


def ordered_unique(elements: Iterable[Any]) -> list[Any]:
    """Return the elements, each once."""
    return list(dict.fromkeys(elements))


@contextlib.contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """Do nothing: XLA has its own number of threads."""
    yield


@dataclasses.dataclass(repr=False, eq=False)
class CopyIfCallgrind:
    """A value for a statement."""

    value: Any
    setup: str | None = None


@dataclasses.dataclass(frozen=True)
class TaskSpec:
    """A statement to time, with its names in tables."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The labels, or the statement."""
        if self.label is not None:
            return self.label + (f": {self.sub_label}" if self.sub_label else "")
        if "\n" not in self.stmt:
            return self.stmt
        return f"stmt:{f' ({self.sub_label})' if self.sub_label else ''}\n{textwrap.indent(self.stmt, '  ')}"

    def setup_str(self) -> str:
        """Return the setup, if there is one."""
        if self.setup in ("", "pass"):
            return ""
        return (
            f"setup:\n{textwrap.indent(self.setup, '  ')}" if "\n" in self.setup else f"setup: {self.setup}"
        )

    def summarize(self) -> str:
        """Return title, description and setup, each in its line."""
        parts = [self.title, self.description or "", self.setup_str()]
        return "\n".join(f"{part}\n" if "\n" in part else part for part in parts if part)


@dataclasses.dataclass(repr=False)
class Measurement:
    """Times of a statement.

    Attributes:
        number_per_run: how often it ran for each of the times.
        raw_times: in seconds, of that many runs each.
        task_spec: the statement.
        metadata: anything.
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the statement."""
        if name.startswith("_") or name not in TaskSpec.__dataclass_fields__:
            raise AttributeError(f"'Measurement' object has no attribute {name!r}")
        return getattr(self.task_spec, name)

    @property
    def times(self) -> list[float]:
        """Seconds of one run."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def median(self) -> float:
        """Median of the times."""
        return statistics.median(self.times)

    @property
    def mean(self) -> float:
        """Mean of the times."""
        return statistics.fmean(self.times)

    def _quartiles(self) -> tuple[float, float]:
        low, high = np.quantile(self.times, (0.25, 0.75))
        return float(low), float(high)

    @property
    def iqr(self) -> float:
        """Interquartile range of the times."""
        low, high = self._quartiles()
        return high - low

    @property
    def significant_figures(self) -> int:
        """An estimate of how many figures of the median mean something."""
        times, n = sorted(self.times), len(self.times)
        middle = times[n // 4 : math.ceil(3 * n / 4)]
        interval = max(1.645 * statistics.pstdev(middle) / math.sqrt(len(middle)), _LEAST_INTERVAL)
        return min(max(math.floor(math.log10(self.median / interval)), 1), _MOST_FIGURES)

    @property
    def has_warnings(self) -> bool:
        """True if the times differ much."""
        return not self.meets_confidence()

    def meets_confidence(self, threshold: float = _SUSPICIOUS) -> bool:
        """Return True if the interquartile range is a small part of the median."""
        return self.iqr / self.median < threshold

    @property
    def title(self) -> str:
        """That of the statement."""
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        """Name of the row in a table."""
        return self.sub_label or self.stmt or "[Unknown]"

    def __repr__(self) -> str:
        unit, scale = select_unit(self.median)
        n, threads = len(self.times), self.num_threads
        lines = [object.__repr__(self), self.task_spec.summarize()]
        lines.append(f"  {'Median: ' if n > 1 else ''}{self.median / scale:.2f} {unit}")
        if n >= 4:
            low, high = self._quartiles()
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({low / scale:.2f} to {high / scale:.2f})")
        runs = f"{self.number_per_run} runs {'per measurement,' if n > 1 else ','}"
        lines.append(f"  {n} measurement{'s' * (n > 1)}, {runs} {threads} thread{'s' * (threads > 1)}")
        if self.has_warnings:
            gross = not self.meets_confidence(_GROSS)
            why = (
                "suggests significant environmental influence"
                if gross
                else "could indicate system fluctuation"
            )
            percent = self.iqr / self.median * 100
            lines.append(
                f"  WARNING: Interquartile range is {percent:.1f}% of the median measurement.\n           This {why}."
            )
        return "\n".join(lines)

    @staticmethod
    def merge(measurements: Iterable["Measurement"]) -> list["Measurement"]:
        """Return one measurement of each statement, with the times of all of its own."""
        groups: dict[TaskSpec, list[float]] = {}
        for each in measurements:
            groups.setdefault(each.task_spec, []).extend(each.times)
        return [Measurement(1, times, spec) for spec, times in groups.items()]


class Timer:
    """Times a statement.

    Times end when all results are there.

    Args:
        stmt: the statement.
        setup: what runs before.
        global_setup: of C++, and must be empty.
        timer: gives the time in seconds.
        globals: names for the statement.
        label, sub_label, description, env, num_threads: names in tables; XLA has its own number of threads.
        language: Python.

    Examples:
        >>> from msjax import torch
        >>> timer = torch.utils.benchmark.Timer("x * 2", globals={"x": torch.ones(3)}, label="twice")
        >>> measured = timer.timeit(10)
        >>> measured.number_per_run, measured.title, measured.median > 0
        (10, 'twice', True)
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Language | str = Language.PYTHON,
    ) -> None:
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if language not in (Language.PYTHON, "py", "python"):
            raise NotImplementedError(
                "`torch.utils.benchmark.Timer`: argument `language` must be Python in msjax.torch."
            )
        assert not global_setup, (
            f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to `setup`."
        )
        names = {k: v.value if isinstance(v, CopyIfCallgrind) else v for k, v in (globals or {}).items()}
        names.setdefault("torch", torch_api.module_named("torch"))
        stmt, setup = (textwrap.dedent(text.strip("\n")).rstrip() for text in (stmt, setup))
        self._timer = python_timeit.Timer(stmt, setup, timer, names)
        self._clock = timer
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)

    def _timeit(self, number: int) -> float:
        taken, begun = self._timer.timeit(number), self._clock()
        for each in jax.devices():
            if (
                each.platform != "cpu"
            ):  # Python goes on while an accelerator computes, one program after another
                (jax.device_put(np.float32(0), each) + 1).block_until_ready()
        return max(taken + self._clock() - begun, 1e-9)

    def timeit(self, number: int = 1000000) -> Measurement:
        """Return the time of so many runs, after some that do not count."""
        self._timeit(max(number // 100, 2))
        return Measurement(number, [self._timeit(number)], self._task_spec)

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        """Raise: PyTorch's timer has no such method, Python's has."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _block_size(self, min_run_time: float) -> int:
        overhead, number = statistics.median(self._timeit(0) for _ in range(5)), 1
        while True:
            taken = self._timeit(number)
            if taken > min_run_time or (overhead / taken <= 1e-4 and taken >= min_run_time / 1000):
                return number
            number *= 10

    def _measure(
        self,
        number: int,
        enough: Callable[[list[float]], bool],
        min_run_time: float,
        max_run_time: float = math.inf,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:
        times: list[float] = []
        while (sum(times) < min_run_time or not enough(times)) and sum(times) <= max_run_time:
            times.append(self._timeit(number))
            if callback is not None:
                callback(number, times[-1])
        return Measurement(number, times, self._task_spec)

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Return times of blocks of runs that are long beside the timer's overhead."""
        return self._measure(
            self._block_size(min_run_time), lambda times: True, min_run_time, callback=callback
        )

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:
        """Return times of blocks, until their interquartile range is a small part of their median."""

        def enough(times: list[float]) -> bool:
            return len(times) > 3 and Measurement(1, times, self._task_spec).meets_confidence(threshold)

        return self._measure(self._block_size(0.05), enough, min_run_time, max_run_time, callback)

    def collect_callgrind(self, *args: Any, **named: Any) -> None:
        """Raise: instructions are not counted."""
        raise NotImplementedError(
            "`torch.utils.benchmark.Timer.collect_callgrind` is not implemented in msjax.torch."
        )


class Compare:
    """A table of measurements: labels are tables, descriptions columns, and what is in them rows.

    Args:
        results: the measurements.
    """

    def __init__(self, results: Sequence[Measurement]) -> None:
        self._results: list[Measurement] = []
        self._trim = self._warn = False
        self._colorize = Colorize.NONE
        self.extend_results(results)

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Add measurements.

        Raises:
            ValueError: for something else.
        """
        for each in results:
            if not isinstance(each, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(each)} instead.")
            self._results.append(each)

    def trim_significant_figures(self) -> None:
        """Print no more figures than mean something."""
        self._trim = True

    def colorize(self, rowwise: bool = False) -> None:
        """Print the best and worst of each column, or row, in colours."""
        self._colorize = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self) -> None:
        """Mark times that differ much."""
        self._warn = True

    def print(self) -> None:
        """Print the table."""
        sys.stdout.write(f"{self}\n")

    def __str__(self) -> str:
        tables: dict[Any, list[Measurement]] = {}
        for each in Measurement.merge(self._results):
            tables.setdefault(each.label, []).append(each)
        return "\n".join(self._table(label, each) for label, each in tables.items())

    def _table(self, label: str | None, results: list[Measurement]) -> str:
        unit, scale = select_unit(min(r.median for r in results))
        columns = ordered_unique(r.description for r in results)
        rows = sorted(
            ordered_unique((r.num_threads, r.env or "", r.as_row_name) for r in results),
            key=lambda row: row[:2],
        )
        cells = {((r.num_threads, r.env or "", r.as_row_name), r.description): r for r in results}
        by_column = {c: [r for r in results if r.description == c] for c in columns}
        several = len({r.env for r in results}) > 1
        widest = max(len(row[1]) for row in rows) + 4 if several else 4
        texts = [["", *[c or "" for c in columns]]]
        before = None
        for row in rows:
            env = f"({row[1] or None})" if several and row[:2] != before else ""
            before = row[:2]
            texts.append(["  " + env.ljust(widest) + row[2]])
            texts[-1] += [self._number(cells.get((row, c)), by_column[c], scale) for c in columns]
        widths = [max(map(len, each)) for each in zip(*texts, strict=True)]
        lines = ["  |  ".join(t.center(w) for t, w in zip(texts[0], widths, strict=True))]
        overall, threads = len(lines[0]), None
        for row, text in zip(rows, texts[1:], strict=True):
            if row[0] != threads:
                threads = row[0]
                lines.append(f"{threads} threads: ".ljust(overall, "-"))
            parts = [text[0].ljust(widths[0])]
            for column, t, width in zip(columns, text[1:], widths[1:], strict=True):
                parts.append(self._colored(t.center(width), (row, column), cells))
            lines.append("  |  ".join(parts))
        note = "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.\n"
        marked = note if self._warn and any(r.has_warnings for r in results) else ""
        title = f" {label or ''} ".center(overall - 2, "-")
        return "\n".join(
            [f"[{title}]", *lines, "", f"Times are in {unit_to_english(unit)}s ({unit}).", marked]
        )

    def _number(self, result: Measurement | None, column: list[Measurement], scale: float) -> str:
        """Return a cell, as wide as the others of its column."""
        digits = [(r, math.ceil(math.log10(r.median / scale))) for r in column]
        places = min(max(r.significant_figures - n, 0) for r, n in digits) if self._trim else 1
        length = max(n for _, n in digits) + places + (places > 0)
        mark = 7 if self._warn and any(r.has_warnings for r in column) else 0
        if result is None:
            return " " * (max(length, 1 + places + (places > 0)) + mark)
        value = result.median / scale
        if self._trim:
            value = trim_sigfig(value, result.significant_figures)
        spread = f" (! {result.iqr / result.median * 100:.0f}%)" if mark and result.has_warnings else ""
        return f"{value:>{length}.{places}f}{spread:>{mark}}"

    def _colored(self, text: str, place: tuple, cells: dict) -> str:
        if self._colorize is Colorize.NONE or place not in cells:
            return text
        index = 0 if self._colorize is Colorize.ROWWISE else 1
        value, best = (
            cells[place].median,
            min(r.median for key, r in cells.items() if key[index] == place[index]),
        )
        for code, worse in (("92m\033[1m", value <= max(best * 1.01, best + 1e-7)), ("34m\033[1m", value <= best * 1.1),
                            ("31m\033[1m", value >= best * 5), ("2m\033[91m", value >= best * 2)):  # fmt: skip
            if worse:
                return f"\033[{code}{text}\033[0m\033[0m"
        return text


__getattr__ = partial(torch_api.lookup, "torch.utils.benchmark")
