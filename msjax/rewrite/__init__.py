"""MindSpore's `rewrite`: editing of a network's source as nodes, and the network that results."""

from msjax.public_api.stubs import attach
from msjax.rewrite import symbol_tree as _symbol_tree  # noqa: F401 - lets nodes build trees

__getattr__, __dir__, __all__ = attach(__name__)
