"""`grad` and its family: run a function while recording, then run the backward pass to the inputs that were asked for."""

import functools
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax.config.context import GRAPH_MODE, mode
from msjax.core import ordered_trees
from msjax.core.autodiff.hooks import attach_hooks
from msjax.core.autodiff.repeated_forward import counted_once
from msjax.core.autograph.conversion import convert_callback
from msjax.core.jit import placement
from msjax.core.jit.compiled import Compiled
from msjax.core.state import DEFAULT, NO_GRAD, override_state, state
from msjax.core.tape import backward, pullbacks
from msjax.core.tape import nodes as tape_nodes
from msjax.core.tensor import construction, scalar_inputs
from msjax.core.tensor.box import NeedsValue
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import (
    Tensor,
    alias,
    is_tensor,
    node_of,
    resolve,
    stop_array_gradient,
    tensors_in,
    wrap,
)
from msjax.core.trace.stateful import Stateful
from msjax.core.tracebacks import level_outside_package
from msjax.core.xla.collectives import world

Target = tuple[tape_nodes.Ref, Tensor]
Positions = int | tuple[int, ...] | None
Weights = Parameter | Sequence[Parameter] | None


@contextmanager
def recording() -> Iterator[tape_nodes.Scope]:
    """Record operators on watched boxes. If the block raises, every box that it wrote gets its old value back."""
    scope = tape_nodes.Scope(state.scope)
    try:
        with override_state(scope=scope, mode=DEFAULT, watch=dict(state.watch or {})):
            yield scope
    except BaseException:
        # The log holds what was there before the first write in this scope: one assignment per box undoes all of them
        # (test_deferred_errors.test_an_exception_leaves_everything_as_it_was).
        for box, (value, node) in scope.log.values():
            box._version += 1  # first: the box may be empty (`core/jit/joint_state.py`)
            box._value, box._node, box._joint = value, node, None
            world.touched += 1
        scope.alive = False
        raise
    # What an inner `grad` wrote is undone by the outer one as well, should that raise later.
    if state.scope is not None:
        for key, entry in scope.log.items():
            state.scope.log.setdefault(key, entry)


def watch_argument(box: Tensor) -> tuple[Tensor, tape_nodes.Ref]:
    """Return a stand-in for an argument, with a node of its own on the tape, and the reference to that node."""
    here = resolve(box)
    ref = _make_reference(here)
    attach_hooks(box, ref)
    # An alias: what the function writes to its argument reaches the caller's Tensor.
    return alias(here, ref), ref


def watch_weight(weight: Tensor) -> tape_nodes.Ref:
    """Watch a weight: record what is computed from it in the current scope, by whatever path it is read."""
    box = resolve(weight)
    ref = _make_reference(box)
    attach_hooks(box, ref)
    state.watch[id(box)] = (ref, box._version)  # type: ignore[index]
    return ref


def _make_reference(box: Tensor) -> tape_nodes.Ref:
    # What is on the tape already gets an identity node: this `grad` stops there, and an outer one goes on behind it.
    outer = node_of(box)
    aval = pullbacks.tangent(box._value)
    return (tape_nodes.Leaf(aval) if outer is None else tape_nodes.Identity((outer,), (aval,))), 0


def pull_back(
    outputs: Sequence[Tensor],
    seeds: Sequence[Tensor | None],
    targets: Sequence[Target],
    scope: tape_nodes.Scope,
) -> list[Tensor]:
    """Compute gradients of `outputs` towards `targets`; zeros where nothing depends on them.

    The backward pass is itself recorded if something outside of this `grad` watches what it computes with.

    Args:
        outputs: Tensors.
        seeds: gradient of each output; None is ones.
        targets: references with the boxes that they stand for.
        scope: the running gradient computation.
    """
    roots = []
    for out, seed in zip(outputs, seeds, strict=True):
        box = resolve(out)
        ref = node_of(box)
        if ref is not None:
            roots.append((ref, _seed(box, ref, seed)))
    stops = {id(ref[0]) for ref, _ in targets}
    nodes, foreign = backward.reachable([ref[0] for ref, _ in roots], stops)
    with override_state(mode=DEFAULT):
        # Both together: what watches from outside will walk the same nodes again.
        found = backward.walk(
            roots, nodes, [ref for ref, _ in targets], stops, create_graph=foreign, retain_graph=foreign
        )
    results = [_result(box, found.get((id(ref[0]), ref[1])), ref) for ref, box in targets]
    # Nothing outside watches: what was recorded is dropped now, also where the user keeps an output. This frees the
    # residuals (test_memory.test_a_graph_is_freed_with_its_gradient).
    if not foreign:
        for out in outputs:
            resolve(out)._node = None
        if scope.root is scope:
            scope.alive = False
    return results


