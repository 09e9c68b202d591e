"""`mint.distributed`: collective communication between processes, in PyTorch's forms: results are written to arguments.

What is communicated, and how, is written in `msjax.communication`.
"""

import math
import os
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from msjax.communication import comm_func, groups, operators, p2p
from msjax.communication.comm_func import check, check_peer, exchange, exchange_list, largest
from msjax.communication.groups import partners
from msjax.communication.management import init as _init
from msjax.communication.p2p import Handle as CommHandle
from msjax.communication.store import FileStore, meet
from msjax.communication.store import TCPStore as TCPStore
from msjax.communication.world import Place, join, read_place
from msjax.core.state import state
from msjax.core.tensor.tensor import Tensor
from msjax.core.xla.collectives import world
from msjax.ops.state.scatter_update import change

WORLD = "world_group"
_started: list[str] = []  # the name of the world, once `init_process_group` has been called


def init_process_group(
    backend: str = "hccl", init_method: str | None = None, timeout: Any = None, world_size: int = -1, rank: int = -1,
    store: Any = None, group_name: str = "", pg_options: Any = None, device_id: Any = None,
) -> None:  # fmt: skip
    """Initialize communication: join the processes that the launcher started.

    Args:
        backend (str): accepted, without effect: XLA sends by NCCL on GPUs and by gloo on CPUs.
        init_method (str, None): "env://", or "tcp://host:port", where the processes meet.
        timeout (timedelta, None): how long to wait for the others.
        world_size (int): how many processes there are, or -1 for what the environment says.
        rank (int): which this is, or -1 for what the environment says.
        store (Any): accepted, without effect.
        group_name (str): accepted, without effect.
        pg_options (Any): accepted, without effect.
        device_id (Any): accepted, without effect.

    Raises:
        ValueError: if the rank is none of the world's.
        RuntimeError: if the environment does not say where the processes meet, or they do not come.

    Examples:
        >>> from msjax.mint import distributed
        >>> distributed.init_process_group()
        >>> distributed.get_world_size(), distributed.is_initialized()
        (1, True)
        >>> distributed.destroy_process_group()
    """
    join(find_place("init_process_group", init_method, timeout, world_size, rank))
    if world_size not in (-1, world.size) or rank not in (-1, world.rank):
        raise ValueError(
            f"`init_process_group`: this is process {world.rank} of {world.size}. "
            f"Received: world_size={world_size}, rank={rank}."
        )
    _init()
    _started[:] = [WORLD]


def find_place(
    fn: str, init_method: Any, timeout: Any, world_size: int, rank: int, store: Any = None
) -> Place | None:
    """Where a program that names its rank and the size of the world meets the others; None if the environment says it.

    Raises:
        RuntimeError: if nothing says where.
    """
    if world_size <= 1 or rank < 0 or world.size > 1:
        return None
    address = None
    if isinstance(init_method, str) and init_method.startswith("tcp://"):
        address = init_method.removeprefix("tcp://")
    elif isinstance(init_method, str) and init_method.startswith("file://"):
        store = FileStore(init_method.removeprefix("file://"), world_size)
    if store is not None:
        address = meet(store, rank)
    named = {"WORLD_SIZE": str(world_size), "RANK": str(rank)}
    found = read_place(dict(os.environ) | named)
    if address is None and found is None:
        raise RuntimeError(
            f"`{fn}`: set MASTER_ADDR and MASTER_PORT, or init_method='tcp://host:port' or 'file:///path', or give a store, "
            "so that the processes meet."
        )
    seconds = int(timeout.total_seconds()) if timeout is not None else 300
    if address is not None:
        return Place(rank, world_size, address, rank, world_size, seconds)
    return found._replace(seconds=seconds) if timeout is not None else found  # type: ignore[union-attr]


def destroy_process_group(group: str | None = None) -> None:
    """End communication in a group, or in all of them.

    Args:
        group (str, None): the group. Default: all.
    """
    p2p.settle()
    if group is None or (isinstance(group, str) and group == WORLD):
        groups.made.clear()
        _started.clear()
    else:
        _members("destroy_process_group", group)
        groups.made.pop(group, None)


