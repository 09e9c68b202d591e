"""Embedding lookup, one-hot encoding."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayOrNumber
from msjax.core.op.op import op
from msjax.core.op.scalar_promotion import constant
from msjax.core.tensor.tensor import Tensor
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.index_parsing import along

_NUMBERS = frozenset({int, float})


@op(static="padding_idx scale_grad_by_freq", bounds=along("input", 0, 1, axis=0, asks="embedding"))
def rows(
    input: Array, weight: Array, padding_idx: int | None = None, scale_grad_by_freq: bool = False
) -> Array:
    """Return the rows of `weight` that `input` names; the pure part of `embedding`.

    Args:
        input (Tensor): row numbers, integer, of any shape.
        weight (Tensor): the table, of shape (rows, size).
        padding_idx (int): a row that gets no gradient.
        scale_grad_by_freq (bool): divide the gradient of a row by how often it occurs in `input`.

    Returns:
        Tensor of shape (*input.shape, size). Negative numbers count from the end. Others outside raise eagerly on CPU,
        and give nan elsewhere.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.embeddings import rows
        >>> print(rows(ms.Tensor([1]), ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[3. 4.]]
    """
    name = "embedding"
    checks.check_integer(name, input=input)
    checks.check_rank(name, 2, weight=weight)
    checks.check_bools(name, scale_grad_by_freq=scale_grad_by_freq)
    taken = jnp.take(weight, input, axis=0, mode="fill")
    if padding_idx is not None:
        blank = checks.normalize_axis(name, weight.shape[0], padding_idx=padding_idx)
        taken = jnp.where((input == blank)[..., None], lax.stop_gradient(taken), taken)
    if scale_grad_by_freq:
        often = jnp.zeros(weight.shape[0], taken.dtype).at[input].add(1)[input][..., None]
        fixed = lax.stop_gradient(taken)
        taken = fixed + (taken - fixed) / jnp.maximum(often, 1)
    return taken


@jax.custom_jvp
def _in_place_of(weight: Array, changed: Array) -> Array:
    """`changed`, which takes `weight`'s gradient as it is: scaling rows is no part of the function."""
    return changed


@_in_place_of.defjvp
def _(primals: tuple, tangents: tuple) -> tuple[Array, Array]:
    return _in_place_of(*primals), tangents[0]


@op(static="max_norm norm_type")
def renorm_rows(input: Array, weight: Array, max_norm: float, norm_type: float = 2.0) -> Array:
    """`weight` with those rows that `input` names scaled down to a length of at most `max_norm`.

    Args:
        input (Tensor): row numbers, integer.
        weight (Tensor): the table, of shape (rows, size).
        max_norm (float): greatest length.
        norm_type (float): order of the norm.

    Returns:
        Tensor of `weight`'s shape. Its gradient is `weight`'s: rows are scaled as if before the function.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.embeddings import renorm_rows
        >>> print(renorm_rows(ms.Tensor([0]), ms.Tensor([[6.0, 8.0], [6.0, 8.0]]), 5.0))
        [[3. 4.]
         [6. 8.]]
    """
    checks.check_numbers("embedding", max_norm=max_norm, norm_type=norm_type)
    length = jnp.linalg.norm(weight, ord=norm_type, axis=1, keepdims=True)
    named = jnp.zeros(weight.shape[0], bool).at[input.reshape(-1)].set(True)[:, None]
    scaled = jnp.where(named & (length > max_norm), weight * (max_norm / (length + 1e-7)), weight)
    return _in_place_of(weight, scaled)


@documented_by(rows)
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
) -> Tensor:
    """Return the rows of a table that `input` names.

    Args:
        padding_idx (int): a row that gets no gradient; negative numbers count from the end.
        max_norm (float): first scale the named rows down, in `weight` itself, to at most this length.
        norm_type (float): order of the norm for `max_norm`.
        scale_grad_by_freq (bool): divide the gradient of a row by how often it occurs in `input`.

    Returns:
        Tensor of shape (*input.shape, size). Negative numbers count from the end. Others outside raise eagerly on CPU,
        and give nan elsewhere.

    Raises:
        TypeError: if `input` is not integer.
        ValueError: if `weight` does not have 2 dimensions, or `padding_idx` is not one of its rows.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.embedding(ms.Tensor([[1], [0]]), ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[[3. 4.]]
         [[1. 2.]]]
    """
    if max_norm is not None:
        weight.assign_value(renorm_rows(input, weight, max_norm, norm_type))
    return rows(input, weight, padding_idx, scale_grad_by_freq)


