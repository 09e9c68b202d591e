"""Clipping: of values, of the norm of an array, and of the global norm of several arrays."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike, ArrayOrNumber
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.ops.common import checks
from msjax.ops.common.promotion import promoted_dtype
from msjax.ops.common.safe_math import greater_of, lesser_of, sqrt_of_sum


@op
def _clamp(x: ArrayLike, low: ArrayLike | None, high: ArrayLike | None) -> Array:
    """x in [low, high], in x's dtype; at an end, half of the gradient passes, as through MindSpore's Maximum."""
    if low is not None:
        x = greater_of(x, low.astype(x.dtype))
    return x if high is None else lesser_of(x, high.astype(x.dtype))


def _each(name: str, x: Any, fn: Any) -> Any:
    """fn of a Tensor, or of each of several; those come back as a tuple."""
    if isinstance(x, list | tuple):
        return tuple(_each(name, e, fn) for e in x)
    if not isinstance(x, Tensor):
        checks.fail(
            TypeError, name, "x", "be a Tensor, or a list or tuple of Tensors", f"{x!r} ({type(x).__name__})"
        )
    return fn(x)


def _check_ends(name: str, **ends: Any) -> None:
    if all(end is None for end in ends.values()):
        raise ValueError(
            f"`{name}`: at least one of the arguments {list(ends)} must be given. Received: None for both."
        )
    for argument, end in ends.items():
        if not isinstance(end, Tensor | int | float | None):
            checks.fail(
                TypeError, name, argument, "be a Tensor, a number or None", f"{end!r} ({type(end).__name__})"
            )


def clip_by_value(x: Any, clip_value_min: Any = None, clip_value_max: Any = None) -> Any:
    """Elementwise min(max(x, clip_value_min), clip_value_max).

    Args:
        x (Tensor, list, tuple): a Tensor, or several.
        clip_value_min (Tensor, int, float): lower end, of a shape that broadcasts with `x`'s; None for none.
        clip_value_max (Tensor, int, float): upper end; it wins where the ends cross.

    Returns:
        Tensor of `x`'s dtype, or a tuple of Tensors.

    Raises:
        TypeError: for arguments of other types.
        ValueError: if both ends are None.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.clip_by_value(ms.Tensor([1.0, 5.0, 9.0]), 2.0, 6.0))
        [2. 5. 6.]
    """
    _check_ends("clip_by_value", clip_value_min=clip_value_min, clip_value_max=clip_value_max)
    low, high = (
        e if e is None or isinstance(e, Tensor) else Tensor(e) for e in (clip_value_min, clip_value_max)
    )
    return _each("clip_by_value", x, lambda t: _clamp(t, low, high))


def no_bool(**given: Any) -> None:
    """Raise for bools among the arguments of `clamp`.

    Raises:
        ValueError: if one is bool, or a Tensor of bools.
    """
    for name, value in given.items():
        if isinstance(value, bool) or getattr(value, "dtype", None) in (dtypes.bool_, np.bool_):
            what = "dtype=bool" if hasattr(value, "dtype") else f"{name}={value}"
            raise ValueError(
                f"For Clamp, the dtype of 'input', 'min' and 'max' must not be bool. Received: {what}."
            )


def _limit(inside: Any, x: Array, end: Array) -> Array:
    """x where it is inside of the end, the end elsewhere; nan without a gradient where either is nan.

    A nan is inside of nothing, so that one array of booleans is kept for the gradient of x.
    """
    if jnp.issubdtype(end.dtype, jnp.floating):
        undefined = jnp.isnan(x) | jnp.isnan(end)
        return jnp.where(inside(x, end), x, jnp.where(undefined, jnp.full_like(end, jnp.nan), end))
    return jnp.where(inside(x, end), x, end)


@op(promotes=True)
def clamp(input: Array, min: ArrayOrNumber | None = None, max: ArrayOrNumber | None = None) -> Array:
    """Elementwise min(max(x, min), max), in the dtype that all three promote to.

    Args:
        input (Tensor): of any shape.
        min (Tensor, int, float): lower end, of a shape that broadcasts with `input`'s; None for none.
        max (Tensor, int, float): upper end; it wins where the ends cross.

    Returns:
        Tensor; its gradient passes at the ends and not outside them.

    Raises:
        ValueError: if both ends are None, or an argument is bool.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.clamp(ms.Tensor([1.0, 5.0, 9.0]), 2.0, 6.0))
        [2. 5. 6.]
    """
    if min is None and max is None:
        raise ValueError(
            "`clamp`: at least one of the arguments `min` and `max` must be given. Received: None for both."
        )
    given = {k: v for k, v in (("input", input), ("min", min), ("max", max)) if v is not None}
    checks.check_broadcastable("clamp", **given)
    no_bool(**given)
    dtype = promoted_dtype("clamp", **given)
    x = input.astype(dtype)
    if min is not None:
        x = _limit(jnp.greater_equal, x, min.astype(dtype))
    return x if max is None else _limit(jnp.less_equal, x, max.astype(dtype))


@op(static="norm_type")
def total_norm(x: list[Array], norm_type: float = 2.0) -> Array:
    """Return the norm of the norms of arrays, float32 at least.

    Args:
        x (list, tuple): Tensors of any shapes.
        norm_type (int, float): order of the norm; infinity is the greatest absolute value.

    Returns:
        Tensor, a scalar.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.math.clipping import total_norm
        >>> print(total_norm([ms.Tensor([3.0]), ms.Tensor([4.0])]))
        5.0
    """
    arrays = [e if jnp.issubdtype(e.dtype, jnp.floating) else e.astype(jnp.float32) for e in x]
    wide = dtypes.promote(*(checks.compute_dtype(e.dtype) for e in arrays))
    arrays = [jnp.abs(e.astype(wide)) for e in arrays]
    if norm_type == float("inf"):
        return jnp.max(jnp.stack([jnp.max(e) for e in arrays]))
    if norm_type == 2:
        return sqrt_of_sum(sum((jnp.sum(jnp.square(e)) for e in arrays), jnp.zeros((), wide)))
    return sum((jnp.sum(e**norm_type) for e in arrays), jnp.zeros((), wide)) ** (1 / norm_type)


@op
def _limit_norm(x: ArrayLike, norm: ArrayLike, max_norm: ArrayLike) -> Array:
    dtype = x.dtype if jnp.issubdtype(x.dtype, jnp.floating) else jnp.float32
    factor = max_norm.astype(norm.dtype) / (norm + 1e-6)
    factor = jnp.where(factor < 1, factor, 1)
    return (x.astype(norm.dtype) * factor).astype(dtype)


def clip_by_norm(x: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Any:
    """x * min(max_norm / (norm + 1e-6), 1), with one norm of all arrays together.

    Args:
        x (Tensor, list, tuple): a Tensor, or several.
        max_norm (int, float): greatest length.
        norm_type (int, float): order of the norm.
        error_if_nonfinite (bool): raise if the norm is infinite or not a number (which needs its value, so not
            inside a compiled function).

    Returns:
        Tensor of `x`'s dtype (float32 for integers), or a tuple of Tensors.

    Raises:
        RuntimeError: for a norm that is not finite, if asked to.
        TypeError: for arguments of other types.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.clip_by_norm(ms.Tensor([3.0, 4.0]), 1.0))
        [0.5999999  0.79999983]
    """
    name = "clip_by_norm"
    max_norm = max_norm.item() if isinstance(max_norm, np.generic) else max_norm
    if not isinstance(max_norm, Tensor):
        checks.check_numbers(name, max_norm=max_norm)
    checks.check_numbers(name, norm_type=norm_type)
    _each(name, x, lambda t: t)
    norm = total_norm(jax.tree.leaves(x, is_leaf=lambda e: isinstance(e, Tensor)), norm_type)
    if error_if_nonfinite and not np.isfinite(concrete(norm, f"{name}(error_if_nonfinite=True)")):
        raise RuntimeError(
            f"`{name}`: the norm must be finite with error_if_nonfinite. Received: norm={norm.asnumpy()}."
        )
    return _each(name, x, lambda t: _limit_norm(t, norm, max_norm))


@op
def _rescale(x: ArrayLike, norm: ArrayLike, clip_norm: ArrayLike) -> Array:
    limit = clip_norm.astype(norm.dtype)
    return (x.astype(norm.dtype) * (limit / jnp.where(norm > limit, norm, limit))).astype(x.dtype)


def clip_by_global_norm(x: Any, clip_norm: float = 1.0, use_norm: Any = None) -> Any:
    """x * clip_norm / max(norm, clip_norm), with one norm of all arrays together, computed in float32.

    Args:
        x (list, tuple): Tensors of any shapes (or one Tensor).
        clip_norm (int, float): greatest length, greater than 0.
        use_norm (None): as in MindSpore, nothing else is supported.

    Returns:
        Tuple of Tensors of the same shapes and dtypes.

    Raises:
        TypeError: for arguments of other types.
        ValueError: if `clip_norm` is not positive, `x` is empty or `use_norm` is given.

    Examples:
        >>> import msjax as ms
        >>> for clipped in ms.ops.clip_by_global_norm([ms.Tensor([3.0]), ms.Tensor([4.0])], 1.0):
        ...     print(clipped)
        [0.6]
        [0.8]
    """
    name = "clip_by_global_norm"
    if use_norm is not None:
        checks.fail(ValueError, name, "use_norm", "be None", use_norm)
    clip_norm = clip_norm.item() if isinstance(clip_norm, np.generic) else clip_norm
    if not isinstance(clip_norm, Tensor):
        checks.check_numbers(name, clip_norm=clip_norm)
        if clip_norm <= 0:
            checks.fail(ValueError, name, "clip_norm", "be greater than 0", clip_norm)
    if isinstance(x, list | tuple) and not x:
        checks.fail(ValueError, name, "x", "hold at least one Tensor", x)
    _each(name, x, lambda t: t)
    norm = total_norm(jax.tree.leaves(x, is_leaf=lambda e: isinstance(e, Tensor)))
    return _each(name, x, lambda t: _rescale(t, norm, clip_norm))
