"""`MsDispatchMode`: operators in the hands of the user; names are those of MindSpore 2.10 on CPU."""

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, ops

X = Tensor([[1.0, 2.0], [3.0, 4.0]])


class Log(ms.MsDispatchMode):
    """Notes the names of operators and runs them."""

    def __init__(self, mark=""):
        self.mark = mark
        self.seen = []

    def __ms_dispatch__(self, func, args, kwargs=None):
        self.seen.append(self.mark + func.name)
        return func(*args)


NAMES = {
    "X + X": "AddExt",
    "1 + X": "AddExt",
    "X - 1": "SubExt",
    "X * X": "Mul",
    "X * 2": "Muls",
    "X / 2": "Divs",
    "X // 2": "FloorDiv",
    "X % 2": "FloorMod",
    "X**2": "Pow",
    "X @ X": "MatMulExt",
    "-X": "Neg",
    "X > 1": "Greater",
    "X == X": "Equal",
    "X.sum()": "SumExt",
    "X.mean(0)": "MeanExt",
    "X.T": "Transpose",
    "X.astype(ms.int32)": "Cast",
    "ops.relu(X)": "ReLU",
    "ops.concat([X, X])": "Concat",
    "ops.softmax(X)": "Softmax",
    "ops.zeros((2,))": "Zeros",
    "X.reshape(4)": "Reshape",
}


@pytest.mark.parametrize("text", NAMES)
def test_names_and_results(text):
    names = {"X": X, "ops": ops, "ms": ms}
    with Log() as log:
        found = eval(text, names)
    assert log.seen == [NAMES[text]]
    np.testing.assert_array_equal(found.asnumpy(), eval(text, names).asnumpy())


def test_the_innermost_comes_first():
    seen = []
    outer, inner = Log("outer "), Log("inner ")
    outer.seen = inner.seen = seen
    with outer:
        _ = X * 2
        with inner:
            _ = X + X
        _ = X - X
    _ = X + X
    assert seen == ["outer Muls", "inner AddExt", "outer AddExt", "outer SubExt"]


def test_as_a_decorator_and_instead_of_an_operator():
    class Replace(ms.MsDispatchMode):
        def __ms_dispatch__(self, func, args, kwargs=None):
            return func(args[0], args[1] * 10) if func.name == "AddExt" else func(*args)

    log = Log()

    @log
    def f(a, b):
        return a + b

    assert f(X, X).asnumpy().tolist() == [[2, 4], [6, 8]]
    assert log.seen == ["AddExt"]
    with Replace():
        assert (X + X).asnumpy().tolist() == [[11, 22], [33, 44]]


def test_gradients_compiled_functions_and_draws():
    with Log() as log:
        assert float(ms.grad(lambda x: (x * x).sum())(Tensor([3.0]))[0]) == 6.0
        assert float(ms.jit(lambda x: x.sum())(X)) == 10
        assert ops.dropout(X, 0.5).shape == (2, 2)
    assert log.seen[:2] == ["Mul", "SumExt"]
    assert len(log.seen) > 3


def test_an_exception_ends_it():
    with pytest.raises(ZeroDivisionError), Log() as log:
        _ = 1 / 0
    _ = X + X
    assert log.seen == []
