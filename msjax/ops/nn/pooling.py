"""Max and average pooling over the last dimensions.

Windows are read as strided slices that are combined one after the other (`window_args.window_elements`), up to
`_MOST` elements;
larger ones go through `lax.reduce_window`. Slices differentiate to any order, give the gradient to the first of equal
maxima as MindSpore does, and on a CPU run several times faster than XLA's scatter.
"""

import functools
import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.op.op import op
from msjax.ops.common import checks, window_args
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import to_float

_MOST = 32


def _settings(name: str, n: int, x: Array, kernel: Any, stride: Any, padding: Any, dilation: Any) -> tuple:
    checks.check_rank(name, n + 1, n + 2, input=x)
    kernel = checks.as_int_tuple(name, n, kernel_size=kernel)
    stride = kernel if stride is None else checks.as_int_tuple(name, n, stride=stride)
    return (
        kernel,
        stride,
        checks.as_int_tuple(name, n, dilation=dilation),
        window_args.as_padding_pairs(name, n, padding),
    )


def with_indices(best: Array, place: Array) -> tuple[Array, Array]:
    """Maxima and their places as MindSpore gives them."""
    return best, place.astype(dtypes.as_np(dtypes.int64))


def lowest(dtype: Any) -> Any:
    """Return the smallest value of a dtype (-inf for floats), the neutral element of max pooling."""
    return -jnp.inf if jnp.issubdtype(dtype, jnp.inexact) else jnp.iinfo(dtype).min


def _later_wins(a: Array, b: Array) -> Array:
    return (b > a) | (b != b)


