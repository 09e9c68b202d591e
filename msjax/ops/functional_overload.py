"""Overloaded functions of `mint` under MindSpore's internal module name. `functional_overload.pyi` lists them."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
