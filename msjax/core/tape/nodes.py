"""The tape: nodes recorded by operators for reverse-mode differentiation. `backward` runs the backward pass over them.

The tape knows arrays and references, never Tensors. A reference `(node, i)` names the i-th output of a recorded
operator; a variable is a pair (array, reference or None). A box that changes later therefore cannot change a gradient.
"""

import functools
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax.core.bounded_cache import keep
from msjax.core.state import NO_GRAD, state
from msjax.core.tape.pullbacks import (
    IntegerGradient,
    LatePullback,
    Outputs,
    Pullback,
    Residuals,
    is_array,
    is_inexact,
    kind,
    linearize,
    linearize_saving_little,
)
from msjax.core.xla import collectives, compiler_options, integer_gradients, shapes_only
from msjax.core.xla.changing_shapes import MISSING, ChangingShapes, ShapeCount, is_at_home, key_of
from msjax.core.xla.shape_templates import Key, ShapeTemplates

Ref = tuple["Node", int]
Var = tuple[jax.Array, Ref | None]

_serial = itertools.count().__next__
# So many shapes of an operator are compiled because the same backward pass came three times; others when NumPy has spent
# as much time on them as a compiler would. A loop over 390 lengths at random had otherwise more programs with each pass.
_MOST_SETTLED = 16


class Scope:
    """One running `grad`: its recorded nodes die when it ends, and its writes are undone if it raises."""

    __slots__ = ("alive", "log", "root")

    def __init__(self, outer: "Scope | None") -> None:
        # Nested scopes share the root's lifetime: an inner `grad` may be recorded by the outer one, which differentiates it
        # again, so its nodes must stay alive until the outermost scope ends.
        self.root: Scope = self if outer is None else outer.root
        self.alive = True
        # id(box) -> (box, content before the first write): what is put back if the function raises. Keeping the box itself
        # keeps its id from being reused.
        self.log: dict[int, tuple[Any, tuple]] = {}


class Node:
    """A recorded step. `inputs` are the references that can receive a gradient from it."""

    __slots__ = ("avals", "hooks", "inputs", "retained", "scope", "serial")

    def __init__(self, inputs: tuple[Ref, ...], avals: Sequence[jax.ShapeDtypeStruct | jax.Array]) -> None:
        self.inputs = inputs
        self.avals = avals  # one per output: anything with shape and dtype
        # A node is made after the nodes of its inputs, so descending serials are a topological order for the backward pass.
        self.serial = _serial()
        scope = state.scope
        self.scope: Scope | None = None if scope is None else scope.root
        self.hooks: dict[int, list[Callable[[Var], Var]]] | None = None
        self.retained: dict[int, Any] | None = None

    def alive(self) -> bool:
        """Return True if the `grad` that recorded the node is still running, or none did."""
        return self.scope is None or self.scope.alive

    def pull(self, cotangents: list[Var | None], create_graph: bool) -> Iterable[Var | None]:
        """Map the cotangents of the outputs to those of the inputs, in the order of `inputs`."""
        raise NotImplementedError

    def release(self) -> None:
        """Drop saved values that only another backward pass would need."""

    def is_released(self) -> bool:
        """Return True if the node cannot be walked again."""
        return False


class Leaf(Node):
    """End of the backward pass: an input, a Parameter, a tensor with `requires_grad`. `owner` is a weak reference."""

    __slots__ = ("owner",)

    def __init__(
        self, aval: jax.ShapeDtypeStruct | jax.Array, owner: Callable[[], Any] | None = None
    ) -> None:
        super().__init__((), (aval,))
        self.owner = owner


class TrainableLeaf(Leaf):
    """Leaf of a MindSpore Parameter, which is recorded under `enable_grad` only."""

    __slots__ = ()


