"""Pullbacks, the vector-Jacobian products of recorded calls: residuals from the forward pass, and the linear map.

Gradients on the tape follow MindSpore's and PyTorch's convention for complex numbers everywhere, which is the
conjugate of JAX's; the two meet only in `Pullback`.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeGuard

import jax
import jax.numpy as jnp
import numpy as np

from msjax.core.xla import collectives, compiler_options, integer_gradients
from msjax.core.xla.changing_shapes import ChangingShapes
from msjax.core.xla.residuals import with_minimal_residuals
from msjax.core.xla.shape_templates import Key, ShapeTemplates

Outputs: TypeAlias = "jax.Array | Sequence[Outputs]"  # of an operator: an array, or a nesting of arrays


class Residuals:
    """Residuals of a jitted forward pass: the arrays saved, and the (static) `Pullback` that uses them."""

    __slots__ = ("leaves", "pullback")

    def __init__(self, leaves: Sequence[jax.Array], pullback: "Pullback") -> None:
        self.leaves = leaves
        self.pullback = pullback


# The pullback is auxiliary data of the pytree: `jax.jit` keeps the output tree of each compiled forward pass, so every
# call gets the same `Pullback` object back, and with it a backward pass that is already compiled.
jax.tree_util.register_pytree_node(
    Residuals, lambda r: (r.leaves, r.pullback), lambda pullback, leaves: Residuals(leaves, pullback)
)


@functools.cache
def is_inexact(dtype: np.dtype) -> bool:
    """Return True if values of this dtype carry a gradient of their own dtype (floating and complex ones)."""
    return jnp.issubdtype(dtype, jnp.inexact)


@functools.lru_cache(4096)
def kind(shape: tuple[int, ...], dtype: np.dtype) -> jax.ShapeDtypeStruct:
    """Return the `ShapeDtypeStruct` of a shape and dtype, cached because the same few recur at every recorded call."""
    return jax.ShapeDtypeStruct(shape, dtype)


class IntegerGradient(jax.ShapeDtypeStruct):
    """Shape of an integer array with a gradient: `dtype` is that of the derivatives' arithmetic.

    The gradient itself has the dtype `integer`; or a floating one, if no conversion to integers lies behind it.
    """

    integer: np.dtype


@functools.lru_cache(4096)
def _integer_gradient(shape: tuple[int, ...], dtype: np.dtype) -> IntegerGradient:
    made = IntegerGradient(shape, integer_gradients.shadow_dtype())
    made.integer = dtype
    return made


def tangent(value: jax.Array | jax.ShapeDtypeStruct) -> jax.ShapeDtypeStruct:
    """Return shape and dtype of an array's gradient."""
    if is_inexact(value.dtype):
        return kind(value.shape, value.dtype)
    return _integer_gradient(value.shape, value.dtype)


def gradient_dtype(aval: jax.ShapeDtypeStruct | jax.Array) -> np.dtype:
    """Return the dtype in which a gradient begins, for a value with this `tangent`."""
    return aval.integer if isinstance(aval, IntegerGradient) else aval.dtype


array_types: set[type] = {np.ndarray}  # of values; JAX has several


def is_array(out: object) -> TypeGuard[jax.Array]:
    """Return True if `out` is a single array. Caches the class: `isinstance(out, jax.Array)` takes ten times as long."""
    if type(out) in array_types:
        return True
    if isinstance(out, jax.Array):
        array_types.add(type(out))
        return True
    return False


def conjugate(value: jax.Array) -> jax.Array:
    """Convert a gradient between JAX's complex convention and MindSpore's: conjugate it; real values are unchanged."""
    return jnp.conj(value) if jnp.issubdtype(value.dtype, jnp.complexfloating) else value


