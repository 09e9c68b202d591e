"""Aliases: MindSpore's other names for operators, with an adapter where the signature differs."""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.ops.array import creation, flip_roll, gathering, joining, shapes, slicing
from msjax.ops.common import checks
from msjax.ops.common.adapters import named
from msjax.ops.linalg import products
from msjax.ops.math import arithmetic, bitwise, casts, comparison, fused_arithmetic, trigonometric
from msjax.ops.math import clipping as clamping
from msjax.ops.reduction import min_max, reduction

# ---------------------------------------------------------------------- the same signature

absolute = arithmetic.abs
negative = arithmetic.neg
multiply = arithmetic.mul
divide = arithmetic.div
sgn = arithmetic.sign
arccos, arctan, arctan2 = trigonometric.acos, trigonometric.atan, trigonometric.atan2
arcsinh, arccosh, arctanh = trigonometric.asinh, trigonometric.acosh, trigonometric.atanh
equal, not_equal = comparison.eq, comparison.ne
less, less_equal = comparison.lt, comparison.le
greater, greater_equal = comparison.gt, comparison.ge
select = comparison.where
clip = clamping.clamp
cat = joining.concat
moveaxis = shapes.movedim
ger = products.ger
tensor_add, tensor_sub, tensor_mul = arithmetic.add, arithmetic.sub, arithmetic.mul
tensor_floordiv = arithmetic.floor_divide
tensor_pow = arithmetic.pow
tensor_lt, tensor_le = comparison.lt, comparison.le
tensor_gt, tensor_ge = comparison.gt, comparison.ge

# ---------------------------------------------------------------------- another signature

isnan_ext = named("isnan_ext", comparison.isnan, "(tensor)", "tensor=input")
true_divide = named("true_divide", arithmetic.div, "(dividend, divisor)", "dividend=input divisor=other")
floor_div = named("floor_div", arithmetic.floor_divide, "(x, y)", "x=input y=other")
floor_mod = arithmetic.floor_mod
truncate_mod = named("truncate_mod", arithmetic.fmod, "(x, y)", "x=input y=other")
tensor_div = arithmetic.real_div
tensor_mod = floormod = floor_mod
tensor_slice = named("tensor_slice", slicing.slice, "(input, begin, size)", "input=input_x")
shape_ = named("shape_", casts.shape, "(x)", "x=input_x")
arcsin = named("arcsin", trigonometric.asin, "(x)", "x=input")
inv = fused_arithmetic.inv
bitwise_not = named("bitwise_not", bitwise.invert, "(input)", "input=x")
reduce_mean = named("reduce_mean", reduction.mean, "(x, axis=(), keep_dims=False)")
reduce_max = named("reduce_max", min_max.amax, "(x, axis=(), keep_dims=False)", "x=input keep_dims=keepdims")
reduce_min = named("reduce_min", min_max.amin, "(x, axis=(), keep_dims=False)", "x=input keep_dims=keepdims")
reduce_all = named("reduce_all", reduction.all, "(x, axis=(), keep_dims=False)", "x=input")
reduce_any = named("reduce_any", reduction.any, "(x, axis=(), keep_dims=False)", "x=input")
permute = named("permute", shapes.transpose, "(input, axis)", "axis=dims", also="dims=axis")
unsqueeze = named("unsqueeze", shapes.expand_dims, "(input, dim)", "input=input_x dim=axis", also="axis=dim")
swapdims = named("swapdims", shapes.swapaxes, "(input, dim0, dim1)", "dim0=axis0 dim1=axis1")
unstack = named("unstack", joining.unbind, "(input_x, axis=0)", "input_x=input axis=dim")
repeat_elements = named(
    "repeat_elements", joining.repeat_interleave, "(x, rep, axis=0)", "x=input rep=repeats"
)
gather_d = named("gather_d", gathering.gather_elements, "(x, dim, index)", "x=input")
expand = named("expand", shapes.broadcast_to, "(input_x, size)", "input_x=input size=shape")


def subtract(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Elementwise input - alpha * other.

    Args:
        input (Tensor): minuend.
        other (Tensor, number): subtrahend, of a shape that broadcasts with `input`.
        alpha (number): its factor.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.subtract(ms.Tensor([5.0]), ms.Tensor([1.0]), alpha=2))
        [3.]
    """
    plain = type(alpha) is int and alpha == 1 and getattr(other, "dtype", None) != dtypes.bool_
    return arithmetic.sub(input, other) if plain else fused_arithmetic.sub_scaled(input, other, alpha)


def expand_as(input: Any, other: Any) -> Any:
    """Repeat axes of size 1, and new axes in front, to fit another Tensor's shape.

    Args:
        input (Tensor): of any dtype.
        other (Tensor): whose shape.

    Returns:
        Tensor of that shape: a view.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.expand_as(ms.Tensor([1, 2]), ms.ops.zeros((2, 2))))
        [[1 2]
         [1 2]]
    """
    checks.arrays_all("expand_as", other=other)
    return shapes.broadcast_to(input, tuple(other.shape))


def view_as(input: Any, other: Any) -> Any:
    """The same elements in another Tensor's shape.

    Args:
        input (Tensor): of any dtype.
        other (Tensor): whose shape.

    Returns:
        Tensor of that shape: a view.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.view_as(ms.Tensor([1, 2]), ms.ops.zeros((2, 1))).shape
        (2, 1)
    """
    return shapes.reshape(input, tuple(other.shape))


def fliplr(input: Any) -> Any:
    """Reverse the order of columns.

    Args:
        input (Tensor): of at least two dimensions.

    Returns:
        Tensor of `input`'s shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.fliplr(ms.Tensor([[1, 2], [3, 4]])))
        [[2 1]
         [4 3]]
    """
    return flip_roll.flip(input, (1,))


def flipud(input: Any) -> Any:
    """Reverse the order of rows.

    Args:
        input (Tensor): of at least one dimension.

    Returns:
        Tensor of `input`'s shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.flipud(ms.Tensor([[1, 2], [3, 4]])))
        [[3 4]
         [1 2]]
    """
    return flip_roll.flip(input, (0,))


def numel(input: Any) -> int:
    """The number of elements.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.numel(ms.Tensor([[1, 2, 3]]))
        3
    """
    return input.size


def positive(input: Any) -> Any:
    """The Tensor itself.

    Raises:
        TypeError: if it is of dtype bool.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.positive(ms.Tensor([1, -2])))
        [ 1 -2]
    """
    return input


def fill(type: Any, shape: Any, value: Any) -> Any:  # noqa: A002
    """One number everywhere.

    Args:
        type (mindspore.dtype): of the result.
        shape (tuple[int]): of the result.
        value (number): the number.

    Returns:
        Tensor.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.fill(ms.float32, (2,), 3))
        [3. 3.]
    """
    return creation.full(shape, value, dtype=type)


def fills(x: Any, value: Any) -> Any:
    """One number everywhere, in another Tensor's shape and dtype.

    Args:
        x (Tensor): whose shape and dtype.
        value (number): the number.

    Returns:
        Tensor.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.fills(ms.Tensor([1, 2]), 3))
        [3 3]
    """
    return creation.full_like(x, value)
