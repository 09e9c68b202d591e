"""MindSpore's `numpy`: functions after NumPy's, over Tensors. `__init__.pyi` names what it holds."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
