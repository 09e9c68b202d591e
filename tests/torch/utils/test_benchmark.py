"""`torch.utils.benchmark`: times of statements and tables of them, in PyTorch 2.13's form."""

import re

import pytest

from msjax import torch
from msjax.torch.utils import benchmark


def test_a_statement_is_timed():
    seen = []
    timer = benchmark.Timer("seen.append(x)", "x = torch.ones(1)", globals={"seen": seen}, sub_label="one")
    measured = timer.timeit(number=3)
    assert len(seen) == 2 + 3
    assert isinstance(seen[0], torch.Tensor)
    assert (measured.number_per_run, len(measured.times), measured.stmt) == (3, 1, "seen.append(x)")
    assert measured.mean == measured.median > 0
    assert re.fullmatch(
        r"<.*Measurement object at 0x.*>\nseen.append\(x\)\nsetup: x = torch.ones\(1\)\n  .* .?s\n  "
        r"1 measurement, 3 runs , 1 thread",
        repr(measured),
    )
    for way in (timer.blocked_autorange, timer.adaptive_autorange):
        assert way(min_run_time=0.001).times


def _measured(seconds, **named):
    return benchmark.Measurement(1, seconds, benchmark.TaskSpec("f(x)", "pass", **named))


def test_tables():
    table = benchmark.Compare(
        [
            _measured([1e-3], label="L", sub_label="a", description="one"),
            _measured([2.5e-3], label="L", sub_label="b", description="one"),
            _measured([4e-2], label="L", sub_label="a", description="two", num_threads=2),
        ]
    )
    expected = """\
[--------- L ----------]
         |  one  |  two
1 threads: -------------
      a  |  1.0  |
      b  |  2.5  |
2 threads: -------------
      a  |       |  40.0

Times are in milliseconds (ms).
"""
    assert [line.rstrip() for line in str(table).split("\n")] == expected.split("\n")
    table.trim_significant_figures()
    assert "      b  |  2.500  |       \n" in str(table)
    table.colorize()
    assert "\033[92m\033[1m" in str(table)
    with pytest.raises(ValueError, match="Expected an instance of `Measurement`"):
        table.extend_results([1])


def test_times_that_differ_are_marked():
    measured = _measured([1.0, 1.1, 1.2, 2.0, 3.0])
    assert "  IQR:    0.90 s (1.10 to 2.00)" in repr(measured)
    assert "WARNING: Interquartile range is 75.0% of the median measurement." in repr(measured)
    assert (measured.significant_figures, benchmark.trim_sigfig(3.14159, 2)) == (1, 3.1)
