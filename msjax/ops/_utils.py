"""Shape inference helpers of `ops._utils`, for programs that define custom operators."""

from collections.abc import Sequence
from typing import Any


def dim_not_equal(dim1: int, dim2: int) -> bool:
    """Return True if two sizes certainly differ; -1 stands for an unknown size."""
    return dim1 != dim2 and dim1 >= 0 and dim2 >= 0


def get_broadcast_shape(
    x_shape: Sequence[int], y_shape: Sequence[int], prim_name: str, arg_name1: str = "x", arg_name2: str = "y"
) -> list[int]:
    """Return the shape that two shapes broadcast to; a size of -1 is unknown.

    Args:
        x_shape: one.
        y_shape: the other.
        prim_name: of the operator, for the message.
        arg_name1: of its argument.
        arg_name2: of its other argument.

    Raises:
        ValueError: if they do not broadcast.

    Examples:
        >>> from msjax.ops._utils import get_broadcast_shape
        >>> get_broadcast_shape([2, 1], [3], "Add")
        [2, 3]
    """
    x, y = list(x_shape), list(y_shape)
    if -2 in (*x, *y):
        return [-2]
    count = max(len(x), len(y))
    x, y = [1] * (count - len(x)) + x, [1] * (count - len(y)) + y
    for a, b in zip(x, y, strict=True):
        if dim_not_equal(a, b) and 1 not in (a, b):
            raise ValueError(
                f"`{prim_name}`: shapes of {arg_name1} and {arg_name2} must broadcast. Received: "
                f"{arg_name1}: {list(x_shape)}, {arg_name2}: {list(y_shape)}."
            )
    return [b if a == 1 else a if b == 1 else max(a, b) for a, b in zip(x, y, strict=True)]


def get_concat_offset(x_shp: Any, x_type: Any, axis: int, prim_name: str) -> tuple[list, int, int]:
    """Return the offset of each array in a concatenation, the total size, and the non-negative axis.

    Raises:
        ValueError: if there is no array, or the shapes differ besides that axis.

    Examples:
        >>> from msjax.ops._utils import get_concat_offset
        >>> get_concat_offset([[2, 3], [4, 3]], [None, None], 0, "Concat")
        ([0, 2], 6, 0)
    """
    ranks = {len(shape) for shape in x_shp}
    if len(ranks) != 1 or not -min(ranks) <= axis < min(ranks):
        raise ValueError(
            f"`{prim_name}`: shapes of one rank with an axis {axis} are needed. Received: {x_shp}."
        )
    axis %= min(ranks)
    rests = {tuple(n for d, n in enumerate(shape) if d != axis) for shape in x_shp}
    if len(rests) != 1 or len(set(x_type)) != 1:
        raise ValueError(f"`{prim_name}`: shapes must agree besides axis {axis}. Received: {x_shp}.")
    starts, total = [], 0
    for shape in x_shp:
        starts.append(total)
        total += shape[axis]
    return starts, total, axis
