"""Functions for own distributions, under the names of MindSpore's module."""

from msjax.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
