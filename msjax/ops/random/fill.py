"""Tensors filled with random numbers: new ones (`Tensor.cauchy`), and in-place (`Tensor.normal_`)."""

import contextlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.argument_types import ArrayLike, ArrayOrNumber
from msjax.core.op.op import op
from msjax.core.tensor import random_state
from msjax.core.tensor.generator import Generator
from msjax.core.tensor.tensor import Tensor
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array
from msjax.ops.random.draws import sample_normal, sample_uniform
from msjax.ops.state.scatter_update import change


def _floats(name: str, x: Any) -> Array:
    x = as_array(name, "input", x)
    checks.check_floating(name, input=x)
    return x


@op(random=True)
def normal_like(_key: Array, input: Array, mean: ArrayOrNumber = 0, std: ArrayOrNumber = 1) -> Array:  # type: ignore[assignment]
    """Normal numbers in the shape and dtype of a Tensor.

    Args:
        input (Tensor): floating.
        mean (number, Tensor): mean.
        std (number, Tensor): deviation, not negative.

    Returns:
        Tensor like `input`.
    """
    x = _floats("normal_", input)
    wide = checks.compute_dtype(x.dtype)
    drawn = sample_normal(_key, x.shape, wide) * std.astype(wide) + mean.astype(wide)
    return drawn.astype(x.dtype)


@op(random=True)
@documented_by(normal_like)
def uniform_like(_key: Array, input: Array, low: ArrayLike, high: ArrayLike) -> Array:
    """Numbers drawn uniformly from [low, high) in the shape and dtype of a Tensor.

    Args:
        low (number): least number.
        high (number): end.
    """
    x = _floats("uniform_", input)
    wide = checks.compute_dtype(x.dtype)
    low, high = low.astype(wide), high.astype(wide)
    return (sample_uniform(_key, x.shape, wide) * (high - low) + low).astype(x.dtype)


@op(random=True)
@documented_by(normal_like)
def exponential_like(_key: Array, input: Array, lambd: ArrayLike = 1) -> Array:  # type: ignore[assignment]
    """Exponential numbers of rate `lambd` in the shape and dtype of a Tensor.

    Args:
        lambd (number): rate, positive.
    """
    x = _floats("exponential_", input)
    wide = checks.compute_dtype(x.dtype)
    return (jax.random.exponential(_key, x.shape, wide) / lambd.astype(wide)).astype(x.dtype)


@op(random=True)
def bernoulli_like(_key: Array, input: Array, p: ArrayOrNumber) -> Array:
    """1 with probability p, else 0, in the shape and dtype of a Tensor.

    Args:
        input (Tensor): of any number dtype.
        p (number, Tensor): probabilities, of a shape that broadcasts to `input`'s.

    Returns:
        Tensor like `input`.
    """
    x = as_array("bernoulli_", "input", input)
    drawn = sample_uniform(_key, x.shape, np.float32)
    return (drawn < jnp.broadcast_to(p.astype(np.float32), x.shape)).astype(x.dtype)


@op(random=True, static="low high")
@documented_by(bernoulli_like)
def integers_like(_key: Array, input: Array, low: int, high: int | None) -> Array:
    """Whole numbers drawn uniformly from [low, high) in the shape and dtype of a Tensor.

    Args:
        low (int): least number.
        high (int, None): end. Default: what the dtype holds exactly.
    """
    x = as_array("random_", "input", input)
    real = jnp.issubdtype(x.dtype, jnp.floating)
    top = 2 ** (jnp.finfo(x.dtype).nmant + 1) if real else int(jnp.iinfo(x.dtype).max)
    end = min(top, 2**63 - 2) + 1 if high is None else high
    if low >= end:
        checks.fail(RuntimeError, "random_", "to", f"be greater than from_={low}", high)
    return jax.random.randint(_key, x.shape, low, end, np.int64).astype(x.dtype)


@op(random=True, static="median sigma")
def cauchy_like(_key: Array, input: Array, median: float = 0.0, sigma: float = 1.0) -> Array:
    """Cauchy's numbers in the shape of a Tensor (`Tensor.cauchy`).

    Args:
        input (Tensor): any.
        median (float): median.
        sigma (float): scale, positive.

    Returns:
        Tensor of `input`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.zeros((2, 3)).cauchy().shape
        (2, 3)
    """
    x = as_array("cauchy", "input", input)
    drawn = jax.random.cauchy(_key, x.shape, np.float32) * np.float32(sigma) + np.float32(median)
    return drawn.astype(x.dtype)


@op(random=True, static="mean std")
@documented_by(normal_like)
def log_normal_like(_key: Array, input: Array, mean: float = 1.0, std: float = 2.0) -> Array:
    """exp of normal numbers, in the shape and dtype of a Tensor (`LogNormalReverse`, `Tensor.log_normal`).

    Args:
        mean (float): mean of the logarithms.
        std (float): their deviation.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.LogNormalReverse()(ms.ops.zeros((2, 3))).shape
        (2, 3)
    """
    x = _floats("LogNormalReverse", input)
    wide = checks.compute_dtype(x.dtype)
    drawn = jnp.exp(sample_normal(_key, x.shape, wide) * wide.type(std) + wide.type(mean))
    return drawn.astype(x.dtype)


