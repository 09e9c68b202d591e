"""Fractional max and average pooling: window distances vary, so that any output size is possible.

Graham, "Fractional Max-Pooling" (2014). The windows' places are numbers in the program, so values are gathered: one
index array for all windows, whose gradient is the scatter of JAX.
"""

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn import pooling
from msjax.ops.random import draws

# -------------------------------------------------------------------------------- windows of one size, at random places


def _starts(sample: Array, size: int, kernel: int, count: int) -> Array:
    """Return the starts of `count` windows along a dimension, (N, C, count), for random numbers (N, C) in [0, 1)."""
    if count == 1:
        return jnp.full((*sample.shape, 1), size - kernel)
    alpha = jnp.asarray((size - kernel) / (count - 1), sample.dtype)
    turns = jnp.arange(count - 1, dtype=sample.dtype)
    begin = jnp.trunc((turns + sample[..., None]) * alpha) - jnp.trunc(sample[..., None] * alpha)
    last = jnp.full((*sample.shape, 1), size - kernel, begin.dtype)
    return jnp.concatenate([begin, last], -1).astype(int)


def _window_positions(sizes: Sequence[int], kernel: Sequence[int], begins: Sequence[Array]) -> Array:
    """Places in the flattened dimensions of all elements of all windows (N, C, windows, elements)."""
    n, lead = len(sizes), begins[0].shape[:-1]
    total: Any = 0
    for d, (k, begin) in enumerate(zip(kernel, begins, strict=True)):
        at = begin[..., :, None] + jnp.arange(k)
        shape = [1] * (2 * n)
        shape[d], shape[n + d] = at.shape[-2:]
        total = total + at.reshape(*lead, *shape) * math.prod(sizes[d + 1 :])
    return total.reshape(*lead, -1, math.prod(kernel))


@op(static="kernel output")
def _max_of_windows(x: ArrayLike, samples: ArrayLike, kernel: tuple, output: tuple) -> tuple[Array, Array]:
    """Return the largest element of each window of (N, C, d1, ... dn), and its place in the flattened last dimensions."""
    n = len(kernel)
    sizes, lead = x.shape[-n:], x.shape[:2]
    if not x.size:
        return pooling.with_indices(jnp.zeros((*lead, *output), x.dtype), jnp.zeros((*lead, *output), int))
    order = (
        range(n) if n == 3 else reversed(range(n))
    )  # the random numbers of two dimensions come width first
    column = dict(zip(order, range(n), strict=True))
    begins = [
        jnp.broadcast_to(begin, (*lead, begin.shape[-1]))
        for begin in (_starts(samples[..., column[d]], sizes[d], kernel[d], output[d]) for d in range(n))
    ]
    places = _window_positions(sizes, kernel, begins)
    values = jnp.take_along_axis(x.reshape(*lead, 1, -1), places, -1)
    best = jnp.argmax(values, -1, keepdims=True)
    shape = (*lead, *output)
    found = (jnp.take_along_axis(a, best, -1).reshape(shape) for a in (values, places))
    return pooling.with_indices(*found)


def _positive(name: str, n: int, **values: Any) -> tuple[int, ...]:
    ((argument, value),) = values.items()
    given = value if isinstance(value, tuple) else (value,) * n
    if not all(type(v) is int for v in given):
        checks.fail(TypeError, name, argument, "be an int or a tuple of ints", repr(value))
    if len(given) != n or min(given) <= 0:
        checks.fail(ValueError, name, argument, f"be positive, one int or {n} of them", repr(value))
    return given


