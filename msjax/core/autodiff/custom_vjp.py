"""Custom derivatives: `Cell.bprop`, `autograd.Function`, and hooks.

Eagerly they are nodes of the tape that call back into Python. Inside a trace there may be no tape, and JAX may
differentiate the trace later: there they become `jax.custom_vjp` functions, whose captured boxes are inputs.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from msjax.core import ordered_trees
from msjax.core.op.op import values_and_refs
from msjax.core.state import DEFAULT, NO_GRAD, override_state, state
from msjax.core.tape import nodes, pullbacks
from msjax.core.tape.nodes import Var
from msjax.core.tensor.tensor import Tensor, node_of, resolve, tensors_in, wrap
from msjax.core.trace import trace
from msjax.core.xla import integer_gradients

Backward = Callable[[Any, list[Tensor]], Sequence[Tensor | None]]


class CallNode(nodes.Node):
    """A recorded step whose backward pass is a Python function over Tensors."""

    __slots__ = ("backward", "mask", "materialize", "name", "order", "saved", "tree")

    name: str
    materialize: bool
    backward: Backward | None
    saved: list[Any]
    tree: Any
    order: Any
    mask: list[bool]

    def pull(self, cotangents: list[Var | None], create_graph: bool) -> Iterable[Var | None]:
        """Call the user's backward function; return the gradients of the recorded inputs."""
        if self.backward is None:
            raise RuntimeError(
                f"`{self.name}`: trying to backward through the graph a second time, but its saved values have been "
                "freed. Specify retain_graph=True when calling .backward() or autograd.grad() the first time."
            )
        given: list[Any] = [
            self._absent(aval) if ct is None else wrap(ct[0], ct[1] if create_graph else None)
            for aval, ct in zip(self.avals, cotangents, strict=True)
        ]
        # What the user's function computes is recorded only for derivatives of the gradient.
        with override_state(mode=DEFAULT if create_graph else NO_GRAD):
            saved = jax.tree.unflatten(self.tree, [self._restore_saved(leaf) for leaf in self.saved])
            saved = ordered_trees.reorder(saved, self.order)
            gradients = list(self.backward(saved, given))
        if len(gradients) != len(self.mask):
            raise TypeError(
                f"`{self.name}`: the backward function must return a gradient for each of the {len(self.mask)} Tensor "
                f"inputs. Received: {len(gradients)}."
            )
        wanted = [gradient for gradient, m in zip(gradients, self.mask, strict=True) if m]
        return [self._variable(g, ref) for g, ref in zip(wanted, self.inputs, strict=True)]

    def _absent(self, aval: Any) -> Tensor | None:
        return wrap(jnp.zeros(aval.shape, pullbacks.gradient_dtype(aval))) if self.materialize else None

    def _restore_saved(self, leaf: object) -> Any:
        """Return what was saved, with its place in the graph: the user's function may record from there itself."""
        if not isinstance(leaf, _Saved):
            return leaf
        value: Any = leaf.value if leaf.packed is None else leaf.packed()
        ref = leaf.ref if leaf.output is None else (self, leaf.output)
        owner = (
            ref[0].owner() if ref is not None and isinstance(ref[0], nodes.Leaf) and ref[0].owner else None
        )
        if owner is not None and owner._value is value:
            return owner
        box = wrap(value, ref)
        if leaf.extra:
            box.__dict__.update(leaf.extra)
        return box

    def _variable(self, gradient: object, ref: nodes.Ref) -> Var | None:
        if gradient is None:
            return None
        box = gradient if isinstance(gradient, Tensor) else Tensor(gradient)
        box = resolve(box)
        aval = ref[0].avals[ref[1]]
        return _as_input_dtype(self.name, _sum_to_shape((box._value, node_of(box)), aval.shape), aval)

    def release(self) -> None:
        """Drop what was saved."""
        self.backward = None
        self.saved = []

    def is_released(self) -> bool:
        """Return True if it was dropped."""
        return self.backward is None


