"""Overloaded functions of mint, and those that only mint has."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import NotATensorError
from msjax.core.op.op import op
from msjax.core.tensor.scalar_inputs import Number
from msjax.core.tensor.tensor import Tensor
from msjax.ops.array import scattering, shapes, triangles_diagonals
from msjax.ops.array.nonzero_unique import nonzero
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, promote_and_broadcast
from msjax.ops.math import arithmetic, comparison, complex_numbers, rounding
from msjax.ops.reduction import min_max, norms, reduction


def _reduce_or_compare(name: str, over: Any, pair: Any, input: Any, args: tuple, kwargs: dict) -> Any:
    """`max(input)`, `max(input, dim, keepdim=False)` or `max(input, other)`."""
    if isinstance(input, np.ndarray):
        received = f"{input.dtype} array of shape {input.shape} (ndarray)"
        checks.fail(NotATensorError, name, "input", "be a Tensor", received)
    checks.check_tensors(name, input=input)
    if not args and not kwargs:
        return over(input)
    first = args[0] if args else kwargs.get("other", kwargs.get("dim"))
    number = type(first) in (float, bool) and len(args) == 1 and not kwargs
    if (isinstance(first, Tensor) and not isinstance(first, Number)) or "other" in kwargs or number:
        return {"max": rounding.maximum, "min": rounding.minimum}[name](input, first)
    unknown = set(kwargs) - {"dim", "keepdim"}
    missing = not args and "dim" not in kwargs
    dim = None if missing else args[0] if args else kwargs["dim"]
    keepdim = args[1] if len(args) > 1 else kwargs.get("keepdim", False)
    if unknown or isinstance(dim, bool) or not isinstance(dim, int | Number):
        received = f"{sorted(unknown)}" if unknown else repr(dim)
        checks.fail(TypeError, name, "dim", "be an int, or a Tensor to compare with", received)
    checks.check_bools(name, keepdim=keepdim)
    return pair(input, dim, keepdim)


def max(input: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: A001
    """Return the largest element: of all, along a dimension (with its place), or of two tensors.

    `max(input)`, `max(input, dim, keepdim=False)`, `max(input, other)`.

    Args:
        input (Tensor): of any shape and real dtype.
        args: dim (int), the dimension to look along, and keepdim (bool), to keep it with size 1; or other (Tensor).
        kwargs: the same by name.

    Returns:
        Tensor; with `dim`, a tuple of values and places (int64).

    Raises:
        TypeError: if `dim` is neither an int nor a Tensor.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1, 4], [3, 2]])
        >>> print(ms.mint.max(x), *ms.mint.max(x, 1), ms.mint.max(x, ms.Tensor(2)).tolist())
        4 [4 3] [1 0] [[2, 4], [3, 2]]
    """
    return _reduce_or_compare("max", min_max.amax, min_max.max, input, args, kwargs)


@documented_by(max)
def min(input: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: A001
    """Return the smallest element: of all, along a dimension (with its place), or of two tensors.

    `min(input)`, `min(input, dim, keepdim=False)`, `min(input, other)`.

    Raises:
        TypeError: if `dim` is neither an int nor a Tensor.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1, 4], [3, 2]])
        >>> print(ms.mint.min(x), *ms.mint.min(x, 1), ms.mint.min(x, ms.Tensor(2)).tolist())
        1 [1 2] [0 1] [[1, 2], [2, 2]]
    """
    return _reduce_or_compare("min", min_max.amin, min_max.min, input, args, kwargs)


def median(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the median, of all elements or along a dimension; of two middle elements, the smaller one.

    Args:
        input (Tensor): of any shape and real dtype.
        dim (int, None): dimension to look along. Default: all elements.
        keepdim (bool): keep it with size 1.

    Returns:
        Tensor; with `dim`, a tuple of values and places (int64).

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.median(ms.Tensor([4, 1, 3, 2])), *ms.mint.median(ms.Tensor([[4, 1, 3]]), 1))
        2 [3] [2]
    """
    if dim is None:
        return min_max.median(shapes.ravel(input), 0)[0]
    return min_max.median(input, dim, keepdim)


