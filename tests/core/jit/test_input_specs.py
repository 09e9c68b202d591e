"""Calls that do not fit what `set_inputs` and `enable_dynamic` say; kinds of exceptions as in MindSpore 2.10."""

import pytest

import msjax as ms
from msjax import Tensor, nn

X = Tensor([[1.0, 2.0]])
ROWS = Tensor(shape=[None, 2], dtype=ms.float32)


class First(nn.Cell):
    def construct(self, x, y):
        return x


class Jitted(First):
    construct = ms.jit(First.construct)


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize(
    ("said", "given", "error"),
    [
        ((ROWS, ROWS), (X, Tensor([[1.0, 2.0], [3.0, 4.0]])), None),
        ((ROWS, 3), (X, 3), None),
        ((Tensor(shape=None, dtype=ms.float32), None), (Tensor(1.0), None), None),
        ((ROWS, ROWS), (X, Tensor([[1.0]])), ValueError),
        ((ROWS, ROWS), (X, Tensor([1.0, 2.0])), ValueError),
        ((ROWS, ROWS), (X, Tensor([[1, 2]])), TypeError),
        ((ROWS, 3), (X, 4), ValueError),
        ((ROWS, 3), (X, X), TypeError),
        ((ROWS, ROWS), (X, None), TypeError),
        ((ROWS, [ROWS]), (X, (X,)), ValueError),
    ],
)
def test_set_inputs(graph_mode, said, given, error):
    for cell in (First(), Jitted()):
        cell.set_inputs(*said)
        if error is None:
            assert (cell(*given) == given[0]).all()
        else:
            with pytest.raises(error, match="set_inputs"):
                cell(*given)


def test_by_name_and_number(graph_mode):
    cell = First()
    with pytest.raises(TypeError):
        cell.set_inputs(ROWS)
    cell.set_inputs(y=ROWS)
    with pytest.raises(ValueError, match="`y`"):
        cell(X, Tensor([[1.0]]))
    assert cell(Tensor(1.0), X) == 1


def test_it_has_no_effect_eagerly():
    cell = First()
    cell.set_inputs(ROWS, ROWS)
    assert cell(Tensor([1, 2]), X).shape == (2,)
    with pytest.raises(ValueError, match="`x`"):
        ms.jit(cell)(Tensor([1.0]), X)


def test_enable_dynamic():
    @ms.enable_dynamic(x=ROWS)
    @ms.jit
    def f(x):
        return x * 2

    assert f(X).shape == (1, 2)
    with pytest.raises(ValueError, match="enable_dynamic"):
        f(Tensor([[1.0]]))
    with pytest.raises(TypeError, match="enable_dynamic"):
        f(Tensor([[1, 2]]))


@pytest.mark.parametrize("option", ["jit_level", "exc_mode", "jit_syntax_level"])
def test_options(option):
    with pytest.raises(ValueError, match=option):
        ms.JitConfig(**{option: "another"})
