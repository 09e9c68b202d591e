"""Sliding windows over the last dimensions of an array: padding, number and contents."""

import itertools
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax.ops.common import checks

Pairs = tuple[tuple[int, int], ...]


def as_padding_pairs(op: str, count: int, padding: Any) -> Pairs:
    """(before, after) for each of `count` dimensions, from an int, an int per dimension, or a flat list of pairs."""
    if isinstance(padding, tuple | list) and len(padding) == 2 * count:
        flat = checks.as_int_tuple(op, 2 * count, 0, padding=padding)
        return tuple(zip(flat[::2], flat[1::2], strict=True))
    return tuple((p, p) for p in checks.as_int_tuple(op, count, 0, padding=padding))


def same_padding(
    sizes: Sequence[int], kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> Pairs:
    """Return the padding with which every stride has a window; an odd element goes after."""
    pairs = []
    for n, k, s, d in zip(sizes, kernel, stride, dilation, strict=True):
        total = max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
        pairs.append((total // 2, total - total // 2))
    return tuple(pairs)


def ceil_mode_padding(
    sizes: Sequence[int], kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int], pads: Pairs
) -> Pairs:
    """Return `pads` with so much more behind that a last, incomplete window counts, unless it would lie in padding alone."""
    pairs = []
    for n, k, s, d, (before, after) in zip(sizes, kernel, stride, dilation, pads, strict=True):
        room = n + before + after - (k - 1) * d - 1
        count = -(-room // s) + 1
        if (count - 1) * s >= n + before:
            count -= 1
        pairs.append((before, after + max((count - 1) * s - room, 0)))
    return tuple(pairs)


def count_windows(
    op: str,
    sizes: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
    pads: Pairs,
) -> tuple[int, ...]:
    """Return the number of windows along each dimension; raise if there is none."""
    found = tuple(
        (n + before + after - (k - 1) * d - 1) // s + 1
        for n, k, s, d, (before, after) in zip(sizes, kernel, stride, dilation, pads, strict=True)
    )
    if min(found) < 1:
        raise ValueError(
            f"`{op}`: the padded input must hold at least one window. "
            f"Received: sizes={tuple(sizes)}, padding={pads}, kernel={tuple(kernel)}, dilation={tuple(dilation)}."
        )
    return found


def window_elements(
    x: Array, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int], number: Sequence[int]
) -> list[Array]:
    """Return the elements of all windows at each position in the window (row-major): arrays (..., *number)."""
    lead = x.ndim - len(kernel)
    found = []
    for at in itertools.product(*map(range, kernel)):
        start = [i * d for i, d in zip(at, dilation, strict=True)]
        stop = [b + (n - 1) * s + 1 for b, n, s in zip(start, number, stride, strict=True)]
        found.append(lax.slice(x, [0] * lead + start, [*x.shape[:lead], *stop], [1] * lead + list(stride)))
    return found


def pad_last_axes(x: Array, pads: Pairs, value: Any) -> Array:
    """`x` with its last dimensions padded by a number of its dtype."""
    config = [(0, 0, 0)] * (x.ndim - len(pads)) + [(before, after, 0) for before, after in pads]
    return lax.pad(x, jnp.asarray(value, x.dtype), config)
