"""Matrix decompositions: Cholesky, QR, SVD, eigenvalues. Each operator works on batches of matrices.

16-bit floats are decomposed in float32. Eigenvalues of matrices that are not symmetric exist on CPU and GPU alone.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op
from msjax.ops.common import checks, matrix_args
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array


@op(static="upper")
def cholesky(input_x: Array, upper: bool = False) -> Array:
    """Cholesky's decomposition A = L L^H of positive-definite matrices (Golub and Van Loan, 4.2).

    Args:
        input_x (Tensor): symmetric positive-definite matrices, of shape (..., n, n), floating.
        upper (bool): give U = L^H.

    Returns:
        Tensor of `input_x`'s shape and dtype. Of a matrix that is not positive-definite it is nan; MindSpore raises.

    Raises:
        TypeError: if `input_x` is not floating, or `upper` is not a bool.
        ValueError: if the matrices are not square.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.cholesky(ms.Tensor([[4.0, 2.0], [2.0, 5.0]])))
        [[2. 0.]
         [1. 2.]]
    """
    x = matrix_args.as_square_matrices("cholesky", input_x=input_x)
    checks.check_bools("cholesky", upper=upper)
    lower = matrix_args.apply_in_compute_dtype(jnp.linalg.cholesky, x)
    return matrix_args.adjoint(lower) if upper else lower


@op(static="mode")
def qr(input: Array, mode: str = "reduced") -> tuple[Array, Array]:
    """QR decomposition A = Q R, with orthonormal columns in Q and R upper triangular (Golub and Van Loan, 5.2).

    Args:
        input (Tensor): of shape (..., m, n), floating or complex.
        mode (str): "reduced", with k = min(m, n) columns in Q, or "complete" with k = m.

    Returns:
        Q of shape (..., m, k) and R of shape (..., k, n).

    Raises:
        TypeError: if `mode` is neither, or `input` not floating or complex.
        ValueError: if `input` has fewer than two dimensions.

    Examples:
        >>> import msjax as ms
        >>> q, r = ms.ops.qr(ms.Tensor([[3.0, 1.0], [4.0, 2.0]]))
        >>> print(ms.ops.matmul(q, r).round())
        [[3. 1.]
         [4. 2.]]
    """
    x = matrix_args.as_matrices("qr", input=input)
    if mode not in ("reduced", "complete"):
        checks.fail(TypeError, "qr", "mode", "be 'reduced' or 'complete'", repr(mode))
    return matrix_args.apply_in_compute_dtype(lambda a: tuple(jnp.linalg.qr(a, mode=mode)), x)


@op(static="full_matrices")
def qr_as(x: ArrayLike, full_matrices: BoolLike = False) -> tuple[Array, Array]:
    """QR decomposition, with all columns of Q or those alone that R needs (what `ops.Qr` computes)."""
    return qr.pure(x, "complete" if full_matrices else "reduced")


@op(static="full_matrices compute_uv")
def svd(input: Array, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """Singular values and vectors: A = U diag(s) V^H (Golub and Van Loan, 2.4).

    Args:
        input (Tensor): of shape (..., m, n), float32, float64 or complex.
        full_matrices (bool): give all m and n columns of U and V; otherwise k = min(m, n) of both.
        compute_uv (bool): give U and V at all.

    Returns:
        s of shape (..., k) and `input`'s dtype, greatest first, U and V; or s alone. V is not transposed.

    Raises:
        TypeError: if `input` is of another dtype.
        ValueError: if `input` has fewer than two dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.svd(ms.Tensor([[0.0, 2.0], [1.0, 0.0]]), compute_uv=False))
        [2. 1.]
    """
    x = matrix_args.as_matrices("svd", input=input)
    if x.dtype.itemsize < 4:
        checks.fail(TypeError, "svd", "input", "be float32, float64 or complex", f"array of dtype {x.dtype}")
    checks.check_bools("svd", full_matrices=full_matrices, compute_uv=compute_uv)
    if not compute_uv:
        return jnp.linalg.svd(x, compute_uv=False).astype(x.dtype)
    u, s, vh = jnp.linalg.svd(x, full_matrices=full_matrices)
    return s.astype(x.dtype), u, matrix_args.adjoint(vh)


@op(static="full_matrices compute_uv")
def svd_as(
    input: ArrayLike, full_matrices: BoolLike = False, compute_uv: BoolLike = True
) -> tuple[Array, Array, Array]:
    """Singular values and vectors, with a zero in place of vectors not asked for (what `ops.Svd` computes).

    Vectors are determined up to their sign; in V (in U, if that has more columns to tell) the largest element is positive.
    """
    found = svd.pure(input, full_matrices, compute_uv)
    if not compute_uv:
        nothing = jnp.zeros((1,), jnp.asarray(input).dtype)
        return found, nothing, nothing
    s, u, v = found
    k = s.shape[-1]
    told = lax.stop_gradient(jnp.real((v if u.shape[-2] >= v.shape[-2] else u)[..., :k]))
    top = jnp.take_along_axis(told, jnp.argmax(jnp.abs(told), -2, keepdims=True), -2)
    sign = jnp.where(top < 0, -1, 1).astype(u.dtype)
    return s, *(a.at[..., :k].multiply(sign) for a in (u, v))


@jax.custom_jvp
def _eig(x: Array) -> tuple[Array, Array]:
    values, vectors = jnp.linalg.eig(x)
    return values, vectors


@_eig.defjvp
def _eig_slope(primals: tuple, tangents: tuple) -> tuple:
    # Giles, Collected matrix derivative results (2008), 3.1; vectors stay of length 1.
    values, vectors = _eig(*primals)
    moved = jnp.linalg.solve(vectors, tangents[0].astype(vectors.dtype) @ vectors)
    gaps = values[..., None, :] - values[..., :, None]
    own = jnp.eye(values.shape[-1], dtype=bool)
    turned = vectors @ jnp.where(
        own, jnp.zeros_like(moved), moved / jnp.where(own, jnp.ones_like(gaps), gaps)
    )
    along = jnp.real(jnp.sum(jnp.conj(vectors) * turned, -2, keepdims=True)).astype(vectors.dtype)
    return (values, vectors), (jnp.diagonal(moved, axis1=-2, axis2=-1), turned - vectors * along)


def _square_32(op_name: str, x: Any) -> Array:
    x = matrix_args.as_square_matrices(op_name, A=x)
    if x.dtype.itemsize < 4:
        checks.fail(TypeError, op_name, "A", "be float32, float64 or complex", f"array of dtype {x.dtype}")
    return x


@op
def eig(A: Array) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors of square matrices: A V = V diag(w) (Golub and Van Loan, 7.1).

    Args:
        A (Tensor): of shape (..., n, n), float32, float64 or complex.

    Returns:
        Eigenvalues of shape (..., n), in no particular order, and eigenvectors of length 1 as columns of shape
        (..., n, n); both complex. On CPU and GPU; XLA has no such program for TPU.

    Raises:
        TypeError: if `A` is of another dtype.
        ValueError: if the matrices are not square.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.eig(ms.Tensor([[2.0, 0.0], [0.0, 3.0]]))[0])
        [2.+0.j 3.+0.j]
    """
    return _eig(_square_32("eig", A))


