"""Shared helpers of mint's functions."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core import dtype as dtypes
from msjax.ops.common import checks
from msjax.ops.math.casts import astype
from msjax.ops.state.scatter_update import change

_SMALL = (dtypes.bool_, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.uint8)


def write_into(name: str, box: Any, result: Any) -> Any:
    """Return the box, with the result as its content."""
    change(name, box, result)
    return box


def cast_for_sum(input: Any, dtype: Any) -> Any:
    """Cast the input of a sum: to the given dtype, small integers to int64; the operator refuses non-Tensors."""
    if not hasattr(input, "dtype"):
        return input
    if dtype is not None:
        return astype(input, dtype)
    return astype(input, dtypes.int64) if input.dtype in _SMALL else input


def as_floating(input: Any) -> Any:
    """Return the tensor, in float32 if it holds integers or bools. What is not a Tensor the operator refuses."""
    if not hasattr(input, "dtype"):
        return input
    kind = input.dtype
    return input if kind.is_floating_point or kind.is_complex else astype(input, dtypes.float32)


def refuse_integers(name: str, input: Any) -> None:
    """Raise for a Tensor of integers, which mint's losses do not take.

    Raises:
        TypeError: if it holds integers.
    """
    kind = getattr(input, "dtype", None)
    if isinstance(kind, dtypes.DType) and not (kind.is_floating_point or kind.is_complex):
        checks.fail(TypeError, name, "input", "be of a floating dtype", f"dtype={kind}")


def is_empty_along(input: Any, dim: Any) -> bool:
    """Return True if the size along a dimension is 0."""
    shape = getattr(input, "shape", ())
    return type(dim) is int and -len(shape) <= dim < len(shape) and shape[dim] == 0


def check_supported(name: str, allowed: Any, **values: Any) -> None:
    """Raise for a setting that is not supported.

    Raises:
        ValueError: if a value is not among those allowed.
    """
    for argument, value in values.items():
        if value not in allowed:
            checks.fail(ValueError, name, argument, f"be one of {list(allowed)}", repr(value))


def default_stride(kernel_size: Any, stride: Any) -> Any:
    """Return the step of a pooling window: its size where None or nothing was given."""
    return kernel_size if stride is None or stride == () else stride


def default_softmax_dim(input: Any, dim: int | None) -> int | None:
    """Return the dimension that softmax uses if none is given, as PyTorch chooses it."""
    if dim is not None or not hasattr(input, "ndim"):
        return dim
    return 0 if input.ndim in (0, 1, 3) else 1


def reduce_loss(name: str, loss: Array, reduction: str) -> Array:
    """Return the mean, the sum, or all of a loss."""
    checks.check_choice(name, ("mean", "sum", "none"), reduction=reduction)
    return {"mean": jnp.mean, "sum": jnp.sum, "none": lambda x: x}[reduction](loss)
