"""Differences, gradients, trapezoidal integrals, convolution and interpolation of sequences."""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.argument_types import ArrayLike
from msjax.core.tensor.tensor import Tensor
from msjax.numpy.array_function import (
    as_tensor,
    cast,
    define_function,
    narrow,
    normalize_axes,
    normalize_axis,
    promote_arrays,
)
from msjax.numpy.polynomials import convolve_arrays
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by


def _difference(x: Array, y: Array) -> Array:
    return jnp.not_equal(x, y) if x.dtype == bool else x - y


@define_function(static="n axis")
def diff(
    a: ArrayLike,
    n: int = 1,
    axis: int = -1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> Array:
    """Differences of neighbours along an axis, taken n times.

    Args:
        a (Tensor): of at least one dimension.
        n (int): how often.
        axis (int): along which axis.
        prepend (number, Tensor, None): put before `a` first: a number, or an array that fits.
        append (number, Tensor, None): put after `a` first: a number, or an array that fits.

    Returns:
        Tensor: `n` elements shorter along `axis`.

    Raises:
        TypeError: if `n` or `axis` is not an int.
        ValueError: if `n` is negative or nothing is left, or `axis` is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.diff(ms.Tensor([1, 3, -1, 0, 4])))
        [ 2 -4  1  4]
    """
    checks.check_ints("diff", n=n)
    at = normalize_axis("diff", a, axis)
    if n < 0:
        checks.fail(ValueError, "diff", "n", "be at least 0", n)
    if n == 0:
        return a
    one = (*a.shape[:at], 1, *a.shape[at + 1 :])
    parts = [jnp.broadcast_to(x, one) if x.ndim == 0 else x for x in (prepend, a, append) if x is not None]
    x = jnp.concatenate(promote_arrays("diff", *parts), at)
    if n >= x.shape[at]:
        checks.fail(ValueError, "diff", "n", f"be less than the size {x.shape[at]} of the axis", n)
    for _ in range(n):
        x = _difference(*[jnp.take(x, np.arange(x.shape[at] - 1) + i, at) for i in (1, 0)])
    return x


@define_function
def ediff1d(ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None) -> Array:
    """Differences of neighbours in the flattened array.

    Args:
        ary (Tensor): of any shape, n elements.
        to_end (number, Tensor, None): appended to the result.
        to_begin (number, Tensor, None): put before the result.

    Returns:
        Tensor of one dimension.

    Raises:
        TypeError: if an argument is not an array.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.ediff1d(ms.Tensor([1, 2, 4, 7]), to_begin=0))
        [0 1 2 3]
    """
    x = ary.ravel()
    parts = [to_begin, _difference(x[1:], x[:-1]), to_end]
    return jnp.concatenate([p.ravel().astype(x.dtype) for p in parts if p is not None])


@define_function(static="dx axis")
def trapz(y: ArrayLike, x: ArrayLike | None = None, dx: float = 1.0, axis: int = -1) -> Array:
    """Integrals along an axis by the trapezoidal rule.

    Args:
        y (Tensor, list, tuple): the values.
        x (Tensor, list, tuple, None): where they were taken: of the shape of `y`, or of one dimension.
        dx (float): the distance between them, without `x`.
        axis (int): along which axis.

    Returns:
        Tensor of a floating dtype.

    Raises:
        ValueError: if `axis` is out of range, or the shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.trapz([1.0, 2.0, 3.0], x=[4.0, 6.0, 8.0]))
        8.0
    """
    at = normalize_axis("trapz", y, axis)
    y = narrow(y)
    if x is None:
        return jnp.trapezoid(y, dx=jnp.asarray(dx, y.dtype), axis=at)
    if x.ndim != 1:
        checks.check_broadcastable("trapz", y=y, x=x)
    elif x.shape[0] != y.shape[at]:
        checks.fail(ValueError, "trapz", "x", f"hold {y.shape[at]} places", x.shape[0])
    return jnp.trapezoid(y, x.astype(y.dtype), axis=at)


@define_function(static="discont axis")
def unwrap(p: ArrayLike, discont: float = math.pi, axis: int = -1) -> Array:
    """Angles with their jumps taken out: where neighbours differ by more than `discont`, turns of 2 pi are added.

    Args:
        p (Tensor, list, tuple): angles in radians.
        discont (float): the greatest difference that is no jump; less than pi counts as pi.
        axis (int): along which axis.

    Returns:
        Tensor of the shape of `p`, of a floating dtype of at least 32 bits.

    Raises:
        TypeError: if `axis` is not an int or `discont` not a number.
        ValueError: if `axis` is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.unwrap(ms.Tensor([0.0, 6.0])))
        [ 0.       -0.283185]
    """
    checks.check_numbers("unwrap", discont=discont)
    x = p if p.dtype == np.float64 else p.astype(np.float32)
    at = normalize_axis("unwrap", x, axis)
    turn, half, least = (jnp.asarray(v, x.dtype) for v in (2 * math.pi, math.pi, max(discont, math.pi)))
    jump = jnp.diff(x, axis=at)
    rest = jnp.mod(jump + half, turn) - half
    rest = jnp.where((rest == -half) & (jump > jnp.zeros((), x.dtype)), half, rest)
    correction = jnp.where(jnp.abs(jump) < least, jnp.zeros((), x.dtype), rest - jump)
    first = jnp.zeros_like(jnp.take(x, np.arange(1), at))
    return x + jnp.cumsum(jnp.concatenate([first, correction], at), at)


@define_function(static="steps axes")
def _slopes(f: ArrayLike, steps: tuple, axes: tuple) -> tuple[Array, ...]:
    x = f if f.dtype == np.float64 else f.astype(np.float32)
    slopes: Any = [jnp.gradient(x, axis=a) for a in axes]
    return tuple(one / jnp.asarray(step, x.dtype) for one, step in zip(slopes, steps, strict=True))


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Slopes along axes: central differences inside, one-sided ones at the ends.

    Args:
        f (Tensor, list, tuple): of sizes of at least 2 along the axes.
        varargs (number): the distance of neighbours, one for all axes or one for each. Default: 1.
        axis (int, tuple[int], None): along which axes. Default: None, all of them.
        edge_order (int): 1; there is no other.

    Returns:
        Tensor, or a list of Tensors, one for each axis; float32, or float64 for that.

    Raises:
        ValueError: if an axis is out of range or too short.
        TypeError: if the number of distances is wrong.
        NotImplementedError: for distances that vary, or another `edge_order`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.gradient(ms.Tensor([1.0, 2.0, 4.0, 7.0])))
        [1.  1.5 2.5 3. ]
    """
    x = as_tensor("gradient", "f", f)
    if edge_order != 1:
        raise NotImplementedError(
            f"`gradient`: argument `edge_order` must be 1. Received: edge_order={edge_order}."
        )
    over = normalize_axes("gradient", x.array, axis)
    if not over:
        return ()
    steps = varargs * len(over) if len(varargs) == 1 else varargs or (1.0,) * len(over)
    if len(steps) != len(over):
        checks.fail(TypeError, "gradient", "varargs", f"be one distance, or {len(over)}", varargs)
    if any(isinstance(s, list | tuple) or (isinstance(s, Tensor) and s.ndim) for s in steps):
        raise NotImplementedError(
            f"`gradient`: argument `varargs` must hold numbers: distances that vary are not supported. Received: {steps}."
        )
    for a in over:
        if x.shape[a] < 2:
            checks.fail(
                ValueError, "gradient", "f", f"have at least 2 elements along axis {a}", f"shape {x.shape}"
            )
    found = _slopes(x, steps, over)
    return found[0] if len(found) == 1 else list(found)


def _vectors(fn: str, a: Array, v: Array, mode: Any) -> Any:
    for name, x in (("a", a), ("v", v)):
        if x.ndim > 1 or x.size == 0:
            checks.fail(
                ValueError, fn, name, "be a vector of at least one element", f"array of shape {x.shape}"
            )
    checks.check_choice(fn, ("full", "same", "valid"), mode=mode)
    return [jnp.atleast_1d(x) for x in promote_arrays(fn, a, v)]


@define_function(static="mode")
def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full") -> Array:
    """Discrete convolution of two vectors.

    Args:
        a (Tensor, list, tuple): of n elements.
        v (Tensor, list, tuple): of m elements.
        mode (str): "full" for n + m - 1 results, "same" for as many as the longer one has, "valid" for where they
            overlap fully.

    Returns:
        Tensor of one dimension, of the promoted dtype.

    Raises:
        ValueError: if an argument is empty or no vector, or `mode` is none of these.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.convolve([1.0, 2.0, 3.0], [0.0, 1.0, 0.5]))
        [0.  1.  2.5 4.  1.5]
    """
    return convolve_arrays(*_vectors("convolve", a, v, mode), mode)  # type: ignore[reportCallIssue]


@define_function(static="mode")
@documented_by(convolve)
def correlate(a: ArrayLike, v: ArrayLike, mode: str = "valid") -> Array:
    """Correlation of two vectors: convolution with the second one conjugated and turned round.

    Args:
        mode (str): see `convolve`.

    Returns:
        Tensor of one dimension, of a floating dtype (float64 for int64, as in MindSpore).

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.correlate([1.0, 2.0, 3.0], [0.0, 1.0, 0.5]))
        [3.5]
    """
    a, v = _vectors("correlate", a, v, mode)
    kind = (
        np.float64
        if a.dtype in (np.int64, np.uint64)
        else a.dtype
        if jnp.issubdtype(a.dtype, jnp.inexact)
        else np.float32
    )
    a, v = a.astype(kind), v.astype(kind)
    if a.size < v.size:  # NumPy's rule: the roles are exchanged, and the result is turned round
        return jnp.conj(convolve_arrays(v, jnp.conj(a[::-1]), mode)[::-1])
    return convolve_arrays(a, jnp.conj(v[::-1]), mode)


@define_function
def interp(
    x: ArrayLike, xp: ArrayLike, fp: ArrayLike, left: ArrayLike | None = None, right: ArrayLike | None = None
) -> Array:
    """Linear interpolation between points.

    Args:
        x (Tensor, number, list, tuple): where, of any shape.
        xp (Tensor, list, tuple): the points' places, ascending, of n elements.
        fp (Tensor, list, tuple): the points' values, of n elements.
        left (float, None): the value below the first place. Default: None, the first value.
        right (float, None): the value above the last place. Default: None, the last value.

    Returns:
        Tensor of the shape of `x`, float32, or float64 if an argument has that.

    Raises:
        ValueError: if `xp` and `fp` are no vectors of one size.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.interp([0.5, 2.0, 9.0], [1.0, 3.0], [10.0, 20.0]))
        [10. 15. 20.]
    """
    if xp.ndim != 1 or xp.shape != fp.shape or not xp.size:
        checks.fail(
            ValueError, "interp", "xp", "be a vector like `fp`", f"shape {xp.shape}, fp of shape {fp.shape}"
        )
    kind = np.float64 if np.float64 in (x.dtype, xp.dtype, fp.dtype) else np.float32
    ends = [None if end is None else end.astype(kind) for end in (left, right)]
    return jnp.interp(x.astype(kind), xp.astype(kind), fp.astype(kind), *ends)


@define_function(static="dtype")
def clip(x: ArrayLike, xmin: ArrayLike | None, xmax: ArrayLike | None, dtype: Any = None) -> Array:
    """Numbers moved into an interval.

    Args:
        x (Tensor, number, list, tuple): of any shape.
        xmin (Tensor, number, None): the lower end, of a shape that broadcasts with `x`.
        xmax (Tensor, number, None): the upper end, likewise. It wins where it is the lower one.
        dtype (mindspore.dtype, None): of the result. Default: None, that of `x`.

    Returns:
        Tensor.

    Raises:
        ValueError: if both ends are None, or the shapes do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.clip([1, 2, 3, -4, 0], 0, 2))
        [1 2 2 0 0]
    """
    if xmin is None and xmax is None:
        raise ValueError(
            "`clip`: one of the arguments `xmin` and `xmax` must be given. Received: None for both."
        )
    checks.check_broadcastable(
        "clip", **{n: a for n, a in (("x", x), ("xmin", xmin), ("xmax", xmax)) if a is not None}
    )
    x = x if xmin is None else jnp.maximum(x, xmin.astype(x.dtype))
    x = x if xmax is None else jnp.minimum(x, xmax.astype(x.dtype))
    return cast("clip", x, dtype)