@op(static="offset")
def embedding_lookup(input_params: Array, input_indices: Array, offset: int = 0) -> Array:
    """Return the rows `input_indices - offset` of a table, zeros for numbers outside it.

    Args:
        input_params (Tensor): the table, of shape (rows, ...): a part, from row `offset` on, of a larger one.
        input_indices (Tensor): row numbers, integer, of any shape.
        offset (int): what is subtracted from the numbers.

    Returns:
        Tensor of shape (*input_indices.shape, ...).

    Raises:
        TypeError: if `input_indices` is not integer or `offset` not an int.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.embeddings import embedding_lookup
        >>> print(embedding_lookup(ms.Tensor([[1.0], [2.0]]), ms.Tensor([5, 7]), 4))
        [[2.]
         [0.]]
    """
    checks.check_integer("embedding_lookup", input_indices=input_indices)
    checks.check_ints("embedding_lookup", offset=offset)
    at = input_indices - jnp.asarray(offset, input_indices.dtype)
    inside = (at >= 0) & (at < input_params.shape[0])
    taken = jnp.take(input_params, jnp.where(inside, at, 0), axis=0)
    return jnp.where(
        inside.reshape(*inside.shape, *[1] * (input_params.ndim - 1)), taken, jnp.zeros((), taken.dtype)
    )


@op(static="depth axis")
def one_hot_array(
    indices: Array, depth: int, on_value: ArrayOrNumber, off_value: ArrayOrNumber, axis: int = -1
) -> Array:
    """Return the pure part of `one_hot`.

    Args:
        indices (Tensor): integer, of any shape.
        depth (int): size of the new dimension.
        on_value (Tensor, number): a scalar.
        off_value (Tensor, number): a scalar of `on_value`'s dtype.
        axis (int): where the new dimension stands.

    Returns:
        Tensor of `on_value`'s dtype.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.embeddings import one_hot_array
        >>> print(one_hot_array(ms.Tensor([1]), 2, ms.Tensor(1.0), ms.Tensor(0.0)))
        [[0. 1.]]
    """
    name = "one_hot"
    checks.check_integer(name, indices=indices)
    checks.check_ints(name, depth=depth, axis=axis)
    if depth < 0:
        checks.fail(ValueError, name, "depth", "be at least 0", depth)
    if not -1 <= axis <= indices.ndim:
        checks.fail(ValueError, name, "axis", f"be in [-1, {indices.ndim}]", axis)
    checks.check_same_dtype(name, on_value=on_value, off_value=off_value)
    place = axis if axis >= 0 else indices.ndim
    row = jnp.arange(depth, dtype=indices.dtype).reshape(-1, *[1] * (indices.ndim - place))
    hit = jnp.expand_dims(indices, place) == row
    return jnp.where(hit, lax.stop_gradient(on_value), lax.stop_gradient(off_value))


@op(static="depth on_value off_value axis")
@documented_by(one_hot_array)
def marked_by_numbers(
    indices: Array, depth: int, on_value: complex = 1, off_value: complex = 0, axis: int = -1
) -> Array:
    """`one_hot_array` with Python's numbers for values, which the program then holds.

    Args:
        on_value (number): gives the dtype of the result.
        off_value (number): of `on_value`'s dtype.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.nn.embeddings import marked_by_numbers
        >>> print(marked_by_numbers(ms.Tensor([1]), 2))
        [[0 1]]
    """
    on, off = (jnp.asarray(v, dtypes.scalar(v)) for v in (on_value, off_value))
    return one_hot_array.pure(indices, depth, on, off, axis)


def one_hot(indices: Tensor, depth: int, on_value: Any = 1, off_value: Any = 0, axis: int = -1) -> Tensor:
    """Vectors that hold `on_value` at the numbered place and `off_value` elsewhere.

    Args:
        indices (Tensor): integer, of any shape. Numbers outside [0, depth) give `off_value` alone.
        depth (int): size of the new dimension.
        on_value (Tensor, int, float): a scalar; gives the dtype of the result (int64 for an int, float32 for a float).
        off_value (Tensor, int, float): a scalar of `on_value`'s dtype.
        axis (int): where the new dimension stands; -1 is last.

    Returns:
        Tensor with one dimension more than `indices`.

    Raises:
        TypeError: if `indices` is not integer, `depth` or `axis` not an int, or the values differ in dtype.
        ValueError: if `depth` is negative, or `axis` not in [-1, number of dimensions].

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.one_hot(ms.Tensor([1, 0]), 2, 1.0, 0.0))
        [[0. 1.]
         [1. 0.]]
    """
    if type(on_value) in _NUMBERS and type(off_value) in _NUMBERS:
        return marked_by_numbers(indices, depth, on_value, off_value, axis)
    on, off = (v if isinstance(v, Tensor) else constant(v, dtypes.scalar(v)) for v in (on_value, off_value))
    return one_hot_array(indices, depth, on, off, axis)
