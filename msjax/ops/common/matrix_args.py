"""Shared checks of the linear algebra operators: shapes of batched matrices, and the dtype of a decomposition."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.ops.common import checks
from msjax.ops.common.promotion import as_array


def as_matrices(op: str, *, whole: bool = False, **arrays: Any) -> Array:
    """Return a floating or complex (or `whole`) array whose last two axes are those of a matrix."""
    ((name, x),) = arrays.items()
    x = as_array(op, name, x)
    if not whole:
        checks.check_inexact(op, **{name: x})
    if x.ndim < 2:
        checks.fail(ValueError, op, name, "have at least two dimensions", f"array of shape {x.shape}")
    return x


def as_square_matrices(op: str, *, whole: bool = False, **arrays: Any) -> Array:
    """Check that an array holds square matrices, and return it as :func:`as_matrices` does."""
    ((name, x),) = arrays.items()
    x = as_matrices(op, whole=whole, **{name: x})
    if x.shape[-1] != x.shape[-2]:
        checks.fail(ValueError, op, name, "hold square matrices", f"array of shape {x.shape}")
    return x


def adjoint(x: Array) -> Array:
    """Matrices transposed and conjugated."""
    return jnp.conj(jnp.swapaxes(x, -1, -2))


def apply_in_compute_dtype(fn: Callable[..., Any], *arrays: Array) -> Any:
    """fn over arrays of one dtype, computed in at least float32; results of the wide dtype are rounded once."""
    kind = arrays[0].dtype
    wide = checks.compute_dtype(kind)
    if wide == kind:
        return fn(*arrays)
    found = fn(*[x.astype(wide) for x in arrays])
    many = isinstance(found, tuple)
    rounded = tuple(x.astype(kind) if x.dtype == wide else x for x in (found if many else (found,)))
    return rounded if many else rounded[0]


def check_same_batch(op: str, names: tuple[str, str], x: Array, y: Array) -> None:
    """Two stacks of one rank and one dtype whose matrices have equally many rows, in batches of one shape."""
    checks.check_same_dtype(op, **dict(zip(names, (x, y), strict=True)))
    if x.shape[:-1] != y.shape[:-1]:
        raise ValueError(
            f"`{op}`: `{names[0]}` and `{names[1]}` must agree in all axes but the last. "
            f"Received: arrays of shapes {x.shape} and {y.shape}."
        )
