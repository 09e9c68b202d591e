"""MindSpore's optimizers as optax transformations over lists of arrays.

optax's own ones differ from them in where eps stands, in how the bias of the moments is corrected, in what the first
step does, and in that their constants are Python numbers. Here the learning rate and whatever else may change from step
to step are arrays that `update` takes as extra arguments, so that nothing is recompiled:

    learning_rate   scalar, or a tuple with one for each parameter
    weight_decay    the same
    momentum        scalar

The fields of a state are named after the attributes that MindSpore's optimizers keep their state in. Updates are to be
added to the parameters (`optax.apply_updates`). 16-bit parameters are computed with in float32 and stored as they are.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.core import Tracer

from msjax.core.tensor.construction import constant

Arrays = list[jax.Array]
Transformation = optax.GradientTransformationExtraArgs


def to_compute_dtype(x: jax.Array) -> jax.Array:
    """Return the array in the dtype to compute in: float32 for the 16-bit floats."""
    return x.astype(jnp.float32) if x.dtype.itemsize < 4 else x


def broadcast_setting(value: Any, like: Sequence[jax.Array]) -> list[Any]:
    """Return a hyper-parameter for each array: one shared by all, or one each, in the dtype to compute in."""
    values = value if isinstance(value, tuple | list) else [value] * len(like)
    made: dict[Any, Any] = {}  # a scalar for each array would make the program larger
    for v, p in zip(values, like, strict=True):
        key = id(v), to_compute_dtype(p).dtype
        if key not in made:
            made[key] = None if v is None else jnp.asarray(v).reshape(()).astype(key[1])
    return [made[id(v), to_compute_dtype(p).dtype] for v, p in zip(values, like, strict=True)]


def choose_decays(value: Any, decayed: Sequence[bool], like: Sequence[jax.Array]) -> list[Any]:
    """Return the weight decay of each array; None for those that do not decay."""
    return [d if flag else None for d, flag in zip(broadcast_setting(value, like), decayed, strict=True)]


def map_parameters(rule: Callable[..., tuple[jax.Array, ...]]) -> Callable[..., tuple[list, ...]]:
    """Return the function that applies an update rule to one parameter after the other.

    The rule is traced once for all parameters of a shape: tracing was most of the first step of a net of many layers.

    Args:
        rule: (gradient, parameter, *hyper-parameters, *slots) -> (update, *slots), in the dtype to compute in.

    Returns:
        (gradients, parameters, hyper-parameters, slots) -> (updates, *slots): lists with an entry for each parameter,
        and lists of such lists; a hyper-parameter that is no list is shared by all.
    """

    @jax.jit
    def update_one(g: jax.Array, p: jax.Array, hyper: Sequence[Any], slots: Sequence[jax.Array]) -> tuple:
        change, *new = rule(to_compute_dtype(g), to_compute_dtype(p), *hyper, *map(to_compute_dtype, slots))
        return change, *[n.astype(s.dtype) for n, s in zip(new, slots, strict=True)]

    def update(gradients: Arrays, params: Arrays, hyper: Sequence[Any], slots: Sequence[Arrays]) -> tuple:
        per_parameter = [h if isinstance(h, list) else [h] * len(params) for h in hyper]
        changed = [
            update_one(g, p, [column[i] for column in per_parameter], [column[i] for column in slots])
            for i, (g, p) in enumerate(zip(gradients, params, strict=True))
        ]
        return tuple(map(list, zip(*changed, strict=True)))

    return update


def by_parameter(
    kind: type,
    start: dict[str, Callable[[jax.Array], jax.Array]],
    rule: Callable[..., tuple[jax.Array, ...]],
) -> Transformation:
    """Return a transformation that treats one parameter after the other.

    Args:
        kind: a NamedTuple type whose fields each hold a list of arrays, one for each parameter.
        start: for each field, the function from a parameter to the first value.
        rule: (gradient, parameter, learning rate, extra arguments, *slots) -> (update, *slots).
    """
    update_all = map_parameters(rule)

    def init(params: Any) -> Any:
        return kind(**{field: [make(p) for p in params] for field, make in start.items()})

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        rates = broadcast_setting(extra["learning_rate"], params)
        changes, *columns = update_all(updates, params, [rates, extra], state)
        return changes, kind(*columns)

    return Transformation(init, update)


def float32_constant(value: float, like: jax.Array) -> Any:
    """Return a constant as MindSpore's kernels have it: rounded to float32, in the dtype of the array beside it."""
    return like.dtype.type(np.float32(value))


