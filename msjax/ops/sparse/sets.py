"""Set operations on rows, counts and ragged tensors, in COO form (indices, values, shape)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor
from msjax.ops.array.gathering import gather
from msjax.ops.array.scattering import tensor_scatter_update
from msjax.ops.common import checks
from msjax.ops.common.name_table import attach_classes
from msjax.ops.sparse.coo_classes import as_dtype_of, concrete_numbers

_SETS = {
    "a-b": np.setdiff1d,
    "b-a": lambda a, b: np.setdiff1d(b, a),
    "intersection": np.intersect1d,
    "union": np.union1d,
}


def _need_kind(name: str, kind: str) -> None:
    if kind not in _SETS:
        checks.fail(ValueError, name, "set_operation", f"be one of {[*_SETS]}", repr(kind))


def _combine_rows(kind: str, groups: Sequence[int], ones: Any, others: Any, of: Tensor) -> tuple:
    """Return the sets of rows, as coordinates, values and shape."""
    rows = {place: _SETS[kind](ones(place), others(place)) for place in np.ndindex(*groups)}
    places = [(*place, i) for place, row in rows.items() for i in range(len(row))]
    where = np.array(places, np.int64).reshape(-1, len(groups) + 1)
    values = np.concatenate([*rows.values(), np.zeros(0, concrete_numbers("set", of).dtype)])
    shape = [*groups, max(map(len, rows.values()), default=0)]
    return Tensor(where, dtypes.int64), as_dtype_of(values, of), Tensor(shape, dtypes.int64)


def sets(x1: Tensor, x2: Tensor, set_operation: str = "a-b", validate_indices: bool = True) -> tuple:
    """Compute the set difference, intersection or union of the rows of two arrays (`DenseToDenseSetOperation`).

    Args:
        x1 (Tensor): its rows are those along the last axis.
        x2 (Tensor): the same, of the same shape but for the last axis.
        set_operation (str): "a-b", "b-a", "intersection" or "union". Default: "a-b".
        validate_indices (bool): accepted; dense arrays have nothing to check.

    Returns:
        Coordinates, values in order, and shape.

    Raises:
        ValueError: for another operation, or shapes that differ.
    """
    _need_kind("DenseToDenseSetOperation", set_operation)
    if x1.shape[:-1] != x2.shape[:-1]:
        rule = f"have shape {x1.shape[:-1]} but for the last axis"
        checks.fail(ValueError, "DenseToDenseSetOperation", "x2", rule, x2.shape)
    a, b = concrete_numbers("DenseToDenseSetOperation", x1), concrete_numbers("DenseToDenseSetOperation", x2)
    return _combine_rows(set_operation, x1.shape[:-1], a.__getitem__, b.__getitem__, x1)


def sets_with_sparse(
    x1: Tensor,
    x2_indices: Tensor,
    x2_values: Tensor,
    x2_shape: Tensor,
    set_operation: str = "",
    validate_indices: bool = True,
) -> tuple:
    """`sets` with a sparse second array (`DenseToSparseSetOperation`)."""
    _need_kind("DenseToSparseSetOperation", set_operation)
    a, where = (
        concrete_numbers("DenseToSparseSetOperation", x1),
        concrete_numbers("DenseToSparseSetOperation", x2_indices),
    )
    values = concrete_numbers("DenseToSparseSetOperation", x2_values)
    row = lambda place: values[(where[:, :-1] == place).all(1)]  # noqa: E731
    return _combine_rows(set_operation, x1.shape[:-1], a.__getitem__, row, x1)


def set_sizes(
    set_indices: Tensor, set_values: Tensor, set_shape: Tensor, validate_indices: bool = True
) -> Tensor:
    """Return the number of distinct values in each row of a sparse array (`SetSize`)."""
    where, values = concrete_numbers("SetSize", set_indices), concrete_numbers("SetSize", set_values)
    shape = concrete_numbers("SetSize", set_shape)[:-1]
    different = np.unique(np.concatenate([where[:, :-1], values[:, None]], 1), axis=0)[:, :-1]
    found = np.zeros(shape, np.int32)
    np.add.at(found, tuple(different.astype(np.int64).T), 1)
    return Tensor(found)


def count_numbers(
    indices: Tensor,
    values: Tensor,
    dense_shape: Tensor,
    weights: Tensor,
    binary_output: bool = False,
    minlength: int = -1,
    maxlength: int = -1,
) -> tuple:
    """Count how often each number occurs in each row, or sum its weights (`SparseCountSparseOutput`).

    Args:
        indices (Tensor): coordinates.
        values (Tensor): whole numbers, which become columns.
        dense_shape (Tensor): of the array.
        weights (Tensor): of the values; none count 1 each.
        binary_output (bool): 1 for all that occur. Default: False.
        minlength (int): least number of columns. Default: as many as needed.
        maxlength (int): numbers from here on are left out. Default: none are.
    """
    name = "SparseCountSparseOutput"
    where, number, weight = (
        concrete_numbers(name, indices),
        concrete_numbers(name, values),
        concrete_numbers(name, weights),
    )
    kept = number < maxlength if maxlength >= 0 else np.full(number.shape, True)
    rows = where[:, :-1]
    weight = weight[kept] if weight.size else np.ones(kept.sum(), weight.dtype)
    places = np.concatenate([rows[kept], number[kept, None]], 1)
    found, back = np.unique(places, axis=0, return_inverse=True)
    sums = np.zeros(len(found), weight.dtype)
    np.add.at(sums, back.reshape(-1), weight)
    columns = max(int(number[kept].max()) + 1 if kept.any() else 0, minlength)
    shape = [*concrete_numbers(name, dense_shape)[:-1], maxlength if maxlength >= 0 else columns]
    sums = np.ones_like(sums) if binary_output else sums
    return Tensor(found, dtypes.int64), as_dtype_of(sums, weights), Tensor(np.array(shape), dtypes.int64)


# ---------------------------------------------------------------------- ragged arrays


def ragged_to_sparse(rt_nested_splits: Sequence[Tensor], rt_dense_values: Tensor) -> tuple:
    """Return the elements of a ragged array by their coordinates (`RaggedTensorToSparse`).

    Args:
        rt_nested_splits (list[Tensor]): where the rows begin, from the outermost axis on.
        rt_dense_values (Tensor): the elements.

    Returns:
        Coordinates, values, shape.
    """
    splits = [concrete_numbers("RaggedTensorToSparse", each) for each in rt_nested_splits]
    places = np.arange(len(splits[0]) - 1)[:, None]
    for each in splits:
        sizes = np.diff(each)
        within = np.concatenate([np.arange(size) for size in sizes] or [np.zeros(0, np.int64)])
        places = np.concatenate([np.repeat(places, sizes, 0), within[:, None]], 1)
    shape = [len(splits[0]) - 1, *(int(np.diff(each).max(initial=0)) for each in splits)]
    return Tensor(places, dtypes.int64), rt_dense_values, Tensor(shape, dtypes.int64)


def ragged_to_tensor(
    shape: Tensor,
    values: Tensor,
    default_value: Tensor,
    row_partition_tensors: Any,
    row_partition_types: Any = None,
) -> Tensor:
    """Return a ragged array in a dense one, what is missing filled with one number (`RaggedTensorToTensor`).

    Args:
        shape (Tensor): of the result; longer rows are cut.
        values (Tensor): the elements.
        default_value (Tensor): the number.
        row_partition_tensors (list[Tensor]): "ROW_SPLITS": where the rows begin; "FIRST_DIM_SIZE": their number;
            "VALUE_ROWIDS": the row of each element.
        row_partition_types (list[str]): what these are.
    """
    name = "RaggedTensorToTensor"
    sizes, parts = (
        concrete_numbers(name, shape),
        [concrete_numbers(name, each) for each in row_partition_tensors],
    )
    places: Any = None
    for kind, part in zip(row_partition_types, parts, strict=True):
        if kind == "FIRST_DIM_SIZE":
            places = np.arange(int(part))[:, None]
            continue
        if kind not in ("ROW_SPLITS", "VALUE_ROWIDS"):
            checks.fail(
                ValueError, name, "row_partition_types", "be ROW_SPLITS, VALUE_ROWIDS, FIRST_DIM_SIZE", kind
            )
        row = part if kind == "VALUE_ROWIDS" else np.repeat(np.arange(len(part) - 1), np.diff(part))
        places = np.arange(len(part) - 1)[:, None] if places is None else places
        within = np.arange(len(row)) - np.searchsorted(row, row)
        places = np.concatenate([places[row], within[:, None]], 1)
    inside = np.flatnonzero((places < sizes[: places.shape[1]]).all(1))
    whole = default_value.astype(values.dtype).broadcast_to(tuple(sizes.tolist()))
    return tensor_scatter_update(
        whole, Tensor(places[inside], dtypes.int64), gather(values, Tensor(inside), 0)
    )


__getattr__, __dir__ = attach_classes(
    __name__,
    """
DenseToDenseSetOperation(set_operation='a-b', validate_indices=True)(...) -> sets
DenseToSparseSetOperation(set_operation='', validate_indices=True)(...) -> sets_with_sparse
SetSize(validate_indices=True)(...) -> set_sizes
SparseCountSparseOutput(binary_output=False, minlength=-1, maxlength=-1)(...) -> count_numbers
RaggedTensorToSparse(Tsplits: _)(rt_nested_splits, rt_dense_values) -> ragged_to_sparse
RaggedTensorToTensor(row_partition_types)(...) -> ragged_to_tensor
""",
)
