"""Deferred exceptions: `raise` and `assert` under conditions that are known only when a compiled program runs.

A compiled program cannot raise. It writes the number of the exception into a box, a Tensor like any other that functions
write, and whoever writes the program's results back checks that box.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from msjax.core.op.op import values_and_refs
from msjax.core.state import override_state, state
from msjax.core.tape import nodes
from msjax.core.tensor import scalar_inputs
from msjax.core.tensor.box import peek
from msjax.core.tensor.tensor import Tensor, is_tensor, wrap
from msjax.core.trace import deferred_text

_exceptions: dict[tuple, tuple[int, BaseException]] = {}
_box: list[Tensor] = []
_arguments: dict[int, tuple] = {}  # of exceptions that a program has raised, with values of Tensors in them


def error_box() -> Tensor:
    """Return the box into which programs write the number of their exception; 0 means none."""
    if not _box:
        # The first program to need it is being traced: the value must not be one of that trace.
        with override_state(frame=None, scope=None), jax.ensure_compile_time_eval():
            _box.append(wrap(jnp.zeros((), jnp.int32)))
    return _box[0]


# `before == 0`: the first exception counts, as in Python.
_MARK = nodes.Program(
    lambda before, condition, code: jnp.where((before == 0) & condition.reshape(()), code, before), "raise"
)


def fail_if(condition: Tensor, error: BaseException) -> None:
    """Make the program raise an exception if the condition holds, unless it has already failed."""
    if isinstance(error, Choice):
        fail_if(_both(condition, error.condition), error.yes)
        fail_if(_first_alone(condition, error.condition), error.no)
        return
    leaves, tree = jax.tree.flatten(error.args, is_leaf=is_tensor)
    hidden = [deferred_text.is_unknown(leaf) for leaf in leaves]
    # Exceptions that are equal share a number, so that tracing a function again adds none. One that tells values of
    # Tensors is always another.
    key: Any = (type(error), object()) if any(hidden) else (type(error), str(error))
    if any(map(is_tensor, leaves)):
        leaves = [
            leaf if waits else _detach_from_trace(leaf) for leaf, waits in zip(leaves, hidden, strict=True)
        ]
    if not any(hidden):
        error.args = jax.tree.unflatten(tree, leaves)
    # Without the traceback, whose frames would keep every tracer of the trace alive.
    code, _ = _exceptions.setdefault(key, (len(_exceptions) + 1, error.with_traceback(None)))
    if any(hidden):
        _tell(code, leaves, tree, hidden, condition)
    failed = error_box()
    values, _ = values_and_refs([failed, condition])
    failed._assign(_MARK.call(values[0], values[1].astype(bool), jnp.int32(code)))


def _detach_from_trace(leaf: object) -> object:
    """Detach a leaf of an exception's arguments from the trace in which it was made."""
    if not is_tensor(leaf):
        return leaf
    value = peek(leaf)
    with override_state(frame=None, scope=None):
        return scalar_inputs.mark_like(leaf, wrap(value))


class Choice(Exception):  # noqa: N818
    """One of two exceptions, by a condition that is known only when the program runs."""

    def __init__(self, condition: Tensor, yes: BaseException, no: BaseException) -> None:
        super().__init__()
        self.condition, self.yes, self.no = condition, yes, no


def _of_two(compute: Callable[[jax.Array, jax.Array], jax.Array]) -> Callable[[Tensor, Tensor], Tensor]:
    program = nodes.Program(
        lambda a, b: compute(a.reshape(()).astype(bool), b.reshape(()).astype(bool)), "raise"
    )
    return lambda a, b: wrap(program.call(*values_and_refs([a, b])[0]))


_both, _first_alone = _of_two(lambda a, b: a & b), _of_two(lambda a, b: a & ~b)


class StopTracing(Exception):  # noqa: N818
    """Raised to stop tracing: from this point the program always raises."""


def must_defer(error: BaseException) -> bool:
    """Return True if the program must raise the exception: it may fail earlier, or the exception shows unknown values."""
    frame = state.frame
    return (
        frame is not None
        and state.effects
        and ((bool(_box) and frame.wrote(_box[0])) or has_unknown_values(error))
    )


def stop_tracing(error: BaseException) -> BaseException:
    """Make the program raise an exception where it has not failed before; return the exception that stops the trace."""
    fail_if(wrap(jnp.ones((), bool)), error)
    return StopTracing()


def has_unknown_values(error: BaseException) -> bool:
    """Return True if the exception has Tensors with unknown values among its arguments."""
    return isinstance(error, Choice) or any(
        map(deferred_text.is_unknown, jax.tree.leaves(error.args, is_leaf=is_tensor))
    )


def _tell(code: int, leaves: list[object], tree: object, hidden: list[bool], condition: Tensor) -> None:
    """Make the program send the arguments of an exception to the host where it fails."""
    waiting = [leaf for leaf, waits in zip(leaves, hidden, strict=True) if waits and is_tensor(leaf)]

    def host(failed: jax.Array, *values: jax.Array) -> None:
        if not failed.any():
            return
        each = iter(values)
        with override_state(frame=None, scope=None, watch=None):
            found = [
                deferred_text.as_python_number(scalar_inputs.mark_like(leaf, Tensor(next(each))))
                if waits and is_tensor(leaf)
                else leaf
                for leaf, waits in zip(leaves, hidden, strict=True)
            ]
            _arguments[code] = deferred_text.resolve_texts(jax.tree.unflatten(tree, found))

    values, _ = values_and_refs([condition, *waiting])
    jax.debug.callback(host, *values)


def is_error_box(thing: object) -> bool:
    """Return True if this is the box of `box()`."""
    return bool(_box) and thing is _box[0]


def list_errors() -> list[tuple[int, BaseException]]:
    """List the exceptions that programs may raise, with their numbers."""
    return list(_exceptions.values())


def raise_reported() -> None:
    """Raise the exception that a program reported; does nothing inside of traces.

    Raises:
        Exception: the exception of the program's `raise` or `assert`.
    """
    if state.frame is not None or not _box or not (code := int(_box[0].array)):
        return
    # Cleared first: the exception may be caught, and the next call must start without it.
    _box[0]._assign(jnp.zeros((), jnp.int32))
    for number, error in _exceptions.values():
        if number == code:
            # The callback that delivers the arguments may still be running in one of XLA's threads.
            jax.effects_barrier()
            if code in _arguments:
                raise type(error)(*_arguments.pop(code))
            raise type(error)(*error.args) if type(error).__init__ is BaseException.__init__ else error
