"""Loss of a Bayesian neural network: the network's loss plus the KL divergences of its layers' weights."""

from collections.abc import Callable
from typing import Any

from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.probability.bnn_layers.variational import Variational


class WithBNNLossCell(Cell):
    """The loss of a net, plus the divergences of its layers whose weights are distributions (Blundell et al. 2015).

    Args:
        backbone (Cell): the net; layers of this package anywhere below it count.
        loss_fn (Cell): from (outputs, labels) to a loss.
        dnn_factor (int, float): weight of that loss, at least 0. Default: 1.
        bnn_factor (int, float): weight of the divergences, at least 0. Default: 1.

    Inputs:
        - **x** (Tensor) - for the net.
        - **label** (Tensor) - for the loss.

    Outputs:
        Tensor, the weighted sum.

    Raises:
        TypeError: if a factor is not a number.
        ValueError: if one is negative.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> from msjax.nn.probability import bnn_layers
        >>> net = nn.SequentialCell(bnn_layers.DenseReparam(3, 4, activation="relu"), bnn_layers.DenseReparam(4, 1))
        >>> loss = bnn_layers.WithBNNLossCell(net, nn.MSELoss(), bnn_factor=0.01)
        >>> len(loss.kl_loss), loss(ms.ops.ones((5, 3)), ms.ops.ones((5, 1))).shape
        (2, ())
    """

    def __init__(self, backbone: Cell, loss_fn: Any, dnn_factor: float = 1, bnn_factor: float = 1) -> None:
        super().__init__(auto_prefix=False)
        parameter_init.check_numbers("WithBNNLossCell", dnn_factor=dnn_factor, bnn_factor=bnn_factor)
        for name, factor in (("dnn_factor", dnn_factor), ("bnn_factor", bnn_factor)):
            if factor < 0:
                raise ValueError(
                    f"`WithBNNLossCell`: argument `{name}` must be at least 0. Received: {factor}."
                )
        self._backbone, self._loss_fn = backbone, loss_fn
        self.dnn_factor, self.bnn_factor = dnn_factor, bnn_factor
        self.kl_loss: list[Callable[[], Tensor]] = []
        self._add_kl_loss(backbone)

    def construct(self, x: Tensor, label: Tensor) -> Tensor:
        """Return the weighted sum."""
        loss = self._loss_fn(self._backbone(x), label)
        divergence: Any = 0
        for kl_loss in self.kl_loss:
            divergence = divergence + kl_loss()
        return loss * self.dnn_factor + divergence * self.bnn_factor

    def _add_kl_loss(self, net: Cell) -> None:
        for layer in net.name_cells().values():
            if isinstance(layer, Variational):
                self.kl_loss.append(layer.compute_kl_loss)
            else:
                self._add_kl_loss(layer)

    @property
    def backbone_network(self) -> Cell:
        """The net."""
        return self._backbone
