"""Transformations (jvp, vjp, Jacobians, recompute): trace, apply JAX's transformation, call the result as one operator."""

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr

from msjax.core import ordered_trees
from msjax.core.autodiff.grad import (
    Gradients,
    _positions,
    _result,
    _seed,
    _seeds,
    _weights,
    arrange_gradients,
    recording,
)
from msjax.core.autograph.conversion import convert_callback
from msjax.core.jit.compiled import Compiled
from msjax.core.op.op import values_and_refs
from msjax.core.state import DEFAULT, override_state, state
from msjax.core.tape import backward, pullbacks
from msjax.core.tape import nodes as tape_nodes
from msjax.core.tensor.tensor import Tensor, node_of, resolve, tensors_in, wrap
from msjax.core.trace import trace
from msjax.core.trace.stateful import calls_users_code
from msjax.core.xla import integer_gradients, jaxpr_queries

_compiled: weakref.WeakKeyDictionary[Any, dict[Any, Compiled]] = weakref.WeakKeyDictionary()


def transformation(inside: Callable) -> Callable:
    """Make a transformation of `inside(fn, options, *args, **kwargs)`, which runs within a trace.

    Called eagerly, it is compiled as a whole, once per function and options, like anything under `jit`.
    """

    def run(fn: Callable, options: object, args: Sequence[object], kwargs: dict[str, Any]) -> Any:
        if state.frame is not None:
            return inside(fn, options, *args, **kwargs)
        # A bound method is made anew at each access; its object and its function are what stays the same.
        owner, part = (
            (fn.__self__, fn.__func__) if hasattr(fn, "__self__") and hasattr(fn, "__func__") else (fn, None)
        )
        # Weakly by the owner: programs go with the function or Cell that they were made for.
        try:
            known = _compiled.setdefault(owner, {})
        except TypeError:
            known = {}
        key = (inside, part, _hashable(options))
        if key not in known:
            reference = _weak(fn)

            @calls_users_code
            def call(*args: object, **kwargs: object) -> Any:
                return inside(reference(), options, *args, **kwargs)

            call.__name__ = f"{inside.__name__.strip('_')}({getattr(fn, '__name__', type(fn).__name__)})"
            call.__wrapped__ = None  # type: ignore[attr-defined]
            made = known[key] = Compiled(call, reads=reference)
            # Eager code called it: what it writes reaches the Tensors outside.
            made._detaches = False
        return known[key](*args, **kwargs)

    return run


def _weak(fn: Callable) -> Callable[[], Callable]:
    """Return a function that returns `fn` without keeping it alive, if `fn` can be referred to weakly."""
    try:
        return (
            weakref.WeakMethod(fn) if hasattr(fn, "__self__") and hasattr(fn, "__func__") else weakref.ref(fn)
        )  # type: ignore[return-value]
    except TypeError:
        return lambda: fn


def _hashable(options: object) -> Any:
    if isinstance(options, list | tuple):
        return type(options), tuple(_hashable(o) for o in options)
    return options


def call_as_operator(
    name: str, traced: trace.Traced, fn: Callable, boxes: Sequence[Tensor]
) -> tuple[list[tape_nodes.Var], list[Tensor]]:
    """Call a transformed pure function of (arguments, captures) as one operator, which the tape records.

    Args:
        name: for messages and profiles.
        traced: the function that was traced.
        fn: (*arrays of the arguments, *arrays of the captures) -> list of arrays.
        boxes: the Tensors among the arguments, in order (`tensors_in`).

    Returns:
        The results, for `traced.finish`; and the captured Tensors.
    """
    captured = traced.read(boxes)
    values, refs = values_and_refs([*boxes, *captured])
    out, node = tape_nodes.execute(tape_nodes.Program(fn, name), values, refs)
    return tape_nodes.variables(out, node), captured


# ---------------------------------------------------------------------- forward mode and Jacobians


def _aux(out: tuple) -> Any:
    """Return the outputs after the first: alone if it is one."""
    return out[1] if len(out) == 2 else out[1:]


def _as_tuple(values: object) -> tuple:
    return tuple(values) if isinstance(values, list | tuple) else (values,)


