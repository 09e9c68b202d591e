"""Continuous distributions: Normal, Uniform, Gamma, Cauchy ..."""

from typing import Any, NoReturn

from msjax.core.dtype import DType, float32
from msjax.nn.cell.function_layers import documented_by
from msjax.nn.layers.gamma import DiGamma, LBeta
from msjax.nn.probability import closed_forms, given
from msjax.nn.probability.distribution.family import Family
from msjax.nn.probability.helpers import read_only


@documented_by(Family)
class Normal(Family, forms=closed_forms.NORMAL):
    """The normal distribution, of density exp(-((x - mean) / sd)^2 / 2) / (sd sqrt(2 pi)).

    Args:
        mean (int, float, list, numpy.ndarray, Tensor): the mean. Default: None, given at each call.
        sd (int, float, list, numpy.ndarray, Tensor): the standard deviation, greater than 0. Default: None.

    Raises:
        TypeError: if `dtype` is not floating, or the parameters differ in dtype.
        ValueError: if `sd` is not positive, or the parameters do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Normal
        >>> dist = Normal(3.0, [1.0, 2.0])
        >>> print(dist.cdf(ms.Tensor(3.0)), dist.sample((5,)).shape)
        [0.5 0.5] (5, 2)
        >>> print(dist.kl_loss("Normal", ms.Tensor(3.0), ms.Tensor(1.0)))
        [0.        0.8068528]
    """

    kind, labels, stored = "Normal", ("mean", "standard deviation"), "_{}_value"
    rules = {"sd": given.positive}

    def __init__(
        self, mean: Any = None, sd: Any = None, seed: int | None = None, dtype: DType = float32, name: str = "Normal",
    ) -> None:  # fmt: skip
        super().__init__({"mean": mean, "sd": sd}, seed, dtype, name)


@documented_by(Family)
class Uniform(Family, forms=closed_forms.UNIFORM):
    """The uniform distribution, of density 1 / (high - low) from `low` to `high`.

    Args:
        low (int, float, list, numpy.ndarray, Tensor): the lower end. Default: None, given at each call.
        high (int, float, list, numpy.ndarray, Tensor): the upper end. Default: None.

    Raises:
        TypeError: if `dtype` is not floating.
        ValueError: if `low` is not less than `high`.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Uniform
        >>> dist = Uniform(0.0, 2.0)
        >>> print(dist.prob(ms.Tensor([-1.0, 1.0])), dist.mean())
        [0.  0.5] 1.0
    """

    kind, labels = "Uniform", ("low", "high")
    low = read_only("low", "The lower end.")
    high = read_only("high", "The upper end.")

    def __init__(
        self, low: Any = None, high: Any = None, seed: int | None = None, dtype: DType = float32, name: str = "Uniform",
    ) -> None:  # fmt: skip
        super().__init__({"low": low, "high": high}, seed, dtype, name)
        if low is not None and high is not None:
            given.less(self._low, self._high, f"`{self.name}`: argument `low`", "high")


@documented_by(Family)
class Exponential(Family, forms=closed_forms.EXPONENTIAL):
    """The exponential distribution, of density rate exp(-rate x) for x at least 0.

    Args:
        rate (int, float, list, numpy.ndarray, Tensor): the inverse of the mean, greater than 0. Default: None, given at
            each call.

    Raises:
        TypeError: if `dtype` is not floating.
        ValueError: if `rate` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Exponential
        >>> dist = Exponential(0.5)
        >>> print(dist.mean(), dist.log_survival(ms.Tensor([-1.0, 1.0])))
        2.0 [ 0.  -0.5]
    """

    kind, labels = "Exponential", ("rate",)
    rules = {"rate": given.positive}
    rate = read_only("rate", "The inverse of the mean.")

    def __init__(
        self, rate: Any = None, seed: int | None = None, dtype: DType = float32, name: str = "Exponential"
    ) -> None:
        super().__init__({"rate": rate}, seed, dtype, name)


