"""MindSpore's top level, on JAX: names only."""

import importlib as _importlib
from typing import Any as _Any

from msjax import common as common
from msjax import nn as nn
from msjax import ops as ops
from msjax.core import context as context
from msjax.core import dtype as dtype
from msjax.core.autograd import enable_grad as enable_grad
from msjax.core.autograd import is_grad_enabled as is_grad_enabled
from msjax.core.autograd import no_grad as no_grad
from msjax.core.autograd import set_grad_enabled as set_grad_enabled
from msjax.core.context import GRAPH_MODE as GRAPH_MODE
from msjax.core.context import PYNATIVE_MODE as PYNATIVE_MODE
from msjax.core.context import get_context as get_context
from msjax.core.context import reset_context as reset_context
from msjax.core.context import set_context as set_context
from msjax.core.context import set_deterministic as set_deterministic
from msjax.core.context import set_device as set_device
from msjax.core.dtype import *  # noqa: F403
from msjax.core.grad import get_grad as get_grad
from msjax.core.grad import grad as grad
from msjax.core.grad import value_and_grad as value_and_grad
from msjax.core.jit import JitConfig as JitConfig
from msjax.core.jit import constexpr as constexpr
from msjax.core.jit import jit as jit
from msjax.core.jit import jit_class as jit_class
from msjax.core.jit import ms_class as ms_class
from msjax.core.jit import ms_function as ms_function
from msjax.core.mutable import mutable as mutable
from msjax.core.parameter import Parameter as Parameter
from msjax.core.parameter import ParameterTuple as ParameterTuple
from msjax.core.random import get_rng_state as get_rng_state
from msjax.core.random import get_seed as get_seed
from msjax.core.random import set_rng_state as set_rng_state
from msjax.core.random import set_seed as set_seed
from msjax.core.tensor import Tensor as Tensor
from msjax.core.tensor import from_numpy as from_numpy
from msjax.core.tensor import tensor as tensor
from msjax.core.transforms import jacfwd as jacfwd
from msjax.core.transforms import jacrev as jacrev
from msjax.core.transforms import jvp as jvp
from msjax.core.transforms import recompute as recompute
from msjax.core.transforms import vjp as vjp
from msjax.core.transforms import vmap as vmap
from msjax.version import __msjax_version__ as __msjax_version__
from msjax.version import __version__ as __version__

_MODULES = frozenset({"amp", "dataset", "interop", "mint", "numpy", "scipy", "torch", "train", "alias"})
_LAZY = {
    "install_as": "alias",
    "uninstall": "alias",
    "save_checkpoint": "train",
    "load_checkpoint": "train",
    "load_param_into_net": "train",
    "load_checkpoint_async": "train",
    "async_ckpt_thread_status": "train",
    "ckpt_to_safetensors": "train",
    "safetensors_to_ckpt": "train",
    "LossScaleManager": "train",
    "FixedLossScaleManager": "train",
    "DynamicLossScaleManager": "train",
    "build_train_network": "train",
}


def __getattr__(name: str) -> _Any:
    """Modules that not every program needs are loaded when they are first asked for."""
    if name in _MODULES:
        return _importlib.import_module(f"msjax.{name}")
    if name in _LAZY:
        return getattr(_importlib.import_module(f"msjax.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'msjax' has no attribute {name!r}")