def is_available() -> bool:
    """Return True: communication is available."""
    return True


def is_initialized() -> bool:
    """Return True if `init_process_group` has been called."""
    return bool(_started)


def new_group(
    ranks: Any = None, timeout: Any = None, backend: Any = None, pg_options: Any = None,
    use_local_synchronization: bool = False, group_desc: Any = None,
) -> str:  # fmt: skip
    """Return a group of processes, by its name.

    Args:
        ranks (list[int], None): its members. Default: all.
        timeout (Any): accepted, without effect.
        backend (str, None): accepted, without effect.
        pg_options (Any): accepted, without effect.
        use_local_synchronization (bool): accepted, without effect.
        group_desc (str, None): accepted, without effect.

    Raises:
        ValueError: for processes that are not there.
    """
    _members("new_group", None)
    name = f"group_{len(groups.made)}"
    groups.create("new_group", name, tuple(range(world.size)) if ranks is None else tuple(sorted(ranks)))
    return name


def _members(op: str, group: str | None) -> tuple[int, ...]:
    """Return the ranks in a group."""
    if group is not None and not isinstance(group, str):
        raise TypeError(
            f"`{op}`: argument `group` must be a str. Received: {group!r} ({type(group).__name__})."
        )
    if not _started:
        raise RuntimeError(f"`{op}`: `init_process_group` must be called first. Received: group={group!r}.")
    if group is not None and not group.endswith("world_group") and group not in groups.made:
        raise RuntimeError(f"`{op}`: {group!r} is not a group. Received: group={group!r}.")
    return groups.members(op, group)


def _ranks(op: str, group: str | None, **peers: int) -> tuple[int, ...]:
    """Return the ranks in a group that this process is about to communicate with; others raise."""
    _members(op, group)
    ranks = partners(op, group)
    for peer in peers.values():
        check_peer(op, ranks, peer)
    p2p.settle()
    return ranks


def get_rank(group: str | None = None) -> int:
    """Return the number of this process in a group; -1 outside of it. Before `init_process_group` too, as in MindSpore."""
    ranks = (
        _members("get_rank", group)
        if _started or not isinstance(group, str | None)
        else groups.members("get_rank", None)
    )
    return ranks.index(world.rank) if world.rank in ranks else -1


def get_world_size(group: str | None = None) -> int:
    """Return the number of processes of a group; -1 if this is not in it. Before `init_process_group` too."""
    if not _started and isinstance(group, str | None):
        return world.size
    ranks = _members("get_world_size", group)
    return len(ranks) if world.rank in ranks else -1


def get_backend(group: str | None = None) -> str:
    """Return the communication backend of a group: "xla"."""
    _members("get_backend", group)
    return "xla"


def get_global_rank(group: str, group_rank: int) -> int:
    """Return the number in the world of a member of a group."""
    ranks = _members("get_global_rank", group)
    if not 0 <= group_rank < len(ranks):
        raise ValueError(f"`get_global_rank`: the group has {len(ranks)} processes. Received: {group_rank}.")
    return ranks[group_rank]


def get_group_rank(group: str, global_rank: int) -> int:
    """Return the number in a group of a process of the world."""
    ranks = _members("get_group_rank", group)
    if global_rank not in ranks:
        raise ValueError(
            f"`get_group_rank`: the group has the processes {list(ranks)}. Received: {global_rank}."
        )
    return ranks.index(global_rank)


def get_process_group_ranks(group: str | None = None) -> list[int]:
    """Return the members of a group."""
    return list(_members("get_process_group_ranks", group))


def barrier(group: str | None = None, async_op: bool = False, device_ids: Any = None) -> CommHandle | None:
    """Wait for the other processes of a group."""
    largest(0, _ranks("barrier", group))
    return _handle(async_op)


# ---------------------------------------------------------------------- tensors


def _handle(async_op: bool) -> CommHandle | None:
    return CommHandle() if async_op else None


