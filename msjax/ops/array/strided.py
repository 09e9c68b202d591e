"""Strided views: `as_strided`."""

import math
from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.tensor.box import SAME
from msjax.core.tensor.view_strides import Geometry, reshape
from msjax.ops.common import checks
from msjax.ops.common.promotion import as_array


def _memory_offsets(size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Array:
    """Return the memory offsets of the view's elements."""
    at = jnp.full((), offset)
    for length, step in zip(size, stride, strict=True):
        at = at[..., None] + jnp.arange(length) * step
    return at


def _strided_back(base: Array, changed: Array, *, size: Any, stride: Any, offset: int) -> Array:
    return base.reshape(-1).at[_memory_offsets(size, stride, offset)].set(changed).reshape(base.shape)


def _strided_geometry(base: Geometry, *, size: Any, stride: Any, offset: int) -> Geometry | None:
    flat = reshape(base, [math.prod(base.shape)])
    if flat is None:
        return None
    (step,) = flat.strides
    return Geometry(tuple(size), tuple([step * n for n in stride]), flat.offset + step * offset)


@op(static="size stride offset", view=_strided_back, geometry=_strided_geometry)
def _take_strided(input: ArrayLike, size: Any, stride: Any, offset: int) -> Array:
    return as_array("as_strided", "input", input).reshape(-1)[_memory_offsets(size, stride, offset)]


def _memory(input: Any) -> Any:
    """Return the Tensor whose elements stand in memory as they stand in it: not the one that it is another name of.

    What a gradient is taken by is another name of an argument, with a place of its own on the tape.
    """
    while input._view is not None and input._view.lens is not SAME:
        input = input._view.base
    return input


def as_strided(input: Any, size: Any, stride: Any, storage_offset: int = 0) -> Any:
    """Elements that steps through the memory of `input` lead to.

    Args:
        input (Tensor): of any shape and dtype. The memory of a view is that of the Tensor it was made of.
        size (tuple[int]): shape of the result.
        stride (tuple[int]): elements of the memory from one to the next, along each dimension.
        storage_offset (int): elements of the memory before the first one.

    Returns:
        Tensor of shape `size`: a view.

    Raises:
        TypeError: if `size` or `stride` is not a tuple of ints.
        RuntimeError: if `size` and `stride` are not equally long, if one holds a negative number, or if the steps lead
            out of the memory.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.auto_generate import as_strided
        >>> print(as_strided(ms.Tensor([0, 1, 2, 3, 4, 5]), (2, 2), (3, 1), 1))
        [[1 2]
         [4 5]]
    """
    for what, given in (("size", size), ("stride", stride)):
        if not isinstance(given, tuple | list) or not all(isinstance(n, int) for n in given):
            checks.fail(TypeError, "as_strided", what, "be a tuple of ints", given)
        if any(n < 0 for n in given):
            checks.fail(RuntimeError, "as_strided", what, "hold no negative number", given)
    if len(size) != len(stride):
        checks.fail(RuntimeError, "as_strided", "stride", f"hold a step for each of {size}", stride)
    memory = _memory(input)
    last = storage_offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    count = math.prod(memory.shape)
    if 0 not in size and not (storage_offset >= 0 and last < count):
        checks.fail(RuntimeError, "as_strided", "size", f"stay within {count} elements", (size, stride, last))
    return _take_strided(memory, tuple(size), tuple(stride), storage_offset)