@op(random=True, static="size median sigma")
def cauchy(_key: Array, size: Any, median: float = 0.0, sigma: float = 1.0) -> Array:
    """Cauchy's numbers (`Cauchy`).

    Args:
        size (list[int], tuple[int]): sizes.
        median (float): median.
        sigma (float): scale, positive.

    Returns:
        Tensor of that shape, float32.

    Raises:
        TypeError: if `size` is not a list or tuple of ints.
        ValueError: if it is empty, a size is not positive, or `sigma` is not.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.Cauchy([2, 3])().shape
        (2, 3)
    """
    if not isinstance(size, tuple) or not all(type(n) is int for n in size):
        checks.fail(TypeError, "Cauchy", "size", "be a list or tuple of ints", size)
    if not size or min(size) < 1:
        checks.fail(ValueError, "Cauchy", "size", "hold positive sizes", size)
    checks.check_numbers("Cauchy", median=median, sigma=sigma)
    if sigma <= 0:
        checks.fail(ValueError, "Cauchy", "sigma", "be positive", sigma)
    return jax.random.cauchy(_key, size, np.float32) * np.float32(sigma) + np.float32(median)


# ---------------------------------------------------------------------- in place


def _fill(name: str, draw: Callable, input: Any, *args: Any, generator: Any = None) -> Tensor:
    if not isinstance(input, Tensor):
        checks.fail(TypeError, name, "input", "be a Tensor", f"{input!r} ({type(input).__name__})")
    if generator is not None and not isinstance(generator, Generator):
        checks.fail(TypeError, name, "generator", "be a Generator", type(generator).__name__)
    with contextlib.nullcontext() if generator is None else random_state.drawing_from(generator.box):
        drawn = draw(input, *args)
    change(name, input, drawn)
    return input


def normal_(input: Tensor, mean: Any = 0, std: Any = 1, *, generator: Any = None) -> Tensor:
    """Fill a Tensor with normal numbers, in place.

    Args:
        input (Tensor): floating.
        mean (number): mean.
        std (number): deviation.
        generator (Generator, None): where to draw from. Default: the one random state.

    Returns:
        `input`.

    Raises:
        TypeError: if it is not floating.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.normal_(ms.ops.zeros(2), 3.0, 0.0))
        [3. 3.]
    """
    return _fill("normal_", normal_like, input, mean, std, generator=generator)


@documented_by(normal_)
def uniform_(input: Tensor, from_: Any = 0, to: Any = 1, *, generator: Any = None) -> Tensor:
    """Fill a Tensor with numbers drawn uniformly from [from_, to), in place.

    Args:
        from_ (number): least number.
        to (number): end.

    Examples:
        >>> import msjax as ms
        >>> x = ms.ops.uniform_(ms.ops.zeros(3), 1.0, 2.0)
        >>> bool(((x >= 1) & (x < 2)).all())
        True
    """
    return _fill("uniform_", uniform_like, input, from_, to, generator=generator)


def random_(input: Tensor, from_: int = 0, to: int | None = None, *, generator: Any = None) -> Tensor:
    """Fill a Tensor with whole numbers drawn uniformly from [from_, to), in place.

    Args:
        input (Tensor): of any number dtype.
        from_ (int): least number; the end, if it is the only one.
        to (int, None): end. Default: what the dtype holds exactly.
        generator (Generator, None): where to draw from. Default: the one random state.

    Returns:
        `input`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.random_(ms.ops.zeros(2), 3, 4))
        [3. 3.]
    """
    return _fill("random_", integers_like, input, from_, to, generator=generator)


@documented_by(random_)
def bernoulli_(input: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Fill a Tensor with 1 (probability p) and 0, in place.

    Args:
        p (number, Tensor): probabilities, of a shape that broadcasts to `input`'s.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.bernoulli_(ms.ops.zeros(2), 1.0))
        [1. 1.]
    """
    return _fill("bernoulli_", bernoulli_like, input, p, generator=generator)


@documented_by(random_)
def exponential_(input: Tensor, lambd: Any = 1, *, generator: Any = None) -> Tensor:
    """Fill a Tensor with exponential numbers, in place.

    Args:
        input (Tensor): floating.
        lambd (number): rate.

    Examples:
        >>> import msjax as ms
        >>> bool((ms.ops.exponential_(ms.ops.zeros(3)) >= 0).all())
        True
    """
    return _fill("exponential_", exponential_like, input, lambd, generator=generator)


def bernoulli_of(self: Tensor, *, generator: Any = None) -> Tensor:
    """1 with the probability that each element is, else 0 (`Tensor.bernoulli`).

    Args:
        self (Tensor): probabilities, floating.
        generator (Generator, None): where to draw from. Default: the one random state.

    Returns:
        Tensor like it.
    """
    return _fill("bernoulli", bernoulli_like, Tensor(self), self, generator=generator)


@documented_by(bernoulli_of)
def uniform_of_shape(self: Tensor, from_: Any = 0.0, to: Any = 1.0, generator: Any = None) -> Tensor:
    """Numbers drawn uniformly from [from_, to), in the shape and dtype of the tensor (`Tensor.uniform`).

    Args:
        self (Tensor): floating.
        from_ (number): least number.
        to (number): end.
    """
    return _fill("uniform", uniform_like, Tensor(self), from_, to, generator=generator)
