"""Products of vectors and matrices, and norms."""

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.numpy.array_function import (
    as_tensor,
    cast,
    define_function,
    normalize_axes,
    normalize_axis,
    promote_arrays,
)
from msjax.ops.common import checks
from msjax.ops.common.promotion import to_float
from msjax.ops.linalg import products


def _check_alignment(fn: str, x: Array, y: Array, i: int, j: int) -> None:
    if x.shape[i] != y.shape[j]:
        raise ValueError(
            f"`{fn}`: the axes that are summed over must have one size. Received: {x.shape} and {y.shape}."
        )


@define_function
def dot(a: ArrayLike, b: ArrayLike) -> Array:
    """Products summed over the last axis of `a` and the last but one (of a vector, the only one) of `b`.

    Args:
        a (Tensor): of shape (..., n); if it has no dimensions, the product is taken elementwise.
        b (Tensor): of shape (..., n, m) or (n,).

    Returns:
        Tensor of the shape of `a` without its last axis, followed by that of `b` without the axis summed over.

    Raises:
        ValueError: if the axes differ in size.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.dot(ms.Tensor([[1.0, 2.0]]), ms.Tensor([3.0, 4.0])))
        [11.]
    """
    a, b = promote_arrays("dot", a, b)
    if a.ndim and b.ndim:
        _check_alignment("dot", a, b, -1, max(-2, -b.ndim))
    return jnp.dot(a, b)


@define_function
def inner(a: ArrayLike, b: ArrayLike) -> Array:
    """Products summed over the last axes of both.

    Args:
        a (Tensor): of shape (..., n).
        b (Tensor): of shape (..., n).

    Returns:
        Tensor of the shapes of `a` and `b` without their last axes, joined.

    Raises:
        ValueError: if the last axes differ in size.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.inner(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0, 4.0], [5.0, 6.0]])))
        [[11. 17.]]
    """
    a, b = promote_arrays("inner", a, b)
    if a.ndim and b.ndim:
        _check_alignment("inner", a, b, -1, -1)
    return jnp.inner(a, b)


@define_function
def outer(a: ArrayLike, b: ArrayLike) -> Array:
    """All products of an element of `a` and one of `b`.

    Args:
        a (Tensor): flattened to n elements.
        b (Tensor): flattened to m elements.

    Returns:
        Tensor of shape (n, m).

    Raises:
        TypeError: if an argument is not an array.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.outer(ms.Tensor([1, 2]), ms.Tensor([3, 4])))
        [[3 4]
         [6 8]]
    """
    return jnp.outer(*promote_arrays("outer", a, b))


@define_function
def kron(a: ArrayLike, b: ArrayLike) -> Array:
    """Kronecker product: blocks of `b`, each scaled by an element of `a`.

    Args:
        a (Tensor, number, list, tuple): of any shape.
        b (Tensor, number, list, tuple): of any shape.

    Returns:
        Tensor whose sizes are the products of those of `a` and `b`.

    Raises:
        TypeError: if an argument is not an array.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.kron([1, 10], [5, 6]))
        [ 5  6 50 60]
    """
    return jnp.kron(*promote_arrays("kron", a, b))


@define_function(static="dtype")
def matmul(x1: ArrayLike, x2: ArrayLike, dtype: Any = None) -> Array:
    """Matrix products; leading axes are stacks of matrices and broadcast.

    Args:
        x1 (Tensor): of shape (..., n, m) or (m,).
        x2 (Tensor): of shape (..., m, k) or (m,).
        dtype (mindspore.dtype, None): of the result. Default: None, the promoted one.

    Returns:
        Tensor of shape (..., n, k), without n or k where an argument is a vector.

    Raises:
        ValueError: if an argument has no dimensions, or two vectors differ in size.
        RuntimeError: if matrices do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.matmul(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0], [4.0]])))
        [[11.]]
    """
    return cast("matmul", products.matmul.pure(*promote_arrays("matmul", x1, x2)), dtype)


