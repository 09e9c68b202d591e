"""Padding of the last dimensions, by the names of the layers of `mint.nn`: `reflection2d`, `constant1d` ..."""

from collections.abc import Callable
from typing import Any

from msjax.ops.array.padding import pad
from msjax.ops.common import checks

_MODES = {"constant": "constant", "zero": "constant", "reflection": "reflect", "replication": "replicate"}


def _make_padding(kind: str, dims: int) -> Callable:
    name, mode = f"{kind}{dims}d", _MODES[kind]

    def padded(input: Any, padding: Any, value: Any = None) -> Any:
        sides = (padding,) * (2 * dims) if isinstance(padding, int) else tuple(padding)
        if len(sides) != 2 * dims:
            checks.fail(ValueError, name, "padding", f"be an int or {2 * dims} ints", padding)
        return pad(input, sides, mode, value if kind == "constant" else None)

    padded.__name__ = padded.__qualname__ = name
    padded.__doc__ = f"""More elements at both ends of the last {dims} dimension{"s" * (dims > 1)}, in mode "{mode}".

    Args:
        input (Tensor): of at least {dims} dimension{"s" * (dims > 1)}.
        padding (int, tuple[int]): how many: on all sides, or (before, after) of the last dimension, then of the others.
        value (number): what to fill with, where that is not given by the input.

    Returns:
        Tensor of `input`'s dtype.

    Raises:
        ValueError: for another number of sides.
    """
    return padded


def __getattr__(name: str) -> Callable:
    kind, dims = name[:-2], name[-2:-1]
    if kind not in _MODES or dims not in "123":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = globals()[name] = _make_padding(kind, int(dims))
    return made
