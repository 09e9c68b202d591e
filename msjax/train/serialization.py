"""Saving and loading checkpoints (`save_checkpoint`, `load_checkpoint` ...)."""

from typing import Any

from msjax.public_api import placeholders
from msjax.train._common import np_type_convert as np_type_convert
from msjax.train._common import tensor_to_ms_type as tensor_to_ms_type
from msjax.train._common import tensor_to_np_type as tensor_to_np_type
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


def __getattr__(name: str) -> Any:
    """Return a placeholder for what MindSpore has there and msjax does not have: checkpoints of distributed training."""
    return placeholders.missing(__name__)(name)
