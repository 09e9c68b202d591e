"""Execution of a compiled program: take arrays out of the boxes, run, and write the new state back without loss."""

import _signal  # type: ignore[import-not-found]  # `signal.signal` makes an enum of each handler, which is slow
import signal
import threading
from collections.abc import Sequence
from typing import Any

import jax
from jax.core import Tracer

from msjax.core.jit import joint_state
from msjax.core.state import state
from msjax.core.tape import nodes
from msjax.core.tensor.box import check_not_tracer
from msjax.core.tensor.tensor import Tensor, resolve, wrap
from msjax.core.trace import deferred_errors, trace
from msjax.core.xla import compiler_options
from msjax.core.xla.collectives import world


def run(entry: Any, arguments: list[Tensor], call: object) -> Any:
    """Run the program of a `program.Entry`: donate the memory of the state that it replaces, and write the new state back.

    Args:
        entry: the program.
        arguments: the Tensors among the arguments.
        call: (args, kwargs).

    Returns:
        The return value of the function.

    Raises:
        RuntimeError: if the device failed after memory had been donated.
    """
    values = [(box if box._view is None else resolve(box))._value for box in arguments]
    owners, others = entry.owners(arguments)
    given, rest = _arrays(owners, others) if entry.joint is None else entry.joint.take(owners, others)
    if not given:
        outputs = _commit(entry, arguments, _results(entry, given, rest, values), entry.joint)
    else:
        # After the program started, the old state is gone; until the boxes have the new one, an interrupt would lose
        # both (test_deferred_errors.test_interrupts_at_any_time_leave_all_of_the_state_or_none).
        with interrupts_deferred():
            try:
                results = _results(entry, given, rest, values)
            except jax.errors.JaxRuntimeError as error:
                owned = [value for box, value in zip(owners, given, strict=True) if box._owned]
                _say_if_gone(entry, owned, error)
                raise
            outputs = _commit(entry, arguments, results, entry.joint)
    if entry.traced.fails:
        deferred_errors.raise_reported()
    return _return_value(entry, outputs, call)


def _arrays(owners: list[Tensor], others: list[Tensor]) -> tuple[list[Any], list[Any]]:
    """Return the arrays that a program may overwrite, and those that it reads."""
    given = [box._value for box in owners]
    # An array that someone else holds (an alias, a user, the tape) must survive: a copy is donated in its place
    # (test_memory.test_an_array_that_someone_holds_is_not_reused).
    if shared := [i for i, box in enumerate(owners) if not box._owned]:
        for i, copy in zip(shared, _copies([given[i] for i in shared]), strict=True):
            given[i] = copy
    return given, [box._value for box in others]


def lower(entry: Any, arguments: list[Tensor]) -> jax.stages.Lowered:
    """Lower the program of a `program.Entry` as `run` would run it; for the devices of `state.target`, from shapes alone."""
    values = [resolve(box)._value for box in arguments]
    if entry.joint is not None:
        return entry.joint.lower(*entry.joint.take(*entry.owners(arguments)), values)
    given, rest = ([box._value for box in boxes] for boxes in entry.owners(arguments))
    if state.target is None:
        return entry.run.lower(given, rest, values)
    layout = entry.layout
    alone = jax.sharding.SingleDeviceSharding(state.target[0])
    places = {slot.key: i for i, slot in enumerate(entry.traced.captured, len(arguments))}

    def shape(value: jax.Array, i: int) -> jax.ShapeDtypeStruct:
        sharding = (
            alone if layout is None else (layout.inputs[i] or [entry.placement.replicated_sharding()])[0]
        )
        return jax.ShapeDtypeStruct(value.shape, value.dtype, sharding=sharding)

    sides = ((given, entry.given), (rest, entry.rest))
    shapes = [[shape(v, places[slot.key]) for v, slot in zip(*side, strict=True)] for side in sides]
    return entry.run.lower(*shapes, [shape(value, i) for i, value in enumerate(values)])


def _return_value(entry: Any, outputs: Sequence[object], call: Any = None) -> Any:
    return outputs[0] if entry.has_single_output else entry.traced.deliver(outputs, call)


def _results(
    entry: Any, given: list[jax.Array], rest: list[jax.Array], values: list[jax.Array]
) -> list[jax.Array]:
    try:
        return entry.run(given, rest, values)
    except ValueError as error:
        if not compiler_options.is_inside_trace_error(error):
            raise
        return entry.inside(given, rest, values)


