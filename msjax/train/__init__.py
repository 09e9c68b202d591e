"""Training: checkpoints."""

from msjax.train.serialization import async_ckpt_thread_status as async_ckpt_thread_status
from msjax.train.serialization import ckpt_to_safetensors as ckpt_to_safetensors
from msjax.train.serialization import load_checkpoint as load_checkpoint
from msjax.train.serialization import load_checkpoint_async as load_checkpoint_async
from msjax.train.serialization import load_param_into_net as load_param_into_net
from msjax.train.serialization import safetensors_to_ckpt as safetensors_to_ckpt
from msjax.train.serialization import save_checkpoint as save_checkpoint
