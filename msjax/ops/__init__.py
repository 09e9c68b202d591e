"""MindSpore's `ops`: names only. Each operator is one function, in the module of its family."""

from msjax.core.tensor import Tensor as Tensor
from msjax.ops import _known, _names
from msjax.ops import composite as composite
from msjax.ops import functional as functional
from msjax.ops import methods as _methods
from msjax.ops import operations as operations
from msjax.ops.functional import *  # noqa: F403
from msjax.ops.operations import *  # noqa: F403

_methods.install(Tensor)
__getattr__ = _names.missing(__name__, _known.OPS, lambda: globals())
