"""`torch.storage`: the bytes of tensors and of files, as readers of checkpoints take them."""

from typing import Any, Self

import numpy as np

from msjax import ops
from msjax.ops.tensor_methods import storage
from msjax.torch.tensors.creation import device as named_device
from msjax.torch.tensors.tensor import Tensor


class UntypedStorage(storage.UntypedStorage):
    """Bytes: those of a tensor, of a file, or zeros. They are read; writing goes through tensors.

    Args:
        size: the number of bytes.
        device: of no effect.

    Examples:
        >>> from msjax import torch
        >>> bytes = torch.tensor([1.0, 2.0]).untyped_storage()
        >>> bytes.nbytes(), torch.asarray(bytes[4:8], dtype=torch.uint8).view(torch.float32)
        (8, tensor([2.]))
    """

    def __init__(self, size: int = 0, *, device: Any = None) -> None:
        self._held: Any = np.zeros(size, np.uint8)

    @classmethod
    def of(cls, owner: Any) -> Self:
        """Return the bytes of a tensor, as they are when they are read."""
        made = cls()
        made._owner, made._held = owner, None
        return made

    @classmethod
    def from_file(cls, filename: str, shared: bool = False, nbytes: int = 0) -> Self:
        """Return the bytes of a file, which is read where they are.

        Args:
            filename: the file.
            shared: must be False: what is written does not reach the file.
            nbytes: how many.

        Raises:
            NotImplementedError: if `shared` is True.
        """
        if shared:
            raise NotImplementedError(
                "`UntypedStorage.from_file`: argument `shared` must be False in msjax.torch."
            )
        made = cls()
        if nbytes:
            made._held = np.memmap(filename, np.uint8, "c", shape=(nbytes,))
        return made

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if self._held is not None:
            return np.asarray(self._held, dtype)
        values = np.ascontiguousarray(ops.reshape(self._owner.detach(), (-1,)).asnumpy())
        return np.asarray(values.view(np.uint8), dtype)

    def size(self) -> int:
        """Number of bytes."""
        return super().size() if self._held is None else self._held.size

    nbytes = __len__ = size

    def data_ptr(self) -> int:
        """Address of the first byte; of a view, that of the memory that it shows a part of."""
        return super().data_ptr() if self._held is None else self._held.ctypes.data

    @property
    def device(self) -> Any:
        """The device of tensors."""
        return named_device("cpu")

    def __getitem__(self, index: Any) -> Any:
        found = np.asarray(self)[index]
        if not isinstance(index, slice):
            return int(found)
        part = type(self)()
        part._held = found
        return part

    def untyped(self) -> Self:
        """Return the storage itself."""
        return self

    def tolist(self) -> list[int]:
        """Return the bytes as numbers."""
        return np.asarray(self).tolist()

    def __repr__(self) -> str:
        return f"[torch.storage.UntypedStorage(device=cpu) of size {self.size()}]"


Tensor.untyped_storage = lambda self: UntypedStorage.of(self)  # type: ignore[attr-defined]
