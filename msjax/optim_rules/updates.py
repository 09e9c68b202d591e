"""Update rules with PyTorch's arithmetic: one step of one parameter, as pure functions over arrays.

A rule is called as

    rule.update(g, p, slots, lr, t, settings) -> (change, slots)

with the gradient `g` of the parameter `p`, the arrays in `slots` by PyTorch's names, the learning rate, the number `t`
of the step (from 1), and the settings of the optimizer. `change` is to be added to the parameter; only slots that
changed are returned. Weight decay and `maximize` are handled here for all rules.

No rule fixes a dtype: settings are Python numbers, or scalars in the dtype of the parameter where a program must not
hold float64 (JAX turns Python numbers into float64 constants when 64-bit types are on).
"""

import dataclasses
import inspect
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

Slots = dict[str, Any]
Step = Callable[..., tuple[jax.Array, Slots]]


class Slot(NamedTuple):
    """An array that an optimizer keeps for a parameter.

    Args:
        start: (parameter, settings) -> the first value.
        used_with: the settings of which none may be 0 or False, or else it is not used.
        of: whether a parameter has it; None: all have.
    """

    start: Callable[[Any, dict[str, Any]], jax.Array]
    used_with: tuple[str, ...] = ()
    of: Callable[[Any], bool] | None = None

    def is_used(self, settings: dict[str, Any], parameter: Any) -> bool:
        """Return True if an optimizer with these settings needs it for a parameter."""
        return all(settings[name] for name in self.used_with) and (self.of is None or self.of(parameter))


@dataclasses.dataclass(frozen=True)
class Rule:
    """Update of one parameter by an optimizer.

    Args:
        step: (g, p, slots, lr, t, **settings) -> (change, slots).
        slots: what it keeps, by PyTorch's names.
        at_least_zero: settings that must not be negative.
        decoupled: whether weight decay shrinks the parameter (Loshchilov and Hutter, 2019) or is added to the gradient.
    """

    step: Step
    slots: dict[str, Slot] = dataclasses.field(hash=False)
    at_least_zero: tuple[str, ...] = ("weight_decay",)
    decoupled: bool = False

    def update(
        self, g: Any, p: Any, slots: Slots, lr: Any, t: Any, settings: dict[str, Any]
    ) -> tuple[jax.Array, Slots]:
        """Return what is added to the parameter in one step, and the slots that change."""
        decay = settings.get("weight_decay", 0)
        decoupled = self.decoupled or settings.get("decoupled_weight_decay", False)
        g = -g if settings.get("maximize") else g
        g = g + decay * p if not decoupled and not is_zero(decay) else g
        own = {name: settings[name] for name in self._settings}
        change, new = self.step(g, p, slots, lr, t, **own)
        return change - lr * decay * p if decoupled and not is_zero(decay) else change, new

    @property
    def _settings(self) -> list[str]:
        found = inspect.signature(self.step).parameters.values()
        return [each.name for each in found if each.kind is inspect.Parameter.KEYWORD_ONLY]


def rule(at_least_zero: str = "", **slots: Slot) -> Callable[[Step], Rule]:
    """Make a function a rule with these slots, of which some settings, beside weight decay, must not be negative."""
    return lambda step: Rule(step, slots, ("weight_decay", *at_least_zero.split()))


def is_zero(setting: Any) -> bool:
    """Return True if a setting is 0 in the program; one that varies from step to step (an array) is not."""
    return not isinstance(setting, jax.Array) and setting == 0


def bias_correction(beta: Any, t: Any) -> Any:
    """Return 1 - beta^t, which the averages of `t` gradients are divided by.

    As -expm1(t log(beta)) it keeps the digits that the difference loses for a beta near 1.
    """
    if isinstance(beta, jax.Array):
        return -jnp.expm1(t * jnp.log(beta))
    log = math.log(beta) if beta else -math.inf
    return -jnp.expm1(t * t.dtype.type(log))


def _average(before: Any, new: Any, decay: Any) -> Any:
    return decay * before + (1 - decay) * new


