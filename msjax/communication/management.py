"""Process groups and ranks: those that a launcher started (`msjax launch`, msrun, torchrun), or one process alone."""

from typing import Any, Self

from msjax.communication import groups, p2p
from msjax.communication.groups import members
from msjax.communication.world import join, local_rank, local_size
from msjax.core.xla.collectives import world
from msjax.ops.common.docstrings import documented_by

__all__ = [
    "HCCL_WORLD_COMM_GROUP",
    "MCCL_WORLD_COMM_GROUP",
    "NCCL_WORLD_COMM_GROUP",
    "create_group",
    "destroy_group",
    "get_comm_name",
    "get_group_rank_from_world_rank",
    "get_group_size",
    "get_local_rank",
    "get_local_rank_size",
    "get_process_group_ranks",
    "get_rank",
    "get_world_rank_from_group_rank",
    "init",
    "release",
]

HCCL_WORLD_COMM_GROUP = "hccl_world_group"
NCCL_WORLD_COMM_GROUP = "nccl_world_group"
MCCL_WORLD_COMM_GROUP = "mccl_world_group"


class Backend(str):
    """Names of the libraries that would send; called, it checks one.

    Args:
        name (str): one of them.

    Raises:
        TypeError: if it is not a string.
        ValueError: if it is none of them.

    Examples:
        >>> from msjax.communication.management import Backend
        >>> Backend.HCCL
        'hccl'
    """

    HCCL = "hccl"
    NCCL = "nccl"
    MCCL = "mccl"
    HCCL_MPI = "hccl_mpi"
    UNDEFINED = "undefined"

    def __new__(cls, name: str) -> Self:
        if not isinstance(name, str):
            raise TypeError(f"`Backend`: argument `name` must be a str. Received: {name!r}.")
        if not isinstance(getattr(cls, name.upper(), None), str):
            raise ValueError(
                f"`Backend`: argument `name` must be 'hccl', 'nccl' or 'mccl'. Received: {name!r}."
            )
        return super().__new__(cls, name.lower())


class GlobalComm:
    """State of communication in this process.

    Examples:
        >>> from msjax.communication import GlobalComm
        >>> GlobalComm.WORLD_COMM_GROUP
        'hccl_world_group'
    """

    BACKEND: str = "hccl"
    CHECK_ENVS: bool = True
    INITED: bool = False
    WORLD_COMM_GROUP: str = HCCL_WORLD_COMM_GROUP


def init(backend_name: str | None = None) -> None:
    """Initialize communication: join the processes that the launcher started, if it started several.

    Args:
        backend_name: "hccl", "nccl" or "mccl"; has no effect, since XLA chooses what sends: NCCL on GPUs, gloo on CPUs.

    Raises:
        TypeError: if it is not a string.
        RuntimeError: if it is none of these, or the other processes do not come.

    Examples:
        >>> from msjax import communication
        >>> communication.init()
        >>> communication.get_rank(), communication.get_group_size()
        (0, 1)
    """
    if backend_name is not None and not isinstance(backend_name, str):
        raise TypeError(
            f"`init`: argument `backend_name` must be a str. Received: backend_name={backend_name!r}."
        )
    if backend_name not in (None, "hccl", "nccl", "mccl"):
        raise RuntimeError(
            f"`init`: argument `backend_name` must be 'hccl', 'nccl' or 'mccl'. Received: {backend_name!r}."
        )
    join()
    GlobalComm.INITED = True


def release() -> None:
    """End communication.

    Examples:
        >>> from msjax import communication
        >>> communication.release()
    """
    p2p.settle()
    GlobalComm.INITED = False
    groups.made.clear()