class Pullback:
    """Transposed linear map (VJP) of one traced forward pass, as a function of (residuals, cotangents).

    Residuals that are the operator's own inputs or outputs are not returned by the compiled call, which would copy
    them: `sources` says of each residual where it comes from, as ("in" | "out" | "saved", index).
    """

    __slots__ = (
        "adjoints",
        "apply",
        "avals",
        "constant",
        "expand",
        "keeps",
        "out_tree",
        "run_eagerly",
        "small",
        "sources",
        "tree",
        "whole",
    )

    def __init__(
        self,
        tree: object,
        sources: list[tuple[str, int]],
        avals: list[jax.ShapeDtypeStruct],
        out_tree: object,
        inputs: int,
        expand: Callable[..., Sequence[jax.Array]] | None = None,
        constant: bool = False,
        small: bool = False,
        whole: Sequence[tuple | None] = (),
    ) -> None:
        # True if the map depends on integer and bool residuals alone, such as relu's mask, and not on the inputs' values.
        self.constant = constant
        # One flag per input: True if the map may depend on its value, which is then kept for derivatives of the map. The
        # others are kept as shape and dtype
        # (test_residuals.test_a_map_that_does_not_change_with_its_input_does_not_keep_it).
        self.keeps = tuple(
            [not constant and any(kind != "in" or i == n for kind, i in sources) for n in range(inputs)]
        )
        self.adjoints: dict[tuple, Any] = {}  # programs that `nodes` makes of it
        self.tree = tree
        self.sources = sources
        self.avals = avals
        self.out_tree = out_tree
        self.expand = expand  # from the residuals to what the map was traced with, if that is something else
        self.small = small
        # For each gradient of an integer: (its dtype, True if it has a fraction, outputs whose gradients give it theirs).
        self.whole = whole
        self.apply = jax.jit(self.pure, inline=True)
        self.run_eagerly: Callable = self._run_first

    def _run_first(self, residuals: Sequence[jax.Array], cotangents: Sequence[jax.Array]) -> list[jax.Array]:
        # Decided at the first call, when there are arguments to trace with; most pullbacks are inlined and never called so.
        self.run_eagerly = self.apply
        if several := collectives.communicating(self.pure, self.apply, (residuals, cotangents)):
            self.run_eagerly = several
        elif self.small:
            first = compiler_options.compile_ahead(self.pure, self.apply, (residuals, cotangents))

            def run_eagerly(
                residuals: Sequence[jax.Array], cotangents: Sequence[jax.Array]
            ) -> list[jax.Array]:
                try:
                    return first(residuals, cotangents)
                except (
                    TypeError,
                    ValueError,
                ):  # in a trace of JAX, or other cotangents are None than in the first call
                    self.run_eagerly = self.apply
                    return self.apply(residuals, cotangents)

            self.run_eagerly = run_eagerly
        return self.run_eagerly(residuals, cotangents)

    def collect(
        self, inputs: Sequence[jax.Array], outputs: Sequence[jax.Array], saved: Sequence[jax.Array]
    ) -> list[jax.Array]:
        """Gather the residuals of one call from its inputs, outputs and saved arrays."""
        places = self.named_sources(inputs, outputs, saved)
        return [places[kind][i] for kind, i in self.sources]

    def stand_ins(self) -> list[jax.Array] | None:
        """Return residuals for a call that has released its own, if the map does not depend on their values; else None."""
        return None

    @staticmethod
    def named_sources(
        inputs: Sequence[jax.Array], outputs: Sequence[jax.Array], saved: Sequence[jax.Array]
    ) -> dict[str, Sequence[jax.Array]]:
        """Return the three sequences that `sources` refers to, by name."""
        return {"in": inputs, "out": outputs, "saved": saved}

    def pure(self, residuals: Sequence[jax.Array], cotangents: Sequence[jax.Array | None]) -> list[jax.Array]:
        """Compute the cotangents of the inputs from those of the outputs (None is zero); traceable."""
        full = []
        for aval, ct in zip(self.avals, cotangents, strict=True):
            if is_inexact(aval.dtype):
                given = jnp.zeros(aval.shape, aval.dtype) if ct is None else conjugate(ct)
                full.append(given.astype(aval.dtype) if isinstance(aval, IntegerGradient) else given)
            elif not self.whole:
                # JAX demands float0 cotangents for integer outputs; nothing flows through them.
                full.append(np.zeros(aval.shape, jax.dtypes.float0))
        vjp = jax.tree.unflatten(self.tree, residuals if self.expand is None else self.expand(*residuals))
        found = [conjugate(value) for value in vjp(jax.tree.unflatten(self.out_tree, full))]
        for i, of_integer in enumerate(self.whole):
            if of_integer is not None:
                found[i] = _as_gradient(found[i], of_integer, cotangents)
        return found


