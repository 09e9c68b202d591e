"""MindSpore's `mint`: operators under PyTorch's signatures. `__init__.pyi` names them."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__, hidden=("Tensor", "functional"))
