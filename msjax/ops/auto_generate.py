"""MindSpore's inner names for the functions of `mint`, which its documentation uses. `auto_generate.pyi` names them.

Its other names, of generated operators, are found by their spelling: see `generated`.
"""

from msjax.lazy import attach
from msjax.ops.generated import lookup

__getattr__, __dir__, __all__ = attach(__name__, missing=lookup)
