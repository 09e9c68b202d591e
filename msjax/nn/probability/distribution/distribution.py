"""Base class of distributions, and of those that are defined by formulas."""

from collections.abc import Callable, Sequence
from typing import Any

from msjax.core.dtype import DType
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.nn.probability import given
from msjax.nn.probability.helpers import Helpers, read_only
from msjax.ops.array.shapes import broadcast_to
from msjax.ops.math.arithmetic import square
from msjax.ops.math.elementary import exp, log, sqrt


def _same(x: Any) -> Any:
    return x


def _rest(x: Any) -> Any:
    return 1.0 - x


def _rest_of_exp(x: Any) -> Any:
    return 1.0 - exp(x)


def _log_of_rest(x: Any) -> Any:
    return log(1.0 - x)


# What each method is computed from: the first hook that the distribution has, and what is done with its result.
_FROM: dict[str, tuple[tuple[str, Callable], ...]] = {
    "prob": (("_prob", _same), ("_log_prob", exp)),
    "log_prob": (("_log_prob", _same), ("_prob", log)),
    "cdf": (("_cdf", _same), ("_log_cdf", exp), ("_survival_function", _rest), ("_log_survival", _rest_of_exp)),
    "log_cdf": (
        ("_log_cdf", _same),
        ("_cdf", log),
        ("_survival_function", _log_of_rest),
        ("_log_survival", lambda x: log(_rest_of_exp(x))),
    ),
    "survival_function": (
        ("_survival_function", _same),
        ("_log_survival", exp),
        ("_cdf", _rest),
        ("_log_cdf", _rest_of_exp),
    ),
    "log_survival": (
        ("_log_survival", _same),
        ("_survival_function", log),
        ("_cdf", _log_of_rest),
        ("_log_cdf", lambda x: log(_rest_of_exp(x))),
    ),
    "sd": (("_sd", _same), ("_var", sqrt)),
    "var": (("_var", _same), ("_sd", square)),
    **{name: ((f"_{name}", _same),) for name in ("mean", "mode", "entropy", "kl_loss", "cross_entropy", "sample")},
    **{name: ((f"_{name}", _same),) for name in ("get_dist_args", "get_dist_type")},
}  # fmt: skip


