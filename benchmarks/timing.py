"""Time several ways to do one thing in turn, and print the ratios.

`CLOCK=cpu` in the environment measures the CPU time of the process instead of the clock's: what remains comparable while
other programs use the machine. Then torch gets one thread, because its threads count as working while they wait.
`CLOCK=thread` measures the CPU time of the thread that calls: Python and what it waits for busily, without XLA's threads.
"""

import os
import statistics
import time
from collections.abc import Callable

_CLOCK = os.environ.get("CLOCK", "")
ON_CPU_TIME = _CLOCK in ("cpu", "thread")
now = {"cpu": time.process_time, "thread": time.thread_time}.get(_CLOCK, time.perf_counter)


def interleaved(ways: dict[str, Callable[[], object]], calls: int, rounds: int = 15) -> dict[str, float]:
    """Median seconds per call of each way; the ways take turns, so that all see the same weather."""
    for way in ways.values():
        for _ in range(max(3, calls // 10)):
            way()
    return in_turn({name: seconds_of(way, calls) for name, way in ways.items()}, rounds)


def in_turn(
    ways: dict[str, Callable[[], float]],
    rounds: int,
    best: Callable[[list[float]], float] = statistics.median,
) -> dict[str, float]:
    """Return the measures of functions that time themselves, in turn and back; `best` of the rounds."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    order = list(ways)
    for _ in range(rounds):
        for name in order:
            times[name].append(ways[name]())
        order.reverse()
    return {name: best(found) for name, found in times.items()}


def seconds_of(
    way: Callable[[], object], calls: int, clock: Callable[[], float] = now
) -> Callable[[], float]:
    """A function that gives the seconds of one call."""

    def measure() -> float:
        start = clock()
        for _ in range(calls):
            way()
        return (clock() - start) / calls

    return measure


def table(title: str, seconds: dict[str, float], floor: str) -> str:
    """One table: microseconds, and how many times the floor that is (nothing, where the floor is none)."""
    lines = [f"\n{title}", f"{'':28}{'us':>10}{'x ' + floor:>16}"]
    for name, value in seconds.items():
        times = f"{value / seconds[floor]:16.2f}" if seconds[floor] else ""
        lines.append(f"{name:28}{value * 1e6:10.1f}{times}")
    return "\n".join(lines)
