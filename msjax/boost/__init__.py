"""MindSpore's `boost`: gradient accumulation, gradient freezing. `__init__.pyi` lists the names."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
