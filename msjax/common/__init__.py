"""What `mindspore.common` holds: tensors, parameters, dtypes, seeds and initializers. `__init__.pyi` names it."""

from msjax.core.dtype import *  # noqa: F403
from msjax.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