@op
@documented_by(eig)
def eigvals(A: Array) -> Array:
    """Eigenvalues of square matrices.

    Returns:
        Complex Tensor of shape (..., n), in no particular order. On CPU and GPU; XLA has no such program for TPU.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.eigvals(ms.Tensor([[2.0, 0.0], [0.0, 3.0]])))
        [2.+0.j 3.+0.j]
    """
    return _eig(_square_32("eigvals", A))[0]


@op(static="compute_v")
def eig_as(x: ArrayLike, compute_v: BoolLike = False) -> tuple[Array, Array]:
    """Eigenvalues, and eigenvectors or a zero in their place (what `ops.Eig` computes)."""
    values, vectors = _eig(_square_32("Eig", x))
    return values, vectors if compute_v else jnp.zeros((), values.dtype)


# ---------------------------------------------------------------------- reflectors


@op
def geqrf(input: Array) -> tuple[Array, Array]:
    """QR decomposition as LAPACK leaves it: R in the upper triangle, below it the reflectors that make Q.

    Args:
        input (Tensor): of shape (..., m, n), floating or complex.

    Returns:
        Tensor of `input`'s shape, and the reflectors' factors of shape (..., min(m, n)). `orgqr` makes Q of both.

    Raises:
        TypeError: if `input` is not floating or complex.
        ValueError: if `input` has fewer than two dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.geqrf(ms.Tensor([[3.0, 1.0], [4.0, 2.0]]))[1])
        [1.6 0. ]
    """
    x = matrix_args.as_matrices("geqrf", input=input)

    def packed(a: Array) -> tuple[Array, Array]:
        h, tau = jnp.linalg.qr(a, mode="raw")
        return jnp.swapaxes(h, -1, -2), tau

    return matrix_args.apply_in_compute_dtype(packed, x)


