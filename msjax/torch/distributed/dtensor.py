"""`torch.distributed.tensor`: tensors over a mesh of processes; each has a part, all, or a term (DTensor).

They are made, changed to other placements, and made whole, with gradients. What computes with them is not there, but
for the layers of `tensor_parallel.py`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from msjax.communication import groups, operators
from msjax.core.autodiff.imperative import is_grad_enabled, no_grad
from msjax.core.xla.collectives import world
from msjax.torch.data_parallel import broadcast_each
from msjax.torch.distributed import parts
from msjax.torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from msjax.torch.distributed.placements import Partial, Placement, Replicate, Shard
from msjax.torch.functions.basic import cat
from msjax.torch.tensors.creation import zeros
from msjax.torch.tensors.tensor import Tensor, as_torch

COMPUTES: dict[str, Callable] = {}  # functions that take a DTensor, by name


class _AbsentError(NotImplementedError, AttributeError):
    """A method of PyTorch's DTensor is not here; `hasattr` says so too."""


class _Kind(type):
    """Of DTensors: Parameters of which processes have parts, and what state dicts have of them, pass for such."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or isinstance(
            instance, parts.DividedParameter | parts.SavedPart
        )


class DTensor(metaclass=_Kind):
    """A tensor over the processes of a mesh. Make it with `distribute_tensor` or `DTensor.from_local`.

    Attributes:
        device_mesh: the processes.
        placements: for each dimension of the mesh, what its processes have.
        shape: of the whole.

    Examples:
        >>> from msjax import torch
        >>> from msjax.torch.distributed.device_mesh import init_device_mesh
        >>> from msjax.torch.distributed.dtensor import distribute_tensor
        >>> from msjax.torch.distributed.placements import Replicate, Shard
        >>> torch.distributed.init_process_group("gloo", init_method="tcp://localhost:1", world_size=1, rank=0)
        >>> x = distribute_tensor(torch.ones(4, 2), init_device_mesh("cpu", (1,)), [Shard(0)])
        >>> x.shape, x.to_local().shape, x.redistribute(placements=[Replicate()]).full_tensor().sum()
        (torch.Size([4, 2]), torch.Size([4, 2]), tensor(8.))
        >>> torch.distributed.destroy_process_group()
    """

    def __init__(self, local: Any, mesh: DeviceMesh, placements: Sequence[Placement], shape: Any) -> None:
        self._local, self.device_mesh, self.placements = local, mesh, tuple(placements)
        self.shape = type(local.shape)(shape)

    @staticmethod
    def from_local(
        local_tensor: Tensor, device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None,
        *, run_check: bool = False, shape: Any = None, stride: Any = None,
    ) -> "DTensor":  # fmt: skip
        """Return the whole tensor from the processes' parts. Every process must call it.

        Args:
            local_tensor: the part of this process. Parts have one size, unless `shape` is given.
            device_mesh: the processes. Default: all, in a line.
            placements: what they have. Default: all of it.
            run_check: accepted, without effect.
            shape: of the whole. Default: of as many equal parts as there are processes.
            stride: accepted, without effect.

        Raises:
            ValueError: if the part is not the one that the placements give this process.
        """
        mesh = _mesh(device_mesh)
        placements = _check_placements("DTensor.from_local", placements, mesh, local_tensor.ndim)
        whole = list(local_tensor.shape)
        for placement, count in zip(placements, mesh.shape, strict=True):
            if isinstance(placement, Shard):
                whole[placement.dim] *= count
        whole = whole if shape is None else list(shape)
        held = [end - start for start, end in _held_range(whole, mesh, placements)]
        if held != list(local_tensor.shape):
            raise ValueError(
                f"`DTensor.from_local`: of the shape {tuple(whole)}, this process has {tuple(held)}. "
                f"Received: {tuple(local_tensor.shape)}."
            )
        return DTensor(local_tensor, mesh, placements, whole)

    @property
    def dtype(self) -> Any:
        """Dtype of the elements."""
        return self._local.dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    def dim(self) -> int:
        """Return the number of dimensions."""
        return self.ndim

    def size(self, dim: int | None = None) -> Any:
        """Return the shape of the whole, or its length along a dimension."""
        return self.shape if dim is None else self.shape[dim]

    def numel(self) -> int:
        """Return the number of elements of the whole."""
        return self.shape.numel()

    def to_local(self, *, grad_placements: Any = None) -> Tensor:
        """Return what this process has.

        Args:
            grad_placements: how its gradient lies. Default: as the tensor does. `Partial()` where this is a whole, and each
                process computes something else with it.

        Raises:
            NotImplementedError: for other placements.
        """
        local = self._local
        wanted = self.placements if grad_placements is None else tuple(grad_placements)
        for dim, (own, given) in enumerate(zip(self.placements, wanted, strict=True)):
            if isinstance(own, Replicate) and given == Partial():
                local = as_torch(parts.use_in_parts(local, _ranks(self.device_mesh, dim)))
            elif given != own:
                raise NotImplementedError(
                    f"`DTensor.to_local`: argument `grad_placements` must be {self.placements}, or Partial() where "
                    f"these are Replicate(). Received: {grad_placements}."
                )
        return local

    def item(self) -> Any:
        """Return the number that this is. Every process must call it."""
        return self.full_tensor().item()

    def backward(self, gradient: Any = None, retain_graph: bool | None = None) -> None:
        """Compute gradients of a loss that all processes have.

        Raises:
            NotImplementedError: for parts, or terms.
        """
        if not all(isinstance(each, Replicate) for each in self.placements):
            raise NotImplementedError(
                f"`DTensor.backward`: the loss must be whole in each process. Received: {self.placements}."
            )
        self._local.backward(gradient, retain_graph=retain_graph)

    def full_tensor(self, *, grad_placements: Any = None) -> Tensor:
        """Return the whole. Every process must call it."""
        whole = self.redistribute(placements=[Replicate()] * self.device_mesh.ndim)
        return whole.to_local(grad_placements=grad_placements)

    def redistribute(
        self, device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None, *,
        async_op: bool = False, forward_dtype: Any = None, backward_dtype: Any = None,
    ) -> "DTensor":  # fmt: skip
        """Return the tensor with other placements on the same mesh. Every process must call it.

        Raises:
            NotImplementedError: for another mesh, or another dtype.
            ValueError: for placements that do not fit.
        """
        mesh = self.device_mesh
        if device_mesh not in (None, mesh) or forward_dtype is not None or backward_dtype is not None:
            raise NotImplementedError(
                "`DTensor.redistribute`: arguments `device_mesh`, `forward_dtype` and `backward_dtype` must be None. "
                f"Received: {device_mesh}, {forward_dtype} and {backward_dtype}."
            )
        wanted = _check_placements("DTensor.redistribute", placements, mesh, self.ndim, self.placements)
        if wanted == self.placements:
            return self
        local = _whole(self._local, self.shape, mesh, self.placements, wanted)
        for dim, each in enumerate(wanted):  # terms that stay terms have been left as they are
            if isinstance(each, Shard):
                count, size = mesh.shape[dim], local.shape[each.dim]
                start, end = _chunk(0, size, count, mesh.get_local_rank(dim))
                local = _pad_end(local, each.dim, -(-size // count) * count)
                local = as_torch(parts.cut_part(local, _ranks(mesh, dim), each.dim)).narrow(
                    each.dim, 0, end - start
                )
        return DTensor(local, mesh, wanted, self.shape)

    @classmethod
    def __torch_function__(
        cls, func: Callable, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Compute a function that takes a DTensor.

        Raises:
            NotImplementedError: for one that takes none.
        """
        name = getattr(func, "__name__", str(func))
        if name not in COMPUTES:
            raise NotImplementedError(f"`{name}` takes no DTensor: give it `full_tensor()` or `to_local()`.")
        return COMPUTES[name](*args, **(kwargs or {}))

    def __repr__(self) -> str:
        return f"DTensor(local_tensor={self._local}, device_mesh={self.device_mesh}, placements={self.placements})"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise _AbsentError(
            f"`DTensor.{name}` is not there: what computes takes `full_tensor()` or `to_local()`."
        )


