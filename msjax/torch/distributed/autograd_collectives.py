"""`torch.distributed.nn.functional`: collectives that have a gradient.

They return what they compute; those that take an output, as PyTorch's do, write it there too.
"""

from collections.abc import Sequence
from typing import Any

from msjax.communication import operators
from msjax.communication.groups import members
from msjax.core.autodiff.imperative import is_grad_enabled, no_grad
from msjax.torch.distributed.collectives import ReduceOp
from msjax.torch.distributed.process_groups import name_of
from msjax.torch.functions.basic import cat, zeros_like
from msjax.torch.tensors.tensor import Tensor, as_torch

NAMES = (
    "all_gather", "all_reduce", "all_to_all", "all_to_all_single", "broadcast", "gather", "reduce",
    "reduce_scatter", "scatter",
)  # fmt: skip


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """Return the sum of the processes' tensors, or another `op`. Its gradient is the sum of theirs.

    Raises:
        NotImplementedError: for a gradient of another `op` than SUM and AVG.
    """
    fn = "all_reduce"
    return as_torch(operators.all_reduce(tensor, _reduction(fn, op, tensor), _ranks(fn, group)))


def all_gather(tensor: Tensor, group: Any = None) -> tuple[Tensor, ...]:
    """Return the processes' tensors, of one shape. That of a process gets the sum of the gradients of all."""
    ranks = _ranks("all_gather", group)
    return as_torch(operators.all_gather(tensor.unsqueeze(0), ranks)).unbind(0)


def broadcast(tensor: Tensor, src: int, group: Any = None) -> Tensor:
    """Return the tensor of process `src`, which gets the sum of the gradients of all.

    Raises:
        ValueError: if `src` is not in the group.
    """
    # The gradient of `operators.broadcast` is MindSpore's: it stays where it is.
    return all_gather(tensor, group)[_position("broadcast", "src", src, group)]


def gather(tensor: Tensor, dst: int = 0, group: Any = None) -> tuple[Tensor, ...]:
    """Return the processes' tensors, of one shape, at process `dst`; zeros at the others.

    Raises:
        ValueError: if `dst` is not in the group.
    """
    place = _position("gather", "dst", dst, group)
    sent = [zeros_like(tensor)] * len(_ranks("gather", group))
    sent[place] = tensor
    return _exchange(sent, group)


