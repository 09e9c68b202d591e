"""Batched CSR matrices in MindSpore's five-part form (`SparseMatrix...` operators).

These are the shape, where each matrix of a batch begins among the values, where each row begins among those of its
matrix, the columns, and the values. These operators look at the indices of stored values, so they run eagerly only.
"""

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor
from msjax.ops.array.gathering import gather, gather_nd
from msjax.ops.common.name_table import attach_classes
from msjax.ops.sparse.coo_classes import add as sparse_add
from msjax.ops.sparse.coo_classes import as_dtype_of, concrete_numbers
from msjax.ops.sparse.coo_classes import softmax as sparse_softmax


def coordinates_of(name: str, shape: Tensor, batches: Tensor, rows: Tensor, columns: Tensor) -> np.ndarray:
    """Return the coordinates of the values, with the batch first if there is one."""
    size, at = concrete_numbers(name, shape), concrete_numbers(name, columns)
    begins = concrete_numbers(name, rows).reshape(-1, int(size[-2]) + 1)
    counts = np.diff(begins, axis=1)
    row = np.concatenate([np.repeat(np.arange(len(each)), each) for each in counts])
    where = [row, at] if len(size) == 2 else [np.repeat(np.arange(len(counts)), counts.sum(1)), row, at]
    return np.stack(where, -1).astype(at.dtype)


