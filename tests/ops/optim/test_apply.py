"""Optimizer steps in class form: what they write to Parameters, against MindSpore's and against formulas."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

import msjax as ms
from msjax import ops

GOLDENS = Path(__file__).parents[2] / "goldens"
GOLDEN = json.loads((GOLDENS / "apply.json").read_text())
_spec = importlib.util.spec_from_file_location("apply_cases", GOLDENS / "apply_cases.py")
cases = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cases)

# Where MindSpore's kernels for the CPU do not compute what its documentation says: they leave settings out of account and
# take negative sums with l1 wrongly. `test_formula` has the formulas.
DEPARTURES = (
    "ApplyMomentum(use_nesterov",
    "ApplyMomentum(gradient_scale",
    "ApplyAdagrad(update_slots",
    "ApplyAdagradDA()(W M A g 0.1 0.2",
    "ApplyFtrl()(W A M g 0.1 0.3",
    "FusedSparseAdam(use_nesterov",
)
# Arrays that MindSpore returns are often not filled in; what it writes to the Parameters is compared.
CASES = [(case, "float32") for case in cases.CASES] + [
    (case, "float16") for case in cases.CASES if case[0] in cases.HALF
]


def made(text, dtype):
    return cases.arguments(text, dtype, lambda a, n: ms.Parameter(ms.Tensor(a), name=n), ms.Tensor)


@pytest.mark.parametrize(("case", "dtype"), CASES, ids=[cases.key(*row) for row in CASES])
def test_as_mindspore(case, dtype):
    name, settings, text = case
    golden = GOLDEN[cases.key(case, dtype)]
    if isinstance(golden, str):
        pytest.skip("MindSpore takes float32 only")
    if cases.key(case, dtype).startswith(DEPARTURES):
        pytest.skip("MindSpore's kernel departs from its documentation")
    args = made(text, dtype)
    tol = 1e-5 if dtype == "float32" else 4e-3
    step = getattr(ops, name)(**settings)
    for expected, state in golden:
        result = step(*args)
        boxes = [a for a in args if isinstance(a, ms.Parameter)]
        for box, (kind, shape, values) in zip(boxes, state, strict=True):
            assert box.asnumpy().dtype.name == kind
            np.testing.assert_allclose(box.asnumpy(), np.reshape(values, shape), tol, tol)
        several = isinstance(expected[0], list)
        if name != "FusedAdaFactor":
            assert isinstance(result, tuple) == several
            assert not several or len(result) == len(expected)
        if name == "AdamNoUpdateParam":
            np.testing.assert_allclose(result.asnumpy(), np.reshape(expected[2], expected[1]), tol, tol)


def _pair(*values):
    return [ms.Parameter(ms.Tensor(np.array(v, np.float32))) for v in values]


def test_formula():
    """Steps that MindSpore's CPU cannot show follow formulas written down for two elements."""
    w, g = np.array([1.0, -2.0], np.float32), np.array([0.5, -0.25], np.float32)
    a = np.array([2.0, 3.0], np.float32)
    G, lr = ms.Tensor(g), 0.1

    def after(name, *args, **settings):
        getattr(ops, name)(**settings)(*args)
        return [x.asnumpy() for x in args if isinstance(x, ms.Parameter)]

    def close(found, *expected):
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, 1e-5)

    m = 0.9 * a + g
    close(after("ApplyMomentum", *_pair(w, a), lr, G, 0.9, use_nesterov=True), w - lr * (g + 0.9 * m), m)
    m = 0.9 * a + g / 2
    close(after("ApplyMomentum", *_pair(w, a), lr, G, 0.9, gradient_scale=0.5), w - lr * m, m)
    m = 0.9 * a - lr * g
    close(after("ApplyKerasMomentum", *_pair(w, a), lr, G, 0.9), w + m, m)
    close(after("ApplyKerasMomentum", *_pair(w, a), lr, G, 0.9, use_nesterov=True), w + 0.9 * m - lr * g, m)
    m = 0.9 * a + 2 * g + 0.3 * w
    close(after("FusedWeightScaleApplyMomentum", 0.3, 2.0, *_pair(w, a), lr, G, 0.9), w - lr * m, m)
    close(after("ApplyAdagrad", *_pair(w, a), lr, G, update_slots=False), w - lr * g / np.sqrt(a), a)
    total, squares = a + g, a + g * g
    new = -lr * np.sign(total) * np.maximum(abs(total) - 0.2 * 3, 0) / (0.3 * 3 * lr + np.sqrt(squares))
    close(after("ApplyAdagradDA", *_pair(w, a, a), G, lr, 0.2, 0.3, 3), new, total, squares)
    line = -a + g - (squares**0.5 - a**0.5) / lr * w
    new = (np.sign(line) * 0.3 - line) / (squares**0.5 / lr + 2 * 0.2)
    close(after("ApplyFtrl", *_pair(w, a, -a), G, lr, 0.3, 0.2, -0.5), new, squares, line)
    norms = ms.Tensor(np.sum(w * w)), ms.Tensor(np.sum(g * g))
    size, slope = np.linalg.norm(w), np.linalg.norm(g)
    factor = 0.01 * size / (slope + 0.2 * size + 1e-5)
    lars = ops.LARSUpdate(hyperpara=0.01)(ms.Tensor(w), G, *norms, 0.2, lr)
    np.testing.assert_allclose(lars.asnumpy(), factor * (g + 0.2 * w), 1e-5)


