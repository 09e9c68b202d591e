"""Adasum, which combines the gradients of several devices: MindSpore's names, which raise on a single device."""

from typing import Any, NoReturn

from msjax.nn.cell.cell import Cell
from msjax.ops.common.docstrings import documented_by


def _refuse(owner: str) -> NoReturn:
    raise RuntimeError(
        f"`{owner}`: adasum combines what several devices computed, and is not available on one. "
        "Use the optimizer itself."
    )


class AdaSumByGradWrapCell(Cell):
    """Adasum of gradients (Maleki et al., 2020), around an optimizer; for several devices, so it raises here.

    Args:
        optimizer (Optimizer): the optimizer.

    Inputs:
        - **grads** (tuple[Tensor]) - gradients.

    Raises:
        RuntimeError: always, as MindSpore does with one device.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.Dense(2, 3)
        >>> try:
        ...     ms.nn.AdaSumByGradWrapCell(ms.nn.SGD(net.trainable_params()))
        ... except RuntimeError as error:
        ...     print(type(error).__name__)
        RuntimeError
    """

    def __init__(self, optimizer: Any) -> None:
        super().__init__(auto_prefix=False)
        _refuse("AdaSumByGradWrapCell")


@documented_by(AdaSumByGradWrapCell)
class AdaSumByDeltaWeightWrapCell(Cell):
    """Adasum of the changes of weights (Maleki et al., 2020), around an optimizer; for several devices: it raises here.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.Dense(2, 3)
        >>> try:
        ...     ms.nn.AdaSumByDeltaWeightWrapCell(ms.nn.SGD(net.trainable_params()))
        ... except RuntimeError as error:
        ...     print(type(error).__name__)
        RuntimeError
    """

    def __init__(self, optimizer: Any) -> None:
        super().__init__(auto_prefix=False)
        _refuse("AdaSumByDeltaWeightWrapCell")
