"""`reshard`: an array in another layout."""

from typing import Any

from msjax.core.jit import placement
from msjax.ops.common import checks, sharding


def reshard(tensor: Any, layout: Any) -> Any:
    """An array in another layout: the same values, with other parts on each device. On one device every layout is the same.

    Args:
        tensor (Tensor): the array.
        layout (Layout): where its parts lie.

    Returns:
        The same array.

    Raises:
        ValueError: if the layout does not fit the array or the devices.

    Examples:
        >>> import msjax as ms
        >>> layout = ms.Layout((1,), ("dp",))
        >>> print(ms.reshard(ms.Tensor([1.0, 2.0]), layout("dp")))
        [1. 2.]
    """
    where = placement.current()
    if where is None:
        return tensor
    if not hasattr(layout, "to_dict"):
        checks.fail(TypeError, "reshard", "layout", "be a Layout", type(layout).__name__)
    return sharding.constrain(
        tensor, where.sharding(placement.strategy_of("reshard", where, layout.to_dict(), tensor.shape))
    )
