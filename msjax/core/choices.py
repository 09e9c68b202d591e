"""Choices of rewritten functions: `if`, `... if ... else ...`, `and`, `or`, `not`, and `raise` in what may not be taken.

A condition that is a number, or a Tensor whose value is known, decides as in Python. One that is known only when the
program runs makes an operation: both branches are traced, and `branches` merges them.
"""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax.core import Tracer

from msjax.core import branches, captures, failure, lift, loops, mutable, tape, trees
from msjax.core.box import peek, users_line
from msjax.core.names import tells_of_jump
from msjax.core.op import places
from msjax.core.state import state, swapped
from msjax.core.tensor import Tensor, wrap


def undecided(x: Any) -> bool:
    """Whether this is a Tensor whose value is not known before the program runs."""
    if not isinstance(x, Tensor | Tracer):
        return False
    value = peek(x) if isinstance(x, Tensor) else x
    return isinstance(value, Tracer) and not (state.known is not None and state.known.decides(value))


def computed(name: str, fn: Callable) -> Callable:
    """A function of Tensors as an operator of the tape."""
    program = tape.Program(fn, name)

    def call(*boxes: Any) -> Tensor:
        values, refs = places(boxes)
        return wrap(*tape.variables(*tape.execute(program, values, refs))[0])

    return call


_truth = computed("bool", lambda x: jnp.reshape(x, ()).astype(bool))
_not = computed("not", lambda x: ~jnp.reshape(x, ()).astype(bool))
_and = computed("and", lambda x, y: x & y)
_or = computed("or", lambda x, y: x | y)


def truth(x: Any) -> Tensor:
    """The truth value of an undecided Tensor of one element.

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
    """An exception that a program would raise in a branch."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def raised(error: Any) -> Any:
    """What a `raise` statement raises: in a branch that may not be taken, something that is caught there."""
    if not state.staged:
        made = error() if isinstance(error, type) else error
        return failure.over(made) if failure.waits(made) else error
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
    """The `if` statement; the first `count` variables are read after it.

    With `guards` it is the one around what follows a `return`, `break` or `continue`, which skips what reads them too.
    """
    if not undecided(condition):
        return body() if condition else orelse()
    condition, line, before = truth(condition), users_line(), get_state()
    arms = [_Arm(_assigning(fn, before, get_state, set_state, count), (fn, before)) for fn in (body, orelse)]
    for arm in arms:
        arm.tell()
    set_state(before)
    if not _both(condition, arms, body, orelse):
        return None
    yes, no = (branches.outputs(arm.traced) for arm in arms)
    merge = branches.Merge("if", line)
    merge.skips = tuple(guards or _jumps(names, arm[0]) for arm in (yes, no))
    merged = [
        None if a_same and b_same and isinstance(old, Tensor) else merge.variable(spoken(n), a, b)
        for n, a, b, old, a_same, b_same in zip(
            names[:count], yes[0], no[0], before, yes[1], no[1], strict=False
        )
    ]
    filled = _filled(condition, merged, branches.choose(condition, [arm.traced for arm in arms], merge.plan))
    kept = [
        (old if isinstance(old, Tensor) else loops.restored(old, new)) if a and b else new
        for old, new, a, b in zip(before, filled, yes[1], no[1], strict=False)
    ]
    return set_state((*kept, *before[count:]))


def guard_stmt(*args: Any) -> None:
    """The `if` around what follows a jump."""
    if_stmt(*args, guards=True)


def _jumps(names: tuple[str, ...], after: list[Any]) -> bool:
    """Whether a branch ends with a `return`, `break` or `continue`, by the variables that say so."""
    return any(value is True and tells_of_jump(name) for name, value in zip(names, after, strict=False))


def _assigning(fn: Callable, before: tuple, get_state: Callable, set_state: Callable, count: int) -> Callable:
    """Runs a branch from the state before it; gives the variables, and whether each is still the same list or dict.

    Those after the first `count` nobody reads any more. They may hold what a branch inside left in them.
    """

    def run() -> list[Any]:
        start = tuple([loops.copied(value) for value in before])
        set_state(start)
        fn()
        after = get_state()
        unread = [value if value is True else None for value in after[count:]]
        return [[*after[:count], *unread], [new is old for new, old in zip(after, start, strict=True)]]

    return run


