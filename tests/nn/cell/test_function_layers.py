"""Layers that are made of a function and fields: what programs can do with them is what they can with written ones."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import msjax as ms
from msjax import mint, nn, ops
from msjax.nn.cell.function_layers import applies
from msjax.ops.common.docstrings import documented_by


def test_signatures_are_real():
    assert str(inspect.signature(nn.HShrink)) == "(lambd: float = 0.5) -> None"
    assert str(inspect.signature(nn.Threshold.construct)) == "(self, input_x)"
    assert nn.HShrink.__init__.__qualname__ == "HShrink.__init__"
    assert inspect.getsource(nn.HShrink).startswith("@applies(ops.hardshrink")


def test_a_field_is_no_attribute_of_the_class():
    assert not hasattr(nn.HShrink, "lambd")
    assert nn.HShrink(0.25).lambd == 0.25


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda: nn.HShrink("a"), TypeError, "`HShrink`: argument `lambd`"),
        (lambda: nn.RReLU(0.5, 0.25), ValueError, "`RReLU`: argument `lower`"),
        (lambda: nn.Threshold(1.0), TypeError, "Threshold.__init__"),
        (lambda: nn.ReLU()(x=ms.Tensor([1.0])), TypeError, "ReLU.construct"),
        (lambda: nn.L1Loss("most"), ValueError, "`L1Loss`: argument `reduction`"),
        (lambda: mint.nn.Threshold(1.0), TypeError, "Threshold.__init__"),
    ],
)
def test_refusals_name_the_class(make, error, match):
    with pytest.raises(error, match=match):
        make()


@pytest.mark.parametrize(
    "layer", [nn.HShrink(0.25), nn.MaxUnpool2d(2), nn.HuberLoss(delta=2.0), mint.nn.ELU(2.0)]
)
def test_copied_and_pickled(layer):
    for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert type(other) is type(layer)
        names = list(inspect.signature(type(layer)).parameters)
        assert [getattr(other, name) for name in names] == [getattr(layer, name) for name in names]


class _Scaled(nn.LeakyReLU):
    def __init__(self, scale):
        super().__init__(alpha=0.5)
        self.scale = scale

    def construct(self, x):
        return super().construct(x) * self.scale


def test_programs_derive_from_them():
    x = ms.Tensor([-1.0, 2.0])
    np.testing.assert_allclose(_Scaled(2.0)(x), [-1.0, 4.0])
    np.testing.assert_allclose(ms.jit(_Scaled(2.0))(x), [-1.0, 4.0])
    np.testing.assert_allclose(ms.grad(_Scaled(2.0))(x), [1.0, 2.0])


def test_what_the_class_has_stays():
    @applies(ops.leaky_relu, "x", check=lambda name, alpha: checked.append((name, alpha)))
    class Slope(nn.Cell):
        """A slope.

        Outputs:
            Another Tensor.
        """

        alpha: float = 0.5

        def __post_init__(self):
            self.twice = 2 * self.alpha

    checked = []
    assert Slope(0.25).twice == 0.5
    assert checked == [("Slope", 0.25)]
    assert "alpha (int, float): slope" in Slope.__doc__
    assert "**x** (Tensor)" in Slope.__doc__
    assert "Another Tensor" in Slope.__doc__
    assert "dtype" not in Slope.__doc__.partition("Outputs")[2]


def test_arguments_are_described_once():
    def first(size, rate=1):
        """Make it.

        Args:
            size (int): how large.
            rate (int): how fast.

        Returns:
            The result.

        Raises:
            ValueError: if `size` is negative.
        """

    @documented_by(first)
    class Second:
        """Make another.

        Args:
            rate (int): how slow.
        """

        def __init__(self, size, rate=1):
            pass

    assert Second.__doc__.split("\n\n") == [
        "Make another.",
        "Args:\n    size (int): how large.\n    rate (int): how slow.",
        "Outputs:\n    The result.",
        "Raises:\n    ValueError: if `size` is negative.\n",
    ]