def _forward(
    fn: Callable, boxes: Sequence[Tensor], tangents: Sequence[Tensor]
) -> tuple[trace.Traced, list[tape_nodes.Var]]:
    """Compute outputs, written values and the outputs' tangents of `fn`, as one operator."""
    traced = trace.trace(fn, tuple(boxes), {}, same_values=True, differentiable=True, detaches=True)
    n = len(boxes)
    captured = traced.read(boxes)

    def both(*values: jax.Array) -> list[jax.Array]:
        primals, moved, rest = values[:n], values[n : 2 * n], values[2 * n :]
        out, out_moved = _jvp_of(lambda *inputs: traced.fn(*inputs, *rest), traced.closed, primals, moved)
        return [*out, *out_moved[: traced.outputs]]

    values, refs = values_and_refs([*boxes, *tangents, *captured])
    out, node = tape_nodes.execute(tape_nodes.Program(both, "jvp"), values, refs)
    return traced, tape_nodes.variables(out, node)


def _jvp_of(
    fn: Callable, closed: ClosedJaxpr, primals: Sequence[jax.Array], tangents: Sequence[jax.Array]
) -> tuple[list[jax.Array], list[jax.Array]]:
    """Compute `jax.jvp`; by two `jax.vjp` where a custom derivative has only a reverse mode."""
    if _moves_integers(closed, primals):
        # Reverse mode alone knows where gradients become integers.
        lifted = integer_gradients.Lifted(fn, primals, range(len(primals)))
        along = [t if pullbacks.is_inexact(t.dtype) else integer_gradients.as_floats(t) for t in tangents]
        _, moved = _jvp_by_vjp(lambda *given: lifted.push_forward(*given)[0], lifted.floats, along)
        out = fn(*primals)
        return out, lifted.place(moved, out)
    if not jaxpr_queries.contains(closed.jaxpr, "custom_vjp"):
        return jax.jvp(fn, tuple(primals), tuple(tangents))
    return _jvp_by_vjp(fn, primals, tangents)


def _moves_integers(closed: ClosedJaxpr, primals: Sequence[jax.Array]) -> bool:
    """Return True if there are integers to differentiate by, or gradients pass through some."""
    return not all(pullbacks.is_inexact(p.dtype) for p in primals) or integer_gradients.opens(closed.jaxpr)


def _jvp_by_vjp(
    fn: Callable, primals: Sequence[jax.Array], tangents: Sequence[jax.Array]
) -> tuple[list[jax.Array], list[jax.Array]]:
    # The pullback is linear in the cotangents, so its transpose is the forward derivative.
    out, pullback = jax.vjp(fn, *primals)
    _, again = jax.vjp(lambda cts: pullback(cts), [jnp.zeros_like(o) for o in out])
    return out, again(tuple(tangents))[0]


def _jvp(fn: Callable, options: object, inputs: object, v: Any) -> Any:
    has_aux = options
    boxes, tangents = tensors_in(inputs), tensors_in(v)
    _check_tangents(boxes, tangents)
    traced, results = _forward(fn, boxes, tangents)
    count = len(traced.closed.out_avals)
    out = traced.finish(results[:count], boxes)
    moved = iter([wrap(*result) for result in results[count:]])
    if not has_aux:
        return out, ordered_trees.map(lambda _: next(moved), out, is_leaf=trace.is_tensor)
    if not isinstance(out, tuple) or len(out) < 2:
        raise ValueError("When 'has_aux' is True, the function must return more than one output.")
    first = ordered_trees.map(lambda _: next(moved), out[0], is_leaf=trace.is_tensor)
    return out[0], first, _aux(out)


def _check_tangents(boxes: Sequence[Tensor], tangents: Sequence[Tensor]) -> None:
    if len(boxes) != len(tangents):
        raise (ValueError if tangents else TypeError)(
            f"`jvp`: `inputs` and `v` must have the same number of Tensors. Received: {len(boxes)}, {len(tangents)}."
        )
    for box, tangent in zip(boxes, tangents, strict=True):
        if box.shape != tangent.shape or box.dtype != tangent.dtype:
            raise (ValueError if box.shape != tangent.shape else TypeError)(
                "`jvp`: `inputs` and `v` must have the same shapes and dtypes. "
                f"Received: {box.shape} {box.dtype}, {tangent.shape} {tangent.dtype}."
            )


_run_jvp = transformation(_jvp)


