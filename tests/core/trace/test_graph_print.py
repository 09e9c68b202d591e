"""`print` in compiled functions writes as MindSpore 2.10's graph mode does."""

import json
import sys
from pathlib import Path

import pytest

import msjax as ms

GOLDENS = Path(__file__).parents[2] / "goldens"
sys.path.insert(0, str(GOLDENS))
import graph_print_cases  # noqa: E402 # pyright: ignore[reportMissingImports]

GOLDEN = json.loads((GOLDENS / "graph_print.json").read_text())


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("programs"))
        yield graph_print_cases.outcomes(ms)
    sys.modules.pop("graph_print_programs", None)


@pytest.mark.parametrize("case", GOLDEN)
def test_as_mindspore(case, found):
    assert found[case] == GOLDEN[case]


def test_as_python_where_python_s_arguments_say_so(capfd):
    @ms.jit
    def f(x):
        print(x, 1, sep=", ", end=".\n")
        return x

    f(ms.Tensor([1.0, 2.0]))
    assert capfd.readouterr().out == "[1. 2.], 1.\n"


def test_functions_that_python_runs_print_as_python_does(capfd):
    def f(x):
        print("x:", x)
        return x * x

    x = ms.Tensor([1.0, 2.0])
    ms.grad(f)(x)
    ms.ops.vjp(f, x)
    ms.jit(f, capture_mode="bytecode")(x)
    f(x)
    assert capfd.readouterr().out == "x: [1. 2.]\n" * 4


def test_tensors_that_are_made_in_the_function_and_known(capfd):
    @ms.jit
    def f(x):
        print("loss:", ms.Tensor(2.5), sep=" ", flush=True)
        return x

    f(ms.Tensor([1.0]))
    assert capfd.readouterr().out == "loss: 2.5\n"