def _reflectors(op_name: str, input: Any, tau: Any) -> tuple[Array, Array]:
    """V and T of Q = I - V T V^H (Schreiber and Van Loan, 1989), the product of the reflectors."""
    x, factors = matrix_args.as_matrices(op_name, input=input), as_array(op_name, "tau", tau)
    checks.check_same_dtype(op_name, input=x, tau=factors)
    if factors.shape[:-1] != x.shape[:-2] or factors.ndim != x.ndim - 1 or factors.shape[-1] > x.shape[-1]:
        checks.fail(
            ValueError, op_name, "tau", f"fit `input` of shape {x.shape}", f"of shape {factors.shape}"
        )
    k = factors.shape[-1]
    v = jnp.tril(x[..., :k], -1) + jnp.eye(x.shape[-2], k, dtype=x.dtype)
    crossed = jnp.triu(matrix_args.adjoint(v) @ v, 1)
    scale = factors[..., :, None] * jnp.eye(k, dtype=x.dtype)
    return v, lax.linalg.triangular_solve(
        factors[..., :, None] * crossed, scale, left_side=True, lower=False, unit_diagonal=True
    )


@op
def orgqr(input: Array, input2: Array) -> Array:
    """Return the first columns of the product of reflectors that `geqrf` gives.

    Args:
        input (Tensor): reflectors below the diagonal, of shape (..., m, n) with m >= n, floating or complex.
        input2 (Tensor): their factors, of shape (..., k) with k <= n.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        TypeError: if the dtypes differ or are not floating or complex.
        ValueError: if the shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[3.0, 1.0], [4.0, 2.0]])
        >>> print((ms.ops.orgqr(*ms.ops.geqrf(x)) @ ms.ops.qr(x)[1]).round())
        [[3. 1.]
         [4. 2.]]
    """

    def columns(x: Array, tau: Array) -> Array:
        v, t = _reflectors("orgqr", x, tau)
        m, n = x.shape[-2:]
        return jnp.eye(m, n, dtype=x.dtype) - v @ t @ matrix_args.adjoint(v[..., :n, :])

    x, tau = as_array("orgqr", "input", input), as_array("orgqr", "input2", input2)
    checks.check_same_dtype("orgqr", input=x, input2=tau)
    return matrix_args.apply_in_compute_dtype(columns, x, tau)


@op(static="left transpose")
@documented_by(orgqr)
def ormqr(input: Array, tau: Array, other: Array, left: bool = True, transpose: bool = False) -> Array:
    """Return a matrix times the product Q of the reflectors that `geqrf` gives.

    Args:
        input (Tensor): reflectors below the diagonal, of shape (..., m, k), floating or complex.
        tau (Tensor): their factors, of shape (..., k).
        other (Tensor): of shape (..., m, n), or (..., n, m) where `left` is False.
        left (bool): Q stands on the left of `other`.
        transpose (bool): Q is transposed and conjugated.

    Returns:
        Tensor of `other`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[3.0, 1.0], [4.0, 2.0]])
        >>> h, tau = ms.ops.geqrf(x)
        >>> print(ms.ops.ormqr(h, tau, ms.ops.triu(h)).round())
        [[3. 1.]
         [4. 2.]]
    """
    y = matrix_args.as_matrices("ormqr", other=other)
    checks.check_bools("ormqr", left=left, transpose=transpose)

    def product(x: Array, factors: Array, y: Array) -> Array:
        v, t = _reflectors("ormqr", x, factors)
        if y.shape[-2 if left else -1] != v.shape[-2]:
            checks.fail(
                ValueError, "ormqr", "other", f"fit `input` of shape {x.shape}", f"of shape {y.shape}"
            )
        t = matrix_args.adjoint(t) if transpose else t
        dagger = matrix_args.adjoint(v)
        return y - (v @ (t @ (dagger @ y)) if left else ((y @ v) @ t) @ dagger)

    x, factors = as_array("ormqr", "input", input), as_array("ormqr", "tau", tau)
    checks.check_same_dtype("ormqr", input=x, tau=factors, other=y)
    return matrix_args.apply_in_compute_dtype(product, x, factors, y)
