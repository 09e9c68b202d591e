"""In-place scatter updates of Parameters and Tensors (scatter_nd_add, index_add ...), and ordering of effects (depend)."""

from collections.abc import Callable
from typing import Any

from jax.core import Tracer

from msjax.core.tensor import printing
from msjax.core.tensor.tensor import Tensor, replace, store
from msjax.core.trace import deferred_text
from msjax.ops.array import scattering as scattered
from msjax.ops.array.scattering_slices import scatter_add_along
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.math.casts import astype
from msjax.ops.state.assignment import fit_value


def _box(op_name: str, variable: Any, name: str = "variable") -> Tensor:
    if not isinstance(variable, Tensor):
        checks.fail(
            TypeError, op_name, name, "be a Parameter or Tensor", f"{variable!r} ({type(variable).__name__})"
        )
    return variable


def change(
    op_name: str, variable: Tensor, result: Any, write: Callable[[Tensor, Tensor], Any] = store
) -> Tensor:
    """Make a result the content of a Tensor, in its dtype; the shape must be the Tensor's.

    Args:
        op_name: who asks.
        variable: what to change.
        result: its new content.
        write: `store`, or `replace` where gradients see no change.

    Returns:
        The result in that dtype.

    Raises:
        TypeError: if the result is of a higher kind (float for an integer Tensor).
        ValueError: if the shape differs.
    """
    if result.shape != variable.shape:
        raise ValueError(
            f"`{op_name}`: the result must have the shape {tuple(variable.shape)} of the Tensor that is changed. "
            f"Received: {tuple(result.shape)}."
        )
    kind, new = variable.dtype, result.dtype
    if new is not kind:
        if (new.is_complex and not kind.is_complex) or (
            new.is_floating_point and not (kind.is_floating_point or kind.is_complex)
        ):
            raise TypeError(
                f"`{op_name}`: a result of dtype {new} cannot be written to a Tensor of dtype {kind}."
            )
        result = astype(result, kind)
    write(variable, result)
    return result


# ---------------------------------------------------------------------- slices of a Parameter


# What messages of MindSpore's call the argument that is changed: `input_x` by these, `x` by the others.
_NAMED_INPUT_X = ("scatter_nd_update", "scatter_nd_sub")


def _scatter_nd(name: str, pure: Callable, what: str) -> Callable:
    def scatter_nd(input_x: Any, indices: Any, updates: Any, use_locking: bool = False) -> Any:
        box = _box(name, input_x, "input_x")
        if getattr(indices, "ndim", 2) < 2:
            raise ValueError(
                f"`{name}`: the dimension of 'indices' must be greater than or equal to 2. Received: {indices.ndim}."
            )
        new = fit_value(name, box, updates, "input_x" if name in _NAMED_INPUT_X else "x")
        return change(name, box, pure(input_x, indices, new), replace)

    return _complete_doc(scatter_nd, name, what, "together in the last axis")


def _scatter_rows(name: str, pure: Callable, what: str) -> Callable:
    def scatter_rows(input_x: Any, indices: Any, updates: Any) -> Any:
        box = _box(name, input_x, "input_x")
        new = fit_value(name, box, updates, "x")
        return change(name, box, pure(input_x, indices[..., None], new), replace)

    return _complete_doc(scatter_rows, name, what, "along the first axis")


def _complete_doc(fn: Callable, name: str, what: str, where: str) -> Callable:
    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = f"""{what} slices of a Parameter or Tensor, in place.

    Args:
        input_x (Parameter, Tensor): what to change.
        indices (Tensor): positions {where}, of an integer dtype.
        updates (Tensor): one slice per position, of `input_x`'s dtype or one that becomes it beside `input_x`.

    Returns:
        Tensor of the new values.
    """
    return fn


scatter_nd_update = _scatter_nd("scatter_nd_update", scattered.tensor_scatter_update, "Replace")
scatter_nd_add = _scatter_nd("scatter_nd_add", scattered.tensor_scatter_add, "Add to")
scatter_nd_sub = _scatter_nd("scatter_nd_sub", scattered.tensor_scatter_sub, "Subtract from")
scatter_nd_mul = _scatter_nd("scatter_nd_mul", scattered.tensor_scatter_mul, "Multiply")
scatter_nd_div = _scatter_nd("scatter_nd_div", scattered.tensor_scatter_div, "Divide")
scatter_nd_max = _scatter_nd("scatter_nd_max", scattered.tensor_scatter_max, "Raise")
scatter_nd_min = _scatter_nd("scatter_nd_min", scattered.tensor_scatter_min, "Lower")
scatter_update = _scatter_rows("scatter_update", scattered.tensor_scatter_update, "Replace")
scatter_add = _scatter_rows("scatter_add", scattered.tensor_scatter_add, "Add to")
scatter_sub = _scatter_rows("scatter_sub", scattered.tensor_scatter_sub, "Subtract from")
scatter_mul = _scatter_rows("scatter_mul", scattered.tensor_scatter_mul, "Multiply")
scatter_div = _scatter_rows("scatter_div", scattered.tensor_scatter_div, "Divide")
scatter_max = _scatter_rows("scatter_max", scattered.tensor_scatter_max, "Raise")
scatter_min = _scatter_rows("scatter_min", scattered.tensor_scatter_min, "Lower")


