"""Image resizing in class form: the new size is an argument, the alignment of corners a setting."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.image.interpolate import (
    centres,
    cubic_matrix,
    linear_matrix,
    multiply_axis,
    nearest_places,
    tabled_cubic_matrix,
    take_axis,
)

SETTINGS = "size align_corners half_pixel_centers"


def _start(name: str, count: int, x: Array, size: Any, corners: bool = False, half: bool = False) -> tuple:
    """Return the new size, all arguments checked."""
    checks.check_bools(name, align_corners=corners, half_pixel_centers=half)
    if corners and half:
        checks.fail(ValueError, name, "half_pixel_centers", "be False with align_corners=True", half)
    checks.check_rank(name, count + 2, image=x)
    if not isinstance(size, tuple | list):
        checks.fail(TypeError, name, "size", f"be {count} ints", f"{size!r} ({type(size).__name__})")
    if len(size) != count:
        checks.fail(ValueError, name, "size", f"be {count} ints", size)
    return checks.as_int_tuple(name, count, size=size)


@op(static=SETTINGS)
def resize_nearest(
    image: Array, size: Any, align_corners: bool = False, half_pixel_centers: bool = False
) -> Array:
    """Images in another size, by their nearest elements.

    Args:
        image (Tensor): of shape (N, C, H, W).
        size (tuple[int], Tensor): the new (H, W).
        align_corners (bool): whether the elements in the corners stay where they are.
        half_pixel_centers (bool): whether an element's place is the middle of its cell.

    Returns:
        Tensor of shape (N, C, *size) and the image's dtype.

    Raises:
        TypeError: for settings of another type.
        ValueError: for shapes and sizes that do not fit, or both settings at once.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ResizeNearestNeighborV2()(ms.Tensor([[[[1.0, 2.0]]]]), (1, 4)))
        [[[[1. 1. 2. 2.]]]]
    """
    new = _start("ResizeNearestNeighborV2", 2, image, size, align_corners, half_pixel_centers)
    for axis, m in enumerate(new, 2):
        n = image.shape[axis]
        corners = align_corners and m > 1
        at = centres(m, n, corners=True) + 0.5 if corners else nearest_places(n, m, exact=half_pixel_centers)
        image = take_axis(image, axis, at)
    return image


@op(static=SETTINGS)
@documented_by(resize_nearest)
def resize_bilinear(
    image: Array, size: Any, align_corners: bool = False, half_pixel_centers: bool = False
) -> Array:
    """Images in another size, with linear interpolation.

    Args:
        image (Tensor): of shape (N, C, H, W), floating.

    Raises:
        TypeError: for settings of another type, or an image that is not floating.
        ValueError: for shapes and sizes that do not fit, or both settings at once.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ResizeBilinearV2()(ms.Tensor([[[[1.0, 2.0]]]]), (1, 4)))
        [[[[1.  1.5 2.  2. ]]]]
    """
    new = _start("ResizeBilinearV2", 2, image, size, align_corners, half_pixel_centers)
    checks.check_floating("ResizeBilinearV2", image=image)
    y = image.astype(checks.compute_dtype(image.dtype))
    for axis, m in enumerate(new, 2):
        n = y.shape[axis]
        y = multiply_axis(
            y, axis, linear_matrix(n, centres(m, n, corners=align_corners, half=half_pixel_centers))
        )
    return y.astype(image.dtype)


@op(static=SETTINGS)
@documented_by(resize_bilinear)
def resize_bicubic(
    image: Array, size: Any, align_corners: bool = False, half_pixel_centers: bool = False
) -> Array:
    """Images in another size, with cubic convolution (Keys 1981) as TensorFlow's ResizeBicubic has it.

    With `half_pixel_centers` the kernel's parameter is -0.5 and elements outside do not count; otherwise it is -0.75 and
    the outer elements go on.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ResizeBicubic()(ms.Tensor([[[[1.0, 2.0]]]]), (1, 4)))
        [[[[1.      1.5     2.      2.09375]]]]
    """
    new = _start("ResizeBicubic", 2, image, size, align_corners, half_pixel_centers)
    checks.check_floating("ResizeBicubic", image=image)
    y = image.astype(checks.compute_dtype(image.dtype))
    for axis, m in enumerate(new, 2):
        y = multiply_axis(y, axis, tabled_cubic_matrix(y.shape[axis], m, align_corners, half_pixel_centers))
    return y.astype(image.dtype)


@op(static="size coordinate_transformation_mode")
def resize_linear_1d(x: Array, size: Any, coordinate_transformation_mode: str = "align_corners") -> Array:
    """Signals in another size, with linear interpolation.

    Args:
        x (Tensor): of shape (N, C, L), floating.
        size (tuple[int], list[int], Tensor): the new L, alone in a sequence.
        coordinate_transformation_mode (str): "align_corners", the ends stay where they are, or "half_pixel", an
            element's place is the middle of its cell.

    Returns:
        Tensor of shape (N, C, L') and the dtype of `x`.

    Raises:
        TypeError: for an input that is not floating.
        ValueError: for another mode, or shapes and sizes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ResizeLinear1D()(ms.Tensor([[[1.0, 2.0]]]), (3,)))
        [[[1.  1.5 2. ]]]
    """
    name = "ResizeLinear1D"
    checks.check_choice(
        name, ("align_corners", "half_pixel"), coordinate_transformation_mode=coordinate_transformation_mode
    )
    (m,) = _start(name, 1, x, size)
    checks.check_floating(name, x=x)
    n = x.shape[2]
    at = centres(m, n, corners=coordinate_transformation_mode == "align_corners")
    return checks.apply_in_compute_dtype(
        lambda x: multiply_axis(x, 2, linear_matrix(n, at if m > 1 else at * 0)), x
    )


@op(static="sizes coordinate_transformation_mode mode")
def resize_v2(
    x: Array,
    roi: Array,
    scales: Array,
    sizes: Any,
    coordinate_transformation_mode: str = "half_pixel",
    mode: str = "nearest",
) -> Array:
    """Images in another size, as ONNX's Resize has it (`ResizeV2`).

    Args:
        x (Tensor): of shape (N, C, H, W), floating unless `mode` is "nearest".
        roi (Tensor): not used.
        scales (Tensor): not used.
        sizes (tuple[int], list[int], Tensor): N, C and the new H and W; the new H is 1 unless `mode` is "cubic".
        coordinate_transformation_mode (str): "half_pixel", an element's place is the middle of its cell, or
            "align_corners", the ends stay where they are, which "nearest" does not take.
        mode (str): "nearest", "linear" or "cubic".

    Returns:
        Tensor of the shape `sizes` and the dtype of `x`.

    Raises:
        TypeError: for arguments of another type.
        ValueError: for another mode, or shapes and sizes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.array_ops_classes import ResizeV2
        >>> none = ms.Tensor([0.0])
        >>> print(ResizeV2()(ms.Tensor([[[[1.0, 2.0, 3.0, 4.0]]]]), none, none, ms.Tensor([1, 1, 1, 9])))
        [[[[1. 1. 1. 2. 2. 3. 3. 4. 4.]]]]
    """
    name, where = "ResizeV2", coordinate_transformation_mode
    checks.check_choice(name, ("nearest", "linear", "cubic"), mode=mode)
    checks.check_choice(name, ("align_corners", "half_pixel"), coordinate_transformation_mode=where)
    if mode == "nearest" and where != "half_pixel":
        checks.fail(
            ValueError, name, "coordinate_transformation_mode", "be 'half_pixel' with mode='nearest'", where
        )
    checks.check_rank(name, 4, x=x)
    new = checks.as_int_tuple(name, 4, sizes=sizes)
    if new[:2] != x.shape[:2]:
        checks.fail(ValueError, name, "sizes", f"begin with {x.shape[:2]} as x does", new)
    if mode != "cubic" and (new[2] != 1 or x.shape[2] != 1):
        checks.fail(ValueError, name, "sizes", f"have 1 row, as x, with mode={mode!r}", new)
    if mode == "nearest":
        return take_axis(x, 3, nearest_places(x.shape[3], new[3]))
    checks.check_floating(name, x=x)
    weights = linear_matrix if mode == "linear" else cubic_matrix

    def resized(x: Array) -> Array:
        for axis in (2, 3):
            n, m = x.shape[axis], new[axis]
            x = multiply_axis(x, axis, weights(n, centres(m, n, corners=where == "align_corners")))
        return x

    return checks.apply_in_compute_dtype(resized, x)


# ------------------------------------------------------------------------------------------------ area


def _area_matrix(n: int, m: int, corners: bool) -> np.ndarray:
    """Shares (m, n) of the old elements in new ones that are as wide as `span` old ones (TensorFlow's ResizeArea)."""
    span = (n - 1) / (m - 1) if corners and min(m, n) > 1 else n / m
    start = np.arange(m)[:, None] * span
    # What a cell covers beyond the last element counts as that element.
    edge = np.arange(n) + 1.0
    edge[-1] = np.inf
    share = np.maximum(np.minimum(start + span, edge) - np.maximum(start, np.arange(n)), 0)
    return share / span


@op(static="size align_corners")
def resize_area(images: Array, size: Any, align_corners: bool = False) -> Array:
    """Images in another size, a new element the mean of the area that it covers; as TensorFlow's ResizeArea.

    Args:
        images (Tensor): of shape (N, H, W, C), real.
        size (Tensor): the new (H, W), int32.
        align_corners (bool): whether the elements in the corners stay where they are.

    Returns:
        Tensor of shape (N, *size, C), float32.

    Raises:
        TypeError: if `align_corners` is not a bool.
        ValueError: for shapes and sizes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[[[2.0], [4.0], [6.0], [8.0]], [[10.0], [12.0], [14.0], [16.0]]]])
        >>> print(ms.ops.ResizeArea()(x, ms.Tensor([1, 2], ms.int32)).reshape(2))
        [ 7. 11.]
    """
    new = _start("ResizeArea", 2, images, size, align_corners)
    y = images.astype(jnp.float32)
    for axis, m in enumerate(new, 1):
        y = multiply_axis(y, axis, _area_matrix(y.shape[axis], m, align_corners))
    return y


# ------------------------------------------------------------------------------------------------ volumes


def _volume(name: str, x: Array, output_size: Any, scales: Any) -> tuple[tuple, tuple]:
    """Return the new size of a volume, and how many old elements a new one spans."""
    checks.check_rank(name, 5, x=x)
    checks.check_floating(name, x=x)
    if (output_size is None) == (scales is None):
        received = f"{output_size}, scales={scales}"
        checks.fail(ValueError, name, "output_size", "be given, or `scales`, not both", received)
    old, given = x.shape[2:], output_size if scales is None else scales
    argument = "output_size" if scales is None else "scales"
    if not isinstance(given, tuple) or len(given) != 3 or min(given) <= 0:
        checks.fail(ValueError, name, argument, "be three positive numbers", given)
    if scales is None:
        new = checks.as_int_tuple(name, 3, output_size=output_size)
        return new, tuple(n / m for n, m in zip(old, new, strict=True))
    new = tuple(int(n * s) for n, s in zip(old, scales, strict=True))
    return new, tuple(1 / s for s in scales)


@op(static="output_size scales")
def upsample_nearest_3d(x: Array, output_size: Any = None, scales: Any = None) -> Array:
    """Volumes in another size, by their nearest elements.

    Args:
        x (Tensor): of shape (N, C, D, H, W), floating.
        output_size (tuple[int], list[int]): the new (D, H, W).
        scales (tuple[float], list[float]): factor for the old size, given instead of a new one.

    Returns:
        Tensor of shape (N, C, D', H', W') and the dtype of `x`.

    Raises:
        TypeError: for an input that is not floating.
        ValueError: for shapes and sizes that do not fit, or neither or both of the two.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.UpsampleNearest3D()(ms.ops.ones((1, 1, 2, 2, 2)), [3, 4, 5]).shape
        (1, 1, 3, 4, 5)
    """
    new, _ = _volume("UpsampleNearest3D", x, output_size, scales)
    for axis, m in enumerate(new, 2):
        x = take_axis(x, axis, nearest_places(x.shape[axis], m))
    return x


@op(static="output_size scales align_corners")
@documented_by(upsample_nearest_3d)
def upsample_trilinear_3d(
    x: Array, output_size: Any = None, scales: Any = None, align_corners: bool = False
) -> Array:
    """Volumes in another size, with linear interpolation.

    Args:
        align_corners (bool): whether the elements in the corners stay where they are.

    Raises:
        TypeError: for an input that is not floating, or if `align_corners` is not a bool.
        ValueError: for shapes and sizes that do not fit, or neither or both of the two.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.UpsampleTrilinear3D()(ms.ops.ones((1, 1, 2, 2, 2)), [3, 4, 5]).shape
        (1, 1, 3, 4, 5)
    """
    name = "UpsampleTrilinear3D"
    checks.check_bools(name, align_corners=align_corners)
    new, spans = _volume(name, x, output_size, scales)
    y = x.astype(checks.compute_dtype(x.dtype))
    for axis, (m, span) in enumerate(zip(new, spans, strict=True), 2):
        n = y.shape[axis]
        y = multiply_axis(y, axis, linear_matrix(n, centres(m, n, span, align_corners)))
    return y.astype(x.dtype)
