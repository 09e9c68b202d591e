"""The overlay that lies over all boxes while a function is being traced, and the places in boxes that it finds."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import jax

from msjax.core import random
from msjax.core.box import owns_leaf
from msjax.core.state import state, swapped
from msjax.core.tape import Leaf
from msjax.core.tensor import Tensor, View, leaked, mark_leaf, resolve


class Slot(NamedTuple):
    """A place that a lifted function reads or writes: a box's value, or the value of its `.grad`."""

    box: Tensor
    kind: str = "value"

    @property
    def key(self) -> tuple[int, str]:
        """What tells slots apart."""
        return id(self.box), self.kind

    @property
    def place(self) -> tuple[int, str]:
        """What tells slots apart in the current frame: a box from outside and the one that stands for it here are one."""
        return id(resolve(self.box)), self.kind

    def read(self) -> Tensor:
        """The resolved box that holds the value now."""
        owner = resolve(self.box)
        if self.kind == "value":
            return owner
        if owner._grad is None:
            raise LookupError("a captured gradient is gone")
        return resolve(owner._grad)


class Frame:
    """An overlay over the boxes while a function is being traced.

    Attributes:
        outer: the frame that was current before, or None.
        inputs: (id of a box, kind) -> the tracer that stands for its value.
        shadows: id of a box -> (the box, the box that stands for it here).
        aliases: id of what stands for a box in the frame around -> (that, the box that stands for both here).
        missing: slots that were read although they are no inputs.
        cells: the Cells that were called.
        attributes: what was set of Cells; see `attributes`.
        free: what is read although it is no input may stand in the program as a constant.
        arguments: of a compiled function: its Tensors.
        left: id of what stands here for one of them -> its value before the first `x[i] = y`, None if that was the caller's.
    """

    __slots__ = (
        "aliases", "arguments", "attributes", "cells", "free", "inputs", "left", "missing", "outer", "owners", "shadows",
    )  # fmt: skip

    def __init__(self, outer: "Frame | None", free: bool = False) -> None:
        self.outer = outer
        self.free = free
        self.inputs: dict[tuple[int, str], Any] = {}
        self.shadows: dict[int, tuple[Tensor, Tensor]] = {}
        self.aliases: dict[int, tuple[Tensor, Tensor]] = {}
        self.missing: list[Slot] = []
        self.cells: dict[int, Any] = {}
        self.attributes: dict[tuple[int, str], Any] = {}
        self.arguments: list[Tensor] = []
        self.left: dict[int, Tensor | None] = {}
        self.owners: dict[int, Tensor] = {}  # id of a `.grad` box -> the box that it is the gradient of

    def shadow(self, box: Tensor) -> Tensor:
        """The box that stands here for `box`, which was made outside."""
        known = self._known(box)
        if known is not None:
            return known
        outside = self._outside(box)
        known = None if outside is box else self._known(outside)
        if known is not None:
            self.aliases[id(box)] = (box, known)
            return known
        made: Any = object.__new__(type(box))
        if type(box) is not Tensor:
            made.__dict__ = box.__dict__
        made._home, made._node, made._version, made._owned = self, None, 0, False
        made._grad = outside._grad
        made._view = None
        self.shadows[id(box)] = (box, made)
        if outside is not box:
            self.aliases[id(outside)] = (outside, made)
        self._fill(box, outside, made)
        node = outside._node
        if node is not None and isinstance(node[0], Leaf) and node[0].owner is not None:
            mark_leaf(made, type(node[0]))
        if outside._grad is not None:
            self.owners[id(outside._grad)] = box
        return made

    def _known(self, box: Tensor) -> Tensor | None:
        pair = self.shadows.get(id(box)) or self.aliases.get(id(box))
        return None if pair is None else pair[1]

    def _fill(self, box: Tensor, outside: Tensor, made: Tensor) -> None:
        slot = Slot(self.owners[id(box)], "grad") if id(box) in self.owners else Slot(box)
        value = self.inputs.get(slot.key)
        if value is None:
            value = self.inputs.get((id(outside), slot.kind))
        if value is None:
            self.missing.append(slot)
            value = before = resolve_in(self.outer, outside)._value
            if not self.free:
                value = jax.lax.optimization_barrier(value)
                if state.known is not None:
                    state.known.given(value, outside_of(slot, before))
        made._value = value
        if (view := outside._view) is not None:
            made._view = View(view.base, view.lens, None, view.detached)

    def _outside(self, box: Tensor) -> Tensor:
        frame = self.outer
        while frame is not box._home:
            if frame is None:
                raise leaked(box)
            frame = frame.outer
        return box if self.outer is box._home else self.outer.shadow(box)  # type: ignore[union-attr]

    def untouched(self, box: Tensor) -> bool:
        """Whether what lies under a view from outside has not been written here."""
        while box._view is not None:
            box = box._view.base
        known = self._known(box)
        return known is None or known._version == 0

    def wrote(self, box: Tensor) -> bool:
        """Whether a box from outside has been written here."""
        known = self._known(box)
        return known is not None and known._version > 0

    def marked(self) -> list[tuple[Tensor, bool]]:
        """Boxes that became leaves here, or ceased to be."""
        pairs = [(box, requires_grad(shadow)) for box, shadow in self.shadows.values()]
        return [(box, flag) for box, flag in pairs if flag is not requires_grad(self._outside(box))]

    def written(self) -> "Iterator[tuple[Slot, Tensor | None]]":
        """What the function changed: slots with the box that holds the new value; None for a `.grad` that is gone."""
        for box, shadow in list(self.shadows.values()):
            if shadow._version and shadow._view is None and id(box) not in self.owners:
                now = self.left.get(id(shadow), shadow)
                if now is not None:
                    yield Slot(box), now
        for box, shadow in list(self.shadows.values()):
            before, now = self._outside(box)._grad, shadow._grad
            if now is not before or (
                now is not None and id(now) in self.shadows and self.shadows[id(now)][1]._version
            ):
                yield Slot(box, "grad"), now


def leave_arguments(box: Tensor) -> None:
    """Before `x[i] = y` in a compiled function: of an argument, only what the function calls `x` is changed.

    What was done to the argument before remains; what the caller has is left alone from here on.
    """
    frame, here = state.frame, resolve(box)
    while here._view is not None:
        here = resolve(here._view.base)
    while frame is not None:
        for argument in frame.arguments:
            if frame._known(argument) is here and id(here) not in frame.left:
                frame.left[id(here)] = _copy(here) if here._version else None
        pairs = [*frame.shadows.values(), *frame.aliases.values()]
        around = [outer for outer, shadow in pairs if shadow is here]
        if not around or frame.arguments:
            return
        frame, here = frame.outer, resolve_in(frame.outer, around[0])


def _copy(box: Tensor) -> Tensor:
    made = object.__new__(Tensor)
    made._home, made._node, made._version, made._owned = box._home, box._node, box._version, False
    made._grad, made._view, made._value = None, None, box._value
    return made


def requires_grad(box: Tensor) -> bool:
    """Whether a resolved box was marked as a leaf by the user; Parameters are marked by the engine, under `enable_grad`."""
    return owns_leaf(box) and type(box._node[0]) is Leaf  # type: ignore[index]


def resolve_in(frame: Frame | None, box: Tensor) -> Tensor:
    """What `resolve` gives in another frame."""
    with swapped(frame=frame):
        return resolve(box)


def outside_of(slot: Slot, value: Any) -> Any:
    """The value of a slot outside, if a program may be made for it: that of the random state never comes back."""
    return None if slot.box is random.source() else value
