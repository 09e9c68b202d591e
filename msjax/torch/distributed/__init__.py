"""`torch.distributed`: processes that communicate. What is communicated, and how, is written in `msjax.communication`.

Tensors are written in place, without a gradient, as in PyTorch. `nn.parallel.DistributedDataParallel` averages gradients.
"""

import enum
import functools
import os
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Self

from msjax.communication import groups, p2p
from msjax.communication.store import DistError as DistError
from msjax.communication.store import DistNetworkError as DistNetworkError
from msjax.communication.store import DistStoreError as DistStoreError
from msjax.communication.store import FileStore as FileStore
from msjax.communication.store import HashStore as HashStore
from msjax.communication.store import PrefixStore as PrefixStore
from msjax.communication.store import Store as Store
from msjax.communication.store import TCPStore as TCPStore
from msjax.communication.world import join, local_rank
from msjax.core.autodiff.imperative import no_grad
from msjax.core.xla.collectives import world
from msjax.mint import distributed as dialect

default_pg_timeout = timedelta(seconds=1800)
Work = p2p.Handle


class ReduceOp(enum.Enum):
    """Reductions."""

    SUM = "sum"
    AVG = "avg"
    PRODUCT = "prod"
    MIN = "min"
    MAX = "max"
    BAND = "band"
    BOR = "bor"
    BXOR = "bxor"
    PREMUL_SUM = "premul_sum"


ReduceOp.RedOpType = ReduceOp  # type: ignore[attr-defined]


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
        """How many there are."""
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
    name = _name(group)
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


def _name(group: Any) -> str | None:
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
    _name(group)
    return (group or _world[0]).rank()


def get_world_size(group: ProcessGroup | None = None) -> int:
    """Return the number of processes in a group; -1 if this one is not in it."""
    _name(group)
    found = group or _world[0]
    return found.size() if found.rank() >= 0 else -1


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """Return the number of this process on its machine."""
    return local_rank()


def get_backend(group: ProcessGroup | None = None) -> Backend:
    """Return the name that was given for what sends."""
    _name(group)
    return Backend((group or _world[0]).backend)


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
    _name(None)
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
    _name(None)
    return _world[0]


def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """Return the members of a group."""
    return dialect.get_process_group_ranks(_name(group))


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """Return the number in the world of a member of a group."""
    return dialect.get_global_rank(_name(group) or dialect.WORLD, group_rank)


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """Return the number in a group of a process of the world."""
    return dialect.get_group_rank(_name(group) or dialect.WORLD, global_rank)


def _reduction(op: Any) -> str:
    found = op.value if isinstance(op, ReduceOp) else op
    if found not in ("sum", "avg", "prod", "min", "max"):
        raise NotImplementedError(f"the reduction must be SUM, AVG, PRODUCT, MIN or MAX. Received: {op!r}.")
    return found


def _peer(name: str, group: Any, peer: int | None, number: int | None, default: int | None = None) -> int:
    """Return a process of the world, given by its rank there or by its number in the group."""
    if number is not None:
        return groups.members(name, _name(group))[number]
    found = default if peer is None else peer
    if found is None:
        raise ValueError(f"`{name}`: a process must be named. Received: None.")
    return found


def _unrecorded(function: Callable) -> Callable:
    """Communicate without a gradient, and not at all in a process outside of the group."""

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        if named.get("group") == GroupMember.NON_GROUP_MEMBER or any(
            type(arg) is int and arg == GroupMember.NON_GROUP_MEMBER for arg in args
        ):
            return None
        with no_grad():
            return function(*args, **named)

    return call


