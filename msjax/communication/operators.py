"""Collective operators over Tensors: each is one program of all processes of a group, and differentiable."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from msjax.core.op.op import op
from msjax.core.xla import collectives

Ranks = tuple[int, ...]


@op(static="reduction ranks")
def all_reduce(x: Array, reduction: str, ranks: Ranks) -> jax.Array:
    """Return the reduction of the arrays of all processes."""
    return collectives.all_reduce(x, reduction, ranks)


@op(static="reduction ranks")
def all_reduce_each(arrays: Any, reduction: str, ranks: Ranks) -> list[jax.Array]:
    """Return the same for many arrays at once: those of one dtype travel together."""
    if len(ranks) == 1:
        return list(arrays)
    found: list[Any] = [None] * len(arrays)
    for dtype in dict.fromkeys(a.dtype for a in arrays):
        places = [i for i, a in enumerate(arrays) if a.dtype == dtype]
        flat = jnp.concatenate([arrays[i].reshape(-1) for i in places])
        start, total = 0, collectives.all_reduce(flat, reduction, ranks)
        for i in places:
            found[i] = total[start : start + arrays[i].size].reshape(arrays[i].shape)
            start += arrays[i].size
    return found


@op(static="ranks axis")
def all_gather(x: Array, ranks: Ranks, axis: int = 0) -> jax.Array:
    """Concatenate the arrays of all processes."""
    return collectives.all_gather(x, ranks, axis)


@op(static="reduction ranks axis")
def reduce_scatter(x: Array, reduction: str, ranks: Ranks, axis: int = 0) -> jax.Array:
    """Reduce the arrays of all processes; each gets its part."""
    return collectives.reduce_scatter(x, reduction, ranks, axis)


@op(static="ranks split concat")
def all_to_all(x: Array, ranks: Ranks, split: int, concat: int) -> jax.Array:
    """Cut along `split`, one part for each process; concatenate what comes along `concat`."""
    return collectives.all_to_all(x, ranks, split, concat)


@op(static="ranks root")
def broadcast(x: Array, ranks: Ranks, root: int) -> jax.Array:
    """Return the array of the process `root`."""
    return collectives.broadcast(x, ranks, root)


@op
def keep_order(x: Array, communicated: Array) -> jax.Array:
    """Return `x`, once a collective is done whose result nobody here needs."""
    return collectives.keep_order(x, communicated)


@op(static="ranks pairs")
def permute(x: Array, ranks: Ranks, pairs: tuple) -> jax.Array:
    """Send arrays from processes to others, as pairs (source, target)."""
    return collectives.permute(x, ranks, pairs)


@op(static="ways rank")
def move_in_order(arrays: Any, ways: Any, rank: int) -> list[jax.Array]:
    """Send arrays from process to process, in a compiled function: one after the other, and none left out.

    XLA would order them by what each process needs, and leave out what the sender does not; so would it their gradients.

    Args:
        arrays: what this process sends; or of the shape that it gets.
        ways: (source, target) of each, of which this process is one.
        rank: this process.

    Returns:
        What was sent, or what came.
    """

    def run(given: Any, ways: Any, last: Any = None) -> list[jax.Array]:
        found = []
        for x, way in zip(given, ways, strict=True):
            value = x if last is None else collectives.keep_order(x, last)
            last = collectives.permute(value, tuple(sorted(way)), (tuple(way),))
            found.append(x if way[0] == rank else last)
        return [collectives.keep_order(x, last) for x in found]

    def run_first(given: Any) -> tuple[list[jax.Array], jax.Array]:
        outs = run(given, ways)
        return outs, outs[-1]

    def run_back(last: jax.Array, gradients: Any) -> tuple[list[jax.Array]]:
        back = run(gradients, [way[::-1] for way in ways], last)
        pairs = zip(gradients, back, ways, strict=True)
        return ([own + came if way[0] == rank else jnp.zeros_like(own) for own, came, way in pairs],)

    if not ways:
        return []
    move = jax.custom_vjp(lambda given: run(given, ways))
    move.defvjp(run_first, run_back)
    return move(list(arrays))


@op(static="ranks sent come longest")
def exchange_rows(x: Array, ranks: Ranks, sent: Any, come: Any, longest: int) -> jax.Array:
    """Cut the rows of `x`, `sent[i]` of them for the i-th process, and join `come[i]` rows of each.

    Each part is filled up to the longest that any process sends, whose length all know.
    """
    if len(ranks) == 1:
        return x
    parts, start = [], 0
    for rows in sent:
        part = x[start : start + rows]
        parts.append(jnp.concatenate([part, jnp.zeros((longest - rows, *x.shape[1:]), x.dtype)]))
        start += rows
    got = collectives.all_to_all(jnp.concatenate(parts), ranks, 0, 0)
    return jnp.concatenate([got[i * longest : i * longest + rows] for i, rows in enumerate(come)])


@op
def join(arrays: Any) -> jax.Array:
    """Return the elements of all arrays, in one row."""
    return jnp.concatenate([x.reshape(-1) for x in arrays])


@op(static="ranks sizes here")
def gather_parts(x: Array, ranks: Ranks, sizes: Any, here: int) -> jax.Array:
    """Gather arrays of different sizes: process i has `sizes[i]` elements, and this process is number `here`."""
    longest = max(sizes)
    filled = jnp.concatenate([x.reshape(-1), jnp.zeros(longest - sizes[here], x.dtype)])
    got = collectives.all_gather(filled, ranks)
    return jnp.concatenate([got[i * longest : i * longest + size] for i, size in enumerate(sizes)])
