"""LAMB and AdaFactor as optax transformations: updates that depend on a whole parameter at once."""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from msjax.nn.optim.transforms import (
    Arrays,
    Transformation,
    broadcast_setting,
    choose_decays,
    float32_constant,
    map_parameters,
    moving_average,
    zeros_slot,
)


class LambState(NamedTuple):
    """State of LAMB: first and second moments."""

    moments1: Arrays
    moments2: Arrays


@functools.cache
def lamb(beta1: float, beta2: float, eps: float, decayed: tuple[bool, ...]) -> Transformation:
    """LAMB (You et al., ICLR 2020): Adam's step plus weight decay, made as long as lr times the parameter.

    Args:
        beta1: decay rate of the first moment.
        beta2: decay rate of the second moment.
        eps: added to the root of the second moment.
        decayed: for each parameter whether it decays.
    """

    def init(params: Any) -> LambState:
        return LambState([zeros_slot(p) for p in params], [zeros_slot(p) for p in params])

    @map_parameters
    def update_all(
        g: jax.Array,
        p: jax.Array,
        rate: jax.Array,
        decay: jax.Array | None,
        time: jax.Array,
        m: jax.Array,
        v: jax.Array,
    ) -> tuple:
        m, v = moving_average(m, g, beta1), moving_average(v, g * g, beta2)
        r = correct_bias(m, beta1, time) / (jnp.sqrt(correct_bias(v, beta2, time)) + float32_constant(eps, v))
        r = r if decay is None else r + decay * p
        return -rate * trust_ratio(p, r) * r, m, v

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        rates = broadcast_setting(extra["learning_rate"], params)
        decays = choose_decays(extra["weight_decay"], decayed, params)
        time = extra["global_step"].reshape(()) + 1
        changes, *moments = update_all(updates, params, [rates, decays, time], state)
        return changes, LambState(*moments)

    return Transformation(init, update)


def correct_bias(moment: jax.Array, decay: float, time: jax.Array) -> jax.Array:
    """Return a moment that started at zero, corrected for that."""
    return moment / (1 - float32_constant(decay, moment) ** time.astype(moment.dtype))


def trust_ratio(p: jax.Array, change: jax.Array) -> jax.Array:
    """|p| / |change|, or 1 where one of both is 0."""
    size, length = jnp.sqrt(jnp.sum(p * p)), jnp.sqrt(jnp.sum(change * change))
    defined = (size > 0) & (length > 0)
    return jnp.where(defined, size / jnp.where(defined, length, 1), 1)


class AdaFactorState(NamedTuple):
    """State of AdaFactor: mean squares by row and column for matrices, by element for others; zeros where unused."""

    exp_avg_sq_row: Arrays
    exp_avg_sq_col: Arrays
    exp_avg_sq: Arrays
    step: jax.Array


class AdaFactorMeanState(NamedTuple):
    """The mean of the steps beside these."""

    exp_avg: Arrays
    exp_avg_sq_row: Arrays
    exp_avg_sq_col: Arrays
    exp_avg_sq: Arrays
    step: jax.Array


class AdaFactorSettings(NamedTuple):
    """Settings of nn.AdaFactor."""

    eps: tuple[float, float]
    clip_threshold: float
    decay_rate: float
    beta1: float
    weight_decay: float
    scaled: bool
    relative: bool
    warmup: bool
    compressed: bool


@functools.cache
def adafactor(settings: AdaFactorSettings) -> Transformation:
    """AdaFactor (Shazeer & Stern, ICML 2018)."""
    kind: Any = AdaFactorMeanState if settings.beta1 > 0 else AdaFactorState
    update_all = map_parameters(functools.partial(_adafactor_step, settings))

    def init(params: Any) -> Any:
        rows = [_squares(p, settings.compressed) for p in params]
        means = [[zeros_slot(p) for p in params]] if settings.beta1 > 0 else []
        return kind(*means, *map(list, zip(*rows, strict=True)), jnp.zeros(1, jnp.float32))

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        step = state.step + 1
        time = step.reshape(())
        rates = broadcast_setting(
            _relative(settings, time) if settings.relative else extra["learning_rate"], params
        )
        decay = 1 - time**-settings.decay_rate
        changes, *columns = update_all(updates, params, [decay, rates], state[:-1])
        return changes, kind(*columns, step)

    return Transformation(init, update)


def _squares(p: jax.Array, compressed: bool) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return the initial second moments of a parameter: row factors, column factors, full moments."""
    none = jnp.zeros(1, p.dtype)
    if p.ndim > 1:
        return jnp.zeros(p.shape[:-1], p.dtype), jnp.zeros(p.shape[:-2] + p.shape[-1:], p.dtype), none
    return none, none, jnp.zeros(p.shape, jnp.float16 if compressed else p.dtype)


def _relative(settings: AdaFactorSettings, time: jax.Array) -> jax.Array:
    """Return the learning rate that depends on the step alone."""
    limit = 1e-6 * time if settings.warmup else jnp.float32(1e-2)
    return jnp.minimum(limit, 1 / jnp.sqrt(time))


def _adafactor_step(
    settings: AdaFactorSettings,
    g: jax.Array,
    p: jax.Array,
    decay: jax.Array,
    rate: jax.Array,
    *slots: jax.Array,
) -> tuple:
    *mean, row, column, square = slots
    decay = decay.astype(g.dtype)
    rate = rate * jnp.maximum(float32_constant(settings.eps[1], p), _rms(p)) if settings.scaled else rate
    s = g * g + float32_constant(settings.eps[0], g)
    if p.ndim > 1:
        row = decay * row + (1 - decay) * s.mean(-1)
        column = decay * column + (1 - decay) * s.mean(-2)
        change = g / jnp.sqrt((row / row.mean(-1, keepdims=True))[..., None] * column[..., None, :])
    else:
        square = decay * square + (1 - decay) * s
        change = g / jnp.sqrt(square)
    change = rate * change / jnp.maximum(1, _rms(change) / float32_constant(settings.clip_threshold, g))
    if mean:
        change = moving_average(mean[0], change, settings.beta1)
        mean = [change]
    if settings.weight_decay:
        change = change + float32_constant(settings.weight_decay, p) * rate * p
    return -change, *mean, row, column, square


def _rms(x: jax.Array) -> jax.Array:
    return jnp.sqrt(jnp.mean(x * x))
