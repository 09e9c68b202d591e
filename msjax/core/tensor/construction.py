"""Construction of arrays from the arguments of `Tensor(...)`: their dtype, and the refusal of anything else.

This module knows no Tensor: an object with `__jax_array__` stands for the array that this method returns.
"""

import reprlib
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from msjax.core import dtype as dtypes
from msjax.core.tensor.symbol import Symbol

DEVICES = ("CPU", "GPU", "Ascend", "meta")
_DESTINATIONS = ("CPU", "cpu", "Ascend", "npu", "meta")
# The dtypes of lists of such elements, Python's or NumPy's. All others stay as they are.
_IN_LISTS = {np.dtype(np.float64): np.dtype(np.float32), np.dtype(np.int32): np.dtype(np.int64)}
_MOST_INT64, _MOST_UINT64 = 2**63, 2**64


def array_of(data: Any, dtype: object = None, shape: object = None, init: object = None) -> jax.Array:
    """Make the array for the arguments of `Tensor`.

    Args:
        data: a number, a NumPy or JAX array, an object with `__jax_array__`, or nested lists and tuples of these.
        dtype: a `DType`, or None for the data's own.
        shape: without data, the shape of an array of zeros or of the initializer's values.
        init: an initializer: an object with `make(shape, dtype)`, or what `common.initializer` takes.

    Returns:
        An array that shares no memory with `data`, unless that is a JAX array. It is a constant also inside a trace.

    Raises:
        TypeError: if the data cannot be made an array, `dtype` is no `DType`, or neither data nor shape is given.
        ValueError: if both data and shape are given, or `init` without `dtype` and `shape`.
        RuntimeError: if an int does not fit into 64 bits.
    """
    wanted_dtype = None if dtype is None else resolve_dtype(dtype)
    if init is not None or shape is not None:
        return _make_initial(data, wanted_dtype, shape, init)
    if hasattr(data, "__jax_array__") and not isinstance(data, jax.Array):
        data = data.__jax_array__()
    if isinstance(data, jax.Array):
        return data if wanted_dtype is None or data.dtype == wanted_dtype else data.astype(wanted_dtype)
    if isinstance(data, list | tuple):
        value = _convert_nested(data, exact=wanted_dtype is not None)
        if isinstance(value, jax.Array):
            return value if wanted_dtype is None else value.astype(wanted_dtype)
    elif isinstance(data, np.ndarray | np.generic):
        value = np.asarray(data)
        if not _can_hold(value.dtype):
            raise _not_held(value)
    else:
        value = _number_to_array(data)
        if wanted_dtype is None and value.dtype == np.float64:
            wanted_dtype = np.dtype(np.float32)
    return constant(value, wanted_dtype)


def constant(value: np.ndarray, dtype: np.dtype | None = None) -> jax.Array:
    """Copy values to a JAX array; integers, and floats converted to integers, wrap around."""
    given = value
    if dtype is not None and value.dtype != dtype:
        if value.dtype.kind == "c" and dtype.kind != "c":
            value = np.real(value)
        with np.errstate(invalid="ignore", over="ignore"):
            value = value.astype(dtype)
    narrow = dtypes.canonical(value.dtype)
    if value.dtype != narrow:
        value = value.astype(narrow)
    # JAX may share NumPy's memory, and where it copies, it does so while the program goes on.
    with jax.ensure_compile_time_eval():
        # Without the dtype JAX would compile a program for each new shape.
        return jnp.asarray(value.copy() if value is given else value, dtype=value.dtype)


def resolve_dtype(dtype: object) -> np.dtype:
    """Return the NumPy dtype of a `DType` that elements can have; raise TypeError for anything else."""
    if not isinstance(dtype, dtypes.DType) or dtype.np is None:
        raise TypeError(
            f"`Tensor`: argument `dtype` must be one of {', '.join(map(repr, dtypes.all_types))}. "
            f"Received: {dtype!r} ({type(dtype).__name__})."
        )
    return dtypes.as_np(dtype)


def _can_hold(dtype: np.dtype) -> bool:
    """Return True if tensors can hold elements of a NumPy dtype; False for text, objects, foreign byte order."""
    return dtype.isnative and dtype.name in dtypes.NAMES


def _number_to_array(data: object) -> np.ndarray:
    """Convert a Python number to a 0-d array."""
    if isinstance(data, bool):
        return np.asarray(data)
    if isinstance(data, int):
        if not -_MOST_INT64 <= data < _MOST_UINT64:
            raise RuntimeError(f"`Tensor`: argument `input_data` must fit into 64 bits. Received: {data}.")
        return np.asarray(data, np.int64 if data < _MOST_INT64 else np.uint64)
    if isinstance(data, float):
        return np.asarray(data, np.float64)
    if isinstance(data, complex):
        return np.asarray(data, np.complex128)
    raise TypeError(
        "`Tensor`: argument `input_data` must be a number, a list or tuple of numbers, a numpy.ndarray, a jax.Array "
        f"or a Tensor, but got type '{type(data).__name__}'. Received: {reprlib.repr(data)}."
    )


def _convert_nested(data: Sequence[object], exact: bool) -> jax.Array | np.ndarray:
    """Convert nested sequences to a NumPy array, or to a JAX array if elements are tracers.

    Args:
        data: the sequences.
        exact: whether NumPy's dtype stays: what the numbers become is decided later, without a way through float32.
    """
    plain, traced = _unwrap_nested(data)
    if traced:
        return _stack_tracers(data, plain)
    try:
        value = np.array(plain)
    except ValueError:
        raise _uneven_data_error(data) from None
    if not _can_hold(value.dtype):
        raise _uneven_data_error(data)
    return value if exact else value.astype(_IN_LISTS.get(value.dtype, value.dtype))


