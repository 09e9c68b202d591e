"""MindSpore's module path of helpers for distributions; it has the names of its `utils`."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
