"""Differentiable maps that have an inverse, and turn one distribution into another."""

from msjax.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
