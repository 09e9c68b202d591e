"""`torch.distributed.checkpoint.load`: each process reads what it has parts of, whoever wrote them."""

import math
import os
import pickle
import warnings
from typing import Any

import jax.numpy as jnp
import numpy as np

from msjax.core.dtype import as_np
from msjax.core.tensor.tensor import resolve, wrap
from msjax.torch.distributed.checkpoint.filesystem import FileSystemReader, choose
from msjax.torch.distributed.checkpoint.flattening import Leaf, flatten, is_tensor, part_of, place, write
from msjax.torch.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    Metadata,
    MetadataIndex,
    TensorStorageMetadata,
)
from msjax.torch.distributed.checkpoint.processes import Processes
from msjax.torch.distributed.checkpoint.stateful import Stateful
from msjax.torch.tensors.tensor import Tensor, as_torch


class DefaultLoadPlanner:
    """Settings of :func:`load`.

    Args:
        flatten_state_dict: must be True.
        flatten_sharded_tensors: accepted.
        allow_partial_load: whether what the checkpoint does not have stays as it is.

    Raises:
        NotImplementedError: for what is not supported.
    """

    def __init__(
        self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True, allow_partial_load: bool = False
    ) -> None:  # fmt: skip
        if not flatten_state_dict:
            raise NotImplementedError("`DefaultLoadPlanner`: argument `flatten_state_dict` must be True.")
        self.allow_partial_load = allow_partial_load


def load(
    state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike | None = None, storage_reader: Any = None,
    planner: Any = None, process_group: Any = None, no_dist: bool = False,
) -> None:  # fmt: skip
    """Load what :func:`save`, or PyTorch's, wrote, in place. Every process must call it; more or fewer may have written.

    Objects that are no tensors are unpickled, which may run code of the file's: load folders that you trust.

    Args:
        state_dict: says what is loaded; tensors are written, other objects replaced. What has a `state_dict` is given it
            with `load_state_dict`.
        checkpoint_id: the folder.
        storage_reader: a FileSystemReader, in its place.
        planner: a DefaultLoadPlanner.
        process_group: the processes. Default: all.
        no_dist: whether this process loads alone.

    Raises:
        RuntimeError: if no folder is named.
        CheckpointException: if a process could not read, or the checkpoint does not have what it wants.
        NotImplementedError: for what is not supported.
    """
    fn = "torch.distributed.checkpoint.load"
    reader = choose(fn, "storage_reader", FileSystemReader, checkpoint_id, storage_reader)
    settings = DefaultLoadPlanner() if planner is None else planner
    if not isinstance(settings, DefaultLoadPlanner):
        raise NotImplementedError(
            f"`{fn}`: argument `planner` must be a DefaultLoadPlanner. Received: {planner!r}."
        )
    processes = Processes("load", process_group, no_dist)
    keys = sorted({key for keys in processes.together("keys_step", lambda: list(state_dict)) for key in keys})
    wanted = {}
    for key in keys:  # in one order: to make a state dict may communicate
        if key in state_dict:
            value = state_dict[key]
            wanted[key] = value.state_dict() if isinstance(value, Stateful) else value
    leaves: dict[str, Leaf] = {}
    found: list[Metadata] = []

    def check() -> None:
        found.append(reader.read_metadata())
        leaves.update(flatten(wanted))
        for name in list(leaves):
            kept = found[0].state_dict_metadata.get(name)
            if kept is not None:
                _check(name, leaves[name].value, kept)
            elif settings.allow_partial_load:
                del leaves[name]
            else:
                raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")

    def read() -> None:
        for name, leaf in leaves.items():
            _load_leaf(reader, found[0], name, leaf)

    processes.together("local_step", check)
    processes.together("read", read)
    for key in keys:
        if key in state_dict and isinstance(state_dict[key], Stateful):
            state_dict[key].load_state_dict(wanted[key])
        elif key in state_dict:
            state_dict[key] = wanted[key]


