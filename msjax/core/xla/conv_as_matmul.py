"""Convolutions that XLA on CPU computes slowly, rewritten as matrix products, shifts and sums.

A depthwise convolution (each channel by itself), as in nets for phones, takes XLA's CPU kernels ten to sixty times as long
as the sum of the shifted images; the gradient by a 1 x 1 kernel is a matrix product and takes ten times as long as one;
that by the kernel of a grouped convolution a hundred times. All others stay convolutions.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

_MOST_PLACES = 64  # of a kernel that becomes as many shifts


class Axes(NamedTuple):
    """Positions of an operand's axes: batch (a kernel's outputs), features (a kernel's inputs), and space."""

    batch: int
    feature: int
    space: tuple[int, ...]


class Convolution(NamedTuple):
    """Operands of a convolution as they are stored, and its parameters.

    Attributes:
        x: the images.
        w: the kernel.
        at: positions of the axes of `x`.
        of: positions of the axes of `w`.
        out: spatial sizes of the result.
        params: of `lax.conv_general_dilated`.
    """

    x: jax.Array
    w: jax.Array
    at: Axes
    of: Axes
    out: tuple[int, ...]
    params: dict[str, Any]

    @property
    def kernel_sizes(self) -> list[int]:
        """Spatial sizes of the kernel."""
        return [self.w.shape[a] for a in self.of.space]


# A result: an array, and a name for each of its axes: "batch", "feature", or the number of a spatial axis.
Result = tuple[jax.Array, Sequence[jax.Array]]


def rewrite_convolution(c: Convolution) -> Result | None:
    """Return the same result computed in another way; None if XLA's convolution is as good."""
    found = _rewrite(c)
    if found is None:
        return None
    kind = c.params["preferred_element_type"] or c.x.dtype
    return found[0].astype(kind), found[1]


def _rewrite(c: Convolution) -> Result | None:
    p = c.params
    groups = p["feature_group_count"]
    # `_to_sum` would make floats of integers (test_conv_as_matmul.test_whole_numbers_stay_convolutions).
    if not jnp.issubdtype(c.x.dtype, jnp.floating):
        return None
    if p["batch_group_count"] > 1:
        return _kernel_of_groups(c) if _are_few(c.out) else None
    if groups > 1:
        channels = c.x.shape[c.at.feature]
        return (
            _sum_shifts(c)
            if groups == channels == c.w.shape[c.of.batch] and _are_few(c.kernel_sizes)
            else None
        )
    if all(n == 1 for n in c.kernel_sizes):
        return _of_one_place(c)
    if all(n == 1 for n in c.out):
        return _to_one_place(c)
    return None


def _are_few(sizes: Sequence[int]) -> bool:
    """Return True if so few kernel elements may become as many shifts in the program."""
    return math.prod(sizes) <= _MOST_PLACES


def _plain_space(c: Convolution, name: str) -> bool:
    return all(n == 1 for n in c.params[name])


def _slice_axes(
    x: jax.Array, axes: Sequence[int], starts: Sequence[int], counts: Sequence[int], steps: Sequence[int]
) -> jax.Array:
    """Slice a number of elements along some axes, from a start on, in steps."""
    start, limit, stride = [0] * x.ndim, list(x.shape), [1] * x.ndim
    for axis, first, count, step in zip(axes, starts, counts, steps, strict=True):
        start[axis], limit[axis], stride[axis] = first, first + (count - 1) * step + 1, step
    return lax.slice(x, start, limit, stride)


def _pad_and_dilate(
    x: jax.Array, axes: Sequence[int], padding: Sequence[tuple[int, int]], dilation: Sequence[int]
) -> jax.Array:
    """Pad with zeros around (cropping where padding is negative) and between the elements."""
    config = [(0, 0, 0)] * x.ndim
    for axis, (low, high), factor in zip(axes, padding, dilation, strict=True):
        config[axis] = (int(low), int(high), factor - 1)
    return lax.pad(x, x.dtype.type(0), config) if any(config_of != (0, 0, 0) for config_of in config) else x


def _product(c: Convolution, a: jax.Array, b: jax.Array, over: tuple, batch: tuple = ((), ())) -> jax.Array:
    kind = c.params["preferred_element_type"]
    return lax.dot_general(a, b, (over, batch), precision=c.params["precision"], preferred_element_type=kind)


def _of_one_place(c: Convolution) -> Result | None:
    """Convolve with a 1 x 1 kernel: a matrix product over the features, of every step-th element."""
    p, x = c.params, c.x
    # With dilation the product comes first, on the few elements that are not zeros.
    dilated = not _plain_space(c, "lhs_dilation")
    if dilated and not _plain_space(c, "window_strides"):
        return None
    if not dilated:
        x = _pad_and_dilate(x, c.at.space, p["padding"], p["lhs_dilation"])
        x = _slice_axes(x, c.at.space, [0] * len(c.out), c.out, p["window_strides"])
    kernel = lax.squeeze(c.w, c.of.space)
    feature = int(c.of.feature > c.of.batch)
    y = _product(c, x, kernel, ((c.at.feature,), (feature,)))
    names = _names(c.at)
    names = [names[a] for a in range(x.ndim) if a != c.at.feature]
    if dilated:
        axes = [names.index(i) for i in range(len(c.out))]
        y = _pad_and_dilate(y, axes, p["padding"], p["lhs_dilation"])
    return y, [*names, "feature"]


def _names(at: Axes) -> dict[int, Any]:
    return {at.batch: "batch", at.feature: "feature", **{a: i for i, a in enumerate(at.space)}}


def _to_one_place(c: Convolution) -> Result | None:
    """Convolve to a 1 x 1 result, as in the gradient by such a kernel: a product over space and features."""
    p = c.params
    if not _plain_space(c, "lhs_dilation") or any(low > 0 for low, _ in p["padding"]):
        return None
    starts = [-low for low, _ in p["padding"]]
    ends = [s + (n - 1) * d for s, n, d in zip(starts, c.kernel_sizes, p["rhs_dilation"], strict=True)]
    if any(end >= c.x.shape[a] for end, a in zip(ends, c.at.space, strict=True)):
        return None
    x = _slice_axes(c.x, c.at.space, starts, c.kernel_sizes, p["rhs_dilation"])
    over = (c.at.feature, *c.at.space), (c.of.feature, *c.of.space)
    y = _product(c, x, c.w, over)
    return lax.expand_dims(y, range(2, 2 + len(c.out))), ["batch", "feature", *range(len(c.out))]


def _sum_shifts(c: Convolution) -> Result | None:
    """Convolve depthwise: sum over the kernel's elements the shifted image times a factor per channel."""
    p = c.params
    x = _pad_and_dilate(_to_sum(c.x), c.at.space, p["padding"], p["lhs_dilation"])
    kernel = lax.squeeze(_to_sum(c.w), [c.of.feature])
    space = [a - (a > c.of.feature) for a in c.of.space]
    total: Any = None
    for place in itertools.product(*map(range, c.kernel_sizes)):
        starts = [i * d for i, d in zip(place, p["rhs_dilation"], strict=True)]
        part = _slice_axes(x, c.at.space, starts, c.out, p["window_strides"])
        factor = _slice_axes(kernel, space, place, [1] * len(place), [1] * len(place)).reshape(-1)
        product = part * lax.broadcast_in_dim(factor, part.shape, [c.at.feature])
        total = product if total is None else total + product
    names = _names(c.at)
    return total, [names[a] for a in range(x.ndim)]


def _kernel_of_groups(c: Convolution) -> Result | None:
    """Compute the gradient by a grouped kernel: for each kernel element a product over images and space, group by group."""
    p, groups = c.params, c.params["batch_group_count"]
    x = _pad_and_dilate(_to_sum(c.x), c.at.space, p["padding"], p["lhs_dilation"])
    # One channel a group: a product and a sum, since a batched matrix product would have results of 1 x 1.
    single = c.x.shape[c.at.batch] == groups == c.w.shape[c.of.batch]
    # Both operands with the same order of axes.
    kernel = lax.transpose(_to_sum(c.w), [_flat(c.of)[_flat(c.at).index(a)] for a in range(x.ndim)])
    over = [c.at.feature, *c.at.space]
    found = []
    for place in itertools.product(*map(range, c.out)):
        starts = [i * s for i, s in zip(place, p["window_strides"], strict=True)]
        part = _slice_axes(x, c.at.space, starts, c.kernel_sizes, p["rhs_dilation"])
        if single:
            found.append((part * kernel).sum(over)[None])  # (1, outputs)
            continue
        a, b = (_by_group(y, c.at.batch, groups) for y in (part, kernel))
        axes = [n + 1 if n > c.at.batch else n for n in over]
        group = c.at.batch
        y = _product(
            c, a, b, (tuple(axes), tuple(axes)), ((group,), (group,))
        )  # (groups, inputs, outputs of a group)
        found.append(lax.transpose(y, [1, 0, 2]).reshape(y.shape[1], -1))
    stacked = lax.concatenate([f[..., None] for f in found], 2)
    return stacked.reshape(*stacked.shape[:2], *c.out), ["batch", "feature", *range(len(c.out))]


def _to_sum(x: jax.Array) -> jax.Array:
    """Convert to float32 at least, in which convolutions sum, too."""
    return x.astype(jnp.promote_types(x.dtype, jnp.float32))


def _flat(axes: Axes) -> tuple[int, ...]:
    return axes.batch, axes.feature, *axes.space


def _by_group(x: jax.Array, axis: int, groups: int) -> jax.Array:
    return x.reshape(*x.shape[:axis], groups, -1, *x.shape[axis + 1 :])
