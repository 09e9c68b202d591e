"""Messages from one process to another: `send`, `recv`, and batches of them."""

from collections.abc import Callable
from typing import Any

from msjax.core.xla.collectives import world
from msjax.mint import distributed
from msjax.torch.distributed.collectives import Work as Work
from msjax.torch.distributed.collectives import check_tensors, dialect, find_peer, without_gradient
from msjax.torch.distributed.process_groups import name_of


@without_gradient
def send(
    tensor: Any, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None
) -> None:
    """Send a tensor to a process, which must receive it."""
    check_tensors(tensor=tensor)
    target = find_peer("send", group, dst, group_dst)
    if target == world.rank:
        raise ValueError(
            "Invalid destination rank: destination rank should not be the same as the rank of the current process."
        )
    dialect.send(tensor, target, name_of(group), tag)


@without_gradient
def recv(
    tensor: Any, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None
) -> int:
    """Receive a tensor from a process, in place; return that process."""
    check_tensors(tensor=tensor)
    source = find_peer("recv", group, src, group_src)
    dialect.recv(tensor, source, name_of(group), tag)
    return source


@without_gradient
def isend(
    tensor: Any, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None
) -> Any:
    """Send a tensor to a process, once somebody waits for it."""
    check_tensors(tensor=tensor)
    return dialect.isend(tensor, find_peer("isend", group, dst, group_dst), name_of(group), tag)


@without_gradient
def irecv(
    tensor: Any, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None
) -> Any:
    """Receive a tensor from a process, in place, once somebody waits for it."""
    check_tensors(tensor=tensor)
    return dialect.irecv(tensor, find_peer("irecv", group, src, group_src), name_of(group), tag)


class P2POp(distributed.P2POp):
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
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or ``torch.distributed.irecv``."
            )
        check_tensors(tensor=tensor)
        super().__init__(
            op.__name__, tensor, find_peer("P2POp", group, peer, group_peer), name_of(group), tag
        )


@without_gradient
def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Any]:
    """Run sends and receives at once, in an order in which no process waits for another forever."""
    if not isinstance(p2p_op_list, list) or not all(isinstance(each, P2POp) for each in p2p_op_list):
        raise ValueError(
            "Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``."
        )
    return dialect.batch_isend_irecv(p2p_op_list)


@without_gradient
def send_object_list(
    object_list: list, dst: int | None = None, group: Any = None, device: Any = None, group_dst: int | None = None,
    use_batch: bool = False,
) -> None:  # fmt: skip
    """Send the objects of a list to a process, which must receive them."""
    dialect.send_object_list(
        object_list, find_peer("send_object_list", group, dst, group_dst), name_of(group)
    )


@without_gradient
def recv_object_list(
    object_list: list, src: int | None = None, group: Any = None, device: Any = None, group_src: int | None = None,
    use_batch: bool = False,
) -> int:  # fmt: skip
    """Receive objects from a process, written to a list; return that process."""
    return dialect.recv_object_list(
        object_list, find_peer("recv_object_list", group, src, group_src), name_of(group)
    )
