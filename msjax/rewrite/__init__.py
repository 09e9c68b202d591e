"""MindSpore's `rewrite`: the source of a network as nodes that can be changed, and the network that comes of it."""

from msjax.names.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
