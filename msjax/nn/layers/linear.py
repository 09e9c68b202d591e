"""Linear (dense) layers, and layers that rearrange elements: Identity, Flatten, Unflatten, OneHot."""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies
from msjax.nn.cell.precision import apply_with_bias
from msjax.nn.layers.activation_piecewise import get_activation
from msjax.ops.array.shapes import flatten, reshape
from msjax.ops.common.docstrings import documented_by
from msjax.ops.linalg.products import einsum
from msjax.ops.math.arithmetic import add
from msjax.ops.math.casts import cast
from msjax.ops.nn.embeddings import one_hot
from msjax.ops.nn.linear import dense


class Dense(Cell):
    """A linear layer: x @ weight.T + bias, then an activation.

    Args:
        in_channels (int): size of the input's last dimension.
        out_channels (int): size of the output's last dimension.
        weight_init (Tensor, str, Initializer, float): default HeUniform(sqrt(5)), uniform in +-1 / sqrt(in_channels).
        bias_init (Tensor, str, Initializer, float): default uniform in the same range.
        has_bias (bool): whether there is a bias.
        activation (str, Cell): applied to the result. Names are those of :func:`get_activation`.
        dtype (DType): of the Parameters.

    Parameters:
        - **weight** - of shape (out_channels, in_channels).
        - **bias** - of shape (out_channels,).

    Inputs:
        - **x** (Tensor) - of shape (..., in_channels).

    Outputs:
        Tensor of shape (..., out_channels).

    Raises:
        TypeError: if the channels are not ints, `has_bias` is not a bool or `activation` cannot be called; at the call, if
            the input's dtype is not that of the weight.
        ValueError: if the channels are not positive, or a Tensor to start from has another shape; at the call, if the
            input's last size is not `in_channels`.
        KeyError: if no activation has the given name.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.Dense(3, 4)
        >>> net(ms.ops.ones((2, 3))).shape
        (2, 4)
        >>> net
        Dense(input_channels=3, output_channels=4, has_bias=True)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        activation: Any = None,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        parameter_init.check_positive_ints("Dense", in_channels=in_channels, out_channels=out_channels)
        parameter_init.check_bools("Dense", has_bias=has_bias)
        parameter_init.check_dtypes("Dense", dtype=dtype)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.has_bias = has_bias
        self.weight, self.bias = parameter_init.weight_and_bias(
            "Dense", (out_channels, in_channels), out_channels, weight_init, bias_init, has_bias, dtype
        )
        self.activation = get_activation(activation, "Dense") if isinstance(activation, str) else activation
        self.activation_flag = self.activation is not None
        if self.activation_flag and not callable(self.activation):
            raise TypeError(
                f"`Dense`: argument `activation` must be a str or a Cell. Received: {activation!r}."
            )

    def construct(self, x: Any) -> Any:
        """Return the activation of x @ weight.T + bias."""
        y = apply_with_bias(dense, x, self.weight, self.bias if self.has_bias else None)
        return y if self.activation is None or not self.activation_flag else self.activation(y)

    def extend_repr(self) -> str:
        """Channels, bias and activation."""
        text = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        text += f", has_bias={self.has_bias}" if self.has_bias else ""
        return text if self.activation is None else f"{text}, activation={self.activation}"


@documented_by(Dense)
class BiDense(Cell):
    """A bilinear layer: output k is input1 @ weight[k] @ input2 + bias[k].

    Args:
        in1_channels (int): size of the first input's last dimension.
        in2_channels (int): size of the second input's last dimension.
        weight_init (Tensor, str, Initializer, float): default uniform in +-1 / sqrt(in1_channels).

    Parameters:
        - **weight** - of shape (out_channels, in1_channels, in2_channels).
        - **bias** - of shape (out_channels,).

    Inputs:
        - **input1** (Tensor) - of shape (..., in1_channels).
        - **input2** (Tensor) - of shape (..., in2_channels).

    Raises:
        TypeError: if the channels are not ints or `has_bias` is not a bool.
        ValueError: if the channels are not positive, or a Tensor to start from has another shape.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.BiDense(2, 3, 4)(ms.ops.ones((5, 2)), ms.ops.ones((5, 3))).shape
        (5, 4)
    """

    def __init__(
        self,
        in1_channels: int,
        in2_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        parameter_init.check_positive_ints(
            "BiDense", in1_channels=in1_channels, in2_channels=in2_channels, out_channels=out_channels
        )
        parameter_init.check_bools("BiDense", has_bias=has_bias)
        self.in1_channels = in1_channels
        self.in2_channels = in2_channels
        self.out_channels = out_channels
        self.has_bias = has_bias
        default = parameter_init.bias_uniform((out_channels, in1_channels))
        init = default if weight_init is None else weight_init
        self.weight = parameter_init.make_parameter(
            "BiDense", init, (out_channels, in1_channels, in2_channels), dtype, "weight"
        )
        self.bias = None
        if has_bias:
            init = default if bias_init is None else bias_init
            self.bias = parameter_init.make_parameter("BiDense", init, (out_channels,), dtype, "bias")

    def construct(self, input1: Any, input2: Any) -> Any:
        """Return the bilinear form of the inputs, and the bias."""
        parameter_init.check_numbers("BiDense", Tensor, input1=input1, input2=input2)
        parameter_init.check_same_dtypes(self, input1=input1, input2=input2, weight=self.weight)
        sizes = (*input1.shape[:-1], self.in1_channels), (*input1.shape[:-1], self.in2_channels)
        if (input1.shape, input2.shape) != sizes:
            raise ValueError(
                f"`BiDense`: the inputs must have shapes (..., {self.in1_channels}) and (..., {self.in2_channels}). "
                f"Received: {input1.shape}, {input2.shape}."
            )
        y = einsum("...i,oij,...j->...o", input1, self.weight, input2)
        return add(y, self.bias) if self.has_bias else y

    def extend_repr(self) -> str:
        """Channels and bias."""
        text = f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}"
        text += f", output_channels={self.out_channels}"
        return f"{text}, has_bias={self.has_bias}" if self.has_bias else text


class Identity(Cell):
    """Identity: returns its input.

    Args:
        args: anything.
        kwargs: anything.

    Inputs:
        - **input** (Any) - anything.

    Outputs:
        The input.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Identity()(ms.Tensor([1.0])))
        [1.]
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def construct(self, input: Any) -> Any:
        """Return the input."""
        return input


