"""`torch.distributed.checkpoint.save`: each process writes what it has."""

import io
import os
import uuid
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

from msjax.torch import serialization
from msjax.torch.distributed.checkpoint.filesystem import FileSystemWriter, choose
from msjax.torch.distributed.checkpoint.flattening import Path, flatten, is_tensor, part_of
from msjax.torch.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageInfo,
    StorageMeta,
    TensorProperties,
    TensorStorageMetadata,
)
from msjax.torch.distributed.checkpoint.processes import CheckpointException, Processes
from msjax.torch.distributed.checkpoint.stateful import Stateful
from msjax.torch.tensors.tensor import Size


class DefaultSavePlanner:
    """Settings of :func:`save`.

    Args:
        flatten_state_dict: must be True.
        flatten_sharded_tensors: accepted.
        dedup_replicated_tensors: accepted; what several processes have is written once.
        dedup_save_to_lowest_rank: whether the first of them writes it, and not the one that has least to write.
        enable_plan_caching: accepted, without effect.

    Raises:
        NotImplementedError: for what is not supported.
    """

    def __init__(
        self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True,
        dedup_replicated_tensors: bool | None = None, dedup_save_to_lowest_rank: bool = False,
        enable_plan_caching: bool = False,
    ) -> None:  # fmt: skip
        if not flatten_state_dict:
            raise NotImplementedError("`DefaultSavePlanner`: argument `flatten_state_dict` must be True.")
        self.to_lowest_rank = dedup_save_to_lowest_rank


def save(
    state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike | None = None, storage_writer: Any = None,
    planner: Any = None, process_group: Any = None, no_dist: bool = False, use_collectives: bool = True,
) -> Metadata:  # fmt: skip
    """Save a state dict to a folder, which has the checkpoint before until all is written. Every process must call it.

    Each process writes its parts of tensors; what several have, one of them writes.

    Args:
        state_dict: tensors and other objects, in nested dicts and lists; or what has a `state_dict`.
        checkpoint_id: the folder.
        storage_writer: a FileSystemWriter, in its place.
        planner: a DefaultSavePlanner.
        process_group: the processes. Default: all.
        no_dist: whether this process saves alone.
        use_collectives: must be True.

    Raises:
        RuntimeError: if no folder is named.
        CheckpointException: if a process could not write.
        NotImplementedError: for what is not supported.

    Examples:
        >>> import tempfile
        >>> from msjax import torch
        >>> from msjax.torch.distributed import checkpoint
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = checkpoint.save({"w": torch.ones(2), "step": 3}, checkpoint_id=folder, no_dist=True)
        ...     state = {"w": torch.zeros(2), "step": 0}
        ...     checkpoint.load(state, checkpoint_id=folder, no_dist=True)
        >>> state
        {'w': tensor([1., 1.]), 'step': 3}
    """
    return _Save(
        state_dict, checkpoint_id, storage_writer, planner, process_group, no_dist, use_collectives
    ).finish()


def async_save(
    state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike | None = None, storage_writer: Any = None,
    planner: Any = None, process_group: Any = None, async_checkpointer_type: Any = None, async_stager: Any = None,
    no_dist: bool = False, use_collectives: bool = True,
) -> Future:  # fmt: skip
    """Save a state dict as :func:`save` does, as it is now, while the program goes on.

    Several processes write before it returns: what they tell each other must not come between what the program communicates.

    Args:
        state_dict: tensors and other objects, as for :func:`save`.
        checkpoint_id: the folder.
        storage_writer: a FileSystemWriter, in its place.
        planner: a DefaultSavePlanner.
        process_group: the processes. Default: all.
        async_checkpointer_type: accepted; a thread writes.
        async_stager: accepted, without effect.
        no_dist: whether this process saves alone.
        use_collectives: must be True.

    Returns:
        A future, whose result is what :func:`save` returns.
    """
    begun = _Save(state_dict, checkpoint_id, storage_writer, planner, process_group, no_dist, use_collectives)
    if len(begun.processes.ranks) == 1:
        contents = list(begun.contents())
        pool = ThreadPoolExecutor(1)
        made = pool.submit(begun.finish, contents)
        pool.shutdown(wait=False)
        return made
    done: Future = Future()
    try:
        done.set_result(begun.finish())
    except CheckpointException as error:
        done.set_exception(error)
    return done


def save_state_dict(
    state_dict: dict[str, Any], storage_writer: Any, process_group: Any = None, coordinator_rank: int = 0,
    no_dist: bool = False, planner: Any = None,
) -> Metadata:  # fmt: skip
    """Save as :func:`save`, whose old name this is.

    Args:
        state_dict: tensors and other objects, as for :func:`save`.
        storage_writer: a FileSystemWriter.
        process_group: the processes. Default: all.
        coordinator_rank: accepted; the first process writes what all have to know.
        no_dist: whether this process saves alone.
        planner: a DefaultSavePlanner.
    """
    warnings.warn(
        "`save_state_dict` is deprecated and will be removed in future versions. Please use `save` instead.",
        FutureWarning,
        stacklevel=2,
    )
    return save(
        state_dict,
        storage_writer=storage_writer,
        process_group=process_group,
        no_dist=no_dist,
        planner=planner,
    )


