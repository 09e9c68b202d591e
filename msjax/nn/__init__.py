"""Cells: networks, layers, losses, and what trains them. `__init__.pyi` names them."""

from msjax.lazy import attach

__getattr__, __dir__, _names = attach(__name__)
__all__ = [name for name in _names if name not in ("layer", "loss", "optim", "probability", "wrap")]
