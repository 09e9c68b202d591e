"""MindSpore's `mindrecord`: record files with an index: writing, reading, conversion. `__init__.pyi` lists the names."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
