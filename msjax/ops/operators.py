"""What Python's operators on Tensors do beside calling one function of `ops`."""

from typing import Any

import numpy as np

from msjax.core.parameter import Parameter
from msjax.core.tensor import Tensor, replace, store
from msjax.ops import comparison, complexes, expect, index, linalg, rounding, shapes
from msjax.ops.updating import change


def equals(self: Any, other: Any) -> Any:
    """`==`: elementwise next to tensors and numbers, False next to anything else."""
    return comparison.eq(self, other) if _comparable(other) else False


def differs(self: Any, other: Any) -> Any:
    """`!=`: elementwise next to tensors and numbers, True next to anything else."""
    return comparison.ne(self, other) if _comparable(other) else True


def _comparable(other: Any) -> bool:
    return isinstance(other, Tensor | bool | int | float | complex | np.ndarray | np.generic) or hasattr(
        other, "aval"
    )


def set_item(self: Any, key: Any, value: Any) -> Any:
    """`x[key] = value`; called by its name it returns the tensor."""
    write = replace if isinstance(self, Parameter) else store
    change("setitem", self, index.setitem(self, key, value), write)
    return self


def itself(self: Any) -> Any:
    """`+x`: the tensor."""
    return self


def rounded(self: Any, ndigits: int | None = None) -> Any:
    """`round(x, ndigits)`."""
    return rounding.round(self, decimals=ndigits or 0)


def matrix_transposed(self: Any) -> Any:
    """The last two axes exchanged."""
    return shapes.swapaxes(self, -2, -1)


def adjoint(self: Any) -> Any:
    """The last two axes exchanged, and conjugated."""
    return complexes.conj(shapes.swapaxes(self, -2, -1))


def hermitian(self: Any) -> Any:
    """The matrix transposed, and conjugated.

    Raises:
        ValueError: if it has not two dimensions.
    """
    if self.ndim != 2:
        expect.fail(ValueError, "H", "self", "have two dimensions", f"Tensor of shape {self.shape}")
    return adjoint(self)


def matrix_product(self: Any, other: Any) -> Any:
    """`x @ y` of two tensors."""
    for name, x in (("self", self), ("other", other)):
        if isinstance(x, bool | int | float | complex | str):
            expect.fail(TypeError, "matmul", name, "be a Tensor", f"{x!r} ({type(x).__name__})")
    return linalg.matmul(self, other)
