"""Line search and quasi-Newton minimization (BFGS, L-BFGS) over arrays."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax


class OptimizeResults(NamedTuple):
    """Results of `minimize`.

    Attributes:
        x: the place.
        success: whether it is a minimum, by the tolerance.
        status: 0 then; otherwise what ended the search: 1 the number of steps, 3 an interval without a step that will do,
            5 the number of trials.
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
    """State of a search.

    Attributes:
        low: the better end of the interval; before there is one, the last trial.
        high: its other end.
        third: the end that was replaced last.
        origin: the better end that the interval had at first.
        bracketed: whether there is an interval.
        done: whether the last trial will do.
        trial: that trial; before there is an interval, what to try next.
        length: how many trials were made before there was an interval.
        zooms: how many within it.
    """

    low: Step
    high: Step
    third: Step
    origin: Step
    bracketed: Array
    done: Array
    trial: Step
    length: Array
    zooms: Array


_ZOOMS = 10


def _choose(condition: Array, one: Any, other: Any) -> Any:
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), one, other)


def _cubic(a: Step, b: Step, c: Step) -> Array:
    """Return the minimum of the cubic through three steps that has the slope of the first."""
    db, dc = b.length - a.length, c.length - a.length
    rest_b = b.value - a.value - a.slope * db
    rest_c = c.value - a.value - a.slope * dc
    whole = (db * dc) ** 2 * (db - dc)
    third = (dc**2 * rest_b - db**2 * rest_c) / whole
    second = (-(dc**3) * rest_b + db**3 * rest_c) / whole
    return a.length + (-second + jnp.sqrt(second * second - 3 * third * a.slope)) / (3 * third)


def _parabolic(a: Step, b: Step) -> Array:
    """Return the minimum of the parabola through two steps that has the slope of the first."""
    span = b.length - a.length
    return a.length - a.slope * span**2 / (2 * (b.value - a.value - a.slope * span))


def _inside(s: Search) -> Array:
    """Return the next trial step in an interval: by a cubic, a parabola or bisection, the first not too near the ends."""
    low, high, span = s.low.length, s.high.length, s.high.length - s.low.length
    left, right = jnp.minimum(low, high), jnp.maximum(low, high)

    def fits(at: Array, part: float) -> Array:
        return jnp.isfinite(at) & (at > left + part * span) & (at < right - part * span)

    cubic, parabolic = _cubic(s.low, s.high, s.third), _parabolic(s.low, s.high)
    otherwise = jnp.where(fits(parabolic, 0.1), parabolic, (low + high) / 2)
    return jnp.where((s.zooms > 0) & fits(cubic, 0.2), cubic, otherwise)


def wolfe(
    phi: Callable[[Array], Step], first: Array, c1: float, c2: float, most: int, start: Step | None = None
) -> Search:
    """Return a step that fulfils the strong Wolfe conditions, as MindSpore and SciPy look for it.

    Nocedal and Wright, Numerical Optimization, algorithms 3.5 and 3.6.
    """
    start = phi(jnp.zeros_like(first)) if start is None else start

    def enclose(s: Search, trial: Step, high: Array, enough: Array) -> Search:
        """Extend the search while there is no interval: the last trial becomes an end of it, or the next step is doubled."""
        turned = ~high & ~enough & (trial.slope >= 0)
        low, far = _choose(high, s.low, trial), _choose(high, trial, s.low)
        further = trial._replace(length=jnp.where(high | enough | turned, trial.length, 2 * trial.length))
        return Search(low, far, far, low, high | turned, enough, further, s.length + 1, s.zooms)

    def zoom(s: Search, trial: Step, high: Array, enough: Array) -> Search:
        """One end of the interval is replaced by the trial."""
        turned = trial.slope * (s.high.length - s.low.length) >= 0
        far = _choose(high, trial, _choose(turned & ~enough, s.origin, s.high))
        third = _choose(high, s.high, _choose(enough, s.third, s.low))
        low = _choose(high | enough, s.low, trial)
        return Search(low, far, third, s.origin, s.bracketed, enough, trial, s.length, s.zooms + 1)

    def body(s: Search) -> Search:
        trial = phi(jnp.where(s.bracketed, _inside(s), s.trial.length))
        high = trial.value > start.value + c1 * trial.length * start.slope
        high = high | ((trial.value >= s.low.value) & (s.bracketed | (s.length > 0)))
        enough = ~high & (jnp.abs(trial.slope) <= -c2 * start.slope)
        return _choose(s.bracketed, zoom(s, trial, high, enough), enclose(s, trial, high, enough))

    def going(s: Search) -> Array:
        return ~s.done & jnp.where(s.bracketed, s.zooms < _ZOOMS, s.length < most)

    no, none = jnp.zeros((), bool), jnp.zeros((), jnp.int32)
    trial = Step(first, start.value, start.slope)
    return lax.while_loop(going, body, Search(start, start, start, start, no, no, trial, none, none))


