"""State of an iterator as text: where it is, and what its orders and transforms will draw from there on.

It holds what the epoch began with, and how many rows were given since; whoever goes on computes these rows once more, or
skips them where that changes nothing.
"""

import base64
import json
import pickle
import random
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from msjax.dataset.pipeline.callbacks import Reporter
from msjax.dataset.pipeline.map_node import Map
from msjax.dataset.pipeline.nodes import Node
from msjax.dataset.pipeline.processes import ProcessExecutors
from msjax.dataset.pipeline.sync_wait import Wait
from msjax.dataset.random import generators
from msjax.dataset.random.generators import Run, Workers
from msjax.dataset.random.mindspore_rng import Mt19937, Mt19937Long, NormalDistribution, ShuffleState

_VERSION = 1
_ROOTS = (Mt19937, Mt19937Long, NormalDistribution, ShuffleState)


def freeze(run: Run, epoch: int) -> bytes:
    """Copy what a run keeps from epoch to epoch, for `to_text` later in this process.

    Args:
        run: at the end of the pipeline, between two epochs.
        epoch: the next one.
    """
    run.settle()
    kept = {k: v for k, v in run.memory.items() if not isinstance(v, Reporter | ProcessExecutors)}
    outside = (random.getstate(), np.random.get_state()) if run.seeded else None  # noqa: NPY002
    return pickle.dumps((epoch, kept, run.generators, outside))


def to_text(node: Node, run: Run, frozen: bytes, row: int) -> str:
    """Return the state of an iterator.

    Args:
        node: the end of the pipeline.
        run: the iterator's.
        frozen: what the epoch began with.
        row: how many rows of it were given.
    """
    epoch, kept, numbers, outside = pickle.loads(frozen)
    memory = [
        (
            path,
            _encoded_workers(_map_at(node, path[:-1]), value)
            if isinstance(value, Workers)
            else _encode(value),
        )
        for path, value in kept.items()
    ]
    state = {
        "version": _VERSION,
        "steps": list(_steps(node)),
        "epoch": epoch,
        "row": row,
        "entropy": run.entropy,
        "seeded": run.seeded,
        "memory": memory,
        "generators": [(path, one.bit_generator.state) for path, one in numbers.items()],
        "outside": _encode(outside),
    }
    return base64.b85encode(
        zlib.compress(json.dumps(state, default=lambda number: number.item()).encode())
    ).decode()


def from_text(op: str, node: Node, text: Any, inline: bool) -> tuple[Run, int]:
    """Return a run that goes on with an epoch, and how many of its rows were given already.

    Args:
        op: for errors.
        node: the end of the pipeline.
        text: the state.
        inline: as for `Run`.

    Raises:
        TypeError: if it is not a str.
        ValueError: if it is another str, or the state of an iterator over other steps.
    """
    if not isinstance(text, str):
        raise TypeError(
            f"`{op}`: argument `state` must be a str that `get_state` gave. Received: {type(text).__name__}."
        )
    try:
        state = json.loads(zlib.decompress(base64.b85decode(text)))
    except (ValueError, zlib.error):
        state = None
    if not isinstance(state, dict) or state.get("version") != _VERSION:
        raise ValueError(f"`{op}`: argument `state` must be what `get_state` gave. Received: {text[:40]!r}.")
    if state["steps"] != list(_steps(node)):
        raise ValueError(
            f"`{op}`: the state is that of an iterator over other steps: {state['steps']}. "
            f"This one has {list(_steps(node))}."
        )
    run = Run.resumed(state["entropy"], state["seeded"], state["epoch"], inline)
    for path, value in state["memory"]:
        place = tuple(path)
        if isinstance(value, dict) and "workers" in value:
            run.memory[place] = _workers(_map_at(node, place[:-1]), run, value["workers"], value["turns"])
        else:
            run.memory[place] = _decode(value)
    for path, value in state["generators"]:
        run.generators[tuple(path)] = one = np.random.default_rng()
        one.bit_generator.state = value
    outside = _decode(state["outside"])
    if outside is not None:
        random.setstate(outside[0])
        np.random.set_state(outside[1])  # noqa: NPY002
    return run, state["row"]


def _steps(node: Node) -> Iterator[str]:
    for child in node.children:
        yield from _steps(child)
    yield f"{type(node).__name__}({', '.join(map(str, node.columns))})"


def _map_at(node: Node, path: tuple[int, ...]) -> Map:
    """The `map` at a place of a run."""
    for index in path:
        node = _below_waits(node)
        node = node.children[index]
    node = _below_waits(node)
    assert isinstance(node, Map)
    return node


def _below_waits(node: Node) -> Node:
    while isinstance(node, Wait):
        node = node.children[0]
    return node


# ---------------------------------------------------------------- the workers of a `map`


def _owners(node: Map) -> list[int]:
    """Return the transforms of a `map`, those within others too, in an order that another process has too."""
    found: dict[int, None] = {}

    def look(value: Any) -> None:
        if isinstance(value, list | tuple):
            for one in value:
                look(one)
        elif generators.draws_natively(value) and id(value) not in found:
            found[id(value)] = None
            for one in vars(value).values():
                look(one)

    look(list(node.operations))
    return list(found)


def _encoded_workers(node: Map, workers: Workers) -> dict[str, Any]:
    order = {owner: number for number, owner in enumerate(_owners(node))}
    return {
        "turns": workers.turns,
        "workers": [
            [(place, order[owner], _encode(words)) for (place, owner), words in one.drawn.items()]
            for one in workers.all
        ],
    }


def _workers(node: Map, run: Run, parts: list[Any], turns: int) -> Workers:
    owners = _owners(node)
    made = Workers(len(parts), run.seeded, run.entropy)
    made.turns = turns
    for one, drawn in zip(made.all, parts, strict=True):
        one.drawn.update({(place, owners[owner]): _decode(words) for place, owner, words in drawn})
    return made


# ---------------------------------------------------------------- values


def _classes(roots: tuple[type, ...] = _ROOTS) -> dict[str, type]:
    found = {one.__name__: one for one in roots}
    for one in roots:
        found |= _classes(tuple(one.__subclasses__()))
    return found


def _encode(value: Any) -> Any:
    if isinstance(value, np.random.RandomState):
        return {"words": _encode(value.get_state())}
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": str(value.dtype)}
    if isinstance(value, np.generic):
        return {"number": value.item(), "dtype": str(value.dtype)}
    if isinstance(value, tuple):
        return {"tuple": [_encode(one) for one in value]}
    if isinstance(value, list) and value and isinstance(value[0], list | np.ndarray):
        return [_encode(one) for one in value]
    if isinstance(value, _ROOTS):
        return {"class": type(value).__name__, "has": {k: _encode(v) for k, v in vars(value).items()}}
    return value


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(one) for one in value] if value and isinstance(value[0], list | Mapping) else value
    if not isinstance(value, Mapping):
        return value
    if "words" in value:
        made = np.random.RandomState()
        made.set_state(_decode(value["words"]))
        return made
    if "array" in value:
        return np.array(value["array"], value["dtype"])
    if "number" in value:
        return np.dtype(value["dtype"]).type(value["number"])
    if "tuple" in value:
        return tuple(_decode(one) for one in value["tuple"])
    kind = _classes()[value["class"]]
    made: Any = object.__new__(kind)
    vars(made).update({name: _decode(one) for name, one in value["has"].items()})
    return made
