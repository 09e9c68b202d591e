"""MindSpore's settings of its graph compiler. The modules of that path are parts of `msjax.core`; `alias` knows which."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
