"""Saving and loading checkpoints (`save_checkpoint`, `load_checkpoint` ...)."""

from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.public_api import placeholders
from msjax.train._convert import ckpt_to_safetensors as ckpt_to_safetensors
from msjax.train._convert import safetensors_to_ckpt as safetensors_to_ckpt
from msjax.train._load import load_checkpoint as load_checkpoint
from msjax.train._load import load_checkpoint_async as load_checkpoint_async
from msjax.train._load import load_param_into_net as load_param_into_net
from msjax.train._load import read_file as read_file
from msjax.train._mindir import export as export
from msjax.train._mindir import load as load
from msjax.train._save import async_ckpt_thread_status as async_ckpt_thread_status
from msjax.train._save import save_checkpoint as save_checkpoint

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


def __getattr__(name: str) -> Any:
    """Return a placeholder for what MindSpore has there and msjax does not have: checkpoints of distributed training."""
    return placeholders.missing(__name__)(name)
