"""Gradient hooks: on a single Tensor, and on the inputs and outputs of a Cell."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Self

import jax
import jax.numpy as jnp

from msjax.core import ordered_trees
from msjax.core.autodiff import custom_vjp
from msjax.core.autograph.conversion import convert_callback
from msjax.core.jit.compiled import Compiled
from msjax.core.op.op import values_and_refs
from msjax.core.state import DEFAULT, NO_GRAD, generation, invalidate_guards, override_state, state
from msjax.core.tape import nodes, pullbacks
from msjax.core.tensor.box import is_lens_view
from msjax.core.tensor.tensor import Tensor, node_of, resolve, tensors_in, wrap
from msjax.core.trace import trace

# Numbers never come back, so removing a hook twice cannot remove another one.
_numbers = itertools.count()


class HookHandle:
    """Handle of a registered hook; `remove()`, or the end of the handle as a context, unregisters it."""

    def __init__(self, hooks: dict[int, Callable], number: int) -> None:
        self._hooks = hooks
        self._number = number

    def remove(self) -> None:
        """Unregister the hook; a second call does nothing."""
        # Compiled programs have the hooks in them.
        if self._hooks.pop(self._number, None) is not None:
            invalidate_guards()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


Handle = HookHandle


def register(hooks: dict[int, Callable], hook: Callable, what: str) -> HookHandle:
    """Add a hook to a table of hooks, in order of registration; return its handle."""
    if not callable(hook):
        raise TypeError(
            f"`{what}`: argument `hook`: Expected a callable hook function. Received: {hook!r} ({type(hook).__name__})."
        )
    refuse_compiled(hook, what)
    number = next(_numbers)
    hooks[number] = hook
    invalidate_guards()
    return HookHandle(hooks, number)


def refuse_compiled(hook: Callable, what: str) -> None:
    """Refuse a compiled function as a hook.

    Raises:
        TypeError: if `hook` was made by `jit`.
    """
    if isinstance(hook, Compiled):
        raise TypeError(
            f"`{what}`: a hook must not be a function that `jit` compiles. Received: {hook!r}. "
            "What it is registered on may be compiled, with the hook."
        )


def run_hooks(hooks: dict[int, Callable], gradient: nodes.Var) -> nodes.Var:
    """Pass one gradient through the hooks of a Tensor; return the gradient that comes out."""
    box = wrap(*gradient)
    differentiable = gradient[1] is not None or state.frame is not None  # JAX may differentiate a trace later
    with override_state(mode=DEFAULT if differentiable else NO_GRAD):
        for hook in list(hooks.values()):
            result = convert_callback(hook)(box)
            if result is None:
                continue
            if not isinstance(result, Tensor):
                raise RuntimeError(
                    "`register_hook`: Tensor hook should be return Tensor, but get type: "
                    f"{type(result).__name__}. None keeps the gradient."
                )
            box = result
    # A hook may return something that broadcasts to the gradient, as in PyTorch.
    box = resolve(box)
    return custom_vjp._as_input_dtype(
        "register_hook", _broadcast((box._value, node_of(box)), gradient[0].shape), gradient[0]
    )


def _broadcast(variable: nodes.Var, shape: tuple[int, ...]) -> nodes.Var:
    value, ref = variable
    fits = value.shape != shape and len(value.shape) <= len(shape)
    if not fits or any(n not in (1, m) for n, m in zip(value.shape[::-1], shape[::-1], strict=False)):
        return variable
    return nodes.variables(
        *nodes.execute(nodes.Program(lambda v: jnp.broadcast_to(v, shape), "broadcast"), [value], [ref])
    )[0]


def register_hook(tensor: Tensor, hook: Callable[[Tensor], Tensor | None]) -> HookHandle:
    """Call `hook(gradient)` when the gradient of this tensor has been computed; its result replaces the gradient.

    Args:
        tensor: the Tensor. Of a Parameter or a tensor with `requires_grad`, every later gradient is passed on.
        hook: takes a Tensor of this tensor's shape, returns one or None.

    Returns:
        A handle with `remove()`.

    Raises:
        TypeError: if `hook` cannot be called.
        RuntimeError: if it returns anything else.

    Examples:
        >>> import msjax as ms
        >>> def f(x):
        ...     y = x * 2
        ...     y.register_hook(lambda g: g * 10)
        ...     return y * y
        >>> print(ms.grad(f)(ms.Tensor(1.0)))
        80.0
    """
    if hasattr(tensor, "_trainable") and not tensor.requires_grad:
        raise RuntimeError(
            f"`register_hook`: {tensor!r}: The tensor requires grad is false, which can not register tensor hook. "
            "Set `requires_grad=True` first."
        )
    box = resolve(tensor)
    node = node_of(box)
    # Three homes of a hook: the tensor itself, for Parameters and leaves, whose node changes with every `grad`; a node of
    # the tape, for what was computed; and an identity with the hook as derivative, in a trace.
    ends = hasattr(tensor, "_trainable") or (node is not None and _ends_at(node, box))
    if state.frame is not None and not ends:
        return _register_in_trace(tensor, box, hook)
    if node is not None and not ends:
        return register(hook_table(node), hook, "register_hook")
    hooks = tensor.__dict__.setdefault("_hooks", {})
    generation.hooked = True
    if node is not None:
        _hang(node, hooks)
    return register(hooks, hook, "register_hook")


Tensor.register_hook = register_hook


def list_hooks(tensor: Tensor) -> list[Callable]:
    """List the hooks of a Tensor, in order: its own, and those of its node on the tape."""
    found = list((tensor.__dict__.get("_hooks") or {}).values())
    box = resolve(tensor)
    node = node_of(box)
    if node is not None and node[0].hooks and not _ends_at(node, box):
        for runner in node[0].hooks.get(node[1], ()):
            if isinstance(runner, _Runner) and runner.own:
                found += runner.hooks.values()
    return found


def _ends_at(node: nodes.Ref, box: Tensor) -> bool:
    return isinstance(node[0], nodes.Leaf) and node[0].owner is not None and node[0].owner() is box


def hook_table(node: nodes.Ref) -> dict[int, Callable]:
    """Return the table of hooks of an output of a node, making it if there is none."""
    table = node[0].hooks
    if table is None:
        table = node[0].hooks = {}
    for hook in table.get(node[1], ()):
        if isinstance(hook, _Runner) and hook.own:
            return hook.hooks
    hooks: dict[int, Callable] = {}
    table.setdefault(node[1], []).append(_Runner(hooks, own=True))
    return hooks


def _hang(node: nodes.Ref, hooks: dict[int, Callable]) -> None:
    """Let a tensor's own hooks see the gradient at a node, once."""
    table = node[0].hooks
    if table is None:
        table = node[0].hooks = {}
    listed = table.setdefault(node[1], [])
    if not any(isinstance(hook, _Runner) and hook.hooks is hooks for hook in listed):
        listed.append(_Runner(hooks, own=False))


