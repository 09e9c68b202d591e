"""Bayesian neural network layers: layers whose weights are distributions, and their loss."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
