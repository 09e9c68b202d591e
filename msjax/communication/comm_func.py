"""Collective communication functions (all_reduce, broadcast ...), for a single process: data stay where they are.

To reduce over the devices of a process, spread arrays over them with `jax.sharding`: XLA then communicates by itself.
"""

from typing import Any, NoReturn

import jax

from msjax.communication.management import HCCL_WORLD_COMM_GROUP as WORLD
from msjax.communication.management import members
from msjax.core.tensor.tensor import Tensor
from msjax.ops.common.docstrings import documented_by

_REDUCTIONS = ("sum", "prod", "max", "min", "avg")


def alone(fn: str, tensor: Any, group: Any, op: Any = "sum", peer: Any = 0) -> Tensor:
    """The array itself, once the arguments are checked."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"`{fn}`: argument `tensor` must be a Tensor. Received: {type(tensor).__name__}.")
    if not isinstance(op, str):
        raise TypeError(f"`{fn}`: argument `op` must be a str. Received: op={op!r}.")
    if op not in _REDUCTIONS:
        raise ValueError(f"`{fn}`: argument `op` must be one of {_REDUCTIONS}. Received: op={op!r}.")
    _one_process(fn, group)
    if isinstance(peer, bool) or not isinstance(peer, int):
        raise TypeError(f"`{fn}`: a process must be given by an int. Received: {peer!r}.")
    if peer != 0:
        raise ValueError(f"`{fn}`: there is one process, 0. Received: {peer}.")
    return tensor.copy()  # type: ignore[attr-defined]


def nobody(fn: str) -> NoReturn:
    """Raise for what needs a second process."""
    raise NotImplementedError(
        f"`{fn}`: there is no other process: msjax's groups have one, which drives all of its devices."
    )


def no_mesh(fn: str) -> None:
    """Raise inside `jax.shard_map`, where what one process holds is not the whole."""
    axes = sorted(map(str, jax.sharding.get_abstract_mesh().manual_axes))
    if axes:
        raise NotImplementedError(
            f"`{fn}`: the devices along {axes} inside jax.shard_map are not processes. Use jax.lax.psum, all_gather, "
            "psum_scatter, ppermute or all_to_all of their axis there."
        )


def _one_process(fn: str, group: Any) -> None:
    no_mesh(fn)
    if len(members(fn, group)) > 1:
        raise NotImplementedError(
            f"`{fn}` is for one process. Received: group={group!r} of several. Use jax.sharding or "
            "jax.experimental.multihost_utils."
        )


def barrier(group: str = WORLD) -> None:
    """Wait until every process has come here.

    Args:
        group (str): of processes.

    Raises:
        NotImplementedError: for several processes.

    Examples:
        >>> from msjax.communication import comm_func
        >>> comm_func.barrier()
    """
    _one_process("barrier", group)


def all_reduce(
    tensor: Tensor, op: str = "sum", group: str = WORLD, async_op: bool = False
) -> tuple[Tensor, None]:
    """The reduction of every process's array, for every process.

    Args:
        tensor (Tensor): of any shape.
        op (str): "sum", "prod", "max" or "min".
        group (str): of processes.
        async_op (bool): has no effect.

    Returns:
        Tuple of a Tensor and None (there is nothing to wait for).

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if there is no such process or reduction.
        NotImplementedError: for several processes.

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.all_reduce(ms.Tensor([1, 2]))[0])
        [1 2]
    """
    return alone("all_reduce", tensor, group, op), None


@documented_by(all_reduce)
def reduce_scatter_tensor(
    tensor: Tensor, op: str = "sum", group: str = WORLD, async_op: bool = False
) -> tuple[Tensor, None]:
    """Reduce every process's array and scatter the result: each process gets its part (reduce-scatter).

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.reduce_scatter_tensor(ms.Tensor([1, 2]))[0])
        [1 2]
    """
    return alone("reduce_scatter_tensor", tensor, group, op), None


@documented_by(all_reduce)
def all_gather_into_tensor(tensor: Tensor, group: str = WORLD, async_op: bool = False) -> tuple[Tensor, None]:
    """Concatenate the arrays of all processes, for every process (all-gather).

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.all_gather_into_tensor(ms.Tensor([1, 2]))[0])
        [1 2]
    """
    return alone("all_gather_into_tensor", tensor, group), None


@documented_by(all_reduce)
def reduce(tensor: Tensor, dst: int, op: str = "sum", group: str = WORLD) -> Tensor:
    """Reduce every process's array, for one process.

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
    return alone("reduce", tensor, group, op, dst)


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
    return alone("broadcast", tensor, group, "sum", src)


@documented_by(reduce)
def gather_into_tensor(tensor: Tensor, dst: int = 0, group: str = WORLD) -> Tensor:
    """Concatenate the arrays of all processes, for one process (gather).

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.gather_into_tensor(ms.Tensor([1, 2])))
        [1 2]
    """
    return alone("gather_into_tensor", tensor, group, "sum", dst)