def attach_hooks(box: Tensor, node: nodes.Ref) -> None:
    """Let the hooks registered on a Parameter or leaf see the gradient at `node`, which stands for it."""
    hooks = box.__dict__.get("_hooks")
    if hooks is not None:
        _hang(node, hooks)


class _Runner:
    __slots__ = ("hooks", "own")

    def __init__(self, hooks: dict[int, Callable], own: bool) -> None:
        self.hooks = hooks
        self.own = own

    def __call__(self, gradient: nodes.Var) -> nodes.Var:
        return run_hooks(self.hooks, gradient)


def _register_in_trace(tensor: Tensor, box: Tensor, hook: Callable) -> HookHandle:
    """Insert an identity with the hook as its derivative below every later use of the tensor."""
    hooks: dict[int, Callable] = {}
    handle = register(hooks, hook, "register_hook")

    def backward(_: object, gradients: list[Tensor]) -> list[Tensor]:
        return [wrap(*run_hooks(hooks, (resolve(gradients[0])._value, None)))]

    passed = custom_vjp.custom_call(
        "register_hook", lambda x: (wrap(resolve(x)._value), ()), backward, (tensor,)
    )
    through = resolve(passed)
    # In place, without a new version: the value is the same, and views of it need not be read again.
    if box._home is state.frame and not is_lens_view(box):
        box._value, box._node = through._value, through._node
    return handle


# ---------------------------------------------------------------------- Cells


def with_backward_hooks(
    name: str,
    call: Callable,
    args: Sequence[object],
    kwargs: dict[str, Any],
    before: Callable[[tuple], Any] | None,
    after: Callable[[tuple, tuple], Any] | None,
) -> Any:
    """Call a Cell so that its backward hooks see the gradients at its outputs and inputs.

    Args:
        name: for messages.
        call: the forward pass.
        args: its arguments.
        kwargs: its keyword arguments, which no hook sees.
        before: (gradients of outputs) -> replacements, or None: the backward pre-hooks.
        after: (gradients of inputs, gradients of outputs) -> replacements of the inputs' gradients, or None: the
            backward hooks.
    """
    if state.frame is not None:
        return _hooked_in_trace(name, call, args, kwargs, before, after)
    # The tape goes back to leaves that live; this keeps those that are arguments, whatever the caller drops.
    seen: dict[str, tuple] = {"arguments": tuple(args)}

    def at_outputs(_: object, gradients: list[Tensor]) -> Sequence[Tensor | None]:
        replaced = _replace_gradients(None if before is None else before(tuple(gradients)), gradients)
        seen["outputs"] = tuple(replaced)
        return replaced

    def at_inputs(_: object, gradients: list[Tensor]) -> Sequence[Tensor | None]:
        if after is None:
            return gradients
        return _replace_gradients(after(tuple(gradients), seen.get("outputs", ())), gradients)

    # Two identities, one around the inputs and one around the outputs; the inputs' backward runs after the outputs'.
    entered = custom_vjp.custom_call(name, _identity, at_inputs, args)
    out = call(*entered, **kwargs)
    if after is not None and not any(node_of(resolve(box)) for box in tensors_in(list(entered))):
        return _without_inputs(name, out, seen, at_outputs, after)
    return custom_vjp.custom_call(name, _identity_of_one, at_outputs, (out,), materialize=lambda: False)


