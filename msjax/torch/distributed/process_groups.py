"""Groups of processes, and joining them: `init_process_group`, `new_group`, ranks."""

import os
from datetime import timedelta
from typing import Any, Self

from msjax.communication import groups
from msjax.communication.world import join, local_rank
from msjax.core.xla.collectives import world
from msjax.mint import distributed as dialect
from msjax.torch.tensors import devices

default_pg_timeout = timedelta(seconds=1800)


class Backend(str):
    """Name of what sends."""

    UNDEFINED, GLOO, NCCL, UCC, MPI, XCCL = "undefined", "gloo", "nccl", "ucc", "mpi", "xccl"

    def __new__(cls, name: str) -> Self:
        """Return the name in small letters."""
        return super().__new__(cls, name.lower())


class ProcessGroup:
    """Processes that communicate.

    Args:
        name: that of the group in `msjax.communication`; None is the world.
        backend: the name that was given for what sends.
    """

    def __init__(self, name: str | None, backend: str) -> None:
        self.group_name, self.backend = name, backend

    def ranks(self) -> list[int]:
        """Its members' ranks in the world."""
        return list(groups.members("ProcessGroup", self.group_name))

    def size(self) -> int:
        """Number of processes."""
        return len(self.ranks())

    def rank(self) -> int:
        """Return the number of this process in it; -1 if it is not in it."""
        return self.ranks().index(world.rank) if world.rank in self.ranks() else -1

    def __repr__(self) -> str:
        return f"<ProcessGroup of {self.ranks()}>"


