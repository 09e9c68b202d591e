"""`torch.distributions.constraints`: constraints on parameters and supports of distributions."""

from collections.abc import Sequence
from typing import Any, NoReturn

from msjax.torch import linalg
from msjax.torch.functions import basic as T


class Constraint:
    """A region of numbers or vectors: subclasses define `check`.

    `is_discrete` says whether it has separate points only, `event_dim` how many dimensions what lies in it has.
    """

    is_discrete = False
    event_dim = 0

    def check(self, value: Any) -> Any:
        """Return which elements of a tensor, or which of its vectors or matrices, lie in the region."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}()"


class _Bounded(Constraint):
    def __repr__(self) -> str:
        bounds = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"{type(self).__name__[1:]}({bounds})"


class _Dependent(Constraint):
    """A region that depends on other parameters; it cannot check."""

    def __init__(self, *, is_discrete: bool = False, event_dim: int = 0) -> None:
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def __call__(self, *, is_discrete: bool | None = None, event_dim: int | None = None) -> "_Dependent":
        """Return the same with other attributes."""
        return _Dependent(
            is_discrete=self.is_discrete if is_discrete is None else is_discrete,
            event_dim=self.event_dim if event_dim is None else event_dim,
        )

    def check(self, value: Any) -> NoReturn:
        raise ValueError("Cannot determine validity of dependent constraint")

    def __repr__(self) -> str:
        return "Dependent()"


class dependent_property(property, _Dependent):  # noqa: N801 - PyTorch's name
    """A property of a distribution that is a constraint: `@constraints.dependent_property`."""

    def __init__(self, fn: Any = None, *, is_discrete: bool = False, event_dim: int = 0) -> None:
        super().__init__(fn)
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def __call__(self, fn: Any) -> "dependent_property":  # type: ignore[override]
        """Return the property of a function."""
        return dependent_property(fn, is_discrete=self.is_discrete, event_dim=self.event_dim)


def is_dependent(constraint: Any) -> bool:
    """Return True if a constraint depends on other parameters."""
    return isinstance(constraint, _Dependent)


class _Real(Constraint):
    def check(self, value: Any) -> Any:
        return value == value


class _GreaterThan(_Bounded):
    """Above a number."""

    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound

    def check(self, value: Any) -> Any:
        return value > self.lower_bound


class _GreaterThanEq(_GreaterThan):
    """At least a number."""

    def check(self, value: Any) -> Any:
        return value >= self.lower_bound


class _LessThan(_Bounded):
    """Below a number."""

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        return value < self.upper_bound


class _Interval(_Bounded):
    """In a closed interval."""

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound

    def check(self, value: Any) -> Any:
        return (value >= self.lower_bound) & (value <= self.upper_bound)


class _HalfOpenInterval(_Interval):
    """In an interval that contains its lower end only."""

    def check(self, value: Any) -> Any:
        return (value >= self.lower_bound) & (value < self.upper_bound)


class _IntegerInterval(_Interval):
    """Whole numbers between two."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & super().check(value)


class _IntegerGreaterThan(_GreaterThan):
    """Whole numbers from one on."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _IntegerLessThan(_LessThan):
    """Whole numbers up to one."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (value <= self.upper_bound)


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value == 0) | (value == 1)


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Any) -> Any:
        return (value >= 0).all(-1) & (abs(value.sum(-1) - 1) < 1e-6)


class _OneHot(_Boolean):
    event_dim = 1

    def check(self, value: Any) -> Any:
        return super().check(value).all(-1) & (value.sum(-1) == 1)


class _Multinomial(Constraint):
    """Counts that add up to at most a number."""

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)


class _Matrix(Constraint):
    """Any matrix."""

    event_dim = 2


class _LowerTriangular(_Matrix):
    def check(self, value: Any) -> Any:
        return (value.tril() == value).all(-1).all(-1)


class _LowerCholesky(_LowerTriangular):
    def check(self, value: Any) -> Any:
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(_LowerCholesky):
    def check(self, value: Any) -> Any:
        tolerance = 2.0**-23 * value.shape[-1] * 10
        return super().check(value) & (abs(linalg.norm(value, dim=-1) - 1) < tolerance).all(-1)


