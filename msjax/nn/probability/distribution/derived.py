"""Distributions that are transformed ones with closed forms of their own: LogNormal, Gumbel."""

from typing import Any

from msjax.core.dtype import DType, float32
from msjax.core.tensor.tensor import Tensor
from msjax.nn.probability import closed_forms
from msjax.nn.probability.bijector.maps import Exp, GumbelCDF, Invert
from msjax.nn.probability.distribution.continuous import Normal, Uniform
from msjax.nn.probability.distribution.family import FLOATS, Stated, check_dtype
from msjax.nn.probability.distribution.transformed import TransformedDistribution
from msjax.nn.probability.formulas import check_same_kind
from msjax.nn.probability.helpers import read_only


class LogNormal(Stated, TransformedDistribution, forms=closed_forms.LOG_NORMAL):
    """The distribution of exp(X), where X is normal.

    Args:
        loc (int, float, list, numpy.ndarray, Tensor): the mean of X. Default: None, given at each call.
        scale (int, float, list, numpy.ndarray, Tensor): the standard deviation of X, greater than 0. Default: None.
        seed (int): draws come from a state of this seed's own. Default: 0.
        dtype (mindspore.dtype): of samples, floating. Default: float32.
        name (str): for messages. Default: "LogNormal".

    Raises:
        TypeError: if `dtype` is not floating; at a call, if a value is not.
        ValueError: if `scale` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import LogNormal
        >>> dist = LogNormal(0.0, 1.0)
        >>> print(dist.cdf(ms.Tensor([-1.0, 1.0])), dist.mean())
        [0.  0.5] 1.6487212
    """

    kind, labels = "LogNormal", ("loc", "scale")
    loc = read_only("loc", "The mean of the logarithm.")
    scale = read_only("scale", "The standard deviation of the logarithm.")

    def __init__(
        self, loc: Any = None, scale: Any = None, seed: int | None = 0, dtype: DType = float32, name: str = "LogNormal",
    ) -> None:  # fmt: skip
        super().__init__(distribution=Normal(loc, scale, dtype=dtype), bijector=Exp(), seed=seed, name=name)
        self._own({"loc": loc, "scale": scale})

    def _check_value(self, value: Any, name: str) -> Any:
        return self.bijector.checked(value) if name == "value" else super()._check_value(value, name)

    def _kl_loss(self, dist: str, loc_b: Any, scale_b: Any, loc_a: Any = None, scale_a: Any = None) -> Tensor:
        check_same_kind(self, dist)
        return self.distribution.kl_loss("Normal", loc_b, scale_b, loc_a, scale_a)

    def _cross_entropy(
        self, dist: str, loc_b: Any, scale_b: Any, loc_a: Any = None, scale_a: Any = None
    ) -> Tensor:
        return self.entropy(loc_a, scale_a) + self._kl_loss(dist, loc_b, scale_b, loc_a, scale_a)


class Gumbel(Stated, TransformedDistribution, forms=closed_forms.GUMBEL):
    """The Gumbel distribution, whose distribution function is exp(-exp(-(x - loc) / scale)).

    Its parameters are those it was made with; calls do not replace them.

    Args:
        loc (float, list, numpy.ndarray, Tensor): the mode.
        scale (float, list, numpy.ndarray, Tensor): the scale, greater than 0.
        seed (int): draws come from a state of this seed's own. Default: 0.
        dtype (mindspore.dtype): of samples, floating. Default: float32.
        name (str): for messages. Default: "Gumbel".

    Raises:
        TypeError: if `dtype` or a parameter is not floating.
        ValueError: if `scale` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Gumbel
        >>> dist = Gumbel(0.0, 1.0)
        >>> print(dist.cdf(ms.Tensor([0.0])), dist.mode())
        [0.36787945] 0.0
    """

    kind, labels, fixed = "Gumbel", ("loc", "scale"), True
    loc = read_only("loc", "The mode.")
    scale = read_only("scale", "The scale.")

    def __init__(
        self, loc: Any, scale: Any, seed: int | None = 0, dtype: DType = float32, name: str = "Gumbel"
    ) -> None:
        check_dtype(type(self).__name__, dtype, FLOATS)
        gumbel_cdf = GumbelCDF(loc, scale)
        super().__init__(
            distribution=Uniform(0.0, 1.0, dtype=dtype), bijector=Invert(gumbel_cdf), seed=seed, name=name
        )
        self._own({"loc": loc, "scale": scale})
        self._gumbel_bijector = gumbel_cdf
