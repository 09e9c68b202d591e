"""Groups of processes, by name: which of the world's processes they hold. `management` is MindSpore's face of it."""

from typing import Any, NoReturn

import jax

from msjax.core.xla.collectives import world

WORLDS = ("hccl_world_group", "nccl_world_group", "mccl_world_group", "world_group", "")
made: dict[str, tuple[int, ...]] = {}


class NoGroupError(RuntimeError, ValueError, KeyError):
    """There is no such group, or no such process in it: RuntimeError or KeyError in MindSpore, ValueError in PyTorch."""

    __str__ = Exception.__str__  # KeyError's shows a repr


def members(fn: str, group: Any) -> tuple[int, ...]:
    """Return the ranks, in the world, of a group's processes; None is the world.

    Raises:
        TypeError: if its name is not a string.
        ValueError: if there is no such group.
    """
    if group is None:
        return tuple(range(world.size))
    if not isinstance(group, str):
        raise TypeError(f"`{fn}`: argument `group` must be a str. Received: group={group!r}.")
    if group in made:
        return made[group]
    if group not in WORLDS:
        raise NoGroupError(
            f"`{fn}`: argument `group` must be the world's or one that was made. Received: {group!r}."
        )
    return tuple(range(world.size))


def partners(fn: str, group: Any) -> tuple[int, ...]:
    """Return the ranks of a group that this process is about to communicate with.

    Raises:
        TypeError: if its name is not a string.
        ValueError: if there is no such group, or this process is not in it.
        NotImplementedError: inside `jax.shard_map`, where what one process holds is not the whole.
    """
    refuse_mesh(fn)
    ranks = members(fn, group)
    if world.rank not in ranks:
        raise ValueError(
            f"`{fn}`: process {world.rank} is not in the group, which has {list(ranks)}. Received: group={group!r}."
        )
    return ranks


def refuse_mesh(fn: str) -> None:
    """Raise inside `jax.shard_map`, whose devices are no processes."""
    axes = sorted(map(str, jax.sharding.get_abstract_mesh().manual_axes))
    if axes:
        raise NotImplementedError(
            f"`{fn}`: the devices along {axes} inside jax.shard_map are not processes. Use jax.lax.psum, all_gather, "
            "psum_scatter, ppermute or all_to_all of their axis there."
        )


def refuse_nobody(fn: str) -> NoReturn:
    """Raise for what needs a second process."""
    raise NotImplementedError(
        f"`{fn}`: there is no other process: this group has one. Start several with `msjax launch --worker_num=2`."
    )


def create(fn: str, name: str, ranks: tuple[int, ...]) -> None:
    """Make a group; one that is there with the same processes stays.

    Raises:
        TypeError: if a rank is no int, or negative.
        ValueError: if there is such a group of other processes, or no such process.
    """
    if any(type(rank) is not int or rank < 0 for rank in ranks):
        raise TypeError(f"`{fn}`: the ranks must be ints from 0 on. Received: {list(ranks)}.")
    if made.get(name) == ranks:
        return
    if name in made or name in WORLDS:
        raise ValueError(f"`{fn}`: there is a group of that name already. Received: group={name!r}.")
    if not ranks or set(ranks) - set(range(world.size)) or len(set(ranks)) < len(ranks):
        raise (NoGroupError if set(ranks) - set(range(world.size)) else ValueError)(
            f"`{fn}`: the ranks must name processes in [0, {world.size}), each once. Received: {list(ranks)}."
        )
    made[name] = ranks
