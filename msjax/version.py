"""Two versions: the MindSpore API that is spoken here, and the package's own."""

__version__ = "2.10.0"
__msjax_version__ = "0.2.0"
