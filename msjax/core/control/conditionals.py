"""Conditionals of converted functions: `if`, `... if ... else ...`, `and`, `or`, `not`, and `raise` in a branch.

A condition that is a number, or a Tensor whose value is known, decides as in Python. One that is known only when the
program runs makes an operation: both branches are traced, and `branch_merge` merges them.
"""

from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp
from jax.core import Tracer

from msjax.core.autograph.conversion import convert_callable
from msjax.core.autograph.jump_flags import is_jump_flag
from msjax.core.control import branch_merge, loops
from msjax.core.op.op import values_and_refs
from msjax.core.state import override_state, state
from msjax.core.tape import nodes
from msjax.core.tensor import scalar_inputs
from msjax.core.tensor.box import peek, users_line
from msjax.core.tensor.tensor import Tensor, in_dialect, wrap
from msjax.core.trace import captures, deferred_errors, trace
from msjax.core.trace.frame import begin_control_flow


def is_undecided(x: object) -> bool:
    """Return True for a Tensor whose value is not known before the program runs."""
    if not isinstance(x, Tensor | Tracer):
        return False
    value = peek(x) if isinstance(x, Tensor) else x
    return isinstance(value, Tracer) and not (state.known is not None and state.known.decides(value))


def tensor_function(name: str, fn: Callable) -> Callable:
    """Make a function of Tensors from a function of arrays, recorded on the tape like an operator."""
    program = nodes.Program(fn, name)

    def call(*boxes: Tensor) -> Tensor:
        values, refs = values_and_refs(boxes)
        result = wrap(*nodes.variables(*nodes.execute(program, values, refs))[0])
        return in_dialect(result, next((box._dialect for box in boxes if isinstance(box, Tensor)), Tensor))

    return call


_truth = tensor_function("bool", lambda x: jnp.reshape(x, ()).astype(bool))
_not = tensor_function("not", lambda x: ~jnp.reshape(x, ()).astype(bool))
_and = tensor_function("and", lambda x, y: x & y)
_or = tensor_function("or", lambda x, y: x | y)


def truth_value(x: Any) -> Tensor:
    """Return the truth value of an undecided Tensor of one element, as a 0-d bool Tensor.

    Raises:
        ValueError: if it has several.
    """
    x = x if isinstance(x, Tensor) else wrap(x)
    value = peek(x)
    if value.size != 1:
        raise ValueError(
            f"`bool`: only a Tensor of one element has a truth value. Received: shape={list(value.shape)}{users_line()}. "
            "Use .any() or .all()."
        )
    return x if value.shape == () and value.dtype == bool else _truth(x)