@documented_by(broadcast)
def scatter_tensor(tensor: Tensor, src: int = 0, group: str = WORLD) -> Tensor:
    """Scatter the array of one process: each process gets its part.

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.scatter_tensor(ms.Tensor([1, 2])))
        [1 2]
    """
    return alone("scatter_tensor", tensor, group, "sum", src)


def all_to_all_with_output_shape(
    output_shape_list: Any, input_tensor_list: Any, group: str | None = None, async_op: bool = False
) -> tuple[tuple[Tensor, ...], None]:
    """Exchange arrays between all processes; a single process keeps its own array.

    Args:
        output_shape_list (list): what comes from each process, as Tensors or shapes.
        input_tensor_list (list[Tensor]): what goes to each process.
        group (str): of processes.
        async_op (bool): has no effect.

    Returns:
        Tuple of the Tensors that came, and None (there is nothing to wait for).

    Raises:
        ValueError: if there is not one of each, of one shape.

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> comm_func.all_to_all_with_output_shape([(2,)], [ms.Tensor([1, 2])])[0]
        (Tensor(shape=[2], dtype=Int64, value= [1, 2]),)
    """
    name = "all_to_all_with_output_shape"
    shapes = [tuple(getattr(s, "shape", s)) for s in output_shape_list]
    if shapes != [tuple(x.shape) for x in input_tensor_list] or len(shapes) != 1:
        raise ValueError(f"`{name}`: one process sends itself one array. Received: shapes {shapes}.")
    return (alone(name, input_tensor_list[0], WORLD if group is None else group),), None


def all_to_all_single_with_output_shape(
    output_shape: Any, tensor: Tensor, output_split_sizes: Any = None, input_split_sizes: Any = None,
    group: str | None = None, async_op: bool = False,
) -> tuple[Tensor, None]:  # fmt: skip
    """Exchange parts of an array between all processes; a single process keeps the whole.

    Args:
        output_shape (Tensor, tuple): the shape of what comes.
        tensor (Tensor): what goes.
        output_split_sizes (list): how many rows come from each process: all of them.
        input_split_sizes (list): how many rows go to each process: all of them.
        group (str): of processes.
        async_op (bool): has no effect.

    Returns:
        Tuple of the Tensor, and None (there is nothing to wait for).

    Raises:
        ValueError: if shapes or sizes are not those of one process.

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.all_to_all_single_with_output_shape((2,), ms.Tensor([1, 2]))[0])
        [1 2]
    """
    name = "all_to_all_single_with_output_shape"
    shape = tuple(getattr(output_shape, "shape", output_shape))
    rows = [tensor.shape[0]] if tensor.ndim else []
    if shape != tuple(tensor.shape) or any(
        s and [*s] != rows for s in (output_split_sizes, input_split_sizes)
    ):
        raise ValueError(f"`{name}`: one process sends itself the whole array. Received: shape {shape}.")
    return alone(name, tensor, WORLD if group is None else group), None


def send(tensor: Tensor, dst: int = 0, group: str = WORLD, tag: int = 0) -> None:
    """Not for one process: raises NotImplementedError."""
    nobody("send")


def recv(tensor: Tensor, src: int = 0, group: str = WORLD, tag: int = 0) -> None:
    """Not for one process: raises NotImplementedError."""
    nobody("recv")


def isend(tensor: Tensor, dst: int = 0, group: str = WORLD, tag: int = 0) -> None:
    """Not for one process: raises NotImplementedError."""
    nobody("isend")


def irecv(tensor: Tensor, src: int = 0, group: str = WORLD, tag: int = 0) -> None:
    """Not for one process: raises NotImplementedError."""
    nobody("irecv")


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
    """Run sends and receives in pairs, isend and irecv in turn, each from process 0 to itself.

    Args:
        p2p_op_list (list[P2POp]): what to do.

    Returns:
        For each of them a Tensor: what was received, and zero where something was sent.

    Raises:
        TypeError: if anything else is among them.
        ValueError: if more is received than sent, or of another shape, or there is no such process.

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
    sent = [one for one in p2p_op_list if one.op in ("isend", isend)]
    received = [one for one in p2p_op_list if one not in sent]
    shapes = [[tuple(getattr(one.tensor, "shape", one.tensor)) for one in part] for part in (sent, received)]
    if shapes[0] != shapes[1]:
        raise ValueError(f"`{name}`: one process receives what it sends. Received: shapes {shapes}.")
    found = {}
    for one, source in zip(received, sent, strict=True):
        found[id(one)] = alone(
            name, source.tensor, WORLD if one.group is None else one.group, "sum", one.peer
        )
    return tuple(found.get(id(one), Tensor(0.0)) for one in p2p_op_list)