def reduce(tensor: Tensor, dst: int, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """Return the sum of the processes' tensors at process `dst`, whose gradient all get; zeros at the others.

    Raises:
        ValueError: if `dst` is not in the group.
        NotImplementedError: for another `op` than SUM.
    """
    if op not in (ReduceOp.SUM, "sum"):
        raise NotImplementedError(f"`reduce`: argument `op` must be SUM. Received: {op!r}.")
    return cat([each.unsqueeze(0) for each in gather(tensor, dst, group)]).sum(0)


def scatter(tensors: Sequence[Tensor], src: int = 0, group: Any = None) -> Tensor:
    """Return this process's tensor of those that process `src` gives. All give as many, of one shape.

    Raises:
        ValueError: if `src` is not in the group, or there is not one tensor for each process.
    """
    place = _position("scatter", "src", src, group)
    _check_list("scatter", "tensors", tensors, _like_the_first(tensors, group))
    return _exchange(tensors, group)[place]


def reduce_scatter(
    output: Tensor, input_list: Sequence[Tensor], op: Any = ReduceOp.SUM, group: Any = None
) -> Tensor:
    """Return the sum over the processes of this one's tensor of the list, of the shape of `output`.

    Raises:
        ValueError: if the list is not one tensor of that shape for each process.
        NotImplementedError: for another `op` than SUM and AVG.
    """
    fn = "reduce_scatter"
    ranks = _ranks(fn, group)
    _check_list(fn, "input_list", input_list, [tuple(output.shape)] * len(ranks))
    joined = cat([each.unsqueeze(0) for each in input_list])
    kind = _reduction(fn, op, joined)
    return _write(output, as_torch(operators.reduce_scatter(joined, kind, ranks)).squeeze(0))


def all_to_all(
    output_tensor_list: Sequence[Tensor], input_tensor_list: Sequence[Tensor], group: Any = None
) -> tuple[Tensor, ...]:
    """Return one tensor of each process; the i-th of `input_tensor_list` goes to the i-th.

    Raises:
        ValueError: if they are not all of one shape.
    """
    shapes = _like_the_first(input_tensor_list, group)
    _check_list("all_to_all", "input_tensor_list", input_tensor_list, shapes)
    _check_list("all_to_all", "output_tensor_list", output_tensor_list, shapes)
    found = _exchange(input_tensor_list, group)
    return tuple(_write(*pair) for pair in zip(output_tensor_list, found, strict=True))


def all_to_all_single(
    output: Tensor, input: Tensor, output_split_sizes: Any = None, input_split_sizes: Any = None, group: Any = None,
) -> Tensor:  # fmt: skip
    """Return the parts of the processes' tensors that are for this one, of the shape of `output`.

    Raises:
        ValueError: if the processes do not divide the rows, or `output` has another shape.
        NotImplementedError: for parts that are not equal.
    """
    fn = "all_to_all_single"
    ranks = _ranks(fn, group)
    for name, sizes in (("output_split_sizes", output_split_sizes), ("input_split_sizes", input_split_sizes)):
        if sizes and len(set(sizes)) > 1:
            raise NotImplementedError(f"`{fn}`: argument `{name}` must have equal sizes. Received: {sizes}.")
    if input.shape[0] % len(ranks) or output.shape != input.shape:
        raise ValueError(
            f"`{fn}`: `output` and `input` must have one shape, whose rows {len(ranks)} processes divide. "
            f"Received: {tuple(output.shape)} and {tuple(input.shape)}."
        )
    return _write(output, as_torch(operators.all_to_all(input, ranks, 0, 0)))


def _ranks(fn: str, group: Any) -> tuple[int, ...]:
    return tuple(members(fn, name_of(group)))


def _position(fn: str, name: str, rank: int, group: Any) -> int:
    ranks = _ranks(fn, group)
    if rank not in ranks:
        raise ValueError(f"`{fn}`: argument `{name}` must be one of {ranks}. Received: {rank}.")
    return ranks.index(rank)


def _reduction(fn: str, op: Any, given: Tensor) -> str:
    found = op.value if isinstance(op, ReduceOp) else op
    if found not in ("sum", "avg", "prod", "min", "max"):
        raise NotImplementedError(
            f"`{fn}`: argument `op` must be SUM, AVG, PRODUCT, MIN or MAX. Received: {op!r}."
        )
    if found not in ("sum", "avg") and given.requires_grad and is_grad_enabled():
        raise NotImplementedError(
            f"`{fn}`: argument `op` must be SUM or AVG for a gradient. Received: {op!r}."
        )
    return found


def _exchange(tensors: Sequence[Tensor], group: Any) -> tuple[Tensor, ...]:
    """Send one tensor to each process, and return what each of them sent."""
    joined = cat([each.unsqueeze(0) for each in tensors])
    return as_torch(operators.all_to_all(joined, _ranks("all_to_all", group), 0, 0)).unbind(0)


def _write(output: Tensor, found: Tensor) -> Tensor:
    """Return what was found, of which `output` gets the numbers."""
    with no_grad():
        output.copy_(found)
    return found


def _like_the_first(given: Sequence[Tensor], group: Any) -> list[tuple[int, ...]]:
    return [tuple(given[0].shape) if given else ()] * len(_ranks("all_to_all", group))


def _check_list(fn: str, name: str, given: Sequence[Tensor], shapes: list[tuple[int, ...]]) -> None:
    found = [tuple(each.shape) for each in given]
    if found != shapes:
        raise ValueError(
            f"`{fn}`: argument `{name}` must have tensors of shapes {shapes}. Received: {found}."
        )
