"""`vmap`: trace the function for one lane (example), vectorize it with `jax.vmap`, and call the result as one operator."""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp

from msjax.core.autodiff.jvp_vjp_jacobian import transformation
from msjax.core.op.op import stack, values_and_refs
from msjax.core.tape import nodes
from msjax.core.tensor.tensor import Tensor, resolve, tensors_in
from msjax.core.trace import trace
from msjax.core.trace.stateful import Stateful

# An axis for all Tensors, None where nothing is mapped, or one for each part of a structure.
Axes: TypeAlias = "int | list[Axes] | tuple[Axes, ...] | None"


def _axes(spec: Axes, tree: object, what: str) -> list[int | None]:
    """Return one axis per leaf of `tree`, from a specification that is a prefix of its structure."""
    if spec is None or (isinstance(spec, int) and not isinstance(spec, bool)):
        return [spec] * len(jax.tree.leaves(tree, is_leaf=trace.is_tensor))
    if isinstance(spec, list | tuple):
        if not isinstance(tree, list | tuple) or len(tree) != len(spec):
            length = len(tree) if isinstance(tree, list | tuple) else 1
            raise RuntimeError(
                f"`vmap`: argument `{what}` must be an int, None, or have an entry for each of the {length} elements. "
                f"Received: {spec!r}."
            )
        return [axis for part, branch in zip(spec, tree, strict=True) for axis in _axes(part, branch, what)]
    raise RuntimeError(
        f"`vmap`: argument `{what}` must hold ints and None in tuples or lists. Received: {spec!r}."
    )


def _vmap(fn: Callable, options: Any, *args: object, **kwargs: object) -> Any:
    in_axes, out_axes = options
    cells = _one_per_lane(fn)
    if cells:
        fn = cells[0]
    boxes = tensors_in((args, kwargs))
    _check_count(fn, in_axes, args)
    axes = _axes_of_tensors(in_axes, args, kwargs)
    avals = [
        _without_axis(resolve(box)._value, axis, i)
        for i, (box, axis) in enumerate(zip(boxes, axes, strict=True))
    ]
    length = _length(boxes, axes, cells)
    # One lane of an argument has no mapped axis (`avals`), and therefore no known value: that differs by lane.
    traced = trace.trace(fn, args, kwargs, avals, same_values=True, detaches=True)
    outputs = jax.tree.unflatten(traced.out_tree, traced.statics)
    everything = _axes(out_axes, outputs, "out_axes")
    out = [a for a, s in zip(everything, traced.statics, strict=True) if s is trace.DYNAMIC]
    # Numbers that the function returns are the same in all lanes; with an axis they become Tensors, as in MindSpore.
    traced.statics = [
        s if a is None or type(s) not in (bool, int, float) else _of_number(s, length)
        for a, s in zip(everything, traced.statics, strict=True)
    ]
    captured = traced.read(boxes)
    lanes: list[int | None] = [None] * len(captured)
    if cells:
        captured, lanes = _per_cell(cells, traced, captured)
    # A write to a mapped argument, or to a Cell's own Parameter, differs by lane and has an axis. Any other written box
    # must get one value: out_axes=None, which JAX refuses below if it differs.
    out_axes = [*out, *_written_axes(traced, axes, cells)]
    if traced.fails:
        out_axes[traced.outcome] = 0
    each = jax.vmap(traced.fn, in_axes=(*axes, *lanes), out_axes=out_axes)
    results = _run(traced, each, [*boxes, *captured], None in out)
    if cells:
        _give_each(cells, traced, results)
    return _in_tuples(traced.finish(results, boxes))


def _axes_of_tensors(in_axes: Any, args: tuple, kwargs: dict[str, Any]) -> list[int | None]:
    """Return the mapped axis of each Tensor among the arguments, the first one for those given by name."""
    axes = _axes(in_axes, args, "in_axes") + [0] * len(jax.tree.leaves(kwargs, is_leaf=trace.is_tensor))
    leaves = jax.tree.leaves((args, kwargs), is_leaf=trace.is_tensor)
    for axis, leaf in zip(axes, leaves, strict=True):
        if axis is not None and not isinstance(leaf, Tensor):
            raise RuntimeError(
                f"`vmap`: only Tensors can be mapped; give `in_axes` None for others. Received: axis {axis} for {leaf!r}."
            )
    return [axis for axis, leaf in zip(axes, leaves, strict=True) if isinstance(leaf, Tensor)]


