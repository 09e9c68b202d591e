"""Time several ways to do one thing in turn, and print the ratios of their medians."""

import statistics
import time
from collections.abc import Callable


def interleaved(ways: dict[str, Callable[[], object]], calls: int, rounds: int = 15) -> dict[str, float]:
    """Median seconds per call of each way; the ways take turns, so that all see the same weather."""
    for way in ways.values():
        for _ in range(max(3, calls // 10)):
            way()
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            start = time.perf_counter()
            for _ in range(calls):
                way()
            times[name].append((time.perf_counter() - start) / calls)
    return {name: statistics.median(found) for name, found in times.items()}


def table(title: str, seconds: dict[str, float], floor: str) -> str:
    """One table: microseconds, and how many times the floor that is."""
    lines = [f"\n{title}", f"{'':28}{'us':>10}{'x ' + floor:>16}"]
    for name, value in seconds.items():
        lines.append(f"{name:28}{value * 1e6:10.1f}{value / seconds[floor]:16.2f}")
    return "\n".join(lines)