def _result(box: Tensor, gradient: tape_nodes.Var | None, ref: tape_nodes.Ref) -> Tensor:
    """Return a gradient in the dtype of its input; zeros if nothing depended on that.

    The hooks of a Parameter see those zeros, as in MindSpore; those of other Tensors do not.
    """
    value = resolve(box)._value
    if gradient is None:
        gradient = (jnp.zeros_like(value), None)
        if isinstance(box, Parameter) and ref[0].hooks:
            for hook in ref[0].hooks.get(ref[1], ()):
                gradient = hook(gradient)
    if pullbacks.is_inexact(value.dtype):
        gradient = tape_nodes.cast(gradient, value.dtype)
    return scalar_inputs.mark_like(box, wrap(*gradient))


_ones: dict[tuple, jax.Array] = {}


def ones_seed(shape: tuple[int, ...], dtype: np.dtype) -> jax.Array:
    """Return ones as the gradient of a sum; scalar ones, which every step needs, are cached."""
    if shape or state.frame is not None:
        return jnp.ones(shape, dtype)
    found = _ones.get((shape, dtype))
    if found is None:
        # `jnp.ones` would compile a program in the first step.
        found = _ones[shape, dtype] = construction.constant(np.ones(shape, dtype))
    return found


def _seed(box: Tensor, ref: tape_nodes.Ref, seed: Tensor | None) -> tape_nodes.Var:
    value, dtype = box._value, pullbacks.gradient_dtype(ref[0].avals[ref[1]])
    if seed is None:
        return ones_seed(value.shape, dtype), None
    given = resolve(seed)
    of = (given._value, node_of(given))
    if given._value.shape != value.shape:
        if not value.shape:
            program = _TOTAL
        elif state.frame is not None and given._value.size == 1:
            # MindSpore's compiled functions take one number for any shape.
            program = _broadcast_program(value.shape)
        else:
            # MindSpore's types of exceptions: it looks at one number, which would be broadcast, elsewhere.
            raise (ValueError if given._value.shape else RuntimeError)(
                f"`grad`: the gradient of an output must have its shape {value.shape}; one of a single number is summed, "
                f"and a single number is taken for any shape in compiled functions. Received: {given._value.shape}."
            )
        of = tape_nodes.variables(*tape_nodes.execute(program, [of[0]], [of[1]]))[0]
    return tape_nodes.cast(of, dtype) if pullbacks.is_inexact(dtype) else of


_TOTAL = tape_nodes.Program(lambda x: jnp.sum(x, dtype=x.dtype), "total")


@functools.lru_cache(64)
def _broadcast_program(shape: tuple[int, ...]) -> tape_nodes.Program:
    return tape_nodes.Program(lambda x: jnp.broadcast_to(jnp.reshape(x, ()), shape), "spread")


# ---------------------------------------------------------------------- structure of arguments and results


