"""Transformations: trace the function, apply JAX's own transformation to it, call the result as one operator."""

import functools
import inspect
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from msjax.core import compiling, lift, tape, trees, walk
from msjax.core.autograph import steered
from msjax.core.grad import (
    Gradients,
    _positions,
    _result,
    _seed,
    _seeds,
    _weights,
    arranged,
    recording,
    tensors_in,
)
from msjax.core.jit import Compiled
from msjax.core.op import places
from msjax.core.state import DEFAULT, state, swapped
from msjax.core.tensor import Tensor, node_of, resolve, wrap

_compiled: weakref.WeakKeyDictionary[Any, dict[Any, Compiled]] = weakref.WeakKeyDictionary()


def transformation(inside: Callable) -> Callable:
    """Make a transformation of `inside(fn, options, *args, **kwargs)`, which runs it while a frame is there.

    Called eagerly it is compiled as a whole, once per function and options, like anything under `jit`.
    """

    def run(fn: Callable, options: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if state.frame is not None:
            return inside(fn, options, *args, **kwargs)
        owner, part = (
            (fn.__self__, fn.__func__) if hasattr(fn, "__self__") and hasattr(fn, "__func__") else (fn, None)
        )
        try:
            known = _compiled.setdefault(owner, {})
        except TypeError:
            known = {}
        key = (inside, part, _hashable(options))
        if key not in known:
            reference = _weak(fn)

            def call(*args: Any, **kwargs: Any) -> Any:
                return inside(reference(), options, *args, **kwargs)

            call.__name__ = f"{inside.__name__.strip('_')}({getattr(fn, '__name__', type(fn).__name__)})"
            call.__wrapped__ = None  # type: ignore[attr-defined]
            known[key] = Compiled(call, reads=reference)
        return known[key](*args, **kwargs)

    return run


def _weak(fn: Callable) -> Callable[[], Callable]:
    """A reference to a function that does not keep it alive, where that can be had."""
    try:
        return (
            weakref.WeakMethod(fn) if hasattr(fn, "__self__") and hasattr(fn, "__func__") else weakref.ref(fn)
        )  # type: ignore[return-value]
    except TypeError:
        return lambda: fn


def _hashable(options: Any) -> Any:
    if isinstance(options, list | tuple):
        return type(options), tuple(_hashable(o) for o in options)
    return options


def apply(
    name: str, traced: lift.Traced, fn: Callable, boxes: Sequence[Tensor]
) -> tuple[list[tape.Var], list[Tensor]]:
    """Call a transformed pure function of (arguments, captures) as an operator."""
    captured = traced.read(boxes)
    values, refs = places([*boxes, *captured])
    out, node = tape.execute(tape.Program(fn, name), values, refs)
    return tape.variables(out, node), captured


# ---------------------------------------------------------------------- vmap


def _axes(spec: Any, tree: Any, what: str) -> list[Any]:
    """One axis per leaf of `tree`, from a specification that is a prefix of its structure."""
    if spec is None or (isinstance(spec, int) and not isinstance(spec, bool)):
        return [spec] * len(jax.tree.leaves(tree, is_leaf=lift.is_tensor))
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


def _vmap(fn: Callable, options: Any, *args: Any, **kwargs: Any) -> Any:
    in_axes, out_axes = options
    cells = _one_per_lane(fn)
    if cells:
        fn = cells[0]
    boxes = tensors_in((args, kwargs))
    _check_count(fn, in_axes, args)
    axes = _axes(in_axes, args, "in_axes") + [0] * len(jax.tree.leaves(kwargs, is_leaf=lift.is_tensor))
    leaves = jax.tree.leaves((args, kwargs), is_leaf=lift.is_tensor)
    for axis, leaf in zip(axes, leaves, strict=True):
        if axis is not None and not isinstance(leaf, Tensor):
            raise RuntimeError(
                f"`vmap`: only Tensors can be mapped; give `in_axes` None for others. Received: axis {axis} for {leaf!r}."
            )
    axes = [axis for axis, leaf in zip(axes, leaves, strict=True) if isinstance(leaf, Tensor)]
    avals = [
        _without_axis(resolve(box)._value, axis, i)
        for i, (box, axis) in enumerate(zip(boxes, axes, strict=True))
    ]
    length = _length(boxes, axes, cells)
    traced = lift.trace(fn, args, kwargs, avals, through=[axis is None for axis in axes])
    outputs = jax.tree.unflatten(traced.out_tree, traced.statics)
    everything = _axes(out_axes, outputs, "out_axes")
    out = [a for a, s in zip(everything, traced.statics, strict=True) if s is lift.DYNAMIC]
    traced.statics = [
        s if a is None or type(s) not in (bool, int, float) else _of_number(s, length)
        for a, s in zip(everything, traced.statics, strict=True)
    ]
    captured = traced.read(boxes)
    lanes: list[Any] = [None] * len(captured)
    if cells:
        captured, lanes = _per_cell(cells, traced, captured)
    out_axes = [*out, *_written_axes(traced, axes)]
    if traced.fails:
        out_axes[traced.outcome] = 0
    each = jax.vmap(traced.fn, in_axes=(*axes, *lanes), out_axes=out_axes)

    def mapped(*values: Any) -> list[Any]:
        results = list(each(*values))
        if traced.fails:  # it fails if it does in any lane
            results[traced.outcome] = results[traced.outcome].max(0)
        return results

    try:
        values, refs = places([*boxes, *captured])
        results = tape.variables(*tape.execute(tape.Program(mapped, "vmap"), values, refs))
    except ValueError as error:
        if "out of bounds" in str(error):
            raise RuntimeError(f"`vmap`: argument `out_axes` does not fit the outputs: {error}.") from error
        if "out_axes" not in str(error):
            raise
        kind = RuntimeError if None in out else ValueError
        raise kind(
            f"`vmap`: a value that differs from lane to lane was written to a Tensor outside, or returned under "
            f"out_axes=None; return it instead, with an axis. Written: {[slot.box.shape for slot, _ in traced.written]}."
        ) from error
    return _in_tuples(traced.finish(results, boxes))


def _one_per_lane(fn: Any) -> list[Any]:
    """The Cells of a list of them, each of which is called for one lane; nothing of other functions."""
    if not getattr(type(fn), "_one_per_lane", False):
        return []
    cells = list(fn)
    if len(cells) < 2:
        raise RuntimeError(f"`vmap`: a CellList must hold two Cells or more. Received: {len(cells)}.")
    return cells


def _check_count(fn: Callable, in_axes: Any, args: Sequence[Any]) -> None:
    """Arguments that are too few for the function are its matter (TypeError), before `in_axes` does not fit them."""
    if isinstance(in_axes, list | tuple) and len(in_axes) > len(args):
        called = getattr(fn, "construct", fn)
        try:
            signature = inspect.signature(called)
        except ValueError:
            return
        signature.bind(*args)


def _of_number(number: Any, length: int) -> Tensor:
    """The outputs of lanes that all return one number."""
    kind = {bool: jnp.bool_, int: jnp.int64, float: jnp.float32}[type(number)]
    return Tensor.from_array(jnp.full((length,), number, kind))


def _in_tuples(value: Any) -> Any:
    """Outputs with tuples for lists, as MindSpore's `vmap` returns them."""
    if type(value) is list or type(value) is tuple:
        return tuple(_in_tuples(v) for v in value)
    return value


def _written_axes(traced: lift.Traced, axes: Sequence[Any]) -> list[Any]:
    """Where the lanes of what is written stand: as they do in a mapped argument; elsewhere there are none."""
    places_of = [traced.argument(slot) for slot, present in traced.written if present]
    return [None if i is None else axes[i] for i in places_of]


_STACK = tape.Program(lambda *rows: jnp.stack(rows), "stack")


def _per_cell(
    cells: Sequence[Any], traced: lift.Traced, captured: list[Tensor]
) -> tuple[list[Tensor], list[Any]]:
    """What the first of several like Cells captures, with its Parameters replaced by those of all, one per lane."""
    each = [list(cell.get_parameters()) for cell in cells]
    places_of = {id(parameter): i for i, parameter in enumerate(each[0])}
    boxes, lanes = [], []
    for slot, box in zip(traced.captured, captured, strict=True):
        i = places_of.get(id(slot.box))
        if i is None:
            boxes.append(box)
            lanes.append(None)
        else:
            values, refs = places([parameters[i] for parameters in each])
            boxes.append(wrap(*tape.variables(*tape.execute(_STACK, values, refs))[0]))
            lanes.append(0)
    return boxes, lanes


def _without_axis(value: Any, axis: Any, index: int) -> jax.ShapeDtypeStruct:
    shape = list(value.shape)
    if axis is not None:
        if not -len(shape) <= axis < len(shape):
            raise RuntimeError(
                f"`vmap`: argument `in_axes` must be in [{-len(shape)}, {len(shape)}) for Tensor {index} of shape {shape}. "
                f"Received: {axis}."
            )
        del shape[axis]
    return jax.ShapeDtypeStruct(tuple(shape), value.dtype)


def _length(boxes: Sequence[Tensor], axes: Sequence[Any], cells: Sequence[Any]) -> int:
    """How many lanes there are."""
    lengths = {box.shape[axis] for box, axis in zip(boxes, axes, strict=True) if axis is not None}
    if len(lengths) > 1:
        raise RuntimeError(f"`vmap`: the mapped axes must have one length. Received: {sorted(lengths)}.")
    if not lengths and not cells:
        raise RuntimeError("`vmap`: at least one Tensor must be mapped. Received: in_axes with None for all.")
    return lengths.pop() if lengths else len(cells)


_run_vmap = transformation(_vmap)


def vmap(fn: Callable, in_axes: Any = 0, out_axes: Any = 0) -> Callable:
    """A function that maps `fn` over an axis of its inputs, as one vectorised computation.

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
    def mapped(*args: Any, **kwargs: Any) -> Any:
        return _run_vmap(fn, (in_axes, out_axes), args, kwargs)

    return mapped


# ---------------------------------------------------------------------- forward mode and Jacobians


def _aux(out: tuple) -> Any:
    """The outputs after the first: alone if it is one."""
    return out[1] if len(out) == 2 else out[1:]


def _as_tuple(values: Any) -> tuple:
    return tuple(values) if isinstance(values, list | tuple) else (values,)


def _forward(
    fn: Callable, boxes: Sequence[Tensor], tangents: Sequence[Tensor]
) -> tuple[lift.Traced, list[tape.Var]]:
    """Outputs, written values and the outputs' tangents of `fn`, as one operator."""
    with swapped(mode=DEFAULT):
        traced = lift.trace(fn, tuple(boxes), {}, through=True)
    n = len(boxes)
    captured = traced.read(boxes)

    def both(*values: Any) -> list[Any]:
        primals, moved, rest = values[:n], values[n : 2 * n], values[2 * n :]
        out, out_moved = _jvp_of(lambda *inputs: traced.fn(*inputs, *rest), traced.closed, primals, moved)
        return [*out, *out_moved[: traced.outputs]]

    values, refs = places([*boxes, *tangents, *captured])
    out, node = tape.execute(tape.Program(both, "jvp"), values, refs)
    return traced, tape.variables(out, node)


def _jvp_of(
    fn: Callable, closed: Any, primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """`jax.jvp`, or twice `jax.vjp` where a custom derivative has only a reverse mode."""
    if not compiling.contains(closed.jaxpr, "custom_vjp"):
        return jax.jvp(fn, tuple(primals), tuple(tangents))
    out, pullback = jax.vjp(fn, *primals)
    _, again = jax.vjp(lambda cts: pullback(cts), [jnp.zeros_like(o) for o in out])
    return out, again(tuple(tangents))[0]


def _jvp(fn: Callable, options: Any, inputs: Any, v: Any) -> Any:
    has_aux = options
    boxes, tangents = tensors_in(inputs), tensors_in(v)
    _check_tangents(boxes, tangents)
    traced, results = _forward(fn, boxes, tangents)
    count = len(traced.closed.out_avals)
    out = traced.finish(results[:count], boxes)
    moved = iter([wrap(*result) for result in results[count:]])
    if not has_aux:
        return out, trees.map(lambda _: next(moved), out, is_leaf=lift.is_tensor)
    if not isinstance(out, tuple) or len(out) < 2:
        raise ValueError("When 'has_aux' is True, the function must return more than one output.")
    first = trees.map(lambda _: next(moved), out[0], is_leaf=lift.is_tensor)
    return out[0], first, _aux(out)


def _check_tangents(boxes: Sequence[Tensor], tangents: Sequence[Tensor]) -> None:
    if len(boxes) != len(tangents):
        raise ValueError(
            f"`jvp`: `inputs` and `v` must have as many Tensors. Received: {len(boxes)}, {len(tangents)}."
        )
    for box, tangent in zip(boxes, tangents, strict=True):
        if box.shape != tangent.shape or box.dtype != tangent.dtype:
            raise (ValueError if box.shape != tangent.shape else TypeError)(
                "`jvp`: `inputs` and `v` must have the same shapes and dtypes. "
                f"Received: {box.shape} {box.dtype}, {tangent.shape} {tangent.dtype}."
            )


_run_jvp = transformation(_jvp)


def jvp(fn: Callable, inputs: Any, v: Any, has_aux: bool = False) -> Any:
    """Outputs of `fn` and their directional derivative along `v`, by forward mode.

    Args:
        fn: function or Cell over Tensors.
        inputs: Tensor, or tuple or list of Tensors: its arguments.
        v: tangents, of the shapes and dtypes of `inputs`.
        has_aux: differentiate the first output only.

    Returns:
        (outputs, tangents of the outputs), or with `has_aux` (first output, its tangent, the other outputs).

    Raises:
        TypeError: if `fn` cannot be called or an input is no Tensor.
        ValueError: if `v` does not fit `inputs`.

    Examples:
        >>> import msjax as ms
        >>> y, dy = ms.jvp(lambda x: x * x, ms.Tensor(3.0), ms.Tensor(1.0))
        >>> print(y, dy)
        9.0 6.0
    """
    _check_tensors("jvp", fn, inputs, v)
    return _run_jvp(fn, has_aux, (_as_tuple(inputs), _as_tuple(v)), {})


def _check_tensors(what: str, fn: Any, *groups: Any) -> None:
    if not callable(fn):
        raise TypeError(f"`{what}`: argument `fn` must be a function or a Cell. Received: {fn!r}.")
    for group in groups:
        for leaf in jax.tree.leaves(_as_tuple(group), is_leaf=lift.is_tensor):
            if not isinstance(leaf, Tensor):
                raise TypeError(
                    f"`{what}`: inputs must be Tensors. Received: {leaf!r} ({type(leaf).__name__})."
                )


def vjp(fn: Callable, *inputs: Any, weights: Any = None, has_aux: bool = False) -> Any:
    """Outputs of `fn` and a function from gradients of the outputs to gradients of the inputs.

    Args:
        fn: function or Cell over Tensors.
        inputs: its arguments.
        weights: Parameters whose gradients are wanted too.
        has_aux: differentiate the first output only.

    Returns:
        (outputs, vjp_fn), or with `has_aux` (first output, vjp_fn, the other outputs). `vjp_fn` gives a tuple with a
        gradient for each input, and with `weights` a pair of that and their gradients. It can be called again.

    Raises:
        TypeError: if `fn` cannot be called or an input is no Tensor.

    Examples:
        >>> import msjax as ms
        >>> y, pull = ms.vjp(lambda x: x * x, ms.Tensor([1.0, 2.0]))
        >>> print(pull(ms.Tensor([1.0, 10.0]))[0])
        [ 2. 40.]
    """
    _check_tensors("vjp", fn, inputs)
    listed = _weights(weights, "vjp")
    with recording() as scope:
        asked = Gradients(inputs, {}, range(len(inputs)), listed)
        out = steered(fn)(*asked.args)
        if has_aux and (not isinstance(out, tuple) or len(out) < 2):
            raise ValueError("When 'has_aux' is True, the function must return more than one output.")
        outputs = tensors_in(out[0] if has_aux else out)
        refs = [node_of(resolve(box)) for box in outputs]
        del scope

    def pull(*sens: Any) -> Any:
        seeds = _seeds(sens[0] if len(sens) == 1 else sens, outputs)
        gradients, of_weights = asked.collect(_pulled(outputs, refs, seeds, asked))
        first = tuple(gradients)
        return first if weights is None else (first, arranged([], of_weights, None, weights))

    return (out[0], pull, _aux(out)) if has_aux else (out, pull)


def _pulled(outputs: list[Tensor], refs: list[Any], seeds: Sequence[Any], asked: Gradients) -> list[Tensor]:
    roots = [
        (ref, _seed(resolve(box), ref, seed))
        for box, ref, seed in zip(outputs, refs, seeds, strict=True)
        if ref is not None
    ]
    stops = {id(ref[0]) for ref, _ in asked.targets}
    nodes, foreign = walk.reachable([ref[0] for ref, _ in roots], stops)
    create = foreign or any(seed[1] is not None for _, seed in roots)
    with swapped(mode=DEFAULT):
        found = walk.walk(roots, nodes, [ref for ref, _ in asked.targets], stops, create=create, keep=True)
    return [_result(box, found.get((id(ref[0]), ref[1]))) for ref, box in asked.targets]


def _jacobian(fn: Callable, options: Any, *args: Any) -> Any:
    transform, grad_position, has_aux = options
    positions = _positions(grad_position, "jacobian")
    if any(position >= len(args) for position in positions):
        raise ValueError(
            f"`jacobian`: argument `grad_position` must be below the number of inputs, {len(args)}. "
            f"Received: {grad_position}."
        )
    boxes = tensors_in(args)
    with swapped(mode=DEFAULT):
        traced = lift.trace(fn, args, {}, through=True)
    chosen = [i for i, box in enumerate(boxes) if any(box is args[p] for p in positions)]
    count = traced.outputs if not has_aux else 1
    total = len(traced.closed.out_avals)

    def run(*values: Any) -> list[Any]:
        def restricted(*inputs: Any) -> tuple[list[Any], list[Any]]:
            full = list(values)
            for i, value in zip(chosen, inputs, strict=True):
                full[i] = value
            out = traced.fn(*full)
            return out[:count], out

        jacobians, out = transform(restricted, argnums=tuple(range(len(chosen))), has_aux=True)(
            *[values[i] for i in chosen]
        )
        return [*out, *jax.tree.leaves(jacobians)]

    results, _ = apply("jacobian", traced, run, boxes)
    out = traced.finish(results[:total], boxes)
    found = [wrap(*result) for result in results[total:]]
    rows = [tuple(found[i * len(chosen) : (i + 1) * len(chosen)]) for i in range(count)]
    rows = [row if isinstance(grad_position, tuple) else row[0] for row in rows]
    jacobian: Any = tuple(rows) if isinstance(out, tuple) and not has_aux else rows[0]
    return (jacobian, _aux(out)) if has_aux else jacobian


_run_jacobian = transformation(_jacobian)


def _jacobian_of(transform: Callable, what: str, fn: Callable, grad_position: Any, has_aux: bool) -> Callable:
    if not callable(fn):
        raise ValueError(f"`{what}`: argument `fn` must be a function or a Cell. Received: {fn!r}.")
    if grad_position is None:
        raise TypeError(
            f"`{what}`: argument `grad_position` must be an int or a tuple of ints. Received: None."
        )
    _positions(grad_position, what)

    @functools.wraps(fn, updated=())
    def jacobian(*args: Any) -> Any:
        return _run_jacobian(fn, (transform, grad_position, has_aux), args, {})

    return jacobian


def jacfwd(fn: Callable, grad_position: Any = 0, has_aux: bool = False) -> Callable:
    """A function that computes the Jacobian of `fn` by forward mode, which suits few inputs and many outputs.

    Args:
        fn: function or Cell over Tensors.
        grad_position: input or inputs to differentiate by.
        has_aux: differentiate the first output only, and return (Jacobian, the other outputs).

    Examples:
        >>> import msjax as ms
        >>> print(ms.jacfwd(lambda x: x * x)(ms.Tensor([1.0, 2.0])))
        [[2. 0.]
         [0. 4.]]
    """
    return _jacobian_of(jax.jacfwd, "jacfwd", fn, grad_position, has_aux)


def jacrev(fn: Callable, grad_position: Any = 0, has_aux: bool = False) -> Callable:
    """A function that computes the Jacobian of `fn` by reverse mode, which suits many inputs and few outputs.

    Args:
        fn: function or Cell over Tensors.
        grad_position: input or inputs to differentiate by.
        has_aux: differentiate the first output only, and return (Jacobian, the other outputs).

    Examples:
        >>> import msjax as ms
        >>> print(ms.jacrev(lambda x: x * x)(ms.Tensor([1.0, 2.0])))
        [[2. 0.]
         [0. 4.]]
    """
    return _jacobian_of(jax.jacrev, "jacrev", fn, grad_position, has_aux)


# ---------------------------------------------------------------------- recompute


def _recompute(fn: Callable, options: Any, *args: Any, **kwargs: Any) -> Any:
    boxes = tensors_in((args, kwargs))
    traced = lift.trace(fn, args, kwargs, through=True)
    results, _ = apply("recompute", traced, jax.checkpoint(traced.fn), boxes)
    return traced.finish(results, boxes)


_run_recompute = transformation(_recompute)


_RECOMPUTE_OPTIONS = frozenset({"use_reentrant", "output_recompute", "early_stop", "context_fn"})


def recompute(block: Callable, *args: Any, **kwargs: Any) -> Any:
    """Call `block`, saving for its gradient nothing but its inputs; the backward pass computes the rest again.

    Args:
        block: function or Cell over Tensors.
        args: its arguments.
        kwargs: its keyword arguments; and `use_reentrant`, `output_recompute`, `early_stop`, which make no difference here,
            and `context_fn`, which must be None.

    Raises:
        TypeError: if `block` cannot be called.
        ValueError: if `context_fn` is given.

    Examples:
        >>> import msjax as ms
        >>> print(ms.grad(lambda x: ms.recompute(lambda v: v * v * v, x))(ms.Tensor(2.0)))
        12.0
    """
    if not callable(block):
        raise TypeError(f"`recompute`: argument `block` must be a function or a Cell. Received: {block!r}.")
    if kwargs.get("context_fn") is not None:
        raise ValueError("`recompute`: argument `context_fn` must be None: the recomputed part is compiled.")
    kept = {name: value for name, value in kwargs.items() if name not in _RECOMPUTE_OPTIONS}
    return _run_recompute(block, None, args, kept)
