"""`mint.distributed`: collective communication for a single process: data stay where they are.

Under JAX one process drives all of its devices, and arrays are spread over them by `jax.sharding`; collectives between
processes are XLA's. A program written for MindSpore's groups therefore runs with one process, and says so for more.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax

from msjax.communication.comm_func import no_mesh
from msjax.communication.store import TCPStore as TCPStore
from msjax.core.tensor.tensor import Tensor
from msjax.ops.state.scatter_update import change

WORLD = "world_group"
_groups: dict[str, list[int]] = {}


class CommHandle:
    """Handle of an operation with `async_op`, which is done already.

    Examples:
        >>> from msjax.mint.distributed import CommHandle
        >>> CommHandle().is_completed()
        True
    """

    def wait(self) -> None:
        """Return at once."""

    def is_completed(self) -> bool:
        """True."""
        return True


def init_process_group(
    backend: str = "hccl", init_method: str | None = None, timeout: Any = None, world_size: int = -1, rank: int = -1,
    store: Any = None, group_name: str = "", pg_options: Any = None, device_id: Any = None,
) -> None:  # fmt: skip
    """Initialize communication, for a world of one process.

    Args:
        backend (str): accepted, without effect.
        init_method (str, None): accepted, without effect.
        timeout (timedelta, None): accepted, without effect.
        world_size (int): 1, or -1 for what there is.
        rank (int): 0, or -1 for what there is.
        store (Any): accepted, without effect.
        group_name (str): accepted, without effect.
        pg_options (Any): accepted, without effect.
        device_id (Any): accepted, without effect.

    Raises:
        NotImplementedError: for more processes.

    Examples:
        >>> from msjax.mint import distributed
        >>> distributed.init_process_group()
        >>> distributed.get_world_size(), distributed.is_initialized()
        (1, True)
        >>> distributed.destroy_process_group()
    """
    if world_size not in (-1, 1) or rank not in (-1, 0) or jax.process_count() > 1:
        raise NotImplementedError(
            "`init_process_group`: msjax's groups have one process, which drives all of its devices. "
            f"Received: world_size={world_size}, rank={rank}, with {jax.process_count()} JAX processes. "
            "Spread arrays over devices with jax.sharding instead."
        )
    _groups[WORLD] = [0]


def destroy_process_group(group: str | None = None) -> None:
    """End communication in a group, or in all of them.

    Args:
        group (str, None): the group. Default: all.
    """
    if group is None or (isinstance(group, str) and group == WORLD):
        _groups.clear()
    else:
        _members("destroy_process_group", group)
        del _groups[group]


def is_available() -> bool:
    """Return True: communication is available."""
    return True


def is_initialized() -> bool:
    """Return True if `init_process_group` has been called."""
    return WORLD in _groups


def new_group(
    ranks: Any = None, timeout: Any = None, backend: Any = None, pg_options: Any = None,
    use_local_synchronization: bool = False, group_desc: Any = None,
) -> str:  # fmt: skip
    """A group of processes, by its name.

    Args:
        ranks (list[int], None): its members; [0] is all that there is.
        timeout (Any): accepted, without effect.
        backend (str, None): accepted, without effect.
        pg_options (Any): accepted, without effect.
        use_local_synchronization (bool): accepted, without effect.
        group_desc (str, None): accepted, without effect.

    Raises:
        ValueError: for other members.
    """
    _members("new_group", None)
    if ranks is not None and list(ranks) != [0]:
        raise ValueError(f"`new_group`: argument `ranks` must be [0]. Received: {ranks}.")
    name = f"group_{len(_groups)}"
    _groups[name] = [0]
    return name


def _members(op: str, group: str | None) -> list[int]:
    """The ranks in a group."""
    if group is not None and not isinstance(group, str):
        raise TypeError(
            f"`{op}`: argument `group` must be a str. Received: {group!r} ({type(group).__name__})."
        )
    name = WORLD if group is None or group.endswith("world_group") else group
    if name not in _groups:
        what = "`init_process_group` must be called first" if name == WORLD else f"{group!r} is not a group"
        raise RuntimeError(f"`{op}`: {what}. Received: group={group!r}.")
    return _groups[name]


def _alone(op: str, group: str | None, **ranks: int) -> None:
    """Raise unless the group is there and these name its one member."""
    _members(op, group)
    no_mesh(op)
    for name, rank in ranks.items():
        if rank != 0:
            raise ValueError(
                f"`{op}`: argument `{name}` must be 0, the one process there is. Received: {rank}."
            )


def get_rank(group: str | None = None) -> int:
    """The number of this process in a group: 0. Before `init_process_group` too, as in MindSpore."""
    return _members("get_rank", group)[0] if _groups or not isinstance(group, str | None) else 0


def get_world_size(group: str | None = None) -> int:
    """Return the number of processes of a group: 1. Before `init_process_group` too, as in MindSpore."""
    return len(_members("get_world_size", group)) if _groups or not isinstance(group, str | None) else 1


def get_backend(group: str | None = None) -> str:
    """Return the communication backend of a group: "xla"."""
    _members("get_backend", group)
    return "xla"


def get_global_rank(group: str, group_rank: int) -> int:
    """The number in the world of a member of a group."""
    _alone("get_global_rank", group, group_rank=group_rank)
    return 0


def get_group_rank(group: str, global_rank: int) -> int:
    """The number in a group of a process of the world."""
    _alone("get_group_rank", group, global_rank=global_rank)
    return 0


def get_process_group_ranks(group: str | None = None) -> list[int]:
    """The members of a group."""
    return list(_members("get_process_group_ranks", group))


def barrier(group: str | None = None, async_op: bool = False, device_ids: Any = None) -> CommHandle | None:
    """Wait for the other processes of a group: there are none."""
    _alone("barrier", group)
    return _handle(async_op)


# ---------------------------------------------------------------------- tensors


def _handle(async_op: bool) -> CommHandle | None:
    return CommHandle() if async_op else None


def _reducing(name: str, op: str) -> None:
    if op not in ("sum", "prod", "min", "max", "avg"):
        raise ValueError(f"`{name}`: argument `op` must be sum, prod, min, max or avg. Received: {op!r}.")


def _store(name: str, box: Any, value: Any) -> None:
    if not isinstance(box, Tensor) or not isinstance(value, Tensor):
        raise TypeError(f"`{name}`: what is communicated must be Tensors. Received: {type(value).__name__}.")
    change(name, box, value)


def _one(name: str, tensors: Sequence[Any], what: str) -> Any:
    if not isinstance(tensors, list | tuple) or len(tensors) != 1:
        raise TypeError(
            f"`{name}`: argument `{what}` must be a list of one element, as the group has. Received: {tensors}."
        )
    return tensors[0]


def all_reduce(
    tensor: Any, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """The sum over the processes, or another `op`, in place: the tensor as it is.

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
    _alone("all_reduce", group)
    _reducing("all_reduce", op)
    return _handle(async_op)


