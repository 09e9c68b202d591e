"""Concatenation, stacking, splitting and repetition of arrays: concat, stack, split, chunk, unbind, repeat.

The parts that `split`, `chunk`, `tensor_split` and `unbind` give are views of the array that they were taken from.
"""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core.op.op import op
from msjax.core.tensor import view_strides
from msjax.core.tensor.view_strides import Geometry
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, check_same_shape_except, promote


def _several(op_name: str, tensors: Any) -> list[Array]:
    if not isinstance(tensors, list | tuple):
        received = (
            f"one Tensor of shape {tensors.shape}"
            if isinstance(tensors, Array)
            else f"a {type(tensors).__name__}"
        )
        checks.fail(TypeError, op_name, "tensors", "be a tuple or list of Tensors", received)
    if not tensors:
        checks.fail(ValueError, op_name, "tensors", "hold at least one Tensor", tensors)
    return promote(op_name, **{f"tensors[{i}]": x for i, x in enumerate(tensors)})


@op(static="axis")
def concat(tensors: Sequence[Array], axis: int = 0) -> Array:
    """Join arrays along an axis that they have.

    Args:
        tensors (tuple[Tensor], list[Tensor]): of one rank, and of one shape but for `axis`. Dtypes are promoted as in
            arithmetic.
        axis (int): axis to join along.

    Returns:
        Tensor.

    Raises:
        TypeError: if `tensors` is not a sequence.
        ValueError: if it is empty, shapes do not fit, or the axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1, 2]])
        >>> print(ms.ops.concat((x, x), 1))
        [[1 2 1 2]]
    """
    given = _several("concat", tensors)
    one = checks.normalize_axis("concat", given[0].ndim, axis=axis)
    check_same_shape_except("concat", "tensors", given, one)
    return jnp.concatenate(given, one)


@op(static="axis")
def stack(tensors: Sequence[Array], axis: int = 0) -> Array:
    """Join arrays along a new axis.

    Args:
        tensors (tuple[Tensor], list[Tensor]): of one shape and dtype.
        axis (int): where the new axis stands in the result.

    Returns:
        Tensor of one more dimension.

    Raises:
        TypeError: if `tensors` is not a sequence, or dtypes differ.
        ValueError: if it is empty, shapes differ, or the axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.stack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))))
        [[1 2]
         [3 4]]
    """
    if isinstance(tensors, list | tuple) and len({x.dtype for x in tensors if hasattr(x, "dtype")}) > 1:
        found = [str(x.dtype) for x in tensors if hasattr(x, "dtype")]
        checks.fail(
            TypeError, "stack", "tensors", "be of one dtype; use `astype`", f"arrays of dtypes {found}"
        )
    given = _several("stack", tensors)
    check_same_shape_except("stack", "tensors", given, None)
    return jnp.stack(given, checks.normalize_axis("stack", given[0].ndim + 1, axis=axis))


@op
def hstack(tensors: Sequence[Array]) -> Array:
    """Join arrays along the second axis, those of one dimension along the first.

    Args:
        tensors (tuple[Tensor], list[Tensor]): at least one.

    Returns:
        Tensor.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.hstack((ms.Tensor([1, 2]), ms.Tensor([3]))))
        [1 2 3]
    """
    given = [jnp.atleast_1d(x) for x in _several("hstack", tensors)]
    axis = 0 if given[0].ndim == 1 else 1
    check_same_shape_except("hstack", "tensors", given, axis)
    return jnp.concatenate(given, axis)


@op
def vstack(inputs: Sequence[Array]) -> Array:
    """Join arrays along the first axis; those of one dimension count as one row.

    Args:
        inputs (tuple[Tensor], list[Tensor]): at least one.

    Returns:
        Tensor of at least two dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.vstack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))))
        [[1 2]
         [3 4]]
    """
    given = [jnp.atleast_2d(x) for x in _several("vstack", inputs)]
    check_same_shape_except("vstack", "inputs", given, 0)
    return jnp.concatenate(given, 0)


# ---------------------------------------------------------------------- apart


def _split_at(x: Array, ends: Sequence[int], axis: int) -> tuple[Array, ...]:
    starts = [0, *ends[:-1]]
    return tuple(lax.slice_in_dim(x, a, max(a, b), axis=axis) for a, b in zip(starts, ends, strict=True))