ZEROS = Slot(lambda p, settings: jnp.zeros_like(p))
ONE = Slot(lambda p, settings: jnp.ones((), jnp.float32))


@rule(
    "momentum",
    momentum_buffer=ZEROS._replace(used_with=("momentum",)),
    started=Slot(lambda p, settings: jnp.zeros((), bool), ("momentum", "dampening")),
)
def sgd(
    g: Any, p: Any, slots: Slots, lr: Any, t: Any, *, momentum: Any, dampening: Any, nesterov: bool
) -> tuple[jax.Array, Slots]:
    """Gradient descent with momentum (Sutskever et al., ICML 2013, for Nesterov's).

    b = momentum b + (1 - dampening) g, or g in the first step; p -= lr b, or lr (g + momentum b) with `nesterov`.
    """
    if is_zero(momentum):
        return -lr * g, {}
    buffer = momentum * slots["momentum_buffer"] + (1 - dampening) * g
    started = slots.get("started", None if t is None else t > 1)
    buffer = buffer if started is None else jnp.where(started, buffer, g)
    new = {"momentum_buffer": buffer}
    if "started" in slots:
        new["started"] = jnp.ones_like(slots["started"])
    return -lr * (g + momentum * buffer if nesterov else buffer), new


def moments(g: Any, slots: Slots, betas: Any) -> tuple[Any, Any]:
    """Return the next averages of the gradient and of its square."""
    b1, b2 = betas
    return _average(slots["exp_avg"], g, b1), b2 * slots["exp_avg_sq"] + (1 - b2) * g * g


def adam_moments(g: Any, slots: Slots, betas: Any, amsgrad: bool) -> tuple[Any, Any, Slots]:
    """Return Adam's average of the gradient, what to take the root of, and the new slots."""
    m, v = moments(g, slots, betas)
    if not amsgrad:
        return m, v, {"exp_avg": m, "exp_avg_sq": v}
    most = jnp.maximum(slots["max_exp_avg_sq"], v)
    return m, most, {"exp_avg": m, "exp_avg_sq": v, "max_exp_avg_sq": most}


ADAM_SLOTS = {
    "exp_avg": ZEROS,
    "exp_avg_sq": ZEROS,
    "max_exp_avg_sq": ZEROS._replace(used_with=("amsgrad",)),
}


@rule("eps", **ADAM_SLOTS)
def adam(
    g: Any, p: Any, slots: Slots, lr: Any, t: Any, *, betas: Any, eps: Any, amsgrad: bool
) -> tuple[jax.Array, Slots]:
    """Adam (Kingma and Ba, 2015, algorithm 1); AMSGrad (Reddi et al., 2018) divides by the largest v so far.

    m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2, p -= lr / (1 - b1^t) m / (sqrt(v) / sqrt(1 - b2^t) + eps).
    """
    m, v, new = adam_moments(g, slots, betas, amsgrad)
    root = jnp.sqrt(v) / jnp.sqrt(bias_correction(betas[1], t)) + eps
    return -lr / bias_correction(betas[0], t) * m / root, new


adamw = dataclasses.replace(adam, decoupled=True)


@rule("eps", exp_avg=ZEROS, exp_avg_sq=ZEROS)
def sparse_adam(
    g: Any, p: Any, slots: Slots, lr: Any, t: Any, *, betas: Any, eps: Any
) -> tuple[jax.Array, Slots]:
    """Adam that leaves rows alone, and their averages, whose gradient is zero throughout.

    p -= lr sqrt(1 - b2^t) / (1 - b1^t) m / (sqrt(v) + eps), in the other rows.
    """
    moved = jnp.any(g != 0, axis=tuple(range(1, g.ndim)), keepdims=True)
    averages = dict(zip(("exp_avg", "exp_avg_sq"), moments(g, slots, betas), strict=True))
    new = {name: jnp.where(moved, average, slots[name]) for name, average in averages.items()}
    first, second = (bias_correction(beta, t) for beta in betas)
    change = -lr * jnp.sqrt(second) / first * new["exp_avg"] / (jnp.sqrt(new["exp_avg_sq"]) + eps)
    return jnp.where(moved, change, jnp.zeros_like(change)), new


