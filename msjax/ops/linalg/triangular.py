"""Triangular solves."""

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.promotion import promote


@op(static="upper transpose unitriangular", promotes=True)
def triangular_solve(
    b: Array, A: Array, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Array, Array]:
    """X with A X = b, for a triangular A.

    Args:
        b (Tensor): of shape (*, M, K), floating or complex.
        A (Tensor): of shape (*, M, M), of b's dtype; the batch dimensions broadcast.
        upper (bool): which triangle of A counts.
        transpose (bool): take the transpose of A instead.
        unitriangular (bool): take the diagonal of A as ones.

    Returns:
        tuple of Tensors: X of shape (*, M, K), and A, broadcast to the batch dimensions.

    Raises:
        ValueError: if the shapes do not match.

    Examples:
        >>> import msjax as ms
        >>> A = ms.Tensor([[2.0, 1.0], [0.0, 4.0]])
        >>> print(ms.mint.triangular_solve(ms.Tensor([[4.0], [8.0]]), A)[0])
        [[1.]
         [2.]]
    """
    name = "triangular_solve"
    b, A = promote(name, b=b, A=A)
    if b.ndim < 2 or A.ndim < 2 or A.shape[-1] != A.shape[-2] or A.shape[-1] != b.shape[-2]:
        checks.fail(
            ValueError, name, "A", "have shape (*, M, M) for b of shape (*, M, K)", f"{A.shape}, b={b.shape}"
        )
    batch = jnp.broadcast_shapes(b.shape[:-2], A.shape[:-2])
    right, matrix = (jnp.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (b, A))
    solution = lax.linalg.triangular_solve(
        matrix, right, left_side=True, lower=not upper, transpose_a=transpose, unit_diagonal=unitriangular
    )
    return solution, matrix
