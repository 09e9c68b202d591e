"""State of compiled programs of several processes (`jax.distributed`): global arrays that stay global from call to call.

To make a joint array of a process's own one, and take the own one out of the result, takes Python 30 us. A step with 400
of them would spend most of its time there; so boxes hold joint arrays, and their values are found when somebody reads them.
From the third of several steps on, between which nobody looks at the boxes, these are left empty, and the program holds
what is theirs (`core/tensor/box.py` asks for it): to write 400 boxes takes 100 us.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
from jax.core import Tracer

from msjax.core.tensor.box import Box, may_hold_joint, read_joint_values_late, write_joint
from msjax.core.xla.collectives import local_array, world


class JointState:
    """A program of (what it replaces, what it reads, arguments), each a list, and how the boxes' content gets into it.

    Args:
        program: a `JointProgram`.
        outputs: how many of its results, the first ones, are outputs; the others replace state.
        replaced: the boxes of that state.
        owners: those of them that it reads too, whose memory it may overwrite.
    """

    def __init__(self, program: Any, outputs: int, replaced: Sequence[Box], owners: Sequence[Box]) -> None:
        read_joint_values_late()
        self.program, self.outputs, self._boxes = program, outputs, replaced
        self.late = all(map(may_hold_joint, replaced))
        at = {id(box): i for i, box in enumerate(replaced)}
        places = [at[id(box)] for box in owners]
        # To copy a list of 400 arrays takes 40 us where the step before has pushed them out of the processor's caches.
        self._pick = None if places == list(range(len(replaced))) else _picker(places)
        self._kept: tuple[int, list[Any]] | None = None  # `world.touched`, and what it wrote last
        self._writes_kept = False
        # The content of boxes that are empty, and for how many steps they have been.
        self._held: tuple[list[Any], int] = [], 0
        self._holds_all = False
        self._versions: list[int] = []  # of the boxes when they became empty
        self._read: list[tuple[Any, Any]] = []  # for each box that is only read: its array, and the joint one

    def __call__(
        self, given: list[jax.Array], rest: list[jax.Array], values: Sequence[jax.Array]
    ) -> list[jax.Array]:
        """Run the program. Its state is joint, before and after; arguments and outputs are this process's."""
        results = self.program.run(given, rest, [self.program.enter(value) for value in values])
        if results and isinstance(results[0], Tracer):  # in a trace of JAX's own; whoever commits refuses it
            return results
        results[: self.outputs] = map(local_array, results[: self.outputs])
        return results

    def enter(self, value: Any, donated: bool, i: int) -> jax.Array:
        """Return the joint array of the i-th box that is replaced (`donated`) or read."""
        return self.program.enter(value)

    def accepts(self, joint: jax.Array) -> bool:
        """Return True if a joint array that a box holds can be an input."""
        return self.program.accepts(joint)

    def lower(
        self, given: list[jax.Array], rest: list[jax.Array], values: list[jax.Array]
    ) -> jax.stages.Lowered:
        """Lower the program as it would be called."""
        return self.program.lower(given, rest, [self.program.enter(value) for value in values])

    def take(self, owners: Sequence[Box], others: Sequence[Box]) -> tuple[list[jax.Array], list[jax.Array]]:
        """Return the joint arrays that the program may overwrite, and those that it reads."""
        self._writes_kept = False
        return self._take_given(owners), self.take_rest(others)

    def reuse_last(self) -> list[Any] | None:
        """Return what it wrote last, as its next input, if nobody has read or written such a box since; else None.

        Looking at each of 400 boxes takes 100 us, most of what a step takes longer than one of arrays without boxes.
        """
        if self._holds_all:
            return self._next_input(self._held[0])
        kept, self._kept = self._kept, None
        if kept is None or kept[0] != world.touched:
            return None
        self._writes_kept = True
        return self._next_input(kept[1])

    def _next_input(self, written: list[Any]) -> list[Any]:
        return written if self._pick is None else list(self._pick(written))

    def write(self, boxes: Sequence[Box], results: list[jax.Array]) -> None:
        """Set the content of boxes that are no views to joint arrays that nobody else holds."""
        if self._holds_all:
            self._held = results, self._held[1] + 1
            return
        world.touched += 1  # for other programs with such boxes
        if self._writes_kept:  # they have joint arrays, and own them
            self._writes_kept = False
            self._hold(boxes, results)
            return
        for box, value in zip(boxes, results):  # noqa: B905 (the lengths are equal, and `strict` is slow)
            write_joint(box, value)
        self._kept = world.touched, results

    def _hold(self, boxes: Sequence[Box], results: list[jax.Array]) -> None:
        """Empty boxes that have joint arrays, and keep what is theirs. Whatever interrupts it, each is whole or empty."""
        self._versions = [box._version for box in boxes]
        self._held = results, 1
        for box in boxes:
            box._holder = self
            del box._joint, box._version
        self._holds_all = True

    def release(self) -> None:
        """Give the boxes what is theirs."""
        self._holds_all = False
        results, steps = self._held
        if not results:
            return
        for box, value, version in zip(self._boxes, results, self._versions):  # noqa: B905
            if box._holder is self:
                box._joint, box._version, box._holder = value, version + steps, None
        self._kept, self._held = (world.touched, results), ([], 0)

    def _take_given(self, boxes: Sequence[Box]) -> list[jax.Array]:
        """Return the joint arrays of the boxes that are replaced; copies of what somebody else holds, too."""
        found = [box._joint for box in boxes if box._owned and box._joint is not None]
        if len(found) == len(boxes) and not world.places:
            return found
        found = []
        for i, box in enumerate(boxes):
            joint = box._joint if box._owned else None
            if joint is None or (world.places and not self.accepts(joint)):
                value = box._value if box._owned else jax.device_put(box._value, may_alias=False)
                joint = self.enter(value, True, i)
            found.append(joint)
        return found

    def take_rest(self, boxes: Sequence[Box]) -> list[jax.Array]:
        """Return the joint arrays of the boxes that are only read."""
        if len(self._read) != len(boxes):
            self._read = [(None, None)] * len(boxes)
        found = []
        for i, box in enumerate(boxes):
            joint = box._joint
            if joint is None or (world.places and not self.accepts(joint)):
                value = box._value
                known, joint = self._read[i]
                if known is not value:
                    joint = self.enter(value, False, i)
                    self._read[i] = value, joint
            found.append(joint)
        return found

    def local(self, results: Sequence[jax.Array]) -> list[jax.Array]:
        """Return the results as arrays of this process, for boxes that are to have them alone."""
        self.release()
        return [*results[: self.outputs], *map(local_array, results[self.outputs :])]


def _picker(places: Sequence[int]) -> Callable[[list[Any]], Iterable[Any]]:
    return operator.itemgetter(*places) if len(places) > 1 else lambda results: [results[i] for i in places]


def write(joint: JointState | None, boxes: Sequence[Box], results: Iterable[jax.Array]) -> None:
    """Set the content of boxes that are no views to arrays that nobody else holds: joint ones if the program is."""
    if joint is not None and joint.late:
        joint.write(boxes, list(results))
        return
    world.touched += 1
    for box, value in zip(boxes, results):  # noqa: B905 (the lengths are equal, and `strict` is slow)
        box._version += 1  # first: the box may be empty
        box._value = value if joint is None else local_array(value)
        box._joint = None
        box._owned = True
