"""Layers with PyTorch's arguments (`LayerNormExt` ...); :mod:`msjax.mint.nn` has them under plain names."""

import numbers
from types import MappingProxyType
from typing import Any

import numpy as np

from msjax.common.initializer import Normal, initializer
from msjax.core import dtype as dtypes
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import applies
from msjax.nn.cell.loss_base import LossBase
from msjax.nn.cell.precision import cast_inputs
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn.activation_piecewise import prelu
from msjax.ops.nn.dropout import drop_in_training, dropout2d
from msjax.ops.nn.embeddings import embedding
from msjax.ops.nn.linear import dense
from msjax.ops.nn.loss import l1_loss
from msjax.ops.nn.normalization import layer_norm


class Linear(Cell):
    """x @ weight.T + bias.

    Args:
        in_features (int): size of the input's last dimension.
        out_features (int): size of the output's last dimension.
        bias (bool): whether there is a bias.
        weight_init (Tensor, str, Initializer, float): default HeUniform(sqrt(5)), uniform in +-1 / sqrt(in_features).
        bias_init (Tensor, str, Initializer, float): default uniform in the same range.
        dtype (DType): of the Parameters. Default: float32.

    Parameters:
        - **weight** - of shape (out_features, in_features).
        - **bias** - of shape (out_features,).

    Inputs:
        - **x** (Tensor) - of shape (..., in_features).

    Outputs:
        Tensor of shape (..., out_features).

    Raises:
        TypeError: if a size is not an int or `bias` not a bool.
        ValueError: if a size is not positive, or a Tensor to start from has another shape.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.Linear(3, 4)(ms.ops.ones((2, 3))).shape
        (2, 4)
    """

    _kept = MappingProxyType({"dense": lambda layer: dense})

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        parameter_init.check_positive_ints("Linear", in_features=in_features, out_features=out_features)
        parameter_init.check_bools("Linear", bias=bias)
        self.in_features, self.out_features, self.has_bias = in_features, out_features, bias
        kind, shape = dtype or dtypes.float32, (out_features, in_features)
        self.weight, self.bias = parameter_init.weight_and_bias(
            "Linear", shape, out_features, weight_init, bias_init, bias, kind
        )

    def construct(self, x: Any) -> Any:
        """x @ weight.T + bias."""
        return dense(x, self.weight, self.bias)

    def extend_repr(self) -> str:
        """Sizes and bias."""
        text = f"input_features={self.in_features}, output_features={self.out_features}"
        return f"{text}, has_bias={self.has_bias}" if self.has_bias else text