def first_length(now: Array, before: Array, slope: Array) -> Array:
    """Return the first step to try, from the last change of the value."""
    guess = 2.02 * (now - before) / slope
    return jnp.where(jnp.isfinite(guess), jnp.minimum(guess, jnp.ones_like(guess)), jnp.ones_like(guess))


def at_least(length: Array) -> Array:
    """Return a step that is not lost to rounding: of 1e-8, but in float64."""
    short = (jnp.abs(length) < 1e-8) & (length.dtype != jnp.float64)
    return jnp.where(short, jnp.sign(length) * jnp.asarray(1e-8, length.dtype), length)


class Memory(NamedTuple):
    """Curvature approximation of a quasi-Newton method: initial state, direction, update, inverse Hessian.

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


def _update_inverse(inverse: Array, step: Array, turn: Array, along: Array) -> Array:
    left = jnp.eye(step.shape[0], dtype=step.dtype) - jnp.outer(step, turn) / along
    return left @ inverse @ left.T + jnp.outer(step, step) / along


# Nocedal and Wright, Numerical Optimization, 6.1.
dense = Memory(
    lambda x: jnp.eye(x.shape[0], dtype=x.dtype),
    lambda inverse, slope: -inverse @ slope,
    _update_inverse,
    lambda inverse: inverse,
)


def limit_memory(count: int) -> Memory:
    """Return the last steps alone (Nocedal and Wright, Numerical Optimization, 7.2).

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
    most_trials: int = 10,
) -> OptimizeResults:
    """Steps in the directions of a quasi-Newton method, until the gradient is 0.

    Args:
        fun: of an array of shape (n,), giving an array without dimensions.
        x: where to start.
        method: `dense`, or `limit_memory(count)`.
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
        return (jnp.linalg.norm(s.slope, norm) < gtol) | (
            small & (s.steps > 0) & (s.failed == 0) & (ftol > 0)
        )

    def body(s: _Place) -> _Place:
        p = method.direction(s.memory, s.slope)

        def phi(length: Array) -> Step:
            value, grad = slope_at(s.x + length * p)
            return Step(length, value, jnp.vdot(grad, p))

        along = jnp.vdot(s.slope, p)
        begin = Step(jnp.zeros_like(s.value), s.value, along)
        found = wolfe(phi, first_length(s.value, s.before, along), 1e-4, 0.9, most_trials, begin)
        x = s.x + at_least(found.trial.length) * p
        value, slope = slope_at(x)
        step, turn = x - s.x, slope - s.slope
        bend = jnp.vdot(turn, step)
        learned = method.learned(s.memory, step, turn, bend)
        over = jnp.linalg.norm(slope, norm) < gtol
        memory = _choose(over | (bend <= 0), s.memory, learned)
        steps = s.steps + jnp.where(over, 0, 1).astype(jnp.int32)
        calls = s.calls + found.length + found.zooms
        why = jnp.where(found.bracketed, 3, 5).astype(jnp.int32)
        new = _Place(x, value, s.value, slope, memory, steps, calls, jnp.where(found.done, 0, why))
        return _choose(found.done, new, s._replace(calls=calls, failed=why))

    value, slope = slope_at(x)
    none, before = jnp.zeros((), jnp.int32), value + jnp.linalg.norm(slope) / 2
    start = _Place(x, value, before, slope, method.start(x), none, none + 1, none)
    left = jnp.iinfo(jnp.int32).max if maxfun is None else maxfun

    def going(s: _Place) -> Array:
        return ~settled(s) & (s.failed == 0) & (s.steps < most) & (s.calls < left)

    s = lax.while_loop(going, body, start)
    good = settled(s)
    status = jnp.where(good, 0, jnp.where(s.failed > 0, s.failed, 1)).astype(jnp.int32)
    inverse = method.inverse(s.memory)
    return OptimizeResults(s.x, good, status, s.value, s.slope, inverse, s.calls, s.calls, s.steps)
