"""Image quality metrics as layers (SSIM, MS-SSIM, PSNR); image gradients and central crop."""

from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.convolution.conv import Conv2d
from msjax.nn.convolution.pooling import AvgPool2d
from msjax.nn.layers.activation_piecewise import ReLU
from msjax.nn.layers.containers import CellList
from msjax.ops.array.joining import concat, stack
from msjax.ops.array.shapes import reshape
from msjax.ops.common.docstrings import documented_by
from msjax.ops.math.arithmetic import add, div, mul, pow, square, sub
from msjax.ops.math.elementary import log
from msjax.ops.reduction.reduction import mean, prod


def _four_dimensions(layer: str, **images: Any) -> None:
    for name, image in images.items():
        if len(image.shape) != 4:
            raise ValueError(
                f"`{layer}`: input `{name}` must be of shape (N, C, H, W). Received: {image.shape}."
            )


def _positive_number(layer: str, name: str, value: Any, *kinds: type) -> None:
    parameter_init.check_numbers(layer, *kinds, **{name: value})
    if value <= 0:
        raise ValueError(f"`{layer}`: argument `{name}` must be positive. Received: {value}.")


def _scale_pixels(max_val: float, *images: Any) -> tuple:
    """Return the range of pixels and the images, where integers are divided by their dtype's largest value."""
    top = 1.0 if images[0].dtype.is_floating_point else float(np.iinfo(images[0].dtype.np).max)
    floats = [image.astype(dtypes.float32) for image in images]
    return max_val / top, *(floats if top == 1.0 else [mul(image, 1 / top) for image in floats])


class ImageGradients(Cell):
    """Differences of neighbouring pixels: below minus above, and right minus left; zero in the last row or column.

    Inputs:
        - **images** (Tensor) - of shape (N, C, H, W).

    Outputs:
        Tuple of two Tensors of the input's shape: along the height, along the width.

    Raises:
        ValueError: if the input does not have four dimensions.

    Examples:
        >>> import msjax as ms
        >>> dy, dx = ms.nn.ImageGradients()(ms.Tensor([[[[1, 2], [3, 4]]]]))
        >>> print(dy[0, 0], dx[0, 0])
        [[2 2]
         [0 0]] [[1 0]
         [1 0]]
    """

    def construct(self, images: Any) -> tuple:
        """Differences along the height and the width."""
        _four_dimensions("ImageGradients", images=images)
        dy = sub(images[:, :, 1:, :], images[:, :, :-1, :])
        dx = sub(images[:, :, :, 1:], images[:, :, :, :-1])
        last_row, last_column = mul(images[:, :, -1:, :], 0), mul(images[:, :, :, -1:], 0)
        return concat((dy, last_row), 2), concat((dx, last_column), 3)