class Distribution(Helpers, Cell):
    """The base class of distributions.

    A subclass defines what it knows, any of `_prob`, `_log_prob`, `_cdf`, `_log_cdf`, `_survival_function`,
    `_log_survival`, `_mean`, `_mode`, `_sd`, `_var`, `_entropy`, `_kl_loss`, `_cross_entropy` and `_sample`; the public
    methods are computed from these: `log_survival`, for example, from `_log_survival`, else from
    `_survival_function`, `_cdf` or `_log_cdf`. A method for which there is nothing raises NotImplementedError.

    Args:
        seed (int): draws come from a state of this seed's own, at least 0; None is 0.
        dtype (mindspore.dtype): of samples.
        name (str): for messages.
        param (dict): what the distribution was made with; `param["param_dict"]` holds its parameters by name, each a
            number, list, array, Tensor, Parameter or None.

    Inputs:
        - **name** (str) - of a method; `dist("log_prob", value)` is `dist.log_prob(value)`.
        - **args** - those of the method.

    Raises:
        TypeError: if `seed` is not an int, `name` not a str, or the parameters have several dtypes.
        ValueError: if `seed` is negative or the parameters do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn, ops
        >>> class Triangular(nn.probability.distribution.Distribution):  # on [0, 1], rising
        ...     def __init__(self):
        ...         super().__init__(None, ms.float32, "Triangular", {"param_dict": {"end": 1.0}})
        ...
        ...     def _cdf(self, value):
        ...         return ops.clamp(value, 0, 1) ** 2
        >>> print(Triangular().survival_function(ms.Tensor([0.0, 0.5])))
        [1.   0.75]
    """

    kind: str | None = None  # the answer of `get_dist_type`
    fixed = False  # whether calls cannot replace the parameters

    def __init__(self, seed: int | None, dtype: DType, name: str, param: dict[str, Any]) -> None:
        super().__init__()
        seed = 0 if seed is None else seed
        if not isinstance(name, str):
            raise TypeError(f"`{type(self).__name__}`: argument `name` must be a str. Received: {name!r}.")
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise TypeError(f"`{name}`: argument `seed` must be an int. Received: {seed!r}.")
        if seed < 0:
            raise ValueError(f"`{name}`: argument `seed` must be at least 0. Received: {seed}.")
        self._name, self._seed, self._dtype = name, seed, dtype
        self._parameters = {k: v for k, v in param.items() if k != "self" and not k.startswith("_")}
        self._reset_parameters()
        if "distribution" in self._parameters:
            return
        start = self._parameters.get("param_dict", {})
        self.parameter_type = given.type_of_parameters(start, dtype)
        self._batch_shape = given.batch_shape(start)
        self._is_scalar_batch = given.is_scalar_only(start)
        self._broadcast_shape = self._batch_shape

    # ------------------------------------------------------------------ what it is

    name = read_only("name", "The name, for messages.")
    dtype = read_only("dtype", "The dtype of samples.")
    seed = read_only("seed", "The stream of draws.")
    parameters = read_only("parameters", "Constructor arguments of the distribution, by name.")
    is_scalar_batch = read_only(
        "is_scalar_batch", "True if all parameters were given as numbers, or not at all."
    )
    batch_shape = read_only(
        "batch_shape", "The shape that the parameters broadcast to; None if one was not given."
    )
    broadcast_shape = read_only(
        "broadcast_shape", "The shape of one sample; None if a parameter was not given."
    )

    # ------------------------------------------------------------------ for subclasses

    def _reset_parameters(self) -> None:
        """Clear the registered parameters."""
        self.default_parameters: list[Any] = []
        self.parameter_names: list[str] = []

    def _add_parameter(self, value: Any, name: str) -> Any:
        """Register the next parameter and return its Tensor."""
        tensor = None if value is None else given.as_tensor(value, self.parameter_type)
        self.default_parameters.append(tensor)
        self.parameter_names.append(name)
        return tensor

    def own_parameters(self, args: Sequence[Any]) -> list[Tensor]:
        """Return the parameters of a call: what is given there, or else what was given at the start.

        Args:
            args: for each parameter a Tensor or None.

        Raises:
            TypeError: if one is not a Tensor, or is given nowhere.
            ValueError: if they do not broadcast.
        """
        found = []
        for arg, name, default in zip(args, self.parameter_names, self.default_parameters, strict=False):
            value = default if arg is None else given.check_tensor(arg, name)
            found.append(given.raise_not_given(name) if value is None else value)
        if len(found) > 1:
            given.broadcast_shape(*(value.shape for value in found), names=tuple(self.parameter_names))
        return found

    def dtype_of_values(self) -> DType:
        """Return the dtype that values are cast to before a formula sees them."""
        return self.dtype

    def _check_param_type(self, *args: Any) -> Any:
        """`own_parameters`, broadcast and in one dtype: a Tensor, or a tuple of several."""
        found = [value.astype(self.parameter_type) for value in self.own_parameters(args)]
        if len(found) == 1:
            return found[0]
        shape = given.broadcast_shape(*(value.shape for value in found), names=tuple(self.parameter_names))
        return tuple(value if value.shape == shape else broadcast_to(value, shape) for value in found)

    def _call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """A public method, from the first hook there is."""
        for hook, then in _FROM.get(method, ()):
            found = getattr(self, hook, None)
            if found is not None:
                return then(found(*args, **kwargs))
        raise NotImplementedError(f"`{method}` is not implemented for the distribution {self.name}.")

    # ------------------------------------------------------------------ what it can say

    def prob(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Probability density, or probability of a discrete value.

        Args:
            value (Tensor): where.
            *args: parameters of the distribution in place of those it was made with.
            **kwargs: the same by name.

        Examples:
            >>> import msjax as ms
            >>> from msjax.nn.probability.distribution import Normal
            >>> print(Normal(0.0, 1.0).prob(ms.Tensor([0.0])))
            [0.3989423]
        """
        return self._call("prob", value, *args, **kwargs)

    def log_prob(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Logarithm of `prob`, with the arguments of that."""
        return self._call("log_prob", value, *args, **kwargs)

    def cdf(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Probability of at most `value`, with the arguments of `prob`."""
        return self._call("cdf", value, *args, **kwargs)

    def log_cdf(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Logarithm of `cdf`, with the arguments of that."""
        return self._call("log_cdf", value, *args, **kwargs)

    def survival_function(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Probability of more than `value`, with the arguments of `prob`."""
        return self._call("survival_function", value, *args, **kwargs)

    def log_survival(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Logarithm of `survival_function`, with the arguments of that."""
        return self._call("log_survival", value, *args, **kwargs)

    def mean(self, *args: Any, **kwargs: Any) -> Tensor:
        """Mean, of given parameters or of those the distribution was made with."""
        return self._call("mean", *args, **kwargs)

    def mode(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the most probable value."""
        return self._call("mode", *args, **kwargs)

    def sd(self, *args: Any, **kwargs: Any) -> Tensor:
        """Standard deviation."""
        return self._call("sd", *args, **kwargs)

    def var(self, *args: Any, **kwargs: Any) -> Tensor:
        """Variance."""
        return self._call("var", *args, **kwargs)

    def entropy(self, *args: Any, **kwargs: Any) -> Tensor:
        """Entropy, in nats."""
        return self._call("entropy", *args, **kwargs)

    def kl_loss(self, dist: str, *args: Any, **kwargs: Any) -> Tensor:
        """Kullback-Leibler divergence from this distribution to a second one of the same kind.

        Args:
            dist (str): the kind of the second one, such as "Normal".
            *args: its parameters, then this distribution's own if others than it was made with.
            **kwargs: the same by name, those of the second one ending in `_b`.

        Raises:
            ValueError: if `dist` is another kind.
        """
        return self._call("kl_loss", dist, *args, **kwargs)

    def cross_entropy(self, dist: str, *args: Any, **kwargs: Any) -> Tensor:
        """Cross entropy with a second distribution, with the arguments of `kl_loss`."""
        return self._call("cross_entropy", dist, *args, **kwargs)

    def sample(self, *args: Any, **kwargs: Any) -> Tensor:
        """Draws of shape `shape` followed by that of the parameters.

        Args:
            *args: the shape, a tuple, by default (), then parameters.
            **kwargs: the same by name.

        Examples:
            >>> from msjax.nn.probability.distribution import Normal
            >>> Normal([0.0, 1.0], 1.0).sample((5,)).shape
            (5, 2)
        """
        return self._call("sample", *args, **kwargs)

    def get_dist_args(self, *args: Any, **kwargs: Any) -> tuple:
        """Return the parameters: those given here, for the others those it was made with."""
        return self._call("get_dist_args", *args, **kwargs)

    def get_dist_type(self) -> str:
        """Return the kind of the distribution, such as "Normal"."""
        return self._call("get_dist_type")

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Return the method of that name."""
        if name == "get_dist_type":  # parameters, which others take, change nothing about it
            return self.get_dist_type()
        return self._call(name, *args, **kwargs)
