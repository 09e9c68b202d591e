"""Histograms, bin counts, covariance and correlation."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.numpy.array_function import as_tensor, cast, define_function, promote_arrays
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import to_float


def _stack_variables(fn: str, m: Array, y: Array | None, rowvar: bool) -> Array:
    """Variables along the first axis, observations along the second, in float32."""
    rows = []
    for name, x in (("m", m), ("y", y)):
        if x is None:
            continue
        if x.ndim > 2:
            checks.fail(ValueError, fn, name, "have at most two dimensions", f"array of shape {x.shape}")
        x = jnp.real(x).astype(np.float32) if jnp.iscomplexobj(x) else x.astype(np.float32)
        flip = not rowvar and x.ndim == 2 and x.shape[0] != 1
        rows.append(jnp.atleast_2d(x).T if flip else jnp.atleast_2d(x))
    if len({x.shape[1] for x in rows}) > 1:
        checks.fail(
            ValueError, fn, "y", "have as many observations as the first argument", [x.shape for x in rows]
        )
    return jnp.concatenate(rows)


def _weights(fn: str, name: str, w: Array, count: int) -> Array:
    if w.ndim > 1 or (w.ndim == 1 and w.size != count):
        checks.fail(ValueError, fn, name, f"hold {count} weights", f"array of shape {w.shape}")
    return w


def _covariance(
    fn: str,
    m: Array,
    y: Array | None,
    rowvar: bool,
    ddof: int,
    fweights: Array | None,
    aweights: Array | None,
) -> Array:
    x = _stack_variables(fn, m, y, rowvar)
    w = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        if not jnp.issubdtype(given.dtype, jnp.integer):
            checks.fail(TypeError, fn, name, "be of an integer dtype", f"array of dtype {given.dtype}")
        one = _weights(fn, name, given, x.shape[1]).astype(x.dtype)
        w = one if w is None else w * one
    if w is None:
        x = x - jnp.mean(x, 1, keepdims=True)
        return jnp.squeeze(x @ x.T / jnp.asarray(max(x.shape[1] - ddof, 0), x.dtype))
    total = jnp.sum(w)
    less = jnp.asarray(ddof, x.dtype)
    if aweights is not None:
        less = less * jnp.sum(w * aweights.astype(x.dtype)) / total
    x = x - jnp.sum(x * w, 1, keepdims=True) / total
    return jnp.squeeze((x * w) @ x.T / jnp.maximum(total - less, jnp.zeros((), x.dtype)))


@define_function(static="rowvar bias ddof dtype")
def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: BoolLike = True,
    bias: BoolLike = False,
    ddof: int | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    dtype: Any = None,
) -> Array:
    """Covariances of variables: means of the products of their distances from their means.

    Args:
        m (Tensor, list, tuple): observations: of one variable, or of several, each a row.
        y (Tensor, list, tuple, None): more variables.
        rowvar (bool): whether variables are rows; otherwise they are columns.
        bias (bool): divide by the number of observations instead of one less.
        ddof (int, None): divide by the number less this, whatever `bias` says.
        fweights (Tensor, list, tuple, None): how often each observation counts, integers.
        aweights (Tensor, list, tuple, None): how much each observation counts, integers as in MindSpore.
        dtype (mindspore.dtype, None): of the result. Default: None, float32.

    Returns:
        Tensor: a matrix, or a number if there is one variable.

    Raises:
        TypeError: if weights are not integers.
        ValueError: if an argument has more than two dimensions, or the numbers of observations differ.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.cov(ms.Tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])))
        [[ 1. -1.]
         [-1.  1.]]
    """
    checks.check_bools("cov", rowvar=rowvar, bias=bias)
    less = (0 if bias else 1) if ddof is None else ddof
    checks.check_numbers("cov", ddof=int(less) if isinstance(less, bool) else less)
    return cast("cov", _covariance("cov", m, y, rowvar, less, fweights, aweights), dtype)


@define_function(static="rowvar dtype")
@documented_by(cov)
def corrcoef(x: ArrayLike, y: ArrayLike | None = None, rowvar: BoolLike = True, dtype: Any = None) -> Array:
    """Pearson's correlation coefficients: covariances divided by both standard deviations.

    Args:
        x (Tensor, list, tuple): observations: of one variable, or of several, each a row.

    Raises:
        ValueError: if an argument has more than two dimensions, or the numbers of observations differ.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.corrcoef(ms.Tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])))
        [[ 1. -1.]
         [-1.  1.]]
    """
    checks.check_bools("corrcoef", rowvar=rowvar)
    c = _covariance("corrcoef", x, y, rowvar, 1, None, None)
    if c.ndim:
        deviation = jnp.sqrt(jnp.diagonal(c))
        c = jnp.clip(c / deviation[:, None] / deviation[None], -1, 1)
    else:
        c = c / c
    return cast("corrcoef", c, dtype)


@define_function(static="bins range")
def _uniform_edges(a: ArrayLike, bins: int, range: Any) -> Array:  # noqa: A002
    x = to_float(a)
    if range is not None:
        low, high = (jnp.asarray(v, np.float32) for v in range)
    elif x.size:
        low, high = jnp.min(x).astype(np.float32), jnp.max(x).astype(np.float32)
    else:
        low, high = jnp.zeros((), np.float32), jnp.ones((), np.float32)
    same = low == high
    half = jnp.asarray(0.5, np.float32)
    return jnp.linspace(
        jnp.where(same, low - half, low), jnp.where(same, high + half, high), bins + 1, dtype=np.float32
    )


def _edges(fn: str, x: Tensor, bins: Any, range: Any) -> Tensor:  # noqa: A002
    if isinstance(bins, int) and not isinstance(bins, bool):
        if bins < 1:
            checks.fail(ValueError, fn, "bins", "be at least 1", bins)
        if range is not None and (not isinstance(range, tuple | list) or len(range) != 2):
            checks.fail(ValueError, fn, "range", "be a pair of numbers", range)
        if range is not None and range[0] > range[1]:
            checks.fail(ValueError, fn, "range", "begin with the lesser number", range)
        return _uniform_edges(x, bins, range)
    edges = as_tensor(fn, "bins", bins)
    if edges.ndim != 1:
        checks.fail(ValueError, fn, "bins", "be an int or a vector of edges", f"array of shape {edges.shape}")
    return edges


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Tensor:  # noqa: A002
    """Return the edges of the bins that `histogram` counts in.

    Args:
        a (Tensor, number, list, tuple): the numbers.
        bins (int, Tensor, list, tuple): how many bins of one width, or their edges, ascending.
        range (tuple, None): where the bins begin and end. Default: None, the least and the greatest number.
        weights (Tensor, None): has no effect on the edges.

    Returns:
        Tensor: the edges, one more than bins; float32, or the dtype of the given ones.

    Raises:
        TypeError: if `bins` is none of these.
        ValueError: if `bins` is less than 1 or `range` no pair.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.histogram_bin_edges(ms.Tensor([0, 0, 1, 2, 4]), bins=2))
        [0. 2. 4.]
    """
    if weights is not None:
        as_tensor("histogram_bin_edges", "weights", weights)
    return _edges("histogram_bin_edges", as_tensor("histogram_bin_edges", "a", a), bins, range)


@op(static="density")
def _count_in_bins(sample: ArrayLike, edges: Any, weights: ArrayLike | None, density: BoolLike) -> Array:
    """Weighted counts of points, given as columns, in the bins between edges along each axis."""
    x, bounds = to_float(sample), [to_float(e) for e in edges]
    kind = np.float64 if np.float64 in (x.dtype, *[e.dtype for e in bounds]) else np.float32
    inside, flat = jnp.ones(x.shape[:1], bool), jnp.zeros(x.shape[:1], np.int32)
    for i, bound in enumerate(bounds):
        column, bound = x[:, i].astype(kind), bound.astype(kind)
        place = jnp.searchsorted(bound, column, side="right").astype(np.int32) - 1
        place = jnp.where(column == bound[-1], bound.size - 2, place)
        inside = inside & (place >= 0) & (place < bound.size - 1)
        flat = flat * (bound.size - 1) + jnp.clip(place, 0, bound.size - 2)
    sizes = tuple(e.size - 1 for e in bounds)
    w = jnp.ones(x.shape[:1], np.float32) if weights is None else weights.ravel().astype(np.float32)
    counts = jnp.zeros(int(np.prod(sizes)), np.float32).at[flat].add(jnp.where(inside, w, 0)).reshape(sizes)
    if not density:
        return counts
    for i, bound in enumerate(bounds):
        width = jnp.diff(bound).astype(np.float32)
        counts = counts / width.reshape([-1 if j == i else 1 for j in np.arange(len(sizes))])
    return counts / jnp.sum(jnp.where(inside, w, 0))


def histogram(a: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False) -> Any:  # noqa: A002
    """Compute a histogram: the count of numbers in each bin.

    Args:
        a (Tensor, number, list, tuple): the numbers, of any shape.
        bins (int, Tensor, list, tuple): how many bins of one width, or their edges, ascending.
        range (tuple, None): where the bins begin and end. Default: None, the least and the greatest number.
        weights (Tensor, None): how much each number counts, of the shape of `a`.
        density (bool): divide by the widths and the total, so that the integral is 1.

    Returns:
        Tuple of the counts, float32, and the edges.

    Raises:
        TypeError: if an argument is none of these.
        ValueError: if `weights` and `a` differ in shape.

    Examples:
        >>> import msjax as ms
        >>> counts, edges = ms.numpy.histogram(ms.Tensor([1, 2, 1]), bins=[0, 1, 2, 3])
        >>> print(counts, edges)
        [0. 2. 1.] [0 1 2 3]
    """
    x = as_tensor("histogram", "a", a)
    checks.check_bools("histogram", density=density)
    w = None if weights is None else as_tensor("histogram", "weights", weights)
    if w is not None and w.shape != x.shape:
        checks.fail(ValueError, "histogram", "weights", f"have the shape {x.shape} of `a`", w.shape)
    edges = _edges("histogram", x, bins, range)
    return _count_in_bins(x.reshape((-1, 1)), (edges,), w, density), edges


def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False
) -> Any:  # noqa: A002
    """Compute a multidimensional histogram: the count of points in each cell of a grid.

    Args:
        sample (Tensor, list, tuple): a Tensor of shape (n, d); or a list or tuple of d times n coordinates.
        bins (int, list, tuple): how many bins along each axis, or for each axis a number or edges.
        range (list, tuple, None): for each axis, where its bins begin and end.
        weights (Tensor, None): how much each of the n points counts.
        density (bool): divide by the volumes and the total.

    Returns:
        Tuple of the counts, of d dimensions and float32, and the list of the axes' edges.

    Raises:
        TypeError: if an argument is none of these.
        ValueError: if there are not d entries in `bins` or `range`.

    Examples:
        >>> import msjax as ms
        >>> counts, edges = ms.numpy.histogramdd(ms.Tensor([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0]]), bins=2)
        >>> print(counts)
        [[1. 0.]
         [1. 1.]]
    """
    fn = "histogramdd"
    points = as_tensor(fn, "sample", sample)
    if isinstance(sample, list | tuple):  # as in NumPy, coordinates come first there
        points = points.T
    if points.ndim != 2:
        checks.fail(ValueError, fn, "sample", "have two dimensions", f"array of shape {points.shape}")
    count = points.shape[1]
    each = [bins] * count if isinstance(bins, int) else bins
    ranges = [None] * count if range is None else range
    if len(each) != count or len(ranges) != count:
        checks.fail(ValueError, fn, "bins", f"have {count} entries, like `range`", f"{bins}, range={range}")
    edges = [_edges(fn, points[:, i], each[i], ranges[i]) for i in np.arange(count).tolist()]
    w = None if weights is None else as_tensor(fn, "weights", weights)
    return _count_in_bins(points, tuple(edges), w, density), edges


def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False
) -> Any:  # noqa: A002
    """Compute a two-dimensional histogram: the count of points in each cell of a grid.

    Args:
        x (Tensor, list, tuple): n first coordinates.
        y (Tensor, list, tuple): n second coordinates.
        bins (int, Tensor, list, tuple): how many bins, or their edges, for both axes, or a pair of these.
        range (tuple, None): for each axis, where its bins begin and end.
        weights (Tensor, None): how much each point counts.
        density (bool): divide by the areas and the total.

    Returns:
        Tuple of the counts, of two dimensions and float32, the edges of the first axis and those of the second.

    Raises:
        TypeError: if an argument is none of these.
        ValueError: if `x` and `y` differ in size.

    Examples:
        >>> import msjax as ms
        >>> counts, rows, columns = ms.numpy.histogram2d([0.0, 1.0, 1.0], [0.0, 1.0, 0.0], bins=2)
        >>> print(counts)
        [[1. 0.]
         [1. 1.]]
    """
    both = as_tensor("histogram2d", "x", x), as_tensor("histogram2d", "y", y)
    if both[0].ndim != 1 or both[0].shape != both[1].shape:
        shapes = f"shape {both[0].shape}, y of shape {both[1].shape}"
        checks.fail(ValueError, "histogram2d", "x", "be a vector of the size of `y`", shapes)
    pair = isinstance(bins, tuple | list) and len(bins) == 2
    counts, edges = histogramdd(
        both, bins if pair or isinstance(bins, int) else [bins, bins], range, weights, density
    )
    return counts, edges[0], edges[1]


@op(static="size")
def _count_values(x: ArrayLike, weights: ArrayLike | None, size: int) -> Array:
    w = jnp.ones(x.shape, np.float32) if weights is None else weights.astype(np.float32)
    return jnp.zeros((size,), np.float32).at[jnp.maximum(x, 0)].add(w, mode="drop")


def bincount(x: Any, weights: Any = None, minlength: int = 0, length: int | None = None) -> Tensor:
    """Count how often each of the numbers 0, 1, 2, ... occurs. Negative numbers count as 0.

    Args:
        x (Tensor, list, tuple): of one dimension and an integer dtype.
        weights (Tensor, list, tuple, None): how much each element counts.
        minlength (int): the least size of the result.
        length (int, None): the size of the result: needed in compiled code, where the greatest number is not known.

    Returns:
        Tensor of one dimension, float32.

    Raises:
        TypeError: if `x` is not of an integer dtype.
        ValueError: if `x` does not have one dimension, or `weights` another shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.bincount([0, 1, 1, 3]))
        [1. 2. 0. 1.]
    """
    x = as_tensor("bincount", "x", x)
    checks.check_ints("bincount", minlength=minlength)
    if x.ndim != 1:
        checks.fail(ValueError, "bincount", "x", "have one dimension", f"array of shape {x.shape}")
    if not (x.dtype.is_signed and not x.dtype.is_floating_point and not x.dtype.is_complex):
        checks.fail(TypeError, "bincount", "x", "be of a signed integer dtype", f"array of dtype {x.dtype}")
    w = None if weights is None else as_tensor("bincount", "weights", weights)
    if w is not None and w.shape != x.shape:
        checks.fail(ValueError, "bincount", "weights", f"have the shape {x.shape} of `x`", w.shape)
    if length is None:
        values = np.asarray(concrete(x, "the size of the result of `bincount` (give `length`)"))
        length = max(int(values.max(initial=-1)) + 1, minlength, 1)
    return _count_values(x, w, length)


def _search(fn: str, a: Array, v: Array, side: str) -> Array:
    a, v = promote_arrays(fn, a, v)
    if jnp.iscomplexobj(a):
        checks.fail(TypeError, fn, "a", "be real", f"array of dtype {a.dtype}")
    return jnp.searchsorted(a, v, side=side).astype(np.int32)


@define_function(static="side")
def searchsorted(a: ArrayLike, v: ArrayLike, side: str = "left", sorter: ArrayLike | None = None) -> Array:
    """Find the indices at which numbers would be inserted into a sorted vector.

    Args:
        a (Tensor, list, tuple): of one dimension, ascending, or sorted by `sorter`.
        v (Tensor, number, list, tuple): the numbers, of any shape.
        side (str): "left" for before equal elements, "right" for after them.
        sorter (Tensor, list, tuple, None): positions that sort `a`.

    Returns:
        Tensor of the shape of `v`, int32.

    Raises:
        ValueError: if `a` does not have one dimension, or `side` is neither.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.searchsorted([1, 2, 3, 4, 5], [-10, 10, 2, 3]))
        [0 5 1 2]
    """
    if a.ndim != 1:
        checks.fail(ValueError, "searchsorted", "a", "have one dimension", f"array of shape {a.shape}")
    if side not in ("left", "right"):
        checks.fail(ValueError, "searchsorted", "side", "be 'left' or 'right'", repr(side))
    if sorter is not None:
        if sorter.shape != a.shape:
            checks.fail(
                ValueError, "searchsorted", "sorter", f"have the shape {a.shape} of `a`", sorter.shape
            )
        a = a[sorter]
    return _search("searchsorted", a, v, side)


@define_function(static="right")
def digitize(x: ArrayLike, bins: ArrayLike, right: BoolLike = False) -> Array:
    """Return the number of the bin that each element falls into.

    Args:
        x (Tensor, number, list, tuple): of any shape.
        bins (Tensor, list, tuple): edges, ascending or descending.
        right (bool): whether a bin holds its right edge instead of its left one.

    Returns:
        Tensor of the shape of `x`, int32: 0 before the first edge.

    Raises:
        TypeError: if `right` is not a bool.
        ValueError: if `bins` does not have one dimension.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.digitize([1.2, 10.0, 12.4], [0.0, 5.0, 10.0, 12.0]))
        [1 3 4]
    """
    if bins.ndim != 1:
        checks.fail(ValueError, "digitize", "bins", "have one dimension", f"array of shape {bins.shape}")
    checks.check_bools("digitize", right=right)
    if not bins.size:
        return jnp.zeros(x.shape, np.int32)
    up = _search("digitize", bins, x, "left" if right else "right")
    down = bins.size - _search("digitize", bins[::-1], x, "left" if right else "right")
    return jnp.where(bins[0] <= bins[-1], up, down.astype(np.int32))
