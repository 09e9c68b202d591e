"""`torch.distributed.device_mesh`: processes in rows and columns, each line a group."""

import math
from typing import Any

import numpy as np

from msjax.core.xla.collectives import world
from msjax.torch.distributed import process_groups
from msjax.torch.tensors.creation import tensor


class DeviceMesh:
    """Processes in an array. Each line along a dimension is a group, which communicates without the others.

    All processes must make it. `mesh["name"]` is the line, or the plane, of this process.

    Args:
        device_type: accepted: each process has the device that JAX gives it.
        mesh: the processes' numbers, in nested lists or an array.
        mesh_dim_names: names of the dimensions. Default: none.

    Raises:
        ValueError: if `init_process_group` has not been called, a number is no process or there twice, or there are not as
            many names as dimensions.

    Examples:
        >>> from msjax import torch
        >>> from msjax.torch.distributed.device_mesh import init_device_mesh
        >>> torch.distributed.init_process_group("gloo", init_method="tcp://localhost:1", world_size=1, rank=0)
        >>> mesh = init_device_mesh("cpu", (1, 1), mesh_dim_names=("replicate", "shard"))
        >>> mesh["shard"].size(), mesh.get_coordinate()
        (1, (0, 0))
        >>> torch.distributed.destroy_process_group()
    """

    def __init__(self, device_type: str, mesh: Any, *, mesh_dim_names: tuple[str, ...] | None = None) -> None:
        process_groups.get_default_group()
        self.device_type, self.mesh_dim_names = device_type, mesh_dim_names
        self._ranks = np.asarray(mesh, np.int32)
        flat = self._ranks.reshape(-1).tolist()
        if len(set(flat)) < len(flat) or not set(flat) <= set(range(world.size)):
            raise ValueError(
                f"`DeviceMesh`: argument `mesh` must have processes in [0, {world.size}), each once. Received: {flat}."
            )
        if mesh_dim_names is not None and len(mesh_dim_names) != self._ranks.ndim:
            raise ValueError(
                f"`DeviceMesh`: argument `mesh_dim_names` must have {self._ranks.ndim} names. Received: {mesh_dim_names}."
            )
        self._groups: list[Any] = []
        for dim in range(self._ranks.ndim):
            own = None
            lines = np.moveaxis(self._ranks, dim, -1).reshape(-1, self._ranks.shape[dim])
            for line in lines.tolist():  # all processes make all groups, in one order
                made = process_groups.new_group(line)
                own = made if world.rank in line else own
            self._groups.append(own)

    @classmethod
    def _of(cls, mesh: "DeviceMesh", dims: list[int]) -> "DeviceMesh":
        at = mesh.get_coordinate()
        if at is None:
            raise RuntimeError(f"`DeviceMesh`: process {world.rank} is none of {mesh}.")
        made = object.__new__(cls)
        made.device_type = mesh.device_type
        names = mesh.mesh_dim_names
        made.mesh_dim_names = None if names is None else tuple(names[dim] for dim in dims)
        index = tuple(slice(None) if dim in dims else place for dim, place in enumerate(at))
        made._ranks = mesh._ranks[index].transpose([sorted(dims).index(dim) for dim in dims])
        made._groups = [mesh._groups[dim] for dim in dims]
        return made

    def __getitem__(self, names: str | tuple[str, ...]) -> "DeviceMesh":
        """The part of the mesh with these dimensions that this process is in.

        Raises:
            KeyError: if there is no such dimension.
        """
        return self._of(self, [self._dim(name) for name in ((names,) if isinstance(names, str) else names)])

    def _dim(self, given: int | str | None) -> int:
        if given is None:
            if self.ndim > 1:
                raise RuntimeError(
                    f"`DeviceMesh`: a dimension must be named, of {self.mesh_dim_names or self.ndim}. Received: None."
                )
            return 0
        if isinstance(given, int):
            return given
        if given not in (self.mesh_dim_names or ()):
            raise KeyError(f"Invalid mesh_dim_name {given!r}: it must be one of {self.mesh_dim_names}.")
        return (self.mesh_dim_names or ()).index(given)

    @property
    def mesh(self) -> Any:
        """The processes' numbers, as a tensor of int32."""
        return tensor(self._ranks)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self._ranks.ndim

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions."""
        return self._ranks.shape

    def size(self, mesh_dim: int | None = None) -> int:
        """Number of processes, in all or along a dimension."""
        return self._ranks.size if mesh_dim is None else self._ranks.shape[mesh_dim]

    def get_group(self, mesh_dim: int | str | None = None) -> Any:
        """The processes of the line along a dimension that this one is in.

        Raises:
            RuntimeError: if there are several dimensions, and none is named.
            KeyError: if there is no such dimension.
        """
        return self._groups[self._dim(mesh_dim)]

    def get_all_groups(self) -> list[Any]:
        """The group of each dimension."""
        return list(self._groups)

    def get_rank(self) -> int:
        """Number of this process in the world."""
        return world.rank

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """Place of this process along a dimension.

        Raises:
            RuntimeError: if there are several dimensions, and none is named; or this process is not in the mesh.
        """
        at = self.get_coordinate()
        if at is None:
            raise RuntimeError(f"`DeviceMesh`: process {world.rank} is none of {self}.")
        return at[self._dim(mesh_dim)]

    def get_coordinate(self) -> tuple[int, ...] | None:
        """Place of this process; None if it is not in the mesh."""
        found = np.argwhere(self._ranks == world.rank)
        return tuple(found[0].tolist()) if len(found) else None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeviceMesh)
            and self.mesh_dim_names == other.mesh_dim_names
            and np.array_equal(self._ranks, other._ranks)
        )

    def __hash__(self) -> int:
        return hash((self._ranks.tobytes(), self._ranks.shape, self.mesh_dim_names))

    def __repr__(self) -> str:
        sizes = [str(n) for n in self.shape]
        if self.mesh_dim_names is not None:
            sizes = [f"{name}={n}" for name, n in zip(self.mesh_dim_names, sizes, strict=True)]
        told = ", ".join(sizes) + ("," if len(sizes) == 1 and self.mesh_dim_names is None else "")
        return f"DeviceMesh(({told}), {self.device_type!r})"


def init_device_mesh(
    device_type: str,
    mesh_shape: tuple[int, ...],
    *,
    mesh_dim_names: tuple[str, ...] | None = None,
    backend_override: Any = None,
) -> DeviceMesh:
    """Return a mesh of all processes, row by row. It calls `init_process_group` if nobody has.

    Args:
        device_type: accepted: each process has the device that JAX gives it.
        mesh_shape: sizes of the dimensions.
        mesh_dim_names: their names. Default: none.
        backend_override: accepted, without effect.

    Raises:
        RuntimeError: if the sizes do not make up the number of processes, or names are there twice or of another number.
    """
    if mesh_dim_names is not None and len(set(mesh_dim_names)) != len(mesh_dim_names):
        raise RuntimeError(f"Each mesh_dim_name must be unique. Received: {mesh_dim_names}.")
    if mesh_dim_names is not None and len(mesh_dim_names) != len(mesh_shape):
        raise RuntimeError(
            f"mesh_shape and mesh_dim_names must have the same length. Received: {mesh_shape}, {mesh_dim_names}."
        )
    if not process_groups.is_initialized():
        process_groups.init_process_group()
    if math.prod(mesh_shape) != world.size:
        raise RuntimeError(
            f"`init_device_mesh`: argument `mesh_shape` must make up {world.size} processes. Received: {mesh_shape}."
        )
    return DeviceMesh(device_type, np.arange(world.size).reshape(mesh_shape), mesh_dim_names=mesh_dim_names)