class Gradients:
    """One differentiated call: watches arguments and weights, and gives gradients in their structure."""

    def __init__(
        self,
        args: Sequence[object],
        kwargs: dict[str, Any],
        positions: Sequence[int],
        weights: Sequence[Parameter] | None,
    ) -> None:
        self.targets: list[Target] = []
        given = [*args, *kwargs.values()]
        graph = _in_graph()
        parts = {} if graph else {p: part for p in positions if (part := _values_of(given[p])) is not None}
        trees = [parts.get(position, given[position]) for position in positions]
        self.trees = [tree for tree in trees if tensors_in(tree) or type(tree) in scalar_inputs.KINDS]
        # In PyNative mode MindSpore's gradients belong to Tensors: one that is given twice has the gradient of both places.
        self._shared: dict[int, tuple[Tensor, tape_nodes.Ref]] | None = None if graph else {}
        for position in positions:
            given[position] = self._watched_in(given[position], parts.get(position))
        if self._shared:
            given = [ordered_trees.map(self._watched_elsewhere, item, is_leaf=is_tensor) for item in given]
        self.args = given[: len(args)]
        self.kwargs = dict(zip(kwargs, given[len(args) :], strict=True))
        self.weights = list(weights or ())
        # In PyNative mode a frozen weight has zeros; a graph has the gradient of what it is asked for, as in MindSpore.
        self._graph = graph
        watched = {id(weight): weight for weight in self.weights if graph or weight.requires_grad}
        self._order = list(watched)
        self.targets += [(watch_weight(weight), weight) for weight in watched.values()]

    def _watched_in(self, argument: object, part: Tensor | None) -> Any:
        """Return an argument with stand-ins for its Tensors, or for that part of it alone."""
        made = ordered_trees.map(
            lambda leaf: self._watch_leaf(leaf) if part is None or leaf is part else leaf,
            argument,
            is_leaf=is_tensor,
        )
        return scalar_inputs.mutable(made) if type(argument) in scalar_inputs.MARKED else made

    def _watch_leaf(self, leaf: Any) -> Any:
        if not _differentiable(leaf):
            return leaf
        twin, ref = (self._shared or {}).get(id(leaf)) or watch_argument(leaf)
        if self._shared is not None:
            self._shared[id(leaf)] = twin, ref
            # So has one that the function reads besides, from a closure or an attribute.
            box = resolve(leaf)
            state.watch.setdefault(id(box), (ref, box._version))  # type: ignore[union-attr]
        self.targets.append((ref, leaf))
        return twin

    def _watched_elsewhere(self, leaf: Any) -> Any:
        return self._shared[id(leaf)][0] if id(leaf) in self._shared else leaf  # type: ignore[index, operator]

    def keep_used(self, outputs: Sequence[Tensor]) -> None:
        """Forget the weights on which no output depends, and put the others in the order in which they were used."""
        first = len(self.targets) - len(self._order)
        weights = {id(ref[0]): (ref, weight) for ref, weight in self.targets[first:]}
        roots = [node[0] for box in outputs if (node := node_of(resolve(box))) is not None]
        nodes, _ = backward.reachable(roots, {id(ref[0]) for ref, _ in self.targets})
        uses = [before for node in nodes if id(node) not in weights for before, _ in node.inputs]
        seen = dict.fromkeys(id(node) for node in [*uses, *roots] if id(node) in weights)
        kept = [weights[key] for key in seen]
        self.targets[first:] = kept
        self.weights = [weight for _, weight in kept]  # type: ignore[misc]
        self._order = [id(weight) for weight in self.weights]

    def collect(self, gradients: Iterable[Tensor]) -> tuple[list[Any], tuple[Tensor, ...]]:
        """Return gradients shaped like each argument that holds Tensors, and the tuple of gradients of the weights."""
        each = iter(gradients)

        def gradient(leaf: object) -> Any:
            if _differentiable(leaf):
                return next(each)
            if isinstance(leaf, Tensor):
                return scalar_inputs.mark_like(leaf, wrap(jnp.zeros_like(resolve(leaf)._value)))
            kind: Any = type(scalar_inputs.as_python_number(leaf))
            return kind(0) if isinstance(leaf, int | float) else None

        # Weights may repeat, and one that the function froze meanwhile has no gradient: zeros, as in MindSpore.
        inputs = [ordered_trees.map(gradient, tree, is_leaf=is_tensor) for tree in self.trees]
        found = dict(zip(self._order, each, strict=True))
        return inputs, tuple(
            found[id(w)]
            if id(w) in found and (self._graph or w.requires_grad)
            else wrap(jnp.zeros_like(resolve(w)._value))
            for w in self.weights
        )


def _differentiable(leaf: object) -> bool:
    """Return True if a leaf is a Tensor to differentiate by: no frozen Parameter."""
    return isinstance(leaf, Tensor) and getattr(leaf, "_trainable", True)


# ---------------------------------------------------------------------- MindSpore's functions


def _positions(grad_position: Positions, what: str) -> tuple[int, ...]:
    if grad_position is None:
        return ()
    if not isinstance(grad_position, int | tuple):
        raise TypeError(
            f"`{what}`: argument `grad_position` must be None, an int or a tuple of ints. Received: {grad_position!r}."
        )
    positions = (grad_position,) if isinstance(grad_position, int) else grad_position
    if not positions:
        raise RuntimeError(f"`{what}`: argument `grad_position` must not be empty. Received: ().")
    for position in positions:
        if not isinstance(position, int):
            raise TypeError(
                f"`{what}`: argument `grad_position` must hold ints. Received: {grad_position!r}."
            )
        if position < 0:
            raise ValueError(
                f"`{what}`: argument `grad_position` must not be negative. Received: {position}."
            )
    if len(set(positions)) != len(positions):
        raise ValueError(
            f"`{what}`: argument `grad_position` must not name a position twice. Received: {grad_position}."
        )
    return positions


