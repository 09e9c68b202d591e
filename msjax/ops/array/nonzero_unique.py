"""Operators with data-dependent output shapes: nonzero, unique, masked_select, bincount.

They look at values, so they run eagerly only: inside a compiled or transformed function they raise, with the way out.
What they pick is still differentiable, because picking itself is an operator.
"""

from typing import Any

import jax
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.ops.array.indexing import taken
from msjax.ops.array.shapes import reshape
from msjax.ops.common import checks


def _values(op_name: str, x: Any, name: str = "input") -> np.ndarray:
    """Return the values of a Tensor, where they are known."""
    if not isinstance(x, Tensor):
        checks.fail(TypeError, op_name, name, "be a Tensor", f"{x!r} ({type(x).__name__})")
    return np.asarray(concrete(x, op_name))


def _as_tensor(found: np.ndarray, kind: dtypes.DType = dtypes.int64) -> Tensor:
    return Tensor.from_array(jax.numpy.asarray(found.astype(dtypes.as_np(kind))))


def _with_axis(x: Tensor) -> Tensor:
    """Return a Tensor without axes as one with one axis."""
    return x if x.ndim else reshape(x, (1,))


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Positions of all elements that are not zero, in order.

    Args:
        input (Tensor): of any dtype and at least one dimension.
        as_tuple (bool): one Tensor per axis instead of one for all.

    Returns:
        Tensor of shape (number of elements found, number of axes), int64; or a tuple of Tensors.

    Raises:
        RuntimeError: inside a compiled or transformed function, where values are not known.
        ValueError: if `input` has no dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.nonzero(ms.Tensor([[0, 1], [2, 0]])))
        [[0 1]
         [1 0]]
    """
    checks.check_bools("nonzero", as_tuple=as_tuple)
    return _find_nonzero("nonzero", input, as_tuple)


def _find_nonzero(op_name: str, input: Tensor, as_tuple: bool) -> Any:
    values = _values(op_name, input)
    if values.ndim == 0:
        checks.fail(ValueError, op_name, "input", "have at least one dimension", "array of shape ()")
    found = np.nonzero(values)
    return tuple(map(_as_tensor, found)) if as_tuple else _as_tensor(np.stack(found, 1))


def argwhere(input: Tensor) -> Tensor:
    """Positions of all elements that are not zero (see `nonzero`).

    Args:
        input (Tensor): of any dtype and at least one dimension.

    Returns:
        Tensor of shape (number of elements found, number of axes), int64.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.argwhere(ms.Tensor([0, 1, 1])))
        [[1]
         [2]]
    """
    return _find_nonzero("argwhere", input, False)


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """Return the elements where a mask is true, in order.

    Args:
        input (Tensor): of any shape and dtype.
        mask (Tensor): bool, of a shape that broadcasts with `input`.

    Returns:
        Tensor of one dimension and `input`'s dtype.

    Raises:
        RuntimeError: inside a compiled or transformed function, where values are not known. Use `where` instead.
        TypeError: if the mask is not bool.
        ValueError: if the shapes do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([1.0, -2.0, 3.0])
        >>> print(ms.ops.masked_select(x, x > 0))
        [1. 3.]
    """
    if not isinstance(input, Tensor):
        checks.fail(TypeError, "masked_select", "input", "be a Tensor", f"{input!r} ({type(input).__name__})")
    values = _values("masked_select", mask, "mask")
    if values.dtype != bool:
        checks.fail(TypeError, "masked_select", "mask", "be of dtype bool", f"array of dtype {values.dtype}")
    try:
        shape = np.broadcast_shapes(values.shape, input.shape)
    except ValueError:
        rule = f"have a shape that broadcasts with `input` of shape {input.shape}"
        checks.fail(ValueError, "masked_select", "mask", rule, f"array of shape {values.shape}")
    input = _with_axis(input)
    found = np.nonzero(np.broadcast_to(values, shape or (1,)))
    behind = found[len(found) - input.ndim :]
    places = [p if n != 1 else np.zeros_like(p) for p, n in zip(behind, input.shape, strict=True)]
    return taken(input, places, (0,) * len(places))


def unique(input: Tensor) -> tuple[Tensor, Tensor]:
    """Return the different elements, in the order in which they first occur, and for each element which of them it is.

    Args:
        input (Tensor): of any shape and dtype.

    Returns:
        Tensor of one dimension, and Tensor of `input`'s shape: int64 for int64 `input`, int32 for others, as in MindSpore.

    Raises:
        RuntimeError: inside a compiled or transformed function, where values are not known.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.unique(ms.Tensor([3, 1, 3, 2])))
        [3 1 2] [0 1 0 2]
    """
    values = _values("unique", input)
    _, first, inverse = np.unique(values.reshape(-1), return_index=True, return_inverse=True, equal_nan=False)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    kind = dtypes.int64 if values.dtype == np.int64 else dtypes.int32
    picked = np.unravel_index(first[order], values.shape or (1,))
    different = taken(_with_axis(input), list(picked), (0,) * len(picked))
    return different, _as_tensor(rank[inverse.reshape(-1)].reshape(values.shape), kind)


def unique_sorted(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return the different elements, or slices along an axis, in ascending order: `Tensor.unique`.

    Args:
        input (Tensor): of any shape and dtype.
        sorted (bool): accepted; the result is always sorted.
        return_inverse (bool): also for each element which of them it is.
        return_counts (bool): also how often each occurs.
        dim (int, None): axis whose slices are compared. Default: all elements.

    Returns:
        Tensor, or a tuple of up to three.

    Examples:
        >>> import msjax as ms
        >>> print(ms.Tensor([3, 1, 3, 2]).unique())
        [1 2 3]
    """
    values = _values("unique", input)
    checks.check_bools("unique", sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)
    found = np.unique(values, return_inverse=True, return_counts=True, axis=dim, equal_nan=False)
    inverse = found[1].reshape(values.shape if dim is None else -1)
    wanted = [Tensor(found[0])]
    wanted += [_as_tensor(inverse)] if return_inverse else []
    wanted += [_as_tensor(found[2])] if return_counts else []
    return wanted[0] if len(wanted) == 1 else tuple(wanted)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the elements without those that equal the one before them.

    Args:
        input (Tensor): of any shape and dtype.
        return_inverse (bool): also for each element which of the result it is.
        return_counts (bool): also how many stood together.
        dim (int, None): axis whose slices are compared. Default: the flattened array.

    Returns:
        Tensor, or a tuple of up to three.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.unique_consecutive(ms.Tensor([1, 1, 2, 1])))
        [1 2 1]
    """
    checks.check_bools("unique_consecutive", return_inverse=return_inverse, return_counts=return_counts)
    values = _values("unique_consecutive", input)
    axis = 0 if dim is None else checks.normalize_axis("unique_consecutive", values.ndim, dim=dim)
    rows = values.reshape(-1) if dim is None else np.moveaxis(values, axis, 0)
    flat = rows.reshape(len(rows), -1 if rows.size else 0)
    starts = np.ones(len(rows), bool)
    starts[1:] = (flat[1:] != flat[:-1]).any(1)
    group = np.cumsum(starts) - 1
    kept = rows[starts] if dim is None else np.moveaxis(rows[starts], 0, axis)
    wanted = [Tensor(kept)]
    wanted += [_as_tensor(group.reshape(values.shape) if dim is None else group)] if return_inverse else []
    wanted += [_as_tensor(np.bincount(group))] if return_counts else []
    return wanted[0] if len(wanted) == 1 else tuple(wanted)


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Count how often each number from 0 up occurs, or sum the weights that belong to it.

    Args:
        input (Tensor): of one dimension, from 0 up; fractions are cut off.
        weights (Tensor, None): of `input`'s shape.
        minlength (int): least length of the result.

    Returns:
        Tensor of one dimension, float32 as in MindSpore. Weights have a derivative; negative numbers do not count.

    Raises:
        RuntimeError: inside a compiled or transformed function, where values are not known.
        TypeError: if an argument is of another type.
        ValueError: if `input` has another number of dimensions, `weights` another shape, or `minlength` is negative.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.bincount(ms.Tensor([0, 1, 1, 3])))
        [1. 2. 0. 1.]
    """
    return count_numbers("bincount", input, weights, minlength, dtypes.float32)


