"""Augmented Lagrangian method: constrained minimization with Adam between updates of the multipliers."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax


class LagrangeResults(NamedTuple):
    """Results of `minimize` with method "LAGRANGE".

    Attributes:
        succeeded: whether a place was met that fulfils the constraints and is better than the first.
        best_value: the best of these, or the first.
        object_value: the function's value there.
        loss_value: the values of the constraints there, or 1.
    """

    succeeded: Any
    best_value: Any
    object_value: Any
    loss_value: Any


class _Weights(NamedTuple):
    """The multipliers, the weight of the penalty, and what the constraints may be off for the multipliers to change."""

    multipliers: Array
    penalty: Array
    allowed: Array


class _State(NamedTuple):
    """State of a search: position before its bounds, Adam's two means, steps, constraints met last, best position."""

    param: Array
    mean: Array
    square: Array
    count: Array
    broken: Array
    best: LagrangeResults


def map_to_bounds(lower: Array | None, upper: Array | None) -> Callable[[Array], Array]:
    """Return a map from all numbers to numbers between bounds."""
    if lower is None:
        return (lambda x: x) if upper is None else (lambda x: upper - x * x)
    return (
        (lambda x: x * x + lower)
        if upper is None
        else (lambda x: (upper - lower) * jax.nn.sigmoid(x) + lower)
    )


def search(
    values: Callable[[Array], Array],
    x: Array,
    tolerances: Array,
    place: Callable[[Array], Array],
    weight: float,
    rate: float,
    rounds: int,
    steps: int,
) -> LagrangeResults:
    """Rounds of Adam's steps (Nocedal and Wright, Numerical Optimization, algorithm 17.4, as MindSpore has it).

    Args:
        values: of a place, giving the function's value and those of the constraints in one array.
        x: where to start.
        tolerances: below what the value of each constraint must be.
        place: from what Adam changes to a place.
        weight: of the function beside the constraints.
        rate: learning rate of Adam.
        rounds: how often the multipliers change.
        steps: number of Adam's steps in each.
    """

    def lagrangian(param: Array, w: _Weights) -> tuple[Array, Array]:
        found = values(place(param))
        share = w.multipliers / w.penalty
        over = jnp.square(jax.nn.relu(share + found[1:])) - jnp.square(share)
        return weight * found[0] + w.penalty / 2 * jnp.sum(over), found

    slope_at = jax.value_and_grad(lagrangian, has_aux=True)

    def step(s: _State, w: _Weights) -> _State:
        (_, found), slope = slope_at(s.param, w)
        first = jnp.where(s.count == 0, found[0], s.best.object_value)
        better = (jnp.max(found[1:] - tolerances) < 0) & (found[0] < first)
        here = LagrangeResults(jnp.ones((), bool), place(s.param), found[0], found[1:])
        best = jax.tree.map(lambda a, b: jnp.where(better, a, b), here, s.best._replace(object_value=first))
        count = s.count + 1
        mean, square = 0.9 * s.mean + 0.1 * slope, 0.999 * s.square + 0.001 * jnp.square(slope)
        turns = count.astype(slope.dtype)
        size = rate * jnp.sqrt(1 - 0.999**turns) / (1 - 0.9**turns)
        param = s.param - size * mean / (jnp.sqrt(square) + 1e-8)
        return _State(param, mean, square, count, found[1:], best)

    def turn(carry: tuple[_State, _Weights], _: None) -> tuple[tuple[_State, _Weights], None]:
        s, w = carry
        s = lax.fori_loop(0, steps, lambda _, s: step(s, w), s)
        return (s, _update_weights(w, s.broken)), None

    one, zero = jnp.ones((), x.dtype), jnp.zeros_like(x)
    all_one = jnp.ones(tolerances.shape, x.dtype)
    nothing = LagrangeResults(jnp.zeros((), bool), x, 0 * one, all_one)
    start = _State(x, zero, zero, jnp.zeros((), jnp.int32), all_one, nothing)
    (s, _), _ = lax.scan(turn, (start, _Weights(all_one, one, one)), None, length=rounds)
    return s.best


def _update_weights(w: _Weights, broken: Array) -> _Weights:
    """Update the multipliers where the constraints are nearly met, else the weight of the penalty."""
    off = jnp.sqrt(jnp.sum(jnp.square(jnp.maximum(broken, -w.multipliers / w.penalty))))
    kept = jax.nn.relu(w.multipliers + w.penalty * broken)
    near = w._replace(multipliers=kept, allowed=w.allowed / w.penalty**0.9)
    heavier = 1.1 * w.penalty
    far = _Weights(w.multipliers, heavier, 1 / heavier**0.1)
    return jax.tree.map(lambda a, b: jnp.where(off <= w.allowed, a, b), near, far)