class EmbeddingExt(Cell):
    """Rows of a table, chosen by number.

    Args:
        num_embeddings (int): number of rows.
        embedding_dim (int): length of a row.
        padding_idx (int): a row that starts as zeros and is never trained.
        max_norm (float): rows that are used and longer than this are shortened in the table.
        norm_type (float): the p of the length.
        scale_grad_by_freq (bool): divide the gradient of a row by how often it was used.
        sparse (bool): only False.
        _weight (Tensor): the table to start from. Default: standard normal numbers.
        _freeze (bool): whether the table is not trained.
        dtype (DType): of the table. Default: float32.

    Parameters:
        - **weight** - of shape (num_embeddings, embedding_dim).

    Inputs:
        - **input** (Tensor) - row numbers, int32 or int64, of any shape.

    Outputs:
        Tensor of shape (*input.shape, embedding_dim).

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `sparse` is True, `padding_idx` is no row, or `_weight` has another shape.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.EmbeddingExt(10, 3)(ms.Tensor([[1, 2]])).shape
        (1, 2, 3)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Any = None,
        _freeze: bool = False,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        parameter_init.check_bools("EmbeddingExt", sparse=sparse)
        if sparse:
            raise ValueError("`EmbeddingExt`: argument `sparse` must be False. Received: True.")
        parameter_init.check_numbers(
            "EmbeddingExt", int, num_embeddings=num_embeddings, embedding_dim=embedding_dim
        )
        self.num_embeddings, self.embedding_dim, self.sparse = num_embeddings, embedding_dim, sparse
        self.dtype = dtypes.float32 if dtype is None else dtype
        parameter_init.check_dtypes("EmbeddingExt", dtype=self.dtype)
        self.padding_idx = padding_idx
        self.weight = Parameter(self._table(_weight), name="weight", requires_grad=not _freeze)
        for name, value, kind in (
            ("max_norm", max_norm, float),
            ("norm_type", norm_type, float),
            ("scale_grad_by_freq", scale_grad_by_freq, bool),
        ):
            if value is not None and not isinstance(value, kind):
                raise TypeError(
                    f"`EmbeddingExt`: argument `{name}` must be of type {kind.__name__}. Received: {value!r}."
                )
            setattr(self, name, value)

    def _table(self, weight: Any) -> Tensor:
        shape, padding = (self.num_embeddings, self.embedding_dim), self.padding_idx
        if weight is not None:
            if tuple(weight.shape) != shape:
                raise ValueError(
                    f"`EmbeddingExt`: argument `_weight` must have shape {shape}. Received: {weight.shape}."
                )
            return weight
        table = Tensor(initializer(Normal(1.0, 0.0), shape, self.dtype))  # type: ignore[call-arg]
        if padding is not None:
            parameter_init.check_numbers("EmbeddingExt", int, padding_idx=padding)
            if not -shape[0] <= padding < shape[0]:
                raise ValueError(
                    f"`EmbeddingExt`: argument `padding_idx` must be in [{-shape[0]}, {shape[0]}). "
                    f"Received: {padding}."
                )
            table[padding] = 0
        return table

    def construct(self, input: Any) -> Any:
        """weight[input]."""
        return embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq
        )

    def extend_repr(self) -> str:
        """All settings."""
        names = "num_embeddings embedding_dim padding_idx max_norm norm_type scale_grad_by_freq dtype"
        return ", ".join(f"{name}={getattr(self, name)}" for name in names.split())


class LayerNormExt(Cell):
    """(x - mean) / sqrt(variance + eps) * weight + bias over the last dimensions.

    Args:
        normalized_shape (Union[int, tuple, list]): sizes of these dimensions.
        eps (float): added to the variance.
        elementwise_affine (bool): whether there are a weight and a bias.
        bias (bool): whether there is a bias.
        dtype (DType): of the Parameters. Default: float32.

    Parameters:
        - **weight** - ones of `normalized_shape`.
        - **bias** - zeros of `normalized_shape`.

    Inputs:
        - **input** (Tensor) - of shape (..., *normalized_shape).

    Outputs:
        Tensor of the same shape.

    Raises:
        TypeError: if `normalized_shape` is of another type.
        ValueError: if it is empty.

    References:
        Ba, Kiros, Hinton: Layer Normalization, 2016.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.LayerNormExt(2)(ms.Tensor([[1.0, 3.0]])).asnumpy().round(3))
        [[-1.  1.]]
    """

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        sizes: Any = normalized_shape
        if isinstance(normalized_shape, numbers.Integral):
            sizes = (int(normalized_shape),)
        parameter_init.check_numbers("LayerNormExt", tuple, list, normalized_shape=sizes)
        if not sizes:
            raise ValueError(
                f"`LayerNormExt`: argument `normalized_shape` must name a dimension. Received: {sizes}."
            )
        self.normalized_shape = tuple(sizes)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        kind = dtypes.float32 if dtype is None else dtype
        self.weight = self.bias = None
        if elementwise_affine:
            self.weight = parameter_init.make_parameter(
                "LayerNormExt", "ones", self.normalized_shape, kind, "weight"
            )
        if elementwise_affine and bias:
            self.bias = parameter_init.make_parameter(
                "LayerNormExt", "zeros", self.normalized_shape, kind, "bias"
            )

    def construct(self, input: Any) -> Any:
        """Return the input normalized."""
        with cast_inputs(layer_norm.record, input) as (x,):
            return layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        """Sizes, eps, and whether there are Parameters."""
        text = f"normalized_shape={self.normalized_shape}, eps={self.eps}"
        return f"{text}, elementwise_affine={self.elementwise_affine}"


class PReLUExt(Cell):
    """x where it is positive, otherwise weight * x.

    Args:
        num_parameters (int): 1, or the number of channels.
        init (float): what the weight starts from.
        dtype (DType): of the weight. Default: float32.

    Parameters:
        - **weight** - of shape (num_parameters,).

    Inputs:
        - **input** (Tensor) - of shape (N, C, ...).

    Outputs:
        Tensor of the same shape.

    Raises:
        ValueError: at the call, if the weight is neither one number nor one for each channel.

    References:
        He et al.: Delving Deep into Rectifiers, 2015.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.PReLUExt()(ms.Tensor([[2.0, -2.0]])))
        [[ 2.  -0.5]]
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(
            Tensor(np.full((num_parameters,), init, np.float32), dtype=dtype), name="weight"
        )

    def construct(self, input: Any) -> Any:
        """Return max(0, input) + weight * min(0, input)."""
        return prelu(input, self.weight)


@applies(drop_in_training)
class DropoutExt(Cell):
    """Each element 0 with probability p, and the others divided by 1 - p; in training alone.

    Args:
        p (float): the probability.
        inplace (bool): write the result into the input.

    Raises:
        ValueError: at the call in training, if `p` is not in [0, 1].

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.DropoutExt()(ms.Tensor([1.0, 2.0])))
        [1. 2.]
    """

    _leave_out = staticmethod(drop_in_training)

    p: float = 0.5
    inplace: bool = False

    def construct(self, input: Any) -> Any:
        """Return the input with elements left out."""
        if not self.training or self.p == 0:
            return input
        kept = self._leave_out(input, float(self.p), True)
        return input.copy_(kept) if self.inplace else kept


@documented_by(DropoutExt)
class Dropout2dExt(DropoutExt):
    """Each channel 0 with probability p, and the others divided by 1 - p; in training alone.

    Inputs:
        - **input** (Tensor) - of shape (N, C, H, W).

    Outputs:
        Tensor of the same shape.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.Dropout2dExt()(ms.ops.ones((1, 2, 3, 3))).shape
        (1, 2, 3, 3)
    """

    _leave_out = staticmethod(dropout2d)


@applies(l1_loss, "logits, labels")
class L1LossExt(LossBase):
    """The absolute difference.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.L1LossExt()(ms.Tensor([1.0, 2.0]), ms.Tensor([2.0, 4.0])))
        1.5
    """

    reduction: str = "mean"