def _check_and_rank(
    op: str, group: str | None, tensor: Any, reduction: Any = "sum", **peers: int
) -> tuple[int, ...]:
    """Return the ranks of a group, once the arguments are checked."""
    _ranks(op, group, **peers)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"`{op}`: what is communicated must be Tensors. Received: {type(tensor).__name__}.")
    return check(op, tensor, group, reduction)


def _store(name: str, box: Any, value: Any) -> None:
    if not isinstance(box, Tensor) or not isinstance(value, Tensor):
        raise TypeError(f"`{name}`: what is communicated must be Tensors. Received: {type(value).__name__}.")
    if box.shape != value.shape or box.dtype != value.dtype:
        raise ValueError(
            f"`{name}`: the output must have the shape {value.shape} and dtype {value.dtype}. "
            f"Received: {box.shape} and {box.dtype}."
        )
    change(name, box, value)


def _take_part(name: str, tensor: Any, found: Tensor) -> None:
    """Keep a collective in a compiled function, in a process that needs nothing of its result: others wait for it."""
    if state.frame is not None:
        _store(name, tensor, operators.keep_order(tensor, found))


def _each(name: str, tensors: Any, what: str, count: int) -> Sequence[Any]:
    if not isinstance(tensors, list | tuple) or len(tensors) != count:
        raise TypeError(
            f"`{name}`: argument `{what}` must be a list of {count}, one for each process. Received: {tensors}."
        )
    return tensors


def _rows(tensor: Tensor) -> Tensor:
    return tensor if tensor.ndim else tensor.reshape((1,))  # type: ignore[attr-defined]


def _slice_part(tensor: Tensor, number: int, like: Any) -> Tensor:
    """Return part `number` of a row of arrays of one shape."""
    size = math.prod(like.shape)
    return tensor[number * size : (number + 1) * size].reshape(like.shape)  # type: ignore[attr-defined]


def _join(name: str, tensors: Sequence[Any], what: Any) -> Tensor:
    for x in tensors:
        if not isinstance(x, Tensor) or x.shape != what.shape or x.dtype != what.dtype:
            raise TypeError(f"`{name}`: all Tensors must have one shape and dtype. Received: {tensors}.")
    return operators.join(list(tensors))


