"""Pixel shuffle and channel shuffle layers."""

from typing import Any

from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies
from msjax.ops.array.shapes import reshape, transpose
from msjax.ops.array.space_to_depth import pixel_shuffle, pixel_unshuffle


@applies(pixel_shuffle, "input", check=parameter_init.check_positive_ints)
class PixelShuffle(Cell):
    """Makes r x r pixels of r * r channels.

    Raises:
        ValueError: if the factor is not positive; at the call, if it does not divide the channels.

    References:
        Shi et al.: Real-Time Single Image and Video Super-Resolution, 2016.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.PixelShuffle(2)(ms.ops.ones((1, 8, 3, 4))).shape
        (1, 2, 6, 8)
    """

    upscale_factor: int


@applies(pixel_unshuffle, "input", check=parameter_init.check_positive_ints)
class PixelUnshuffle(Cell):
    """Makes r * r channels of r x r pixels.

    Raises:
        ValueError: if the factor is not positive; at the call, if it does not divide height and width.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.PixelUnshuffle(2)(ms.ops.ones((1, 2, 6, 8))).shape
        (1, 8, 3, 4)
    """

    downscale_factor: int


@applies(check=parameter_init.check_positive_ints)
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

    groups: int

    def construct(self, x: Any) -> Any:
        """Return the channels, mixed."""
        n, c, *rest = x.shape
        if c % self.groups:
            raise ValueError(
                f"`ChannelShuffle`: the channels must be a multiple of {self.groups}. Received: {x.shape}."
            )
        split = reshape(x, (n, self.groups, c // self.groups, *rest))
        return reshape(transpose(split, (0, 2, 1, *range(3, split.ndim))), x.shape)
