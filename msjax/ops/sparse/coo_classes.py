"""Sparse operators in class form on indices, values and shape (`ops.operations.sparse_ops`).

Where the result depends on which places are filled, coordinates are looked at and the operator runs eagerly only; the
values are differentiable all the same.
"""

import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.ops.array.gathering import gather
from msjax.ops.array.joining import concat
from msjax.ops.array.segments import unsorted_segment_sum
from msjax.ops.common import checks
from msjax.ops.common.name_table import attach_classes


def concrete_numbers(name: str, x: Any) -> np.ndarray:
    """Return the numbers in a Tensor, which must be known now."""
    return np.asarray(concrete(x, name)) if isinstance(x, Tensor) else np.asarray(x)


def as_dtype_of(numbers: Any, of: Any) -> Tensor:
    """Numbers as a Tensor of another one's dtype."""
    return Tensor(np.asarray(numbers), of.dtype)


# ---------------------------------------------------------------------- with dense arrays


def _meets(values: Array, indices: Array, dense: Array, shape: tuple) -> tuple[Array, Array]:
    there = jnp.broadcast_to(dense, shape)[tuple(indices.T)]
    return values, there


@op(static="x1_shape")
def cwise_add(x1_indices: Array, x1_values: Array, x1_shape: Any, x2: Array) -> Array:
    """Return the values plus what a dense array has in their places (`SparseDenseCwiseAdd`).

    Args:
        x1_indices (Tensor): coordinates, shape (n, dimensions).
        x1_values (Tensor): shape (n,).
        x1_shape (Tensor, tuple[int]): of the sparse array.
        x2 (Tensor): dense, of a shape that broadcasts to it.

    Returns:
        Tensor of shape (n,).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.sparse.coo_classes import SparseDenseCwiseAdd
        >>> at = ms.Tensor([[0, 1], [2, 0]])
        >>> print(SparseDenseCwiseAdd()(at, ms.Tensor([1, 2]), ms.Tensor([3, 2]), ms.Tensor([5, 6])))
        [7 7]
    """
    return jnp.add(*_meets(x1_values, x1_indices, x2, x1_shape))


@op(static="x1_shape")
def cwise_mul(x1_indices: ArrayLike, x1_values: ArrayLike, x1_shape: Any, x2: ArrayLike) -> Array:
    """Return the values times what a dense array has in their places; arguments as for `cwise_add`."""
    return jnp.multiply(*_meets(x1_values, x1_indices, x2, x1_shape))


@op(static="x1_shape")
def cwise_div(x1_indices: ArrayLike, x1_values: ArrayLike, x1_shape: Any, x2: ArrayLike) -> Array:
    """Return the values over what a dense array has in their places; arguments as for `cwise_add`."""
    return jnp.divide(*_meets(x1_values, x1_indices, x2, x1_shape)).astype(x1_values.dtype)


def densify_over(indices: Tensor, output_shape: Any, values: Any, default_value: Any) -> Tensor:
    """Return a dense array with values at coordinates and one number elsewhere (`SparseToDenseV2`).

    Args:
        indices (Tensor): coordinates, shape (n, dimensions), or (n,) for one.
        output_shape (Tensor): of the array.
        values (Tensor): shape (n,).
        default_value (Tensor): the number.

    Raises:
        ValueError: if there is not a value for each coordinate, or one lies outside.
    """
    shape, where = (
        tuple(concrete_numbers("SparseToDenseV2", output_shape).tolist()),
        concrete_numbers("SparseToDenseV2", indices),
    )
    where = where.reshape(len(where), -1) if where.ndim else where.reshape(1, 1)
    if values.shape != where.shape[:1]:
        checks.fail(ValueError, "SparseToDenseV2", "values", f"have shape {where.shape[:1]}", values.shape)
    if ((where < 0) | (where >= shape)).any():
        checks.fail(ValueError, "SparseToDenseV2", "indices", f"lie inside of {shape}", where.tolist())
    return _write_values(values, default_value, where, shape)


@op(static="where shape")
def _write_values(values: ArrayLike, default: ArrayLike, where: Any, shape: tuple) -> Array:
    whole = jnp.broadcast_to(default.astype(values.dtype), shape)
    return whole.at[tuple(np.array(where).reshape(-1, len(shape)).T)].set(values)


