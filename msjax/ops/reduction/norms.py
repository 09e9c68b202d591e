"""Vector and matrix norms, and pairwise distances."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import BoolLike
from msjax.core.op.op import op
from msjax.ops.common import checks, matrix_args
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import (
    as_array,
    as_arrays_of_one_dtype,
    normalize_axes,
    promote_and_broadcast,
    to_float,
)
from msjax.ops.common.safe_math import sqrt_of_sum

_MATRIX = ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)


def _size(x: Array) -> Array:
    """|x|, whose derivative at 0 is 0."""
    return jnp.abs(x) if jnp.iscomplexobj(x) else x * jnp.sign(x)


def _vector(x: Array, order: Any, over: tuple[int, ...], keepdim: bool) -> Array:
    """Norm of the elements along axes taken together."""
    size = _size(x)
    if order == np.inf:
        return jnp.max(size, over, keepdims=keepdim)
    if order == -np.inf:
        return jnp.min(size, over, keepdims=keepdim)
    if order == 0:
        return jnp.sum(x != 0, over, dtype=size.dtype, keepdims=keepdim)
    if order == 1:
        return jnp.sum(size, over, keepdims=keepdim)
    if order == 2:
        return sqrt_of_sum(jnp.sum(size * size, over, keepdims=keepdim))
    return _power(jnp.sum(_power(size, order), over, keepdims=keepdim), 1 / order)


@jax.custom_jvp
def _largest(x: Array) -> Array:
    """The largest |x| of the last axis, whose derivative at a tie is the sum of all, as of cdist and pdist."""
    return jnp.max(_size(x), -1)


@_largest.defjvp
def _largest_jvp(primals: Any, tangents: Any) -> Any:
    (x,), (moved,) = primals, tangents
    found = _largest(x)
    return found, jnp.sum(jnp.where(_size(x) == found[..., None], moved * jnp.sign(x), 0), -1)


def _distance(away: Array, p: float) -> Array:
    return _largest(away) if p == np.inf else _vector(away, p, (-1,), False)


def _power(x: Array, order: float) -> Array:
    """x^order for lengths, whose derivative at 0 is taken as 0."""
    none = x == 0
    return jnp.where(
        none, 0 if order > 0 else jnp.inf, jnp.power(jnp.where(none, 1, x), jnp.asarray(order, x.dtype))
    )


@op(static="ord dim keepdim dtype")
def norm(
    A: Array, ord: Any = None, dim: Any = None, keepdim: BoolLike = False, *, dtype: Any = None
) -> Array:
    """Norm of vectors or matrices.

    Args:
        A (Tensor): of any shape; integers become float32, but stay for the ord inf or -inf of vectors.
        ord (int, float, inf, -inf, "fro", "nuc", None): which norm. Of vectors (sum |x|^ord)^(1/ord), the number of
            elements that are not 0 for 0, the largest or smallest modulus for inf and -inf. Of matrices the Frobenius
            ("fro") or nuclear norm, the largest or smallest sum of a column (1, -1) or of a row (inf, -inf), the largest
            or smallest singular value (2, -2). Default: the root of the sum of squares of all elements.
        dim (int, tuple[int], None): axis of vectors, or two axes of matrices. Default: all; with `ord`, `A` must then
            have one or two dimensions.
        keepdim (bool, int): keep them with size 1.
        dtype (mindspore.dtype, None): in which to compute.

    Returns:
        Tensor without the axes.

    Raises:
        TypeError: if `ord` is no number, for vectors.
        ValueError: if it is none of those for matrices, or does not fit the number of axes.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[3.0, 0.0], [4.0, 0.0]])
        >>> print(ms.ops.norm(x), ms.ops.norm(x, 1, dim=0))
        5.0 [7. 0.]
    """
    x = as_array("norm", "A", A)
    x = x if dtype is None else x.astype(dtypes.as_np(dtype))
    whole = None if jnp.issubdtype(x.dtype, jnp.inexact) or x.dtype == bool else x.dtype
    x = to_float(x)
    over = normalize_axes("norm", x.ndim, dim=dim)
    if ord is None:
        found = _vector(x, 2, over, keepdim)
        return found.astype(x.dtype) if jnp.iscomplexobj(x) else found  # complex, as MindSpore's
    if isinstance(ord, bool) or (len(over) == 1 and not isinstance(ord, int | float)):
        checks.fail(TypeError, "norm", "ord", "be a number for vectors", repr(ord))
    if len(over) == 1:
        found = _vector(x, ord, over, keepdim)
        return found.astype(whole) if whole and np.isinf(ord) else found
    if len(over) != 2:
        rule = "come with `dim` of one axis for vectors, or two for matrices"
        checks.fail(
            ValueError, "norm", "ord", rule, f"{ord!r}, for {len(over)} axes of an array of shape {x.shape}"
        )
    if ord not in _MATRIX:
        checks.fail(ValueError, "norm", "ord", f"be one of {_MATRIX} for matrices", repr(ord))
    return _of_matrix(x, ord, over, keepdim)


def _of_matrix(x: Array, order: Any, over: tuple[int, ...], keepdim: bool) -> Array:
    row, column = over
    if order == "fro":
        found = _vector(x, 2, over, True)
    elif order in (1, -1, np.inf, -np.inf):
        summed, searched = (row, column) if abs(order) == 1 else (column, row)
        sums = jnp.sum(_size(x), summed, keepdims=True)
        found = (jnp.max if order > 0 else jnp.min)(sums, searched, keepdims=True)
    else:
        values = jnp.linalg.svd(jnp.moveaxis(x, over, (-2, -1)), compute_uv=False)
        found = (jnp.sum if order == "nuc" else jnp.max if order == 2 else jnp.min)(values, -1)  # ties share
        found = jnp.expand_dims(found, sorted(over))
    return found if keepdim else jnp.squeeze(found, over)


@op(static="p")
def cdist(x1: Array, x2: Array, p: float = 2.0) -> Array:
    """Distances between every vector of one set and every vector of another.

    Args:
        x1 (Tensor): of shape (..., n, m), floating.
        x2 (Tensor): of shape (..., k, m), floating.
        p (float): of the norm that measures, from 0 to inf.

    Returns:
        Tensor of shape (..., n, k).

    Raises:
        ValueError: if `p` is negative, or the vectors differ in length.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.cdist(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[3.0, 4.0], [0.0, 1.0]])))
        [[5. 1.]]
    """
    x, y = as_arrays_of_one_dtype("cdist", x1=x1, x2=x2)
    checks.check_floating("cdist", x1=x, x2=y)
    checks.check_between("cdist", 0, np.inf, p=p)
    if x.ndim < 2 or y.ndim < 2 or x.shape[-1] != y.shape[-1]:
        checks.fail(
            ValueError, "cdist", "x2", "hold vectors as long as those of `x1`", f"{y.shape}, x1={x.shape}"
        )
    return _distance(x[..., :, None, :] - y[..., None, :, :], p)


@op(static="p")
def pdist(input: Array, p: float = 2.0) -> Array:
    """Distances between the vectors of a set, each pair once.

    Args:
        input (Tensor): of shape (n, m), floating.
        p (float): of the norm that measures, from 0 to inf.

    Returns:
        Tensor of shape (n (n - 1) / 2,): from the first vector to the others, from the second to those behind it, ...

    Raises:
        TypeError: if `input` is not floating.
        ValueError: if it has another number of dimensions, or `p` is negative.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.pdist(ms.Tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])))
        [5.        1.        4.2426405]
    """
    x = as_array("pdist", "input", input)
    checks.check_floating("pdist", input=x)
    checks.check_rank("pdist", 2, input=x)
    checks.check_between("pdist", 0, np.inf, p=p)
    first, second = np.triu_indices(x.shape[0], 1)
    wide = x.astype(checks.compute_dtype(x.dtype))
    return _distance(wide[first] - wide[second], p).astype(x.dtype)


@op(static="p", promotes=True)
def dist(input: Array, other: Array, p: float = 2) -> Array:
    """Norm of the difference of two arrays.

    Args:
        input (Tensor): floating.
        other (Tensor): of a shape that broadcasts with `input`.
        p (int, float): of the norm.

    Returns:
        Tensor without dimensions.

    Raises:
        TypeError: if an argument is not floating.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.dist(ms.Tensor([1.0, 2.0]), ms.Tensor([4.0, 6.0])))
        5.0
    """
    x, y = promote_and_broadcast("dist", input=input, other=other)
    checks.check_inexact("dist", input=x, other=y)
    checks.check_numbers("dist", p=p)
    gap = (x - y).astype(checks.compute_dtype(x.dtype))
    return _vector(gap, p, tuple(range(gap.ndim)), False).astype(jnp.abs(x).dtype)


@op(static="ord axis keepdims dtype")
@documented_by(norm)
def vector_norm(
    x: Array, ord: Any = 2, axis: Any = None, keepdims: bool = False, *, dtype: Any = None
) -> Array:
    """Norm of vectors: (sum |x|^ord)^(1/ord).

    Args:
        x (Tensor): of any shape; integers become float32.
        ord (int, float, inf, -inf): which norm; 0 counts the elements that are not 0.
        axis (int, tuple[int], None): axes that hold a vector. Default: all.
        keepdims (bool): keep them with size 1.

    Raises:
        ValueError: if `ord` is not a number, or an axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.vector_norm(ms.Tensor([[3.0, 0.0], [4.0, 1.0]]), axis=0))
        [5. 1.]
    """
    if isinstance(ord, bool) or not isinstance(ord, int | float):
        checks.fail(ValueError, "vector_norm", "ord", "be a number", repr(ord))
    x = as_array("vector_norm", "x", x)
    x = to_float(x if dtype is None else x.astype(dtypes.as_np(dtype)))
    over = normalize_axes("vector_norm", x.ndim, axis=axis)
    return checks.apply_in_compute_dtype(lambda a: _vector(a, ord, over, keepdims), x)


@op(static="ord axis keepdims dtype")
@documented_by(norm)
def matrix_norm(
    A: Array, ord: Any = "fro", axis: Any = (-2, -1), keepdims: bool = False, *, dtype: Any = None
) -> Array:
    """Norm of matrices.

    Args:
        A (Tensor): of at least two dimensions; integers become float32.
        ord (str, int, inf, -inf): which norm, see `norm`.
        axis (tuple[int]): axes of rows and columns.
        keepdims (bool): keep them with size 1.

    Raises:
        ValueError: if `ord` is none of these, or an axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.matrix_norm(ms.Tensor([[3.0, 0.0], [4.0, 0.0]])))
        5.0
    """
    if ord not in _MATRIX:
        checks.fail(ValueError, "matrix_norm", "ord", f"be one of {_MATRIX}", repr(ord))
    x = as_array("matrix_norm", "A", A)
    x = to_float(x if dtype is None else x.astype(dtypes.as_np(dtype)))
    over = normalize_axes("matrix_norm", x.ndim, axis=axis)
    if len(over) != 2:
        checks.fail(ValueError, "matrix_norm", "axis", "name two axes", axis)
    return checks.apply_in_compute_dtype(lambda a: _of_matrix(a, ord, over, keepdims), x)


@op(static="dim keepdim")
def nuclear_norm(x: Array, dim: Any = None, keepdim: BoolLike = False) -> Array:
    """Sum of the singular values of matrices (what `ops.NuclearNorm` computes).

    Args:
        x (Tensor): floating, of at least two dimensions.
        dim (tuple[int], None): axes of rows and columns. Default: those of a matrix.
        keepdim (bool, int): keep them with size 1.

    Returns:
        Tensor without the axes.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.NuclearNorm()(ms.Tensor([[3.0, 0.0], [0.0, 2.0]])))
        5.0
    """
    x = as_array("NuclearNorm", "x", x)
    checks.check_floating("NuclearNorm", x=x)
    if dim is None:
        checks.check_rank("NuclearNorm", 2, x=x)
    return matrix_norm.pure(x, "nuc", (0, 1) if dim is None else dim, keepdim)


@op(static="axes keep_dims")
def euclidean_norm(x: Array, axes: Any, keep_dims: bool = False) -> Array:  # noqa: A002
    """Root of the sum of squares along axes (what `ops.EuclideanNorm` computes).

    Args:
        x (Tensor): numeric.
        axes (Tensor, tuple[int]): the axes. Empty: all.
        keep_dims (bool): keep them with size 1.

    Returns:
        Tensor of `x`'s dtype without the axes.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.EuclideanNorm()(ms.Tensor([[3.0, 0.0], [4.0, 1.0]]), ms.Tensor([0])))
        [5. 1.]
    """
    x = as_array("EuclideanNorm", "x", x)
    named = [int(i) for i in np.asarray(axes).reshape(-1)]
    over = tuple(checks.normalize_axis("EuclideanNorm", x.ndim, axes=i) for i in named) or tuple(
        range(x.ndim)
    )
    return _vector(to_float(x), 2, over, keep_dims).astype(x.dtype)


@op(static="p")
def cond(A: Array, p: Any = None) -> Array:
    """Condition number of matrices: their norm times that of their inverse (Golub and Van Loan, 2.6.2).

    Args:
        A (Tensor): of shape (..., m, n), floating or complex; square unless `p` is None, 2 or -2.
        p (str, int, inf, -inf, None): which norm, see `norm`. Default: 2.

    Returns:
        Tensor of shape (...).

    Raises:
        TypeError: if `A` is not floating or complex.
        ValueError: if `p` is none of these, or the matrices are not square.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.cond(ms.Tensor([[4.0, 0.0], [0.0, 2.0]])))
        2.0
    """
    if p is not None and p not in _MATRIX:
        checks.fail(ValueError, "cond", "p", f"be None or one of {_MATRIX}", repr(p))
    if p in (None, 2, -2):
        x = matrix_args.as_matrices("cond", A=A)
        values = jnp.linalg.svd(x, compute_uv=False)
        return values[..., 0] / values[..., -1] if p != -2 else values[..., -1] / values[..., 0]
    x = matrix_args.as_square_matrices("cond", A=A)
    over = (x.ndim - 2, x.ndim - 1)
    return _of_matrix(x, p, over, False) * _of_matrix(jnp.linalg.inv(x), p, over, False)
