"""In-place operators (clamp_, zero_, tanh_ ...), derived from the functional ones, and `stop_gradient_`."""

from collections.abc import Callable
from typing import Any

from msjax.core.autodiff.imperative import stop_gradient
from msjax.core.tensor.tensor import Tensor
from msjax.ops.array import creation
from msjax.ops.common import checks
from msjax.ops.common.name_table import make_function, make_in_place
from msjax.ops.math import clipping, elementary
from msjax.ops.nn import activation_smooth
from msjax.ops.state.scatter_update import change
from msjax.ops.tensor_methods import overloads_gather_scatter


def _derive_in_place(name: str, function: Callable) -> Callable:
    def written(box: Any, result: Any) -> Any:
        change(name, box, result)
        return box

    return make_in_place(name, function, written)


clamp_ = _derive_in_place("clamp_", clipping.clamp)
tanh_ = _derive_in_place("tanh_", activation_smooth.tanh)
inplace_sigmoid = _derive_in_place("inplace_sigmoid", activation_smooth.sigmoid)
erfinv_ = _derive_in_place("erfinv_", elementary.erfinv)
zero_ = _derive_in_place("zero_", creation.zeros_like)
put_ = _derive_in_place(
    "put_",
    make_function("put(input: self, index, source, accumulate=False)", overloads_gather_scatter.put),
)


def stop_gradient_(input: Tensor) -> None:
    """Detach a Tensor from the tape, in place: no gradient flows through it from later computations.

    Args:
        input (Tensor): any.

    Examples:
        >>> import msjax as ms
        >>> def f(x):
        ...     y = x * x
        ...     ms.ops.stop_gradient_(y)
        ...     return y * x
        >>> print(ms.grad(f)(ms.Tensor(3.0)))
        9.0
    """
    if not isinstance(input, Tensor):
        checks.fail(TypeError, "stop_gradient_", "input", "be a Tensor", f"{input!r}")
    input.assign_value(stop_gradient(input))