class Flatten(Cell):
    """Flatten: merges several dimensions into one.

    Args:
        start_dim (int): the first of them.
        end_dim (int): the last of them.

    Inputs:
        - **x** (Tensor) - of any shape that has these dimensions.

    Outputs:
        Tensor; by default of shape (N, everything else).

    Raises:
        TypeError: if a dimension is not an int.
        ValueError: at the call, if the input has no such dimensions, or `start_dim` comes after `end_dim`.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.Flatten()(ms.ops.ones((2, 3, 4))).shape
        (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        parameter_init.check_numbers("Flatten", int, start_dim=start_dim, end_dim=end_dim)
        self.start_dim = start_dim
        self.end_dim = end_dim

    def construct(self, x: Any) -> Any:
        """One dimension of several."""
        if not -x.ndim <= self.start_dim < max(x.ndim, 1):
            raise ValueError(
                f"`Flatten`: argument `start_dim` must be in [{-x.ndim}, {x.ndim}) for an input of shape {x.shape}. "
                f"Received: {self.start_dim}."
            )
        return flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)


class Unflatten(Cell):
    """Unflatten: splits one dimension into several.

    Args:
        axis (int): the dimension.
        unflattened_size (tuple, list): sizes of the new dimensions.

    Inputs:
        - **input** (Tensor) - with as many elements along `axis` as the product of the sizes.

    Outputs:
        Tensor with the sizes in place of `axis`.

    Raises:
        TypeError: if `axis` is not an int, or `unflattened_size` not a tuple or list.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.Unflatten(1, (2, 3))(ms.ops.ones((4, 6))).shape
        (4, 2, 3)
    """

    def __init__(self, axis: int, unflattened_size: Any) -> None:
        super().__init__()
        parameter_init.check_numbers("Unflatten", int, axis=axis)
        parameter_init.check_numbers("Unflatten", tuple, list, unflattened_size=unflattened_size)
        self.axis = axis
        self.unflattened_size = tuple(unflattened_size)

    def construct(self, input_x: Any) -> Any:
        """Split one dimension into several."""
        axis = self.axis % input_x.ndim
        return reshape(input_x, (*input_x.shape[:axis], *self.unflattened_size, *input_x.shape[axis + 1 :]))


@applies()
class OneHot(Cell):
    """Numbers as rows of a unit matrix.

    Args:
        axis (int): where the new dimension stands.
        depth (int): its size.
        on_value (float): what stands at the number's place.
        off_value (float): what stands elsewhere.
        dtype (DType): of the result.

    Inputs:
        - **indices** (Tensor) - integers of any shape.

    Outputs:
        Tensor with one more dimension.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.OneHot(depth=3)(ms.Tensor([0, 2])))
        [[1. 0. 0.]
         [0. 0. 1.]]
    """

    axis: int = -1
    depth: int = 1
    on_value: float = 1.0
    off_value: float = 0.0
    dtype: DType = dtypes.float32

    def construct(self, indices: Any) -> Any:
        """Rows of a unit matrix."""
        return cast(one_hot(indices, self.depth, self.on_value, self.off_value, self.axis), self.dtype)