class LatePullback(Pullback):
    """Pullback of a call that NumPy evaluated: the call is linearized when its backward pass runs.

    Most such calls, of a text that is generated, have no backward pass. The residuals are the inputs.
    """

    __slots__ = ("changing", "fn", "key", "mask", "numbers", "templates")

    def __init__(
        self,
        fn: Callable,
        mask: tuple[bool, ...],
        key: Key,
        outputs: Sequence[jax.Array],
        templates: ShapeTemplates,
        numbers: tuple[int, ...],
    ) -> None:
        avals = [kind(o.shape, o.dtype) for o in outputs]
        super().__init__(None, [("in", i) for i in range(len(key))], avals, None, len(key), small=True)
        self.fn, self.mask, self.key = fn, mask, key
        self.templates, self.numbers = templates, numbers
        self.changing: dict[tuple[bool, ...], ChangingShapes] = {}
        self.run_eagerly = self._evaluate

    def stand_ins(self) -> list[jax.Array] | None:
        """Return zeros for the inputs if the map does not depend on their values; else None."""
        values = [kind(*each) for each in self.key]
        _, kept = jax.eval_shape(lambda *v: linearize_saving_little(self.fn, True, self.mask, v), *values)
        return None if kept.pullback.sources else [jnp.zeros(*each) for each in self.key]

    def pure(self, residuals: Sequence[jax.Array], cotangents: Sequence[jax.Array | None]) -> list[jax.Array]:
        """Compute the cotangents of the inputs from the inputs and the cotangents of the outputs; traceable."""
        return _pull(self.fn, self.mask, residuals, cotangents)

    def _evaluate(self, residuals: Sequence[jax.Array], cotangents: Sequence[jax.Array | None]) -> Outputs:
        present = tuple([ct is not None for ct in cotangents])
        found = self.changing.get(present)
        if found is None:
            flat = _flat_backward(self.fn, self.mask, present)
            jitted = functools.partial(compiler_options.jit_operator, flat, jax.jit(flat))
            # Shared by the pullbacks of all shapes of the operator.
            templates = self.templates.of_derivative(
                (self.mask, present), lambda fn: _flat_backward(fn, self.mask, present)
            )
            found = self.changing[present] = ChangingShapes(jitted, (), templates, self.numbers)
        try:
            return found(*residuals, *[ct for ct in cotangents if ct is not None])
        except ValueError as error:
            if not compiler_options.is_inside_trace_error(error):
                raise
            return self.apply(residuals, cotangents)


def _pull(
    fn: Callable,
    mask: tuple[bool, ...],
    values: Sequence[jax.Array],
    cotangents: Sequence[jax.Array | None],
) -> list[jax.Array]:
    out, kept = linearize(fn, mask, values)
    saved = kept.pullback.collect(values, jax.tree.leaves(out), kept.leaves)
    return kept.pullback.pure(saved, cotangents)


def _flat_backward(fn: Callable, mask: tuple[bool, ...], present: tuple[bool, ...]) -> Callable:
    """Return the backward pass of a function as one of its inputs and the cotangents that are present."""

    def flat(*values: jax.Array) -> list[jax.Array]:
        each = iter(values[len(mask) :])
        return _pull(fn, mask, values[: len(mask)], [next(each) if p else None for p in present])

    return flat


def _as_gradient(value: jax.Array, whole: tuple, cotangents: Sequence[jax.Array | None]) -> jax.Array:
    """Return the gradient of an integer: integers, unless an operator or the gradients of outputs give it a fraction."""
    dtype, always, outputs = whole
    given = [cotangents[o] for o in outputs]
    if always or any(ct is not None and is_inexact(ct.dtype) for ct in given):
        return value.astype(np.float32)
    return integer_gradients.as_integer(value, dtype)