@define_function(static="axes")
def tensordot(a: ArrayLike, b: ArrayLike, axes: Any = 2) -> Array:
    """Products summed over several axes of both.

    Args:
        a (Tensor): of any shape.
        b (Tensor): of any shape.
        axes (int, tuple): a number n for the last n axes of `a` and the first n of `b`, or two tuples of axes.

    Returns:
        Tensor of the remaining axes of `a`, followed by those of `b`.

    Raises:
        ValueError: if the axes differ in number or size.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(ms.numpy.tensordot(x, x, axes=1))
        [[ 7. 10.]
         [15. 22.]]
    """
    return products.tensor_dot.pure(*promote_arrays("tensordot", a, b), axes)


def multi_dot(arrays: Any) -> Any:
    """Matrix product of several arrays, one after the other.

    Args:
        arrays (tuple[Tensor], list[Tensor]): at least two; matrices, but for the first and last, which may be vectors.

    Returns:
        Tensor.

    Raises:
        TypeError: if this is not a tuple or list.
        ValueError: if there are fewer than two, or shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 1.0], [0.0, 1.0]])
        >>> print(ms.numpy.multi_dot([x, x, x]))
        [[1. 3.]
         [0. 1.]]
    """
    if not isinstance(arrays, tuple | list):
        checks.fail(TypeError, "multi_dot", "arrays", "be a tuple or list of Tensors", type(arrays).__name__)
    if len(arrays) < 2:
        checks.fail(ValueError, "multi_dot", "arrays", "hold at least two arrays", len(arrays))
    return functools.reduce(dot, [as_tensor("multi_dot", "arrays", x) for x in arrays])


@define_function(static="n")
def matrix_power(a: ArrayLike, n: int) -> Array:
    """Square matrices to a whole power.

    Args:
        a (Tensor, list, tuple): of shape (..., m, m).
        n (int): at least 0.

    Returns:
        Tensor of the shape of `a`.

    Raises:
        TypeError: if `n` is not an int.
        ValueError: if the matrices are not square, or `n` is negative.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.matrix_power(ms.Tensor([[1.0, 1.0], [0.0, 1.0]]), 5))
        [[1. 5.]
         [0. 1.]]
    """
    checks.check_ints("matrix_power", n=n)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        checks.fail(ValueError, "matrix_power", "a", "hold square matrices", f"array of shape {a.shape}")
    if n < 0:
        checks.fail(ValueError, "matrix_power", "n", "be at least 0", n)
    return jnp.linalg.matrix_power(a, n)


