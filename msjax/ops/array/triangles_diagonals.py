"""Triangles and diagonals of matrices (last two axes): tril, triu, trace, diag, diagonal, block_diag, vander."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core.op.op import op
from msjax.core.tensor.view_strides import Geometry
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, expect_tensors, promote


def _matrix(op_name: str, x: Any) -> Array:
    x = as_array(op_name, "input", x)
    if x.ndim < 2:
        checks.fail(ValueError, op_name, "input", "have at least two dimensions", f"array of shape {x.shape}")
    return x


@op(static="diagonal")
def tril(input: Array, diagonal: int = 0) -> Array:
    """Return the elements on and below a diagonal of the last two axes, and zeros above.

    Args:
        input (Tensor): of at least two dimensions.
        diagonal (int): how far the diagonal is above the main one.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        ValueError: if `input` has fewer dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.tril(ms.Tensor([[1, 2], [3, 4]])))
        [[1 0]
         [3 4]]
    """
    checks.check_ints("tril", diagonal=diagonal)
    return jnp.tril(_matrix("tril", input), diagonal)


@op(static="diagonal")
@documented_by(tril)
def triu(input: Array, diagonal: int = 0) -> Array:
    """Return the elements on and above a diagonal of the last two axes, and zeros below.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.triu(ms.Tensor([[1, 2], [3, 4]])))
        [[1 2]
         [0 4]]
    """
    checks.check_ints("triu", diagonal=diagonal)
    return jnp.triu(_matrix("triu", input), diagonal)


@op
def trace(input: Array) -> Array:
    """Sum of the main diagonal of a matrix.

    Args:
        input (Tensor): of two dimensions.

    Returns:
        Tensor without dimensions, of `input`'s dtype.

    Raises:
        RuntimeError: if `input` is not a matrix.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.trace(ms.Tensor([[1, 2], [3, 4]])))
        5
    """
    x = as_array("trace", "input", input)
    if x.ndim != 2:
        checks.fail(RuntimeError, "trace", "input", "have two dimensions", f"array of shape {x.shape}")
    return checks.apply_in_compute_dtype(lambda v: jnp.trace(v, dtype=v.dtype), x)


@op
def diag(input: Array) -> Array:
    """Return an array of twice as many dimensions with `input` on its diagonal and zeros elsewhere.

    Args:
        input (Tensor): of at least one dimension.

    Returns:
        Tensor of shape input.shape + input.shape.

    Raises:
        ValueError: if `input` has no dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.diag(ms.Tensor([1, 2])))
        [[1 0]
         [0 2]]
    """
    x = as_array("diag", "input", input)
    if x.ndim == 0:
        checks.fail(ValueError, "diag", "input", "have at least one dimension", "array of shape ()")
    return jnp.diag(x.reshape(-1)).reshape(x.shape + x.shape)


def _diagonal_back(base: Array, changed: Array, *, offset: int, dim1: int, dim2: int) -> Array:
    front = jnp.moveaxis(base, (dim1, dim2), (0, 1))
    places = jnp.arange(changed.shape[-1])
    rows, columns = places + max(-offset, 0), places + max(offset, 0)
    front = front.at[rows, columns].set(jnp.moveaxis(changed, -1, 0))
    return jnp.moveaxis(front, (0, 1), (dim1, dim2))


def _diagonal_geometry(base: Geometry, *, offset: int, dim1: int, dim2: int) -> Geometry:
    rows, columns = dim1 % len(base.shape), dim2 % len(base.shape)
    rest = [axis for axis in range(len(base.shape)) if axis not in (rows, columns)]
    down, right = base.strides[rows], base.strides[columns]
    length = max(min(base.shape[rows] + min(offset, 0), base.shape[columns] - max(offset, 0)), 0)
    return Geometry(
        (*[base.shape[axis] for axis in rest], length),
        (*[base.strides[axis] for axis in rest], down + right),
        base.offset + max(offset, 0) * right + max(-offset, 0) * down,
    )


@op(static="offset dim1 dim2", view=_diagonal_back, geometry=_diagonal_geometry)
def diagonal(input: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """Return the elements on a diagonal of two axes, as the last axis of the result.

    Args:
        input (Tensor): of at least two dimensions.
        offset (int): how far the diagonal is above the main one.
        dim1 (int): axis of rows.
        dim2 (int): axis of columns.

    Returns:
        Tensor of one dimension less: a view.

    Raises:
        ValueError: if `input` has fewer dimensions, or the axes are the same.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.diagonal(ms.Tensor([[1, 2], [3, 4]])))
        [1 4]
    """
    x = _matrix("diagonal", input)
    checks.check_ints("diagonal", offset=offset)
    first, second = (
        checks.normalize_axis("diagonal", x.ndim, dim1=dim1),
        checks.normalize_axis("diagonal", x.ndim, dim2=dim2),
    )
    if first == second:
        checks.fail(ValueError, "diagonal", "dim2", f"be another axis than dim1={dim1}", dim2)
    return jnp.diagonal(x, offset, first, second)


@op(static="offset dim1 dim2")
def diag_embed(input: Array, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Array:
    """Matrices with the last axis of the array on a diagonal, and zeros elsewhere.

    Args:
        input (Tensor): of at least one dimension.
        offset (int): how far the diagonal is above the main one.
        dim1 (int): axis of rows in the result.
        dim2 (int): axis of columns in the result.

    Returns:
        Tensor of one more dimension.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.diag_embed(ms.Tensor([1, 2]), 1))
        [[0 1 0]
         [0 0 2]
         [0 0 0]]
    """
    x = as_array("diag_embed", "input", input)
    checks.check_ints("diag_embed", offset=offset)
    first, second = (
        checks.normalize_axis("diag_embed", x.ndim + 1, dim1=dim1),
        checks.normalize_axis("diag_embed", x.ndim + 1, dim2=dim2),
    )
    if first == second:
        checks.fail(ValueError, "diag_embed", "dim2", f"be another axis than dim1={dim1}", dim2)
    n = x.shape[-1] + abs(offset)
    places = jnp.arange(x.shape[-1])
    made = jnp.zeros((*x.shape[:-1], n, n), x.dtype)
    made = made.at[..., places + max(-offset, 0), places + max(offset, 0)].set(x)
    return jnp.moveaxis(made, (-2, -1), (first, second))


@op
def stacked_diagonally(inputs: Any) -> Array:
    """Matrices along the diagonal of a larger one (see `block_diag`)."""
    given = [
        jnp.atleast_2d(x) for x in promote("block_diag", **{f"inputs[{i}]": x for i, x in enumerate(inputs)})
    ]
    checks.check_rank("block_diag", 2, **{f"inputs[{i}]": x for i, x in enumerate(given)})
    made = jnp.zeros((sum(x.shape[0] for x in given), sum(x.shape[1] for x in given)), given[0].dtype)
    row = column = 0
    for x in given:
        made = made.at[row : row + x.shape[0], column : column + x.shape[1]].set(x)
        row, column = row + x.shape[0], column + x.shape[1]
    return made


def block_diag(*inputs: Any) -> Any:
    """Matrices along the diagonal of a larger one, and zeros elsewhere.

    Args:
        inputs (Tensor): of at most two dimensions.

    Returns:
        Tensor of two dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.block_diag(ms.Tensor([[1, 2]]), ms.Tensor([3])))
        [[1 2 0]
         [0 0 3]]
    """
    expect_tensors("block_diag", inputs=inputs)
    return stacked_diagonally(list(inputs))


@op
def adjoint(x: Array) -> Array:
    """Return the last two axes exchanged, and complex numbers conjugated.

    Args:
        x (Tensor): of at least two dimensions.

    Returns:
        Tensor of shape (..., n, m).

    Raises:
        ValueError: if `x` has fewer dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.adjoint(ms.Tensor([[1j, 2]])))
        [[0.-1.j]
         [2.-0.j]]
    """
    x = _matrix("adjoint", x)
    return jnp.conj(jnp.swapaxes(x, -1, -2))


@op(static="N")
def vander(x: Array, N: int | None = None) -> Array:
    """Vandermonde's matrix: powers of a vector's elements, the highest first.

    Args:
        x (Tensor): of one dimension.
        N (int, None): number of columns. Default: as many as rows.

    Returns:
        Tensor of shape (n, N) and `x`'s dtype, int64 for integers and bool.

    Raises:
        TypeError: if `N` is not an int.
        ValueError: if it is not positive, or `x` not a vector.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.vander(ms.Tensor([1, 2, 3])))
        [[1 1 1]
         [4 2 1]
         [9 3 1]]
    """
    x = as_array("vander", "x", x)
    checks.check_rank("vander", 1, x=x)
    columns = x.shape[0] if N is None else N
    checks.check_ints("vander", N=columns)
    if columns < 1:
        checks.fail(ValueError, "vander", "N", "be positive", N)
    return jnp.vander(x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(jnp.int64), columns)
