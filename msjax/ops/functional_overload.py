"""Overloaded functions of `mint` under MindSpore's internal module name. `functional_overload.pyi` lists them."""

from msjax.names.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
