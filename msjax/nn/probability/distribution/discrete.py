"""Discrete distributions: Bernoulli, Geometric, Poisson, Categorical."""

from typing import Any

from msjax.core.dtype import DType, float32, int32
from msjax.nn.cell.function_layers import documented_by
from msjax.nn.probability import closed_forms, given
from msjax.nn.probability.distribution.family import NUMBERS, Family
from msjax.nn.probability.helpers import read_only


class _OfProbabilities(Family):
    """A distribution that takes values in the dtype of its probabilities, not in the integer dtype of its samples."""

    allowed = NUMBERS

    def dtype_of_values(self) -> DType:
        """Return the dtype of the parameters."""
        return self.parameter_type


@documented_by(Family)
class Bernoulli(_OfProbabilities, forms=closed_forms.BERNOULLI):
    """The Bernoulli distribution: 1 with probability `probs`, 0 otherwise.

    In calls the parameter is named `probs1`.

    Args:
        probs (float, list, numpy.ndarray, Tensor): probabilities of 1, between 0 and 1. Default: None, given at each call.
        dtype (mindspore.dtype): of samples, a number type. Default: int32.

    Raises:
        TypeError: if `dtype` is not a number type.
        ValueError: if a probability is not between 0 and 1.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Bernoulli
        >>> dist = Bernoulli(0.25)
        >>> print(dist.prob(ms.Tensor([0, 1])), dist.mean())
        [0.75 0.25] 0.25
    """

    kind, labels, at_call = "Bernoulli", ("probs",), ("probs1",)
    rules = {"probs": given.probability}
    probs = read_only("probs", "The probability of 1.")

    def __init__(
        self, probs: Any = None, seed: int | None = None, dtype: DType = int32, name: str = "Bernoulli"
    ) -> None:
        super().__init__({"probs": probs}, seed, dtype, name)


@documented_by(Family)
class Geometric(_OfProbabilities, forms=closed_forms.GEOMETRIC):
    """The geometric distribution: k failures before the first success, with probability (1 - probs)^k probs.

    In calls the parameter is named `probs1`.

    Args:
        probs (float, list, numpy.ndarray, Tensor): probabilities of success, between 0 and 1. Default: None, given at
            each call.
        dtype (mindspore.dtype): of samples, a number type. Default: int32.

    Raises:
        TypeError: if `dtype` is not a number type.
        ValueError: if a probability is not between 0 and 1.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Geometric
        >>> dist = Geometric(0.5)
        >>> print(dist.cdf(ms.Tensor([-1.0, 0.0, 1.0])), dist.mean())
        [0.   0.5  0.75] 1.0
    """

    kind, labels, at_call = "Geometric", ("probs",), ("probs1",)
    rules = {"probs": given.probability}
    probs = read_only("probs", "The probability of success.")

    def __init__(
        self, probs: Any = None, seed: int | None = None, dtype: DType = int32, name: str = "Geometric"
    ) -> None:
        super().__init__({"probs": probs}, seed, dtype, name)


@documented_by(Family)
class Poisson(Family, forms=closed_forms.POISSON):
    """The Poisson distribution: k with probability rate^k exp(-rate) / k!.

    Args:
        rate (list, numpy.ndarray, Tensor): the mean, greater than 0. Default: None, given at each call.
        dtype (mindspore.dtype): of samples, a number type. Default: float32.

    Raises:
        TypeError: if `dtype` is not a number type, or `rate` a plain number.
        ValueError: if `rate` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Poisson
        >>> dist = Poisson([2.5])
        >>> print(dist.mode(), dist.var())
        [2.] [2.5]
    """

    refused = (int, float)
    kind, labels, allowed = "Poisson", ("rate",), NUMBERS
    rules = {"rate": given.positive}
    rate = read_only("rate", "The mean.")

    def __init__(
        self, rate: Any = None, seed: int | None = None, dtype: DType = float32, name: str = "Poisson"
    ) -> None:
        super().__init__({"rate": rate}, seed, dtype, name)


@documented_by(Family)
class Categorical(_OfProbabilities, forms=closed_forms.CATEGORICAL):
    """The categorical distribution: place i with probability probs[..., i].

    Args:
        probs (list, numpy.ndarray, Tensor): probabilities between 0 and 1 that sum to one in the last dimension.
            Default: None, given at each call.
        dtype (mindspore.dtype): of samples, a number type. Default: int32.

    Raises:
        TypeError: if `dtype` is not a number type.
        ValueError: if `probs` is a scalar, does not sum to one, or has a value that is not between 0 and 1.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Categorical
        >>> dist = Categorical([0.25, 0.75])
        >>> print(dist.prob(ms.Tensor([0, 1])), dist.mode(), dist.sample((4,)).shape)
        [0.25 0.75] 1 (4,)
    """

    kind, labels = "Categorical", ("probs",)
    probs = read_only("probs", "The probabilities.")

    def __init__(
        self, probs: Any = None, seed: int | None = None, dtype: DType = int32, name: str = "Categorical"
    ) -> None:
        super().__init__({"probs": probs}, seed, dtype, name)
        if self._probs is None:
            return
        given.check_rank(self._probs)
        given.probability(self._probs, f"`{self.name}`: argument `probs`")
        given.sums_to_one(probs)
        self._is_scalar_batch = self._is_scalar_batch or self._probs.ndim == 1
        self._broadcast_shape = self.batch_shape[:-1]  # type: ignore[index]
