"""Argument checks that operators make while they are traced: of types, shapes and settings, never of values.

Each takes the operator's name first and the argument by keyword, and raises what MindSpore raises:
``floating("relu6", input=x)`` gives "`relu6`: argument `input` must be of a floating dtype. Received: dtype=int32."
"""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np

from msjax.core.op.argument_types import NotATensorError


class AxisError(ValueError, IndexError):
    """An axis that the array does not have. MindSpore raises a ValueError, PyTorch an IndexError."""


def fail(error: type[Exception], op: str, argument: str, rule: str, received: object) -> NoReturn:
    """Raise an error in the package's one form; of a type, it begins with the words that MindSpore's begin with."""
    first = f"Failed calling {op} with `{argument}`. " if issubclass(error, TypeError) else ""
    raise error(f"{first}`{op}`: argument `{argument}` must {rule}. Received: {argument}={received}.")


def check_tensors(op: str, **arrays: jax.Array) -> None:
    """Arrays only; the checks of dtypes and shapes below begin with this."""
    for name, x in arrays.items():
        if not hasattr(x, "dtype"):
            fail(NotATensorError, op, name, "be a Tensor", f"{x!r} ({type(x).__name__})")


def check_floating(op: str, **arrays: jax.Array) -> None:
    """Real floating arrays only."""
    check_tensors(op, **arrays)
    for name, x in arrays.items():
        if not jnp.issubdtype(x.dtype, jnp.floating):
            raise TypeError(
                f"`{op}`: argument `{name}` must be of a floating dtype. Received: dtype={x.dtype}."
            )


def check_signed(op: str, **arrays: jax.Array) -> None:
    """Real floating arrays or signed integers only."""
    check_tensors(op, **arrays)
    for name, x in arrays.items():
        if not jnp.issubdtype(x.dtype, jnp.floating) and not jnp.issubdtype(x.dtype, jnp.signedinteger):
            raise TypeError(
                f"`{op}`: argument `{name}` must be of a floating or signed integer dtype. Received: dtype={x.dtype}."
            )


def check_inexact(op: str, **arrays: jax.Array) -> None:
    """Real or complex floating arrays only."""
    check_tensors(op, **arrays)
    for name, x in arrays.items():
        if not jnp.issubdtype(x.dtype, jnp.inexact):
            raise TypeError(
                f"`{op}`: argument `{name}` must be of a floating or complex dtype. Received: dtype={x.dtype}."
            )


def check_integer(op: str, **arrays: jax.Array) -> None:
    """Integer arrays only."""
    check_tensors(op, **arrays)
    for name, x in arrays.items():
        if not jnp.issubdtype(x.dtype, jnp.integer):
            raise TypeError(
                f"`{op}`: argument `{name}` must be of an integer dtype. Received: dtype={x.dtype}."
            )


def check_same_dtype(op: str, **arrays: jax.Array) -> None:
    """All of one dtype."""
    check_tensors(op, **arrays)
    if len({x.dtype for x in arrays.values()}) > 1:
        found = ", ".join(f"{name}: {x.dtype}" for name, x in arrays.items())
        raise TypeError(
            f"`{op}`: arguments must have one dtype. Received: {found}. `x.astype(ms.float32)` is x as float32."
        )


def check_same_shape(op: str, **arrays: jax.Array) -> None:
    """All of one shape."""
    check_tensors(op, **arrays)
    if len({x.shape for x in arrays.values()}) > 1:
        found = ", ".join(f"{name}: {x.shape}" for name, x in arrays.items())
        raise ValueError(f"`{op}`: arguments must have one shape. Received: {found}.")


def check_broadcastable(op: str, **arrays: jax.Array) -> None:
    """Shapes that broadcast together."""
    check_tensors(op, **arrays)
    try:
        jnp.broadcast_shapes(*(x.shape for x in arrays.values()))
    except ValueError:
        found = ", ".join(f"{name}: {x.shape}" for name, x in arrays.items())
        raise ValueError(f"`{op}`: arguments must broadcast to one shape. Received: {found}.") from None


def check_rank(op: str, *allowed: int, **arrays: jax.Array) -> None:
    """Arrays of one of these numbers of dimensions."""
    check_tensors(op, **arrays)
    for name, x in arrays.items():
        if x.ndim not in allowed:
            dims = " or ".join(map(str, allowed))
            fail(ValueError, op, name, f"have {dims} dimensions", f"array of shape {x.shape}")


def check_numbers(op: str, **values: Any) -> None:
    """Python numbers (not bool)."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            fail(TypeError, op, name, "be an int or a float", f"{value!r} ({type(value).__name__})")


def check_ints(op: str, **values: Any) -> None:
    """Python ints (not bool)."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int):
            fail(TypeError, op, name, "be an int", f"{value!r} ({type(value).__name__})")


def check_bools(op: str, **values: Any) -> None:
    """Python bools."""
    for name, value in values.items():
        if not isinstance(value, bool):
            fail(TypeError, op, name, "be a bool", f"{value!r} ({type(value).__name__})")


def check_between(op: str, low: float, high: float, **values: Any) -> None:
    """Python numbers in [low, high]."""
    check_numbers(op, **values)
    for name, value in values.items():
        if not low <= value <= high:
            fail(ValueError, op, name, f"be in [{low}, {high}]", value)


def check_choice(op: str, options: Sequence[Any], **values: Any) -> None:
    """One of the options, of their type."""
    for name, value in values.items():
        if not isinstance(value, type(options[0])):
            fail(TypeError, op, name, f"be one of {list(options)}", f"{value!r} ({type(value).__name__})")
        if value not in options:
            fail(ValueError, op, name, f"be one of {list(options)}", repr(value))


def normalize_axis(op: str, ndim: int, **values: Any) -> int:
    """Return an axis of an array of `ndim` dimensions, counted from the front."""
    ((name, value),) = values.items()
    check_ints(op, **values)
    if not -ndim <= value < ndim:
        fail(AxisError, op, name, f"be in [{-ndim}, {ndim})", value)
    return value % ndim


def as_int_tuple(op: str, count: int, low: int = 1, **values: Any) -> tuple[int, ...]:
    """`count` ints of at least `low`, from an int or a sequence of that length."""
    ((name, value),) = values.items()
    given: Any = (value,) * count if isinstance(value, int | float) else value
    if not isinstance(given, tuple | list) or not all(type(v) is int for v in given):
        fail(TypeError, op, name, f"be an int or {count} ints", f"{value!r} ({type(value).__name__})")
    if len(given) == 1:
        given = tuple(given) * count
    if len(given) != count or min(given) < low:
        fail(ValueError, op, name, f"be an int or {count} ints, each at least {low}", value)
    return tuple(given)


def compute_dtype(dtype: np.dtype) -> np.dtype:
    """Return the dtype to compute in: float32 for the 16-bit floats, whose sums and powers would lose too much."""
    return np.dtype(np.float32) if jnp.issubdtype(dtype, jnp.floating) and dtype.itemsize < 4 else dtype


def apply_in_compute_dtype(fn: Callable[[jax.Array], jax.Array], x: jax.Array) -> jax.Array:
    """fn(x), computed in `compute_dtype` and rounded once to the dtype of x."""
    return fn(x.astype(compute_dtype(x.dtype))).astype(x.dtype)
