"""MindSpore's `rewrite`: editing of a network's source as nodes, and the network that results."""

from msjax.names.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
