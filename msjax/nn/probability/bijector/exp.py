"""Exp bijector."""

from msjax.nn.probability.bijector.power_transform import PowerTransform


class Exp(PowerTransform):
    """The map g(x) = exp(x).

    Args:
        name (str): for messages. Default: "Exp".

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.bijector import Exp
        >>> print(Exp().inverse(ms.Tensor([1.0])), Exp())
        [0.] Exp(exp)
    """

    def __init__(self, name: str = "Exp") -> None:
        super().__init__(name=name)

    def extend_repr(self) -> str:
        """Always exp: there is nothing to set."""
        return "exp"