def run_again(entry: Any, given: list[jax.Array], rest: list[jax.Array], values: list[jax.Array]) -> Any:
    """Run the program of a `simple` `Entry` on arrays, after a first call, for `fast_call.FastCall`.

    The boxes own what is `given`, and none that is replaced is a view or recorded. Python runs signal handlers between its
    own instructions only. `results.extend(map(...))` is one call of C code, so no handler can run between the end of the
    program and its results being in `results`: whatever Ctrl-C interrupts after that is done in the `except` block.
    Deferring interrupts instead costs two changes of the handler per call.
    """
    results: list[Any] = []
    try:
        results.extend(map(entry.run, (given,), (rest,), (values,)))
        if entry.replaced and isinstance(results[0][-1], Tracer):
            check_not_tracer(None, results.pop()[-1])
        outputs = _commit_plain(entry, results[0], entry.joint)
    except BaseException as error:
        if results:
            with interrupts_deferred():
                # Joint arrays do not stay: between two instructions a box may have neither its value nor one.
                _commit(entry, [], entry.joint.local(results[0]) if entry.joint else results[0], None)
        elif compiler_options.is_inside_trace_error(error):
            return _return_value(entry, _commit(entry, [], entry.inside(given, rest, values), None))
        else:
            _say_if_gone(entry, given, error)
        raise
    return _return_value(entry, outputs)


def _say_if_gone(entry: Any, given: list[jax.Array], error: BaseException) -> None:
    if any(value.is_deleted() for value in given):
        raise RuntimeError(
            f"`{entry.program.name}`: a compiled step was stopped while it replaced its state, and the old state "
            "is gone. Load the last checkpoint (load_checkpoint, load_param_into_net) and start from there."
        ) from error


def _commit(
    entry: Any, arguments: list[Tensor], results: list[jax.Array], joint: joint_state.JointState | None
) -> Sequence[object]:
    """Write the new state back (`Traced.commit`), which the boxes then own; return the outputs, boxed.

    `joint` is that of the entry, or None if the results are arrays of this process alone.
    """
    traced = entry.traced
    # In a trace of JAX's own (jax.jit around a compiled step) the new state would be tracers: refused before any box is
    # changed (test_compiler_options.test_a_step_in_a_trace_of_jax_is_refused_and_changes_nothing).
    if traced.written and isinstance(results[-1], Tracer):
        for slot, _ in traced.written:
            check_not_tracer(traced.owner(slot, arguments)._value, results[-1])
    if entry.plain and all(
        box._view is None and (box._node is None or isinstance(box._node[0], nodes.Leaf))
        for box in entry.replaced
    ):
        return _commit_plain(entry, results, joint)
    if joint is not None:
        results = joint.local(results)
    return traced.commit([(value, None) for value in results], arguments, entry.donated)


def _commit_plain(entry: Any, results: list[jax.Array], joint: joint_state.JointState | None) -> list[Any]:
    """Do the work of `Traced.commit` for a `plain` entry whose written boxes are neither views nor computed on the tape.

    For speed alone: 0.07 us for each box instead of 0.5, which is a tenth of the Python time of a step with 60 Parameters.
    """
    each = iter(results)
    outputs = [wrap(next(each)) if static is trace.DYNAMIC else static for static in entry.traced.statics]
    if world.size > 1:
        joint_state.write(joint, entry.replaced, each)
        return outputs
    for box, value in zip(entry.replaced, each):  # noqa: B905 (the lengths are equal, and `strict` is slow)
        box._value = value
        box._version += 1
        box._owned = True
    return outputs


def _copies(values: list[jax.Array]) -> list[jax.Array]:
    if any(isinstance(value, Tracer) for value in values):
        return [value.copy() for value in values]
    return jax.device_put(values, may_alias=False)  # `copy` would compile a program for each shape


class interrupts_deferred:  # noqa: N801
    """Defer Ctrl-C until the block is over: between a program's end and the write-back there is no state."""

    __slots__ = ("before", "pending")

    def __enter__(self) -> None:
        self.pending = pending = []
        self.before = None
        # A handler that Python does not know (None) could not be put back.
        if (
            threading.current_thread() is threading.main_thread()
            and _signal.getsignal(signal.SIGINT) is not None
        ):
            self.before = _signal.signal(signal.SIGINT, lambda *args: pending.append(args))

    def __exit__(self, *_: object) -> None:
        if self.before is not None:
            _signal.signal(signal.SIGINT, self.before)
            if self.pending and callable(self.before):
                self.before(*self.pending[0])
