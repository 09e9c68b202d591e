"""Sizes and scale factors of `interpolate`, for networks that import these functions from `ops.function.nn_func`."""

import math
from collections.abc import Sequence
from typing import Any

from msjax.core.tensor.tensor import Tensor


def for_each_axis(input: Tensor, value: Any) -> Sequence[Any]:
    """Return a size or factor for each axis of an image but the first two: the sequence that was given, or a number for all.

    Args:
        input: shape (N, C, ...).
        value: a number, or a tuple or list of numbers.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.image.interpolate_sizes import for_each_axis
        >>> for_each_axis(ms.ops.ones((1, 2, 5, 7)), 4)
        (4, 4)
    """
    return value if isinstance(value, list | tuple) else (value,) * (input.ndim - 2)


def scaled_sizes(input: Tensor, scale_factor: Sequence[float]) -> tuple[int, ...]:
    """Return the sizes of an image's axes, but for the first two, times factors, rounded down.

    Args:
        input: shape (N, C, ...).
        scale_factor: a number for each axis.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.image.interpolate_sizes import scaled_sizes
        >>> scaled_sizes(ms.ops.ones((1, 2, 5, 7)), (1.5, 2))
        (7, 14)
    """
    return tuple(
        math.floor(size * factor) for size, factor in zip(input.shape[2:], scale_factor, strict=False)
    )