def moving_average(mean: jax.Array, value: jax.Array, decay: float) -> jax.Array:
    """Return the next value of an exponential moving average: decay * mean + (1 - decay) * value."""
    b = float32_constant(decay, mean)
    return b * mean + (1 - b) * value


def zeros_slot(p: jax.Array) -> jax.Array:
    """Return a slot that starts at zero."""
    return full_slot(0.0)(p)


def full_slot(value: float) -> Callable[[jax.Array], jax.Array]:
    """Return a slot that starts at a constant."""

    def make(p: jax.Array) -> jax.Array:
        if isinstance(p, Tracer) or p.committed:
            return jnp.full_like(p, value)
        return constant(np.full(p.shape, value, p.dtype))  # JAX would compile a program for each shape

    return make


# ------------------------------------------------------------------------------------------ before the update proper


@functools.cache
def preprocess_gradients(
    decayed: tuple[bool, ...], centralized: tuple[bool, ...], loss_scale: float
) -> Transformation:
    """Return the gradient preprocessing of MindSpore: weight decay, centralization, division by the loss scale.

    The weight decay given to `update` is that of the scaled loss. Centralization is that of Yong et al., "Gradient
    Centralization" (2020): the mean over all axes but the first is taken away.

    Args:
        decayed: for each parameter whether `weight_decay` is added to its gradient.
        centralized: for each parameter whether its gradient is centralized.
        loss_scale: what the loss was multiplied with.
    """

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        grads = list(updates)
        if any(decayed):
            decays = broadcast_setting(extra["weight_decay"], params)
            grads = [
                (to_compute_dtype(g) + d * to_compute_dtype(p)).astype(g.dtype) if flag else g
                for g, p, d, flag in zip(grads, params, decays, decayed, strict=True)
            ]
        grads = [centralize(g) if flag else g for g, flag in zip(grads, centralized, strict=True)]
        if loss_scale != 1.0:
            grads = [
                (to_compute_dtype(g) * to_compute_dtype(g).dtype.type(1.0 / loss_scale)).astype(g.dtype)
                for g in grads
            ]
        return grads, state

    return Transformation(lambda params: optax.EmptyState(), update)


def centralize(gradient: jax.Array) -> jax.Array:
    """Return a gradient without its mean over all axes but the first.

    As in MindSpore, one whose second axis is not a multiple of 16, or missing, stays as it is.
    """
    if gradient.ndim < 2 or gradient.shape[1] % 16:
        return gradient
    g = to_compute_dtype(gradient)
    return (g - g.mean(tuple(range(1, g.ndim)), keepdims=True)).astype(gradient.dtype)


# ------------------------------------------------------------------------------------------ momentum


class SGDState(NamedTuple):
    """`stat` is 1 before an element's first step with momentum and 0 after it."""

    accum: Arrays
    stat: Arrays


@functools.cache
def sgd(dampening: float, nesterov: bool) -> Transformation:
    """Gradient descent with momentum u: v = u v + (1 - dampening) g, but v = g in the first step; p -= lr v.

    With Nesterov's momentum, p -= lr (g + u v) (Sutskever et al., ICML 2013). Without momentum the slots stay as they
    are.
    """

    def rule(
        g: jax.Array, p: jax.Array, rate: jax.Array, extra: dict, accum: jax.Array, stat: jax.Array
    ) -> tuple:
        u = extra["momentum"].astype(g.dtype)
        moving = u > 0
        v = jnp.where(stat > 0, g, u * accum + (1 - float32_constant(dampening, g)) * g)
        step = g + u * v if nesterov else v
        return (
            -rate * jnp.where(moving, step, g),
            jnp.where(moving, v, accum),
            jnp.where(moving, jnp.zeros_like(stat), stat),
        )

    return by_parameter(SGDState, {"accum": zeros_slot, "stat": full_slot(1.0)}, rule)


class DescentState(NamedTuple):
    """Nothing."""


@functools.cache
def descent() -> Transformation:
    """p -= lr g."""
    return by_parameter(DescentState, {}, lambda g, p, rate, extra: (-rate * g,))


class MomentumState(NamedTuple):
    """The running sum of gradients."""

    moments: Arrays


