"""`torch.profiler`: what a program marks with `record_function` is timed, and JAX's profiler may write a trace."""

import enum
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn, Self

import jax

from msjax.public_api import torch_api

_running: list["profile"] = []


class ProfilerActivity(enum.Enum):
    """Activities that a profiler can look at."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    PrivateUse1 = 4


class ProfilerAction(enum.Enum):
    """Actions that a schedule gives a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, **others: Any
) -> Callable:
    """Return a function from the number of a step to what is done in it.

    Args:
        wait: steps without the profiler.
        warmup: steps that are dropped.
        active: steps that count.
        repeat: how many times; 0: without end.
        skip_first: steps before all.
        **others: of no effect.
    """
    whole = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        step -= skip_first
        if step < 0 or (repeat and step // whole >= repeat):
            return ProfilerAction.NONE
        at = step % whole
        if at < wait:
            return ProfilerAction.NONE
        if at < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if at == whole - 1 else ProfilerAction.RECORD

    return action


class record_function(jax.profiler.TraceAnnotation):  # noqa: N801 - PyTorch's name
    """A context whose time is kept under a name, and shown in JAX's traces."""

    def __init__(self, name: str, args: str | None = None) -> None:
        super().__init__(name)
        self.name = name

    def __enter__(self) -> Self:
        self._begin = time.perf_counter()
        super().__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        for each in _running:
            each._keep(self.name, self._begin, time.perf_counter())


class _Averages(list):
    """Names with their times."""

    def table(self, sort_by: str | None = None, row_limit: int = 100, **others: Any) -> str:
        """Return the times as text, the longest first."""
        rows = sorted(self, key=lambda row: -row.cpu_time_total)[: row_limit if row_limit > 0 else None]
        lines = [f"{'Name':<40}  {'CPU total':>12}  {'# of Calls':>10}"]
        lines += [f"{row.key:<40}  {row.cpu_time_total / 1000:>10.3f}ms  {row.count:>10}" for row in rows]
        return "\n".join(lines)


class _Row:
    def __init__(self, key: str, times: list[float]) -> None:
        self.key, self.count = key, len(times)
        self.cpu_time_total = self.self_cpu_time_total = sum(times) * 1e6
        self.cpu_time = self.cpu_time_total / self.count
        self.device_time_total = self.cuda_time_total = 0.0


class profile:  # noqa: N801 - PyTorch's name
    """A context that keeps the times of what `record_function` marks. Operators are not timed one by one.

    Args:
        activities: of no effect.
        schedule: from the number of a step to what is done in it.
        on_trace_ready: called with the profiler at the end, and when the schedule says so.
        **others: of no effect.

    Examples:
        >>> from msjax import torch
        >>> with torch.profiler.profile() as found:
        ...     with torch.profiler.record_function("forward"):
        ...         y = torch.ones(2) * 2
        >>> [(row.key, row.count) for row in found.key_averages()]
        [('forward', 1)]
    """

    def __init__(
        self, *, activities: Iterable[Any] | None = None, schedule: Callable | None = None,
        on_trace_ready: Callable | None = None, **others: Any,
    ) -> None:  # fmt: skip
        self.schedule, self.on_trace_ready, self.step_num = schedule, on_trace_ready, 0
        self._events: list[tuple[str, float, float]] = []
        self._on = True

    def _keep(self, name: str, begin: float, end: float) -> None:
        if self._on:
            self._events.append((name, begin, end))

    def _decide(self) -> ProfilerAction:
        action = ProfilerAction.RECORD if self.schedule is None else self.schedule(self.step_num)
        self._on = action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        return action

    def start(self) -> None:
        """Begin."""
        self._action = self._decide()
        _running.append(self)

    def stop(self) -> None:
        """End."""
        _running.remove(self)
        if self.on_trace_ready is not None and self._on:
            self.on_trace_ready(self)

    def step(self) -> None:
        """Say that a step has ended."""
        if self._action is ProfilerAction.RECORD_AND_SAVE and self.on_trace_ready is not None:
            self.on_trace_ready(self)
            self._events = []
        self.step_num += 1
        self._action = self._decide()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def events(self) -> list[Any]:
        """Each mark by itself."""
        return [_Row(name, [end - begin]) for name, begin, end in self._events]

    def key_averages(self, *args: Any, **named: Any) -> _Averages:
        """Return the marks by their names."""
        times: dict[str, list[float]] = defaultdict(list)
        for name, begin, end in self._events:
            times[name].append(end - begin)
        return _Averages(_Row(name, each) for name, each in times.items())

    def export_chrome_trace(self, path: str) -> None:
        """Write the marks for chrome://tracing."""
        events = [
            {"name": name, "ph": "X", "ts": begin * 1e6, "dur": (end - begin) * 1e6, "pid": 0, "tid": 0}
            for name, begin, end in self._events
        ]
        Path(path).write_text(json.dumps({"traceEvents": events}))


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False
) -> Callable:
    """Return a function that writes a profiler's marks into a folder."""

    def handle(found: profile) -> None:
        Path(dir_name).mkdir(parents=True, exist_ok=True)
        name = tempfile.mktemp(".pt.trace.json", f"{worker_name or 'worker'}.", dir_name)
        found.export_chrome_trace(name)

    return handle


def __getattr__(name: str) -> Any:
    return torch_api.lookup("torch.profiler", name)


class FlopCounterMode:
    """`torch.utils.flop_counter.FlopCounterMode`: it can be made and has counted nothing; counting raises.

    Args:
        mods: of no effect.
        depth: of no effect.
        display: of no effect.
        custom_mapping: of no effect.
    """

    def __init__(
        self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: Any = None
    ) -> None:
        self.depth, self.display = depth, display

    def __enter__(self) -> NoReturn:
        raise NotImplementedError(
            "`FlopCounterMode`: operations are not counted in msjax.torch. `jax.jit(f).lower(x).compile()` has "
            "`cost_analysis()`."
        )

    def __exit__(self, *_: object) -> None:
        """Never comes."""

    def get_total_flops(self) -> int:
        """0: nothing was counted."""
        return 0

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """Nothing was counted."""
        return {"Global": {}}