def jvp(fn: Callable, inputs: object, v: object, has_aux: bool = False) -> Any:
    """Compute the outputs of `fn` and their directional derivative along `v`, by forward mode.

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


def _check_tensors(what: str, fn: object, *groups: object) -> None:
    if not callable(fn):
        raise TypeError(f"`{what}`: argument `fn` must be a function or a Cell. Received: {fn!r}.")
    for group in groups:
        for leaf in jax.tree.leaves(_as_tuple(group), is_leaf=trace.is_tensor):
            if not isinstance(leaf, Tensor):
                raise TypeError(
                    f"`{what}`: inputs must be Tensors. Received: {leaf!r} ({type(leaf).__name__})."
                )


def vjp(fn: Callable, *inputs: Any, weights: Any = None, has_aux: bool = False) -> Any:
    """Compute the outputs of `fn`; also return a function from gradients of outputs to gradients of inputs.

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
        out = convert_callback(fn)(*asked.args)
        if has_aux and (not isinstance(out, tuple) or len(out) < 2):
            raise ValueError("When 'has_aux' is True, the function must return more than one output.")
        outputs = tensors_in(out[0] if has_aux else out)
        refs = [node_of(resolve(box)) for box in outputs]
        del scope

    def pull(*sens: Any) -> Any:
        _check_cotangents(sens, outputs)
        seeds = _seeds(sens[0] if len(sens) == 1 else sens, outputs)
        gradients, of_weights = asked.collect(_pull_back(outputs, refs, seeds, asked))
        first = tuple(gradients)
        return first if weights is None else (first, arrange_gradients([], of_weights, None, weights))

    return (out[0], pull, _aux(out)) if has_aux else (out, pull)


def _check_cotangents(sens: tuple, outputs: list[Tensor]) -> None:
    """Refuse gradients that do not fit the outputs in number or dtype."""
    given = jax.tree.leaves(sens, is_leaf=lambda x: x is None or trace.is_tensor(x))
    wanted = [box.dtype for box in outputs]
    if [box.dtype if isinstance(box, Tensor) else None for box in given] != wanted:
        raise TypeError(
            f"`vjp_fn`: its arguments must be Tensors of the outputs' dtypes, {', '.join(map(str, wanted))}. Received: "
            f"{', '.join(str(box.dtype) if isinstance(box, Tensor) else repr(box) for box in given) or 'none'}."
        )


def _pull_back(
    outputs: list[Tensor],
    refs: list[tape_nodes.Ref | None],
    seeds: Sequence[Tensor | None],
    asked: Gradients,
) -> list[Tensor]:
    roots = [
        (ref, _seed(resolve(box), ref, seed))
        for box, ref, seed in zip(outputs, refs, seeds, strict=True)
        if ref is not None
    ]
    stops = {id(ref[0]) for ref, _ in asked.targets}
    nodes, foreign = backward.reachable([ref[0] for ref, _ in roots], stops)
    # retain_graph: `vjp_fn` may be called again. create_graph: the result is differentiable by a seed that is recorded.
    create_graph = foreign or any(seed[1] is not None for _, seed in roots)
    with override_state(mode=DEFAULT):
        found = backward.walk(
            roots,
            nodes,
            [ref for ref, _ in asked.targets],
            stops,
            create_graph=create_graph,
            retain_graph=True,
        )
    return [_result(box, found.get((id(ref[0]), ref[1])), ref) for ref, box in asked.targets]