@documented_by(Family)
class Gamma(Family, forms=closed_forms.GAMMA):
    """The gamma distribution, of density rate^a x^(a - 1) exp(-rate x) / Gamma(a) for x above 0.

    Args:
        concentration (list, numpy.ndarray, Tensor): a, greater than 0. Default: None, given at each call.
        rate (list, numpy.ndarray, Tensor): the inverse of the scale, greater than 0. Default: None.

    Raises:
        TypeError: if `dtype` is not floating, or a parameter is a plain number.
        ValueError: if a parameter is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Gamma
        >>> dist = Gamma([3.0], [2.0])
        >>> print(dist.mean(), dist.mode(), dist.sample((2,)).shape)
        [1.5] [1.] (2, 1)
    """

    refused = (int, float)
    kind, labels = "Gamma", ("concentration", "rate")
    rules = dict.fromkeys(labels, given.positive)
    concentration = read_only("concentration", "The exponent of x, plus 1.")
    rate = read_only("rate", "The inverse of the scale.")

    def __init__(
        self,
        concentration: Any = None,
        rate: Any = None,
        seed: int | None = None,
        dtype: DType = float32,
        name: str = "Gamma",
    ) -> None:
        super().__init__({"concentration": concentration, "rate": rate}, seed, dtype, name)
        self.digamma = DiGamma()  # children of MindSpore's, which print


@documented_by(Family)
class Beta(Family, forms=closed_forms.BETA):
    """The beta distribution, of density x^(a - 1) (1 - x)^(b - 1) / B(a, b) on [0, 1].

    Args:
        concentration1 (int, list, numpy.ndarray, Tensor): a, greater than 0. Default: None, given at each call.
        concentration0 (int, list, numpy.ndarray, Tensor): b, greater than 0. Default: None.

    Raises:
        TypeError: if `dtype` is not floating, or a parameter is a plain float.
        ValueError: if a parameter is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Beta
        >>> dist = Beta([2.0], [3.0])
        >>> print(dist.mean(), dist.var())
        [0.4] [0.04]
    """

    refused = (float,)
    kind, labels = "Beta", ("concentration1", "concentration0")
    rules = dict.fromkeys(labels, given.positive)
    concentration1 = read_only("concentration1", "The exponent of x, plus 1.")
    concentration0 = read_only("concentration0", "The exponent of 1 - x, plus 1.")

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        seed: int | None = None,
        dtype: DType = float32,
        name: str = "Beta",
    ) -> None:
        super().__init__(
            {"concentration1": concentration1, "concentration0": concentration0}, seed, dtype, name
        )
        self.digamma, self.lbeta = DiGamma(), LBeta()  # children of MindSpore's, which print


@documented_by(Family)
class Laplace(Family, forms=closed_forms.LAPLACE.only("log_prob")):
    """The Laplace distribution, of density exp(-|x - mean| / sd) / (2 sd).

    It has `prob` and `log_prob`.

    Args:
        mean (int, float, list, numpy.ndarray, Tensor): the mean. Default: None, given at each call.
        sd (int, float, list, numpy.ndarray, Tensor): the scale, greater than 0. Default: None.

    Raises:
        TypeError: if `dtype` is not floating.
        ValueError: if `sd` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Laplace
        >>> print(Laplace(0.0, 1.0).prob(ms.Tensor([0.0])))
        [0.5]
    """

    stored = "_{}_value"
    rules = {"sd": given.positive}

    def __init__(
        self, mean: Any = None, sd: Any = None, seed: int | None = None, dtype: DType = float32, name: str = "Laplace",
    ) -> None:  # fmt: skip
        super().__init__({"mean": mean, "sd": sd}, seed, dtype, name)


@documented_by(Family)
class Logistic(Family, forms=closed_forms.LOGISTIC):
    """The logistic distribution, whose distribution function is sigmoid((x - loc) / scale).

    Args:
        loc (int, float, list, numpy.ndarray, Tensor): the mean. Default: None, given at each call.
        scale (int, float, list, numpy.ndarray, Tensor): the scale, greater than 0. Default: None.

    Raises:
        TypeError: if `dtype` is not floating.
        ValueError: if `scale` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Logistic
        >>> print(Logistic(0.0, 1.0).cdf(ms.Tensor([0.0, 100.0])))
        [0.5 1. ]
    """

    kind, labels = "Logistic", ("location", "scale")
    rules = {"scale": given.positive}
    loc = read_only("loc", "The mean.")
    scale = read_only("scale", "The scale.")

    def __init__(
        self, loc: Any = None, scale: Any = None, seed: int | None = None, dtype: DType = float32, name: str = "Logistic",
    ) -> None:  # fmt: skip
        super().__init__({"loc": loc, "scale": scale}, seed, dtype, name)