@op(static="k dim keepdim")
def kthvalue(input: Array, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Array, Array]:
    """Return the k-th smallest element along a dimension, and where it is.

    Args:
        input (Tensor): of any shape with elements, and real dtype.
        k (int): 1 for the smallest.
        dim (int): dimension to look along.
        keepdim (bool): keep it with size 1.

    Returns:
        tuple of Tensors: values and places (int64).

    Raises:
        TypeError: if `k` or `dim` is not an int, or `keepdim` not a bool.
        ValueError: if `input` is empty.
        RuntimeError: if there is no k-th element.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.mint.kthvalue(ms.Tensor([[4.0, 1.0, 3.0]]), 2))
        [3.] [2]
    """
    name = "kthvalue"
    checks.check_ints(name, k=k, dim=dim)
    checks.check_bools(name, keepdim=keepdim)
    axis = checks.normalize_axis(name, input.ndim or 1, dim=dim)
    if not input.size:
        checks.fail(ValueError, name, "input", "have elements", f"shape {input.shape}")
    x = input.reshape(input.shape or (1,))
    if not 1 <= k <= x.shape[axis]:
        checks.fail(RuntimeError, name, "k", f"be in [1, {x.shape[axis]}]", k)
    place = jnp.take(jnp.argsort(x, axis, stable=True), jnp.asarray([k - 1]), axis)
    value = jnp.take_along_axis(x, place, axis)
    if not input.ndim:
        return value.reshape(()), jnp.zeros((), jnp.int64)
    found = value, place.astype(jnp.int64)
    return found if keepdim else (found[0].squeeze(axis), found[1].squeeze(axis))


def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """Elements of `input` where a condition holds, of `other` elsewhere; or, without them, where it holds.

    Args:
        condition (Tensor): of dtype bool.
        input (Tensor, number, None): of a shape that broadcasts with it.
        other (Tensor, number, None): of a shape that broadcasts with it.

    Returns:
        Tensor; of the condition alone, a tuple with the places (int64) along each dimension.

    Raises:
        TypeError: if only one of `input` and `other` is given.

    Examples:
        >>> import msjax as ms
        >>> c = ms.Tensor([True, False, True])
        >>> print(ms.mint.where(c, 1.0, 0.0), *ms.mint.where(c))
        [1. 0. 1.] [0 2]
    """
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if input is None or other is None:
        missing = "input" if input is None else "other"
        checks.fail(TypeError, "where", missing, "be given, as the other one is", None)
    return comparison.where(condition, input, other)


@op(promotes=True)
def equal(input: Array, other: Array) -> Array:
    """Return True if two tensors have the same shape and elements.

    Args:
        input (Tensor): of any shape and dtype.
        other (Tensor): of any shape and dtype.

    Returns:
        Tensor of dtype bool without dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.equal(ms.Tensor([1, 2]), ms.Tensor([1, 3])))
        False
    """
    x, y = as_array("equal", "input", input), as_array("equal", "other", other)
    if x.shape != y.shape:
        return jnp.zeros((), bool)
    return jnp.all(jnp.equal(*promote_and_broadcast("equal", input=x, other=y)))


@op(static="dim")
def count_nonzero(input: Array, dim: Any = None) -> Array:
    """Count the elements that are not 0.

    Args:
        input (Tensor): of any shape and dtype.
        dim (int, tuple[int], None): dimensions to count along. Default: all.

    Returns:
        Tensor of dtype int64 without the dimensions `dim`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.count_nonzero(ms.Tensor([[0, 1], [2, 3]]), 1))
        [1 2]
    """
    return reduction.count_nonzero.pure(input, dim, dtype=dtypes.int64)