@define_function(static="axisa axisb axisc axis")
def cross(
    a: ArrayLike, b: ArrayLike, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Array:
    """Cross products of vectors of two or three elements.

    Args:
        a (Tensor, list, tuple): of size 2 or 3 along `axisa`.
        b (Tensor, list, tuple): of size 2 or 3 along `axisb`; the rest broadcasts with `a`.
        axisa (int): where the vectors lie in `a`.
        axisb (int): where the vectors lie in `b`.
        axisc (int): where they lie in the result, which has no such axis if both sizes are 2.
        axis (int, None): for all three. Default: None.

    Returns:
        Tensor.

    Raises:
        ValueError: if sizes are neither 2 nor 3 or do not broadcast, or an axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.cross([1, 2, 3], [4, 5, 6]))
        [-3  6 -3]
    """
    a, b = promote_arrays("cross", a, b)
    if axis is not None:
        axisa = axisb = axisc = axis
    at, bt = normalize_axis("cross", a, axisa, "axisa"), normalize_axis("cross", b, axisb, "axisb")
    if {a.shape[at], b.shape[bt]} - {2, 3}:
        raise ValueError(
            f"`cross`: vectors must have two or three elements. Received: shapes {a.shape} and {b.shape}."
        )
    if a.shape[at] != b.shape[bt]:  # a vector of two elements lies in the plane; jax 0.12 takes it no more
        a, b = (_in_space(x, axis) for x, axis in ((a, at), (b, bt)))
    try:
        return jnp.cross(a, b, at, bt, axisc)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`cross`: {error} Received: shapes {a.shape} and {b.shape}.") from None


def _in_space(x: Array, axis: int) -> Array:
    width = [(0, 3 - x.shape[axis] if i == axis else 0) for i in range(x.ndim)]
    return jnp.pad(x, width)


def _vector_norm(x: Array, order: Any, at: int, keepdims: bool) -> Array:
    size = jnp.abs(x)
    if order == np.inf:
        return jnp.max(size, at, keepdims=keepdims)
    if order == -np.inf:
        return jnp.min(size, at, keepdims=keepdims)
    if order == 0:
        return jnp.sum((size != 0).astype(size.dtype), at, keepdims=keepdims)
    if order == 1:
        return jnp.sum(size, at, keepdims=keepdims)
    power = jnp.asarray(order, size.dtype)
    return jnp.power(jnp.sum(jnp.power(size, power), at, keepdims=keepdims), 1 / power)


def _as_measured(x: Array, order: Any, over: tuple[int, ...], whole: bool) -> Array:
    """Return the array in the dtype of its norm: maxima and sums keep integers, means of powers widen float16."""
    picked = order in (np.inf, -np.inf)
    if jnp.issubdtype(x.dtype, jnp.integer) and (picked or (order in (1, -1) and len(over) == 2)):
        return x
    x = to_float(x)
    return (
        x.astype(jnp.float32) if x.dtype == jnp.float16 and (whole or (len(over) == 1 and not picked)) else x
    )


def _matrix_norm(x: Array, order: Any, at: tuple[int, ...], keepdims: bool) -> Array:
    if order in ("nuc", 2, -2):
        raise NotImplementedError(
            f"`norm`: a matrix norm must be 'fro', 1, -1, inf or -inf. Received: ord={order!r}."
        )
    if order not in (1, -1, np.inf, -np.inf):
        checks.fail(ValueError, "norm", "ord", "be None, 'fro', 1, -1, inf or -inf for matrices", repr(order))
    first, second = at if abs(order) == 1 else at[::-1]
    sums = jnp.sum(jnp.abs(x), first, keepdims=True)
    result = (jnp.max if order > 0 else jnp.min)(sums, second, keepdims=True)
    return result if keepdims else jnp.squeeze(result, at)


@define_function(static="ord axis keepdims")
def norm(x: ArrayLike, ord: Any = None, axis: Any = None, keepdims: BoolLike = False) -> Array:  # noqa: A002
    """Norms of vectors or matrices (https://en.wikipedia.org/wiki/Norm_(mathematics)).

    Args:
        x (Tensor, list, tuple): of one or two dimensions, or any if `axis` or neither that nor `ord` is given.
        ord (int, float, str, None): for vectors, the sum of |x|^ord to 1/ord, inf, -inf or 0 (how many are not 0); for
            matrices 'fro', 1, -1, inf or -inf. Default: None, the root of the sum of squares.
        axis (int, tuple[int], None): one axis for vectors, two for matrices. Default: None.
        keepdims (bool): whether the axes stay, with size 1.

    Returns:
        Tensor of a floating dtype; of integers, if these are only added or compared.

    Raises:
        ValueError: if `ord` is none of these, or `x` or `axis` has too many axes.
        NotImplementedError: for the norms 'nuc', 2 and -2 of matrices, as in MindSpore.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.norm(ms.Tensor([3.0, 4.0])))
        5.0
    """
    checks.check_bools("norm", keepdims=keepdims)
    over = normalize_axes("norm", x, axis)
    x = _as_measured(x, ord, over, ord is None and axis is None)
    if ord is None or (ord == "fro" and len(over) == 2) or (ord == 2 and len(over) == 1):
        squares = jnp.real(x) ** 2 + jnp.imag(x) ** 2 if jnp.iscomplexobj(x) else x * x
        return jnp.sqrt(jnp.sum(squares, over, keepdims=keepdims)).astype(x.dtype)
    if isinstance(ord, str) and (ord not in ("fro", "nuc") or len(over) != 2):
        checks.fail(ValueError, "norm", "ord", "be a number, or 'fro' for matrices", repr(ord))
    if len(over) == 1:
        return _vector_norm(x, ord, over[0], keepdims).astype(x.dtype)
    if len(over) != 2:
        checks.fail(
            ValueError,
            "norm",
            "axis",
            "name one or two axes where `ord` is given",
            f"{axis}, x of shape {x.shape}",
        )
    return _matrix_norm(x, ord, over, keepdims).astype(x.dtype)
