"""MindSpore's inner names for the functions of `mint`, which its documentation uses. `auto_generate.pyi` names them."""

from msjax.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
