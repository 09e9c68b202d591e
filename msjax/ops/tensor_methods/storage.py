"""Storage methods of Tensor: memory, device, file, and flags of MindSpore's runtime."""

# ruff: noqa: D417 - `self` is the tensor

from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from msjax.core import dtype as dtypes
from msjax.core.autodiff.hooks import HookHandle, list_hooks
from msjax.core.tensor.box import layout, root
from msjax.core.tensor.tensor import Tensor, concrete, resolve
from msjax.ops.array import creation, indexing, shapes
from msjax.ops.common import checks
from msjax.ops.linalg import decompositions
from msjax.ops.nn import convolution
from msjax.ops.state import side_effects
from msjax.ops.state.scatter_update import change


class UntypedStorage:
    """The memory of a Tensor, in bytes.

    Args:
        owner (Tensor): the Tensor.

    Examples:
        >>> import msjax as ms
        >>> ms.Tensor([1.0, 2.0]).untyped_storage().size()
        8
    """

    def __init__(self, owner: Tensor) -> None:
        if not isinstance(owner, Tensor):
            checks.fail(TypeError, "UntypedStorage", "owner", "be a Tensor", type(owner).__name__)
        self._owner = owner

    @property
    def _base(self) -> Tensor:
        return root(resolve(self._owner))

    def size(self) -> int:
        """Return the number of bytes; of a view, that of the memory that it shows a part of."""
        return self._base.nbytes

    nbytes = __len__ = size

    def data_ptr(self) -> int:
        """Return the address of the first byte; of a view, that of the memory that it shows a part of."""
        return data_ptr(self._base)

    def element_size(self) -> int:
        """Return 1: elements are bytes."""
        return 1

    @property
    def dtype(self) -> dtypes.DType:
        """uint8: elements are bytes."""
        return dtypes.uint8

    @property
    def device(self) -> str:
        """The kind of device that holds it."""
        return self._owner.device

    def is_shared(self) -> bool:
        """Return False: no memory is shared between processes."""
        return False

    def copy_(self, src: "UntypedStorage", non_blocking: bool = False) -> "UntypedStorage":
        """Copy the bytes of another storage of this size.

        Args:
            src (UntypedStorage): the other one.
            non_blocking (bool): accepted, without effect.

        Raises:
            ValueError: if it has another size.
        """
        if src.size() != self.size():
            checks.fail(ValueError, "copy_", "src", f"have {self.size()} bytes", src.size())
        own = self._base
        values = np.frombuffer(src._base.get_bytes(), dtypes.as_np(own.dtype)).reshape(own.shape)
        change("copy_", own, Tensor(values))
        return self


def data_ptr(self: Any) -> int:
    """Return the address of the first element; of a view, that in the memory that it shows a part of.

    Raises:
        RuntimeError: inside a compiled function.
    """
    concrete(self, "data_ptr")
    box = resolve(self)
    found = layout(box)
    shares = found is not None or (box._view is not None and box._view.detached)
    offset = 0 if found is None else found[1] * box._raw.dtype.itemsize
    return (root(box) if shares else box)._value.unsafe_buffer_pointer() + offset


def untyped_storage(self: Any) -> UntypedStorage:
    """Return the tensor's memory, in bytes."""
    return UntypedStorage(self)


def offload(self: Any, offload_path: str) -> bool:
    """Write the bytes of the tensor to a file; here they stay in memory too.

    Args:
        offload_path (str): the file.

    Returns:
        True.

    Raises:
        TypeError: if `offload_path` is not a str.
    """
    if not isinstance(offload_path, str):
        checks.fail(TypeError, "offload", "offload_path", "be a str", type(offload_path).__name__)
    np.asarray(concrete(self, "offload")).tofile(offload_path)
    self._offloaded = offload_path
    return True


def offload_file_path(self: Any) -> str:
    """Return the path of the file that `offload` wrote the tensor to, or ""."""
    return getattr(self, "_offloaded", "")


def is_meta(self: Any) -> bool:
    """Return True if the tensor was made with `device="meta"`: it has a shape and a dtype, its values are zeros."""
    return self.__dict__.get("_meta", False)


def delete_(self: Any, non_blocking: bool = False) -> Any:
    """Release the tensor's values; it keeps its shape and dtype, and is zero until others are assigned.

    Args:
        non_blocking (bool): accepted, without effect.

    Returns:
        The tensor.

    Raises:
        ValueError: if `non_blocking` is not a bool.
    """
    if not isinstance(non_blocking, bool):
        checks.fail(ValueError, "delete_", "non_blocking", "be a bool", non_blocking)
    return self.assign_value(creation.zeros(self.shape, self.dtype))


