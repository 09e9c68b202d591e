"""MindSpore's `parallel`: what programs ask about the distribution of their run. `__init__.pyi` names the rest."""

from msjax.names.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
