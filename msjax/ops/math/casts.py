"""Dtype conversion (cast), and queries of a Tensor's type, rank and size."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.state import state
from msjax.core.tensor.box import peek
from msjax.core.tensor.tensor import Tensor
from msjax.core.xla import integer_gradients
from msjax.ops.common import checks
from msjax.ops.common.promotion import as_array


@op(static="dtype")
def converted(input: ArrayLike, dtype: Any) -> Array:
    """Return the elements in another dtype, named in any way (`Tensor.astype`)."""
    x, kind = as_array("astype", "input", input), dtypes.as_np(dtype)
    if jnp.issubdtype(x.dtype, jnp.complexfloating) and not jnp.issubdtype(kind, jnp.complexfloating):
        x = x != 0 if kind == np.bool_ else x.real
    if jnp.issubdtype(x.dtype, jnp.floating) and not jnp.issubdtype(kind, jnp.inexact):
        return to_integers(np.dtype(kind))(x)
    return x.astype(kind)


@functools.cache
def to_integers(kind: np.dtype) -> Callable[[Array], Array]:
    """Return the conversion of floating numbers to integers or bools, through which gradients pass."""

    def exact(x: Array) -> Array:
        return x != 0 if kind == np.bool_ else _wrap_around(x, kind).astype(kind)

    def formula(values: Sequence[Array], _: Any) -> list[Array]:
        return [values[0].astype(integer_gradients.shadow_dtype())]

    return integer_gradients.with_formula(f"cast_to_{kind}", exact, formula, opens=True)


def _wrap_around(x: Array, kind: np.dtype) -> Array:
    """Integers wide enough that what `kind` cannot hold wraps around, as on CPUs; a direct cast would clip it."""
    if kind in (np.int32, np.int64):
        return x
    if kind.itemsize < 4:
        return x.astype(np.int32)
    return jnp.where(x < 0, x.astype(np.int64).astype(kind), x.astype(kind))


def apply_to_signed(fn: Callable[[Array], Array], x: Array) -> Array:
    """fn(x) in the dtype of x, computed in float32 for 16-bit floats and integers; gradients pass the rounding to these."""
    if jnp.issubdtype(x.dtype, jnp.integer):
        return to_integers(np.dtype(x.dtype))(fn(x.astype(np.float32)))
    return checks.apply_in_compute_dtype(fn, x)


def astype(input: Any, dtype: Any) -> Any:
    """Return the elements in another dtype; the same Tensor if it has that already.

    Args:
        input (Tensor): of any dtype.
        dtype: a MindSpore dtype, a NumPy dtype, a Python type or a name.

    Returns:
        Tensor.

    Raises:
        TypeError: if `dtype` names none.

    Examples:
        >>> import msjax as ms
        >>> print(ms.Tensor([1.7, -1.7]).astype("int32"))
        [ 1 -1]
    """
    if isinstance(input, Tensor) and peek(input).dtype == dtypes.as_np(dtype):
        return input
    return converted(input, dtype)


def cast(input: Any, dtype: Any) -> Any:
    """Return the elements in another dtype; the same Tensor if it has that already.

    Args:
        input (Tensor, number): of any dtype.
        dtype (mindspore.dtype): of the result.

    Returns:
        Tensor.

    Raises:
        TypeError: if `dtype` is no MindSpore dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.cast(ms.Tensor([1.7, -1.7]), ms.int32))
        [ 1 -1]
    """
    if not isinstance(dtype, dtypes.DType):
        checks.fail(TypeError, "cast", "dtype", "be a MindSpore dtype such as mindspore.float32", repr(dtype))
    return astype(input, dtype)


def type_as(input: Any, other: Any) -> Any:
    """Return the elements in another Tensor's dtype.

    Args:
        input (Tensor): of any dtype.
        other (Tensor): whose dtype.

    Returns:
        Tensor.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.type_as(ms.Tensor([1.7]), ms.Tensor([1])))
        [1]
    """
    return astype(input, other.dtype)


def _bytes(x: Array) -> Array:
    """Along a new last axis, the bytes of each element."""
    if x.dtype == bool:
        return x.astype(jnp.uint8)[..., None]
    if jnp.iscomplexobj(x):
        x = jnp.stack([x.real, x.imag], -1)
        return lax.bitcast_convert_type(x, jnp.uint8).reshape(*x.shape[:-1], -1)
    return lax.bitcast_convert_type(x, jnp.uint8).reshape(*x.shape, -1)


def _of_bytes(x: Array, kind: Any) -> Array:
    """Elements of the bytes along the last axis, which has as many as an element has."""
    if kind.kind == "b":
        return x[..., 0] != 0
    if jnp.issubdtype(kind, jnp.complexfloating):
        part = jnp.float32 if kind.itemsize == 8 else jnp.float64
        real, imag = jnp.split(x, 2, -1)
        return lax.complex(lax.bitcast_convert_type(real, part), lax.bitcast_convert_type(imag, part))
    return lax.bitcast_convert_type(x[..., 0] if kind.itemsize == 1 else x, kind)


@op(static="dtype")
def reinterpreted(input: ArrayLike, dtype: Any) -> Array:
    """Return the same bytes as elements of another dtype (`Tensor.view(dtype)`); the last axis changes with their width."""
    x, kind = as_array("view", "input", input), dtypes.as_np(dtype)
    if x.dtype == kind:
        return x
    old, new = x.dtype.itemsize, kind.itemsize
    if old != new and (not x.ndim or x.shape[-1] * old % new):
        rule = f"have a width that divides the {old} bytes of each of the last axis's elements"
        checks.fail(ValueError, "view", "dtype", rule, f"{kind} for an array of shape {x.shape}")
    of_each = _bytes(x)
    if old != new:
        of_each = of_each.reshape(*x.shape[:-1], x.shape[-1] * old // new, new)
    return _of_bytes(of_each, kind)


@op
def _copy(input: ArrayLike) -> Array:
    return as_array("copy", "input", input)


def identity(x: Any) -> Any:
    """Return the same elements in a new Tensor; anything that is not a Tensor as it is.

    Args:
        x (Tensor): of any shape and dtype.

    Returns:
        Tensor.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.identity(ms.Tensor([1, 2])), ms.ops.identity(2))
        [1 2] 2
    """
    return _copy(x) if isinstance(x, Tensor) else x


def deepcopy(input_x: Any) -> Any:
    """Return the same elements in a new Tensor, on the tape.

    Args:
        input_x (Tensor): of any dtype.

    Returns:
        Tensor.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.deepcopy(ms.Tensor([1, 2])))
        [1 2]
    """
    return identity(input_x)


# ---------------------------------------------------------------------- questions


def is_tensor(obj: Any) -> bool:
    """Return True if an object is a Tensor.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.is_tensor(ms.Tensor(1)), ms.ops.is_tensor(1)
        (True, False)
    """
    return isinstance(obj, Tensor)


def _tensor(op_name: str, x: Any) -> Tensor:
    if not isinstance(x, Tensor):
        checks.fail(TypeError, op_name, "input", "be a Tensor", f"{x!r} ({type(x).__name__})")
    return x


def is_floating_point(input: Tensor) -> bool:
    """Return True if the elements are real floating-point numbers.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.is_floating_point(ms.Tensor(1.0))
        True
    """
    return _tensor("is_floating_point", input).dtype.is_floating_point


def is_complex(input: Tensor) -> bool:
    """Return True if the elements are complex numbers.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.is_complex(ms.Tensor(1.0))
        False
    """
    return _tensor("is_complex", input).dtype.is_complex


def is_nonzero(input: Tensor) -> bool:
    """Return True if the only element is not zero.

    Raises:
        ValueError: if there is not exactly one.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.is_nonzero(ms.Tensor([2.0]))
        True
    """
    return bool(_tensor("is_nonzero", input))


def dyn_shape(input_x: Tensor) -> Tensor:
    """Return the shape, as a Tensor of int64.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.dyn_shape(ms.Tensor([[1, 2, 3]])))
        [1 3]
    """
    return Tensor(np.asarray(_tensor("dyn_shape", input_x).shape, np.int64))


def size(input_x: Tensor) -> int:
    """Return the number of elements.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.size(ms.Tensor([[1, 2, 3]]))
        3
    """
    return _tensor("size", input_x).size


def rank(input_x: Tensor) -> int:
    """Return the number of dimensions.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.rank(ms.Tensor([[1, 2, 3]]))
        2
    """
    return _tensor("rank", input_x).ndim


def tuple_to_array(input_x: tuple | range) -> Tensor:
    """Return a tuple of numbers, or a range, as a Tensor of int32 or float32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.tuple_to_array((1, 2, 3)))
        [1 2 3]
    """
    if not isinstance(input_x, tuple | range):
        checks.fail(TypeError, "tuple_to_array", "input_x", "be a tuple of numbers", repr(input_x))
    return Tensor(tuple(input_x), dtypes.int32 if isinstance(input_x[0], int) else dtypes.float32)


def scalar_to_tensor(input_x: Any, dtype: Any = dtypes.float32) -> Tensor:
    """Return a Python number as a Tensor.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.scalar_to_tensor(2))
        2.0
    """
    if not isinstance(input_x, bool | int | float):
        checks.fail(
            TypeError, "scalar_to_tensor", "input_x", "be a number", f"{input_x!r} ({type(input_x).__name__})"
        )
    return Tensor(input_x, dtype)


def scalar_cast(input_x: Any, input_y: Any) -> Any:
    """Return a Python number as another Python number.

    Args:
        input_x (number): the number.
        input_y (mindspore.dtype): bool_, int64 or float64; in compiled functions float32 too.

    Raises:
        TypeError: if `input_x` is not a number.
        ValueError: for another `input_y`.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.scalar_cast(1.5, ms.int64)
        1
    """
    if not isinstance(input_x, bool | int | float):
        checks.fail(
            TypeError, "scalar_cast", "input_x", "be a number", f"{input_x!r} ({type(input_x).__name__})"
        )
    taken = (dtypes.bool_, dtypes.int64, dtypes.float64, *((dtypes.float32,) if state.frame else ()))
    if not any(input_y is one for one in taken):
        checks.fail(
            ValueError, "scalar_cast", "input_y", f"be one of {[str(one) for one in taken]}", repr(input_y)
        )
    return dtypes.dtype_to_pytype(input_y)(input_x)
