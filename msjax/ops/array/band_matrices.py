"""Band matrices: extract, set and build several diagonals at once (matrix_diag, matrix_diag_part, matrix_set_diag ...)."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core.op.argument_types import ArrayLike, ArrayOrNumber
from msjax.core.op.op import op
from msjax.ops.common import checks, matrix_args
from msjax.ops.common.promotion import as_array, as_int64_tensor, promote

_ALIGN = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


@op
def _band(x: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> Array:
    x = matrix_args.as_matrices("matrix_band_part", whole=True, x=x)
    low, high = as_array("matrix_band_part", "lower", lower), as_array("matrix_band_part", "upper", upper)
    checks.check_integer("matrix_band_part", lower=low, upper=high)
    low, high = low[..., None, None].astype(jnp.int32), high[..., None, None].astype(jnp.int32)
    above = np.subtract.outer(-np.arange(x.shape[-2]), -np.arange(x.shape[-1])).astype(
        np.int32
    )  # column - row
    inside = ((low < 0) | (-above <= low)) & ((high < 0) | (above <= high))
    return jnp.where(inside, x, jnp.zeros_like(x))


def matrix_band_part(x: Any, lower: Any, upper: Any) -> Any:
    """Return the elements within a band around the diagonal, and zeros elsewhere.

    Args:
        x (Tensor): of shape (..., m, n).
        lower (int, Tensor): how many diagonals below the main one belong to it; negative for all.
        upper (int, Tensor): how many above it.

    Returns:
        Tensor of `x`'s shape and dtype.

    Raises:
        TypeError: if `lower` or `upper` is not an integer.
        ValueError: if `x` has fewer than two dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.matrix_band_part(ms.ops.ones((3, 3)), 0, 1))
        [[1. 1. 0.]
         [0. 1. 1.]
         [0. 0. 1.]]
    """
    return _band(x, as_int64_tensor(lower), as_int64_tensor(upper))


def _diagonals(op_name: str, k: Any) -> tuple[int, int]:
    """Return the lowest and the highest diagonal that `k` names."""
    given = np.asarray(k).reshape(-1).tolist() if not isinstance(k, int) else [k]
    if len(given) not in (1, 2) or not all(type(i) is int for i in given):
        checks.fail(TypeError, op_name, "k", "be an int or two ints", repr(k))
    if given[0] > given[-1]:
        checks.fail(ValueError, op_name, "k", "be ascending", k)
    return given[0], given[-1]


def _layout(
    op_name: str, m: int, n: int, k: Any, align: str
) -> tuple[np.ndarray, np.ndarray, tuple[int, int]]:
    """Return each matrix element's index among the packed diagonals, the mask of the band, and the packed shape.

    Diagonals are rows of the pack, the highest first, as long as the longest; those above the main one and those below
    are moved to the left or the right end, as `align` says.
    """
    checks.check_choice(op_name, _ALIGN, align=align)
    low, high = _diagonals(op_name, k)
    if not -m < low <= high < n and (m, n) != (0, 0):
        checks.fail(ValueError, op_name, "k", f"lie within ({-m}, {n}) for matrices of {m} x {n}", k)
    longest = min(m + min(high, 0), n - max(low, 0))
    rows, columns = np.indices((m, n))
    level = columns - rows
    length = np.minimum(m + np.minimum(level, 0), n - np.maximum(level, 0))
    above, below = align.split("_")
    left = ((level >= 0) & (above == "LEFT")) | ((level <= 0) & (below == "LEFT"))
    place = np.minimum(rows, columns) + np.where(left, 0, longest - length)
    inside = (low <= level) & (level <= high)
    at = np.where(inside, (high - level) * longest + place, 0)
    return at, inside, (high - low + 1, longest)


def _pack_diagonals(op_name: str, x: Array, shape: tuple[int, int]) -> Array:
    """Diagonals as rows, of shape (..., count * longest)."""
    rows = x.shape[-2:] if shape[0] > 1 or (x.ndim > 1 and x.shape[-2:] == shape) else x.shape[-1:]
    wanted = shape if len(rows) == 2 else shape[1:]
    if tuple(rows) != tuple(wanted):
        checks.fail(ValueError, op_name, "diagonal", f"end in the axes {wanted}", f"array of shape {x.shape}")
    return x.reshape(*x.shape[: x.ndim - len(rows)], shape[0] * shape[1])


def _size(value: Any) -> int:
    return int(np.asarray(value).reshape(-1)[0])


def _cast_padding(value: Any, x: Array) -> Array:
    """Cast the padding value to the matrix's dtype; as in MindSpore it has no gradient."""
    return lax.stop_gradient(jnp.asarray(value).reshape(()).astype(x.dtype))


