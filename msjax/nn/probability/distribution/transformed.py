"""`TransformedDistribution`: the distribution of a bijector's output for inputs drawn from another distribution."""

import math
from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor
from msjax.nn.probability import given
from msjax.nn.probability.bijector.bijector import Bijector
from msjax.nn.probability.distribution.distribution import Distribution
from msjax.nn.probability.distribution.family import FLOATS, check_dtype
from msjax.nn.probability.helpers import read_only
from msjax.ops.math.elementary import exp, log


@op
def _add_log_density(log_prob: ArrayLike, log_jacobian: ArrayLike) -> Array:
    """Return the sum, and minus infinity where the density before was zero, whatever the derivative."""
    return jnp.where(log_prob == -math.inf, log_prob, log_prob + log_jacobian)


class TransformedDistribution(Distribution):
    """The distribution of g(X), where X has a given distribution and g is a bijector (change of variables).

    It has `prob`, `log_prob`, `cdf`, `log_cdf`, `survival_function`, `log_survival` and `sample`, whose further arguments
    are parameters of the distribution of X, and `mean` if g is linear. g is taken to rise.

    Args:
        bijector (Bijector): g.
        distribution (Distribution): that of X, with a floating dtype.
        seed (int): draws come from a state of this seed's own. Default: None.
        name (str): for messages. Default: "transformed_distribution".

    Raises:
        TypeError: if `bijector` or `distribution` is none, or the dtype is not floating.
        ValueError: for the mean, if g is not linear.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability import bijector, distribution
        >>> dist = distribution.TransformedDistribution(bijector.Exp(), distribution.Normal(0.0, 1.0))
        >>> print(dist.cdf(ms.Tensor([1.0])), dist.sample((2,)).shape)
        [0.5] (2,)
    """

    def __init__(
        self,
        bijector: Bijector,
        distribution: Distribution,
        seed: int | None = None,
        name: str = "transformed_distribution",
    ) -> None:
        for argument, value, kind in (
            ("bijector", bijector, Bijector),
            ("distribution", distribution, Distribution),
        ):
            if not isinstance(value, kind):
                raise TypeError(
                    f"`{type(self).__name__}`: argument `{argument}` must be a {kind.__name__}. "
                    f"Received: {value!r} ({type(value).__name__})."
                )
        check_dtype(type(self).__name__, distribution.dtype, FLOATS)
        param = {"bijector": bijector, "distribution": distribution, "seed": seed, "name": name}
        super().__init__(seed, distribution.dtype, name, param)
        self._bijector, self._distribution = bijector, distribution
        self._is_linear_transformation = bijector.is_constant_jacobian
        self._is_scalar_batch = distribution.is_scalar_batch and bijector.is_scalar_batch
        self._batch_shape = distribution.batch_shape
        self.default_parameters = distribution.default_parameters
        self.parameter_names = distribution.parameter_names
        self.parameter_type = distribution.parameter_type
        shapes = (self._batch_shape, bijector.batch_shape)
        known = [shape for shape in shapes if shape is not None]
        names = ("distribution", "bijector")
        self._broadcast_shape = given.broadcast_shape(*known, names=names) if len(known) == 2 else None

    bijector = read_only("bijector", "g.")
    distribution = read_only("distribution", "The distribution of X.")
    is_linear_transformation = read_only(
        "is_linear_transformation", "True if the derivative of g is constant."
    )

    def _cdf(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return self.distribution.cdf(self.bijector.inverse(value), *args, **kwargs)

    def _log_cdf(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return log(self._cdf(value, *args, **kwargs))

    def _survival_function(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return 1.0 - self._cdf(value, *args, **kwargs)

    def _log_survival(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return log(self._survival_function(value, *args, **kwargs))

    def _log_prob(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        found = self.distribution.log_prob(self.bijector.inverse(value), *args, **kwargs)
        return _add_log_density(found, self.bijector.inverse_log_jacobian(value))

    def _prob(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return exp(self._log_prob(value, *args, **kwargs))

    def _sample(self, *args: Any, **kwargs: Any) -> Tensor:
        return self.bijector.forward(self.distribution.sample(*args, **kwargs))

    def _mean(self, *args: Any, **kwargs: Any) -> Tensor:
        if not self.is_linear_transformation:
            raise ValueError(
                f"`{self.name}`: `mean` is known for linear transformations only, not for {self.bijector!r}."
            )
        return self.bijector.forward(self.distribution.mean(*args, **kwargs))
