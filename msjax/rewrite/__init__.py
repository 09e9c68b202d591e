"""MindSpore's `rewrite`: values in the source of a network. What changes the source itself is missing."""

from msjax.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
