"""The backward pass: carry gradients over the tape from results to the inputs that were asked for."""

import operator
from collections.abc import Callable, Iterable, Sequence

from msjax.core.state import state
from msjax.core.tape.compiled_backward import replay
from msjax.core.tape.nodes import Node, Ref, Var, add


def reachable(roots: Iterable[Node], stops: set[int]) -> tuple[list[Node], bool]:
    """Collect all nodes behind `roots`, oldest first, not looking behind `stops`.

    Args:
        roots: nodes to start from.
        stops: ids of nodes to stop at.

    Returns:
        The nodes; and True if anything else is behind them: a leaf that is not a stop, or the inputs of a stop. That
        is watched by an outer `grad` or a user's `requires_grad`, and only then must the backward pass be recorded.
    """
    seen: dict[int, Node] = {}
    foreign = False
    stack = list(roots)
    while stack:
        node = stack.pop()
        key = id(node)
        if key in seen:
            continue
        seen[key] = node
        if key in stops:
            foreign |= bool(node.inputs)
            continue
        foreign |= not node.inputs
        # Nodes of a `grad` that has ended count as constants, and may have released what they saved.
        for before, _ in node.inputs:
            if id(before) not in seen and before.alive():
                stack.append(before)
    return sorted(seen.values(), key=operator.attrgetter("serial")), foreign


def walk(
    roots: Sequence[tuple[Ref, Var]],
    nodes: list[Node],
    targets: Iterable[Ref],
    stops: set[int],
    create_graph: bool = False,
    retain_graph: bool = False,
) -> dict[tuple[int, int], Var]:
    """Carry gradients from `roots` back to `targets`, through nodes that lead there and no others.

    Args:
        roots: references with the gradients to start from.
        nodes: what `reachable` found, oldest first.
        targets: references whose gradients are wanted.
        stops: ids of nodes to end at even where they have inputs.
        create_graph: record the walk itself, for a derivative of the result.
        retain_graph: leave the saved values for another walk.

    Returns:
        (id of the node, output index) -> gradient, for every target that the roots depend on.
    """
    # Forward over the oldest-first list marks every node from which a target can be reached: one pass, no recursion.
    # Nodes that lead elsewhere (frozen layers, other Parameters) are never pulled.
    wanted = {(id(node), i) for node, i in targets}
    ends = {key[0] for key in wanted}
    needed: set[int] = set()
    for node in nodes:
        key = id(node)
        if key in ends:
            needed.add(key)
        elif key not in stops:
            for before, _ in node.inputs:
                if id(before) in needed:
                    needed.add(key)
                    break
    order = [node for node in reversed(nodes) if id(node) in needed]
    # A compiled backward pass cannot be recorded or checked (its steps have no nodes), and in a trace everything is compiled
    # anyway.
    if not create_graph and state.frame is None and state.checking is None:
        results = replay.run(roots, order, needed, wanted, stops, retain_graph)
        if results is not None:
            return results
    return _walk(roots, order, needed, wanted, stops, create_graph, retain_graph)


def _walk(
    roots: Sequence[tuple[Ref, Var]],
    order: list[Node],
    needed: set[int],
    wanted: set[tuple[int, int]],
    stops: set[int],
    create_graph: bool,
    retain_graph: bool,
) -> dict[tuple[int, int], Var]:
    """Run the backward pass operator by operator."""
    waiting: dict[int, list[Var | None]] = {}

    def give(ref: Ref, gradient: Var) -> None:
        node, i = ref
        slots = waiting.setdefault(id(node), [None] * len(node.avals))
        before = slots[i]
        slots[i] = gradient if before is None else add(before, gradient)

    for ref, seed in roots:
        if id(ref[0]) in needed:
            give(ref, seed)
    results: dict[tuple[int, int], Var] = {}
    for node in order:
        # `pop`: a gradient is dropped as soon as it was used, so that peak memory is that of the live ones.
        cotangents = waiting.pop(id(node), None)
        if cotangents is None:
            continue
        # Hooks see the complete sum: every consumer of a node has a higher serial and has already given its part.
        if node.hooks is not None:
            _run_hooks(node.hooks, cotangents)
        for i, gradient in enumerate(cotangents):
            if gradient is not None and (id(node), i) in wanted:
                results[id(node), i] = gradient
        if id(node) in stops or not any(id(ref[0]) in needed for ref in node.inputs):
            continue
        gradients = node.pull(cotangents, create_graph)
        if state.checking is not None:
            gradients = list(gradients)
            state.checking(node, gradients)
        for ref, gradient in zip(node.inputs, gradients, strict=True):
            if gradient is not None and id(ref[0]) in needed:
                give(ref, gradient)
        if not retain_graph:
            node.release()
    return results


def _run_hooks(table: dict[int, list[Callable[[Var], Var]]], cotangents: list[Var | None]) -> None:
    for i, hooks in table.items():
        for hook in hooks:
            here = cotangents[i]
            cotangents[i] = here if here is None else hook(here)
