"""The optimizers of `mint.optim` where they are not those of `experimental.optim`."""

import dataclasses
from typing import Any

from msjax.experimental.optim import adam_family, descent
from msjax.ops.common.docstrings import documented_by
from msjax.optim_rules import updates


@documented_by(adam_family.Adam)
class Adam(adam_family.Adam):
    """Adam (Kingma and Ba, 2015), with eps where PyTorch has it.

    m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2,
    p = p - lr / (1 - b1^t) m / (sqrt(v) / sqrt(1 - b2^t) + eps); weight decay is added to g.

    Examples:
        >>> import msjax as ms
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> ms.mint.optim.Adam([p], lr=0.1)((ms.Tensor([3.0, -4.0]),))
        True
        >>> print(p.asnumpy().round(3))
        [0.9 2.1]
    """

    _rule = updates.adam


@documented_by(descent.SGD)
class SGD(descent.SGD):
    """Stochastic gradient descent, with momentum, as `experimental.optim.SGD`.

    Examples:
        >>> import msjax as ms
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> ms.mint.optim.SGD([p], lr=0.5)((ms.Tensor([1.0, -1.0]),))
        True
        >>> print(p.asnumpy())
        [0.5 2.5]
    """

    _rule = dataclasses.replace(updates.sgd, slots={"momentum_buffer": updates.ZEROS})
    _slot_names = {"momentum_buffer": "momentum_buf"}

    def __init__(
        self, params: Any, lr: Any, momentum: float = 0, dampening: float = 0, weight_decay: float = 0,
        nesterov: bool = False, *, maximize: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(params, lr, momentum, dampening, weight_decay, nesterov, maximize=maximize)
