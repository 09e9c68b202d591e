"""`mindspore.common`: tensors, parameters, dtypes, seeds, initializers. `__init__.pyi` lists the names."""

from msjax.core.dtype import *  # noqa: F403
from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
