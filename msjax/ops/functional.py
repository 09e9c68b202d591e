"""MindSpore's functional operators. `functional.pyi` names them; `msjax.ops` has them too."""

from msjax.lazy import attach
from msjax.ops._names import missing

__getattr__, __dir__, __all__ = attach(__name__, missing(__name__))
