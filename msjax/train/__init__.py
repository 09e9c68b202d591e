"""Training: checkpoints, loss scale managers, networks that train themselves."""

from msjax.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
