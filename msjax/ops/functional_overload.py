"""The functions of `mint` that MindSpore overloads, under its inner name. `functional_overload.pyi` names them."""

from msjax.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
