"""What the engine knows about the current thread, and the overlay that a trace lays over all boxes.

Everything here is read on every operator call, so it is plain attributes and nothing else.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

NO_GRAD, DEFAULT, ENABLED = 0, 1, 2


class Thread(threading.local):
    """One per thread.

    Attributes:
        frame: overlay of the function being traced, None in plain eager code.
        scope: the innermost gradient computation (`tape.Scope`), or None.
        watch: id(box) -> (node reference, version of the box) for what `grad` watches without marking it.
        mode: NO_GRAD records nothing, DEFAULT records what hangs on a recorded tensor, ENABLED records
            MindSpore Parameters too.
        cast: (arguments, record of the operator) -> arguments, in the dtypes of mixed precision; or None.
        converting: whether functions of users are run as `autograph` rewrites them.
        staged: whether what runs is traced for a branch or a turn of a loop that may never be taken.
        keeps: whether what runs is traced for a program of its own, which may raise and set attributes.
        graph: whether what runs is part of a compiled function, where MindSpore means other things by some calls.
        known: values that are known although what runs is traced (`known.Book`), or None.
        specialises: whether programs may be made for the values of small arguments.
        packing: the `packing.Packer`: node of the tape -> node, with what it saved in the hands of the user; or None.
        dispatch: (call, record, arrays, statics) -> result, what happens instead of an operator (`dispatching`), or None.
        plain: none of the first ones needs a second look: what an eager operator asks first.
    """

    frame: Any = None
    scope: Any = None
    watch: dict[int, tuple[Any, int]] | None = None
    mode: int = DEFAULT
    cast: Callable[[Any, Any], Any] | None = None
    converting: bool = False
    staged: bool = False
    keeps: bool = False
    graph: bool = False
    known: Any = None
    specialises: bool = True
    packing: Any = None
    dispatch: Callable[..., Any] | None = None
    plain: bool = True

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        seen = self.frame is None and self.watch is None and self.cast is None and self.dispatch is None
        super().__setattr__("plain", seen and self.mode == DEFAULT)


state = Thread()


class Generation:
    """Counts the changes (train mode, structure, shapes of captured boxes) after which guards must look again."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


generation = Generation()


def flags_changed() -> None:
    """Tell compiled functions that something that their programs depend on may have changed."""
    generation.count += 1


@contextlib.contextmanager
def swapped(**values: Any) -> Iterator[None]:
    """Set attributes of the thread's state for the duration of a block."""
    before = {name: getattr(state, name) for name in values}
    for name, value in values.items():
        setattr(state, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(state, name, value)