def _weights(weights: Weights, what: str) -> tuple[Parameter, ...] | None:
    if weights is None:
        return None
    listed = (weights,) if isinstance(weights, Parameter) else weights
    if not isinstance(listed, list | tuple) or not all(isinstance(w, Parameter) for w in listed):
        raise TypeError(
            f"`{what}`: argument `weights` must be a Parameter, or a list, tuple or ParameterTuple of them. "
            f"Received: {weights!r}."
        )
    return tuple(listed)


def _call(
    fn: Callable, args: Sequence[object], kwargs: dict[str, Any], has_aux: bool
) -> tuple[Any, list[Tensor]]:
    """Run the function; return its output and the Tensors of it that are differentiated."""
    if state.frame is None and mode() == GRAPH_MODE and not isinstance(fn, Compiled | Stateful):
        out = _call_in_graph_mode(fn, args, kwargs)
    else:
        out = convert_callback(fn)(*args, **kwargs)  # type: ignore[arg-type]
    if has_aux:
        if not isinstance(out, tuple) or len(out) < 2:
            raise ValueError("When 'has_aux' is True, the function must return more than one output.")
        return out, tensors_in(out[0])
    return out, tensors_in(out)


def _call_in_graph_mode(fn: Any, args: Sequence[object], kwargs: dict[str, Any]) -> Any:
    """Call a plain function compiled, as graph mode does; as it is, if it needs values that no compiled one has.

    MindSpore calls Python from the compiled function for those.
    """
    attributes = fn.__dict__ if isinstance(fn, FunctionType) else {}
    of, compiled = attributes.get("_msjax_compiled", (None, None))
    if of is not fn:  # `functools.wraps` copies attributes
        compiled = Compiled(fn)
        attributes["_msjax_compiled"] = fn, compiled
    if compiled is not None:
        try:
            return compiled(*args, **kwargs)
        except NeedsValue:
            attributes["_msjax_compiled"] = fn, None
    return fn(*args, **kwargs)


def _present(positions: Sequence[int], given: Sequence[object], what: str) -> Sequence[int]:
    """Return the positions whose inputs have a gradient, after checking them; a function without inputs has none."""
    if not given and tuple(positions) == (0,):
        return ()
    for position in positions:
        if position >= len(given):
            raise (IndexError if _in_graph() else RuntimeError)(
                f"`{what}`: argument `grad_position` names input {position}, but the function was called with {len(given)}."
            )
    return [position for position in positions if _has_gradient(given[position])]


def _has_gradient(given: object) -> bool:
    """Return True if an input has a gradient: in PyNative mode Tensors, in graph mode what is an input of the program."""
    if not _in_graph():
        return isinstance(given, Tensor) or _values_of(given) is not None
    if isinstance(given, Tensor):
        return not given.const_arg
    if type(given) in scalar_inputs.KINDS:
        return True
    found = tensors_in(given)
    if state.frame is None and isinstance(given, list | tuple | dict):
        return bool(found) and type(given) in scalar_inputs.MARKED
    return any(id(box) not in state.constants for box in found)


def _values_of(given: object) -> Tensor | None:
    """Return the Tensor by which PyNative mode differentiates a sparse tensor; None for other things."""
    return getattr(given, "differentiated_part", None)


def _in_graph() -> bool:
    return state.frame is not None or mode() == GRAPH_MODE


def differentiate(
    fn: Callable,
    args: Sequence[object],
    kwargs: dict[str, Any],
    positions: Sequence[int],
    weights: Sequence[Parameter] | None,
    has_aux: bool = False,
    sens: object = None,
    used: bool = False,
) -> tuple[Any, list[Any], tuple[Tensor, ...]]:
    """Call `fn` and differentiate the sum of its outputs, each weighted by `sens` if that is given.

    With `used`, gradients of the weights that `fn` uses, in the order in which it does.

    Returns:
        The output, gradients for each position, gradients of the weights.
    """
    with recording() as scope:
        asked = Gradients(args, kwargs, positions, weights)
        with counted_once(fn, args, kwargs):
            out, outputs = _call(fn, asked.args, asked.kwargs, has_aux)
        _warn_of_number(out)
        if used:
            asked.keep_used(outputs)
        seeds: list[Tensor | None] = [None] * len(outputs)
        if sens is not None:
            seeds = _seeds(_beside_tensors(sens, out[0] if has_aux else out), outputs)
        gradients = pull_back(outputs, seeds, asked.targets, scope)
        inputs, of_weights = asked.collect(gradients)
    if state.mode == NO_GRAD:
        # `grad` records although it is called under `no_grad`; its results must not look recorded outside.
        out, inputs, of_weights = ordered_trees.map(_off_tape, (out, inputs, of_weights), is_leaf=is_tensor)
    return out, inputs, of_weights


