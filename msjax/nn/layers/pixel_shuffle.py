"""Pixel shuffle and channel shuffle layers."""

from typing import Any

from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.ops.array.shapes import reshape, transpose


class PixelShuffle(Cell):
    """Makes r x r pixels of r * r channels.

    Args:
        upscale_factor (int): r.

    Inputs:
        - **input** (Tensor) - of shape (..., C * r * r, H, W).

    Outputs:
        Tensor of shape (..., C, H * r, W * r).

    Raises:
        ValueError: if r is not positive; at the call, if it does not divide the channels.

    References:
        Shi et al.: Real-Time Single Image and Video Super-Resolution, 2016.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.PixelShuffle(2)(ms.ops.ones((1, 8, 3, 4))).shape
        (1, 2, 6, 8)
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        parameter_init.positive("PixelShuffle", upscale_factor=upscale_factor)
        self.upscale_factor = upscale_factor

    def construct(self, input: Any) -> Any:
        """Pixels of channels."""
        r = self.upscale_factor
        *lead, c, h, w = input.shape
        if c % (r * r):
            raise ValueError(
                f"`PixelShuffle`: the channels must be a multiple of {r * r}. Received: {input.shape}."
            )
        n = len(lead)
        split = reshape(input, (*lead, c // (r * r), r, r, h, w))
        order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
        return reshape(transpose(split, order), (*lead, c // (r * r), h * r, w * r))


class PixelUnshuffle(Cell):
    """Makes r * r channels of r x r pixels.

    Args:
        downscale_factor (int): r.

    Inputs:
        - **input** (Tensor) - of shape (..., C, H * r, W * r).

    Outputs:
        Tensor of shape (..., C * r * r, H, W).

    Raises:
        ValueError: if r is not positive; at the call, if it does not divide height and width.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.PixelUnshuffle(2)(ms.ops.ones((1, 2, 6, 8))).shape
        (1, 8, 3, 4)
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        parameter_init.positive("PixelUnshuffle", downscale_factor=downscale_factor)
        self.downscale_factor = downscale_factor

    def construct(self, input: Any) -> Any:
        """Channels of pixels."""
        r = self.downscale_factor
        *lead, c, h, w = input.shape
        if h % r or w % r:
            raise ValueError(
                f"`PixelUnshuffle`: height and width must be multiples of {r}. Received: {input.shape}."
            )
        n = len(lead)
        split = reshape(input, (*lead, c, h // r, r, w // r, r))
        order = (*range(n), n, n + 2, n + 4, n + 1, n + 3)
        return reshape(transpose(split, order), (*lead, c * r * r, h // r, w // r))


class ChannelShuffle(Cell):
    """Channel shuffle: of g groups, the first channels of all, then the second ones, and so on.

    Args:
        groups (int): g.

    Inputs:
        - **x** (Tensor) - of shape (N, C, ...).

    Outputs:
        Tensor of the input's shape and dtype.

    Raises:
        ValueError: if g is not positive; at the call, if it does not divide the channels.

    References:
        Zhang et al.: ShuffleNet, 2017.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 2.0, 3.0, 4.0]]).reshape((1, 4, 1))
        >>> print(ms.nn.ChannelShuffle(2)(x).reshape((4,)))
        [1. 3. 2. 4.]
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        parameter_init.positive("ChannelShuffle", groups=groups)
        self.groups = groups

    def construct(self, x: Any) -> Any:
        """The channels, mixed."""
        n, c, *rest = x.shape
        if c % self.groups:
            raise ValueError(
                f"`ChannelShuffle`: the channels must be a multiple of {self.groups}. Received: {x.shape}."
            )
        split = reshape(x, (n, self.groups, c // self.groups, *rest))
        return reshape(transpose(split, (0, 2, 1, *range(3, split.ndim))), x.shape)