class Identity(Node):
    """Identity node: the same value under a new name, so that a nested `grad` can ask for its gradient alone."""

    __slots__ = ()

    def pull(self, cotangents: list[Var | None], create_graph: bool) -> Iterable[Var | None]:
        """Return the cotangents unchanged."""
        return cotangents


class OpNode(Node):
    """One recorded call of a `Program`, with the residuals for its backward pass."""

    __slots__ = ("mask", "primals", "program", "pullback", "refs", "residuals", "walked")

    program: "Program"
    mask: tuple[bool, ...]
    pullback: Pullback
    residuals: list[jax.Array] | None
    primals: Sequence[jax.Array | jax.ShapeDtypeStruct]
    refs: Sequence[Ref | None]

    def pull(self, cotangents: list[Var | None], create_graph: bool) -> Iterable[Var | None]:
        """Call the pullback; if the backward pass is itself recorded (`create_graph`), call the adjoint program."""
        if self.residuals is None:
            # What NumPy evaluated kept its inputs, needed or not; whether it can be walked again must not depend on that.
            self.residuals = self.pullback.stand_ins()
            self.primals = self.residuals or ()
        if self.residuals is None:
            raise RuntimeError(
                f"`{self.program.name}`: trying to backward through the graph a second time, but its saved values have "
                "been freed. Specify retain_graph=True when calling .backward() or autograd.grad() the first time."
            )
        if not create_graph:
            given = [None if ct is None else ct[0] for ct in cotangents]
            return [(value, None) for value in self.pullback.run_eagerly(self.residuals, given)]
        # Higher-order derivatives: the adjoint is a program of (primals, cotangents) that is recorded like any operator.
        # Primals whose values the map does not depend on were kept as shape and dtype alone; zeros stand for them.
        present = tuple(ct is not None for ct in cotangents)
        primals = [
            jnp.zeros(p.shape, p.dtype) if isinstance(p, jax.ShapeDtypeStruct) else p for p in self.primals
        ]
        # A reference whose own `grad` has ended is a constant here; following it would differentiate a dead tape.
        refs = [ref if ref is not None and ref[0].alive() else None for ref in self.refs]
        # A constant map (relu's, say) is determined by its residuals, so they are passed in, instead of running the forward
        # pass again to get them.
        residuals = self.residuals if self.pullback.constant else []
        if self.pullback.constant:
            adjoint = _constant_adjoint(self.pullback, self.program.name, self.mask, len(residuals), present)
        else:
            adjoint = self.program.adjoint(self.mask, present)
        known = [ct for ct in cotangents if ct is not None]
        values = [*primals, *residuals, *(ct[0] for ct in known)]
        return variables(
            *execute(adjoint, values, [*refs, *[None] * len(residuals), *(ct[1] for ct in known)])
        )

    def saved(self, source: tuple[str, int]) -> jax.Array | None:
        """Return an input ("in", i) or output ("out", i) if it is kept, else None."""
        kept, place = source
        if kept == "in" and is_array(primal := self.primals[place]):
            return primal
        places = self.pullback.sources
        return self.residuals[places.index(source)] if self.residuals and source in places else None

    def release(self) -> None:
        """Free the residuals."""
        self.walked = True
        # A node that saved nothing loses nothing and can be walked again, as in PyTorch.
        if self.residuals:
            self.residuals = None
            self.primals = ()

    def is_released(self) -> bool:
        """Return True if the node was walked without `retain_graph`."""
        return self.walked


