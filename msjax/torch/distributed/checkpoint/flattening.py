"""Flatten nested state dicts to names joined by dots, and find the shard of each tensor that this process has."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from msjax.core.autodiff.imperative import no_grad
from msjax.torch.distributed.dtensor import DTensor, offsets_of
from msjax.torch.distributed.parts import DividedParameter, SavedPart
from msjax.torch.tensors.tensor import Tensor, is_meta

Path = tuple[str | int, ...]


class Leaf(NamedTuple):
    """Value of a state dict that has no names of its own: a tensor, or any other object.

    Attributes:
        path: keys that lead to it.
        value: it.
        holder: what has it, by `key`.
        key: the last key.
    """

    path: Path
    value: Any
    holder: Any
    key: Any


def is_tensor(value: Any) -> bool:
    """Return True for tensors, and tensors in parts."""
    return isinstance(value, Tensor | DTensor)


def flatten(state: Mapping[str, Any]) -> dict[str, Leaf]:
    """Return the leaves by their keys, joined by dots; lists of tensors or dicts are opened, others are leaves.

    Raises:
        ValueError: if two have the same name.
    """
    found: dict[str, Leaf] = {}
    for leaf in _leaves(state, ()):
        name = ".".join(map(str, leaf.path))
        if name in found:
            raise ValueError(f"duplicated flatten key {name}")
        found[name] = leaf
    return found


def _leaves(holder: Any, path: Path) -> Iterator[Leaf]:
    is_dict = isinstance(holder, Mapping)
    for key, value in holder.items() if is_dict else enumerate(holder):
        here: Path = (*path, str(key) if is_dict else key)
        if _is_opened(value):
            yield from _leaves(value, here)
        else:
            yield Leaf(here, value, holder, key)


def _is_opened(value: Any) -> bool:
    if isinstance(value, Mapping):
        return True
    return isinstance(value, list) and any(is_tensor(each) or _is_opened(each) for each in value)


def place(root: dict, path: Path, value: Any) -> None:
    """Put a value into nested dicts and lists, which are made as the keys say: numbers are places in a list."""
    holder: Any = root
    for number, key in enumerate(path):
        if isinstance(key, int):
            holder.extend([None] * (key + 1 - len(holder)))
        elif key not in holder:
            holder[key] = None
        if number == len(path) - 1:
            holder[key] = value
        elif holder[key] is None:
            holder[key] = {} if isinstance(path[number + 1], str) else []
        holder = holder[key]


class Part(NamedTuple):
    """The shard of a tensor that this process has.

    Attributes:
        size: shape of the whole.
        offsets: index at which it begins, along each dimension.
        local: its values.
    """

    size: tuple[int, ...]
    offsets: tuple[int, ...]
    local: Tensor


def part_of(value: Any) -> Part | None:
    """Return what this process has of a tensor; None in a process that is not in its mesh.

    Raises:
        ValueError: for a DTensor of terms, of which no process has values.
    """
    if isinstance(value, SavedPart | DividedParameter):
        whole = value.__dict__["parameter"] if isinstance(value, SavedPart) else value
        return Part(tuple(whole.whole_shape), whole.offsets(), value.to_local())
    if isinstance(value, Tensor):
        return Part(tuple(value.shape), (0,) * value.ndim, value)
    if value.device_mesh.get_coordinate() is None:
        return None
    if any(placement.is_partial() for placement in value.placements):
        raise ValueError(
            f"a checkpoint has no terms: `redistribute` the DTensor first. Received: {value.placements}."
        )
    return Part(tuple(value.shape), offsets_of(value), value.to_local())


def write(target: Any, values: Tensor) -> None:
    """Write this process's part of a tensor, in place.

    Raises:
        ValueError: for a tensor on "meta", which has no values.
    """
    if is_meta(getattr(target, "_local", target)):
        raise ValueError("a checkpoint is not loaded into a tensor on 'meta': give it values with `to_empty`")
    with no_grad():
        if isinstance(target, SavedPart):
            values = target.__dict__["parameter"].part_of(values)
        getattr(target, "_local", target).copy_(values)
