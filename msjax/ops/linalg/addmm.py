"""Matrix products with addition and scaling: addmm, addmv, addbmm, baddbmm, addr."""

from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.argument_types import ArrayOrNumber
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_arrays_of_one_dtype, promote
from msjax.ops.linalg.products import bmm, ger, mv


def _add_product(name: str, x: Array, product: Array, input: str = "input") -> Array:
    """Return the sum, in the product's shape."""
    try:
        return jnp.broadcast_to(x, jnp.broadcast_shapes(x.shape, product.shape)) + product
    except ValueError:
        checks.fail(ValueError, name, input, f"broadcast to shape {product.shape}", f"shape {x.shape}")


def _batch_product(name: str, a: Array, b: Array) -> Array:
    """Return the products of two stacks of as many matrices, which may be one each."""
    if a.ndim < 2 or a.shape[:-2] != b.shape[:-2] or a.ndim != b.ndim:
        checks.fail(
            ValueError,
            name,
            "batch2",
            f"have as many matrices as `batch1` of shape {a.shape}",
            f"shape {b.shape}",
        )
    return bmm.pure(a, b)


@op(promotes=True)
def addmm(input: ArrayOrNumber, mat1: Array, mat2: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * input + alpha * (mat1 @ mat2).

    Args:
        input (Tensor, number): of a shape that broadcasts to (n, k).
        mat1 (Tensor): of shape (n, m).
        mat2 (Tensor): of shape (m, k).
        beta (number): factor of `input`.
        alpha (number): factor of the product.

    Returns:
        Tensor of shape (n, k) and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(ms.ops.addmm(ms.ops.ones((2, 2)), x, x, beta=0.5, alpha=2))
        [[14.5 20.5]
         [30.5 44.5]]
    """
    as_arrays_of_one_dtype("addmm", mat1=mat1, mat2=mat2)
    x, a, b, scale, factor = promote("addmm", input=input, mat1=mat1, mat2=mat2, beta=beta, alpha=alpha)
    checks.check_rank("addmm", 2, mat1=a, mat2=b)
    return _add_product("addmm", scale * x, factor * bmm.pure(a, b))


@op(promotes=True)
def addmv(input: Array, mat: Array, vec: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * input + alpha * (mat @ vec).

    Args:
        input (Tensor): of a shape that broadcasts to (n,).
        mat (Tensor): of shape (n, m).
        vec (Tensor): of shape (m,).
        beta (number): factor of `input`.
        alpha (number): factor of the product.

    Returns:
        Tensor of shape (n,) and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.addmv(ms.Tensor([1.0]), ms.Tensor([[1.0, 2.0]]), ms.Tensor([3.0, 4.0])))
        [12.]
    """
    as_arrays_of_one_dtype("addmv", mat=mat, vec=vec)
    x, a, v, scale, factor = promote("addmv", input=input, mat=mat, vec=vec, beta=beta, alpha=alpha)
    return _add_product("addmv", scale * x, factor * mv.pure(a, v))


@op(promotes=True)
def addr(x: Array, vec1: Array, vec2: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * x + alpha * outer(vec1, vec2).

    Args:
        x (Tensor): of a shape that broadcasts to (n, m).
        vec1 (Tensor): of shape (n,).
        vec2 (Tensor): of shape (m,).
        beta (number): factor of `x`.
        alpha (number): factor of the product.

    Returns:
        Tensor of shape (n, m) and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.addr(ms.ops.ones((1, 2)), ms.Tensor([2.0]), ms.Tensor([3.0, 4.0])))
        [[7. 9.]]
    """
    as_arrays_of_one_dtype("addr", vec1=vec1, vec2=vec2)
    x, a, b, scale, factor = promote("addr", x=x, vec1=vec1, vec2=vec2, beta=beta, alpha=alpha)
    return _add_product("addr", scale * x, factor * ger.pure(a, b), input="x")


@op(promotes=True)
def baddbmm(input: Array, batch1: Array, batch2: Array, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * input + alpha * (batch1 @ batch2), for stacks of matrices.

    Args:
        input (Tensor): of a shape that broadcasts to (b, n, k).
        batch1 (Tensor): of shape (b, n, m), or of any shape (..., n, m).
        batch2 (Tensor): of shape (b, m, k), or (..., m, k) with the same sizes before.
        beta (number): factor of `input`.
        alpha (number): factor of the product.

    Returns:
        Tensor of shape (b, n, k).

    Raises:
        TypeError: if the dtypes differ.
        ValueError: if the shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.baddbmm(ms.ops.ones((2, 3, 5)), ms.ops.ones((2, 3, 4)), ms.ops.ones((2, 4, 5))).shape
        (2, 3, 5)
        >>> print(ms.ops.baddbmm(ms.Tensor([[1.0]]), ms.Tensor([[2.0]]), ms.Tensor([[3.0]])))
        [[7.]]
    """
    checks.check_same_dtype("baddbmm", input=input, batch1=batch1, batch2=batch2)
    x, a, b, scale, factor = promote(
        "baddbmm", input=input, batch1=batch1, batch2=batch2, beta=beta, alpha=alpha
    )
    return _add_product("baddbmm", scale * x, factor * _batch_product("baddbmm", a, b))


@op(promotes=True)
@documented_by(addmm)
def addbmm(input: ArrayOrNumber, batch1: Array, batch2: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * input + alpha * the sum over the stack of batch1 @ batch2.

    Args:
        batch1 (Tensor): of shape (b, n, m).
        batch2 (Tensor): of shape (b, m, k).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.addbmm(ms.ops.ones((1, 1)), ms.ops.ones((2, 1, 3)), ms.ops.ones((2, 3, 1))))
        [[7.]]
    """
    x, a, b, scale, factor = promote(
        "addbmm", input=input, batch1=batch1, batch2=batch2, beta=beta, alpha=alpha
    )
    return _add_product("addbmm", scale * x, factor * jnp.sum(_batch_product("addbmm", a, b), 0))


def _axes_of_dot(x: Array, y: Array, axes: Any) -> tuple[int, int]:
    """Return the contracted axis of each array, as a non-negative number."""
    if axes is None:
        axes = (x.ndim - 1, 1 if y.ndim == 2 else y.ndim - 2)
    both = (axes, axes) if type(axes) is int else axes
    if not isinstance(both, tuple | list) or len(both) != 2:
        checks.fail(TypeError, "batch_dot", "axes", "be an int or two ints", repr(axes))
    first = checks.normalize_axis("batch_dot", x.ndim, axes=both[0])
    second = checks.normalize_axis("batch_dot", y.ndim, axes=both[1])
    if 0 in (first, second):
        checks.fail(ValueError, "batch_dot", "axes", "not be the batch's axis 0", axes)
    return first, second


@op(static="axes")
def batch_dot(x1: Array, x2: Array, axes: Any = None) -> Array:
    """Products of the samples of two batches, summed over one axis of each.

    Args:
        x1 (Tensor): of shape (b, ...), floating.
        x2 (Tensor): of shape (b, ...) and the same dtype.
        axes (int, tuple[int], None): the axis of each that is summed over, not 0. Default: the last of the first, and the
            last but one of the second.

    Returns:
        Tensor of the batch's axis, the first's other axes and the second's; of shape (b, 1) where none are left.

    Raises:
        TypeError: if `axes` is neither, or the arrays are not floating.
        ValueError: if the sizes differ, or an array has less than two dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.batch_dot(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0, 4.0]])))
        [[11.]]
    """
    x, y = as_arrays_of_one_dtype("batch_dot", x1=x1, x2=x2)
    checks.check_floating("batch_dot", x1=x, x2=y)
    if min(x.ndim, y.ndim) < 2 or x.shape[0] != y.shape[0]:
        checks.fail(ValueError, "batch_dot", "x2", "be a batch as long as `x1`", f"{y.shape}, x1={x.shape}")
    first, second = _axes_of_dot(x, y, axes)
    if x.shape[first] != y.shape[second]:
        checks.fail(
            ValueError, "batch_dot", "axes", "name axes of one size", f"{axes} of {x.shape} and {y.shape}"
        )
    found = lax.dot_general(x, y, (((first,), (second,)), ((0,), (0,))))
    return found[:, None] if found.ndim == 1 else found


@op(promotes=True)
def bidense(input1: Array, input2: Array, weight: Array, bias: Array | None = None) -> Array:
    """Bilinear map of two vectors: input1^T W input2 + bias for each output.

    Args:
        input1 (Tensor): of shape (..., n).
        input2 (Tensor): of shape (..., m).
        weight (Tensor): of shape (k, n, m).
        bias (Tensor, None): of shape (k,).

    Returns:
        Tensor of shape (..., k) and the promoted dtype.

    Raises:
        ValueError: if the shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 2.0]])
        >>> print(ms.ops.bidense(x, x, ms.ops.ones((3, 2, 2))))
        [[9. 9. 9.]]
    """
    x, y, w = promote("bidense", input1=input1, input2=input2, weight=weight)
    checks.check_rank("bidense", 3, weight=w)
    if x.shape[:-1] != y.shape[:-1] or (x.shape[-1], y.shape[-1]) != w.shape[1:]:
        checks.fail(
            ValueError,
            "bidense",
            "weight",
            f"fit inputs of shapes {x.shape} and {y.shape}",
            f"of shape {w.shape}",
        )
    found = jnp.einsum("...n,knm,...m->...k", x, w, y)
    return found if bias is None else found + bias.astype(found.dtype)
