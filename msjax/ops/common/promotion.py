"""Shared argument handling of the array operators: dtype promotion, broadcasting, normalized axes."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.export import is_symbolic_dim

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import NotATensorError
from msjax.core.tensor.tensor import Tensor
from msjax.core.xla import integer_gradients
from msjax.ops.common import checks

FLOAT = np.dtype(np.float32)


def as_array(op: str, name: str, x: Any) -> jax.Array:
    """Return an argument that must be an array; a list of numbers is made one."""
    if isinstance(x, list | tuple):
        return jnp.stack([as_array(op, name, e) for e in x]) if x else jnp.zeros((0,), FLOAT)
    if x is None or not hasattr(x, "dtype"):
        checks.fail(TypeError, op, name, "be a Tensor or a number", f"{x!r} ({type(x).__name__})")
    return jnp.asarray(x)


def promote(op: str, **arrays: Any) -> list[jax.Array]:
    """Promote arrays to their common dtype in MindSpore."""
    given = [as_array(op, name, x) for name, x in arrays.items()]
    first = given[0].dtype
    if all(x.dtype == first for x in given):
        return given
    try:
        met = dtypes.promote(*[x.dtype for x in given])
    except TypeError as error:
        raise TypeError(f"`{op}`: {error}") from None
    return [x.astype(met) for x in given]


def as_arrays_of_one_dtype(op: str, **arrays: Any) -> list[jax.Array]:
    """Arrays of one dtype; those of several raise, as where MindSpore converts none of them."""
    given = [as_array(op, name, x) for name, x in arrays.items()]
    if any(x.dtype != given[0].dtype for x in given):
        checks.check_same_dtype(op, **dict(zip(arrays, given, strict=True)))
    return given


def promoted_dtype(op: str, **arrays: jax.Array) -> np.dtype:
    """Return the dtype of `promote`; that of uint16, uint32 or uint64 beside single floating numbers is float32."""
    met = [x.dtype for x in arrays.values()]
    single = [x.ndim == 0 and jnp.issubdtype(x.dtype, jnp.floating) for x in arrays.values()]
    if any(single):
        met = [FLOAT if dtype.kind == "u" and dtype.itemsize > 1 else dtype for dtype in met]
    try:
        return dtypes.promote(*met)
    except TypeError as error:
        raise TypeError(f"`{op}`: {error}") from None


def promote_and_broadcast(op: str, **arrays: Any) -> list[jax.Array]:
    """Arrays in one dtype, whose shapes broadcast."""
    given = promote(op, **arrays)
    shapes = [x.shape for x in given]
    try:
        jnp.broadcast_shapes(*shapes)
    except ValueError:
        found = ", ".join(f"{name}: {shape}" for name, shape in zip(arrays, shapes, strict=True))
        raise ValueError(
            f"`{op}`: the shapes of the arguments must broadcast: counted from the back, sizes must be equal or 1. "
            f"Received: {found}."
        ) from None
    return given


def to_float(x: jax.Array, dtype: Any = FLOAT) -> jax.Array:
    """Integers and bools as floating numbers; their gradients are floating as well, where a conversion cuts them off."""
    return x if jnp.issubdtype(x.dtype, jnp.inexact) else _as_float(np.dtype(dtype))(x)


@functools.cache
def _as_float(dtype: np.dtype) -> Callable[[jax.Array], jax.Array]:
    def formula(_: Any, shadows: Sequence[Any]) -> list[jax.Array | None]:
        return [None if shadows[0] is None else shadows[0].fractional().astype(dtype)]

    return integer_gradients.with_formula(f"to_{dtype}", lambda x: x.astype(dtype), formula)


def widen_for_large_ints(kind: str) -> Callable[[Callable], Any]:
    """Decorate operators of (input, other): beside an int that its dtype has no room for, a Tensor is of `kind`.

    Elsewhere such an int keeps its lowest bits, as in MindSpore; but a quotient and `lt` take it as it is.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([30, 60], ms.uint8)
        >>> print(x + 300, x / 300)
        [ 74 104] [0.1 0.2]
    """

    def with_room(fn: Callable) -> Any:
        @functools.wraps(fn)
        def call(input: Any, other: Any, **options: Any) -> Any:
            if type(other) is int and not 0 <= other < 128:
                input = _widen_to_hold(input, other, kind)
            elif type(input) is int and not 0 <= input < 128:
                other = _widen_to_hold(other, input, kind)
            return fn(input, other, **options)

        return call

    return with_room


def _widen_to_hold(x: Any, number: int, kind: str) -> Any:
    dtype: Any = dtypes.as_np(x.dtype) if isinstance(x, Tensor) else FLOAT
    if not np.issubdtype(dtype, np.integer) or np.iinfo(dtype).min <= number <= np.iinfo(dtype).max:
        return x
    return x.astype(kind)


def is_float(x: jax.Array) -> bool:
    """Return True if the elements are real floating-point numbers."""
    return jnp.issubdtype(x.dtype, jnp.floating)


def is_integer(x: jax.Array) -> bool:
    """Return True if the elements are integers (bool is not one)."""
    return jnp.issubdtype(x.dtype, jnp.integer)


def normalize_axes(
    op: str, ndim: int, repeated: type[Exception] = RuntimeError, **values: Any
) -> tuple[int, ...]:
    """Axes counted from the front, from an int, a sequence, or None and () for all of them.

    An array without dimensions accepts 0 and -1. An axis that is named twice raises `repeated`.
    """
    ((name, value),) = values.items()
    if value is None or (isinstance(value, tuple | list) and not value):
        return tuple(range(ndim))
    given = list(value) if isinstance(value, tuple | list) else [value]
    found: list[int] = []
    for axis in given:
        if type(axis) is not int:
            checks.fail(
                TypeError,
                op,
                name,
                "be an int, a tuple of ints or None",
                f"{value!r} ({type(axis).__name__})",
            )
        one = checks.normalize_axis(op, max(ndim, 1), **{name: axis})
        if one in found:
            checks.fail(repeated, op, name, "name each axis once", value)
        found.append(one)
    return tuple(found) if ndim else ()


def as_shape(op: str, **values: Any) -> tuple[int, ...]:
    """Return a shape: ints in a sequence, or one int."""
    ((name, value),) = values.items()
    given = (value,) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(given, tuple | list) or not all(type(n) is int or is_symbolic_dim(n) for n in given):
        checks.fail(
            TypeError, op, name, "be an int or a tuple of ints", f"{value!r} ({type(value).__name__})"
        )
    return tuple(given)


def check_same_shape_except(op: str, name: str, arrays: Sequence[jax.Array], axis: int | None) -> None:
    """Arrays of one rank, whose sizes differ along `axis` alone."""
    shapes = [x.shape for x in arrays]
    rests = {tuple(n for i, n in enumerate(s) if i != axis) for s in shapes}
    if len({len(s) for s in shapes}) > 1 or len(rests) > 1:
        rule = (
            "have arrays of one shape" if axis is None else f"have arrays of one shape, but for axis {axis}"
        )
        checks.fail(ValueError, op, name, rule, f"arrays of shapes {shapes}")


def as_index_array(op: str, **arrays: Any) -> jax.Array:
    """Return an array of positions, which must be of an integer dtype."""
    ((name, x),) = arrays.items()
    x = as_array(op, name, x)
    if not is_integer(x):
        checks.fail(TypeError, op, name, "be of an integer dtype", f"array of dtype {x.dtype}")
    return x


def as_int64_tensor(x: Any) -> Any:
    """Return an int as a Tensor of int64: beside floating Tensors, `@op` would make it one of their dtype."""
    return Tensor.from_array(jnp.asarray(x, np.int64)) if type(x) is int or isinstance(x, np.integer) else x


def expect_tensors(op: str, **lists: Sequence[Any]) -> None:
    """Refuse what is no Tensor in a list, for operators that take Tensors alone."""
    ((name, each),) = lists.items()
    for i, x in enumerate(each):
        if not isinstance(x, Tensor | jax.Array):
            rule = f"argument `{name}[{i}]` must be a Tensor. Received: {x!r} ({type(x).__name__})."
            raise NotATensorError(f"Failed calling {op} with `{name}`. `{op}`: {rule}")
