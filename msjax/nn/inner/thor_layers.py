"""Dense, convolutional and embedding layers that keep the second-order statistics of the THOR optimizer.

Chen et al., "THOR, Trace-based Hardware-driven Layer-Oriented Natural Gradient Descent Computation" (2021): the mean
products of a layer's inputs with each other, `matrix_a`, and those of the gradients of its outputs, `matrix_g`.
"""

from typing import Any

import numpy as np
from jax import lax

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.op.op import op
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies
from msjax.nn.convolution.conv import Conv2d
from msjax.nn.layers.activation_piecewise import get_activation
from msjax.nn.layers.embedding import Embedding, EmbeddingLookup
from msjax.nn.layers.linear import Dense
from msjax.nn.layers.math import ClipByNorm
from msjax.ops.array.shapes import reshape
from msjax.ops.common.docstrings import documented_by
from msjax.ops.linalg.products import matmul
from msjax.ops.nn.convolution import conv2d
from msjax.ops.nn.embeddings import embedding_lookup, one_hot
from msjax.ops.nn.linear import bias_add
from msjax.ops.primitive_impl.custom import InsertGradientOf
from msjax.ops.reduction.reduction import mean, reduce_sum


def _statistic(values: np.ndarray, name: str) -> Parameter:
    return Parameter(Tensor(values.astype(np.float32)), name=name, requires_grad=False)


def _products(x: Any, count: int) -> Any:
    """The products of columns with each other, over a count of rows."""
    return matmul(x.T, x) / count


@documented_by(Dense)
class DenseThor(Cell):
    """:class:`Dense`, which also keeps products of its inputs and of the gradients of its outputs.

    Args:
        weight_init (Tensor, str, Initializer, float): where the weight starts.
        bias_init (Tensor, str, Initializer, float): where the bias starts.

    Parameters:
        - **weight** - of shape (out_channels, in_channels).
        - **bias** - of shape (out_channels,).
        - **matrix_a** - of shape (in_channels, in_channels), written at each call.
        - **matrix_g** - of shape (out_channels, out_channels), written when gradients are computed (not in compiled
          functions).

    Inputs:
        - **x** (Tensor) - of shape (N, in_channels).

    Outputs:
        Tensor of shape (N, out_channels).

    Raises:
        TypeError: if the channels are not ints or `has_bias` is not a bool.
        ValueError: if the channels are not positive, or a Tensor to start from has another shape.
        KeyError: if no activation has the given name.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.DenseThor(3, 4, weight_init="ones")
        >>> print(net(ms.Tensor([[1.0, 2.0, 3.0]])))
        [[6. 6. 6. 6.]]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bias: bool = True,
        activation: str | None = None,
    ) -> None:
        super().__init__()
        parameter_init.check_positive_ints("DenseThor", in_channels=in_channels, out_channels=out_channels)
        parameter_init.check_bools("DenseThor", has_bias=has_bias)
        self.thor = True
        self.in_channels, self.out_channels, self.has_bias = in_channels, out_channels, has_bias
        shape = (out_channels, in_channels)
        self.weight, self.bias = parameter_init.weight_and_bias(
            "DenseThor", shape, out_channels, weight_init, bias_init, has_bias, dtypes.float32
        )
        self.activation = get_activation(activation)
        self.activation_flag = self.activation is not None
        self.matrix_a = _statistic(np.eye(in_channels), "matrix_a")
        self.matrix_g = _statistic(np.eye(out_channels), "matrix_g")
        self.getG = InsertGradientOf(self.save_gradient)

    def save_gradient(self, dout: Any) -> Any:
        """Store the products of a gradient, and return the gradient."""
        self.matrix_g = _products(dout, dout.shape[0])
        return dout

    def construct(self, x: Any) -> Any:
        """Return the activation of x @ weight.T + bias."""
        y = matmul(x, self.weight.T)
        if self.thor:
            self.matrix_a = _products(x, self.in_channels)
            y = self.getG(y)
        y = bias_add(y, self.bias) if self.has_bias else y
        return y if self.activation is None else self.activation(y)

    def extend_repr(self) -> str:
        """Channels and bias."""
        text = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        return f"{text}, has_bias={self.has_bias}" if self.has_bias else text


@documented_by(Embedding)
class EmbeddingThor(Cell):
    """:class:`Embedding`, which also counts its rows and keeps products of the gradients of its outputs.

    Args:
        use_one_hot (bool): find rows by a product with unit rows; nothing is kept then.
        embedding_table (Tensor, str, Initializer, float): where the table starts.
        dtype (DType): of the unit rows.

    Parameters:
        - **embedding_table** - of shape (vocab_size, embedding_size).
        - **matrix_a** - of shape (vocab_size,), written at each call.
        - **matrix_g** - of shape (embedding_size, embedding_size), written when gradients are computed.

    Inputs:
        - **ids** (Tensor) - row numbers, of any shape.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `padding_idx` is no row.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.EmbeddingThor(10, 3)(ms.Tensor([[1, 2]])).shape
        (1, 2, 3)
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table: Any = "normal",
        dtype: DType = dtypes.float32,
        padding_idx: int | None = None,
    ) -> None:
        super().__init__()
        parameter_init.check_numbers(
            "EmbeddingThor", int, vocab_size=vocab_size, embedding_size=embedding_size
        )
        parameter_init.check_bools("EmbeddingThor", use_one_hot=use_one_hot)
        parameter_init.check_dtypes("EmbeddingThor", dtype=dtype)
        self.vocab_size, self.embedding_size = vocab_size, embedding_size
        self.use_one_hot, self.dtype, self.padding_idx = use_one_hot, dtype, padding_idx
        shape = (vocab_size, embedding_size)
        table = parameter_init.make_parameter(
            "EmbeddingThor", embedding_table, shape, dtypes.float32, "embedding_table"
        )
        if padding_idx is not None:
            if not 0 <= padding_idx < vocab_size:
                raise ValueError(
                    f"`EmbeddingThor`: argument `padding_idx` must be in [0, {vocab_size}). Received: {padding_idx}."
                )
            table[padding_idx] = 0
        self.embedding_table = table
        self.thor = True
        self.matrix_a = _statistic(np.zeros(vocab_size), "matrix_a")
        self.matrix_g = _statistic(np.zeros((embedding_size, embedding_size)), "matrix_g")
        self.getG = InsertGradientOf(self.save_gradient)

    def save_gradient(self, dout: Any) -> Any:
        """Store the products of a gradient, and return the gradient."""
        self.matrix_g = _products(dout, dout.shape[0])
        return dout

    def construct(self, ids: Any) -> Any:
        """Return the rows of the table."""
        flat = reshape(ids, (-1,))
        if self.use_one_hot:
            found = matmul(one_hot(flat, self.vocab_size).astype(self.dtype), self.embedding_table)
        else:
            found = embedding_lookup(self.embedding_table, flat)
        if self.thor and not self.use_one_hot:
            self.matrix_a = reduce_sum(one_hot(flat, self.vocab_size).astype(dtypes.float32), 0)
            found = self.getG(found)
        return reshape(found, (*ids.shape, self.embedding_size))

    def extend_repr(self) -> str:
        """All settings."""
        names = "vocab_size embedding_size use_one_hot embedding_table dtype padding_idx"
        return ", ".join(f"{name}={getattr(self, name)}" for name in names.split())


