"""Joining, splitting and repetition of arrays: concatenate, stack, split, tile, repeat."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.argument_types import ArrayLike
from msjax.core.tensor.tensor import Tensor
from msjax.numpy.array_function import as_tensor, define_function, stack_promoted
from msjax.numpy.shapes import atleast_1d, atleast_2d, atleast_3d, moveaxis
from msjax.ops.array import joining as ops
from msjax.ops.array import shapes
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by


def _several(fn: str, name: str, arrays: Any) -> list[Tensor]:
    if isinstance(arrays, Tensor):
        if not arrays.ndim:
            checks.fail(TypeError, fn, name, "be several arrays", "a Tensor of shape ()")
        return list(ops.unbind(arrays))
    if not isinstance(arrays, tuple | list):
        checks.fail(
            TypeError, fn, name, "be a tuple, list or Tensor", f"{arrays!r} ({type(arrays).__name__})"
        )
    if not arrays:
        checks.fail(ValueError, fn, name, "hold at least one array", arrays)
    return [as_tensor(fn, name, x) for x in arrays]


def concatenate(arrays: Any, axis: int | None = 0) -> Tensor:
    """Arrays one after the other along an axis that they have.

    Args:
        arrays (tuple, list, Tensor): the arrays; a Tensor as it is.
        axis (int, None): which axis; None joins the flattened arrays.

    Returns:
        Tensor.

    Raises:
        TypeError: if `arrays` is none of these or `axis` not an int.
        ValueError: if shapes differ elsewhere, or `axis` is out of range.

    Examples:
        >>> import msjax as ms
        >>> x = ms.numpy.ones((1, 2))
        >>> print(ms.numpy.concatenate((x, x)))
        [[1. 1.]
         [1. 1.]]
    """
    if isinstance(arrays, Tensor):
        return (
            shapes.ravel(arrays)
            if axis is None or arrays.ndim < 2
            else ops.concat(list(ops.unbind(arrays)), axis)
        )
    given = _several("concatenate", "arrays", arrays)
    return ops.concat([shapes.ravel(x) for x in given] if axis is None else given, axis or 0)


def append(arr: Any, values: Any, axis: int | None = None) -> Tensor:
    """Return an array with another one after it.

    Args:
        arr (Tensor): the one.
        values (Tensor): the other.
        axis (int, None): along which axis. Default: None, both flattened.

    Returns:
        Tensor.

    Raises:
        TypeError: if an argument is not an array.
        ValueError: if shapes differ elsewhere, or `axis` is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.append(ms.Tensor([1, 2]), ms.Tensor([3])))
        [1 2 3]
    """
    return concatenate([as_tensor("append", "arr", arr), as_tensor("append", "values", values)], axis)


def stack(arrays: Any, axis: int = 0) -> Tensor:
    """Arrays of one shape, joined along a new axis.

    Args:
        arrays (tuple, list, Tensor): the arrays.
        axis (int): where the new axis is in the result.

    Returns:
        Tensor.

    Raises:
        TypeError: if `arrays` is none of these or `axis` not an int.
        ValueError: if shapes differ, or `axis` is out of range.

    Examples:
        >>> import msjax as ms
        >>> x = ms.numpy.ones(2)
        >>> print(ms.numpy.stack((x, x)))
        [[1. 1.]
         [1. 1.]]
    """
    if isinstance(arrays, Tensor) and axis == 0:
        return arrays
    parts = _several("stack", "arrays", arrays)
    checks.check_same_shape("stack", **{f"arrays[{i}]": x.array for i, x in enumerate(parts)})
    given = stack_promoted(parts)
    return moveaxis(given, 0, checks.normalize_axis("stack", given.ndim, axis=axis))


def vstack(tup: Any) -> Tensor:
    """Arrays one below the other; vectors are rows.

    Args:
        tup (tuple, list, Tensor): the arrays; a Tensor alone is given back as it is.

    Returns:
        Tensor of at least two dimensions.

    Raises:
        TypeError: if `tup` is none of these.
        ValueError: if shapes differ elsewhere.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.vstack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))))
        [[1 2]
         [3 4]]
    """
    if isinstance(tup, Tensor):
        return tup
    return ops.concat([atleast_2d(x) for x in _several("vstack", "tup", tup)], 0)


@documented_by(vstack)
def hstack(tup: Any) -> Tensor:
    """Arrays one beside the other, along the second axis; vectors along their only one.

    Args:
        tup (tuple, list, Tensor): the arrays.

    Returns:
        Tensor.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.hstack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))))
        [1 2 3 4]
    """
    if isinstance(tup, Tensor):
        return tup
    given = [atleast_1d(x) for x in _several("hstack", "tup", tup)]
    return ops.concat(given, 0 if given[0].ndim == 1 else 1)


@documented_by(vstack)
def dstack(tup: Any) -> Tensor:
    """Arrays one behind the other, along the third axis (see `atleast_3d`).

    Returns:
        Tensor of at least three dimensions.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.dstack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))).shape
        (1, 2, 2)
    """
    if isinstance(tup, Tensor):
        return tup
    return ops.concat([atleast_3d(x) for x in _several("dstack", "tup", tup)], 2)


def column_stack(tup: Any) -> Tensor:
    """Vectors as columns of a matrix; matrices one beside the other.

    Args:
        tup (tuple, list, Tensor): the arrays, of one or two dimensions; a Tensor alone is given back as it is.

    Returns:
        Tensor of two dimensions.

    Raises:
        TypeError: if `tup` is none of these.
        ValueError: if the numbers of rows differ.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.column_stack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))))
        [[1 3]
         [2 4]]
    """
    if isinstance(tup, Tensor):
        return tup
    given = _several("column_stack", "tup", tup)
    return ops.concat([x if x.ndim > 1 else shapes.reshape(x, (-1, 1)) for x in given], 1)


def _split_at(fn: str, x: Any, where: Any, axis: int, equal: bool) -> Any:
    x = as_tensor(fn, "x", x)
    at = checks.normalize_axis(fn, x.ndim, axis=axis)
    if isinstance(where, tuple | list):
        return list(ops.tensor_split(x, tuple(where), at))
    if isinstance(where, bool) or not isinstance(where, int):
        checks.fail(
            TypeError, fn, "indices_or_sections", "be an int, or a tuple or list of ints", repr(where)
        )
    if where < 1 or where > x.shape[at] or (equal and x.shape[at] % where):
        rule = (
            f"{'divide' if equal else 'be in [1, '}{' ' if equal else ''}{x.shape[at]}{'' if equal else ']'}"
        )
        checks.fail(ValueError, fn, "indices_or_sections", rule, where)
    return tuple(ops.tensor_split(x, where, at))


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Parts along an axis: so many of one size, or cut at given places.

    Args:
        x (Tensor): of any shape.
        indices_or_sections (int, tuple[int], list[int]): how many, or where to cut.
        axis (int): along which axis.

    Returns:
        Tuple of Tensors, or a list if the places were given.

    Raises:
        TypeError: if an argument is none of these.
        ValueError: if the parts would not have one size, or `axis` is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.numpy.split(ms.Tensor([1, 2, 3, 4]), 2))
        [1 2] [3 4]
    """
    return _split_at("split", x, indices_or_sections, axis, True)