ROWS = {
    "SparseApplyAdadelta": ("ApplyAdadelta", {"epsilon": 1e-3}, "W A A 0.1 0.9 h i", "W A A 0.1 0.9 1e-3 h"),
    "SparseApplyProximalAdagrad": ("ApplyProximalAdagrad", {}, "W A 0.1 0.3 0.2 h i", "W A 0.1 0.3 0.2 h"),
    "SparseApplyFtrlV2": (
        "ApplyFtrl",
        {"lr": 0.1, "l1": 0.2, "l2": 0.3, "l2_shrinkage": 0.0, "lr_power": -0.5},
        "W A A h i",
        "W A A h 0.1 0.2 0.3 -0.5",
    ),
    "FusedSparseAdam": (
        "Adam",
        {"use_nesterov": True},
        "W A A 0.9 0.9 0.1 0.9 0.9 0.1 h i",
        "W A A 0.9 0.9 0.1 0.9 0.9 0.1 h",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_as_the_dense_step(name):
    """Rows without a gradient stay, the others move as in the dense operator, gradients of one row added."""
    dense, settings, sparse_text, dense_text = ROWS[name]
    here = made(sparse_text, "float32")
    there = [ms.Parameter(ms.Tensor(a.asnumpy())) if isinstance(a, ms.Parameter) else a for a in here]
    start = here[0].asnumpy()
    full = np.zeros((4, 3), np.float32)
    np.add.at(full, here[-1].asnumpy(), here[-2].asnumpy())
    there = [*there[:-2], ms.Tensor(full)]
    if dense_text.split()[-1] != "h":
        there += [float(v) for v in dense_text.split()[-4:]]
    elif name == "SparseApplyAdadelta":
        there.insert(5, 1e-3)
    getattr(ops, name)(**settings)(*here)
    getattr(ops, dense)(**settings if name == "FusedSparseAdam" else {})(*there)
    expected = there[0].asnumpy()
    if name != "FusedSparseAdam":
        expected[1:3] = start[1:3]
    np.testing.assert_allclose(here[0].asnumpy(), expected, 1e-5)


def test_in_a_compiled_step():
    """Parameters are written when the compiled function runs, and numbers may be Tensors."""
    w, m = _pair([1.0, 2.0], [0.0, 0.0])
    step = ops.ApplyMomentum()

    @ms.jit
    def train(g, lr):
        return step(w, m, lr, g, 0.5)

    for _ in range(2):
        train(ms.Tensor([1.0, 1.0]), ms.Tensor(0.1))
    np.testing.assert_allclose(w.asnumpy(), [0.75, 1.75], 1e-6)


def test_errors_name_the_operator():
    w, m = _pair([1.0, 2.0], [0.0, 0.0])
    with pytest.raises(ValueError, match=r"ApplyMomentum.*gradient.*Received"):
        ops.ApplyMomentum()(w, m, 0.1, ms.Tensor([1.0]), 0.9)
    with pytest.raises(TypeError, match=r"ApplyMomentum.*variable.*Received"):
        ops.ApplyMomentum()(1.0, m, 0.1, ms.Tensor([1.0]), 0.9)
    with pytest.raises(TypeError, match=r"Adam.*grad.*floating"):
        ops.Adam()(w, m, m, 0.9, 0.9, 0.1, 0.9, 0.9, 0.1, ms.Tensor([1, 2]))
    box = _pair([[1.0]], [[1.0]], [[1.0]])
    lazy = ops.FusedSparseLazyAdam()
    with pytest.raises(ValueError, match=r"FusedSparseLazyAdam.*indices"):
        lazy(*box, 0.9, 0.9, 0.1, 0.9, 0.9, 0.1, ms.Tensor([[1.0]]), ms.Tensor([0, 0]))
