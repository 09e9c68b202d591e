"""MindSpore's `ops.composite`: names only."""

from msjax.core.composite import HyperMap as HyperMap
from msjax.core.composite import Map as Map
from msjax.core.composite import MultitypeFuncGraph as MultitypeFuncGraph
from msjax.core.grad import GradOperation as GradOperation
from msjax.ops.aliases import repeat_elements as repeat_elements
from msjax.ops.clip import clip_by_global_norm as clip_by_global_norm
from msjax.ops.clip import clip_by_value as clip_by_value
from msjax.ops.creation import ones_like as ones_like
from msjax.ops.creation import zeros_like as zeros_like
from msjax.ops.joining import repeat_interleave as repeat_interleave
from msjax.ops.linalg import dot as dot
from msjax.ops.linalg import matmul as matmul
from msjax.ops.linalg import mm as mm
from msjax.ops.linalg import tensor_dot as tensor_dot
from msjax.ops.linalg import vecdot as vecdot
from msjax.ops.random import normal as normal
from msjax.ops.random import uniform as uniform
from msjax.ops.random_family import gamma as gamma
from msjax.ops.random_family import laplace as laplace
from msjax.ops.random_family import multinomial as multinomial
from msjax.ops.random_family import poisson as poisson
from msjax.ops.reduction import count_nonzero as count_nonzero
from msjax.ops.scan import cummin as cummin