def distribute_tensor(
    tensor: Tensor, device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None, *,
    src_data_rank: int | None = 0,
) -> DTensor:  # fmt: skip
    """Cut or copy a tensor over the processes of a mesh. Every process of the mesh must call it.

    Args:
        tensor: the whole. The values of the first process of the mesh are taken.
        device_mesh: the processes. Default: all, in a line.
        placements: a `Shard` or `Replicate` for each dimension of the mesh. Default: `Replicate`.
        src_data_rank: 0; or None, if each process takes its own values.

    Raises:
        ValueError: for placements that do not fit.
        NotImplementedError: for another `src_data_rank`.
    """
    fn = "distribute_tensor"
    mesh = _mesh(device_mesh)
    placements = _check_placements(fn, placements, mesh, tensor.ndim)
    if any(isinstance(each, Partial) for each in placements):
        raise RuntimeError(
            f"`{fn}`: placements must be Shard or Replicate for a tensor. Received: {placements}."
        )
    if src_data_rank not in (0, None):
        raise NotImplementedError(
            f"`{fn}`: argument `src_data_rank` must be 0 or None. Received: {src_data_rank}."
        )
    whole: Any = tensor.detach()
    ranks = tuple(mesh.mesh.reshape(-1).tolist())
    if src_data_rank == 0 and len(ranks) > 1:
        with no_grad():
            whole = as_torch(broadcast_each([whole], ranks, ranks[0])[0])
    return DTensor(_cut_part(whole, mesh, placements), mesh, placements, whole.shape)