def _part_back(base: Array, changed: Array, ends: Sequence[int], axis: int, output: int) -> Array:
    return lax.dynamic_update_slice_in_dim(base, changed, ends[output - 1] if output else 0, axis)


def _part_geometry(base: Geometry, ends: Sequence[int], axis: int, output: int) -> Geometry:
    sizes = [max(end - start, 0) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    return view_strides.split(base, sizes, axis)[output]


def _split_ends(x: Array | Geometry, sections: Any, axis: int) -> tuple[int, list[int]]:
    one = checks.normalize_axis("split", x.ndim, axis=axis)
    length = x.shape[one]
    name = "split_size_or_sections"
    if type(sections) is int:
        if sections <= 0:
            checks.fail(ValueError, "split", name, "be more than 0", sections)
        return one, [min(end, length) for end in range(sections, length + sections, sections)] or [0]
    if not isinstance(sections, tuple | list) or not all(type(n) is int for n in sections):
        checks.fail(
            TypeError,
            "split",
            name,
            "be an int or a tuple of ints",
            f"{sections!r} ({type(sections).__name__})",
        )
    if any(n < 0 for n in sections) or sum(sections) != length:
        checks.fail(
            ValueError,
            "split",
            name,
            f"hold numbers from 0 up whose sum is {length}, the axis' size",
            sections,
        )
    return one, np.cumsum(sections, dtype=int).tolist()


def _split_back(base: Array, changed: Array, *, split_size_or_sections: Any, axis: int, output: int) -> Array:
    one, ends = _split_ends(base, split_size_or_sections, axis)
    return _part_back(base, changed, ends, one, output)


def _split_geometry(base: Geometry, *, split_size_or_sections: Any, axis: int, output: int) -> Geometry:
    one, ends = _split_ends(base, split_size_or_sections, axis)
    return _part_geometry(base, ends, one, output)


@op(static="split_size_or_sections axis", view=_split_back, geometry=_split_geometry)
def split(tensor: Array, split_size_or_sections: Any, axis: int = 0) -> tuple[Array, ...]:
    """Parts of given sizes along an axis.

    Args:
        tensor (Tensor): of any shape and dtype.
        split_size_or_sections (int, tuple[int], list[int]): size of every part but the last, which takes what is left; or
            the size of each.
        axis (int): axis to split.

    Returns:
        Tuple of Tensors, views.

    Raises:
        TypeError: if the sizes are not ints.
        ValueError: if they do not fill the axis, or the axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.split(ms.Tensor([1, 2, 3, 4, 5]), 2))
        [1 2] [3 4] [5]
    """
    x = as_array("split", "tensor", tensor)
    one, ends = _split_ends(x, split_size_or_sections, axis)
    return _split_at(x, ends, one)


def _chunk_ends(x: Array | Geometry, chunks: Any, axis: int) -> tuple[int, list[int]]:
    one = checks.normalize_axis("chunk", x.ndim, axis=axis)
    checks.check_ints("chunk", chunks=chunks)
    if chunks <= 0:
        checks.fail(ValueError, "chunk", "chunks", "be more than 0", chunks)
    length = x.shape[one]
    size = max(-(-length // chunks), 1)
    return one, [min(end, length) for end in range(size, length + size, size)] or [0]


def _chunk_back(base: Array, changed: Array, *, chunks: int, axis: int, output: int) -> Array:
    one, ends = _chunk_ends(base, chunks, axis)
    return _part_back(base, changed, ends, one, output)


def _chunk_geometry(base: Geometry, *, chunks: int, axis: int, output: int) -> Geometry:
    one, ends = _chunk_ends(base, chunks, axis)
    return _part_geometry(base, ends, one, output)


@op(static="chunks axis", view=_chunk_back, geometry=_chunk_geometry)
def chunk(input: Array, chunks: int, axis: int = 0) -> tuple[Array, ...]:
    """Split an array into at most `chunks` parts along an axis, equal but for the last.

    Args:
        input (Tensor): of any shape and dtype.
        chunks (int): how many.
        axis (int): axis to split.

    Returns:
        Tuple of Tensors, views.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.chunk(ms.Tensor([1, 2, 3, 4, 5, 6, 7]), 3))
        [1 2 3] [4 5 6] [7]
    """
    x = as_array("chunk", "input", input)
    one, ends = _chunk_ends(x, chunks, axis)
    return _split_at(x, ends, one)


def _tensor_split_ends(x: Array, where: Any, axis: int) -> tuple[int, list[int]]:
    one = checks.normalize_axis("tensor_split", x.ndim, axis=axis)
    length = x.shape[one]
    if type(where) is int:
        if where <= 0:
            checks.fail(ValueError, "tensor_split", "indices_or_sections", "be more than 0", where)
        size, more = divmod(length, where)
        return one, np.cumsum([size + (i < more) for i in range(where)], dtype=int).tolist()
    if not isinstance(where, tuple | list) or not all(type(i) is int for i in where):
        checks.fail(
            TypeError, "tensor_split", "indices_or_sections", "be an int or a tuple of ints", repr(where)
        )
    ends = [min(max(i + length if i < 0 else i, 0), length) for i in where]
    return one, [*ends, length]


def _tensor_split_back(
    base: Array, changed: Array, *, indices_or_sections: Any, axis: int, output: int
) -> Array:
    one, ends = _tensor_split_ends(base, indices_or_sections, axis)
    return _part_back(base, changed, ends, one, output)


@op(static="indices_or_sections axis", view=_tensor_split_back)
@documented_by(chunk)
def tensor_split(input: Array, indices_or_sections: Any, axis: int = 0) -> tuple[Array, ...]:
    """Split an array along an axis into nearly equal parts, or at given positions.

    Args:
        indices_or_sections (int, tuple[int], list[int]): how many, or where to cut.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.tensor_split(ms.Tensor([1, 2, 3, 4, 5, 6, 7]), 3))
        [1 2 3] [4 5] [6 7]
    """
    x = as_array("tensor_split", "input", input)
    one, ends = _tensor_split_ends(x, indices_or_sections, axis)
    return _split_at(x, ends, one)


def _unbound_back(base: Array, changed: Array, *, dim: int, output: int) -> Array:
    return lax.dynamic_update_index_in_dim(base, changed, output, dim % base.ndim)


@op(static="dim", view=_unbound_back)
def unbind(input: Array, dim: int = 0) -> tuple[Array, ...]:
    """Return the slices along an axis, without it.

    Args:
        input (Tensor): of at least one dimension.
        dim (int): axis to take apart.

    Returns:
        Tuple of Tensors of one dimension less, views.

    Raises:
        ValueError: if the axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.unbind(ms.Tensor([[1, 2], [3, 4]])))
        [1 2] [3 4]
    """
    x = as_array("unbind", "input", input)
    one = checks.normalize_axis("unbind", x.ndim, dim=dim)
    return tuple(lax.index_in_dim(x, i, one, keepdims=False) for i in range(x.shape[one]))


# ---------------------------------------------------------------------- repeated


@op(static="repeats axis")
def repeat_interleave(input: Array, repeats: Any, axis: int | None = None) -> Array:
    """Repeat each element along an axis.

    Args:
        input (Tensor): of any shape and dtype.
        repeats (int, tuple[int], list[int], Tensor): how often; a Tensor must be known when the program is made.
        axis (int, None): axis to repeat along. Default: in the flattened array.

    Returns:
        Tensor.

    Raises:
        ValueError: if a number is negative, or there are not as many numbers as elements.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.repeat_interleave(ms.Tensor([1, 2]), (1, 3)))
        [1 2 2 2]
    """
    x = as_array("repeat_interleave", "input", input)
    x, one = (
        (x.reshape(-1), 0)
        if axis is None
        else (x, checks.normalize_axis("repeat_interleave", x.ndim, axis=axis))
    )
    times = (repeats,) if isinstance(repeats, int) else repeats
    if not isinstance(times, tuple | list) or not all(type(n) is int for n in times):
        checks.fail(TypeError, "repeat_interleave", "repeats", "be an int or a tuple of ints", repr(repeats))
    if any(n < 0 for n in times) or len(times) not in (1, x.shape[one]):
        rule = f"be one number from 0 up, or {x.shape[one]} of them"
        checks.fail(ValueError, "repeat_interleave", "repeats", rule, repeats)
    total = x.shape[one] * times[0] if len(times) == 1 else sum(times)
    return jnp.repeat(x, np.asarray(times), one, total_repeat_length=total)
