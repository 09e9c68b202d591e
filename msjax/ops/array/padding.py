"""Padding: constant, reflect, replicate and circular."""

from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.promotion import as_array

_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple | list) and len(value) == 2 and all(type(n) is int for n in value)


@op(static="padding mode")
def pad(input_x: Array, padding: Any, mode: str = "constant", value: ArrayLike | None = None) -> Array:
    """Return the array with elements added at the ends of its last axes.

    Args:
        input_x (Tensor): of any dtype.
        padding (tuple[int], list[int], Tensor): how many before and after along the last axis, then along the last but
            one, and so on. With "constant" negative numbers take elements away. Pairs for all axes, the first axis first, as
            in MindSpore 1.x, are taken too.
        mode (str): "constant" adds `value`, "reflect" the mirror image without the edge, "replicate" the element at the
            edge, "circular" what comes from the other end.
        value (number, None): with "constant". Default: 0.

    Returns:
        Tensor of `input_x`'s dtype.

    Raises:
        TypeError: if `padding` holds anything but ints, or `mode` is not a str.
        ValueError: if there are more pairs than axes, an odd number of ints, or the mode is unknown.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1, 2, 3]])
        >>> print(ms.ops.pad(x, (1, 0)), ms.ops.pad(x, (2, 1), mode="reflect"))
        [[0 1 2 3]] [[3 2 1 2 3 2]]
    """
    x = as_array("pad", "input_x", input_x)
    checks.check_choice("pad", ("constant", *_MODES), mode=mode)
    if isinstance(padding, tuple | list) and len(padding) == x.ndim and all(map(_is_pair, padding)):
        padding = tuple(n for pair in reversed(padding) for n in pair)
    if not isinstance(padding, tuple | list) or not all(type(n) is int for n in padding):
        checks.fail(
            TypeError, "pad", "padding", "be a tuple of ints", f"{padding!r} ({type(padding).__name__})"
        )
    if len(padding) % 2 or len(padding) > 2 * x.ndim:
        rule = f"hold pairs of ints, for at most {x.ndim} axes"
        checks.fail(ValueError, "pad", "padding", rule, padding)
    pairs = [(0, 0)] * (x.ndim - len(padding) // 2) + list(zip(padding[-2::-2], padding[::-2], strict=True))
    if mode == "constant":
        if any(a + n + b < 0 for (a, b), n in zip(pairs, x.shape, strict=True)):
            checks.fail(ValueError, "pad", "padding", f"leave something of the shape {x.shape}", padding)
        fill = jnp.zeros((), x.dtype) if value is None else jnp.asarray(value, x.dtype).reshape(())
        return lax.pad(x, fill, [(a, b, 0) for a, b in pairs])
    if value is not None:
        checks.fail(ValueError, "pad", "value", f"be None with mode={mode!r}", "a number")
    limits = {"reflect": -1, "circular": 0}
    if min(padding, default=0) < 0 or (
        mode in limits and any(max(p) > max(n + limits[mode], 0) for p, n in zip(pairs, x.shape, strict=True))
    ):
        checks.fail(ValueError, "pad", "padding", f"fit into the shape {x.shape} with mode={mode!r}", padding)
    return jnp.pad(x, pairs, mode=_MODES[mode])
