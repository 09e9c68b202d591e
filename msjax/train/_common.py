"""Shared helpers of saving and loading checkpoints."""

from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor

SUFFIXES = {"ckpt": ".ckpt", "safetensors": ".safetensors"}


def check_types(owner: str, error: type[Exception], **values: tuple[Any, Any]) -> None:
    """Raise `error` for the first of the (value, type) pairs that do not go together."""
    for name, (value, kind) in values.items():
        if not isinstance(value, kind):
            wanted = getattr(kind, "__name__", str(kind))
            raise error(f"`{owner}`: argument `{name}` must be of type {wanted}. Received: {name}={value!r}.")


def as_tuple(inputs: Any) -> Any:
    """Wrap a single Tensor in a tuple; return anything else as it is."""
    return (inputs,) if isinstance(inputs, Tensor) else inputs


# What checkpoints call the dtypes, for programs that read and write them by themselves.
_FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.bfloat16)
tensor_to_ms_type = {
    str(dtype): dtype for dtype in (*dtypes.int_type, *dtypes.uint_type, *_FLOATS, dtypes.bool_)
}
tensor_to_ms_type |= {"str": dtypes.string, "Int4": dtypes.qint4x2}
np_type_convert = {name: getattr(np, name) for name in ("int32", "float32", "float16", "float64")}


def tensor_to_np_type(tensor_type_str: str) -> Any:
    """Return NumPy's type for what checkpoints call a dtype, or None.

    Examples:
        >>> from msjax.train.serialization import tensor_to_np_type
        >>> tensor_to_np_type("Float16")
        <class 'numpy.float16'>
    """
    if tensor_type_str == "str":
        return "U"
    dtype = tensor_to_ms_type.get(tensor_type_str)
    return None if dtype is None else dtypes.dtype_to_nptype(dtype)
