"""Multitype functions: composed operators on numbers, Tensors and nested containers of them."""

import operator
from collections.abc import Callable
from typing import Any

from msjax.core.tensor.tensor import Tensor
from msjax.ops.array.scattering import tensor_scatter_add
from msjax.ops.array.shapes import expand_dims
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.sparse.tensors import RowTensor


def hyper_add(x: Any, y: Any) -> Any:
    """Return the sum of two nestings of one structure, element by element.

    Args:
        x: number, Tensor, or tuple, list or dict of such.
        y: the same structure.

    Returns:
        That structure.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.hyper_add((1, 2), (3, 4))
        (4, 6)
    """
    if isinstance(x, tuple | list):
        return type(x)(hyper_add(a, b) for a, b in zip(x, y, strict=True))
    if isinstance(x, dict):
        return {key: hyper_add(value, y[key]) for key, value in x.items()}
    return x + y


def tail(x: tuple) -> tuple:
    """All elements but the first.

    Args:
        x (tuple, list): one element or more.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.tail((1, 2, 3))
        (2, 3)
    """
    return x[1:]


def zip_operation(*args: Any) -> tuple:
    """Tuples of what stands at one place of several sequences.

    Args:
        args (tuple, list): the sequences.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.zip_operation((1, 2), (3, 4))
        ((1, 3), (2, 4))
    """
    return tuple(zip(*args, strict=False))


def tuple_div(x: tuple, y: tuple) -> tuple:
    """Whole quotients of the elements of two tuples.

    Args:
        x (tuple[int]): dividends.
        y (tuple[int]): divisors, of which each divides its dividend.

    Raises:
        ValueError: if lengths differ or one does not divide.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.tuple_div((4, 6), (2, 3))
        (2, 2)
    """
    if len(x) != len(y) or any(b == 0 or a % b for a, b in zip(x, y, strict=False)):
        checks.fail(ValueError, "tuple_div", "y", f"divide {x}, element by element", y)
    return tuple(a // b for a, b in zip(x, y, strict=True))


def switch(condition: Any, x: Any, y: Any) -> Any:
    """x if the condition is true, else y.

    Args:
        condition (bool, Tensor): a truth value.
        x: anything.
        y: anything.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.switch(True, 1, 2)
        1
    """
    return x if condition else y


def switch_layer(index: Any, layers: tuple) -> Any:
    """One of several functions.

    Args:
        index (int, Tensor): which.
        layers (tuple): the functions.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.switch_layer(1, (min, max))(2, 3)
        3
    """
    return layers[int(index)]


def array_to_scalar(x: Tensor) -> Any:
    """Return the one element of a Tensor as a Python number.

    Args:
        x (Tensor): one element.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.array_to_scalar(ms.Tensor(2.0))
        2.0
    """
    return x.item()


def add_flags(fn: Callable | None = None, **flags: Any) -> Callable:
    """Set flags on a function or Cell; without one, return a decorator that does.

    Args:
        fn (Callable): the function.
        flags: names and values.

    Examples:
        >>> import msjax as ms
        >>> @ms.ops.add_flags(core=True)
        ... def f(x):
        ...     return x
        >>> f(2)
        2
    """

    def note(target: Any) -> Any:
        target._func_graph_flags = {**getattr(target, "_func_graph_flags", {}), **flags}
        return target

    return note if fn is None else note(fn)


augassign_add, augassign_sub, augassign_mul = operator.add, operator.sub, operator.mul
augassign_div, augassign_floordiv, augassign_mod = operator.truediv, operator.floordiv, operator.mod

# ---------------------------------------------------------------------- rows of arrays


def make_row_tensor(indices: Tensor, values: Tensor, dense_shape: tuple) -> RowTensor:
    """`RowTensor(indices, values, dense_shape)`.

    Args:
        indices (Tensor): position of each row.
        values (Tensor): the rows.
        dense_shape (tuple[int]): of the whole array.
    """
    return RowTensor(indices, values, dense_shape)


def row_tensor_get_indices(x: RowTensor) -> Tensor:
    """`x.indices`.

    Args:
        x (RowTensor): the rows.
    """
    return x.indices


@documented_by(row_tensor_get_indices)
def row_tensor_get_values(x: RowTensor) -> Tensor:
    """`x.values`."""
    return x.values


@documented_by(row_tensor_get_indices)
def row_tensor_get_dense_shape(x: RowTensor) -> tuple[int, ...]:
    """`x.dense_shape`."""
    return x.dense_shape


def row_tensor_add(x: RowTensor, y: Tensor) -> Tensor:
    """Rows added to a whole array.

    Args:
        x (RowTensor): the rows.
        y (Tensor): the array, of `x.dense_shape`.

    Returns:
        Tensor like `y`.

    Examples:
        >>> import msjax as ms
        >>> rows = ms.RowTensor(ms.Tensor([1]), ms.Tensor([[1.0, 2.0]]), (2, 2))
        >>> print(ms.ops.row_tensor_add(rows, ms.ops.ones((2, 2))))
        [[1. 1.]
         [2. 3.]]
    """
    if tuple(y.shape) != x.dense_shape:
        checks.fail(ValueError, "row_tensor_add", "y", f"have shape {x.dense_shape}", y.shape)
    return tensor_scatter_add(y, expand_dims(x.indices, -1), x.values)