class _Item(NamedTuple):
    """An object, or a part of a tensor, that a process can write; the part alone has a shape."""

    index: MetadataIndex
    path: Path
    size: Size | None = None
    sizes: Size = Size()
    dtype: Any = None

    @property
    def cost(self) -> int:
        return 1 if self.size is None else max(1, prod(self.sizes) * self.dtype.itemsize)


class _Save:
    """A save that has been planned: who writes what."""

    def __init__(
        self, state: Any, folder: Any, writer: Any, planner: Any, group: Any, alone: bool, use_collectives: bool
    ) -> None:  # fmt: skip
        fn = "torch.distributed.checkpoint.save"
        self.writer = choose(fn, "storage_writer", FileSystemWriter, folder, writer)
        settings = DefaultSavePlanner() if planner is None else planner
        if not isinstance(settings, DefaultSavePlanner) or not use_collectives:
            raise NotImplementedError(
                f"`{fn}`: `planner` must be a DefaultSavePlanner and `use_collectives` True. "
                f"Received: {planner!r} and {use_collectives}."
            )
        self.processes = Processes("save", group, alone)
        nested = {
            key: each.state_dict() if isinstance(each, Stateful) else each for key, each in state.items()
        }
        self.values: dict[MetadataIndex, Any] = {}
        self.items: dict[MetadataIndex, _Item] = {}
        able: dict[MetadataIndex, list[int]] = {}
        plans = self.processes.together("local_step", lambda: self._plan(nested))
        for number, plan in enumerate(plans):
            for item in plan:
                self.items.setdefault(item.index, item)
                able.setdefault(item.index, []).append(number)
        load = [0] * len(plans)
        self.own = []
        for index, numbers in able.items():
            chosen = numbers[0] if settings.to_lowest_rank else min(numbers, key=load.__getitem__)
            load[chosen] += self.items[index].cost
            if chosen == self.processes.number:
                self.own.append(index)

    def _plan(self, nested: dict[str, Any]) -> list[_Item]:
        self.writer.prepare()
        found = []
        for name, leaf in flatten(nested).items():
            value, item = leaf.value, _Item(MetadataIndex(name), leaf.path)
            if is_tensor(value):
                part = part_of(value)
                if part is None or (0 in part.local.shape and 0 not in part.size):
                    continue
                value = part.local.detach()
                index, sizes = MetadataIndex(name, Size(part.offsets)), Size(value.shape)
                item = _Item(index, leaf.path, Size(part.size), sizes, value.dtype)
            self.values[item.index] = value
            found.append(item)
        return found

    def contents(self) -> Iterator[tuple[MetadataIndex, bytes]]:
        """Return what this process writes: for each item a file of `torch.save`, as PyTorch does."""
        for index in self.own:
            content = io.BytesIO()
            serialization.save(self.values[index], content)
            yield index, content.getvalue()

    def finish(self, contents: Iterable[tuple[MetadataIndex, bytes]] | None = None) -> Metadata:
        """Write it; every process must call it.

        Args:
            contents: what :meth:`contents` gave earlier.
        """
        metadata = self._describe()

        def write() -> dict[MetadataIndex, StorageInfo]:
            _check(metadata)
            if not self.own:
                return {}
            return self.writer.write_items(
                self.processes.ranks[self.processes.number], self.contents() if contents is None else contents
            )

        metadata.storage_data = {
            replace(index, index=self._number(metadata, index)): place
            for places in self.processes.together("write_step", write)
            for index, place in places.items()
        }
        self.processes.together(
            "finish_step", lambda: self.writer.finish(metadata) if self.processes.number == 0 else None
        )
        return metadata

    def _describe(self) -> Metadata:
        found: dict[str, Any] = {}
        for index, item in self.items.items():
            if item.size is None:
                found[index.fqn] = BytesStorageMetadata()
                continue
            kept = found.setdefault(
                index.fqn, TensorStorageMetadata(TensorProperties(item.dtype), item.size, [])
            )
            kept.chunks.append(ChunkStorageMetadata(index.offset or Size(), item.sizes))
        paths = {index.fqn: item.path for index, item in self.items.items()}
        return Metadata(found, paths, {}, StorageMeta(str(self.writer.path), str(uuid.uuid4())), "1.0.0")

    @staticmethod
    def _number(metadata: Metadata, index: MetadataIndex) -> int | None:
        if index.offset is None:
            return None
        chunks = metadata.state_dict_metadata[index.fqn].chunks
        return next(i for i, chunk in enumerate(chunks) if chunk.offsets == index.offset)


def _check(metadata: Metadata) -> None:
    """Refuse tensors whose parts do not make up the whole.

    Raises:
        ValueError: for one.
    """
    for name, kept in metadata.state_dict_metadata.items():
        if isinstance(kept, TensorStorageMetadata):
            count = sum(prod(chunk.sizes) for chunk in kept.chunks)
            if count != prod(kept.size):
                raise ValueError(
                    f"the parts of {name} that the processes have are of {count} elements together, and the tensor of "
                    f"shape {tuple(kept.size)} of {prod(kept.size)}"
                )
