"""Names of `ops.auto_generate`: functions of `mint` under MindSpore's internal names. `auto_generate.pyi` lists them.

Its other names, of generated operators, are found by their spelling: see `generated.functions`.
"""

from msjax.ops.generated.functions import lookup
from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__, missing=lookup)