@rule("eps", exp_avg=ZEROS, exp_inf=ZEROS)
def adamax(g: Any, p: Any, slots: Slots, lr: Any, t: Any, *, betas: Any, eps: Any) -> tuple[jax.Array, Slots]:
    """Adam with the largest gradient in the place of the average square (Kingma and Ba, 2015, section 7.1).

    m = b1 m + (1 - b1) g, u = max(b2 u, |g| + eps), p -= lr / (1 - b1^t) m / u.
    """
    m = _average(slots["exp_avg"], g, betas[0])
    most = jnp.maximum(betas[1] * slots["exp_inf"], jnp.abs(g) + eps)
    return -lr / bias_correction(betas[0], t) * m / most, {"exp_avg": m, "exp_inf": most}


@rule("eps momentum_decay", exp_avg=ZEROS, exp_avg_sq=ZEROS, mu_product=ONE)
def nadam(
    g: Any, p: Any, slots: Slots, lr: Any, t: Any, *, betas: Any, eps: Any, momentum_decay: Any
) -> tuple[jax.Array, Slots]:
    """Adam with Nesterov's momentum (Dozat, 2016).

    mu_t = b1 (1 - 0.96^(t momentum_decay) / 2), and M_t is the product of mu_1 to mu_t;
    p -= lr ((1 - mu_t) / (1 - M_t) g + mu_t+1 / (1 - M_t+1) m) / (sqrt(v / (1 - b2^t)) + eps).
    """
    half, base = map(t.dtype.type, (0.5, 0.96))
    mu, following = (betas[0] * (1 - half * base ** (n * momentum_decay)) for n in (t, t + 1))
    product = slots["mu_product"] * mu
    m, v = moments(g, slots, betas)
    root = jnp.sqrt(v / bias_correction(betas[1], t)) + eps
    change = (1 - mu) / (1 - product) * g + following / (1 - product * following) * m
    return -lr * change / root, {"exp_avg": m, "exp_avg_sq": v, "mu_product": product}


@rule("eps", exp_avg=ZEROS, exp_avg_sq=ZEROS)
def radam(g: Any, p: Any, slots: Slots, lr: Any, t: Any, *, betas: Any, eps: Any) -> tuple[jax.Array, Slots]:
    """Adam whose step size is corrected for the variance at the start (Liu et al., 2020, algorithm 2).

    Until the length r of the average is above 5 it is descent along the average of the gradient.
    """
    m, v = moments(g, slots, betas)
    first, second = (bias_correction(beta, t) for beta in betas)
    limit = 2 / (1 - betas[1]) - 1
    length = limit - 2 * t * (1 - second) / second
    # The root below is of a positive number also where it is not used: the gradient of `where` sees both sides.
    steady = jnp.maximum(length, length.dtype.type(5))
    ratio = (steady - 4) * (steady - 2) * limit / ((limit - 4) * (limit - 2) * steady)
    adapted = jnp.sqrt(ratio) * jnp.sqrt(second) / (jnp.sqrt(v) + eps)
    change = -lr * m / first * jnp.where(length > 5, adapted, jnp.ones_like(adapted))
    return change, {"exp_avg": m, "exp_avg_sq": v}


