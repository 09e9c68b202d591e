"""Linear, embedding and PReLU layers, dropout and identity."""

from types import MappingProxyType
from typing import Any

from msjax.common.initializer import Normal, initializer
from msjax.core import dtype as dtypes
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.mint.nn import functional
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.ops.common import checks
from msjax.ops.nn.activation_piecewise import prelu
from msjax.ops.nn.embeddings import embedding
from msjax.ops.nn.linear import dense


class Identity(Cell):
    """The input itself.

    Args:
        args: accepted, without effect.
        kwargs: accepted, without effect.

    Inputs:
        - **input** (Tensor) - of any shape and dtype.

    Outputs:
        The input.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.nn.Identity()(ms.Tensor([1, 2])))
        [1 2]
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def construct(self, input: Any) -> Any:
        """The input."""
        return input


class Linear(Cell):
    """x @ weight.T + bias.

    Args:
        in_features (int): size of the last dimension of the input.
        out_features (int): of the output.
        bias (bool): whether there is a bias.
        weight_init (Tensor, str, Initializer, number, None): where the weights start. Default: uniform in
            +-1 / sqrt(in_features).
        bias_init (Tensor, str, Initializer, number, None): where the bias starts. Default: the same.
        dtype (DType, None): of the Parameters. Default: float32.

    Parameters:
        - **weight** - of shape (out_features, in_features).
        - **bias** - of shape (out_features,).

    Inputs:
        - **x** (Tensor) - of shape (*, in_features), floating.

    Outputs:
        Tensor of shape (*, out_features).

    Raises:
        TypeError: if a size is not an int or `bias` not a bool.
        ValueError: if a size is not positive.

    Examples:
        >>> import msjax as ms
        >>> net = ms.mint.nn.Linear(3, 4)
        >>> net(ms.ops.ones((2, 3))).shape, net
        ((2, 4), Linear(input_features=3, output_features=4, has_bias=True))
    """

    _kept = MappingProxyType({"dense": lambda layer: dense, "has_bias": lambda layer: layer.bias is not None})

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
        parameter_init.positive("Linear", in_features=in_features, out_features=out_features)
        parameter_init.flags("Linear", bias=bias)
        kind, shape = dtype or dtypes.float32, (out_features, in_features)
        self.in_features = in_features
        self.out_features = out_features
        init = parameter_init.he_uniform() if weight_init is None else weight_init
        self.weight = parameter_init.parameter("Linear", init, shape, kind, "weight")
        self.bias = None
        if bias:
            init = parameter_init.bias_like(shape) if bias_init is None else bias_init
            self.bias = parameter_init.parameter("Linear", init, (out_features,), kind, "bias")

    def construct(self, x: Any) -> Any:
        """x @ weight.T + bias."""
        return dense(x, self.weight, self.bias)

    def extend_repr(self) -> str:
        """Sizes and bias."""
        text = f"input_features={self.in_features}, output_features={self.out_features}"
        return text if self.bias is None else f"{text}, has_bias=True"


class Embedding(Cell):
    """Rows of a table, by their numbers.

    Args:
        num_embeddings (int): rows.
        embedding_dim (int): size of a row.
        padding_idx (int, None): a row that starts as zeros and gets no gradient.
        max_norm (float, None): rows that are looked up are scaled down to this norm, in place.
        norm_type (float): order of that norm.
        scale_grad_by_freq (bool): divide the gradient of a row by how often it was looked up.
        sparse (bool): False only: gradients are dense.
        _weight (Tensor, None): the table. Default: drawn from the standard normal distribution.
        _freeze (bool): whether the table is not trained.
        dtype (DType, None): of the table. Default: float32.

    Parameters:
        - **weight** - of shape (num_embeddings, embedding_dim).

    Inputs:
        - **input** (Tensor) - integers in [0, num_embeddings), of any shape.

    Outputs:
        Tensor of shape (*input.shape, embedding_dim).

    Raises:
        TypeError: if a size is not an int.
        ValueError: if `padding_idx` names no row, `_weight` is of another shape, or `sparse` is set.

    Examples:
        >>> import msjax as ms
        >>> ms.mint.nn.Embedding(10, 3)(ms.Tensor([[1, 2]])).shape
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
        parameter_init.positive("Embedding", num_embeddings=num_embeddings, embedding_dim=embedding_dim)
        parameter_init.choice("Embedding", (False,), sparse=sparse)
        if padding_idx is not None:
            checks.axis("Embedding", num_embeddings, padding_idx=padding_idx)
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.dtype = dtype or dtypes.float32
        shape = (num_embeddings, embedding_dim)
        if _weight is None:
            table = initializer(Normal(1.0), shape, self.dtype)  # type: ignore[call-arg]
            if padding_idx is not None:
                table[padding_idx] = 0
        else:
            table = _weight
        self.weight = parameter_init.parameter("Embedding", table, shape, self.dtype, "weight", not _freeze)

    def construct(self, input: Any) -> Any:
        """weight[input]."""
        return embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq
        )

    def extend_repr(self) -> str:
        """All settings."""
        return (
            f"num_embeddings={self.num_embeddings}, embedding_dim={self.embedding_dim}, "
            f"padding_idx={self.padding_idx}, max_norm={self.max_norm}, norm_type={self.norm_type}, "
            f"scale_grad_by_freq={self.scale_grad_by_freq}, dtype={self.dtype}"
        )


