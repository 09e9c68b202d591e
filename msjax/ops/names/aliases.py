"""Aliases: MindSpore's other names for operators, with an adapter where the signature differs."""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.ops.array import creation, flip_roll, shapes
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.name_table import attach_functions
from msjax.ops.math import arithmetic, fused_arithmetic

__getattr__, __dir__ = attach_functions(
    __name__,
    """
math.arithmetic: absolute=abs negative=neg multiply=mul divide=div sgn=sign tensor_add=add tensor_sub=sub tensor_mul=mul
    tensor_floordiv=floor_divide tensor_pow=pow floor_mod tensor_div=real_div tensor_mod=floor_mod floormod=floor_mod
math.trigonometric: arccos=acos arctan=atan arctan2=atan2 arcsinh=asinh arccosh=acosh arctanh=atanh
math.comparison: equal=eq not_equal=ne less=lt less_equal=le greater=gt greater_equal=ge select=where tensor_lt=lt
    tensor_le=le tensor_gt=gt tensor_ge=ge
math.clipping: clip=clamp
array.joining: cat=concat
array.shapes: moveaxis=movedim
linalg.products: ger
math.fused_arithmetic: inv
isnan_ext(tensor: input) -> math.comparison.isnan
true_divide(dividend: input, divisor: other) -> math.arithmetic.div
floor_div(x: input, y: other) -> math.arithmetic.floor_divide
truncate_mod(x: input, y: other) -> math.arithmetic.fmod
tensor_slice(input: input_x, begin, size) -> array.slicing.slice
shape_(x: input_x) -> primitive_impl.python_scalars.shape
arcsin(x: input) -> math.trigonometric.asin
bitwise_not(input: x) -> math.bitwise.invert
reduce_mean(x, axis=(), keep_dims=False) -> reduction.reduction.mean
reduce_max(x: input, axis=(), keep_dims: keepdims = False) -> reduction.min_max.amax
reduce_min(x: input, axis=(), keep_dims: keepdims = False) -> reduction.min_max.amin
reduce_all(x: input, axis=(), keep_dims=False) -> reduction.reduction.all
reduce_any(x: input, axis=(), keep_dims=False) -> reduction.reduction.any
permute(input, axis: dims | dims) -> array.shapes.transpose
unsqueeze(input: input_x, dim: axis | axis) -> array.shapes.expand_dims
swapdims(input, dim0: axis0, dim1: axis1) -> array.shapes.swapaxes
unstack(input_x: input, axis: dim = 0) -> array.joining.unbind
repeat_elements(x: input, rep: repeats, axis=0) -> array.joining.repeat_interleave
gather_d(x: input, dim, index) -> array.gathering.gather_elements
expand(input_x: input, size: shape) -> array.shapes.broadcast_to
""",
)


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
    checks.check_tensors("expand_as", other=other)
    return shapes.broadcast_to(input, tuple(other.shape))


@documented_by(expand_as)
def view_as(input: Any, other: Any) -> Any:
    """Return the same elements in another Tensor's shape.

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
    """Return the number of elements.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.numel(ms.Tensor([[1, 2, 3]]))
        3
    """
    return input.size


def positive(input: Any) -> Any:
    """Return the Tensor itself.

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


@documented_by(fill)
def fills(x: Any, value: Any) -> Any:
    """One number everywhere, in another Tensor's shape and dtype.

    Args:
        x (Tensor): whose shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.fills(ms.Tensor([1, 2]), 3))
        [3 3]
    """
    return creation.full_like(x, value)
