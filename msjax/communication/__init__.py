"""MindSpore's `communication`, for one process that drives all its devices. `__init__.pyi` lists the names."""

from msjax.names.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
