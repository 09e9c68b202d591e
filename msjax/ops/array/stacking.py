"""Stacking and splitting by named axes: hstack, vstack, dstack, column_stack, hsplit, vsplit, dsplit."""

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.ops.array import joining
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import promote


def _several(op_name: str, tensors: Any) -> list[Array]:
    """Two or more arrays in one dtype, from a list or tuple."""
    if not isinstance(tensors, list | tuple):
        kind = type(tensors).__name__
        checks.fail(TypeError, op_name, "tensors", "be a list or tuple of Tensors", kind)
    if not tensors:
        checks.fail(ValueError, op_name, "tensors", "hold one Tensor or more", tensors)
    return promote(op_name, **{f"tensors[{k}]": x for k, x in enumerate(tensors)})


def _call_naming_shapes(op_name: str, put: Callable, arrays: list[Array]) -> Array:
    try:
        return put(arrays)
    except (ValueError, TypeError):
        shapes = [x.shape for x in arrays]
        checks.fail(
            ValueError, op_name, "tensors", "differ along one axis only", f"arrays of shapes {shapes}"
        )


@op
def column_stack(tensors: Sequence[Array]) -> Array:
    """Arrays side by side: one-dimensional ones become columns.

    Args:
        tensors (list[Tensor], tuple[Tensor]): equal in all axes but the second.

    Returns:
        Tensor of at least two dimensions.

    Raises:
        TypeError: if `tensors` is not a list or tuple.
        ValueError: if it is empty or shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.column_stack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))))
        [[1 3]
         [2 4]]
    """
    return _call_naming_shapes("column_stack", jnp.column_stack, _several("column_stack", tensors))


@op
@documented_by(column_stack)
def dstack(tensors: Sequence[Array]) -> Array:
    """Arrays one behind the other along the third axis.

    Args:
        tensors (list[Tensor], tuple[Tensor]): equal in all axes but the third.

    Returns:
        Tensor of at least three dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.dstack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))))
        [[[1 3]
          [2 4]]]
    """
    return _call_naming_shapes("dstack", jnp.dstack, _several("dstack", tensors))


def row_stack(tensors: Any) -> Tensor:
    """Arrays one below the other: one-dimensional ones become rows.

    Args:
        tensors (list[Tensor], tuple[Tensor]): equal in all axes but the first.

    Returns:
        Tensor of at least two dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.row_stack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))))
        [[1 2]
         [3 4]]
    """
    return joining.vstack(tensors)


def _split_axis(op_name: str, input: Any, where: Any, axis: int) -> Any:
    if not isinstance(input, Tensor):
        checks.fail(TypeError, op_name, "input", "be a Tensor", f"{input!r} ({type(input).__name__})")
    if input.ndim <= axis:
        checks.fail(ValueError, op_name, "input", f"have at least {axis + 1} dimensions", input.shape)
    return joining.tensor_split(input, where, axis)


def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Parts along the second axis (see `tensor_split`).

    Args:
        input (Tensor): of at least two dimensions.
        indices_or_sections (int, tuple[int], list[int]): how many parts, or where they begin.

    Returns:
        Tuple of Tensors.

    Raises:
        ValueError: if there are not enough dimensions.

    Examples:
        >>> import msjax as ms
        >>> [part.shape for part in ms.ops.hsplit(ms.ops.ones((2, 3)), (1,))]
        [(2, 1), (2, 2)]
    """
    return _split_axis("hsplit", input, indices_or_sections, 1)


def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Parts along the first axis (see `tensor_split`).

    Args:
        input (Tensor): of at least one dimension.
        indices_or_sections (int, tuple[int], list[int]): how many parts, or where they begin.

    Returns:
        Tuple of Tensors.

    Examples:
        >>> import msjax as ms
        >>> [part.shape for part in ms.ops.vsplit(ms.ops.ones((2, 3)), 2)]
        [(1, 3), (1, 3)]
    """
    return _split_axis("vsplit", input, indices_or_sections, 0)


@documented_by(hsplit)
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Parts along the third axis (see `tensor_split`).

    Args:
        input (Tensor): of at least three dimensions.

    Examples:
        >>> import msjax as ms
        >>> [part.shape for part in ms.ops.dsplit(ms.ops.ones((1, 2, 4)), 2)]
        [(1, 2, 2), (1, 2, 2)]
    """
    return _split_axis("dsplit", input, indices_or_sections, 2)


@op
def concat_parallel(values: Sequence[Array]) -> Array:
    """Arrays one after another along the first axis (`ParallelConcat`).

    Args:
        values (list[Tensor], tuple[Tensor]): of one shape, whose first size is 1.

    Returns:
        Tensor.

    Raises:
        ValueError: if shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ParallelConcat()([ms.Tensor([[1, 2]]), ms.Tensor([[3, 4]])]))
        [[1 2]
         [3 4]]
    """
    arrays = _several("ParallelConcat", values)
    shapes = {x.shape for x in arrays}
    if len(shapes) > 1 or arrays[0].shape[:1] != (1,):
        rule = "have one shape, whose first size is 1"
        checks.fail(ValueError, "ParallelConcat", "values", rule, f"arrays of shapes {shapes}")
    return jnp.concatenate(arrays)


def to_tuple(input_tensor: Tensor) -> tuple:
    """Return the elements of a vector as Python numbers (`TensorToTuple`).

    Args:
        input_tensor (Tensor): one-dimensional.

    Returns:
        Tuple of numbers.

    Raises:
        RuntimeError: inside a compiled function, where values are not known.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.TensorToTuple()(ms.Tensor([1, 2]))
        (1, 2)
    """
    if not isinstance(input_tensor, Tensor) or input_tensor.ndim != 1:
        rule = "be a Tensor of one dimension"
        checks.fail(ValueError, "TensorToTuple", "input_tensor", rule, f"{input_tensor!r}")
    return tuple(np.asarray(concrete(input_tensor, "TensorToTuple")).tolist())