class PReLU(Cell):
    """Elementwise x where positive, weight * x elsewhere, with learned slopes.

    Args:
        num_parameters (int): number of slopes: 1, or one for each channel (dimension 1).
        init (float): where they start.
        dtype (DType, None): of the slopes. Default: float32.

    Parameters:
        - **weight** - of shape (num_parameters,).

    Inputs:
        - **input** (Tensor) - of shape (N, num_parameters, ...), floating.

    Outputs:
        Tensor of the input's shape and dtype.

    Raises:
        TypeError: if `num_parameters` is not an int.
        ValueError: if it is not positive.

    References:
        He et al.: Delving Deep into Rectifiers, 2015.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.nn.PReLU()(ms.Tensor([[-1.0, 2.0]])))
        [[-0.25  2.  ]]
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, dtype: Any = None) -> None:
        super().__init__()
        parameter_init.positive("PReLU", num_parameters=num_parameters)
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(Tensor([init] * num_parameters, dtype or dtypes.float32), name="weight")

    def construct(self, input: Any) -> Any:
        """Return max(0, input) + weight * min(0, input)."""
        return prelu(input, self.weight)


class Dropout(Cell):
    """Each element 0 with probability p, and the others divided by 1 - p; in training alone.

    Args:
        p (float): the probability, in [0, 1].
        inplace (bool): make the result the content of the input.

    Inputs:
        - **input** (Tensor) - of any shape, floating.

    Outputs:
        Tensor of the input's shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.nn.Dropout(0.9)(ms.ops.ones(3)))
        [1. 1. 1.]
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        parameter_init.flags(type(self).__name__, inplace=inplace)
        self.p = p
        self.inplace = inplace

    def construct(self, input: Any) -> Any:
        """The input with elements left out."""
        return functional.dropout(input, self.p, self.training, self.inplace)


class Dropout2d(Dropout):
    """Each channel 0 with probability p, and the others divided by 1 - p; in training alone.

    Args:
        p (float): the probability, in [0, 1].
        inplace (bool): make the result the content of the input.

    Inputs:
        - **input** (Tensor) - of shape (N, C, H, W), floating.

    Outputs:
        Tensor of the input's shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> ms.mint.nn.Dropout2d(0.9).set_train()(ms.ops.ones((1, 2, 3, 3))).shape
        (1, 2, 3, 3)
    """

    def construct(self, input: Any) -> Any:
        """The input with channels left out."""
        return functional.dropout2d(input, self.p, self.training, self.inplace)


for _layer in (Embedding, PReLU, Dropout, Dropout2d):
    _layer.__name__ += "Ext"  # as MindSpore prints them
