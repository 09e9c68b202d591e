"""CSR sparse matrices (`CSRTensor`): conversions, sums, products.

Which places a sum or product of two sparse matrices fills depends on positions, so those run eagerly only; their values are
differentiable all the same.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor
from msjax.ops.array.gathering import gather_nd
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, as_index_array
from msjax.ops.math.casts import astype
from msjax.ops.sparse.coo import bcoo, coo_add, dense_to_sparse_coo, needs
from msjax.ops.sparse.tensors import COOTensor, CSRTensor


@op(static="nnz")
def csr2coo(indptr: Array, nnz: int) -> Array:
    """Return the row of each value, from where the rows begin.

    Args:
        indptr (Tensor): where each row begins, and where the last one ends; an integer dtype.
        nnz (int): number of values.

    Returns:
        Tensor of shape (nnz,).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.csr2coo(ms.Tensor([0, 1, 3]), 3))
        [0 1 1]
    """
    ends = as_index_array("csr2coo", indptr=indptr)
    rows = jnp.arange(ends.size - 1, dtype=ends.dtype)
    return jnp.repeat(rows, jnp.diff(ends), total_repeat_length=nnz)


def _bcoo(indptr: Array, indices: Array, values: Array, shape: tuple[int, int]) -> Any:
    places = jnp.stack([csr2coo.pure(indptr, indices.size), indices.astype(indptr.dtype)], 1)
    return bcoo(values, places, shape)


@op(static="shape")
def _dense(indptr: ArrayLike, indices: ArrayLike, values: ArrayLike, shape: Any) -> Array:
    checks.check_inexact("csr_to_dense", csr_tensor=values)
    return _bcoo(indptr, indices, values, shape).todense()


@op(static="shape")
def _times(indptr: ArrayLike, indices: ArrayLike, values: ArrayLike, dense: ArrayLike, shape: Any) -> Array:
    checks.check_same_dtype("csr_mm", a=values, b=dense)
    if dense.ndim != 2 or dense.shape[0] != shape[1]:
        checks.fail(ValueError, "csr_mm", "b", f"be a matrix of {shape[1]} rows", f"array of {dense.shape}")
    return _bcoo(indptr, indices, values, shape) @ dense


@op(static="sparse_shape")
def csr_gather(indptr: Array, indices: Array, dense: Array, sparse_shape: Any) -> Array:
    """Return the elements of a dense matrix at the places of a sparse one.

    Args:
        indptr (Tensor): where the rows of the sparse matrix begin.
        indices (Tensor): its columns.
        dense (Tensor): of a shape that broadcasts to the first two of `sparse_shape`; blocks have more.
        sparse_shape (tuple[int]): the sparse matrix's shape.

    Returns:
        Tensor with one element, or block, for each place.

    Examples:
        >>> import msjax as ms
        >>> at = ms.Tensor([0, 1, 2]), ms.Tensor([1, 0])
        >>> print(ms.ops.csr_gather(*at, ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), (2, 2)))
        [2. 3.]
    """
    x = as_array("csr_gather", "dense", dense)
    shape = tuple(sparse_shape)[:2]
    wide = jnp.broadcast_to(x, shape) if x.ndim < 3 else jnp.broadcast_to(x, shape + x.shape[2:])
    return wide[csr2coo.pure(indptr, indices.size), indices]


def csr_to_dense(csr_tensor: CSRTensor) -> Tensor:
    """Return the whole matrix.

    Args:
        csr_tensor (CSRTensor): floating or complex.

    Returns:
        Tensor of its shape.

    Raises:
        TypeError: if it is not a CSRTensor.
        ValueError: if it does not have two dimensions.

    Examples:
        >>> import msjax as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1]), ms.Tensor([1]), ms.Tensor([2.0]), (1, 2))
        >>> print(ms.ops.csr_to_dense(x))
        [[0. 2.]]
    """
    needs("csr_to_dense", CSRTensor, csr_tensor=csr_tensor)
    if csr_tensor.ndim != 2:
        checks.fail(ValueError, "csr_to_dense", "csr_tensor", "have two dimensions", csr_tensor.shape)
    return _dense(*csr_tensor.to_tuple())


@documented_by(csr_to_dense)
def csr_to_coo(tensor: CSRTensor) -> COOTensor:
    """Convert to COO: coordinates and values.

    Args:
        tensor (CSRTensor): two-dimensional.

    Returns:
        COOTensor of its shape.

    Examples:
        >>> import msjax as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1]), ms.Tensor([1]), ms.Tensor([2.0]), (1, 2))
        >>> print(ms.ops.csr_to_coo(x).indices)
        [[0 1]]
    """
    needs("csr_to_coo", CSRTensor, tensor=tensor)
    if tensor.ndim != 2:
        checks.fail(ValueError, "csr_to_coo", "tensor", "have two dimensions", tensor.shape)
    return COOTensor(_coordinates(tensor.indptr, tensor.indices), tensor.values, tensor.shape)


@op
def _coordinates(indptr: ArrayLike, indices: ArrayLike) -> Array:
    return jnp.stack([csr2coo.pure(indptr, indices.size), indices.astype(indptr.dtype)], 1)


def dense_to_sparse_csr(tensor: Tensor) -> CSRTensor:
    """Return the elements of a matrix that are not zero, in compressed rows (`Tensor.to_csr`).

    Args:
        tensor (Tensor): two-dimensional.

    Returns:
        CSRTensor of its shape, with int32 positions.

    Raises:
        TypeError: if it is not a Tensor.
        ValueError: if it does not have two dimensions.
        RuntimeError: inside a compiled function, where values are not known.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.dense_to_sparse_csr(ms.Tensor([[0.0, 2.0]])).indptr)
        [0 1]
    """
    return dense_to_sparse_coo(tensor).to_csr()


def csr_add(a: CSRTensor, b: CSRTensor, alpha: Any, beta: Any) -> CSRTensor:
    """alpha a + beta b.

    Args:
        a (CSRTensor): first summand.
        b (CSRTensor): second summand, of its shape and dtypes.
        alpha (Tensor): one number of their dtype.
        beta (Tensor): one number of their dtype.

    Returns:
        CSRTensor of that shape.

    Raises:
        TypeError: if an argument is something else, or dtypes differ.
        ValueError: if shapes differ.
        RuntimeError: inside a compiled function, where positions are not known.

    Examples:
        >>> import msjax as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1]), ms.Tensor([1]), ms.Tensor([2.0]), (1, 2))
        >>> print(ms.ops.csr_add(x, x, ms.Tensor(1.0), ms.Tensor(2.0)).values)
        [6.]
    """
    needs("csr_add", CSRTensor, a=a, b=b)
    first, second = (csr_to_coo(x._like(x.values * k)) for x, k in ((a, alpha), (b, beta)))
    return coo_add(first, second, Tensor(0, first.dtype)).to_csr()


def _gather_beside(name: str, x: CSRTensor, y: Any) -> Any:
    needs(name, CSRTensor, x=x)
    if not isinstance(y, Tensor):
        return y
    return csr_gather(x.indptr, x.indices, y, x.shape)


def csr_mul(x: CSRTensor, y: Tensor) -> CSRTensor:
    """Return a sparse matrix times a dense one, element by element.

    Args:
        x (CSRTensor): first factor.
        y (Tensor, number): second factor, of a shape that broadcasts to `x`'s.

    Returns:
        CSRTensor of the same places.

    Examples:
        >>> import msjax as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1]), ms.Tensor([1]), ms.Tensor([2.0]), (1, 2))
        >>> print(ms.ops.csr_mul(x, ms.Tensor([[3.0, 4.0]])).values)
        [8.]
    """
    return x._like(x.values * _gather_beside("csr_mul", x, y))


def csr_div(x: CSRTensor, y: Tensor) -> Tensor:
    """Return the values of a sparse matrix divided by the elements of a dense one at their places.

    Args:
        x (CSRTensor): dividend.
        y (Tensor, number): divisor, of a shape that broadcasts to `x`'s.

    Returns:
        Tensor of the values; `x / y` gives a CSRTensor.

    Examples:
        >>> import msjax as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1]), ms.Tensor([1]), ms.Tensor([2.0]), (1, 2))
        >>> print(ms.ops.csr_div(x, ms.Tensor([[3.0, 4.0]])))
        [0.5]
    """
    return x.values / _gather_beside("csr_div", x, y)


def csr_mv(csr_tensor: CSRTensor, dense: Tensor) -> Tensor:
    """Return a sparse matrix times a vector.

    Args:
        csr_tensor (CSRTensor): of shape (rows, columns).
        dense (Tensor): of shape (columns, 1).

    Returns:
        Tensor of shape (rows, 1).

    Raises:
        TypeError: if dtypes differ.
        ValueError: if shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1]), ms.Tensor([1]), ms.Tensor([2.0]), (1, 2))
        >>> print(ms.ops.csr_mv(x, ms.Tensor([[1.0], [3.0]])))
        [[6.]]
    """
    needs("csr_mv", CSRTensor, csr_tensor=csr_tensor)
    indptr, indices, values, shape = csr_tensor.to_tuple()
    return _times(indptr, indices, values, dense, shape)


@documented_by(csr_mv)
def csr_mm(
    a: CSRTensor,
    b: Any,
    trans_a: bool = False,
    trans_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Any:
    """Return a sparse matrix times a dense or a sparse one.

    Args:
        a (CSRTensor): first factor.
        b (Tensor, CSRTensor): second factor, of its dtype.
        trans_a (bool): transpose the first.
        trans_b (bool): transpose the second.
        adjoint_a (bool): conjugate and transpose the first.
        adjoint_b (bool): conjugate and transpose the second.

    Returns:
        Tensor, or CSRTensor if both are sparse.

    Examples:
        >>> import msjax as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1]), ms.Tensor([1]), ms.Tensor([2.0]), (1, 2))
        >>> print(ms.ops.csr_mm(x, ms.Tensor([[1.0], [3.0]])))
        [[6.]]
    """
    needs("csr_mm", CSRTensor, a=a)
    left = _transpose(a, trans_a, adjoint_a)
    if not isinstance(b, CSRTensor):
        other = (b.conj().T if adjoint_b else b.T) if trans_b or adjoint_b else b
        indptr, indices, values, shape = left.to_tuple()
        return _times(indptr, indices, values, other, shape)
    right = _transpose(b, trans_b, adjoint_b)
    if left.shape[1] != right.shape[0]:
        checks.fail(ValueError, "csr_mm", "b", f"have {left.shape[1]} rows", right.shape)
    shape = left.shape[0], right.shape[1]
    places = Tensor(np.argwhere((_pattern(left) @ _pattern(right)) > 0).astype(np.int32))
    product = csr_mm(left, right.to_dense())
    return COOTensor(places, gather_nd(product, places), shape).to_csr()


def _pattern(x: CSRTensor) -> np.ndarray:
    """1 at the places of a sparse matrix."""
    made = np.zeros(x.shape, np.float32)
    made[tuple(_coordinates(x.indptr, x.indices).asnumpy().T)] = 1
    return made


def _transpose(x: CSRTensor, transposed: bool, adjoint: bool) -> CSRTensor:
    if not transposed and not adjoint:
        return x
    coo = csr_to_coo(x)
    values = coo.values.conj() if adjoint else coo.values
    return COOTensor(coo.indices.flip(1), values, x.shape[::-1]).to_csr()


@documented_by(csr_mv)
def csr_reduce_sum(csr_tensor: CSRTensor, axis: int) -> Tensor:
    """Sums of the rows.

    Args:
        axis (int): 1 or -1.

    Raises:
        ValueError: for another axis.

    Examples:
        >>> import msjax as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 2]), ms.Tensor([0, 1]), ms.Tensor([2.0, 1.0]), (1, 2))
        >>> print(ms.ops.csr_reduce_sum(x, 1))
        [[3.]]
    """
    needs("csr_reduce_sum", CSRTensor, csr_tensor=csr_tensor)
    if axis not in (1, 1 - csr_tensor.ndim):
        checks.fail(ValueError, "csr_reduce_sum", "axis", f"be 1 or {1 - csr_tensor.ndim}", axis)
    return _row_sums(csr_tensor.indptr, csr_tensor.values, csr_tensor.shape[0])


@op(static="height")
def _row_sums(indptr: ArrayLike, values: ArrayLike, height: int) -> Array:
    rows = csr2coo.pure(indptr, values.shape[0])
    return jax.ops.segment_sum(values, rows, height)[:, None]


@op(static="height")
def _row_softmax(indptr: ArrayLike, values: ArrayLike, height: int) -> Array:
    rows = csr2coo.pure(indptr, values.size)
    top = jax.ops.segment_max(values, rows, height)
    weights = jnp.exp(values - top[rows])
    return weights / jax.ops.segment_sum(weights, rows, height)[rows]


def csr_softmax(logits: CSRTensor, dtype: Any) -> CSRTensor:
    """Softmax of each row, over the elements that are held.

    Args:
        logits (CSRTensor): floating.
        dtype (mindspore.dtype): of the result.

    Returns:
        CSRTensor of the same places.

    Examples:
        >>> import msjax as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 2]), ms.Tensor([0, 1]), ms.Tensor([2.0, 2.0]), (1, 3))
        >>> print(ms.ops.csr_softmax(x, ms.float32).values)
        [0.5 0.5]
    """
    needs("csr_softmax", CSRTensor, logits=logits)
    return logits._like(_row_softmax(logits.indptr, astype(logits.values, dtype), logits.shape[0]))


def make_csr_tensor(indptr: Tensor, indices: Tensor, values: Tensor, shape: tuple) -> CSRTensor:
    """`CSRTensor(indptr, indices, values, shape)`.

    Args:
        indptr (Tensor): where each row begins, and where the last one ends.
        indices (Tensor): column of each value.
        values (Tensor): the values.
        shape (tuple[int]): the matrix's shape.

    Returns:
        CSRTensor.
    """
    return CSRTensor(indptr, indices, values, shape)


def csr_tensor_get_indptr(x: CSRTensor) -> Tensor:
    """`x.indptr`.

    Args:
        x (CSRTensor): the matrix.
    """
    return x.indptr


@documented_by(csr_tensor_get_indptr)
def csr_tensor_get_indices(x: CSRTensor) -> Tensor:
    """`x.indices`."""
    return x.indices


@documented_by(csr_tensor_get_indptr)
def csr_tensor_get_values(x: CSRTensor) -> Tensor:
    """`x.values`."""
    return x.values


@documented_by(csr_tensor_get_indptr)
def csr_tensor_get_dense_shape(x: CSRTensor) -> tuple[int, ...]:
    """`x.shape`."""
    return x.shape
