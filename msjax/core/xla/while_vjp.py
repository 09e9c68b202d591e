"""`lax.while_loop` with a reverse-mode derivative, for a number of iterations that is not known beforehand.

The backward pass goes through the iterations from the last to the first, and needs the state that each began with. XLA has
no memory of unknown size for them, so they are recomputed from checkpoints on a stack of fixed height: on the way to
iteration i a checkpoint is left half-way, again half-way from there, and so on; those behind i are dropped. That takes
about n log2(n) / 2 iterations for n of them (A. Griewank, Optimization Methods and Software 1, 1992, in its simplest form).
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

CHECKPOINTS = 16  # for loops of up to 2 ** 15 iterations; beyond, the stretches between checkpoints grow

Step = Callable[[tuple, Any], tuple]


def while_with_vjp(holds: Callable[[tuple, Any], Any], step: Step, first: tuple, constants: object) -> tuple:
    """Return the state after as many steps as `holds` says; differentiable to any order.

    Args:
        holds: (state, constants) -> bool array without axes. It and `step` close over no arrays.
        step: (state, constants) -> state.
        first: tuple of arrays.
        constants: any nesting of arrays.

    Returns:
        The last state: arrays of the shapes and dtypes of `first`.
    """

    # custom_vjp functions may not close over tracers, hence `constants` as an argument.
    @jax.custom_vjp
    def loop(first: tuple, constants: object) -> tuple:
        return jax.lax.while_loop(
            lambda s: holds(s[1], constants),
            lambda s: (s[0] + jnp.int32(1), step(s[1], constants)),
            (jnp.int32(0), first),
        )

    def forward(first: tuple, constants: object) -> tuple:
        turns, last = loop(first, constants)
        return (turns, last), (turns, first, constants)

    def backward(kept: tuple, cotangents: tuple) -> tuple:
        turns, first, constants = kept
        return _backward(step, turns, first, constants, cotangents[1])

    loop.defvjp(forward, backward)
    return loop(first, constants)[1]


def _run_steps(step: Step, turns: jax.Array, first: tuple, constants: object) -> tuple:
    """Return the state after a number of steps."""
    counted = while_with_vjp(
        lambda s, c: s[0] < c[0],
        lambda s, c: (s[0] + jnp.int32(1), *step(s[1:], c[1])),
        (jnp.int32(0), *first),
        (turns, constants),
    )
    return counted[1:]


def _backward(
    step: Step, turns: jax.Array, first: tuple, constants: object, cotangents: Sequence[jax.Array]
) -> tuple:
    """Compute the cotangents of the first state and the constants, by a loop that is itself differentiable."""
    leaves, tree = jax.tree.flatten(constants)
    moving = [i for i, v in enumerate(first) if _inexact(v)]
    read = [i for i, v in enumerate(leaves) if _inexact(v)]

    # The backward loop is a `while_with_vjp` loop too: its derivative, and that one's, come from the same code
    # (test_while_vjp.test_second_and_third_derivatives).
    def one(carry: tuple, kept: tuple) -> tuple:
        left, stack, on_state, on_constants = carry
        first, constants = kept
        stack, value = _approach(step, left, stack, constants)
        here, given = _as_computed(step, left, first, constants, value), jax.tree.leaves(constants)

        def restricted(chosen: Sequence[jax.Array], some: Sequence[jax.Array]) -> list[Any]:
            state, full = _replace_at(here, moving, chosen), _replace_at(given, read, some)
            after = step(tuple(state), jax.tree.unflatten(tree, full))
            return [after[i] for i in moving]

        _, pull = jax.vjp(restricted, [here[i] for i in moving], [given[i] for i in read])
        into, through = pull(on_state)
        return left - jnp.int32(1), stack, into, [a + b for a, b in zip(on_constants, through, strict=True)]

    start = (
        turns - jnp.int32(1),
        _stack(first),
        [cotangents[i] for i in moving],
        [jnp.zeros_like(leaves[i]) for i in read],
    )
    flat, shape = jax.tree.flatten(start)
    ended = while_with_vjp(
        lambda s, _: s[0] >= 0,
        lambda s, c: tuple(jax.tree.leaves(one(jax.tree.unflatten(shape, s), c))),
        tuple(flat),
        (first, constants),
    )
    _, _, on_state, on_constants = jax.tree.unflatten(shape, ended)
    on_first: list[Any] = _replace_at([None] * len(first), moving, on_state)
    zeros = [np.zeros(v.shape, jax.dtypes.float0) for v in leaves]
    return tuple(on_first), jax.tree.unflatten(tree, _replace_at(zeros, read, on_constants))


def _stack(first: tuple) -> tuple:
    """Return the stack with the first state alone: (index of the top, iteration of each checkpoint, states)."""
    rows = [jnp.zeros((CHECKPOINTS, *v.shape), v.dtype).at[0].set(v) for v in first]
    return jnp.int32(0), jnp.zeros(CHECKPOINTS, jnp.int32), rows


def _approach(step: Step, turn: jax.Array, stack: tuple, constants: object) -> tuple[tuple, tuple]:
    """Leave checkpoints on the way to an iteration, and pop the state there; the first state is never dropped."""
    # Recomputed states are no new functions of the inputs: `_as_computed` gives them their derivative. Differentiating
    # this loop as well would do everything twice.
    stack, constants = jax.lax.stop_gradient((stack, constants))

    def push(stack: tuple) -> tuple:
        top, turns, rows = stack
        above, distance = top + jnp.int32(1), turn - turns[top]
        # With the last free place of the stack the whole distance is walked: loops of more than 2 ** 15 iterations take
        # longer, but no more memory (test_while_vjp.test_more_turns_than_the_checkpoints_halve).
        distance = jnp.where(above < CHECKPOINTS - 1, (distance + jnp.int32(1)) // jnp.int32(2), distance)
        state = _run_steps(step, distance, tuple([_take_row(r, top) for r in rows]), constants)
        rows = [
            jax.lax.dynamic_update_index_in_dim(*pair, above, 0) for pair in zip(rows, state, strict=True)
        ]
        return above, turns.at[above].set(turns[top] + distance), rows

    top, turns, rows = jax.lax.while_loop(lambda stack: stack[1][stack[0]] < turn, push, stack)
    return (jnp.maximum(top - jnp.int32(1), jnp.int32(0)), turns, rows), tuple(
        [_take_row(r, top) for r in rows]
    )


def _as_computed(step: Step, turn: jax.Array, first: tuple, constants: object, value: tuple) -> tuple:
    """Return a known state at an iteration, with the derivative of what follows from `first`."""

    @jax.custom_vjp
    def state(turn: jax.Array, first: tuple, constants: object, value: tuple) -> tuple:
        return value

    def forward(turn: jax.Array, first: tuple, constants: object, value: tuple) -> tuple:
        return state(turn, first, constants, value), (turn, first, constants)

    def backward(kept: tuple, cotangents: tuple) -> tuple:
        turn, first, constants = kept
        _, pull = jax.vjp(lambda first, constants: _run_steps(step, turn, first, constants), first, constants)
        return (None, *pull(cotangents), None)

    state.defvjp(forward, backward)
    return state(turn, first, constants, value)


def _take_row(rows: object, i: jax.Array) -> jax.Array:
    return jax.lax.dynamic_index_in_dim(rows, i, keepdims=False)


def _replace_at(values: Sequence[object], places: Sequence[int], by: Sequence[jax.Array]) -> list[object]:
    full = list(values)
    for i, value in zip(places, by, strict=True):
        full[i] = value
    return full


def _inexact(value: jax.Array) -> bool:
    return jnp.issubdtype(value.dtype, jnp.inexact)
