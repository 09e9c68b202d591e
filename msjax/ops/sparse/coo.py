"""COO sparse matrices (`COOTensor`): conversions, sums, products with dense matrices.

What is put together depends on which places are filled, so `coo_add`, `coalesce` and `dense_to_sparse_coo` look
at positions and run eagerly only; their values are differentiable all the same.
"""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.ops.array.gathering import gather, gather_nd
from msjax.ops.array.segments import unsorted_segment_sum
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.index_parsing import within
from msjax.ops.common.promotion import as_array, as_index_array
from msjax.ops.sparse.tensors import COOTensor, CSRTensor


def needs(op_name: str, cls: type, **named: Any) -> None:
    """Arguments that must be sparse tensors of a class."""
    for name, x in named.items():
        if not isinstance(x, cls):
            checks.fail(TypeError, op_name, name, f"be a {cls.__name__}", f"{type(x).__name__}")


def bcoo(values: Array, places: Array, shape: tuple[int, ...]) -> Any:
    """Return JAX's sparse array of values at coordinates."""
    from jax.experimental.sparse import BCOO  # not for everybody: with SciPy's it takes a quarter of a second

    return BCOO((values, places), shape=shape)


def _concrete(op_name: str, x: Tensor) -> np.ndarray:
    return np.asarray(concrete(x, op_name))


def _tensor(found: np.ndarray, dtype: Any) -> Tensor:
    return Tensor(found.astype(dtypes.as_np(dtype)))


@op(static="shape", bounds=within("indices", "shape", 0))
def filled(indices: Array, values: Array, shape: Any) -> Array:
    """Return a dense array with values at coordinates, 0 elsewhere; values at the same place are added (`SparseToDense`).

    Args:
        indices (Tensor): coordinates, shape (n, dimensions), an integer dtype.
        values (Tensor): shape (n,), or one number.
        shape (tuple[int]): of the array.

    Returns:
        Tensor of that shape and the values' dtype.

    Raises:
        TypeError: if the coordinates are not integers.
        ValueError: if shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.SparseToDense()(ms.Tensor([[0, 1]]), ms.Tensor([2.0]), (2, 2)))
        [[0. 2.]
         [0. 0.]]
    """
    where, held = (
        as_index_array("SparseToDense", indices=indices),
        as_array("SparseToDense", "values", values),
    )
    if where.ndim != 2 or where.shape[1] != len(shape) or held.shape not in ((), where.shape[:1]):
        rule = f"have shape (n, {len(shape)}) for n values"
        checks.fail(
            ValueError, "SparseToDense", "indices", rule, f"{where.shape} with values of {held.shape}"
        )
    held = jnp.broadcast_to(held, where.shape[:1])
    return bcoo(held, where, tuple(shape)).todense()


def coo_to_dense(x: COOTensor) -> Tensor:
    """Return the whole matrix (`COOTensor.to_dense`).

    Args:
        x (COOTensor): the matrix.

    Returns:
        Tensor of its shape.
    """
    needs("to_dense", COOTensor, x=x)
    return filled(x.indices, x.values, x.shape)


def picked(dense: Any, x: COOTensor) -> Tensor:
    """Return the elements of a dense matrix at the places of a sparse one."""
    return gather_nd(dense.broadcast_to(x.shape), x.indices)


@op
def row_order(indices: ArrayLike) -> Array:
    """Return the permutation that sorts coordinates by row and column."""
    return jnp.lexsort((indices[:, 1], indices[:, 0]))


@op(static="height")
def coo2csr(row_indices: Array, height: int) -> Array:
    """Convert sorted COO row indices to CSR row pointers.

    Args:
        row_indices (Tensor): row of each value, rising; an integer dtype.
        height (int): number of rows.

    Returns:
        Tensor of shape (height + 1,).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.coo2csr(ms.Tensor([0, 1, 1]), 3))
        [0 1 3 3]
    """
    rows = as_index_array("coo2csr", row_indices=row_indices)
    return jnp.searchsorted(rows, jnp.arange(height + 1, dtype=rows.dtype)).astype(rows.dtype)


