"""Cell, the base class of networks (`mindspore.nn.cell`). `__init__.pyi` names what is public."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