def _run(traced: trace.Traced, each: Callable, read: list[Tensor], returns_unmapped: bool) -> list[nodes.Var]:
    """Call the mapped function as one operator; an output that differs by lane and has no axis raises."""

    def mapped(*values: jax.Array) -> list[Any]:
        results = list(each(*values))
        if traced.fails:  # it fails if it does in any lane
            # The exception's number is one for all lanes; the largest stands for them.
            results[traced.outcome] = results[traced.outcome].max(0)
        return results

    try:
        values, refs = values_and_refs(read)
        return nodes.variables(*nodes.execute(nodes.Program(mapped, "vmap"), values, refs))
    except ValueError as error:
        if "out of bounds" in str(error):
            raise RuntimeError(f"`vmap`: argument `out_axes` does not fit the outputs: {error}.") from error
        if "out_axes" not in str(error):
            raise
        kind = RuntimeError if returns_unmapped else ValueError
        raise kind(
            f"`vmap`: a value that differs from lane to lane was written to a Tensor outside, or returned under "
            f"out_axes=None; return it instead, with an axis. Written: {[slot.box.shape for slot, _ in traced.written]}."
        ) from error


def _one_per_lane(fn: Callable) -> list[Any]:
    """Return the Cells of a CellList, one for each lane; an empty list for other functions."""
    if not (isinstance(fn, Stateful) and fn._one_per_lane):
        return []
    cells: list[Any] = list(fn)  # type: ignore[call-overload]
    if len(cells) < 2:
        raise RuntimeError(f"`vmap`: a CellList must hold two Cells or more. Received: {len(cells)}.")
    return cells


def _check_count(fn: Callable, in_axes: Axes, args: Sequence[object]) -> None:
    """Let the function itself raise TypeError for missing arguments before `in_axes` is checked."""
    if isinstance(in_axes, list | tuple) and len(in_axes) > len(args):
        try:
            signature = fn._forward_signature() if isinstance(fn, Stateful) else inspect.signature(fn)
        except ValueError:
            return
        signature.bind(*args)


def _of_number(number: Any, length: int) -> Tensor:
    """Return the output of lanes that all return the same number."""
    kind = {bool: jnp.bool_, int: jnp.int64, float: jnp.float32}[type(number)]
    return Tensor.from_array(jnp.full((length,), number, kind))


def _in_tuples(value: object) -> Any:
    """Replace lists by tuples in the outputs, as MindSpore's `vmap` does."""
    if type(value) is list or type(value) is tuple:
        return tuple(_in_tuples(v) for v in value)
    return value


def _written_axes(
    traced: trace.Traced, axes: Sequence[int | None], cells: Sequence[object]
) -> list[int | None]:
    """Return the lane axis of every written value; None for values that are the same in all lanes.

    A mapped argument keeps its axis; what each of several Cells has of its own is stacked along axis 0.
    """
    own = _places_in(cells)
    found = []
    for slot in _present(traced):
        i = traced.argument(slot)
        found.append(axes[i] if i is not None else 0 if _own(slot, own) is not None else None)
    return found


def _present(traced: trace.Traced) -> list[trace.Slot]:
    """List the written slots that have a value, in the order of the results."""
    return [slot for slot, present in traced.written if present]


def _places_in(cells: Sequence[Any]) -> dict[int, int]:
    """Map the ids of the first Cell's Parameters to their indices."""
    return {id(parameter): i for i, parameter in enumerate(cells[0].get_parameters())} if cells else {}


def _own(slot: trace.Slot, places_of: dict[int, int]) -> int | None:
    return places_of.get(id(slot.box)) if slot.kind == "value" else None


_UNSTACK = nodes.Program(lambda stacked: list(stacked), "unstack")


