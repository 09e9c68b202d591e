"""Memory of Tensors: to and from other libraries' arrays (DLPack) and bytes, exchanged, or left to aliases."""

import weakref
from typing import Any

import jax
import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.state import state
from msjax.core.tensor.box import View, node_of, owns_leaf, resolve
from msjax.core.tensor.tensor import Tensor, wrap


def from_dlpack(dlpack: object) -> Tensor:
    """Make a Tensor over an array of any library that supports DLPack.

    Args:
        dlpack: the array, or the result of :func:`to_dlpack`.

    Returns:
        Tensor.

    Examples:
        >>> import msjax as ms
        >>> print(ms.from_dlpack(ms.to_dlpack(ms.Tensor([1, 2]))))
        [1 2]
    """
    return Tensor.from_dlpack(dlpack)


def to_dlpack(tensor: Tensor) -> jax.Array:
    """Return the Tensor's array, for another library's `from_dlpack`.

    Args:
        tensor: of any shape.

    Returns:
        An object with `__dlpack__` and `__dlpack_device__`, which today's libraries ask for.

    Raises:
        TypeError: if it is no Tensor.

    Examples:
        >>> import msjax as ms
        >>> import numpy as np
        >>> np.from_dlpack(ms.to_dlpack(ms.Tensor([1, 2])))
        array([1, 2])
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(
            f"`to_dlpack`: argument `tensor` must be a Tensor. Received: {type(tensor).__name__}."
        )
    return tensor.array


def frombuffer(buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0) -> Tensor:
    """Make a Tensor of the bytes of a buffer.

    Args:
        buffer: `bytes`, `bytearray` or anything else with Python's buffer protocol.
        dtype: of the elements.
        count: how many elements. Default: all.
        offset: how many bytes to leave out first.

    Returns:
        Tensor of one dimension, with a copy of the bytes.

    Raises:
        RuntimeError: if it is no buffer, holds too few bytes or no whole number of elements, or if `count` is 0 or below
            -1, `offset` negative, or `dtype` none of MindSpore's.

    Examples:
        >>> import msjax as ms
        >>> print(ms.frombuffer(bytes([1, 0, 2, 0]), dtype=ms.int16))
        [1 2]
    """
    if not isinstance(dtype, dtypes.DType):
        raise RuntimeError(f"`frombuffer`: argument `dtype` must be a mindspore.dtype. Received: {dtype!r}.")
    kind = dtypes.as_np(dtype)
    try:
        size = memoryview(buffer).nbytes
    except TypeError:
        raise RuntimeError(
            "`frombuffer`: argument `buffer` must have Python's buffer protocol. "
            f"Received: {buffer!r} ({type(buffer).__name__})."
        ) from None
    _check_part(size, kind.itemsize, count, offset)
    return Tensor(np.frombuffer(buffer, kind, count, offset).copy())


def _check_part(size: int, width: int, count: int, offset: int) -> None:
    """Raise RuntimeError unless so many elements of a width lie within a buffer."""
    if not size or count == 0 or count < -1:
        rule, given = "hold something, and `count` be -1 or positive", f"{size} bytes, count={count}"
    elif not 0 <= offset < size:
        rule, given = "hold more than `offset` bytes, which is not negative", f"{size} bytes, offset={offset}"
    elif count == -1 and (size - offset) % width:
        rule, given = f"hold elements of {width} bytes behind `offset`", f"{size} bytes, offset={offset}"
    elif count > 0 and offset + count * width > size:
        rule, given = f"hold `count` elements of {width} bytes", f"{size} bytes, {count=}, {offset=}"
    else:
        return
    raise RuntimeError(f"`frombuffer`: argument `buffer` must {rule}. Received: {given}.")


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchange the contents of two Tensors.

    Args:
        t1: the one.
        t2: the other.

    Raises:
        TypeError: if one is no Tensor.

    Examples:
        >>> import msjax as ms
        >>> x, y = ms.Tensor([1]), ms.Tensor([2])
        >>> ms.swap_tensors(x, y)
        >>> print(x, y)
        [2] [1]
    """
    for name, tensor in (("t1", t1), ("t2", t2)):
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"`swap_tensors`: argument `{name}` must be a Tensor. Received: {type(tensor).__name__}."
            )
    first, second = resolve(t1), resolve(t2)
    if t1.shape != t2.shape and not (first._view is None and second._view is None):
        raise ValueError(
            f"`swap_tensors`: a view can be swapped with a Tensor of its shape only. Received: {t1.shape} and {t2.shape}."
        )
    recorded = not (owns_leaf(first) or owns_leaf(second))  # a leaf stays a leaf
    contents = [(box.array, node_of(box) if recorded else None) for box in (first, second)]
    t1._assign(*contents[1])
    t2._assign(*contents[0])


def note_alias(box: Tensor, alias: Tensor) -> Tensor:
    """Record an alias that keeps its values when the box gets other memory (`part_from_aliases`), and return it."""
    if state.frame is None:
        alive = [ref for ref in getattr(box, "_aliases", ()) if ref() is not None]
        box._aliases = [*alive, weakref.ref(alias)]
    return alias


def part_from_aliases(box: Tensor) -> None:
    """Leave a box's memory to its aliases, which share it from then on without the box: it is about to get other memory."""
    aliases = [alias for ref in getattr(box, "_aliases", ()) if (alias := ref()) is not None]
    if state.frame is not None or not aliases:
        return
    memory = wrap(resolve(box)._raw)
    for alias in aliases:
        view = resolve(alias)._view
        if view is not None and view.base is box:
            alias._view = View(memory, view.lens, memory._version, view.detached)
    box._aliases = []
