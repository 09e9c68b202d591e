"""Upsampling layers."""

from typing import Any

from msjax.mint._resize import interpolate
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies
from msjax.ops.common.docstrings import documented_by


@applies(interpolate, "input")
class Upsample(Cell):
    """The input in another size.

    Args:
        mode (str): "nearest", "linear", "bilinear", "bicubic" or "trilinear".
        align_corners (bool, None): whether the first and last elements stay where they are.

    Raises:
        ValueError: at the call, for a mode that does not fit the dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.nn.Upsample(scale_factor=2)(ms.Tensor([[[0.0, 1.0]]])))
        [[[0. 0. 1. 1.]]]
    """

    size: Any = None
    scale_factor: Any = None
    mode: str = "nearest"
    align_corners: bool | None = None
    recompute_scale_factor: bool | None = None


@documented_by(Upsample)
class UpsamplingNearest2d(Upsample):
    """Images in another size, by their nearest elements.

    Inputs:
        - **input** (Tensor) - of shape (N, C, H, W), floating.

    Outputs:
        Tensor of shape (N, C, H', W').

    Examples:
        >>> import msjax as ms
        >>> ms.mint.nn.UpsamplingNearest2d((4, 6))(ms.ops.ones((1, 2, 2, 3))).shape
        (1, 2, 4, 6)
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor)


@documented_by(UpsamplingNearest2d)
class UpsamplingBilinear2d(Upsample):
    """Images in another size, by linear interpolation between elements whose corners stay where they are.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.nn.UpsamplingBilinear2d((1, 3))(ms.Tensor([[[[0.0, 1.0]]]])))
        [[[[0.  0.5 1. ]]]]
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)


Upsample.__name__ = "UpsampleExt"  # as MindSpore prints it