def _pool_given_windows(
    name: str, n: int, x: Any, samples: Any, kernel: Any, output: Any
) -> tuple[Tensor, Tensor]:
    """Fractional pooling with given windows, random numbers and size of the output."""
    kernel, output = _positive(name, n, kernel_size=kernel), _positive(name, n, output_size=output)
    kinds = (dtypes.float16, dtypes.float32, dtypes.float64)
    if x.dtype not in (*kinds, dtypes.int32, dtypes.int64):
        rule = "be of dtype float16, float32, float64, int32 or int64"
        checks.fail(TypeError, name, "input", rule, x.dtype)
    if samples.dtype not in kinds:
        checks.fail(
            TypeError, name, "random_samples", "be of dtype float16, float32 or float64", samples.dtype
        )
    checks.check_rank(name, n + 1, n + 2, input=x)
    checks.check_rank(name, 3, random_samples=samples)
    batch = x if x.ndim == n + 2 else x.unsqueeze(0)
    if samples.shape[0] not in (1, batch.shape[0]) or tuple(samples.shape[1:]) != (batch.shape[1], n):
        rule = f"have shape {(batch.shape[0], batch.shape[1], n)}"
        checks.fail(ValueError, name, "random_samples", rule, tuple(samples.shape))
    slack = 1 if n == 3 else 0  # MindSpore's check over three dimensions asks for one more element
    for size, k, count in zip(batch.shape[2:], kernel, output, strict=True):
        if k + count - 1 + slack > size:
            rule = f"leave kernel_size + output_size - 1 {'<' if slack else '<='} {size}, the input's size"
            checks.fail(ValueError, name, "output_size", rule, f"{count} with kernel_size={k}")
    best, place = _max_of_windows(batch, samples, kernel, output)
    return (best, place) if x.ndim == n + 2 else (best.squeeze(0), place.squeeze(0))


def _fractional(
    name: str, n: int, input: Any, kernel: Any, output: Any, ratio: Any, with_place: bool, samples: Any
) -> Any:
    checks.check_bools(name, return_indices=with_place)
    if output is None:
        if ratio is None:
            checks.fail(ValueError, name, "output_size", "be given, or output_ratio", None)
        ratios = ratio if isinstance(ratio, tuple) else (ratio,) * n
        for one in ratios:
            if not isinstance(one, float) or not 0 < one < 1:
                checks.fail(ValueError, name, "output_ratio", "be between 0 and 1", repr(ratio))
        output = tuple(int(size * one) for size, one in zip(input.shape[-n:], ratios, strict=True))
    if samples is None:
        lead = (1, input.shape[0]) if input.ndim == n + 1 else tuple(input.shape[:2])
        samples = draws.uniform_of((*lead, n))
        samples = samples.astype(input.dtype) if n == 3 else samples
    if n == 3 and samples.dtype != input.dtype:
        checks.fail(
            TypeError, name, "_random_samples", f"be of the input's dtype, {input.dtype}", samples.dtype
        )
    found = _pool_given_windows(name, n, input, samples, kernel, output)
    return found if with_place else found[0]


def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:
    """Return the largest element of each of so many windows over two dimensions, which lie at random but in order.

    Args:
        input (Tensor): of shape (N, C, H, W) or (C, H, W); float16, float32, float64, int32 or int64.
        kernel_size (int, tuple): size of the windows.
        output_size (int, tuple): how many windows along each dimension.
        output_ratio (float, tuple): how many as a fraction of the input's size, if `output_size` is None.
        return_indices (bool): also give where, in the flattened H x W, the largest elements are.
        _random_samples (Tensor): numbers in [0, 1) that place the windows, (N or 1, C, 2), for the width first.
            Default: drawn.

    Returns:
        Tensor of shape (N, C, H', W'), or a tuple of it and its indices (int64).

    Raises:
        TypeError: for dtypes or settings of another type.
        ValueError: for shapes or settings that do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.ops.arange(25.0).reshape(1, 1, 5, 5)
        >>> print(ms.ops.fractional_max_pool2d(x, 2, 2, _random_samples=ms.Tensor([[[0.8, 0.8]]])))
        [[[[ 6.  9.]
           [21. 24.]]]]
    """
    name = "fractional_max_pool2d"
    return _fractional(
        name, 2, input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )


