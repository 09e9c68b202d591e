"""A layer that gives images another size."""

from typing import Any

from msjax.nn.cell import Cell
from msjax.ops.resizing import interpolate


class Upsample(Cell):
    """The input in another size: see :func:`msjax.ops.interpolate`.

    Args:
        size (int, tuple[int], list[int]): the new size of the dimensions behind the channels.
        scale_factor (float, tuple[float], list[float]): in its place, how many times the old size.
        mode (str): as of `ops.interpolate`.
        align_corners (bool): whether the first and last elements stay where they are, for modes that are not "nearest",
            "nearest-exact" or "area".
        recompute_scale_factor (bool): make a size of `scale_factor`, and take the scale from it.

    Inputs:
        - **x** (Tensor) - of shape (N, C, L), (N, C, H, W) or (N, C, D, H, W), floating.

    Outputs:
        Tensor of shape (N, C, ...).

    Raises:
        TypeError, ValueError: at the call, as `ops.interpolate`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Upsample(size=4)(ms.Tensor([[[0.0, 1.0]]])))
        [[[0. 0. 1. 1.]]]
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size = size
        self.scale_factor = scale_factor
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def construct(self, x: Any) -> Any:
        """The input in another size."""
        settings = self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        return interpolate(x, *settings)
