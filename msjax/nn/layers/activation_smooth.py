"""Smooth activation layers (Sigmoid, Tanh, GELU, Softmax ...); the piecewise-linear ones have their own module."""

from typing import Any

from msjax.nn.cell.cell import Cell
from msjax.nn.cell.parameter_init import flags
from msjax.ops.nn import activation_smooth as ops


class Sigmoid(Cell):
    """Elementwise 1 / (1 + exp(-x)).

    Inputs:
        - **input** (Tensor) - of any shape, floating.

    Outputs:
        Tensor of the input's shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Sigmoid()(ms.Tensor([0.0])))
        [0.5]
    """

    def construct(self, x: Any) -> Any:
        """1 / (1 + exp(-x))."""
        return ops.sigmoid(x)


class Tanh(Cell):
    """Elementwise hyperbolic tangent.

    Inputs:
        - **input** (Tensor) - of any shape, floating.

    Outputs:
        Tensor of the input's shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Tanh()(ms.Tensor([0.0])))
        [0.]
    """

    def construct(self, x: Any) -> Any:
        """tanh(x)."""
        return ops.tanh(x)


class SiLU(Cell):
    """Elementwise x * sigmoid(x).

    Inputs:
        - **input** (Tensor) - of any shape, floating.

    Outputs:
        Tensor of the input's shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.SiLU()(ms.Tensor([0.0])))
        [0.]
    """

    def construct(self, x: Any) -> Any:
        """x * sigmoid(x)."""
        return ops.silu(x)