def _window(size: int, sigma: float) -> Tensor:
    """Return a Gaussian over size x size pixels as the weight of a convolution; its sum is 1."""
    at = np.arange(-size // 2 + 1, size // 2 + 1, dtype=np.float32) ** 2
    bell = np.exp(-(at[:, None] + at[None, :]) / (2 * sigma**2))
    return Tensor((bell / bell.sum()).astype(np.float32)[None, None])


class _Similarity(Cell):
    """Base class of SSIM and MSSSIM."""

    def __init__(
        self, max_val: float, filter_size: int, filter_sigma: float, k1: float, k2: float, levels: int
    ) -> None:
        super().__init__()
        owner = self.cls_name
        _positive_number(owner, "max_val", max_val)
        parameter_init.check_positive_ints(owner, filter_size=filter_size)
        _positive_number(owner, "filter_sigma", filter_sigma, float)
        parameter_init.check_numbers(owner, float, k1=k1, k2=k2)
        self.max_val, self.filter_size, self.filter_sigma = max_val, filter_size, filter_sigma
        self.k1, self.k2 = k1, k2
        convs = [
            Conv2d(1, 1, filter_size, pad_mode="valid", weight_init=_window(filter_size, filter_sigma))
            for _ in range(levels)
        ]
        for conv in convs:
            conv.weight.requires_grad = False
        self._add(convs)

    def _add(self, convs: list) -> None:
        """Store the convolutions under MindSpore's names."""
        raise NotImplementedError

    def _similar(self, conv: Any, reach: float, a: Any, b: Any) -> tuple:
        """Return the means of SSIM and of its factor without luminance, for each image and channel."""
        n, c, h, w = a.shape
        if min(h, w) < self.filter_size:
            raise ValueError(
                f"`{self.cls_name}`: the images must be at least {self.filter_size} x {self.filter_size}. "
                f"Received: {h} x {w}."
            )
        blurred = lambda x: conv(reshape(x, (n * c, 1, *x.shape[2:])))  # noqa: E731
        c1, c2 = (self.k1 * reach) ** 2, (self.k2 * reach) ** 2
        mean_a, mean_b = blurred(a), blurred(b)
        spread = sub(add(blurred(square(a)), blurred(square(b))), add(square(mean_a), square(mean_b)))
        shared = sub(blurred(mul(a, b)), mul(mean_a, mean_b))
        contrast = div(add(mul(shared, 2), c2), add(spread, c2))
        light = div(add(mul(mul(mean_a, mean_b), 2), c1), add(add(square(mean_a), square(mean_b)), c1))
        per_channel = lambda x: reshape(mean(x, (1, 2, 3)), (n, c))  # noqa: E731
        return per_channel(mul(light, contrast)), per_channel(contrast)


class SSIM(_Similarity):
    """The structural similarity of images: 1 where they are equal.

    Args:
        max_val (Union[int, float]): the range of the pixels' values.
        filter_size (int): edge of the Gaussian window.
        filter_sigma (float): its standard deviation.
        k1 (float): keeps the quotient of brightness finite.
        k2 (float): keeps the quotient of contrast finite.

    Inputs:
        - **img1** (Tensor) - of shape (N, C, H, W), float16 or float32.
        - **img2** (Tensor) - of the same shape and dtype.

    Outputs:
        Tensor of shape (N,), float32: the mean over channels and places.

    Raises:
        TypeError: if an argument or an input is of another type.
        ValueError: if `max_val`, `filter_size` or `filter_sigma` is not positive; at the call, if the shapes differ or
            are smaller than the window.

    References:
        Wang, Bovik, Sheikh, Simoncelli: Image Quality Assessment, 2004.

    Examples:
        >>> import msjax as ms
        >>> x = ms.ops.ones((1, 3, 16, 16))
        >>> print(ms.nn.SSIM()(x, x))
        [1.]
    """

    def __init__(
        self,
        max_val: float = 1.0,
        filter_size: int = 11,
        filter_sigma: float = 1.5,
        k1: float = 0.01,
        k2: float = 0.03,
    ) -> None:
        super().__init__(max_val, filter_size, filter_sigma, k1, k2, 1)

    def _add(self, convs: list) -> None:
        self.conv = convs[0]

    def construct(self, img1: Any, img2: Any) -> Any:
        """Return the similarity of each pair."""
        parameter_init.check_tensor_dtypes("SSIM", (dtypes.float32, dtypes.float16), img1=img1, img2=img2)
        _four_dimensions("SSIM", img1=img1)
        parameter_init.check_same_shape_and_dtype("SSIM", img1=img1, img2=img2)
        reach, a, b = _scale_pixels(self.max_val, img1, img2)
        return mean(self._similar(self.conv, reach, a, b)[0], -1)


@documented_by(SSIM)
class MSSSIM(_Similarity):
    """Multi-scale structural similarity (MS-SSIM): each scale has half the size of the one before.

    Args:
        power_factors (Union[tuple, list]): the exponent of each scale.

    Inputs:
        - **img1** (Tensor) - of shape (N, C, H, W): float16, float32, float64 or uint8.
        - **img2** (Tensor) - of the same shape and dtype.

    Outputs:
        Tensor of shape (N,), float32.

    Raises:
        TypeError: if an argument or an input is of another type.
        ValueError: if `max_val`, `filter_size` or `filter_sigma` is not positive; at the call, if the shapes differ or
            are smaller than the window at a scale.

    References:
        Wang, Simoncelli, Bovik: Multiscale structural similarity for image quality assessment, 2003.

    Examples:
        >>> import msjax as ms
        >>> x = ms.ops.ones((1, 3, 32, 32))
        >>> print(ms.nn.MSSSIM(power_factors=(0.5, 0.5))(x, x).asnumpy().round(4))
        [1.]
    """

    def __init__(
        self,
        max_val: float = 1.0,
        power_factors: Any = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
        filter_size: int = 11,
        filter_sigma: float = 1.5,
        k1: float = 0.01,
        k2: float = 0.03,
    ) -> None:
        parameter_init.check_numbers("MSSSIM", tuple, list, power_factors=power_factors)
        super().__init__(max_val, filter_size, filter_sigma, k1, k2, len(power_factors))
        self.level = len(power_factors)
        self.weight_tensor = Tensor(power_factors, dtypes.float32)

    def _add(self, convs: list) -> None:
        self.multi_convs_list = CellList(convs)
        self.avg_pool, self.relu = AvgPool2d(2, 2), ReLU()

    def construct(self, img1: Any, img2: Any) -> Any:
        """Return the similarity of each pair."""
        _four_dimensions("MSSSIM", img1=img1, img2=img2)
        allowed = (dtypes.float64, dtypes.float32, dtypes.float16, dtypes.uint8)
        parameter_init.check_tensor_dtypes("MSSSIM", allowed, img1=img1, img2=img2)
        parameter_init.check_same_shape_and_dtype("MSSSIM", img1=img1, img2=img2)
        reach, a, b = _scale_pixels(self.max_val, img1, img2)
        factors = []
        for number, conv in enumerate(self.multi_convs_list):
            similar, contrast = self._similar(conv, reach, a, b)
            factors.append(self.relu(contrast if number < self.level - 1 else similar))
            a, b = self.avg_pool(a), self.avg_pool(b)
        return mean(prod(pow(stack(factors, -1), self.weight_tensor), -1), -1)


class PSNR(Cell):
    """The peak signal-to-noise ratio of images: 10 log10(max_val^2 / mean squared difference).

    Args:
        max_val (Union[int, float]): the range of the pixels' values.

    Inputs:
        - **img1** (Tensor) - of shape (N, C, H, W). Integers are divided by their dtype's largest value.
        - **img2** (Tensor) - of the same shape and dtype.

    Outputs:
        Tensor of shape (N,), float32.

    Raises:
        TypeError: if `max_val` is not a number; at the call, if the dtypes differ.
        ValueError: if `max_val` is not positive; at the call, for other shapes.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.PSNR()(ms.ops.zeros((1, 1, 2, 2)), ms.ops.ones((1, 1, 2, 2)) * 0.1).round(2))
        [20.]
    """

    def __init__(self, max_val: float = 1.0) -> None:
        super().__init__()
        _positive_number("PSNR", "max_val", max_val)
        self.max_val = max_val

    def construct(self, img1: Any, img2: Any) -> Any:
        """Return the ratio of each pair."""
        _four_dimensions("PSNR", img1=img1, img2=img2)
        parameter_init.check_same_shape_and_dtype("PSNR", img1=img1, img2=img2)
        reach, a, b = _scale_pixels(self.max_val, img1, img2)
        error = mean(square(sub(a, b)), (1, 2, 3))
        return mul(log(div(reach**2, error)), 10 / np.log(10.0).item())


class CentralCrop(Cell):
    """The middle of images.

    Args:
        central_fraction (float): of each edge that is kept, in (0, 1].

    Inputs:
        - **image** (Tensor) - of shape (C, H, W) or (N, C, H, W).

    Outputs:
        Tensor; as much is cut off on the left as on the right, and above as below.

    Raises:
        TypeError: if `central_fraction` is not a float.
        ValueError: if it is not in (0, 1]; at the call, for another number of dimensions.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.CentralCrop(0.5)(ms.ops.ones((3, 4, 6))).shape
        (3, 2, 4)
    """

    def __init__(self, central_fraction: float) -> None:
        super().__init__()
        parameter_init.check_numbers("CentralCrop", float, central_fraction=central_fraction)
        if not 0 < central_fraction <= 1:
            raise ValueError(
                f"`CentralCrop`: argument `central_fraction` must be in (0, 1]. Received: {central_fraction}."
            )
        self.central_fraction = central_fraction

    def construct(self, image: Any) -> Any:
        """Return the middle."""
        if len(image.shape) not in (3, 4):
            raise ValueError(
                f"`CentralCrop`: the input must have 3 or 4 dimensions. Received: {image.shape}."
            )
        if self.central_fraction == 1.0:
            return image
        (h, top), (w, left) = ((n, int((n - n * self.central_fraction) / 2)) for n in image.shape[-2:])
        return image[..., top : h - top, left : w - left]
