"""Products of matrices and vectors, scaled and added to something."""

import jax.numpy as jnp
from jax import Array

from msjax.core.op import op
from msjax.ops import _expect as expect
from msjax.ops._common import promote
from msjax.ops.linalg import bmm, mv, outer


@op
def addmm(input: Array, mat1: Array, mat2: Array, *, beta: Array = 1, alpha: Array = 1) -> Array:  # type: ignore[assignment]
    """beta * input + alpha * (mat1 @ mat2).

    Args:
        input (Tensor): of a shape that broadcasts to (n, k).
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
    x, a, b, scale, factor = promote("addmm", input=input, mat1=mat1, mat2=mat2, beta=beta, alpha=alpha)
    expect.rank("addmm", 2, mat1=a, mat2=b)
    return scale * x + factor * bmm.pure(a, b)


@op
def addmv(input: Array, mat: Array, vec: Array, *, beta: Array = 1, alpha: Array = 1) -> Array:  # type: ignore[assignment]
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
    x, a, v, scale, factor = promote("addmv", input=input, mat=mat, vec=vec, beta=beta, alpha=alpha)
    return scale * x + factor * mv.pure(a, v)


@op
def addr(x: Array, vec1: Array, vec2: Array, *, beta: Array = 1, alpha: Array = 1) -> Array:  # type: ignore[assignment]
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
    x, a, b, scale, factor = promote("addr", x=x, vec1=vec1, vec2=vec2, beta=beta, alpha=alpha)
    return scale * x + factor * outer.pure(a, b)


@op
def baddbmm(input: Array, batch1: Array, batch2: Array, beta: Array = 1, alpha: Array = 1) -> Array:  # type: ignore[assignment]
    """beta * input + alpha * (batch1 @ batch2), for stacks of matrices.

    Args:
        input (Tensor): of a shape that broadcasts to (b, n, k).
        batch1 (Tensor): of shape (b, n, m).
        batch2 (Tensor): of shape (b, m, k).
        beta (number): factor of `input`.
        alpha (number): factor of the product.

    Returns:
        Tensor of shape (b, n, k) and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.baddbmm(ms.ops.ones((2, 3, 5)), ms.ops.ones((2, 3, 4)), ms.ops.ones((2, 4, 5))).shape
        (2, 3, 5)
    """
    x, a, b, scale, factor = promote(
        "baddbmm", input=input, batch1=batch1, batch2=batch2, beta=beta, alpha=alpha
    )
    return scale * x + factor * bmm.pure(a, b)


@op
def addbmm(input: Array, batch1: Array, batch2: Array, *, beta: Array = 1, alpha: Array = 1) -> Array:  # type: ignore[assignment]
    """beta * input + alpha * the sum over the stack of batch1 @ batch2.

    Args:
        input (Tensor): of a shape that broadcasts to (n, k).
        batch1 (Tensor): of shape (b, n, m).
        batch2 (Tensor): of shape (b, m, k).
        beta (number): factor of `input`.
        alpha (number): factor of the product.

    Returns:
        Tensor of shape (n, k) and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.addbmm(ms.ops.ones((1, 1)), ms.ops.ones((2, 1, 3)), ms.ops.ones((2, 3, 1))))
        [[7.]]
    """
    x, a, b, scale, factor = promote(
        "addbmm", input=input, batch1=batch1, batch2=batch2, beta=beta, alpha=alpha
    )
    return scale * x + factor * jnp.sum(bmm.pure(a, b), 0)