def linearize(fn: Callable, mask: tuple[bool, ...], values: Sequence[jax.Array]) -> tuple[Outputs, Residuals]:
    """Call `fn` at `values` and return its outputs with the residuals of its VJP with respect to the masked values.

    MindSpore differentiates by integers and bools too: the derivative is then that of the same formula over floating
    numbers, and zero where there is no such formula, as for an index (`integer_gradients`).

    Args:
        fn: pure function of arrays.
        mask: for each value, True if a gradient with respect to it is wanted.
        values: arrays or tracers.
    """
    chosen = [value for value, m in zip(values, mask, strict=True) if m]
    if all(is_inexact(value.dtype) for value in chosen):
        openings = integer_gradients.count_openings()

        def restricted(*chosen: jax.Array) -> Outputs:
            each = iter(chosen)
            return fn(*[next(each) if m else value for value, m in zip(values, mask, strict=True)])

        out, vjp = jax.vjp(restricted, *chosen)
        if integer_gradients.count_openings() == openings:
            avals = [jax.ShapeDtypeStruct(o.shape, o.dtype) for o in jax.tree.leaves(out)]
            return out, _residuals(vjp, values, out, avals, jax.tree.structure(out))
    return _linearize_integers(fn, mask, values)


def _linearize_integers(
    fn: Callable, mask: tuple[bool, ...], values: Sequence[jax.Array]
) -> tuple[Outputs, Residuals]:
    """Linearize a function of integers, or one in which gradients pass through integers."""
    lifted = integer_gradients.Lifted(fn, values, [i for i, m in enumerate(mask) if m])
    smooth, vjp, out = jax.vjp(lifted.push_forward, *lifted.floats, has_aux=True)
    avals = [
        tangent(o) if shadow else jax.ShapeDtypeStruct(o.shape, o.dtype)
        for o, shadow in zip(out, lifted.shadows, strict=True)
    ]
    whole = [
        None if is_inexact(values[i].dtype) else (values[i].dtype, i in lifted.fractions, lifted.behind(i))
        for i in lifted.chosen
    ]
    out = jax.tree.unflatten(lifted.tree, out)
    return out, _residuals(vjp, values, out, avals, jax.tree.structure(smooth), whole)


def _residuals(
    vjp: object,
    values: Sequence[jax.Array],
    out: object,
    avals: list,
    out_tree: object,
    whole: Sequence[tuple | None] = (),
) -> Residuals:
    """Collect the leaves of `vjp` to save beyond inputs and outputs."""
    outputs = jax.tree.leaves(out)
    leaves, tree = jax.tree.flatten(vjp)
    # By identity: `jax.vjp` closes over the very tracers of inputs and outputs. Reversed, so that of equal ones the first
    # wins; inputs override outputs, as they exist anyway. An input returned from a jitted call would be a copy
    # (test_memory.test_residuals_that_are_inputs_are_not_copied).
    known = {id(o): ("out", i) for i, o in reversed(list(enumerate(outputs)))}
    known |= {id(v): ("in", i) for i, v in reversed(list(enumerate(values)))}
    saved: list[jax.Array] = []
    sources = []
    for leaf in leaves:
        if id(leaf) not in known:
            known[id(leaf)] = ("saved", len(saved))
            saved.append(leaf)
        sources.append(known[id(leaf)])
    return Residuals(saved, Pullback(tree, sources, avals, out_tree, len(values), whole=whole))


def linearize_saving_little(
    fn: Callable, small: bool, mask: tuple[bool, ...], values: Sequence[jax.Array], hooks: bool = False
) -> tuple[Outputs, Residuals]:
    """Linearize for an eager call, whose residuals wait in memory: save few, recompute the others (`residuals`).

    For hooks of the user save, as MindSpore's operators do, inputs and outputs, whatever their size.
    """
    out, saved, sources, expand, old = with_minimal_residuals(
        lambda *values: linearize(fn, mask, values), values, only_given=hooks
    )
    kept = Pullback.named_sources(values, jax.tree.leaves(out), saved)
    constant = not old.whole and not any(is_inexact(kept[kind][i].dtype) for kind, i in sources)
    pullback = Pullback(
        old.tree, sources, old.avals, old.out_tree, len(values), expand, constant, small, old.whole
    )
    return out, Residuals(saved, pullback)
