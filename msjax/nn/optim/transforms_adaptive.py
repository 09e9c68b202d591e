"""Adadelta, FTRL, proximal Adagrad, Rprop and ASGD as optax transformations.

The conventions are those of `transforms`; `update` also takes `global_step`, how many steps were made before.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from msjax.nn.optim.transforms import (
    Arrays,
    Transformation,
    by_parameter,
    float32_constant,
    full_slot,
    zeros_slot,
)
from msjax.optim_rules import updates


def with_rule(
    kind: type, start: dict[str, Callable], rule: updates.Rule, settings: dict[str, Any], *names: str
) -> Transformation:
    """Make a transformation of a shared rule; `names` are what it calls the fields of `kind`, in their order."""

    def step(g: jax.Array, p: jax.Array, rate: jax.Array, extra: dict, *slots: jax.Array) -> tuple:
        t = extra["global_step"].reshape(()).astype(g.dtype) + 1
        own = jax.tree.map(lambda number: float32_constant(number, g), settings)
        change, new = rule.step(g, p, dict(zip(names, slots, strict=True)), rate, t, **own)
        return change, *(new[name] for name in names)

    return by_parameter(kind, start, step)


class AdadeltaState(NamedTuple):
    """Means of the squared gradients and of the squared updates."""

    accum: Arrays
    accum_update: Arrays


@functools.cache
def adadelta(rho: float, epsilon: float) -> Transformation:
    """Adadelta (Zeiler, 2012): u = sqrt(mean(u^2) + eps) / sqrt(mean(g^2) + eps) g; p -= lr u."""
    start, settings = {"accum": zeros_slot, "accum_update": zeros_slot}, {"rho": rho, "eps": epsilon}
    return with_rule(AdadeltaState, start, updates.adadelta, settings, "square_avg", "acc_delta")


class FTRLState(NamedTuple):
    """Sum of the squared gradients, and the linear coefficients."""

    moments: Arrays
    linear: Arrays


@functools.cache
def ftrl(initial_accum: float, lr_power: float, l1: float, l2: float) -> Transformation:
    """FTRL-Proximal (McMahan et al., KDD 2013), with sums n of squared gradients to the power -q.

    z += g - (n_new^-q - n^-q) / lr p;  p = (sign(z) l1 - z) / (n_new^-q / lr + 2 l2) where |z| > l1, else 0
    """

    def rule(g: jax.Array, p: jax.Array, rate: jax.Array, extra: dict, n: jax.Array, z: jax.Array) -> tuple:
        first, power = float32_constant(l1, g), float32_constant(-lr_power, g)
        new = n + g * g
        z = z + g - (new**power - n**power) / rate * p
        moved = (jnp.sign(z) * first - z) / (new**power / rate + 2 * float32_constant(l2, g))
        return jnp.where(jnp.abs(z) > first, moved, jnp.zeros_like(p)) - p, new, z

    return by_parameter(FTRLState, {"moments": full_slot(initial_accum), "linear": zeros_slot}, rule)


class ProximalAdagradState(NamedTuple):
    """Sum of the squared gradients."""

    accum: Arrays


@functools.cache
def proximal_adagrad(accum: float, l1: float, l2: float) -> Transformation:
    """Adagrad with forward-backward splitting (Duchi & Singer, JMLR 2009).

    s = s + g^2;  a = lr / sqrt(s);  q = p - a g;  p = sign(q) max(|q| - a l1, 0) / (1 + a l2)
    """

    def rule(g: jax.Array, p: jax.Array, rate: jax.Array, extra: dict, s: jax.Array) -> tuple:
        s = s + g * g
        a = rate / jnp.sqrt(s)
        q = p - a * g
        shrunk = jnp.maximum(jnp.abs(q) - a * float32_constant(l1, g), 0) if l1 > 0 else jnp.abs(q)
        return jnp.sign(q) * shrunk / (1 + a * float32_constant(l2, g)) - p, s

    return by_parameter(ProximalAdagradState, {"accum": full_slot(accum)}, rule)


class RpropState(NamedTuple):
    """The gradients before, and the sizes of the steps."""

    prev: Arrays
    step_size: Arrays


@functools.cache
def rprop(etas: tuple[float, float], step_sizes: tuple[float, float]) -> Transformation:
    """Resilient propagation (Riedmiller & Braun, ICNN 1993), without going back.

    Where the sign of the gradient stays, the step becomes longer; where it changes, it becomes shorter and is left out
    once. The first step has the length of the learning rate.
    """
    start, settings = {"prev": zeros_slot, "step_size": zeros_slot}, {"etas": etas, "step_sizes": step_sizes}
    return with_rule(RpropState, start, updates.rprop, settings, "prev", "step_size")


class ASGDState(NamedTuple):
    """State of ASGD: for each parameter the averaging weight, the step size, and the averaged parameter."""

    mu: Arrays
    eta: Arrays
    ax: Arrays


@functools.cache
def asgd(lambd: float, alpha: float, t0: float) -> Transformation:
    """Averaged gradient descent (Polyak & Juditsky, 1992), with step sizes h and the average taken from step t0 on.

    p = (1 - lambd h) p - h g;  ax += mu (p - ax);  h = lr / (1 + lambd lr t)^alpha;  mu = 1 / max(1, t - t0)
    """

    def one(p: jax.Array) -> jax.Array:
        return jnp.ones((), jnp.float32)

    def zero(p: jax.Array) -> jax.Array:
        return jnp.zeros((), jnp.float32)

    start, settings = {"mu": one, "eta": zero, "ax": zeros_slot}, {"lambd": lambd, "alpha": alpha, "t0": t0}
    return with_rule(ASGDState, start, updates.asgd, settings, "mu", "eta", "ax")
