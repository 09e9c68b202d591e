"""Probability distributions, bijectors between them, and layers of Bayesian nets."""

from msjax.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
