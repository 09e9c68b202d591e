"""Communication between processes, for the one process that there is: what would be sent stays where it is.

To reduce over the devices of a process, spread arrays over them with `jax.sharding`: XLA then communicates by itself.
"""

from typing import Any

from msjax.communication.management import HCCL_WORLD_COMM_GROUP as WORLD
from msjax.communication.management import members
from msjax.core.tensor import Tensor

_REDUCTIONS = ("sum", "prod", "max", "min")


def _alone(fn: str, tensor: Any, group: Any, op: Any = "sum", peer: Any = 0) -> Tensor:
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


def _one_process(fn: str, group: Any) -> None:
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
    return _alone("all_reduce", tensor, group, op), None


def reduce_scatter_tensor(
    tensor: Tensor, op: str = "sum", group: str = WORLD, async_op: bool = False
) -> tuple[Tensor, None]:
    """The reduction of every process's array, of which each process gets its part.

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
        >>> print(comm_func.reduce_scatter_tensor(ms.Tensor([1, 2]))[0])
        [1 2]
    """
    return _alone("reduce_scatter_tensor", tensor, group, op), None


def all_gather_into_tensor(tensor: Tensor, group: str = WORLD, async_op: bool = False) -> tuple[Tensor, None]:
    """The arrays of all processes, one after the other, for every process.

    Args:
        tensor (Tensor): of any shape.
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
        >>> print(comm_func.all_gather_into_tensor(ms.Tensor([1, 2]))[0])
        [1 2]
    """
    return _alone("all_gather_into_tensor", tensor, group), None


def reduce(tensor: Tensor, dst: int, op: str = "sum", group: str = WORLD) -> Tensor:
    """The reduction of every process's array, for one process.

    Args:
        tensor (Tensor): of any shape.
        dst (int): that process.
        op (str): "sum", "prod", "max" or "min".
        group (str): of processes.

    Returns:
        Tensor.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if there is no such process or reduction.
        NotImplementedError: for several processes.

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.reduce(ms.Tensor([1, 2]), 0))
        [1 2]
    """
    return _alone("reduce", tensor, group, op, dst)


def broadcast(tensor: Tensor, src: int = 0, group: str = WORLD) -> Tensor:
    """The array of one process, for every process.

    Args:
        tensor (Tensor): of any shape.
        src (int): that process.
        group (str): of processes.

    Returns:
        Tensor.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if there is no such process or reduction.
        NotImplementedError: for several processes.

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.broadcast(ms.Tensor([1, 2])))
        [1 2]
    """
    return _alone("broadcast", tensor, group, "sum", src)


def gather_into_tensor(tensor: Tensor, dst: int = 0, group: str = WORLD) -> Tensor:
    """The arrays of all processes, one after the other, for one process.

    Args:
        tensor (Tensor): of any shape.
        dst (int): that process.
        group (str): of processes.

    Returns:
        Tensor.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if there is no such process or reduction.
        NotImplementedError: for several processes.

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.gather_into_tensor(ms.Tensor([1, 2])))
        [1 2]
    """
    return _alone("gather_into_tensor", tensor, group, "sum", dst)


def scatter_tensor(tensor: Tensor, src: int = 0, group: str = WORLD) -> Tensor:
    """The array of one process, of which each process gets its part.

    Args:
        tensor (Tensor): of any shape.
        src (int): that process.
        group (str): of processes.

    Returns:
        Tensor.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if there is no such process or reduction.
        NotImplementedError: for several processes.

    Examples:
        >>> import msjax as ms
        >>> from msjax.communication import comm_func
        >>> print(comm_func.scatter_tensor(ms.Tensor([1, 2])))
        [1 2]
    """
    return _alone("scatter_tensor", tensor, group, "sum", src)
