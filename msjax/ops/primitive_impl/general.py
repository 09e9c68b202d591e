"""Implementations of operators that MindSpore has in class form only."""

from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayOrNumber
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, promote_and_broadcast, to_float
from msjax.ops.reduction import min_max, reduction


@op(promotes=True)
def squared_difference(x: ArrayOrNumber, y: ArrayOrNumber) -> Array:
    """Elementwise (x - y)^2; of complex numbers the squared modulus.

    Args:
        x (Tensor, number): minuend.
        y (Tensor, number): subtrahend, of a shape that broadcasts with `x`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.SquaredDifference()(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 5.0])))
        [4. 9.]
    """
    a, b = promote_and_broadcast("SquaredDifference", x=x, y=y)
    return (a - b) * jnp.conj(a - b)


@op(promotes=True)
def div_no_nan(x1: ArrayOrNumber, x2: ArrayOrNumber) -> Array:
    """Elementwise x1 / x2, and 0 where x2 is 0.

    Args:
        x1 (Tensor, number): dividend.
        x2 (Tensor, number): divisor, of a shape that broadcasts with `x1`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.DivNoNan()(ms.Tensor([1.0, 2.0]), ms.Tensor([0.0, 4.0])))
        [0.  0.5]
    """
    a, b = promote_and_broadcast("DivNoNan", x1=x1, x2=x2)
    zero = b == 0
    safe = jnp.where(zero, jnp.ones_like(b), b)
    quotient = lax.div(*jnp.broadcast_arrays(a, safe))
    return jnp.where(zero, jnp.zeros_like(quotient), quotient)


@op(promotes=True)
def mul_no_nan(x: ArrayOrNumber, y: ArrayOrNumber) -> Array:
    """Elementwise x * y, and 0 where y is 0, even if x is infinite or nan.

    Args:
        x (Tensor, number): first factor.
        y (Tensor, number): second factor, of a shape that broadcasts with `x`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.MulNoNan()(ms.Tensor([float("inf"), 2.0]), ms.Tensor([0.0, 4.0])))
        [0. 8.]
    """
    a, b = promote_and_broadcast("MulNoNan", x=x, y=y)
    zero = b == 0
    return jnp.where(zero, jnp.zeros_like(a * b), jnp.where(zero, jnp.ones_like(a), a) * b)


@op
def l2_loss(input_x: Array) -> Array:
    """Half the sum of squares.

    Args:
        input_x (Tensor): floating.

    Returns:
        Tensor without dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.L2Loss()(ms.Tensor([1.0, 2.0])))
        2.5
    """
    x = as_array("L2Loss", "input_x", input_x)
    checks.check_inexact("L2Loss", input_x=x)
    return checks.apply_in_compute_dtype(lambda v: _squares(v) / 2, x)


def _squares(x: Array) -> Array:
    return jnp.sum(x * x, dtype=x.dtype)


@op
def square_sum_all(x: Array, y: Array) -> tuple[Array, Array]:
    """Return the sums of squares of two arrays.

    Args:
        x (Tensor): first array.
        y (Tensor): second array.

    Returns:
        Two Tensors without dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.SquareSumAll()(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0])))
        5.0 9.0
    """
    return checks.apply_in_compute_dtype(_squares, x), checks.apply_in_compute_dtype(_squares, y)


@op(static="axis output_type")
def argmax_as(input_x: Array, axis: int = -1, output_type: Any = dtypes.int32) -> Array:
    """Return the index of the largest element along an axis (argmax), as int32 or int64.

    Args:
        input_x (Tensor): of a real dtype.
        axis (int): axis to look along.
        output_type (mindspore.dtype): int32 or int64.

    Returns:
        Tensor of indices.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.Argmax()(ms.Tensor([[1.0, 3.0, 2.0]])))
        [1]
    """
    return min_max.argmax.pure(input_x, axis).astype(dtypes.as_np(output_type))


@op(static="axis output_type")
@documented_by(argmax_as)
def argmin_as(x: Array, axis: int = -1, output_type: Any = dtypes.int32) -> Array:
    """Return the index of the smallest element along an axis (argmin), as int32 or int64.

    Args:
        x (Tensor): of a real dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.Argmin()(ms.Tensor([[1.0, 3.0, 2.0]])))
        [0]
    """
    return min_max.argmin.pure(x, axis).astype(dtypes.as_np(output_type))


@op(static="axis keep_dims")
def place_and_max(input: Array, axis: int = 0, keep_dims: bool = False) -> tuple[Array, Array]:
    """Return the indices and values of the largest elements along an axis.

    Args:
        input (Tensor): of a real dtype.
        axis (int): axis to look along.
        keep_dims (bool): keep it with size 1.

    Returns:
        Tensor of indices (int64) and Tensor of values: the other way round than `ops.max`.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.ArgMaxWithValue()(ms.Tensor([1.0, 3.0, 2.0])))
        1 3.0
    """
    value, place = min_max.max.pure(input, axis, keep_dims)
    return place, value