@documented_by(split)
def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Parts along an axis: so many of about one size, the first ones longer, or cut at given places.

    Raises:
        TypeError: if an argument is none of these.
        ValueError: if there are more parts than elements, or `axis` is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.numpy.array_split(ms.Tensor([1, 2, 3, 4, 5]), 2))
        [1 2 3] [4 5]
    """
    return _split_at("array_split", x, indices_or_sections, axis, False)


@documented_by(split)
def vsplit(x: Any, indices_or_sections: Any) -> Any:
    """Parts along the first axis (see `split`).

    Args:
        x (Tensor): of at least one dimension.

    Raises:
        TypeError: if an argument is none of these.
        ValueError: if the parts would not have one size.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.numpy.vsplit(ms.Tensor([[1, 2], [3, 4]]), 2))
        [[1 2]] [[3 4]]
    """
    return _split_at("vsplit", x, indices_or_sections, 0, True)


@documented_by(split)
def hsplit(x: Any, indices_or_sections: Any) -> Any:
    """Parts along the second axis (see `split`).

    Args:
        x (Tensor): of at least two dimensions.

    Raises:
        TypeError: if an argument is none of these.
        ValueError: if the parts would not have one size, or there is no second axis.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.hsplit(ms.numpy.ones((2, 4)), 2)[0].shape
        (2, 2)
    """
    return _split_at("hsplit", x, indices_or_sections, 1, True)


@documented_by(split)
def dsplit(x: Any, indices_or_sections: Any) -> Any:
    """Parts along the third axis (see `split`).

    Args:
        x (Tensor): of at least three dimensions.

    Raises:
        TypeError: if an argument is none of these.
        ValueError: if the parts would not have one size, or there is no third axis.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.dsplit(ms.numpy.ones((1, 2, 4)), 2)[0].shape
        (1, 2, 2)
    """
    return _split_at("dsplit", x, indices_or_sections, 2, True)


@define_function(static="repeats axis")
def _repeat(a: ArrayLike, repeats: Any, axis: int | None) -> Array:
    return jnp.repeat(a, np.asarray(repeats), axis=axis, total_repeat_length=None)


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Tensor:
    """Each element so many times.

    Args:
        a (Tensor, number, list, tuple): of any shape.
        repeats (int, tuple[int], list[int], Tensor): how often, for all elements or for each along the axis.
        axis (int, None): along which axis. Default: None, in the flattened array.

    Returns:
        Tensor.

    Raises:
        TypeError: if an argument is none of these.
        ValueError: if a number is negative, or there are too few, or `axis` is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.repeat(ms.Tensor([1, 2]), 2))
        [1 1 2 2]
    """
    x = as_tensor("repeat", "a", a)
    x = shapes.ravel(x) if axis is None else x
    at = 0 if axis is None else checks.normalize_axis("repeat", x.ndim, axis=axis)
    repeats = repeats.tolist() if isinstance(repeats, Tensor) else repeats
    times: Any = repeats if isinstance(repeats, tuple | list) else (repeats,)
    checks.check_ints("repeat", **{f"repeats[{i}]": n for i, n in enumerate(times)})
    if min(times, default=0) < 0 or len(times) not in (1, x.shape[at]):
        checks.fail(ValueError, "repeat", "repeats", f"be 1 or {x.shape[at]} numbers of at least 0", repeats)
    return _repeat(x, tuple(times) if len(times) > 1 else times[0], at)


@define_function(static="reps")
def tile(a: ArrayLike, reps: Any) -> Array:
    """Return the array repeated as a whole along axes.

    Args:
        a (Tensor): of any shape.
        reps (int, tuple[int], list[int]): how often along each axis, the last ones if there are fewer.

    Returns:
        Tensor.

    Raises:
        TypeError: if a number is not an int.
        ValueError: if a number is negative.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.tile(ms.Tensor([1, 2]), 2))
        [1 2 1 2]
    """
    times = reps if isinstance(reps, tuple) else (reps,)
    checks.check_ints("tile", **{f"reps[{i}]": n for i, n in enumerate(times)})
    if min(times, default=0) < 0:
        checks.fail(ValueError, "tile", "reps", "hold no negative number", reps)
    return jnp.tile(a, times)


def apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Tensor:
    """Return a function called with each vector along an axis, the results put together in its place.

    Args:
        func1d (Callable): (vector, *args, **kwargs) -> Tensor.
        axis (int): along which axis.
        arr (Tensor): of any shape.
        args (Any): more arguments.
        kwargs (Any): more keyword arguments.

    Returns:
        Tensor: the axis is replaced by those of the function's result.

    Raises:
        TypeError: if `func1d` cannot be called, or `axis` is not an int.
        ValueError: if `axis` is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.apply_along_axis(lambda x: x.sum(), 1, ms.Tensor([[1, 2], [3, 4]])))
        [3 7]
    """
    if not callable(func1d):
        checks.fail(TypeError, "apply_along_axis", "func1d", "be a function", repr(func1d))
    x = as_tensor("apply_along_axis", "arr", arr)
    at = checks.normalize_axis("apply_along_axis", x.ndim, axis=axis)
    last: Any = moveaxis(x, at, -1)
    outer = tuple(last.shape[:-1])
    found = [func1d(row, *args, **kwargs) for row in ops.unbind(last.reshape((-1, last.shape[-1])))]
    found = [as_tensor("apply_along_axis", "func1d", f) for f in found]
    joined: Any = ops.stack(found)
    joined = joined.reshape(outer + tuple(found[0].shape))
    inner = list(range(len(outer), joined.ndim))
    return moveaxis(joined, inner, [at + i for i in range(len(inner))]) if inner else joined


def apply_over_axes(func: Any, a: Any, axes: Any) -> Tensor:
    """Return a function called with the array and each axis in turn; axes that it takes away come back with size 1.

    Args:
        func (Callable): (array, axis) -> Tensor.
        a (Tensor, list, tuple): of any shape.
        axes (int, tuple[int], list[int]): the axes.

    Returns:
        Tensor of as many dimensions as `a`.

    Raises:
        TypeError: if an axis is not an int.
        ValueError: if an axis is out of range, or the function gives another number of dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.apply_over_axes(ms.numpy.sum, ms.numpy.ones((2, 3)), (0, 1)))
        [[6.]]
    """
    x = as_tensor("apply_over_axes", "a", a)
    for axis in axes if isinstance(axes, tuple | list) else (axes,):
        at = checks.normalize_axis("apply_over_axes", x.ndim, axes=axis)
        found = func(x, at)
        if found.ndim not in (x.ndim, x.ndim - 1):
            checks.fail(
                ValueError, "apply_over_axes", "func", "keep the dimensions, or all but one", found.shape
            )
        x = found if found.ndim == x.ndim else shapes.expand_dims(found, at)
    return x