def _without_inputs(name: str, out: object, seen: dict, at_outputs: Callable, after: Callable) -> Any:
    """Wrap the outputs of a Cell whose inputs have no gradient: all hooks run when the outputs' gradients are known."""

    def at_both(saved: object, gradients: list[Tensor]) -> Sequence[Tensor | None]:
        replaced = at_outputs(saved, gradients)
        after((None,), seen["outputs"])
        return replaced

    return custom_vjp.custom_call(name, _identity_of_one, at_both, (out,), materialize=lambda: False)


def _identity(*args: object) -> tuple[Any, tuple]:
    return [ordered_trees.map(_renew_box, arg, is_leaf=trace.is_tensor) for arg in args], ()


def _identity_of_one(out: object) -> tuple[Any, tuple]:
    return ordered_trees.map(_renew_box, out, is_leaf=trace.is_tensor), ()


def _renew_box(leaf: object) -> Any:
    return wrap(resolve(leaf)._value) if isinstance(leaf, Tensor) else leaf


def _replace_gradients(result: Any, gradients: Sequence[Tensor]) -> list[Any]:
    if result is None:
        return list(gradients)
    listed = [result] if isinstance(result, Tensor) else list(result)
    if len(listed) != len(gradients):
        raise TypeError(
            f"a backward hook must return as many gradients as it is given, which is {len(gradients)}. "
            f"Received: {len(listed)}."
        )
    return listed


def _hooked_in_trace(
    name: str,
    call: Callable,
    args: Sequence[Any],
    kwargs: dict,
    before: Callable | None,
    after: Callable | None,
) -> Any:
    """Trace the forward pass and the hooks now, and put them together as one function with a custom derivative."""
    boxes = tensors_in(list(args))
    ahead = trace.trace(lambda *given: call(*given, **kwargs), tuple(args), {}, same_values=True)
    outputs = ahead.outputs
    out_zeros = [_zeros(aval) for aval in ahead.closed.out_avals[:outputs]]
    in_zeros = [_zeros(resolve(box)._value) for box in boxes]
    # Traced on zeros, for their shapes alone; what the hooks read outside becomes an input of the whole.
    at_outputs = trace.trace(
        lambda out: _replace_gradients(before and before(tuple(out)), out), (out_zeros,), {}
    )
    at_inputs = trace.trace(
        lambda into, out: _replace_gradients(after and after(tuple(into), tuple(out)), into),
        (in_zeros, out_zeros),
        {},
    )
    if at_outputs.written or at_inputs.written:
        raise RuntimeError(
            f"`{name}`: a backward hook changes a Tensor that exists outside of it, which a compiled or transformed "
            "function cannot do. Return the value as a gradient, or differentiate eagerly."
        )
    captured = [*ahead.read(boxes), *at_outputs.read([]), *at_inputs.read([])]
    first = len(boxes) + len(ahead.captured)
    second = first + len(at_outputs.captured)

    @jax.custom_vjp
    def hooked(*values: jax.Array) -> list[Any]:
        return ahead.fn(*values[:first])

    def forward(*values: jax.Array) -> tuple[list[Any], Any]:
        # JAX's own derivative of the forward pass, between the two hooks.
        out, vjp = jax.vjp(ahead.fn, *values[:first])
        return out, (vjp, values[first:])

    def backward(kept: Any, cotangents: list[jax.Array]) -> tuple:
        vjp, extra = kept
        given = [pullbacks.conjugate(ct) for ct in cotangents[:outputs]]
        given = at_outputs.fn(*given, *extra[: second - first])
        found = vjp([*[pullbacks.conjugate(g) for g in given], *cotangents[outputs:]])
        inputs = [pullbacks.conjugate(g) for g in found[: len(boxes)]]
        inputs = at_inputs.fn(*inputs, *given, *extra[second - first :])
        return (*[pullbacks.conjugate(g) for g in inputs], *found[len(boxes) :], *[None] * len(extra))

    hooked.defvjp(forward, backward)
    values, refs = values_and_refs([*boxes, *captured])
    results, node = nodes.execute(nodes.Program(hooked, name), values, refs)
    return ahead.finish(nodes.variables(results, node), boxes)


def _zeros(aval: jax.ShapeDtypeStruct | jax.Array) -> Tensor:
    if not pullbacks.is_inexact(aval.dtype):
        raise TypeError(
            "backward hooks under compilation need inputs and outputs of floating-point dtype. "
            f"Received: {jax.ShapeDtypeStruct(aval.shape, aval.dtype)}."
        )
    return wrap(jnp.zeros(aval.shape, aval.dtype))
