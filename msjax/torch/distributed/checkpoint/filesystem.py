"""`torch.distributed.checkpoint.filesystem`: write and read a sharded checkpoint in a folder.

It is PyTorch's: `.metadata` says which bytes of which file have what, and each process writes one file. New files get names
that are not in use, and `.metadata` is replaced when all are written: until then it names the earlier checkpoint's.
"""

import contextlib
import io
import itertools
import os
import pickle
import re
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msjax.files.atomic_write import write_file
from msjax.torch import serialization
from msjax.torch.distributed.checkpoint import metadata as formats
from msjax.torch.distributed.checkpoint.metadata import Metadata, MetadataIndex, StorageInfo

_METADATA = ".metadata"


def _local_path(path: str | os.PathLike) -> Path:
    if "://" in str(path):
        raise NotImplementedError(f"a checkpoint must be a folder of a file system. Received: {path!r}.")
    return Path(path)


class FileSystemWriter:
    """Folder that a checkpoint is saved to, by `torch.distributed.checkpoint.save`.

    Args:
        path: the folder, which is made if there is none.
        single_file_per_rank, sync_files, thread_count, per_thread_copy_ahead, cache_staged_state_dict: accepted; each
            process writes one file, to the disk.
        overwrite: whether an earlier checkpoint may be replaced.
        _extensions, serialization_format: must be None.

    Raises:
        NotImplementedError: for what is not supported.
    """

    def __init__(
        self, path: str | os.PathLike, single_file_per_rank: bool = True, sync_files: bool = True, thread_count: int = 1,
        per_thread_copy_ahead: int = 10_000_000, cache_staged_state_dict: bool = False, overwrite: bool = True,
        _extensions: Any = None, serialization_format: Any = None,
    ) -> None:  # fmt: skip
        if _extensions or serialization_format is not None:
            raise NotImplementedError(
                "`FileSystemWriter`: arguments `_extensions` and `serialization_format` must be None."
            )
        self.path, self.overwrite = _local_path(path), overwrite

    def prepare(self) -> None:
        """Make the folder; warn if it has a checkpoint, which will be replaced.

        Raises:
            RuntimeError: if it has a checkpoint, and must not.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        if (self.path / _METADATA).exists():
            if not self.overwrite:
                raise RuntimeError(f"Checkpoint already exists and {self.overwrite=}.")
            warnings.warn(
                f"Detected an existing checkpoint in {self.path}, overwriting since {self.overwrite=}.",
                stacklevel=7,
            )

    def write_items(
        self, number: int, items: Iterable[tuple[MetadataIndex, bytes]]
    ) -> dict[MetadataIndex, StorageInfo]:
        """Write this process's file; return where what lies.

        Args:
            number: of the process.
            items: what each part has.
        """
        there = set(os.listdir(self.path))
        name = next(name for i in itertools.count() if (name := f"__{number}_{i}.distcp") not in there)
        places: dict[MetadataIndex, StorageInfo] = {}

        def pieces() -> Iterator[bytes]:
            offset = 0
            for index, content in items:
                places[index] = StorageInfo(name, offset, len(content))
                offset += len(content)
                yield content

        write_file(str(self.path / name), pieces(), read_only=False)
        return places

    def finish(self, metadata: Metadata) -> None:
        """Make what was written the checkpoint, in one process; remove files of earlier ones."""
        write_file(str(self.path / _METADATA), [formats.encode(metadata)], read_only=False)
        used = {place.relative_path for place in metadata.storage_data.values()}
        for name in os.listdir(self.path):
            if re.fullmatch(r"__\d+_\d+\.distcp", name) and name not in used:
                with contextlib.suppress(OSError):
                    (self.path / name).unlink()


class FileSystemReader:
    """Folder that a checkpoint is loaded from, by `torch.distributed.checkpoint.load`. PyTorch may have written it.

    Args:
        path: the folder.
        _extension_registry: must be None.

    Raises:
        NotImplementedError: for what is not supported.
    """

    def __init__(self, path: str | os.PathLike, _extension_registry: Any = None) -> None:
        if _extension_registry is not None:
            raise NotImplementedError("`FileSystemReader`: argument `_extension_registry` must be None.")
        self.path = _local_path(path)

    def read_metadata(self) -> Metadata:
        """Return what the checkpoint has.

        Raises:
            FileNotFoundError: if there is none.
            pickle.UnpicklingError: if it cannot be read.
        """
        try:
            return formats.decode((self.path / _METADATA).read_bytes())
        except pickle.UnpicklingError as error:
            raise pickle.UnpicklingError(f"{self.path / _METADATA}: {error}.") from error

    def read_item(self, place: StorageInfo, weights_only: bool) -> Any:
        """Return what lies at a place.

        Args:
            place: where.
            weights_only: whether it is a tensor; else an object, whose classes run code.

        Raises:
            NotImplementedError: if it is packed.
            pickle.UnpicklingError: if the file is damaged.
        """
        if place.transform_descriptors:
            raise NotImplementedError(f"{place.relative_path} is packed by {place.transform_descriptors}.")
        with (self.path / place.relative_path).open("rb") as file:
            file.seek(place.offset)
            content = file.read(place.length)
        if len(content) < place.length:
            raise pickle.UnpicklingError(f"{self.path / place.relative_path} is cut off.")
        return serialization.load(io.BytesIO(content), weights_only=weights_only)


def choose(fn: str, argument: str, kind: type, folder: Any, given: Any) -> Any:
    """Return the writer or reader that the arguments name.

    Args:
        fn: what has the arguments.
        argument: name of that with the writer or reader.
        kind: what it must be.
        folder: the folder; it goes before.
        given: the writer or reader.

    Raises:
        RuntimeError: if both are None.
        NotImplementedError: for others.
    """
    if given is not None and not isinstance(given, kind):
        raise NotImplementedError(
            f"`{fn}`: argument `{argument}` must be a {kind.__name__}. Received: {given!r}."
        )
    if given is None and not folder:
        raise RuntimeError("`checkpoint_id` must be specified if storage_reader/storage_writer is None.")
    found: Any = kind(folder) if given is None else given
    if folder:
        found.path = _local_path(folder)
    return found
