"""Inverse of a bijector, as a bijector."""

from typing import Any

from msjax.core.tensor.tensor import Tensor
from msjax.nn.probability.bijector.bijector import Bijector


class Invert(Bijector):
    """Inverse bijector: its `forward` is the `inverse` of a given one, and the reverse.

    Args:
        bijector (Bijector): the given one.
        name (str): for messages. Default: "", which means "Invert" and the name of the given one.

    Raises:
        TypeError: if `bijector` is none.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.bijector import Exp, Invert
        >>> print(Invert(Exp()).forward(ms.Tensor([1.0])))
        [0.]
    """

    def __init__(self, bijector: Bijector, name: str = "") -> None:
        if not isinstance(bijector, Bijector):
            raise TypeError(f"`Invert`: argument `bijector` must be a Bijector. Received: {bijector!r}.")
        name = name or f"Invert{bijector.name}"
        super().__init__(
            is_constant_jacobian=bijector.is_constant_jacobian,
            is_injective=bijector.is_injective,
            name=name,
            dtype=bijector.dtype,
            param={"bijector": bijector, "name": name},
        )
        self._bijector = bijector
        self._batch_shape, self._is_scalar_batch = bijector.batch_shape, bijector.is_scalar_batch

    @property
    def bijector(self) -> Bijector:
        """Inverted bijector."""
        return self._bijector

    def forward(self, x: Tensor) -> Any:
        """Compute `inverse` of the inverted bijector."""
        return self.bijector.inverse(x)

    def inverse(self, y: Tensor) -> Any:
        """Compute `forward` of the inverted bijector."""
        return self.bijector.forward(y)

    def forward_log_jacobian(self, x: Tensor) -> Any:
        """Compute `inverse_log_jacobian` of the inverted bijector."""
        return self.bijector.inverse_log_jacobian(x)

    def inverse_log_jacobian(self, y: Tensor) -> Any:
        """Compute `forward_log_jacobian` of the inverted bijector."""
        return self.bijector.forward_log_jacobian(y)
