"""Aliasing of loop variables: which Tensor each of them is a name for, iteration by iteration, in compiled loops."""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from msjax.core.control.branch_merge import is_view_made_here
from msjax.core.state import state
from msjax.core.tensor.box import Case, Choice, View, peek
from msjax.core.tensor.tensor import Tensor, choice, in_dialect, view_again, wrap
from msjax.core.tensor.view_strides import Geometry, contiguous_geometry

Place = tuple[int, int]

# A variable that is a view of itself in each iteration would be a longer chain after each. Strides tell that `x.t().t()` is
# x again; where an index in a Tensor hides them, what lies deeper is a Tensor of its own.
_DEEPEST = 2
_NOWHERE = np.iinfo(np.int32).min


class RetryWithTypes(Exception):  # noqa: N818
    """Raised to start the loop again, with variables that begin with other types."""

    def __init__(self, wishes: dict[int, object]) -> None:
        self.wishes = wishes


@dataclasses.dataclass(frozen=True, eq=False)
class Sight:
    """View of what a key stands for; the arrays of its lens are carried beside the variable."""

    base: int
    view: View
    dialect: type[Tensor]
    shape: jax.ShapeDtypeStruct
    arrays: tuple[jax.ShapeDtypeStruct, ...]  # of the lenses of its base, then of its own
    route: "Route | None" = None

    def identity(self) -> tuple:
        """Return a key: views with equal keys show the same elements if their arrays have equal values."""
        return (
            self.base,
            self.view.lens.strides_key(),
            self.view.detached,
            self.view.unrecorded,
            self.shape,
            self.arrays,
        )


class Route(NamedTuple):
    """The elements that a chain of views shows, whatever its links: equal for chains that show the same.

    Attributes:
        root: key of the memory under them.
        geometry: of what is shown, in that memory.
        off_tape: True if a link is detached, or was made under `no_grad`; one flag each.
    """

    root: int
    geometry: Geometry
    off_tape: tuple[bool, bool]


class Arrays(NamedTuple):
    """Positions of a `Sight`'s lens arrays in the state of a loop."""

    place: Place
    key: int
    number: int


@dataclasses.dataclass
class Reached:
    """Keys that a variable may have after an iteration, and the arrays of those that are views."""

    keys: set[int] = dataclasses.field(default_factory=set)
    arrays: dict[int, list[jax.Array]] = dataclasses.field(default_factory=dict)

    def add(self, key: int, arrays: Sequence[jax.Array] = ()) -> None:
        """Add a key, with the arrays of its view."""
        self.keys.add(key)
        if arrays:
            self.arrays[key] = list(arrays)


