"""`mint.nn.functional`: what layers compute, under PyTorch's signatures. `functional.pyi` names them."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
