"""Cells around networks: with a loss, with an optimizer, with derivatives. `__init__.pyi` names them."""

from msjax.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