class Raised(Exception):  # noqa: N818
    """Exception that a program would raise in a branch; caught where the branch is traced."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def raise_deferred(error: Any) -> object:
    """Return the exception for a `raise` statement to raise: in a branch that may not run, a `Raised` around it."""
    if not state.staged:
        made = error() if isinstance(error, type) else error
        return deferred_errors.stop_tracing(made) if deferred_errors.must_defer(made) else error
    return Raised(error() if isinstance(error, type) else error)


# ---------------------------------------------------------------------- if


def if_stmt(
    condition: Any,
    body: Callable,
    orelse: Callable,
    get_state: Callable,
    set_state: Callable,
    names: tuple[str, ...],
    count: int,
    guards: bool = False,
) -> None:
    """Run the `if` statement.

    Args:
        condition: the value of its test.
        body: sets the variables as the first branch does.
        orelse: sets them as the second one does.
        get_state: returns the variables.
        set_state: assigns them.
        names: of the variables.
        count: how many of them, from the first on, are read afterwards.
        guards: True for the `if` that skips what follows a `return`, `break` or `continue`; it skips the readers, too.
    """
    if not is_undecided(condition):
        return body() if condition else orelse()
    condition, line, before = truth_value(condition), users_line(), get_state()
    # Each branch runs on copies of lists and dicts: the other one must start from the same state.
    arms = [
        _Arm(_make_branch(fn, before, get_state, set_state, count), (fn, before)) for fn in (body, orelse)
    ]
    for arm in arms:
        arm.tell()
    set_state(before)
    if not _both(condition, arms, body, orelse):
        return None
    yes, no = (arm.outputs() for arm in arms)
    merge = branch_merge.Merge("if", line, Either)
    # The result of a branch that jumps is never read in what follows: its variables need no value there.
    merge.skips = tuple(guards or _jumps(names, arm[0]) for arm in (yes, no))
    # A Tensor that both branches left in place needs no merge; it may still have been changed in place, as a box.
    merged = [
        None if a_same and b_same and isinstance(old, Tensor) else merge.variable(display_name(n), a, b)
        for n, a, b, old, a_same, b_same in zip(
            names[:count], yes[0], no[0], before, yes[1], no[1], strict=False
        )
    ]
    filled = _run_branches(condition, arms, merge, merged)
    # Lists and dicts keep their identity: other names for them must see the merged content
    # (test_conversion.test_lists_and_dicts_keep_their_identity).
    kept = [
        (old if isinstance(old, Tensor) else loops.restore_containers(old, new)) if a and b else new
        for old, new, a, b in zip(before, filled, yes[1], no[1], strict=False)
    ]
    return set_state((*kept, *before[count:]))


def guard_stmt(*args: Any) -> None:
    """Run the `if` that converted code puts around what follows a jump."""
    if_stmt(*args, guards=True)


def _jumps(names: tuple[str, ...], after: list[object]) -> bool:
    """Return True if a branch ends with a `return`, `break` or `continue`, by its jump flags."""
    return any(value is True and is_jump_flag(name) for name, value in zip(names, after, strict=False))


def _make_branch(
    fn: Callable, before: tuple, get_state: Callable, set_state: Callable, count: int
) -> Callable:
    """Return a function that runs a branch from the state before it.

    It returns the variables, and for each True if it is still the same object. Variables after the first `count` are not
    read any more, and may hold leftovers of inner branches: they are dropped, but for jump flags.
    """

    def run() -> tuple[list[object], list[bool]]:
        start = tuple([loops.copy_containers(value) for value in before])
        set_state(start)
        fn()
        after = get_state()
        unread = [value if value is True else None for value in after[count:]]
        return [*after[:count], *unread], [new is old for new, old in zip(after, start, strict=True)]

    return run


class _Arm:
    """A branch: traced, or with the exception that it raises.

    Args:
        fn: runs it, and returns its variables and what else is to be known about them.
        reads: things that it may read.
    """

    def __init__(self, fn: Callable[[], tuple[list[object], object]], reads: Iterable[object]) -> None:
        self.error: BaseException | None = None
        self._fn = fn
        self._sources: list[Any] = []
        begin_control_flow()
        with override_state(staged=True):
            try:
                self.traced = trace.trace(self._run, (), {}, guess=captures.guess_captures(list(reads)))
            except Raised as error:
                self.error = error.error

    def _run(self) -> tuple[list[object], object, list[Tensor]]:
        variables, known = self._fn()
        self._sources, extras = branch_merge.find_sources(variables)
        return variables, known, extras

    def outputs(self) -> tuple[Any, Any, list[branch_merge.Output]]:
        """Return variables, what else is known, and what sources refer to, with an `Output` for every Tensor."""
        return branch_merge.outputs(self.traced, self._sources)

    def tell(self) -> None:
        """Raise the exception once more, outside of the branch, if it has Tensors of the branch among its arguments."""
        if self.error is None or not deferred_errors.has_unknown_values(self.error):
            return
        with override_state(staged=True):
            try:
                self._fn()
            except Raised as error:
                self.error = error.error


def _both(condition: Tensor, arms: list[_Arm], body: Callable, orelse: Callable) -> bool:
    """Return True if no branch raises; otherwise the program fails where that one is taken, and the other one runs."""
    yes, no = arms
    if yes.error is not None and no.error is not None:
        # Within a branch of an outer `if`, neither exception is certain: both travel outwards as a choice.
        if state.staged:
            raise Raised(deferred_errors.Choice(condition, yes.error, no.error))
        if not state.effects:
            raise yes.error
        deferred_errors.fail_if(condition, yes.error)
        raise deferred_errors.stop_tracing(no.error)
    if yes.error is not None:
        deferred_errors.fail_if(condition, yes.error)
        orelse()
    elif no.error is not None:
        deferred_errors.fail_if(_not(condition), no.error)
        body()
    return yes.error is None and no.error is None


def _run_branches(condition: Tensor, arms: list[_Arm], merge: branch_merge.Merge, merged: object) -> Any:
    """Run the branches, and return the merged variables."""
    extras = merge.extras(*[arm.outputs()[2] for arm in arms])
    tensors = branch_merge.choose(condition, [arm.traced for arm in arms], merge.plan)
    return branch_merge.Merged(condition, merged, tensors, extras).variables()


def display_name(name: str) -> str:
    """Return a variable's name for messages."""
    return "what the function returns" if name.startswith("retval_") else name