def _warn_of_number(out: object) -> None:
    if isinstance(out, float | np.ndarray) and state.frame is None:
        warnings.warn(
            f"The function to differentiate returned a {type(out).__name__}, which carries no gradient: all gradients "
            "are 0. Return the Tensor itself, without `item()`, `float(...)` or `asnumpy()`.",
            stacklevel=level_outside_package(),
        )


def _off_tape(leaf: object) -> Any:
    return wrap(stop_array_gradient(leaf.array)) if isinstance(leaf, Tensor) else leaf


def _beside_tensors(sens: object, out: object) -> Any:
    """Return the gradients of the Tensors among the outputs; what is given for numbers, shapes and None has no meaning."""
    given, leaves = (
        jax.tree.leaves(tree, is_leaf=lambda x: x is None or is_tensor(x)) for tree in (sens, out)
    )
    if not any(map(is_tensor, leaves)):
        return ()
    if len(given) != len(leaves) or all(map(is_tensor, leaves)):
        return sens
    return [s for s, leaf in zip(given, leaves, strict=True) if is_tensor(leaf)]


def _seeds(sens: object, outputs: list[Tensor]) -> list[Tensor | None]:
    given = [s if isinstance(s, Tensor) else Tensor(s) for s in jax.tree.leaves(sens, is_leaf=is_tensor)]
    if len(given) != len(outputs):
        raise ValueError(
            f"`sens`: there must be one Tensor for each of the function's {len(outputs)} outputs. Received: {len(given)}."
        )
    return list(given)


def arrange_gradients(
    inputs: list[Any],
    of_weights: tuple[Tensor, ...],
    grad_position: Positions,
    weights: Weights,
    ids: bool = False,
) -> Any:
    """Arrange gradients in the nesting that MindSpore returns."""
    positions = _positions(grad_position, "grad")
    if ids:
        if len(inputs) < len(positions):
            raise IndexError(
                f"`return_ids`: each position must hold a Tensor. Received: gradients of {len(inputs)} of {positions}."
            )
        inputs = [(position, gradient) for position, gradient in zip(positions, inputs, strict=True)]
        names = [weights.name] if isinstance(weights, Parameter) else [w.name for w in weights or ()]
        of_weights = tuple(zip(names, of_weights, strict=True))  # type: ignore[assignment]
    left: Any = inputs[0] if len(inputs) == 1 else tuple(inputs)
    right: Any = of_weights[0] if isinstance(weights, Parameter) else of_weights
    if weights is None:
        return left
    return right if grad_position is None else (left, right)


