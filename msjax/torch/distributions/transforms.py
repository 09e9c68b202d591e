"""`torch.distributions.transforms`: invertible transforms and their log-determinants."""

# ruff: noqa: D102  what Distribution and Transform describe

import math
from typing import Any

from msjax import ops
from msjax.torch.distributions import constraints
from msjax.torch.distributions.distribution import exp, log
from msjax.torch.functions import basic as T
from msjax.torch.nn import functional as F
from msjax.torch.tensors.tensor import as_torch


class Transform:
    """An invertible function: subclasses define `_call`, `_inverse` and `log_abs_det_jacobian`."""

    bijective = True
    domain: Any = constraints.real
    codomain: Any = constraints.real
    domain_dim = codomain_dim = event_dim = 0
    sign: Any = 1

    def __init__(self, cache_size: int = 0) -> None:
        pass

    def __call__(self, x: Any) -> Any:
        """Return the value."""
        return self._call(x)

    def _call(self, x: Any) -> Any:
        raise NotImplementedError

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError

    @property
    def inv(self) -> "Transform":
        """Inverse transform."""
        return _Inverse(self)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Compute the log of the absolute determinant of the Jacobian at x, whose value is y."""
        raise NotImplementedError

    def forward_shape(self, shape: Any) -> Any:
        """Return the shape of the value."""
        return tuple(shape)

    def inverse_shape(self, shape: Any) -> Any:
        """Return the shape of what has a value of that shape."""
        return tuple(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class _Inverse(Transform):
    def __init__(self, transform: Transform) -> None:
        self._of = transform
        self.domain, self.codomain = transform.codomain, transform.domain
        self.domain_dim, self.codomain_dim = transform.codomain_dim, transform.domain_dim
        self.event_dim, self.bijective = transform.event_dim, transform.bijective

    sign = property(lambda self: self._of.sign)  # type: ignore[assignment]

    def _call(self, x: Any) -> Any:
        return self._of._inverse(x)

    def _inverse(self, y: Any) -> Any:
        return self._of._call(y)

    inv = property(lambda self: self._of)  # type: ignore[assignment]

    def forward_shape(self, shape: Any) -> Any:
        return self._of.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self._of.forward_shape(shape)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -self._of.log_abs_det_jacobian(y, x)


class ComposeTransform(Transform):
    """Composition of several transforms, one after another."""

    def __init__(self, parts: Any, cache_size: int = 0) -> None:
        self.parts = list(parts)
        self.domain_dim = self.codomain_dim = self.event_dim = max(
            [p.event_dim for p in self.parts], default=0
        )
        if self.parts:
            self.domain, self.codomain = self.parts[0].domain, self.parts[-1].codomain

    @property
    def sign(self) -> Any:  # type: ignore[override]
        """The product of the signs of the parts."""
        return math.prod(p.sign for p in self.parts)

    def _call(self, x: Any) -> Any:
        for part in self.parts:
            x = part(x)
        return x

    def _inverse(self, y: Any) -> Any:
        for part in reversed(self.parts):
            y = part.inv(y)
        return y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        if not self.parts:
            return T.zeros_like(x)
        total: Any = 0.0
        for part in self.parts:
            after = part(x)
            each = part.log_abs_det_jacobian(x, after)
            extra = self.event_dim - part.domain_dim
            total = total + (each.sum(tuple(range(-extra, 0))) if extra else each)
            x = after
        return total

    def forward_shape(self, shape: Any) -> Any:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return tuple(shape)

    def inverse_shape(self, shape: Any) -> Any:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return tuple(shape)


class AffineTransform(Transform):
    """loc + scale * x."""

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        self.loc, self.scale = loc, scale
        self.event_dim = self.domain_dim = self.codomain_dim = event_dim

    @property
    def sign(self) -> Any:  # type: ignore[override]
        """Sign of the scale."""
        if isinstance(self.scale, int | float):
            return 1 if self.scale > 0 else -1 if self.scale < 0 else 0
        return T.sign(self.scale)  # type: ignore[attr-defined]

    def _call(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        scale = self.scale
        if isinstance(scale, int | float):
            each = T.full_like(x, math.log(abs(scale)))
        else:
            each = T.expand(log(T.abs(scale)), *x.shape)
        return each.sum(tuple(range(-self.event_dim, 0))) if self.event_dim else each


class ExpTransform(Transform):
    """exp(x)."""

    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return exp(x)

    def _inverse(self, y: Any) -> Any:
        return log(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return x


class PowerTransform(Transform):
    """x ** exponent of positive numbers."""

    domain = codomain = constraints.positive

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        self.exponent = T.as_tensor(exponent)

    sign = property(lambda self: T.sign(self.exponent))  # type: ignore[attr-defined, assignment]

    def _call(self, x: Any) -> Any:
        return x**self.exponent

    def _inverse(self, y: Any) -> Any:
        return y ** (1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return log(T.abs(self.exponent * y / x))


class SigmoidTransform(Transform):
    """1 / (1 + exp(-x))."""

    codomain = constraints.unit_interval

    def _call(self, x: Any) -> Any:
        eps = 2.0**-23
        return T.clamp(T.sigmoid(x), 2.0**-126, 1 - eps)  # type: ignore[attr-defined]

    def _inverse(self, y: Any) -> Any:
        y = T.clamp(y, 2.0**-126, 1 - 2.0**-23)
        return log(y) - as_torch(ops.log1p(-y))

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -F.softplus(-x) - F.softplus(x)


class TanhTransform(Transform):
    """tanh(x)."""

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x: Any) -> Any:
        return T.tanh(x)  # type: ignore[attr-defined]

    def _inverse(self, y: Any) -> Any:
        return as_torch(ops.atanh(y))

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


class SoftplusTransform(Transform):
    """log(1 + exp(x))."""

    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return F.softplus(x)

    def _inverse(self, y: Any) -> Any:
        return log(-as_torch(ops.expm1(-y))) + y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -F.softplus(-x)


class SoftmaxTransform(Transform):
    """Shares of exp(x); not invertible, as a constant is lost."""

    bijective = False
    domain = constraints.real_vector
    codomain = constraints.simplex
    domain_dim = codomain_dim = event_dim = 1

    def _call(self, x: Any) -> Any:
        return F.softmax(x, -1)

    def _inverse(self, y: Any) -> Any:
        return log(y)
