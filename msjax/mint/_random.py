"""Random functions under PyTorch's signatures; `generator` is a separate random state (`mindspore.Generator`)."""

import contextlib
from collections.abc import Iterator
from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.tensor import random_state as states
from msjax.core.tensor.construction import check_destination
from msjax.core.tensor.generator import Generator
from msjax.core.tensor.tensor import Tensor
from msjax.ops.array import creation, shapes
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.math import arithmetic
from msjax.ops.math.casts import astype
from msjax.ops.random import distributions, draws


@contextlib.contextmanager
def _resolve_generator(name: str, generator: Any, device: Any = None) -> Iterator[None]:
    """Draws from a generator; JAX places arrays."""
    check_destination(name, device)
    if generator is not None and not isinstance(generator, Generator):
        checks.fail(TypeError, name, "generator", "be a Generator or None", type(generator).__name__)
    with contextlib.nullcontext() if generator is None else states.drawing_from(generator.box):
        yield


def _size(name: str, size: Any) -> tuple[int, ...]:
    """Return a shape from ints, or from one sequence of ints."""
    size = tuple(size[0]) if len(size) == 1 and isinstance(size[0], tuple | list) else tuple(size)
    if not all(type(n) is int for n in size):
        checks.fail(TypeError, name, "size", "be ints, or a tuple or list of ints", repr(size))
    return size


