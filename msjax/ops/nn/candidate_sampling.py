"""Candidate sampling for sampled softmax and NCE losses, and other random choices of classes and positions."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, as_index_array
from msjax.ops.random.seeding import fold_in_seed, restart_with


def _settings(
    name: str, true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int
) -> Array:
    truth = as_index_array(name, true_classes=true_classes)
    checks.check_ints(name, num_true=num_true, num_sampled=num_sampled, range_max=range_max)
    checks.check_bools(name, unique=unique)
    if truth.ndim == 0 or truth.shape[-1] != num_true or num_sampled < 1:
        rule = f"have {num_true} classes in each row, with one sample or more"
        checks.fail(ValueError, name, "true_classes", rule, f"array of shape {truth.shape}")
    if unique and num_sampled > range_max:
        checks.fail(ValueError, name, "num_sampled", f"be at most range_max={range_max}", num_sampled)
    return truth


def _expected_count(chance: Array, tries: Array | int, unique: bool) -> Array:
    """Return the expected number of times that a class of this probability is sampled."""
    return -jnp.expm1(tries * jnp.log1p(-chance)) if unique else chance * tries


def _draw_classes(key: Array, weights: Array, count: int, unique: bool) -> tuple[Array, Array]:
    """Classes drawn by weight, and after how many draws, repeats included, they were found.

    Without repeats the order is that of exponential arrival times (Gumbel's trick), which is that of drawing and rejecting.
    """
    if not unique:
        return jax.random.categorical(key, jnp.log(weights), shape=(count,)), jnp.asarray(count, jnp.float32)
    times = jax.random.exponential(key, weights.shape, weights.dtype) / weights
    found = jnp.argsort(times)[:count]
    return found, jnp.maximum(jnp.sort(times)[count - 1], count).astype(jnp.float32)


@restart_with("seed", (0,))
@op(random=True, static="num_true num_sampled unique range_max seed remove_accidental_hits")
def uniform_candidate_sampler(
    _key: Array,
    true_classes: Array,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int = 0,
    remove_accidental_hits: bool = False,
) -> tuple[Array, Array, Array]:
    """Classes drawn uniformly from [0, range_max), and how often each class is expected among so many.

    Args:
        true_classes (Tensor): shape (batch, num_true), int32 or int64.
        num_true (int): number of true classes of each element.
        num_sampled (int): how many to draw.
        unique (bool): each class at most once.
        range_max (int): number of classes.
        seed (int): every call with the same seed draws the same, unless it is 0.
        remove_accidental_hits (bool): draw no true class; with `unique` there must be enough others.

    Returns:
        Three Tensors: classes (shape (num_sampled,)), expected counts of the true and of the sampled ones (float32).

    Raises:
        TypeError: if classes are not integers.
        ValueError: if sizes do not fit.

    Examples:
        >>> import msjax as ms
        >>> drawn, true, sampled = ms.ops.uniform_candidate_sampler(ms.Tensor([[1], [3]]), 1, 4, True, 4)
        >>> print(sorted(drawn.tolist()), true)
        [0, 1, 2, 3] [[1.]
         [1.]]
    """
    name = "uniform_candidate_sampler"
    truth = _settings(name, true_classes, num_true, num_sampled, unique, range_max)
    weights = jnp.full(range_max, 1 / range_max, jnp.float32)
    if remove_accidental_hits:
        weights = weights.at[truth.reshape(-1)].set(jnp.finfo(jnp.float32).tiny)
    found, _ = _draw_classes(fold_in_seed(name, _key, seed or None), weights, num_sampled, unique)
    expected = jnp.float32(num_sampled / range_max)
    return (
        found.astype(truth.dtype),
        jnp.full(truth.shape, expected),
        jnp.full((num_sampled,), expected),
    )


@restart_with("seed", ())
@op(random=True, static="num_true num_sampled unique range_max seed")
@documented_by(uniform_candidate_sampler)
def log_uniform_candidate_sampler(
    _key: Array,
    true_classes: Array,
    num_true: int = 1,
    num_sampled: int = 5,
    unique: bool = True,
    range_max: int = 5,
    seed: int = 0,
) -> tuple[Array, Array, Array]:
    """Classes drawn with probability log((c + 2) / (c + 1)) / log(range_max + 1): small numbers are frequent words.

    Args:
        true_classes (Tensor): shape (batch, num_true), int64.

    Examples:
        >>> import msjax as ms
        >>> drawn, true, sampled = ms.ops.log_uniform_candidate_sampler(ms.Tensor([[1], [3]]))
        >>> drawn.shape, true.shape, sampled.shape
        ((5,), (2, 1), (5,))
    """
    name = "log_uniform_candidate_sampler"
    truth = _settings(name, true_classes, num_true, num_sampled, unique, range_max)
    classes = jnp.arange(range_max, dtype=jnp.float32)
    weights = jnp.log1p(1 / (classes + 1)) / math.log(range_max + 1)
    found, tries = _draw_classes(fold_in_seed(name, _key, seed or None), weights, num_sampled, unique)
    counts = _expected_count(weights, tries, unique)
    return found.astype(truth.dtype), counts[truth], counts[found]


def choice_with_mask(input_x: Tensor, count: int = 256, seed: int | None = None) -> tuple[Tensor, Tensor]:
    """Places of true elements, drawn without repeats in random order.

    Args:
        input_x (Tensor): bool, of one to five dimensions.
        count (int): how many.
        seed (int, None): draws from a state of this seed's own, which `set_seed` starts again.

    Returns:
        Two Tensors: coordinates, shape (count, dimensions), int32; and which of them are filled (bool), should there not
        be as many true elements.

    Raises:
        TypeError: if it is not bool.
        ValueError: if `count` is not positive, or the dimensions are not one to five.

    Examples:
        >>> import msjax as ms
        >>> places, filled = ms.ops.choice_with_mask(ms.Tensor([False, True, False]), 2)
        >>> print(places.flatten(), filled)
        [1 0] [ True False]
    """
    return _masked_choice(input_x, count, seed)


@op(random=True, static="count seed")
def _masked_choice(_key: Array, input_x: ArrayLike, count: int, seed: int | None) -> tuple[Array, Array]:
    name = "choice_with_mask"
    mask = as_array(name, "input_x", input_x)
    if mask.dtype != bool:
        checks.fail(TypeError, name, "input_x", "be of dtype bool", f"array of dtype {mask.dtype}")
    checks.check_ints(name, count=count)
    if count < 1 or not 1 <= mask.ndim <= 5:
        checks.fail(ValueError, name, "count", "be positive, of one to five dimensions", count)
    flat = mask.reshape(-1)
    order = jax.random.uniform(fold_in_seed(name, _key, seed or None), flat.shape, np.float32)
    found = jnp.argsort(jnp.where(flat, order, 2.0))[:count]
    found = jnp.pad(found, (0, count - found.size))
    filled = jnp.arange(count) < jnp.sum(flat)
    places = jnp.stack(jnp.unravel_index(found, mask.shape), 1).astype(np.int32)
    return jnp.where(filled[:, None], places, 0), filled


@op(random=True, static="shape")
def parameterized_truncated_normal(
    _key: Array,
    shape: Any,
    mean: Array,
    stdevs: Array,
    min: Array,
    max: Array,
) -> Array:
    """Normal numbers between bounds, each row of the first axis with its own mean, deviation and bounds.

    Args:
        shape (Tensor, tuple[int]): of the result.
        mean (Tensor): means, floating, one or as many as rows.
        stdevs (Tensor): deviations, positive.
        min (Tensor): lower bounds.
        max (Tensor): upper bounds.

    Returns:
        Tensor of that shape and `mean`'s dtype.

    Raises:
        TypeError: if dtypes differ or are not floating.

    Examples:
        >>> import msjax as ms
        >>> one = [ms.Tensor([v]) for v in (0.0, 1.0, -1.0, 1.0)]
        >>> x = ms.ops.ParameterizedTruncatedNormal()((2, 3), *one)
        >>> x.shape, bool((abs(x) <= 1).all())
        ((2, 3), True)
    """
    name = "ParameterizedTruncatedNormal"
    checks.check_floating(name, mean=mean)
    checks.check_same_dtype(name, mean=mean, stdevs=stdevs, min=min, max=max)
    wide = checks.compute_dtype(mean.dtype)
    rows = [x.astype(wide).reshape(-1, *[1] * (len(shape) - 1)) for x in (mean, stdevs, min, max)]
    centre, spread, low, high = rows
    ends = [jnp.broadcast_to((end - centre) / spread, shape) for end in (low, high)]
    drawn = jax.random.truncated_normal(_key, ends[0], ends[1], tuple(shape), wide)
    return jnp.clip(drawn * spread + centre, low, high).astype(mean.dtype)


@op(random=True, static="shape dtype")
def any_integers(_key: Array, shape: Any, dtype: Any = dtypes.int64) -> Array:
    """Integers drawn from all that the dtype has (`NonDeterministicInts`); `set_seed` repeats them here.

    Args:
        shape (Tensor, tuple[int]): of the result.
        dtype (mindspore.dtype): int32, int64, uint32 or uint64.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        TypeError: for another dtype.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.NonDeterministicInts()((2, 3)).shape
        (2, 3)
    """
    kind = dtypes.as_np(dtype)
    if kind.kind not in "iu" or kind.itemsize < 4:
        rule = "be int32, int64, uint32 or uint64"
        checks.fail(TypeError, "NonDeterministicInts", "dtype", rule, dtype)
    bits = jax.random.bits(_key, tuple(shape), np.dtype(f"u{kind.itemsize}"))
    return jax.lax.bitcast_convert_type(bits, kind)


@op(random=True, static="max_length pad dtype n")
def permuted(_key: Array, n: int, max_length: int = 1, pad: int = -1, dtype: Any = dtypes.int32) -> Array:
    """Return the numbers below n in random order, filled up to a length (`Randperm`).

    Args:
        n (int, Tensor): how many numbers.
        max_length (int): length of the result, at least n.
        pad (int): what to fill up with.
        dtype (mindspore.dtype): integer.

    Returns:
        Tensor of shape (max_length,).

    Raises:
        ValueError: if n is larger than the length.

    Examples:
        >>> import msjax as ms
        >>> x = ms.ops.Randperm(max_length=4, pad=-1)(ms.Tensor([3], ms.int32))
        >>> print(sorted(x[:3].tolist()), x[3])
        [0, 1, 2] -1
    """
    many = n[0] if isinstance(n, tuple) else n
    if not 0 <= many <= max_length:
        checks.fail(ValueError, "Randperm", "n", f"be in [0, {max_length}]", n)
    order = jax.random.permutation(_key, many).astype(dtypes.as_np(dtype))
    return jnp.pad(order, (0, max_length - many), constant_values=pad)


def as_shape(op_name: str, x: Any) -> Any:
    """Return a shape that may be given as a Tensor."""
    return tuple(np.asarray(concrete(x, op_name)).tolist()) if isinstance(x, Tensor) else x
