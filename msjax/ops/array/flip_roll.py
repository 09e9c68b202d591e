"""Reordering of elements along axes: flip, roll, rot90."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.promotion import as_array, as_shape, normalize_axes


@op(static="dims")
def flip(input: Array, dims: Any) -> Array:
    """Reverse the order of elements along axes.

    Args:
        input (Tensor): of any shape and dtype.
        dims (tuple[int], list[int]): axes to reverse; () for none.

    Returns:
        Tensor of `input`'s shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.flip(ms.Tensor([[1, 2], [3, 4]]), (1,)))
        [[2 1]
         [4 3]]
    """
    x = as_array("flip", "input", input)
    if not isinstance(dims, tuple | list):
        checks.fail(
            TypeError, "flip", "dims", "be a tuple or list of ints", f"{dims!r} ({type(dims).__name__})"
        )
    return jnp.flip(x, normalize_axes("flip", x.ndim, ValueError, dims=dims)) if dims else x


@op(static="shifts dims")
def roll(input: Array, shifts: Any, dims: Any = None) -> Array:
    """Move elements along axes; what leaves at the end comes in at the front.

    Args:
        input (Tensor): of any shape and dtype.
        shifts (int, tuple[int]): how far.
        dims (int, tuple[int], None): along which axes. Default: in the flattened array.

    Returns:
        Tensor of `input`'s shape.

    Raises:
        ValueError: if there are not as many axes as shifts.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.roll(ms.Tensor([1, 2, 3, 4]), 1))
        [4 1 2 3]
    """
    x = as_array("roll", "input", input)
    by = as_shape("roll", shifts=shifts)
    if dims is None:
        return jnp.roll(x, by)
    along = normalize_axes("roll", x.ndim, ValueError, dims=dims)
    if len(by) != len(along):
        checks.fail(ValueError, "roll", "shifts", f"be as many as dims={dims}", shifts)
    return jnp.roll(x, by, along)


@op(static="k dims")
def rot90(input: Array, k: int, dims: Any) -> Array:
    """Turn by 90 degrees, from the first of two axes towards the second.

    Args:
        input (Tensor): of at least two dimensions.
        k (int): how often; negative numbers turn the other way.
        dims (tuple[int], list[int]): the two axes.

    Returns:
        Tensor.

    Raises:
        ValueError: if `dims` does not name two different axes.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.rot90(ms.Tensor([[1, 2], [3, 4]]), 1, (0, 1)))
        [[2 4]
         [1 3]]
    """
    x = as_array("rot90", "input", input)
    checks.check_ints("rot90", k=k)
    over = normalize_axes("rot90", x.ndim, ValueError, dims=dims)
    if len(over) != 2:
        checks.fail(ValueError, "rot90", "dims", "name two axes", dims)
    return jnp.rot90(x, k, over)