def index_add(
    x: Any, indices: Any, y: Any, axis: int, use_lock: bool = True, check_index_bound: bool = True
) -> Any:
    """Add to slices of a Parameter or Tensor along an axis, in place.

    Args:
        x (Parameter, Tensor): what to change.
        indices (Tensor): positions along the axis, one-dimensional, of an integer dtype.
        y (Tensor): summands: `x`'s shape, but with as many slices as positions along the axis.
        axis (int): the axis.
        use_lock (bool): accepted for MindSpore's signature, without effect.
        check_index_bound (bool): accepted for MindSpore's signature; positions outside raise eagerly on CPU in any case.

    Returns:
        Tensor of the new values.

    Examples:
        >>> import msjax as ms
        >>> p = ms.Parameter(ms.ops.zeros((2, 2)), name="p")
        >>> print(ms.ops.index_add(p, ms.Tensor([1]), ms.Tensor([[1.0, 2.0]]), 0).asnumpy())
        [[0. 0.]
         [1. 2.]]
    """
    new = fit_value("index_add", _box("index_add", x, "x"), y, "input_x")
    return change("index_add", x, scattered.indexed(x, indices, new, axis), replace)


@documented_by(index_add)
def inplace_index_add(var: Any, indices: Any, updates: Any, axis: int) -> Any:
    """Add to slices of a Parameter or Tensor along an axis, in place.

    Args:
        var (Parameter, Tensor): what to change.
        indices (Tensor): positions along the axis, one-dimensional, int32.
        updates (Tensor): summands, one slice for each position.

    Examples:
        >>> import msjax as ms
        >>> p = ms.Parameter(ms.ops.zeros((2, 2)), name="p")
        >>> print(ms.ops.inplace_index_add(p, ms.Tensor([1], ms.int32), ms.Tensor([[1.0, 2.0]]), 0))
        [[0. 0.]
         [1. 2.]]
    """
    name = "inplace_index_add"
    return change(name, _box(name, var, "var"), scattered.indexed(var, indices, updates, axis), replace)


@documented_by(index_add)
def scatter_add_with_axis(input_x: Any, indices: Any, updates: Any, axis: int = 0) -> Any:
    """Add to elements of a Parameter or Tensor, in place: each goes to its own place, but to a given one along an axis.

    Args:
        input_x (Parameter, Tensor): what to change.
        indices (Tensor): positions along the axis, of as many dimensions.
        updates (Tensor): summands, of that shape.

    Examples:
        >>> import msjax as ms
        >>> p = ms.Parameter(ms.ops.zeros((2, 2)), name="p")
        >>> print(ms.ops.ScatterAddWithAxis()(p, ms.Tensor([[1, 0]]), ms.Tensor([[1.0, 2.0]])))
        [[0. 2.]
         [1. 0.]]
    """
    name = "ScatterAddWithAxis"
    return change(name, _box(name, input_x, "input_x"), scatter_add_along(input_x, indices, updates, axis))


def copy_slice(x: Any, y: Any) -> Any:
    """Copy values into a view of a Tensor (`CopyWithSlice`).

    Args:
        x (Tensor): what to change.
        y (Tensor): new values, of its shape.

    Returns:
        Tensor of the new values.
    """
    return change("CopyWithSlice", _box("CopyWithSlice", x, "x"), y)


# ---------------------------------------------------------------------- order of effects


def depend(value: Any, expr: Any) -> Any:
    """`value`, after `expr` has been computed: programs run in the order in which they are written anyway.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.depend(ms.Tensor(1), ms.Tensor(2)))
        1
    """
    return value


def print_(*input_x: Any) -> None:
    """Print Tensors and other things; inside a compiled function, when it runs.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.print_("x:", ms.Tensor([1, 2]))
        x:
        Tensor(shape=[2], dtype=Int64, value= [1, 2])
    """
    if deferred_text.in_graph():
        return deferred_text.print_lines(*input_x)
    for thing in input_x:
        if isinstance(thing, Tensor) and isinstance(thing.array, Tracer):
            deferred_text.call_in_order(lambda value: print(printing.tensor_repr(value)), thing.array)  # noqa: T201
        else:
            print(repr(thing) if isinstance(thing, Tensor) else thing)  # noqa: T201
    return None