def compress(where: np.ndarray, shape: np.ndarray, of: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Shape, batches, rows and columns of coordinates that are in order."""
    count = int(shape[0]) if len(shape) == 3 else 1
    batch = where[:, 0] if len(shape) == 3 else np.zeros(len(where), np.int64)
    counts = np.zeros((count, int(shape[-2])), np.int64)
    np.add.at(counts, (batch, where[:, -2]), 1)
    rows = np.concatenate([np.zeros((count, 1), np.int64), counts.cumsum(1)], 1)
    batches = np.concatenate([[0], counts.sum(1).cumsum()])
    return (
        as_dtype_of(shape, of),
        as_dtype_of(batches, of),
        as_dtype_of(rows.reshape(-1), of),
        as_dtype_of(where[:, -1], of),
    )


@op(static="where shape")
def _dense(values: ArrayLike, where: tuple, shape: tuple) -> Array:
    at = tuple(np.array(where, np.int64).reshape(-1, len(shape)).T)
    return jnp.zeros(shape, values.dtype).at[at].add(values)


def _densify(name: str, parts: tuple) -> Tensor:
    where = coordinates_of(name, *parts[:4])
    return _dense(
        parts[4], tuple(map(tuple, where.tolist())), tuple(concrete_numbers(name, parts[0]).tolist())
    )


def to_dense(
    x_dense_shape: Tensor,
    x_batch_pointers: Tensor,
    x_row_pointers: Tensor,
    x_col_indices: Tensor,
    x_values: Tensor,
) -> Tensor:
    """Return the whole matrix, or the batch (`CSRSparseMatrixToDense`)."""
    parts = x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values
    return _densify("CSRSparseMatrixToDense", parts)


def to_coordinates(
    x_dense_shape: Tensor,
    x_batch_pointers: Tensor,
    x_row_pointers: Tensor,
    x_col_indices: Tensor,
    x_values: Tensor,
) -> tuple:
    """Coordinates, values and shape (`CSRSparseMatrixToSparseTensor`)."""
    where = coordinates_of(
        "CSRSparseMatrixToSparseTensor", x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices
    )
    return as_dtype_of(where, x_col_indices), x_values, x_dense_shape


def from_dense(dense_input: Tensor, indices: Tensor) -> tuple:
    """Return a dense matrix's elements at some coordinates, in order (`DenseToCSRSparseMatrix`)."""
    where = concrete_numbers("DenseToCSRSparseMatrix", indices)
    parts = compress(where, np.array(dense_input.shape), indices)
    return *parts, gather_nd(dense_input, indices)


def from_coordinates(x_indices: Tensor, x_values: Tensor, x_dense_shape: Tensor) -> tuple:
    """Coordinates in order, in the compressed format (`SparseTensorToCSRSparseMatrix`)."""
    name = "SparseTensorToCSRSparseMatrix"
    return *compress(
        concrete_numbers(name, x_indices), concrete_numbers(name, x_dense_shape), x_indices
    ), x_values


def count(
    x_dense_shape: Tensor,
    x_batch_pointers: Tensor,
    x_row_pointers: Tensor,
    x_col_indices: Tensor,
    x_values: Tensor,
) -> Tensor:
    """Return the number of stored values of each matrix (`SparseMatrixNNZ`)."""
    return Tensor(np.diff(concrete_numbers("SparseMatrixNNZ", x_batch_pointers)).astype(np.int32))


def transpose_matrix(
    x_dense_shape: Tensor,
    x_batch_pointers: Tensor,
    x_row_pointers: Tensor,
    x_col_indices: Tensor,
    x_values: Tensor,
    conjugate: bool = False,
) -> tuple:
    """Every matrix transposed (`SparseMatrixTranspose`)."""
    name = "SparseMatrixTranspose"
    where = coordinates_of(name, x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices)
    turned = np.concatenate([where[:, :-2], where[:, :-3:-1]], 1)
    order = np.lexsort(turned.T[::-1])
    shape = concrete_numbers(name, x_dense_shape)
    shape = np.concatenate([shape[:-2], shape[:-3:-1]])
    values = gather(x_values, Tensor(order), 0)
    return *compress(turned[order], shape, x_row_pointers), values.conj() if conjugate else values


def softmax(
    x_dense_shape: Tensor,
    x_batch_pointers: Tensor,
    x_row_pointers: Tensor,
    x_col_indices: Tensor,
    x_values: Tensor,
) -> tuple:
    """Softmax over the values of each row (`SparseMatrixSoftmax`)."""
    where = coordinates_of(
        "SparseMatrixSoftmax", x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices
    )
    values = sparse_softmax(Tensor(where), x_values, x_dense_shape)
    return x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, values


def _result(dense: Tensor, where: np.ndarray, of: Tensor) -> tuple:
    found = np.unique(where, axis=0)
    values = gather_nd(dense, Tensor(found.astype(np.int64)))
    return *compress(found, np.array(dense.shape), of), values


def add_scaled(
    x1_dense_shape: Tensor, x1_batch_pointers: Tensor, x1_row_pointers: Tensor, x1_col_indices: Tensor,
    x1_values: Tensor, x2_dense_shape: Tensor, x2_batch_pointers: Tensor, x2_row_pointers: Tensor,
    x2_col_indices: Tensor, x2_values: Tensor, alpha: Tensor, beta: Tensor,
) -> tuple:  # fmt: skip
    """alpha x1 + beta x2 (`SparseMatrixAdd`)."""
    one = coordinates_of(
        "SparseMatrixAdd", x1_dense_shape, x1_batch_pointers, x1_row_pointers, x1_col_indices
    )
    other = coordinates_of(
        "SparseMatrixAdd", x2_dense_shape, x2_batch_pointers, x2_row_pointers, x2_col_indices
    )
    found, values, _ = sparse_add(
        Tensor(one),
        x1_values * alpha,
        x1_dense_shape,
        Tensor(other),
        x2_values * beta,
        x2_dense_shape,
        Tensor(0.0),
    )
    return *compress(
        found.asnumpy(), concrete_numbers("SparseMatrixAdd", x1_dense_shape), x1_row_pointers
    ), values


def _transpose(x: Tensor, transpose: bool, adjoint: bool) -> Tensor:
    if not (transpose or adjoint):
        return x
    found = x.swapaxes(-1, -2)
    return found.conj() if adjoint else found


def product(
    x1_dense_shape: Tensor, x1_batch_pointers: Tensor, x1_row_pointers: Tensor, x1_col_indices: Tensor,
    x1_values: Tensor, x2_dense: Tensor, transpose_x1: bool = False, transpose_x2: bool = False,
    adjoint_x1: bool = False, adjoint_x2: bool = False, transpose_output: bool = False,
    conjugate_output: bool = False,
) -> Tensor:  # fmt: skip
    """Return a sparse matrix, or a batch, times a dense one (`SparseMatrixMatMul`)."""
    parts = x1_dense_shape, x1_batch_pointers, x1_row_pointers, x1_col_indices, x1_values
    found = _transpose(_densify("SparseMatrixMatMul", parts), transpose_x1, adjoint_x1) @ _transpose(
        x2_dense, transpose_x2, adjoint_x2
    )
    found = _transpose(found, transpose_output, False)
    return found.conj() if conjugate_output else found


def sparse_product(
    x1_dense_shape: Tensor, x1_batch_pointers: Tensor, x1_row_pointers: Tensor, x1_col_indices: Tensor,
    x1_values: Tensor, x2_dense_shape: Tensor, x2_batch_pointers: Tensor, x2_row_pointers: Tensor,
    x2_col_indices: Tensor, x2_values: Tensor, transpose_a: bool = False, transpose_b: bool = False,
    adjoint_a: bool = False, adjoint_b: bool = False,
) -> tuple:  # fmt: skip
    """Return the product of two sparse matrices, or batches, sparse again (`SparseMatrixSparseMatMul`)."""
    name = "SparseMatrixSparseMatMul"
    one = x1_dense_shape, x1_batch_pointers, x1_row_pointers, x1_col_indices, x1_values
    other = x2_dense_shape, x2_batch_pointers, x2_row_pointers, x2_col_indices, x2_values
    a = _transpose(_densify(name, one), transpose_a, adjoint_a)
    b = _transpose(_densify(name, other), transpose_b, adjoint_b)
    filled: Callable = lambda x: (x != 0).astype(np.float32)  # noqa: E731  what can be other than 0
    return _result(a @ b, np.argwhere(concrete_numbers(name, filled(a) @ filled(b)) > 0), x1_row_pointers)


__getattr__, __dir__ = attach_classes(
    __name__,
    """
here: CSRSparseMatrixToDense=to_dense CSRSparseMatrixToSparseTensor=to_coordinates DenseToCSRSparseMatrix=from_dense
    SparseTensorToCSRSparseMatrix=from_coordinates SparseMatrixNNZ=count SparseMatrixAdd=add_scaled
SparseMatrixTranspose(conjugate=False)(...) -> transpose_matrix
SparseMatrixSoftmax(dtype: _)(x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values) -> softmax
SparseMatrixMatMul(transpose_x1=False, transpose_x2=False, adjoint_x1=False, adjoint_x2=False, transpose_output=False,
    conjugate_output=False)(...) -> product
SparseMatrixSparseMatMul(transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False)(...) -> sparse_product
""",
)