def _mesh(given: DeviceMesh | None) -> DeviceMesh:
    return init_device_mesh("cpu", (world.size,)) if given is None else given


def _check_placements(
    fn: str,
    given: Sequence[Placement] | None,
    mesh: DeviceMesh,
    ndim: int,
    before: tuple[Placement, ...] = (),
) -> tuple[Placement, ...]:
    """Return the placements, with dimensions counted from the first.

    Raises:
        ValueError: if they do not fit the mesh, or the tensor; or a term would have to be made of a whole.
    """
    placements: list[Any] = [Replicate()] * mesh.ndim if given is None else list(given)
    if len(placements) != mesh.ndim:
        raise ValueError(
            f"`{fn}`: `placements` must be {mesh.ndim}, one for each dimension of {mesh}. Received: {given}."
        )
    for i, each in enumerate(placements):
        if isinstance(each, Shard):
            if not -ndim <= each.dim < ndim:
                raise ValueError(f"`{fn}`: there is no dimension {each.dim} of {ndim}. Received: {given}.")
            placements[i] = Shard(each.dim % ndim)
        elif isinstance(each, Partial) and before and before[i] != each:
            raise ValueError(f"`{fn}`: a tensor does not become {each}. Received: {given}, of {before}.")
    kinds = {each.reduce_op for each in placements if isinstance(each, Partial)}
    if len(kinds) > 1:
        raise ValueError(f"`{fn}`: terms must have one reduction. Received: {given}.")
    return tuple(placements)


def _chunk(start: int, end: int, count: int, place: int) -> tuple[int, int]:
    """First and last place of what a process has along a dimension, as torch.chunk cuts it."""
    size = -(-(end - start) // count)
    return min(start + place * size, end), min(start + (place + 1) * size, end)


def _held_range(
    shape: Sequence[int], mesh: DeviceMesh, placements: Sequence[Placement], at: Any = None
) -> list[tuple[int, int]]:
    """First and last place, along each dimension of the tensor, of what the process at a place of the mesh has."""
    held = [(0, size) for size in shape]
    for placement, count, place in zip(
        placements, mesh.shape, at or mesh.get_coordinate() or (), strict=True
    ):
        if isinstance(placement, Shard):
            held[placement.dim] = _chunk(*held[placement.dim], count, place)
    return held


def offsets_of(tensor: DTensor) -> tuple[int, ...]:
    """Return the index at which this process's part of a DTensor begins, along each dimension."""
    return tuple(start for start, _ in _held_range(tensor.shape, tensor.device_mesh, tensor.placements))


def _cut_part(whole: Tensor, mesh: DeviceMesh, placements: Sequence[Placement]) -> Tensor:
    return whole[tuple(slice(*ends) for ends in _held_range(whole.shape, mesh, placements))].clone()


def _whole(local: Tensor, shape: Any, mesh: DeviceMesh, placements: Any, wanted: Any) -> Tensor:
    """Gather parts and add terms, but for terms that stay. Later dimensions of the mesh cut what earlier ones left."""
    placements = list(placements)
    for dim in reversed(range(mesh.ndim)):
        placement, count = placements[dim], mesh.shape[dim]
        ranks = _ranks(mesh, dim)
        if isinstance(placement, Partial) and wanted[dim] != placement:
            local = _reduce_terms(local, placement.reduce_op, ranks)
            placements[dim] = Replicate()
        elif isinstance(placement, Shard):
            axis = placement.dim
            start, end = _held_range(shape, mesh, [*placements[:dim], *[Replicate()] * (mesh.ndim - dim)])[
                axis
            ]
            filled = _pad_end(local, axis, -(-(end - start) // count))
            gathered = as_torch(parts.gather_parts(filled, ranks, axis))
            local = gathered.narrow(axis, 0, end - start)
            placements[dim] = Replicate()
    return local


def _ranks(mesh: DeviceMesh, dim: int) -> tuple[int, ...]:
    return tuple(groups.members("DTensor", mesh.get_group(dim).group_name))


def _reduce_terms(local: Tensor, reduction: str, ranks: tuple[int, ...]) -> Tensor:
    if reduction == "sum":
        return as_torch(parts.add_terms(local, ranks))
    if local.requires_grad and is_grad_enabled():
        raise NotImplementedError(
            f"`DTensor`: terms of which a gradient is wanted must be added. Received: Partial({reduction!r})."
        )
    with no_grad():
        return as_torch(operators.all_reduce(local, reduction, ranks))


def _pad_end(local: Tensor, axis: int, size: int) -> Tensor:
    """Pad a tensor with zeros at the end, up to a size."""
    missing = list(local.shape)
    missing[axis] = size - missing[axis]
    return cat([local, zeros(*missing, dtype=local.dtype)], axis) if missing[axis] else local
