"""Collective operators in class form (`ops.AllReduce()(x)`), for a group of one process: data stay where they are.

Gradients pass through. One program over many devices communicates by itself, or by `jax.lax.psum` inside
`jax.shard_map`, where these raise: the devices there are no processes.
"""

from typing import Any

from jax.core import Tracer

from msjax.communication.comm_func import alone, nobody
from msjax.communication.management import HCCL_WORLD_COMM_GROUP as WORLD
from msjax.core.tensor.box import peek
from msjax.core.tensor.tensor import Tensor
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.name_table import attach_classes

_GROUP = f"group={WORLD!r}"


def _numbers(sizes: Any, times: int = 1) -> list[int] | None:
    """Sizes as ints; None where they are a Tensor whose values are not known."""
    values = peek(sizes) if isinstance(sizes, Tensor) else sizes
    return None if isinstance(values, Tracer) else [int(n) * times for n in values]


class ReduceOp:
    """Reduction operations of collectives.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.ReduceOp.SUM
        'sum'
    """

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"
    AVG = "avg"


def reduced(input_x: Any, op: str = "sum", group: str = WORLD, peer: int = 0) -> Tensor:
    """The reduction of every process's array, which is this one's (`AllReduce`, `ReduceScatter`, `Reduce`).

    Args:
        input_x (Tensor): of any shape.
        op (str): "sum", "prod", "max", "min" or "avg".
        group (str): of processes.
        peer (int): 0, the process that gets it.

    Returns:
        Tensor with the same elements.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if there is no such process, group or reduction.
        NotImplementedError: for several processes, and inside `jax.shard_map`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.AllReduce()(ms.Tensor([1, 2])))
        [1 2]
    """
    return alone("Reduce", input_x, group, op, peer)


@documented_by(reduced)
def gathered(input_x: Any, group: str = WORLD, peer: int = 0) -> Tensor:
    """The arrays of all processes, which is this one's (`AllGather`, `CollectiveGather`, `CollectiveScatter`).

    Args:
        peer (int): 0, the process that has all of them.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if there is no such process or group.
        NotImplementedError: for several processes, and inside `jax.shard_map`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.AllGather()(ms.Tensor([1, 2])))
        [1 2]
    """
    return alone("Gather", input_x, group, "sum", peer)


@documented_by(reduced)
def gathered_parts(input_x: Any, sizes: Any, group: str = WORLD, op: str = "sum") -> Tensor:
    """Gather or reduce arrays of given sizes; with one process, its own array (`AllGatherV`, `ReduceScatterV`).

    Args:
        sizes (Tensor, tuple, list): how many elements each process has: one number, that of `input_x`.

    Raises:
        ValueError: if the sizes are not those of the one process.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.AllGatherV()(ms.Tensor([1, 2]), [2]))
        [1 2]
    """
    given = _numbers(sizes)
    if given not in ([input_x.size], None):
        raise ValueError(f"`AllGatherV`: sizes must be [{input_x.size}], of one process. Received: {given}.")
    return alone("AllGatherV", input_x, group, op)


@documented_by(reduced)
def sent_around(
    input_x: Any, split_count: int = 1, split_dim: int = 0, concat_dim: int = 0, group: str = WORLD
) -> Tensor:
    """Exchange parts between all processes; a single process keeps its own part (`AlltoAll`).

    Args:
        split_count (int): 1, the number of processes.
        split_dim (int): axis of the parts.
        concat_dim (int): axis of the result.

    Raises:
        ValueError: if `split_count` is not the number of processes.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.AlltoAll(1, 0, 1)(ms.Tensor([[1, 2]])))
        [[1 2]]
    """
    if split_count != 1:
        raise ValueError(f"`AlltoAll`: split_count must be 1, the processes. Received: {split_count}.")
    for axis in (split_dim, concat_dim):
        if not -input_x.ndim <= axis < input_x.ndim:
            raise ValueError(f"`AlltoAll`: there is no axis {axis} of {input_x.ndim} dimensions.")
    return alone("AlltoAll", input_x, group)


