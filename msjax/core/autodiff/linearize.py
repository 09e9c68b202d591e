"""`linearize`: the linear approximation of a function at a point, for several tangents."""

import functools
from collections.abc import Callable
from typing import Any

from msjax.core.autodiff.jvp_vjp_jacobian import jvp
from msjax.core.tensor.tensor import Tensor


def linearize(fn: Callable, inputs: object) -> tuple[Any, Callable[[Any], Any]]:
    """Compute outputs of `fn` at a point; also return the function from tangents of inputs to tangents of outputs there.

    Args:
        fn: function or Cell over Tensors.
        inputs: Tensor, or tuple or list of Tensors: its arguments.

    Returns:
        (outputs, jvp_fn). `jvp_fn` takes tangents as :func:`jvp` does, as often as wanted.

    Raises:
        TypeError: if `fn` cannot be called, or an input is no Tensor.

    Examples:
        >>> import msjax as ms
        >>> from msjax.core.autodiff.linearize import linearize
        >>> y, along = linearize(lambda x: x * x, ms.Tensor(3.0))
        >>> print(y, along(ms.Tensor(1.0)), along(ms.Tensor(10.0)))
        9.0 6.0 60.0
    """
    if not isinstance(inputs, Tensor | tuple | list):
        raise TypeError(
            f"`linearize`: argument `inputs` must be a Tensor, or a tuple or list of them. Received: {inputs!r}."
        )
    outputs = fn(*inputs) if isinstance(inputs, tuple | list) else fn(inputs)
    return outputs, functools.partial(_along, fn, inputs)


def _along(fn: Callable, inputs: object, v: object) -> Any:
    return jvp(fn, inputs, v)[1]
