"""Metrics: what `Model.eval` reports. `__init__.pyi` names them; they compute with NumPy on the host."""

from msjax.names.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