def if_exp(condition: object, yes: Callable, no: Callable, text: str) -> Any:
    """Evaluate the expression `yes if condition else no`."""
    if not is_undecided(condition):
        return yes() if condition else no()
    condition, line = truth_value(condition), users_line()
    arms = [_Arm(lambda fn=fn: ([fn()], None), (fn,)) for fn in (yes, no)]
    for arm in arms:
        arm.tell()
    for arm, other, fails in ((arms[0], no, condition), (arms[1], yes, None)):
        if arm.error is not None:
            deferred_errors.fail_if(_not(condition) if fails is None else fails, arm.error)
            return other()
    merge = branch_merge.Merge("if", line, Either)
    a, b = (arm.outputs()[0][0] for arm in arms)
    return _run_branches(condition, arms, merge, merge.variable(f"... if {text} else ...", a, b))


# ---------------------------------------------------------------------- and, or, not


class Either:
    """One of two functions or Cells, by a condition that is known only when the program runs; calling it calls one."""

    def __init__(self, condition: object, yes: object, no: object) -> None:
        self.condition, self.yes, self.no = condition, yes, no

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Call the chosen one: both are traced, as the branches of a conditional expression."""
        yes, no = map(convert_callable, (self.yes, self.no))
        return if_exp(self.condition, lambda: yes(*args, **kwargs), lambda: no(*args, **kwargs), "function")


jax.tree_util.register_pytree_node(
    Either, lambda e: ((e.condition, e.yes, e.no), None), lambda _, parts: Either(*parts)
)


def not_(x: object) -> Tensor | bool:
    """Evaluate the expression `not x`."""
    return _as_numbers(_not(truth_value(x)), x) if is_undecided(x) else not x


def _as_numbers(result: Tensor, *operands: object) -> Tensor:
    """Return a truth value as a number if all operands are numbers, else as a Tensor."""
    tensors = any(isinstance(x, Tensor) and type(x) is not scalar_inputs.Number for x in operands)
    return result if tensors else scalar_inputs.mark_as_number(result)


def and_(first: Callable, second: Callable) -> Any:
    """Evaluate the expression `first and second`."""
    a = first()
    if not is_undecided(a):
        return a and second()
    # Python would not evaluate the second operand if the first is false; a program that does not know evaluates both.
    b = second()
    if isinstance(b, Tensor | bool | int | float) and not isinstance(b, bool) and not _is_bool(b):
        return if_exp(a, lambda: b, lambda: a, "and")
    if is_undecided(b):
        return _as_numbers(_and(truth_value(a), truth_value(b)), a, b)
    return _as_numbers(truth_value(a), a) if b else False


def or_(first: Callable, second: Callable) -> Any:
    """Evaluate the expression `first or second`."""
    a = first()
    if not is_undecided(a):
        return a or second()
    b = second()
    if isinstance(b, Tensor | bool | int | float) and not isinstance(b, bool) and not _is_bool(b):
        return if_exp(a, lambda: a, lambda: b, "or")
    if is_undecided(b):
        return _as_numbers(_or(truth_value(a), truth_value(b)), a, b)
    return True if b else _as_numbers(truth_value(a), a)


def _is_bool(x: object) -> bool:
    return isinstance(x, Tensor) and peek(x).dtype == bool
