"""Base class of distributions."""

import math
from typing import Any

import numpy as np

from msjax import ops
from msjax.core.autodiff.imperative import enable_grad, no_grad
from msjax.nn.probability.closed_forms import ClosedForms
from msjax.torch.autograd import grad
from msjax.torch.distributions import constraints
from msjax.torch.functions import basic
from msjax.torch.tensors.tensor import Size, Tensor, as_torch

log: Any = basic.log  # type: ignore[attr-defined]
exp: Any = basic.exp  # type: ignore[attr-defined]
HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)


def lgamma(x: Any) -> Any:
    """Return the logarithm of the gamma function."""
    return as_torch(ops.lgamma(x))


def digamma(x: Any) -> Any:
    """Return the derivative of `lgamma`."""
    return as_torch(ops.digamma(x))


def broadcast_parameters(*values: Any) -> list[Any]:
    """Parameters as tensors of one shape; numbers become of the tensors' dtype, or float32."""
    like = next((v.dtype for v in values if isinstance(v, Tensor)), None)
    tensors = [v if isinstance(v, Tensor) else basic.tensor(float(v), dtype=like) for v in values]
    shape = np.broadcast_shapes(*[tuple(t.shape) for t in tensors])
    return [basic.expand(t, *shape) if tuple(t.shape) != shape else t for t in tensors]


class Distribution:
    """A distribution of random numbers or vectors.

    Args:
        batch_shape: of independent distributions in one object.
        event_shape: of one draw.
        validate_args: whether Parameters and values are checked.
    """

    has_rsample = False
    has_enumerate_support = False
    arg_constraints: dict[str, Any] = {}
    support: Any = constraints.real
    _forms = ClosedForms("None are known.")  # formulas of log_prob, cdf, icdf, entropy, kl_loss
    _validate_args = True
    _parameters: tuple[str, ...] = ()  # attributes that these formulas take, in order

    def __init__(
        self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None
    ) -> None:
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            for name, constraint in self.arg_constraints.items():
                value = self.__dict__.get(name)
                if not isinstance(value, Tensor) or constraints.is_dependent(constraint):
                    continue
                if not bool(constraint.check(value.detach()).all()):
                    raise ValueError(
                        f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                        f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                    )

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Set the default of `validate_args`."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    @property
    def batch_shape(self) -> Size:
        """The shape of the distributions in this object."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """Shape of one draw."""
        return self._event_shape

    @property
    def mean(self) -> Any:
        """The expected value."""
        raise NotImplementedError

    @property
    def variance(self) -> Any:
        """The expected square of the distance from the mean."""
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        """The root of the variance."""
        return basic.sqrt(self.variance)  # type: ignore[attr-defined]

    @property
    def mode(self) -> Any:
        """The most probable value."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Draw samples that are differentiable by the parameters (reparameterized)."""
        raise NotImplementedError

    def sample(self, sample_shape: Any = ()) -> Any:
        """Draws, of shape (*sample_shape, *batch_shape, *event_shape)."""
        with no_grad():
            return self.rsample(sample_shape).detach()

    def _by_form(self, name: str, *values: Any) -> Any:
        """Apply a closed form.

        Args:
            name: of the formula.
            values: what it takes before the parameters of this distribution.

        Raises:
            NotImplementedError: if there is none.
        """
        if name not in self._forms:
            raise NotImplementedError
        own = [getattr(self, each) for each in self._parameters]
        tensors = [v if isinstance(v, Tensor) else basic.tensor(v, dtype=own[0].dtype) for v in values]
        return as_torch(self._forms.operator(name)(*tensors, *own))

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density at a value."""
        if "log_prob" in self._forms:
            self._validate_sample(value)
        return self._by_form("log_prob", value)

    def cdf(self, value: Any) -> Any:
        """Return the probability of at most a value."""
        return self._by_form("cdf", value)

    def icdf(self, value: Any) -> Any:
        """Return the value of a probability."""
        return self._by_form("icdf", value)

    def entropy(self) -> Any:
        """Return the expected value of -log_prob."""
        return self._by_form("entropy")

    def perplexity(self) -> Any:
        """exp of the entropy."""
        return exp(self.entropy())

    def enumerate_support(self, expand: bool = True) -> Any:
        """All values there are."""
        raise NotImplementedError

    def _whole_numbers(self, count: int, dtype: Any, expand: bool) -> Any:
        """The numbers below `count` along a new first dimension."""
        values = basic.arange(count, dtype=dtype).reshape(-1, *[1] * len(self._batch_shape))
        return basic.expand(values, count, *self._batch_shape) if expand else values

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the same with Parameters expanded to a shape."""
        made = object.__new__(type(self)) if _instance is None else _instance
        vars(made).update(vars(self))
        old = len(self._batch_shape)
        for name, value in vars(self).items():
            if isinstance(value, Tensor):
                rest = value.shape[old:] if value.ndim >= old else ()
                vars(made)[name] = basic.expand(value, *batch_shape, *rest)
            elif isinstance(value, Distribution):
                vars(made)[name] = value.expand((*batch_shape, *value.batch_shape[old:]))
        made._batch_shape = Size(batch_shape)
        return made

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """Return the object that `expand` fills: a new one, unless a subclass has begun it.

        Raises:
            NotImplementedError: of a subclass with an `__init__` of its own and no `expand`.
        """
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also define a "
                "custom .expand() method."
            )
        return type(self).__new__(type(self)) if _instance is None else _instance

    def _validate_sample(self, value: Any) -> None:
        if not self._validate_args:
            return
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        event = len(self._event_shape)
        if tuple(value.shape[value.ndim - event :]) != tuple(self._event_shape):
            raise ValueError(
                f"The right-most size of value must match event_shape: {value.shape} vs {self._event_shape}."
            )
        try:
            np.broadcast_shapes(tuple(value.shape), tuple(self._extended_shape()))
        except ValueError:
            raise ValueError(
                f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs {self._extended_shape()}."
            ) from None
        if not bool(self.support.check(value.detach()).all()):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the support "
                f"({self.support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        named = [name for name in self.arg_constraints if name in self.__dict__]
        shown = [
            f"{name}: {value}" if value.numel() == 1 else f"{name}: {value.size()}"
            for name in named
            if isinstance(value := self.__dict__[name], Tensor)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


class ExponentialFamily(Distribution):
    """A distribution of an exponential family: its entropy follows from its normalizer.

    Subclasses define `_natural_params`, `_log_normalizer` and `_mean_carrier_measure`, or closed forms.
    """

    _mean_carrier_measure: Any = 0

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> Any:
        raise NotImplementedError

    def entropy(self) -> Any:
        """Return the expected value of -log_prob."""
        if "entropy" in self._forms:
            return super().entropy()
        with enable_grad():
            natural = [each.detach().requires_grad_() for each in self._natural_params]
            normalizer = self._log_normalizer(*natural)
            slopes = grad(normalizer.sum(), natural, create_graph=True)
        found = normalizer - self._mean_carrier_measure
        for each, slope in zip(natural, slopes, strict=True):
            found = found - (each * slope).reshape(*self._batch_shape, -1).sum(-1)
        return found


def uniform_like(shape: Any, like: Any) -> Any:
    """Uniform numbers inside of (0, 1)."""
    tiny = 2.0**-24
    return basic.clamp(basic.rand(*shape, dtype=like.dtype), tiny, 1 - tiny)
