"""Model for THOR: computes second-order statistics every `frequency` steps."""

from typing import Any

from msjax.config.context import PYNATIVE_MODE, get_context, set_context
from msjax.nn.cell.cell import Cell
from msjax.train.model import Model


class ModelThor(Model):
    """:class:`Model` for the optimizer `nn.thor`: every `frequency` steps, statistics and inverses are recomputed.

    Those steps run operator by operator, because layers look at the gradients of their outputs in them; the others as
    one compiled program, with the inverses that there are.

    Args:
        network: the network, or a TrainOneStepCell with the optimizer.
        loss_fn: as for `Model`.
        optimizer: what `nn.thor` gives.
        metrics: as for `Model`.
        eval_network: as for `Model`.
        eval_indexes: as for `Model`.
        amp_level: as for `Model`.
        kwargs: as for `Model`.

    Raises:
        TypeError, ValueError: as for `Model`.
    """

    def __init__(
        self,
        network: Cell,
        loss_fn: Any = None,
        optimizer: Any = None,
        metrics: Any = None,
        eval_network: Cell | None = None,
        eval_indexes: list[int] | None = None,
        amp_level: str = "O0",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            network, loss_fn, optimizer, metrics, eval_network, eval_indexes, amp_level, **kwargs
        )
        own: Any = network.optimizer if optimizer is None else optimizer
        self._frequency: int = own.get_frequency()
        self._steps = 0

    def _step(self, network: Cell, batch: tuple) -> Any:
        if network is not self._train_network:
            return super()._step(network, batch)
        second_order = self._steps % self._frequency == 0
        self._steps += 1
        network.add_flags_recursive(thor=second_order)
        if not second_order:
            return super()._step(network, batch)
        mode = get_context("mode")
        set_context(mode=PYNATIVE_MODE)
        try:
            return network(*batch)
        finally:
            set_context(mode=mode)
