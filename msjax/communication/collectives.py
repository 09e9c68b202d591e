"""Collective operators in class form (`ops.AllReduce()(x)`); what they do is written in `comm_func` and `operators`.

One program over many devices communicates by itself, or by `jax.lax.psum` inside `jax.shard_map`, where these raise: the
devices there are no processes.
"""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from msjax.communication import comm_func, operators, p2p
from msjax.communication.comm_func import check, check_peer, check_rows
from msjax.communication.groups import partners, refuse_nobody
from msjax.communication.management import HCCL_WORLD_COMM_GROUP as WORLD
from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor, wrap
from msjax.core.xla.collectives import world
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.name_table import attach_classes

_GROUP = f"group={WORLD!r}"


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


def all_reduce(input_x: Any, op: str = "sum", group: str = WORLD) -> Tensor:
    """Reduce the arrays of all processes, and return the result to all of them (`AllReduce`).

    Args:
        input_x (Tensor): of any shape.
        op (str): "sum", "prod", "max", "min" or "avg".
        group (str): of processes.

    Returns:
        Tensor.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if there is no such group or reduction.
        NotImplementedError: inside `jax.shard_map`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.AllReduce()(ms.Tensor([1, 2])))
        [1 2]
    """
    return operators.all_reduce(input_x, op, check("AllReduce", input_x, group, op))


@documented_by(all_reduce)
def reduce_scatter(input_x: Any, op: str = "sum", group: str = WORLD) -> Tensor:
    """Reduce the arrays of all processes, and return this process's equal part (`ReduceScatter`).

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if there is no such group or reduction, or the rows cannot be shared out.
        NotImplementedError: inside `jax.shard_map`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ReduceScatter()(ms.Tensor([1, 2])))
        [1 2]
    """
    ranks = check("ReduceScatter", input_x, group, op)
    check_rows("ReduceScatter", input_x, len(ranks))
    return operators.reduce_scatter(input_x, op, ranks)


@documented_by(all_reduce)
def all_gather(input_x: Any, group: str = WORLD) -> Tensor:
    """Return the arrays of all processes, one after the other (`AllGather`).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.AllGather()(ms.Tensor([1, 2])))
        [1 2]
    """
    return comm_func.all_gather_into_tensor(input_x, group)[0]


def _as_ints(sizes: Any) -> list[int]:
    """Return sizes as ints: they decide the shapes of the program."""
    return [int(n) for n in sizes]


def _sizes(fn: str, input_x: Any, sizes: Any, group: str, op: str, own: bool) -> tuple[list[int], tuple]:
    ranks = check(fn, input_x, group, op)
    given = _as_ints(sizes)
    size = given[ranks.index(world.rank)] if own and len(given) == len(ranks) else sum(given)
    if len(given) != len(ranks) or input_x.size != size:
        raise ValueError(
            f"`{fn}`: sizes must be {len(ranks)}, of which this process has {input_x.size}. Received: {given}."
        )
    return given, ranks


def all_gather_v(input_x: Any, output_split_sizes: Any, group: str = WORLD) -> Tensor:
    """Return the elements of the arrays of all processes, of given sizes (`AllGatherV`).

    Args:
        input_x (Tensor): of any shape.
        output_split_sizes (Tensor, tuple, list): how many elements each process has.
        group (str): of processes.

    Returns:
        Tensor of one dimension.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if there is no such group, or the sizes are others.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.AllGatherV()(ms.Tensor([1, 2]), [2]))
        [1 2]
    """
    sizes, ranks = _sizes("AllGatherV", input_x, output_split_sizes, group, "sum", True)
    return operators.gather_parts(input_x, ranks, tuple(sizes), ranks.index(world.rank))