def _jacobian(fn: Callable, options: Any, *args: Any) -> Any:
    transform, grad_position, has_aux = options
    positions = _positions(grad_position, "jacobian")
    if any(position >= len(args) for position in positions):
        raise ValueError(
            f"`jacobian`: argument `grad_position` must be below the number of inputs, {len(args)}. "
            f"Received: {grad_position}."
        )
    boxes = tensors_in(args)
    traced = trace.trace(fn, args, {}, same_values=True, differentiable=True, detaches=True)
    chosen = [i for i, box in enumerate(boxes) if any(box is args[p] for p in positions)]
    integers = _moves_integers(traced.closed, [resolve(boxes[i])._value for i in chosen])
    if any(not pullbacks.is_inexact(resolve(boxes[i])._value.dtype) for i in chosen):
        _refuse_integers(transform, traced)
    if integers or jaxpr_queries.contains(traced.closed.jaxpr, "custom_vjp"):
        transform = jax.jacrev  # a custom derivative has only a reverse mode
    count = traced.outputs if not has_aux else 1
    total = len(traced.closed.out_avals)

    def run(*values: jax.Array) -> list[jax.Array]:
        def restricted(*inputs: Any) -> tuple[list[jax.Array], list[jax.Array]]:
            full = list(values)
            for i, value in zip(chosen, inputs, strict=True):
                full[i] = value
            out = traced.fn(*full)
            return out[:count], out

        given = [values[i] for i in chosen]
        if not integers:
            jacobians, out = transform(restricted, argnums=tuple(range(len(chosen))), has_aux=True)(*given)
            return [*out, *jax.tree.leaves(jacobians)]
        return _integer_jacobian(traced.fn, values, chosen, count)

    results, _ = call_as_operator("jacobian", traced, run, boxes)
    out = traced.finish(results[:total], boxes)
    found = [wrap(*result) for result in results[total:]]
    # One row per output, one column per input, as jax.jacrev's nesting is flattened.
    rows = [tuple(found[i * len(chosen) : (i + 1) * len(chosen)]) for i in range(count)]
    rows = [row if isinstance(grad_position, tuple) else row[0] for row in rows]
    jacobian: Any = tuple(rows) if isinstance(out, tuple) and not has_aux else rows[0]
    return (jacobian, _aux(out)) if has_aux else jacobian


def _refuse_integers(transform: Callable, traced: trace.Traced) -> None:
    """Raise what MindSpore does, whose unit vectors are floating: there is `jacrev` of floating outputs alone."""
    outputs = traced.closed.out_avals[: traced.outputs]
    if transform is jax.jacfwd or not all(pullbacks.is_inexact(aval.dtype) for aval in outputs):
        raise TypeError(
            "`jacobian`: the inputs named by `grad_position` and the outputs must be of a floating dtype; integers have a "
            "Jacobian by `jacrev` alone, of floating outputs. Received: an input or output of integers."
        )


def _integer_jacobian(
    fn: Callable, values: Sequence[jax.Array], chosen: Sequence[int], count: int
) -> list[jax.Array]:
    """Return the outputs, then the Jacobian of each of the first ones by each chosen input; some inputs are integers."""
    lifted = integer_gradients.Lifted(lambda *values: fn(*values)[:count], values, chosen)
    rows, out = jax.jacrev(lifted.push_forward, argnums=tuple(range(len(chosen))), has_aux=True)(
        *lifted.floats
    )
    found, each = list(fn(*values)), iter(rows)
    for value, shadow in zip(out, lifted.shadows, strict=True):
        known = next(each) if shadow is not None or pullbacks.is_inexact(value.dtype) else None
        for column, i in enumerate(chosen):
            dtype = values[i].dtype
            if known is None:
                found.append(jnp.zeros((*value.shape, *values[i].shape), dtype))
            elif pullbacks.is_inexact(dtype):
                found.append(known[column])
            elif i in lifted.fractions:
                found.append(known[column].astype(np.float32))
            else:
                found.append(integer_gradients.as_integer(known[column], dtype))
    return found


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
    def jacobian(*args: object) -> Any:
        return _run_jacobian(fn, (transform, grad_position, has_aux), args, {})

    return jacobian


def jacfwd(fn: Callable, grad_position: object = 0, has_aux: bool = False) -> Callable:
    """Return a function that computes the Jacobian of `fn` by forward mode, for few inputs and many outputs.

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


def jacrev(fn: Callable, grad_position: object = 0, has_aux: bool = False) -> Callable:
    """Return a function that computes the Jacobian of `fn` by reverse mode, for many inputs and few outputs.

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


def _recompute(fn: Callable, options: object, *args: object, **kwargs: object) -> Any:
    boxes = tensors_in((args, kwargs))
    traced = trace.trace(fn, args, kwargs, same_values=True, effects=True)
    # `compiler_options.of_program` sees the checkpoint and asks XLA for its memory-minimizing order: in the default one
    # recomputation starts early and saves nothing (docs/performance.md, Options).
    results, _ = call_as_operator("recompute", traced, jax.checkpoint(traced.fn), boxes)
    return traced.finish(results, boxes, (args, kwargs))


_run_recompute = transformation(_recompute)


_RECOMPUTE_OPTIONS = frozenset({"use_reentrant", "output_recompute", "early_stop", "context_fn"})


def recompute(block: Callable, *args: object, **kwargs: object) -> Any:
    """Call `block`, saving only its inputs for the gradient; the backward pass recomputes the rest (rematerialization).

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
