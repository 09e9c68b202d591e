"""Parameters of distributions and bijectors: dtypes, conversion to Tensors, checks.

Checks read values once, when the object is made; what is given at a call is checked for its type alone, as in
MindSpore, because under `ms.jit` nothing more is known of it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from jax.core import Tracer

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor

_INTS = (*dtypes.int_type, *dtypes.uint_type)
_GIVEN = (Tensor, np.ndarray, np.generic, list, int, float)


def type_of_parameters(given: Mapping[str, Any], hint: DType | None) -> DType:
    """Return the one dtype of all parameters.

    Args:
        given: parameters by name, None where there is none.
        hint: dtype for values without one: numbers and lists.

    Returns:
        The dtype that arrays among them share, with float32 for integers and float64; else `hint` or float32.

    Raises:
        TypeError: if two arrays differ in dtype.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.given import type_of_parameters
        >>> type_of_parameters({"mean": ms.Tensor([1.0], ms.float16), "sd": 2.0}, ms.float32)
        mindspore.float16
    """
    found: DType | None = None
    for name, value in given.items():
        if not hasattr(value, "dtype"):
            continue
        kind = value.dtype if isinstance(value.dtype, DType) else dtypes.of(value.dtype)
        if found is not None and kind != found:
            raise TypeError(
                f"`{name}` must have the dtype of the parameters before it, {found}. Received: {kind}."
            )
        found = kind
    if found is None:
        return dtypes.float32 if hint is None or hint in _INTS else hint
    return dtypes.float32 if found in _INTS or found == dtypes.float64 else found


def as_tensor(value: Any, dtype: DType = dtypes.float32) -> Tensor:
    """Return a Tensor of a parameter; a Parameter remains itself.

    Args:
        value: Tensor, array, list or number.
        dtype: of the Tensor.

    Raises:
        ValueError: if `value` is None.
        TypeError: if it is a bool, or nothing that a Tensor is made of.

    Examples:
        >>> from msjax.nn.probability.given import as_tensor
        >>> print(as_tensor([1, 2]))
        [1. 2.]
    """
    if value is None:
        raise ValueError("A parameter of a distribution must not be None where a Tensor is made of it.")
    if isinstance(value, Parameter):
        return value
    if isinstance(value, bool) or not isinstance(value, _GIVEN):
        raise TypeError(
            f"A parameter must be a Tensor, an array, a list or a number. Received: {value!r} ({type(value).__name__})."
        )
    return Tensor(value, dtype=dtype)


def batch_shape(given: Mapping[str, Any]) -> tuple[int, ...] | None:
    """Return the shape that all parameters broadcast to, or None if one of them is None."""
    if any(value is None for value in given.values()):
        return None
    tensors = {name: as_tensor(value) for name, value in given.items()}
    return broadcast_shape(*(t.shape for t in tensors.values()), names=tuple(tensors))


def broadcast_shape(*shapes: tuple[int, ...], names: tuple[str, ...]) -> tuple[int, ...]:
    """Return the common shape, or a ValueError that names the parameters."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        found = ", ".join(f"{name}: {shape}" for name, shape in zip(names, shapes, strict=False))
        raise ValueError(f"The shapes of parameters must broadcast. Received: {found}.") from None


def is_scalar_only(given: Mapping[str, Any]) -> bool:
    """Return True if every parameter is a number or None."""
    return all(value is None or isinstance(value, int | float) for value in given.values())


def check_tensor(value: Any, name: str) -> Any:
    """A Tensor, or None.

    Raises:
        TypeError: if it is anything else.
    """
    if value is None or isinstance(value, Tensor):
        return value
    raise TypeError(f"`{name}` must be a Tensor or Parameter. Received: {value!r} ({type(value).__name__}).")


def check_tuple(value: Any, name: str) -> tuple:
    """A tuple.

    Raises:
        TypeError: if it is anything else.
    """
    if isinstance(value, tuple):
        return value
    raise TypeError(f"`{name}` must be a tuple. Received: {value!r} ({type(value).__name__}).")


