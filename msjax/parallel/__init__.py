"""MindSpore's `parallel`: what programs ask about the distribution of their run. Its public names are placeholders."""

from msjax.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
