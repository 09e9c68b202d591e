"""Collectives: tensors, and objects, that all processes of a group exchange."""

import enum
import functools
from collections.abc import Callable
from typing import Any

from msjax.communication import groups, p2p
from msjax.core.autodiff.imperative import no_grad
from msjax.core.tensor.tensor import Tensor
from msjax.core.xla.collectives import world
from msjax.mint import distributed
from msjax.torch.distributed.process_groups import GroupMember, name_of


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


class Work(p2p.Handle):
    """Handle of a communication."""

    def wait(self, timeout: Any = None) -> bool:
        """Run the sends and receives that wait; return True."""
        super().wait()
        return True


class _Dialect:
    """The functions of `mint.distributed`, with PyTorch's handles, and its type of error for what does not fit."""

    def __getattr__(self, name: str) -> Callable:
        function = getattr(distributed, name)

        def call(*args: Any) -> Any:
            try:
                found = function(*args)
                if isinstance(found, list):
                    return [Work() for _ in found]
                return Work() if isinstance(found, p2p.Handle) else found
            except ValueError as error:
                raise error if isinstance(error, RuntimeError) else RuntimeError(str(error)) from error

        return call


dialect = _Dialect()


def _reduction(op: Any) -> str:
    if not isinstance(op, ReduceOp):
        raise TypeError(f"the reduction must be a ReduceOp. Received: {op!r}.")
    if op.value not in ("sum", "avg", "prod", "min", "max"):
        raise NotImplementedError(f"the reduction must be SUM, AVG, PRODUCT, MIN or MAX. Received: {op!r}.")
    return op.value


def check_tensors(**given: Any) -> None:
    """Refuse arguments that are no tensors; names that end in `_list` have lists of tensors.

    Raises:
        TypeError: for one.
    """
    for name, value in given.items():
        listed = name.endswith("_list")
        if listed and isinstance(value, list | tuple) and all(isinstance(each, Tensor) for each in value):
            continue
        if listed or not isinstance(value, Tensor):
            kind = "List[torch.Tensor]" if listed else "torch.Tensor"
            raise TypeError(
                f"Invalid function argument. Expected parameter `{name}` of type {kind}\n             but got "
                f"{type(value)} instead."
            )


def _check_dtypes(*tensors: Any) -> None:
    dtypes = {str(each.dtype): None for each in tensors}
    if len(dtypes) > 1:
        raise ValueError(f"Invalid usage of tensors with different dtypesFound {' and  '.join(dtypes)}")


def _check_list(name: str, given: Any, needed: bool, kind: str, tensor: Tensor) -> None:
    """Refuse a list of a gather or scatter where it is not needed, and its absence where it is."""
    if needed and not given:
        raise ValueError(f"Argument ``{name}`` must be specified on {kind} rank.")
    if not needed and given:
        raise ValueError(f"Argument ``{name}`` must NOT be specified on non-{kind} ranks.")
    if needed:
        check_tensors(**{name: given})
        _check_dtypes(tensor, *given)


def find_peer(name: str, group: Any, peer: int | None, number: int | None, default: int | None = None) -> int:
    """Return a process of the world, given by its rank there or by its number in the group."""
    if number is not None:
        if peer is not None:
            raise ValueError("Can't specify both group_rank and global_rank")
        return groups.members(name, name_of(group))[number]
    found = default if peer is None else peer
    if found is None:
        raise ValueError("Must specify global_rank or group_rank")
    return found


def without_gradient(function: Callable) -> Callable:
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