def count_numbers(name: str, input: Any, weights: Any, minlength: Any, kind: Any) -> Tensor:
    """Count the numbers from 0 up, or sum their weights, in the given dtype (see `bincount`)."""
    values: Any = _values(name, input)  # complex numbers count by their real parts
    if not isinstance(weights, Tensor | None):
        checks.fail(TypeError, name, "weights", "be a Tensor", type(weights).__name__)
    checks.check_ints(name, minlength=minlength)
    if minlength < 0:
        checks.fail(ValueError, name, "minlength", "be at least 0", minlength)
    if values.ndim != 1:
        checks.fail(ValueError, name, "input", "have 1 dimension", f"array of shape {values.shape}")
    whole = values.real.astype(np.int64)
    there = whole >= 0
    if weights is None:
        return Tensor(np.bincount(whole[there], None, minlength).astype(dtypes.as_np(kind)))
    if tuple(weights.shape) != values.shape:
        checks.fail(ValueError, name, "weights", f"have shape {values.shape}", tuple(weights.shape))
    length = max(int(whole[there].max(initial=-1)) + 1, minlength)
    return _sum_weights(weights, np.where(there, whole, length), length, kind)


@op
def _in_one_dimension(x: ArrayLike) -> Array:
    return x.reshape(-1)


@op(static="length kind")
def _sum_weights(weights: ArrayLike, places: ArrayLike, length: int, kind: Any) -> Array:
    """Weights, added up where they belong."""
    real = weights.real if jax.numpy.iscomplexobj(weights) else weights
    total = jax.numpy.zeros(length, dtypes.as_np(kind))
    return total.at[places].add(real.astype(total.dtype), mode="drop")