@rule(
    "alpha eps momentum",
    grad_avg=ZEROS._replace(used_with=("centered",)),
    square_avg=ZEROS,
    momentum_buffer=ZEROS._replace(used_with=("momentum",)),
)
def rmsprop(
    g: Any, p: Any, slots: Slots, lr: Any, t: Any, *, alpha: Any, eps: Any, momentum: Any, centered: bool
) -> tuple[jax.Array, Slots]:
    """Gradients over the root of their average square (Tieleman and Hinton, 2012).

    v = alpha v + (1 - alpha) g^2, p -= lr g / (sqrt(v) + eps); centered: v - average(g)^2 in the place of v.
    """
    variance = alpha * slots["square_avg"] + (1 - alpha) * g * g
    new = {"square_avg": variance}
    if centered:
        new["grad_avg"] = mean = _average(slots["grad_avg"], g, alpha)
        variance = variance - mean * mean
    change = g / (jnp.sqrt(variance) + eps)
    if not is_zero(momentum):
        new["momentum_buffer"] = change = momentum * slots["momentum_buffer"] + change
    return -lr * change, new


@rule("eps rho", square_avg=ZEROS, acc_delta=ZEROS)
def adadelta(g: Any, p: Any, slots: Slots, lr: Any, t: Any, *, rho: Any, eps: Any) -> tuple[jax.Array, Slots]:
    """Steps in the units of the parameter (Zeiler, 2012).

    v = rho v + (1 - rho) g^2, d = sqrt(u + eps) / sqrt(v + eps) g, u = rho u + (1 - rho) d^2, p -= lr d.
    """
    square = rho * slots["square_avg"] + (1 - rho) * g * g
    delta = jnp.sqrt(slots["acc_delta"] + eps) / jnp.sqrt(square + eps) * g
    return -lr * delta, {
        "square_avg": square,
        "acc_delta": rho * slots["acc_delta"] + (1 - rho) * delta * delta,
    }


@rule(
    "lr_decay eps initial_accumulator_value",
    sum=Slot(lambda p, settings: jnp.full_like(p, settings["initial_accumulator_value"])),
)
def adagrad(
    g: Any, p: Any, slots: Slots, lr: Any, t: Any, *, lr_decay: Any, eps: Any
) -> tuple[jax.Array, Slots]:
    """Gradients over the root of the sum of their squares (Duchi et al., 2011).

    s = s + g^2, p -= lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps).
    """
    total = slots["sum"] + g * g
    return -lr / (1 + (t - 1) * lr_decay) * g / (jnp.sqrt(total) + eps), {"sum": total}


@rule(ax=ZEROS, eta=ONE, mu=ONE)
def asgd(
    g: Any, p: Any, slots: Slots, lr: Any, t: Any, *, lambd: Any, alpha: Any, t0: Any
) -> tuple[jax.Array, Slots]:
    """Gradient descent that keeps the average of the parameters in `ax` (Polyak and Juditsky, 1992).

    p = (1 - lambd eta) p - eta g, ax += mu (p - ax), eta = lr / (1 + lambd lr t)^alpha, mu = 1 / max(1, t - t0);
    each step uses the eta and mu that the last one left.
    """
    average, mu = slots["ax"], slots["mu"]
    eta = jnp.where(t == 1, lr, slots["eta"])
    change = -lambd * eta * p - eta * g
    average = jnp.where(mu == 1, p + change, average + mu * (p + change - average))
    following = lr / (1 + lambd * lr * t) ** alpha
    return change, {"ax": average, "eta": following, "mu": 1 / jnp.maximum(jnp.ones_like(t), t - t0)}


@rule(prev=ZEROS, step_size=ZEROS)
def rprop(
    g: Any, p: Any, slots: Slots, lr: Any, t: Any, *, etas: Any, step_sizes: Any
) -> tuple[jax.Array, Slots]:
    """Resilient propagation (Riedmiller and Braun, 1993): only the sign of the gradient counts.

    Where it stays the step grows; where it changes the step shrinks and is left out once.
    """
    shorter, longer = etas
    turn = g * slots["prev"]
    factor = jnp.where(turn > 0, longer, jnp.where(turn < 0, shorter, jnp.ones_like(p)))
    size = jnp.where(t == 1, lr, slots["step_size"])
    size = jnp.clip(size * factor, *step_sizes)
    g = jnp.where(turn < 0, jnp.zeros_like(g), g)
    return -jnp.sign(g) * size, {"prev": g, "step_size": size}