def _per_cell(
    cells: Sequence[Any], traced: trace.Traced, captured: list[Tensor]
) -> tuple[list[Tensor], list[int | None]]:
    """Return the captures of the first Cell with its Parameters stacked with those of the others, and the lane axes."""
    each = [list(cell.get_parameters()) for cell in cells]
    own = _places_in(cells)
    boxes, lanes = [], []
    for slot, box in zip(traced.captured, captured, strict=True):
        i = own.get(id(slot.box))
        if i is None:
            boxes.append(box)
            lanes.append(None)
        else:
            boxes.append(stack([parameters[i] for parameters in each]))
            lanes.append(0)
    return boxes, lanes


def _give_each(cells: Sequence[Any], traced: trace.Traced, results: list[nodes.Var]) -> None:
    """Write each lane's values of the first Cell's Parameters to the Parameters of the Cell of that lane."""
    own = _places_in(cells)
    others = [list(cell.get_parameters()) for cell in cells[1:]]
    for n, slot in enumerate(_present(traced), traced.outputs):
        i = _own(slot, own)
        if i is None:
            continue
        value, ref = results[n]
        rows = nodes.variables(*nodes.execute(_UNSTACK, [value], [ref]))
        # The trace wrote to the first Cell's Parameter: it gets its own lane back, in place of the stack.
        results[n] = rows[0]
        for parameters, row in zip(others, rows[1:], strict=True):
            trace.put_back(parameters[i], slot.kind, row)


def _without_axis(value: jax.Array, axis: int | None, index: int) -> jax.ShapeDtypeStruct:
    shape = list(value.shape)
    if axis is not None:
        if not -len(shape) <= axis < len(shape):
            raise RuntimeError(
                f"`vmap`: argument `in_axes` must be in [{-len(shape)}, {len(shape)}) for Tensor {index} of shape {shape}. "
                f"Received: {axis}."
            )
        del shape[axis]
    return jax.ShapeDtypeStruct(tuple(shape), value.dtype)


def _length(boxes: Sequence[Tensor], axes: Sequence[int | None], cells: Sequence[object]) -> int:
    """Return the number of lanes."""
    lengths = {box.shape[axis] for box, axis in zip(boxes, axes, strict=True) if axis is not None}
    if len(lengths) > 1:
        raise RuntimeError(f"`vmap`: the mapped axes must have one length. Received: {sorted(lengths)}.")
    if not lengths and not cells:
        raise RuntimeError("`vmap`: at least one Tensor must be mapped. Received: in_axes with None for all.")
    return lengths.pop() if lengths else len(cells)


_run_vmap = transformation(_vmap)


def vmap(fn: Callable, in_axes: Axes = 0, out_axes: Axes = 0) -> Callable:
    """Return a function that maps `fn` over an axis of its inputs, as one vectorized computation.

    Random operators draw the same numbers in every lane. An input that is mapped, say a Parameter, can be written: each
    lane writes its own part. Another Tensor can be written only with a value that is the same in every lane.

    Args:
        fn: function or Cell over Tensors; or a CellList of like Cells, each of which is called for one lane.
        in_axes: axis to map of every input: an int, None (the same for all lanes), or a tuple with one of these, or a
            nested tuple, for each input. May be negative.
        out_axes: where the mapped axis stands in the outputs, in the same form. A number that is returned becomes a
            Tensor of it, one per lane, unless its axis is None; lists become tuples.

    Raises:
        RuntimeError: if an argument has the wrong type, an axis is out of range, the lengths differ, or a value that
            differs from lane to lane is returned without an axis.
        ValueError: if a value that differs from lane to lane is written outside.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(ms.vmap(lambda v: v.sum())(x))
        [3. 7.]
    """
    if not callable(fn):
        raise RuntimeError(f"`vmap`: argument `fn` must be a function or a Cell. Received: {fn!r}.")
    if out_axes is None:
        raise RuntimeError("`vmap`: argument `out_axes` must not be None for all outputs. Received: None.")

    @functools.wraps(fn, updated=())
    def mapped(*args: object, **kwargs: object) -> Any:
        return _run_vmap(fn, (in_axes, out_axes), args, kwargs)

    return mapped
