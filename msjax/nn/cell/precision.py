"""Mixed precision: while a Cell with `to_float` runs, the inputs of all operators are cast."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from msjax.core import ordered_trees
from msjax.core.dtype import DType
from msjax.core.op.op import Record
from msjax.core.state import state
from msjax.core.tensor.tensor import Tensor, is_tensor
from msjax.ops.math.casts import converted

Policy = Callable[[tuple, Any], tuple]


@contextlib.contextmanager
def compute_operators_in(dtype: DType | Policy | None) -> Iterator[None]:
    """Context in which operators compute in a floating dtype, whatever floating dtype their inputs have.

    Operators that give views (indexing, reshaping) leave dtypes alone, and so do all with integers and complex numbers.

    Args:
        dtype: float16, bfloat16 or float32; or a function from an operator's arguments and its `Record` to the
            arguments that it is to have. None changes nothing.
    """
    if dtype is None:
        yield
        return
    before, state.cast = state.cast, _cast_to(dtype) if isinstance(dtype, DType) else dtype
    try:
        yield
    finally:
        state.cast = before


def cast_floats(tree: Any, dtype: DType) -> Any:
    """Tensors in any nesting, the floating ones in another dtype."""

    def leaf(x: Any) -> Any:
        if isinstance(x, Tensor) and x.dtype != dtype and x.dtype.is_floating_point:
            return converted(x, dtype)
        return x

    before, state.cast = state.cast, None
    try:
        return ordered_trees.map(leaf, tree, is_leaf=is_tensor)
    finally:
        state.cast = before


def apply_with_bias(product: Callable, x: Any, weight: Any, bias: Any, *settings: Any) -> Any:
    """Apply a product or convolution with its bias, as one operator; level "auto" adds the bias in its own precision.

    Args:
        product: (x, weight, bias, *settings) -> Tensor of channels: at axis 1 for convolutions, the last of `dense`.
        x: Tensor.
        weight: Parameter.
        bias: Parameter of shape (channels,), or None.
        settings: of the product.
    """
    if bias is None or not getattr(state.cast, "biases_apart", False):
        return product(x, weight, bias, *settings)
    y = product(x, weight, None, *settings)
    return y + (bias if product.__name__ == "dense" else bias.reshape(-1, *(1,) * (weight.ndim - 2)))


@contextlib.contextmanager
def cast_inputs(record: Record, *inputs: Tensor) -> Iterator[tuple[Any, ...]]:
    """Cast the inputs to an operator's precision; within the block other operators keep their own."""
    before, state.cast = state.cast, None
    try:
        yield inputs if before is None else tuple(before(inputs, record))
    finally:
        state.cast = before


@functools.cache
def _cast_to(dtype: DType) -> Policy:
    """Return the cast policy to a dtype; the same object each time, so that policies compare by identity."""
    return lambda arrays, record: cast_floats(arrays, dtype)
