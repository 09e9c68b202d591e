"""Shape manipulation: reshape, transpose, expand_dims, broadcast_to ... Most results are views, as those of `ops` are."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core.op.argument_types import ArrayLike
from msjax.core.tensor.tensor import Tensor
from msjax.numpy.array_function import as_tensor, define_function, normalize_axis
from msjax.ops.array import flip_roll
from msjax.ops.array import shapes as ops
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by


def transpose(a: Any, axes: Any = None) -> Tensor:
    """Return the array with its axes in another order.

    Args:
        a (Tensor): of any shape.
        axes (tuple[int], list[int], None): which axis comes at each place. Default: None, the reverse order.

    Returns:
        Tensor.

    Raises:
        TypeError: if `a` is not an array or an axis not an int.
        ValueError: if `axes` does not name each axis once.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.transpose(ms.numpy.ones((1, 2, 3))).shape
        (3, 2, 1)
    """
    x = as_tensor("transpose", "a", a)
    return ops.reversed_axes(x) if axes is None else ops.transpose(x, axes)


@documented_by(transpose)
def expand_dims(a: Any, axis: Any) -> Tensor:
    """Return the array with axes of size 1 put in.

    Args:
        axis (int, tuple[int], list[int]): where, in the result.

    Raises:
        TypeError: if an axis is not an int.
        ValueError: if an axis is out of range or repeated.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.expand_dims(ms.numpy.ones(3), (0, 2)).shape
        (1, 3, 1)
    """
    x = as_tensor("expand_dims", "a", a)
    new = tuple(axis) if isinstance(axis, tuple | list) else (axis,)
    at = [checks.normalize_axis("expand_dims", x.ndim + len(new), axis=i) for i in new]
    if len(set(at)) < len(at):
        checks.fail(ValueError, "expand_dims", "axis", "name each axis once", axis)
    for i in sorted(at):
        x = ops.expand_dims(x, i)
    return x


@documented_by(transpose)
def squeeze(a: Any, axis: Any = None) -> Tensor:
    """Return the array without axes of size 1.

    Args:
        axis (int, tuple[int], list[int], None): which ones; those of other sizes stay. Default: None, all.

    Raises:
        TypeError: if an axis is not an int.
        ValueError: if an axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.squeeze(ms.numpy.ones((1, 2, 1)), 0).shape
        (2, 1)
    """
    x = as_tensor("squeeze", "a", a)
    if axis is None:
        return ops.squeeze(x)
    named = axis if isinstance(axis, tuple | list) else (axis,)
    drop = {checks.normalize_axis("squeeze", x.ndim, axis=i) for i in named}
    return ops.reshape(x, tuple(n for i, n in enumerate(x.shape) if i not in drop or n != 1))


@documented_by(squeeze)
def rollaxis(x: Any, axis: int, start: int = 0) -> Tensor:
    """Return the array with one axis moved to before another.

    Args:
        x (Tensor): of any shape.
        axis (int): the axis to move.
        start (int): the axis that it comes before.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.rollaxis(ms.numpy.ones((2, 3, 4)), 2).shape
        (4, 2, 3)
    """
    x = as_tensor("rollaxis", "x", x)
    source = checks.normalize_axis("rollaxis", x.ndim, axis=axis)
    checks.check_ints("rollaxis", start=start)
    if not -x.ndim <= start <= x.ndim:
        checks.fail(ValueError, "rollaxis", "start", f"be in [{-x.ndim}, {x.ndim}]", start)
    before = start + x.ndim if start < 0 else start
    return ops.movedim(x, source, before - 1 if source < before else before)


@documented_by(rollaxis)
def swapaxes(x: Any, axis1: int, axis2: int) -> Tensor:
    """Return the array with two axes exchanged.

    Args:
        axis1 (int): the one.
        axis2 (int): the other.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.swapaxes(ms.numpy.ones((2, 3, 4)), 0, 2).shape
        (4, 3, 2)
    """
    return ops.swapaxes(as_tensor("swapaxes", "x", x), axis1, axis2)


@documented_by(transpose)
def moveaxis(a: Any, source: Any, destination: Any) -> Tensor:
    """Return the array with axes moved to other places; the rest stay in order.

    Args:
        source (int, tuple[int], list[int]): the axes.
        destination (int, tuple[int], list[int]): their places in the result.

    Raises:
        TypeError: if an axis is not an int.
        ValueError: if an axis is out of range or repeated, or the numbers differ.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.moveaxis(ms.numpy.ones((2, 3, 4)), 0, -1).shape
        (3, 4, 2)
    """
    return ops.movedim(as_tensor("moveaxis", "a", a), source, destination)


def reshape(x: Any, new_shape: Any) -> Tensor:
    """Return the same elements, in order, in another shape.

    Args:
        x (Tensor): of any shape.
        new_shape (int, tuple[int], list[int]): one size may be -1, which stands for what remains.

    Returns:
        Tensor.

    Raises:
        TypeError: if a size is not an int.
        ValueError: if the shape does not hold as many elements.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.reshape(ms.numpy.ones((2, 3)), (3, -1)).shape
        (3, 2)
    """
    shape = (new_shape,) if isinstance(new_shape, int) else new_shape
    return ops.reshape(as_tensor("reshape", "x", x), shape)


def ravel(x: Any) -> Tensor:
    """Return the elements in one dimension.

    Args:
        x (Tensor): of any shape.

    Returns:
        Tensor of one dimension.

    Raises:
        TypeError: if `x` is not an array.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.ravel(ms.Tensor([[1, 2], [3, 4]])))
        [1 2 3 4]
    """
    return ops.ravel(as_tensor("ravel", "x", x))


def _one_or_all(found: list[Tensor]) -> Any:
    return found[0] if len(found) == 1 else found


def atleast_1d(*arys: Any) -> Any:
    """Arrays of at least one dimension; numbers get one of size 1.

    Args:
        arys (Tensor, number, list, tuple): any.

    Returns:
        Tensor, or a list of Tensors if there are several arguments.

    Raises:
        TypeError: if an argument is not an array.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.atleast_1d(ms.Tensor(5)))
        [5]
    """
    given = [as_tensor("atleast_1d", "arys", x) for x in arys]
    return _one_or_all([x if x.ndim else ops.reshape(x, (1,)) for x in given])


@documented_by(atleast_1d)
def atleast_2d(*arys: Any) -> Any:
    """Arrays of at least two dimensions; new ones come first.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.atleast_2d(ms.Tensor([1, 2])))
        [[1 2]]
    """
    given = [as_tensor("atleast_2d", "arys", x) for x in arys]
    return _one_or_all([ops.reshape(x, (1,) * max(2 - x.ndim, 0) + tuple(x.shape)) for x in given])


@documented_by(atleast_1d)
def atleast_3d(*arys: Any) -> Any:
    """Arrays of at least three dimensions: a vector becomes (1, n, 1), a matrix (n, m, 1).

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.atleast_3d(ms.Tensor([1, 2])).shape
        (1, 2, 1)
    """
    found = []
    for arg in arys:
        x = as_tensor("atleast_3d", "arys", arg)
        shape = {0: (1, 1, 1), 1: (1, *x.shape, 1), 2: (*x.shape, 1)}.get(x.ndim)
        found.append(x if shape is None else ops.reshape(x, shape))
    return _one_or_all(found)


@define_function(static="shape")
def broadcast_to(array: ArrayLike, shape: Any) -> Array:
    """The array repeated along axes of size 1 and new first axes until it has a shape.

    Args:
        array (Tensor): of any shape.
        shape (int, tuple[int], list[int]): the shape.

    Returns:
        Tensor of that shape.

    Raises:
        TypeError: if a size is not an int.
        ValueError: if the array does not broadcast to the shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.broadcast_to(ms.Tensor([1, 2]), (2, 2)))
        [[1 2]
         [1 2]]
    """
    wanted = (shape,) if isinstance(shape, int) else shape
    fits = len(wanted) >= array.ndim and all(
        n in (1, w) for n, w in zip(array.shape[::-1], wanted[::-1], strict=False)
    )
    if not fits or any(n < 0 for n in wanted):
        checks.fail(ValueError, "broadcast_to", "shape", f"be one that {array.shape} broadcasts to", shape)
    return jnp.broadcast_to(array, wanted)


@define_function(plain="args")
def _together(args: Any) -> list[Array]:
    return jnp.broadcast_arrays(*args)


def broadcast_arrays(*args: Any) -> list[Tensor]:
    """Arrays, each repeated until all have one shape.

    Args:
        args (Tensor, number, list, tuple): of shapes that broadcast.

    Returns:
        list of Tensors.

    Raises:
        TypeError: if an argument is not an array.
        ValueError: if the shapes do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.numpy.broadcast_arrays(ms.Tensor([1, 2]), ms.Tensor([[3], [4]])))
        [[1 2]
         [1 2]] [[3 3]
         [4 4]]
    """
    given = [as_tensor("broadcast_arrays", "args", x) for x in args]
    checks.check_broadcastable("broadcast_arrays", **{f"args[{i}]": x.array for i, x in enumerate(given)})
    return list(_together(given))


def flip(m: Any, axis: Any = None) -> Tensor:
    """Return the elements in reverse order along axes.

    Args:
        m (Tensor): of any shape.
        axis (int, tuple[int], list[int], None): Default: None, all axes.

    Returns:
        Tensor of the shape of `m`.

    Raises:
        TypeError: if an axis is not an int.
        ValueError: if an axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.flip(ms.Tensor([[1, 2], [3, 4]])))
        [[4 3]
         [2 1]]
    """
    x = as_tensor("flip", "m", m)
    over = range(x.ndim) if axis is None else axis if isinstance(axis, tuple | list) else (axis,)
    return (
        flip_roll.flip(x, tuple(checks.normalize_axis("flip", x.ndim, axis=i) for i in over)) if x.ndim else x
    )


def fliplr(m: Any) -> Tensor:
    """Return the elements in reverse order along the second axis.

    Args:
        m (Tensor): of at least two dimensions.

    Returns:
        Tensor of the shape of `m`.

    Raises:
        TypeError: if `m` is not an array.
        ValueError: if it has fewer dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.fliplr(ms.Tensor([[1, 2], [3, 4]])))
        [[2 1]
         [4 3]]
    """
    return flip(m, 1)


def flipud(m: Any) -> Tensor:
    """Return the elements in reverse order along the first axis.

    Args:
        m (Tensor): of at least one dimension.

    Returns:
        Tensor of the shape of `m`.

    Raises:
        TypeError: if `m` is not an array.
        ValueError: if it has no dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.flipud(ms.Tensor([[1, 2], [3, 4]])))
        [[3 4]
         [1 2]]
    """
    return flip(m, 0)


@define_function(static="k axes")
def rot90(a: ArrayLike, k: int = 1, axes: Any = (0, 1)) -> Array:
    """Return the array turned in the plane of two axes, from the first towards the second.

    Args:
        a (Tensor): of at least two dimensions.
        k (int): how many quarters of a turn.
        axes (tuple[int], list[int]): the two axes.

    Returns:
        Tensor.

    Raises:
        TypeError: if `k` or an axis is not an int.
        ValueError: if the axes are not two different ones.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.rot90(ms.Tensor([[1, 2], [3, 4]])))
        [[2 4]
         [1 3]]
    """
    checks.check_ints("rot90", k=k)
    if not isinstance(axes, tuple) or len(axes) != 2:
        checks.fail(ValueError, "rot90", "axes", "hold two axes", axes)
    first, second = (normalize_axis("rot90", a, i, "axes") for i in axes)
    if first == second:
        checks.fail(ValueError, "rot90", "axes", "hold two different axes", axes)
    return jnp.rot90(a, k, (first, second))


@define_function(static="shift axis")
def roll(a: ArrayLike, shift: Any, axis: Any = None) -> Array:
    """Return the elements moved along axes; what leaves at one end enters at the other.

    Args:
        a (Tensor): of any shape.
        shift (int, tuple[int], list[int]): how far, for all axes or for each.
        axis (int, tuple[int], list[int], None): the axes. Default: None, in the flattened array.

    Returns:
        Tensor of the shape of `a`.

    Raises:
        TypeError: if a shift or an axis is not an int.
        ValueError: if an axis is out of range, or the numbers differ.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.roll(ms.Tensor([1, 2, 3]), 1))
        [3 1 2]
    """
    shifts = shift if isinstance(shift, tuple) else (shift,)
    for one in shifts:
        checks.check_ints("roll", shift=one)
    if axis is None:
        return jnp.roll(a, sum(shifts))
    over = axis if isinstance(axis, tuple) else (axis,)
    if len(shifts) != len(over) and 1 not in (len(shifts), len(over)):
        checks.fail(ValueError, "roll", "shift", f"be one number, or {len(over)}", shift)
    count = max(len(shifts), len(over))
    at = tuple(normalize_axis("roll", a, i) for i in over)
    return jnp.roll(a, shifts * (count // len(shifts)), at * (count // len(at)))
