"""Tensors as Python objects: every expression that was recorded with MindSpore gives the same here.

What is deliberately different is listed with its reason; everything else must give the same repr, its numbers up to
rounding, or an exception of the same type.
"""

# ruff: noqa: F401 - the expressions use the imports
import copy
import json
import operator
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import msjax as ms
from msjax import Parameter, ParameterTuple, Tensor, mint, ops
from msjax.common.initializer import One, initializer
from tests.goldens.snippets import same

GOLDEN = json.loads((Path(__file__).parents[1] / "goldens" / "tensor.json").read_text())

# Expressions that begin like these give something else here, and why.
DIFFERENT = {
    "arrays of text raise TypeError": [r'Tensor\(b"a"\)', r'Tensor\(np.array\(\["a"\]\)\)'],
    "a dtype that elements cannot have is refused": [r"Tensor\(\[1\], dtype=ms.string\)"],
    "an initializer's values are there at once": [
        r"Tensor\(shape=\(2, 3\), dtype=ms.float32, init=",
        r'initializer\("ones", \[2\], ms.float32\)$',
    ],
    "a device that the machine does not have is accepted": [r'Tensor\(\[1\], device="GPU"\)'],
    "takes an index, as before MindSpore 2.3": [r"Tensor\(.*\)\.item\(.+\)"],
    "set_data is assign_value": [r"t\.set_data"],
    "the imperative side is PyTorch's": [
        r"t\.(grad|requires_grad|requires_grad_\(\)|is_leaf|grad_fn|detach\(\)|backward\(\))",
        r"t\.register_hook",
    ],
    "NumPy leaves operators to the Tensor, as to PyTorch's": [
        r"np\.(ones|float32)\(1\) [+=]",
        r"type\(np\.ones\(1\) \*",
    ],
    "lists and NumPy arrays are operands like Tensors": [
        r"[xt] (==|!=) np",
        r"x ([-+*/%@<>]|\*\*|//|<=|>=) (\[|\(|np)",
    ],
    "complex numbers are operands": [r"x \S+ 2j", r"complex\("],
    "works here": [
        r"t\.clone\(\)",
        r"round\(Tensor\(\[1\.64\]\), 1\)",
        r"b (%|\*\*|@) b",
        r"b (%|\*\*) True",
        r"2 [&|^] i",
        r"x @ Tensor\(np\.ones\(\(3, 2\), np\.float64",
        r"x\[(False|\[\]|np\.)",
    ],
    "the tensor itself where nothing is converted, as in PyTorch": [r"t\.astype\(ms\.int64\) is t"],
    "a view in another dtype has elements of the same size": [r"t\.view\(ms\.float32\)"],
    "bools are not subtracted, as in PyTorch": [r"b - "],
    "undefined": [r"i (//|%) 0"],
    "the error says that shapes do not fit": [r"x [&|^] Tensor", r"[xbi] @ (True|-?[02]$)", r"2(\.0)? @ i"],
    "a RuntimeError, as for matrices": [r"x @ Tensor\(\[1"],
    "an index that is a value is not checked": [r"x\[Tensor\((5|\[0, 5\])\)\]"],
    "IndexError, as for all indices that do not fit": [
        r"x\[Tensor\(\[True, False\]\)\]",
        r"x\[\[1\.0\]\]",
        r"Tensor\(1\.0\)\[0\]",
    ],
}


def _names():
    """A fresh namespace, like that of the recording script."""
    return globals() | {
        "t": Tensor([1, 2]),
        "w": Parameter(Tensor([1.0]), name="w"),
        "x": Tensor(np.array([1.0, 2.0, 3.0], np.float32)),
        "i": Tensor([7, -8, 9]),
        "b": Tensor([True, False]),
    }


def _shown(value):
    if callable(value):
        return "<builtin_function_or_method>"
    return f"<{type(value).__name__}>" if " at 0x" in repr(value) else repr(value)


def _plain(text):
    """Without what may differ: blanks, the numbers of unnamed Parameters, whether NumPy finds int64 worth telling."""
    return re.sub(r"\s+|, dtype=int64", "", re.sub(r"Parameter#\d+", "Parameter#", text))


def _outcome(code):
    names = _names()
    if code.startswith("a, b"):
        exec(code, names)
        return _shown((names["a"], names["b"]))
    return _shown(eval(code, names))


def difference(code, golden):
    """How the outcome of an expression differs from the recorded one; empty if it does not."""
    kind = re.match(r"(\w+(Error|Exception)): ", golden)
    try:
        found = _outcome(code)
    except Exception as error:  # noqa: BLE001 - its type is the outcome
        if kind is not None and kind[1] in [base.__name__ for base in type(error).__mro__]:
            return ""
        return f"{code}\nexpected {golden}\nfound    {type(error).__name__}: {error}"
    if kind is None and same(_plain(golden), _plain(found)):
        return ""
    return f"{code}\nexpected {golden}\nfound    {found}"


def _all(*sections):
    return [
        pytest.param(code, golden, id=code)
        for section in sections
        for code, golden in GOLDEN[section].items()
    ]


@pytest.mark.parametrize(("code", "golden"), _all("construction", "protocol", "operators"))
def test_as_mindspore(code, golden):
    found = difference(code, golden)
    if found:
        for reason, patterns in DIFFERENT.items():
            if any(re.match(pattern, code) for pattern in patterns):
                pytest.skip(reason)
        pytest.fail(found, pytrace=False)
