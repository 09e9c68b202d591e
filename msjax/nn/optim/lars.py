"""LARS: layer-wise adaptive rate scaling around another optimizer."""

from collections.abc import Callable
from typing import Any

from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import argument_checks
from msjax.nn.optim import groups
from msjax.nn.optim.optimizer import Optimizer
from msjax.ops.math.arithmetic import div, square
from msjax.ops.optim.adam import lars_update
from msjax.ops.reduction.reduction import reduce_sum


def _usual(parameter: Any) -> bool:
    return "LayerNorm" not in parameter.name and "bias" not in parameter.name


class LARS(Optimizer):
    r"""LARS (You et al., 2017): scales the gradients of another optimizer by the norm of the parameters.

    .. math::
        g' = \eta \frac{\|p\|}{\|g\| + d\,\|p\| + \epsilon} (g + d\,p)

    with the weight decay d of the other optimizer, which does not apply it any more; the quotient is 1 where a length
    is 0.

    Args:
        optimizer: the optimizer that changes the parameters. Its weight decay and loss scale are used here.
        epsilon: float, added below the fraction. Default: 1e-05.
        coefficient: :math:`\eta`, float. Default: 0.001.
        use_clip: divide the factor by the learning rate, and let it be at most 1. Default: False.
        lars_filter: says for a Parameter whether its gradient is changed. Default: unless "LayerNorm" or "bias" is in
            its name.

    Inputs:
        - **gradients** (tuple[Tensor]) - one for each parameter.

    Outputs:
        What the other optimizer returns.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: with `use_clip`, if groups have their own changing learning rates.

    Examples:
        >>> import msjax as ms
        >>> p = ms.Parameter(ms.Tensor([3.0, 4.0]), name="p")
        >>> optimizer = ms.nn.LARS(ms.nn.SGD([p], 1.0), epsilon=0.0, coefficient=0.1)
        >>> _ = optimizer((ms.Tensor([8.0, 0.0]),))
        >>> print(p.asnumpy())
        [2.5 4. ]
    """

    def __init__(
        self,
        optimizer: Any,
        epsilon: float = 1e-05,
        coefficient: float = 0.001,
        use_clip: bool = False,
        lars_filter: Callable[[Any], bool] = _usual,
    ) -> None:
        super().__init__(0.0, [Parameter(Tensor(0.0), name="fake_param")])
        if not isinstance(optimizer, Optimizer):
            raise TypeError(
                f"`LARS`: argument `optimizer` must be an Optimizer. Received: {argument_checks.describe_value(optimizer)}."
            )
        argument_checks.check_number("LARS", float, "epsilon", epsilon)
        argument_checks.check_number("LARS", float, "coefficient", coefficient)
        argument_checks.check_bools("LARS", use_clip=use_clip)
        if use_clip and optimizer.is_group_lr and optimizer.dynamic_lr:
            raise ValueError(
                "`LARS`: argument `use_clip` must be False if groups have their own changing learning rates."
            )
        self.opt = optimizer
        self.epsilon, self.coefficient, self.use_clip = epsilon, coefficient, use_clip
        for name in (
            "dynamic_weight_decay", "weight_decay", "global_step", "parameters", "param_length", "is_group",
            "decay_flags", "need_scale", "loss_scale", "reciprocal_scale", "_clock", "_last_step",
        ):  # fmt: skip
            setattr(self, name, getattr(optimizer, name))
        self.lars_flag = tuple(bool(lars_filter(p)) for p in self.parameters)
        if not use_clip:
            self.learning_rate = Parameter(Tensor(0.0), name="fake_lr")
        optimizer._hand_over()

    def construct(self, gradients: Any) -> Any:
        """Change the gradients, and let the other optimizer have them."""
        self._check(gradients)
        rates = self.opt.get_lr() if self.use_clip else 1.0
        decays = self.get_weight_decay()
        changed = [
            self._changed_gradient(i, gradient, _own(rates, i), _own(decays, i))
            for i, gradient in enumerate(self.scale_grad(tuple(gradients)))
        ]
        return self.opt(tuple(changed))

    def _changed_gradient(self, i: int, gradient: Any, rate: Any, decay: Any) -> Any:
        if not self.lars_flag[i]:
            return gradient
        p = self.parameters[i]
        squares = reduce_sum(square(p)), reduce_sum(square(gradient))
        decay = div(decay, self.loss_scale) if self.decay_flags[i] else 0.0
        return lars_update(p, gradient, *squares, decay, rate, self.epsilon, self.coefficient, self.use_clip)


def _own(values: Any, i: int) -> Any:
    """Return the hyper-parameter of parameter i."""
    value = values[i] if isinstance(values, tuple) else values
    return groups.scalar_rate(value) if isinstance(value, Tensor) else value