def all_reduce(
    tensor: Any, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Return the sum over the processes, or another `op`, in place.

    Examples:
        >>> import msjax as ms
        >>> from msjax.mint import distributed
        >>> distributed.init_process_group()
        >>> x = ms.Tensor([1.0, 2.0])
        >>> distributed.all_reduce(x)
        >>> print(x)
        [1. 2.]
        >>> distributed.destroy_process_group()
    """
    ranks = _check_and_rank("all_reduce", group, tensor, op)
    if len(ranks) > 1:
        _store("all_reduce", tensor, operators.all_reduce(tensor, op, ranks))
    return _handle(async_op)


def reduce(
    tensor: Any, dst: int, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Return the sum over the processes, or another `op`, in place at process `dst`."""
    ranks = _check_and_rank("reduce", group, tensor, op, dst=dst)
    found = operators.all_reduce(tensor, op, ranks)
    if len(ranks) > 1:
        _store("reduce", tensor, found if world.rank == dst else operators.keep_order(tensor, found))
    return _handle(async_op)


def broadcast(tensor: Any, src: int, group: str | None = None, async_op: bool = False) -> CommHandle | None:
    """Return the tensor of process `src`, in place at all of them."""
    ranks = _check_and_rank("broadcast", group, tensor, src=src)
    if len(ranks) > 1:
        _store("broadcast", tensor, operators.broadcast(tensor, ranks, src))
    return _handle(async_op)


def all_gather(
    tensor_list: Any, tensor: Any, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Return the tensors of all processes, written to a list of tensors."""
    ranks = _check_and_rank("all_gather", group, tensor)
    boxes = _each("all_gather", tensor_list, "tensor_list", len(ranks))
    found = operators.all_gather(tensor.reshape(-1), ranks)
    for i, box in enumerate(boxes):
        _store("all_gather", box, _slice_part(found, i, tensor))
    return _handle(async_op)


def all_gather_into_tensor(
    output_tensor: Any, input_tensor: Any, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Concatenate the tensors of all processes (all-gather), written to `output_tensor`."""
    name = "all_gather_into_tensor"
    found = operators.all_gather(_rows(input_tensor), _check_and_rank(name, group, input_tensor))
    _store(name, output_tensor, _shape_like(found, output_tensor, len(_members(name, group)), input_tensor))
    return _handle(async_op)


def _shape_like(found: Tensor, box: Any, count: int, part: Any) -> Tensor:
    """Concatenated arrays, or stacked ones where the output is of that shape, as in PyTorch."""
    stacked = (count, *part.shape)
    return found.reshape(stacked) if getattr(box, "shape", ()) == stacked else found  # type: ignore[attr-defined]


def all_gather_into_tensor_uneven(
    output: Any, input: Any, output_split_sizes: Any = None, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Concatenate the tensors of all processes, of different lengths (all-gather), written to `output`."""
    name = "all_gather_into_tensor_uneven"
    ranks = _check_and_rank(name, group, input)
    sizes = list(output_split_sizes or [input.shape[0]] * len(ranks))
    if len(sizes) != len(ranks) or sizes[ranks.index(world.rank)] != input.shape[0]:
        raise ValueError(
            f"`{name}`: the sizes must be {len(ranks)}, and this process has {input.shape[0]} rows. Received: {sizes}."
        )
    width = math.prod(input.shape) // input.shape[0] if input.shape[0] else 1
    numbers = tuple(size * width for size in sizes)
    found = operators.gather_parts(input, ranks, numbers, ranks.index(world.rank))
    _store(name, output, found.reshape((sum(sizes), *input.shape[1:])))  # type: ignore[attr-defined]
    return _handle(async_op)


def gather(
    tensor: Any, gather_list: Any, dst: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Return the tensors of all processes, written to a list at process `dst`."""
    ranks = _check_and_rank("gather", group, tensor, dst=dst)
    boxes = _each("gather", gather_list, "gather_list", len(ranks)) if world.rank == dst else ()
    found = operators.all_gather(tensor.reshape(-1), ranks)
    for i, box in enumerate(boxes):
        _store("gather", box, _slice_part(found, i, tensor))
    if not boxes:
        _take_part("gather", tensor, found)
    return _handle(async_op)


def scatter(
    tensor: Any, scatter_list: Any, src: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Return the tensor for this process from the list of process `src`, written to `tensor`."""
    ranks = _check_and_rank("scatter", group, tensor, src=src)
    here = world.rank == src
    given = _each("scatter", scatter_list, "scatter_list", len(ranks)) if here else [tensor] * len(ranks)
    found = operators.broadcast(_join("scatter", given, tensor), ranks, src)
    _store("scatter", tensor, _slice_part(found, ranks.index(world.rank), tensor))
    return _handle(async_op)


def reduce_scatter(
    output: Any, input_list: Any, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Reduce and scatter a list: the sum over processes of this process's part, written to `output`."""
    name = "reduce_scatter"
    ranks = _check_and_rank(name, group, output, op)
    given = _join(name, _each(name, input_list, "input_list", len(ranks)), output)
    _store(name, output, operators.reduce_scatter(given, op, ranks).reshape(output.shape))
    return _handle(async_op)


def reduce_scatter_tensor(
    output: Any, input: Any, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Reduce and scatter a tensor: the sum over processes of this process's part, written to `output`."""
    name = "reduce_scatter_tensor"
    ranks = _check_and_rank(name, group, input, op)
    comm_func.check_rows(name, input, len(ranks))
    found = operators.reduce_scatter(input, op, ranks)
    stacked = getattr(output, "shape", ()) == found.shape[1:] and found.shape[0] == 1
    _store(name, output, found[0] if stacked else found)
    return _handle(async_op)


def reduce_scatter_tensor_uneven(
    output: Any, input: Any, input_split_sizes: Any = None, op: str = "sum", group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:  # fmt: skip
    """Sum over the processes the part that is meant for this one; parts may differ in length."""
    name = "reduce_scatter_tensor_uneven"
    ranks = _check_and_rank(name, group, input, op)
    here = ranks.index(world.rank)
    sizes = list(input_split_sizes or [input.shape[0] // len(ranks)] * len(ranks))
    if len(sizes) != len(ranks) or sum(sizes) != input.shape[0]:
        raise ValueError(
            f"`{name}`: the sizes must be {len(ranks)}, of {input.shape[0]} rows together. Received: {sizes}."
        )
    start = sum(sizes[:here])
    _store(name, output, operators.all_reduce(input, op, ranks)[start : start + sizes[here]])
    return _handle(async_op)


def all_to_all(
    output_tensor_list: Any, input_tensor_list: Any, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Exchange tensors between all processes; results are written to `output_tensor_list`."""
    name = "all_to_all"
    ranks = _ranks(name, group)
    given = _each(name, input_tensor_list, "input_tensor_list", len(ranks))
    boxes = _each(name, output_tensor_list, "output_tensor_list", len(ranks))
    for x in (*given, *boxes):
        _check_and_rank(name, group, x)
    for box, value in zip(boxes, exchange_list(name, given, [b.shape for b in boxes], ranks), strict=True):
        _store(name, box, value)
    return _handle(async_op)


def all_to_all_single(
    output: Any, input: Any, output_split_sizes: Any = None, input_split_sizes: Any = None, group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:  # fmt: skip
    """Exchange parts between all processes; results are concatenated into `output`."""
    name = "all_to_all_single"
    ranks = _check_and_rank(name, group, input)
    _store(name, output, exchange(name, input, input_split_sizes, output_split_sizes, ranks))
    return _handle(async_op)


# ---------------------------------------------------------------------- from one process to another


def _move(op: str, tensor: Any, peer: int, group: str | None, tag: int, sends: bool) -> p2p.Move:
    _members(op, group)
    return comm_func.move(op, tensor, peer, group, tag, sends)


def send(tensor: Any, dst: int = 0, group: str | None = None, tag: int = 0) -> None:
    """Send a tensor to process `dst`, which must receive it."""
    made = _move("send", tensor, dst, group, tag, True)
    p2p.settle()
    made.run()


def recv(tensor: Any, src: int = 0, group: str | None = None, tag: int = 0) -> int:
    """Receive a tensor from process `src`, in place; return 0."""
    made = _move("recv", tensor, src, group, tag, False)
    p2p.settle()
    change("recv", tensor, made.run())
    return 0


def isend(tensor: Any, dst: int = 0, group: str | None = None, tag: int = 0) -> CommHandle:
    """Send a tensor to process `dst`, once somebody waits for it."""
    return p2p.post(_move("isend", tensor, dst, group, tag, True))


def irecv(tensor: Any, src: int = 0, group: str | None = None, tag: int = 0) -> CommHandle:
    """Receive a tensor from process `src`, in place, once somebody waits for it."""
    return p2p.post(_move("irecv", tensor, src, group, tag, False))


class P2POp:
    """Point-to-point operation for `batch_isend_irecv`: send or receive one tensor.

    Args:
        op (str, Callable): "isend" or "irecv", or the function of that name.
        tensor (Tensor): what is sent, or what is written.
        peer (int): the other process.
        group (str, None): the group.
        tag (int): 0 only.

    Raises:
        TypeError: if an argument is of another type.
        NotImplementedError: for another tag.

    Examples:
        >>> import msjax as ms
        >>> from msjax.mint import distributed
        >>> distributed.P2POp("isend", ms.Tensor(1.0), 1).op
        'isend'
    """

    def __init__(
        self, op: str | Callable, tensor: Any, peer: int, group: str | None = None, tag: int = 0
    ) -> None:
        name = op if isinstance(op, str) else getattr(op, "__name__", "")
        if name not in ("isend", "irecv"):
            raise TypeError(f"`P2POp`: argument `op` must be isend or irecv. Received: {op!r}.")
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"`P2POp`: argument `tensor` must be a Tensor. Received: {type(tensor).__name__}."
            )
        if isinstance(peer, bool) or not isinstance(peer, int):
            raise TypeError(f"`P2POp`: argument `peer` must be an int. Received: {peer!r}.")
        if tag != 0:
            raise NotImplementedError(f"`P2POp`: argument `tag` must be 0. Received: {tag}.")
        self.op = name
        self.tensor = tensor
        self.peer = peer
        self.group = group
        self.tag = tag


def batch_isend_irecv(p2p_op_list: Any) -> list[CommHandle]:
    """Run sends and receives at once, in an order in which no process waits for another forever."""
    name = "batch_isend_irecv"
    moves = []
    for one in p2p_op_list:
        _members(name, one.group)
        check_peer(name, partners(name, one.group), one.peer)
        moves.append(p2p.Move(name, one.tensor, one.peer, one.op == "isend"))
    p2p.settle()
    for move, out in zip(moves, p2p.run_all(moves), strict=True):
        if not move.sends:
            _store(name, move.box, out)
    return [CommHandle() for _ in moves]


# ---------------------------------------------------------------------- Python objects


def _pack_object(obj: Any) -> np.ndarray:
    return np.frombuffer(pickle.dumps(obj), np.uint8)


def _gathered_objects(obj: Any, ranks: tuple[int, ...]) -> list[Any]:
    """Return the objects of all processes, of this one itself."""
    if len(ranks) == 1:
        return [obj]
    data = _pack_object(obj)
    sizes = operators.all_gather(Tensor(np.array([data.size], np.int32)), ranks).asnumpy().tolist()
    here = ranks.index(world.rank)
    joined = operators.gather_parts(Tensor(data), ranks, tuple(sizes), here).asnumpy()
    ends = np.cumsum(sizes)
    return [
        obj if i == here else pickle.loads(joined[end - size : end].tobytes())
        for i, (end, size) in enumerate(zip(ends, sizes, strict=True))
    ]


def _spread_object(obj: Any, src: int, ranks: tuple[int, ...]) -> Any:
    """Return the object of process `src`."""
    if len(ranks) == 1:
        return obj
    data = _pack_object(obj if world.rank == src else None)
    size = largest(data.size if world.rank == src else 0, ranks)
    filled = np.zeros(size, np.uint8)
    filled[: min(size, data.size)] = data[:size]
    found = operators.broadcast(Tensor(filled), ranks, src).asnumpy()
    return obj if world.rank == src else pickle.loads(found.tobytes())


def all_gather_object(object_list: list, obj: Any, group: str | None = None) -> None:
    """Gather the objects of all processes into a list."""
    ranks = _ranks("all_gather_object", group)
    _each("all_gather_object", object_list, "object_list", len(ranks))
    object_list[:] = _gathered_objects(obj, ranks)


def broadcast_object_list(
    object_list: list, src: int = 0, group: str | None = None, device: Any = None
) -> None:
    """Send the objects of process `src` to all, which write them to their lists."""
    ranks = _ranks("broadcast_object_list", group, src=src)
    object_list[:] = _spread_object(list(object_list), src, ranks)


def gather_object(
    obj: Any, object_gather_list: list | None = None, dst: int = 0, group: str | None = None
) -> None:
    """Gather the objects of all processes into a list at process `dst`."""
    ranks = _ranks("gather_object", group, dst=dst)
    if world.rank == dst:
        _each("gather_object", object_gather_list or [], "object_gather_list", len(ranks))
    found = _gathered_objects(obj, ranks)
    if world.rank == dst:
        object_gather_list[:] = found  # type: ignore[index]


def scatter_object_list(
    scatter_object_output_list: list, scatter_object_input_list: list, src: int = 0,
    group: str | None = None,
) -> None:  # fmt: skip
    """Receive the object for this process from the list of process `src`."""
    name = "scatter_object_list"
    ranks = _ranks(name, group, src=src)
    if world.rank == src:
        _each(name, scatter_object_input_list, "scatter_object_input_list", len(ranks))
    scatter_object_output_list[0] = _spread_object(scatter_object_input_list, src, ranks)[
        ranks.index(world.rank)
    ]


def send_object_list(object_list: list, dst: int, group: str | None = None, device: Any = None) -> None:
    """Send the objects of a list to process `dst`, which must receive them."""
    data = _pack_object(list(object_list))
    send(Tensor(np.array([data.size], np.int32)), dst, group)
    send(Tensor(data), dst, group)


def recv_object_list(object_list: list, src: int = 0, group: str | None = None, device: Any = None) -> int:
    """Receive objects from process `src`, written to a list; return its number."""
    size = Tensor(np.zeros(1, np.int32))
    recv(size, src, group)
    data = Tensor(np.zeros(int(size.asnumpy()[0]), np.uint8))
    recv(data, src, group)
    object_list[:] = pickle.loads(data.asnumpy().tobytes())
    return src


# ---------------------------------------------------------------------- `ops.communication` alone


def gather_into_tensor(
    output_tensor: Any, input_tensor: Any, dst: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Concatenate the tensors of all processes at process `dst` (gather), written to `output_tensor`."""
    name = "gather_into_tensor"
    found = operators.all_gather(_rows(input_tensor), _check_and_rank(name, group, input_tensor, dst=dst))
    if world.rank == dst:
        _store(
            name, output_tensor, _shape_like(found, output_tensor, len(_members(name, group)), input_tensor)
        )
    else:
        _take_part(name, input_tensor, found)
    return _handle(async_op)


def scatter_tensor(
    output_tensor: Any, input_tensor: Any, src: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Return the part for this process of the tensor of process `src`, written to `output_tensor`."""
    name = "scatter_tensor"
    ranks = _check_and_rank(name, group, input_tensor, src=src)
    comm_func.check_rows(name, input_tensor, len(ranks))
    _store(name, output_tensor, comm_func.scatter_part(input_tensor, src, ranks))
    return _handle(async_op)


def all_to_all_v_c(
    output: Any, input: Any, send_count_matrix: Any, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Exchange given numbers of rows between all processes; what comes is concatenated into `output`.

    Args:
        output (Tensor): is written, with as many rows as come.
        input (Tensor): its rows go to the processes in their order.
        send_count_matrix (list[int]): how many rows go from process i to j, at i * n + j.
        group (str, None): of processes. Default: all.
        async_op (bool): whether to return a handle.

    Raises:
        TypeError: if the matrix is no list of ints.
        ValueError: if it is of another size, or its numbers, or the rows of `output`, do not fit.
    """
    name = "all_to_all_v_c"
    ranks = _check_and_rank(name, group, input)
    if not isinstance(send_count_matrix, list) or not all(isinstance(n, int) for n in send_count_matrix):
        raise TypeError(
            f"`{name}`: argument `send_count_matrix` must be a list of ints. Received: {send_count_matrix!r}."
        )
    numbers, count, here = send_count_matrix, len(ranks), ranks.index(world.rank)
    sent, come = numbers[here * count : (here + 1) * count], numbers[here::count]
    rows = input.shape[0] if input.ndim else 1
    if len(numbers) != count * count or sum(sent) != rows:
        raise ValueError(
            f"`{name}`: argument `send_count_matrix` must have {count} rows of {count} numbers, that of this process "
            f"with the sum {rows}. Received: {send_count_matrix}."
        )
    width = math.prod(input.shape[1:])
    if math.prod(output.shape) != sum(come) * width or math.prod(output.shape[1:]) != width:
        raise ValueError(
            f"`{name}`: argument `output` must have {sum(come)} rows of {width} elements. Received: shape {output.shape}."
        )
    _store(name, output, exchange(name, input.reshape(rows, width), sent, come, ranks).reshape(output.shape))
    return _handle(async_op)


def set_comm_ops_inplace(is_enable: bool, func_list: list | None = None) -> None:
    """Accept that the functions write their results to their arguments, which they do in any case.

    Raises:
        TypeError: if an argument is of another type.
        NotImplementedError: for False; those of `communication.comm_func` give new Tensors.
    """
    if not isinstance(is_enable, bool) or not isinstance(func_list, list | None):
        raise TypeError(
            f"`set_comm_ops_inplace`: a bool and a list are needed. Received: {is_enable!r}, {func_list!r}."
        )
    if not is_enable:
        raise NotImplementedError(
            "`set_comm_ops_inplace`: these functions write to their arguments. Those of "
            "`mindspore.communication.comm_func` give new Tensors."
        )
