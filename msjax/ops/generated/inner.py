"""Internal operators of MindSpore that its own tests use (`ops.operations._inner_ops`): those with a CPU kernel.

Other names are those of `ops`.
"""

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax import ops
from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.op.static_args import static_key
from msjax.core.tensor.tensor import Tensor
from msjax.ops.array.indexing import setitem
from msjax.ops.common import checks
from msjax.ops.common.name_table import attach_classes


def return_unchanged(input_x: Any) -> Any:
    """Return the input unchanged (`ConvertToDynamic`): dynamic shapes need no marking here."""
    return input_x


def broadcast_axes(shape0: Any, shape1: Any) -> tuple[Tensor, Tensor]:
    """Along which axes the gradients of two broadcast arrays are summed (`DynamicBroadcastGradientArgs`).

    Examples:
        >>> from msjax.ops.generated.inner import DynamicBroadcastGradientArgs
        >>> print(*DynamicBroadcastGradientArgs()((2, 1, 3), (4, 1)))
        [1] [0 2]
    """
    (a, b), _ = static_key((shape0, shape1))
    full = np.broadcast_shapes(a, b)

    def summed(shape: tuple) -> Tensor:
        own = (0,) * (len(full) - len(shape)) + tuple(shape)
        return Tensor(np.array([i for i, n in enumerate(own) if n != full[i] or n == 1], np.int64))

    return summed(a), summed(b)


def same_type_shape(x: Tensor, y: Tensor) -> Tensor:
    """x, if y has its dtype and shape (`SameTypeShape`).

    Raises:
        TypeError: if the dtypes differ.
        ValueError: if the shapes differ.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.inner import SameTypeShape
        >>> print(SameTypeShape()(ms.Tensor([1, 2]), ms.Tensor([3, 4])))
        [1 2]
    """
    if x.dtype != y.dtype:
        checks.fail(TypeError, "SameTypeShape", "y", f"be of x's dtype {x.dtype}", y.dtype)
    if x.shape != y.shape:
        checks.fail(ValueError, "SameTypeShape", "y", f"have x's shape {x.shape}", y.shape)
    return x


@op(static="axis")
def clip_by_norm(x: ArrayLike, clip_norm: ArrayLike, axis: Any = None) -> Array:
    """x, scaled to a norm over some axes where it is greater (`ClipByNorm`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.inner import ClipByNorm
        >>> print(ClipByNorm()(ms.Tensor([3.0, 4.0]), ms.Tensor(1.0)))
        [0.6 0.8]
    """
    over = None if axis is None or axis == () else axis
    squares = jnp.sum(jnp.square(x), over, keepdims=True)
    norm = jnp.where(squares > 0, jnp.sqrt(jnp.where(squares > 0, squares, 1)), 0)
    return x * clip_norm / jnp.maximum(norm, clip_norm)


def copied_slices(x: Tensor, value: Any, begin: Any, end: Any, strides: Any) -> Tensor:
    """Return a copy of x with other numbers in a part of it (`TensorCopySlices`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.inner import TensorCopySlices
        >>> print(TensorCopySlices()(ms.Tensor([1, 2, 3]), ms.Tensor([9]), (1,), (2,), (1,)))
        [1 9 3]
    """
    parts = zip(*static_key((begin, end, strides))[0], strict=True)
    return setitem(x, tuple(slice(*part) for part in parts), value)


def is_subclass(sub_type: Any, type_: Any) -> bool:
    """Return True if a dtype belongs to a kind such as `mindspore.number` (`IsSubClass`)."""
    return dtypes.issubclass_(sub_type, type_)


_OF_NUMBERS = {bool: dtypes.bool_, int: dtypes.int64, float: dtypes.float32}


def is_instance(inst: Any, type_: Any) -> bool:
    """Return True if a number is of a dtype, of a kind of dtypes, or of one of several (`IsInstance`)."""
    kinds = type_ if isinstance(type_, tuple | list) else (type_,)
    own = _OF_NUMBERS.get(type(inst))
    return any(kind is type(inst) or (own is not None and dtypes.issubclass_(own, kind)) for kind in kinds)


def format_text(template: str, *values: Any) -> str:
    """Return a text with values in it (`Format`)."""
    return template.format(*values)


__getattr__, __dir__ = attach_classes(
    __name__,
    """
here: DynamicBroadcastGradientArgs=broadcast_axes SameTypeShape=same_type_shape TensorCopySlices=copied_slices
    IsSubClass=is_subclass IsInstance=is_instance Format=format_text
ConvertToDynamic(is_dynamic_rank: _ = False)(input_x) -> return_unchanged
DynamicBroadcastTo(x: input, shape) -> array.shapes.broadcast_to
SiLU(input) -> nn.activation_smooth.silu
ClipByNorm(axis=None)(...) -> clip_by_norm
""",
    fallback=functools.partial(getattr, ops),
)

issubclass_ = __getattr__("IsSubClass")()
same_type_shape_ = __getattr__("SameTypeShape")()
