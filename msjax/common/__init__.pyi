from msjax.common import initializer as initializer
from msjax.common._grad_function import _Function as _Function
from msjax.config.compiler_hints import enable_dynamic as enable_dynamic
from msjax.config.compiler_hints import lazy_inline as lazy_inline
from msjax.config.compiler_hints import ms_memory_recycle as ms_memory_recycle
from msjax.config.compiler_hints import no_inline as no_inline
from msjax.config.compiler_hints import set_dump as set_dump
from msjax.config.compiler_hints import set_recursion_limit as set_recursion_limit
from msjax.core import dtype as dtype
from msjax.core.autodiff.imperative import no_grad as _no_grad
from msjax.core.autodiff.jvp_vjp_jacobian import recompute as recompute
from msjax.core.autodiff.saved_tensors_hooks import (
    register_saved_tensors_hooks as register_saved_tensors_hooks,
)
from msjax.core.autodiff.saved_tensors_hooks import saved_tensors_hooks as saved_tensors_hooks
from msjax.core.dtype import *
from msjax.core.jit.jit import JitConfig as JitConfig
from msjax.core.jit.jit import jit as jit
from msjax.core.jit.jit import jit_class as jit_class
from msjax.core.tensor.generator import Generator as Generator
from msjax.core.tensor.generator import default_generator as default_generator
from msjax.core.tensor.generator import get_rng_state as get_rng_state
from msjax.core.tensor.generator import initial_seed as initial_seed
from msjax.core.tensor.generator import manual_seed as manual_seed
from msjax.core.tensor.generator import seed as seed
from msjax.core.tensor.generator import set_rng_state as set_rng_state
from msjax.core.tensor.interchange import swap_tensors as swap_tensors
from msjax.core.tensor.parameter import Parameter as Parameter
from msjax.core.tensor.parameter import ParameterTuple as ParameterTuple
from msjax.core.tensor.random_state import get_seed as get_seed
from msjax.core.tensor.random_state import set_seed as set_seed
from msjax.core.tensor.scalar_inputs import mutable as mutable
from msjax.core.tensor.symbol import Symbol as Symbol
from msjax.core.tensor.tensor import Tensor as Tensor
from msjax.core.tensor.tensor import from_numpy as from_numpy
from msjax.core.tensor.tensor import tensor as tensor
from msjax.ops.math.casts import is_tensor as is_tensor
from msjax.ops.sparse.tensors import COOTensor as COOTensor
from msjax.ops.sparse.tensors import CSRTensor as CSRTensor
from msjax.ops.sparse.tensors import RowTensor as RowTensor
from msjax.ops.sparse.tensors import SparseTensor as SparseTensor
from msjax.ops.tensor_methods.storage import UntypedStorage as UntypedStorage
