"""Piecewise-linear activation functions (ReLU, LeakyReLU, Hardswish ...); smooth ones are in `activation_smooth`.

At corners derivatives are MindSpore's.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.safe_math import greater_of, lesser_of
from msjax.ops.math.casts import apply_to_signed


@op(static="inplace")
def relu(input: Array, inplace: bool = False) -> Array:
    """Elementwise max(0, x).

    Args:
        input (Tensor): of any shape and real dtype.
        inplace (bool): accepted for MindSpore's signature; False only.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        ValueError: if `inplace` is set. Assign the result instead.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.relu(ms.Tensor([-1.0, 2.0])))
        [0. 2.]
    """
    checks.check_choice("relu", (False,), inplace=inplace)
    return _relu(input)


@jax.custom_jvp
def _relu(x: Array) -> Array:
    # A choice, because XLA computes a maximum and all that is elementwise before it once for each reader.
    return jnp.where(x <= 0, jnp.zeros((), x.dtype), x)


@_relu.defjvp
def _(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    (x,), (t,) = primals, tangents
    return _relu(x), jnp.where(x > 0, t, jnp.zeros((), t.dtype))


@op
def relu6(x: Array) -> Array:
    """Elementwise min(max(0, x), 6).

    Args:
        x (Tensor): of any shape, floating.

    Returns:
        Tensor of `x`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.relu6(ms.Tensor([-1.0, 2.0, 9.0])))
        [0. 2. 6.]
    """
    checks.check_floating("relu6", x=x)
    return jnp.where(x <= 0, 0, jnp.where(x > 6, 6, x))


@op(static="alpha")
@documented_by(relu)
def leaky_relu(input: Array, alpha: float = 0.2) -> Array:
    """Elementwise x where positive, alpha * x elsewhere.

    Args:
        alpha (int, float): slope of the negative side.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.leaky_relu(ms.Tensor([-1.0, 2.0]), 0.5))
        [-0.5  2. ]
    """
    checks.check_numbers("leaky_relu", alpha=alpha)
    if not jnp.issubdtype(input.dtype, jnp.floating):
        return jnp.where(input > 0, input, (input.astype(jnp.float32) * alpha).astype(input.dtype))
    choose = greater_of if alpha <= 1 else lesser_of  # at 0, half of each slope
    return checks.apply_in_compute_dtype(lambda x: choose(x, x * alpha), input)


@op
def prelu(input: Array, weight: Array) -> Array:
    """Elementwise x where positive, weight * x elsewhere, with one learned slope per channel.

    Args:
        input (Tensor): floating, channels in dimension 1.
        weight (Tensor): of shape (channels,) or (1,).

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        ValueError: if `weight` is neither one number nor one per channel.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.prelu(ms.Tensor([[-1.0, -1.0]]), ms.Tensor([0.5, 0.25])))
        [[-0.5  -0.25]]
    """
    checks.check_floating("prelu", input=input, weight=weight)
    channels = input.shape[1] if input.ndim > 1 else 1
    if weight.shape not in ((1,), (channels,)):
        checks.fail(
            ValueError,
            "prelu",
            "weight",
            f"have shape (1,) or ({channels},)",
            f"array of shape {weight.shape}",
        )
    slope = weight.astype(input.dtype)
    if input.ndim != 1:
        slope = slope.reshape((-1, *[1] * (input.ndim - 2)) if input.ndim else ())
    below = jnp.where(
        input > 0, jnp.zeros_like(input), input
    )  # no slope times an infinite input that is not below
    return jnp.where(input > 0, input, slope * below)


@op
def hardsigmoid(input: Array) -> Array:
    """Elementwise min(max(0, (x + 3) / 6), 1).

    Args:
        input (Tensor): of any shape, floating, or of signed integers, whose results are cut off to integers.

    Returns:
        Tensor of `input`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.hardsigmoid(ms.Tensor([-4.0, 0.0, 1.5])))
        [0.   0.5  0.75]
    """
    checks.check_signed("hardsigmoid", input=input)
    return apply_to_signed(lambda x: jnp.where(x <= -3, 0, jnp.where(x >= 3, 1, x / 6 + 0.5)), input)


@op
@documented_by(hardsigmoid)
def hardswish(input: Array) -> Array:
    """Elementwise x * min(max(0, x + 3), 6) / 6 (Howard et al. 2019, MobileNetV3).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.hardswish(ms.Tensor([-4.0, 0.0, 3.0])))
        [0. 0. 3.]
    """
    checks.check_signed("hardswish", input=input)

    def pieces(x: Array) -> Array:
        held = jnp.where(jnp.abs(x) > 3, 0, x)  # the derivative at infinity would be nan
        return jnp.where(x < -3, 0, jnp.where(x > 3, x, held * (held + 3) / 6))

    return apply_to_signed(pieces, input)


def _representable(bound: float, dtype: Any) -> float:
    """Return a bound as a number that integers or bools of a dtype can have: -1 becomes 0 for unsigned ones."""
    if jnp.issubdtype(dtype, jnp.floating):
        return bound
    low, high = (
        (0, 1) if jnp.issubdtype(dtype, jnp.bool_) else (int(jnp.iinfo(dtype).min), int(jnp.iinfo(dtype).max))
    )
    return int(min(max(bound, low), high))


@op(static="min_val max_val")
@documented_by(relu)
def hardtanh(input: Array, min_val: float = -1.0, max_val: float = 1.0) -> Array:
    """Elementwise min(max(min_val, x), max_val).

    Args:
        min_val (int, float): lower end.
        max_val (int, float): upper end.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.hardtanh(ms.Tensor([-2.0, 0.5, 2.0])))
        [-1.   0.5  1. ]
    """
    checks.check_numbers("hardtanh", min_val=min_val, max_val=max_val)
    low, high = (jnp.asarray(_representable(end, input.dtype), input.dtype) for end in (min_val, max_val))
    if input.dtype == bool:  # which XLA cannot clamp on CPU
        return (input | low) & high
    return lesser_of(greater_of(input, low), high)


@op(static="lambd")
def hardshrink(input: Array, lambd: float = 0.5) -> Array:
    """Elementwise x where |x| > lambd, 0 elsewhere.

    Args:
        input (Tensor): of any shape, floating.
        lambd (int, float): threshold.

    Returns:
        Tensor of `input`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.hardshrink(ms.Tensor([-2.0, 0.25, 2.0])))
        [-2.  0.  2.]
    """
    checks.check_floating("hardshrink", input=input)
    checks.check_numbers("hardshrink", lambd=lambd)
    return jnp.where(jnp.logical_and(input >= -lambd, input <= lambd), 0, input)


@op(static="lambd")
@documented_by(hardshrink)
def softshrink(input: Array, lambd: float = 0.5) -> Array:
    """Elementwise sign(x) * max(|x| - lambd, 0).

    Args:
        lambd (int, float): threshold, at least 0.

    Raises:
        RuntimeError: if `lambd` is negative.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.softshrink(ms.Tensor([-2.0, 0.25, 2.0])))
        [-1.5  0.   1.5]
    """
    checks.check_floating("softshrink", input=input)
    checks.check_numbers("softshrink", lambd=lambd)
    if lambd < 0:
        checks.fail(RuntimeError, "softshrink", "lambd", "be at least 0", lambd)
    inside = jnp.where(jnp.isnan(input), input, 0 * input)
    return jnp.where(input > lambd, input - lambd, jnp.where(input < -lambd, input + lambd, inside))


@op(static="thr value")
@documented_by(relu)
def threshold(input: Array, thr: float, value: float) -> Array:
    """Elementwise x where x > thr, value elsewhere.

    Args:
        thr (int, float): threshold.
        value (int, float): what stands in for smaller elements.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.threshold(ms.Tensor([0.5, 2.0]), 1.0, 20.0))
        [20.  2.]
    """
    checks.check_numbers("threshold", thr=thr, value=value)
    return jnp.where(input > jnp.asarray(thr, input.dtype), input, jnp.asarray(value, input.dtype))


@op(random=True, static="lower upper")
@documented_by(hardshrink)
def rrelu(_key: Array, input: Array, lower: float = 0.125, upper: float = 1.0 / 3.0) -> Array:
    """Leaky ReLU whose slope is drawn for each element, uniformly from [lower, upper).

    Args:
        lower (int, float): least slope, in [0, 1].
        upper (int, float): greatest slope, in [lower, 1].

    Raises:
        ValueError: if the slopes do not satisfy 0 <= lower <= upper <= 1.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.rrelu(ms.Tensor([-1.0, 2.0]), 0.25, 0.25))
        [-0.25  2.  ]
    """
    checks.check_floating("rrelu", input=input)
    checks.check_between("rrelu", 0, 1, lower=lower, upper=upper)
    if lower > upper:
        checks.fail(ValueError, "rrelu", "upper", f"be at least lower={lower}", upper)
    wide = checks.compute_dtype(input.dtype).type
    slope = jax.random.uniform(_key, input.shape, wide, wide(lower), wide(upper))
    return jnp.where(input > 0, input, input * slope.astype(input.dtype))
