"""Shape manipulation: reshape, permute, squeeze, expand_dims, broadcast_to ...

Most results are views, as in MindSpore: what is written into them reaches the array that they were made of. The
function under `view=` says how: it puts a changed view back into its base.
"""

import math
from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core.op.op import op
from msjax.core.tensor import view_strides
from msjax.core.tensor.view_strides import Geometry
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, as_shape, normalize_axes


def _reshaped_back(base: Array, changed: Array, **statics: Any) -> Array:
    return changed.reshape(base.shape)


def _target(op_name: str, x: Array | Geometry, shape: Any) -> tuple[int, ...]:
    """Return a shape with its -1 filled in."""
    wanted = as_shape(op_name, shape=shape)
    known = math.prod(n for n in wanted if n != -1)
    if wanted.count(-1) > 1 or any(n < -1 for n in wanted):
        checks.fail(ValueError, op_name, "shape", "hold at most one -1 and no other negative number", wanted)
    if -1 in wanted and 0 in wanted and 0 in x.shape:  # MindSpore's choice of what holds nothing
        return tuple(0 if n == -1 else n for n in wanted)
    if -1 in wanted and known and x.size % known == 0:
        wanted = tuple(x.size // known if n == -1 else n for n in wanted)
    if -1 in wanted or math.prod(wanted) != x.size:
        checks.fail(
            ValueError, op_name, "shape", f"hold {x.size} elements, like `input` of shape {x.shape}", wanted
        )
    return wanted


def _reshape_geometry(base: Geometry, *, shape: Any) -> Geometry | None:
    return view_strides.reshape(base, _target("reshape", base, shape))


@op(static="shape", view=_reshaped_back, copies=True, geometry=_reshape_geometry)
def reshape(input: Array, shape: Any) -> Array:
    """Return the same elements, in order, in another shape.

    Args:
        input (Tensor): of any shape and dtype.
        shape (tuple[int], list[int], Tensor): the new shape; one size may be -1, which stands for what remains.

    Returns:
        Tensor of that shape: a view, or a copy where `input` is a view whose elements lie too far apart for one.

    Raises:
        ValueError: if the shape does not hold as many elements.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.reshape(ms.Tensor([1, 2, 3, 4, 5, 6]), (2, -1)))
        [[1 2 3]
         [4 5 6]]
    """
    x = as_array("reshape", "input", input)
    if isinstance(shape, int):
        checks.fail(TypeError, "reshape", "shape", "be a tuple of ints", f"{shape!r} (int)")
    return x.reshape(_target("reshape", x, shape))


@op(static="start_dim end_dim order")
def flatten(input: Array, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Array:
    """Join neighbouring axes into one, by default all but the first.

    Args:
        input (Tensor): of any shape and dtype.
        order (str): "C" with the last axis fastest, "F" with the first axis fastest.
        start_dim (int): first axis to join.
        end_dim (int): last axis to join.

    Returns:
        Tensor, a copy. An array of at most one dimension comes out with one.

    Raises:
        ValueError: if `order` is another letter, an axis is out of range, or `start_dim` is after `end_dim`.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.flatten(ms.ops.ones((2, 3, 4))).shape
        (2, 12)
    """
    x = as_array("flatten", "input", input)
    checks.check_choice("flatten", ("C", "F"), order=order)
    if order == "F":
        x = x.transpose()
    if x.ndim == 0:
        return x.reshape(1)
    first = min(start_dim, x.ndim - 1) if start_dim == 1 else start_dim
    start = checks.normalize_axis("flatten", x.ndim, start_dim=first)
    end = checks.normalize_axis("flatten", x.ndim, end_dim=end_dim)
    if start > end:
        checks.fail(ValueError, "flatten", "start_dim", f"not be after end_dim={end_dim}", start_dim)
    return x.reshape(*x.shape[:start], math.prod(x.shape[start : end + 1]), *x.shape[end + 1 :])


@op(view=_reshaped_back, copies=True, geometry=lambda base: view_strides.reshape(base, (base.size,)))
def ravel(input: Array) -> Array:
    """All elements in one dimension.

    Args:
        input (Tensor): of any shape and dtype.

    Returns:
        Tensor of one dimension: a view, or a copy where `input` is a view with gaps or of another order.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ravel(ms.Tensor([[1, 2], [3, 4]])))
        [1 2 3 4]
    """
    return as_array("ravel", "input", input).reshape(-1)


@op(static="axis", view=_reshaped_back)
def squeeze(input: Array, axis: Any = None) -> Array:
    """Drop axes of size 1.

    Args:
        input (Tensor): of any shape and dtype.
        axis (int, tuple[int], None): axes to drop if they have size 1; others stay. Default: all of size 1.

    Returns:
        Tensor of fewer dimensions: a view.

    Examples:
        >>> import msjax as ms
        >>> x = ms.ops.ones((1, 2, 1))
        >>> ms.ops.squeeze(x).shape, ms.ops.squeeze(x, 0).shape
        ((2,), (2, 1))
    """
    x = as_array("squeeze", "input", input)
    over = normalize_axes("squeeze", x.ndim, ValueError, axis=axis)
    return x.reshape([n for i, n in enumerate(x.shape) if i not in over or n != 1])


@op(static="axis", view=_reshaped_back)
def expand_dims(input_x: Array, axis: int) -> Array:
    """Insert an axis of size 1.

    Args:
        input_x (Tensor): of any shape and dtype.
        axis (int): where it stands in the result; negative numbers count from the result's end.

    Returns:
        Tensor of one more dimension: a view.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.expand_dims(ms.ops.ones((2, 3)), 1).shape
        (2, 1, 3)
    """
    x = as_array("expand_dims", "input_x", input_x)
    return jnp.expand_dims(x, checks.normalize_axis("expand_dims", x.ndim + 1, axis=axis))


# ---------------------------------------------------------------------- order of axes


def _order(op_name: str, x: Array | Geometry, order: Any) -> tuple[int, ...]:
    given = as_shape(op_name, dims=order)
    if len(given) != x.ndim:
        checks.fail(ValueError, op_name, "dims", f"name all {x.ndim} axes of `input`", order)
    return normalize_axes(op_name, x.ndim, ValueError, dims=given)


def _permuted_back(base: Array, changed: Array, *, dims: Any) -> Array:
    order = _order("transpose", base, dims)
    return changed.transpose([order.index(i) for i in range(base.ndim)])


def _permuted_geometry(base: Geometry, *, dims: Any) -> Geometry:
    return view_strides.transpose(base, _order("transpose", base, dims))


@op(static="dims", view=_permuted_back, geometry=_permuted_geometry)
def transpose(input: Array, dims: Any) -> Array:
    """Put the axes in another order.

    Args:
        input (Tensor): of any shape and dtype.
        dims (tuple[int], list[int]): for each axis of the result, which axis of `input` it is.

    Returns:
        Tensor of permuted shape: a view.

    Raises:
        ValueError: if `dims` does not name each axis once.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.transpose(ms.ops.ones((2, 3, 4)), (2, 0, 1)).shape
        (4, 2, 3)
    """
    x = as_array("transpose", "input", input)
    return x.transpose(_order("transpose", x, dims))


def _reversed_back(base: Array, changed: Array) -> Array:
    return changed.transpose()


@op(view=_reversed_back)
def reversed_axes(input: Array) -> Array:
    """All axes in reverse order, as `Tensor.T` and `Tensor.transpose()` give it.

    Args:
        input (Tensor): of any shape and dtype.

    Returns:
        Tensor of reversed shape: a view.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.ones((2, 3, 4)).T.shape
        (4, 3, 2)
    """
    return as_array("transpose", "input", input).transpose()


def _swapped_back(base: Array, changed: Array, *, axis0: int, axis1: int) -> Array:
    return jnp.swapaxes(changed, axis0, axis1)


def _swapped_geometry(base: Geometry, *, axis0: int, axis1: int) -> Geometry:
    order = [*range(base.ndim)]
    order[axis0], order[axis1] = order[axis1], order[axis0]
    return view_strides.transpose(base, order)


@op(static="axis0 axis1", view=_swapped_back, geometry=_swapped_geometry)
def swapaxes(input: Array, axis0: int, axis1: int) -> Array:
    """Exchange two axes.

    Args:
        input (Tensor): of any shape and dtype.
        axis0 (int): one axis.
        axis1 (int): the other one.

    Returns:
        Tensor: a view.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.swapaxes(ms.ops.ones((2, 3, 4)), 0, -1).shape
        (4, 3, 2)
    """
    x = as_array("swapaxes", "input", input)
    a = checks.normalize_axis("swapaxes", x.ndim, axis0=+axis0 if isinstance(axis0, bool) else axis0)
    b = checks.normalize_axis("swapaxes", x.ndim, axis1=+axis1 if isinstance(axis1, bool) else axis1)
    return jnp.swapaxes(x, a, b)


def _moved_back(base: Array, changed: Array, *, source: Any, destination: Any) -> Array:
    return jnp.moveaxis(changed, destination, source)


@op(static="source destination", view=_moved_back)
def movedim(x: Array, source: Any, destination: Any) -> Array:
    """Move axes to other places; the rest keeps its order.

    Args:
        x (Tensor): of any shape and dtype.
        source (int, tuple[int]): axes to move.
        destination (int, tuple[int]): where they stand in the result.

    Returns:
        Tensor: a view.

    Raises:
        ValueError: if there are not as many destinations as sources.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.movedim(ms.ops.ones((2, 3, 4)), 0, -1).shape
        (3, 4, 2)
    """
    x = as_array("movedim", "x", x)
    start, end = (
        normalize_axes("movedim", x.ndim, ValueError, source=source),
        normalize_axes("movedim", x.ndim, ValueError, destination=destination),
    )
    if len(start) != len(end):
        checks.fail(
            ValueError, "movedim", "destination", f"name as many axes as source={source}", destination
        )
    return jnp.moveaxis(x, start, end)


def _turned_back(base: Array, changed: Array) -> Array:
    return changed.transpose() if base.ndim == 2 else changed


@op(view=_turned_back)
def t(input: Array) -> Array:
    """Return a matrix transposed; what has another number of dimensions comes out as it is.

    Args:
        input (Tensor): of any dtype.

    Returns:
        Tensor: a view.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.t(ms.Tensor([[1, 2], [3, 4]])))
        [[1 3]
         [2 4]]
    """
    x = as_array("t", "input", input)
    return x.transpose() if x.ndim == 2 else x


# ---------------------------------------------------------------------- more elements than there are


def _broadcast_shape(op_name: str, x: Array, shape: Any) -> tuple[int, ...]:
    wanted = as_shape(op_name, shape=shape)
    new = len(wanted) - x.ndim
    if new < 0:
        checks.fail(ValueError, op_name, "shape", f"have at least {x.ndim} dimensions, like `input`", wanted)
    found = []
    for i, n in enumerate(wanted):
        here = 1 if i < new else x.shape[i - new]
        if n == -1 and i >= new:
            n = here
        if n < 0 or (here not in (n, 1)):
            checks.fail(
                ValueError, op_name, "shape", f"be one that `input` of shape {x.shape} broadcasts to", wanted
            )
        found.append(n)
    return tuple(found)


def _narrowed_back(base: Array, changed: Array, *, shape: Any) -> Array:
    """Write a changed view back: of elements that share one place in memory, the last one that was written stays.

    Which ones were written is not known here. Those that hold what the base holds make no difference.
    """
    if not changed.size:
        return base
    new = changed.ndim - base.ndim
    repeated = [*range(new), *[new + i for i, n in enumerate(base.shape) if n == 1]]
    kept = [axis for axis in range(changed.ndim) if axis not in repeated]
    before = jnp.broadcast_to(base, changed.shape)
    written = (changed != before) & ((changed == changed) | (before == before))  # NaN over NaN is no change
    copies, written = [
        x.transpose(repeated + kept).reshape(-1, *[x.shape[axis] for axis in kept])
        for x in (changed, written)
    ]
    last = len(copies) - 1 - jnp.argmax(written[::-1], axis=0)
    return jnp.take_along_axis(copies, last[None], axis=0)[0].reshape(base.shape)


@op(static="shape", view=_narrowed_back)
def broadcast_to(input: Array, shape: Any) -> Array:
    """Repeat axes of size 1, and new axes in front, to fit a shape.

    Args:
        input (Tensor): of any shape and dtype.
        shape (tuple[int], list[int]): the new shape; -1 keeps the size of an axis.

    Returns:
        Tensor of that shape: a view.

    Raises:
        ValueError: if a size of `input` is neither 1 nor the wanted one.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.broadcast_to(ms.Tensor([[1], [2]]), (2, 3)))
        [[1 1 1]
         [2 2 2]]
    """
    x = as_array("broadcast_to", "input", input)
    return jnp.broadcast_to(x, _broadcast_shape("broadcast_to", x, shape))


@op(static="dims")
def tile(input: Array, dims: Any) -> Array:
    """Repeat the whole array along its axes.

    Args:
        input (Tensor): of any shape and dtype.
        dims (tuple[int]): how often along each axis; missing ones, in front, count as 1.

    Returns:
        Tensor.

    Raises:
        TypeError: if `dims` is not a tuple of ints.
        ValueError: if a number is negative.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.tile(ms.Tensor([1, 2]), (2, 2)))
        [[1 2 1 2]
         [1 2 1 2]]
    """
    x = as_array("tile", "input", input)
    if not isinstance(dims, tuple):
        checks.fail(TypeError, "tile", "dims", "be a tuple of ints", f"{dims!r} ({type(dims).__name__})")
    times = as_shape("tile", dims=dims)
    if any(n < 0 for n in times):
        checks.fail(ValueError, "tile", "dims", "hold no negative number", times)
    return jnp.tile(x, times)


def _at_least(dims: int, inputs: Any) -> Any:
    if isinstance(inputs, tuple | list):
        return tuple(_at_least(dims, x) for x in inputs)
    shape = tuple(inputs.shape)
    if len(shape) >= dims:
        return inputs
    if dims == 3 and shape:  # rows and columns stay in front
        return reshape(inputs, (1, *shape, 1) if len(shape) == 1 else (*shape, 1))
    return reshape(inputs, (1,) * (dims - len(shape)) + shape)


def atleast_1d(inputs: Any) -> Any:
    """Return a Tensor, or each of several, with at least one dimension.

    Args:
        inputs (Tensor, tuple[Tensor], list[Tensor]): of any shape.

    Returns:
        Tensor or tuple of Tensors; itself where there are enough dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.atleast_1d(ms.Tensor(1)))
        [1]
    """
    return _at_least(1, inputs)


@documented_by(atleast_1d)
def atleast_2d(inputs: Any) -> Any:
    """Return a Tensor, or each of several, with at least two dimensions; new ones come in front.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.atleast_2d(ms.Tensor([1, 2])))
        [[1 2]]
    """
    return _at_least(2, inputs)


@documented_by(atleast_1d)
def atleast_3d(inputs: Any) -> Any:
    """Return a Tensor, or each of several, with at least three dimensions: of shape (1, n, 1) or (n, m, 1).

    Examples:
        >>> import msjax as ms
        >>> ms.ops.atleast_3d(ms.Tensor([1, 2])).shape
        (1, 2, 1)
    """
    return _at_least(3, inputs)
