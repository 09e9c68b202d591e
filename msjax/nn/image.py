"""Layers that trade channels for pixels, and triangles and lengths of matrices."""

from typing import Any

from msjax.nn import start
from msjax.nn.cell import Cell
from msjax.ops.arithmetic import square
from msjax.ops.elementary import sqrt
from msjax.ops.matrices import tril, triu
from msjax.ops.reduction import reduce_sum
from msjax.ops.shapes import reshape, transpose


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
        start.positive("PixelShuffle", upscale_factor=upscale_factor)
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
        start.positive("PixelUnshuffle", downscale_factor=downscale_factor)
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
    """Mixes groups of channels: of g groups, the first channels of all, then the second ones, and so on.

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
        start.positive("ChannelShuffle", groups=groups)
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


class Tril(Cell):
    """The lower triangle of a matrix, with zeros above.

    Inputs:
        - **x** (Tensor) - of shape (M, N).
        - **k** (int) - the last diagonal that is kept. Default: 0, the main one.

    Outputs:
        Tensor of the input's shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Tril()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[1. 0.]
         [3. 4.]]
    """

    def construct(self, x: Any, k: int = 0) -> Any:
        """The lower triangle."""
        return tril(x, k)


class Triu(Cell):
    """The upper triangle of a matrix, with zeros below.

    Inputs:
        - **x** (Tensor) - of shape (M, N).
        - **k** (int) - the first diagonal that is kept. Default: 0, the main one.

    Outputs:
        Tensor of the input's shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Triu()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[1. 2.]
         [0. 4.]]
    """

    def construct(self, x: Any, k: int = 0) -> Any:
        """The upper triangle."""
        return triu(x, k)


class Norm(Cell):
    """The root of the sum of squares along axes.

    Args:
        axis (Union[tuple, int]): the axes; () means all.
        keep_dims (bool): keep them, with size 1.

    Inputs:
        - **x** (Tensor) - floating.

    Outputs:
        Tensor without the axes.

    Raises:
        TypeError: if `axis` is neither int nor tuple, or `keep_dims` no bool.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Norm(axis=0)(ms.Tensor([3.0, 4.0])))
        5.0
    """

    def __init__(self, axis: Any = (), keep_dims: bool = False) -> None:
        super().__init__()
        start.numbers("Norm", int, tuple, axis=axis)
        start.flags("Norm", keep_dims=keep_dims)
        self.axis = axis
        self.keep_dims = keep_dims

    def construct(self, x: Any) -> Any:
        """The length."""
        return sqrt(reduce_sum(square(x), self.axis, self.keep_dims))

    def extend_repr(self) -> str:
        """Axes and whether they are kept."""
        return f"axis={self.axis}, keep_dims={self.keep_dims}"
