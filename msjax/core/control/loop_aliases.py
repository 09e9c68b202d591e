"""Aliasing of loop variables: which Tensor each of them is a name for, iteration by iteration, in compiled loops."""

import jax
import jax.numpy as jnp

from msjax.core.state import state
from msjax.core.tensor.box import Case, Choice, peek
from msjax.core.tensor.tensor import Tensor, choice, wrap


class RetryWithTypes(Exception):  # noqa: N818
    """Raised to start the loop again, with variables that begin with other types."""

    def __init__(self, wishes: dict[int, object]) -> None:
        self.wishes = wishes


class Aliases:
    """Which Tensors the variables of a loop are names for, at the beginning of each iteration.

    A variable is another name for a Tensor from before the loop, or for one that an iteration made, and each iteration
    may bind it to another one. Its value is carried, as that of a Tensor of its own; a number is carried beside it that
    says which Tensor it is, for when that is written under another name (`box.Choice`).

    Keys are numbers: from 0 on for Tensors from before, the negative ones for the variables' own.
    """

    def __init__(self) -> None:
        self.first: dict[tuple[int, int], int] = {}
        self.outer: list[Tensor] = []
        self.own: dict[tuple[int, int], int] = {}
        self.reach: dict[tuple[int, int], set[int]] = {}
        self.made: dict[tuple[int, int], Tensor] = {}
        self.selectors: dict[tuple[int, int], Tensor] = {}
        self.reached: dict[tuple[int, int], set[int]] = {}

    def start(self, named: dict[tuple[int, int], Tensor]) -> list[Tensor]:
        """Return the initial selectors."""
        self.first = {place: self._key(box) for place, box in named.items()}
        for place, key in self.first.items():
            own = self.own.setdefault(place, -1 - len(self.own))
            self.reach.setdefault(place, set()).update((key, own))
        return [wrap(jnp.int32(key)) for key in self.first.values()]

    def _key(self, box: Tensor) -> int:
        found = [key for key, known in enumerate(self.outer) if known is box]
        if not found:
            self.outer.append(box)
        return found[0] if found else len(self.outer) - 1

    def put(
        self, values: dict[tuple[int, int], Tensor], selectors: list[Tensor]
    ) -> dict[tuple[int, int], Tensor]:
        """Return what stands for the variables in an iteration: choices among Tensors."""
        self.selectors = dict(zip(values, selectors, strict=True))
        boxes = {self.own[place]: box for place, box in values.items()}
        self.made = {}
        for place, box in values.items():
            # A variable whose Tensor cannot be in the loop any more is dropped from what the others may be.
            keys = sorted(key for key in self.reach[place] if key >= 0 or key in boxes)
            cases = [Case(key, boxes[key] if key < 0 else self.outer[key]) for key in keys]
            self.made[place] = box if len(cases) == 1 else choice(box, self.selectors[place], cases)
        return self.made

    def unchanged(self, place: tuple[int, int], leaf: object) -> bool:
        """Return True if an iteration left a variable as it was, but for changes in place."""
        made = self.made.get(place)
        return leaf is made and (made is None or made._view is not None)

    def take(self, ends: dict[tuple[int, int], Tensor]) -> list[Tensor]:
        """Return the selectors for the next iteration.

        Raises:
            RetryWithTypes: if a variable may be a name for a Tensor that was not expected.
        """
        # The own Tensors of variables that were left as they were stay; what else is made gets the place of the first
        # variable that is a name for it.
        self.places = {id(made): place for place, made in self.made.items()}
        self.alive = {self.own[place] for place, end in ends.items() if self.unchanged(place, end)}
        homes: dict[int, int] = {}
        for place, end in ends.items():
            if self.unchanged(place, end):
                homes[id(end)] = self.own[place]
        for place, end in ends.items():
            homes.setdefault(id(end), self.own[place])
        self.reached = {}
        found = []
        for place, end in ends.items():
            keys = self.reached[place] = set()
            found.append(wrap(self._selector(end, homes[id(end)], keys)))
        if any(not keys <= self.reach[place] for place, keys in self.reached.items()):
            for place, keys in self.reached.items():
                self.reach[place] |= keys
            raise RetryWithTypes({})
        return found

    def _selector(self, box: Tensor, home: int, keys: set[int]) -> jax.Array:
        place = self.places.get(id(box))
        if place is not None and self.unchanged(place, box):
            selector = peek(self.selectors[place])
            lost = {key for key in self.reach[place] if key < 0 and key not in self.alive and key != home}
            keys |= self.reach[place] - lost
            for key in lost:
                keys.add(home)
                selector = jnp.where(selector == key, jnp.int32(home), selector)
            return selector
        if box._home is not state.frame:
            keys.add(key := self._key(box))
            return jnp.int32(key)
        if isinstance(box._view, Choice):
            view = box._view
            parts = [(case.key, self._selector(case.box, home, keys)) for case in view.cases]
            chosen, which = parts[-1][1], peek(view.selector)
            for key, part in parts[:-1]:
                chosen = jnp.where(which == key, part, chosen)
            return chosen
        keys.add(home)
        return jnp.int32(home)

    def end(self, may_be_empty: bool) -> None:
        """Note that the loop has ended; the first Tensors are still possible if it may have had no iteration."""
        for place, keys in self.reached.items():
            self.reach[place] = keys | ({self.first[place]} if may_be_empty else set())