def reduce(
    tensor: Any, dst: int, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """The sum over the processes, or another `op`, in place at process `dst`."""
    _alone("reduce", group, dst=dst)
    _reducing("reduce", op)
    return _handle(async_op)


def broadcast(tensor: Any, src: int, group: str | None = None, async_op: bool = False) -> CommHandle | None:
    """The tensor of process `src`, in place at all of them."""
    _alone("broadcast", group, src=src)
    return _handle(async_op)


def all_gather(
    tensor_list: Any, tensor: Any, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """The tensors of all processes, written to a list of tensors."""
    _alone("all_gather", group)
    _store("all_gather", _one("all_gather", tensor_list, "tensor_list"), tensor)
    return _handle(async_op)


def all_gather_into_tensor(
    output_tensor: Any, input_tensor: Any, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Concatenate the tensors of all processes (all-gather), written to `output_tensor`."""
    _alone("all_gather_into_tensor", group)
    _store("all_gather_into_tensor", output_tensor, input_tensor)
    return _handle(async_op)


def all_gather_into_tensor_uneven(
    output: Any, input: Any, output_split_sizes: Any = None, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Concatenate the tensors of all processes, of different lengths (all-gather), written to `output`."""
    _alone("all_gather_into_tensor_uneven", group)
    _store("all_gather_into_tensor_uneven", output, input)
    return _handle(async_op)


def gather(
    tensor: Any, gather_list: Any, dst: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """The tensors of all processes, written to a list at process `dst`."""
    _alone("gather", group, dst=dst)
    _store("gather", _one("gather", gather_list, "gather_list"), tensor)
    return _handle(async_op)


def scatter(
    tensor: Any, scatter_list: Any, src: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """The tensor for this process from the list of process `src`, written to `tensor`."""
    _alone("scatter", group, src=src)
    _store("scatter", tensor, _one("scatter", scatter_list, "scatter_list"))
    return _handle(async_op)


def reduce_scatter(
    output: Any, input_list: Any, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Reduce and scatter a list: the sum over processes of this process's part, written to `output`."""
    _alone("reduce_scatter", group)
    _reducing("reduce_scatter", op)
    _store("reduce_scatter", output, _one("reduce_scatter", input_list, "input_list"))
    return _handle(async_op)


def reduce_scatter_tensor(
    output: Any, input: Any, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Reduce and scatter a tensor: the sum over processes of this process's part, written to `output`."""
    _alone("reduce_scatter_tensor", group)
    _reducing("reduce_scatter_tensor", op)
    _store("reduce_scatter_tensor", output, input)
    return _handle(async_op)


def reduce_scatter_tensor_uneven(
    output: Any, input: Any, input_split_sizes: Any = None, op: str = "sum", group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:  # fmt: skip
    """Sum over the processes the part that is meant for this one; parts may differ in length."""
    _alone("reduce_scatter_tensor_uneven", group)
    _reducing("reduce_scatter_tensor_uneven", op)
    _store("reduce_scatter_tensor_uneven", output, input)
    return _handle(async_op)


def all_to_all(
    output_tensor_list: Any, input_tensor_list: Any, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Exchange tensors between all processes; results are written to `output_tensor_list`."""
    name = "all_to_all"
    _alone(name, group)
    given = _one(name, input_tensor_list, "input_tensor_list")
    _store(name, _one(name, output_tensor_list, "output_tensor_list"), given)
    return _handle(async_op)


def all_to_all_single(
    output: Any, input: Any, output_split_sizes: Any = None, input_split_sizes: Any = None, group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:  # fmt: skip
    """Exchange parts between all processes; results are concatenated into `output`."""
    _alone("all_to_all_single", group)
    _store("all_to_all_single", output, input)
    return _handle(async_op)


# ---------------------------------------------------------------------- from one process to another


def _to_itself(op: str, *_: Any, **__: Any) -> Any:
    raise NotImplementedError(
        f"`{op}`: there is no other process: msjax's groups have one, which drives all of its devices."
    )


def send(tensor: Any, dst: int = 0, group: str | None = None, tag: int = 0) -> None:
    """Not for one process: raises NotImplementedError."""
    _to_itself("send")


def recv(tensor: Any, src: int = 0, group: str | None = None, tag: int = 0) -> None:
    """Not for one process: raises NotImplementedError."""
    _to_itself("recv")


def isend(tensor: Any, dst: int = 0, group: str | None = None, tag: int = 0) -> None:
    """Not for one process: raises NotImplementedError."""
    _to_itself("isend")


def irecv(tensor: Any, src: int = 0, group: str | None = None, tag: int = 0) -> None:
    """Not for one process: raises NotImplementedError."""
    _to_itself("irecv")


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
    """Run sends and receives in pairs, isend and irecv in turn, each from process 0 to itself."""
    name = "batch_isend_irecv"
    sent = [one.tensor for one in p2p_op_list if one.op == "isend"]
    received = [one.tensor for one in p2p_op_list if one.op == "irecv"]
    for one in p2p_op_list:
        _alone(name, one.group, peer=one.peer)
    if len(sent) != len(received):
        raise ValueError(
            f"`{name}`: argument `p2p_op_list` must receive what it sends. Received: {len(sent)} of isend."
        )
    for box, value in zip(received, sent, strict=True):
        _store(name, box, value)
    return [CommHandle() for _ in p2p_op_list]


# ---------------------------------------------------------------------- Python objects


def all_gather_object(object_list: list, obj: Any, group: str | None = None) -> None:
    """The objects of all processes, written to a list."""
    _alone("all_gather_object", group)
    _one("all_gather_object", object_list, "object_list")
    object_list[0] = obj


def broadcast_object_list(
    object_list: list, src: int = 0, group: str | None = None, device: Any = None
) -> None:
    """The objects of process `src`, written to the list of all of them."""
    _alone("broadcast_object_list", group, src=src)


def gather_object(
    obj: Any, object_gather_list: list | None = None, dst: int = 0, group: str | None = None
) -> None:
    """The objects of all processes, written to a list at process `dst`."""
    _alone("gather_object", group, dst=dst)
    _one("gather_object", object_gather_list or [], "object_gather_list")
    object_gather_list[0] = obj  # type: ignore[index]


def scatter_object_list(
    scatter_object_output_list: list, scatter_object_input_list: list, src: int = 0, group: str | None = None
) -> None:
    """The object for this process from the list of process `src`."""
    name = "scatter_object_list"
    _alone(name, group, src=src)
    scatter_object_output_list[0] = _one(name, scatter_object_input_list, "scatter_object_input_list")


def send_object_list(object_list: list, dst: int, group: str | None = None, device: Any = None) -> None:
    """Not for one process: raises NotImplementedError."""
    _to_itself("send_object_list")


def recv_object_list(object_list: list, src: int = 0, group: str | None = None, device: Any = None) -> None:
    """Not for one process: raises NotImplementedError."""
    _to_itself("recv_object_list")


# ---------------------------------------------------------------------- `ops.communication` alone


def gather_into_tensor(
    output_tensor: Any, input_tensor: Any, dst: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Concatenate the tensors of all processes at process `dst` (gather), written to `output_tensor`."""
    _alone("gather_into_tensor", group, dst=dst)
    _store("gather_into_tensor", output_tensor, input_tensor)
    return _handle(async_op)


def scatter_tensor(
    output_tensor: Any, input_tensor: Any, src: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """The part for this process of the tensor of process `src`, written to `output_tensor`."""
    _alone("scatter_tensor", group, src=src)
    _store("scatter_tensor", output_tensor, input_tensor)
    return _handle(async_op)


def all_to_all_v_c(
    output: Any, input: Any, send_count_matrix: Any, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Exchange given numbers of elements between all processes; results are concatenated into `output`."""
    _alone("all_to_all_v_c", group)
    if [int(n) for n in send_count_matrix] != [input.size]:
        raise ValueError(
            f"`all_to_all_v_c`: argument `send_count_matrix` must be [{input.size}] for one process. "
            f"Received: {send_count_matrix}."
        )
    _store("all_to_all_v_c", output, input)
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
