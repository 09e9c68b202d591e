"""Compiled backward pass: a tape structure that keeps recurring has its whole backward pass compiled as one program."""

import functools
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import jax

from msjax.core.tape.nodes import Identity, Leaf, Node, OpNode, Ref, TrainableLeaf, Var
from msjax.core.tape.pullbacks import LatePullback
from msjax.core.xla import channels_last, collectives, compiler_options

Gradients = dict[tuple[int, int], jax.Array]  # by the place of a node, and its output

_KINDS = frozenset({OpNode, Leaf, TrainableLeaf, Identity})


class Replay:
    """Cache of compiled backward passes by tape structure.

    A structure is compiled when it is seen for the third time, so tapes of ever new lengths are walked operator by
    operator. The most recent structures are kept. The residuals of all nodes are inputs of the program; where they are
    many megabytes, the program is cut into parts, and the residuals of one part are free before the next one starts. The
    parts are then compiled with XLA's memory-minimizing scheduler.
    """

    # Compiling a whole backward pass takes as long as many eager ones; only what recurs pays for it. A training loop
    # reaches the third step at once, a net over sentences of ever new lengths never does (test_compiled_backward).
    SEEN_BEFORE = 2
    MOST_STRUCTURES = 256
    # Longer tapes are walked: compiling takes long (13 s for a step of 800 layers, docs/performance.md, The first step).
    MOST_NODES = 2000
    # An eager ResNet-20 saves 57 MB: its backward pass comes in parts of 16 MB, which together with `residuals` halved the
    # memory of a step. With more than MOST_PARTS times as much, parts grow instead of their number.
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
        retain_graph: bool = False,
    ) -> dict[tuple[int, int], Var] | None:
        """Run the backward pass compiled; return None if it must be walked. Releases the nodes without `retain_graph`."""
        # Up to three nodes there is little to gain.
        if not 3 < len(order) < self.MOST_NODES:
            return None
        structure = _structure(roots, order, needed, wanted, stops)
        if structure is None:
            return None
        # Popped and put back: a dict keeps insertion order, so the first key is the least recently used one.
        with self._lock:
            known = self._known.pop(structure, None) or _Known()
            self._known[structure] = known
            if len(self._known) > self.MOST_STRUCTURES:
                del self._known[next(iter(self._known))]
            known.seen += 1
        if known.seen <= self.SEEN_BEFORE:
            return None
        if _settle(order):
            return None
        steps, seeds, targets = structure
        new = not known.parts
        if new:
            self._cut_ranges(known, structure, order)
        waiting: dict[tuple[int, int], Any] = {}
        # A position may have several seeds, for an output that is given twice.
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
                    part = _compile_part(part, known.large, residuals, waiting)
                    known.parts[i] = end, part
                waiting, found = part(residuals, waiting)
            except BaseException as error:
                # A part that failed to compile must not leave half a list behind. Before the first part has run, being
                # inside a trace of JAX's own just means walking
                # (test_compiled_backward.test_such_a_pass_in_a_trace_of_jax); later
                # parts cannot fall back, since nodes have been released.
                if new:
                    known.parts = []
                if start or not compiler_options.is_inside_trace_error(error):
                    raise
                return None
            # The last reference to this part's residuals beside those of the nodes, which are released below.
            del residuals
            results.update((t, value) for t, value in zip(targets, found, strict=True) if value is not None)
            if not retain_graph:
                for node in order[start:end]:
                    if id(node) not in stops:
                        node.release()
            start = end
        return {(id(order[place]), i): (value, None) for (place, i), value in results.items()}

    def _cut_ranges(self, known: "_Known", structure: tuple, order: list[Node]) -> None:
        """Cut the backward pass into ranges of nodes that saved about the same number of bytes."""
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


def _settle(order: Sequence[Node]) -> bool:
    """Compile from now on what was evaluated as if its shapes kept changing; return False if nothing was.

    The next tapes have another structure then, with the residuals of compiled operators. An operator for which that has been
    done many times is evaluated on, and such tapes are walked: programs for ever more lengths would fill the memory.
    """
    found = False
    for node in order:
        if isinstance(node, OpNode) and isinstance(node.pullback, LatePullback):
            node.program.settle(node.pullback.key)
            found = True
    return found


class _Known:
    """Cache entry of one structure.

    Attributes:
        seen: how often it came.
        parts: (end, program) of each part, in order.
        large: True if so many bytes are saved that programs are compiled for little memory.
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
    """Return the structure of a backward pass as a hashable key: steps, positions of seeds and of targets.

    None if the key does not tell all, because there are hooks or nodes of another kind.
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
        # The pullback stands for operator, shapes and dtypes: one per compiled forward pass (see `pullbacks.Residuals`).
        steps.append((node.pullback if kind is OpNode else None, len(node.avals), inputs))  # type: ignore[attr-defined]
    seeds = [(places[id(node)], i) for (node, i), _ in roots if id(node) in needed]
    # In the order of the tape: that of a set of ids is another in each step.
    targets = sorted([(places[key[0]], key[1]) for key in wanted if key[0] in places])
    return tuple(steps), tuple(seeds), tuple(targets)


def _compile_part(
    program: Callable, large: bool, residuals: list[list[jax.Array]], waiting: Gradients
) -> Callable:
    """Return a part's program, to be compiled for little memory if it is `large`."""
    options = compiler_options.little_memory() if large else None
    part = jax.jit(program, compiler_options=options)
    if several := collectives.communicating(program, part, (residuals, waiting)):
        return several
    if channels_last.pays_off(part.trace(residuals, waiting).jaxpr):
        part = jax.jit(channels_last.with_channels_last(program), compiler_options=options)
    return part


def _program(
    steps: Sequence[tuple | None],
    start: int,
    targets: tuple,
    residuals: list[list[jax.Array]],
    waiting: Gradients,
) -> tuple[Gradients, list[jax.Array | None]]:
    """Run part of the backward pass over arrays alone, the steps from `start` on; this is what gets compiled.

    Args:
        steps: for each node its pullback (None if it passes gradients on), the number of its outputs, and the places of
            its inputs; None for leaves and stops.
        start: index of the first step in the whole pass.
        targets: the places whose gradients are wanted.
        residuals: residuals of the nodes with a pullback, in order.
        waiting: gradients by place, for these steps and later ones.

    Returns:
        The gradients for later steps; and the targets' gradients, None for targets in other parts.
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
