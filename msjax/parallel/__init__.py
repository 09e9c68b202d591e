"""MindSpore's `parallel`: settings and queries of distributed runs. `__init__.pyi` lists the rest."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