@op(static="sparse_shape")
def addmm(
    indices: ArrayLike,
    values: ArrayLike,
    sparse_shape: Any,
    x2_dense: ArrayLike,
    x3_dense: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike,
) -> Array:
    """alpha (sparse @ x2) + beta x3 (`SparseAddmm`)."""
    sparse = jnp.zeros(sparse_shape, values.dtype).at[tuple(indices.T)].add(values)
    return alpha.reshape(()) * (sparse @ x2_dense) + beta.reshape(()) * x3_dense


# ---------------------------------------------------------------------- order and shape


def reorder(indices: Tensor, values: Tensor, shape: Any) -> tuple[Tensor, Tensor]:
    """Return the coordinates in order, and their values (`SparseReorder`)."""
    order = Tensor(np.lexsort(concrete_numbers("SparseReorder", indices).T[::-1]))
    return gather(indices, order, 0), gather(values, order, 0)


def reshape_sparse(indices: Tensor, shape: Tensor, new_shape: Tensor) -> tuple[Tensor, Tensor]:
    """Return the indices and the shape of a sparse tensor after a reshape (`SparseReshape`).

    Raises:
        RuntimeError: if the numbers of elements differ.
    """
    name = "SparseReshape"
    where, old, new = (
        concrete_numbers(name, indices),
        concrete_numbers(name, shape),
        concrete_numbers(name, new_shape).copy(),
    )
    size, rest = int(old.prod()), int(new[new >= 0].prod())
    new[new < 0] = size // max(rest, 1)
    if new.prod() != size:
        checks.fail(RuntimeError, name, "new_shape", f"have {size} elements, as {old.tolist()}", new.tolist())
    places = np.ravel_multi_index(tuple(where.T), tuple(old))
    found = np.stack(np.unravel_index(places, tuple(new)), -1).reshape(len(where), len(new))
    return as_dtype_of(found, indices), as_dtype_of(new, shape)


def join_sparse(
    sp_input_indices: Any, sp_input_values: Any, sp_input_shapes: Any, concat_dim: int = 0
) -> tuple:
    """Sparse arrays one after the other along an axis (`SparseConcat`).

    Args:
        sp_input_indices (tuple[Tensor]): coordinates.
        sp_input_values (tuple[Tensor]): values.
        sp_input_shapes (tuple[Tensor]): shapes.
        concat_dim (int): the axis. Default: 0.
    """
    shapes = [concrete_numbers("SparseConcat", s) for s in sp_input_shapes]
    axis = concat_dim % len(shapes[0])
    before = np.cumsum([0, *(s[axis] for s in shapes)])
    moved = []
    for where, offset in zip(sp_input_indices, before[:-1], strict=True):
        places = concrete_numbers("SparseConcat", where).copy()
        places[:, axis] += offset
        moved.append(places)
    shape = shapes[0].copy()
    shape[axis] = before[-1]
    places, values = (
        as_dtype_of(np.concatenate(moved), sp_input_indices[0]),
        concat(tuple(sp_input_values), 0),
    )
    return *reorder(places, values, shape), as_dtype_of(shape, sp_input_shapes[0])


def split(split_dim: Any, indices: Tensor, values: Tensor, shape: Tensor, num_split: int = 1) -> tuple:
    """Parts of a sparse array along an axis, the first ones longer by one if need be (`SparseSplit`).

    Returns:
        Tuples of coordinates, of values and of shapes.
    """
    axis, where = (
        int(concrete_numbers("SparseSplit", split_dim).reshape(())),
        concrete_numbers("SparseSplit", indices),
    )
    whole = concrete_numbers("SparseSplit", shape)
    each, more = divmod(int(whole[axis]), num_split)
    edges = np.cumsum([0, *([each + 1] * more), *([each] * (num_split - more))])
    parts = []
    for low, high in itertools.pairwise(edges):
        at = np.flatnonzero((where[:, axis] >= low) & (where[:, axis] < high))
        places, size = where[at].copy(), whole.copy()
        places[:, axis] -= low
        size[axis] = high - low
        parts.append((as_dtype_of(places, indices), gather(values, Tensor(at), 0), as_dtype_of(size, shape)))
    return tuple(zip(*parts, strict=True))


