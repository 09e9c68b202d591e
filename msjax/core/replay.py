"""Backward passes over tapes of a structure that keeps coming back, each as one compiled program."""

import functools
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import jax

from msjax.core import compiling, layouts
from msjax.core.tape import Leaf, Node, OpNode, Passage, Ref, TrainableLeaf, Var

_KINDS = frozenset({OpNode, Leaf, TrainableLeaf, Passage})


class Replay:
    """Whole backward passes as one compiled program each, for tapes whose structure keeps coming back.

    A structure is compiled when it is seen for the third time, so that programs of ever new lengths are walked. The
    most recent structures are remembered. The arrays saved by all nodes are inputs of the program; where they are many
    megabytes, it comes in several parts, and what one has used is free before the next one starts; the parts are then
    compiled to need little memory themselves.
    """

    SEEN_BEFORE = 2
    MOST_STRUCTURES = 256
    MOST_NODES = 2000
    MOST_BYTES = 2**24
    MOST_PARTS = 8

    def __init__(self) -> None:
        self._known: dict[tuple, _Known] = {}
        self._lock = threading.Lock()

    def run(
        self,
        roots: Sequence[tuple[Ref, Var]],
        order: list[Node],
        needed: set[int],
        wanted: set[tuple[int, int]],
        stops: set[int],
        keep: bool = False,
    ) -> dict[tuple[int, int], Var] | None:
        """The results of a walk; None if it must be walked. Nodes are released, unless they are to be kept."""
        if not 3 < len(order) < self.MOST_NODES:
            return None
        structure = _structure(roots, order, needed, wanted, stops)
        if structure is None:
            return None
        with self._lock:
            known = self._known.pop(structure, None) or _Known()
            self._known[structure] = known
            if len(self._known) > self.MOST_STRUCTURES:
                del self._known[next(iter(self._known))]
            known.seen += 1
        if known.seen <= self.SEEN_BEFORE:
            return None
        steps, seeds, targets = structure
        new = not known.parts
        if new:
            self._cut(known, structure, order)
        elif known.large:
            compiling.give_back_much()
        waiting: dict[tuple[int, int], Any] = {}
        for place, (_, seed) in zip(seeds, [r for r in roots if id(r[0][0]) in needed], strict=True):
            waiting[place] = seed[0] if place not in waiting else waiting[place] + seed[0]
        results, start = {}, 0
        for i, (end, part) in enumerate(known.parts):
            residuals = [
                node.residuals  # type: ignore[attr-defined]
                for node, step in zip(order[start:end], steps[start:end], strict=True)
                if step is not None and step[0]
            ]
            try:
                if new:
                    part, closed = _compiled(part, known.large, residuals, waiting)
                    waiting, found = part(residuals, waiting)
                    known.parts[i] = end, part
                    compiling.forget_module(closed)
                else:
                    waiting, found = part(residuals, waiting)
            except BaseException as error:
                if new:
                    known.parts = []
                if start or not compiling.nested(error):
                    raise
                return None
            del residuals
            results.update((t, value) for t, value in zip(targets, found, strict=True) if value is not None)
            if not keep:
                for node in order[start:end]:
                    if id(node) not in stops:
                        node.release()
            start = end
        return {(id(order[place]), i): (value, None) for (place, i), value in results.items()}

    def _cut(self, known: "_Known", structure: tuple, order: list[Node]) -> None:
        """Make the program's parts of ranges of nodes that saved about the same number of bytes."""
        steps, _, targets = structure
        sizes = [
            sum(r.nbytes for r in node.residuals) if step is not None and step[0] else 0  # type: ignore[attr-defined]
            for node, step in zip(order, steps, strict=True)
        ]
        most = max(self.MOST_BYTES, sum(sizes) // self.MOST_PARTS)
        ends, held = [], 0
        for i, size in enumerate(sizes):
            held += size
            if held >= most:
                ends.append(i + 1)
                held = 0
        ends = [*ends[:-1], len(order)] if ends and ends[-1] == len(order) else [*ends, len(order)]
        known.large = sum(sizes) >= self.MOST_BYTES
        for start, end in itertools.pairwise([0, *ends]):
            known.parts.append((end, functools.partial(_program, steps[start:end], start, targets)))


class _Known:
    """What is known of a structure.

    Attributes:
        seen: how often it came.
        parts: where each part ends, and its program.
        large: whether many bytes are saved.
    """

    __slots__ = ("large", "parts", "seen")

    def __init__(self) -> None:
        self.seen = 0
        self.parts: list[tuple[int, Any]] = []
        self.large = False


def _structure(
    roots: Sequence[tuple[Ref, Var]],
    order: list[Node],
    needed: set[int],
    wanted: set[tuple[int, int]],
    stops: set[int],
) -> tuple[tuple, tuple, tuple] | None:
    """What a walk does to whatever arrays: its steps and the places where gradients start and are wanted.

    None if that is not all, because hooks are called or a node is of another kind.
    """
    places = {id(node): i for i, node in enumerate(order)}
    steps: list[Any] = []
    for node in order:
        kind = type(node)
        if node.hooks is not None or kind not in _KINDS:
            return None
        if id(node) in stops or not node.inputs:
            steps.append(None)
            continue
        if kind is OpNode and node.residuals is None:  # type: ignore[attr-defined]
            return None  # the walk explains
        inputs = tuple([(places[id(n)], i) if id(n) in places else None for n, i in node.inputs])
        steps.append((node.pullback if kind is OpNode else None, len(node.avals), inputs))  # type: ignore[attr-defined]
    seeds = [(places[id(node)], i) for (node, i), _ in roots if id(node) in needed]
    # In the order of the tape: that of a set of ids is another in each step.
    targets = sorted([(places[key[0]], key[1]) for key in wanted if key[0] in places])
    return tuple(steps), tuple(seeds), tuple(targets)


def _compiled(
    program: Callable, large: bool, residuals: list[list[Any]], waiting: dict[tuple[int, int], Any]
) -> tuple[Callable, Any]:
    """A part's program, to be compiled with as little memory held besides as can be; and its jaxpr."""
    options = compiling.little_memory() if large else None
    part = jax.jit(program, compiler_options=options)
    closed = part.trace(residuals, waiting).jaxpr
    if layouts.wanted(closed):
        part = jax.jit(layouts.laid(program), compiler_options=options)
        closed = part.trace(residuals, waiting).jaxpr
    compiling.give_back_memory()
    return part, closed


def _program(
    steps: Sequence[Any],
    start: int,
    targets: tuple,
    residuals: list[list[Any]],
    waiting: dict[tuple[int, int], Any],
) -> tuple[dict[tuple[int, int], Any], list[Any]]:
    """Part of the walk over arrays alone, the steps from `start` on: what is compiled.

    Args:
        steps: for each node its pullback (None if it passes gradients on), the number of its outputs, and the places of
            its inputs; None for where gradients end.
        start: the place of the first one.
        targets: the places whose gradients are wanted.
        residuals: what the nodes with a pullback saved.
        waiting: gradients by place, for these steps and later ones.

    Returns:
        The gradients for later steps, and those of the targets among these.
    """
    waiting, end = dict(waiting), start + len(steps)
    saved = iter(residuals)
    for i, step in enumerate(steps, start):
        if step is None:
            continue
        pullback, outputs, inputs = step
        kept = next(saved) if pullback is not None else None
        cotangents = [waiting.get((i, o)) for o in range(outputs)]
        if all(ct is None for ct in cotangents):
            continue
        gradients = cotangents if pullback is None else pullback.pure(kept, cotangents)
        for place, gradient in zip(inputs, gradients, strict=True):
            if place is not None and gradient is not None:
                waiting[place] = gradient if place not in waiting else waiting[place] + gradient
    found = [waiting.get(place) if start <= place[0] < end else None for place in targets]
    return {place: value for place, value in waiting.items() if place[0] >= end}, found


replay = Replay()
