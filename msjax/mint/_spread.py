"""Variance and standard deviation (`correction` as in PyTorch)."""

from typing import Any

from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import normalize_axes
from msjax.ops.common.safe_math import sqrt_of_sum
from msjax.ops.reduction import reduction


def _variance_and_mean(name: str, x: Array, dim: Any, correction: Any, keepdim: bool) -> tuple[Array, Array]:
    """Variance and mean, in float32 at least; no more is taken off the number of elements than there are."""
    checks.check_floating(name, input=x)
    checks.check_ints(name, correction=correction)
    checks.check_bools(name, keepdim=keepdim)
    count = 1
    for i in normalize_axes(name, x.ndim, ValueError, dim=dim):
        count *= x.shape[i]
    return reduction.variance_and_mean(name, x, dim, min(correction, count), keepdim)


@op(static="dim correction keepdim")
def var(input: Array, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> Array:
    """Sum of the squared distances from the mean, divided by their number less `correction`.

    Args:
        input (Tensor): of any shape, floating.
        dim (int, tuple[int], None): dimensions to look along. Default: all.
        correction (int): what is taken off the number of elements.
        keepdim (bool): keep the dimensions with size 1.

    Returns:
        Tensor without the dimensions `dim`; nan or infinite where no elements are left.

    Raises:
        TypeError: if `input` is not floating, or `correction` is not an int.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.var(ms.Tensor([[1.0, 2.0], [3.0, 6.0]]), 0))
        [2. 8.]
    """
    return _variance_and_mean("var", input, dim, correction, keepdim)[0].astype(input.dtype)


@op(static="dim correction keepdim")
@documented_by(var)
def std(input: Array, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> Array:
    """Square root of the variance (see `var`); its derivative is 0 where that is 0.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.std(ms.Tensor([[1.0, 2.0], [3.0, 6.0]]), 0, correction=0))
        [1. 2.]
    """
    return sqrt_of_sum(_variance_and_mean("std", input, dim, correction, keepdim)[0]).astype(input.dtype)


@op(static="dim correction keepdim")
@documented_by(var)
def var_mean(
    input: Array, dim: Any = None, *, correction: int = 1, keepdim: bool = False
) -> tuple[Array, Array]:
    """Variance and mean (see `var`).

    Returns:
        tuple of Tensors without the dimensions `dim`: the variance and the mean; nan or infinite where no elements are left.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.mint.var_mean(ms.Tensor([1.0, 3.0])))
        2.0 2.0
    """
    variance, center = _variance_and_mean("var_mean", input, dim, correction, keepdim)
    return variance.astype(input.dtype), center.astype(input.dtype)


@op(static="dim correction keepdim")
@documented_by(var)
def std_mean(
    input: Array, dim: Any = None, *, correction: int = 1, keepdim: bool = False
) -> tuple[Array, Array]:
    """Standard deviation and mean (see `std`).

    Returns:
        tuple of Tensors without the dimensions `dim`: the standard deviation (nan or infinite where no elements are left)
        and the mean.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.mint.std_mean(ms.Tensor([1.0, 3.0]), correction=0))
        1.0 2.0
    """
    variance, center = _variance_and_mean("std_mean", input, dim, correction, keepdim)
    return sqrt_of_sum(variance).astype(input.dtype), center.astype(input.dtype)