@documented_by(fractional_max_pool2d)
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:
    """Return the largest element of each of so many windows over three dimensions; see :func:`fractional_max_pool2d`.

    Args:
        input (Tensor): of shape (N, C, D, H, W) or (C, D, H, W), floating.
        return_indices (bool): also give where, in the flattened D x H x W, the largest elements are.
        _random_samples (Tensor): numbers in [0, 1) that place the windows, (N or 1, C, 3). Default: drawn.

    Returns:
        Tensor of shape (N, C, D', H', W'), or a tuple of it and its indices (int64).

    Examples:
        >>> import msjax as ms
        >>> ms.ops.fractional_max_pool3d(ms.ops.ones((1, 2, 5, 5, 5)), 2, output_ratio=0.5).shape
        (1, 2, 2, 2, 2)
    """
    name = "fractional_max_pool3d"
    return _fractional(
        name, 3, input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )


def fixed_max_pool2d(
    input_x: Tensor, random_samples: Tensor, ksize: Any, output_shape: Any, data_format: str = "NCHW"
) -> tuple[Tensor, Tensor]:
    """Apply fractional max pooling in 2D and return the indices too (`FractionalMaxPoolWithFixedKsize`).

    Examples:
        >>> import msjax as ms
        >>> pool = ms.ops.FractionalMaxPoolWithFixedKsize(2, 2)
        >>> print(pool(ms.ops.arange(25.0).reshape(1, 1, 5, 5), ms.Tensor([[[0.8, 0.8]]]))[1])
        [[[[ 6  9]
           [21 24]]]]
    """
    name = "FractionalMaxPoolWithFixedKsize"
    checks.check_choice(name, ("NCHW",), data_format=data_format)
    return _pool_given_windows(name, 2, input_x, random_samples, ksize, output_shape)


def fixed_max_pool3d(
    x: Tensor, random_samples: Tensor, ksize: Any, output_shape: Any, data_format: str = "NCDHW"
) -> tuple[Tensor, Tensor]:
    """Apply fractional max pooling in 3D and return the indices too (`FractionalMaxPool3DWithFixedKsize`).

    Examples:
        >>> import msjax as ms
        >>> pool = ms.ops.FractionalMaxPool3DWithFixedKsize(2, 2)
        >>> pool(ms.ops.ones((1, 2, 5, 5, 5)), ms.ops.zeros((1, 2, 3)))[0].shape
        (1, 2, 2, 2, 2)
    """
    name = "FractionalMaxPool3DWithFixedKsize"
    checks.check_choice(name, ("NCDHW", "NDHWC"), data_format=data_format)
    last = data_format == "NDHWC"
    best, place = _pool_given_windows(
        name, 3, x.movedim(-1, -4) if last else x, random_samples, ksize, output_shape
    )
    return (best.movedim(-4, -1), place.movedim(-4, -1)) if last else (best, place)


# --------------------------------------------------------------------------------- windows of two sizes that tile a line


def _boundaries(key: Array, size: int, count: int, pseudo: bool) -> Array:
    """Draw the boundaries of `count` windows that tile `size` elements: (count + 1,)."""
    least, more = divmod(size, count)
    if more == 0:
        return jnp.arange(count + 1) * least
    if not pseudo:
        widths = least + jax.random.permutation(key, (jnp.arange(count) < more).astype(int))
        return jnp.concatenate([jnp.zeros(1, int), jnp.cumsum(widths)])
    alpha = size / count
    most = min((least + 2) / alpha - 1, (size + 1 - least) / alpha - (count - 1))
    begins = jnp.floor(alpha * (jnp.arange(count) + jax.random.uniform(key) * most)).astype(int)
    return jnp.concatenate([jnp.zeros(1, int), begins[1:], jnp.full(1, size)])