class _Saved:
    """A Tensor kept for the backward pass: value and tape reference, or the index of the output that it is."""

    # An output is remembered by index: its reference contains the node, which would otherwise keep itself alive
    # (test_memory.test_what_a_function_keeps_for_itself_keeps_no_chain_of_graphs).
    __slots__ = ("extra", "output", "packed", "ref", "value")

    def __init__(
        self, value: object, ref: nodes.Ref | None, output: int | None, extra: dict[str, Any]
    ) -> None:
        self.value, self.ref, self.output = value, ref, output
        self.extra = extra  # attributes that the user gave it
        self.packed = None if state.packing is None else state.packing.one(value)
        if self.packed is not None:
            self.value = None


def _sum_to_shape(gradient: Var, shape: tuple[int, ...]) -> Var:
    """Sum a gradient to the input's shape, if the input was broadcast before the user's derivative saw it."""
    value, ref = gradient
    ahead = len(value.shape) - len(shape)
    if (
        value.shape == shape
        or ahead < 0
        or any(n not in (1, m) for n, m in zip(shape, value.shape[ahead:], strict=True))
    ):
        return gradient
    axes = (*range(ahead), *(ahead + i for i, n in enumerate(shape) if value.shape[ahead + i] != n))

    def sum_to(v: jax.Array) -> jax.Array:
        return jnp.sum(v, axes, dtype=v.dtype).reshape(shape)

    return nodes.variables(*nodes.execute(nodes.Program(sum_to, "sum_to"), [value], [ref]))[0]


def _lowered_gradient(name: str, gradient: Any, value: Any) -> Var:
    reduced = _sum_to_shape((gradient, None), value.shape)
    # Of integers it may have a fraction in compiled functions, as in MindSpore.
    return _as_input_dtype(
        name,
        reduced,
        value if pullbacks.is_inexact(value.dtype) else pullbacks.kind(value.shape, gradient.dtype),
    )


def _as_input_dtype(name: str, gradient: Var, aval: Any) -> Var:
    """Convert a user's gradient to the dtype of its input; refuse another shape."""
    value, _ = gradient
    if value.shape != aval.shape:
        raise RuntimeError(
            f"`{name}`: a grad tensor should be broadcast to the shape of its input, {list(aval.shape)}, or have it. "
            f"Received: {list(value.shape)}."
        )
    return nodes.cast(gradient, pullbacks.gradient_dtype(aval))


def custom_call(
    name: str,
    forward: Callable,
    backward: Backward,
    args: Sequence[Any],
    weights: Sequence[Tensor] = (),
    materialize: Callable[[], bool] = lambda: True,
    integers: bool = True,
) -> Any:
    """Call `forward` as one step with a derivative of its own.

    Args:
        name: for messages.
        forward: (*args) -> (outputs, saved): any nesting of tuples, lists and dicts with Tensors in it, each.
        backward: (saved, gradients) -> one gradient per Tensor in `args`, then one per weight; None is zero.
            `gradients` has a Tensor for each Tensor among the outputs.
        args: any nesting.
        weights: boxes that `forward` captures and that `backward` gives gradients of.
        materialize: called after `forward`; True to give zeros for outputs without a gradient, instead of None.
            Inside a trace they are always zeros.
        integers: False if outputs that are integers have no gradient.

    Returns:
        The outputs. A Tensor among them with an attribute `fixed` has no gradient.
    """
    if state.frame is not None:
        return _lower_in_trace(name, forward, backward, args, weights)
    boxes = [*tensors_in(args), *weights]
    # The inputs' references are taken before `forward` runs: it may change its inputs in place.
    _, refs = values_and_refs(boxes)
    with override_state(mode=NO_GRAD):
        out, saved = forward(*args)
    if all(ref is None for ref in refs):
        return out
    leaves, tree = jax.tree.flatten(out, is_leaf=trace.is_tensor)
    outputs = [resolve(leaf) for leaf in leaves if isinstance(leaf, Tensor)]
    node = CallNode(
        tuple([ref for ref in refs if ref is not None]), [pullbacks.tangent(box._value) for box in outputs]
    )
    node.name, node.backward, node.materialize = name, backward, materialize()
    node.mask = [ref is not None for ref in refs]
    outs = {id(box): i for i, box in enumerate(outputs)}
    kept, node.tree = jax.tree.flatten(saved, is_leaf=trace.is_tensor)
    node.order = ordered_trees.order(saved)
    node.saved = [_keep_leaf(leaf, outs) for leaf in kept]
    each = itertools.count()
    results = [_output(leaf, node, each, integers) for leaf in leaves]
    return ordered_trees.reorder(jax.tree.unflatten(tree, results), ordered_trees.order(out))


