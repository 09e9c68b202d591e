"""Micro-batch Cells (`mindspore.parallel.nn`). `nn.pyi` lists the names."""

from msjax.names.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