class Aliases:
    """The Tensors that a loop's variables name at the beginning of each iteration.

    A variable is another name for a Tensor from before the loop, or for one that an iteration made, and each iteration
    may bind it to another one. Its value is carried, as that of a Tensor of its own; a number is carried beside it that
    says which Tensor it is, for when that is written under another name (`box.Choice`).

    Keys are numbers: from 0 on for Tensors from before and for views, the negative ones for the variables' own.
    """

    def __init__(self) -> None:
        self.first: dict[Place, int] = {}
        self.outer: list[Tensor | Sight] = []
        self.own: dict[Place, int] = {}
        self.shapes: dict[int, tuple[int, ...]] = {}  # of the own Tensors of variables, by key
        self.reach: dict[Place, set[int]] = {}
        self.made: dict[Place, Tensor] = {}
        self.selectors: dict[Place, Tensor] = {}
        self.reached: dict[Place, Reached] = {}
        self.layout: list[Arrays] = []
        self.arrays: dict[Arrays, Tensor] = {}

    def start(self, named: dict[Place, Tensor]) -> list[Tensor]:
        """Return the initial selectors, then the arrays of the views that variables may be."""
        self.first = {place: self._key(box) for place, box in named.items()}
        for place, key in self.first.items():
            own = self.own.setdefault(place, -1 - len(self.own))
            self.shapes[own] = peek(named[place]).shape
            self.reach.setdefault(place, set()).update((key, own))
        # A list of its own: `end` forgets keys, but what was carried stays where it is.
        self.layout = [
            Arrays(place, key, i)
            for place in named
            for key in sorted(self.reach[place])
            for i in range(len(self._avals(key)))
        ]
        zeros = [wrap(jnp.zeros(aval.shape, aval.dtype)) for aval in map(self._aval, self.layout)]
        return [*[wrap(jnp.int32(key)) for key in self.first.values()], *zeros]

    def count(self) -> int:
        """Return the number of Tensors that `start` and `take` give."""
        return len(self.first) + len(self.layout)

    def _avals(self, key: int) -> tuple[jax.ShapeDtypeStruct, ...]:
        seen = self.outer[key] if key >= 0 else None
        return seen.arrays if isinstance(seen, Sight) else ()

    def _aval(self, each: Arrays) -> jax.ShapeDtypeStruct:
        return self._avals(each.key)[each.number]

    def _key(self, box: Tensor) -> int:
        found = [key for key, known in enumerate(self.outer) if known is box]
        if not found:
            self.outer.append(box)
        return found[0] if found else len(self.outer) - 1

    def put(self, values: dict[Place, Tensor], carried: list[Tensor]) -> dict[Place, Tensor]:
        """Return what stands for the variables in an iteration: choices among Tensors."""
        self.selectors = dict(zip(values, carried, strict=False))
        self.arrays = dict(zip(self.layout, carried[len(values) :], strict=True))
        boxes = {self.own[place]: box for place, box in values.items()}
        self.made = {}
        for place, box in values.items():
            # A variable whose Tensor cannot be in the loop any more is dropped from what the others may be.
            keys = sorted(
                key for key in self.reach[place] if self._root(key) >= 0 or self._root(key) in boxes
            )
            cases = [Case(key, self._box(key, boxes, self._list_carried(place, key))) for key in keys]
            self.made[place] = cases[0].box if len(cases) == 1 else choice(box, self.selectors[place], cases)
        return self.made

    def _root(self, key: int) -> int:
        """Return the key of the memory that a view shows, in the end; any other key as it is."""
        while key >= 0 and isinstance(seen := self.outer[key], Sight):
            key = seen.base
        return key

    def _list_carried(self, place: Place, key: int) -> list[jax.Array]:
        """Return the arrays of a view that a variable may be."""
        return [peek(self.arrays[Arrays(place, key, i)]) for i in range(len(self._avals(key)))]

    def _box(self, key: int, boxes: dict[int, Tensor], arrays: list[jax.Array]) -> Tensor:
        seen = boxes[key] if key < 0 else self.outer[key]
        if isinstance(seen, Tensor):
            return seen
        under = len(self._avals(seen.base))
        base = self._box(seen.base, boxes, arrays[:under])
        like = in_dialect(wrap(jnp.zeros(seen.shape.shape, seen.shape.dtype)), seen.dialect)
        return view_again(like, base, seen.view, arrays[under:])

    def is_unchanged(self, place: Place, leaf: object) -> bool:
        """Return True if an iteration left a variable as it was, but for changes in place."""
        made = self.made.get(place)
        return leaf is made and (made is None or made._view is not None)

    def take(self, ends: dict[Place, Tensor]) -> list[Tensor]:
        """Return the selectors and arrays for the next iteration.

        Raises:
            RetryWithTypes: if a variable may be a name for a Tensor that was not expected.
        """
        # The own Tensors of variables that were left as they were stay; what else is made gets the place of the first
        # variable that is a name for it.
        self.places = {id(made): place for place, made in self.made.items()}
        self.alive = {self.own[place] for place, end in ends.items() if self.is_unchanged(place, end)}
        self.homes: dict[int, int] = {}
        for place, end in ends.items():
            if self.is_unchanged(place, end):
                self.homes[id(end)] = self.own[place]
        for place, end in ends.items():
            self.homes.setdefault(id(end), self.own[place])
        self.parts: dict[int, tuple[int, jax.Array]] = {}
        for place, end in ends.items():
            if not self.is_unchanged(place, end):
                self._note_parts(end, self.own[place], None)
        self.reached = {}
        found = []
        for place, end in ends.items():
            reached = self.reached[place] = Reached()
            found.append(wrap(self._selector(end, self.own[place], reached)))
        if any(not reached.keys <= self.reach[place] for place, reached in self.reached.items()):
            for place, reached in self.reached.items():
                self.reach[place] |= reached.keys
            raise RetryWithTypes({})
        return [*found, *[wrap(self._array(each)) for each in self.layout]]

    def _note_parts(self, box: Tensor, own: int, chosen: Any) -> None:
        """Note for the Tensors that a choice may be when they are it: views of them, which an inner loop made, are of it."""
        if not isinstance(box._view, Choice):
            if chosen is not None and box._view is None:
                self.parts.setdefault(id(box), (own, chosen))
            return
        which = peek(box._view.selector)
        boxes = {id(case.box): case.box for case in box._view.cases}
        for part in boxes.values():
            keys = [which == case.key for case in box._view.cases if case.box is part]
            here = functools.reduce(jnp.logical_or, keys)
            self._note_parts(part, own, here if chosen is None else jnp.logical_and(chosen, here))

    def _array(self, each: Arrays) -> jax.Array:
        arrays = self.reached[each.place].arrays.get(each.key)
        aval = self._aval(each)
        return jnp.zeros(aval.shape, aval.dtype) if arrays is None else arrays[each.number]

    def _selector(self, box: Tensor, home: int, reached: Reached) -> jax.Array:
        """Return the key of a Tensor, and add those that it may be.

        Args:
            box: that an iteration left.
            home: the key for what no variable has.
            reached: gets the keys, and arrays of views.
        """
        home = self.homes.get(id(box), home)
        place = self.places.get(id(box))
        if place is not None and self.is_unchanged(place, box):
            selector = peek(self.selectors[place])
            roots = {key: self._root(key) for key in self.reach[place]}
            lost = {key for key, root in roots.items() if root < 0 and root not in self.alive and key != home}
            for key in self.reach[place] - lost:
                reached.add(key, self._list_carried(place, key))
            for key in sorted(lost):
                reached.add(home)
                selector = jnp.where(selector == key, jnp.int32(home), selector)
            return selector
        outside = box if box._home is not state.frame else state.frame.original(box)
        if outside is not None:
            reached.add(key := self._key(outside))
            return jnp.int32(key)
        if isinstance(box._view, Choice):
            return self._key_of_choice(box._view, home, reached)
        if is_view_made_here(box):
            return self._key_of_view(box, home, reached)
        reached.add(home)
        if id(box) in self.parts:
            own, chosen = self.parts[id(box)]
            reached.add(own)
            return jnp.where(chosen, jnp.int32(own), jnp.int32(home))
        return jnp.int32(home)

    def _key_of_choice(self, view: Choice, home: int, reached: Reached) -> jax.Array:
        """Return the key of a choice among Tensors."""
        which = peek(view.selector)
        chosen: Any = None
        for case in reversed(view.cases):
            part = Reached()
            key = self._selector(case.box, home, part)
            chosen = key if chosen is None else jnp.where(which == case.key, key, chosen)
            for each in part.keys:
                arrays = part.arrays.get(each, [])
                known = reached.arrays.get(each, arrays)
                pairs = zip(arrays, known, strict=True)
                reached.add(each, [a if a is b else jnp.where(which == case.key, a, b) for a, b in pairs])
        return chosen

    def _key_of_view(self, box: Tensor, home: int, reached: Reached) -> jax.Array:
        """Return the key of a view: what it is seen from has one, or the view is a Tensor of its own."""
        view: Any = box._view
        under = Reached()
        # What nobody else has a name for is nowhere.
        key = self._selector(view.base, _NOWHERE, under)
        arrays = [jnp.asarray(array) for array in view.lens.arrays()]
        found = jnp.int32(home)
        for base in sorted(under.keys):
            below = under.arrays.get(base, [])
            route = None if base == _NOWHERE or arrays else self._route(base, box)
            if base == _NOWHERE or (route is None and self._depth(base) >= _DEEPEST):
                reached.add(home)
                continue
            known = self._find_same(route)
            sight = self._sight(base, box, [*below, *arrays], route) if known is None else known
            reached.add(sight, [] if known is not None else [*below, *arrays])
            found = jnp.where(key == base, jnp.int32(sight), found)
        return found

    def _depth(self, key: int) -> int:
        seen = self.outer[key] if key >= 0 else None
        return 1 + self._depth(seen.base) if isinstance(seen, Sight) else 0

    def _route(self, base: int, box: Tensor) -> Route | None:
        """Return what a view of what a key stands for shows; None where no strides tell."""
        view: Any = box._view
        seen = self.outer[base] if base >= 0 else None
        if isinstance(seen, Sight):
            under = seen.route
        else:
            shape = self.shapes[base] if seen is None else peek(seen).shape
            under = Route(base, contiguous_geometry(shape), (False, False))
        geometry = under and view.lens.geometry(under.geometry)
        if under is None or geometry is None:
            return None
        detached, unrecorded = under.off_tape
        return Route(under.root, geometry, (detached or view.detached, unrecorded or view.unrecorded))

    def _find_same(self, route: Route | None) -> int | None:
        """Return the key of what shows the same, if there is one."""
        if route is None:
            return None
        root = self.outer[route.root] if route.root >= 0 else None
        shape = self.shapes[route.root] if not isinstance(root, Tensor) else peek(root).shape
        if route == Route(route.root, contiguous_geometry(shape), (False, False)):
            return route.root
        known = enumerate(self.outer)
        return next((key for key, seen in known if isinstance(seen, Sight) and seen.route == route), None)

    def _sight(self, base: int, box: Tensor, arrays: list[jax.Array], route: Route | None) -> int:
        aval = jax.ShapeDtypeStruct(box._value.shape, box._value.dtype)
        avals = tuple([jax.ShapeDtypeStruct(array.shape, array.dtype) for array in arrays])
        view: Any = View(None, box._view.lens.with_arrays(()), None, box._view.detached)  # type: ignore[union-attr]
        view.unrecorded = box._view.unrecorded  # type: ignore[union-attr]
        sight = Sight(base, view, box._dialect, aval, avals, route)
        for key, known in enumerate(self.outer):
            if isinstance(known, Sight) and known.identity() == sight.identity():
                return key
        self.outer.append(sight)
        return len(self.outer) - 1

    def end(self, may_be_empty: bool) -> None:
        """Note that the loop has ended; the first Tensors are still possible if it may have had no iteration."""
        for place, reached in self.reached.items():
            self.reach[place] = reached.keys | ({self.first[place]} if may_be_empty else set())