class _Arm:
    """A branch, traced, or what it raises."""

    def __init__(self, fn: Callable, reads: Any) -> None:
        self.error: BaseException | None = None
        with swapped(staged=True):
            try:
                self.traced = lift.trace(fn, (), {}, guess=captures.guess(list(reads)))
            except Raised as error:
                self.error = error.error
        self._fn = fn

    def tell(self) -> None:
        """Raise once more outside of the branch, if the exception has Tensors of the branch among its arguments."""
        if self.error is None or not failure.unknown(self.error):
            return
        with swapped(staged=True):
            try:
                self._fn()
            except Raised as error:
                self.error = error.error


def _both(condition: Tensor, arms: list[_Arm], body: Callable, orelse: Callable) -> bool:
    """Whether no branch raises; otherwise the program fails where that is taken, and goes on with the other."""
    yes, no = arms
    if yes.error is not None and no.error is not None:
        if state.staged:
            raise Raised(failure.Choice(condition, yes.error, no.error))
        if not state.keeps:
            raise yes.error
        failure.fail_if(condition, yes.error)
        raise failure.over(no.error)
    if yes.error is not None:
        failure.fail_if(condition, yes.error)
        orelse()
    elif no.error is not None:
        failure.fail_if(_not(condition), no.error)
        body()
    return yes.error is None and no.error is None


def _filled(condition: Tensor, merged: Any, tensors: list[Tensor]) -> Any:
    def put(leaf: Any) -> Any:
        if leaf is branches.CONDITION:
            return wrap(peek(condition))
        if not isinstance(leaf, branches.Taken):
            return leaf
        return mutable.number(tensors[leaf.index]) if leaf.number else tensors[leaf.index]

    return trees.map(put, merged)


def spoken(name: str) -> str:
    """A variable as it is called in messages."""
    return "what the function returns" if name.startswith("retval_") else name


def if_exp(condition: Any, yes: Callable, no: Callable, text: str) -> Any:
    """The expression `yes if condition else no`."""
    if not undecided(condition):
        return yes() if condition else no()
    condition, line = truth(condition), users_line()
    arms = [_Arm(lambda fn=fn: [fn()], (fn,)) for fn in (yes, no)]
    for arm in arms:
        arm.tell()
    for arm, other, fails in ((arms[0], no, condition), (arms[1], yes, None)):
        if arm.error is not None:
            failure.fail_if(_not(condition) if fails is None else fails, arm.error)
            return other()
    merge = branches.Merge("if", line)
    a, b = (branches.outputs(arm.traced)[0] for arm in arms)
    merged = merge.variable(f"... if {text} else ...", a, b)
    return _filled(condition, merged, branches.choose(condition, [arm.traced for arm in arms], merge.plan))


# ---------------------------------------------------------------------- and, or, not


def not_(x: Any) -> Any:
    """The expression `not x`."""
    return _as_numbers(_not(truth(x)), x) if undecided(x) else not x


def _as_numbers(result: Tensor, *operands: Any) -> Tensor:
    """A truth value: a number, where it is one of numbers alone."""
    tensors = any(isinstance(x, Tensor) and type(x) is not mutable.Number for x in operands)
    return result if tensors else mutable.number(result)


def and_(first: Callable, second: Callable) -> Any:
    """The expression `first and second`."""
    a = first()
    if not undecided(a):
        return a and second()
    b = second()
    if isinstance(b, Tensor | bool | int | float) and not isinstance(b, bool) and not _is_bool(b):
        return if_exp(a, lambda: b, lambda: a, "and")
    if undecided(b):
        return _as_numbers(_and(truth(a), truth(b)), a, b)
    return _as_numbers(truth(a), a) if b else False


def or_(first: Callable, second: Callable) -> Any:
    """The expression `first or second`."""
    a = first()
    if not undecided(a):
        return a or second()
    b = second()
    if isinstance(b, Tensor | bool | int | float) and not isinstance(b, bool) and not _is_bool(b):
        return if_exp(a, lambda: a, lambda: b, "or")
    if undecided(b):
        return _as_numbers(_or(truth(a), truth(b)), a, b)
    return True if b else _as_numbers(truth(a), a)


def _is_bool(x: Any) -> bool:
    return isinstance(x, Tensor) and peek(x).dtype == bool
