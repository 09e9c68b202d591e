from msjax.core.tensor.tensor import Tensor as Tensor
from msjax.ops import auto_generate as auto_generate
from msjax.ops import communication as comm_func
from msjax.ops import communication as communication
from msjax.ops import composite as composite
from msjax.ops import functional as functional
from msjax.ops import functional_overload as functional_overload
from msjax.ops import gradient_clipping as clip_func
from msjax.ops import operations as operations
from msjax.ops.auto_generate import *
from msjax.ops.communication import *
from msjax.ops.functional import *
from msjax.ops.generated import gradients as _grad_ops
from msjax.ops.generated import inner as _inner_ops
from msjax.ops.operations import *
