"""The collectives among MindSpore's operators. `collectives.pyi` names them."""

from msjax.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