def _keep_leaf(leaf: object, outs: dict[int, int]) -> Any:
    if not isinstance(leaf, Tensor):
        return leaf
    box = resolve(leaf)
    box._owned = False
    extra = {name: thing for name, thing in vars(leaf).items() if name[0] != "_" and name != "fixed"}
    return _Saved(box._value, node_of(box), outs.get(id(box)), extra)


def _output(leaf: object, node: CallNode, each: Iterator[int], integers: bool) -> Any:
    if not isinstance(leaf, Tensor):
        return leaf
    value = resolve(leaf)._value
    i = next(each)
    differentiable = (integers or pullbacks.is_inexact(value.dtype)) and not hasattr(leaf, "fixed")
    return wrap(value, (node, i) if differentiable else None)


def _lower_in_trace(
    name: str, forward: Callable, backward: Backward, args: Sequence[object], weights: Sequence[Tensor]
) -> Any:
    """Do the same inside a trace: trace both passes now, and put them together as a `jax.custom_vjp`."""
    boxes = tensors_in(args)
    # Differentiable even under `no_grad`: what differentiates later is JAX, which knows no mode.
    ahead = trace.trace(forward, tuple(args), {}, same_values=True, differentiable=True)
    out, saved = _result_structure(ahead)
    shapes = [resolve(box)._value for box in tensors_in(out)]

    def back(saved: object, given: list[Tensor]) -> list[Any]:
        # In Tensors of its own, which the user's function may change in place.
        own = lambda box: wrap(resolve(box)._value) if isinstance(box, Tensor) else box  # noqa: E731
        saved, given = ordered_trees.map(own, (saved, given), is_leaf=trace.is_tensor)
        return [
            False if g is None else wrap(*_lowered_gradient(name, resolve(g)._value, resolve(box)._value))
            for g, box in zip(backward(saved, given), [*boxes, *weights], strict=True)
        ]

    zeros = [wrap(jnp.zeros(s.shape, s.dtype)) for s in shapes]
    behind = trace.trace(back, (saved, zeros), {}, differentiable=True)
    if behind.written:
        raise RuntimeError(
            f"`{name}`: its backward function changes a Tensor that exists outside of it, which a compiled or transformed "
            "function cannot do. Return the value as a gradient, or differentiate eagerly."
        )
    return _assemble(name, ahead, behind, boxes, weights, len(shapes))


def _result_structure(traced: trace.Traced) -> Any:
    """Return the result structure of a traced function, with boxes of zeros in place of its Tensors."""
    avals = iter(traced.closed.out_avals)
    leaves = [
        wrap(jnp.zeros((aval := next(avals)).shape, aval.dtype)) if static is trace.DYNAMIC else static
        for static in traced.statics
    ]
    return traced.rebuild(leaves)


