"""What `mindspore.common` holds: tensors, parameters, dtypes, seeds and initializers."""

from msjax.common import initializer as initializer
from msjax.core import dtype as dtype
from msjax.core.jit import JitConfig as JitConfig
from msjax.core.jit import jit as jit
from msjax.core.jit import jit_class as jit_class
from msjax.core.mutable import mutable as mutable
from msjax.core.parameter import Parameter as Parameter
from msjax.core.parameter import ParameterTuple as ParameterTuple
from msjax.core.random import get_rng_state as get_rng_state
from msjax.core.random import get_seed as get_seed
from msjax.core.random import set_rng_state as set_rng_state
from msjax.core.random import set_seed as set_seed
from msjax.core.tensor import Tensor as Tensor
from msjax.core.transforms import recompute as recompute
