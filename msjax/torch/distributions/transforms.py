"""`torch.distributions.transforms`: invertible transforms and their log-determinants."""

# ruff: noqa: D102  what Distribution and Transform describe

import copy
import math
from typing import Any

import numpy as np

from msjax import ops
from msjax.torch.distributions import constraints
from msjax.torch.distributions.distribution import exp, log
from msjax.torch.distributions.utils import sum_rightmost
from msjax.torch.functions import basic as T
from msjax.torch.nn import functional as F
from msjax.torch.tensors.tensor import as_torch


class Transform:
    """An invertible function: subclasses define `_call`, `_inverse` and `log_abs_det_jacobian`.

    Args:
        cache_size: 1 if the last value is kept, so that its inverse is what it was made of; or 0.
    """

    bijective = False
    domain: Any = constraints.real
    codomain: Any = constraints.real
    _cache_size = 0
    _cached_x_y: tuple[Any, Any] = (None, None)
    _inv: Any = None

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        super().__init__()  # a subclass may be a module, too

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the inverse, which holds this."""
        return vars(self) | {"_inv": None}

    @property
    def event_dim(self) -> int:
        """Dimensions of what is transformed, and of its value.

        Raises:
            ValueError: if the two have different ones.
        """
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def sign(self) -> Any:
        """1 if it rises, -1 if it falls.

        Raises:
            NotImplementedError: if it does neither, or is no function of numbers.
        """
        raise NotImplementedError(
            f"`{type(self).__name__}`: it neither rises nor falls as a whole, and has no sign."
        )

    def with_cache(self, cache_size: int = 1) -> "Transform":
        """Return the same with another size of the cache."""
        if self._cache_size == cache_size:
            return self
        made = copy.copy(self)
        made._cache_size, made._cached_x_y = cache_size, (None, None)
        return made

    def __call__(self, x: Any) -> Any:
        """Return the value."""
        if self._cache_size and x is self._cached_x_y[0]:
            return self._cached_x_y[1]
        return self._keep(x, self._call(x))[1]

    def _inv_call(self, y: Any) -> Any:
        if self._cache_size and y is self._cached_x_y[1]:
            return self._cached_x_y[0]
        return self._keep(self._inverse(y), y)[0]

    def _keep(self, x: Any, y: Any) -> tuple[Any, Any]:
        if self._cache_size:
            self._cached_x_y = x, y
        return x, y

    def _call(self, x: Any) -> Any:
        raise NotImplementedError

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError

    @property
    def inv(self) -> "Transform":
        """Inverse transform."""
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

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


class _Plain(Transform):
    """A transform without settings: all of a class are equal. It is invertible, and rises."""

    bijective = True
    sign = 1  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))

    def __hash__(self) -> int:
        return hash(type(self))


class _InverseTransform(Transform):
    def __init__(self, transform: Transform) -> None:
        super().__init__(transform._cache_size)
        self._inv = transform

    domain = property(lambda self: self._inv.codomain)  # type: ignore[assignment]
    codomain = property(lambda self: self._inv.domain)  # type: ignore[assignment]
    bijective = property(lambda self: self._inv.bijective)  # type: ignore[assignment]
    sign = property(lambda self: self._inv.sign)  # type: ignore[assignment]
    inv = property(lambda self: self._inv)  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return vars(self)

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self._inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __hash__(self) -> int:
        return hash((_InverseTransform, self._inv))

    def __call__(self, x: Any) -> Any:
        return self._inv._inv_call(x)

    def _inv_call(self, y: Any) -> Any:
        return self._inv(y)

    def forward_shape(self, shape: Any) -> Any:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self._inv.forward_shape(shape)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -self._inv.log_abs_det_jacobian(y, x)

    def __repr__(self) -> str:
        return f"_InverseTransform({self._inv!r})"


class ComposeTransform(Transform):
    """Composition of several transforms, one after another.

    Args:
        parts: the transforms.
        cache_size: 1 if each keeps its last value.
    """

    def __init__(self, parts: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size)

    @property
    def domain(self) -> Any:  # type: ignore[override]
        """The first part's, of as many dimensions as a later part may need."""
        if not self.parts:
            return constraints.real
        return _of_dimensions(self.parts[0].domain, [(p.domain, p.codomain) for p in reversed(self.parts)])

    @property
    def codomain(self) -> Any:  # type: ignore[override]
        """The last part's, of as many dimensions as an earlier part may give."""
        if not self.parts:
            return constraints.real
        return _of_dimensions(self.parts[-1].codomain, [(p.codomain, p.domain) for p in self.parts])

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether all parts are."""
        return all(p.bijective for p in self.parts)

    @property
    def sign(self) -> Any:
        """The product of the signs of the parts."""
        return math.prod(p.sign for p in self.parts)

    @property
    def inv(self) -> Transform:
        """The inverses of the parts, from the last to the first."""
        if self._inv is None:
            self._inv = ComposeTransform([p.inv for p in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def __call__(self, x: Any) -> Any:
        return self._call(x)

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
        total, size = 0.0, self.domain.event_dim
        for i, part in enumerate(self.parts):
            after = y if i == len(self.parts) - 1 else part(x)
            slope = part.log_abs_det_jacobian(x, after)
            total = total + sum_rightmost(slope, size - part.domain.event_dim)
            size += part.codomain.event_dim - part.domain.event_dim
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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return "ComposeTransform(\n    " + ",\n    ".join(repr(part) for part in self.parts) + "\n)"


def _of_dimensions(end: Any, parts: list) -> Any:
    """Return a constraint with the dimensions that a chain needs there.

    Args:
        end: the constraint.
        parts: (side towards it, other side) of each transform, from the other end.
    """
    size = parts[0][1].event_dim
    for near, far in parts:
        size = max(size + near.event_dim - far.event_dim, near.event_dim)
    return constraints.independent(end, size - end.event_dim) if size > end.event_dim else end


class AffineTransform(Transform):
    """loc + scale * x.

    Args:
        loc: a number or tensor.
        scale: another.
        event_dim: how many dimensions belong to what is transformed.
        cache_size: as in Transform.
    """

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    event_dim = property(lambda self: self._event_dim)  # type: ignore[assignment]

    @property
    def domain(self) -> Any:  # type: ignore[override]
        """All numbers, or vectors of them."""
        return (
            constraints.independent(constraints.real, self._event_dim)
            if self._event_dim
            else constraints.real
        )

    codomain = domain  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        return _equal(self.loc, other.loc) and _equal(self.scale, other.scale)

    def __hash__(self) -> int:
        return id(self)

    @property
    def sign(self) -> Any:
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
        number = isinstance(scale, int | float)
        each = T.full_like(x, math.log(abs(scale))) if number else log(T.abs(scale))
        each = sum_rightmost(each, self._event_dim) if each.ndim >= self._event_dim else each
        return T.expand(each, *x.shape[: x.ndim - self._event_dim])

    def forward_shape(self, shape: Any) -> Any:
        return np.broadcast_shapes(
            *[tuple(getattr(each, "shape", ())) for each in (self.loc, self.scale)], tuple(shape)
        )

    inverse_shape = forward_shape


def _equal(a: Any, b: Any) -> bool:
    return bool(T.as_tensor(a == b).all())


class ExpTransform(_Plain):
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

    bijective = True
    domain = codomain = constraints.positive

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.exponent = T.as_tensor(exponent)

    sign = property(lambda self: T.sign(self.exponent))  # type: ignore[attr-defined, assignment]

    def _call(self, x: Any) -> Any:
        return x**self.exponent

    def _inverse(self, y: Any) -> Any:
        return y ** (1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return log(T.abs(self.exponent * y / x))


def _clipped_sigmoid(x: Any) -> Any:
    return T.clamp(T.sigmoid(x), 2.0**-126, 1 - 2.0**-23)  # type: ignore[attr-defined]


class SigmoidTransform(_Plain):
    """1 / (1 + exp(-x))."""

    codomain = constraints.unit_interval

    def _call(self, x: Any) -> Any:
        return _clipped_sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        y = T.clamp(y, 2.0**-126, 1 - 2.0**-23)
        return log(y) - as_torch(ops.log1p(-y))

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -F.softplus(-x) - F.softplus(x)


class TanhTransform(_Plain):
    """tanh(x)."""

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x: Any) -> Any:
        return T.tanh(x)  # type: ignore[attr-defined]

    def _inverse(self, y: Any) -> Any:
        return as_torch(ops.atanh(y))

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


class SoftplusTransform(_Plain):
    """log(1 + exp(x))."""

    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return F.softplus(x)

    def _inverse(self, y: Any) -> Any:
        return log(-as_torch(ops.expm1(-y))) + y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -F.softplus(-x)


class SoftmaxTransform(_Plain):
    """Shares of exp(x); not invertible, as a constant is lost."""

    bijective = False
    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Any) -> Any:
        return F.softmax(x, -1)

    def _inverse(self, y: Any) -> Any:
        return log(y)
