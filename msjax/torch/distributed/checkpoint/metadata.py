"""`torch.distributed.checkpoint.metadata`: what a checkpoint's folder has, in PyTorch's file `.metadata`."""

import io
import pickle
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from msjax.torch import serialization
from msjax.torch.serialization import Global, Reduced
from msjax.torch.tensors.tensor import Size


@dataclass
class ChunkStorageMetadata:
    """Place of a part in a tensor.

    Attributes:
        offsets: index at which it begins, along each dimension.
        sizes: its shape.
    """

    offsets: Size
    sizes: Size


@dataclass
class TensorProperties:
    """Properties of a tensor. All but the dtype are there for PyTorch."""

    dtype: Any = None
    layout: Any = None
    requires_grad: bool = False
    memory_format: Any = None
    pin_memory: bool = False

    def __getstate__(self) -> tuple:
        layout = Reduced(Global("torch.serialization", "_get_layout"), ("torch.strided",))
        contiguous = Reduced(Global("torch.distributed.checkpoint.metadata", "_MEM_FORMAT_ENCODING"), (0,))
        return self.dtype, layout, self.requires_grad, contiguous, self.pin_memory

    def __setstate__(self, state: tuple) -> None:
        self.dtype, self.layout, self.requires_grad, self.memory_format, self.pin_memory = state


@dataclass
class TensorStorageMetadata:
    """Dtype, shape and parts of a tensor.

    Attributes:
        properties: the dtype.
        size: the shape of the whole.
        chunks: its parts, each in one file.
    """

    properties: TensorProperties
    size: Size
    chunks: list[ChunkStorageMetadata]


@dataclass
class BytesStorageMetadata:
    """Mark of an object that is no tensor."""


@dataclass(frozen=True)
class MetadataIndex:
    """Name of what a file has: an object, or a part of a tensor.

    Attributes:
        fqn: name in the flat state dict.
        offset: index at which the part begins.
        index: number of the part.
    """

    fqn: str
    offset: Size | None = None
    index: int | None = field(hash=False, compare=False, default=None)


@dataclass
class StorageMeta:
    """Folder of a checkpoint, and a number of its own."""

    checkpoint_id: Any = None
    save_id: str | None = None
    load_id: str | None = None
    modules: list[str] = field(default_factory=list)


@dataclass
class StorageInfo:
    """Place of a part in the folder.

    Attributes:
        relative_path: the file.
        offset: first byte in it.
        length: number of bytes.
        transform_descriptors: what they went through; None here.
    """

    relative_path: str
    offset: int
    length: int
    transform_descriptors: Any = None


@dataclass
class Metadata:
    """All that is known about a checkpoint without its data.

    Attributes:
        state_dict_metadata: a TensorStorageMetadata or BytesStorageMetadata for each name of the flat state dict.
        planner_data: for each name, the keys that lead to it in the nested one.
        storage_data: for each MetadataIndex, where it lies.
        storage_meta: the folder.
        version: of PyTorch's format.
    """

    state_dict_metadata: dict[str, Any]
    planner_data: Any = None
    storage_data: Any = None
    storage_meta: StorageMeta | None = None
    version: str | None = None


_HERE = "torch.distributed.checkpoint.metadata"
_NAMES = {StorageInfo: ("torch.distributed.checkpoint.filesystem", "_StorageInfo")} | {
    kind: (_HERE, kind.__name__)
    for kind in (
        ChunkStorageMetadata,
        TensorProperties,
        TensorStorageMetadata,
        BytesStorageMetadata,
        MetadataIndex,
        StorageMeta,
        Metadata,
    )
}
_CLASSES = {name: kind for kind, (_, name) in _NAMES.items()}


class _Pickler(serialization.Pickler):
    def save_global(self, obj: Any, name: str | None = None) -> None:
        """Write a name; of these classes, PyTorch's."""
        if isinstance(obj, type) and obj in _NAMES:
            self.write("c{}\n{}\n".format(*_NAMES[obj]).encode())
        else:
            super().save_global(obj, name)


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """Resolve a name of the file; none of them runs code of the file's."""
        if module.startswith("torch.distributed.") and name in _CLASSES:
            return _CLASSES[name]
        if name in ("_get_layout", "_MEM_FORMAT_ENCODING", "MEM_FORMAT_ENCODING"):
            return lambda given: given
        if module.partition(".")[0] == "pathlib":
            return PurePosixPath
        if (module, name) == ("torch", "Size"):
            return Size
        if module == "torch" and name in serialization.STORED:
            return serialization.STORED[name]
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        raise pickle.UnpicklingError(f"the file names {module}.{name}, which no checkpoint of tensors needs")


def encode(metadata: Metadata) -> bytes:
    """Return the content of `.metadata`, which PyTorch reads too."""
    content = io.BytesIO()
    _Pickler(content).dump(metadata)
    return content.getvalue()


def decode(content: bytes) -> Metadata:
    """Read the content of `.metadata`.

    Raises:
        pickle.UnpicklingError: if it is something else.
    """
    try:
        found = _Unpickler(io.BytesIO(content)).load()
    except pickle.UnpicklingError:
        raise
    except Exception as error:  # whatever a damaged file leads to
        raise pickle.UnpicklingError(f"it is no such file, or damaged ({error})") from error
    if not isinstance(found, Metadata):
        raise pickle.UnpicklingError(f"it has a {type(found).__name__}")
    return found