def reduce_scatter_v(input_x: Any, input_split_sizes: Any, op: str = "sum", group: str = WORLD) -> Tensor:
    """Reduce the arrays of all processes, and return this process's part, of a given size (`ReduceScatterV`).

    Args:
        input_x (Tensor): of any shape.
        input_split_sizes (Tensor, tuple, list): how many elements each process gets.
        op (str): "sum", "prod", "max", "min" or "avg".
        group (str): of processes.

    Returns:
        Tensor of one dimension.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if there is no such group or reduction, or the sizes are others.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ReduceScatterV()(ms.Tensor([1, 2]), [2]))
        [1 2]
    """
    sizes, ranks = _sizes("ReduceScatterV", input_x, input_split_sizes, group, op, False)
    here = ranks.index(world.rank)
    start = sum(sizes[:here])
    return operators.all_reduce(input_x.reshape(-1), op, ranks)[start : start + sizes[here]]


@documented_by(all_reduce)
def reduce(input_x: Any, dest_rank: int, op: str = "sum", group: str = WORLD) -> Tensor:
    """Reduce the arrays of all processes for one of them; the others get one zero (`Reduce`).

    Args:
        dest_rank (int): that process.
    """
    return comm_func.reduce(input_x, dest_rank, op, group)


@documented_by(all_gather)
def gather(input_x: Any, dest_rank: int, group: str = WORLD) -> Tensor:
    """Gather the arrays of all processes on one of them; the others get one zero (`CollectiveGather`).

    Args:
        dest_rank (int): that process.
    """
    return comm_func.gather_into_tensor(input_x, dest_rank, group)


@documented_by(all_gather)
def scatter(input_x: Any, src_rank: int = 0, group: str = WORLD) -> Tensor:
    """Return the part for this process of the array of one process (`CollectiveScatter`).

    Args:
        src_rank (int): that process.
    """
    return comm_func.scatter_tensor(input_x, src_rank, group)


def all_to_all(
    input_x: Any, split_count: int = 1, split_dim: int = 0, concat_dim: int = 0, group: str = WORLD
) -> Tensor:
    """Exchange parts between all processes; a single process keeps its own part (`AlltoAll`).

    Args:
        input_x (Tensor): of any shape.
        split_count (int): the number of processes.
        split_dim (int): axis of the parts.
        concat_dim (int): axis of the result.
        group (str): of processes.

    Returns:
        Tensor.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `split_count` is not the number of processes, or there is no such group or axis.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.AlltoAll(1, 0, 1)(ms.Tensor([[1, 2]])))
        [[1 2]]
    """
    ranks = check("AlltoAll", input_x, group)
    if split_count != len(ranks):
        raise ValueError(
            f"`AlltoAll`: split_count must be {len(ranks)}, the processes. Received: {split_count}."
        )
    check_rows("AlltoAll", input_x, len(ranks), split_dim)
    check_rows("AlltoAll", input_x, 1, concat_dim)
    return operators.all_to_all(input_x, ranks, split_dim % input_x.ndim, concat_dim % input_x.ndim)


def all_to_all_v(
    input_x: Any, send_numel_list: Any, recv_numel_list: Any, group: str = WORLD, block_size: int = 1
) -> Tensor:
    """Exchange parts of given sizes between all processes (`AlltoAllV`).

    Args:
        input_x (Tensor): of any shape.
        send_numel_list (Tensor, tuple, list): how many blocks go to each process.
        recv_numel_list (Tensor, tuple, list): how many come from each.
        group (str): of processes.
        block_size (int): elements of a block.

    Returns:
        Tensor of one dimension.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if the numbers do not fit the array.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.AlltoAllV()(ms.Tensor([1, 2]), [2], [2]))
        [1 2]
    """
    ranks = check("AlltoAllV", input_x, group)
    sent = [n * block_size for n in _as_ints(send_numel_list)]
    come = [n * block_size for n in _as_ints(recv_numel_list)]
    return comm_func.exchange("AlltoAllV", input_x.reshape(-1), sent, come, ranks)


