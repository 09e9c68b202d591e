"""Control flow over Tensor values as MindSpore 2.10 compiles it: its recorded programs run on msjax."""

import json
from pathlib import Path

import pytest

import msjax
from tests.goldens.autodiff_prelude import names
from tests.goldens.snippets import run, same

CONTROL = json.loads((Path(__file__).parents[2] / "goldens" / "control.json").read_text())

# Where msjax departs on purpose: why, and what it prints.
_UNBOUND = "MindSpore 2.10 raises NameError for recorded texts, and UnboundLocalError for functions of a file"
DEPARTURES: dict[str, tuple[str, str]] = {
    "if/variable of one branch read after": (_UNBOUND, "raises UnboundLocalError\n"),
    "while/variable only inside read after": (_UNBOUND, "raises UnboundLocalError\n"),
    "while/counter in place": (
        "MindSpore 2.10 keeps the first value of a constant Tensor that a loop changes in place",
        "[float32[] 1, float32[] 2, float32[] 7]\n",
    ),
    "index/tuple and list by a Tensor": (
        "MindSpore 2.10 passes no gradient through a tuple that is indexed by a Tensor",
        "float32[] 6 float32[] 11\nfloat32[] 5 float32[] 13\n",
    ),
    "grad/second order": (
        "MindSpore 2.10 has no second derivative of a branch",
        "float32[] 18 float32[] 2\n",
    ),
}


@pytest.mark.parametrize("name", CONTROL)
def test_as_mindspore(name):
    golden = CONTROL[name]
    why, prints = DEPARTURES.get(name, ("", golden["prints"]))
    try:
        found = run(golden["source"], name, names(msjax))
    finally:
        msjax.set_context(mode=msjax.PYNATIVE_MODE)
    assert "raises" not in found, f"{golden['source']}\n{found.get('traceback')}"
    assert same(prints, found["prints"]), (
        f"{golden['source']}\n--- expected\n{prints}\n--- found\n{found['prints']}\n{found.get('messages')}\n{why}"
    )


def test_departures_are_departures():
    for name, (why, prints) in DEPARTURES.items():
        assert why
        assert not same(prints, CONTROL[name]["prints"]), name
