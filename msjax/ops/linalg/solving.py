"""Linear systems, least squares, inverses, of batches of matrices; 16-bit floats are computed in float32."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.argument_types import ArrayLike, ArrayOrNumber, BoolLike
from msjax.core.op.op import op
from msjax.ops.common import checks, matrix_args
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array


@op
def inverse(input: Array) -> Array:
    """Inverse of square matrices.

    Args:
        input (Tensor): of shape (..., n, n), floating or complex.

    Returns:
        Tensor of `input`'s shape and dtype; inf or nan where a matrix has no inverse.

    Raises:
        TypeError: if `input` is not floating or complex.
        ValueError: if the matrices are not square.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.inverse(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [[0.5  0.  ]
         [0.   0.25]]
    """
    return matrix_args.apply_in_compute_dtype(
        jnp.linalg.inv, matrix_args.as_square_matrices("inverse", input=input)
    )


@op(static="adjoint")
def inverse_of(x: ArrayLike, adjoint: BoolLike = False) -> Array:
    """Inverse of square matrices, or of their conjugate transposes (what `ops.MatrixInverse` computes)."""
    x = matrix_args.as_square_matrices("MatrixInverse", x=x)
    return inverse.pure(matrix_args.adjoint(x) if adjoint else x)


@op(static="hermitian")
def pinv(
    x: Array, *, atol: ArrayOrNumber | None = None, rtol: ArrayOrNumber | None = None, hermitian: bool = False
) -> Array:
    """Moore and Penrose's pseudo-inverse (Golub and Van Loan, 5.5.2).

    Args:
        x (Tensor): of shape (..., m, n), float32, float64 or complex.
        atol (float, Tensor, None): singular values up to this count as 0. Default: 0.
        rtol (float, Tensor, None): so do those up to this part of the greatest. Default: the dtype's precision times
            max(m, n), or 0 if `atol` is given.
        hermitian (bool): `x` is symmetric, which is faster.

    Returns:
        Tensor of shape (..., n, m).

    Raises:
        TypeError: if `x` is of another dtype.
        ValueError: if `x` has fewer than two dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.pinv(ms.Tensor([[2.0, 0.0], [0.0, 0.0]])))
        [[0.5 0. ]
         [0.  0. ]]
    """
    x = matrix_args.as_matrices("pinv", x=x)
    if x.dtype.itemsize < 4:
        checks.fail(TypeError, "pinv", "x", "be float32, float64 or complex", f"array of dtype {x.dtype}")
    checks.check_bools("pinv", hermitian=hermitian)
    kind = jnp.finfo(x.dtype).dtype
    if rtol is None:
        rtol = jnp.asarray(float(jnp.finfo(kind).eps) * max(x.shape[-2:]) if atol is None else 0.0)
    limits = [jnp.asarray(0.0 if limit is None else limit).astype(kind) for limit in (atol, rtol)]
    return pseudo_inverse(x, *limits, hermitian)


@functools.partial(jax.custom_jvp, nondiff_argnums=(3,))
def pseudo_inverse(x: Array, atol: Array, rtol: Array, hermitian: bool) -> Array:
    """Return the Moore-Penrose inverse; singular values at or below max(atol, rtol * the largest) count as zero."""
    u, s, vh = jnp.linalg.svd(x, full_matrices=False, hermitian=hermitian)
    kept = s > jnp.maximum(atol[..., None], rtol[..., None] * s[..., :1])
    inverted = jnp.where(kept, 1 / jnp.where(kept, s, jnp.ones_like(s)), jnp.zeros_like(s))
    return (matrix_args.adjoint(vh) * inverted[..., None, :].astype(x.dtype)) @ matrix_args.adjoint(u)


@pseudo_inverse.defjvp
def _pseudo_inverse_slope(hermitian: bool, primals: tuple, tangents: tuple) -> tuple[Array, Array]:
    # Golub and Pereyra, SIAM J. Numer. Anal. 10 (1973), 4.12.
    x, moved = primals[0], tangents[0]
    p = pseudo_inverse(*primals, hermitian)
    back, wide = matrix_args.adjoint(moved), matrix_args.adjoint(p)
    left = (p @ wide) @ (back - (back @ x) @ p)
    right = (back - p @ (x @ back)) @ (wide @ p)
    return p, left + right - p @ moved @ p


def _with_factor(b: Array, factor: Array, upper: bool) -> Array:
    """Return the solution of L L^H x = b.

    As in MindSpore and PyTorch, the gradient of the factor is that of the whole matrix, not of its triangle alone.
    """
    given = matrix_args.adjoint(factor) if upper else factor
    lower = given + lax.stop_gradient(jnp.tril(given) - given)

    def solved(_: Any, b: Array) -> Array:
        fixed = lax.stop_gradient(lower)
        y = lax.linalg.triangular_solve(fixed, b, left_side=True, lower=True)
        return lax.linalg.triangular_solve(
            fixed, y, left_side=True, lower=True, transpose_a=True, conjugate_a=True
        )

    def solved_transposed(_: Any, b: Array) -> Array:  # the transpose of a Hermitian matrix is its conjugate
        return jnp.conj(solved(_, jnp.conj(b)))

    return lax.custom_linear_solve(
        lambda x: lower @ (matrix_args.adjoint(lower) @ x), b, solved, solved_transposed
    )


@op(static="upper")
def cholesky_solve(input: Array, input2: Array, upper: bool = False) -> Array:
    """Solution of A x = b, given Cholesky's factor of A.

    Args:
        input (Tensor): b, of shape (..., n, k), floating or complex.
        input2 (Tensor): the factor, of shape (..., n, n) and the same dtype.
        upper (bool): the factor is U of U^H U, not L of L L^H.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        TypeError: if the dtypes differ or are not floating or complex.
        ValueError: if the shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> factor = ms.Tensor([[2.0, 0.0], [0.0, 1.0]])
        >>> print(ms.ops.cholesky_solve(ms.Tensor([[4.0], [3.0]]), factor))
        [[1.]
         [3.]]
    """
    b, factor = (
        matrix_args.as_matrices("cholesky_solve", input=input),
        matrix_args.as_square_matrices("cholesky_solve", input2=input2),
    )
    checks.check_bools("cholesky_solve", upper=upper)
    matrix_args.check_same_batch("cholesky_solve", ("input", "input2"), b, factor)
    return matrix_args.apply_in_compute_dtype(lambda b, f: _with_factor(b, f, upper), b, factor)


@op(static="upper")
def cholesky_inverse(input_x: Array, upper: bool = False) -> Array:
    """Inverse of A, given Cholesky's factor of A.

    A is the product of the matrix as it is given: nothing in it is taken to be 0.

    Args:
        input_x (Tensor): the factor, of shape (..., n, n), floating or complex.
        upper (bool): it is U of U^H U, not L of L L^H.

    Returns:
        Tensor of `input_x`'s shape and dtype.

    Raises:
        TypeError: if `input_x` is not floating or complex.
        ValueError: if the matrices are not square.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.cholesky_inverse(ms.Tensor([[2.0, 0.0], [0.0, 1.0]])))
        [[0.25 0.  ]
         [0.   1.  ]]
    """
    factor = matrix_args.as_square_matrices("cholesky_inverse", input_x=input_x)
    checks.check_bools("cholesky_inverse", upper=upper)

    def inverted(f: Array) -> Array:
        root = jnp.linalg.inv(f)
        return root @ matrix_args.adjoint(root) if upper else matrix_args.adjoint(root) @ root

    return matrix_args.apply_in_compute_dtype(inverted, factor)


def _order_of(pivots: Array, size: int) -> Array:
    """Return the permutation of rows that pivots (counted from 1) make."""
    return lax.linalg.lu_pivots_to_permutation(pivots.astype(jnp.int32) - 1, size)


@op
def lu_solve(b: Array, LU_data: Array, LU_pivots: Array) -> Array:
    """Solution of A x = b, given the LU decomposition of A in LAPACK's form.

    Args:
        b (Tensor): of shape (..., n, k), floating or complex.
        LU_data (Tensor): L below the diagonal and U above, of shape (..., n, n) and the same dtype.
        LU_pivots (Tensor): which row each row was exchanged with, counted from 1, of shape (..., n).

    Returns:
        Tensor of the broadcast batch's shape.

    Raises:
        TypeError: if dtypes differ, or the pivots are not integers.
        ValueError: if the shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> b, lu = ms.Tensor([[4.0], [3.0]]), ms.Tensor([[2.0, 0.0], [0.0, 1.0]])
        >>> print(ms.ops.lu_solve(b, lu, ms.Tensor([1, 2])))
        [[2.]
         [3.]]
    """
    rhs, lu = (
        matrix_args.as_matrices("lu_solve", b=b),
        matrix_args.as_square_matrices("lu_solve", LU_data=LU_data),
    )
    pivots = as_array("lu_solve", "LU_pivots", LU_pivots)
    checks.check_same_dtype("lu_solve", b=rhs, LU_data=lu)
    checks.check_integer("lu_solve", LU_pivots=pivots)
    if rhs.shape[-2] != lu.shape[-1] or pivots.shape != lu.shape[:-1]:
        raise ValueError(
            f"`lu_solve`: arguments must be of shapes (..., n, k), (..., n, n) and (..., n). "
            f"Received: b={rhs.shape}, LU_data={lu.shape}, LU_pivots={pivots.shape}."
        )

    def solved(rhs: Array, lu: Array) -> Array:
        batch = lax.broadcast_shapes(rhs.shape[:-2], lu.shape[:-2])
        rhs = jnp.broadcast_to(rhs, batch + rhs.shape[-2:])
        lu = jnp.broadcast_to(lu, batch + lu.shape[-2:])
        order = jnp.broadcast_to(_order_of(pivots, lu.shape[-1]), lu.shape[:-1])
        y = jnp.take_along_axis(rhs, order[..., None], -2)
        y = lax.linalg.triangular_solve(lu, y, left_side=True, lower=True, unit_diagonal=True)
        return lax.linalg.triangular_solve(lu, y, left_side=True, lower=False)

    return matrix_args.apply_in_compute_dtype(solved, rhs, lu)


@op(static="unpack_data unpack_pivots")
def lu_unpack(
    LU_data: Array, LU_pivots: Array, unpack_data: bool = True, unpack_pivots: bool = True
) -> tuple[Any, Any, Any]:
    """Return the matrices P, L and U of A = P L U, of a decomposition in LAPACK's form.

    Args:
        LU_data (Tensor): L below the diagonal and U above, of shape (..., m, n).
        LU_pivots (Tensor): which row each row was exchanged with, counted from 1, of shape (..., min(m, n)).
        unpack_data (bool): give L and U, otherwise None for both.
        unpack_pivots (bool): give P, otherwise None.

    Returns:
        P of shape (..., m, m), L of shape (..., m, k) and U of shape (..., k, n), with k = min(m, n).

    Raises:
        TypeError: if the pivots are not integers.
        ValueError: if the shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> p, low, up = ms.ops.lu_unpack(ms.Tensor([[2.0, 1.0], [0.5, 3.0]]), ms.Tensor([2, 2]))
        >>> print(p @ low @ up)
        [[1.  3.5]
         [2.  1. ]]
    """
    lu, pivots = (
        matrix_args.as_matrices("lu_unpack", whole=True, LU_data=LU_data),
        as_array("lu_unpack", "LU_pivots", LU_pivots),
    )
    checks.check_integer("lu_unpack", LU_pivots=pivots)
    m, k = lu.shape[-2], min(lu.shape[-2:])
    if pivots.shape != (*lu.shape[:-2], k):
        checks.fail(ValueError, "lu_unpack", "LU_pivots", f"be of shape {(*lu.shape[:-2], k)}", pivots.shape)
    order = _order_of(pivots, m)
    p = (order[..., None, :] == jnp.arange(m, dtype=order.dtype)[:, None]).astype(lu.dtype)
    lower = jnp.tril(lu[..., :k], -1) + jnp.eye(m, k, dtype=lu.dtype)
    upper = jnp.triu(lu[..., :k, :])
    return p if unpack_pivots else None, lower if unpack_data else None, upper if unpack_data else None


@op
@documented_by(cholesky_solve)
def lstsq(input: Array, A: Array) -> Array:
    """Least-squares solution of input x = A, the one of least norm where there are many (Golub and Van Loan, 5.5).

    Args:
        input (Tensor): the matrix, of shape (m, n), floating or complex.
        A (Tensor): the right side, of shape (m, k) or (m,) and the same dtype.

    Returns:
        Tensor of shape (n, k); of a vector (n, 1).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.lstsq(ms.Tensor([[1.0], [1.0]]), ms.Tensor([[1.0], [3.0]])).round(4))
        [[2.]]
    """
    x, b = as_array("lstsq", "input", input), as_array("lstsq", "A", A)
    checks.check_inexact("lstsq", input=x, A=b)
    checks.check_same_dtype("lstsq", input=x, A=b)
    checks.check_rank("lstsq", 2, input=x)
    checks.check_rank("lstsq", 1, 2, A=b)
    if x.shape[0] != b.shape[0]:
        checks.fail(
            ValueError, "lstsq", "A", f"have {x.shape[0]} rows, as `input` has", f"of shape {b.shape}"
        )
    return matrix_args.apply_in_compute_dtype(
        lambda x, b: jnp.linalg.pinv(x) @ b, x, b[:, None] if b.ndim == 1 else b
    )


def lstsq_of(x: Any, a: Any, fast: bool = True, l2_regularizer: float = 0.0) -> Any:
    """Least-squares solution of x y = a (what `ops.Lstsq` computes).

    Args:
        x (Tensor): the matrix, of shape (m, n), floating or complex.
        a (Tensor): the right side, of shape (m, k) or (m,) and the same dtype.
        fast (bool): True.
        l2_regularizer (float): 0.0.

    Returns:
        Tensor of shape (n, k).

    Raises:
        TypeError: if `fast` or `l2_regularizer` is anything else.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.Lstsq()(ms.Tensor([[1.0], [1.0]]), ms.Tensor([[1.0], [3.0]])).round(4))
        [[2.]]
    """
    if fast is not True:
        checks.fail(TypeError, "Lstsq", "fast", "be True", fast)
    if l2_regularizer != 0:
        checks.fail(TypeError, "Lstsq", "l2_regularizer", "be 0.0", l2_regularizer)
    return lstsq(x, a)


@op(static="adjoint")
@documented_by(cholesky_solve)
def matrix_solve(matrix: Array, rhs: Array, adjoint: bool = False) -> Array:
    """Solution of A x = b.

    Args:
        matrix (Tensor): A, of shape (..., n, n), floating or complex.
        rhs (Tensor): b, of shape (..., n, k) and the same dtype.
        adjoint (bool): A^H in place of A.

    Returns:
        Tensor of `rhs`'s shape and dtype; inf or nan where a matrix has no inverse.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.matrix_solve(ms.Tensor([[2.0, 0.0], [0.0, 4.0]]), ms.Tensor([[2.0], [2.0]])))
        [[1. ]
         [0.5]]
    """
    a, b = (
        matrix_args.as_square_matrices("matrix_solve", matrix=matrix),
        matrix_args.as_matrices("matrix_solve", rhs=rhs),
    )
    checks.check_bools("matrix_solve", adjoint=adjoint)
    matrix_args.check_same_batch("matrix_solve", ("matrix", "rhs"), a, b)
    return matrix_args.apply_in_compute_dtype(
        lambda a, b: jnp.linalg.solve(matrix_args.adjoint(a) if adjoint else a, b), a, b
    )


@op(static="fast")
def solve_least(matrix: Array, rhs: Array, l2_regularizer: Array, fast: bool = True) -> Array:
    """Least-squares solutions of A x = b, with a penalty on x (what `ops.MatrixSolveLs` computes).

    Args:
        matrix (Tensor): A, of shape (..., m, n), floating or complex.
        rhs (Tensor): b, of shape (..., m, k) and the same dtype.
        l2_regularizer (Tensor): weight of the squared norm of x; without effect unless `fast`.
        fast (bool): by the normal equations; otherwise by the pseudo-inverse.

    Returns:
        Tensor of shape (..., n, k).

    Examples:
        >>> import msjax as ms
        >>> solve, x = ms.ops.MatrixSolveLs(), ms.Tensor([[1.0], [1.0]])
        >>> print(solve(x, ms.Tensor([[1.0], [3.0]]), ms.Tensor(0.0, ms.float64)))
        [[2.]]
    """
    a, b = (
        matrix_args.as_matrices("MatrixSolveLs", matrix=matrix),
        matrix_args.as_matrices("MatrixSolveLs", rhs=rhs),
    )
    matrix_args.check_same_batch("MatrixSolveLs", ("matrix", "rhs"), a, b)
    if not fast:
        return jnp.linalg.pinv(a) @ b
    h, k = matrix_args.adjoint(a), min(a.shape[-2:])
    penalty = jnp.asarray(l2_regularizer).astype(a.dtype) * jnp.eye(k, dtype=a.dtype)
    if a.shape[-1] == k:
        return jnp.linalg.solve(h @ a + penalty, h @ b)
    return h @ jnp.linalg.solve(a @ h + penalty, b)


@op(static="lower adjoint")
@documented_by(matrix_solve)
def solve_triangle(matrix: Array, rhs: Array, lower: bool = True, adjoint: bool = False) -> Array:
    """Solution of A x = b with triangular A (what `ops.MatrixTriangularSolve` computes).

    Args:
        matrix (Tensor): A, of shape (..., n, n), floating or complex; the other triangle is not looked at.
        lower (bool): A is lower triangular.

    Returns:
        Tensor of `rhs`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> solve = ms.ops.MatrixTriangularSolve()
        >>> print(solve(ms.Tensor([[1.0, 0.0], [1.0, 2.0]]), ms.Tensor([[1.0], [5.0]])))
        [[1.]
         [2.]]
    """
    a, b = (
        matrix_args.as_square_matrices("MatrixTriangularSolve", matrix=matrix),
        matrix_args.as_matrices("MatrixTriangularSolve", rhs=rhs),
    )
    matrix_args.check_same_batch("MatrixTriangularSolve", ("matrix", "rhs"), a, b)
    return lax.linalg.triangular_solve(
        a, b, left_side=True, lower=lower, transpose_a=adjoint, conjugate_a=adjoint
    )


@op
def tridiagonal_product(superdiag: Array, maindiag: Array, subdiag: Array, rhs: Array) -> Array:
    """Return a tridiagonal matrix times a matrix (what `ops.TridiagonalMatMul` computes).

    Args:
        superdiag (Tensor): elements above the diagonal, of shape (..., 1, n); the last does not count.
        maindiag (Tensor): those on the diagonal, of the same shape.
        subdiag (Tensor): those below, of the same shape; the first does not count.
        rhs (Tensor): of shape (..., n, k).

    Returns:
        Tensor of `rhs`'s shape.

    Examples:
        >>> import msjax as ms
        >>> one = ms.ops.ones((1, 3))
        >>> print(ms.ops.TridiagonalMatMul()(one, one, one, ms.ops.ones((3, 1))).ravel())
        [2. 3. 2.]
    """
    up, main, down, x = (as_array("TridiagonalMatMul", "rhs", a) for a in (superdiag, maindiag, subdiag, rhs))
    checks.check_same_dtype("TridiagonalMatMul", superdiag=up, maindiag=main, subdiag=down, rhs=x)
    checks.check_same_shape("TridiagonalMatMul", superdiag=up, maindiag=main, subdiag=down)
    zero = jnp.zeros_like(x[..., :1, :])
    after, before = jnp.concatenate([x[..., 1:, :], zero], -2), jnp.concatenate([zero, x[..., :-1, :]], -2)
    column = [jnp.swapaxes(d, -1, -2) for d in (up, main, down)]
    return column[0] * after + column[1] * x + column[2] * before