@op(static="k num_rows num_cols align")
def matrix_diag(
    x: Array,
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: ArrayOrNumber = 0,  # type: ignore[assignment]
    align: str = "RIGHT_LEFT",
) -> Array:
    """Matrices with given diagonals.

    Args:
        x (Tensor): diagonals, of shape (..., length), or (..., count, length) for several, the highest first.
        k (int, tuple[int], Tensor): which diagonal, or the lowest and the highest.
        num_rows (int, Tensor): rows of a matrix. Default: as few as hold the diagonals.
        num_cols (int, Tensor): its columns.
        padding_value (number, Tensor): what stands elsewhere.
        align (str): to which end shorter diagonals are moved in `x`: those above the main one, and those below.

    Returns:
        Tensor of shape (..., num_rows, num_cols) and `x`'s dtype.

    Raises:
        TypeError: if `k` or `align` is of another type.
        ValueError: if the sizes do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.matrix_diag(ms.Tensor([1, 2]), k=1))
        [[0 1 0]
         [0 0 2]
         [0 0 0]]
    """
    x = as_array("matrix_diag", "x", x)
    low, high = _diagonals("matrix_diag", k)
    several = high > low
    if x.ndim < 1 + several or (several and x.shape[-2] != high - low + 1):
        checks.fail(
            ValueError, "matrix_diag", "x", f"hold {high - low + 1} diagonals", f"array of shape {x.shape}"
        )
    longest, m, n = x.shape[-1], _size(num_rows), _size(num_cols)
    rows, columns = longest - min(high, 0), longest + max(low, 0)
    if m == n == -1:
        m = n = max(rows, columns)
    m, n = rows if m == -1 else m, columns if n == -1 else n
    if m < rows or n < columns or (m != rows and n != columns):
        rule = f"be such that the longest of the diagonals {(low, high)} has {longest} elements"
        checks.fail(ValueError, "matrix_diag", "num_rows", rule, f"{m}, num_cols={n}")
    at, inside, shape = _layout("matrix_diag", m, n, (low, high), align)
    found = _pack_diagonals("matrix_diag", x if several else x[..., None, :], shape)[..., at]
    return jnp.where(inside, found, _cast_padding(padding_value, x))


@op(static="k align")
def matrix_diag_part(x: Array, k: Any, padding_value: ArrayOrNumber, align: str = "RIGHT_LEFT") -> Array:
    """Diagonals of matrices.

    Args:
        x (Tensor): of shape (..., m, n).
        k (int, tuple[int], Tensor): which diagonal, or the lowest and the highest.
        padding_value (number, Tensor): what fills up shorter diagonals.
        align (str): to which end shorter diagonals are moved: those above the main one, and those below.

    Returns:
        Tensor of shape (..., length), or (..., count, length) for several, the highest first.

    Raises:
        TypeError: if `k` or `align` is of another type.
        ValueError: if a diagonal lies outside.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.matrix_diag_part(ms.Tensor([[1, 2], [3, 4]]), (0, 1), 0))
        [[0 2]
         [1 4]]
    """
    x = matrix_args.as_matrices("matrix_diag_part", whole=True, x=x)
    m, n = x.shape[-2:]
    at, inside, (count, longest) = _layout("matrix_diag_part", m, n, k, align)
    places, filled = np.zeros(count * longest, int), np.zeros(count * longest, bool)
    places[at[inside]], filled[at[inside]] = np.flatnonzero(inside), True
    found = x.reshape(*x.shape[:-2], m * n)[..., places]
    found = jnp.where(filled, found, _cast_padding(padding_value, x))
    return found.reshape(*x.shape[:-2], count, longest) if count > 1 else found


@op(static="k align")
def matrix_set_diag(x: Array, diagonal: Array, k: Any = 0, align: str = "RIGHT_LEFT") -> Array:
    """Matrices with some diagonals replaced.

    Args:
        x (Tensor): of shape (..., m, n).
        diagonal (Tensor): of shape (..., length), or (..., count, length) for several, the highest first.
        k (int, tuple[int], Tensor): which diagonal, or the lowest and the highest.
        align (str): to which end shorter diagonals are moved in `diagonal`.

    Returns:
        Tensor of `x`'s shape and dtype.

    Raises:
        TypeError: if `k` or `align` is of another type.
        ValueError: if the sizes do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.matrix_set_diag(ms.ops.zeros((2, 3)), ms.Tensor([1.0, 2.0])))
        [[1. 0. 0.]
         [0. 2. 0.]]
    """
    x = matrix_args.as_matrices("matrix_set_diag", whole=True, x=x)
    y = as_array("matrix_set_diag", "diagonal", diagonal)
    at, inside, shape = _layout("matrix_set_diag", x.shape[-2], x.shape[-1], k, align)
    return jnp.where(inside, _pack_diagonals("matrix_set_diag", y, shape)[..., at], x)


@op(static="perm")
def conjugate_transpose(x: Array, perm: Any) -> Array:
    """Axes in another order, and complex numbers conjugated (what `ops.ConjugateTranspose` computes).

    Args:
        x (Tensor): of any dtype.
        perm (tuple[int], Tensor): the order of axes.

    Returns:
        Tensor of `x`'s dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ConjugateTranspose()(ms.Tensor([[1j, 2]]), (1, 0)))
        [[0.-1.j]
         [2.-0.j]]
    """
    (x,) = promote("ConjugateTranspose", x=x)
    order = [int(i) for i in np.asarray(perm).reshape(-1)]
    if sorted(i % max(x.ndim, 1) for i in order) != list(range(x.ndim)):
        checks.fail(ValueError, "ConjugateTranspose", "perm", f"name {x.ndim} axes once each", perm)
    return jnp.conj(jnp.transpose(x, order))
