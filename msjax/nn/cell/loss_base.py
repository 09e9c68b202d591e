"""LossBase, the base class of losses."""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import argument_checks, parameter_init
from msjax.nn.cell.cell import Cell
from msjax.ops.math.arithmetic import mul
from msjax.ops.math.casts import cast
from msjax.ops.reduction.reduction import mean
from msjax.ops.reduction.reduction import sum as total

REDUCTIONS = ("mean", "sum", "none")


class LossBase(Cell):
    """Base class of the losses.

    Args:
        reduction (str): "mean", "sum" or "none": what becomes of the losses of the elements.

    Raises:
        ValueError: for another `reduction`.

    Examples:
        >>> import msjax as ms
        >>> class Distance(ms.nn.LossBase):
        ...     def construct(self, base, target):
        ...         return self.get_loss((base - target).abs())
        >>> print(Distance()(ms.Tensor([1.0, 2.0]), ms.Tensor([2.0, 4.0])))
        1.5
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        parameter_init.check_choice(type(self).__name__, REDUCTIONS, reduction=reduction)
        self.reduction = reduction
        self.average = reduction == "mean"
        self.reduce = reduction != "none"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call `construct`; the package's own losses take Tensors, not numbers."""
        if type(self).__module__.startswith(("msjax.", "mindspore.")):
            for given in args[:2]:
                if isinstance(given, bool | int | float | complex | str):
                    raise TypeError(
                        f"`{self.cls_name}`: inputs must be Tensors. Received: {argument_checks.describe_value(given)}."
                    )
        return super().__call__(*args, **kwargs)

    def get_axis(self, x: Any) -> tuple[int, ...]:
        """Return the axes of x, which are reduced over."""
        return tuple(range(x.ndim))

    def get_loss(self, x: Any, weights: Any = 1.0) -> Any:
        """`weights * x`, reduced; computed in float32.

        Args:
            x (Tensor): losses of the elements.
            weights (Union[float, Tensor]): their weights, of a shape that broadcasts with x's.
        """
        if isinstance(weights, Tensor):
            weights = cast(weights, dtypes.float32)
        weighted = mul(weights, cast(x, dtypes.float32))
        if self.reduce:
            weighted = mean(weighted) if self.average else total(weighted)
        return cast(weighted, x.dtype)

    def _reduction(self) -> str:
        """Return the reduction that the two flags say now."""
        return ("mean" if self.average else "sum") if self.reduce else "none"

    def construct(self, logits: Any, labels: Any) -> Any:
        """Compute the loss; subclasses define it."""
        raise NotImplementedError(f"`{type(self).__name__}` does not define `construct`.")
