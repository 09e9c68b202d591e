"""Piecewise-linear activation layers (ReLU, LeakyReLU, HSwish ...), and `get_activation` by name."""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies
from msjax.nn.cell.parameter_init import check_numbers, check_positive_ints
from msjax.nn.layers import activation_smooth
from msjax.ops.nn import activation_piecewise as ops


@applies(ops.relu, "input")
class ReLU(Cell):
    """Elementwise max(0, x).

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.ReLU()(ms.Tensor([-1.0, 2.0])))
        [0. 2.]
    """


@applies(ops.relu6, "x")
class ReLU6(Cell):
    """Elementwise min(max(0, x), 6).

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.ReLU6()(ms.Tensor([-1.0, 2.0, 9.0])))
        [0. 2. 6.]
    """


@applies(ops.leaky_relu, "x")
class LeakyReLU(Cell):
    """Elementwise x where positive, alpha * x elsewhere.

    Raises:
        TypeError: at the call, if `alpha` is not a number.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.LeakyReLU(0.5)(ms.Tensor([-1.0, 2.0])))
        [-0.5  2. ]
    """

    alpha: float = 0.2


class PReLU(Cell):
    """Elementwise x where positive, w * x elsewhere, with learned slopes w.

    Args:
        channel (int): number of slopes: 1, or one per channel (dimension 1).
        w (float, list, Tensor): where they start.

    Inputs:
        - **x** (Tensor) - of shape (N, channel, ...), floating.

    Outputs:
        Tensor of the input's shape and dtype.

    Raises:
        TypeError: if `channel` is not an int, or `w` is none of these.
        ValueError: if `channel` is not positive, or `w` has not as many elements; at the call, if the input has another
            number of channels.

    References:
        He et al.: Delving Deep into Rectifiers, 2015.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.PReLU()(ms.Tensor([[-1.0, 2.0]])))
        [[-0.25  2.  ]]
    """

    def __init__(self, channel: int = 1, w: Any = 0.25) -> None:
        super().__init__()
        check_positive_ints("PReLU", channel=channel)
        self.w = Parameter(_slopes(channel, w), name="a")

    def construct(self, x: Any) -> Any:
        """Return x where it is positive, else w * x."""
        return ops.prelu(x, self.w)


def _slopes(channel: int, w: Any) -> Tensor:
    if isinstance(w, Tensor):
        if w.shape != (channel,) or w.dtype not in (dtypes.float16, dtypes.float32):
            raise ValueError(
                f"`PReLU`: argument `w` must be a float16 or float32 Tensor of shape ({channel},). "
                f"Received: shape={w.shape}, dtype={w.dtype}."
            )
        return Tensor(w)
    if not isinstance(w, float | list):
        raise TypeError(f"`PReLU`: argument `w` must be a float, a list or a Tensor. Received: {w!r}.")
    if isinstance(w, list) and len(w) != channel:
        raise ValueError(f"`PReLU`: argument `w` must have {channel} elements. Received: {len(w)}.")
    return Tensor(w if isinstance(w, list) else [w] * channel, dtypes.float32)


@applies(ops.rrelu, "x", check=check_numbers)
class RReLU(Cell):
    """Elementwise x where positive, s * x elsewhere, with slopes s drawn uniformly for each element.

    Raises:
        TypeError: if a bound is not a number.
        ValueError: if `lower` is above `upper`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.RReLU(0.5, 0.5)(ms.Tensor([-1.0, 2.0])))
        [-0.5  2. ]
    """

    lower: float = 1 / 8
    upper: float = 1 / 3

    def __post_init__(self) -> None:
        if self.lower > self.upper:
            raise ValueError(
                f"`RReLU`: argument `lower` must not be above `upper`. Received: {self.lower}, {self.upper}."
            )


@applies(ops.hardswish, "input")
class HSwish(Cell):
    """Elementwise x * min(max(0, x + 3), 6) / 6.

    References:
        Howard et al.: Searching for MobileNetV3, 2019.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.HSwish()(ms.Tensor([-3.0, 0.0, 3.0])))
        [-0.  0.  3.]
    """


