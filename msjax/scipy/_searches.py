"""Searches for a minimum over arrays: a step that will do, and the quasi-Newton methods that take such steps."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax


class OptimizeResults(NamedTuple):
    """What `minimize` found.

    Attributes:
        x: the place.
        success: whether it is a minimum, by the tolerance.
        status: 0 then; otherwise a number that says what ended the search.
        fun: the function's value there.
        jac: its gradient there.
        hess_inv: an estimate of the inverse of its Hessian there; None of LBFGS.
        nfev: how often the function was computed.
        njev: how often its gradient was.
        nit: number of steps.
    """

    x: Any
    success: Any
    status: Any
    fun: Any
    jac: Any
    hess_inv: Any
    nfev: Any
    njev: Any
    nit: Any


class Step(NamedTuple):
    """A trial step: its length, and the function's value and slope there."""

    length: Array
    value: Array
    slope: Array


class Search(NamedTuple):
    """State of a search: the better end of the interval, the other end, whether it brackets, whether it is over."""

    low: Step
    high: Step
    bracketed: Array
    done: Array
    trial: Step
    count: Array


def _inside(low: Step, high: Step) -> Array:
    """Where to try between two steps: the minimum of the parabola, kept away from the ends."""
    span = high.length - low.length
    curve = high.value - low.value - low.slope * span
    part = jnp.where(
        curve > 0, -low.slope * span / jnp.where(curve > 0, 2 * curve, jnp.ones_like(curve)), 0.5
    )
    return low.length + span * jnp.clip(part, 0.1, 0.9)


def _chosen(condition: Array, one: Any, other: Any) -> Any:
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), one, other)


def wolfe(phi: Callable[[Array], Step], first: Array, c1: float, c2: float, most: int) -> Search:
    """A step that fulfils the strong Wolfe conditions (Nocedal and Wright, Numerical Optimization, 3.5 and 3.6)."""
    start = phi(jnp.zeros_like(first))

    def body(s: Search) -> Search:
        length = jnp.where(s.bracketed, _inside(s.low, s.high), s.trial.length)
        trial = phi(length)
        high = trial.value > start.value + c1 * length * start.slope
        high = high | ((trial.value >= s.low.value) & (s.bracketed | (s.count > 0)))
        done = ~high & (jnp.abs(trial.slope) <= -c2 * start.slope)
        span = jnp.where(s.bracketed, s.high.length - s.low.length, jnp.ones_like(length))
        turned = ~high & (trial.slope * span >= 0)
        low = _chosen(high, s.low, trial)
        far = _chosen(high, trial, _chosen(turned, s.low, s.high))
        bracketed = s.bracketed | high | turned
        further = trial._replace(length=jnp.where(bracketed | done, length, 2 * length))
        return Search(low, far, bracketed, done, further, s.count + 1)

    def going(s: Search) -> Array:
        return ~s.done & (s.count < most) & jnp.isfinite(s.trial.length)

    no = jnp.zeros((), bool)
    trial = Step(first, start.value, start.slope)
    return lax.while_loop(going, body, Search(start, start, no, no, trial, jnp.zeros((), jnp.int32)))


class Memory(NamedTuple):
    """How a method knows the curvature: its start for n variables, a direction, what it learns, and the inverse Hessian.

    Attributes:
        start: x -> state.
        direction: (state, gradient) -> the step to try.
        learned: (state, step, change of the gradient, their product) -> state; the product is positive.
        inverse: state -> the inverse Hessian, or None.
    """

    start: Callable[[Array], Any]
    direction: Callable[[Any, Array], Array]
    learned: Callable[[Any, Array, Array, Array], Any]
    inverse: Callable[[Any], Any]


def _updated(inverse: Array, step: Array, turn: Array, along: Array) -> Array:
    left = jnp.eye(step.shape[0], dtype=step.dtype) - jnp.outer(step, turn) / along
    return left @ inverse @ left.T + jnp.outer(step, step) / along


# Nocedal and Wright, Numerical Optimization, 6.1.
dense = Memory(
    lambda x: jnp.eye(x.shape[0], dtype=x.dtype),
    lambda inverse, slope: -inverse @ slope,
    _updated,
    lambda inverse: inverse,
)


