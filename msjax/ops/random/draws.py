"""Random number generation. Every draw advances one random state, which `set_seed` sets and compiled functions carry.

A `seed` that is not 0 selects a state for the operator and the seed alone: the numbers of its calls, one after the
other, are the same in every process, and `set_seed` starts them again. (Class forms keep a state in each object.)
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayOrNumber
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.random.seeding import fold_in_seed


def check_shape(name: str, **named: Any) -> tuple[int, ...]:
    """Return a shape that is a tuple of ints, none negative.

    Raises:
        TypeError: if it is not a tuple of ints.
        ValueError: if a size is negative.
    """
    ((argument, shape),) = named.items()
    if not isinstance(shape, tuple) or not all(type(n) is int for n in shape):
        checks.fail(TypeError, name, argument, "be a tuple of ints", f"{shape!r} ({type(shape).__name__})")
    if any(n < 0 for n in shape):
        checks.fail(ValueError, name, argument, "hold no negative sizes", shape)
    return shape


def _parse_size(name: str, size: tuple) -> tuple[int, ...]:
    """Return a shape from the arguments of `rand(2, 3)`, `rand((2, 3))` and `rand()`, whose shape is (1,)."""
    if len(size) == 1 and isinstance(size[0], tuple):
        return check_shape(name, size=size[0])
    return check_shape(name, size=size or (1,))


def _float_dtype(name: str, dtype: Any, default: Any = np.float32) -> np.dtype:
    found = np.dtype(default) if dtype is None else dtypes.as_np(dtype)
    if not jnp.issubdtype(found, jnp.floating):
        checks.fail(ValueError, name, "dtype", "be a floating dtype", dtypes.of(found))
    return found


def _int_dtype(name: str, dtype: Any, default: Any = np.int64) -> np.dtype:
    found = dtypes.as_np(default) if dtype is None else dtypes.as_np(dtype)
    if not jnp.issubdtype(found, jnp.integer):
        checks.fail(ValueError, name, "dtype", "be an int dtype", dtypes.of(found))
    return found


def sample_uniform(key: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    """Draw from the uniform distribution over [0, 1)."""
    wide = checks.compute_dtype(np.dtype(dtype)).type  # the ends too, or they would be float64
    return jax.random.uniform(key, shape, wide, wide(0), wide(1)).astype(dtype)


def sample_gumbel(key: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    """Draw from the standard Gumbel distribution."""
    wide = checks.compute_dtype(np.dtype(dtype)).type
    return -jnp.log(-jnp.log(jax.random.uniform(key, shape, wide, jnp.finfo(wide).tiny, wide(1))))


def sample_normal(key: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    """Draw from the standard normal distribution."""
    return jax.random.normal(key, shape, checks.compute_dtype(np.dtype(dtype))).astype(dtype)


def _between(name: str, key: Array, shape: tuple[int, ...], low: Any, high: Any, dtype: np.dtype) -> Array:
    checks.check_ints(name, low=low, high=high)
    if low >= high:
        checks.fail(RuntimeError, name, "high", f"be greater than low={low}", high)
    return jax.random.randint(key, shape, np.asarray(low, dtype), np.asarray(high, dtype), dtype)


# ---------------------------------------------------------------------------------- uniform, normal, integer


@op(random=True, static="shape dtype seed")
def uniform_of(_key: Array, shape: Any, dtype: Any = None, seed: int | None = None) -> Array:
    """Return the draw of `rand`, `rand_like` and `UniformReal`: uniform in [0, 1).

    Args:
        shape (tuple): sizes.
        dtype (mindspore.dtype): floating. Default: float32.
        seed (int): draws from a state of this seed's own, which `set_seed` starts again.

    Returns:
        Tensor of that shape and dtype.

    Examples:
        >>> from msjax.ops.random.draws import uniform_of
        >>> uniform_of((2, 3)).shape
        (2, 3)
    """
    return sample_uniform(
        fold_in_seed("rand", _key, seed), check_shape("rand", size=shape), _float_dtype("rand", dtype)
    )


@op(random=True, static="minval maxval")
def uniform_between(_key: Array, x: Array, minval: float = 0.0, maxval: float = 1.0) -> Array:
    """Numbers drawn uniformly from [minval, maxval), as many as `x` has (`Uniform`).

    Args:
        x (Tensor): gives shape and dtype, floating.
        minval (float): the lower bound, at least 0.
        maxval (float): the upper bound, at least `minval`.

    Returns:
        Tensor of `x`'s shape and dtype.

    Raises:
        TypeError: if `x` is not floating.
        ValueError: if the bounds are not in order.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.random.draws import uniform_between
        >>> print(uniform_between(ms.Tensor([3.0, 4.0]), 1.0, 1.0))
        [1. 1.]
    """
    checks.check_floating("Uniform", x=x)
    if not 0 <= minval <= maxval:
        checks.fail(ValueError, "Uniform", "minval", f"be in [0, {maxval}]", minval)
    drawn = sample_uniform(_key, x.shape, x.dtype)
    return drawn * jnp.asarray(maxval - minval, x.dtype) + jnp.asarray(minval, x.dtype)


@op(random=True, static="shape dtype seed")
@documented_by(uniform_of)
def normal_of(_key: Array, shape: Any, dtype: Any = None, seed: int | None = None) -> Array:
    """Return the draw of `randn`, `randn_like` and `standard_normal`.

    Examples:
        >>> from msjax.ops.random.draws import normal_of
        >>> normal_of((2, 3)).shape
        (2, 3)
    """
    return sample_normal(
        fold_in_seed("randn", _key, seed), check_shape("randn", size=shape), _float_dtype("randn", dtype)
    )


@op(random=True, static="low high size dtype seed")
@documented_by(uniform_of)
def integers_of(
    _key: Array, low: int, high: int, size: Any, dtype: Any = None, seed: int | None = None
) -> Array:
    """Return the draw of `randint` and `randint_like`.

    Args:
        low (int): least number.
        high (int): one more than the greatest.
        size (tuple): sizes.
        dtype (mindspore.dtype): integer. Default: int64.

    Examples:
        >>> from msjax.ops.random.draws import integers_of
        >>> print(integers_of(3, 4, (2,)))
        [3 3]
    """
    _key = fold_in_seed("randint", _key, seed)
    return _between(
        "randint", _key, check_shape("randint", size=size), low, high, _int_dtype("randint", dtype)
    )


@documented_by(uniform_of)
def rand(*size: Any, dtype: Any = None, seed: int | None = None) -> Any:
    """Numbers drawn uniformly from [0, 1).

    Args:
        *size (int, tuple): sizes; none means (1,).

    Raises:
        TypeError: for sizes that are not ints.
        ValueError: if `dtype` is not floating, a size or `seed` is negative.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.rand(2, 3).shape
        (2, 3)
    """
    return uniform_of(_parse_size("rand", _tuples(size)), dtype, seed)


@documented_by(uniform_of)
def randn(*size: Any, dtype: Any = None, seed: int | None = None) -> Any:
    """Numbers drawn from the standard normal distribution.

    Args:
        *size (int, tuple): sizes; none means (1,).

    Raises:
        TypeError: for sizes that are not ints.
        ValueError: if `dtype` is not floating, a size or `seed` is negative.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.randn((2, 3)).shape
        (2, 3)
    """
    return normal_of(_parse_size("randn", _tuples(size)), dtype, seed)


@documented_by(integers_of)
def randint(low: int, high: int, size: Any, seed: int | None = None, *, dtype: Any = None) -> Any:
    """Integers drawn uniformly from [low, high).

    Raises:
        RuntimeError: if `high` is not greater than `low`.
        TypeError: if `low` or `high` is not an int.
        ValueError: if `size` is not a tuple or `dtype` not an int dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.randint(5, 6, (3,)))
        [5 5 5]
    """
    if not isinstance(size, tuple):
        checks.fail(ValueError, "randint", "size", "be a tuple", size)
    return integers_of(low, high, size, dtype, seed)


def rand_like(input: Any, seed: int | None = None, *, dtype: Any = None) -> Any:
    """Numbers drawn uniformly from [0, 1), as many as `input` has.

    Args:
        input (Tensor): gives the shape and, without `dtype`, the dtype if it is floating, else float32.
        seed (int): draws from a state of this seed's own, which `set_seed` starts again.
        dtype (mindspore.dtype): floating.

    Returns:
        Tensor of `input`'s shape.

    Raises:
        TypeError: if `input` is not a Tensor.
        ValueError: if the dtype is not floating.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.rand_like(ms.Tensor([1.0, 2.0])).shape
        (2,)
    """
    return uniform_of(
        _shape_and_dtype("rand_like", input).shape, input.dtype if dtype is None else dtype, seed
    )


@documented_by(rand_like)
def randn_like(input: Any, seed: int | None = None, *, dtype: Any = None) -> Any:
    """Numbers drawn from the standard normal distribution, as many as `input` has.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.randn_like(ms.Tensor([1.0, 2.0])).shape
        (2,)
    """
    like = _shape_and_dtype("randn_like", input)
    if dtype is None:
        dtype = like.dtype if like.dtype.is_floating_point else dtypes.float32
    return normal_of(like.shape, dtype, seed)


@documented_by(rand_like)
def randint_like(input: Any, low: int, high: int, seed: int | None = None, *, dtype: Any = None) -> Any:
    """Integers drawn uniformly from [low, high), as many as `input` has.

    Args:
        low (int): least number.
        high (int): one more than the greatest.
        dtype (mindspore.dtype): integer.

    Raises:
        TypeError: if `input` is not a Tensor.
        ValueError: if the dtype is not an int dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.randint_like(ms.Tensor([1, 2]), 3, 4))
        [3 3]
    """
    return integers_of(
        low,
        high,
        _shape_and_dtype("randint_like", input).shape,
        input.dtype if dtype is None else dtype,
        seed,
    )


def _tuples(size: tuple) -> tuple:
    return tuple(tuple(s) if isinstance(s, list) else s for s in size)


def _shape_and_dtype(name: str, input: Any) -> Any:
    if not hasattr(input, "dtype"):
        checks.fail(TypeError, name, "input", "be a Tensor", f"{input!r} ({type(input).__name__})")
    return input


@op(random=True, static="shape seed")
def standard_normal(_key: Array, shape: Any, seed: int | None = None) -> Array:
    """Numbers drawn from the standard normal distribution.

    Args:
        shape (tuple, Tensor): sizes.
        seed (int): draws from a state of this seed's own, which `set_seed` starts again.

    Returns:
        Tensor of that shape, float32.

    Raises:
        TypeError: if `shape` is not a tuple of ints.
        ValueError: if a size is negative.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.standard_normal((2, 3)).shape
        (2, 3)
    """
    name = "standard_normal"
    return sample_normal(fold_in_seed(name, _key, seed), check_shape(name, shape=shape), np.float32)


@op(random=True, static="shape seed")
def normal(
    _key: Array, shape: Any, mean: ArrayOrNumber, stddev: ArrayOrNumber, seed: int | None = None
) -> Array:
    """mean + stddev * z, with z of shape `shape` from the standard normal distribution.

    Args:
        shape (tuple): sizes of what is drawn; it broadcasts with `mean` and `stddev`.
        mean (Tensor, float): means.
        stddev (Tensor, float): standard deviations.
        seed (int): draws from a state of this seed's own, which `set_seed` starts again.

    Returns:
        Tensor of the broadcast shape, float32.

    Raises:
        TypeError: if `shape` is not a tuple of ints.
        ValueError: if the shapes do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.normal((2, 1), ms.Tensor([0.0, 10.0]), ms.Tensor(1.0)).shape
        (2, 2)
    """
    z = sample_normal(fold_in_seed("normal", _key, seed), check_shape("normal", shape=shape), np.float32)
    checks.check_broadcastable("normal", shape=z, mean=mean, stddev=stddev)
    return mean.astype(z.dtype) + stddev.astype(z.dtype) * z


@op(random=True, static="shape seed dtype")
def uniform(
    _key: Array,
    shape: Any,
    minval: Array,
    maxval: Array,
    seed: int | None = None,
    dtype: Any = dtypes.float32,
) -> Array:
    """Numbers drawn uniformly from [minval, maxval).

    Args:
        shape (tuple): sizes of what is drawn; it broadcasts with `minval` and `maxval`.
        minval (Tensor): lower ends.
        maxval (Tensor): upper ends, which do not occur.
        seed (int): draws from a state of this seed's own, which `set_seed` starts again.
        dtype (mindspore.dtype): float32 or int32 (then one number each for `minval` and `maxval`).

    Returns:
        Tensor of the broadcast shape and `dtype`.

    Raises:
        TypeError: for another `dtype`, or a `shape` that is not a tuple of ints.
        ValueError: if the shapes do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> x = ms.ops.uniform((100,), ms.Tensor(2.0), ms.Tensor(3.0))
        >>> bool((x >= 2).all()), bool((x < 3).all())
        (True, True)
    """
    name = "uniform"
    given, shape = dtypes.as_np(dtype), check_shape(name, shape=shape)
    if given not in (np.float32, np.int32):
        checks.fail(TypeError, name, "dtype", "be float32 or int32", dtype)
    _key = fold_in_seed(name, _key, seed)
    if given == np.int32:
        return jax.random.randint(_key, shape, minval.astype(given), maxval.astype(given), given)
    u = sample_uniform(_key, shape, given)
    checks.check_broadcastable(name, shape=u, minval=minval, maxval=maxval)
    low = minval.astype(given)
    return u * (maxval.astype(given) - low) + low


@op(random=True, static="shape dtype seed")
@documented_by(uniform_of)
def truncated_normal(_key: Array, shape: Any, dtype: Any = dtypes.float32, seed: int | None = None) -> Array:
    """Numbers drawn from the standard normal distribution, those outside [-2, 2] drawn again.

    Args:
        shape (tuple, Tensor): sizes.
        dtype (mindspore.dtype): floating.

    Raises:
        ValueError: if `dtype` is not floating.

    Examples:
        >>> from msjax.ops.random.draws import truncated_normal
        >>> bool((truncated_normal((100,)).abs() <= 2).all())
        True
    """
    name = "truncated_normal"
    found = _float_dtype(name, dtype)
    wide = checks.compute_dtype(found)
    low, high = np.asarray(-2, wide), np.asarray(2, wide)
    return jax.random.truncated_normal(
        fold_in_seed(name, _key, seed), low, high, check_shape(name, shape=shape), wide
    ).astype(found)  # fmt: skip