class GELU(Cell):
    """Elementwise x * P(Z < x) for a standard normal Z.

    Args:
        approximate (bool): compute the probability by a tanh.

    Inputs:
        - **x** (Tensor) - of any shape, floating.

    Outputs:
        Tensor of the input's shape and dtype.

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
        flags("GELU", approximate=approximate)
        self.approximate = "tanh" if approximate else "none"

    def construct(self, x: Any) -> Any:
        """x * P(Z < x)."""
        return ops.gelu(x, self.approximate)


class FastGelu(Cell):
    """Elementwise x / (1 + exp(-1.702 |x|)) * exp(0.851 (x - |x|)), an approximation of GELU.

    Inputs:
        - **x** (Tensor) - of any shape, floating.

    Outputs:
        Tensor of the input's shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.FastGelu()(ms.Tensor([0.0])))
        [0.]
    """

    def construct(self, x: Any) -> Any:
        """An approximation of GELU."""
        return ops.fast_gelu(x)


class Mish(Cell):
    """Elementwise x * tanh(log(1 + exp(x))).

    Inputs:
        - **x** (Tensor) - of any shape, floating.

    Outputs:
        Tensor of the input's shape and dtype.

    References:
        Misra: Mish, a Self Regularized Non-Monotonic Activation Function, 2019.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Mish()(ms.Tensor([0.0])))
        [0.]
    """

    def construct(self, input_x: Any) -> Any:
        """input_x * tanh(softplus(input_x))."""
        return ops.mish(input_x)


class ELU(Cell):
    """Elementwise x where positive, alpha * (exp(x) - 1) elsewhere.

    Args:
        alpha (float): depth of the negative side.

    Inputs:
        - **input_x** (Tensor) - of any shape, floating.

    Outputs:
        Tensor of the input's shape and dtype.

    Raises:
        TypeError: at the call, if `alpha` is not a number.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.ELU()(ms.Tensor([0.0, 2.0])))
        [0. 2.]
    """

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Any) -> Any:
        """Return x where it is positive, else alpha * (exp(x) - 1)."""
        return ops.elu(x, self.alpha)


class CELU(Cell):
    """Elementwise max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).

    Args:
        alpha (float): not 0.

    Inputs:
        - **x** (Tensor) - of any shape, floating.

    Outputs:
        Tensor of the input's shape and dtype.

    Raises:
        TypeError: at the call, if `alpha` is not a float.
        ValueError: at the call, if `alpha` is 0.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.CELU(2.0)(ms.Tensor([0.0, 2.0])))
        [0. 2.]
    """

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Any) -> Any:
        """Return x where it is positive, else alpha * (exp(x / alpha) - 1)."""
        return ops.celu(x, self.alpha)


class SeLU(Cell):
    """Elementwise 1.0507 * (x where positive, 1.67326 * (exp(x) - 1) elsewhere).

    Inputs:
        - **input_x** (Tensor) - of any shape, floating.

    Outputs:
        Tensor of the input's shape and dtype.

    References:
        Klambauer et al.: Self-Normalizing Neural Networks, 2017.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.SeLU()(ms.Tensor([0.0])))
        [0.]
    """

    def construct(self, input_x: Any) -> Any:
        """ELU, scaled so that mean 0 and variance 1 stay."""
        return ops.selu(input_x)


class LogSigmoid(Cell):
    """Elementwise log(1 / (1 + exp(-x))), without overflow.

    Inputs:
        - **x** (Tensor) - of any shape, floating.

    Outputs:
        Tensor of the input's shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.LogSigmoid()(ms.Tensor([100.0])))
        [-0.]
    """

    def construct(self, input_x: Any) -> Any:
        """log(sigmoid(x))."""
        return ops.logsigmoid(input_x)


class Softsign(Cell):
    """Elementwise x / (1 + |x|).

    Inputs:
        - **x** (Tensor) - of any shape, floating.

    Outputs:
        Tensor of the input's shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Softsign()(ms.Tensor([1.0, -3.0])))
        [ 0.5  -0.75]
    """

    def construct(self, x: Any) -> Any:
        """x / (1 + |x|)."""
        return ops.softsign(x)


class Tanhshrink(Cell):
    """Elementwise x - tanh(x).

    Inputs:
        - **x** (Tensor) - of any shape, floating.

    Outputs:
        Tensor of the input's shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Tanhshrink()(ms.Tensor([0.0])))
        [0.]
    """

    def construct(self, x: Any) -> Any:
        """Difference x - tanh(x)."""
        return ops.tanhshrink(x)


class GLU(Cell):
    """The first half of x along an axis, times the sigmoid of the second.

    Args:
        axis (int): axis that is halved.

    Inputs:
        - **x** (Tensor) - of even size along `axis`, floating.

    Outputs:
        Tensor of half the size along `axis`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.GLU()(ms.Tensor([4.0, 0.0])))
        [2.]
    """

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Any) -> Any:
        """One half times the sigmoid of the other."""
        return ops.glu(x, self.axis)


def _axis(layer: str, axis: Any) -> int:
    """The axis of a softmax, which may also stand in a tuple of one."""
    if not isinstance(axis, int | tuple) or isinstance(axis, bool):
        raise TypeError(
            f"`{layer}`: argument `axis` must be an int. Received: {axis!r} ({type(axis).__name__})."
        )
    if isinstance(axis, tuple):
        if len(axis) != 1:
            raise ValueError(f"`{layer}`: argument `axis` must be one axis. Received: {axis}.")
        return axis[0]
    return axis


class Softmax(Cell):
    """exp(x) / sum(exp(x)) along an axis.

    Args:
        axis (int): the axis.

    Inputs:
        - **input** (Tensor) - of any shape, floating.

    Outputs:
        Tensor of the input's shape and dtype, with sums of 1 along `axis`.

    Raises:
        TypeError: if `axis` is not an int.
        ValueError: at the call, if the input has no such axis.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Softmax()(ms.Tensor([1.0, 1.0])))
        [0.5 0.5]
    """

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = _axis("Softmax", axis)

    def construct(self, input: Any) -> Any:
        """exp(x) / sum(exp(x))."""
        return ops.softmax(input, self.axis)


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


class Softmin(Cell):
    """exp(-x) / sum(exp(-x)) along an axis.

    Args:
        axis (int): the axis.

    Inputs:
        - **x** (Tensor) - of any shape, floating.

    Outputs:
        Tensor of the input's shape and dtype, with sums of 1 along `axis`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Softmin()(ms.Tensor([1.0, 1.0])))
        [0.5 0.5]
    """

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = _axis("Softmin", axis)

    def construct(self, x: Any) -> Any:
        """Softmax of -x."""
        return ops.softmin(x, self.axis)


class LogSoftmax(Cell):
    """The logarithm of the softmax along an axis.

    Args:
        axis (int): the axis.

    Inputs:
        - **x** (Tensor) - of any shape, floating.

    Outputs:
        Tensor of the input's shape and dtype.

    Raises:
        ValueError: at the call, if the input has no such axis.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.LogSoftmax()(ms.Tensor([5.0])))
        [0.]
    """

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Any) -> Any:
        """log(softmax(x))."""
        return ops.log_softmax(x, self.axis)
