"""MindSpore's experimental modules: optimizers whose groups can be changed while training. `__init__.pyi` names them."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
