"""Diagonals and triangles of matrices."""

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor
from msjax.numpy.array_function import as_tensor, cast, define_function, element_dtype
from msjax.ops.array import triangles_diagonals
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by


@op(static="N M k dtype")
def _eye(N: int, M: int, k: int, dtype: Any) -> Array:
    return jnp.eye(N, M, k, dtype=dtype)


@op(static="N M k dtype")
def _tri(N: int, M: int, k: int, dtype: Any) -> Array:
    return jnp.tri(N, M, k, dtype=dtype)


def _sides(fn: str, N: Any, M: Any, k: Any) -> tuple[int, int]:
    M = N if M is None else M
    checks.check_ints(fn, N=N, M=M, k=k)
    if min(N, M) < 0:
        checks.fail(ValueError, fn, "N", "not be negative, like `M`", f"{N}, M={M}")
    return N, M


def _whole_sides(fn: str, n: Any, m: Any, k: Any, rounded: Callable[[float], int]) -> tuple[int, int, int]:
    """Return sides and diagonal of a matrix as integers; sides with a fraction are rounded up."""
    m = n if m is None else m
    checks.check_numbers(fn, n=n, m=m, k=k)
    return *_sides(fn, math.ceil(n), math.ceil(m), 0), rounded(k)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = dtypes.float32) -> Tensor:
    """Return a matrix with ones on a diagonal and zeros elsewhere.

    Args:
        N (int): how many rows.
        M (int, None): how many columns. Default: None, N.
        k (int): how far the diagonal is above the main one.
        dtype (mindspore.dtype, str, type): Default: float32.

    Returns:
        Tensor of shape (N, M).

    Raises:
        TypeError: if `N`, `M` or `k` is not an int, or the dtype none.
        ValueError: if `N` or `M` is negative.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.eye(2, 3, 1))
        [[0. 1. 0.]
         [0. 0. 1.]]
    """
    return _eye(*_sides("eye", N, M, k), k, element_dtype("eye", dtype))


def identity(n: int, dtype: Any = dtypes.float32) -> Tensor:
    """Return a square matrix with ones on the main diagonal and zeros elsewhere.

    Args:
        n (int): how many rows and columns.
        dtype (mindspore.dtype, str, type): Default: float32.

    Returns:
        Tensor of shape (n, n).

    Raises:
        TypeError: if `n` is not an int, or the dtype none.
        ValueError: if `n` is negative.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.identity(2))
        [[1. 0.]
         [0. 1.]]
    """
    return _eye(*_sides("identity", n, None, 0), 0, element_dtype("identity", dtype))


@documented_by(eye)
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = dtypes.float32) -> Tensor:
    """Return a matrix with ones on and below a diagonal and zeros above it.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.tri(2, 3))
        [[1. 0. 0.]
         [1. 1. 0.]]
    """
    return _tri(*_sides("tri", N, M, k), k, element_dtype("tri", dtype))


def _triangle_of(fn: str, m: Array, k: Any, of: Any) -> Array:
    checks.check_ints(fn, k=k)
    if m.ndim == 0:
        checks.fail(ValueError, fn, "m", "have at least one dimension", "array of shape ()")
    return of(jnp.broadcast_to(m, (m.size, m.size)) if m.ndim == 1 else m, k)


@define_function(static="k")
def tril(m: ArrayLike, k: int = 0) -> Array:
    """Matrices with zeros above a diagonal.

    Args:
        m (Tensor, list, tuple): of shape (..., n, m); a vector stands for a matrix of equal rows.
        k (int): how far the diagonal is above the main one.

    Returns:
        Tensor of the shape of `m`.

    Raises:
        TypeError: if `k` is not an int.
        ValueError: if `m` has no dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.tril([[1, 2], [3, 4]]))
        [[1 0]
         [3 4]]
    """
    return _triangle_of("tril", m, k, jnp.tril)


@define_function(static="k")
@documented_by(tril)
def triu(m: ArrayLike, k: int = 0) -> Array:
    """Matrices with zeros below a diagonal.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.triu([[1, 2], [3, 4]]))
        [[1 2]
         [0 4]]
    """
    return _triangle_of("triu", m, k, jnp.triu)


@op(static="n k m lower")
def _positions(n: int, k: int, m: int, lower: BoolLike) -> tuple[Array, ...]:
    found = (np.tril_indices if lower else np.triu_indices)(n, k, m)
    return tuple(jnp.asarray(i.astype(np.int32)) for i in found)


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, Tensor]:
    """Positions on and below a diagonal of a matrix: their rows and their columns.

    Args:
        n (int, float): how many rows.
        k (int, float): how far the diagonal is above the main one.
        m (int, float, None): how many columns. Default: None, n.

    Returns:
        Tuple of two Tensors, int32.

    Raises:
        TypeError: if an argument is not an int.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.numpy.tril_indices(2))
        [0 1 1] [0 0 1]
    """
    rows, columns, k = _whole_sides("tril_indices", n, m, k, math.floor)
    return _positions(rows, k, columns, True)  # type: ignore[return-value]


