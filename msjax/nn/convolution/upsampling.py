"""Upsampling and bilinear resizing layers."""

from typing import Any

from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies
from msjax.ops.common import checks
from msjax.ops.image.interpolate import interpolate
from msjax.ops.image.resize import resize_bilinear


@applies(interpolate, "x")
class Upsample(Cell):
    """The input in another size: see :func:`msjax.ops.interpolate`.

    Args:
        mode (str): as of `ops.interpolate`.
        align_corners (bool): whether the first and last elements stay where they are, for modes that are not "nearest",
            "nearest-exact" or "area".

    Raises:
        TypeError, ValueError: at the call, as `ops.interpolate`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Upsample(size=4)(ms.Tensor([[[0.0, 1.0]]])))
        [[[0. 0. 1. 1.]]]
    """

    size: Any = None
    scale_factor: Any = None
    mode: str = "nearest"
    align_corners: bool | None = None
    recompute_scale_factor: bool | None = None


@applies()
class ResizeBilinear(Cell):
    """Images in another size, with linear interpolation; a layer of MindSpore 1.

    Args:
        half_pixel_centers (bool): whether an element's place is the middle of its cell.

    Inputs:
        - **x** (Tensor) - of shape (N, C, H, W), floating.
        - **size** (tuple[int], list[int]) - the new (H, W).
        - **scale_factor** (int) - factor for the old size, given instead of a new one.
        - **align_corners** (bool) - whether the elements in the corners stay where they are.

    Outputs:
        Tensor of shape (N, C, H', W').

    Raises:
        TypeError: at the call, if `scale_factor` is not an int.
        ValueError: at the call, for neither or both of `size` and `scale_factor`, or sizes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.ResizeBilinear()(ms.Tensor([[[[1.0, 2.0]]]]), size=(1, 4)))
        [[[[1.  1.5 2.  2. ]]]]
    """

    half_pixel_centers: bool = False

    def construct(
        self, x: Any, size: Any = None, scale_factor: Any = None, align_corners: bool = False
    ) -> Any:
        """Return the images in another size."""
        name = "ResizeBilinear"
        if (size is None) == (scale_factor is None):
            received = f"{size}, scale_factor={scale_factor}"
            checks.fail(ValueError, name, "size", "be given, or `scale_factor`, not both", received)
        if size is None:
            checks.check_ints(name, scale_factor=scale_factor)
            size = tuple(n * scale_factor for n in x.shape[2:])
        return resize_bilinear(x, size, align_corners, self.half_pixel_centers)
