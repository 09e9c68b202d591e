"""Cells that cut a batch into parts (`mindspore.parallel.nn`). `nn.pyi` names what it holds."""

from msjax.names.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