def _stack_tracers(data: object, plain: list) -> jax.Array:
    try:
        value = jnp.asarray(plain)
    except (ValueError, TypeError):
        raise _uneven_data_error(data) from None
    return jax.lax.stop_gradient(value.astype(_IN_LISTS.get(value.dtype, value.dtype)))


def _unwrap_nested(data: Sequence) -> tuple[list, bool]:
    """Return the nesting as lists, with NumPy arrays in place of known tensors; and True if tracers remain."""
    out: list[Any] = []
    traced = False
    for element in data:
        if isinstance(element, list | tuple):
            element, inner = _unwrap_nested(element)
            traced |= inner
        else:
            element = element.__jax_array__() if hasattr(element, "__jax_array__") else element
            if isinstance(element, Tracer):
                traced = True
            elif isinstance(element, jax.Array):
                element = np.asarray(element)
        out.append(element)
    return out, traced


def _uneven_data_error(data: object) -> TypeError:
    told = repr(data)
    return TypeError(
        "`Tensor`: argument `input_data` must hold numbers, or sequences of one length of them. For Tensor, the input_data "
        f"is {told if len(told) < 500 else reprlib.repr(data)} that contain unsupported element."
    )


def _not_held(value: np.ndarray) -> TypeError:
    """Return the error for an array that a tensor cannot hold; it names the first element that is no number."""
    where, kind = (0,) * value.ndim, value.dtype.type
    if value.dtype == object:
        odd = (
            (at, type(e))
            for at, e in np.ndenumerate(value)
            if not isinstance(e, int | float | complex | np.number)
        )
        where, kind = next(odd, (where, kind))
    return TypeError(
        f"`Tensor`: initializing tensor by numpy array failed, because the element type '{kind}' of the element at "
        f"{where} is not supported. `input_data` must hold numbers of a dtype that tensors have, in native byte order. "
        f"Received: numpy {'array' if value.ndim else 'scalar'} of dtype {value.dtype}."
    )


def _make_initial(data: object, dtype: np.dtype | None, shape: object, init: object) -> jax.Array:
    """Make zeros of a shape, or the values of an initializer."""
    if init is not None and (dtype is None or shape is None):
        raise ValueError(
            "`Tensor`: arguments `init`, `dtype` and `shape` must be given together. "
            f"Received: init={init!r}, dtype={dtype}, shape={shape}."
        )
    if data is not None:
        raise ValueError(
            "`Tensor`: argument `shape` must be None where `input_data` is given, which has a shape of its own. "
            f"Received: shape={shape}. Use reshape."
        )
    if dtype is None:
        raise TypeError(
            f"`Tensor`: argument `dtype` must be given together with `shape`. Received: shape={shape}."
        )
    sizes = _shape(shape)
    if init is not None:
        return make_initial_values(init, sizes, dtype)
    with jax.ensure_compile_time_eval():
        return jnp.zeros(sizes, dtype)


def _shape(shape: object) -> tuple[int, ...]:
    """Return a shape as a tuple, in which an open size is 0."""
    if isinstance(shape, int | np.integer):
        return (int(shape),)
    if not isinstance(shape, list | tuple):
        raise TypeError(
            "`Tensor`: argument `shape` must be an int, or a list or tuple of ints. "
            f"Received: {shape!r} ({type(shape).__name__})."
        )
    return tuple(max(size, 0) for size in open_sizes(shape))


def open_sizes(shape: Any) -> tuple[int, ...]:
    """Return a shape with -1 for the sizes that MindSpore may leave open: None, -1 or a Symbol."""
    open_ = (type(None), Symbol)
    return tuple(-1 if isinstance(size, open_) or size < 0 else int(size) for size in shape)


def is_open(shape: object) -> bool:
    """Return True if a shape leaves a size open."""
    return isinstance(shape, list | tuple) and -1 in open_sizes(shape)


def load_initializer() -> Callable[..., Any]:
    """Return `common.initializer.initializer`, which stands above the engine: `msjax/__init__.py` puts a loader here."""
    raise RuntimeError("`Tensor`: the package is not initialized")


def make_initial_values(init: object, shape: tuple[int, ...], dtype: np.dtype) -> jax.Array:
    """Make an initializer's values: of an object with `make`, a name such as "normal", a number or a tensor."""
    make = getattr(init, "make", None)
    if make is None:
        return load_initializer()(init, shape, dtypes.of(dtype)).__jax_array__()
    value = make(shape, dtypes.of(dtype))
    return value.__jax_array__() if hasattr(value, "__jax_array__") else jnp.asarray(value, dtype)


def check_options(const_arg: object, device: object) -> None:
    """Check arguments of `Tensor` that have no effect."""
    if not isinstance(const_arg, bool):
        raise TypeError(
            f"`Tensor`: argument `const_arg` must be a bool. Received: {const_arg!r} ({type(const_arg).__name__})."
        )
    if device is not None and (not isinstance(device, str) or device.split(":")[0] not in DEVICES):
        raise ValueError(
            f"`Tensor`: argument `device` must be None or one of {DEVICES}. Received: {device!r}."
        )


def check_destination(op_name: str, device: object) -> None:
    """Check the name of a device that something is to be moved to or made on.

    "Ascend" and "npu" are taken, so that programs written for such a card run unchanged on the hardware at hand.

    Raises:
        TypeError: if it is no str.
        ValueError: if MindSpore has no device of that name.
    """
    if device is None or device in _DESTINATIONS:
        return
    kind = ValueError if isinstance(device, str) else TypeError
    raise kind(
        f"`{op_name}`: argument `device` must be one of {_DESTINATIONS}; what programs run on is "
        f"chosen by mindspore.set_device. Received: {device!r}."
    )
