"""Prior and posterior distributions of weights."""

from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.probability.distribution.continuous import Normal
from msjax.ops.math.elementary import exp, log

_LEAST = 1e-6  # standard deviation


class NormalPrior(Cell):
    """A normal distribution that weights are compared with, and that is not trained.

    Args:
        dtype (mindspore.dtype): of samples. Default: float32.
        mean (int, float, numpy.ndarray): the mean. Default: 0.
        std (int, float, numpy.ndarray): the standard deviation, greater than 0. Default: 0.1.

    Inputs:
        - **name** (str) - of a method of :class:`Normal`.
        - **args** - those of the method.

    Raises:
        ValueError: if `std` is not positive.

    Examples:
        >>> from msjax.nn.probability.bnn_layers import NormalPrior
        >>> print(NormalPrior(mean=1)("mean"))
        1.0
    """

    def __init__(self, dtype: DType = dtypes.float32, mean: Any = 0, std: Any = 0.1) -> None:
        super().__init__()
        self.normal = Normal(mean, std, dtype=dtype)

    def construct(self, *inputs: Any) -> Any:
        """Return the method of that name."""
        return self.normal(*inputs)


class NormalPosterior(Cell):
    """A normal distribution whose parameters are trained.

    The standard deviation is 1e-6 + log(1 + exp(s)) with the Parameter s, so that it stays positive. Both Parameters
    start from normal numbers of NumPy's random state, which `set_seed` sets.

    Args:
        name (str): start of the names of the Parameters.
        shape (list, tuple): of the Parameters.
        dtype (mindspore.dtype): of the Parameters. Default: float32.
        loc_mean (int, float): the mean that the means start from. Default: 0.
        loc_std (int, float): their standard deviation, at least 0. Default: 0.1.
        untransformed_scale_mean (int, float): the mean that s starts from. Default: -5.
        untransformed_scale_std (int, float): its standard deviation, at least 0. Default: 0.1.

    Parameters:
        - **mean** - of the given shape.
        - **untransformed_std** - s, of the given shape.

    Inputs:
        - **name** (str) - of a method of :class:`Normal`.
        - **args** - those of the method.

    Raises:
        TypeError: for arguments of another type, and for negative standard deviations.

    Examples:
        >>> from msjax.nn.probability.bnn_layers import NormalPosterior
        >>> NormalPosterior("w", (2, 3))("sample").shape
        (2, 3)
    """

    def __init__(
        self,
        name: str,
        shape: Any,
        dtype: DType = dtypes.float32,
        loc_mean: float = 0,
        loc_std: float = 0.1,
        untransformed_scale_mean: float = -5,
        untransformed_scale_std: float = 0.1,
    ) -> None:
        super().__init__()
        layer = "NormalPosterior"
        if not isinstance(name, str):
            raise TypeError(f"`{layer}`: argument `name` must be a str. Received: {name!r}.")
        if not isinstance(shape, tuple | list):
            raise TypeError(f"`{layer}`: argument `shape` must be a tuple or list. Received: {shape!r}.")
        stds = {"loc_std": loc_std, "untransformed_scale_std": untransformed_scale_std}
        parameter_init.check_numbers(
            layer, loc_mean=loc_mean, untransformed_scale_mean=untransformed_scale_mean, **stds
        )
        for argument, value in stds.items():
            if value < 0:
                raise TypeError(f"`{layer}`: argument `{argument}` must be at least 0. Received: {value}.")
        self.mean = Parameter(_draw_initial(loc_mean, loc_std, shape, dtype), name=f"{name}_mean")
        self.untransformed_std = Parameter(
            _draw_initial(untransformed_scale_mean, untransformed_scale_std, shape, dtype),
            name=f"{name}_untransformed_std",
        )
        self.normal = Normal()

    def construct(self, *inputs: Any) -> Any:
        """Return the method of that name, of the distribution as it is now."""
        std = log(exp(self.untransformed_std) + 1) + _LEAST
        return self.normal(*inputs, mean=self.mean, sd=std)


def _draw_initial(mean: float, std: float, shape: Any, dtype: DType) -> Tensor:
    """Starting values from NumPy's random state, as MindSpore draws them: a seed gives the same in both."""
    return Tensor(np.random.normal(mean, std, shape), dtype=dtype)  # noqa: NPY002


def normal_post_fn(name: str, shape: Any) -> NormalPosterior:
    """Return a `NormalPosterior` with the default start.

    Args:
        name: start of the names of its Parameters.
        shape: of its Parameters.
    """
    return NormalPosterior(name=name, shape=shape)
