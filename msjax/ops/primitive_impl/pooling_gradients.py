"""Gradients of pooling and normalization from saved results: by max pooling indices, or by saved statistics.

The class forms are in `gradients_by_vjp`.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op


@op(static="n")
def add_at(dout: ArrayLike, x: ArrayLike, at: ArrayLike, n: int) -> Array:
    """Return the numbers of `dout` added up at places in arrays of zeros like those that the last n axes of x are.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.pooling_gradients import add_at
        >>> print(add_at(ms.Tensor([[2.0, 3.0]]), ms.ops.zeros((1, 4)), ms.Tensor([[3, 3]]), 1))
        [[0. 0. 0. 5.]]
    """
    planes = jnp.zeros_like(x, dout.dtype).reshape(*_flat(x, n))
    put = jax.vmap(lambda plane, i, values: plane.at[i].add(values))
    return put(planes, at.reshape(len(planes), -1), dout.reshape(len(planes), -1)).reshape(x.shape)


@op(static="n")
def take_at(x: ArrayLike, at: ArrayLike, n: int) -> Array:
    """Gather elements at flat positions within the last n axes of x.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.pooling_gradients import take_at
        >>> print(take_at(ms.Tensor([[2.0, 3.0]]), ms.Tensor([[1, 1, 0]]), 1))
        [[3. 3. 2.]]
    """
    planes = x.reshape(*_flat(x, n))
    return jnp.take_along_axis(planes, at.reshape(len(planes), -1), 1).reshape(at.shape)


def _flat(x: Array, n: int) -> tuple[int, int]:
    """Return the shape of an array of rank 2 whose rows are the last n axes."""
    lead = x.shape[: x.ndim - n]
    rows = 1
    for size in lead:
        rows *= size
    return rows, x.size // max(rows, 1)


@op
def spread_selected(grad: ArrayLike, mask: ArrayLike) -> Array:
    """The gradient of masked_select: the numbers of a row at the places where a mask is true, in order (`MaskedSelectGrad`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.pooling_gradients import spread_selected
        >>> print(spread_selected(ms.Tensor([5.0, 6.0]), ms.Tensor([True, False, True])))
        [5. 0. 6.]
    """
    order = jnp.cumsum(mask.reshape(-1)) - 1
    full = jnp.take(grad, order, mode="clip") if grad.size else jnp.zeros(mask.size, grad.dtype)
    return jnp.where(mask, full.reshape(mask.shape), 0)


@op(static="everything axis keep_dims")
def median_gradient(
    dout: ArrayLike,
    x: ArrayLike,
    y: ArrayLike,
    at: ArrayLike,
    everything: BoolLike,
    axis: int,
    keep_dims: BoolLike,
) -> Array:
    """Return the gradient of a median: in equal parts to all that equal it, or to its place in each row (`MedianGrad`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.pooling_gradients import median_gradient
        >>> print(median_gradient(ms.Tensor(1.0), ms.Tensor([1.0, 2.0, 2.0]), ms.Tensor(2.0), None, True, 0, False))
        [0.  0.5 0.5]
    """
    if everything:
        same = x == y
        return (same * (dout / same.sum())).astype(x.dtype)
    if not keep_dims:
        dout, at = jnp.expand_dims(dout, axis), jnp.expand_dims(at, axis)
    return jnp.where(
        jnp.arange(x.shape[axis]).reshape([-1 if i == axis % x.ndim else 1 for i in range(x.ndim)]) == at,
        dout,
        0,
    )


@op(static="training epsilon axes")
def batch_norm_gradient(
    dout: ArrayLike,
    x: ArrayLike,
    scale: ArrayLike,
    mean: ArrayLike,
    variance: ArrayLike,
    training: BoolLike,
    epsilon: float,
    axes: tuple,
) -> tuple[Array, Array, Array]:
    """The gradients of a normalization over axes by its input, scale and bias (`BatchNormGrad`, `InstanceNormV2Grad`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.pooling_gradients import batch_norm_gradient
        >>> one = ms.ops.ones((2, 1))
        >>> [print(g) for g in batch_norm_gradient(one, one, one[0], 0 * one[0], one[0], False, 0.0, (0,))]
        [[1.]
         [1.]]
        [2.]
        [2.]
        [None, None, None]
    """
    wide = [1 if i in axes else n for i, n in enumerate(x.shape)]
    saved = mean.reshape(wide), variance.reshape(wide)

    def normalized(x: Array, scale: Array, bias: Array) -> Array:
        centre, spread = (x.mean(axes, keepdims=True), x.var(axes, keepdims=True)) if training else saved
        return (x - centre) * lax.rsqrt(spread + epsilon) * scale.reshape(wide) + bias.reshape(wide)

    return jax.vjp(normalized, x, scale, jnp.zeros_like(scale))[1](dout)


@op(static="axis params_axis")
def layer_norm_gradient(
    x: ArrayLike,
    dy: ArrayLike,
    variance: ArrayLike,
    mean: ArrayLike,
    gamma: ArrayLike,
    axis: int,
    params_axis: int,
) -> tuple[Array, Array, Array]:
    """Return the gradients of a layer normalization by x, gamma and beta from its saved statistics (`LayerNormGrad`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.pooling_gradients import layer_norm_gradient
        >>> x, one, zero = ms.Tensor([[1.0, -1.0]]), ms.Tensor([[1.0]]), ms.Tensor([[0.0]])
        >>> print(layer_norm_gradient(x, x, one, zero, ms.Tensor([1.0, 1.0]), 1, 1)[1])
        [1. 1.]
    """
    axes, lead = tuple(range(axis % x.ndim, x.ndim)), tuple(range(params_axis % x.ndim))
    inverse = lax.rsqrt(variance)
    normal = (x - mean) * inverse
    scaled = dy * gamma
    dx = scaled - scaled.mean(axes, keepdims=True) - normal * (scaled * normal).mean(axes, keepdims=True)
    return dx * inverse, (dy * normal).sum(lead).reshape(gamma.shape), dy.sum(lead).reshape(gamma.shape)


@op(static="rows columns overlapping mean")
def tile_gradient(
    dout: ArrayLike, x: ArrayLike, rows: tuple, columns: tuple, overlapping: BoolLike, mean: BoolLike
) -> Array:
    """The gradient of a pooling over tiles between rows and columns of x (`FractionalAvgPoolGrad`, `FractionalMaxPoolGrad`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.pooling_gradients import tile_gradient
        >>> d = tile_gradient(ms.ops.ones((1, 1, 1, 1)), ms.ops.zeros((1, 2, 2, 1)), (0, 2), (0, 2), False, True)
        >>> print(d.reshape(2, 2))
        [[0.25 0.25]
         [0.25 0.25]]
    """

    def member(edges: tuple, size: int) -> Array:
        a, b, at = jnp.array(edges[:-1])[:, None], jnp.array(edges[1:])[:, None], jnp.arange(size)
        return (at >= a) & ((at <= b) if overlapping else (at < b))

    within = member(rows, x.shape[1])[:, None, :, None, None] & member(columns, x.shape[2])[:, None, :, None]

    def pooled(x: Array) -> Array:
        tiles = x[:, None, None]
        if mean:
            return jnp.where(within, tiles, 0).sum((3, 4)) / within.sum((2, 3))
        flat = jnp.where(within, tiles, -jnp.inf).reshape(
            *(len(x), len(rows) - 1, len(columns) - 1, -1, x.shape[3])
        )
        return jnp.take_along_axis(flat, flat.argmax(3, keepdims=True), 3)[:, :, :, 0]

    return jax.vjp(pooled, x)[1](dout)[0]


@op
def sparse_slice_gradient(
    grad: ArrayLike, indices: ArrayLike, start: ArrayLike, new_indices: ArrayLike
) -> Array:
    """Return the gradient of the values of a sparse tensor, from that of a slice's values (`SparseSliceGrad`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.pooling_gradients import sparse_slice_gradient
        >>> where = ms.Tensor([[0], [2], [3]])
        >>> print(sparse_slice_gradient(ms.Tensor([5.0]), where, ms.Tensor([1]), ms.Tensor([[1]])))
        [0. 5. 0.]
    """
    same = (indices[:, None] == new_indices + start).all(-1)
    return jnp.where(same, grad, 0).sum(1)


@op
def empty_rows_gradient(reverse_index_map: ArrayLike, grad_values: ArrayLike) -> tuple[Array, Array]:
    """Return the gradients of SparseFillEmptyRows by the values and by the default (`SparseFillEmptyRowsGrad`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.pooling_gradients import empty_rows_gradient
        >>> values, default = empty_rows_gradient(ms.Tensor([0, 2]), ms.Tensor([1.0, 2.0, 4.0]))
        >>> print(values, default)
        [1. 4.] 2.0
    """
    values = grad_values[reverse_index_map]
    return values, grad_values.at[reverse_index_map].set(0).sum()


@op(static="rows power")
def segment_gradient(
    x: ArrayLike, indices: ArrayLike, segment_ids: ArrayLike, rows: int, power: float
) -> Array:
    """Return the gradient of sums of rows, each divided by a power of how many they are (`SparseSegmentMeanGrad`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.pooling_gradients import segment_gradient
        >>> print(segment_gradient(ms.Tensor([6.0]), ms.Tensor([2, 0]), ms.Tensor([0, 0]), 3, 1.0))
        [3. 0. 3.]
    """
    count = jnp.zeros(len(x), x.dtype).at[segment_ids].add(1)
    parts = x / jnp.maximum(count, 1).reshape(-1, *[1] * (x.ndim - 1)) ** power
    return jnp.zeros((rows, *x.shape[1:]), x.dtype).at[indices].add(parts[segment_ids])


@op
def softmax_gradient(y: ArrayLike, dy: ArrayLike) -> Array:
    """Return the gradient of a softmax over the last axis, of its output (`SoftmaxGrad`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.pooling_gradients import softmax_gradient
        >>> print(softmax_gradient(ms.Tensor([0.5, 0.5]), ms.Tensor([1.0, 3.0])))
        [-0.5  0.5]
    """
    return y * (dy - (y * dy).sum(-1, keepdims=True))


@op
def igamma_gradient(a: ArrayLike, x: ArrayLike) -> Array:
    """Return the derivative of igamma by a (`IgammaGradA`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.pooling_gradients import igamma_gradient
        >>> print(f"{float(igamma_gradient(ms.Tensor(1.0), ms.Tensor(1.0))):.3f}")
        -0.432
    """
    a, x = jnp.broadcast_arrays(a, x)
    return lax.igamma_grad_a(a, x)


@op
def lu_gradient(lower: ArrayLike, upper: ArrayLike, packed: ArrayLike) -> tuple[Array, Array]:
    """Return the gradients of packed factors from those of L, and from those of U (`LuUnpackGrad`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.pooling_gradients import lu_gradient
        >>> one = ms.ops.ones((2, 2))
        >>> print(lu_gradient(one, one, one)[1])
        [[1. 1.]
         [0. 1.]]
    """
    zeros = jnp.zeros_like(packed)
    low, high = jnp.tril(lower, -1), jnp.triu(upper)
    return tuple(zeros.at[..., : part.shape[-2], : part.shape[-1]].set(part) for part in (low, high))  # type: ignore[return-value]


def _pulls(away: Array, dist: Array, grad: Array, p: float) -> Array:
    """The gradient of distances by the differences that they are of, given the distances: away (..., m), dist (...)."""
    d, g = dist[..., None], grad[..., None]
    if p == 0:
        return jnp.zeros_like(away)
    if p == 1:
        return g * jnp.sign(away)
    if np.isinf(p):
        return g * jnp.sign(away) * (jnp.abs(away) == d)
    each = g * jnp.sign(away) * jnp.abs(away) ** (p - 1) / d ** (p - 1)
    return jnp.where((away == 0) | ((d == 0) & (p >= 2)), 0, each)


@op(static="p")
def cdist_gradient(grad: Array, input_x: Array, input_y: Array, cdist: Array, p: float) -> Array:
    """Return the gradient of `cdist` by its first set (`CdistGrad`), from the distances that are given."""
    return _pulls(input_x[..., :, None, :] - input_y[..., None, :, :], cdist, grad, p).sum(-2)


@op(static="p")
def pdist_gradient(y_grad: Array, x: Array, y: Array, p: float) -> Array:
    """Return the gradient of `pdist` (`PdistGrad`), from the distances that are given."""
    first, second = np.triu_indices(x.shape[0], 1)
    pulls = _pulls(x[first] - x[second], y, y_grad, p)
    return jnp.zeros_like(x).at[first].add(pulls).at[second].add(-pulls)
