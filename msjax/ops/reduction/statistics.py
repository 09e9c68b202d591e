"""Histograms, quantiles, covariance and correlation, trapezoidal integration, combinations."""

import itertools
import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, expect_tensors, promote, to_float


def _count_in_bins(x: Array, low: Array, high: Array, bins: int) -> Array:
    """Count the elements in each of the equal bins of [low, high]."""
    place = jnp.floor((x - low) * bins / (high - low)).astype(jnp.int32)
    place = jnp.where(x == high, jnp.full_like(place, bins - 1), place)
    inside = (x >= low) & (x <= high)
    return jnp.zeros(bins, jnp.int32).at[jnp.where(inside, place, bins)].add(1, mode="drop")


@op(static="bins min max")
def histc(input: Array, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Array:  # noqa: A002
    """Compute the histogram of the elements: counts in equal bins of an interval.

    Args:
        input (Tensor): of any shape, real.
        bins (int): number of parts.
        min (int, float): lower end.
        max (int, float): upper end, which belongs to the last part. Where both are equal the least and the greatest
            element take their place, and, where those are equal too, these less and plus 1.

    Returns:
        Tensor of shape (bins,): int32 for integers, otherwise float32 (float64 for float64).

    Raises:
        TypeError: if `bins` is not an int.
        ValueError: if `bins` is not positive, or `min` greater than `max`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.histc(ms.Tensor([1.0, 2.0, 1.0]), 4, 0.0, 3.0))
        [0. 2. 1. 0.]
    """
    x = as_array("histc", "input", input)
    checks.check_ints("histc", bins=bins)
    checks.check_numbers("histc", min=min, max=max)
    if bins < 1:
        checks.fail(ValueError, "histc", "bins", "be positive", bins)
    if min > max:
        checks.fail(ValueError, "histc", "min", f"be at most max={max}", min)
    whole = not jnp.issubdtype(x.dtype, jnp.floating)
    x = x.astype(jnp.float64 if x.dtype.itemsize == 8 else jnp.float32).reshape(-1)
    low, high = jnp.asarray(min, x.dtype), jnp.asarray(max, x.dtype)
    if min == max and x.size:
        low, high = jnp.min(x), jnp.max(x)
    wide = (low == high).astype(x.dtype)
    found = _count_in_bins(x, low - wide, high + wide, bins)
    return found if whole else found.astype(x.dtype)


@op(static="nbins dtype")
def histogram_fixed_width(x: Array, range: Array, nbins: int, dtype: Any = "int32") -> Array:  # noqa: A002
    """Compute a histogram with bins of equal width; elements outside of the range count to the first or last bin.

    Args:
        x (Tensor): of any shape, real.
        range (Tensor): lower and upper end, of shape (2,).
        nbins (int): number of parts.
        dtype (str): "int32".

    Returns:
        Tensor of shape (nbins,).

    Examples:
        >>> import msjax as ms
        >>> count = ms.ops.HistogramFixedWidth(2)
        >>> print(count(ms.Tensor([-1.0, 0.0, 3.0, 9.0]), ms.Tensor([0.0, 4.0])))
        [2 2]
    """
    x = as_array("HistogramFixedWidth", "x", x)
    ends = as_array("HistogramFixedWidth", "range", range)
    checks.check_rank("HistogramFixedWidth", 1, range=ends)
    wide = jnp.float64 if x.dtype.itemsize == 8 else jnp.float32
    low, high = ends[0].astype(wide), ends[1].astype(wide)
    place = jnp.floor((x.astype(wide) - low) * nbins / (high - low))
    place = jnp.clip(place, 0, nbins - 1).astype(jnp.int32)
    return jnp.zeros(nbins, dtypes.as_np(dtypes.of(dtype))).at[place.reshape(-1)].add(1)


def _quantile(
    op_name: str, input: Any, q: Any, axis: Any, keepdims: bool, skip: bool, error: str = "input"
) -> Array:
    x, places = as_array(op_name, error, input), as_array(op_name, "q", q)
    checks.check_floating(op_name, **{error: x})
    checks.check_floating(op_name, q=places)
    checks.check_rank(op_name, 0, 1, q=places)
    if axis is not None:
        checks.normalize_axis(op_name, max(x.ndim, 1), axis=axis)
    wide = x.astype(checks.compute_dtype(x.dtype))
    find = jnp.nanquantile if skip else jnp.quantile
    found = find(wide, places.astype(wide.dtype), axis if x.ndim else None, keepdims=keepdims)
    return found.astype(x.dtype)


def _check_places(op_name: str, q: Any) -> None:
    if isinstance(q, int | float) and not 0 <= q <= 1:
        checks.fail(ValueError, op_name, "q", "be in [0, 1]", q)


@op(static="axis keepdims")
def quantile_at(input: Array, q: ArrayLike, axis: int | None = None, keepdims: BoolLike = False) -> Array:
    """Quantiles along an axis (see `quantile`)."""
    return _quantile("quantile", input, q, axis, keepdims, skip=False)


@op(static="axis keepdims")
def nanquantile_at(input: Array, q: ArrayLike, axis: int | None = None, keepdims: BoolLike = False) -> Array:
    """Quantiles along an axis, of what is not nan (see `nanquantile`)."""
    return _quantile("nanquantile", input, q, axis, keepdims, skip=True)


def quantile(input: Any, q: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Quantiles along an axis, between two elements by linear interpolation.

    Args:
        input (Tensor): floating.
        q (float, Tensor): which, in [0, 1]; of at most one dimension.
        axis (int, None): along which. Default: of all elements.
        keepdims (bool): keep it with size 1.

    Returns:
        Tensor of `input`'s dtype, with the axis of `q`, if it has one, in front.

    Raises:
        TypeError: if an argument is not floating.
        ValueError: if `q` is out of range or has more dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.quantile(ms.Tensor([1.0, 2.0, 4.0]), ms.Tensor([0.5, 0.75])))
        [2. 3.]
    """
    _check_places("quantile", q)
    return quantile_at(input, q, axis, keepdims)


@documented_by(quantile)
def nanquantile(input: Any, q: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Quantiles along an axis of the elements that are not nan.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.nanquantile(ms.Tensor([1.0, float("nan"), 4.0]), 0.5))
        2.5
    """
    _check_places("nanquantile", q)
    return nanquantile_at(input, q, axis, keepdims)


def quantile_of(
    input: Any, q: Any, dim: int | None = None, keep_dims: bool = False, ignore_nan: bool = False
) -> Any:
    """Quantiles along an axis (what `ops.Quantile` computes)."""
    return (nanquantile if ignore_nan else quantile)(input, q, dim, keep_dims)


@op(static="correction")
def cov(
    input: Array, *, correction: int = 1, fweights: Array | None = None, aweights: Array | None = None
) -> Array:
    """Covariances of variables, each a row of observations.

    Args:
        input (Tensor): of shape (variables, observations), or (observations,) or () for one variable, real.
        correction (int): what is subtracted from the number of observations: 1 for an estimate without bias.
        fweights (Tensor, None): how often each was observed, an integer.
        aweights (Tensor, None): weight of each observation, floating.

    Returns:
        Tensor of shape (variables, variables), or () for one; float32, or float64 for float64.

    Raises:
        TypeError: if a weight is of another dtype.
        ValueError: if `input` has more dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.cov(ms.Tensor([[1.0, 3.0], [2.0, 6.0]])))
        [[2. 4.]
         [4. 8.]]
    """
    x = as_array("cov", "input", input)
    checks.check_rank("cov", 0, 1, 2, input=x)
    x = to_float(x) if x.dtype.itemsize != 2 else x.astype(jnp.float32)
    rows = jnp.atleast_2d(x)
    kind = jnp.finfo(x.dtype).dtype
    counts = shares = jnp.ones(rows.shape[1], kind)
    if fweights is not None:
        checks.check_integer("cov", fweights=as_array("cov", "fweights", fweights))
        counts = fweights.astype(kind)
    if aweights is not None:
        checks.check_floating("cov", aweights=as_array("cov", "aweights", aweights))
        shares = aweights.astype(kind)
    weights = counts * shares
    total = jnp.sum(weights)
    mean = jnp.sum(rows * weights, 1, keepdims=True) / total
    lost = correction * (jnp.sum(weights * shares) / total)
    centred = rows - mean
    found = (centred * weights) @ jnp.conj(centred).T / jnp.maximum(total - lost, 0)
    return jnp.squeeze(found) if found.size == 1 else found


@op(static="dim")
def _trapezoids(y: Array, x: Array | None, dx: ArrayLike, dim: int) -> Array:
    y = as_array("trapz", "y", y)
    y = (
        y if y.dtype in (jnp.float16, jnp.bfloat16) else y.real.astype(jnp.float32)
    )  # as MindSpore, of float64 too
    axis = checks.normalize_axis("trapz", y.ndim, dim=dim)
    rows = jnp.moveaxis(y, axis, -1)
    pairs = (rows[..., 1:] + rows[..., :-1]) / 2
    if x is None:
        return jnp.sum(pairs, -1) * dx.astype(y.dtype)
    places = as_array("trapz", "x", x).astype(y.dtype)
    if places.ndim == 1:
        if places.size != rows.shape[-1]:
            received = f"array of shape {places.shape} for {rows.shape[-1]} values"
            checks.fail(RuntimeError, "trapz", "x", "have one place for each value along `dim`", received)
        steps = places[1:] - places[:-1]
    else:
        places = jnp.moveaxis(places, axis - y.ndim, -1)
        steps = places[..., 1:] - places[..., :-1]
    return jnp.sum(pairs * steps, -1)


def trapz(y: Any, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """Integral of sampled values by the trapezoidal rule.

    Args:
        y (Tensor): the values, real; integers are taken as float32.
        x (Tensor, None): where they were taken, of `y`'s shape, or of one dimension along `dim`.
        dx (float): distance between places, unless `x` is given.
        dim (int): the axis to integrate along.

    Returns:
        Tensor without the axis.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `dim` is out of range.
        RuntimeError: if `x` has one dimension, and not one place for each value.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.trapz(ms.Tensor([0.0, 2.0, 4.0])))
        4.0
    """
    return _trapezoids(y, x, dx, dim)


@op(static="n axis", promotes=True)
def diff(
    x: Array, n: int = 1, axis: int = -1, prepend: Array | None = None, append: Array | None = None
) -> Array:
    """Differences of neighbours along an axis.

    Args:
        x (Tensor): of at least one dimension; of bools, whether they differ.
        n (int): how often. MindSpore's own allows 1 alone.
        axis (int): along which.
        prepend (Tensor, None): put in front of `x` first.
        append (Tensor, None): put behind it.

    Returns:
        Tensor that is shorter by `n` along the axis.

    Raises:
        TypeError: if `x` has no dimensions.
        RuntimeError: if `n` is negative.
        ValueError: if `axis` is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.diff(ms.Tensor([1, 3, 7])))
        [2 4]
    """
    x = as_array("diff", "x", x)
    if x.ndim == 0:
        checks.fail(TypeError, "diff", "x", "have at least one dimension", "array of shape ()")
    checks.check_ints("diff", n=n)
    if n < 0:
        checks.fail(RuntimeError, "diff", "n", "be at least 0", n)
    one = checks.normalize_axis("diff", x.ndim, axis=axis)
    ends = {
        name: as_array("diff", name, a)
        for name, a in (("prepend", prepend), ("append", append))
        if a is not None
    }
    if ends:
        parts = dict(zip(["x", *ends], promote("diff", x=x, **ends), strict=True))
        x = jnp.concatenate([parts[name] for name in ("prepend", "x", "append") if name in parts], one)
    return jnp.diff(x, n, one)


@op(static="p axis")
def _renorm(input: Array, p: int, axis: int, maxnorm: ArrayLike) -> Array:
    x = as_array("renorm", "input", input)
    checks.check_inexact("renorm", input=x)
    checks.check_ints("renorm", p=p)
    if p < 1:
        checks.fail(ValueError, "renorm", "p", "be positive", p)
    one = checks.normalize_axis("renorm", x.ndim, axis=axis)
    rest = tuple(i for i in range(x.ndim) if i != one)
    size = jnp.abs(x).astype(checks.compute_dtype(jnp.abs(x).dtype))
    peak = lax.stop_gradient(jnp.max(size, rest, keepdims=True, initial=0))
    peak = jnp.where(peak == 0, jnp.ones_like(peak), peak)
    norms = _root(jnp.sum((size / peak) ** p, rest, keepdims=True), p) * peak
    most = maxnorm.astype(norms.dtype)
    scale = jnp.where(norms > most, most / (norms + 1e-7), jnp.ones_like(norms))
    return x * scale.astype(x.dtype)


def _root(total: Array, p: int) -> Array:
    zero = total == 0
    return jnp.where(zero, total, jnp.where(zero, jnp.ones_like(total), total) ** (1 / p))


def renorm(input: Any, p: int, axis: int, maxnorm: float) -> Any:
    """Slices along an axis, scaled down where their norm is too great.

    Args:
        input (Tensor): floating or complex.
        p (int): of the norm, positive.
        axis (int): its slices are measured.
        maxnorm (float): greatest norm that is left as it is.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        TypeError: if `p` is not an int.
        ValueError: if it is not positive, or `axis` out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.renorm(ms.Tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0))
        [[0.6 0.8]
         [0.3 0.4]]
    """
    return _renorm(input, p, axis, maxnorm)


@op(static="boundaries right")
def bucketize(input: Array, boundaries: Any, *, right: bool = False) -> Array:
    """Return the index of the interval between ascending boundaries that each element lies in.

    Args:
        input (Tensor): real.
        boundaries (list[float]): ascending.
        right (bool): a boundary belongs to the interval above it (True) or below it.

    Returns:
        Tensor of `input`'s shape, int32: the number of boundaries below.

    Raises:
        ValueError: if `boundaries` is not a list.
        TypeError: if it holds anything but numbers.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.bucketize(ms.Tensor([0.5, 1.0, 9.0]), [1.0, 3.0]))
        [0 0 2]
    """
    x = as_array("bucketize", "input", input)
    if not isinstance(boundaries, list | tuple):
        checks.fail(ValueError, "bucketize", "boundaries", "be a list of floats", repr(boundaries))
    checks.check_numbers("bucketize", **{f"boundaries[{i}]": b for i, b in enumerate(boundaries)})
    wide = x.dtype if jnp.issubdtype(x.dtype, jnp.floating) and x.dtype.itemsize > 2 else jnp.float32
    edges = jnp.asarray(np.asarray(boundaries, np.float64).astype(wide))
    side = "right" if right else "left"
    return jnp.searchsorted(edges, x.astype(wide), side=side).astype(jnp.int32)


@op(static="boundaries")
def bucketize_of(input: ArrayLike, boundaries: Any) -> Array:
    """Return the index of each element's interval; a boundary belongs to the one above it (`ops.Bucketize`)."""
    return bucketize.pure(input, boundaries, right=True)


@op(static="r with_replacement")
def combinations(input: Array, r: int = 2, with_replacement: bool = False) -> Array:
    """All choices of r elements of a vector, in order.

    Args:
        input (Tensor): of one dimension.
        r (int): how many.
        with_replacement (bool): elements may be chosen again.

    Returns:
        Tensor of shape (choices, r); (0,) where there are none.

    Raises:
        TypeError: if `r` is not an int.
        ValueError: if `input` is not a vector, or `r` is negative.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.combinations(ms.Tensor([1, 2, 3])))
        [[1 2]
         [1 3]
         [2 3]]
    """
    x = as_array("combinations", "input", input)
    checks.check_rank("combinations", 1, input=x)
    checks.check_ints("combinations", r=r)
    checks.check_bools("combinations", with_replacement=with_replacement)
    if r < 0:
        checks.fail(ValueError, "combinations", "r", "be at least 0", r)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    chosen = np.asarray(list(choose(range(x.shape[0]), r)), np.int32)
    return x[chosen] if chosen.size else x[:0]


@op
def _product_of(inputs: Any) -> Array:
    given = [as_array("cartesian_prod", f"inputs[{i}]", x) for i, x in enumerate(inputs)]
    checks.check_rank("cartesian_prod", 0, 1, **{f"inputs[{i}]": x for i, x in enumerate(given)})
    given = [x.reshape(-1) for x in given]
    if len({x.dtype for x in given}) > 1:
        raise ValueError(
            f"`cartesian_prod`: arguments must have one dtype. Received: {[str(x.dtype) for x in given]}."
        )
    count = math.prod(x.size for x in given)
    return jnp.stack([x.reshape(count) for x in jnp.meshgrid(*given, indexing="ij")], -1)


def cartesian_prod(*inputs: Any) -> Any:
    """All tuples of one element of each vector.

    Args:
        inputs (Tensor): of one dtype and at most one dimension.

    Returns:
        Tensor of shape (tuples, vectors).

    Raises:
        ValueError: if an argument has several dimensions, or the dtypes differ.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.cartesian_prod(ms.Tensor([1, 2]), ms.Tensor([5, 6])))
        [[1 5]
         [1 6]
         [2 5]
         [2 6]]
    """
    expect_tensors("cartesian_prod", inputs=inputs)
    return _product_of(list(inputs))
