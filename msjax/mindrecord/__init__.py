"""MindSpore's `mindrecord`: files of rows with an index beside them, written, read, and made of other files."""

from msjax.names.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
