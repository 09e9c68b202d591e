"""Optimizers with PyTorch's parameter groups, and schedulers of their learning rates. `__init__.pyi` names them."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
