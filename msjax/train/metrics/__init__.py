"""Metrics for `Model.eval`, computed with NumPy on the host. `__init__.pyi` lists the names."""

from msjax.names.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
