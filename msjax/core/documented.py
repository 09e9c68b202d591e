"""Which arguments of an operator must be Tensors: those that its documentation calls `(Tensor)`.

MindSpore refuses numbers, lists and NumPy arrays there, and so does the door. Operators that take them beside Tensors
say so: `other (Tensor, number): ...`. What has no such documentation, as the package's inner operators, takes all.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from msjax.core.scalars import SCALARS

Only = tuple[tuple[int, str], ...]

_ARGUMENT = re.compile(r"^ +(\w+(?:, \w+)*) \(([^)]*)\):", re.MULTILINE)
_TENSORS = {"Tensor", "Parameter", "None", "optional"}
_REFUSED = (*SCALARS, np.ndarray, list, tuple, str, dict)


class NotATensorError(TypeError, AttributeError):
    """A layer or an operator got something else than a Tensor. MindSpore raises the one or the other."""


def only_tensors(fn: Callable, arrays: Sequence[str]) -> Only | None:
    """Positions and names of the parameters that take Tensors alone; None if there are none."""
    if not fn.__module__.startswith("msjax.ops."):
        return None
    strict = {
        name
        for names, kinds in _ARGUMENT.findall(fn.__doc__ or "")
        for name in names.split(", ")
        if "Tensor" in kinds and set(kinds.split(", ")) <= _TENSORS
    }
    return tuple((i, name) for i, name in enumerate(arrays) if name in strict) or None


def refuse_others(op: str, only: Only, arrays: Sequence[Any]) -> None:
    """Raise for what is no Tensor where only Tensors are taken."""
    for i, name in only:
        given = arrays[i]
        if isinstance(given, _REFUSED) and not isinstance(given, jax.Array):
            raise NotATensorError(
                f"`{op}`: argument `{name}` must be a Tensor. Received: {name}={given!r} ({type(given).__name__})."
            )
