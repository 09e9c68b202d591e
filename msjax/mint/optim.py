"""`mint.optim`: optimizers with PyTorch's arithmetic. `optim.pyi` names them."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
