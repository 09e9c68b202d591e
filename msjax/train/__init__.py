"""Training: checkpoints, loss scale managers, networks that train themselves."""

from msjax.names.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
