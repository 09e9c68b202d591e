"""Forward passes that a gradient repeats: MindSpore runs them once, so their writes to Parameters count once."""

import weakref
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from msjax.core.state import state
from msjax.core.tensor.tensor import Tensor, replace, resolve, wrap

_CONSTANTS = (bool, int, float, str, type(None))

# Cell -> what it was called with in eager code and no gradient has taken up, the last 16 calls. Not an attribute: weak
# references can be neither copied nor pickled.
_called: weakref.WeakKeyDictionary[Any, deque[tuple]] = weakref.WeakKeyDictionary()


def note_call(cell: Any, args: Sequence[object], kwargs: Mapping[str, object]) -> None:
    """Record that a Cell runs, outside of any gradient, with these arguments."""
    if state.scope is not None:
        return
    now = _description(args, kwargs)
    if state.frame is not None:
        state.frame.called[id(cell)] = now
    else:
        _called.setdefault(cell, deque(maxlen=16)).append(now)


def _description(args: Sequence[object], kwargs: Mapping[str, object]) -> tuple:
    return tuple([(name, *_describe(value)) for name, value in [*enumerate(args), *kwargs.items()]])


def _describe(value: object) -> tuple:
    if isinstance(value, Tensor):
        return weakref.ref(value), resolve(value)._version
    # A compiled function's call knows the value of a number, its gradient does not: two programs.
    if isinstance(value, _CONSTANTS) and state.frame is None:
        return type(value), value
    return (object(),)  # equal to nothing else


@contextmanager
def counted_once(fn: Any, args: Sequence[object], kwargs: Mapping[str, object]) -> Iterator[None]:
    """Undo what a forward pass writes to Parameters of the Cell `fn` if that ran with the same arguments before.

    In `loss = net(x); gradients = grad(net, weights)(x)` MindSpore's gradient takes up the forward pass of the first
    statement, so a step of this kind moves moving averages once: in a compiled function always, in eager code after
    `set_grad()`, and there each call is taken up once.
    """
    parameters = getattr(fn, "get_parameters", None)
    outermost = state.scope is not None and state.scope.root is state.scope
    if parameters is None or not outermost or not _take_up(fn, _description(args, kwargs)):
        yield
        return
    # `array`: a program that the forward pass runs must not reuse the memory of what is put back.
    before = [(box, resolve(box)._version, wrap(box.array)) for box in parameters()]
    yield
    for box, version, value in before:
        if resolve(box)._version != version:
            replace(box, value)


def _take_up(cell: Any, now: tuple) -> bool:
    """Return True if a forward pass like this one ran before and, in eager code, no gradient has taken it up."""
    if state.frame is not None:
        called = state.frame.called.get(id(cell))
        return called is not None and _same(called, now)
    calls = _called.get(cell, ())
    for place, called in enumerate(calls):
        if _same(called, now):
            del calls[place]  # type: ignore[attr-defined]
            return True
    return False


def _same(first: tuple, second: tuple) -> bool:
    """Compare descriptions of arguments: Tensors by identity, not by their elements."""
    return len(first) == len(second) and all(
        len(a) == len(b) and all(_one(x, y) for x, y in zip(a, b, strict=True))
        for a, b in zip(first, second, strict=True)
    )


def _one(x: object, y: object) -> bool:
    if isinstance(x, weakref.ref) and isinstance(y, weakref.ref):
        return x() is not None and x() is y()
    return x is y or (not isinstance(x, weakref.ref) and not isinstance(y, weakref.ref) and x == y)
