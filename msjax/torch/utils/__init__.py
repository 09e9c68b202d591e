"""`torch.utils`. Names only."""

from functools import partial as _partial

from msjax.core.tensor.interchange import swap_tensors as swap_tensors
from msjax.public_api import torch_api as _torch_api
from msjax.torch.utils import checkpoint as checkpoint
from msjax.torch.utils import data as data

__getattr__ = _partial(_torch_api.lookup, "torch.utils")
