"""Transforms of vectors and matrices, of parts of tensors, and by distributions: StickBreakingTransform, CatTransform ..."""

# ruff: noqa: D102  what Transform describes

import math
from collections.abc import Sequence
from typing import Any

from msjax import ops
from msjax.torch.distributions import constraints
from msjax.torch.distributions.distribution import exp, log
from msjax.torch.distributions.transforms import ComposeTransform, Transform
from msjax.torch.distributions.utils import sum_rightmost, tril_matrix_to_vec, vec_to_tril_matrix
from msjax.torch.functions import basic as T
from msjax.torch.nn import functional as F
from msjax.torch.tensors.tensor import as_torch


def _log1p(x: Any) -> Any:
    return as_torch(ops.log1p(x))


def _cumprod(x: Any) -> Any:
    return as_torch(ops.cumprod(x, -1))


class IndependentTransform(Transform):
    """A transform whose last batch dimensions belong to the event: its determinant is summed over them.

    Args:
        base_transform: the transform.
        reinterpreted_batch_ndims: how many dimensions.
    """

    def __init__(
        self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size)
        self.base_transform, self.reinterpreted_batch_ndims = base_transform, reinterpreted_batch_ndims
        self.bijective = base_transform.bijective
        self.domain = constraints.independent(base_transform.domain, reinterpreted_batch_ndims)
        self.codomain = constraints.independent(base_transform.codomain, reinterpreted_batch_ndims)

    sign = property(lambda self: self.base_transform.sign)  # type: ignore[assignment]

    def _call(self, x: Any) -> Any:
        return self.base_transform(x)

    def _inverse(self, y: Any) -> Any:
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        each = self.base_transform.log_abs_det_jacobian(x, y)
        return each.sum(tuple(range(-self.reinterpreted_batch_ndims, 0)))

    def forward_shape(self, shape: Any) -> Any:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self.base_transform.inverse_shape(shape)

    def __repr__(self) -> str:
        return f"IndependentTransform({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


class ReshapeTransform(Transform):
    """Another shape of the last dimensions.

    Args:
        in_shape: that they have.
        out_shape: that they get.
    """

    bijective = True

    def __init__(self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = tuple(in_shape), tuple(out_shape)
        if math.prod(self.in_shape) != math.prod(self.out_shape):
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size)
        self.domain = constraints.independent(constraints.real, len(self.in_shape))
        self.codomain = constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x: Any) -> Any:
        return x.reshape(self.forward_shape(x.shape))

    def _inverse(self, y: Any) -> Any:
        return y.reshape(self.inverse_shape(y.shape))

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return T.zeros(tuple(x.shape[: x.ndim - len(self.in_shape)]), dtype=x.dtype)

    def forward_shape(self, shape: Any) -> Any:
        return _with_end("forward_shape", shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Any) -> Any:
        return _with_end("inverse_shape", shape, self.out_shape, self.in_shape)


def _with_end(name: str, shape: Any, old: tuple, new: tuple) -> tuple:
    at = len(shape) - len(old)
    if at < 0 or tuple(shape[at:]) != old:
        raise ValueError(
            f"`ReshapeTransform.{name}`: shape must end in {old}. Received: shape={tuple(shape)}."
        )
    return (*shape[:at], *new)


class _OfVectors(Transform):
    """A transform without settings and without a sign: all of a class are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))

    def __hash__(self) -> int:
        return hash(type(self))


class AbsTransform(_OfVectors):
    """|x|; not invertible, as the sign is lost."""

    bijective = False
    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return T.abs(x)

    def _inverse(self, y: Any) -> Any:
        return y


class StickBreakingTransform(_OfVectors):
    """N numbers to N + 1 shares: each takes a part of what is left of a stick of length 1."""

    bijective = True
    codomain = constraints.simplex
    domain = constraints.real_vector

    def _call(self, x: Any) -> Any:
        z = T.sigmoid(x - log(_steps(x)))  # type: ignore[attr-defined]
        return F.pad(z, (0, 1), value=1) * F.pad(_cumprod(1 - z), (1, 0), value=1)

    def _inverse(self, y: Any) -> Any:
        left = T.clamp(1 - as_torch(ops.cumsum(y[..., :-1], -1)), 2.0**-126)
        return log(y[..., :-1]) - log(left) + log(_steps(left))

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        x = x - log(_steps(x))
        return (-x + F.logsigmoid(x) + log(y[..., :-1])).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        return (*shape[:-1], shape[-1] + 1)

    def inverse_shape(self, shape: Any) -> Any:
        return (*shape[:-1], shape[-1] - 1)


def _steps(x: Any) -> Any:
    """Return N, N - 1, ..., 1 for the N numbers of the last dimension: with these offsets zeros give equal shares."""
    return T.arange(x.shape[-1], 0, -1).to(x.dtype)


class LowerCholeskyTransform(_OfVectors):
    """Square matrices to lower triangular ones of a positive diagonal."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Any) -> Any:
        return x.tril(-1) + as_torch(ops.diag_embed(exp(_diagonal(x))))

    def _inverse(self, y: Any) -> Any:
        return y.tril(-1) + as_torch(ops.diag_embed(log(_diagonal(y))))

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        raise NotImplementedError


