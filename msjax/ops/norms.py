"""Norms of vectors and matrices, and distances."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op import op
from msjax.ops import _expect as expect
from msjax.ops._common import array, axes, promote, to_float

_MATRIX = ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)


def _vector(x: Array, order: Any, over: tuple[int, ...], keepdim: bool) -> Array:
    """Norm of the elements along axes taken together."""
    size = jnp.abs(x)
    if order == np.inf:
        return jnp.max(size, over, keepdims=keepdim)
    if order == -np.inf:
        return jnp.min(size, over, keepdims=keepdim)
    if order == 0:
        return jnp.sum(x != 0, over, dtype=size.dtype, keepdims=keepdim)
    if order == 1:
        return jnp.sum(size, over, keepdims=keepdim)
    if order == 2:
        return _root(jnp.sum(size * size, over, keepdims=keepdim))
    power = jnp.asarray(order, size.dtype)
    return jnp.power(jnp.sum(jnp.power(size, power), over, keepdims=keepdim), 1 / power)


def _root(total: Array) -> Array:
    """Square root with derivative 0 at 0, where that of a norm is taken to be 0."""
    zero = total == 0
    return jnp.where(zero, jnp.zeros_like(total), jnp.sqrt(jnp.where(zero, jnp.ones_like(total), total)))


@op(static="ord dim keepdim dtype")
def norm(A: Array, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Array:
    """Norm of vectors or matrices.

    Args:
        A (Tensor): of any shape; integers become float32.
        ord (int, float, inf, -inf, "fro", "nuc", None): which norm. Of vectors (sum |x|^ord)^(1/ord), the number of
            elements that are not 0 for 0, the largest or smallest modulus for inf and -inf. Of matrices the Frobenius
            ("fro") or nuclear norm, the largest or smallest sum of a column (1, -1) or of a row (inf, -inf), the largest
            or smallest singular value (2, -2). Default: the root of the sum of squares of all elements.
        dim (int, tuple[int], None): axis of vectors, or two axes of matrices. Default: all; with `ord`, `A` must then
            have one or two dimensions.
        keepdim (bool): keep them with size 1.
        dtype (mindspore.dtype, None): in which to compute.

    Returns:
        Tensor without the axes.

    Raises:
        TypeError: if `ord` is none of these.
        ValueError: if it does not fit the number of axes.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[3.0, 0.0], [4.0, 0.0]])
        >>> print(ms.ops.norm(x), ms.ops.norm(x, 1, dim=0))
        5.0 [7. 0.]
    """
    x = array("norm", "A", A)
    x = to_float(x if dtype is None else x.astype(dtypes.as_np(dtype)))
    over = axes("norm", x.ndim, dim=dim)
    if ord is None:
        return _vector(x, 2, over, keepdim)
    if isinstance(ord, bool) or (not isinstance(ord, int | float) and ord not in ("fro", "nuc")):
        expect.fail(TypeError, "norm", "ord", "be a number, 'fro' or 'nuc'", repr(ord))
    if len(over) == 1 and not isinstance(ord, str):
        return _vector(x, ord, over, keepdim)
    if len(over) != 2:
        rule = "come with `dim` of one axis, or two for matrices"
        expect.fail(
            ValueError, "norm", "ord", rule, f"{ord!r}, for {len(over)} axes of an array of shape {x.shape}"
        )
    if ord not in _MATRIX:
        expect.fail(ValueError, "norm", "ord", f"be one of {_MATRIX} for matrices", repr(ord))
    return _of_matrix(x, ord, over, keepdim)


def _of_matrix(x: Array, order: Any, over: tuple[int, ...], keepdim: bool) -> Array:
    row, column = over
    if order == "fro":
        found = _vector(x, 2, over, True)
    elif order in (1, -1, np.inf, -np.inf):
        summed, searched = (row, column) if abs(order) == 1 else (column, row)
        sums = jnp.sum(jnp.abs(x), summed, keepdims=True)
        found = (jnp.max if order > 0 else jnp.min)(sums, searched, keepdims=True)
    else:
        values = jnp.linalg.svd(jnp.moveaxis(x, over, (-2, -1)), compute_uv=False)
        found = jnp.sum(values, -1) if order == "nuc" else values[..., 0 if order == 2 else -1]
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
    x, y = promote("cdist", x1=x1, x2=x2)
    expect.floating("cdist", x1=x, x2=y)
    expect.between("cdist", 0, np.inf, p=p)
    if x.ndim < 2 or y.ndim < 2 or x.shape[-1] != y.shape[-1]:
        expect.fail(
            ValueError, "cdist", "x2", "hold vectors as long as those of `x1`", f"{y.shape}, x1={x.shape}"
        )
    return _vector(x[..., :, None, :] - y[..., None, :, :], p, (-1,), False)