def sent_parts(
    input_x: Any, send_numel_list: Any, recv_numel_list: Any, group: str = WORLD, block_size: int = 1
) -> Tensor:
    """Parts of given sizes for each process, which is one for this one (`AlltoAllV`, `AlltoAllVC`).

    Args:
        input_x (Tensor): of any shape.
        send_numel_list (Tensor, tuple, list): how many blocks go to each process: one number.
        recv_numel_list (Tensor, tuple, list): how many come from each: the same number.
        group (str): of processes.
        block_size (int): elements of a block.

    Returns:
        Tensor with the same elements, of one dimension.

    Raises:
        ValueError: if the numbers are not those of one process.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.AlltoAllV()(ms.Tensor([1, 2]), [2], [2]))
        [1 2]
    """
    sent, come = _numbers(send_numel_list, block_size), _numbers(recv_numel_list, block_size)
    if any(parts not in ([input_x.size], None) for parts in (sent, come)):
        raise ValueError(
            f"`AlltoAllV`: one process sends itself its {input_x.size} elements. Received: {sent}, {come}."
        )
    return alone("AlltoAllV", input_x.reshape(-1), group)


def spread(input_x: Any, root_rank: int, group: str = WORLD) -> Any:
    """The arrays of one process for all others (`Broadcast`).

    Args:
        input_x (tuple[Tensor], Tensor): of any shapes.
        root_rank (int): 0, that process.
        group (str): of processes.

    Returns:
        The same, as new Tensors.

    Raises:
        ValueError: if there is no such process or group.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.Broadcast(0)((ms.Tensor([1, 2]),)))
        (Tensor(shape=[2], dtype=Int64, value= [1, 2]),)
    """
    if isinstance(input_x, tuple | list):
        return tuple(alone("Broadcast", x, group, "sum", root_rank) for x in input_x)
    return alone("Broadcast", input_x, group, "sum", root_rank)


def neighbours(input: Any, send_rank_ids: Any, recv_rank_ids: Any, **_: Any) -> Any:
    """Exchange arrays with neighbouring processes (`NeighborExchange`): there are none, so the result is empty.

    Raises:
        NotImplementedError: if other processes are named.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.NeighborExchange([], [], [], [], ms.float32)(())
        ()
    """
    if list(send_rank_ids) or list(recv_rank_ids):
        nobody("NeighborExchange")
    return ()


def to_nobody(*_: Any, **__: Any) -> Any:
    """Raise: `Send`, `Receive` and `BatchISendIRecv` need another process, and there is none.

    Raises:
        NotImplementedError: always.
    """
    nobody("Send")


__getattr__, __dir__ = attach_classes(
    __name__,
    f"""
AllReduce(op='sum', {_GROUP})(input_x) -> reduced
ReduceScatter(op='sum', {_GROUP})(input_x) -> reduced
Reduce(dest_rank: peer, op='sum', {_GROUP})(input_x) -> reduced
AllGather({_GROUP})(input_x) -> gathered
CollectiveGather(dest_rank: peer, {_GROUP})(input_x) -> gathered
CollectiveScatter(src_rank: peer = 0, {_GROUP})(input_x) -> gathered
AllGatherV({_GROUP})(input_x, output_split_sizes: sizes) -> gathered_parts
ReduceScatterV(op='sum', {_GROUP})(input_x, input_split_sizes: sizes) -> gathered_parts
AlltoAll(split_count, split_dim, concat_dim, {_GROUP})(input_x) -> sent_around
AlltoAllV({_GROUP}, block_size=1)(input_x, send_numel_list, recv_numel_list) -> sent_parts
AlltoAllVC({_GROUP}, block_size=1, transpose: _ = False)(input_x, send_count_matrix) -> sent_parts
    return _target(input_x, send_count_matrix, send_count_matrix, self.group, self.block_size)
Broadcast(root_rank, {_GROUP})(input_x) -> spread
Barrier({_GROUP})() -> communication.comm_func.barrier
NeighborExchange(send_rank_ids, recv_rank_ids, recv_shapes: _, send_shapes: _, recv_type: _,
    group: _ = {WORLD!r})(input) -> neighbours
    return _target(input, self.send_rank_ids, self.recv_rank_ids)
Send(sr_tag: _, dest_rank: _, group: _ = {WORLD!r}, group_back: _ = {WORLD!r})(input_x) -> to_nobody
    return _target(input_x)
Receive(sr_tag: _, src_rank: _, shape: _, dtype: _, group: _ = {WORLD!r},
    group_back: _ = {WORLD!r})(input_x=None) -> to_nobody
    return _target(input_x)
BatchISendIRecv(op_types: _, remote_ranks: _, receive_shapes: _ = None, receive_dtypes: _ = None,
    group: _ = {WORLD!r})(input_x=()) -> to_nobody
    return _target(input_x)
""",
    root="msjax",
)
