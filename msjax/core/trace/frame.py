"""Trace frame: the overlay over all boxes while a function is traced, and the slots (inputs, outputs) that it finds."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.core import Tracer

from msjax.core.state import override_state, state
from msjax.core.tape.nodes import Leaf
from msjax.core.tensor import random_state
from msjax.core.tensor.box import Choice, View, fill, owns_leaf, root, roots, set_value
from msjax.core.tensor.tensor import Tensor, leak_error, mark_leaf, resolve


class Slot(NamedTuple):
    """Input or output of a lifted function: the value of a box, or the value of its `.grad`."""

    box: Tensor
    kind: str = "value"

    @property
    def key(self) -> tuple[int, str]:
        """Identity of the slot, by box and kind."""
        return id(self.box), self.kind

    @property
    def place(self) -> tuple[int, str]:
        """Identity after resolving in the current frame: an outer box and its shadow compare equal."""
        return id(resolve(self.box)), self.kind

    def read(self) -> Tensor:
        """Return the resolved box that holds the value now.

        Raises:
            LookupError: if the slot is a `.grad` that is gone.
        """
        owner = resolve(self.box)
        if self.kind == "value":
            return owner
        if owner._grad is None:
            raise LookupError("a captured gradient is gone")
        return resolve(owner._grad)


class Frame:
    """Overlay over the boxes while a function is being traced.

    Attributes:
        outer: the frame that was current before, or None.
        inputs: (id of a box, kind) -> the tracer that stands for its value.
        shadows: id of a box -> (the box, its shadow here).
        aliases: id of a box's shadow in the frame around -> (that, the shadow of both here).
        missing: slots that were read although they are no inputs.
        called: id of a Cell -> what it was called with last; see `repeated_forward`.
        cells: the Cells that were called.
        attributes: attributes of Cells that were set; see `cell_attributes`.
        free: True if a value that is read without being an input may become a constant of the program.
        detaches: True in a compiled or transformed function, whose `x[i] = y` leaves what it was given alone.
        graph: True in such a one that is compiled.
        arguments: of a compiled function: its Tensors.
        direct: those that are not in lists, tuples or dicts.
        unread: those of them that were not used before the first branch or loop; None before that.
        left: id of an argument's shadow -> its value before the first `x[i] = y`, None if that was the caller's.
        decisions: what was asked about values with `decide`; None where nothing may be asked.
        augmented: the Parameter that was last changed by `x += y`, with its value and tape reference before.
    """

    __slots__ = (
        "aliases", "arguments", "attributes", "augmented", "called", "cells", "decisions", "detaches", "direct", "free",
        "graph", "inputs", "left", "missing", "outer", "owners", "shadows", "unread",
    )  # fmt: skip

    def __init__(self, outer: "Frame | None", free: bool = False) -> None:
        self.outer = outer
        self.free = free
        self.inputs: dict[tuple[int, str], Any] = {}
        self.shadows: dict[int, tuple[Tensor, Tensor]] = {}
        self.aliases: dict[int, tuple[Tensor, Tensor]] = {}
        self.missing: list[Slot] = []
        self.called: dict[int, tuple] = {}
        self.cells: dict[int, Any] = {}
        self.attributes: dict[tuple[int, str], Any] = {}
        self.detaches = self.graph = False
        self.arguments: list[Tensor] = []
        self.direct: list[Tensor] = []
        self.unread: list[Tensor] | None = None
        self.left: dict[int, Tensor | None] = {}
        self.decisions: dict[tuple[int, Callable], Decision] | None = None
        self.augmented: tuple[Tensor, Any, Any] | None = None
        self.owners: dict[int, Tensor] = {}  # id of a `.grad` box -> the box that it is the gradient of

    def shadow(self, box: Tensor) -> Tensor:
        """Return the shadow of `box`, which was made outside of this frame; make it at the first use."""
        known = self._find_shadow(box)
        if known is not None:
            return known
        outside = self._outside(box)
        # A box may come directly or as its shadow of the frame around: both are one variable and get one shadow here.
        known = None if outside is box else self._find_shadow(outside)
        if known is not None:
            self.aliases[id(box)] = (box, known)
            return known
        # Set up by hand, without `__init__`: this is neither a new Tensor of the user's nor a Parameter with a new name.
        made: Any = object.__new__(type(box))
        if type(box) is not Tensor:
            # The very dict, not a copy: attributes belong to the object, whatever frame looks at it.
            made.__dict__ = box.__dict__
        fill(made, None, self)
        made._grad = outside._grad
        # The box is kept in the pair, so that its id stays its own as long as the frame lives.
        self.shadows[id(box)] = (box, made)
        if outside is not box:
            self.aliases[id(outside)] = (outside, made)
        self._set_value(box, outside, made)
        # A leaf stays a leaf inside, with a node of its own: what the trace records must not lead to nodes outside.
        node = outside._node
        if node is not None and isinstance(node[0], Leaf) and node[0].owner is not None:
            mark_leaf(made, type(node[0]))
        if outside._grad is not None:
            self.owners[id(outside._grad)] = box
        return made

    def _find_shadow(self, box: Tensor) -> Tensor | None:
        pair = self.shadows.get(id(box)) or self.aliases.get(id(box))
        return None if pair is None else pair[1]

    def _set_value(self, box: Tensor, outside: Tensor, made: Tensor) -> None:
        # A box read as somebody's `.grad` is the slot (owner, "grad"): another step has another box in its place.
        slot = Slot(self.owners[id(box)], "grad") if id(box) in self.owners else Slot(box)
        value = self.inputs.get(slot.key)
        if value is None:
            value = self.inputs.get((id(outside), slot.kind))
        if value is None:
            # Nobody expected this read. The run goes on with the value as a constant, and `trace.trace` runs the function
            # a second time with it as an input. The barrier makes it a tracer, so that code which needs its value fails,
            # or is converted, as it will in that run.
            self.missing.append(slot)
            value = before = _value_in(self.outer, outside)
            if self.free:
                # What JAX computes with the array, or returns, may keep it: a compiled step must not reuse its memory.
                outside._owned = False
            else:
                value = jax.lax.optimization_barrier(value)
                if state.known is not None:
                    state.known.record_given(value, outside_of(slot, before))
        made._value = value
        # seen=None: the value holds until the base is written in this trace (see `View`).
        if (view := outside._view) is not None:
            made._view = view.within()

    def _outside(self, box: Tensor) -> Tensor:
        frame = self.outer
        while frame is not box._home:
            if frame is None:
                raise leak_error(box)
            frame = frame.outer
        return box if self.outer is box._home else self.outer.shadow(box)  # type: ignore[union-attr]

    def is_untouched(self, box: Tensor) -> bool:
        """Return True if the memory under a view from outside has not been written in this frame."""
        found = map(self.find, roots(box))
        return all(known is None or known._version == 0 for known in found)

    def find(self, box: Tensor) -> Tensor | None:
        """Return what stands for a box in this frame, if there is something already."""
        if box._home is self:
            return box
        known = self._find_shadow(box)
        if known is not None or self.outer is None or box._home is self.outer:
            return known
        outside = self.outer.find(box)
        return None if outside is None else self._find_shadow(outside)

    def original(self, shadow: Tensor) -> Tensor | None:
        """Return the box from outside that a shadow of this frame stands for; None for a box that was made here."""
        return next((box for box, made in self.shadows.values() if made is shadow), None)

    def wrote(self, box: Tensor) -> bool:
        """Return True if a box from outside has been written in this frame."""
        known = self._find_shadow(box)
        return known is not None and known._version > 0

    def list_marked(self) -> list[tuple[Tensor, bool]]:
        """List boxes whose `requires_grad` was changed here, with the new flag."""
        pairs = [(box, requires_grad(shadow)) for box, shadow in self.shadows.values()]
        return [(box, flag) for box, flag in pairs if flag is not requires_grad(self._outside(box))]

    def list_written(self) -> "Iterator[tuple[Slot, Tensor | None]]":
        """Yield what the function wrote: slots with the box that holds the new value; None for a `.grad` that is gone."""
        # A view's write went to its base, and a `.grad` is reported below with its owner.
        for box, shadow in list(self.shadows.values()):
            if shadow._version and shadow._view is None and id(box) not in self.owners:
                now = self.left.get(id(shadow), shadow)
                if now is not None:
                    yield Slot(box), now
        # A detached view gives the gradient of what it was written with, which its base does not have.
        for box, shadow in list(self.shadows.values()):
            view: Any = shadow._view
            written = shadow._version > 0 and type(view) is View and view.detached
            if written and view.seen == resolve(view.base)._version:
                yield Slot(box), shadow
        for box, shadow in list(self.shadows.values()):
            before, now = self._outside(box)._grad, shadow._grad
            if now is not before or (
                now is not None and id(now) in self.shadows and self.shadows[id(now)][1]._version
            ):
                yield Slot(box, "grad"), now


def leave_arguments(box: Tensor) -> None:
    """Cut the connection between a compiled function's argument and the caller's Tensor, before `x[i] = y` changes it.

    Writes to an argument before this one still reach the caller; from here on only the function's own variable changes.
    Another Tensor from outside is left alone if nothing was written to it before. MindSpore 2.10 does the same.
    """
    here = resolve(box)
    if type(here._view) is Choice:
        # What a branch or a loop bound is one variable, whichever Tensors it may be.
        here._view = None
    else:
        _leave(state.frame, resolve(root(here)))


def _leave(frame: Frame | None, here: Tensor) -> None:
    # Frames of nested traces (a branch, a loop body) are passed until the compiled function whose argument it is.
    while frame is not None:
        for argument in frame.arguments:
            if frame._find_shadow(argument) is here and id(here) not in frame.left:
                frame.left[id(here)] = _copy(here) if here._version else None
        pairs = [*frame.shadows.values(), *frame.aliases.values()]
        around = [outer for outer, shadow in pairs if shadow is here]
        if not around:
            return
        if frame.detaches:
            if type(around[0]) is Tensor and not here._version:
                frame.left.setdefault(id(here), None)
            return
        frame, here = frame.outer, resolve_in(frame.outer, around[0])


def keep_gradient(parameter: Tensor) -> None:
    """Give a Parameter back its place on the tape after `self.p += y`: gradients flow to the new values, none to `y`.

    After `p = self.p`, `p += y` has one. MindSpore 2.10 tells the two apart in this way.
    """
    frame = state.frame
    if frame is None or frame.augmented is None or frame.augmented[0] is not parameter:
        return
    (_, value, node), frame.augmented = frame.augmented, None
    here = resolve(parameter)
    if here._view is None:
        new, here._value, here._node = here._value, value, node
        set_value(parameter, new)


def unread_arguments() -> list[Tensor]:
    """Return the arguments of the running compiled function that it has not used yet, but for those in containers."""
    frame = state.frame
    return [] if frame is None else [arg for arg in frame.direct if frame._find_shadow(arg) is None]


def begin_control_flow(unread: list[Tensor] | None = None) -> None:
    """Note at the first branch or loop of a compiled function which arguments straight lines before it have not used."""
    frame = state.frame
    if frame is not None and frame.direct and frame.unread is None:
        frame.unread = unread_arguments() if unread is None else unread


def keep_from_callers(written: Iterable[Tensor] | None = None) -> None:
    """Hide in-place changes of arguments from the caller, where nothing before the first branch or loop reads these.

    MindSpore 2.10 does the same: what the caller passes becomes memory of the device where a straight line uses it first.

    Args:
        written: what a branch or a loop changes. Default: every argument, for what follows a `while`.
    """
    frame = state.frame
    while frame is not None and frame.unread is None and written is not None:
        frame = frame.outer
    if frame is None or not frame.unread:
        return
    found = None if written is None else [frame.find(part) for box in written for part in roots(box)]
    for argument in frame.unread:
        here = frame.shadow(argument)
        if (
            type(argument) is Tensor
            and not here._version
            and (found is None or any(here is f for f in found))
        ):
            frame.left.setdefault(id(here), None)


def _copy(box: Tensor) -> Tensor:
    made = object.__new__(Tensor)
    fill(made, box._value, box._home)
    made._node, made._version = box._node, box._version
    return made


class Decision:
    """A question about the value of a box that hardly ever changes, and the answer for which a program was made."""

    __slots__ = ("answer", "box", "question", "seen")

    def __init__(self, box: Tensor, question: Callable[[np.ndarray], bool]) -> None:
        self.box, self.question, self.seen = box, question, box._value
        self.answer = question(np.asarray(box._value))

    def holds(self) -> bool:
        """Return True if the answer is still the same. Arrays do not change: the same one needs no second look."""
        value = self.box._value
        if value is not self.seen:
            if self.question(np.asarray(value)) != self.answer:
                return False
            self.seen = value
        return True


def decide(box: Tensor, question: Callable[[np.ndarray], bool]) -> bool | None:
    """Ask about the value of a box, for a program that is then made for this answer alone.

    It is for the package's own code (a user's `if` is the matter of `known_values`), and costs a call next to nothing.

    Args:
        box: seldom written.
        question: from its value.

    Returns:
        The answer; None where a program must do for any value.
    """
    frame = state.frame
    if frame is None:
        return question(np.asarray(resolve(box)._value))
    if frame.decisions is None or frame.wrote(box):
        return None
    if box._home is not None or box._view is not None or isinstance(box._value, Tracer):
        return None
    made = frame.decisions.setdefault((id(box), question), Decision(box, question))
    return made.answer


def requires_grad(box: Tensor) -> bool:
    """Return True if the user marked a resolved box as a leaf; Parameters are marked by the engine, under `enable_grad`."""
    return owns_leaf(box) and type(box._node[0]) is Leaf  # type: ignore[index]


def _value_in(frame: Frame | None, box: Tensor) -> Any:
    """Return the value of a box as seen from a frame further out, and leave that frame as it is.

    A view that has to be read again is read in JAX's innermost trace. Kept in the box, that value would outlive the trace
    (test_views.test_a_view_that_only_a_branch_reads_is_no_matter_of_the_loop_around).
    """
    with override_state(frame=frame):
        before = [
            (each, each._value, each._node, each._version, each._view.seen)  # type: ignore[union-attr]
            for each in _views_under(box)
        ]
        value = resolve(box)._value
    for each, old, node, version, seen in before:
        each._value, each._node, each._version = old, node, version
        each._view.seen = seen  # type: ignore[union-attr]
    return value


def _views_under(box: Tensor) -> Iterator[Tensor]:
    """Yield the views, a box itself and those that it shows, as they are in the current frame."""
    frame = state.frame
    here = box if box._home is frame or frame is None else frame.shadow(box)
    if here._view is None:
        return
    yield here
    shown = [case.box for case in here._view.cases] if type(here._view) is Choice else [here._view.base]
    for each in shown:
        yield from _views_under(each)


def resolve_in(frame: Frame | None, box: Tensor) -> Tensor:
    """Resolve a box as seen from another frame."""
    with override_state(frame=frame):
        return resolve(box)


def outside_of(slot: Slot, value: jax.Array | None) -> jax.Array | None:
    """Return a slot's outer value if a program may be specialized for it: random state never comes back."""
    return None if slot.box is random_state.source() else value
