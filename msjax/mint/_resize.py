"""Interpolation of images, with PyTorch's conventions."""

from typing import Any

from msjax.ops.image.resample import resample


def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Any:
    """Return the input in another size.

    Args:
        input (Tensor): of shape (N, C, L), (N, C, H, W) or (N, C, D, H, W), floating.
        size (int, tuple[int], None): the new size of the dimensions behind the channels.
        scale_factor (float, tuple[float], None): factor for the old size, given instead of a new one.
        mode (str): "nearest", "nearest-exact", "area"; "linear" for one dimension, "bilinear" and "bicubic" for two,
            "trilinear" for three.
        align_corners (bool, None): whether the first and last elements stay where they are, for the linear modes and
            "bicubic". Default: False.
        recompute_scale_factor (bool, None): take the scale from the sizes, not from `scale_factor`; "nearest" always does.

    Returns:
        Tensor of shape (N, C, ...) and the input's dtype.

    Raises:
        ValueError: for a mode that does not fit the dimensions, or neither or both of `size` and `scale_factor`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.nn.functional.interpolate(ms.Tensor([[[0.0, 1.0]]]), 4, mode="linear"))
        [[[0.   0.25 0.75 1.  ]]]
    """
    # MindSpore's CPU kernel for "nearest" knows no scale, only the sizes.
    return resample(
        input, size, scale_factor, mode, align_corners, recompute_scale_factor or mode == "nearest" or None
    )


def upsample(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: Any = None
) -> Any:
    """Return the input in another size: see :func:`interpolate`.

    Args:
        input (Tensor): of shape (N, C, L), (N, C, H, W) or (N, C, D, H, W), floating.
        size (int, tuple[int], None): the new size of the dimensions behind the channels.
        scale_factor (float, tuple[float], None): factor for the old size, given instead of a new one.
        mode (str): as of `interpolate`.
        align_corners (bool, None): as of `interpolate`.

    Returns:
        Tensor of shape (N, C, ...) and the input's dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.nn.functional.upsample(ms.Tensor([[[0.0, 1.0]]]), scale_factor=2))
        [[[0. 0. 1. 1.]]]
    """
    return interpolate(input, size, scale_factor, mode, align_corners)
