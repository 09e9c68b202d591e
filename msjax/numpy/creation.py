"""Array creation: from numbers and lists, constants, random numbers."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor
from msjax.numpy.array_function import as_tensor, cast, define_function, element_dtype
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by


def parse_shape(fn: str, shape: Any, name: str = "shape") -> tuple[int, ...]:
    """Return a shape from an int, a sequence of ints, or a Tensor of them.

    Raises:
        TypeError: if it is none of these.
        ValueError: if a size is negative.
    """
    given = shape.asnumpy().tolist() if isinstance(shape, Tensor) else shape
    sizes = (given,) if isinstance(given, int) and not isinstance(given, bool) else given
    if not isinstance(sizes, tuple | list) or not all(type(n) is int for n in sizes):
        checks.fail(TypeError, fn, name, "be an int, tuple, list or Tensor of ints", f"{shape!r}")
    if any(n < 0 for n in sizes):
        checks.fail(ValueError, fn, name, "hold no negative size", shape)
    return tuple(sizes)


def array(obj: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """Return a Tensor of numbers, lists or Tensors.

    Args:
        obj (Tensor, number, list, tuple): what it holds. Python's floats become float32, ints int32.
        dtype (mindspore.dtype, str, type, None): Default: None, what follows from `obj`.
        copy (bool): whether a Tensor is copied.
        ndmin (int): the least number of dimensions; new ones come first.

    Returns:
        Tensor.

    Raises:
        TypeError: if `obj` or `dtype` is none of these.
        ValueError: if lists are ragged.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.array([1, 2, 3], dtype="float32", ndmin=2))
        [[1. 2. 3.]]
    """
    result = asarray(obj, dtype) if not isinstance(obj, Tensor) or not copy else _copy(obj, dtype)
    missing = ndmin - result.ndim
    return result.reshape((1,) * missing + tuple(result.shape)) if missing > 0 else result


@op(static="dtype")
def _copy(a: ArrayLike, dtype: Any = None) -> Array:
    return cast("array", a + jnp.zeros((), a.dtype) if a.dtype != bool else jnp.logical_or(a, False), dtype)


def asarray(a: Any, dtype: Any = None) -> Any:
    """Return a Tensor of numbers, lists or Tensors; a Tensor as it is.

    Args:
        a (Tensor, number, list, tuple): what it holds. Python's floats become float32, ints int32.
        dtype (mindspore.dtype, str, type, None): Default: None, what follows from `a`.

    Returns:
        Tensor.

    Raises:
        TypeError: if `a` or `dtype` is none of these.
        ValueError: if lists are ragged.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.asarray([1, 2, 3]))
        [1 2 3]
    """
    wanted = element_dtype("asarray", dtype)
    result = as_tensor("asarray", "a", a)
    return (
        result if wanted is None or dtypes.as_np(result.dtype) == wanted else result.astype(dtypes.of(wanted))
    )


def asfarray(a: Any, dtype: Any = dtypes.float32) -> Tensor:
    """Return a Tensor of a floating dtype.

    Args:
        a (Tensor, number, list, tuple): what it holds.
        dtype (mindspore.dtype, str, type, None): Default: float32, which also stands for integers.

    Returns:
        Tensor.

    Raises:
        TypeError: if `a` or `dtype` is none of these.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.asfarray([1, 2, 3]))
        [1. 2. 3.]
    """
    wanted = element_dtype("asfarray", dtype)
    result = as_tensor("asfarray", "a", a)
    if wanted is None:
        return result if result.dtype.is_floating_point else result.astype(dtypes.float32)
    return asarray(result, dtypes.of(wanted) if jnp.issubdtype(wanted, jnp.floating) else dtypes.float32)


@define_function
def copy(a: ArrayLike) -> Array:
    """Return a new Tensor with the same elements.

    Args:
        a (Tensor, number, list, tuple): of any shape.

    Returns:
        Tensor.

    Raises:
        TypeError: if `a` is not an array.

    Examples:
        >>> import msjax as ms
        >>> x = ms.numpy.ones(2)
        >>> y = ms.numpy.copy(x)
        >>> y[0] = 5
        >>> print(x, y)
        [1. 1.] [5. 1.]
    """
    return _copy.pure(a)


@op(static="shape dtype")
def _constant(value: ArrayLike, shape: Any, dtype: Any) -> Array:
    return jnp.broadcast_to(cast("full", value, dtype), shape)


def zeros(shape: Any, dtype: Any = dtypes.float32) -> Tensor:
    """Zeros.

    Args:
        shape (int, tuple, list, Tensor): the shape.
        dtype (mindspore.dtype, str, type): Default: float32.

    Returns:
        Tensor.

    Raises:
        TypeError: if `shape` or `dtype` is none.
        ValueError: if a size is negative.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.zeros((2, 2)))
        [[0. 0.]
         [0. 0.]]
    """
    return _constant(0.0, parse_shape("zeros", shape), dtype or dtypes.float32)


@documented_by(zeros)
def ones(shape: Any, dtype: Any = dtypes.float32) -> Tensor:
    """Ones.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.ones((2, 2)))
        [[1. 1.]
         [1. 1.]]
    """
    return _constant(1.0, parse_shape("ones", shape), dtype or dtypes.float32)


@documented_by(zeros)
def empty(shape: Any, dtype: Any = dtypes.float32) -> Tensor:
    """Return an array to be filled. It holds zeros.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.empty((2, 3)).shape
        (2, 3)
    """
    return _constant(0.0, parse_shape("empty", shape), dtype or dtypes.float32)


@documented_by(zeros)
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """One value everywhere.

    Args:
        fill_value (number, Tensor, list, tuple): the value, or an array that broadcasts to the shape.
        dtype (mindspore.dtype, str, type, None): Default: None, that of the value.

    Raises:
        TypeError: if an argument is none of these.
        ValueError: if a size is negative, or the value does not broadcast to the shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.full((2, 2), 7))
        [[7 7]
         [7 7]]
    """
    element_dtype("full", dtype)
    return _constant(as_tensor("full", "fill_value", fill_value), parse_shape("full", shape), dtype)


def _fill_like(fn: str, prototype: Any, value: Any, dtype: Any, shape: Any) -> Tensor:
    model = as_tensor(fn, "a", prototype)
    wanted = element_dtype(fn, dtype)
    kind = model.dtype if wanted is None else dtypes.of(wanted)
    return full(tuple(model.shape) if shape is None else shape, value, kind)


def zeros_like(a: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """Zeros of another array's shape and dtype.

    Args:
        a (Tensor, number, list, tuple): the other array.
        dtype (mindspore.dtype, str, type, None): Default: None, that of `a`.
        shape (int, tuple, list, None): Default: None, that of `a`.

    Returns:
        Tensor.

    Raises:
        TypeError: if an argument is none of these.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.zeros_like([1, 2]))
        [0 0]
    """
    return _fill_like("zeros_like", a, 0, dtype, shape)


@documented_by(zeros_like)
def ones_like(a: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """Ones of another array's shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.ones_like([1.5, 2.0]))
        [1. 1.]
    """
    return _fill_like("ones_like", a, 1, dtype, shape)


@documented_by(zeros_like)
def empty_like(prototype: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """Return an array of another's shape and dtype, to be filled. It holds zeros.

    Args:
        prototype (Tensor, number, list, tuple): the other array.
        dtype (mindspore.dtype, str, type, None): Default: None, that of `prototype`.
        shape (int, tuple, list, None): Default: None, that of `prototype`.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.empty_like([[1, 2]]).shape
        (1, 2)
    """
    return _fill_like("empty_like", prototype, 0, dtype, shape)


@documented_by(zeros_like)
def full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """One value, in another array's shape and dtype.

    Args:
        fill_value (number, Tensor, list, tuple): the value; a list keeps its own dtype, as in MindSpore.

    Raises:
        TypeError: if an argument is none of these.
        ValueError: if the value does not broadcast to the shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.full_like([1, 2], 7))
        [7 7]
    """
    if dtype is None and isinstance(fill_value, list | tuple):
        dtype = as_tensor("full_like", "fill_value", fill_value).dtype
    return _fill_like("full_like", a, fill_value, dtype, shape)


@op(static="shape dtype", random=True)
def _uniform(key: Array, shape: Any, dtype: Any) -> Array:
    return jax.random.uniform(key, shape, dtype)


@op(static="shape dtype", random=True)
def _normal(key: Array, shape: Any, dtype: Any) -> Array:
    return jax.random.normal(key, shape, dtype)


@op(static="low high shape dtype", random=True)
def _draw_integers(key: Array, low: int, high: int, shape: Any, dtype: Any) -> Array:
    wide = np.int64 if np.dtype(dtype).itemsize == 8 else np.int32
    return jax.random.randint(key, shape, low, high, wide).astype(dtype)


def _random_shape(fn: str, shape: tuple) -> tuple[int, ...]:
    given = shape[0] if len(shape) == 1 else shape
    return parse_shape(fn, given) if shape else (1,)


def _random_dtype(fn: str, dtype: Any, allowed: str) -> np.dtype:
    wanted = element_dtype(fn, dtype)
    if wanted is None or wanted.name not in allowed.split():
        checks.fail(ValueError, fn, "dtype", f"be one of {', '.join(allowed.split())}", repr(dtype))
    return wanted


def rand(*shape: Any, dtype: Any = dtypes.float32) -> Tensor:
    """Random numbers, uniform in [0, 1).

    Args:
        shape (int, tuple, list): the sizes, or one sequence of them. Default: (1,).
        dtype (mindspore.dtype): float16, float32 or float64.

    Returns:
        Tensor.

    Raises:
        TypeError: if the shape is none.
        ValueError: if a size is negative, or the dtype is none of these.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.rand(2, 3).shape
        (2, 3)
    """
    kind = _random_dtype("rand", dtype, "float16 float32 float64")
    return _uniform(_random_shape("rand", shape), dtypes.of(kind).np)


@documented_by(rand)
def randn(*shape: Any, dtype: Any = dtypes.float32) -> Tensor:
    """Random numbers of the standard normal distribution.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.randn(2, 3).shape
        (2, 3)
    """
    kind = _random_dtype("randn", dtype, "float16 float32 float64")
    return _normal(_random_shape("randn", shape), dtypes.of(kind).np)


def randint(minval: int, maxval: int | None = None, shape: Any = None, dtype: Any = dtypes.int32) -> Tensor:
    """Random whole numbers, uniform in [minval, maxval), or in [0, minval) if that is the only one.

    Args:
        minval (int): the least number, or the end.
        maxval (int, None): the end, which is not drawn.
        shape (int, tuple, list, None): Default: None, (1,).
        dtype (mindspore.dtype): int8, int16, int32, int64, uint8, uint16, uint32 or uint64.

    Returns:
        Tensor.

    Raises:
        TypeError: if `minval` or `maxval` is not an int.
        ValueError: if the interval is empty, or the dtype is none of these.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.randint(1, 10, (2, 3)).shape
        (2, 3)
    """
    checks.check_ints("randint", minval=minval, **({} if maxval is None else {"maxval": maxval}))
    low, high = (0, minval) if maxval is None else (minval, maxval)
    if low >= high:
        checks.fail(ValueError, "randint", "minval", "leave a number to draw", f"{minval}, maxval={maxval}")
    kind = _random_dtype("randint", dtype, "int8 int16 int32 int64 uint8 uint16 uint32 uint64")
    sizes = (1,) if shape is None else parse_shape("randint", shape)
    return _draw_integers(low, high, sizes, dtypes.of(kind).np)