@documented_by(tril_indices)
def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, Tensor]:
    """Positions on and above a diagonal of a matrix: their rows and their columns.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.numpy.triu_indices(2))
        [0 0 1] [0 1 1]
    """
    rows, columns, k = _whole_sides("triu_indices", n, m, k, math.ceil)
    return _positions(rows, k, columns, False)  # type: ignore[return-value]


def _shape_of(fn: str, arr: Any) -> tuple[int, ...]:
    x = as_tensor(fn, "arr", arr)
    if x.ndim != 2:
        checks.fail(ValueError, fn, "arr", "have two dimensions", f"array of shape {x.shape}")
    return tuple(x.shape)


def tril_indices_from(arr: Any, k: int = 0) -> tuple[Tensor, Tensor]:
    """Positions on and below a diagonal of a matrix like the given one.

    Args:
        arr (Tensor, list, tuple): of two dimensions.
        k (int): how far the diagonal is above the main one.

    Returns:
        Tuple of two Tensors, int32.

    Raises:
        TypeError: if `k` is not an int.
        ValueError: if `arr` does not have two dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.numpy.tril_indices_from(ms.numpy.ones((2, 2))))
        [0 1 1] [0 0 1]
    """
    rows, columns = _shape_of("tril_indices_from", arr)
    return tril_indices(rows, k, columns)


@documented_by(tril_indices_from)
def triu_indices_from(arr: Any, k: int = 0) -> tuple[Tensor, Tensor]:
    """Positions on and above a diagonal of a matrix like the given one.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.numpy.triu_indices_from(ms.numpy.ones((2, 2))))
        [0 0 1] [0 1 1]
    """
    rows, columns = _shape_of("triu_indices_from", arr)
    return triu_indices(rows, k, columns)


def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """Positions on the main diagonal of an array of equal sizes.

    Args:
        n (int): the size.
        ndim (int): how many dimensions.

    Returns:
        Tuple of Tensors, one for each dimension, int32.

    Raises:
        TypeError: if an argument is not an int.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.numpy.diag_indices(2))
        [0 1] [0 1]
    """
    checks.check_ints("diag_indices", n=n, ndim=ndim)
    return tuple(Tensor(np.arange(n, dtype=np.int32)) for _ in range(ndim))


@define_function(static="k")
def diag(v: ArrayLike, k: int = 0) -> Array:
    """Return the diagonal of a matrix, or a matrix with a vector on the diagonal.

    Args:
        v (Tensor): of one or two dimensions.
        k (int): how far the diagonal is above the main one.

    Returns:
        Tensor of one or two dimensions: the other number.

    Raises:
        TypeError: if `k` is not an int.
        ValueError: if `v` has neither one nor two dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.diag(ms.Tensor([[1, 2], [3, 4]])), ms.numpy.diag(ms.Tensor([5])))
        [1 4] [[5]]
    """
    checks.check_ints("diag", k=k)
    checks.check_rank("diag", 1, 2, v=v)
    return jnp.diag(v, k)


@define_function(static="k")
def diagflat(v: ArrayLike, k: int = 0) -> Array:
    """Return a matrix with the flattened array on a diagonal.

    Args:
        v (Tensor): of any shape.
        k (int): how far the diagonal is above the main one.

    Returns:
        Tensor of two dimensions.

    Raises:
        TypeError: if `k` is not an int.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.diagflat(ms.Tensor([[1, 2]])))
        [[1 0]
         [0 2]]
    """
    checks.check_ints("diagflat", k=k)
    return jnp.diag(v.ravel(), k)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Return the elements on a diagonal of two axes, as the last axis of the result.

    Args:
        a (Tensor): of at least two dimensions.
        offset (int): how far the diagonal is above the main one.
        axis1 (int): axis of rows.
        axis2 (int): axis of columns.

    Returns:
        Tensor of one dimension less.

    Raises:
        TypeError: if `offset` or an axis is not an int.
        ValueError: if `a` has fewer dimensions, or an axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.diagonal(ms.Tensor([[1, 2], [3, 4]])))
        [1 4]
    """
    return triangles_diagonals.diagonal(as_tensor("diagonal", "a", a), offset, axis1, axis2)


@define_function(static="offset axis1 axis2 dtype")
@documented_by(diagonal)
def trace(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Array:
    """Sums along a diagonal of two axes.

    Args:
        dtype (mindspore.dtype, None): of the result. Default: None, that of `a`, int64 for integers.

    Returns:
        Tensor of two dimensions less.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.trace(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        5.0
    """
    on = triangles_diagonals.diagonal.pure(a, offset, axis1, axis2)
    on = (
        cast("trace", on, dtype)
        if dtype is not None
        else on
        if jnp.issubdtype(on.dtype, jnp.inexact)
        else on.astype(np.int64)
    )
    return jnp.sum(on, -1, dtype=on.dtype)
