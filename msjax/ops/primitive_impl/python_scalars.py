"""Operators on Python numbers, tuples, strings, dicts and dtypes that MindSpore's graphs have."""

import math
import operator
from collections.abc import Callable
from typing import Any

from jax.core import Tracer

from msjax.core.tensor.tensor import Tensor
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.math.casts import cast
from msjax.ops.sparse.tensors import COOTensor, CSRTensor

_BINARY = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "floordiv": operator.floordiv,
    "mod": operator.mod, "pow": operator.pow, "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
    "gt": operator.gt, "ge": operator.ge, "max": max, "min": min,
}  # fmt: skip


def _of_two(name: str) -> Callable:
    compute = _BINARY[name]

    def scalar(x: Any, y: Any) -> Any:
        _number(f"scalar_{name}", x=x, y=y)
        return compute(x, y)

    scalar.__name__ = scalar.__qualname__ = f"scalar_{name}"
    scalar.__doc__ = f"""`{compute.__name__}` of two Python numbers, or of Tensors.

    Args:
        x (number, Tensor): first operand.
        y (number, Tensor): second operand.

    Returns:
        A number, or what Python's operator gives for Tensors.

    Raises:
        TypeError: if one is neither.
    """
    return scalar


def _number(op_name: str, **values: Any) -> None:
    for name, value in values.items():
        if not isinstance(value, bool | int | float | Tensor):
            checks.fail(
                TypeError, op_name, name, "be a number or a Tensor", f"{value!r} ({type(value).__name__})"
            )


scalar_add, scalar_sub, scalar_mul = _of_two("add"), _of_two("sub"), _of_two("mul")
scalar_div, scalar_floordiv, scalar_mod = _of_two("div"), _of_two("floordiv"), _of_two("mod")
scalar_pow, scalar_eq, scalar_ne = _of_two("pow"), _of_two("eq"), _of_two("ne")
scalar_lt, scalar_le, scalar_gt, scalar_ge = _of_two("lt"), _of_two("le"), _of_two("gt"), _of_two("ge")
scalar_max, scalar_min = _of_two("max"), _of_two("min")


def scalar_log(x: float) -> float:
    """Return the natural logarithm of a number, as a Python number.

    Args:
        x (number, Tensor): positive; a Tensor of one element.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.scalar_log(1.0)
        0.0
    """
    _number("scalar_log", x=x)
    return math.log(x)


def scalar_uadd(x: Any) -> Any:
    """Return the number itself.

    Args:
        x (number, Tensor): the number.
    """
    _number("scalar_uadd", x=x)
    return x


@documented_by(scalar_uadd)
def scalar_usub(x: Any) -> Any:
    """Return the number with the other sign."""
    _number("scalar_usub", x=x)
    return -x


def bool_not(x: bool) -> bool:
    """not x.

    Args:
        x (bool): a truth value.
    """
    return not x


def bool_and(x: bool, y: bool) -> bool:
    """Return True if both are true.

    Args:
        x (bool): a truth value.
        y (bool): a truth value.
    """
    return x and y


@documented_by(bool_and)
def bool_or(x: bool, y: bool) -> bool:
    """Return True if one is true."""
    return x or y


@documented_by(bool_and)
def bool_eq(x: bool, y: bool) -> bool:
    """Return True if both are equal."""
    return x == y


def string_eq(x: str, y: str) -> bool:
    """Return True if two strings are equal.

    Args:
        x (str): a text.
        y (str): a text.
    """
    return x == y


@documented_by(string_eq)
def string_concat(x: str, y: str) -> str:
    """Two texts, one after the other."""
    return x + y


def shape_mul(input_data: tuple) -> int:
    """Return the number of elements of a shape.

    Args:
        input_data (tuple[int]): sizes.

    Returns:
        int.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.shape_mul((2, 3))
        6
    """
    return math.prod(input_data)


def shape(input_x: Tensor) -> tuple[int, ...]:
    """Return the shape, as a tuple of ints.

    Args:
        input_x (Tensor, COOTensor, CSRTensor): any.

    Raises:
        TypeError: if it is not a Tensor.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.shape(ms.Tensor([[1, 2, 3]]))
        (1, 3)
    """
    if not isinstance(input_x, Tensor | COOTensor | CSRTensor):
        checks.fail(TypeError, "shape", "input_x", "be a Tensor", f"{input_x!r} ({type(input_x).__name__})")
    return input_x.shape


def dtype(x: Tensor) -> Any:
    """MindSpore's dtype of a Tensor.

    Args:
        x (Tensor, COOTensor, CSRTensor): any.

    Returns:
        mindspore.dtype.

    Raises:
        TypeError: if it is not a Tensor.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.dtype(ms.Tensor([1.0])))
        Float32
    """
    if not isinstance(x, Tensor | COOTensor | CSRTensor):
        checks.fail(TypeError, "dtype", "x", "be a Tensor", f"{x!r} ({type(x).__name__})")
    return x.dtype


