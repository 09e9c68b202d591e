"""Power-average (LP) pooling and max unpooling layers."""

from typing import Any

from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn import adaptive_pooling as back
from msjax.ops.nn import pooling as ops


class _LPPool(Cell):
    """Norms of windows."""

    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        parameter_init.check_numbers(type(self).__name__, norm_type=norm_type)
        parameter_init.check_bools(type(self).__name__, ceil_mode=ceil_mode)
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode


@documented_by(ops.lp_pool1d, "x")
class LPPool1d(_LPPool):
    """The norm of each window over one dimension: (sum of x^p)^(1/p).

    Outputs:
        Tensor of shape (N, C, L') or (C, L').

    Raises:
        TypeError: if `norm_type` is not a number or `ceil_mode` not a bool.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.LPPool1d(2, 2)(ms.Tensor([[[3.0, 4.0]]])))
        [[[5.]]]
    """

    def construct(self, x: Any) -> Any:
        """The norms of windows."""
        return ops.lp_pool1d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


@documented_by(ops.lp_pool2d, "x")
class LPPool2d(_LPPool):
    """The norm of each window over two dimensions: (sum of x^p)^(1/p).

    Raises:
        TypeError: if `norm_type` is not a number or `ceil_mode` not a bool.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.LPPool2d(2, 2)(ms.ops.ones((1, 1, 2, 2))))
        [[[[2.]]]]
    """

    def construct(self, x: Any) -> Any:
        """The norms of windows."""
        return ops.lp_pool2d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


@applies(back.max_unpool1d, "x, indices, output_size=None")
class MaxUnpool1d(Cell):
    """Puts the maxima of pooling over one dimension back where they were, among zeros; see :class:`MaxUnpool2d`.

    Outputs:
        Tensor of shape (N, C, L') or (C, L').

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.MaxUnpool1d(2)(ms.Tensor([[[5.0]]]), ms.Tensor([[[1]]])))
        [[[0. 5.]]]
    """

    kernel_size: Any
    stride: Any = None
    padding: Any = 0


@applies(back.max_unpool2d, "x, indices, output_size=None")
class MaxUnpool2d(Cell):
    """Puts the maxima of pooling over two dimensions back where they were, among zeros.

    Outputs:
        Tensor of shape (N, C, H', W') or (C, H', W').

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.MaxUnpool2d(2)(ms.Tensor([[[[5.0]]]]), ms.Tensor([[[[3]]]])))
        [[[[0. 0.]
           [0. 5.]]]]
    """

    kernel_size: Any
    stride: Any = None
    padding: Any = 0


@applies(back.max_unpool3d, "x, indices, output_size=None")
class MaxUnpool3d(Cell):
    """Puts the maxima of pooling over three dimensions back where they were, among zeros; see :class:`MaxUnpool2d`.

    Outputs:
        Tensor of shape (N, C, D', H', W') or (C, D', H', W').

    Examples:
        >>> import msjax as ms
        >>> x, places = ms.ops.ones((1, 1, 1, 1, 1)), ms.Tensor([[[[[0]]]]])
        >>> ms.nn.MaxUnpool3d(2)(x, places).shape
        (1, 1, 2, 2, 2)
    """

    kernel_size: Any
    stride: Any = None
    padding: Any = 0
