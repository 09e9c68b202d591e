"""Thread-local state of the engine: current trace frame, gradient scope, recording mode, and other per-thread settings.

Everything here is read on every operator call, so it is plain attributes and nothing else.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

NO_GRAD, DEFAULT, ENABLED = 0, 1, 2


class ThreadState(threading.local):
    """Thread-local engine state; each thread sees its own values.

    Attributes:
        frame: overlay of the function being traced, None in plain eager code.
        scope: the innermost gradient computation (`nodes.Scope`), or None.
        watch: id(box) -> (node reference, version of the box) for what `grad` watches without marking it.
        mode: NO_GRAD records nothing, DEFAULT records operators with a recorded input, ENABLED records
            MindSpore Parameters too.
        cast: (arguments, record of the operator) -> arguments, in the dtypes of mixed precision; or None.
        converting: True while functions of users run in their AutoGraph-converted form.
        staged: True while tracing a branch or loop body that may never run.
        effects: True while tracing a compiled function, which may raise, set attributes and change lists.
        graph: True inside a compiled function, where some MindSpore calls have another meaning.
        constants: ids of the arguments of a compiled function that have no gradient in it, as those in a list have.
        known: concrete values of tracers (`known_values.KnownValues`), or None.
        unmet: message of the last NeedsValue in the trace that is running, which user's code may have caught; or None.
        specializes: True if programs may be compiled for the values of small arguments.
        packing: the `saved_tensors_hooks.Packer`: node of the tape -> node, with what it saved in the hands of the
            user; or None.
        checking: (node, gradients of its inputs) -> None, called after each step of a backward pass, which is walked then
            and not compiled; or None.
        dispatch: (call, record, arrays, statics) -> result, run instead of an operator (`dispatch_mode`), or None.
        placement: where the arrays of the network that is running lie (`jit.placement`), or None.
        target: devices that a program is lowered for although this host does not have them, or None.
        plain: True if frame, watch, cast and dispatch are None and the mode is DEFAULT: the one flag that an eager
            operator checks.
    """

    frame: Any = None
    scope: Any = None
    watch: dict[int, tuple[Any, int]] | None = None
    mode: int = DEFAULT
    cast: Callable[[Any, Any], Any] | None = None
    converting: bool = False
    staged: bool = False
    effects: bool = False
    graph: bool = False
    constants: frozenset[int] = frozenset()
    known: Any = None
    unmet: str | None = None
    specializes: bool = True
    packing: Any = None
    checking: Callable[[Any, Any], None] | None = None
    dispatch: Callable[..., Any] | None = None
    placement: Any = None
    target: tuple[Any, ...] | None = None
    plain: bool = True

    def __setattr__(self, name: str, value: object) -> None:
        # `plain` is recomputed on each write, which is rare, so that an operator call reads one attribute instead of five.
        super().__setattr__(name, value)
        seen = self.frame is None and self.watch is None and self.cast is None and self.dispatch is None
        super().__setattr__("plain", seen and self.mode == DEFAULT)


state = ThreadState()


class Generation:
    """Counter of changes (train mode, structure, shapes of captured boxes) after which guards must look again.

    Attributes:
        count: of changes.
        hooked: True once a Tensor that may be an argument has a gradient hook, which programs then depend on.
    """

    __slots__ = ("count", "hooked")

    def __init__(self) -> None:
        self.count = 0
        self.hooked = False


# Shared by all threads on purpose: a flag changed by one thread must make the guards of every other thread look again.
# A guard whose `count` is current skips its walk over Cells
# (test_fast_call, test_ten_switches_of_train_mode_make_two_programs).
generation = Generation()


def invalidate_guards() -> None:
    """Invalidate guards: tell compiled functions that something their programs depend on may have changed."""
    generation.count += 1


@contextlib.contextmanager
def override_state(**values: object) -> Iterator[None]:
    """Set attributes of the thread's state for the duration of a block."""
    before = {name: getattr(state, name) for name in values}
    for name, value in values.items():
        setattr(state, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(state, name, value)
