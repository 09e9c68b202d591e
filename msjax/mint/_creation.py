"""Tensor creation, where mint's function is not the operator of that name."""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.tensor.construction import check_destination
from msjax.core.tensor.tensor import Tensor
from msjax.ops.array import creation
from msjax.ops.common import checks
from msjax.ops.math.casts import astype

_DTYPES = {bool: dtypes.bool_, int: dtypes.int64, float: dtypes.float32, complex: dtypes.complex64}


def _check_placement(name: str, device: Any, pin_memory: Any) -> None:
    check_destination(name, device)
    if pin_memory and str(device).lower() != "cpu":
        checks.fail(
            RuntimeError,
            name,
            "pin_memory",
            'be False, or device be "cpu"',
            f"{pin_memory}, device={device!r}",
        )


def empty(*size: Any, dtype: Any = None, device: Any = None, pin_memory: bool = False) -> Tensor:
    """Return a new tensor with undefined content; here it is 0.

    Args:
        size (int, tuple[int], list[int]): sizes.
        dtype (mindspore.dtype, None): Default: float32.
        device (str, None): accepted, without effect.
        pin_memory (bool): accepted for the CPU, without effect.

    Returns:
        Tensor of that shape.

    Raises:
        TypeError: if the sizes are not ints.
        RuntimeError: for pinned memory elsewhere.

    Examples:
        >>> import msjax as ms
        >>> ms.mint.empty(2, 3).shape
        (2, 3)
    """
    _check_placement("empty", device, pin_memory)
    whole = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
    return creation.zeros(whole, dtype)


def empty_like(input: Any, *, dtype: Any = None, device: Any = None, pin_memory: bool = False) -> Tensor:
    """Return a new tensor of the shape and dtype of another, with undefined content; here it is 0.

    Args:
        input (Tensor): gives shape and dtype.
        dtype (mindspore.dtype, None): another dtype.
        device (str, None): accepted, without effect.
        pin_memory (bool): accepted for the CPU, without effect.

    Returns:
        Tensor of `input`'s shape.

    Raises:
        RuntimeError: for pinned memory elsewhere.

    Examples:
        >>> import msjax as ms
        >>> ms.mint.empty_like(ms.Tensor([1, 2])).shape
        (2,)
    """
    _check_placement("empty_like", device, pin_memory)
    return creation.zeros_like(input, dtype=dtype)


def full(size: Any, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """One number everywhere.

    Args:
        size (tuple[int], list[int]): the shape.
        fill_value (number, Tensor): the number.
        dtype (mindspore.dtype, None): Default: that of the number: bool, int64, float32, complex64, or the Tensor's.

    Returns:
        Tensor of that shape.

    Raises:
        TypeError: if the shape is not a sequence of ints.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.full((2,), 1.5), ms.mint.full((2,), 7))
        [1.5 1.5] [7 7]
    """
    if dtype is None:
        dtype = fill_value.dtype if isinstance(fill_value, Tensor) else _DTYPES.get(type(fill_value))
    return creation.full(size, fill_value, dtype=dtype)


def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None) -> Tensor:
    """Return `steps` evenly spaced numbers from `start` to `end`, both included.

    Args:
        start (number, Tensor): first number.
        end (number, Tensor): last number.
        steps (int): how many.
        dtype (mindspore.dtype, None): Default: float32.

    Returns:
        Tensor of shape (steps,).

    Raises:
        ValueError: if `steps` is less than 1.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.linspace(0, 1, 3))
        [0.  0.5 1. ]
    """
    made = creation.linspace(start, end, steps)
    return made if dtype is None else astype(made, dtype)
