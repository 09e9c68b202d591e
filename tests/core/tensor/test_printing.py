"""printing.py against what MindSpore printed (tests/goldens/printing.json)."""

import json
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from msjax.core import dtype
from msjax.core.tensor import printing

GOLDENS = Path(__file__).parents[2] / "goldens"
sys.path.insert(0, str(GOLDENS))
from printing_cases import cases  # noqa: E402 # pyright: ignore[reportMissingImports]

GOLDEN = json.loads((GOLDENS / "printing.json").read_text())
ARRAYS = {name: (array, dtype_name) for name, array, dtype_name in cases()}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_prints_as_mindspore_does(name):
    array, dtype_name = ARRAYS[name]
    array = np.asarray(array).astype(getattr(dtype, dtype_name).np)
    assert [printing.tensor_str(array), printing.tensor_repr(array)] == GOLDEN["tensors"][name]


@pytest.mark.parametrize("row", GOLDEN["parameters"])
def test_parameters(row):
    text, again = row
    name = text.split("name=")[1].split(",")[0]
    shape, kind, trainable = {"w": ((1, 2), "float32", True), "b": ((), "int8", False)}.get(
        name, ((1,), "float32", True)
    )
    args = (name, shape, getattr(dtype, kind), trainable)
    assert (printing.parameter_str(*args), printing.parameter_repr(*args)) == (text, again)


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "int8"])
def test_big_arrays_are_cut_before_they_are_formatted(kind):
    array = np.zeros((3000, 4000), getattr(dtype, kind).np)
    start = time.thread_time()  # of the processor, however busy the machine is
    assert len(printing.tensor_str(array)) + len(printing.tensor_repr(array)) < 2000
    assert time.thread_time() - start < 0.1


@pytest.mark.parametrize("kind", ["float8_e4m3fn", "float8_e5m2", "qint4x2"])
def test_types_that_mindspore_cannot_print_on_cpu(kind):
    array = np.arange(3).astype(getattr(dtype, kind).np)
    text = f"Tensor(shape=[3], dtype={getattr(dtype, kind)}, value= [0, 1, 2])"
    assert printing.tensor_repr(array) == text
    assert printing.tensor_str(array) in ("[0 1 2]", "[0. 1. 2.]")
