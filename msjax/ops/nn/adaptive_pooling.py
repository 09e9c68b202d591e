"""Adaptive average and max pooling to a given output size, and max unpooling.

Cell i of m over a dimension of size n is [floor(i n / m), ceil((i + 1) n / m)). Cells are boxes, so one dimension can
be pooled after the other.
"""

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn.pooling import with_indices


def _cells(size: int, number: int) -> list[tuple[int, int]]:
    return [(i * size // number, -(-(i + 1) * size // number)) for i in range(number)]


def _sizes(name: str, n: int, x: Array, output_size: Any) -> tuple[int, ...]:
    """Return the size to pool each of the last n dimensions to; None keeps it."""
    checks.check_rank(name, n + 1, n + 2, input=x)
    given = output_size if isinstance(output_size, tuple | list) else (output_size,) * n
    if len(given) != n:
        checks.fail(ValueError, name, "output_size", f"be an int, or {n} ints or Nones", output_size)
    kept = [s if wanted is None else wanted for wanted, s in zip(given, x.shape[-n:], strict=True)]
    return checks.as_int_tuple(name, n, output_size=tuple(kept))


def _mean(name: str, n: int, x: Array, output_size: Any) -> Array:
    checks.check_floating(name, input=x)
    sizes = _sizes(name, n, x, output_size)
    y = x.astype(checks.compute_dtype(x.dtype))
    for axis, number in zip(range(x.ndim - n, x.ndim), sizes, strict=True):
        size = x.shape[axis]
        if size % number == 0:
            y = y.reshape(*y.shape[:axis], number, size // number, *y.shape[axis + 1 :]).mean(axis + 1)
        else:
            parts = [y[(slice(None),) * axis + (slice(*cell),)].mean(axis) for cell in _cells(size, number)]
            y = jnp.stack(parts, axis)
    return y.astype(x.dtype)


def _max(name: str, n: int, x: Array, output_size: Any) -> tuple[Array, Array]:
    """Return the largest element of each cell and its place: dimension by dimension from the last, first of equals."""
    sizes = _sizes(name, n, x, output_size)
    place = jnp.arange(math.prod(x.shape[-n:]), dtype=jnp.int32).reshape(x.shape[-n:])
    place = jnp.broadcast_to(place, x.shape)
    for axis, number in reversed(list(zip(range(x.ndim - n, x.ndim), sizes, strict=True))):
        best, at = [], []
        for cell in _cells(x.shape[axis], number):
            here = (slice(None),) * axis + (slice(*cell),)
            first = jnp.argmax(x[here], axis, keepdims=True)
            best.append(jnp.take_along_axis(x[here], first, axis))
            at.append(jnp.take_along_axis(place[here], first, axis))
        x, place = jnp.concatenate(best, axis), jnp.concatenate(at, axis)
    return x, place


@op(static="output_size")
def adaptive_avg_pool1d(input: Array, output_size: Any) -> Array:
    """Return the means of `output_size` cells that cover the last dimension.

    Args:
        input (Tensor): of shape (N, C, L) or (C, L), floating.
        output_size (int): number of cells.

    Returns:
        Tensor of shape (N, C, output_size).

    Raises:
        ValueError: for shapes or sizes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.adaptive_avg_pool1d(ms.Tensor([[[1.0, 3.0, 2.0, 0.0]]]), 2))
        [[[2. 1.]]]
    """
    checks.check_ints("adaptive_avg_pool1d", output_size=output_size)
    return _mean("adaptive_avg_pool1d", 1, input, output_size)


@op(static="output_size")
def adaptive_avg_pool2d(input: Array, output_size: Any) -> Array:
    """Return the means of cells that cover the last two dimensions.

    Args:
        input (Tensor): of shape (N, C, H, W) or (C, H, W), floating.
        output_size (int, tuple): number of cells along H and W; None keeps the dimension as it is.

    Returns:
        Tensor of shape (N, C, *output_size).

    Raises:
        ValueError: for shapes or sizes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.adaptive_avg_pool2d(ms.Tensor([[[[1.0, 3.0], [2.0, 0.0]]]]), (None, 1)))
        [[[[2.]
           [1.]]]]
    """
    return _mean("adaptive_avg_pool2d", 2, input, output_size)


@op(static="output_size")
@documented_by(adaptive_avg_pool2d)
def adaptive_avg_pool3d(input: Array, output_size: Any) -> Array:
    """The means of cells that cover the last three dimensions.

    Args:
        input (Tensor): of shape (N, C, D, H, W) or (C, D, H, W), floating.
        output_size (int, tuple): number of cells along D, H and W; None keeps the dimension as it is.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.adaptive_avg_pool3d(ms.ops.ones((1, 2, 4, 5, 6)), (2, None, 3)).shape
        (1, 2, 2, 5, 3)
    """
    return _mean("adaptive_avg_pool3d", 3, input, output_size)


@op(static="output_size return_indices")
@documented_by(adaptive_avg_pool1d)
def adaptive_max_pool1d(input: Array, output_size: Any, return_indices: bool = False) -> Any:
    """Return the largest elements of `output_size` cells that cover the last dimension.

    Args:
        input (Tensor): of shape (N, C, L) or (C, L).
        return_indices (bool): also give where the largest elements are.

    Returns:
        Tensor of shape (N, C, output_size), or a tuple of it and its indices (int64).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.adaptive_max_pool1d(ms.Tensor([[[1.0, 3.0, 2.0, 0.0]]]), 2))
        [[[3. 2.]]]
    """
    checks.check_ints("adaptive_max_pool1d", output_size=output_size)
    found = _max("adaptive_max_pool1d", 1, input, output_size)
    return with_indices(*found) if return_indices else found[0]


@op(static="output_size return_indices")
@documented_by(adaptive_avg_pool2d)
def adaptive_max_pool2d(input: Array, output_size: Any, return_indices: bool = False) -> Any:
    """Return the largest elements of cells that cover the last two dimensions.

    Args:
        input (Tensor): of shape (N, C, H, W) or (C, H, W).
        return_indices (bool): also give where, in the flattened H x W, the largest elements are.

    Returns:
        Tensor of shape (N, C, *output_size), or a tuple of it and its indices (int64).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.adaptive_max_pool2d(ms.Tensor([[[[1.0, 3.0], [2.0, 0.0]]]]), 1, True)[1])
        [[[[1]]]]
    """
    found = _max("adaptive_max_pool2d", 2, input, output_size)
    return with_indices(*found) if return_indices else found[0]


@op(static="output_size return_indices")
def adaptive_max_pool3d(input: Array, output_size: Any, return_indices: bool = False) -> Any:
    """Return the largest elements of cells that cover the last three dimensions.

    Args:
        input (Tensor): of shape (N, C, D, H, W) or (C, D, H, W).
        output_size (int, tuple): number of cells along D, H and W; None keeps the dimension as it is.
        return_indices (bool): also give where, in the flattened D x H x W, the largest elements are.

    Returns:
        Tensor of shape (N, C, *output_size), or a tuple of it and its indices (int32).

    Raises:
        ValueError: for shapes or sizes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.adaptive_max_pool3d(ms.ops.ones((1, 2, 4, 5, 6)), (2, None, 3)).shape
        (1, 2, 2, 5, 3)
    """
    found = _max("adaptive_max_pool3d", 3, input, output_size)
    return found if return_indices else found[0]


# ------------------------------------------------------------------------------------------------- and back


def _unpool(
    name: str, n: int, x: Array, indices: Array, kernel: Any, stride: Any, padding: Any, output_size: Any
) -> Array:
    checks.check_rank(name, n + 1, n + 2, x=x)
    checks.check_integer(name, indices=indices)
    checks.check_same_shape(name, x=x, indices=indices)
    kernel = checks.as_int_tuple(name, n, kernel_size=kernel)
    stride = kernel if stride is None or stride == 0 else checks.as_int_tuple(name, n, stride=stride)
    pads = checks.as_int_tuple(name, n, 0, padding=padding)
    size = [(d - 1) * s - 2 * p + k for d, s, p, k in zip(x.shape[-n:], stride, pads, kernel, strict=True)]
    if output_size:
        size = list(output_size)[-n:]
    lead = x.shape[:-n]
    rows = math.prod(lead)
    placed = _place_rows(x.reshape(rows, -1), indices.reshape(rows, -1), math.prod(size))
    return placed.reshape(*lead, *size)


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def _place_rows(rows: Array, places: Array, size: int) -> Array:
    flat = jnp.zeros((len(rows), size), rows.dtype)
    return flat.at[jnp.arange(len(rows))[:, None], places].set(rows)


@_place_rows.defjvp
def _change_placed(size: int, given: tuple[Array, Array], change: tuple[Array, Any]) -> tuple[Array, Array]:
    # The gradient of every element is that of its place, of those overwritten too.
    rows, places = given
    flat = jnp.zeros((len(rows), size), change[0].dtype)
    return _place_rows(*given, size), flat.at[jnp.arange(len(rows))[:, None], places].add(change[0])


@op(static="kernel_size stride padding output_size")
def max_unpool1d(
    x: Array, indices: Array, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Array:
    """Zeros, with the elements of a :func:`max_pool1d` at the places that it gave.

    Args:
        x (Tensor): of shape (N, C, L) or (C, L).
        indices (Tensor): integer places, of `x`'s shape.
        kernel_size (int): of the pooling.
        stride (int): of the pooling. Default: `kernel_size`.
        padding (int): of the pooling.
        output_size (tuple): shape of the result. Default: the least that the pooling can have had.

    Returns:
        Tensor of `x`'s dtype.

    Raises:
        ValueError: for shapes or settings that do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.max_unpool1d(ms.Tensor([[[3.0, 2.0]]]), ms.Tensor([[[1, 2]]]), 2))
        [[[0. 3. 2. 0.]]]
    """
    return _unpool("max_unpool1d", 1, x, indices, kernel_size, stride, padding, output_size)


@op(static="kernel_size stride padding output_size")
@documented_by(max_unpool1d)
def max_unpool2d(
    x: Array, indices: Array, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Array:
    """Zeros, with the elements of a :func:`max_pool2d` at the places that it gave.

    Args:
        x (Tensor): of shape (N, C, H, W) or (C, H, W).
        indices (Tensor): integer places in the flattened H' x W', of `x`'s shape.
        kernel_size (int, tuple): of the pooling.
        stride (int, tuple): of the pooling. Default: `kernel_size`.
        padding (int, tuple): of the pooling.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.max_unpool2d(ms.Tensor([[[[3.0]]]]), ms.Tensor([[[[1]]]]), 2))
        [[[[0. 3.]
           [0. 0.]]]]
    """
    return _unpool("max_unpool2d", 2, x, indices, kernel_size, stride, padding, output_size)


@op(static="kernel_size stride padding output_size")
@documented_by(max_unpool2d)
def max_unpool3d(
    x: Array, indices: Array, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Array:
    """Zeros, with the elements of a :func:`max_pool3d` at the places that it gave.

    Args:
        x (Tensor): of shape (N, C, D, H, W) or (C, D, H, W).
        indices (Tensor): integer places in the flattened D' x H' x W', of `x`'s shape.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.max_unpool3d(ms.Tensor([[[[[3.0]]]]]), ms.Tensor([[[[[1]]]]]), 2).shape
        (1, 1, 2, 2, 2)
    """
    return _unpool("max_unpool3d", 3, x, indices, kernel_size, stride, padding, output_size)