def grad(
    fn: Callable,
    grad_position: Positions = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable:
    """Return a function that computes the gradient of `fn`.

    Where `fn` has several outputs, their sum is differentiated, each summed over its elements.

    ================  ==========  =======================================================
    `grad_position`   `weights`   result
    ================  ==========  =======================================================
    int               None        gradient of that input
    tuple             None        tuple of gradients of those inputs (alone if it is one)
    None              given       gradient of each weight (alone if a single Parameter)
    int or tuple      given       (gradients of inputs, gradients of weights)
    ================  ==========  =======================================================

    Args:
        fn: function or Cell.
        grad_position: which positional inputs to differentiate by.
        weights: Parameter, or list, tuple or ParameterTuple of them.
        has_aux: differentiate the first output only, and return the others too: (gradients, (others, ...)).
        return_ids: pair each gradient with its position or Parameter name, for :func:`get_grad`.
        sens_param: the gradient of the output is given as the last argument of the call, or as `sens`.

    Returns:
        A function of the same arguments.

    Raises:
        ValueError: if both `grad_position` and `weights` are None.
        TypeError: if an argument has the wrong type.

    Examples:
        >>> import msjax as ms
        >>> print(ms.grad(lambda x, y: x * x * y)(ms.Tensor(3.0), ms.Tensor(2.0)))
        12.0
    """
    positions, listed = _check_arguments("grad", fn, grad_position, weights, has_aux, return_ids, sens_param)

    @functools.wraps(fn, updated=())
    def gradient(*args: object, **kwargs: object) -> Any:
        args, sens = _split_sens(args, kwargs) if sens_param else (args, None)
        present = _present(positions, [*args, *kwargs.values()], "grad")
        out, inputs, of_weights = differentiate(fn, args, kwargs, present, listed, has_aux, sens)
        result = arrange_gradients(inputs, of_weights, grad_position, weights, return_ids)
        return (result, out[1:]) if has_aux else result

    return _compile_where_spread(
        gradient, lambda result: result[0] if has_aux else result, grad_position, weights
    )


def value_and_grad(
    fn: Callable,
    grad_position: Positions = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable:
    """Return a function that computes the outputs of `fn` and their gradient.

    Args:
        fn: function or Cell.
        grad_position: as in :func:`grad`.
        weights: as in :func:`grad`.
        has_aux: differentiate the first output only; all outputs are returned.
        return_ids: as in :func:`grad`.
        sens_param: as in :func:`grad`.

    Returns:
        A function of the same arguments that returns (outputs of `fn`, gradients).

    Raises:
        ValueError: if both `grad_position` and `weights` are None.
        TypeError: if an argument has the wrong type.

    Examples:
        >>> import msjax as ms
        >>> value, gradient = ms.value_and_grad(lambda x: x * x)(ms.Tensor(3.0))
        >>> print(value, gradient)
        9.0 6.0
    """
    positions, listed = _check_arguments(
        "value_and_grad", fn, grad_position, weights, has_aux, return_ids, sens_param
    )

    @functools.wraps(fn, updated=())
    def value_and_gradient(*args: object, **kwargs: object) -> Any:
        args, sens = _split_sens(args, kwargs) if sens_param else (args, None)
        present = _present(positions, [*args, *kwargs.values()], "value_and_grad")
        out, inputs, of_weights = differentiate(fn, args, kwargs, present, listed, has_aux, sens)
        return out, arrange_gradients(inputs, of_weights, grad_position, weights, return_ids)

    return _compile_where_spread(value_and_gradient, lambda result: result[1], grad_position, weights)


def _compile_where_spread(
    compute: Callable, gradients_in: Callable[[Any], Any], positions: Positions, weights: Weights
) -> Callable:
    """Compile a function of gradients in graph mode, as MindSpore does, where the compiler spreads arrays over devices.

    Args:
        compute: the function.
        gradients_in: finds the gradients, as `arrange_gradients` gives them, in its result. Those of weights are no batch
            for the optimizer that gets them.
        positions: the inputs by which it differentiates.
        weights: and the weights.
    """
    compiled: Compiled | None = None  # made when it is needed: programs call `grad` in every step

    @functools.wraps(compute, updated=())
    def call(*args: object, **kwargs: object) -> Any:
        nonlocal compiled
        eager = state.frame is not None or state.scope is not None or mode() != GRAPH_MODE
        if eager or placement.of_program(()) is None:
            return compute(*args, **kwargs)
        compiled = compiled or Compiled(compute)
        result = compiled(*args, **kwargs)
        if weights is not None:
            gradients = gradients_in(result)
            for gradient in tensors_in(gradients if positions is None else gradients[1]):
                placement.note_whole(gradient._value)
        return result

    return call


def _split_sens(args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, Any]:
    """Return the arguments of a function, and the gradient of its output: `sens`, or the last argument."""
    if "sens" in kwargs:
        return args, kwargs.pop("sens")
    if not args:
        raise TypeError("the gradient of the output must be the last argument, or `sens`. Received: none.")
    return args[:-1], args[-1]


def _check_arguments(
    what: str,
    fn: object,
    grad_position: Positions,
    weights: Weights,
    has_aux: object,
    return_ids: object,
    sens_param: object,
) -> tuple[tuple[int, ...], tuple[Parameter, ...] | None]:
    if not callable(fn):
        raise TypeError(f"`{what}`: argument `fn` must be a function or a Cell. Received: {fn!r}.")
    if grad_position is None and weights is None:
        raise ValueError("`grad_position` and `weight` can not be None at the same time.")
    for name, flag in (("has_aux", has_aux), ("return_ids", return_ids), ("sens_param", sens_param)):
        if not isinstance(flag, bool):
            raise TypeError(f"`{what}`: argument `{name}` must be a bool. Received: {flag!r}.")
    return _positions(grad_position, what), _weights(weights, what)


def get_grad(gradients: object, identifier: int | Parameter | Tensor) -> Tensor:
    """Pick a gradient out of the result of `grad(..., return_ids=True)`.

    Args:
        gradients: the result.
        identifier: position of an input, or a Parameter.

    Returns:
        The gradient, a Tensor.

    Raises:
        TypeError: if `identifier` is neither an int nor a Parameter.
        RuntimeError: if the result holds no such gradient.

    Examples:
        >>> import msjax as ms
        >>> result = ms.grad(lambda x, y: x * y, (0, 1), return_ids=True)(ms.Tensor(3.0), ms.Tensor(2.0))
        >>> print(ms.get_grad(result, 1))
        3.0
    """
    if isinstance(identifier, bool) or not isinstance(identifier, int | Parameter):
        raise TypeError(
            f"`get_grad`: argument `identifier` must be an int or a Parameter. Received: {identifier!r}."
        )
    wanted = identifier if isinstance(identifier, int) else identifier.name
    stack = [gradients]
    while stack:
        item = stack.pop()
        if not isinstance(item, tuple):
            continue
        if len(item) == 2 and type(item[0]) is type(wanted) and item[0] == wanted:
            return item[1]
        stack.extend(item)
    raise RuntimeError(f"`get_grad`: there is no gradient for {wanted!r}. Was it made with return_ids=True?")


class GradOperation:
    """MindSpore's older interface for gradients.

    Args:
        get_all: gradients of all Tensor inputs, instead of the first.
        get_by_list: gradients of a list of Parameters, which is given when the gradient function is made.
        sens_param: the gradient of the output is given as the last argument of the call.

    Raises:
        TypeError: if an argument is no bool.

    Examples:
        >>> import msjax as ms
        >>> from msjax import ops
        >>> gradient = ops.GradOperation(get_all=True)(lambda x, y: x * y)
        >>> x_bar, y_bar = gradient(ms.Tensor(3.0), ms.Tensor(2.0))
        >>> print(x_bar, y_bar)
        2.0 3.0
    """

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False) -> None:
        for name, flag in (("get_all", get_all), ("get_by_list", get_by_list), ("sens_param", sens_param)):
            if not isinstance(flag, bool):
                raise TypeError(
                    f"For 'GradOperation', the '{name}' should be bool, but got {type(flag).__name__}."
                )
        self.get_all = get_all
        self.get_by_list = get_by_list
        self.sens_param = sens_param

    def __call__(self, fn: Callable, weights: Weights = None) -> Callable:
        """Return the gradient function of `fn`; with `weights` (a ParameterTuple or list) if `get_by_list` is set."""
        if not callable(fn):
            raise TypeError(f"`GradOperation`: argument `fn` must be a function or a Cell. Received: {fn!r}.")
        listed = None
        if self.get_by_list:
            listed = None if weights is None else _weights(weights, "GradOperation")

        @functools.wraps(fn, updated=())
        def gradient(*args: object, **kwargs: object) -> Any:
            args, sens = _split_sens(args, kwargs) if self.sens_param else (args, None)
            return self._gradient(fn, args, kwargs, sens, listed, isinstance(weights, Parameter))

        return _compile_where_spread(gradient, lambda result: result, 0 if self.get_all else None, listed)

    def _gradient(
        self,
        fn: Callable,
        args: Sequence[object],
        kwargs: dict,
        sens: object,
        weights: Sequence[Parameter] | None,
        single: bool,
    ) -> Any:
        positions = [i for i, arg in enumerate([*args, *kwargs.values()]) if _has_gradient(arg)]
        if not self.get_all:
            positions = [] if self.get_by_list or positions[:1] != [0] else [0]
        # Without a list MindSpore finds them in what PyNative mode records; a graph has none.
        used = self.get_by_list and weights is None and not _in_graph()
        if used:
            weights = list(getattr(fn, "trainable_params", list)())
        _, inputs, of_weights = differentiate(fn, args, kwargs, positions, weights, sens=sens, used=used)
        if self.get_by_list:
            right: Any = of_weights[0] if single else of_weights
            return (tuple(inputs), right) if self.get_all else right
        return tuple(inputs) if self.get_all or not inputs else inputs[0]