def isconstant(x: Any) -> bool:
    """Return True if a value is known: all are, but for Tensors inside a compiled function.

    Args:
        x: anything.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.isconstant(2)
        True
    """
    return not (isinstance(x, Tensor) and isinstance(x.array, Tracer))


def scalar_to_array(input_x: Any) -> Tensor:
    """Return a Python number as a Tensor without dimensions: float32 or int64 (bool stays).

    Args:
        input_x (number): the number.

    Returns:
        Tensor.

    Raises:
        TypeError: if it is not a number.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.scalar_to_array(2.5))
        2.5
    """
    if isinstance(input_x, Tensor):
        checks.fail(TypeError, "scalar_to_array", "input_x", "be a number", repr(input_x))
    _number("scalar_to_array", input_x=input_x)
    return Tensor(input_x)


def mixed_precision_cast(dst_dtype: Any, x: Any) -> Any:
    """Floating Tensors in another dtype; of tuples, lists and dicts each.

    Args:
        dst_dtype (mindspore.dtype): floating.
        x: Tensor, or a tuple, list or dict of such; anything else stays.

    Returns:
        The same structure.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.mixed_precision_cast(ms.float16, (ms.Tensor(1.0), 2))[0].dtype
        mindspore.float16
    """
    if isinstance(x, Tensor):
        return cast(x, dst_dtype) if x.dtype.is_floating_point else x
    if isinstance(x, tuple | list):
        return type(x)(mixed_precision_cast(dst_dtype, one) for one in x)
    if isinstance(x, dict):
        return {key: mixed_precision_cast(dst_dtype, one) for key, one in x.items()}
    return x


# ---------------------------------------------------------------------- Python's own operators, by MindSpore's names


def is_(x: Any, y: Any) -> bool:
    """x is y.

    Args:
        x: anything.
        y: anything.
    """
    return x is y


@documented_by(is_)
def is_not(x: Any, y: Any) -> bool:
    """x is not y."""
    return x is not y


def in_dict(x: Any, y: dict) -> bool:
    """Return True if a dict has the key.

    Args:
        x: the key.
        y (dict): the dict.
    """
    return x in y


@documented_by(in_dict)
def not_in_dict(x: Any, y: dict) -> bool:
    """Return True if a dict does not have the key."""
    return x not in y


def getitem_of(x: Any, y: Any) -> Any:
    """x[y] of a tuple, list or dict.

    Args:
        x: tuple, list or dict.
        y: position or key.
    """
    return x[y]


def tuple_setitem(x: tuple, y: int, z: Any) -> tuple:
    """Return the tuple with one element replaced.

    Args:
        x (tuple): the tuple.
        y (int): position.
        z: the new element.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.tuple_setitem((1, 2), 0, 5)
        (5, 2)
    """
    made = list(x)
    made[y] = z
    return tuple(made)


def list_setitem(x: list, y: int, z: Any) -> list:
    """Return the list with one element replaced; the list itself stays.

    Args:
        x (list): the list.
        y (int): position.
        z: the new element.
    """
    return list(tuple_setitem(tuple(x), y, z))


def dict_setitem(x: dict, y: Any, z: Any) -> dict:
    """Return the dict with one value replaced or added; the dict itself stays.

    Args:
        x (dict): the dict.
        y: key.
        z: the value.
    """
    return {**x, y: z}


def length_of(x: Any) -> int:
    """Number of elements of a tuple or list.

    Args:
        x: tuple or list.
    """
    return len(x)


def same_elements(x: Any, y: Any) -> bool:
    """x == y of tuples or lists.

    Args:
        x: tuple or list.
        y: tuple or list.
    """
    return x == y


@documented_by(tuple_setitem)
def tuple_reversed(x: tuple) -> tuple:
    """Return the elements in reverse order."""
    return x[::-1]


def make_tuple(*args: Any) -> tuple:
    """Return a tuple of the arguments.

    Args:
        args: its elements.
    """
    return args


@documented_by(make_tuple)
def make_list(*args: Any) -> list:
    """Return a list of the arguments."""
    return list(args)


def make_dict(keys: Any, values: Any) -> dict:
    """Return a dict of keys and values.

    Args:
        keys: tuple or list of keys.
        values: as many values.
    """
    return dict(zip(keys, values, strict=True))


def make_slice(start: Any, stop: Any, step: Any) -> slice:
    """slice(start, stop, step).

    Args:
        start (int, None): first position.
        stop (int, None): where to stop.
        step (int, None): step.
    """
    return slice(start, stop, step)


def make_range(*args: int) -> tuple[int, ...]:
    """Return the numbers of a range, as a tuple.

    Args:
        args (int): as `range` takes them.
    """
    return tuple(range(*args))


@documented_by(isconstant)
def type_of(x: Any) -> Any:
    """MindSpore's dtype of a Tensor, Python's type of anything else."""
    return x.dtype if isinstance(x, Tensor) else type(x)
