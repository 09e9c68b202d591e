"""Versions: of the MindSpore API that is implemented, and of the package."""

__version__ = "2.10.0"
__msjax_version__ = "0.2.0"
