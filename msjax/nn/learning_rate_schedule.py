"""Learning rate schedules as functions of the step: Cells that an optimizer calls with its `global_step`.

Each computes with one pure function of the step, in float32.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op
from msjax.nn.cell import argument_checks
from msjax.nn.cell.cell import Cell
from msjax.ops.common.docstrings import documented_by

__all__ = [
    "CosineDecayLR",
    "ExponentialDecayLR",
    "InverseDecayLR",
    "NaturalExpDecayLR",
    "PolynomialDecayLR",
    "WarmUpLR",
]


class LearningRateSchedule(Cell):
    """Base of learning rate schedules: a subclass computes the rate in `construct`.

    Inputs:
        - **global_step** (Tensor) - how many steps have been made; int32 of shape () or (1,).

    Outputs:
        Tensor of the same shape, the learning rate of the coming step.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn, ops
        >>> class Halving(nn.LearningRateSchedule):
        ...     def construct(self, global_step):
        ...         return 0.1 * 0.5 ** ops.cast(global_step, ms.float32)
        >>> print(Halving()(ms.Tensor(3, ms.int32)))
        0.0125
    """

    def construct(self, global_step: Any) -> Any:
        """Return the learning rate; a subclass defines it."""
        raise NotImplementedError(
            f"`{type(self).__name__}`: a learning rate schedule must define `construct`."
        )


def _share(step: jax.Array, decay_steps: int, stairs: bool) -> jax.Array:
    """Return step / decay_steps, rounded down if the decay is a staircase."""
    share = step.astype(jnp.float32) / np.float32(decay_steps)
    return jnp.floor(share) if stairs else share


@op(static="rate decay steps stairs")
def exponential_decay(step: ArrayLike, rate: float, decay: float, steps: int, stairs: BoolLike) -> jax.Array:
    """rate * decay^(step / steps)."""
    return np.float32(rate) * np.float32(decay) ** _share(step, steps, stairs)


@op(static="rate decay steps stairs")
def natural_exp_decay(step: ArrayLike, rate: float, decay: float, steps: int, stairs: BoolLike) -> jax.Array:
    """rate * e^(-decay step), the step being rounded down to a multiple of `steps` if it goes down by stairs."""
    passed = _share(step, steps, True) * np.float32(steps) if stairs else step.astype(jnp.float32)
    return np.float32(rate) * jnp.exp(-np.float32(decay) * passed)


@op(static="rate decay steps stairs")
def inverse_decay(step: ArrayLike, rate: float, decay: float, steps: int, stairs: BoolLike) -> jax.Array:
    """rate / (1 + decay step / steps)."""
    return np.float32(rate) / (1 + np.float32(decay) * _share(step, steps, stairs))


@op(static="low high steps")
def cosine_decay(step: ArrayLike, low: float, high: float, steps: int) -> jax.Array:
    """Half a period of a cosine from `high` down to `low`, and `low` from then on (Loshchilov & Hutter, ICLR 2017)."""
    share = jnp.minimum(step.astype(jnp.float32), np.float32(steps)) / np.float32(steps)
    return np.float32(low) + np.float32(0.5 * (high - low)) * (1 + jnp.cos(share * np.float32(np.pi)))


@op(static="rate end steps power again")
def polynomial_decay(
    step: ArrayLike, rate: float, end: float, steps: int, power: float, again: BoolLike
) -> jax.Array:
    """(rate - end) (1 - step / steps)^power + end; `again`: `steps` grows to the next multiple that holds the step."""
    passed, whole = step.astype(jnp.float32), jnp.full(step.shape, steps, jnp.float32)
    if again:
        whole = whole * jnp.maximum(jnp.ceil(passed / np.float32(steps)), 1)
    share = 1 - jnp.minimum(passed, whole) / whole
    return np.float32(rate - end) * share ** np.float32(power) + np.float32(end)


@op(static="rate steps")
def warm_up(step: ArrayLike, rate: float, steps: int) -> jax.Array:
    """rate * step / steps until that is `rate`."""
    passed = jnp.minimum(step.astype(jnp.float32), np.float32(steps))
    return np.float32(rate) * passed / np.float32(steps)


class _Decay(LearningRateSchedule):
    """Base class of the exponential, natural exponential and inverse time decays.

    Args:
        learning_rate: rate of step 0, a positive float.
        decay_rate: positive float.
        decay_steps: positive int.
        is_stair: keep the rate for `decay_steps` steps at a time. Default: False.

    Inputs:
        - **global_step** (Tensor) - how many steps have been made.

    Outputs:
        Tensor of the same shape, float32.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a number is out of its range.
    """

    _rule: Any

    def __init__(
        self, learning_rate: float, decay_rate: float, decay_steps: int, is_stair: bool = False
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self.learning_rate = argument_checks.check_number(
            owner, float, "learning_rate", learning_rate, (">", 0)
        )
        self.decay_rate = argument_checks.check_number(owner, float, "decay_rate", decay_rate, (">", 0))
        self.decay_steps = argument_checks.check_number(owner, int, "decay_steps", decay_steps, (">", 0))
        argument_checks.check_bools(owner, is_stair=is_stair)
        self.is_stair = is_stair

    def construct(self, global_step: Any) -> Any:
        """Return the learning rate of the step."""
        return type(self)._rule(
            global_step, self.learning_rate, self.decay_rate, self.decay_steps, self.is_stair
        )


@documented_by(_Decay)
class ExponentialDecayLR(_Decay):
    """`learning_rate * decay_rate ** (step / decay_steps)`.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> print(nn.ExponentialDecayLR(0.1, 0.5, 4)(ms.Tensor(8, ms.int32)))
        0.025
    """

    _rule = staticmethod(exponential_decay)


@documented_by(_Decay)
class NaturalExpDecayLR(_Decay):
    """`learning_rate * e ** (-decay_rate * step)`.

    Args:
        decay_steps: positive int; counts only with `is_stair`.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> print(nn.NaturalExpDecayLR(0.1, 0.9, 4, True)(ms.Tensor(3, ms.int32)))
        0.1
    """

    _rule = staticmethod(natural_exp_decay)


@documented_by(_Decay)
class InverseDecayLR(_Decay):
    """`learning_rate / (1 + decay_rate * step / decay_steps)`.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> print(nn.InverseDecayLR(0.1, 1.0, 4, True)(ms.Tensor(4, ms.int32)))
        0.05
    """

    _rule = staticmethod(inverse_decay)


@documented_by(_Decay)
class CosineDecayLR(LearningRateSchedule):
    """Cosine decay: from `max_lr` to `min_lr` along half a period of a cosine (Loshchilov & Hutter, ICLR 2017).

    Args:
        min_lr: rate from step `decay_steps` on, a float of at least 0.
        max_lr: rate of step 0, a float above `min_lr`.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> print(nn.CosineDecayLR(0.0, 0.1, 4)(ms.Tensor([0, 2, 4], ms.int32)).asnumpy().round(4))
        [0.1  0.05 0.  ]
    """

    def __init__(self, min_lr: float, max_lr: float, decay_steps: int) -> None:
        super().__init__()
        self.min_lr = argument_checks.check_number("CosineDecayLR", float, "min_lr", min_lr, (">=", 0))
        self.max_lr = argument_checks.check_number(
            "CosineDecayLR", float, "max_lr", max_lr, (">", 0), (">", min_lr)
        )
        self.decay_steps = argument_checks.check_number(
            "CosineDecayLR", int, "decay_steps", decay_steps, (">", 0)
        )

    def construct(self, global_step: Any) -> Any:
        """Return the learning rate of the step."""
        return cosine_decay(global_step, self.min_lr, self.max_lr, self.decay_steps)


@documented_by(_Decay)
class PolynomialDecayLR(LearningRateSchedule):
    """`(learning_rate - end_learning_rate) * (1 - step / decay_steps) ** power + end_learning_rate`.

    Args:
        end_learning_rate: rate from step `decay_steps` on, a float of at least 0.
        power: positive float.
        update_decay_steps: after `decay_steps` steps go on with the next multiple of it in its place. Default: False.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> print(nn.PolynomialDecayLR(0.1, 0.0, 4, 2.0)(ms.Tensor(2, ms.int32)))
        0.025
    """

    def __init__(
        self,
        learning_rate: float,
        end_learning_rate: float,
        decay_steps: int,
        power: float,
        update_decay_steps: bool = False,
    ) -> None:
        super().__init__()
        owner = "PolynomialDecayLR"
        self.learning_rate = argument_checks.check_number(
            owner, float, "learning_rate", learning_rate, (">", 0)
        )
        self.end_learning_rate = argument_checks.check_number(
            owner, float, "end_learning_rate", end_learning_rate, (">=", 0)
        )
        self.decay_steps = argument_checks.check_number(owner, int, "decay_steps", decay_steps, (">", 0))
        self.power = argument_checks.check_number(owner, float, "power", power, (">", 0))
        argument_checks.check_bools(owner, update_decay_steps=update_decay_steps)
        self.update_decay_steps = update_decay_steps

    def construct(self, global_step: Any) -> Any:
        """Return the learning rate of the step."""
        rates = self.learning_rate, self.end_learning_rate
        return polynomial_decay(global_step, *rates, self.decay_steps, self.power, self.update_decay_steps)


@documented_by(_Decay)
class WarmUpLR(LearningRateSchedule):
    """Linear warm-up: from 0 to `learning_rate` in equal steps, and `learning_rate` from then on.

    Args:
        learning_rate: final rate, a float of at least 0.
        warmup_steps: positive int.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> print(nn.WarmUpLR(0.1, 4)(ms.Tensor(2, ms.int32)))
        0.05
    """

    def __init__(self, learning_rate: float, warmup_steps: int) -> None:
        super().__init__()
        self.learning_rate = argument_checks.check_number(
            "WarmUpLR", float, "learning_rate", learning_rate, (">=", 0)
        )
        self.warmup_steps = argument_checks.check_number(
            "WarmUpLR", int, "warmup_steps", warmup_steps, (">", 0)
        )

    def construct(self, global_step: Any) -> Any:
        """Return the learning rate of the step."""
        return warm_up(global_step, self.learning_rate, self.warmup_steps)
