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

TEXT = "arrays of text are not supported; they raise TypeError"
VALUES = "an initializer's values are there at once"
IMPERATIVE = "the imperative side (requires_grad, grad, backward ...) is PyTorch's"
KEEPS = "NumPy leaves the operation to the Tensor, as with PyTorch's tensors"
OLDER = "as MindSpore before 2.3 has it"
MORE = "works here"

DIFFERENT = {
    'Tensor(b"a")': TEXT,
    'Tensor(np.array(["a"]))': TEXT,
    "Tensor([1], dtype=ms.string)": "a dtype that elements cannot have raises TypeError instead of being ignored",
    "Tensor(shape=(2, 3), dtype=ms.float32, init=One())": VALUES,
    'Tensor(shape=(2, 3), dtype=ms.float32, init="ones")': VALUES,
    "Tensor(shape=(2, 3), dtype=ms.float32, init=1)": VALUES,
    'initializer("ones", [2], ms.float32)': VALUES,
    'Tensor([1], device="GPU")': "accepted on every machine",
    "complex(Tensor(1 + 2j))": MORE,
    "Tensor([1, 2]).item(1)": OLDER,
    "Tensor([[1, 2]]).item((0, 1))": OLDER,
    "Tensor([[1, 2]]).item(0, 1)": OLDER,
    "Tensor([1, 2]).item(5)": "takes an index, as MindSpore before 2.3; here it is out of range",
    "t.set_data(Tensor([7, 8]))": "the same as assign_value",
    "t.grad": IMPERATIVE,
    "t.requires_grad": IMPERATIVE,
    "t.requires_grad_()": IMPERATIVE,
    "t.requires_grad_().requires_grad": IMPERATIVE,
    "t.is_leaf": IMPERATIVE,
    "t.grad_fn": IMPERATIVE,
    "t.detach()": IMPERATIVE,
    "t.backward()": IMPERATIVE,
    "np.ones(1) + Tensor([1.0])": KEEPS,
    "np.float32(1) + Tensor([1.0])": KEEPS,
    "type(np.ones(1) * Tensor([1.0])).__name__": KEEPS,
    "np.ones(1) == Tensor([1.0])": KEEPS,
    "t.clone() is t": MORE,
    "t.register_hook(lambda g: g)": "a handle of another class",
}


def _cases(*sections):
    return [
        pytest.param(code, GOLDEN[section][code], id=code)
        for section in sections
        for code in GOLDEN[section]
        if code not in DIFFERENT
    ]


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


def check(code, golden):
    kind = re.match(r"(\w+(Error|Exception)): ", golden)
    if kind is None:
        found = _outcome(code)
        assert same(_plain(golden), _plain(found)), f"{code}\nexpected {golden}\nfound    {found}"
        return
    with pytest.raises(Exception) as raised:  # noqa: PT011
        _outcome(code)
    names = [base.__name__ for base in type(raised.value).__mro__]
    assert kind[1] in names, (
        f"{code}\nexpected {golden}\nfound    {type(raised.value).__name__}: {raised.value}"
    )


@pytest.mark.parametrize(("code", "golden"), _cases("construction", "protocol"))
def test_as_mindspore(code, golden):
    check(code, golden)