def fill_empty_rows(indices: Tensor, values: Tensor, dense_shape: Tensor, default_value: Tensor) -> tuple:
    """Return a value in the first column of each row that has none (`SparseFillEmptyRows`).

    Returns:
        Coordinates, values, for each row whether it was empty, and for each value where it is now.
    """
    name = "SparseFillEmptyRows"
    where, rows = concrete_numbers(name, indices), int(concrete_numbers(name, dense_shape)[0])
    empty = np.bincount(where[:, 0], minlength=rows) == 0
    added = np.stack([np.flatnonzero(empty), np.zeros(empty.sum(), where.dtype)], -1)
    both = np.concatenate([where, added])
    order = np.argsort(both[:, 0], kind="stable")
    all_values = concat(
        (values, default_value.reshape((1,)).broadcast_to((len(added),)).astype(values.dtype)), 0
    )
    back = np.argsort(order)[: len(where)]
    filled = gather(all_values, Tensor(order), 0)
    return as_dtype_of(both[order], indices), filled, Tensor(empty), as_dtype_of(back, indices)


def softmax(indices: Tensor, values: Tensor, shape: Tensor) -> Tensor:
    """Softmax over the values of each row, of the last axis (`SparseSoftmax`)."""
    where = concrete_numbers("SparseSoftmax", indices)
    _, row = np.unique(where[:, :-1], axis=0, return_inverse=True)
    return _softmax(values, Tensor(row.reshape(-1)), int(row.max()) + 1 if row.size else 0)


@op(static="n")
def _softmax(values: ArrayLike, row: ArrayLike, n: int) -> Array:
    above = jnp.exp(values - jax.ops.segment_max(values, row, n)[row])
    return above / jax.ops.segment_sum(above, row, n)[row]


# ---------------------------------------------------------------------- two of them