def _diagonal(x: Any) -> Any:
    return x.diagonal(dim1=-2, dim2=-1)


class PositiveDefiniteTransform(LowerCholeskyTransform):
    """Square matrices to positive definite ones."""

    codomain = constraints.positive_definite

    def _call(self, x: Any) -> Any:
        root = super()._call(x)
        return root @ root.mT

    def _inverse(self, y: Any) -> Any:
        return super()._inverse(as_torch(ops.cholesky(y)))


class CorrCholeskyTransform(Transform):
    """N (N - 1) / 2 numbers to the Cholesky factor of a correlation matrix of size N."""

    bijective = True
    domain = constraints.real_vector
    codomain = constraints.corr_cholesky

    def _call(self, x: Any) -> Any:
        x = T.clamp(T.tanh(x), -1 + 2.0**-23, 1 - 2.0**-23)  # type: ignore[attr-defined]
        r = vec_to_tril_matrix(x, -1)
        left = _cumprod(T.sqrt(1 - r**2))  # type: ignore[attr-defined]
        r = r + T.eye(r.shape[-1], dtype=r.dtype)
        return r * F.pad(left[..., :-1], (1, 0), value=1)

    def _inverse(self, y: Any) -> Any:
        left = 1 - as_torch(ops.cumsum(y * y, -1))
        shifted = F.pad(left[..., :-1], (1, 0), value=1)
        ratio = tril_matrix_to_vec(y, -1) / T.sqrt(tril_matrix_to_vec(shifted, -1))  # type: ignore[attr-defined]
        return (_log1p(ratio) - _log1p(-ratio)) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any, intermediates: Any = None) -> Any:
        left = 1 - as_torch(ops.cumsum(y * y, -1))
        rows = 0.5 * log(tril_matrix_to_vec(left, -2)).sum(-1)
        return rows - 2 * (x + F.softplus(-2 * x) - math.log(2.0)).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        size = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != shape[-1]:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return (*shape[:-1], size, size)

    def inverse_shape(self, shape: Any) -> Any:
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return (*shape[:-2], shape[-1] * (shape[-1] - 1) // 2)


class _PartsTransform(Transform):
    """Transforms of parts of a tensor along a dimension.

    Args:
        tseq: the transforms.
        dim: the dimension.
    """

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.transforms, self.dim = (
            [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq),
            dim,
        )
        self.bijective = all(each.bijective for each in self.transforms)

    def _parts(self, x: Any) -> Any:
        raise NotImplementedError

    def _joined(self, parts: list) -> Any:
        raise NotImplementedError

    def _call(self, x: Any) -> Any:
        return self._joined([t(part) for t, part in zip(self.transforms, self._parts(x), strict=True)])

    def _inverse(self, y: Any) -> Any:
        return self._joined([t.inv(part) for t, part in zip(self.transforms, self._parts(y), strict=True)])


class CatTransform(_PartsTransform):
    """Transforms of pieces of a dimension.

    Args:
        tseq: the transforms.
        dim: the dimension.
        lengths: of the pieces, 1 each if not given.
    """

    def __init__(
        self,
        tseq: Sequence[Transform],
        dim: int = 0,
        lengths: Sequence[int] | None = None,
        cache_size: int = 0,
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        self.domain = constraints.cat([t.domain for t in self.transforms], dim, self.lengths)
        self.codomain = constraints.cat([t.codomain for t in self.transforms], dim, self.lengths)

    length = property(lambda self: sum(self.lengths))

    def _parts(self, x: Any) -> Any:
        return x.split(self.lengths, self.dim)

    def _joined(self, parts: list) -> Any:
        return T.cat(parts, self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        found = []
        for t, before, after in zip(self.transforms, self._parts(x), self._parts(y), strict=True):
            each = t.log_abs_det_jacobian(before, after)
            found.append(sum_rightmost(each, self.event_dim - t.event_dim))
        dim = self.dim - x.ndim if self.dim >= 0 else self.dim
        return T.cat(found, dim + self.event_dim) if dim + self.event_dim < 0 else sum(found)


class StackTransform(_PartsTransform):
    """Transforms of the slices of a dimension."""

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)
        self.domain = constraints.stack([t.domain for t in self.transforms], dim)
        self.codomain = constraints.stack([t.codomain for t in self.transforms], dim)

    def _parts(self, x: Any) -> Any:
        return [x.select(self.dim, i) for i in range(x.shape[self.dim])]

    def _joined(self, parts: list) -> Any:
        return T.stack(parts, self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        each = zip(self.transforms, self._parts(x), self._parts(y), strict=True)
        return self._joined([t.log_abs_det_jacobian(before, after) for t, before, after in each])


class CumulativeDistributionTransform(Transform):
    """The cdf of a distribution of numbers, and its icdf as the inverse."""

    bijective = True
    sign = 1  # type: ignore[assignment]
    codomain = constraints.unit_interval

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.distribution = distribution
        self.domain = distribution.support

    def _call(self, x: Any) -> Any:
        return self.distribution.cdf(x)

    def _inverse(self, y: Any) -> Any:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return self.distribution.log_prob(x)


identity_transform = ComposeTransform([])