@op(static="axis keep_dims")
@documented_by(place_and_max)
def place_and_min(input: Array, axis: int = 0, keep_dims: bool = False) -> tuple[Array, Array]:
    """Return the indices and values of the smallest elements along an axis.

    Returns:
        Tensor of indices (int64) and Tensor of values: the other way round than `ops.min`.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.ArgMinWithValue()(ms.Tensor([1.0, 3.0, 2.0])))
        0 1.0
    """
    value, place = min_max.min.pure(input, axis, keep_dims)
    return place, value


@op(static="axis unbiased keep_dims")
def std_and_mean(
    x: Array, axis: Any = (), unbiased: bool = True, keep_dims: bool = False
) -> tuple[Array, Array]:
    """Standard deviation and mean over axes.

    Args:
        x (Tensor): of any shape.
        axis (int, tuple[int]): axes to take them over. Default: all.
        unbiased (bool): divide by one less than the number of elements.
        keep_dims (bool): keep the axes with size 1.

    Returns:
        Two Tensors without the axes.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.ReduceStd(unbiased=False)(ms.Tensor([1.0, 3.0])))
        1.0 2.0
    """
    return reduction.std_mean.pure(x, axis, int(unbiased), keep_dims)


@op(static="axis p keep_dims epsilon")
def lp_norm(input: Array, axis: Any, p: int = 2, keep_dims: bool = False, epsilon: float = 1e-12) -> Array:
    """(sum |x|^p)^(1/p) over axes.

    Args:
        input (Tensor): floating.
        axis (int, tuple[int]): axes to sum over.
        p (int): the power.
        keep_dims (bool): keep the axes with size 1.
        epsilon (float): least value of the norm.

    Returns:
        Tensor without the axes.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.LpNorm(axis=0)(ms.Tensor([3.0, 4.0])))
        5.0
    """
    x = to_float(as_array("LpNorm", "input", input))
    total = jnp.sum(jnp.power(jnp.abs(x), jnp.asarray(p, x.dtype)), axis, keepdims=keep_dims)
    some = total > 0  # the gradient of a root at 0 is infinite
    norm = jnp.power(jnp.where(some, total, 1), jnp.asarray(1 / p, x.dtype))
    return jnp.maximum(jnp.where(some, norm, 0), jnp.asarray(epsilon, x.dtype))


@op(static="axis output_num")
def split_evenly(input_x: Array, axis: int = 0, output_num: int = 1) -> tuple[Array, ...]:
    """Split an array into equal parts along an axis.

    Args:
        input_x (Tensor): of any dtype.
        axis (int): axis to split.
        output_num (int): how many; must divide the size.

    Returns:
        Tuple of Tensors.

    Raises:
        ValueError: if the parts would not be equal.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.Split(0, 2)(ms.Tensor([1, 2, 3, 4])))
        [1 2] [3 4]
    """
    x = as_array("Split", "input_x", input_x)
    one = checks.normalize_axis("Split", x.ndim, axis=axis)
    checks.check_ints("Split", output_num=output_num)
    if output_num <= 0 or x.shape[one] % output_num:
        checks.fail(
            ValueError, "Split", "output_num", f"divide {x.shape[one]}, the size of the axis", output_num
        )
    return tuple(jnp.split(x, output_num, one))


@op(static="paddings")
def pad_zeros(input_x: Array, paddings: Any) -> Array:
    """Zeros added on all sides.

    Args:
        input_x (Tensor): of any dtype.
        paddings (tuple): for each axis, how many before and after; negative numbers take away.

    Returns:
        Tensor.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.Pad(((1, 0),))(ms.Tensor([1, 2])))
        [0 1 2]
    """
    x = as_array("Pad", "input_x", input_x)
    if len(paddings) != x.ndim or any(len(p) != 2 for p in paddings):
        checks.fail(ValueError, "Pad", "paddings", f"hold two ints for each of the {x.ndim} axes", paddings)
    return lax.pad(x, jnp.zeros((), x.dtype), [(a, b, 0) for a, b in paddings])


@op(static="paddings mode")
@documented_by(pad_zeros)
def pad_mirrored(input_x: Array, paddings: Any, mode: str = "REFLECT") -> Array:
    """Return the array continued by its mirror image.

    Args:
        paddings (Tensor, tuple): for each axis, how many before and after.
        mode (str): "REFLECT" without, "SYMMETRIC" with the elements at the edge.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.MirrorPad()(ms.Tensor([1, 2, 3]), ms.Tensor([[1, 2]])))
        [2 1 2 3 2 1]
    """
    checks.check_choice("MirrorPad", ("REFLECT", "SYMMETRIC"), mode=mode)
    return jnp.pad(as_array("MirrorPad", "input_x", input_x), paddings, mode.lower())


def invert_permutation(x: Any) -> Any:
    """Return the inverse of a permutation: the position of each number from 0 up.

    Args:
        x (tuple[int], list[int]): each number from 0 to len(x) - 1 once.

    Returns:
        Tuple of ints.

    Raises:
        ValueError: if `x` is no permutation.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.InvertPermutation()((2, 0, 1))
        (1, 2, 0)
    """
    if sorted(x) != list(range(len(x))):
        checks.fail(ValueError, "InvertPermutation", "x", "hold each number from 0 up once", x)
    return tuple(list(x).index(i) for i in range(len(x)))
