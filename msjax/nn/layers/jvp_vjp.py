"""Jacobian-vector (Jvp) and vector-Jacobian (Vjp) products as layers."""

from typing import Any

from msjax.core.autodiff.grad import GradOperation
from msjax.core.autodiff.jvp_vjp_jacobian import jvp
from msjax.nn.cell.cell import Cell


class Jvp(Cell):
    """A function's output, and how it changes when its inputs move along `v`.

    Args:
        fn (Cell): the function.

    Inputs:
        - **inputs** (Tensor) - for the function.
        - **v** (Union[Tensor, tuple[Tensor]]) - the direction, last: of the input's shape, or a tuple for several.

    Outputs:
        Tuple of the output and of what has its shape.

    Examples:
        >>> import msjax as ms
        >>> out, change = ms.nn.Jvp(lambda x: x**3)(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 1.0]))
        >>> print(out, change)
        [1. 8.] [ 3. 12.]
    """

    def __init__(self, fn: Any) -> None:
        super().__init__()
        self.fn = fn

    def construct(self, *args: Any) -> tuple:
        """Return the output and its change."""
        *inputs, v = args
        return jvp(self.fn, tuple(inputs), v if isinstance(v, tuple) else (v,))


class Vjp(Cell):
    """A function's output, and the gradients of its inputs for given gradients of the output.

    Args:
        fn (Cell): the function.

    Inputs:
        - **inputs** (Tensor) - for the function.
        - **v** (Union[Tensor, tuple[Tensor]]) - the gradient of the output, last: a tuple for several outputs.

    Outputs:
        Tuple of the output and of the gradient of the input, or of a tuple of gradients for several inputs.

    Examples:
        >>> import msjax as ms
        >>> out, gradient = ms.nn.Vjp(lambda x: x**3)(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 1.0]))
        >>> print(out, gradient)
        [1. 8.] [ 3. 12.]
    """

    def __init__(self, fn: Any) -> None:
        super().__init__()
        self.fn = fn

    def construct(self, *args: Any) -> tuple:
        """Return the output and the gradients."""
        seen: list[Any] = []

        def watched(*inputs: Any) -> Any:
            seen[:] = [self.fn(*inputs)]
            return seen[0]

        gradients = GradOperation(get_all=len(args) > 2, sens_param=True)(watched)(*args)
        return seen[0], gradients