class Program:
    """A pure function of positional arrays, with its compiled forms: call, call with pullback, and adjoint.

    Attributes:
        call: the function compiled, for calls in a trace or outside.
        run_eagerly: the same for calls outside of any trace, compiled with options; raises ValueError in a trace.
        small: True for a single operator, which is compiled for short compile time, and not before it has been called
            often (`changing_shapes`).
        tries: how many more calls may extend the operator's fast path (`fast_path`).
        learned: tables of the fast path with `run_eagerly` in them.
    """

    __slots__ = (
        "_adjoints",
        "_begun",
        "_call",
        "_changing",
        "_compiled",
        "_integers",
        "_late",
        "_linear",
        "_numbers",
        "_settled",
        "_shapes",
        "_stopped",
        "_templates",
        "fn",
        "learned",
        "name",
        "run_eagerly",
        "small",
        "tries",
    )

    def __init__(
        self,
        fn: Callable,
        name: str,
        small: bool = False,
        templates: ShapeTemplates | None = None,
        numbers: tuple[int, ...] = (),
        at_once: bool = False,
    ) -> None:
        self.fn = fn
        self.name = name
        self.small = small
        # Bounds the fast path's tables: an operator that is called with ever new Python numbers stops learning them.
        self.tries = 64 if small else 0
        self._call: Callable | None = None
        self.run_eagerly: Callable = self._run_first
        self.learned: tuple[dict, ...] = ()
        self._linear: dict[tuple, Callable] = {}
        self._adjoints: dict[tuple, Program] = {}
        self._stopped: Callable | None = None
        self._templates = ShapeTemplates(lambda _: fn) if templates is None else templates
        self._numbers = numbers
        self._settled = 0
        self._shapes = ShapeCount(self._change_shapes)
        self._begun = at_once  # random numbers are XLA's own
        self._changing: ChangingShapes | None = None
        self._compiled: Callable | None = None
        self._late: dict[tuple, LatePullback] = {}
        self._integers: dict[tuple[bool, ...], bool] = {}

    @property
    def call(self) -> Callable:
        """The compiled function. It is made when it is asked for: what NumPy computes never needs it."""
        if self._call is None:
            # inline: in a larger trace the equations of operators stand side by side, where passes over the jaxpr see them.
            self._call = jax.jit(self.fn, inline=True)
        return self._call

    def _run_first(self, *values: jax.Array) -> Outputs:
        self._begin()
        if self._changing is None:
            self.run_eagerly = self._compile_once(values)
        return self.run_eagerly(*values)

    def _begin(self) -> None:
        """Leave the first calls of an operator to NumPy: most operators of a program are not called often."""
        if self._begun:
            return
        self._begun = True
        if self.small and is_at_home():
            self._change_shapes()

    def _compile_once(self, values: Sequence[object]) -> Callable:
        if self._compiled is None:
            self._compiled = self._compile(values)
        return self._compiled

    def _compile(self, values: Sequence[object]) -> Callable:
        several = collectives.communicating(self.fn, self.call, values)
        if several is not None:
            return several
        if not self.small:
            return self.call
        return compiler_options.jit_operator(self._shapes.counting(self.fn), self.call, values)

    def _change_shapes(self) -> None:
        """From the next call on, evaluate new shapes in NumPy (`changing_shapes`)."""
        if self._changing is None:
            first = self._compiled is None and not self._linear
            self._changing = ChangingShapes(
                self._compile_once,
                self._shapes.seen,
                self._templates,
                self._numbers,
                self._keep_shape if first else None,
                self.name,
            )
            self._run(self._changing)

    def _keep_shape(self) -> None:
        """Compile from the next call on: the first calls were many, and all of them had the same shapes."""
        self._changing = None
        self._run(self._run_first)

    def _run(self, way: Callable) -> None:
        self.run_eagerly = way
        for table in self.learned:
            table.clear()

    def settle(self, key: Key) -> None:
        """Compile for shapes that NumPy has evaluated until now, unless that was asked for often."""
        changing = self._changing
        if changing is not None and self._settled < _MOST_SETTLED:
            self._settled += 1
            changing.settle(key)

    def call_without_gradient(self, *values: jax.Array) -> Outputs:
        """Call the function without a derivative: the meaning of `no_grad` inside a trace."""
        if self._stopped is None:
            self._stopped = jax.jit(
                lambda *v: jax.tree.map(integer_gradients.stop_gradient, self.fn(*v)), inline=True
            )
        return self._stopped(*values)

    def linear(self, mask: tuple[bool, ...], inside: bool, values: Sequence[jax.Array]) -> Callable:
        """Return the compiled function values -> (outputs, Residuals), differentiable by the masked values.

        Args:
            mask: for each value, True if a gradient with respect to it is wanted.
            inside: True inside a larger program, where XLA sees both passes and chooses what to keep.
            values: those of the first call, to compile for.
        """
        if not inside:
            self._begin()
            if state.packing is not None:
                found = self._linear.get((mask, "hooks"))
                return self._make_linear(mask, False, values, hooks=True) if found is None else found
        found, changing = self._linear.get((mask, inside)), self._changing
        if changing is not None and not inside:
            return functools.partial(self._linear_later, changing, mask, found)
        return self._make_linear(mask, inside, values) if found is None else found

    def _linear_later(
        self,
        changing: ChangingShapes,
        mask: tuple[bool, ...],
        compiled: Callable | None,
        *values: jax.Array,
    ) -> tuple[Outputs, Residuals]:
        """Call the function in NumPy, to be linearized when there is a backward pass; or call its program."""
        smooth = all(is_inexact(value.dtype) for value, m in zip(values, mask, strict=True) if m)
        key = key_of(values)
        out = changing.evaluate(values, key) if smooth else MISSING
        if out is MISSING:
            return (compiled or self._make_linear(mask, False, values))(*values)
        pullback = self._late.get((mask, key))
        if pullback is None:
            outputs = jax.tree.leaves(out)
            if not all(is_inexact(o.dtype) for o in outputs) and self._carries_integers(mask, values):
                changing.settle(key)
                return (compiled or self._make_linear(mask, False, values))(*values)
            late = LatePullback(self.fn, mask, key, outputs, self._templates, self._numbers)
            pullback = keep(self._late, (mask, key), late, 64)
        return out, Residuals((), pullback)

    def _carries_integers(self, mask: tuple[bool, ...], values: Sequence[jax.Array]) -> bool:
        """Return True if integers among the outputs carry gradients."""
        found = self._integers.get(mask)
        if found is None:
            _, kept = jax.eval_shape(lambda *v: linearize(self.fn, mask, v), *values)
            found = any(isinstance(aval, IntegerGradient) for aval in kept.pullback.avals)
            self._integers[mask] = found
        return found

    def _make_linear(
        self, mask: tuple[bool, ...], inside: bool, values: Sequence[object], *, hooks: bool = False
    ) -> Callable:
        def linear(*values: jax.Array) -> tuple[Outputs, Residuals]:
            if inside:
                return linearize(self.fn, mask, values)
            return linearize_saving_little(self.fn, self.small, mask, values, hooks)

        found = jax.jit(linear, inline=True)
        several = None if inside else collectives.communicating(linear, found, values)
        if several is not None:
            found = several
        elif self.small and not inside:
            found = compiler_options.jit_operator(self._shapes.counting(linear), found, values)
        self._linear[mask, "hooks" if hooks else inside] = found
        return found

    def adjoint(self, mask: tuple[bool, ...], present: tuple[bool, ...]) -> "Program":
        """Return the backward pass as a program of (inputs, cotangents that are present), which can be recorded in turn."""
        key = (mask, present)
        found = self._adjoints.get(key)
        if found is None:
            count = len(mask)

            def backward(*values: jax.Array) -> tuple:
                given = iter(values[count:])
                cotangents = [next(given) if p else None for p in present]
                # The forward pass runs again here, so that the result depends on the inputs: with residuals as constants the
                # second derivative would lack every term that comes from them.
                out, kept = linearize(self.fn, mask, values[:count])
                residuals = kept.pullback.collect(values[:count], jax.tree.leaves(out), kept.leaves)
                return tuple(kept.pullback.pure(residuals, cotangents))

            found = self._adjoints[key] = Program(backward, f"{self.name} (backward)", self.small)
        return found