class _Square(_Matrix):
    def check(self, value: Any) -> Any:
        return T.full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=T.dtypes.bool_)


class _Symmetric(_Square):
    def check(self, value: Any) -> Any:
        if value.shape[-2] != value.shape[-1]:
            return super().check(value)
        return (abs(value - value.mT) <= 1e-6 + 1e-5 * abs(value.mT)).all(-1).all(-1)


class _PositiveSemidefinite(_Symmetric):
    def check(self, value: Any) -> Any:
        return super().check(value) & (linalg.eigvalsh(value) >= 0).all(-1)


class _PositiveDefinite(_Symmetric):
    def check(self, value: Any) -> Any:
        return super().check(value) & (linalg.eigvalsh(value) > 0).all(-1)


class _IndependentConstraint(Constraint):
    """Vectors whose elements all lie in a region."""

    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, reinterpreted_batch_ndims

    is_discrete = property(lambda self: self.base_constraint.is_discrete)  # type: ignore[assignment]
    event_dim = property(lambda self: self.base_constraint.event_dim + self.reinterpreted_batch_ndims)  # type: ignore[assignment]

    def check(self, value: Any) -> Any:
        inside = self.base_constraint.check(value)
        for _ in range(self.reinterpreted_batch_ndims):
            inside = inside.all(-1)
        return inside

    def __repr__(self) -> str:
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class _MixtureSameFamilyConstraint(Constraint):
    """Values that all components of a mixture have."""

    def __init__(self, base_constraint: Any) -> None:
        self.base_constraint = base_constraint

    is_discrete = property(lambda self: self.base_constraint.is_discrete)  # type: ignore[assignment]
    event_dim = property(lambda self: self.base_constraint.event_dim)  # type: ignore[assignment]

    def check(self, value: Any) -> Any:
        inside = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        return inside.reshape(*inside.shape[: value.ndim - self.event_dim], -1).all(-1)

    def __repr__(self) -> str:
        return f"MixtureSameFamilyConstraint({self.base_constraint!r})"


class _Parts(Constraint):
    """Parts of a tensor along a dimension, each with a constraint of its own."""

    def __init__(self, cseq: Sequence[Any], dim: int = 0) -> None:
        self.cseq, self.dim = list(cseq), dim

    is_discrete = property(lambda self: any(c.is_discrete for c in self.cseq))  # type: ignore[assignment]


class _Cat(_Parts):
    """Pieces of a dimension.

    Args:
        cseq: the constraints.
        dim: the dimension.
        lengths: of the pieces, 1 each if not given.
    """

    def __init__(self, cseq: Sequence[Any], dim: int = 0, lengths: Sequence[int] | None = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)

    event_dim = property(lambda self: max(c.event_dim for c in self.cseq))  # type: ignore[assignment]

    def check(self, value: Any) -> Any:
        parts = value.split(self.lengths, self.dim)
        return T.cat([c.check(part) for c, part in zip(self.cseq, parts, strict=True)], self.dim)


class _Stack(_Parts):
    """Slices of a dimension."""

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """The dimensions of the largest slice, and one more if it is stacked in there."""
        inner = max(c.event_dim for c in self.cseq)
        return inner + 1 if self.dim + inner < 0 else inner

    def check(self, value: Any) -> Any:
        slices = [value.select(self.dim, i) for i in range(value.shape[self.dim])]
        return T.stack([c.check(each) for c, each in zip(self.cseq, slices, strict=True)], self.dim)


dependent = _Dependent()
greater_than, greater_than_eq, less_than = _GreaterThan, _GreaterThanEq, _LessThan
interval, half_open_interval, integer_interval = _Interval, _HalfOpenInterval, _IntegerInterval
independent, multinomial, cat, stack = _IndependentConstraint, _Multinomial, _Cat, _Stack
MixtureSameFamilyConstraint = _MixtureSameFamilyConstraint
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
unit_interval = interval(0.0, 1.0)
boolean = _Boolean()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
simplex, one_hot = _Simplex(), _OneHot()
lower_triangular, lower_cholesky, corr_cholesky = _LowerTriangular(), _LowerCholesky(), _CorrCholesky()
square, symmetric = _Square(), _Symmetric()
positive_semidefinite, positive_definite = _PositiveSemidefinite(), _PositiveDefinite()
