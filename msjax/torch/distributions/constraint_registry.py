"""`biject_to` and `transform_to`: transforms from free numbers to what a constraint allows."""

from collections.abc import Callable
from typing import Any

from msjax.torch.distributions import constraints, transforms, vector_transforms


class ConstraintRegistry:
    """Transforms by the kinds of constraints.

    Examples:
        >>> from msjax import torch
        >>> from msjax.torch.distributions import constraints, transform_to
        >>> transform_to(constraints.simplex)(torch.tensor([0.0, 0.0]))
        tensor([0.5000, 0.5000])
    """

    def __init__(self) -> None:
        self._registry: dict[type, Callable] = {}

    def register(self, constraint: Any, factory: Callable | None = None) -> Any:
        """Register what makes the transform of a kind of constraints; without `factory`, as a decorator.

        Args:
            constraint: a class of constraints, or one of them.
            factory: takes the constraint and returns the transform.

        Raises:
            TypeError: if it is no constraint.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, constraints.Constraint):
            raise TypeError(
                "Expected constraint to be either a Constraint subclass or instance, but got "
                + repr(constraint)
            )
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        """Return the transform of a constraint.

        Raises:
            NotImplementedError: if none is registered for its kind.
        """
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to, transform_to = ConstraintRegistry(), ConstraintRegistry()


def _both(*kinds: Any) -> Callable:
    def mark(factory: Callable) -> Callable:
        for registry in (biject_to, transform_to):
            for kind in kinds:
                registry.register(kind, factory)
        return factory

    return mark


@_both(constraints.real)
def _identity(constraint: Any) -> Any:
    return vector_transforms.identity_transform


@_both(constraints.greater_than, constraints.greater_than_eq)
def _above(constraint: Any) -> Any:
    moved = transforms.AffineTransform(constraint.lower_bound, 1)
    return transforms.ComposeTransform([transforms.ExpTransform(), moved])


@_both(constraints.less_than)
def _below(constraint: Any) -> Any:
    moved = transforms.AffineTransform(constraint.upper_bound, -1)
    return transforms.ComposeTransform([transforms.ExpTransform(), moved])


@_both(constraints.interval, constraints.half_open_interval)
def _between(constraint: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    sigmoid = transforms.SigmoidTransform()
    if isinstance(low, int | float) and isinstance(high, int | float) and (low, high) == (0, 1):
        return sigmoid
    return transforms.ComposeTransform([sigmoid, transforms.AffineTransform(low, high - low)])


@transform_to.register(constraints.lower_cholesky)
def _triangle(constraint: Any) -> Any:
    return vector_transforms.LowerCholeskyTransform()


@transform_to.register(constraints.positive_definite)
@transform_to.register(constraints.positive_semidefinite)
def _definite(constraint: Any) -> Any:
    return vector_transforms.PositiveDefiniteTransform()


@_both(constraints.corr_cholesky)
def _correlations(constraint: Any) -> Any:
    return vector_transforms.CorrCholeskyTransform()


@biject_to.register(constraints.simplex)
def _broken_stick(constraint: Any) -> Any:
    return vector_transforms.StickBreakingTransform()


@transform_to.register(constraints.simplex)
def _shares(constraint: Any) -> Any:
    return transforms.SoftmaxTransform()


def _composed(registry: ConstraintRegistry) -> None:
    """Register constraints that are made of others: each part has the registry's own transform."""

    @registry.register(constraints.independent)
    def _independent(constraint: Any) -> Any:
        base = registry(constraint.base_constraint)
        return vector_transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)

    @registry.register(constraints.cat)
    def _cat(constraint: Any) -> Any:
        parts = [registry(each) for each in constraint.cseq]
        return vector_transforms.CatTransform(parts, constraint.dim, constraint.lengths)

    @registry.register(constraints.stack)
    def _stack(constraint: Any) -> Any:
        return vector_transforms.StackTransform([registry(each) for each in constraint.cseq], constraint.dim)


_composed(biject_to)
_composed(transform_to)
