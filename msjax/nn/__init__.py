"""Neural networks: Cells, layers, losses, optimizers and training wrappers. `__init__.pyi` lists the names."""

from msjax.nn.inner import inner_operators as _inner_operators  # noqa: F401 - gives Cells the attributes that it has
from msjax.public_api.stubs import attach

_PARTS = ("layer", "loss", "optim", "probability", "wrap")

__getattr__, __dir__, __all__ = attach(__name__, hidden=_PARTS)
