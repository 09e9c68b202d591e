"""Comparisons, logic and tests of numbers, element by element: results are bool."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.tensor.tensor import Tensor
from msjax.numpy.array_function import (
    as_given,
    as_tensor,
    define_function,
    elementwise_family,
    promote_and_broadcast,
    promote_arrays,
)
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.math import comparison


def _as_ordered(fn: str, x1: Array, x2: Array) -> list[Array]:
    if jnp.iscomplexobj(x1) or jnp.iscomplexobj(x2):
        checks.fail(
            TypeError,
            fn,
            "x1",
            "be real, like `x2`: complex numbers have no order",
            f"{x1.dtype}, x2={x2.dtype}",
        )
    return promote_and_broadcast(fn, x1, x2)


_any = elementwise_family(__name__, as_given, "x")
_pair = elementwise_family(__name__, promote_and_broadcast)
_order = elementwise_family(__name__, _as_ordered)


@define_function(static="dtype")
def signbit(x: ArrayLike, dtype: Any = None) -> Array:
    """Return True where numbers are negative (MindSpore's -0.0 is not).

    Args:
        x (Tensor, number, list, tuple): of any shape and real dtype.
        dtype (mindspore.dtype, None): bool, if anything.

    Returns:
        Tensor of the shape of `x`, bool.

    Raises:
        TypeError: if `x` is not an array, or is complex, or `dtype` another one than bool.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.signbit([-1.0, 0.0, 2.0]))
        [ True False False]
    """
    if dtype is not None and dtype != dtypes.bool_:
        checks.fail(TypeError, "signbit", "dtype", "be None or bool: nothing is cast", repr(dtype))
    return _as_ordered("signbit", x, jnp.zeros((), x.dtype))[0] < jnp.zeros((), x.dtype)


@define_function
def isneginf(x: ArrayLike) -> Array:
    """Return True where numbers are minus infinity.

    Args:
        x (Tensor): of any shape and real dtype.

    Returns:
        Tensor of the shape of `x`, bool.

    Raises:
        TypeError: if `x` is not an array, or is complex.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.isneginf(ms.Tensor([1.0, float("-inf")])))
        [False  True]
    """
    return comparison.isneginf.pure(_as_ordered("isneginf", x, x)[0])


@define_function
@documented_by(isneginf)
def isposinf(x: ArrayLike) -> Array:
    """Return True where numbers are plus infinity.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.isposinf(ms.Tensor([1.0, float("inf")])))
        [False  True]
    """
    return comparison.isposinf.pure(_as_ordered("isposinf", x, x)[0])


@define_function(static="rtol atol equal_nan")
def isclose(
    a: ArrayLike, b: ArrayLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: BoolLike = False
) -> Array:
    """Return True where |a - b| <= atol + rtol * |b|.

    Args:
        a (Tensor, number, list, tuple): of any shape.
        b (Tensor, number, list, tuple): of a shape that broadcasts with `a`.
        rtol (float): relative tolerance.
        atol (float): absolute tolerance.
        equal_nan (bool): whether NaN is close to NaN.

    Returns:
        Tensor of the broadcast shape, bool.

    Raises:
        TypeError: if a tolerance is not a number.
        ValueError: if a tolerance is negative or the shapes do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.isclose(ms.Tensor([0.0, 1.0]), ms.Tensor([0.0, 1.1])))
        [ True False]
    """
    return comparison.isclose.pure(*promote_and_broadcast("isclose", a, b), rtol, atol, equal_nan)


@define_function(static="equal_nan")
def _are_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: BoolLike) -> Array:
    a1, a2 = promote_arrays("array_equal", a1, a2)
    near = a1 == a2
    if equal_nan and jnp.issubdtype(a1.dtype, jnp.inexact):
        near = near | (jnp.isnan(a1) & jnp.isnan(a2))
    return jnp.all(near)


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Tensor:
    """Return True if two arrays have the same shape and elements.

    Args:
        a1 (Tensor, number, list, tuple): the first.
        a2 (Tensor, number, list, tuple): the second.
        equal_nan (bool): whether NaN equals NaN.

    Returns:
        Tensor of one bool.

    Raises:
        TypeError: if an argument is not an array or `equal_nan` not a bool.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.array_equal([0, 1, 2], [[0, 1, 2], [0, 1, 2]]))
        False
    """
    checks.check_bools("array_equal", equal_nan=equal_nan)
    a1, a2 = as_tensor("array_equal", "a1", a1), as_tensor("array_equal", "a2", a2)
    return _are_equal(a1, a2, equal_nan) if a1.shape == a2.shape else Tensor(False)


@documented_by(array_equal)
def array_equiv(a1: Any, a2: Any) -> Tensor:
    """Return True if two arrays have the same elements once they are broadcast to one shape.

    Returns:
        Tensor of one bool: False if the shapes do not broadcast.

    Raises:
        TypeError: if an argument is not an array.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.array_equiv([0, 1, 2], [[0, 1, 2], [0, 1, 2]]))
        True
    """
    a1, a2 = as_tensor("array_equiv", "a1", a1), as_tensor("array_equiv", "a2", a2)
    try:
        np.broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return Tensor(False)
    return _are_equal(a1, a2, False)


def isscalar(element: Any) -> bool:
    """Return True for a Python number, bool or string; Tensors, also without dimensions, are not scalars.

    Args:
        element (Any): what is asked about.

    Returns:
        bool.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.isscalar(3.1), ms.numpy.isscalar(ms.Tensor(3.1))
        (True, False)
    """
    return isinstance(element, int | float | bool | complex | str)


@define_function(static="invert")
def isin(element: ArrayLike, test_elements: ArrayLike, invert: BoolLike = False) -> Array:
    """Return True for each element that is among the test elements.

    Args:
        element (Tensor, number, list, tuple): of any shape.
        test_elements (Tensor, number, list, tuple): the others, of any shape.
        invert (bool): ask whether it is not among them.

    Returns:
        Tensor of the shape of `element`, bool.

    Raises:
        TypeError: if an argument is not an array.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.isin([[0, 2], [4, 6]], [1, 2, 4]))
        [[False  True]
         [ True False]]
    """
    return jnp.isin(*promote_arrays("isin", element, test_elements), invert=invert)


@documented_by(isin)
def in1d(ar1: Any, ar2: Any, invert: bool = False) -> Any:
    """Return True for each element of the flattened array that is among others.

    Args:
        ar1 (Tensor, number, list, tuple): of any shape.
        ar2 (Tensor, number, list, tuple): the others, of any shape.

    Returns:
        Tensor of one dimension, bool.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.in1d([0, 1, 2, 5, 0], [0, 2]))
        [ True False  True False  True]
    """
    return isin(as_tensor("in1d", "ar1", ar1).ravel(), ar2, invert)


# fmt: off
equal = _pair("equal", jnp.equal, "x1 == x2.", "[0, 1, 3], [0, 2, 3]", "[ True False  True]")
not_equal = _pair("not_equal", jnp.not_equal,
    "x1 != x2.", "ms.Tensor([0, 1, 3]), ms.Tensor([0, 2, 3])", "[False  True False]")
less = _order("less", jnp.less, "x1 < x2.", "[0, 1, 3], 1", "[ True False False]")
less_equal = _order("less_equal", jnp.less_equal, "x1 <= x2.", "ms.Tensor([0, 1, 3]), ms.Tensor(1)", "[ True  True False]")
greater = _order("greater", jnp.greater, "x1 > x2.", "[0, 1, 3], 1", "[False False  True]")
greater_equal = _order("greater_equal", jnp.greater_equal, "x1 >= x2.", "[0, 1, 3], 1", "[False  True  True]")
logical_and = _pair("logical_and", jnp.logical_and,
    "Return True where both are other than 0 (logical and).", "[True, False], [True, True]", "[ True False]")
logical_or = _pair("logical_or", jnp.logical_or,
    "Return True where one or both are other than 0 (logical or).", "[True, False], [False, False]", "[ True False]")
logical_xor = _pair("logical_xor", jnp.logical_xor,
    "Return True where one is 0 and the other is not (exclusive or).",
    "ms.Tensor([True, False]), ms.Tensor([True, True])", "[False  True]")
logical_not = _any("logical_not", jnp.logical_not,
    "Return True where numbers are 0 (logical not).", "[True, False]", "[False  True]", names="a")
isfinite = _any("isfinite", comparison.isfinite.pure,
    "Return True where numbers are neither infinite nor NaN.", "[1.0, float('inf')]", "[ True False]")
isinf = _any("isinf", comparison.isinf.pure,
    "Return True where numbers are infinite.", "[1.0, float('-inf')]", "[False  True]")
isnan = _any("isnan", comparison.isnan.pure,
    "Return True where numbers are NaN (not a number).", "[1.0, float('nan')]", "[False  True]")
# fmt: on