@_unrecorded
def all_reduce(tensor: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Any:
    """Return the sum over the processes, or another `op`, in place."""
    return dialect.all_reduce(tensor, _reduction(op), _name(group), async_op)


@_unrecorded
def reduce(
    tensor: Any, dst: int | None = None, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False,
    group_dst: int | None = None,
) -> Any:  # fmt: skip
    """Return the sum over the processes, or another `op`, in place at process `dst`."""
    return dialect.reduce(
        tensor, _peer("reduce", group, dst, group_dst), _reduction(op), _name(group), async_op
    )


@_unrecorded
def broadcast(
    tensor: Any,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Any:
    """Return the tensor of process `src`, in place at all of them."""
    return dialect.broadcast(tensor, _peer("broadcast", group, src, group_src), _name(group), async_op)


@_unrecorded
def all_gather(tensor_list: Any, tensor: Any, group: Any = None, async_op: bool = False) -> Any:
    """Return the tensors of all processes, written to a list of tensors."""
    return dialect.all_gather(tensor_list, tensor, _name(group), async_op)


@_unrecorded
def all_gather_into_tensor(
    output_tensor: Any, input_tensor: Any, group: Any = None, async_op: bool = False
) -> Any:
    """Return the tensors of all processes, one after the other or stacked, written to `output_tensor`."""
    return dialect.all_gather_into_tensor(output_tensor, input_tensor, _name(group), async_op)


@_unrecorded
def gather(
    tensor: Any, gather_list: Any = None, dst: int | None = None, group: Any = None, async_op: bool = False,
    group_dst: int | None = None,
) -> Any:  # fmt: skip
    """Return the tensors of all processes, written to a list at process `dst`."""
    return dialect.gather(
        tensor, gather_list, _peer("gather", group, dst, group_dst, 0), _name(group), async_op
    )


@_unrecorded
def scatter(
    tensor: Any, scatter_list: Any = None, src: int | None = None, group: Any = None, async_op: bool = False,
    group_src: int | None = None,
) -> Any:  # fmt: skip
    """Return the tensor for this process from the list of process `src`, written to `tensor`."""
    return dialect.scatter(
        tensor, scatter_list, _peer("scatter", group, src, group_src, 0), _name(group), async_op
    )


@_unrecorded
def reduce_scatter(
    output: Any, input_list: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Any:
    """Return the sum over the processes of this process's part of a list, written to `output`."""
    return dialect.reduce_scatter(output, input_list, _reduction(op), _name(group), async_op)


@_unrecorded
def reduce_scatter_tensor(
    output: Any, input: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Any:
    """Return the sum over the processes of this process's part of a tensor, written to `output`."""
    return dialect.reduce_scatter_tensor(output, input, _reduction(op), _name(group), async_op)


@_unrecorded
def all_to_all(
    output_tensor_list: Any, input_tensor_list: Any, group: Any = None, async_op: bool = False
) -> Any:
    """Exchange tensors between all processes."""
    return dialect.all_to_all(output_tensor_list, input_tensor_list, _name(group), async_op)


@_unrecorded
def all_to_all_single(
    output: Any, input: Any, output_split_sizes: Any = None, input_split_sizes: Any = None, group: Any = None,
    async_op: bool = False,
) -> Any:  # fmt: skip
    """Exchange parts of a tensor between all processes."""
    return dialect.all_to_all_single(
        output, input, output_split_sizes, input_split_sizes, _name(group), async_op
    )


@_unrecorded
def barrier(group: Any = None, async_op: bool = False, device_ids: Any = None) -> Any:
    """Wait for the other processes."""
    return dialect.barrier(_name(group), async_op)


@_unrecorded
def monitored_barrier(group: Any = None, timeout: Any = None, wait_all_ranks: bool = False) -> None:
    """Wait for the other processes."""
    dialect.barrier(_name(group))


@_unrecorded
def send(
    tensor: Any, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None
) -> None:
    """Send a tensor to a process, which must receive it."""
    dialect.send(tensor, _peer("send", group, dst, group_dst), _name(group), tag)


@_unrecorded
def recv(
    tensor: Any, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None
) -> int:
    """Receive a tensor from a process, in place; return that process."""
    source = _peer("recv", group, src, group_src)
    dialect.recv(tensor, source, _name(group), tag)
    return source


@_unrecorded
def isend(
    tensor: Any, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None
) -> Any:
    """Send a tensor to a process, once somebody waits for it."""
    return dialect.isend(tensor, _peer("isend", group, dst, group_dst), _name(group), tag)


@_unrecorded
def irecv(
    tensor: Any, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None
) -> Any:
    """Receive a tensor from a process, in place, once somebody waits for it."""
    return dialect.irecv(tensor, _peer("irecv", group, src, group_src), _name(group), tag)


class P2POp(dialect.P2POp):
    """A send or receive for `batch_isend_irecv`.

    Args:
        op: `isend` or `irecv`.
        tensor: what is sent, or what is written.
        peer: the other process.
        group: the group.
        tag: 0 only.
        group_peer: the number of the other process in the group, in place of `peer`.
    """

    def __init__(
        self, op: Callable, tensor: Any, peer: int | None = None, group: Any = None, tag: int = 0,
        group_peer: int | None = None,
    ) -> None:  # fmt: skip
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or ``irecv``."
            )
        super().__init__(op.__name__, tensor, _peer("P2POp", group, peer, group_peer), _name(group), tag)


@_unrecorded
def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Any]:
    """Run sends and receives at once, in an order in which no process waits for another forever."""
    return dialect.batch_isend_irecv(p2p_op_list)


@_unrecorded
def all_gather_object(object_list: list, obj: Any, group: Any = None) -> None:
    """The objects of all processes, written to a list."""
    dialect.all_gather_object(object_list, obj, _name(group))


@_unrecorded
def broadcast_object_list(
    object_list: list,
    src: int | None = None,
    group: Any = None,
    device: Any = None,
    group_src: int | None = None,
) -> None:
    """The objects of process `src`, written to the list of all of them."""
    dialect.broadcast_object_list(
        object_list, _peer("broadcast_object_list", group, src, group_src, 0), _name(group)
    )


@_unrecorded
def gather_object(
    obj: Any, object_gather_list: list | None = None, dst: int | None = None, group: Any = None,
    group_dst: int | None = None,
) -> None:  # fmt: skip
    """The objects of all processes, written to a list at process `dst`."""
    dialect.gather_object(
        obj, object_gather_list, _peer("gather_object", group, dst, group_dst, 0), _name(group)
    )


@_unrecorded
def scatter_object_list(
    scatter_object_output_list: list, scatter_object_input_list: Any = None, src: int | None = None, group: Any = None,
    group_src: int | None = None,
) -> None:  # fmt: skip
    """The object for this process from the list of process `src`."""
    source = _peer("scatter_object_list", group, src, group_src, 0)
    dialect.scatter_object_list(scatter_object_output_list, scatter_object_input_list, source, _name(group))


@_unrecorded
def send_object_list(
    object_list: list, dst: int | None = None, group: Any = None, device: Any = None, group_dst: int | None = None,
    use_batch: bool = False,
) -> None:  # fmt: skip
    """Send the objects of a list to a process, which must receive them."""
    dialect.send_object_list(object_list, _peer("send_object_list", group, dst, group_dst), _name(group))


@_unrecorded
def recv_object_list(
    object_list: list, src: int | None = None, group: Any = None, device: Any = None, group_src: int | None = None,
    use_batch: bool = False,
) -> int:  # fmt: skip
    """Receive objects from a process, written to a list; return that process."""
    return dialect.recv_object_list(
        object_list, _peer("recv_object_list", group, src, group_src), _name(group)
    )


# At the end: it imports this module.
from msjax.torch.distributed.device_mesh import DeviceMesh as DeviceMesh  # noqa: E402
from msjax.torch.distributed.device_mesh import init_device_mesh as init_device_mesh  # noqa: E402