@rule("momentum", momentum_buffer=ZEROS)
def _muon(
    g: Any, p: Any, slots: Slots, lr: Any, t: Any, *, momentum: Any, nesterov: Any, ns_coefficients: Any, eps: Any,
    ns_steps: Any, adjust_lr_fn: Any,
) -> tuple[jax.Array, Slots]:  # fmt: skip
    """Momentum whose singular values become about 1 (Jordan and others, 2024), of matrices.

    m += (1 - momentum) (g - m); a few steps of Newton and Schulz in bfloat16 bring it near to the orthogonal matrix.
    """
    average = slots["momentum_buffer"] + (1 - momentum) * (g - slots["momentum_buffer"])
    x = (g + momentum * (average - g) if nesterov else average).astype(jnp.bfloat16)
    rows, columns = x.shape
    x = x.T if rows > columns else x
    # Products are summed in float32 and rounded once, as in PyTorch.
    wide, low = jnp.float32, x.dtype
    norm = jnp.linalg.norm(x.astype(wide)).astype(low)
    x = x / jnp.maximum(norm, jnp.asarray(eps, low))
    a, b, c = (jnp.asarray(number, wide) for number in ns_coefficients)
    for _ in range(ns_steps):
        gram = jnp.matmul(x, x.T, preferred_element_type=wide).astype(low)
        change = b * gram.astype(wide) + c * jnp.matmul(gram, gram, preferred_element_type=wide)
        x = (a * x.astype(wide) + jnp.matmul(change.astype(low), x, preferred_element_type=wide)).astype(low)
    x = x.T if rows > columns else x
    longest = 0.2 * math.sqrt(max(rows, columns))
    ratio = longest if adjust_lr_fn == "match_rms_adamw" else math.sqrt(max(1, rows / columns))
    return -lr * ratio * x.astype(p.dtype), {"momentum_buffer": average}


muon = dataclasses.replace(_muon, decoupled=True)


@rule(
    row_var=Slot(lambda p, settings: jnp.zeros_like(p[..., :1]), of=lambda p: p.ndim > 1),
    col_var=Slot(lambda p, settings: jnp.zeros_like(p[..., :1, :]), of=lambda p: p.ndim > 1),
    variance=Slot(lambda p, settings: jnp.zeros_like(p), of=lambda p: p.ndim <= 1),
)
def _adafactor(
    g: Any, p: Any, slots: Slots, lr: Any, t: Any, *, beta2_decay: Any, eps: Any, d: Any
) -> tuple[jax.Array, Slots]:
    """Adam without momentum, whose second moments of matrices are products of rows and columns (Shazeer and Stern, 2018).

    The step is relative to the size of the parameter, and is made shorter where its root mean square exceeds d.
    """
    smallest = jnp.finfo(p.dtype).eps if eps[0] is None else eps[0]
    share = t**beta2_decay
    squares = g * g
    mean = {"variance": squares} if p.ndim <= 1 else {
        "row_var": squares.mean(-1, keepdims=True), "col_var": squares.mean(-2, keepdims=True)
    }  # fmt: skip
    new = {name: slots[name] + share.astype(p.dtype) * (each - slots[name]) for name, each in mean.items()}
    if p.ndim > 1:
        rows = new["row_var"]
        estimate = rows @ new["col_var"] / jnp.maximum(rows.mean(-2, keepdims=True), smallest)
    else:
        estimate = new["variance"]
    update = g * jax.lax.rsqrt(jnp.maximum(estimate, smallest * smallest))
    length = jnp.maximum(eps[1], _root_mean_square(p)) * jnp.minimum(lr, 1 / jnp.sqrt(t))
    shorter = jnp.maximum(1.0, _root_mean_square(update) / d)
    return -(length / shorter).astype(p.dtype) * update, new


adafactor = dataclasses.replace(_adafactor, decoupled=True)


def _root_mean_square(x: jax.Array) -> jax.Array:
    return jnp.sqrt(jnp.mean(x * x))
