"""Programs that bind names to Tensors in branches and loops, as MindSpore 2.10 runs them in both of its modes.

MSJAX_ALL_PROGRAMS=1 runs all of them, otherwise every eighth, of the wide ones every sixteenth.
"""

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest

import msjax
from tests.goldens import programs_cases as cases
from tests.goldens.random_programs import HEAD, RICH_HEAD, Block, RichWriter, Writer, shrink, source

PROGRAMS = json.loads(gzip.decompress((Path(cases.__file__).parent / "programs.json.gz").read_bytes()))
WIDE = [name for name in PROGRAMS if name.startswith("wide")]
SEVERAL = [*[name for name in PROGRAMS if name not in WIDE][::8], *WIDE[::16]]
RUN = list(PROGRAMS) if os.environ.get("MSJAX_ALL_PROGRAMS") else SEVERAL

_ORDER = "MindSpore 2.10 reads a Tensor before, or after, a line that changes it under another name"
_ALIAS = "MindSpore 2.10's gradients of what is changed in place miss some of the names that a Tensor has after a branch"
_LEFT = "MindSpore 2.10 leaves the caller's Tensor alone where a branch may bind the variable anew"
_ARGUMENT = (
    "MindSpore 2.10 has gradients by the value of an argument before it was assigned to, in eager code"
)
_ITEM = (
    "MindSpore 2.10 has no gradients by a Tensor that `x[i] = y` changes, or by `items[i]` with a Tensor `i`"
)
_ADDED = (
    "MindSpore 2.10's compiled gradients flow to what assign_add adds, if the Parameter itself is returned"
)
_HELD = "MindSpore 2.10 leaves a Parameter alone that a `while` changes as an element of a list"
# Where msjax departs: it does what the lines of the program say, in their order.
DEPARTURES: dict[str, str] = {
    **dict.fromkeys(("a11 pynative gradients", "a13 pynative gradients"), _ARGUMENT),
    **dict.fromkeys(("in place 12 pynative gradients", "c11 graph gradients"), _ITEM),
    "a20 graph results": _LEFT,
    **dict.fromkeys((f"in place {seed} graph results" for seed in (8, 9, 11, 24)), _ORDER),
    **dict.fromkeys((f"alike {seed} graph results" for seed in (1021, 1028)), _ORDER),
    **dict.fromkeys((f"alike {seed} graph gradients" for seed in (1021, 1024)), _ORDER),
    **dict.fromkeys(
        (f"wide {seed} graph gradients" for seed in (12, 26, 34, 40, 47, 49, 53, 65, 74, 75, 90, 107, 109)),
        _ADDED,
    ),
    "wide 56 graph results": _ORDER,
    "wide 83 graph results": _HELD,
    **dict.fromkeys((f"wide {seed} graph gradients" for seed in (56, 73, 76)), _ALIAS),
    **dict.fromkeys(("m1 graph gradients", "k13 graph gradients"), _ALIAS),
    **dict.fromkeys(
        (f"in place {seed} graph gradients" for seed in (5, 11, 12, 13, 20, 23, 24, 28, 30, 33, 37, 38, 39)),
        _ALIAS,
    ),
}


def check(name, mode, what):
    """Compare with MindSpore; what it refuses is not compared."""
    program = PROGRAMS[name]
    expected = program.get(f"{mode} {what}", {"raises": "the process ended"})
    if isinstance(expected, dict) or f"{name} {mode} {what}" in DEPARTURES:
        return
    found = cases.run(msjax, program["source"], mode, what)
    assert not isinstance(found, dict), f"{program['source']}\n{found}"
    for one, other in zip(_flat(found), _flat(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5, err_msg=program["source"])


def _flat(value):
    return [each for part in value for each in _flat(part)] if isinstance(value, list) else [value]


@pytest.mark.parametrize("name", RUN)
@pytest.mark.parametrize("mode", cases.MODES)
def test_as_mindspore(name, mode):
    for what in cases.WHAT:
        check(name, mode, what)


def test_departures_are_in_the_golden():
    for known in DEPARTURES:
        name, mode, what = known.rsplit(" ", 2)
        assert isinstance(PROGRAMS[name][f"{mode} {what}"], list)


@pytest.mark.parametrize("seed", range(2000, 2004))
@pytest.mark.parametrize(("writer", "head"), [(Writer, HEAD), (RichWriter, RICH_HEAD)], ids=["plain", "rich"])
def test_both_modes_do_the_same(writer, head, seed):
    """Programs that say the same in both modes, from other seeds than the recorded ones."""
    text = source(writer(seed, alike=True).program(), head)
    for what in cases.WHAT:
        graph, eager = [cases.run(msjax, text, mode, what) for mode in cases.MODES]
        assert isinstance(eager, list), f"seed {seed}: {eager}\n{text}"
        for one, other in zip(_flat(graph), _flat(eager), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5, err_msg=f"seed {seed}\n{text}")


@pytest.mark.parametrize("n", [0, 1, 4])
def test_several_results_of_a_return_in_a_loop(n):
    """From seed 20093 of the rich programs."""

    def f(x, n):
        while n > 0:
            if x.sum() > 5:
                return x, [x * 2, n], {"u": (x, 1)}
            x = x * 2
            n = n - 1
        return -x, [x, n], {"u": (x, 2)}

    x, n = msjax.Tensor([1.0, 2.0]), msjax.Tensor(n)
    found, expected = msjax.jit(f)(x, n), f(x, n)
    assert str(found) == str(expected)


def test_programs_shrink():
    """To the two lines that matter."""
    loop = Block((("while m > 0:", ("b = a", Block((("if k > 1:", ("c = 1",)), ("else:", ("a += 1",)))))),))
    program = ("a = x", loop, "b = y", "return a, b")
    assert shrink(program, lambda lines: "a += 1" in source(lines)) == ("a += 1", "return a, b")
