"""Slicing along axes as functions: narrow, slice, strided_slice, select. All return views."""

import builtins
from typing import Any

from msjax.core.op.static_args import static_key
from msjax.ops.array.indexing import getitem
from msjax.ops.common import checks
from msjax.ops.common.promotion import as_shape


def narrow(input: Any, axis: int, start: int, length: int) -> Any:
    """`length` elements along an axis, from `start` on.

    Args:
        input (Tensor): of at least one dimension.
        axis (int): the axis.
        start (int): first position.
        length (int): how many.

    Returns:
        Tensor: a view.

    Raises:
        ValueError: if the axis or the part is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.narrow(ms.Tensor([1, 2, 3, 4]), 0, 1, 2))
        [2 3]
    """
    axis, start, length = _known_numbers(axis), _known_numbers(start), _known_numbers(length)
    checks.check_tensors("narrow", input=input)
    one = checks.normalize_axis("narrow", input.ndim, axis=axis)
    checks.check_ints("narrow", start=start, length=length)
    size = input.shape[one]
    first = start + size if start < 0 else start
    if not 0 <= first <= size or not 0 <= length <= size - first:
        checks.fail(
            ValueError, "narrow", "length", f"end within the axis of size {size}", f"{length}, start={start}"
        )
    return getitem(input, (builtins.slice(None),) * one + (builtins.slice(first, first + length),))


def slice(input_x: Any, begin: Any, size: Any) -> Any:  # noqa: A001
    """Return the block from `begin` on, of a given size.

    Args:
        input_x (Tensor): of any dtype.
        begin (tuple[int], list[int]): first position along each axis.
        size (tuple[int], list[int]): number of elements along each axis; -1 for all that remain.

    Returns:
        Tensor: a view.

    Raises:
        ValueError: if there are not as many numbers as axes, or the block is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.slice(ms.Tensor([[1, 2, 3], [4, 5, 6]]), (0, 1), (2, 1)))
        [[2]
         [5]]
    """
    starts, counts = (
        as_shape("slice", begin=_known_numbers(begin)),
        as_shape("slice", size=_known_numbers(size)),
    )
    if not len(starts) == len(counts) == input_x.ndim:
        rule = f"hold {input_x.ndim} numbers, like `size`"
        checks.fail(ValueError, "slice", "begin", rule, f"{begin}, size={size}")
    items = []
    for a, n, length in zip(starts, counts, input_x.shape, strict=True):
        n = length - a if n == -1 else n
        if a < 0 or n < 0 or a + n > length:
            checks.fail(
                ValueError,
                "slice",
                "size",
                f"stay within the shape {input_x.shape}",
                f"{size}, begin={begin}",
            )
        items.append(builtins.slice(a, a + n))
    return getitem(input_x, tuple(items))


def _known_numbers(value: Any) -> Any:
    """Numbers of a Tensor, where they are known."""
    return static_key((value,))[0][0]


def strided_slice(
    input_x: Any,
    begin: Any,
    end: Any,
    strides: Any,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Any:
    """`input_x[begin[0]:end[0]:strides[0], begin[1]:end[1]:strides[1], ...]`.

    Args:
        input_x (Tensor): of any dtype.
        begin (tuple[int]): first positions.
        end (tuple[int]): where to stop.
        strides (tuple[int]): distances.
        begin_mask (int): bit i set: from the beginning of axis i, whatever `begin[i]`.
        end_mask (int): bit i set: to the end of axis i, whatever `end[i]`.
        ellipsis_mask (int): bit i set: `...` at place i.
        new_axis_mask (int): bit i set: a new axis at place i.
        shrink_axis_mask (int): bit i set: the position `begin[i]` alone, without the axis.

    Returns:
        Tensor: a view.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.strided_slice(ms.Tensor([[1, 2, 3], [4, 5, 6]]), (0, 0), (2, 3), (1, 2)))
        [[1 3]
         [4 6]]
    """
    items: list[Any] = []
    for i, (a, b, s) in enumerate(
        zip(_known_numbers(begin), _known_numbers(end), _known_numbers(strides), strict=True)
    ):
        bit = 1 << i
        if ellipsis_mask & bit:
            items.append(Ellipsis)
        elif new_axis_mask & bit:
            items.append(None)
        elif shrink_axis_mask & bit:
            items.append(a)
        else:
            items.append(builtins.slice(None if begin_mask & bit else a, None if end_mask & bit else b, s))
    return getitem(input_x, tuple(items))


def selected(input: Any, dim: int, index: int) -> Any:
    """Return the slice at one position along an axis, without the axis (`Tensor.select`).

    Args:
        input (Tensor): of at least one dimension.
        dim (int): the axis.
        index (int): the position.

    Returns:
        Tensor: a view.

    Raises:
        ValueError: if there is no such axis or position.

    Examples:
        >>> import msjax as ms
        >>> print(ms.Tensor([[1, 2], [3, 4]]).select(1, 0))
        [1 3]
    """
    checks.check_tensors("select", input=input)
    one = checks.normalize_axis("select", input.ndim, dim=dim)
    if type(index) is int and not -input.shape[one] <= index < input.shape[one]:
        size = input.shape[one]
        checks.fail(ValueError, "select", "index", f"be in [{-size}, {size})", index)
    return getitem(input, (builtins.slice(None),) * one + (index,))
