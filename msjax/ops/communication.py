"""`ops.communication`: what MindSpore has in `mint.distributed` too. `communication.pyi` names it."""

from msjax.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
