"""Names of `mint.special` whose signature is not that of the same name elsewhere (see `_tables`)."""

from msjax.mint._adapt import attach

ROWS: dict[str, tuple[str, ...]] = {"round": ("ops.math.rounding.round", "(input)")}

__getattr__ = attach(__name__, ROWS)
