"""Random distributions (gamma, Poisson, multinomial ...), choices and permutations."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayOrNumber
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.index_parsing import known_values
from msjax.ops.random.draws import check_shape, sample_gumbel, sample_uniform
from msjax.ops.random.seeding import fold_in_seed, restart_with


def _laplace(key: Array, shape: tuple[int, ...]) -> Array:
    u = jax.random.uniform(key, shape, np.float32, np.float32(-1 + 2**-24), np.float32(1))
    return -jnp.sign(u) * jnp.log1p(-jnp.abs(u))


@op(random=True, static="shape seed")
def standard_laplace(_key: Array, shape: Any, seed: int | None = None) -> Array:
    """Numbers drawn from the Laplace distribution exp(-|x|) / 2.

    Args:
        shape (tuple, Tensor): sizes.
        seed (int): draws from a state of this seed's own, which `set_seed` starts again.

    Returns:
        Tensor of that shape, float32.

    Raises:
        TypeError: if `shape` is not a tuple of ints.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.standard_laplace((2, 3)).shape
        (2, 3)
    """
    name = "standard_laplace"
    return _laplace(fold_in_seed(name, _key, seed), check_shape(name, shape=shape))


@op(random=True, static="shape seed")
def laplace(_key: Array, shape: Any, mean: Array, lambda_param: Array, seed: int | None = None) -> Array:
    """mean + lambda_param * z, with z of shape `shape` from the standard Laplace distribution.

    Args:
        shape (tuple): sizes of what is drawn; it broadcasts with the others.
        mean (Tensor): means.
        lambda_param (Tensor): scales.
        seed (int): draws from a state of this seed's own, which `set_seed` starts again.

    Returns:
        Tensor of the broadcast shape, float32.

    Raises:
        TypeError: if `shape` is not a tuple of ints.
        ValueError: if the shapes do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.laplace((2, 3), ms.Tensor(0.0), ms.Tensor(1.0)).shape
        (2, 3)
    """
    z = _laplace(fold_in_seed("laplace", _key, seed), check_shape("laplace", shape=shape))
    checks.check_broadcastable("laplace", shape=z, mean=mean, lambda_param=lambda_param)
    return mean.astype(z.dtype) + lambda_param.astype(z.dtype) * z


def sample_gamma(key: Array, shape: tuple[int, ...], alpha: Array) -> Array:
    """Draw from the gamma distribution of rate 1 by Marsaglia and Tsang (2000): all are drawn until each was accepted once.

    (`jax.random.gamma` would do, but for float64 constants in its program.) The gradient with respect to alpha is
    that of the distribution function held fast. Of what is no shape, alpha itself or, if it is negative, nan is drawn: the
    loop would not end.
    """
    a = jnp.broadcast_to(alpha.astype(checks.compute_dtype(alpha.dtype)), shape + alpha.shape)
    fixed = lax.stop_gradient(a)
    d = jnp.where(fixed < 1, fixed + 1, fixed) - 1 / 3
    c = lax.rsqrt(9 * d)

    def again(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        turn, found, done = carry
        of_x, of_u = jax.random.split(jax.random.fold_in(key, turn))
        x = jax.random.normal(of_x, a.shape, a.dtype)
        v = (1 + c * x) ** 3
        u = sample_uniform(of_u, a.shape, a.dtype)
        fits = (v > 0) & (jnp.log(u) < 0.5 * x * x + d - d * v + d * jnp.log(jnp.where(v > 0, v, 1)))
        return turn + np.uint32(1), jnp.where(done, found, d * v), done | fits

    start = jnp.uint32(1), jnp.where(fixed < 0, jnp.nan, fixed), ~((fixed > 0) & jnp.isfinite(fixed))
    _, drawn, _ = lax.while_loop(lambda carry: ~jnp.all(carry[2]), again, start)
    small = 1 - sample_uniform(jax.random.fold_in(key, np.uint32(0)), a.shape, a.dtype)
    drawn = jnp.where((fixed > 0) & (fixed < 1), drawn * small ** (1 / fixed), drawn)
    slope = lax.random_gamma_grad(jnp.where(start[2], 1, fixed), jnp.where(start[2], 1, drawn))  # type: ignore[call-arg]
    return drawn + jnp.where(start[2], 0, (a - fixed) * slope)


def sample_poisson(key: Array, mean: Array, shape: tuple[int, ...]) -> Array:
    """Draw from the Poisson distribution, as int32."""
    with jax.enable_x64(False):  # where `jax.random` writes Python floats, they are to be float32
        drawn = jax.random.poisson(key, mean.astype(jnp.float32), shape, np.int32)
    return jnp.where(mean < 0, 0, drawn)


def _needs_shape_tensor(fn: Callable) -> Callable:
    """Refuse shapes that MindSpore's kernels of these distributions refuse: all but Tensors with one axis."""

    @functools.wraps(fn)
    def checked(shape: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(shape, tuple | list):
            checks.fail(TypeError, fn.__name__, "shape", "be a Tensor", f"{shape!r} ({type(shape).__name__})")
        if getattr(shape, "ndim", 1) != 1:
            checks.fail(ValueError, fn.__name__, "shape", "have one axis", f"a Tensor of shape {shape.shape}")
        return fn(shape, *args, **kwargs)

    return checked


@_needs_shape_tensor
@op(random=True, static="shape seed")
def random_gamma(_key: Array, shape: Any, alpha: Array, seed: int | None = None) -> Array:
    """Numbers drawn from the gamma distributions of shape alpha and rate 1.

    Args:
        shape (Tensor): sizes that stand before those of `alpha`; of ints, with one axis.
        alpha (Tensor): shapes of the distributions, floating.
        seed (int): draws from a state of this seed's own, which `set_seed` starts again.

    Returns:
        Tensor of shape (*shape, *alpha.shape) and `alpha`'s dtype.

    Raises:
        TypeError: if `shape` is no Tensor, or `alpha` not floating.
        ValueError: if `shape` has not one axis, or a size is negative.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.random_gamma(ms.Tensor([5]), ms.Tensor([1.0, 2.0])).shape
        (5, 2)
    """
    name = "random_gamma"
    checks.check_floating(name, alpha=alpha)
    return sample_gamma(fold_in_seed(name, _key, seed), check_shape(name, shape=shape), alpha).astype(
        alpha.dtype
    )


@op(random=True, static="shape seed")
def gamma(_key: Array, shape: Any, alpha: Array, beta: Array, seed: int | None = None) -> Array:
    """Numbers drawn from the gamma distributions of shape alpha and rate beta.

    Args:
        shape (tuple): sizes that stand before those of the parameters.
        alpha (Tensor): shapes of the distributions, greater than 0, floating.
        beta (Tensor): rates, greater than 0, of a shape that broadcasts with `alpha`'s.
        seed (int): draws from a state of this seed's own, which `set_seed` starts again.

    Returns:
        Tensor of shape (*shape, *broadcast shape of the parameters), float32.

    Raises:
        TypeError: if the parameters are not floating.
        ValueError: if their shapes do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.gamma((5,), ms.Tensor([1.0, 2.0]), ms.Tensor(3.0)).shape
        (5, 2)
    """
    checks.check_floating("gamma", alpha=alpha, beta=beta)
    checks.check_broadcastable("gamma", alpha=alpha, beta=beta)
    a, b = jnp.broadcast_arrays(alpha.astype(jnp.float32), beta.astype(jnp.float32))
    return sample_gamma(fold_in_seed("gamma", _key, seed), check_shape("gamma", shape=shape), a) / b


_POISSON_DTYPES = ("int64", "int32", "float16", "float32", "float64")


@_needs_shape_tensor
@op(random=True, static="shape seed dtype")
@documented_by(standard_laplace)
def random_poisson(
    _key: Array, shape: Any, rate: ArrayOrNumber, seed: int | None = None, dtype: Any = dtypes.float32
) -> Array:
    """Numbers drawn from the Poisson distributions of the given rates.

    Args:
        shape (Tensor): sizes that stand before those of `rate`; of ints, with one axis.
        rate (Tensor, number): means, at least 0.
        dtype (mindspore.dtype): of the result, floating or int32 or int64.

    Returns:
        Tensor of shape (*shape, *rate.shape) and `dtype`.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.random_poisson(ms.Tensor([5]), ms.Tensor([1.0, 2.0])).shape
        (5, 2)
    """
    name = "random_poisson"
    rate = jnp.asarray(rate)
    kind = dtypes.as_np(dtype)
    if kind.name not in _POISSON_DTYPES:
        checks.fail(TypeError, name, "dtype", f"be one of {', '.join(_POISSON_DTYPES)}", kind)
    sizes = check_shape(name, shape=shape) + rate.shape
    return sample_poisson(fold_in_seed(name, _key, seed), rate, sizes).astype(kind)


@op(random=True, static="shape seed")
@documented_by(standard_laplace)
def poisson(_key: Array, shape: Any, mean: Array, seed: int | None = None) -> Array:
    """Numbers drawn from the Poisson distributions of the given means.

    Args:
        shape (tuple): sizes that stand before those of `mean`.
        mean (Tensor): means, greater than 0, floating.

    Returns:
        Tensor of shape (*shape, *mean.shape), int32.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.poisson((5,), ms.Tensor([1.0, 2.0])).shape
        (5, 2)
    """
    sizes = check_shape("poisson", shape=shape) + mean.shape
    return sample_poisson(fold_in_seed("poisson", _key, seed), mean, sizes)


def _refuse_chances(op_name: str, input: Array, p: Any, **_: Any) -> None:
    """Refuse probabilities outside of [0, 1], for `@op(bounds=...)`."""
    known = known_values(p)
    if known is not None and ((known < 0) | (known > 1)).any():
        checks.fail(ValueError, op_name, "p", "be in [0, 1]", known)


@restart_with("seed", (None,))
@op(random=True, static="seed", bounds=_refuse_chances)
def bernoulli(_key: Array, input: Array, p: ArrayOrNumber = 0.5, seed: int | None = None) -> Array:  # type: ignore[assignment]
    """1 with probability p, 0 otherwise, as many as `input` has.

    Args:
        input (Tensor): gives shape and dtype.
        p (Tensor, float): probabilities, one or of `input`'s shape.
        seed (int): every call with the same seed draws the same.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        ValueError: if `p` is neither one number nor of `input`'s shape, or holds numbers outside of [0, 1].

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.bernoulli(ms.Tensor([2, 3]), 1.0))
        [1 1]
    """
    if p.size != 1 and p.shape != input.shape:
        received = f"array of shape {p.shape} for an input of shape {input.shape}"
        checks.fail(ValueError, "bernoulli", "p", "be one number or have the input's shape", received)
    chance = p.astype(jnp.float32) if p.size != 1 else p.astype(jnp.float32).reshape(())
    u = sample_uniform(fold_in_seed("bernoulli", _key, seed), input.shape, np.float32)
    return (u < chance).astype(input.dtype)


# ------------------------------------------------------------------------------------- choices, permutations


@op(random=True, static="num_samples replacement seed")
def multinomial(
    _key: Array, input: Array, num_samples: int, replacement: bool = True, seed: int | None = None
) -> Array:
    """Places drawn with probabilities proportional to the weights in each row.

    Args:
        input (Tensor): weights, at least 0, of shape (C,) or (N, C), floating or integer.
        num_samples (int): draws per row.
        replacement (bool): let a place be drawn more than once; otherwise `num_samples` is at most C.
        seed (int): draws from a state of this seed's own, which `set_seed` starts again.

    Returns:
        Tensor of shape (num_samples,) or (N, num_samples), int32.

    Raises:
        TypeError: if `num_samples` is not an int.
        ValueError: for other numbers of dimensions, or more samples than places without replacement.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.multinomial(ms.Tensor([0.0, 1.0]), 3))
        [1 1 1]
    """
    name = "multinomial"
    checks.check_rank(name, 1, 2, input=input)
    checks.check_ints(name, num_samples=num_samples)
    checks.check_bools(name, replacement=replacement)
    if num_samples < 0 or (not replacement and num_samples > input.shape[-1]):
        rule = f"be in [0, {input.shape[-1]}] without replacement"
        checks.fail(
            ValueError, name, "num_samples", rule if num_samples >= 0 else "be at least 0", num_samples
        )
    weights = input.astype(input.dtype if jnp.issubdtype(input.dtype, jnp.floating) else jnp.float32)
    # A weight below 0 is never drawn.
    logits = jnp.log(jnp.maximum(weights.astype(checks.compute_dtype(weights.dtype)), 0))
    _key = fold_in_seed(name, _key, seed)
    if not replacement:
        return lax.top_k(logits + sample_gumbel(_key, logits.shape, logits.dtype), num_samples)[1]
    return _categorical(_key, logits, num_samples).astype(jnp.int32)


def _categorical(key: Array, logits: Array, times: int) -> Array:
    """Places in the last dimension, `times` for each row: the largest of the logits and Gumbel noise."""
    noise = sample_gumbel(key, (*logits.shape[:-1], times, logits.shape[-1]), logits.dtype)
    return jnp.argmax(logits[..., None, :] + noise, -1)


@restart_with("seed offset", (0, 0))
@op(random=True, static="seed offset numsamples replacement")
def multinomial_with_replacement(
    _key: Array, x: Array, seed: int, offset: int, numsamples: int, replacement: bool = False
) -> Array:
    """Places drawn with probabilities proportional to the weights in each row.

    Args:
        x (Tensor): weights, at least 0, of shape (C,) or (N, C), floating.
        seed (int): every call with the same seed and offset draws the same, unless both are 0.
        offset (int): a second seed.
        numsamples (int): draws per row.
        replacement (bool): let a place be drawn more than once; otherwise `numsamples` is at most C.

    Returns:
        Tensor of shape (numsamples,) or (N, numsamples), int64.

    Raises:
        ValueError: for other numbers of dimensions, or more samples than places without replacement.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.multinomial_with_replacement(ms.Tensor([0.0, 1.0]), 1, 0, 3, True))
        [1 1 1]
    """
    _key = jax.random.fold_in(_key, np.uint32(offset % 2**32))
    drawn = multinomial.pure(_key, x, numsamples, replacement, seed)
    return drawn.astype(dtypes.as_np(dtypes.int64))


@restart_with("seed", (0,))
@op(random=True, static="num_sample seed dtype")
def random_categorical(
    _key: Array, logits: Array, num_sample: int, seed: int = 0, dtype: Any = dtypes.int64
) -> Array:
    """Places drawn from the categorical distributions of unnormalised log probabilities.

    Args:
        logits (Tensor): of shape (N, C), floating.
        num_sample (int): draws per row.
        seed (int): every call with the same seed draws the same, unless it is 0.
        dtype (mindspore.dtype): int16, int32 or int64.

    Returns:
        Tensor of shape (N, num_sample) and `dtype`.

    Raises:
        TypeError: if `logits` is not floating.
        ValueError: if it does not have 2 dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.random_categorical(ms.Tensor([[-1000.0, 0.0]]), 3))
        [[1 1 1]]
    """
    name = "random_categorical"
    checks.check_floating(name, logits=logits)
    checks.check_rank(name, 2, logits=logits)
    checks.check_ints(name, num_sample=num_sample)
    wide = logits.astype(checks.compute_dtype(logits.dtype))
    return _categorical(fold_in_seed(name, _key, seed), wide, num_sample).astype(dtypes.as_np(dtype))


@op(random=True, static="seed")
def shuffle(_key: Array, x: Array, seed: int | None = None) -> Array:
    """`x` with what lies along its first dimension in a random order.

    Args:
        x (Tensor): of any shape and dtype.
        seed (int): draws from a state of this seed's own, which `set_seed` starts again.

    Returns:
        Tensor of `x`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.shuffle(ms.Tensor([3, 3])))
        [3 3]
    """
    _key = fold_in_seed("shuffle", _key, seed)
    return x if x.ndim == 0 else x[_order(_key, x.shape[0])]


def _order(key: Array, n: int) -> Array:
    return jax.random.permutation(key, jnp.arange(n, dtype=jnp.int32))


@op(random=True, static="n seed offset dtype")
def randperm(_key: Array, n: int, seed: int = 0, offset: int = 0, dtype: Any = dtypes.int64) -> Array:
    """Return the numbers 0 to n - 1 in a random order.

    Args:
        n (int): how many, greater than 0.
        seed (int): every call with the same seed and offset gives the same order; -1, with offset 0, another in each.
        offset (int): a second seed.
        dtype (mindspore.dtype): of the result.

    Returns:
        Tensor of shape (n,) and `dtype`.

    Raises:
        TypeError: if `n` is not an int.
        ValueError: if it is not greater than 0.

    Examples:
        >>> import msjax as ms
        >>> bool((ms.ops.randperm(5) == ms.ops.randperm(5)).all())
        True
    """
    checks.check_ints("randperm", n=n, seed=seed, offset=offset)
    if n < 1:
        checks.fail(ValueError, "randperm", "n", "be greater than 0", n)
    if (seed, offset) != (-1, 0):
        _key = jax.random.fold_in(jax.random.key(seed % 2**32), np.uint32(offset % 2**32))
    return _order(_key, n).astype(dtypes.as_np(dtype))
