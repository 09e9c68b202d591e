"""Gradients as MindSpore 2.10 and PyTorch 2.13 give them: their recorded programs run on msjax.

A program must print what it printed there (numbers up to rounding), and where it raised, an exception of the same
type. Where msjax departs on purpose, `departures.py` says why and what it gives instead.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import msjax
from msjax import Parameter, Tensor
from msjax.core.state import DEFAULT, state
from tests.core.departures import MINDSPORE, OPEN_IN_MINDSPORE, OPEN_IN_TORCH, TORCH
from tests.goldens import autodiff_prelude, torch_prelude
from tests.goldens.snippets import run, same

GOLDENS = Path(__file__).parents[2] / "goldens"
AUTODIFF = json.loads((GOLDENS / "autodiff.json").read_text())
IMPERATIVE = json.loads((GOLDENS / "torch_autograd.json").read_text())


def _programs(goldens, missing):
    return [
        pytest.param(
            name, marks=[pytest.mark.xfail(reason=missing[name], strict=True)] if name in missing else []
        )
        for name in goldens
    ]


def _check(name, golden, departures, prelude):
    why, prints = departures.get(name, ("", golden["prints"]))
    found = run(golden["source"], name, prelude)
    raises = golden.get("raises") if name not in departures else None
    if "raises" in found and (raises is None or raises not in found["kinds"]):
        pytest.fail(f"{golden['source']}\n{found['traceback']}", pytrace=False)
    if not same(prints, found["prints"]) or (raises and "raises" not in found):
        expected = prints + (f"raises {raises}" if raises else "")
        messages = "\n".join([*golden.get("messages", []), "---", *found.get("messages", [])])
        pytest.fail(
            f"{golden['source']}\n--- expected\n{expected}\n--- found\n{found['prints']}\n--- messages there, here\n"
            f"{messages}\n{why}",
            pytrace=False,
        )


@pytest.mark.parametrize("name", _programs(AUTODIFF, OPEN_IN_MINDSPORE))
def test_as_mindspore(name):
    with msjax.install_as("mindspore"):
        _check(name, AUTODIFF[name], MINDSPORE, autodiff_prelude.names(msjax))


@pytest.mark.parametrize("name", _programs(IMPERATIVE, OPEN_IN_TORCH))
def test_as_torch(name):
    with msjax.install_as("torch") as torch:
        _check(name, IMPERATIVE[name], TORCH, torch_prelude.names(torch))
    state.mode = DEFAULT  # programs may end with gradients switched on or off


def test_departures_are_departures():
    for departures, goldens in ((MINDSPORE, AUTODIFF), (TORCH, IMPERATIVE)):
        for name, (why, prints) in departures.items():
            assert why, name
            golden = goldens[name]
            assert "raises" in golden or not same(golden["prints"], prints), (
                f"{name} does not depart any more"
            )


def test_jacfwd_through_a_compiled_loop():
    @msjax.jit
    def halved(x):
        while x.sum() > 1:
            x = x * x / 2
        return x

    x = Tensor([1.5, 1.0])
    steps = msjax.jit(lambda x: (msjax.jacfwd(halved)(x), msjax.jacrev(halved)(x)))
    for found in steps(x):
        np.testing.assert_allclose(found.asnumpy(), [[1.125 * 1.5, 0], [0, 0.5 * 1]], rtol=1e-6)


def test_what_is_written_to_a_parameter_has_no_derivative_of_any_order():
    s = Parameter(Tensor([0.0, 0.0]), name="s")

    def written(x):
        msjax.ops.assign(s, x * x)
        return (s * x).sum()

    compiled, x = msjax.jit(written), Tensor([1.0, 3.0])
    for fn in (written, compiled):
        assert msjax.grad(fn)(x).asnumpy().tolist() == [1, 9]
        assert msjax.grad(msjax.grad(fn))(x).asnumpy().tolist() == [0, 0]