def get_rank(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """Return the number of this process in a group.

    Args:
        group: its name.

    Raises:
        TypeError: if `group` is not a string.
        RuntimeError: if there is no such group.
        ValueError: if this process is not in it.

    Examples:
        >>> from msjax import communication
        >>> communication.get_rank()
        0
    """
    ranks = members("get_rank", group)
    if world.rank not in ranks:
        raise ValueError(f"`get_rank`: this process is not in the group. Received: group={group!r}.")
    return ranks.index(world.rank)


def get_group_size(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """Return the number of processes in a group.

    Args:
        group: its name.

    Raises:
        TypeError: if `group` is not a string.
        RuntimeError: if there is no such group.

    Examples:
        >>> from msjax import communication
        >>> communication.get_group_size()
        1
    """
    return len(members("get_group_size", group))


@documented_by(get_group_size)
def get_local_rank(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """Return the number of this process among those on its machine.

    Examples:
        >>> from msjax import communication
        >>> communication.get_local_rank()
        0
    """
    members("get_local_rank", group)
    return local_rank()


@documented_by(get_group_size)
def get_local_rank_size(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """Return the number of processes on this machine.

    Examples:
        >>> from msjax import communication
        >>> communication.get_local_rank_size()
        1
    """
    members("get_local_rank_size", group)
    return local_size()


@documented_by(get_group_size)
def get_process_group_ranks(group: str = HCCL_WORLD_COMM_GROUP) -> list[int]:
    """Return the ranks, in the world, of the processes of a group.

    Examples:
        >>> from msjax import communication
        >>> communication.get_process_group_ranks()
        [0]
    """
    return list(members("get_process_group_ranks", group))


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    """Return the rank in the world of a process, from its number in a group.

    Args:
        group: its name.
        group_rank_id: the number.

    Raises:
        TypeError: if an argument is none of these.
        RuntimeError: if there is no such group or number.

    Examples:
        >>> from msjax import communication
        >>> communication.get_world_rank_from_group_rank("hccl_world_group", 0)
        0
    """
    ranks = members("get_world_rank_from_group_rank", group)
    if not isinstance(group_rank_id, int) or group_rank_id < 0:
        raise TypeError(
            f"`get_world_rank_from_group_rank`: argument `group_rank_id` must be an int from 0 on. "
            f"Received: {group_rank_id!r}."
        )
    if group_rank_id >= len(ranks):
        raise groups.NoGroupError(
            f"`get_world_rank_from_group_rank`: argument `group_rank_id` must be in [0, {len(ranks)}). "
            f"Received: {group_rank_id}."
        )
    return ranks[group_rank_id]


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    """Return the number of a process in a group, from its rank in the world.

    Args:
        world_rank_id: the rank.
        group: the group's name.

    Raises:
        TypeError: if an argument is none of these.
        RuntimeError: if there is no such group, or the process is not in it.

    Examples:
        >>> from msjax import communication
        >>> communication.get_group_rank_from_world_rank(0, "hccl_world_group")
        0
    """
    ranks = members("get_group_rank_from_world_rank", group)
    if not isinstance(world_rank_id, int) or world_rank_id < 0:
        raise TypeError(
            f"`get_group_rank_from_world_rank`: argument `world_rank_id` must be an int from 0 on. "
            f"Received: {world_rank_id!r}."
        )
    if world_rank_id not in ranks:
        raise groups.NoGroupError(
            f"`get_group_rank_from_world_rank`: argument `world_rank_id` must be one of {ranks}. Received: {world_rank_id}."
        )
    return ranks.index(world_rank_id)


def create_group(group: str, rank_ids: list[int], options: Any = None) -> None:
    """Make a group of processes.

    Args:
        group: its name.
        rank_ids: the ranks, in the world, of its processes.
        options: accepted, without effect.

    Raises:
        TypeError: if an argument is none of these, or a rank is negative.
        RuntimeError: if there is no such process.
        ValueError: if there is a group of that name with other processes, or a process twice.

    Examples:
        >>> from msjax import communication
        >>> communication.create_group("mine", [0])
        >>> communication.get_group_size("mine")
        1
        >>> communication.destroy_group("mine")
    """
    if not isinstance(group, str) or not isinstance(rank_ids, list):
        raise TypeError(
            f"`create_group`: arguments must be a str and a list. Received: group={group!r}, rank_ids={rank_ids!r}."
        )
    groups.create("create_group", group, tuple(rank_ids))


def destroy_group(group: str) -> None:
    """Remove a process group.

    Args:
        group: its name.

    Raises:
        TypeError: if it is not a string.
        ValueError: if it is the world's.
        KeyError: if there is none.

    Examples:
        >>> from msjax import communication
        >>> communication.create_group("mine", [0])
        >>> communication.destroy_group("mine")
    """
    members("destroy_group", group)
    if group not in groups.made:
        raise ValueError(f"`destroy_group`: the world's group stays. Received: group={group!r}.")
    del groups.made[group]


def get_comm_name(group: str = HCCL_WORLD_COMM_GROUP) -> str:
    """Return the name under which a group communicates: its own.

    Args:
        group: its name.

    Raises:
        TypeError: if it is not a string.
        RuntimeError: if there is none.

    Examples:
        >>> from msjax import communication
        >>> communication.get_comm_name()
        'hccl_world_group'
    """
    members("get_comm_name", group)
    return group
