"""MindSpore's top level, on JAX. `__init__.pyi` names what it holds."""

import gc as _gc
import importlib as _importlib
import os as _os

# Several processes are joined before the first array is made, which starts JAX's devices.
if {"MS_WORKER_NUM", "WORLD_SIZE"} & {*_os.environ}:
    from msjax.communication.world import join_at_start as _join_at_start

    _join_at_start()

# A hundred thousand objects are made here and in JAX, and none dies. Python's collector of cycles would look through
# them again and again, for a tenth of a second of the three quarters that the import takes (`benchmarks/engine.py`).
_collects = _gc.isenabled()
_gc.disable()
try:
    from msjax import ops as _ops  # noqa: F401  gives Tensor its methods, as do these
    from msjax.config import context as context
    from msjax.core import dtype as dtype
    from msjax.core.autodiff import hooks as _hooks  # noqa: F401
    from msjax.core.autodiff import imperative as _autograd  # noqa: F401
    from msjax.core.autograph import conversion as _conversion
    from msjax.core.dtype import *  # noqa: F403
    from msjax.core.tensor import construction as _construction
    from msjax.core.tensor.parameter import Parameter as Parameter
    from msjax.core.tensor.tensor import Tensor as Tensor
    from msjax.public_api import placeholders as _placeholders
    from msjax.public_api.stubs import attach
    from msjax.version import __msjax_version__ as __msjax_version__
    from msjax.version import __version__ as __version__
finally:
    if _collects:
        _gc.enable()

# A room knows no room above it by name. What it needs of one it gets here, and loads when it is needed.
_conversion.load_operators = lambda: _importlib.import_module("msjax.core.control.operators")
_construction.load_initializer = lambda: _importlib.import_module("msjax.common.initializer").initializer
_placeholders.load_generated = lambda: _importlib.import_module("msjax.ops.generated.functions")

__getattr__, __dir__, __all__ = attach(__name__)
