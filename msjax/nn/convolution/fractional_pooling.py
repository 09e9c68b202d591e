"""Fractional max pooling layers: pooling windows at random places."""

from typing import Any

from msjax.nn.cell.cell import Cell
from msjax.ops.nn.fractional_pooling import fractional_max_pool2d, fractional_max_pool3d


class FractionalMaxPool2d(Cell):
    """Fractional max pooling over two dimensions: the windows lie at random, but in order.

    Args:
        kernel_size (Union[int, tuple]): size of the windows.
        output_size (Union[int, tuple]): how many windows there are along each dimension.
        output_ratio (Union[float, tuple]): their number as a part of the input's size, in (0, 1); either this or
            `output_size`.
        return_indices (bool): also return where the elements were found.
        _random_samples (Tensor): numbers in [0, 1) of shape (N, C, 2) that place the windows. Default: drawn.

    Inputs:
        - **input** (Tensor) - of shape (N, C, H, W) or (C, H, W).

    Outputs:
        Tensor of shape (N, C, H', W') or (C, H', W'); with `return_indices` a tuple of it and int64 places in H x W.

    Raises:
        TypeError: at the call, if an argument is of another type.
        ValueError: at the call, for numbers or shapes that do not fit.

    References:
        Graham: Fractional Max-Pooling, 2014.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.FractionalMaxPool2d(2, output_size=(2, 3))
        >>> net(ms.ops.ones((1, 2, 6, 8))).shape
        (1, 2, 2, 3)
    """

    _pool = staticmethod(fractional_max_pool2d)

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.output_size = output_size
        self.output_ratio = output_ratio
        self.return_indices = return_indices
        self._random_samples = _random_samples

    def construct(self, input: Any) -> Any:
        """The largest elements."""
        return self._pool(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            self._random_samples,
        )


class FractionalMaxPool3d(FractionalMaxPool2d):
    """Fractional max pooling over three dimensions: the windows lie at random, but in order.

    Args:
        kernel_size (Union[int, tuple]): size of the windows.
        output_size (Union[int, tuple]): how many windows there are along each dimension.
        output_ratio (Union[float, tuple]): their number as a part of the input's size, in (0, 1); either this or
            `output_size`.
        return_indices (bool): also return where the elements were found.
        _random_samples (Tensor): numbers in [0, 1) of shape (N, C, 3) that place the windows. Default: drawn.

    Inputs:
        - **input** (Tensor) - of shape (N, C, D, H, W) or (C, D, H, W).

    Outputs:
        Tensor of shape (N, C, D', H', W') or (C, D', H', W'); with `return_indices` a tuple of it and places.

    Raises:
        TypeError: at the call, if an argument is of another type.
        ValueError: at the call, for numbers or shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.FractionalMaxPool3d(1, output_ratio=0.5)
        >>> net(ms.ops.ones((1, 1, 4, 4, 4))).shape
        (1, 1, 2, 2, 2)
    """

    _pool = staticmethod(fractional_max_pool3d)
