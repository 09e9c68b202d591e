"""`Symbol`: a dynamic size in a shape. Every actual size compiles a program of its own here."""

from typing import Any


class Symbol:
    """A size that is not known yet, with its constraints, for `Cell.set_inputs` and shapes of Tensors.

    Args:
        max: the greatest; 0 for unknown.
        min: the least.
        divisor: it is a multiple of this, plus `remainder`.
        remainder: in [0, divisor).
        unique: True if all uses of this Symbol have the same size.
        kwargs: there are no others.

    Raises:
        TypeError: if an argument is no int, or `unique` no bool.
        ValueError: if `min` or `divisor` is less than 1, `remainder` out of range.

    Examples:
        >>> import msjax as ms
        >>> ms.Symbol(divisor=8, remainder=1).to_dict()
        {'divisor': 8, 'remainder': 1}
        >>> ms.Tensor(shape=(ms.Symbol(max=32), 3), dtype=ms.float32).shape
        (-1, 3)
    """

    def __init__(
        self,
        max: int = 0,
        min: int = 1,
        divisor: int = 1,
        remainder: int = 0,
        unique: bool = False,
        **kwargs: object,
    ) -> None:
        self.max, self.min, self.divisor, self.remainder, self.unique = max, min, divisor, remainder, unique
        for name in ("max", "min", "divisor", "remainder"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"`Symbol`: argument `{name}` must be an int. Received: {name}={value!r}.")
        if not isinstance(unique, bool):
            raise TypeError(f"`Symbol`: argument `unique` must be a bool. Received: unique={unique!r}.")
        for name, low in (("min", 1), ("divisor", 1)):
            if getattr(self, name) < low:
                raise ValueError(
                    f"`Symbol`: argument `{name}` must be at least {low}. Received: {name}={getattr(self, name)}."
                )
        if not 0 <= remainder < divisor:
            raise ValueError(
                f"`Symbol`: argument `remainder` must be in [0, {divisor}). Received: {remainder}."
            )

    def to_dict(self) -> dict[str, object]:
        """Return the constraints that exclude any size."""
        known: dict[str, Any] = {}
        if self.max > 0:
            known["max"] = self.max
        if self.min > 1:
            known["min"] = self.min
        if self.divisor > 1:
            known["divisor"] = self.divisor
        if self.remainder > 0:
            known["remainder"] = self.remainder
        if self.unique:
            known["id"] = id(self)
        return known

    def __repr__(self) -> str:
        return str(self.to_dict())
