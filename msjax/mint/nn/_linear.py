"""Linear, embedding and PReLU layers, dropout and identity."""

from typing import Any

from msjax.nn.cell.cell import Cell


class Identity(Cell):
    """The input itself.

    Args:
        args: accepted, without effect.
        kwargs: accepted, without effect.

    Inputs:
        - **input** (Tensor) - of any shape and dtype.

    Outputs:
        The input.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.nn.Identity()(ms.Tensor([1, 2])))
        [1 2]
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def construct(self, input: Any) -> Any:
        """Return the input."""
        return input