@without_gradient
def all_reduce(tensor: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Any:
    """Return the sum over the processes, or another `op`, in place."""
    check_tensors(tensor=tensor)
    return dialect.all_reduce(tensor, _reduction(op), name_of(group), async_op)


@without_gradient
def reduce(
    tensor: Any, dst: int | None = None, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False,
    group_dst: int | None = None,
) -> Any:  # fmt: skip
    """Return the sum over the processes, or another `op`, in place at process `dst`."""
    check_tensors(tensor=tensor)
    return dialect.reduce(
        tensor, find_peer("reduce", group, dst, group_dst), _reduction(op), name_of(group), async_op
    )


@without_gradient
def broadcast(
    tensor: Any,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Any:
    """Return the tensor of process `src`, in place at all of them."""
    check_tensors(tensor=tensor)
    return dialect.broadcast(tensor, find_peer("broadcast", group, src, group_src), name_of(group), async_op)


@without_gradient
def all_gather(tensor_list: Any, tensor: Any, group: Any = None, async_op: bool = False) -> Any:
    """Return the tensors of all processes, written to a list of tensors."""
    check_tensors(tensor_list=tensor_list, tensor=tensor)
    _check_dtypes(*tensor_list, tensor)
    if len(tensor_list) != len(groups.members("all_gather", name_of(group))):
        raise RuntimeError(
            f"`all_gather`: argument `tensor_list` must have a tensor for each process. Received: {len(tensor_list)}."
        )
    return dialect.all_gather(tensor_list, tensor, name_of(group), async_op)


@without_gradient
def all_gather_into_tensor(
    output_tensor: Any, input_tensor: Any, group: Any = None, async_op: bool = False
) -> Any:
    """Return the tensors of all processes, one after the other or stacked, written to `output_tensor`."""
    check_tensors(input_tensor=input_tensor, output_tensor=output_tensor)
    return dialect.all_gather_into_tensor(output_tensor, input_tensor, name_of(group), async_op)


@without_gradient
def gather(
    tensor: Any, gather_list: Any = None, dst: int | None = None, group: Any = None, async_op: bool = False,
    group_dst: int | None = None,
) -> Any:  # fmt: skip
    """Return the tensors of all processes, written to a list at process `dst`."""
    check_tensors(tensor=tensor)
    target = find_peer("gather", group, dst, group_dst, 0)
    _check_list("gather_list", gather_list, world.rank == target, "destination", tensor)
    return dialect.gather(tensor, gather_list, target, name_of(group), async_op)


@without_gradient
def scatter(
    tensor: Any, scatter_list: Any = None, src: int | None = None, group: Any = None, async_op: bool = False,
    group_src: int | None = None,
) -> Any:  # fmt: skip
    """Return the tensor for this process from the list of process `src`, written to `tensor`."""
    check_tensors(tensor=tensor)
    source = find_peer("scatter", group, src, group_src, 0)
    _check_list("scatter_list", scatter_list, world.rank == source, "source", tensor)
    return dialect.scatter(tensor, scatter_list, source, name_of(group), async_op)


@without_gradient
def reduce_scatter(
    output: Any, input_list: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Any:
    """Return the sum over the processes of this process's part of a list, written to `output`."""
    check_tensors(output=output, input_list=input_list)
    _check_dtypes(output, *input_list)
    return dialect.reduce_scatter(output, input_list, _reduction(op), name_of(group), async_op)


@without_gradient
def reduce_scatter_tensor(
    output: Any, input: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Any:
    """Return the sum over the processes of this process's part of a tensor, written to `output`."""
    check_tensors(input=input, output=output)
    return dialect.reduce_scatter_tensor(output, input, _reduction(op), name_of(group), async_op)


@without_gradient
def all_to_all(
    output_tensor_list: Any, input_tensor_list: Any, group: Any = None, async_op: bool = False
) -> Any:
    """Exchange tensors between all processes."""
    check_tensors(output_tensor_list=output_tensor_list, input_tensor_list=input_tensor_list)
    _check_dtypes(*output_tensor_list, *input_tensor_list)
    return dialect.all_to_all(output_tensor_list, input_tensor_list, name_of(group), async_op)


@without_gradient
def all_to_all_single(
    output: Any, input: Any, output_split_sizes: Any = None, input_split_sizes: Any = None, group: Any = None,
    async_op: bool = False,
) -> Any:  # fmt: skip
    """Exchange parts of a tensor between all processes."""
    check_tensors(output=output, input=input)
    _check_dtypes(output, input)
    return dialect.all_to_all_single(
        output, input, output_split_sizes, input_split_sizes, name_of(group), async_op
    )


@without_gradient
def barrier(group: Any = None, async_op: bool = False, device_ids: Any = None) -> Any:
    """Wait for the other processes."""
    return dialect.barrier(name_of(group), async_op)


@without_gradient
def monitored_barrier(group: Any = None, timeout: Any = None, wait_all_ranks: bool = False) -> None:
    """Wait for the other processes, as :func:`barrier` does: however long it takes, without naming who is missing."""
    dialect.barrier(name_of(group))


@without_gradient
def all_gather_object(object_list: list, obj: Any, group: Any = None) -> None:
    """The objects of all processes, written to a list."""
    dialect.all_gather_object(object_list, obj, name_of(group))


@without_gradient
def broadcast_object_list(
    object_list: list,
    src: int | None = None,
    group: Any = None,
    device: Any = None,
    group_src: int | None = None,
) -> None:
    """The objects of process `src`, written to the list of all of them."""
    dialect.broadcast_object_list(
        object_list, find_peer("broadcast_object_list", group, src, group_src, 0), name_of(group)
    )


@without_gradient
def gather_object(
    obj: Any, object_gather_list: list | None = None, dst: int | None = None, group: Any = None,
    group_dst: int | None = None,
) -> None:  # fmt: skip
    """The objects of all processes, written to a list at process `dst`."""
    dialect.gather_object(
        obj, object_gather_list, find_peer("gather_object", group, dst, group_dst, 0), name_of(group)
    )


@without_gradient
def scatter_object_list(
    scatter_object_output_list: list, scatter_object_input_list: Any = None, src: int | None = None, group: Any = None,
    group_src: int | None = None,
) -> None:  # fmt: skip
    """The object for this process from the list of process `src`."""
    source = find_peer("scatter_object_list", group, src, group_src, 0)
    dialect.scatter_object_list(scatter_object_output_list, scatter_object_input_list, source, name_of(group))
