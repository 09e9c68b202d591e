"""Cells: networks, layers, losses, and what trains them. `__init__.pyi` names them."""

from msjax.lazy import attach

_PARTS = ("layer", "loss", "optim", "probability", "wrap")

__getattr__, __dir__, __all__ = attach(__name__, hidden=_PARTS)