def _constant_adjoint(
    pullback: Pullback, name: str, mask: tuple[bool, ...], residuals: int, present: tuple[bool, ...]
) -> Program:
    """Return the map as a program of (inputs, residuals, present cotangents); its derivative by inputs is zero."""
    key = (mask, present)
    found = pullback.adjoints.get(key)
    if found is None:
        count = len(mask)

        def backward(*values: jax.Array) -> tuple:
            given = iter(values[count + residuals :])
            cotangents = [next(given) if p else None for p in present]
            return tuple(pullback.pure(values[count : count + residuals], cotangents))

        found = pullback.adjoints[key] = Program(backward, f"{name} (backward)", pullback.small)
    return found


def execute(
    program: Program, values: Sequence[jax.Array], refs: Sequence[Ref | None]
) -> tuple[Outputs, OpNode | None]:
    """Call a program and record it if an input is on the tape. Return its outputs and their node, or None."""
    if shapes_only.among(values):
        return shapes_only.evaluate(program.call, values), None
    # A loop with `else` and not `any(...)`: this is on the path of every call in a trace or with views.
    for ref in refs:
        if ref is not None:
            break
    else:
        if state.frame is not None:
            return _inside(program, values), None
        try:
            return program.run_eagerly(*values), None
        except ValueError as error:
            if not compiler_options.is_inside_trace_error(error):
                raise
            return program.call(*values), None
    mask = tuple([ref is not None for ref in refs])
    inside = state.frame is not None
    try:
        out, kept = program.linear(mask, inside, values)(*values)
    except ValueError as error:
        if not compiler_options.is_inside_trace_error(error):
            raise
        out, kept = program.linear(mask, True, values)(*values)
    if inside and state.known is not None:
        state.known.record_computed(program, values, out)
    pullback = kept.pullback
    outputs = (out,) if is_array(out) else jax.tree.leaves(out)
    node = OpNode(tuple([ref for ref in refs if ref is not None]), pullback.avals)
    node.program = program
    node.mask = mask
    node.pullback = pullback
    node.residuals = pullback.collect(values, outputs, kept.leaves)
    node.primals = [
        value if keep else kind(value.shape, value.dtype)
        for value, keep in zip(values, pullback.keeps, strict=True)
    ]
    node.refs = refs
    node.walked = False
    return out, node if state.packing is None else state.packing(node)


