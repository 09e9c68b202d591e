"""`torch.distributions.constraints`: constraints on parameters and supports of distributions."""

from collections.abc import Callable
from typing import Any

from msjax.torch import linalg


class Constraint:
    """A region of numbers or vectors.

    Args:
        name: as it is shown.
        check: of a tensor, which elements, or vectors, lie in it.
        event_dim: the number of dimensions of what lies in it.
        is_discrete: whether it has separate points only.
    """

    def __init__(self, name: str, check: Callable, event_dim: int = 0, is_discrete: bool = False) -> None:
        self._name, self.check, self.event_dim, self.is_discrete = name, check, event_dim, is_discrete

    def __repr__(self) -> str:
        return self._name


def greater_than(lower_bound: Any) -> Constraint:
    """Above a number."""
    return Constraint(f"GreaterThan(lower_bound={lower_bound})", lambda v: v > lower_bound)


def greater_than_eq(lower_bound: Any) -> Constraint:
    """Constrain values to be at least a number."""
    return Constraint(f"GreaterThanEq(lower_bound={lower_bound})", lambda v: v >= lower_bound)


def less_than(upper_bound: Any) -> Constraint:
    """Below a number."""
    return Constraint(f"LessThan(upper_bound={upper_bound})", lambda v: v < upper_bound)


def interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Constrain values to a closed interval."""
    name = f"Interval(lower_bound={lower_bound}, upper_bound={upper_bound})"
    return Constraint(name, lambda v: (v >= lower_bound) & (v <= upper_bound))


def half_open_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Constrain values to an interval that contains its lower end only."""
    name = f"HalfOpenInterval(lower_bound={lower_bound}, upper_bound={upper_bound})"
    return Constraint(name, lambda v: (v >= lower_bound) & (v < upper_bound))


def integer_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Whole numbers between two."""
    name = f"IntegerInterval(lower_bound={lower_bound}, upper_bound={upper_bound})"
    inside = lambda v: (v % 1 == 0) & (v >= lower_bound) & (v <= upper_bound)  # noqa: E731
    return Constraint(name, inside, is_discrete=True)


def integer_greater_than_eq(lower_bound: int, name: str) -> Constraint:
    """Whole numbers from one on."""
    return Constraint(name, lambda v: (v % 1 == 0) & (v >= lower_bound), is_discrete=True)


def independent(base: Constraint, reinterpreted_batch_ndims: int) -> Constraint:
    """Vectors, all elements of which lie in a region."""

    def check(value: Any) -> Any:
        inside = base.check(value)
        for _ in range(reinterpreted_batch_ndims):
            inside = inside.all(-1)
        return inside

    name = f"IndependentConstraint({base!r}, {reinterpreted_batch_ndims})"
    return Constraint(name, check, base.event_dim + reinterpreted_batch_ndims, base.is_discrete)


def _positive_definite(value: Any) -> Any:
    symmetric = (abs(value - value.mT) < 1e-6).all(-1).all(-1)
    return symmetric & (linalg.eigvalsh(value) > 0).all(-1)


real = Constraint("Real()", lambda v: v == v)
real_vector = independent(real, 1)
positive = Constraint("GreaterThan(lower_bound=0.0)", lambda v: v > 0)
nonnegative = Constraint("GreaterThanEq(lower_bound=0.0)", lambda v: v >= 0)
unit_interval = interval(0.0, 1.0)
boolean = Constraint("Boolean()", lambda v: (v == 0) | (v == 1), is_discrete=True)
nonnegative_integer = integer_greater_than_eq(0, "IntegerGreaterThan(lower_bound=0)")
positive_integer = integer_greater_than_eq(1, "IntegerGreaterThan(lower_bound=1)")
simplex = Constraint("Simplex()", lambda v: (v >= 0).all(-1) & (abs(v.sum(-1) - 1) < 1e-6), 1)
one_hot = Constraint("OneHot()", lambda v: ((v == 0) | (v == 1)).all(-1) & (v.sum(-1) == 1), 1, True)
positive_definite = Constraint("PositiveDefinite()", _positive_definite, 2)
lower_cholesky = Constraint(
    "LowerCholesky()",
    lambda v: (v.tril() == v).all(-1).all(-1) & (v.diagonal(dim1=-2, dim2=-1) > 0).all(-1),
    2,
)
