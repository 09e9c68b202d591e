"""Dropout layers."""

from collections.abc import Callable
from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn import dropout as ops


class Dropout(Cell):
    """In training, zeroes each element with probability p and divides the others by 1 - p.

    Args:
        keep_prob (float): the probability of staying, up to MindSpore 1.10's way.
        p (float): the probability of being zeroed; overrides `keep_prob`.
        dtype (DType): accepted for MindSpore's signature.

    Inputs:
        - **x** (Tensor) - of any shape, floating.

    Outputs:
        Tensor of the input's shape and dtype. In evaluation it is the input.

    Raises:
        TypeError: if a probability is not a float.
        ValueError: if `keep_prob` is not in (0, 1] or `p` not in [0, 1).

    References:
        Srivastava et al.: Dropout, 2014.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.Dropout(p=0.5).set_train()
        >>> sorted(set(net(ms.ops.ones((100,))).asnumpy().tolist()))
        [0.0, 2.0]
    """

    def __init__(self, keep_prob: float = 0.5, p: float | None = None, dtype: DType = dtypes.float32) -> None:
        super().__init__()
        if p is None:
            parameter_init.check_numbers("Dropout", float, keep_prob=keep_prob)
            if not 0 < keep_prob <= 1:
                raise ValueError(f"`Dropout`: argument `keep_prob` must be in (0, 1]. Received: {keep_prob}.")
        else:
            parameter_init.check_numbers("Dropout", p=p)
            if not 0 <= p < 1:
                raise ValueError(f"`Dropout`: argument `p` must be in [0, 1). Received: {p}.")
        self.p = p
        self.keep_prob = keep_prob
        self.drop_prob = 1.0 - keep_prob if p is None else float(p)

    def construct(self, x: Any) -> Any:
        """Return the input with elements zeroed."""
        # What programs set later (`cell.p = 0.0`) ends dropout; the probability itself is that of the constructor.
        if not self.training or self.keep_prob == 1 or self.p == 0:
            return x
        return ops.drop_in_training(x, self.drop_prob)

    def extend_repr(self) -> str:
        """Return the probability, as it was given."""
        return f"keep_prob={self.keep_prob}" if self.p is None else f"p={self.p}"


class _ChannelDropout(Cell):
    """Zeroing of whole channels.

    Args:
        p (float): the probability, in [0, 1].

    Outputs:
        Tensor of the input's shape and dtype. In evaluation it is the input.

    Raises:
        TypeError: if `p` is not a float.
        ValueError: if it is not in [0, 1].
    """

    function: Callable

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        name = type(self).__name__
        parameter_init.check_numbers(name, float, p=p)
        if not 0 <= p <= 1:
            raise ValueError(f"`{name}`: argument `p` must be in [0, 1]. Received: {p}.")
        self.p = p
        self.keep_prob = 1.0 - p

    def construct(self, x: Any) -> Any:
        """Return the input with channels zeroed."""
        return type(self).function(x, self.p) if self.training and self.keep_prob != 1 else x

    def extend_repr(self) -> str:
        """Return the probability of staying, which MindSpore prints as p."""
        return f"p={1.0 - self.p}"


@documented_by(_ChannelDropout)
class Dropout1d(_ChannelDropout):
    """In training, zeroes each channel with probability p and divides the others by 1 - p.

    Inputs:
        - **x** (Tensor) - of shape (N, C, L) or (C, L), floating.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Dropout1d(1.0).set_train()(ms.ops.ones((1, 2))))
        [[0. 0.]]
    """

    function = staticmethod(ops.dropout1d)

    def extend_repr(self) -> str:
        """Nothing, as MindSpore prints it."""
        return ""


@documented_by(_ChannelDropout)
class Dropout2d(_ChannelDropout):
    """In training, zeroes each channel with probability p and divides the others by 1 - p.

    Inputs:
        - **x** (Tensor) - of shape (N, C, H, W), floating.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.Dropout2d(0.5).set_train()(ms.ops.ones((1, 2, 3, 3))).shape
        (1, 2, 3, 3)
    """

    function = staticmethod(ops.dropout2d)


@documented_by(_ChannelDropout)
class Dropout3d(_ChannelDropout):
    """In training, zeroes each channel with probability p and divides the others by 1 - p.

    Inputs:
        - **x** (Tensor) - of shape (N, C, D, H, W), floating.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.Dropout3d(0.5).set_train()(ms.ops.ones((1, 2, 3, 3, 3))).shape
        (1, 2, 3, 3, 3)
    """

    function = staticmethod(ops.dropout3d)