@functools.cache
def touched_rows(inner: Transformation, sparse: tuple[bool, ...]) -> Transformation:
    """Leave rows of sparse tables, and their slots, as they are where the gradient is zero everywhere.

    Args:
        inner: the transformation of all rows.
        sparse: for each parameter whether it is such a table.
    """

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        updated: Any = inner.update(updates, state, params, **extra)
        changes, new = updated
        left = [
            jnp.all(g == 0, axis=tuple(range(1, g.ndim)), keepdims=True) if flag else None
            for g, flag in zip(updates, sparse, strict=True)
        ]

        def keep(values: Any, before: Any) -> list[jax.Array]:
            rows = zip(values, before, left, strict=True)
            return [v if where is None else jnp.where(where, old, v) for v, old, where in rows]

        slots = [keep(n, old) if isinstance(n, list) else n for n, old in zip(new, state, strict=True)]
        return keep(changes, map(jnp.zeros_like, changes)), type(new)(*slots)

    return Transformation(inner.init, update)


@functools.cache
def momentum(nesterov: bool) -> Transformation:
    """v = u v + g; p -= lr v, or p -= lr (g + u v) with Nesterov's momentum (Sutskever et al., ICML 2013)."""

    def rule(g: jax.Array, p: jax.Array, rate: jax.Array, extra: dict, v: jax.Array) -> tuple:
        u = extra["momentum"].astype(g.dtype)
        v = u * v + g
        return -(rate * (g + u * v if nesterov else v)), v

    return by_parameter(MomentumState, {"moments": zeros_slot}, rule)


# ------------------------------------------------------------------------------- Adam and its variants


class AdamState(NamedTuple):
    """The powers of the decay rates start at 1 and are those of the last step that was made."""

    beta1_power: jax.Array
    beta2_power: jax.Array
    moment1: Arrays
    moment2: Arrays


class AmsgradState(NamedTuple):
    """Adam's, and the largest second moment so far."""

    beta1_power: jax.Array
    beta2_power: jax.Array
    moment1: Arrays
    moment2: Arrays
    vhat: Arrays


@functools.cache
def adam(
    beta1: float,
    beta2: float,
    eps: float,
    nesterov: bool = False,
    amsgrad: bool = False,
    power_shape: tuple = (),
) -> Transformation:
    """Adam (Kingma & Ba, ICLR 2015) in the form at the end of its section 2, where eps is not corrected for the bias.

    m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2;  p -= lr sqrt(1 - b2^t) / (1 - b1^t) m / (sqrt(v) + eps)

    Nesterov's form uses b1 m + (1 - b1) g for m; AMSGrad (Reddi et al., ICLR 2018) the largest v so far for v.

    Args:
        beta1: decay rate of the first moment.
        beta2: decay rate of the second moment.
        eps: keeps the denominator from zero.
        nesterov: use Nesterov's form.
        amsgrad: use AMSGrad.
        power_shape: shape of the slots with the powers of the decay rates.
    """

    def init(params: Any) -> Any:
        powers = [jnp.ones(power_shape, jnp.float32)] * 2
        slots = [[zeros_slot(p) for p in params] for _ in range(3 if amsgrad else 2)]
        kind: Any = AmsgradState if amsgrad else AdamState
        return kind(*powers, *slots)

    @map_parameters
    def update_all(
        g: jax.Array, p: jax.Array, rate: jax.Array, correction: jax.Array, *slots: jax.Array
    ) -> tuple:
        m, v = moving_average(slots[0], g, beta1), moving_average(slots[1], g * g, beta2)
        new = [m, v]
        if amsgrad:
            v = jnp.maximum(slots[2], v)
            new.append(v)
        if nesterov:
            m = moving_average(m, g, beta1)
        return -(rate * correction.astype(rate.dtype)) * m / (jnp.sqrt(v) + float32_constant(eps, v)), *new

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        power1 = state.beta1_power * jnp.float32(beta1)
        power2 = state.beta2_power * jnp.float32(beta2)
        correction = (jnp.sqrt(1 - power2) / (1 - power1)).reshape(())
        rates = broadcast_setting(extra["learning_rate"], params)
        changes, *columns = update_all(updates, params, [rates, correction], state[2:])
        return changes, type(state)(power1, power2, *columns)

    return Transformation(init, update)


class DecoupledAdamState(NamedTuple):
    """First and second moments."""

    moments1: Arrays
    moments2: Arrays


