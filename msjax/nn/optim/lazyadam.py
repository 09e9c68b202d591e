"""LazyAdam and AdamOffload optimizers: Adam under names that say how MindSpore computes it."""

from typing import Any

from msjax.nn.cell import argument_checks
from msjax.nn.optim import transforms
from msjax.nn.optim.adam import check_betas
from msjax.nn.optim.optimizer import Optimizer
from msjax.ops.common.docstrings import documented_by


@documented_by(Optimizer, rename="params=parameters")
class LazyAdam(Optimizer):
    """:class:`Adam` that leaves rows of sparse tables (`nn.EmbeddingLookup`) as they are where their gradient is zero.

    So does MindSpore's in graph mode with rows that were not looked up. With weight decay all rows are updated.

    Args:
        learning_rate: a number, a Tensor, one number for each step, or a LearningRateSchedule. Default: 1e-3.
        beta1: decay rate of the first moment, in (0, 1). Default: 0.9.
        beta2: decay rate of the second moment, in (0, 1). Default: 0.999.
        eps: positive float. Default: 1e-8.
        use_locking: without effect: an update is one program.
        use_nesterov: as for Adam. Default: False.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> _ = nn.LazyAdam([p], learning_rate=0.1)((ms.Tensor([0.3, -4.0]),))
        >>> print(p.asnumpy().round(4))
        [0.9 2.1]
    """

    _takes_target = True
    _leaves_rows = True

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if self.cls_name == "LazyAdam":
            argument_checks.check_number("LazyAdam", float, "weight_decay", weight_decay)
        check_betas(self.cls_name, beta1, beta2, eps)
        argument_checks.check_bools(self.cls_name, use_locking=use_locking, use_nesterov=use_nesterov)
        self.use_locking, self.use_nesterov = use_locking, use_nesterov
        self._use(transforms.adam(beta1, beta2, eps, use_nesterov, power_shape=(1,)))


@documented_by(LazyAdam)
class AdamOffload(LazyAdam):
    """:class:`Adam`, which MindSpore computes on the host to save memory of the device; here it stays on the device.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> _ = nn.AdamOffload([p], learning_rate=0.1)((ms.Tensor([0.3, -4.0]),))
        >>> print(p.asnumpy().round(4))
        [0.9 2.1]
    """

    _leaves_rows = False