def _merge_positions(name: str, one: Tensor, other: Tensor) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the coordinates of both, in order and each once, and for those of each where they are."""
    a, b = concrete_numbers(name, one), concrete_numbers(name, other)
    found, back = np.unique(np.concatenate([a, b]), axis=0, return_inverse=True)
    back = back.reshape(-1)
    return found, back[: len(a)], back[len(a) :]


def _side_by_side(name: str, one: tuple, other: tuple) -> tuple[np.ndarray, Tensor, Tensor]:
    if not np.array_equal(concrete_numbers(name, one[2]), concrete_numbers(name, other[2])):
        checks.fail(ValueError, name, "x2_shape", "be x1_shape", f"{other[2]} and {one[2]}")
    found, at, there = _merge_positions(name, one[0], other[0])
    a = unsorted_segment_sum(one[1], Tensor(at), len(found))
    return found, a, unsorted_segment_sum(other[1], Tensor(there), len(found))


@op
def _larger(one: ArrayLike, other: ArrayLike) -> Array:
    return jnp.maximum(one, other)


def maximum(
    x1_indices: Any, x1_values: Any, x1_shape: Any, x2_indices: Any, x2_values: Any, x2_shape: Any
) -> tuple:
    """Return the larger elements of two sparse arrays, 0 where nothing is (`SparseSparseMaximum`)."""
    both = (x1_indices, x1_values, x1_shape), (x2_indices, x2_values, x2_shape)
    found, a, b = _side_by_side("SparseSparseMaximum", *both)
    return as_dtype_of(found, x1_indices), _larger(a, b)


def minimum(
    x1_indices: Any, x1_values: Any, x1_shape: Any, x2_indices: Any, x2_values: Any, x2_shape: Any
) -> tuple:
    """Return the smaller elements of two sparse arrays, 0 where nothing is (`SparseSparseMinimum`)."""
    both = (x1_indices, x1_values, x1_shape), (x2_indices, x2_values, x2_shape)
    found, a, b = _side_by_side("SparseSparseMinimum", *both)
    return as_dtype_of(found, x1_indices), -_larger(-a, -b)


def add(
    x1_indices: Any,
    x1_values: Any,
    x1_shape: Any,
    x2_indices: Any,
    x2_values: Any,
    x2_shape: Any,
    thresh: Any,
) -> tuple:
    """Return the sum of two sparse arrays; where both have one, only if it is not smaller than a number (`SparseAdd`)."""
    both = (x1_indices, x1_values, x1_shape), (x2_indices, x2_values, x2_shape)
    found, a, b = _side_by_side("SparseAdd", *both)
    total = a + b
    _, at, there = _merge_positions("SparseAdd", x1_indices, x2_indices)
    alone = ~np.isin(np.arange(len(found)), np.intersect1d(at, there))
    kept = np.flatnonzero(
        alone | (np.abs(concrete_numbers("SparseAdd", total)) >= concrete_numbers("SparseAdd", thresh))
    )
    return as_dtype_of(found[kept], x1_indices), gather(total, Tensor(kept), 0), x1_shape


def add_product(
    x1_indices: Tensor, x1_values: Tensor, x1_shape: Tensor, x2_indices: Tensor, x2_values: Tensor,
    x2_shape: Tensor, x3_dense: Tensor, alpha: Tensor, beta: Tensor,
) -> tuple:  # fmt: skip
    """Return beta x1 + alpha (x2 @ x3), sparse: the places of x1, then whole rows (`Sspaddmm`).

    Args:
        x1_indices (Tensor): coordinates, shape (2, n).
        x1_values (Tensor): shape (n,).
        x1_shape (Tensor): (rows, columns).
        x2_indices (Tensor): coordinates, shape (2, m).
        x2_values (Tensor): shape (m,).
        x2_shape (Tensor): (rows, inner).
        x3_dense (Tensor): shape (inner, columns).
        alpha (Tensor): a number, of shape () or (1,).
        beta (Tensor): a number, of shape () or (1,).

    Returns:
        Tensors: int64 coordinates of shape (2, n + rows of x2 that hold something * columns), their values, and the int64
        shape. Places that both have stay twice.

    Raises:
        ValueError: if the shapes do not fit, or a coordinate lies outside.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.sparse.coo_classes import Sspaddmm
        >>> at, shape, one = ms.Tensor([[0], [1]]), ms.Tensor([2, 2]), ms.Tensor([1.0])
        >>> print(*Sspaddmm()(at, one, shape, at, one, shape, ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), one, one))
        [[0 0 0]
         [1 0 1]] [1. 3. 4.] [2 2]
    """
    name = "Sspaddmm"
    rows, columns = (int(n) for n in concrete_numbers(name, x1_shape))
    inner = int(concrete_numbers(name, x2_shape)[1])
    if x3_dense.shape != (inner, columns):
        checks.fail(ValueError, name, "x3_dense", f"have shape {(inner, columns)}", x3_dense.shape)
    for which, indices, values, width in (
        ("x1", x1_indices, x1_values, columns),
        ("x2", x2_indices, x2_values, inner),
    ):
        if indices.ndim != 2 or len(indices) != 2 or values.shape != indices.shape[1:]:
            rule = "have shape (2, n), and the values shape (n,)"
            checks.fail(ValueError, name, f"{which}_indices", rule, f"{indices.shape} and {values.shape}")
        where = concrete_numbers(name, indices)
        if ((where < 0) | (where >= [[rows], [width]])).any():
            checks.fail(
                ValueError, name, f"{which}_indices", f"lie inside of {(rows, width)}", where.tolist()
            )
    row, column = concrete_numbers(name, x2_indices).tolist()
    met = list(dict.fromkeys(row))  # each row once, in the order in which it comes
    whole_rows = np.stack([np.repeat(met, columns), np.tile(np.arange(columns), len(met))])
    places = np.concatenate([concrete_numbers(name, x1_indices), whole_rows], 1)
    values = _scaled_and_product(
        x1_values, x2_values, x3_dense, alpha, beta, at=[met.index(r) for r in row], column=column, n=len(met)
    )
    return Tensor(places.astype(np.int64)), values, Tensor(np.array([rows, columns]))


@op(static="at column n")
def _scaled_and_product(
    x1: ArrayLike,
    x2: ArrayLike,
    dense: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike,
    *,
    at: Any,
    column: Any,
    n: int,
) -> Array:
    kind = jnp.result_type(x1, x2, dense, alpha, beta)
    x1, x2, dense, alpha, beta = (x.astype(kind) for x in (x1, x2, dense, alpha, beta))
    met = jnp.zeros((n, dense.shape[0]), kind).at[np.array(at, int), np.array(column, int)].add(x2)
    return jnp.concatenate([beta.reshape(()) * x1, alpha.reshape(()) * (met @ dense).reshape(-1)])


__getattr__, __dir__ = attach_classes(
    __name__,
    """
here: SparseDenseCwiseAdd=cwise_add SparseDenseCwiseMul=cwise_mul SparseDenseCwiseDiv=cwise_div SparseAddmm=addmm
    SparseReorder=reorder SparseReshape=reshape_sparse SparseFillEmptyRows=fill_empty_rows SparseSoftmax=softmax
    SparseSparseMaximum=maximum SparseSparseMinimum=minimum SparseAdd=add Sspaddmm=add_product
SparseToDenseV2(validate_indices: _ = True)(indices, output_shape, values, default_value) -> densify_over
SparseConcat(concat_dim=0)(...) -> join_sparse
SparseSplit(num_split=1)(...) -> split
""",
)
