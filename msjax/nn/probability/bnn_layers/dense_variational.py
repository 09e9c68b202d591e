"""Variational dense layers: weights are distributions."""

from typing import Any

from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import documented_by
from msjax.nn.layers.activation_piecewise import get_activation
from msjax.nn.probability.bnn_layers.layer_distribution import NormalPrior, normal_post_fn
from msjax.nn.probability.bnn_layers.variational import Variational
from msjax.nn.probability.distribution.continuous import Normal
from msjax.ops.linalg.products import matrix_product
from msjax.ops.math.arithmetic import square
from msjax.ops.math.elementary import sqrt


class _DenseVariational(Variational):
    """The arguments of dense layers, checked, and what follows the product.

    Args:
        in_channels (int): features of the input.
        out_channels (int): features of the output.
        activation (str, Cell): what follows, such as "relu". Default: None.
        has_bias (bool): whether there is a bias, which is drawn itself. Default: True.
        weight_prior_fn (Cell, function): the distribution that the weight is compared with. Default: NormalPrior.
        weight_posterior_fn (function): from name and shape to the distribution of the weight. Default: one that gives
            `NormalPosterior` with its default start.
        bias_prior_fn (Cell, function): the same for the bias.
        bias_posterior_fn (function): the same for the bias.

    Parameters:
        - **weight_posterior.mean**, **weight_posterior.untransformed_std** - of shape (out_channels, in_channels).
        - **bias_posterior.mean**, **bias_posterior.untransformed_std** - of shape (out_channels,).

    Inputs:
        - **x** (Tensor) - of shape (N, in_channels).

    Outputs:
        Tensor of shape (N, out_channels).

    Raises:
        TypeError: for arguments of another type, and for distributions that are not normal.
        ValueError: for sizes below 1, an `activation` that is neither str nor Cell, and inputs without 2 dimensions.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        activation: Any = None,
        has_bias: bool = True,
        weight_prior_fn: Any = NormalPrior,
        weight_posterior_fn: Any = normal_post_fn,
        bias_prior_fn: Any = NormalPrior,
        bias_posterior_fn: Any = normal_post_fn,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        parameter_init.check_positive_ints(name, in_channels=in_channels, out_channels=out_channels)
        parameter_init.check_bools(name, has_bias=has_bias)
        self.in_channels, self.out_channels, self.has_bias = in_channels, out_channels, has_bias
        self._distributions("weight", [out_channels, in_channels], weight_prior_fn, weight_posterior_fn)
        if has_bias:
            self._distributions("bias", [out_channels], bias_prior_fn, bias_posterior_fn)
        if activation and not isinstance(activation, str | Cell):
            raise ValueError(
                f"`{name}`: argument `activation` must be a str or a Cell. Received: {activation!r}."
            )
        self.activation: Any = get_activation(activation) if isinstance(activation, str) else activation
        self.activation_flag = bool(activation)
        self._add_children()

    def _add_children(self) -> None:
        """Add what else a layer needs."""

    def construct(self, x: Tensor) -> Tensor:
        """Return the layer, with weights drawn again."""
        outputs = super().construct(x)
        return self.activation(outputs) if self.activation_flag else outputs

    def extend_repr(self) -> str:
        """Sizes, Parameters and activation."""
        sizes = (
            f"in_channels={self.in_channels}, out_channels={self.out_channels}, {self._describe_parameters()}"
        )
        return f"{sizes}, activation={self.activation}" if self.activation_flag else sizes


@documented_by(_DenseVariational)
class DenseReparam(_DenseVariational):
    """A dense layer whose weight is drawn again at each call, as mean + sd * noise (Kingma and Welling 2014).

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.bnn_layers import DenseReparam
        >>> net = DenseReparam(3, 2, activation="relu")
        >>> net(ms.ops.ones((5, 3))).shape, net.compute_kl_loss().shape
        ((5, 2), ())
    """

    def _apply_variational_weight(self, inputs: Tensor) -> Tensor:
        return matrix_product(inputs, self.weight_posterior("sample"), transpose_b=True)


@documented_by(_DenseVariational)
class DenseLocalReparam(_DenseVariational):
    """A dense layer whose outputs are drawn, from the distribution that those of the weights give them.

    Each row then has its own noise, which lowers the variance of gradients (Kingma, Salimans and Welling 2015).

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.bnn_layers import DenseLocalReparam
        >>> DenseLocalReparam(3, 2)(ms.ops.ones((5, 3))).shape
        (5, 2)
    """

    def _add_children(self) -> None:
        self.normal = Normal()

    def _apply_variational_weight(self, inputs: Tensor) -> Tensor:
        mean = matrix_product(inputs, self.weight_posterior("mean"), transpose_b=True)
        variances = square(self.weight_posterior("sd"))
        std = sqrt(matrix_product(square(inputs), variances, transpose_b=True))
        return self.normal("sample", mean=mean, sd=std)
