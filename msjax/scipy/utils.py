"""Names of `mindspore.scipy.utils` that tests and networks import."""

from typing import Any

from msjax.core.tensor.tensor import Tensor
from msjax.numpy.array_function import as_tensor
from msjax.ops.common import checks


def _nd_transpose(a: Tensor) -> Tensor:
    """Matrices transposed, of shape (..., m, n)."""
    if a.ndim < 2:
        checks.fail(
            ValueError, "_nd_transpose", "a", "have at least 2 dimensions", f"Tensor of shape {a.shape}"
        )
    return a.swapaxes(-1, -2)


def _to_tensor(*args: Any, dtype: Any = None) -> Any:
    """Tensors of numbers and lists, of int32, float32 or bool unless `dtype` is given; one of one. Tensors stay."""
    made = []
    for arg in args:
        if not isinstance(arg, Tensor | int | float | list | tuple):
            checks.fail(
                ValueError, "_to_tensor", "args", "be Tensors, numbers or lists", f"{type(arg).__name__}"
            )
        x = as_tensor("_to_tensor", "args", arg)
        made.append(x if dtype is None or isinstance(arg, Tensor) else x.astype(dtype))
    return made[0] if len(made) == 1 else tuple(made)


def _to_scalar(arr: Any) -> Any:
    """Return the number of a Tensor without dimensions; numbers and other Tensors stay."""
    if not isinstance(arr, Tensor | int | float):
        checks.fail(
            ValueError, "_to_scalar", "arr", "be a Tensor or a number", f"{arr!r} ({type(arr).__name__})"
        )
    return arr.asnumpy().item() if isinstance(arr, Tensor) and not arr.ndim else arr
