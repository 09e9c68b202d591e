"""Placements of tensors on a device mesh (`Shard`, `Replicate`, `Partial`), as plain values."""

from dataclasses import dataclass


class Placement:
    """One of :class:`Shard`, :class:`Replicate` and :class:`Partial`."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Return True for parts, along a dimension if one is given."""
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        """Return True for whole copies."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Return True for terms that are still to be reduced, by an operation if one is given."""
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)


@dataclass(frozen=True)
class Shard(Placement):
    """Each device has a part along a dimension.

    Examples:
        >>> from msjax.torch.distributed.placements import Shard
        >>> Shard(1), Shard(0).is_shard(1)
        (Shard(dim=1), False)
    """

    dim: int


@dataclass(frozen=True)
class Replicate(Placement):
    """Each device has the whole."""


@dataclass(frozen=True)
class Partial(Placement):
    """Each device has a term; the operation reduces them to the whole."""

    reduce_op: str = "sum"

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"