def max_windows(
    name: str, n: int, x: Array, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> tuple[Array, Array]:
    """Return the largest element of each window and its place in the flattened last `n` dimensions."""
    checks.check_bools(name, ceil_mode=ceil_mode)
    kernel, stride, dilation, pads = _settings(name, n, x, kernel, stride, padding, dilation)
    if any(max(pad) > k // 2 for pad, k in zip(pads, kernel, strict=True)):
        checks.fail(ValueError, name, "padding", f"be at most half of kernel_size={kernel}", padding)
    sizes = x.shape[-n:]
    if ceil_mode:
        pads = window_args.ceil_mode_padding(sizes, kernel, stride, dilation, pads)
    number = window_args.count_windows(name, sizes, kernel, stride, dilation, pads)
    place = jnp.arange(math.prod(sizes), dtype=jnp.int32).reshape(sizes)
    place = window_args.pad_last_axes(place, pads, 0)
    wide = window_args.pad_last_axes(x, pads, lowest(x.dtype))
    if math.prod(kernel) > _MOST and set(dilation) == {1}:
        return _reduced_max(wide, place, kernel, stride)
    found = window_args.window_elements(wide, kernel, stride, dilation, number)
    places = window_args.window_elements(place, kernel, stride, dilation, number)
    best, at = found[0], jnp.broadcast_to(places[0], found[0].shape)
    for value, index in zip(found[1:], places[1:], strict=True):
        later = _later_wins(best, value)
        best, at = jnp.where(later, value, best), jnp.where(later, index, at)
    return best, at


def _reduced_max(x: Array, place: Array, kernel: Sequence[int], stride: Sequence[int]) -> tuple[Array, Array]:
    """`max_windows` of a padded array by XLA's reduction of windows; the values are then gathered, differentiably."""
    lead = x.ndim - len(kernel)

    def better(a: tuple[Array, Array], b: tuple[Array, Array]) -> tuple[Array, Array]:
        later = (b[0] > a[0]) | ((b[0] == a[0]) & (b[1] < a[1])) | (b[0] != b[0])
        return jnp.where(later, b[0], a[0]), jnp.where(later, b[1], a[1])

    count = math.prod(x.shape[lead:])
    spot = jnp.broadcast_to(jnp.arange(count, dtype=jnp.int32).reshape(x.shape[lead:]), x.shape)
    start = jnp.asarray(lowest(x.dtype), x.dtype), jnp.asarray(count, jnp.int32)
    _, at = lax.reduce_window(
        (lax.stop_gradient(x), spot),
        start,
        better,
        (1,) * lead + tuple(kernel),
        (1,) * lead + tuple(stride),
        "VALID",
    )
    flat = at.reshape(*x.shape[:lead], -1)
    best = jnp.take_along_axis(x.reshape(*x.shape[:lead], -1), flat, -1).reshape(at.shape)
    return best, place.reshape(-1)[at]


def sum_windows(x: Array, kernel: Sequence[int], stride: Sequence[int], pads: window_args.Pairs) -> Array:
    """Return the sum of each window, with zeros for padding."""
    x, n = window_args.pad_last_axes(x, pads, 0), len(kernel)
    if math.prod(kernel) > _MOST:
        lead = (1,) * (x.ndim - n)
        return lax.reduce_window(
            x, np.zeros((), x.dtype), lax.add, (*lead, *kernel), (*lead, *stride), "VALID"
        )
    number = window_args.count_windows(
        "sum of windows", x.shape[-n:], kernel, stride, (1,) * n, ((0, 0),) * n
    )
    return functools.reduce(jnp.add, window_args.window_elements(x, kernel, stride, (1,) * n, number))


def mean_windows(
    name: str, n: int, x: Array, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, count_pad: bool,
    divisor: Any = None,
) -> Array:  # fmt: skip
    """Return the mean of each window; what `ceil_mode` adds never counts, padding counts if `count_pad`."""
    checks.check_floating(name, input=x)
    checks.check_bools(name, ceil_mode=ceil_mode, count_include_pad=count_pad)
    kernel, stride, ones, pads = _settings(name, n, x, kernel, stride, padding, 1)
    whole = window_args.ceil_mode_padding(x.shape[-n:], kernel, stride, ones, pads) if ceil_mode else pads
    window_args.count_windows(name, x.shape[-n:], kernel, stride, ones, whole)
    total = sum_windows(x.astype(checks.compute_dtype(x.dtype)), kernel, stride, whole)
    if divisor is not None and divisor != 0:
        checks.check_numbers(name, divisor_override=divisor)
        return (total / divisor).astype(x.dtype)
    if (whole == pads and count_pad) or not any(map(any, whole)):
        return (total / math.prod(kernel)).astype(x.dtype)
    there = jnp.ones(x.shape[-n:], total.dtype)
    if count_pad:
        there = window_args.pad_last_axes(there, pads, 1)
        whole = tuple((a - c, b - d) for (a, b), (c, d) in zip(whole, pads, strict=True))
    return (total / sum_windows(there, kernel, stride, whole)).astype(x.dtype)


# -------------------------------------------------------------------------------------------------- largest


@op(static="kernel_size stride padding dilation return_indices ceil_mode")
def max_pool1d(
    x: Array,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Any:
    """Return the largest element of each window over one dimension; see :func:`max_pool2d`.

    Args:
        x (Tensor): of shape (N, C, L) or (C, L).
        kernel_size (int): size of the window.
        stride (int): step of the window. Default: `kernel_size`.
        padding (int): elements (never the largest) added on both sides.
        dilation (int): distance of the window's elements.
        return_indices (bool): also give where the largest elements are.
        ceil_mode (bool): let a last, incomplete window count.

    Returns:
        Tensor of shape (N, C, M), or a tuple of it and its indices (int64).

    Raises:
        ValueError: for shapes or settings that do not fit.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.pooling import max_pool1d
        >>> print(max_pool1d(ms.Tensor([[[1.0, 3.0, 2.0, 0.0]]]), 2))
        [[[3. 2.]]]
    """
    found = max_windows("max_pool1d", 1, x, kernel_size, stride, padding, dilation, ceil_mode)
    return with_indices(*found) if return_indices else found[0]


@op(static="kernel_size stride padding dilation return_indices ceil_mode")
def max_pool2d(
    x: Array,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Any:
    """Return the largest element of each window over two dimensions.

    Args:
        x (Tensor): of shape (N, C, H, W) or (C, H, W).
        kernel_size (int, tuple): size of the window.
        stride (int, tuple): step of the window. Default: `kernel_size`.
        padding (int, tuple): elements (never the largest) added around, at most half of `kernel_size`.
        dilation (int, tuple): distance of the window's elements.
        return_indices (bool): also give where, in the flattened H x W, the largest elements are.
        ceil_mode (bool): let a last, incomplete window count.

    Returns:
        Tensor of shape (N, C, H', W'), or a tuple of it and its indices (int64).

    Raises:
        TypeError: for settings that are not ints.
        ValueError: for shapes or settings that do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.max_pool2d(ms.Tensor([[[[1.0, 3.0], [2.0, 0.0]]]]), 2))
        [[[[3.]]]]
    """
    found = max_windows("max_pool2d", 2, x, kernel_size, stride, padding, dilation, ceil_mode)
    return with_indices(*found) if return_indices else found[0]


@op(static="kernel_size stride padding dilation ceil_mode return_indices")
@documented_by(max_pool1d)
def max_pool3d(
    x: Array,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the largest element of each window over three dimensions; see :func:`max_pool2d`.

    Args:
        x (Tensor): of shape (N, C, D, H, W) or (C, D, H, W).
        kernel_size (int, tuple): size of the window.
        stride (int, tuple): step of the window. Default: `kernel_size`.
        padding (int, tuple): elements (never the largest) added around.
        dilation (int, tuple): distance of the window's elements.
        return_indices (bool): also give where, in the flattened D x H x W, the largest elements are.

    Returns:
        Tensor of shape (N, C, D', H', W'), or a tuple of it and its indices (int64).

    Examples:
        >>> import msjax as ms
        >>> ms.ops.max_pool3d(ms.ops.ones((1, 2, 4, 4, 4)), 2).shape
        (1, 2, 2, 2, 2)
    """
    found = max_windows("max_pool3d", 3, x, kernel_size, stride, padding, dilation, ceil_mode)
    return with_indices(*found) if return_indices else found[0]


# ----------------------------------------------------------------------------------------------------- mean


@op(static="kernel_size stride padding ceil_mode count_include_pad")
@documented_by(max_pool1d)
def avg_pool1d(
    input_x: Array,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Array:
    """Return the mean of each window over one dimension; see :func:`avg_pool2d`.

    Args:
        input_x (Tensor): of shape (N, C, L) or (C, L), floating.
        stride (int): step of the window.
        padding (int, tuple): zeros on both sides, or on each.
        count_include_pad (bool): count padding among the elements.

    Returns:
        Tensor of shape (N, C, M).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.avg_pool1d(ms.Tensor([[[1.0, 3.0, 2.0]]]), 2))
        [[[2.  2.5]]]
    """
    return mean_windows("avg_pool1d", 1, input_x, kernel_size, stride, padding, ceil_mode, count_include_pad)


@op(static="kernel_size stride padding ceil_mode count_include_pad divisor_override")
@documented_by(max_pool2d)
def avg_pool2d(
    input_x: Array,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Array:
    """Return the mean of each window over two dimensions.

    Args:
        input_x (Tensor): of shape (N, C, H, W) or (C, H, W), floating.
        stride (int, tuple): step of the window.
        padding (int, tuple): zeros around; four ints are (top, bottom, left, right).
        count_include_pad (bool): count padding among the elements.
        divisor_override (int): divide sums by this instead; 0 does not.

    Returns:
        Tensor of shape (N, C, H', W').

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.avg_pool2d(ms.Tensor([[[[1.0, 3.0], [2.0, 0.0]]]]), 2))
        [[[[1.5]]]]
    """
    return mean_windows(
        "avg_pool2d", 2, input_x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


@op(static="kernel_size stride padding ceil_mode count_include_pad divisor_override")
@documented_by(max_pool1d)
def avg_pool3d(
    input_x: Array,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Array:
    """Return the mean of each window over three dimensions; see :func:`avg_pool2d`.

    Args:
        input_x (Tensor): of shape (N, C, D, H, W) or (C, D, H, W), floating.
        kernel_size (int, tuple): size of the window.
        stride (int, tuple): step of the window.
        padding (int, tuple): zeros around; six ints give each side.
        count_include_pad (bool): count padding among the elements.
        divisor_override (int): divide sums by this instead; 0 does not.

    Returns:
        Tensor of shape (N, C, D', H', W').

    Examples:
        >>> import msjax as ms
        >>> ms.ops.avg_pool3d(ms.ops.ones((1, 2, 4, 4, 4)), 2, 2).shape
        (1, 2, 2, 2, 2)
    """
    return mean_windows(
        "avg_pool3d", 3, input_x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def _lp(name: str, n: int, x: Array, norm_type: float, kernel: Any, stride: Any, ceil_mode: bool) -> Array:
    x = to_float(x)
    checks.check_numbers(name, norm_type=norm_type)
    checks.check_bools(name, ceil_mode=ceil_mode)
    kernel, stride, ones, pads = _settings(name, n, x, kernel, stride, 0, 1)
    pads = window_args.ceil_mode_padding(x.shape[-n:], kernel, stride, ones, pads) if ceil_mode else pads
    window_args.count_windows(name, x.shape[-n:], kernel, stride, ones, pads)
    powers = x.astype(checks.compute_dtype(x.dtype)) ** norm_type
    total = sum_windows(powers, kernel, stride, pads)
    if ceil_mode:
        # As in MindSpore, the sum is the mean by the kernel's size, also where a window reaches over the end.
        total = total * (math.prod(kernel) / sum_windows(jnp.ones_like(powers), kernel, stride, pads))
    if norm_type == 1:
        return total.astype(x.dtype)
    some = (total > 0) | (total < 0)  # the derivative of a root at 0 would be infinite
    return jnp.where(some, jnp.where(some, total, 1) ** (1 / norm_type), 0).astype(x.dtype)


@op(static="norm_type kernel_size stride ceil_mode")
@documented_by(avg_pool1d)
def lp_pool1d(
    x: Array, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Array:
    """(sum of x^p)^(1/p) of each window over one dimension.

    Args:
        x (Tensor): of shape (N, C, L) or (C, L); integers become float32.
        norm_type (int, float): p.
        stride (int): step of the window. Default: `kernel_size`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.lp_pool1d(ms.Tensor([[[3.0, 4.0]]]), 2, 2))
        [[[5.]]]
    """
    return _lp("lp_pool1d", 1, x, norm_type, kernel_size, stride, ceil_mode)


@op(static="norm_type kernel_size stride ceil_mode")
@documented_by(max_pool3d)
def lp_pool2d(
    x: Array, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Array:
    """(sum of x^p)^(1/p) of each window over two dimensions.

    Args:
        x (Tensor): of shape (N, C, H, W) or (C, H, W); integers become float32.
        norm_type (int, float): p.

    Returns:
        Tensor of shape (N, C, H', W').

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.lp_pool2d(ms.Tensor([[[[3.0, 4.0]]]]), 2, (1, 2)))
        [[[[5.]]]]
    """
    return _lp("lp_pool2d", 2, x, norm_type, kernel_size, stride, ceil_mode)
