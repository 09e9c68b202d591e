"""Fractional max pooling layers: pooling windows at random places."""

from typing import Any

from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies
from msjax.ops.nn.fractional_pooling import fractional_max_pool2d, fractional_max_pool3d


@applies(fractional_max_pool2d, "input")
class FractionalMaxPool2d(Cell):
    """Fractional max pooling over two dimensions: the windows lie at random, but in order.

    References:
        Graham: Fractional Max-Pooling, 2014.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.FractionalMaxPool2d(2, output_size=(2, 3))
        >>> net(ms.ops.ones((1, 2, 6, 8))).shape
        (1, 2, 2, 3)
    """

    kernel_size: Any
    output_size: Any = None
    output_ratio: Any = None
    return_indices: bool = False
    _random_samples: Any = None


@applies(fractional_max_pool3d, "input")
class FractionalMaxPool3d(FractionalMaxPool2d):
    """Fractional max pooling over three dimensions: the windows lie at random, but in order.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.FractionalMaxPool3d(1, output_ratio=0.5)
        >>> net(ms.ops.ones((1, 1, 4, 4, 4))).shape
        (1, 1, 2, 2, 2)
    """