@functools.cache
def adam_weight_decay(beta1: float, beta2: float, eps: float, decayed: tuple[bool, ...]) -> Transformation:
    """Adam without bias correction, with decoupled weight decay d (Loshchilov & Hutter, ICLR 2019).

    p -= lr (m / (sqrt(v) + eps) + d p)

    Args:
        beta1: decay rate of the first moment.
        beta2: decay rate of the second moment.
        eps: keeps the denominator from zero.
        decayed: for each parameter whether it decays.
    """

    def init(params: Any) -> Any:
        return DecoupledAdamState([zeros_slot(p) for p in params], [zeros_slot(p) for p in params])

    @map_parameters
    def update_all(
        g: jax.Array, p: jax.Array, rate: jax.Array, decay: jax.Array | None, m: jax.Array, v: jax.Array
    ) -> tuple:
        g = g.astype(p.dtype)
        m, v = moving_average(m, g, beta1), moving_average(v, g * g, beta2)
        step = m / (jnp.sqrt(v) + float32_constant(eps, v))
        return -rate * (step if decay is None else step + decay * p), m, v

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        rates = broadcast_setting(extra["learning_rate"], params)
        decays = choose_decays(extra["weight_decay"], decayed, params)
        changes, *moments = update_all(updates, params, [rates, decays], state)
        return changes, DecoupledAdamState(*moments)

    return Transformation(init, update)


class AdaMaxState(NamedTuple):
    """The power of the first decay rate, the first moment, and the largest decayed gradient."""

    beta1_power: jax.Array
    moment1: Arrays
    moment2: Arrays


@functools.cache
def adamax(beta1: float, beta2: float, eps: float) -> Transformation:
    """AdaMax (Kingma & Ba, ICLR 2015, section 7.1): v = max(b2 v, |g|); p -= lr / (1 - b1^t) m / (v + eps)."""

    def init(params: Any) -> Any:
        return AdaMaxState(
            jnp.ones((1,), jnp.float32), [zeros_slot(p) for p in params], [zeros_slot(p) for p in params]
        )

    @map_parameters
    def update_all(
        g: jax.Array, p: jax.Array, rate: jax.Array, power: jax.Array, m: jax.Array, v: jax.Array
    ) -> tuple:
        m = moving_average(m, g, beta1)
        v = jnp.maximum(float32_constant(beta2, v) * v, jnp.abs(g))
        change = -rate / (1 - power.reshape(()).astype(rate.dtype)) * m / (v + float32_constant(eps, v))
        return change, m, v

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        power = state.beta1_power * jnp.float32(beta1)
        rates = broadcast_setting(extra["learning_rate"], params)
        changes, *moments = update_all(updates, params, [rates, power], state[1:])
        return changes, AdaMaxState(power, *moments)

    return Transformation(init, update)


# ------------------------------------------------------------------------------------------ squared gradients


class RMSPropState(NamedTuple):
    """Mean of the squared gradients, and the last step."""

    ms: Arrays
    moment: Arrays


class CenteredRMSPropState(NamedTuple):
    """Mean of the gradients and of their squares, and the last step."""

    mg: Arrays
    ms: Arrays
    moment: Arrays


@functools.cache
def rmsprop(decay: float, momentum: float, epsilon: float, centered: bool) -> Transformation:
    """RMSProp (Tieleman & Hinton, 2012) with momentum; eps stands under the root, the rate inside the momentum.

    s = d s + (1 - d) g^2;  m = u m + lr g / sqrt(s + eps);  p -= m;  centered: s - mean(g)^2 in place of s
    """

    def plain(g: jax.Array, p: jax.Array, rate: jax.Array, extra: dict, s: jax.Array, m: jax.Array) -> tuple:
        s = moving_average(s, g * g, decay)
        m = float32_constant(momentum, m) * m + rate * g / jnp.sqrt(s + float32_constant(epsilon, s))
        return -m, s, m

    def central(
        g: jax.Array, p: jax.Array, rate: jax.Array, extra: dict, mean: jax.Array, s: jax.Array, m: jax.Array
    ):
        mean, s = moving_average(mean, g, decay), moving_average(s, g * g, decay)
        m = float32_constant(momentum, m) * m + rate * g / jnp.sqrt(
            s - mean * mean + float32_constant(epsilon, s)
        )
        return -m, mean, s, m

    if centered:
        return by_parameter(
            CenteredRMSPropState, {"mg": zeros_slot, "ms": full_slot(1.0), "moment": zeros_slot}, central
        )
    return by_parameter(RMSPropState, {"ms": full_slot(1.0), "moment": zeros_slot}, plain)


class AdagradState(NamedTuple):
    """Sum of the squared gradients."""

    accum: Arrays


@functools.cache
def adagrad(accum: float, update_slots: bool) -> Transformation:
    """Adagrad (Duchi et al., JMLR 2011): s = s + g^2; p -= lr g / sqrt(s). Without `update_slots`, s stays as it is."""

    def rule(g: jax.Array, p: jax.Array, rate: jax.Array, extra: dict, s: jax.Array) -> tuple:
        if update_slots:
            s = s + g * g
        return -rate * g / jnp.sqrt(s), s

    return by_parameter(AdagradState, {"accum": full_slot(accum)}, rule)
