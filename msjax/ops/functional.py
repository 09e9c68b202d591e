"""Functional operators: MindSpore's `ops.functional`. `functional.pyi` lists them; `msjax.ops` has them too."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
