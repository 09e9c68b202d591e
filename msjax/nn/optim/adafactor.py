"""AdaFactor optimizer."""

from typing import Any

from msjax.nn.cell import argument_checks
from msjax.nn.optim import transforms_layerwise
from msjax.nn.optim.optimizer import Optimizer
from msjax.ops.common.docstrings import documented_by


@documented_by(Optimizer, rename="params=parameters")
class AdaFactor(Optimizer):
    r"""AdaFactor (Shazeer & Stern, ICML 2018): of a matrix's squared gradients, only rows and columns are remembered.

    .. math::
        \hat\beta_t = 1 - t^{-c}, \quad R_t = \hat\beta_t R_{t-1} + (1 - \hat\beta_t) \overline{(g_t^2 + \epsilon_1)}, \quad
        u_t = \frac{g_t}{\sqrt{R_t C_t / \overline{R_t}}}, \quad
        p_t = p_{t-1} - \alpha_t \frac{u_t}{\max(1, \mathrm{rms}(u_t) / d)}

    with R the means of rows, C those of columns, :math:`\alpha_t = lr \max(\epsilon_2, \mathrm{rms}(p_{t-1}))`. What has one
    dimension remembers every element.

    Args:
        learning_rate: a number, a Tensor, one number for each step, or a LearningRateSchedule. Default: None, with
            `relative_step`.
        eps: (eps1, eps2), floats of at least 0. Default: (1e-30, 1e-3).
        clip_threshold: d, float of at least 0. Default: 1.0.
        decay_rate: c, in (0, 1). Default: 0.8.
        beta1: decay rate of a mean of the steps, which then is what is subtracted; 0 for none. Default: 0.9.
        weight_decay: float in [0, 1): that part of a parameter, times alpha, is subtracted too. Default: 0.0.
        scale_parameter: whether alpha contains rms(p). Without effect for a learning rate that changes.
        relative_step: use :math:`\min(0.01, 1 / \sqrt t)` as the learning rate. Default: True.
        warmup_init: use :math:`\min(10^{-6} t, 1 / \sqrt t)` instead. Default: False.
        compression: remember vectors in float16. Default: False.
        loss_scale: accepted; as in MindSpore it does not change the gradients. Default: 1.0.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a number is out of its range, or `learning_rate`, `relative_step` and `warmup_init` do not fit.

    Examples:
        >>> import msjax as ms
        >>> p = ms.Parameter(ms.Tensor([1.0, -1.0]), name="p")
        >>> _ = ms.nn.AdaFactor([p], 0.1, relative_step=False, beta1=0.0)((ms.Tensor([3.0, -0.5]),))
        >>> print(p.asnumpy())
        [ 0.9 -0.9]
    """

    _slot_names = {name: f"{name}_{{}}" for name in ("exp_avg_sq_row", "exp_avg_sq_col", "exp_avg_sq")} | {
        "step": "afactor_step"
    }

    def __init__(
        self,
        params: Any,
        learning_rate: Any = None,
        eps: Any = (1e-30, 1e-3),
        clip_threshold: float = 1.0,
        decay_rate: float = 0.8,
        beta1: float = 0.9,
        weight_decay: float = 0.0,
        scale_parameter: bool = True,
        relative_step: bool = True,
        warmup_init: bool = False,
        compression: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        _check_rate(learning_rate, relative_step, warmup_init)
        rate = 0.0 if learning_rate is None else learning_rate
        beta1 = 0.0 if beta1 is None else beta1
        super().__init__(rate, params, weight_decay, loss_scale)
        _check_eps(eps)
        argument_checks.check_number("AdaFactor", float, "clip_threshold", clip_threshold, (">=", 0))
        argument_checks.check_number("AdaFactor", float, "decay_rate", decay_rate, (">", 0), ("<", 1))
        argument_checks.check_number("AdaFactor", float, "weight_decay", weight_decay, (">=", 0), ("<", 1))
        argument_checks.check_number("AdaFactor", (int, float), "beta1", beta1, (">=", 0))
        argument_checks.check_bools("AdaFactor", scale_parameter=scale_parameter, relative_step=relative_step)
        argument_checks.check_bools("AdaFactor", compression=compression)
        self.scale_lr = isinstance(rate, float | int)
        self.scale_parameter = scale_parameter and self.scale_lr
        self.relative_step, self.warmup_init, self.compression = relative_step, warmup_init, compression
        self.use_first_moment, self.weight_decay_flag = beta1 > 0, bool(weight_decay)
        settings = transforms_layerwise.AdaFactorSettings(
            tuple(eps), clip_threshold, decay_rate, float(beta1), float(weight_decay), self.scale_parameter,
            relative_step and self.scale_lr, warmup_init, compression,
        )  # fmt: skip
        self._use(transforms_layerwise.adafactor(settings))
        self._prepare((False,) * self.param_length, 1.0)

    @property
    def supports_memory_efficient_fp16(self) -> bool:
        """True: 16-bit parameters are computed with in float32."""
        return True

    @property
    def supports_flat_params(self) -> bool:
        """False: the shapes of parameters matter."""
        return False


def _check_rate(learning_rate: Any, relative_step: bool, warmup_init: bool) -> None:
    for wrong, rule in (
        (learning_rate is not None and relative_step, "`learning_rate` must be None with `relative_step`"),
        (warmup_init and not relative_step, "`warmup_init` must be False without `relative_step`"),
        (
            learning_rate is None and not relative_step,
            "`learning_rate` must be given without `relative_step`",
        ),
    ):
        if wrong:
            raise ValueError(
                f"`AdaFactor`: argument {rule}. Received: learning_rate={learning_rate!r}, "
                f"relative_step={relative_step}, warmup_init={warmup_init}."
            )


def _check_eps(eps: Any) -> None:
    if not isinstance(eps, list | tuple):
        raise TypeError(
            f"`AdaFactor`: argument `eps` must be a tuple or a list. Received: {argument_checks.describe_value(eps)}."
        )
    if len(eps) != 2:
        raise ValueError(f"`AdaFactor`: argument `eps` must have two elements. Received: {eps}.")
    for i, value in enumerate(eps):
        argument_checks.check_number("AdaFactor", float, f"eps[{i}]", value, (">=", 0))