@op(random=True, static="ratio pseudo overlapping mean seed")
def _pool_by_ratio(
    _key: Array,
    x: ArrayLike,
    ratio: tuple,
    pseudo: BoolLike,
    overlapping: BoolLike,
    mean: BoolLike,
    seed: int | None = None,
) -> tuple[Array, Array, Array]:
    key = _key if seed is None else jax.random.key(seed)
    edges, places, counted = [], [], []
    for one, size, share in zip(jax.random.split(key), x.shape[1:3], ratio[1:3], strict=True):
        count = int(size / share)
        edge = _boundaries(one, size, count, pseudo)
        at = edge[:-1, None] + jnp.arange(size // count + 1 + overlapping)
        edges.append(edge)
        counted.append((at < edge[1:, None] + overlapping) & (at < size))
        places.append(jnp.minimum(at, size - 1))
    (rows, columns), (row_in, column_in) = places, counted
    values = x[:, rows[:, None, :, None], columns[None, :, None, :]]
    there = (row_in[:, None, :, None] & column_in[None, :, None, :])[None, ..., None]
    if mean:
        total = jnp.where(there, values, jnp.zeros_like(values)).sum((3, 4), dtype=x.dtype)
        found = lax.div(total, jnp.broadcast_to(there.sum((3, 4)), total.shape).astype(x.dtype))
    else:
        found = jnp.where(there, values, pooling.lowest(x.dtype)).max((3, 4))
    return found, *(edge.astype(dtypes.as_np(dtypes.int64)) for edge in edges)


def tiled_pool(
    x: Any, pooling_ratio: list, pseudo_random: bool = False, overlapping: bool = False,
    deterministic: bool = False, seed: int = 0, seed2: int = 0, mean: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Apply fractional pooling with random windows that tile the image (`FractionalMaxPool`, `FractionalAvgPool`).

    Args:
        x (Tensor): of shape (N, H, W, C); float32, float64, int32 or int64.
        pooling_ratio (list[float]): by how much each dimension shrinks, the first and last 1.0, the others at least 1.0.
        pseudo_random (bool): place windows by one random number, nearly evenly, instead of shuffling their sizes.
        overlapping (bool): let a window have the first row and column of the next.
        deterministic (bool): draw with `seed` and `seed2`, which must otherwise be 0.
        seed (int): a seed.
        seed2 (int): another, used if the first is 0.
        mean (bool): take means instead of largest elements.

    Returns:
        Three Tensors: (N, H', W', C) with sizes rounded down, and the boundaries of rows and of columns, int64. Where they
        lie is drawn by JAX, so not the same as MindSpore's.

    Raises:
        TypeError: for dtypes or settings of another type.
        ValueError: for settings that do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.ops.arange(16.0).reshape(1, 4, 4, 1)
        >>> y, rows, _ = ms.ops.FractionalMaxPool([1.0, 2.0, 2.0, 1.0])(x)
        >>> print(y.reshape(-1), rows)
        [ 5.  7. 13. 15.] [0 2 4]
    """
    name = "FractionalAvgPool" if mean else "FractionalMaxPool"
    flags = {"pseudo_random": pseudo_random, "overlapping": overlapping, "deterministic": deterministic}
    checks.check_bools(name, **flags)
    checks.check_ints(name, seed=seed, seed2=seed2)
    if not isinstance(pooling_ratio, list) or not all(isinstance(r, float) for r in pooling_ratio):
        checks.fail(TypeError, name, "pooling_ratio", "be a list of floats", repr(pooling_ratio))
    if len(pooling_ratio) != 4 or min(pooling_ratio) < 1 or pooling_ratio[0] != 1 or pooling_ratio[3] != 1:
        rule = "be four floats of at least 1.0, the first and last 1.0"
        checks.fail(ValueError, name, "pooling_ratio", rule, pooling_ratio)
    if not deterministic and (seed or seed2):
        checks.fail(ValueError, name, "seed", "be 0 like `seed2` without deterministic=True", (seed, seed2))
    checks.check_rank(name, 4, x=x)
    if x.dtype not in (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64):
        checks.fail(TypeError, name, "x", "be of dtype float32, float64, int32 or int64", x.dtype)
    if min(int(n / r) for n, r in zip(x.shape[1:3], pooling_ratio[1:3], strict=True)) < 1:
        checks.fail(ValueError, name, "pooling_ratio", f"leave one of {x.shape[1:3]} elements", pooling_ratio)
    ratio = tuple(pooling_ratio)
    return _pool_by_ratio(x, ratio, pseudo_random, overlapping, mean, seed or seed2 or None)
