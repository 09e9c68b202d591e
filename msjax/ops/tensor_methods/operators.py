"""Python operators of Tensor that do more than call one function of `ops`."""

from collections.abc import Callable
from typing import Any

import numpy as np
from jax import Array

from msjax.core.op.op import op
from msjax.core.state import state
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor, replace, store
from msjax.core.trace.frame import leave_arguments
from msjax.ops.array import indexing, shapes
from msjax.ops.common import checks
from msjax.ops.common.promotion import as_array, widen_for_large_ints
from msjax.ops.linalg import products
from msjax.ops.math import arithmetic, comparison, complex_numbers, rounding
from msjax.ops.sparse.tensors import COOTensor
from msjax.ops.state.scatter_update import change


@op
def stacked(items: Any) -> Array:
    """Return a list of numbers, of Tensors, or of such lists, as one array."""
    return as_array("operator", "other", items)


def _beside_lists(function: Callable, eager: bool) -> Callable:
    """Return a function of two operands as an operator: a list becomes a Tensor of the other operand's dtype.

    Args:
        function: that refuses lists.
        eager: whether eager code has lists too, as compiled functions do.
    """
    dispatch = function.fast_path.namespace["_dispatch"]  # type: ignore[attr-defined]

    def convert(arrays: tuple, statics: tuple) -> Any:
        if type(arrays[1]) is COOTensor:
            return _beside_coo(function.__name__, *arrays)
        if eager or state.frame is not None:
            dtypes = [a.dtype for a in arrays if isinstance(a, Tensor)]
            arrays = tuple(stacked(a).astype(dtypes[0]) if type(a) in (list, tuple) else a for a in arrays)
        return dispatch(arrays, statics)

    return function.fast_path.twin(convert)  # type: ignore[attr-defined]


def _beside_coo(name: str, dense: Tensor, sparse: COOTensor) -> Any:
    """A sum or difference is dense; a product has the coordinates of the sparse one."""
    if name == "add":
        return sparse + dense
    if name == "sub":
        return -sparse + dense
    if name == "mul":
        return sparse * dense
    return checks.fail(TypeError, name, "other", "be a Tensor or a number", "a COOTensor")


plus = _beside_lists(arithmetic.add, eager=True)
minus = _beside_lists(arithmetic.sub, eager=True)
times = _beside_lists(arithmetic.mul, eager=False)
over = widen_for_large_ints("float32")(_beside_lists(arithmetic.div.__wrapped__, eager=False))
floor_over = _beside_lists(arithmetic.floor_divide, eager=True)
modulo = _beside_lists(arithmetic.floor_mod, eager=False)


def _beside_arrays(function: Callable) -> Callable:
    """Return a comparison as an operator; NumPy's arrays become Tensors (`array < x` reaches it as `x > array`)."""
    dispatch = function.fast_path.namespace["_dispatch"]  # type: ignore[attr-defined]

    def convert(arrays: tuple, statics: tuple) -> Any:
        return dispatch(tuple(map(_box_array, arrays)), statics)

    return function.fast_path.twin(convert)  # type: ignore[attr-defined]


below = widen_for_large_ints("int64")(_beside_arrays(comparison.lt.__wrapped__))
at_most = _beside_arrays(comparison.le)
above = _beside_arrays(comparison.gt)
at_least = _beside_arrays(comparison.ge)


def power_of_list(self: Any, other: Any) -> Any:
    """`x ** y`, where x may be a list."""
    if type(self) in (list, tuple):
        self = stacked(self).astype(other.dtype)
    return arithmetic.pow(self, other)


def equals(self: Any, other: Any) -> Any:
    """`==`: elementwise next to tensors and numbers, False next to anything else."""
    return comparison.eq(self, _box_array(other)) if _comparable(other) else False


def differs(self: Any, other: Any) -> Any:
    """`!=`: elementwise next to tensors and numbers, True next to anything else."""
    return comparison.ne(self, _box_array(other)) if _comparable(other) else True


def _box_array(other: Any) -> Any:
    return Tensor(other) if type(other) is np.ndarray else other


def _comparable(other: Any) -> bool:
    return isinstance(other, Tensor | bool | int | float | complex | np.ndarray | np.generic) or hasattr(
        other, "aval"
    )


def set_item(self: Any, key: Any, value: Any) -> Any:
    """`x[key] = value`; called by its name it returns the tensor."""
    write = replace if isinstance(self, Parameter) else store
    if state.graph and type(self) is Tensor:
        leave_arguments(self)
    change("setitem", self, indexing.setitem(self, key, value), write)
    return self


def itself(self: Any) -> Any:
    """`+x`: the tensor."""
    return self


def rounded(self: Any, ndigits: int | None = None) -> Any:
    """`round(x, ndigits)`."""
    return rounding.round(self, decimals=ndigits or 0)


def matrix_transposed(self: Any) -> Any:
    """Return the last two axes exchanged."""
    return shapes.swapaxes(self, -2, -1)


def adjoint(self: Any) -> Any:
    """Return the last two axes exchanged, and conjugated."""
    return complex_numbers.conj(shapes.swapaxes(self, -2, -1))


def hermitian(self: Any) -> Any:
    """Return the matrix transposed, and conjugated.

    Raises:
        ValueError: if it does not have two dimensions.
    """
    if self.ndim != 2:
        checks.fail(ValueError, "H", "self", "have two dimensions", f"Tensor of shape {self.shape}")
    return adjoint(self)


def matrix_product(self: Any, other: Any) -> Any:
    """`x @ y` of two tensors."""
    for name, x in (("self", self), ("other", other)):
        if isinstance(x, bool | int | float | complex | str):
            checks.fail(TypeError, "matmul", name, "be a Tensor", f"{x!r} ({type(x).__name__})")
    return products.matmul(self, other)
