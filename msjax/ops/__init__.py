"""Operators: MindSpore's `ops`. `__init__.pyi` lists the names; each operator is one function in its family's module."""

from msjax.core.tensor.tensor import Tensor as _Tensor
from msjax.ops.tensor_methods import table as _methods
from msjax.public_api.stubs import attach

_methods.install(_Tensor)
__getattr__, __dir__, __all__ = attach(__name__)
