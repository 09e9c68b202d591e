"""Python in compiled functions as MindSpore 2.10 has it: its recorded programs run on msjax."""

import json
from pathlib import Path

import pytest

import msjax
from tests.goldens.autodiff_prelude import names
from tests.goldens.snippets import run, same

GRAPH = json.loads((Path(__file__).parents[2] / "goldens" / "graph.json").read_text())

_ONCE = (
    "MindSpore 2.10 on CPU computes what is assigned to an attribute in the first call alone, or not at all"
)
_COPIED = "MindSpore changes a list among the arguments in place by extend, insert, pop and reverse, but not by these"
# Where msjax departs on purpose: why, and what it prints.
DEPARTURES: dict[str, tuple[str, str]] = {
    "attr/tensor": (
        _ONCE,
        "".join(f"(float32[1] [{n}], float32[1] [{n + 2}]) float32[1] [{n + 2}]\n" for n in (0, 2, 4)),
    ),
    "attr/in a branch": (_ONCE, "float32[1] [1]\nfloat32[1] [2]\nfloat32[1] [6]\n"),
    "out/list argument in place": (_COPIED, "[float32[1] [2], float32[1] [1]]\n" * 2),
    "out/list argument setitem": (_COPIED, "[float32[1] [1]]\n" * 2),
    "set/nested object augmented": (_ONCE, "13\n23\n23\n"),
    "attr/flag": (_ONCE, "[float32[1] [10], float32[1] [1], float32[1] [1]] False\n"),
    "attr/None then tensor": (_ONCE, "[float32[1] [1], float32[1] [2], float32[1] [3], float32[1] [4]]\n"),
}


@pytest.mark.parametrize("name", GRAPH)
def test_as_mindspore(name):
    golden = GRAPH[name]
    why, prints = DEPARTURES.get(name, ("", golden["prints"]))
    source = golden["source"].replace("from mindspore.", "from msjax.")
    try:
        found = run(source, name, names(msjax))
    finally:
        msjax.set_context(mode=msjax.PYNATIVE_MODE)
    assert "raises" not in found, f"{golden['source']}\n{found.get('traceback')}"
    assert same(prints, found["prints"]), (
        f"{golden['source']}\n--- expected\n{prints}\n--- found\n{found['prints']}\n{found.get('messages')}\n{why}"
    )


def test_departures_are_departures():
    for name, (why, prints) in DEPARTURES.items():
        assert why
        assert not same(prints, GRAPH[name]["prints"]), name