def _inside(program: Program, values: Sequence[jax.Array]) -> Outputs:
    """Call a program in a trace, without a derivative under `no_grad`."""
    out = (program.call_without_gradient if state.mode == NO_GRAD else program.call)(*values)
    if state.known is not None:
        state.known.record_computed(program, values, out)
    return out


def variables(out: Outputs, node: OpNode | None) -> list[Var]:
    """Return the outputs of `execute` as variables; integer outputs get no reference."""
    leaves: Sequence[jax.Array] = (out,) if is_array(out) else jax.tree.leaves(out)
    if node is None:
        return [(value, None) for value in leaves]
    return [(value, (node, i) if is_inexact(node.avals[i].dtype) else None) for i, value in enumerate(leaves)]


_ADD = Program(jnp.add, "add", small=True)


def add(a: Var, b: Var) -> Var:
    """Add two gradients; recorded like any operator, for the sake of higher-order derivatives."""
    return variables(*execute(_ADD, (a[0], b[0]), (a[1], b[1])))[0]


@functools.cache
def _cast(dtype: np.dtype) -> Program:
    return Program(lambda x: x.astype(dtype), "cast", small=True)


def cast(value: Var, dtype: np.dtype) -> Var:
    """Convert a variable to a dtype, on the tape if it is on it."""
    if value[0].dtype == dtype:
        return value
    return variables(*execute(_cast(dtype), [value[0]], [value[1]]))[0]