def raise_not_given(name: str) -> NoReturn:
    """Raise TypeError for a parameter given neither to the constructor nor at the call."""
    raise TypeError(
        f"`{name}` must be a Tensor at the call, because it was not given when the distribution was made. "
        f"Received: None."
    )


def bind_arguments(
    where: str, needed: Sequence[str], optional: Sequence[str], args: tuple, kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Arguments by name, as Python binds them."""
    names = (*needed, *optional)
    if len(args) > len(names):
        raise TypeError(
            f"{where}() takes {len(names)} arguments ({', '.join(names)}), but {len(args)} were given."
        )
    found = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names or name in found:
            problem = "more than one value for" if name in found else "an unexpected"
            raise TypeError(f"{where}() got {problem} argument `{name}`. Its arguments: {', '.join(names)}.")
        found[name] = value
    missing = [name for name in needed if name not in found]
    if missing:
        raise TypeError(f"{where}() misses the arguments {', '.join(missing)}.")
    return found


# ---------------------------------------------------------------------- checks of values, once


def _values(value: Any, name: str) -> np.ndarray | None:
    """Return the numbers of a parameter; None where they are not known: inside a trace."""
    if value is None:
        raise ValueError(f"`{name}` must not be None where its values are checked.")
    array = value.array if isinstance(value, Tensor) else value
    return None if isinstance(array, Tracer) else np.asarray(array).astype(np.float64)


def _require(held: Any, name: str, rule: str, values: np.ndarray) -> None:
    if not np.all(held):
        raise ValueError(f"{name} must be {rule}. Received: {values.tolist()}.")


def positive(value: Any, name: str) -> None:
    """Raise ValueError unless all values are greater than zero."""
    values = _values(value, name)
    if values is not None:
        _require(values > 0, name, "greater than zero", values)


def not_negative(value: Any, name: str) -> None:
    """Raise ValueError if a value is less than zero."""
    values = _values(value, name)
    if values is not None:
        _require(~(values < 0), name, "greater than or equal to zero", values)


def less(low: Any, high: Any, name_low: str, name_high: str) -> None:
    """Raise ValueError unless `low` is less than `high` everywhere; Parameters are not compared, they may change."""
    if isinstance(low, Parameter) or isinstance(high, Parameter):
        return
    a, b = _values(low, name_low), _values(high, name_high)
    if a is not None and b is not None:
        _require(a < b, name_low, f"less than {name_high}={b.tolist()}", a)


def probability(value: Any, name: str = "Probabilities") -> None:
    """Raise ValueError unless all values lie strictly between zero and one."""
    values = _values(value, name)
    if values is not None:
        _require(values > 0, name, "greater than zero", values)
        _require(values < 1, name, "less than one", values)


def sums_to_one(value: Any, name: str = "Probabilities of a category") -> None:
    """Raise ValueError unless the values in each row sum to one, up to rounding in their dtype."""
    values = _values(value, name)
    if values is None:
        return
    dtype = np.asarray(value.array if isinstance(value, Tensor) else value).dtype
    eps = float(np.finfo(dtype).eps) if dtype.kind == "f" else float(np.finfo(np.float32).eps)
    sums = values.sum(-1)
    _require(np.isclose(sums, 1, rtol=10 * eps, atol=eps), f"The sum of {name}", "one", sums)


def check_rank(value: Any, name: str = "probs") -> None:
    """Raise ValueError for a scalar."""
    if value is None or value.ndim == 0:
        raise ValueError(f"`{name}` must have at least one dimension. Received: {value}.")


class CheckTensor:
    """`check_tensor` as an object, as MindSpore's distributions hold it."""

    def __call__(self, x: Any, name: str) -> Any:
        """Return the Tensor, or TypeError."""
        return check_tensor(x, name)


class CheckTuple:
    """`check_tuple` as an object, as MindSpore's distributions hold it."""

    def __call__(self, x: Any, name: str) -> tuple:
        """Return the tuple, or TypeError."""
        return check_tuple(x, name)
