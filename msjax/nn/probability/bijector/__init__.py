"""Bijectors: differentiable invertible maps that transform distributions."""

import importlib as _importlib

from msjax.nn.probability.bijector import bijector as _bijector
from msjax.public_api.stubs import attach

_TRANSFORMED = "msjax.nn.probability.distribution.transformed"
_bijector.load_transformed = lambda: _importlib.import_module(_TRANSFORMED).TransformedDistribution

__getattr__, __dir__, __all__ = attach(__name__)