def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return a norm of vectors, or of matrices with p="fro" and "nuc".

    Args:
        input (Tensor): of any shape, floating or complex.
        p (int, float, str): order of the norm; "fro" the root of the sum of squares, "nuc" the sum of singular values.
        dim (int, tuple[int], None): dimensions of the vectors or matrices. Default: all elements as one vector.
        keepdim (bool): keep them with size 1.
        dtype (mindspore.dtype, None): in which to compute.

    Returns:
        Tensor without the dimensions `dim`.

    Raises:
        ValueError: for other words.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.norm(ms.Tensor([[3.0, 4.0]])), ms.mint.norm(ms.Tensor([[3.0, 4.0]]), 1, 0))
        5.0 [3. 4.]
    """
    checks.check_tensors("norm", input=input)
    if input.dtype.is_complex and p != "nuc":
        input = complex_numbers.real(arithmetic.abs(input))  # MindSpore's `abs` keeps the dtype
    if p == "nuc":
        return norms.matrix_norm(input, "nuc", (0, 1) if dim is None else dim, keepdim, dtype=dtype)
    if isinstance(p, str) and p not in ("fro", "inf", "-inf"):
        checks.fail(ValueError, "norm", "p", "be a number, 'fro' or 'nuc'", repr(p))
    return norms.vector_norm(input, 2 if p == "fro" else float(p), dim, keepdim, dtype=dtype)


def diag(input: Any, diagonal: int = 0) -> Any:
    """Return a matrix with a vector on its diagonal, or the diagonal of a matrix.

    Args:
        input (Tensor): of one or two dimensions.
        diagonal (int): which: above the main one if positive, below if negative.

    Returns:
        Tensor of two or one dimensions.

    Raises:
        RuntimeError: for other numbers of dimensions, or a diagonal that is outside of the matrix.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.diag(ms.Tensor([1, 2])), ms.mint.diag(ms.Tensor([[1, 2], [3, 4]]), 1))
        [[1 0]
         [0 2]] [2]
    """
    checks.check_tensors("diag", input=input)
    if input.ndim not in (1, 2):
        checks.fail(RuntimeError, "diag", "input", "have 1 or 2 dimensions", f"shape {tuple(input.shape)}")
    if input.ndim == 2 and type(diagonal) is int:
        least, most = -input.shape[0], input.shape[1] - 1
        if not least <= diagonal <= most:
            checks.fail(RuntimeError, "diag", "diagonal", f"be in [{least}, {most}]", diagonal)
    return (triangles_diagonals.diag_embed if input.ndim == 1 else triangles_diagonals.diagonal)(
        input, diagonal
    )


def scatter(input: Any, dim: int, index: Any, src: Any) -> Any:
    """Return the tensor with elements replaced: each of `src` goes to its own place, but to `index` along one dimension.

    Args:
        input (Tensor): of any dtype.
        dim (int): the dimension.
        index (Tensor): positions, of an integer dtype and `input`'s rank.
        src (Tensor, number): new elements, in `index`'s shape or a larger one.

    Returns:
        Tensor of `input`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.scatter(ms.ops.zeros((1, 3)), 1, ms.Tensor([[2]]), 7.0))
        [[0. 0. 7.]]
    """
    checks.check_tensors("scatter", input=input, index=index)
    if isinstance(src, Tensor) and src.ndim == index.ndim and src.shape != index.shape:
        src = src[tuple(slice(0, n) for n in index.shape)]
    return scattering.scatter(input, dim, index, src)


def item(input: Any) -> Any:
    """Return the only element of a tensor as a Python number.

    Args:
        input (Tensor): of one element.

    Returns:
        bool, int, float or complex.

    Raises:
        TypeError: if `input` is not a Tensor.
        RuntimeError: if it has more or less than one element.

    Examples:
        >>> import msjax as ms
        >>> ms.mint.item(ms.Tensor([1.0]))
        1.0
    """
    if not isinstance(input, Tensor):
        checks.fail(TypeError, "item", "input", "be a Tensor", type(input).__name__)
    if input.size != 1:
        checks.fail(RuntimeError, "item", "input", "have one element", f"shape {tuple(input.shape)}")
    return input.item()
