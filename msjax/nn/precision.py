"""Mixed precision: while a Cell with `to_float` runs, the inputs of all operators are cast."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp

from msjax.core.dtype import DType
from msjax.core.lift import is_tensor
from msjax.core.op import op
from msjax.core.state import state
from msjax.core.tensor import Tensor


@op(static="dtype")
def cast(x: jax.Array, dtype: DType) -> jax.Array:
    """x in another dtype."""
    return x.astype(dtype.np)


@contextlib.contextmanager
def operators_in(dtype: DType | None) -> Iterator[None]:
    """Let operators compute in a floating dtype, whatever floating dtype their inputs have.

    What only looks at a Tensor (indexing, reshaping: operators that give views) is left alone, as are constants,
    integers and complex numbers.

    Args:
        dtype: float16, bfloat16 or float32. None changes nothing.
    """
    if dtype is None:
        yield
        return
    before, state.cast = state.cast, _cast_to(dtype)
    try:
        yield
    finally:
        state.cast = before


def cast_floats(tree: Any, dtype: DType) -> Any:
    """Tensors in any nesting, the floating ones in another dtype."""

    def leaf(x: Any) -> Any:
        if isinstance(x, Tensor) and x.dtype is not dtype and jnp.issubdtype(x.dtype.np, jnp.floating):
            return cast(x, dtype)
        return x

    before, state.cast = state.cast, None
    try:
        return jax.tree.map(leaf, tree, is_leaf=is_tensor)
    finally:
        state.cast = before


@functools.cache
def _cast_to(dtype: DType) -> Callable[[tuple], tuple]:
    """What casts the arguments of one operator; the same function each time, so that it can be compared."""
    return functools.partial(cast_floats, dtype=dtype)