def rand(*size: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Tensor:
    """Uniform numbers in [0, 1).

    Args:
        size (int, tuple[int]): sizes; none for a Tensor without dimensions.
        generator (Generator, None): a separate random state.
        dtype (mindspore.dtype, None): floating. Default: float32.
        device (str, None): accepted, without effect.

    Returns:
        Tensor of that shape.

    Examples:
        >>> import msjax as ms
        >>> ms.mint.rand(2, 3).shape, ms.mint.rand((2,)).shape, ms.mint.rand().shape
        ((2, 3), (2,), ())
    """
    with _resolve_generator("rand", generator, device):
        return draws.uniform_of(_size("rand", size), dtype)


@documented_by(rand)
def randn(*size: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Tensor:
    """Numbers of the standard normal distribution.

    Examples:
        >>> import msjax as ms
        >>> generator = ms.Generator().manual_seed(1)
        >>> a = ms.mint.randn(3, generator=generator)
        >>> bool((a == ms.mint.randn(3, generator=generator.manual_seed(1))).all())
        True
    """
    with _resolve_generator("randn", generator, device):
        return draws.normal_of(_size("randn", size), dtype)


def _require_floating(name: str, dtype: Any) -> Any:
    if not dtype.is_floating_point:
        checks.fail(TypeError, name, "dtype", "be a floating dtype", dtype)
    return dtype


def rand_like(input: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Uniform numbers in [0, 1), as many as `input` has.

    Args:
        input (Tensor): gives shape and dtype.
        dtype (mindspore.dtype, None): another dtype, floating.
        device (str, None): accepted, without effect.

    Returns:
        Tensor of `input`'s shape.

    Raises:
        TypeError: if the dtype is not floating.

    Examples:
        >>> import msjax as ms
        >>> ms.mint.rand_like(ms.ops.ones((2, 3))).shape
        (2, 3)
    """
    return rand(*input.shape, dtype=_require_floating("rand_like", dtype or input.dtype), device=device)


@documented_by(rand_like)
def randn_like(input: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Numbers of the standard normal distribution, as many as `input` has.

    Examples:
        >>> import msjax as ms
        >>> ms.mint.randn_like(ms.ops.ones((2, 3))).shape
        (2, 3)
    """
    return randn(*input.shape, dtype=_require_floating("randn_like", dtype or input.dtype), device=device)


def _bounds(name: str, values: tuple, count: int, kwargs: dict) -> list:
    """`low=0, high` and what follows them, from positions and keywords."""
    names = ["low", "high", "size"][:count]
    unknown = set(kwargs) - set(names)
    if unknown:
        raise TypeError(f"`{name}`: unknown argument {min(unknown)!r}.")
    missing = [n for n in names if n not in kwargs]
    if len(values) == len(missing) - 1 and missing[0] == "low":
        values = (0, *values)
    if len(values) != len(missing):
        received = (*values, *kwargs)
        raise TypeError(
            f"`{name}`: arguments must be {', '.join(names)}, or those without `low`. Received: {received}."
        )
    found = dict(zip(missing, values, strict=True)) | kwargs
    return [found[n] for n in names]


def randint(
    *args: Any, generator: Any = None, dtype: Any = None, device: Any = None, **bounds: Any
) -> Tensor:
    """Integers in [low, high): `randint(low=0, high, size)`.

    Args:
        args: low (int), the least number; high (int), one more than the greatest; size (tuple[int]).
        generator (Generator, None): a separate random state.
        dtype (mindspore.dtype, None): Default: int64.
        device (str, None): accepted, without effect.
        bounds: low, high and size by name.

    Returns:
        Tensor of shape `size`.

    Raises:
        TypeError: for other arguments.
        RuntimeError: if `low` is not less than `high`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.randint(3, 4, (2,)), ms.mint.randint(1, (2,)))
        [3 3] [0 0]
    """
    low, high, size = _bounds("randint", args, 3, bounds)
    kind = dtypes.int64 if dtype is None else dtype
    with _resolve_generator("randint", generator, device):
        drawn = draws.integers_of(low, high, tuple(size), dtypes.int64 if kind.is_floating_point else kind)
    return astype(drawn, kind)


@documented_by(rand_like)
def randint_like(input: Any, *args: Any, dtype: Any = None, device: Any = None, **bounds: Any) -> Tensor:
    """Integers in [low, high), as many as `input` has: `randint_like(input, low=0, high)`.

    Args:
        args: low (int), the least number; high (int), one more than the greatest.
        dtype (mindspore.dtype, None): another dtype.
        bounds: low and high by name.

    Raises:
        TypeError: for other arguments.
        RuntimeError: if `low` is not less than `high`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.randint_like(ms.Tensor([1.0, 2.0]), 3, 4))
        [3. 3.]
    """
    low, high = _bounds("randint_like", args, 2, bounds)
    return randint(low, high, tuple(input.shape), dtype=dtype or input.dtype, device=device)


def randperm(n: int, *, generator: Any = None, dtype: Any = dtypes.int64) -> Tensor:
    """Return the numbers 0 to n - 1 in a random order.

    Args:
        n (int): how many.
        generator (Generator, None): a separate random state.
        dtype (mindspore.dtype): of the result.

    Returns:
        Tensor of shape (n,).

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.sort(ms.mint.randperm(4))[0])
        [0 1 2 3]
    """
    if type(n) is int and n == 0:
        return creation.zeros(0, dtype=dtype)
    with _resolve_generator("randperm", generator):
        return distributions.randperm(
            n, seed=-1, dtype=dtype
        )  # by its default, 0, each call gives the same order


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, generator: Any = None) -> Tensor:
    """Numbers of normal distributions.

    Args:
        mean (float, Tensor): one, or one for each number.
        std (float, Tensor): one, or one for each number; at least 0.
        size (tuple[int], None): of the result; needed if `mean` and `std` are numbers.
        generator (Generator, None): a separate random state.

    Returns:
        Tensor of `size`, or of the shape to which `mean` and `std` broadcast.

    Raises:
        TypeError: if neither gives a size.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.normal(ms.Tensor([1.0, 2.0]), 0.0), ms.mint.normal(0.0, 1.0, (2, 3)).shape)
        [1. 2.] (2, 3)
    """
    tensors = [x for x in (mean, std) if isinstance(x, Tensor)]
    if isinstance(std, int | float) and std < 0:
        checks.fail(ValueError, "normal", "std", "be at least 0", std)
    if size is None and not tensors:
        checks.fail(TypeError, "normal", "size", "be given when mean and std are numbers", None)
    if size is None:
        size = tensors[0].shape if len(tensors) == 1 else arithmetic.add(*tensors).shape
    kind = next((x.dtype for x in tensors if x.dtype.is_floating_point), dtypes.float32)
    with _resolve_generator("normal", generator):
        drawn = draws.normal_of(_size("normal", (size,)) if not isinstance(size, int) else (size,), kind)
    return arithmetic.add(arithmetic.mul(drawn, std), mean)


def multinomial(input: Any, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Places drawn with probabilities proportional to the weights in each row.

    Args:
        input (Tensor): weights, at least 0, of shape (C,) or (N, C), floating.
        num_samples (int): draws per row.
        replacement (bool): let a place be drawn more than once; otherwise `num_samples` is at most C.
        generator (Generator, None): a separate random state.

    Returns:
        Tensor of shape (num_samples,) or (N, num_samples), int64.

    Raises:
        ValueError: for other numbers of dimensions, or more samples than places without replacement.
        RuntimeError: if no sample is asked for.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.multinomial(ms.Tensor([0.0, 1.0]), 3, True))
        [1 1 1]
    """
    with _resolve_generator("multinomial", generator):
        if type(num_samples) is int and num_samples == 0:
            checks.fail(RuntimeError, "multinomial", "num_samples", "be greater than 0", 0)
        return astype(distributions.multinomial(input, num_samples, replacement), dtypes.int64)


def bernoulli(input: Any, *, generator: Any = None) -> Tensor:
    """1 with the probability that each element gives, 0 otherwise.

    Args:
        input (Tensor): probabilities, floating.
        generator (Generator, None): a separate random state.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        TypeError: if `input` is not floating.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.bernoulli(ms.Tensor([0.0, 1.0])))
        [0. 1.]
    """
    if not input.dtype.is_floating_point:
        checks.fail(TypeError, "bernoulli", "input", "be a floating-point array", input.dtype)
    with _resolve_generator("bernoulli", generator):
        flat = distributions.bernoulli(input, input)
    return shapes.reshape(flat, input.shape)