@documented_by(EmbeddingLookup)
class EmbeddingLookupThor(Cell):
    """:class:`EmbeddingLookup` in float16, which keeps what :class:`EmbeddingThor` does if `target` is "DEVICE".

    Args:
        target (str): "CPU" or "DEVICE"; nothing is kept with "CPU".
        sparse (bool): must be True if `target` is "CPU".

    Parameters:
        - **embedding_table** - of shape (vocab_size, embedding_size), float16.
        - **matrix_a** - of shape (vocab_size,).
        - **matrix_g** - of shape (embedding_size, embedding_size).

    Inputs:
        - **indices** (Tensor) - row numbers, of any shape.

    Outputs:
        Tensor of shape (*indices.shape, embedding_size), float16.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.EmbeddingLookupThor(10, 3)(ms.Tensor([[1, 2]])).shape
        (1, 2, 3)
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        param_init: Any = "normal",
        target: str = "CPU",
        slice_mode: str = "batch_slice",
        manual_shapes: Any = None,
        max_norm: float | None = None,
        sparse: bool = True,
    ) -> None:
        super().__init__()
        parameter_init.check_bools("EmbeddingLookupThor", sparse=sparse)
        parameter_init.check_positive_ints(
            "EmbeddingLookupThor", vocab_size=vocab_size, embedding_size=embedding_size
        )
        parameter_init.check_choice("EmbeddingLookupThor", ("CPU", "DEVICE"), target=target)
        if not sparse and target == "CPU":
            raise ValueError(
                "`EmbeddingLookupThor`: argument `sparse` must be True if `target` is 'CPU'. Received: False."
            )
        if max_norm is not None:
            parameter_init.check_numbers("EmbeddingLookupThor", float, max_norm=max_norm)
        self.vocab_size, self.embedding_size = vocab_size, embedding_size
        self.target, self.sparse, self.max_norm = target, sparse, max_norm
        self.dtype, self.thor = dtypes.float16, True
        self.embedding_table = parameter_init.make_parameter(
            "EmbeddingLookupThor", param_init, (vocab_size, embedding_size), self.dtype, "embedding_table"
        )
        self.matrix_a = _statistic(np.zeros(vocab_size), "matrix_a")
        self.matrix_g = _statistic(np.zeros((embedding_size, embedding_size)), "matrix_g")
        self.getG = InsertGradientOf(self.save_gradient)

    def save_gradient(self, dout: Any) -> Any:
        """Store the products of a gradient, and return the gradient."""
        flat = reshape(dout, (-1, self.embedding_size)).astype(dtypes.float32)
        self.matrix_g = _products(flat, dout.shape[0])
        return dout

    def construct(self, indices: Any) -> Any:
        """Return the rows of the table."""
        found = embedding_lookup(self.embedding_table, indices)
        if self.thor and self.target == "DEVICE":
            flat = reshape(indices, (-1,))
            self.matrix_a = reduce_sum(one_hot(flat, self.vocab_size).astype(dtypes.float32), 0)
            found = self.getG(found)
        if self.max_norm is None:
            return found
        return ClipByNorm((indices.ndim,))(found, Tensor(self.max_norm, dtypes.float16))


@documented_by(Conv2d)
@applies()
class Conv2dThor(Conv2d):
    """:class:`Conv2d`, which also keeps products of its windows and of the gradients of its outputs.

    Args:
        weight_init (Tensor, str, Initializer, float): where the weight starts.
        bias_init (Tensor, str, Initializer, float): where the bias starts.

    Parameters:
        - **weight** - of shape (out_channels, in_channels / group, height, width).
        - **bias** - of shape (out_channels,).
        - **a_normalizer**, **g_normalizer** - of shape (1,): the number of windows.
        - **matrix_a_cov** - of shape (in_channels * height * width,) * 2, written at each call; its name is matrix_a.
        - **matrix_g_cov** - of shape (out_channels,) * 2, written when gradients are computed; its name is matrix_g.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.Conv2dThor(2, 3, 3)(ms.ops.ones((1, 2, 5, 5))).shape
        (1, 3, 5, 5)
    """

    in_channels: int
    out_channels: int
    kernel_size: Any
    stride: Any = 1
    pad_mode: str = "same"
    padding: Any = 0
    dilation: Any = 1
    group: int = 1
    has_bias: bool = False
    weight_init: Any = "normal"
    bias_init: Any = "zeros"

    def __post_init__(self) -> None:
        self.thor = True
        self.matrix_a_dim = self.in_channels * self.kernel_size[0] * self.kernel_size[1]
        self.matrix_g_dim = self.out_channels
        self.a_normalizer = _statistic(np.ones(1), "a_normalizer")
        self.g_normalizer = _statistic(np.ones(1), "g_normalizer")
        self.matrix_a_cov = _statistic(np.zeros((self.matrix_a_dim,) * 2), "matrix_a")
        self.matrix_g_cov = _statistic(np.zeros((self.out_channels,) * 2), "matrix_g")
        self.getG = InsertGradientOf(self.save_gradient)

    def save_gradient(self, dout: Any) -> Any:
        """Store the products of a gradient, and return the gradient."""
        by_channel = reshape(mean(dout.astype(dtypes.float32), 0), (self.out_channels, -1))
        self.g_normalizer = Tensor([float(by_channel.shape[1])])
        self.matrix_g_cov = _products(by_channel.T, by_channel.shape[1])
        return dout

    def construct(self, x: Any) -> Any:
        """Return the convolution, and the bias."""
        y = conv2d(x, self.weight, None, self.stride, self.pad_mode, self.padding, self.dilation, self.group)
        if self.thor:
            windows = mean(_windows(x, self.kernel_size, self.stride), 0)
            self.a_normalizer = Tensor([float(windows.shape[1])])
            self.matrix_a_cov = _products(windows.T, windows.shape[1])
            y = self.getG(y)
        return bias_add(y, self.bias) if self.has_bias else y

    def extend_repr(self) -> str:
        """All settings."""
        names = {"input_channels": "in_channels", "output_channels": "out_channels"}
        more = "kernel_size stride pad_mode padding dilation group has_bias bias_init"
        names |= {name: name for name in more.split()}
        return ", ".join(f"{shown}={getattr(self, name)}" for shown, name in names.items())


@op(static="kernel stride")
def _windows(x: Any, kernel: tuple, stride: tuple) -> Any:
    """Return the windows of images as columns, of shape (N, C * height * width, number of windows)."""
    found = lax.conv_general_dilated_patches(x.astype("float32"), kernel, stride, "SAME")
    return found.reshape(*found.shape[:2], -1)
