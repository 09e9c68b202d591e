"""`pad`, with NumPy's modes."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.argument_types import ArrayLike
from msjax.core.tensor.tensor import Tensor
from msjax.numpy.array_function import as_tensor, define_function
from msjax.numpy.joining import apply_along_axis
from msjax.ops.common import checks

_MODES = "constant edge linear_ramp maximum mean minimum reflect symmetric wrap empty"


def _pairs(fn: str, name: str, given: Any, ndim: int) -> tuple:
    """Return a pair (before, after) for each axis, from one number, one pair or a pair for each axis."""
    flat = np.asarray(given.asnumpy() if isinstance(given, Tensor) else given)
    try:
        return tuple(map(tuple, np.broadcast_to(flat, (ndim, 2)).tolist()))
    except ValueError:
        return checks.fail(
            ValueError, fn, name, f"be a number, a pair, or a pair for each of {ndim} axes", given
        )


@define_function(static="pad_width mode stat_length constant_values end_values reflect_type")
def _pad(
    arr: ArrayLike,
    pad_width: Any,
    mode: str,
    stat_length: Any,
    constant_values: Any,
    end_values: Any,
    reflect_type: str,
) -> Array:
    options: dict[str, Any] = {}
    if mode == "constant":
        options["constant_values"] = jnp.asarray(constant_values).astype(arr.dtype)
    elif mode == "linear_ramp":
        options["end_values"] = end_values
    elif mode in ("maximum", "minimum", "mean"):
        options["stat_length"] = stat_length
    elif mode in ("reflect", "symmetric"):
        options["reflect_type"] = reflect_type
    if mode == "mean" and not jnp.issubdtype(arr.dtype, jnp.inexact):
        return jnp.pad(arr.astype(np.float32), pad_width, mode, **options).astype(arr.dtype)
    return jnp.pad(arr, pad_width, mode, **options)


def pad(
    arr: Any,
    pad_width: Any,
    mode: Any = "constant",
    stat_length: Any = None,
    constant_values: Any = 0,
    end_values: Any = 0,
    reflect_type: str = "even",
    **kwargs: Any,
) -> Any:
    """Return the array with elements added at the ends of its axes.

    Args:
        arr (Tensor, list, tuple): of any shape.
        pad_width (int, tuple, list): how many: one number, (before, after), or such a pair for each axis.
        mode (str, Callable): "constant"; "edge" (the element at the edge), "linear_ramp" (a line from it to
            `end_values`), "maximum", "minimum", "mean" (of `stat_length` elements), "reflect" (the mirror image
            without the edge), "symmetric" (with it), "wrap" (what comes from the other end), "empty". Or a function
            (vector, widths, axis, kwargs) -> vector, applied along each axis.
        stat_length (int, tuple, list, None): how many elements at each edge count. Default: None, all.
        constant_values (number, tuple, list): for "constant".
        end_values (number, tuple, list): for "linear_ramp".
        reflect_type (str): "even", or "odd" for the mirror image taken from twice the edge.
        kwargs (Any): for a function.

    Returns:
        Tensor of the dtype of `arr`.

    Raises:
        TypeError: if an argument is none of these.
        ValueError: if the mode is unknown, or the numbers do not fit the axes.
        NotImplementedError: for the mode "median", as in MindSpore.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.pad([1, 2], (1, 2), constant_values=9))
        [9 1 2 9 9]
    """
    x = as_tensor("pad", "arr", arr)
    widths = _pairs("pad", "pad_width", pad_width, x.ndim)
    if not all(type(n) is int for pair in widths for n in pair):
        checks.fail(TypeError, "pad", "pad_width", "hold ints", pad_width)
    widths = tuple(tuple(max(n, 0) for n in pair) for pair in widths)
    if callable(mode):
        return _by_function(x, widths, mode, kwargs)
    if mode == "median":
        raise NotImplementedError(
            "`pad`: argument `mode` must be another: MindSpore has no 'median'. Received: 'median'."
        )
    if mode not in _MODES.split() or reflect_type not in ("even", "odd"):
        rule = f"be one of {_MODES.split()}, with reflect_type 'even' or 'odd'"
        checks.fail(ValueError, "pad", "mode", rule, f"{mode!r}, reflect_type={reflect_type!r}")
    if x.ndim == 0:
        return x
    statistic = None if stat_length is None else _pairs("pad", "stat_length", stat_length, x.ndim)
    constants, ends = (
        _pairs("pad", name, value, x.ndim)
        for name, value in (("constant_values", constant_values), ("end_values", end_values))
    )
    return _pad(x, widths, mode, statistic, constants, ends, reflect_type)


def _by_function(x: Any, widths: tuple, mode: Any, kwargs: dict[str, Any]) -> Any:
    """Zeros at the ends first; then the function changes each vector, axis by axis."""
    none = ((0, 0),) * x.ndim
    x = _pad(x, widths, "constant", None, none, none, "even")
    for axis, pair in enumerate(widths):
        x = apply_along_axis(mode, axis, x, pair, axis, kwargs)
    return x
