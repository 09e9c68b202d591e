"""Activation functions with PyTorch's derivatives at kinks, or that pass non-Tensors through."""

import jax.numpy as jnp
from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by


@op(static="negative_slope")
def leaky_relu(input: Array, negative_slope: float = 0.01) -> Array:
    """Elementwise x where positive, negative_slope * x elsewhere; at 0 the derivative is `negative_slope`.

    Args:
        input (Tensor): of any shape, floating.
        negative_slope (int, float): slope of the negative side.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        TypeError: if `input` is not floating, or `negative_slope` is not a number.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.nn.functional.leaky_relu(ms.Tensor([-2.0, 3.0]), 0.5))
        [-1.  3.]
    """
    checks.check_floating("leaky_relu", input=input)
    checks.check_numbers("leaky_relu", negative_slope=negative_slope)
    return checks.apply_in_compute_dtype(lambda x: jnp.where(x > 0, x, x * negative_slope), input)


@op(static="min_val max_val")
def hardtanh(input: Array, min_val: float = -1.0, max_val: float = 1.0) -> Array:
    """Elementwise min(max(min_val, x), max_val); at both ends the derivative is 0.

    Args:
        input (Tensor): of any shape and real dtype.
        min_val (int, float): lower end.
        max_val (int, float): upper end.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        TypeError: if an end is not a number.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.nn.functional.hardtanh(ms.Tensor([-2.0, 0.5, 3.0])))
        [-1.   0.5  1. ]
    """
    checks.check_numbers("hardtanh", min_val=min_val, max_val=max_val)
    low, high = (jnp.asarray(end).astype(input.dtype) for end in (min_val, max_val))
    return jnp.where(input <= low, low, jnp.where(input >= high, high, input))


@op
@documented_by(hardtanh)
def relu6(input: Array) -> Array:
    """Elementwise min(max(0, x), 6); at both ends the derivative is 0.

    Raises:
        TypeError: if `input` holds bools.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.nn.functional.relu6(ms.Tensor([-2.0, 0.5, 8.0])))
        [0.  0.5 6. ]
    """
    if input.dtype == bool:
        checks.fail(TypeError, "relu6", "input", "hold numbers", "dtype=bool")
    return hardtanh.pure(input, 0, 6)


@op(static="threshold value")
@documented_by(hardtanh)
def apply_threshold(input: Array, threshold: float, value: float) -> Array:
    """Elementwise `value` where x <= threshold, x elsewhere.

    Args:
        threshold (int, float): threshold.
        value (int, float): what stands in for elements up to it.

    Raises:
        TypeError: if `threshold` or `value` is not a number.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.nn.functional.threshold(ms.Tensor([-2.0, 3.0]), 0.0, -1.0))
        [-1.  3.]
    """
    checks.check_numbers("threshold", threshold=threshold, value=value)
    low = input <= jnp.asarray(threshold, input.dtype)
    return jnp.where(low, jnp.asarray(value, input.dtype), input)