def load_state_dict(
    state_dict: dict[str, Any], storage_reader: Any, process_group: Any = None, coordinator_rank: int = 0,
    no_dist: bool = False, planner: Any = None,
) -> None:  # fmt: skip
    """Load as :func:`load`, whose old name this is.

    Args:
        state_dict: says what is loaded, as for :func:`load`.
        storage_reader: a FileSystemReader.
        process_group: the processes. Default: all.
        coordinator_rank: accepted, without effect.
        no_dist: whether this process loads alone.
        planner: a DefaultLoadPlanner.
    """
    warnings.warn(
        "`load_state_dict` is deprecated and will be removed in future versions. Please use `load` instead.",
        FutureWarning,
        stacklevel=2,
    )
    load(
        state_dict,
        storage_reader=storage_reader,
        process_group=process_group,
        no_dist=no_dist,
        planner=planner,
    )


def _check(name: str, value: Any, kept: Any) -> None:
    """Refuse what the checkpoint does not have.

    Raises:
        ValueError: for a tensor of another shape, or an object where a tensor was saved.
    """
    if isinstance(kept, TensorStorageMetadata):
        if not is_tensor(value):
            raise ValueError(
                f"Invalid checkpoint metadata for {name}, expected BytesStorageMetadata but found {type(kept)}"
            )
        part = part_of(value)
        if part is not None and part.size != tuple(kept.size):
            raise ValueError(
                f"Size mismatch between saved {kept.size} and current: {type(kept.size)(part.size)} for {name}"
            )


def _load_leaf(reader: FileSystemReader, metadata: Metadata, name: str, leaf: Leaf) -> None:
    kept = metadata.state_dict_metadata[name]
    if isinstance(kept, BytesStorageMetadata):
        leaf.holder[leaf.key] = reader.read_item(
            metadata.storage_data[MetadataIndex(name)], weights_only=False
        )
        return
    part = part_of(leaf.value)
    if part is not None and 0 not in part.local.shape:
        write(leaf.value, _read_part(reader, metadata, name, part.offsets, tuple(part.local.shape)))


def _read_part(
    reader: FileSystemReader, metadata: Metadata, name: str, offsets: tuple[int, ...], shape: tuple[int, ...]
) -> Tensor:
    """Read a part of a tensor from the files' parts that have some of it.

    Raises:
        pickle.UnpicklingError: if a file has another shape than `.metadata` says, or none has some of the part.
    """
    count = 0
    filled = np.empty(shape, as_np(metadata.state_dict_metadata[name].properties.dtype))
    for chunk in metadata.state_dict_metadata[name].chunks:
        begins = [max(a, b) for a, b in zip(offsets, chunk.offsets, strict=True)]
        ends = [
            min(a + n, b + m) for a, n, b, m in zip(offsets, shape, chunk.offsets, chunk.sizes, strict=True)
        ]
        if all(begin < end for begin, end in zip(begins, ends, strict=True)):
            lies = metadata.storage_data[MetadataIndex(name, chunk.offsets)]
            given = np.asarray(resolve(reader.read_item(lies, weights_only=True))._value)
            if given.shape != tuple(chunk.sizes):
                raise pickle.UnpicklingError(
                    f"{lies.relative_path} has a part of {name} of shape {given.shape}, where `.metadata` says "
                    f"{tuple(chunk.sizes)}."
                )
            filled[_slices(begins, ends, offsets)] = given[_slices(begins, ends, chunk.offsets)]
            count += math.prod(end - begin for begin, end in zip(begins, ends, strict=True))
    if count != filled.size:
        raise pickle.UnpicklingError(
            f"the checkpoint has {count} elements of {name} where {filled.size} of them are wanted."
        )
    return as_torch(wrap(jnp.asarray(filled)))


def _slices(begins: list[int], ends: list[int], offsets: Any) -> tuple[slice, ...]:
    return tuple(slice(a - at, b - at) for a, b, at in zip(begins, ends, offsets, strict=True))


def load_all(path: str | os.PathLike) -> dict[str, Any]:
    """Return all that a checkpoint's folder has, as a nested state dict of whole tensors."""
    reader = FileSystemReader(path)
    metadata = reader.read_metadata()
    root: dict[str, Any] = {}
    for name, kept in metadata.state_dict_metadata.items():
        if isinstance(kept, TensorStorageMetadata):
            value = _read_part(reader, metadata, name, (0,) * len(kept.size), tuple(kept.size))
        else:
            value = reader.read_item(metadata.storage_data[MetadataIndex(name)], weights_only=False)
        place(root, metadata.planner_data[name], value)
    return root
