"""MindSpore's `mindrecord`: record files with an index: writing, reading, conversion. `__init__.pyi` lists the names."""

from msjax.names.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
