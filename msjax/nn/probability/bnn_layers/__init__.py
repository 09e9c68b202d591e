"""Layers whose weights are distributions, and what trains them."""

from msjax.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
