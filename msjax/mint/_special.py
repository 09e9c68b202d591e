"""Names of `mint.special` whose signature is not that of the same name elsewhere (see `_tables`)."""

from msjax.mint._tables import attach

__getattr__, __dir__ = attach(__name__, "round(input) -> ops.math.rounding.round")
