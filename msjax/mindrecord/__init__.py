"""MindSpore's `mindrecord`: how its files are encrypted. What reads and writes them is missing, and says so."""

from msjax.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