def limited(count: int) -> Memory:
    """The last steps alone (Nocedal and Wright, Numerical Optimization, 7.2).

    Args:
        count: how many.
    """

    def start(x: Array) -> tuple[Array, Array, Array]:
        none = jnp.zeros((count, x.shape[0]), x.dtype)
        return none, none, jnp.zeros(count, x.dtype)

    def direction(state: tuple[Array, Array, Array], slope: Array) -> Array:
        steps, turns, shares = state  # the newest first; 1 / product, 0 where there is none

        def back(q: Array, one: tuple) -> tuple[Array, Array]:
            step, turn, share = one
            weight = share * jnp.vdot(step, q)
            return q - weight * turn, weight

        q, weights = lax.scan(back, slope, state)
        size = jnp.vdot(turns[0], turns[0]) * shares[0]
        q = jnp.where(shares[0] > 0, q / jnp.where(size > 0, size, jnp.ones_like(size)), q)

        def forth(q: Array, one: tuple) -> tuple[Array, None]:
            step, turn, share, weight = one
            return q + (weight - share * jnp.vdot(turn, q)) * step, None

        return -lax.scan(forth, q, (steps, turns, shares, weights), reverse=True)[0]

    def learned(state: tuple, step: Array, turn: Array, along: Array) -> tuple:
        new = (step, turn, 1 / along)
        return tuple(jnp.roll(old, 1, 0).at[0].set(value) for old, value in zip(state, new, strict=True))

    return Memory(start, direction, learned, lambda state: None)


class _Place(NamedTuple):
    """State of a search: place, value there and before, gradient, memory, counts, what ended it."""

    x: Array
    value: Array
    before: Array
    slope: Array
    memory: Any
    steps: Array
    calls: Array
    failed: Array


def descend(
    fun: Callable[[Array], Array],
    x: Array,
    method: Memory,
    maxiter: int | None = None,
    norm: float = float("inf"),
    gtol: float = 1e-5,
    ftol: float = 0.0,
    maxfun: int | None = None,
    most_trials: int = 20,
) -> OptimizeResults:
    """Steps in the directions of a quasi-Newton method, until the gradient is 0.

    Args:
        fun: of an array of shape (n,), giving an array without dimensions.
        x: where to start.
        method: `dense`, or `limited(count)`.
        maxiter: number of steps. Default: 200 n.
        norm: in which the gradient is measured.
        gtol: what counts as 0.
        ftol: so does a step that improves the value by no more than this part of it.
        maxfun: how often the function may be computed.
        most_trials: number of trial steps in one direction.
    """
    slope_at = jax.value_and_grad(fun)
    most = 200 * x.shape[0] if maxiter is None else maxiter

    def settled(s: _Place) -> Array:
        small = s.before - s.value <= ftol * jnp.maximum(jnp.maximum(jnp.abs(s.before), jnp.abs(s.value)), 1)
        return (jnp.linalg.norm(s.slope, norm) < gtol) | (small & (s.steps > 0) & ~s.failed & (ftol > 0))

    def body(s: _Place) -> _Place:
        p = method.direction(s.memory, s.slope)

        def phi(length: Array) -> Step:
            value, grad = slope_at(s.x + length * p)
            return Step(length, value, jnp.vdot(grad, p))

        guess = 2.02 * (s.value - s.before) / jnp.vdot(s.slope, p)
        first = jnp.where((s.steps == 0) & (guess > 0) & (guess < 1), guess, jnp.ones_like(guess))
        found = wolfe(phi, first, 1e-4, 0.9, most_trials)
        # Rounding may hide the last bit of descent: then the better end of the interval will do, if it is one.
        moved = found.done | (found.low.value < s.value)
        length = jnp.where(found.done, found.trial.length, found.low.length)
        x = s.x + length * p
        value, slope = slope_at(x)
        step, turn = x - s.x, slope - s.slope
        along = jnp.vdot(turn, step)
        bent = along > 0
        learned = method.learned(s.memory, step, turn, jnp.where(bent, along, jnp.ones_like(along)))
        memory = _chosen(bent, learned, s.memory)
        new = _Place(x, value, s.value, slope, memory, s.steps + 1, s.calls + found.count, ~moved)
        return _chosen(moved, new, s._replace(calls=new.calls, failed=new.failed))

    value, slope = slope_at(x)
    none, before = jnp.zeros((), jnp.int32), value + jnp.linalg.norm(slope) / 2
    start = _Place(x, value, before, slope, method.start(x), none, none + 1, jnp.zeros((), bool))
    left = jnp.iinfo(jnp.int32).max if maxfun is None else maxfun
    s = lax.while_loop(lambda s: ~settled(s) & ~s.failed & (s.steps < most) & (s.calls < left), body, start)
    good = settled(s)
    status = jnp.where(good, 0, jnp.where(s.failed, 3, 1)).astype(jnp.int32)
    inverse = method.inverse(s.memory)
    return OptimizeResults(s.x, good, status, s.value, s.slope, inverse, s.calls, s.calls, s.steps)
