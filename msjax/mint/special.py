"""`mint.special`: special functions under PyTorch's signatures. `special.pyi` names them."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