def coo_to_csr(x: COOTensor) -> CSRTensor:
    """Convert to CSR, ordered by row and column (`COOTensor.to_csr`).

    Args:
        x (COOTensor): the matrix.

    Returns:
        CSRTensor of its shape.
    """
    needs("to_csr", COOTensor, x=x)
    order = row_order(x.indices)
    places = gather(x.indices, order, 0)
    return CSRTensor(coo2csr(places[:, 0], x.shape[0]), places[:, 1], gather(x.values, order, 0), x.shape)


def _merge_positions(
    op_name: str, places: np.ndarray, values: Tensor
) -> tuple[np.ndarray, Tensor, np.ndarray]:
    """Coordinates in order, each once, the sums of their values, and how many there were of each."""
    found, back, times = np.unique(places, axis=0, return_inverse=True, return_counts=True)
    return found, unsorted_segment_sum(values, Tensor(back.reshape(-1)), len(found)), times


def coalesce(x_indices: Tensor, x_values: Tensor, x_shape: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Coordinates in order, each once, with the sums of their values.

    Args:
        x_indices (Tensor): coordinates, shape (dimensions, n), int64.
        x_values (Tensor): shape (n,), floating.
        x_shape (Tensor): of the whole array, int64.

    Returns:
        Three Tensors like these.

    Raises:
        TypeError: if `x_indices` or `x_shape` is not int64.
        ValueError: if shapes do not fit.
        RuntimeError: inside a compiled function, where positions are not known.

    Examples:
        >>> import msjax as ms
        >>> at, shape = ms.Tensor([[0, 0], [1, 1]]), ms.Tensor([3, 3])
        >>> print(*ms.ops.coalesce(at, ms.Tensor([1.0, 5.0]), shape))
        [[0]
         [1]] [6.] [3 3]
    """
    for name, x in (("x_indices", x_indices), ("x_shape", x_shape)):
        if x.dtype != dtypes.int64:
            checks.fail(TypeError, "coalesce", name, "be of dtype int64", f"dtype={x.dtype}")
    if x_indices.ndim != 2 or x_values.shape != x_indices.shape[1:] or x_shape.size != x_indices.shape[0]:
        rule = "have a row for each dimension and a column for each value"
        checks.fail(
            ValueError, "coalesce", "x_indices", rule, f"{x_indices.shape} with values of {x_values.shape}"
        )
    places, values, _ = _merge_positions("coalesce", _concrete("coalesce", x_indices).T, x_values)
    return _tensor(places.T, dtypes.int64), values, x_shape


def coo_add(x1: COOTensor, x2: COOTensor, thresh: Tensor) -> COOTensor:
    """Return the sum of two sparse matrices. Where both have an element, sums smaller than `thresh` are left out.

    Args:
        x1 (COOTensor): first summand.
        x2 (COOTensor): second summand, of its shape and dtypes.
        thresh (Tensor): one number.

    Returns:
        COOTensor, ordered.

    Raises:
        TypeError: if an argument is something else, or dtypes differ.
        ValueError: if shapes differ.
        RuntimeError: inside a compiled function, where positions are not known.

    Examples:
        >>> import msjax as ms
        >>> x = ms.COOTensor(ms.Tensor([[0, 1]]), ms.Tensor([2.0]), (2, 2))
        >>> print(ms.ops.coo_add(x, x, ms.Tensor(0.0)).values)
        [4.]
    """
    needs("coo_add", COOTensor, x1=x1, x2=x2)
    if (x1.dtype, x1.indices.dtype) != (x2.dtype, x2.indices.dtype):
        checks.fail(TypeError, "coo_add", "x2", f"have the dtype of `x1`, {x1.dtype}", f"dtype={x2.dtype}")
    if x1.shape != x2.shape:
        checks.fail(ValueError, "coo_add", "x2", f"have the shape {x1.shape} of `x1`", x2.shape)
    places = np.concatenate([_concrete("coo_add", x.indices) for x in (x1, x2)])
    found, values, times = _merge_positions("coo_add", places, _concatenate([x1.values, x2.values]))
    keep = (times == 1) | (
        np.abs(_concrete("coo_add", values)) >= np.abs(_concrete("coo_add", Tensor(thresh)))
    )
    if not keep.all():
        values, found = gather(values, Tensor(np.flatnonzero(keep)), 0), found[keep]
    return COOTensor(_tensor(found, x1.indices.dtype), values, x1.shape)


@op
def _concatenate(tensors: Sequence[Array]) -> Array:
    return jnp.concatenate(tensors)


def coo_concat(sp_input: Any, concat_dim: int = 0) -> COOTensor:
    """Sparse matrices one after another along an axis.

    Args:
        sp_input (list[COOTensor], tuple[COOTensor]): two or more, of one dtype and equal in the other axis.
        concat_dim (int): the axis.

    Returns:
        COOTensor, ordered.

    Raises:
        TypeError: if one is not a COOTensor.
        ValueError: if there are less than two, sizes do not fit, or the axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> x = ms.COOTensor(ms.Tensor([[0, 1]]), ms.Tensor([2.0]), (2, 2))
        >>> ms.ops.coo_concat([x, x], 1).shape
        (2, 4)
    """
    if len(sp_input) < 2:
        checks.fail(ValueError, "coo_concat", "sp_input", "hold two matrices or more", len(sp_input))
    for x in sp_input:
        needs("coo_concat", COOTensor, sp_input=x)
    axis = checks.normalize_axis("coo_concat", 2, concat_dim=concat_dim)
    rest = {x.shape[1 - axis] for x in sp_input}
    if len(rest) > 1:
        rule = f"have one size along axis {1 - axis}"
        checks.fail(ValueError, "coo_concat", "sp_input", rule, [x.shape for x in sp_input])
    ends = np.cumsum([0, *(x.shape[axis] for x in sp_input)])
    moves = [np.eye(2, dtype=np.int64)[axis] * int(end) for end in ends[:-1]]
    places = _concatenate(
        [x.indices + _tensor(m, x.indices.dtype) for x, m in zip(sp_input, moves, strict=True)]
    )
    order = row_order(places)
    shape = (int(ends[-1]), rest.pop()) if axis == 0 else (rest.pop(), int(ends[-1]))
    values = gather(_concatenate([x.values for x in sp_input]), order, 0)
    return COOTensor(gather(places, order, 0), values, shape)


def dense_to_sparse_coo(tensor: Tensor) -> COOTensor:
    """Return the elements of a matrix that are not zero, with their coordinates (`Tensor.to_coo`).

    Args:
        tensor (Tensor): two-dimensional.

    Returns:
        COOTensor of its shape, with int32 coordinates.

    Raises:
        TypeError: if it is not a Tensor.
        ValueError: if it does not have two dimensions.
        RuntimeError: inside a compiled function, where values are not known.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.dense_to_sparse_coo(ms.Tensor([[0.0, 2.0]])).indices)
        [[0 1]]
    """
    if not isinstance(tensor, Tensor):
        checks.fail(TypeError, "dense_to_sparse_coo", "tensor", "be a Tensor", type(tensor).__name__)
    if tensor.ndim != 2:
        checks.fail(ValueError, "dense_to_sparse_coo", "tensor", "have two dimensions", tensor.shape)
    places = _tensor(np.argwhere(_concrete("dense_to_sparse_coo", tensor)), dtypes.int32)
    return COOTensor(places, gather_nd(tensor, places), tensor.shape)


def make_coo_tensor(indices: Tensor, values: Tensor, dense_shape: tuple) -> COOTensor:
    """`COOTensor(indices, values, dense_shape)`.

    Args:
        indices (Tensor): coordinates, shape (n, 2).
        values (Tensor): shape (n,).
        dense_shape (tuple[int]): two sizes.

    Returns:
        COOTensor.
    """
    return COOTensor(indices, values, dense_shape)


def coo_tensor_get_indices(x: COOTensor) -> Tensor:
    """`x.indices`.

    Args:
        x (COOTensor): the matrix.
    """
    return x.indices


@documented_by(coo_tensor_get_indices)
def coo_tensor_get_values(x: COOTensor) -> Tensor:
    """`x.values`."""
    return x.values


@documented_by(coo_tensor_get_indices)
def coo_tensor_get_dense_shape(x: COOTensor) -> tuple[int, ...]:
    """`x.shape`."""
    return x.shape


# ---------------------------------------------------------------------- coordinates and values apart


@op(static="sparse_shape adjoint_st adjoint_dt")
def sparse_matmul(
    indices: Array,
    values: Array,
    sparse_shape: Any,
    dense: Array,
    adjoint_st: bool = False,
    adjoint_dt: bool = False,
) -> Array:
    """Return a sparse matrix times a dense one (`SparseTensorDenseMatmul`).

    Args:
        indices (Tensor): coordinates, shape (n, 2), an integer dtype.
        values (Tensor): shape (n,).
        sparse_shape (tuple[int]): two sizes.
        dense (Tensor): a matrix of the values' dtype.
        adjoint_st (bool): conjugate and transpose the sparse matrix.
        adjoint_dt (bool): conjugate and transpose the dense matrix.

    Returns:
        Tensor, a matrix.

    Raises:
        TypeError: if dtypes do not fit.
        ValueError: if shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> at, one = ms.Tensor([[0, 1]]), ms.Tensor([[1.0], [3.0]])
        >>> print(ms.ops.SparseTensorDenseMatmul()(at, ms.Tensor([2.0]), (2, 2), one))
        [[6.]
         [0.]]
    """
    name = "SparseTensorDenseMatmul"
    where = as_index_array(name, indices=indices)
    checks.check_same_dtype(name, values=values, dense=dense)
    checks.check_rank(name, 2, indices=where, dense=dense)
    rows, cols = sparse_shape
    other = jnp.conj(dense).T if adjoint_dt else dense
    if adjoint_st:
        where, values, rows, cols = where[:, ::-1], jnp.conj(values), cols, rows
    if other.shape[0] != cols:
        checks.fail(ValueError, name, "dense", f"have {cols} rows, as the other has columns", other.shape)
    return bcoo(values, where, (rows, cols)) @ other


@documented_by(sparse_matmul)
def sparse_dense_add(x1_indices: Tensor, x1_values: Tensor, x1_shape: Tensor, x2: Tensor) -> Tensor:
    """Return a dense array with values added at coordinates (`SparseTensorDenseAdd`).

    Args:
        x1_indices (Tensor): coordinates, shape (n, dimensions), int32 or int64.
        x1_values (Tensor): shape (n,).
        x1_shape (Tensor): shape of the sparse array, of the dtype of the coordinates.
        x2 (Tensor): dense array of that shape and the values' dtype.

    Returns:
        Tensor like `x2`.

    Examples:
        >>> import msjax as ms
        >>> at, shape = ms.Tensor([[0, 1]]), ms.Tensor([1, 2])
        >>> print(ms.ops.SparseTensorDenseAdd()(at, ms.Tensor([2.0]), shape, ms.Tensor([[1.0, 1.0]])))
        [[1. 3.]]
    """
    if not isinstance(x1_shape, Tensor) or x1_shape.dtype != x1_indices.dtype:
        rule = f"be a Tensor of dtype {x1_indices.dtype}, as `x1_indices`"
        checks.fail(TypeError, "SparseTensorDenseAdd", "x1_shape", rule, repr(x1_shape))
    if x1_values.dtype != x2.dtype:
        rule = f"be of dtype {x2.dtype}, as `x2`"
        checks.fail(TypeError, "SparseTensorDenseAdd", "x1_values", rule, f"dtype={x1_values.dtype}")
    return filled(x1_indices, x1_values, x2.shape) + x2


def sparse_slice(
    indices: Tensor, values: Tensor, shape: Tensor, start: Tensor, size: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the part of a sparse array that begins at `start` and has at most `size` (`SparseSlice`).

    Args:
        indices (Tensor): coordinates, shape (n, dimensions), int64.
        values (Tensor): shape (n,).
        shape (Tensor): of the array, int64.
        start (Tensor): where the part begins, int64.
        size (Tensor): its sizes, int64.

    Returns:
        Three Tensors: coordinates, values and shape of the part.

    Raises:
        RuntimeError: inside a compiled function, where positions are not known.

    Examples:
        >>> import msjax as ms
        >>> at, shape = ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([3, 4])
        >>> part = ms.ops.SparseSlice()(at, ms.Tensor([1.0, 2.0]), shape, ms.Tensor([0, 1]), ms.Tensor([1, 3]))
        >>> print(*part)
        [[0 0]] [1.] [1 3]
    """
    where, whole, low, most = (_concrete("SparseSlice", x) for x in (indices, shape, start, size))
    high = np.minimum(low + most, whole)
    inside = np.flatnonzero(((where >= low) & (where < high)).all(1))
    found = gather(values, _tensor(inside, dtypes.int64), 0)
    return _tensor(where[inside] - low, dtypes.int64), found, _tensor(np.maximum(high - low, 0), dtypes.int64)