def remove_hook(self: Any, handle: Any) -> None:
    """Remove a hook that `register_hook` added; the same as `handle.remove()`.

    Args:
        handle: what `register_hook` returned.

    Raises:
        TypeError: if it is anything else.
    """
    if not isinstance(handle, HookHandle):
        checks.fail(
            TypeError, "remove_hook", "handle", "be what `register_hook` returned", type(handle).__name__
        )
    handle.remove()


def assign_value_cpp(self: Any, value: Any) -> Any:
    """Return the same as `assign_value`.

    Args:
        value (Tensor): the values.
    """
    return self.assign_value(value)


def convert_bytes_to_tensor(bytes_data: bytes, tensor_shape: Any, tensor_type: Any) -> Tensor:
    """Return a Tensor from what `get_bytes` gave.

    Args:
        bytes_data (bytes): the elements.
        tensor_shape (tuple[int]): the shape.
        tensor_type (mindspore.dtype): the dtype.

    Returns:
        Tensor.

    Raises:
        ValueError: if there are not as many bytes.
    """
    values = np.frombuffer(bytes_data, dtypes.as_np(tensor_type))
    return Tensor.from_array(jax.numpy.asarray(values.reshape(tuple(tensor_shape))))


def set_(self: Any, source: Any = None) -> Any:
    """Set elements, shape and dtype to those of another tensor; without one, become empty.

    Args:
        source (Tensor, None): the other one.
    """
    return self.assign_value(creation.zeros((0,), self.dtype) if source is None else source)


def to_(self: Any, device: Any = None, non_blocking: bool = False) -> Any:
    """Move the tensor to another device, in place.

    Args:
        device (str, None): "CPU", "Ascend", "GPU" or "npu". Default: where it is.
        non_blocking (bool): accepted; JAX waits when values are asked for.
    """
    if device is not None and not isinstance(self.array, Tracer):
        change("to_", self, side_effects.move_to(self, device.split(":")[0]))
    return self


def reshape_(input: Tensor, shape: Any) -> Tensor:
    """Change the shape of a Tensor in place.

    Args:
        input (Tensor): of any dtype.
        shape (tuple[int]): the new shape; one size may be -1.

    Returns:
        `input`.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([1, 2, 3, 4])
        >>> ms.ops.reshape_(x, (2, 2)).shape, x.shape
        ((2, 2), (2, 2))
    """
    return input.assign_value(shapes.reshape(input, shape))


# ---------------------------------------------------------------------- flags and hooks of MindSpore's runtime


def no(self: Any) -> bool:
    """False: it says something of MindSpore's memory that does not come up here."""
    return False


def yes(self: Any) -> bool:
    """True: values are made when the tensor is."""
    return True


def zero(self: Any) -> int:
    """0: draws differ by the random state alone."""
    return 0


def none(self: Any, *args: Any) -> None:
    """Do nothing: it steers MindSpore's runtime.

    Args:
        args: accepted.
    """


def itself(self: Any) -> Any:
    """Return the tensor: it steers where and how MindSpore's runtime holds it."""
    return self


def set_const_arg(self: Any, const_arg: bool = True) -> Any:
    """Return the tensor: what is constant in a compiled function shows when it is traced.

    Args:
        const_arg (bool): kept as an attribute.
    """
    self.const_arg = const_arg
    return self


def hooks(self: Any) -> list:
    """Return the hooks that `register_hook` attached, in order."""
    return list_hooks(self)


# ---------------------------------------------------------------------- functions under another signature


def index_of(self: Any, indices: tuple) -> Any:
    """Return the elements at positions that Tensors give, one for each of the first axes.

    Args:
        indices (tuple[Tensor], list[Tensor]): the positions.
    """
    if not isinstance(indices, tuple | list) or not all(isinstance(i, Tensor) for i in indices):
        checks.fail(TypeError, "index", "indices", "be a tuple of Tensors", indices)
    return indexing.getitem(self, tuple(indices))


def qr(self: Any, some: bool = True) -> Any:
    """Return a matrix with orthonormal columns and an upper triangular one, whose product is this (see `ops.qr`).

    Args:
        some (bool): only as many columns as the smaller size.
    """
    return decompositions.qr(self, "reduced" if some else "complete")


def col2im(
    self: Any, output_size: Any, kernel_size: Any, dilation: Any, padding_value: Any, stride: Any
) -> Any:
    """Put blocks back to their places, adding them where they overlap (`ops.fold` with the blocks' axis apart).

    Args:
        output_size (int, tuple[int], Tensor): sizes of the result.
        kernel_size (int, tuple[int]): sizes of a block.
        dilation (int, tuple[int]): steps within a block.
        padding_value (int, tuple[int]): margins.
        stride (int, tuple[int]): steps between blocks.
    """
    n, c, block, length = self.shape
    flat = shapes.reshape(self, (n, c * block, length))
    return convolution.fold(flat, output_size, kernel_size, dilation, padding_value, stride)
