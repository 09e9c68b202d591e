"""Helpers for making networks. `__init__.pyi` names them."""

from msjax.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
