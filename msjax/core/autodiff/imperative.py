"""Imperative autograd: gradients that accumulate in `.grad`, as in PyTorch and OneFlow, on the same tape."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp

from msjax.core import ordered_trees
from msjax.core.autodiff import custom_vjp
from msjax.core.autodiff.grad import ones_seed
from msjax.core.autodiff.hooks import attach_hooks
from msjax.core.state import DEFAULT, ENABLED, NO_GRAD, state
from msjax.core.tape import backward as tape_backward
from msjax.core.tape import nodes as tape_nodes
from msjax.core.tensor.tensor import Tensor, is_tensor, node_of, resolve, tensors_in, wrap


class _Mode:
    """A recording mode as a context manager and as a decorator."""

    def __init__(self, mode: int) -> None:
        self._mode = mode
        # A stack, because one instance may be entered again inside of itself.
        self._before: list[int] = []

    def __enter__(self) -> None:
        self._before.append(state.mode)
        state.mode = self._mode

    def __exit__(self, *exception: object) -> None:
        state.mode = self._before.pop()

    def __call__(self, fn: Callable) -> Callable:
        mode = self._mode

        @functools.wraps(fn)
        def inside(*args: object, **kwargs: object) -> Any:
            with _Mode(mode):
                return fn(*args, **kwargs)

        return inside


class no_grad(_Mode):  # noqa: N801
    """Record nothing: a context manager, and a decorator with or without parentheses.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([1.0], requires_grad=True)
        >>> with ms.no_grad():
        ...     y = x * 2
        >>> y.requires_grad
        False
    """

    def __new__(cls, fn: Callable | None = None) -> Any:
        """Return the context manager, or the decorated function."""
        return super().__new__(cls) if fn is None else _Mode(NO_GRAD)(fn)

    def __init__(self, fn: Callable | None = None) -> None:
        super().__init__(NO_GRAD)


class enable_grad(_Mode):  # noqa: N801
    """Record, also inside `no_grad`, and also operators on MindSpore Parameters with `requires_grad`.

    Examples:
        >>> import msjax as ms
        >>> w = ms.Parameter(ms.Tensor([3.0]), name="w")
        >>> with ms.enable_grad():
        ...     (w * w).sum().backward()
        >>> print(w.grad)
        [6.]
    """

    def __new__(cls, fn: Callable | None = None) -> Any:
        """Return the context manager, or the decorated function."""
        return super().__new__(cls) if fn is None else _Mode(ENABLED)(fn)

    def __init__(self, fn: Callable | None = None) -> None:
        super().__init__(ENABLED)


class set_grad_enabled(_Mode):  # noqa: N801
    """Switch recording on or off at once; as a context manager or decorator, for that extent only."""

    def __init__(self, mode: bool) -> None:
        super().__init__(DEFAULT if mode else NO_GRAD)
        # The call itself switches, as in PyTorch; `with` and the decorator must go back to the mode before it.
        self._outside = state.mode
        state.mode = self._mode

    def __enter__(self) -> None:
        self._before.append(self._outside)
        state.mode = self._mode

    def __call__(self, fn: Callable) -> Callable:
        """Return the function, called in this mode."""
        # As a decorator it must not leave the mode switched, which the constructor has done.
        state.mode = self._outside
        return super().__call__(fn)


def is_grad_enabled() -> bool:
    """Return True if operators on tensors with `requires_grad` are recorded."""
    return state.mode != NO_GRAD


# ---------------------------------------------------------------------- backward


def _as_list(tensors: Any) -> list[Any]:
    return [tensors] if isinstance(tensors, Tensor) or tensors is None else list(tensors)


def _roots(tensors: Sequence[Tensor], seeds: Sequence[object]) -> list[tuple[tape_nodes.Ref, tape_nodes.Var]]:
    if len(seeds) != len(tensors):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(seeds)} gradients")
    roots = []
    for tensor, seed in zip(tensors, seeds, strict=True):
        box = resolve(tensor)
        ref = node_of(box)
        if ref is None:
            error = RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
            if tensor._dialect is Tensor:
                error.add_note(
                    "In MindSpore's API `value_and_grad` gives the gradients of a function; `backward` is for results of "
                    "tensors with `requires_grad`."
                )
            raise error
        roots.append((ref, _seed(box, seed)))
    return roots


def _seed(box: Tensor, seed: Any) -> tape_nodes.Var:
    value = box._value
    if seed is None:
        if value.size != 1:
            raise RuntimeError(
                f"grad can be implicitly created only for scalar outputs. Received: an output of shape {value.shape}; "
                "pass `gradient`, or reduce it to a scalar, say with sum()."
            )
        if not jnp.issubdtype(value.dtype, jnp.floating):
            raise RuntimeError("grad can be implicitly created only for real scalar outputs")
        return ones_seed(value.shape, value.dtype), None
    given = resolve(seed)
    if given._value.shape != value.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output has shape {given._value.shape}, output {value.shape}."
        )
    return custom_vjp._as_input_dtype("backward", (given._value, node_of(given)), value)


def backward(
    tensors: object,
    grad_tensors: object = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: object = None,
) -> None:
    """Accumulate into `.grad` of the leaves (or of `inputs`) the gradients of `tensors`.

    Args:
        tensors: Tensor or sequence of Tensors.
        grad_tensors: gradient of each; None is 1 for a scalar.
        retain_graph: keep what was saved for another backward pass. Default: `create_graph`.
        create_graph: record the backward pass, for derivatives of the gradients.
        inputs: Tensors to accumulate into, instead of all leaves.

    Raises:
        RuntimeError: if a tensor was not recorded, is no scalar and has no gradient given, or was walked before.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> print(x.grad)
        [2. 4.]
    """
    roots = _roots(
        _as_list(tensors),
        _as_list(grad_tensors) if grad_tensors is not None else [None] * len(_as_list(tensors)),
    )
    retain_graph = create_graph if retain_graph is None else retain_graph
    nodes, _ = tape_backward.reachable([ref[0] for ref, _ in roots], set())
    if inputs is not None and not _as_list(inputs):
        raise RuntimeError("'inputs' argument to backward cannot be empty.")
    into = (
        _sinks(nodes)
        if inputs is None
        else [(_tape_reference(box), resolve(box)) for box in _as_list(inputs)]
    )
    found = _walk(roots, nodes, [ref for ref, _ in into], create_graph, retain_graph)
    for ref, box in into:
        gradient = found.get((id(ref[0]), ref[1]))
        if gradient is not None:
            _accumulate(box, gradient, create_graph)
            for hook in list(box.__dict__.get("_after_hooks", {}).values()):
                hook(box)


def _walk(
    roots: Any,
    nodes: list[tape_nodes.Node],
    targets: list[tape_nodes.Ref],
    create_graph: bool,
    retain_graph: bool,
) -> Any:
    # PyTorch runs the backward pass of a tape that exists, even under `no_grad`.
    mode = state.mode
    state.mode = DEFAULT if mode == NO_GRAD else mode
    try:
        return tape_backward.walk(roots, nodes, targets, set(), create_graph, retain_graph)
    finally:
        state.mode = mode


def _sinks(nodes: list[tape_nodes.Node]) -> list[tuple[tape_nodes.Ref, Tensor]]:
    """List leaves that still have an owner, and outputs whose gradient is retained, with the boxes to accumulate into."""
    sinks = []
    for node in nodes:
        if isinstance(node, tape_nodes.Leaf) and node.owner is not None:
            owner = node.owner()
            if owner is not None and owner._node is not None:  # None: it was frozen since
                attach_hooks(owner, (node, 0))
                sinks.append(((node, 0), owner))
        for i, reference in (node.retained or {}).items():
            owner = reference()
            if owner is not None:
                sinks.append(((node, i), owner))
    return sinks


def _tape_reference(tensor: Tensor) -> tape_nodes.Ref:
    ref = node_of(resolve(tensor))
    if ref is None:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return ref


def _accumulate(box: Tensor, gradient: tape_nodes.Var, create_graph: bool) -> None:
    """Add to `.grad`, in place as in PyTorch; under `create_graph` into a new Tensor, which is recorded."""
    before = box._grad
    if before is None:
        box._grad = wrap(*gradient) if create_graph else wrap(gradient[0])
        return
    old = resolve(before)
    total = tape_nodes.add((old._value, node_of(old) if create_graph else None), gradient)
    if create_graph:
        box._grad = wrap(*total)
    else:
        # In place: optimizers, hooks and compiled steps hold the `.grad` Tensor, which must stay the same object.
        before._assign(total[0])


def grad(
    outputs: object,
    inputs: object,
    grad_outputs: object = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """Compute gradients of `outputs` towards `inputs`, returned instead of accumulated.

    Args:
        outputs: Tensor or sequence of Tensors.
        inputs: Tensor or sequence of Tensors, of any place in the graph.
        grad_outputs: gradient of each output; None is 1 for a scalar.
        retain_graph: keep what was saved for another backward pass. Default: `create_graph`.
        create_graph: record the backward pass.
        allow_unused: give None for inputs that no output depends on, instead of raising.
        is_grads_batched: not supported; use vmap.
        materialize_grads: give zeros instead of None.

    Raises:
        RuntimeError: as :func:`backward`, and for an input that was not recorded or is not used.

    Examples:
        >>> import msjax as ms
        >>> from msjax.core.autodiff import imperative
        >>> x = ms.Tensor([3.0], requires_grad=True)
        >>> (g,) = imperative.grad((x * x).sum(), x)
        >>> print(g)
        [6.]
    """
    if is_grads_batched:
        raise NotImplementedError(
            "`autograd.grad`: is_grads_batched=True is not supported; use vmap over the cotangents."
        )
    if allow_unused is False and materialize_grads:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True")
    outs, sources = _as_list(outputs), _as_list(inputs)
    if not sources:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    roots = _roots(outs, _as_list(grad_outputs) if grad_outputs is not None else [None] * len(outs))
    places = [_tape_reference(tensor) for tensor in sources]
    nodes, _ = tape_backward.reachable([ref[0] for ref, _ in roots], set())
    retain_graph = create_graph if retain_graph is None else retain_graph
    found = _walk(roots, nodes, places, create_graph, retain_graph)
    results: list[Tensor | None] = []
    for (node, i), tensor in zip(places, sources, strict=True):
        gradient = found.get((id(node), i))
        if gradient is not None:
            results.append(wrap(*gradient) if create_graph else wrap(gradient[0]))
        elif materialize_grads:
            results.append(wrap(jnp.zeros_like(resolve(tensor)._value)))
        elif not allow_unused:
            raise RuntimeError(
                "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if "
                "this is the desired behavior."
            )
        else:
            results.append(None)
    return tuple(results)


# ---------------------------------------------------------------------- Function


class FunctionCtx:
    """Context of one call of a `Function`: what `forward` keeps for `backward`."""

    def __init__(self) -> None:
        self._tensors: tuple = ()
        self._non_differentiable: tuple = ()
        self._dirty: tuple = ()
        self._materialize = True
        self.needs_input_grad: tuple[bool, ...] = ()

    def save_for_backward(self, *tensors: object) -> None:
        """Keep Tensors for the backward pass."""
        self._tensors = tensors

    @property
    def saved_tensors(self) -> tuple:
        """The Tensors that were kept."""
        return self._tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Give these outputs no gradient."""
        self._non_differentiable = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Declare inputs that `forward` changes in place and returns: they are the call's outputs from then on."""
        self._dirty = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Set if absent gradients are given as zeros (the default, and always in a trace) or as None."""
        self._materialize = value


class Function:
    """An operator with a derivative of its own: subclass with static methods `forward` and `backward`.

    Examples:
        >>> import msjax as ms
        >>> from msjax.core.autodiff.imperative import Function
        >>> class Twice(Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x * 2
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         return g * 20
        >>> x = ms.Tensor([1.0], requires_grad=True)
        >>> Twice.apply(x).backward()
        >>> print(x.grad)
        [20.]
    """

    @staticmethod
    def forward(ctx: object, *args: object) -> Any:
        """Compute the outputs."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def backward(ctx: object, *grad_outputs: object) -> Any:
        """Compute one gradient per argument of `forward`."""
        raise NotImplementedError("You must implement the backward function for custom autograd.Function.")

    @staticmethod
    def _convert_tensors(result: object) -> Any:
        """Convert Tensors that the engine makes to what the methods expect (for subclasses)."""
        return result

    @classmethod
    def _check(cls, ctx: FunctionCtx, out: object, leaves: set[int]) -> None:
        """Check `forward`'s result (for subclasses); `leaves` are ids of inputs that gradients are asked for."""

    @classmethod
    def _gradients(cls, given: Any, args: tuple) -> list[Tensor | None]:
        """Return the gradients of the Tensors among the arguments, from `backward`'s result."""
        given = given if isinstance(given, tuple | list) else (given,)
        if len(given) < len(args) or any(g is not None for g in given[len(args) :]):
            raise RuntimeError(
                f"function {cls.__name__}Backward returned an incorrect number of gradients "
                f"(expected {len(args)}, got {len(given)})"
            )
        # Tensors in lists and dicts get none, as in PyTorch.
        return [
            g if isinstance(a, Tensor) else None
            for g, a in zip(given, args, strict=False)
            for _ in tensors_in(a)
        ]

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Call the function: `forward` now, `backward` in the backward pass."""
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and node_of(resolve(a)) is not None for a in args)
        setup = getattr(cls, "setup_context", None)
        leaves = {id(a) for a in args if isinstance(a, Tensor) and _is_leaf(a)}
        outputs: list[bool] = []  # which of the outputs are Tensors
        # Of dirty Tensors, the places among those of the arguments and of the outputs.
        changed: list[tuple[int, int]] = []

        def forward(*given: object) -> tuple[Any, Any]:
            if setup is None:
                out = cls.forward(ctx, *given)
            else:
                out = cls.forward(*given)
                setup(ctx, given, out)
            cls._check(ctx, out, leaves)
            if ctx._dirty:
                places = {id(t): i for i, t in enumerate(tensors_in(given))}
                dirty = {id(t) for t in ctx._dirty} & set(places)
                changed[:] = [(places[id(t)], j) for j, t in enumerate(tensors_in(out)) if id(t) in dirty]
            outputs[:] = [isinstance(o, Tensor) for o in out] if isinstance(out, tuple | list) else [True]
            # Tensors that the user stored as attributes of `ctx` are saved like the others, or they would be tracers of a
            # trace that has ended when `backward` runs.
            held = {k: v for k, v in ctx.__dict__.items() if isinstance(v, Tensor)}
            fixed = {id(t) for t in ctx._non_differentiable}
            out = ordered_trees.map(
                lambda t: _mark_non_differentiable(t) if id(t) in fixed else t, out, is_leaf=is_tensor
            )
            return out, (list(ctx._tensors), held)

        def backward(saved: Any, gradients: list[Tensor]) -> list[Tensor | None]:
            tensors, held = saved
            ctx._tensors = tuple(cls._convert_tensors(tensors))
            ctx.__dict__.update(cls._convert_tensors(held))
            each = iter(cls._convert_tensors(gradients))
            if sum(outputs) == len(gradients):  # else some are in nested outputs
                each = [next(each) if tensor else None for tensor in outputs]
            return cls._gradients(cls.backward(ctx, *each), args)

        result = custom_vjp.custom_call(
            cls.__name__, forward, backward, args, materialize=lambda: ctx._materialize, integers=False
        )
        return _return_changed(result, tensors_in(args), changed) if changed else result


def _return_changed(result: Any, inputs: list[Tensor], changed: list[tuple[int, int]]) -> Any:
    """Give the inputs that `forward` changed the outputs' places in the graph, and return them for these."""
    outputs = tensors_in(result)
    same: dict[int, Tensor] = {}
    for i, j in changed:
        if outputs[j] is not inputs[i]:
            output = resolve(outputs[j])
            inputs[i]._assign(output._value, node_of(output))
            same[id(outputs[j])] = inputs[i]
    return ordered_trees.map(lambda t: same.get(id(t), t), result, is_leaf=is_tensor) if same else result


def _is_leaf(tensor: Tensor) -> bool:
    node = node_of(resolve(tensor))
    return node is not None and isinstance(node[0], tape_nodes.Leaf)


def _mark_non_differentiable(tensor: Tensor) -> Tensor:
    marked = detach(tensor)
    marked.fixed = True  # type: ignore[attr-defined]
    return marked


def stop_gradient(value: object) -> Any:
    """Return the same values, through which no gradient passes.

    Args:
        value: Tensor, sharing memory with the result; or any nesting of tuples, lists and dicts with Tensors in it.

    Examples:
        >>> import msjax as ms
        >>> print(ms.grad(lambda x: x * ms.ops.stop_gradient(x))(ms.Tensor(3.0)))
        3.0
    """
    return ordered_trees.map(lambda x: detach(x) if isinstance(x, Tensor) else x, value, is_leaf=is_tensor)


def detach(tensor: Tensor) -> Tensor:
    """Return a Tensor off the tape that shares memory with this one: in-place changes of either show in both."""
    return tensor.detach()


def _backward(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: object = None,
) -> None:
    """Accumulate gradients of this tensor into `.grad` of the leaves: see :func:`backward`.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x).backward(ms.Tensor([1.0, 10.0]))
        >>> print(x.grad)
        [ 2. 40.]
    """
    backward(self, gradient, retain_graph, create_graph, inputs)


Tensor.backward = _backward