class _World(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:  # noqa: N802 (PyTorch's name)
        """All processes, once there are some."""
        return _world[0] if _world else None


class GroupMember(metaclass=_World):
    """`GroupMember.WORLD` is the group of all processes; the other name stands for no group."""

    NON_GROUP_MEMBER = -100


class group(metaclass=_World):  # noqa: N801 (PyTorch's name)
    """`group.WORLD`: the group of all processes."""


_world: list[ProcessGroup] = []


def init_process_group(
    backend: str | None = None, init_method: str | None = None, timeout: timedelta | None = None, world_size: int = -1,
    rank: int = -1, store: Any = None, group_name: str = "", pg_options: Any = None, device_id: Any = None,
) -> None:  # fmt: skip
    """Join the processes of this program, which the environment or the arguments name.

    Args:
        backend: accepted; XLA sends by NCCL on GPUs and by gloo on CPUs.
        init_method: "env://" (RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT), "tcp://host:port" or "file:///path".
        timeout: how long to wait for the others.
        world_size: how many processes there are. Default: what the environment says.
        rank: which of them this is. Default: what the environment says.
        store: through which the processes find each other; then `rank` and `world_size` must be given.
        group_name: accepted, without effect.
        pg_options: accepted, without effect.
        device_id: accepted, without effect.

    Raises:
        ValueError: if it was called already, or the rank is none of the world's.
        RuntimeError: if nothing says where the processes meet, or they do not come.

    Examples:
        >>> from msjax import torch
        >>> torch.distributed.init_process_group("gloo", init_method="tcp://localhost:1", world_size=1, rank=0)
        >>> torch.distributed.get_rank(), torch.distributed.get_world_size()
        (0, 1)
        >>> torch.distributed.destroy_process_group()
    """
    if _world:
        raise ValueError("trying to initialize the default process group twice!")
    if store is not None and (init_method is not None or world_size < 1 or rank < 0):
        raise ValueError(
            "`init_process_group`: with `store`, `world_size` and `rank` must be given and `init_method` must be None. "
            f"Received: world_size={world_size}, rank={rank}, init_method={init_method!r}."
        )
    join(dialect.find_place("init_process_group", init_method, timeout, world_size, rank, store))
    if world_size not in (-1, world.size) or rank not in (-1, world.rank):
        raise ValueError(
            f"`init_process_group`: this is process {world.rank} of {world.size}. "
            f"Received: world_size={world_size}, rank={rank}."
        )
    dialect.init_process_group()
    _world.append(ProcessGroup(None, str(backend or "gloo")))


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """End communication in a group, or in all of them."""
    name = name_of(group)
    dialect.destroy_process_group(name)
    if name is None:
        _world.clear()


def is_initialized() -> bool:
    """Return True between `init_process_group` and `destroy_process_group`."""
    return bool(_world)


def is_available() -> bool:
    """Return True."""
    return True


is_gloo_available = is_available


def is_nccl_available() -> bool:
    """Return False: tensors say that they are on the CPU."""
    return False


is_mpi_available = is_ucc_available = is_xccl_available = is_nccl_available


def is_torchelastic_launched() -> bool:
    """Return True if torchrun started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def name_of(group: Any) -> str | None:
    """Return the name of a group in `msjax.communication`, where None is the world."""
    if not _world:
        raise ValueError(
            "Default process group has not been initialized, please make sure to call init_process_group."
        )
    if group is None or isinstance(group, ProcessGroup):
        return None if group is None else group.group_name
    raise TypeError(f"a group must be what `new_group` returned. Received: {group!r}.")


def get_rank(group: ProcessGroup | None = None) -> int:
    """Return the number of this process in a group; -1 if it is not in it."""
    if group == GroupMember.NON_GROUP_MEMBER:
        return -1
    name_of(group)
    return (group or _world[0]).rank()


def get_world_size(group: ProcessGroup | None = None) -> int:
    """Return the number of processes in a group; -1 if this one is not in it."""
    if group == GroupMember.NON_GROUP_MEMBER:
        return -1
    name_of(group)
    found = group or _world[0]
    return found.size() if found.rank() >= 0 else -1


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """Return the number of this process on its machine."""
    return local_rank()


def get_backend(group: ProcessGroup | None = None) -> Backend:
    """Return the name that was given for what sends."""
    name_of(group)
    return Backend((group or _world[0]).backend)


_SENDERS = {"cpu": "gloo", "cuda": "nccl", "xpu": "xccl", "mps": "gloo"}


def get_default_backend_for_device(device: Any) -> str:
    """Return the name of what sends between devices of a kind.

    Raises:
        ValueError: for a kind that has none.

    Examples:
        >>> from msjax import torch
        >>> torch.distributed.get_default_backend_for_device("cuda:1")
        'nccl'
    """
    kind = devices.device(device).type
    if kind not in _SENDERS:
        raise ValueError(f"Default backend not registered for device : {kind}")
    return _SENDERS[kind]


def new_group(
    ranks: list[int] | None = None, timeout: Any = None, backend: str | None = None, pg_options: Any = None,
    use_local_synchronization: bool = False, group_desc: str | None = None, device_id: Any = None,
) -> ProcessGroup | int:  # fmt: skip
    """Make a group of processes.

    Args:
        ranks: its members. Default: all.
        timeout: accepted, without effect.
        backend: accepted, without effect.
        pg_options: accepted, without effect.
        use_local_synchronization: accepted, without effect.
        group_desc: accepted, without effect.
        device_id: accepted, without effect.

    Returns:
        The group; GroupMember.NON_GROUP_MEMBER where this process is not in it.

    Raises:
        ValueError: for processes that are not there.
    """
    name_of(None)
    made = ProcessGroup(dialect.new_group(ranks), backend or _world[0].backend)
    return made if made.rank() >= 0 else GroupMember.NON_GROUP_MEMBER


def rank_not_in_group(group: Any) -> bool:
    """Return True if this process is in no group, or not in that one."""
    return group is not None and (group == GroupMember.NON_GROUP_MEMBER or group.rank() < 0)


def get_default_group() -> ProcessGroup:
    """The group of all processes.

    Raises:
        ValueError: if there is none yet.
    """
    name_of(None)
    return _world[0]


def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """Return the members of a group."""
    return dialect.get_process_group_ranks(name_of(group))


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """Return the number in the world of a member of a group."""
    return dialect.get_global_rank(name_of(group) or dialect.WORLD, group_rank)


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """Return the number in a group of a process of the world."""
    return dialect.get_group_rank(name_of(group) or dialect.WORLD, global_rank)
