"""Augmented assignment (`x += y`): in-place in compiled functions as in MindSpore; a new Tensor in eager code."""

import operator
from collections.abc import Callable
from typing import Any

from msjax.core.state import state
from msjax.core.tensor import scalar_inputs
from msjax.core.tensor.box import is_lens_view, node_of, owns_leaf, resolve
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor, replace, store
from msjax.ops.math.casts import astype

# The operators that MindSpore's compiled functions apply in place, and whether they do so to Tensors of bools.
CHANGING: dict[str, bool] = {
    "add": False,
    "sub": False,
    "mul": True,
    "truediv": False,
    "floordiv": True,
    "mod": False,
}


def augmented(name: str) -> Callable:
    """Return the method behind an augmented assignment.

    The result takes the dtype of the Tensor that it is written to. A view, and a Tensor that the result does not fit, are
    left as they are: the variable gets a new Tensor.

    Args:
        name: of the operator, as in the module `operator`.

    Returns:
        Function of the Tensor and the other operand.
    """
    compute, changes_bools = getattr(operator, name), CHANGING[name]

    def change(self: Any, other: Any) -> Any:
        if not state.graph or type(self) is scalar_inputs.Number:
            return compute(self, other)
        here = resolve(self)
        if is_lens_view(here) or (here._value.dtype == bool and not changes_bools):
            return compute(self, other)
        result = compute(self, other)
        if not isinstance(result, Tensor) or result.shape != self.shape:
            return result
        result = astype(result, self.dtype)
        if isinstance(self, Parameter):
            if owns_leaf(here):
                return replace(self, result)
            # If an attribute is next to be assigned, this is undone for the gradient: see `Cell.__setattr__`.
            state.frame.augmented = self, here._value, node_of(here)
        return store(self, result)

    change.__name__ = change.__qualname__ = f"__i{name}__"
    change.__doc__ = f"`operator.i{name}`: in place in compiled functions."
    return change
