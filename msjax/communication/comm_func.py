"""Collective communication functions (all_reduce, broadcast ...), which give new Tensors.

Each is one program of all processes of the group, in eager calls and as a part of compiled functions. A single process
keeps what it has.
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from msjax.communication import operators, p2p
from msjax.communication.groups import partners, refuse_nobody
from msjax.communication.management import HCCL_WORLD_COMM_GROUP as WORLD
from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor, wrap
from msjax.core.xla import collectives
from msjax.core.xla.collectives import world
from msjax.ops.common.docstrings import documented_by

REDUCTIONS = ("sum", "prod", "max", "min", "avg")
CommHandle = p2p.Handle


def check(fn: str, tensor: Any, group: Any, op: Any = "sum", peer: Any = None) -> tuple[int, ...]:
    """Check the arguments, run the sends and receives that wait, and return the ranks of the group.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if there is no such process, group or reduction.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"`{fn}`: argument `tensor` must be a Tensor. Received: {type(tensor).__name__}.")
    if not isinstance(op, str):
        raise TypeError(f"`{fn}`: argument `op` must be a str. Received: op={op!r}.")
    if op not in REDUCTIONS:
        raise ValueError(f"`{fn}`: argument `op` must be one of {REDUCTIONS}. Received: op={op!r}.")
    ranks = partners(fn, group)
    if peer is not None:
        check_peer(fn, ranks, peer)
    p2p.settle()
    return ranks


def check_peer(fn: str, ranks: tuple[int, ...], peer: Any) -> None:
    """Raise if `peer` is not a process of the group.

    Raises:
        TypeError: if it is no int.
        ValueError: if it is not in the group.
    """
    if isinstance(peer, bool) or not isinstance(peer, int):
        raise TypeError(f"`{fn}`: a process must be given by an int. Received: {peer!r}.")
    if peer not in ranks:
        raise ValueError(f"`{fn}`: the processes of the group are {list(ranks)}. Received: {peer}.")


def check_rows(fn: str, tensor: Tensor, count: int, axis: int = 0) -> None:
    """Refuse an array that cannot be cut into as many parts as there are processes.

    Raises:
        ValueError: if it has no such axis, or of another length.
    """
    if not -tensor.ndim <= axis < tensor.ndim:
        raise ValueError(f"`{fn}`: there is no axis {axis} of {tensor.ndim} dimensions.")
    if tensor.shape[axis] % count:
        raise ValueError(
            f"`{fn}`: axis {axis} must have a multiple of {count} elements, a part for each process. "
            f"Received: shape {tensor.shape}."
        )


def _handle(async_op: bool) -> Any:
    return CommHandle() if async_op else None


def _elsewhere(tensor: Tensor, communicated: Tensor) -> Tensor:
    """Return the result of processes that get none: one zero, as in MindSpore."""
    return operators.keep_order(wrap(jnp.zeros((1,), tensor.array.dtype)), communicated)


def largest(number: int, ranks: tuple[int, ...]) -> int:
    """Return the largest of the numbers of all processes, also while a function is traced."""
    if len(ranks) == 1:
        return number
    with jax.ensure_compile_time_eval():
        return int(_largest(ranks)(jnp.asarray(number, jnp.int32)))


@functools.cache
def _largest(ranks: tuple[int, ...]) -> Callable:
    def largest_number(number: jax.Array) -> jax.Array:
        return collectives.all_reduce(number, "max", ranks)

    return collectives.JointProgram(largest_number, [collectives.Collective("max", ranks, None)])


