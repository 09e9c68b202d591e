"""PyTorch's names on the same engine (an imperative dialect that OneFlow shares). Names only."""

import importlib as _importlib
import sys as _sys
from typing import Any as _Any

from msjax.core import dtype as _dtypes
from msjax.core.autodiff.imperative import enable_grad as enable_grad
from msjax.core.autodiff.imperative import is_grad_enabled as is_grad_enabled
from msjax.core.autodiff.imperative import no_grad as no_grad
from msjax.core.autodiff.imperative import set_grad_enabled as set_grad_enabled
from msjax.public_api import torch_api as _torch_api
from msjax.torch import autograd as autograd
from msjax.torch import sparse as sparse
from msjax.torch.func import vmap as vmap
from msjax.torch.functions import basic as _functions
from msjax.torch.functions import finfo_and_modes as _words
from msjax.torch.functions import served_from_mint as _wider
from msjax.torch.functions import settings as _settings
from msjax.torch.random import Generator as Generator
from msjax.torch.random import default_generator as default_generator
from msjax.torch.random import get_rng_state as get_rng_state
from msjax.torch.random import initial_seed as initial_seed
from msjax.torch.random import manual_seed as manual_seed
from msjax.torch.random import seed as seed
from msjax.torch.random import set_rng_state as set_rng_state
from msjax.torch.serialization import load as load
from msjax.torch.serialization import save as save
from msjax.torch.sparse import sparse_coo as sparse_coo
from msjax.torch.sparse import sparse_coo_tensor as sparse_coo_tensor
from msjax.torch.sparse import sparse_csr as sparse_csr
from msjax.torch.sparse import sparse_csr_tensor as sparse_csr_tensor
from msjax.torch.sparse import spmm as dsmm  # noqa: F401
from msjax.torch.sparse import spmm as spmm
from msjax.torch.storage import UntypedStorage as UntypedStorage
from msjax.torch.tensor_methods import inplace_random_storage as _filling
from msjax.torch.tensor_methods import methods as _methods  # noqa: F401  gives Tensor its methods
from msjax.torch.tensor_methods import overrides as _overrides
from msjax.torch.tensors import call_conventions as _layouts
from msjax.torch.tensors import creation as _creating
from msjax.torch.tensors import dtypes as _kinds
from msjax.torch.tensors.tensor import Size as Size
from msjax.torch.tensors.tensor import Tensor as Tensor

_torch_api.load_answers = lambda: _importlib.import_module("msjax.torch.answers").answers
_wider.install()
_filling.install()
_overrides.install()
inf, nan, pi, e = float("inf"), float("nan"), 3.141592653589793, 2.718281828459045
__version__ = _settings.VERSION
float16 = half = _kinds.named("float16")
float32 = float = _kinds.named("float32")  # noqa: A001
float64 = double = _kinds.named("float64")
bfloat16 = _kinds.named("bfloat16")
float8_e4m3fn, float8_e5m2 = _kinds.named("float8_e4m3fn"), _kinds.named("float8_e5m2")
uint8, int8 = _kinds.named("uint8"), _kinds.named("int8")
uint16, uint32, uint64 = map(_kinds.named, ("uint16", "uint32", "uint64"))
int16 = short = _kinds.named("int16")
int32 = int = _kinds.named("int32")  # noqa: A001
int64 = long = _kinds.named("int64")
bool = _kinds.named("bool_")  # noqa: A001
complex64 = cfloat = _kinds.named("complex64")
complex128 = cdouble = _kinds.named("complex128")
strided, jagged, contiguous_format = _creating.strided, _creating.jagged, _creating.contiguous_format
channels_last = channels_last_3d = preserve_format = contiguous_format
dtype = _dtypes.DType
layout, memory_format = _layouts.Layout, _creating.MemoryFormat

globals().update({_name: getattr(_words, _name) for _name in _words.NAMES})
globals().update({_name: getattr(_settings, _name) for _name in _settings.NAMES})
globals().update({_name: getattr(_functions, _name) for _name in _functions.NAMES})
globals().update({_name: getattr(_creating, _name) for _name in _creating.NAMES})


def __getattr__(name: str) -> _Any:
    if name == "torch":
        return _sys.modules[__name__]
    if _torch_api.has_module(f"torch.{name}"):
        return _torch_api.module_named(f"torch.{name}")
    found = (
        _filling.make_legacy_constructor(name.removesuffix("Tensor"))
        if name in _filling.LEGACY
        else _wider.find_function(name)
    )
    globals()[name] = found
    return found
