"""Bayesian neural network layers: layers whose weights are distributions, and their loss."""

from msjax.names.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