@documented_by(Family)
class Cauchy(Family, forms=closed_forms.CAUCHY):
    """The Cauchy distribution, of density 1 / (pi scale (1 + ((x - loc) / scale)^2)).

    It has no mean and no variance; to ask for them raises ValueError.

    Args:
        loc (int, float, list, numpy.ndarray, Tensor): the median. Default: None, given at each call.
        scale (int, float, list, numpy.ndarray, Tensor): half the distance of the quartiles, greater than 0. Default: None.

    Raises:
        TypeError: if `dtype` is not floating.
        ValueError: if `scale` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import Cauchy
        >>> print(Cauchy(0.0, 1.0).cdf(ms.Tensor([0.0, 1.0])))
        [0.5  0.75]
    """

    kind, labels = "Cauchy", ("location", "scale")
    rules = {"scale": given.positive}
    loc = read_only("loc", "The median.")
    scale = read_only("scale", "Half the distance of the quartiles.")

    def __init__(
        self, loc: Any = None, scale: Any = None, seed: int | None = None, dtype: DType = float32, name: str = "Cauchy",
    ) -> None:  # fmt: skip
        super().__init__({"loc": loc, "scale": scale}, seed, dtype, name)

    def _mean(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ValueError("The mean of a Cauchy distribution is undefined. Its `mode` is defined.")

    def _sd(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ValueError("The standard deviation of a Cauchy distribution is undefined. Use its `scale`.")

    def _var(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ValueError("The variance of a Cauchy distribution is undefined. Use its `scale`.")


@documented_by(Family)
class HalfNormal(Family, forms=closed_forms.HALF_NORMAL):
    """The half-normal distribution: density sqrt(2 / pi) exp(-((x - mean) / sd)^2 / 2) / sd where x is at least 0.

    It has `prob` and `log_prob`.

    Args:
        mean (int, float, list, numpy.ndarray, Tensor): where the bell has its middle. Default: None, given at each call.
        sd (int, float, list, numpy.ndarray, Tensor): the width of the bell, greater than 0. Default: None.

    Raises:
        TypeError: if `dtype` is not floating.
        ValueError: if `sd` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import HalfNormal
        >>> print(HalfNormal(0.0, 1.0).prob(ms.Tensor([-1.0, 0.0])))
        [0.        0.7978846]
    """

    stored = "_{}_value"
    rules = {"sd": given.positive}

    def __init__(
        self, mean: Any = None, sd: Any = None, seed: int | None = None, dtype: DType = float32, name: str = "HalfNormal",
    ) -> None:  # fmt: skip
        super().__init__({"mean": mean, "sd": sd}, seed, dtype, name)


@documented_by(Family)
class StudentT(Family, forms=closed_forms.STUDENT_T.only("log_prob")):
    """Student's t-distribution, moved by `mean` and stretched by `sd`.

    Its density is proportional to (1 + ((x - mean) / sd)^2 / df)^(-(df + 1) / 2). It has `prob` and `log_prob`.

    Args:
        df (int, float, list, numpy.ndarray, Tensor): degrees of freedom, greater than 0. Default: None, given at each call.
        mean (int, float, list, numpy.ndarray, Tensor): the middle. Default: None, given at each call.
        sd (int, float, list, numpy.ndarray, Tensor): the scale, greater than 0. Default: None.

    Raises:
        TypeError: if `dtype` is not floating.
        ValueError: if `df` or `sd` is not positive.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.distribution import StudentT
        >>> print(StudentT(2.0, 0.0, 1.0).prob(ms.Tensor([0.0])).round(4))
        [0.3536]
    """

    stored = "_{}_value"
    rules = {"sd": given.positive, "df": given.positive}

    def __init__(
        self,
        df: Any = None,
        mean: Any = None,
        sd: Any = None,
        seed: int | None = None,
        dtype: DType = float32,
        name: str = "StudentT",
    ) -> None:
        super().__init__({"df": df, "mean": mean, "sd": sd}, seed, dtype, name)
