"""Operators of MindSpore's internal modules: tridiagonal systems, instance normalization, diagonals, concatenation."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor, concrete, store
from msjax.ops.common import checks
from msjax.ops.common.name_table import attach_classes


@op
def tridiagonal_solve(diagonals: Array, rhs: Array) -> Array:
    """Return the solution of tridiagonal systems (`TridiagonalSolve`).

    Args:
        diagonals (Tensor): shape (..., 3, n): what is above the diagonal, the diagonal, what is below. The last element
            of the first and the first of the last are not read. float32, float64 or complex.
        rhs (Tensor): shape (..., n, columns), of the same dtype.

    Returns:
        Tensor like `rhs`.

    Raises:
        TypeError: if the dtypes differ.
        ValueError: if the shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.inner_forms import TridiagonalSolve
        >>> diagonals = ms.Tensor([[1.0, 0.0], [2.0, 4.0], [0.0, 0.0]])
        >>> print(TridiagonalSolve()(diagonals, ms.Tensor([[3.0], [4.0]])))
        [[1.]
         [1.]]
    """
    name = "TridiagonalSolve"
    checks.check_same_dtype(name, diagonals=diagonals, rhs=rhs)
    if diagonals.ndim < 2 or diagonals.ndim != rhs.ndim:
        checks.fail(ValueError, name, "rhs", f"have {diagonals.ndim} dimensions, as `diagonals`", rhs.shape)
    if diagonals.shape[-2] != 3 or diagonals.shape[-1] != rhs.shape[-2]:
        rule = f"have shape (..., 3, {rhs.shape[-2]})"
        checks.fail(ValueError, name, "diagonals", rule, diagonals.shape)
    above, middle, below = (diagonals[..., i, :] for i in range(3))
    near = jnp.arange(rhs.shape[-2])
    whole = jnp.zeros((*diagonals.shape[:-2], near.size, near.size), rhs.dtype)
    whole = whole.at[..., near, near].set(middle)
    whole = whole.at[..., near[:-1], near[1:]].set(above[..., :-1])
    return jnp.linalg.solve(whole.at[..., near[1:], near[:-1]].set(below[..., 1:]), rhs)


@op(static="is_training momentum epsilon")
def instance_norm(
    x: Array,
    gamma: Array,
    beta: Array,
    mean: Array,
    variance: Array,
    is_training: bool = True,
    momentum: float = 0.1,
    epsilon: float = 1e-5,
) -> tuple[Array, ...]:
    """Instance normalization: every channel of every sample separately, or by moving statistics (`InstanceNormV2`).

    Args:
        x (Tensor): shape (N, C, H, W) or (N, C1, H, W, C0), float16 or float32.
        gamma (Tensor): scale, shape (N, C, 1, 1) or (N, C1, 1, 1, C0), float32.
        beta (Tensor): shift, of that shape.
        mean (Tensor): kept mean, of that shape.
        variance (Tensor): kept variance, of that shape.
        is_training (bool): whether the kept statistics are updated. Default: True.
        momentum (float): how much of the new ones enters. Default: 0.1.
        epsilon (float): added to the variance. Default: 1e-5.

    Returns:
        The normalized array; the mean and 1 / sqrt(variance + epsilon) of this one, 0 without training; and the mean
        and variance to keep.
    """
    if not is_training:
        y = (x - mean) * lax.rsqrt(variance + epsilon) * gamma + beta
        return y.astype(x.dtype), jnp.zeros_like(mean), jnp.zeros_like(variance), mean, variance
    wide = x.astype(jnp.float32)
    own, spread = jnp.mean(wide, (2, 3), keepdims=True), jnp.var(wide, (2, 3), keepdims=True)
    scale = lax.rsqrt(spread + epsilon)
    size = x.shape[2] * x.shape[3]
    kept = [
        momentum * new + (1 - momentum) * old
        for new, old in ((own, mean), (spread * size / max(size - 1, 1), variance))
    ]
    return ((wide - own) * scale * gamma + beta).astype(x.dtype), own, scale, *kept


def instance_norm_v2(
    x: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, variance: Tensor,
    is_training: bool = True, momentum: float = 0.1, epsilon: float = 1e-5,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """`instance_norm`; training writes the statistics to keep into `mean` and `variance`."""
    *found, kept, spread = instance_norm(x, gamma, beta, mean, variance, is_training, momentum, epsilon)
    if is_training:
        store(mean, kept)
        store(variance, spread)
    return tuple(found)  # type: ignore[return-value]


def stitch(indices: Sequence[Tensor], data: Sequence[Tensor]) -> Tensor:
    """Rows put where indices say; of several for one place the last (`DynamicStitch`).

    Args:
        indices (list[Tensor]): places, int32.
        data (list[Tensor]): what comes there: each begins with the shape of its indices.

    Returns:
        Tensor with as many rows as the greatest index says.

    Raises:
        ValueError: if the lists differ in length.
    """
    if len(indices) != len(data) or not data:
        checks.fail(
            ValueError, "DynamicStitch", "data", f"have {len(indices)} elements, at least 1", len(data)
        )
    size = 1 + max(int(np.max(concrete(each, "DynamicStitch"))) for each in indices)
    return _stitch_rows(tuple(indices), tuple(data), size)


@op(static="size")
def _stitch_rows(indices: Any, data: Any, size: int) -> Array:
    row = data[0].shape[indices[0].ndim :]
    found = jnp.zeros((size, *row), data[0].dtype)
    for where, what in zip(indices, data, strict=True):
        found = found.at[where.reshape(-1)].set(what.reshape(-1, *row))
    return found


@op
def diagonal(x: ArrayLike, assist: ArrayLike) -> Array:
    """Return the last axis on diagonals (`MatrixDiag`); `assist` is 1 there and 0 elsewhere."""
    return x[..., None] * assist


@op
def take_diagonal(x: ArrayLike, assist: ArrayLike) -> Array:
    """Extract the diagonal (`MatrixDiagPart`); `assist` is 1 on it and 0 elsewhere."""
    return jnp.diagonal(x, axis1=-2, axis2=-1) * jnp.diagonal(assist, axis1=-2, axis2=-1)


@op
def set_diagonal(x: ArrayLike, diagonal: ArrayLike, assist: ArrayLike) -> Array:
    """Replace the diagonal (`MatrixSetDiag`); `assist` is 1 there and 0 elsewhere."""
    rows, columns = x.shape[-2:]
    wide = jnp.pad(diagonal, [*[(0, 0)] * (diagonal.ndim - 1), (0, max(rows, columns) - diagonal.shape[-1])])
    spread = wide[..., :rows, None] if rows <= columns else wide[..., None, :columns]
    return jnp.where(assist != 0, spread, x)


def sequence_mask(lengths: Tensor, maxlen: Any = None) -> Tensor:
    """Return a mask of the positions before the end of each sequence (`SequenceMask`)."""
    size = int(np.max(concrete(lengths, "SequenceMask"))) if maxlen is None else int(maxlen)
    return lengths.expand_dims(-1) > Tensor(np.arange(size), lengths.dtype)


@op(static="compute_v")
def self_adjoint_eig(x: ArrayLike, compute_v: BoolLike = True) -> tuple[Array, Array]:
    """Eigenvalues of Hermitian matrices, rising, and eigenvectors in columns (`SelfAdjointEig`)."""
    values, vectors = jnp.linalg.eigh(x)
    return values.astype(x.dtype), vectors if compute_v else jnp.zeros_like(vectors)


@op
def all_finite(tensors: Any) -> Array:
    """Return True if not all elements are finite (`AllFinite`, in MindSpore's meaning)."""
    parts = tensors if isinstance(tensors, tuple | list) else (tensors,)
    return ~jnp.stack([jnp.isfinite(part).all() for part in parts]).all()


def even_steps(start: Any, limit: Any, delta: Any, maxlen: int = 1000000) -> Tensor:
    """Numbers in even steps (`RangeV2`)."""
    first, last, by = (  # numbers, or arrays without axes
        concrete(each, "RangeV2") if isinstance(each, Tensor) else each for each in (start, limit, delta)
    )
    found = np.arange(first, last, by)  # type: ignore[arg-type]
    if len(found) > maxlen:
        checks.fail(ValueError, "RangeV2", "maxlen", f"be at least {len(found)}", maxlen)
    return Tensor(found, getattr(start, "dtype", dtypes.int64))


__getattr__, __dir__ = attach_classes(
    __name__,
    """
here: DynamicStitch=stitch MatrixDiag=diagonal MatrixDiagPart=take_diagonal MatrixSetDiag=set_diagonal
    SequenceMask=sequence_mask AllFinite=all_finite
TridiagonalSolve(partial_pivoting: _ = True)(diagonals, rhs) -> tridiagonal_solve
InstanceNormV2(is_training=True, momentum=0.1, epsilon=1e-05)(...) -> instance_norm_v2
SelfAdjointEig(compute_v=True)(...) -> self_adjoint_eig
RangeV2(maxlen=1000000)(...) -> even_steps
SparseSoftmaxCrossEntropyWithLogitsV2(logits, labels) -> primitive_impl.nn.sparse_softmax_cross_entropy_and_gradient
Uniform(minval=0.0, maxval=1.0, seed: _ = 0, offset: _ = 0)(x) -> random.draws.uniform_between
""",
)
