"""Changes of the layout of tensors in parts: each is a communication, and its gradient the opposite one.

A gradient lies as its tensor does: that of a part is a part, that of a whole is the whole. That of a term is the whole,
since each term adds to it.
"""

import functools
from typing import Any

import jax
from jax import Array

from msjax.core.autodiff.imperative import no_grad
from msjax.core.op.op import op
from msjax.core.xla import collectives
from msjax.core.xla.collectives import world
from msjax.torch.functions.basic import cat
from msjax.torch.nn.module import Parameter
from msjax.torch.tensors.creation import zeros
from msjax.torch.tensors.tensor import Tensor, as_torch
from msjax.torch.tensors.torch_function import handle_nothing

Ranks = tuple[int, ...]


@functools.partial(jax.custom_vjp, nondiff_argnums=(1, 2))
def _gather(x: jax.Array, ranks: Ranks, axis: int) -> jax.Array:
    return collectives.all_gather(x, ranks, axis)


@functools.partial(jax.custom_vjp, nondiff_argnums=(1, 2))
def _cut_part(x: jax.Array, ranks: Ranks, axis: int) -> jax.Array:
    size = x.shape[axis] // len(ranks)
    start = ranks.index(world.rank) * size
    return jax.lax.slice_in_dim(x, start, start + size, axis=axis)


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def _add(x: jax.Array, ranks: Ranks) -> jax.Array:
    return collectives.all_reduce(x, "sum", ranks)


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def _use(x: jax.Array, ranks: Ranks) -> jax.Array:
    return x


_gather.defvjp(
    lambda x, ranks, axis: (_gather(x, ranks, axis), None),
    lambda ranks, axis, _, g: (_cut_part(g, ranks, axis),),
)
_cut_part.defvjp(
    lambda x, ranks, axis: (_cut_part(x, ranks, axis), None),
    lambda ranks, axis, _, g: (_gather(g, ranks, axis),),
)
_add.defvjp(lambda x, ranks: (_add(x, ranks), None), lambda ranks, _, g: (_use(g, ranks),))
_use.defvjp(lambda x, ranks: (x, None), lambda ranks, _, g: (_add(g, ranks),))


@op(static="ranks axis")
def gather_parts(x: Array, ranks: Ranks, axis: int) -> jax.Array:
    """Return the whole, of equal parts along an axis."""
    return _gather(x, ranks, axis)


@op(static="ranks axis")
def cut_part(x: Array, ranks: Ranks, axis: int) -> jax.Array:
    """Return this process's part of a whole, whose axis the number of processes divides."""
    return _cut_part(x, ranks, axis)


@op(static="ranks")
def add_terms(x: Array, ranks: Ranks) -> jax.Array:
    """Return the sum of the terms that the processes have."""
    return _add(x, ranks)


@op(static="ranks")
def use_in_parts(x: Array, ranks: Ranks) -> jax.Array:
    """Return a whole with which each process computes something else: its gradient is the sum of theirs."""
    return _use(x, ranks)


class DividedParameter(Parameter):
    """This process's part of a Parameter. Its shape is that of the part, where PyTorch's DTensor shows the whole.

    Attributes:
        whole_shape: of all of it.
        groups: processes whose parts make up more of it; over each in turn sums are made up, such as a norm's.
    """

    whole_shape: tuple[int, ...] = ()
    groups: tuple[Ranks, ...] = ()

    def cut(self, whole: Any) -> Any:
        """This process's part of a tensor that has all."""
        raise NotImplementedError

    def whole_of(self, part: Any) -> Any:
        """All of what has such parts: every process must call it."""
        raise NotImplementedError

    def offsets(self) -> tuple[int, ...]:
        """Return the index at which this process's part begins, along each dimension."""
        raise NotImplementedError

    def to_local(self) -> Tensor:
        """Return the part of this process."""
        return as_torch(self.detach())

    def full_tensor(self) -> Tensor:
        """Return the whole tensor, gathered: every process must call it."""
        return self.whole_of(self)

    def as_saved(self, value: Tensor) -> Tensor:
        """Mark a value of this shape, such as an optimizer's, as a part for a state dict; return others as they are."""
        if tuple(value.shape) != tuple(self.shape):
            return value
        made: Any = value
        made.__class__ = SavedPart
        made.__dict__["parameter"] = self
        return made

    def copy_(self, src: Any, non_blocking: bool = False) -> Any:
        """Copy this process's part of a DTensor with the same placements, or a tensor as large as the part."""
        return super().copy_(self.part_of(src), non_blocking)  # type: ignore[misc]

    def part_of(self, value: Any) -> Any:
        """Return this process's part, as it is kept here, of a DTensor or a part that a state dict has; else the value."""
        local = value.to_local() if hasattr(value, "to_local") else value
        held = self.to_local().shape
        if tuple(getattr(local, "shape", ())) != tuple(held) or held == self.shape:
            return local
        return cat([local, zeros(self.shape[0] - held[0], *held[1:], dtype=local.dtype)])

    def whole_zeros(self) -> Tensor:
        """Return zeros of the shape of the whole tensor."""
        return zeros(*self.whole_shape, dtype=self.dtype)


class SavedPart(Tensor):
    """Part of a DividedParameter in a state dict: that of this process, which can be made whole."""

    __slots__ = ()
    __torch_function__ = handle_nothing  # type: ignore[assignment]

    @property
    def device_mesh(self) -> Any:
        """The processes; None for all, in a line."""
        return self.__dict__["parameter"].device_mesh

    @property
    def placements(self) -> Any:
        """Placement of the tensor's parts on processes."""
        return self.__dict__["parameter"].placements

    def to_local(self) -> Tensor:
        """The part of this process."""
        own = as_torch(self.detach())
        return own[: self.__dict__["parameter"].to_local().shape[0]]

    def full_tensor(self) -> Tensor:
        """All of it, gathered: every process must call it."""
        return self.__dict__["parameter"].whole_of(self)

    def __deepcopy__(self, memo: dict) -> "SavedPart":
        made: Any = self.__dict__["parameter"].as_saved(as_torch(self.detach().clone()))
        memo[id(self)] = made
        return made


class Division:
    """Division of a Parameter among processes into equal parts along an axis.

    Args:
        ranks: the processes.
        axis: the axis.
        whole_shape: of all parts.

    Raises:
        NotImplementedError: if the parts are not equal.
    """

    def __init__(self, ranks: Ranks, axis: int, whole_shape: tuple[int, ...]) -> None:
        if whole_shape[axis] % len(ranks):
            raise NotImplementedError(
                f"`parallelize_module`: {len(ranks)} processes must divide dimension {axis} of a Parameter. "
                f"Received: the shape {whole_shape}."
            )
        self.ranks, self.axis, self.whole_shape = ranks, axis, whole_shape

    def cut(self, whole: Any) -> Any:
        """This process's part of a tensor."""
        with no_grad():
            return as_torch(cut_part(whole, self.ranks, self.axis))

    def whole_of(self, part: Any) -> Any:
        """All of what has such parts."""
        with no_grad():
            return as_torch(gather_parts(part, self.ranks, self.axis))

    def first(self) -> int:
        """Return the index along the axis at which this process's part begins."""
        return self.whole_shape[self.axis] // len(self.ranks) * self.ranks.index(world.rank)

    def offsets(self) -> tuple[int, ...]:
        """Return the index at which this process's part begins, along each dimension."""
        return tuple(self.first() if axis == self.axis else 0 for axis in range(len(self.whole_shape)))