def exchange(
    fn: str, tensor: Tensor, sent: Sequence[int] | None, come: Sequence[int] | None, ranks: tuple[int, ...]
) -> Tensor:
    """Cut the rows of an array into parts for all processes; join what comes from them.

    Args:
        fn: for messages.
        tensor: with rows.
        sent: how many rows go to each process; None for equal parts.
        come: how many come from each; None for as many as go.
        ranks: the processes.

    Raises:
        ValueError: if the numbers do not fit.
    """
    if not sent and not come:
        check_rows(fn, tensor, len(ranks))
        return operators.all_to_all(tensor, ranks, 0, 0)
    rows = tensor.shape[0] if tensor.ndim else 0
    sent = list(sent) if sent else [rows // len(ranks)] * len(ranks)
    come = list(come) if come else sent
    if len(sent) != len(ranks) or len(come) != len(ranks) or sum(sent) != rows or min(sent + come) < 0:
        raise ValueError(
            f"`{fn}`: the parts must be {len(ranks)}, one for each process, with {rows} rows sent together. "
            f"Received: {sent} sent, {come} received."
        )
    here = ranks.index(world.rank)
    if sent[here] != come[here]:
        raise ValueError(
            f"`{fn}`: a process receives from itself what it sends itself. Received: {sent} sent, {come} received, "
            f"of which its own are those at {here}."
        )
    longest = largest(max(sent + come), ranks)
    return operators.exchange_rows(tensor, ranks, tuple(sent), tuple(come), longest)


def barrier(group: str = WORLD) -> None:
    """Wait until every process has come here.

    Args:
        group (str): of processes.

    Raises:
        TypeError: if it is not a string.
        ValueError: if there is no such group, or this process is not in it.

    Examples:
        >>> from msjax.communication import comm_func
        >>> comm_func.barrier()
    """
    ranks = partners("barrier", group)
    p2p.settle()
    largest(0, ranks)


def all_reduce(
    tensor: Tensor, op: str = "sum", group: str = WORLD, async_op: bool = False
) -> tuple[Tensor, Any]:
    """Return the reduction of every process's array, for every process.

    Args:
        tensor (Tensor): of any shape.
        op (str): "sum", "prod", "max", "min" or "avg".
        group (str): of processes.
        async_op (bool): whether to give a handle; the computation is in the background in any case.

    Returns:
        Tuple of a Tensor, and a handle or None.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if there is no such process or reduction.

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.all_reduce(ms.Tensor([1, 2]))[0])
        [1 2]
    """
    ranks = check("all_reduce", tensor, group, op)
    return operators.all_reduce(tensor, op, ranks), _handle(async_op)


@documented_by(all_reduce)
def reduce_scatter_tensor(
    tensor: Tensor, op: str = "sum", group: str = WORLD, async_op: bool = False
) -> tuple[Tensor, Any]:
    """Reduce every process's array and scatter the result: each process gets its part (reduce-scatter).

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.reduce_scatter_tensor(ms.Tensor([1, 2]))[0])
        [1 2]
    """
    ranks = check("reduce_scatter_tensor", tensor, group, op)
    check_rows("reduce_scatter_tensor", tensor, len(ranks))
    return operators.reduce_scatter(tensor, op, ranks), _handle(async_op)


@documented_by(all_reduce)
def all_gather_into_tensor(tensor: Tensor, group: str = WORLD, async_op: bool = False) -> tuple[Tensor, Any]:
    """Concatenate the arrays of all processes, for every process (all-gather).

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.all_gather_into_tensor(ms.Tensor([1, 2]))[0])
        [1 2]
    """
    ranks = check("all_gather_into_tensor", tensor, group)
    return operators.all_gather(_with_rows(tensor), ranks), _handle(async_op)


def _with_rows(tensor: Tensor) -> Tensor:
    return tensor if tensor.ndim else tensor.reshape((1,))  # type: ignore[attr-defined]


@documented_by(all_reduce)
def reduce(tensor: Tensor, dst: int, op: str = "sum", group: str = WORLD) -> Tensor:
    """Reduce every process's array, for one process; the others get one zero.

    Args:
        dst (int): that process.

    Returns:
        Tensor.

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.reduce(ms.Tensor([1, 2]), 0))
        [1 2]
    """
    ranks = check("reduce", tensor, group, op, dst)
    found = operators.all_reduce(tensor, op, ranks)
    return found if world.rank == dst else _elsewhere(tensor, found)


@documented_by(reduce)
def broadcast(tensor: Tensor, src: int = 0, group: str = WORLD) -> Tensor:
    """Broadcast the array of one process to every process.

    Args:
        src (int): that process.

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.broadcast(ms.Tensor([1, 2])))
        [1 2]
    """
    return operators.broadcast(tensor, check("broadcast", tensor, group, "sum", src), src)


@documented_by(reduce)
def gather_into_tensor(tensor: Tensor, dst: int = 0, group: str = WORLD) -> Tensor:
    """Concatenate the arrays of all processes, for one process (gather); the others get one zero.

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.gather_into_tensor(ms.Tensor([1, 2])))
        [1 2]
    """
    ranks = check("gather_into_tensor", tensor, group, "sum", dst)
    found = operators.all_gather(_with_rows(tensor), ranks)
    return found if world.rank == dst else _elsewhere(tensor, found)


@documented_by(broadcast)
def scatter_tensor(tensor: Tensor, src: int = 0, group: str = WORLD) -> Tensor:
    """Scatter the array of one process: each process gets its part. All give an array of that shape.

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.scatter_tensor(ms.Tensor([1, 2])))
        [1 2]
    """
    ranks = check("scatter_tensor", tensor, group, "sum", src)
    check_rows("scatter_tensor", tensor, len(ranks))
    return scatter_part(tensor, src, ranks)


def scatter_part(tensor: Tensor, src: int, ranks: tuple[int, ...]) -> Tensor:
    """Return the part for this process of the array of the process `src`."""
    rows, here = tensor.shape[0] // len(ranks), ranks.index(world.rank)
    return operators.broadcast(tensor, ranks, src)[here * rows : (here + 1) * rows]


def all_to_all_with_output_shape(
    output_shape_list: Any, input_tensor_list: Any, group: str | None = None, async_op: bool = False
) -> tuple[tuple[Tensor, ...], Any]:
    """Exchange arrays between all processes; a single process keeps its own array.

    Args:
        output_shape_list (list): what comes from each process, as Tensors or shapes.
        input_tensor_list (list[Tensor]): what goes to each process.
        group (str): of processes.
        async_op (bool): whether to give a handle.

    Returns:
        Tuple of the Tensors that came, and a handle or None.

    Raises:
        ValueError: if there is not one of each for every process.

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> comm_func.all_to_all_with_output_shape([(2,)], [ms.Tensor([1, 2])])[0]
        (Tensor(shape=[2], dtype=Int64, value= [1, 2]),)
    """
    name = "all_to_all_with_output_shape"
    shapes = [tuple(getattr(s, "shape", s)) for s in output_shape_list]
    ranks = partners(name, group)
    if not len(shapes) == len(input_tensor_list) == len(ranks):
        raise ValueError(f"`{name}`: {len(ranks)} processes need as many arrays. Received: shapes {shapes}.")
    for x in input_tensor_list:
        check(name, x, group)
    return exchange_list(name, input_tensor_list, shapes, ranks), _handle(async_op)


def exchange_list(
    fn: str, tensors: Sequence[Tensor], shapes: Sequence[tuple[int, ...]], ranks: tuple[int, ...]
) -> tuple[Tensor, ...]:
    """Exchange one array with each process; `shapes` are those of what comes."""
    flat = operators.join(list(tensors))
    sizes = [math.prod(shape) for shape in shapes]
    found = exchange(fn, flat, [math.prod(x.shape) for x in tensors], sizes, ranks)
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return tuple(
        found[end - size : end].reshape(shape)  # type: ignore[attr-defined]
        for end, size, shape in zip(ends, sizes, shapes, strict=True)
    )


def all_to_all_single_with_output_shape(
    output_shape: Any, tensor: Tensor, output_split_sizes: Any = None, input_split_sizes: Any = None,
    group: str | None = None, async_op: bool = False,
) -> tuple[Tensor, Any]:  # fmt: skip
    """Exchange parts of an array between all processes; a single process keeps the whole.

    Args:
        output_shape (Tensor, tuple): the shape of what comes.
        tensor (Tensor): what goes.
        output_split_sizes (list): how many rows come from each process. Default: equal parts.
        input_split_sizes (list): how many rows go to each process. Default: equal parts.
        group (str): of processes.
        async_op (bool): whether to give a handle.

    Returns:
        Tuple of the Tensor, and a handle or None.

    Raises:
        ValueError: if shapes or sizes do not fit.

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.all_to_all_single_with_output_shape((2,), ms.Tensor([1, 2]))[0])
        [1 2]
    """
    name = "all_to_all_single_with_output_shape"
    shape = tuple(getattr(output_shape, "shape", output_shape))
    ranks = check(name, tensor, group)
    come = sum(output_split_sizes) if output_split_sizes else tensor.shape[0] if tensor.ndim else 0
    if shape != (come, *tensor.shape[1:]):
        raise ValueError(
            f"`{name}`: what comes has the shape {(come, *tensor.shape[1:])}. Received: shape {shape}."
        )
    return exchange(name, tensor, input_split_sizes, output_split_sizes, ranks), _handle(async_op)


# ---------------------------------------------------------------------- from one process to another


def move(fn: str, tensor: Any, peer: Any, group: Any, tag: int, sends: bool) -> p2p.Move:
    """Check the arguments, and return a send or receive of one array.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if there is no such process or group.
        NotImplementedError: for another tag than 0, and for what a process sends itself.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"`{fn}`: argument `tensor` must be a Tensor. Received: {type(tensor).__name__}.")
    if tag != 0:
        raise NotImplementedError(f"`{fn}`: argument `tag` must be 0. Received: {tag}.")
    ranks = partners(fn, group)
    if len(ranks) == 1:
        refuse_nobody(fn)
    check_peer(fn, ranks, peer)
    if peer == world.rank:
        raise ValueError(f"`{fn}`: a process does not send to itself. Received: {peer}.")
    return p2p.Move(fn, tensor, peer, sends)


def send(tensor: Tensor, dst: int = 0, group: str = WORLD, tag: int = 0) -> None:
    """Send an array to a process, which must receive it.

    Args:
        tensor (Tensor): of any shape.
        dst (int): that process.
        group (str): of processes.
        tag (int): 0 only.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if there is no such process or group.
        NotImplementedError: for another tag, or where there is one process.
    """
    p2p.settle()
    move("send", tensor, dst, group, tag, True).run()


@documented_by(send)
def recv(tensor: Tensor, src: int = 0, group: str = WORLD, tag: int = 0) -> Tensor:
    """Receive an array from a process, which must send it.

    Args:
        tensor (Tensor): of its shape and dtype.
        src (int): that process.

    Returns:
        Tensor.
    """
    p2p.settle()
    return move("recv", tensor, src, group, tag, False).run()


@documented_by(send)
def isend(tensor: Tensor, dst: int = 0, group: str = WORLD, tag: int = 0) -> Any:
    """Send an array to a process, once somebody waits for it, or communicates otherwise.

    Returns:
        CommHandle.
    """
    return p2p.post(move("isend", tensor, dst, group, tag, True))


@documented_by(recv)
def irecv(tensor: Tensor, src: int = 0, group: str = WORLD, tag: int = 0) -> tuple[Tensor, Any]:
    """Receive an array from a process, once somebody waits for it.

    Returns:
        Tuple of a Tensor, whose values come with `wait`, and a CommHandle.
    """
    box = tensor.copy() if isinstance(tensor, Tensor) else tensor  # type: ignore[attr-defined]
    return box, p2p.post(move("irecv", box, src, group, tag, False))


class P2POp:
    """Point-to-point operation for `batch_isend_irecv`: send or receive one array.

    Args:
        op (str, Callable): "isend" or "irecv", or the function of that name.
        tensor (Tensor, tuple[int]): what is sent; or one of the shape that is received, or that shape.
        peer (int): the other process.
        group (str, None): of processes.
        tag (int): 0 only.
        recv_dtype (mindspore.dtype): of what is received, if `tensor` is a shape.

    Raises:
        ValueError: if `op` is neither.
        TypeError: if an argument is of another type.
        NotImplementedError: for another tag.

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> comm_func.P2POp("irecv", (2,), 0, recv_dtype=ms.float32).tensor
        (2,)
    """

    def __init__(
        self,
        op: Any,
        tensor: Any,
        peer: int,
        group: str | None = None,
        tag: int = 0,
        *,
        recv_dtype: Any = None,
    ) -> None:
        if op not in ("isend", "irecv", isend, irecv):
            raise ValueError(f"`P2POp`: argument `op` must be isend or irecv. Received: {op!r}.")
        if not isinstance(tensor, Tensor | tuple):
            raise TypeError(
                f"`P2POp`: argument `tensor` must be a Tensor or a shape. Received: {type(tensor).__name__}."
            )
        if isinstance(peer, bool) or not isinstance(peer, int):
            raise TypeError(f"`P2POp`: argument `peer` must be an int. Received: {peer!r}.")
        if tag != 0:
            raise NotImplementedError(f"`P2POp`: argument `tag` must be 0. Received: {tag}.")
        self.op = op
        self.tensor = tensor
        self.peer = peer
        self.group = group
        self.tag = tag
        self.recv_dtype = recv_dtype


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> tuple[Tensor, ...]:
    """Run sends and receives at once, in an order in which no process waits for another forever.

    Args:
        p2p_op_list (list[P2POp]): what to do.

    Returns:
        For each of them a Tensor: what was received, and zero where something was sent.

    Raises:
        TypeError: if anything else is among them.
        ValueError: if there is no such process, or one receives from itself what it does not send.

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> ops = [comm_func.P2POp("isend", ms.Tensor([1.0]), 0), comm_func.P2POp("irecv", (1,), 0)]
        >>> comm_func.batch_isend_irecv(ops)[1]
        Tensor(shape=[1], dtype=Float32, value= [ 1.00000000e+00])
    """
    name = "batch_isend_irecv"
    if not p2p_op_list or not all(isinstance(one, P2POp) for one in p2p_op_list):
        raise TypeError(f"`{name}`: P2POps are needed. Received: {p2p_op_list!r}.")
    p2p.settle()
    moves = []
    for one in p2p_op_list:
        check_peer(name, partners(name, one.group), one.peer)
        box = one.tensor
        if not isinstance(box, Tensor):
            box = wrap(jnp.zeros(box, dtypes.as_np(one.recv_dtype) if one.recv_dtype else jnp.float32))
        moves.append(p2p.Move(name, box, one.peer, one.op in ("isend", isend)))
    found = p2p.run_all(moves)
    return tuple(Tensor(0.0) if m.sends else out for m, out in zip(moves, found, strict=True))