@applies(ops.hardsigmoid, "input")
class HSigmoid(Cell):
    """Elementwise min(max(0, x + 3), 6) / 6.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.HSigmoid()(ms.Tensor([-3.0, 0.0, 3.0])))
        [0.  0.5 1. ]
    """


@applies(ops.hardtanh, "x", check=check_numbers)
class Hardtanh(Cell):
    """Elementwise min(max(x, min_val), max_val).

    Raises:
        TypeError: if a bound is not a number.
        ValueError: if `min_val` is not below `max_val`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Hardtanh()(ms.Tensor([-3.0, 0.5, 3.0])))
        [-1.   0.5  1. ]
    """

    min_val: float = -1.0
    max_val: float = 1.0

    def __post_init__(self) -> None:
        if self.min_val >= self.max_val:
            raise ValueError(
                f"`Hardtanh`: argument `min_val` must be below `max_val`. Received: {self.min_val}, {self.max_val}."
            )


@applies(ops.hardshrink, "input", check=check_numbers)
class HShrink(Cell):
    """Elementwise x where |x| > lambd, 0 elsewhere.

    Raises:
        TypeError: if `lambd` is not a number.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.HShrink()(ms.Tensor([-3.0, 0.5, 3.0])))
        [-3.  0.  3.]
    """

    lambd: float = 0.5


@applies(ops.softshrink, "input", fixed=True)
class SoftShrink(Cell):
    """Elementwise x moved by lambd towards 0, and 0 where |x| <= lambd.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.SoftShrink()(ms.Tensor([-3.0, 0.5, 3.0])))
        [-2.5  0.   2.5]
    """

    lambd: float = 0.5

    def __post_init__(self) -> None:
        if not isinstance(self.lambd, bool | int | float):
            raise TypeError(f"`SoftShrink`: argument `lambd` must be a number. Received: {self.lambd!r}.")


@applies(ops.threshold, "input_x", "threshold=thr")
class Threshold(Cell):
    """Elementwise x where x > threshold, `value` elsewhere.

    Raises:
        TypeError: at the call, if an argument is not a number.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Threshold(0.0, -1.0)(ms.Tensor([-3.0, 0.5])))
        [-1.   0.5]
    """

    threshold: float
    value: float


_BY_NAME: dict[str, type[Cell]] = {
    "softmin": activation_smooth.Softmin,
    "softmax": activation_smooth.Softmax,
    "softmax2d": activation_smooth.Softmax2d,
    "logsoftmax": activation_smooth.LogSoftmax,
    "logsoftmaxExt": activation_smooth.LogSoftmaxExt,
    "relu": ReLU,
    "relu6": ReLU6,
    "rrelu": RReLU,
    "silu": activation_smooth.SiLU,
    "tanh": activation_smooth.Tanh,
    "tanhshrink": activation_smooth.Tanhshrink,
    "hardtanh": Hardtanh,
    "gelu": activation_smooth.GELU,
    "fast_gelu": activation_smooth.FastGelu,
    "elu": activation_smooth.ELU,
    "sigmoid": activation_smooth.Sigmoid,
    "softsign": activation_smooth.Softsign,
    "prelu": PReLU,
    "leakyrelu": LeakyReLU,
    "hswish": HSwish,
    "hsigmoid": HSigmoid,
    "logsigmoid": activation_smooth.LogSigmoid,
    "softshrink": SoftShrink,
    "hshrink": HShrink,
    "threshold": Threshold,
    "mish": activation_smooth.Mish,
}


def get_activation(name: str | None, prim_name: str | None = None) -> Cell | None:
    """Return the activation layer of a name.

    Args:
        name: "relu", "gelu", "sigmoid", ..., or None.
        prim_name: the layer that asks, for messages.

    Returns:
        A new layer with its default arguments, or None for None.

    Raises:
        KeyError: for an unknown name.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.get_activation("relu")
        ReLU()
    """
    if name is None:
        return None
    if name not in _BY_NAME:
        raise KeyError(
            f"`{prim_name or 'get_activation'}`: `name` must be one of {[*_BY_NAME]}. Received: {name!r}."
        )
    return _BY_NAME[name]()