def all_to_all_vc(
    input_x: Any, send_count_matrix: Any, group: str = WORLD, block_size: int = 1, transpose: bool = False
) -> Tensor:
    """Exchange parts between all processes; each process knows the sizes of all parts (`AlltoAllVC`).

    Args:
        input_x (Tensor): of any shape.
        send_count_matrix (Tensor, tuple, list): how many blocks go from process i to j, at i * n + j.
        group (str): of processes.
        block_size (int): elements of a block.
        transpose (bool): whether they stand at j * n + i.

    Returns:
        Tensor of one dimension.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if the numbers do not fit the array.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.AlltoAllVC()(ms.Tensor([1, 2]), [2]))
        [1 2]
    """
    ranks = check("AlltoAllVC", input_x, group)
    count, here = len(ranks), ranks.index(world.rank)
    numbers = _as_ints(send_count_matrix)
    if len(numbers) != count * count:
        raise ValueError(
            f"`AlltoAllVC`: the matrix of {count} processes has {count * count} numbers. Received: {numbers}."
        )
    rows = [[n * block_size for n in numbers[i * count : (i + 1) * count]] for i in range(count)]
    rows = [list(column) for column in zip(*rows, strict=True)] if transpose else rows
    return comm_func.exchange(
        "AlltoAllVC", input_x.reshape(-1), rows[here], [row[here] for row in rows], ranks
    )


def broadcast(input_x: Any, root_rank: int, group: str = WORLD) -> Any:
    """Send the arrays of one process to all others (`Broadcast`).

    Args:
        input_x (tuple[Tensor], Tensor): of any shapes.
        root_rank (int): that process.
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
        return tuple(comm_func.broadcast(x, root_rank, group) for x in input_x)
    return comm_func.broadcast(input_x, root_rank, group)


def _empty(shape: Sequence[int], dtype: Any) -> Tensor:
    return wrap(jnp.zeros(tuple(shape), dtypes.as_np(dtype)))


def neighbor_exchange(
    input: Any, send_rank_ids: Any, recv_rank_ids: Any, recv_shapes: Any = (), recv_type: Any = None,
    group: str = WORLD,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Exchange arrays with some processes (`NeighborExchange`).

    Args:
        input (tuple[Tensor]): what goes to each of `send_rank_ids`.
        send_rank_ids (list[int]): the processes that get something.
        recv_rank_ids (list[int]): those that something comes from.
        recv_shapes (list): its shapes.
        recv_type (mindspore.dtype): its dtype.
        group (str): of processes.

    Returns:
        tuple[Tensor], what came.

    Raises:
        ValueError: if there is no such process or group, or not an array and a shape for each.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.NeighborExchange([], [], [], [], ms.float32)(())
        ()
    """
    name = "NeighborExchange"
    ranks = partners(name, group)
    if len(ranks) == 1 and (*send_rank_ids, *recv_rank_ids):
        refuse_nobody(name)
    for peer in (*send_rank_ids, *recv_rank_ids):
        check_peer(name, ranks, peer)
    if len(input) != len(send_rank_ids) or len(recv_shapes) != len(recv_rank_ids):
        raise ValueError(
            f"`{name}`: an array is needed for each of {send_rank_ids} and a shape for each of {recv_rank_ids}. "
            f"Received: {len(input)} and {len(recv_shapes)}."
        )
    p2p.settle()
    moves = [p2p.Move(name, x, peer, True) for x, peer in zip(input, send_rank_ids, strict=True)]
    moves += [
        p2p.Move(name, _empty(shape, recv_type), peer, False)
        for shape, peer in zip(recv_shapes, recv_rank_ids, strict=True)
    ]
    return tuple(p2p.run_all(moves)[len(input) :])


