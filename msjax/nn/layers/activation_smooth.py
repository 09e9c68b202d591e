"""Smooth activation layers (Sigmoid, Tanh, GELU, Softmax ...); the piecewise-linear ones have their own module."""

from typing import Any

from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies
from msjax.nn.cell.parameter_init import check_bools
from msjax.ops.nn import activation_smooth as ops


@applies(ops.sigmoid, "x")
class Sigmoid(Cell):
    """Elementwise 1 / (1 + exp(-x)).

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Sigmoid()(ms.Tensor([0.0])))
        [0.5]
    """


@applies(ops.tanh, "x")
class Tanh(Cell):
    """Elementwise hyperbolic tangent.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Tanh()(ms.Tensor([0.0])))
        [0.]
    """


@applies(ops.silu, "x")
class SiLU(Cell):
    """Elementwise x * sigmoid(x).

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.SiLU()(ms.Tensor([0.0])))
        [0.]
    """


@applies(ops.gelu, "x")
class GELU(Cell):
    """Elementwise x * P(Z < x) for a standard normal Z.

    Args:
        approximate (bool): compute the probability by a tanh.

    Raises:
        TypeError: if `approximate` is not a bool.

    References:
        Hendrycks, Gimpel: Gaussian Error Linear Units, 2016.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.GELU()(ms.Tensor([0.0, 10.0])))
        [ 0. 10.]
    """

    def __init__(self, approximate: bool = True) -> None:
        super().__init__()
        check_bools("GELU", approximate=approximate)
        self.approximate = "tanh" if approximate else "none"


@applies(ops.fast_gelu, "x")
class FastGelu(Cell):
    """Elementwise x / (1 + exp(-1.702 |x|)) * exp(0.851 (x - |x|)), an approximation of GELU.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.FastGelu()(ms.Tensor([0.0])))
        [0.]
    """


@applies(ops.mish, "input_x")
class Mish(Cell):
    """Elementwise x * tanh(log(1 + exp(x))).

    References:
        Misra: Mish, a Self Regularized Non-Monotonic Activation Function, 2019.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Mish()(ms.Tensor([0.0])))
        [0.]
    """


@applies(ops.elu, "x", fixed=True)
class ELU(Cell):
    """Elementwise x where positive, alpha * (exp(x) - 1) elsewhere.

    Raises:
        TypeError: at the call, if `alpha` is not a number.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.ELU()(ms.Tensor([0.0, 2.0])))
        [0. 2.]
    """

    alpha: float = 1.0


@applies(ops.celu, "x", fixed=True)
class CELU(Cell):
    """Elementwise max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.CELU(2.0)(ms.Tensor([0.0, 2.0])))
        [0. 2.]
    """

    alpha: float = 1.0


@applies(ops.selu, "input_x")
class SeLU(Cell):
    """Elementwise 1.0507 * (x where positive, 1.67326 * (exp(x) - 1) elsewhere).

    References:
        Klambauer et al.: Self-Normalizing Neural Networks, 2017.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.SeLU()(ms.Tensor([0.0])))
        [0.]
    """


@applies(ops.logsigmoid, "input_x")
class LogSigmoid(Cell):
    """Elementwise log(1 / (1 + exp(-x))), without overflow.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.LogSigmoid()(ms.Tensor([0.0])).round(4))
        [-0.6931]
    """


@applies(ops.softsign, "x")
class Softsign(Cell):
    """Elementwise x / (1 + |x|).

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Softsign()(ms.Tensor([1.0, -3.0])))
        [ 0.5  -0.75]
    """


@applies(ops.tanhshrink, "x")
class Tanhshrink(Cell):
    """Elementwise x - tanh(x).

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Tanhshrink()(ms.Tensor([0.0])))
        [0.]
    """


@applies(ops.glu, "x")
class GLU(Cell):
    """The first half of x along an axis, times the sigmoid of the second.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.GLU()(ms.Tensor([4.0, 0.0])))
        [2.]
    """

    axis: int = -1


def _axis(layer: str, axis: Any) -> int:
    """Return the axis of a softmax, which may also stand in a tuple of one."""
    if not isinstance(axis, int | tuple) or isinstance(axis, bool):
        raise TypeError(
            f"`{layer}`: argument `axis` must be an int. Received: {axis!r} ({type(axis).__name__})."
        )
    if isinstance(axis, tuple):
        if len(axis) != 1:
            raise ValueError(f"`{layer}`: argument `axis` must be one axis. Received: {axis}.")
        return axis[0]
    return axis


@applies(ops.softmax, "input", fixed=True)
class Softmax(Cell):
    """exp(x) / sum(exp(x)) along an axis.

    Outputs:
        Tensor of the input's shape and dtype, with sums of 1 along `axis`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Softmax()(ms.Tensor([1.0, 1.0])))
        [0.5 0.5]
    """

    axis: int = -1

    def __post_init__(self) -> None:
        self.axis = _axis("Softmax", self.axis)


class Softmax2d(Cell):
    """Softmax over the channels of an image.

    Inputs:
        - **x** (Tensor) - of shape (N, C, H, W) or (C, H, W), floating.

    Outputs:
        Tensor of the input's shape and dtype.

    Raises:
        ValueError: at the call, for another number of dimensions.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.Softmax2d()(ms.ops.ones((1, 2, 3, 3)))[0, 0, 0, 0]
        Tensor(shape=[], dtype=Float32, value= 0.5)
    """

    def construct(self, x: Any) -> Any:
        """Softmax along dimension -3."""
        if x.ndim not in (3, 4):
            raise ValueError(
                f"`Softmax2d`: the input must have 3 or 4 dimensions. Received: shape={x.shape}."
            )
        return ops.softmax(x, -3)


@applies(ops.softmin, "x")
class Softmin(Cell):
    """exp(-x) / sum(exp(-x)) along an axis.

    Outputs:
        Tensor of the input's shape and dtype, with sums of 1 along `axis`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Softmin()(ms.Tensor([1.0, 1.0])))
        [0.5 0.5]
    """

    axis: int = -1

    def __post_init__(self) -> None:
        self.axis = _axis("Softmin", self.axis)


@applies(ops.log_softmax, "x", fixed=True)
class LogSoftmax(Cell):
    """The logarithm of the softmax along an axis.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.LogSoftmax()(ms.Tensor([5.0])))
        [0.]
    """

    axis: int = -1


@applies(ops.log_softmax, "x", "dim=axis")
class LogSoftmaxExt(Cell):
    """x - log(sum(exp(x))) along a dimension.

    Args:
        dim (int): the dimension. Default: 0 for inputs of 0, 1 or 3 dimensions, 1 for others.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.LogSoftmaxExt(0)(ms.Tensor([0.0, 0.0])))
        [-0.6931472 -0.6931472]
    """

    dim: int | None = None

    def construct(self, x: Any) -> Any:
        """Return the logarithm of softmax."""
        dim = (0 if x.ndim in (0, 1, 3) else 1) if self.dim is None else self.dim
        return ops.log_softmax(x, dim)