def _assemble(
    name: str,
    ahead: trace.Traced,
    behind: trace.Traced,
    boxes: list[Tensor],
    weights: Sequence[Tensor],
    outputs: int,
) -> Any:
    """Build one operator of (arguments, weights, captures of both passes) with the traced derivative."""
    n, m, a = len(boxes), len(weights), len(ahead.captured)
    present = iter(behind.closed.out_avals)
    slots = [next(present, None) if static is trace.DYNAMIC else None for static in behind.statics]
    total = ahead.outputs
    outvars = ahead.closed.jaxpr.outvars
    # Saved Tensors that are outputs as well, by position: equal variables of the jaxpr are the same array.
    twins = {
        i: outvars[:outputs].index(var) for i, var in enumerate(outvars[:total]) if var in outvars[:outputs]
    }

    @jax.custom_vjp
    def call(*values: jax.Array) -> list[Any]:
        return ahead.fn(*values[:n], *values[n + m : n + m + a])

    # The forward pass stands here twice, as itself and as the custom function; XLA merges the two.
    def call_forward(*values: jax.Array) -> tuple[list[Any], Any]:
        # What is saved is differentiated as it was computed, unless it is an output: that has the custom derivative.
        results = call(*values)
        plain = ahead.fn(*values[:n], *values[n + m : n + m + a])
        saved = [results[twins[i]] if i in twins else plain[i] for i in range(outputs, total)]
        return results, (values, saved)

    def gradients_of(kept: Any, cotangents: Sequence[object]) -> list[Any]:
        values, saved = kept
        given = [_cotangent(ct, var.aval) for ct, var in zip(cotangents[:outputs], outvars, strict=False)]
        found = iter(behind.fn(*saved, *given, *values[n + m + a :]))
        return [None if slot is None else pullbacks.conjugate(next(found)) for slot in slots]

    def call_backward(kept: Any, cotangents: list[jax.Array]) -> tuple:
        values = kept[0]
        gradients = gradients_of(kept, cotangents)
        return (
            *[g if pullbacks.is_inexact(v.dtype) else None for g, v in zip(gradients, values, strict=False)],
            *[None] * (len(values) - n - m),
        )

    call.defvjp(call_forward, call_backward)
    captured = [*ahead.read(boxes), *behind.read([])]
    values, refs = values_and_refs([*boxes, *weights, *captured])
    run: Callable = call
    if not all(pullbacks.is_inexact(value.dtype) for value in values[: n + m]):
        fractions = [slot is not None and pullbacks.is_inexact(slot.dtype) for slot in slots]
        run = _of_integers(name, call, call_forward, gradients_of, fractions)
    results, node = nodes.execute(nodes.Program(run, name), values, refs)
    out, _ = ahead.finish(nodes.variables(results, node), boxes)
    return out


def _cotangent(ct: Any, aval: Any) -> jax.Array:
    """Return the gradient of an output as the user's function gets it: of integers it is integers."""
    if pullbacks.is_inexact(aval.dtype):
        return pullbacks.conjugate(ct)
    if ct.dtype == jax.dtypes.float0:
        return jnp.zeros(aval.shape, aval.dtype)
    return integer_gradients.as_integer(ct, aval.dtype)


_number = itertools.count().__next__


def _of_integers(
    name: str, call: Callable, call_forward: Callable, gradients_of: Callable, fractions: Sequence[bool]
) -> Callable:
    """Return `call` for integers among the inputs, for which JAX has no custom derivatives."""

    @jax.custom_vjp
    def on_floats(values: list[jax.Array], moved: list[jax.Array]) -> list[jax.Array]:
        return [v if pullbacks.is_inexact(v.dtype) else integer_gradients.as_floats(v) for v in call(*values)]

    def forward(values: list[jax.Array], moved: list[jax.Array]) -> tuple[list[jax.Array], Any]:
        results, kept = call_forward(*values)
        floats = [v if pullbacks.is_inexact(v.dtype) else integer_gradients.as_floats(v) for v in results]
        return floats, (kept, moved)

    def backward(kept: Any, cotangents: list[jax.Array]) -> tuple:
        found = gradients_of(kept[0], cotangents)
        values, dtype = kept[0][0], integer_gradients.shadow_dtype()
        found += [None] * (len(values) - len(found))
        of_floats = [g if pullbacks.is_inexact(v.dtype) else None for g, v in zip(found, values, strict=True)]
        of_integers = [g for g, v in zip(found, values, strict=True) if not pullbacks.is_inexact(v.dtype)]
        zeros = [
            jnp.zeros_like(m) if g is None else g.astype(dtype)
            for g, m in zip(of_integers, kept[1], strict=True)
        ]
        return of_floats, zeros

    on_floats.defvjp(forward, backward)

    def formula(values: list[Any], shadows: list[Any]) -> list[jax.Array]:
        moved = []
        for i, (value, shadow) in enumerate(zip(values, shadows, strict=True)):
            if shadow is not None:
                moved.append(shadow.fractional() if i < len(fractions) and fractions[i] else shadow.value)
            elif not pullbacks.is_inexact(value.dtype):
                moved.append(integer_gradients.as_floats(value))
        return on_floats(list(values), moved)

    return integer_gradients.with_formula(f"{name}_{_number()}", call, formula)