def send(input_x: Any, dest_rank: int, group: str = WORLD) -> Tensor:
    """Send an array to a process, and return it (`Send`).

    Args:
        input_x (Tensor): of any shape.
        dest_rank (int): that process.
        group (str): of processes.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if there is no such process or group.
        NotImplementedError: where there is one process.
    """
    p2p.settle()
    return comm_func.move("Send", input_x, dest_rank, group, 0, True).run()


def receive(src_rank: int, shape: Any, dtype: Any, group: str = WORLD) -> Tensor:
    """Receive an array from a process (`Receive`).

    Args:
        src_rank (int): that process.
        shape (list[int]): of the array.
        dtype (mindspore.dtype): of the array.
        group (str): of processes.

    Raises:
        ValueError: if there is no such process or group.
        NotImplementedError: where there is one process.
    """
    p2p.settle()
    return comm_func.move("Receive", _empty(shape, dtype), src_rank, group, 0, False).run()


def batch_isend_irecv(
    input_x: Any, op_types: Any, remote_ranks: Any, receive_shapes: Any = None, receive_dtypes: Any = None,
    group: str = WORLD,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Run several sends and receives at once (`BatchISendIRecv`).

    Args:
        input_x (tuple[Tensor]): what is sent, in order.
        op_types (list[str]): "isend" or "irecv", for each.
        remote_ranks (list[int]): the other process of each.
        receive_shapes (list): the shapes of what comes, in order.
        receive_dtypes (list): its dtypes.
        group (str): of processes.

    Returns:
        tuple[Tensor], for each what came, or what was sent.

    Raises:
        ValueError: if there is no such process or group.
        NotImplementedError: where there is one process.
    """
    p2p.settle()
    data, shapes = iter(input_x), iter(zip(receive_shapes or (), receive_dtypes or (), strict=True))
    moves = [
        comm_func.move(
            "BatchISendIRecv",
            next(data) if kind == "isend" else _empty(*next(shapes)),
            peer,
            group,
            0,
            kind == "isend",
        )
        for kind, peer in zip(op_types, remote_ranks, strict=True)
    ]
    return tuple(p2p.run_all(moves))


__getattr__, __dir__ = attach_classes(
    __name__,
    f"""
AllReduce(op='sum', {_GROUP})(input_x) -> all_reduce
ReduceScatter(op='sum', {_GROUP})(input_x) -> reduce_scatter
Reduce(dest_rank, op='sum', {_GROUP})(input_x) -> reduce
AllGather({_GROUP})(input_x) -> all_gather
CollectiveGather(dest_rank, {_GROUP})(input_x) -> gather
CollectiveScatter(src_rank=0, {_GROUP})(input_x) -> scatter
AllGatherV({_GROUP})(input_x, output_split_sizes) -> all_gather_v
ReduceScatterV(op='sum', {_GROUP})(input_x, input_split_sizes) -> reduce_scatter_v
AlltoAll(split_count, split_dim, concat_dim, {_GROUP})(input_x) -> all_to_all
AlltoAllV({_GROUP}, block_size=1)(input_x, send_numel_list, recv_numel_list) -> all_to_all_v
AlltoAllVC({_GROUP}, block_size=1, transpose=False)(input_x, send_count_matrix) -> all_to_all_vc
Broadcast(root_rank, {_GROUP})(input_x) -> broadcast
Barrier({_GROUP})() -> communication.comm_func.barrier
NeighborExchange(send_rank_ids, recv_rank_ids, recv_shapes, send_shapes: _, recv_type, {_GROUP})(input) -> neighbor_exchange
Send(sr_tag: _, dest_rank, {_GROUP}, group_back: _ = {WORLD!r})(input_x) -> send
Receive(sr_tag: _, src_rank, shape, dtype, {_GROUP}, group_back: _ = {WORLD!r})(input_x: _ = None) -> receive
BatchISendIRecv(op_types, remote_ranks, receive_shapes=None, receive_dtypes=None, {_GROUP})(input_x=()) -> batch_isend_irecv
""",
    root="msjax",
)
