"""`torch.linalg`: matrix decompositions, linear systems, norms."""

import inspect
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
import scipy.linalg.lapack

from msjax import ops
from msjax.core.op.argument_types import BoolLike
from msjax.core.op.op import op
from msjax.mint import linalg as mint_linalg
from msjax.ops.common.name_table import read_table
from msjax.torch import linalg_errors, return_types
from msjax.torch.functions import basic, served_from_mint
from msjax.torch.linalg_errors import LinAlgError as LinAlgError
from msjax.torch.tensors.call_conventions import spoken_all
from msjax.torch.tensors.tensor import as_torch

FUNCTIONS = read_table("""
ops.functional: cond cross det diagonal eigvals matmul matrix_exp vecdot
""")


def _from_triangle(a: Any, upper: BoolLike = False) -> Any:
    """Return the Hermitian matrix from one triangle; the gradient is that of the whole matrix."""
    half = jnp.triu(a, 1) if upper else jnp.tril(a, -1)
    diagonal = jnp.real(jnp.diagonal(a, axis1=-2, axis2=-1)).astype(a.dtype)
    whole = half + jnp.conj(half.mT) + diagonal[..., None] * jnp.eye(a.shape[-1], dtype=a.dtype)
    return a + jax.lax.stop_gradient(whole - a)


@op(static="upper")
def _eigvalsh(a: Any, upper: BoolLike) -> Any:
    # Without the vectors, whose derivatives are infinite where eigenvalues are equal.
    return jnp.linalg.eigvalsh(_from_triangle(a, upper))


@op(static="upper")
def _eigh(a: Any, upper: BoolLike) -> tuple[Any, Any]:
    return tuple(jnp.linalg.eigh(_from_triangle(a, upper)))  # type: ignore[return-value]


@op(static="upper")
def _hermitian(a: Any, upper: BoolLike = False) -> Any:
    return _from_triangle(a, upper)


@op(static="mode")
def _qr(a: Any, mode: str) -> tuple[Any, Any]:
    return tuple(jnp.linalg.qr(a, mode=mode))  # type: ignore[return-value]


@op(static="full")
def _svd(a: Any, full: BoolLike) -> tuple[Any, Any, Any]:
    return tuple(jnp.linalg.svd(a, full_matrices=full))  # type: ignore[return-value]


@op
def _svdvals(a: Any) -> Any:
    return jnp.linalg.svd(a, compute_uv=False)


# JAX asks for this switch because the gradient is that of a function of the matrix, whatever the vectors' phases. JAX
# 0.10.0 has neither the switch nor the gradient.
_EIGENVECTOR_GRADIENTS: dict[str, Any] = {
    name: True for name in inspect.signature(jax.lax.linalg.eig).parameters if name == "enable_eigvec_derivs"
}


@op
def _eig(a: Any) -> tuple[Any, Any]:
    if not a.size:
        kind = jnp.result_type(a.dtype, jnp.complex64)
        return jnp.zeros(a.shape[:-1], kind), jnp.zeros(a.shape, kind)
    return tuple(jax.lax.linalg.eig(a, compute_left_eigenvectors=False, **_EIGENVECTOR_GRADIENTS))  # type: ignore[return-value]


@op
def _slogdet(a: Any) -> tuple[Any, Any]:
    return tuple(jnp.linalg.slogdet(a))  # type: ignore[return-value]


@op
def _solve(a: Any, b: Any) -> Any:
    vector = b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1])
    return jnp.linalg.solve(a, b[..., None])[..., 0] if vector else jnp.linalg.solve(a, b)


@op(static="upper left unitriangular")
def _solve_triangular(a: Any, b: Any, upper: BoolLike, left: BoolLike, unitriangular: BoolLike) -> Any:
    if left:
        return jsl.solve_triangular(a, b, lower=not upper, unit_diagonal=unitriangular)
    turned = jsl.solve_triangular(a.mT, b.mT, lower=upper, unit_diagonal=unitriangular)
    return turned.mT


@op
def _lu(a: Any) -> tuple[Any, Any, Any]:
    rows, columns = a.shape[-2:]
    packed, _, order = jax.lax.linalg.lu(a)
    k = min(rows, columns)
    lower = jnp.tril(packed[..., :k], -1) + jnp.eye(rows, k, dtype=a.dtype)
    swap = (order[..., None, :] == jnp.arange(rows)[:, None]).astype(a.dtype)
    return swap, lower, jnp.triu(packed[..., :k, :])


@op
def _pinv(a: Any, rtol: Any) -> Any:
    return jnp.linalg.pinv(a, rtol=rtol)


def eigh(A: Any, UPLO: str = "L") -> Any:
    """Eigenvalues in ascending order, and eigenvectors, of symmetric matrices."""
    return return_types.linalg_eigh(*as_torch(_eigh(A, UPLO == "U")))


def eigvalsh(A: Any, UPLO: str = "L") -> Any:
    """Eigenvalues of symmetric matrices, in ascending order."""
    return as_torch(_eigvalsh(A, UPLO == "U"))


def eig(A: Any) -> Any:
    """Compute eigenvalues and eigenvectors, which are complex."""
    return return_types.linalg_eig(*as_torch(_eig(A)))


def qr(A: Any, mode: str = "reduced") -> Any:
    """Compute the QR decomposition: an orthogonal and an upper triangular matrix whose product is A."""
    if mode == "r":
        mode, upper = "reduced", as_torch(_qr(A, "reduced"))[1]
        return return_types.linalg_qr(basic.empty(0), upper)
    return return_types.linalg_qr(*as_torch(_qr(A, mode)))


def svd(A: Any, full_matrices: bool = True) -> Any:
    """Return a = U diag(S) Vh."""
    linalg_errors.raise_if_not_finite("linalg.svd", A)
    return return_types.linalg_svd(*as_torch(_svd(A, full_matrices)))


def svdvals(A: Any) -> Any:
    """Return the singular values in descending order."""
    linalg_errors.raise_if_not_finite("linalg.svd", A)
    return as_torch(_svdvals(A))


def slogdet(A: Any) -> Any:
    """Sign and logarithm of the determinant."""
    return return_types.linalg_slogdet(*as_torch(_slogdet(A)))


def solve(A: Any, B: Any, *, left: bool = True) -> Any:
    """X of A X = B; of X A = B if not `left`.

    Examples:
        >>> from msjax import torch
        >>> torch.linalg.solve(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.ones(2))
        tensor([0.5000, 0.2500])
    """
    linalg_errors.check_square("linalg.solve", A)
    return solve_ex(A, B, left=left, check_errors=True).result


def solve_triangular(
    A: Any,
    B: Any,
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> Any:
    """Return the same for triangular matrices."""
    return as_torch(_solve_triangular(A, B, upper, left, unitriangular))


def lu(A: Any, *, pivot: bool = True) -> Any:
    """Return a = P L U."""
    if not pivot:
        raise NotImplementedError("`lu`: argument `pivot` must be True.")
    return return_types.linalg_lu(*as_torch(_lu(A)))


@op
def _lu_factor(a: Any) -> tuple[Any, Any]:
    packed, pivots = jsl.lu_factor(a)
    return packed, pivots.astype(jnp.int32) + 1


@op
def _householder_product(a: Any, tau: Any) -> Any:
    # One after another, from the last: XLA's own has no derivative.
    m, k = a.shape[-2], tau.shape[-1]
    rows = jnp.arange(m)

    def reflected(q: Any, each: tuple) -> tuple[Any, None]:
        column, scale, i = each
        v = jnp.where(rows > i, column, (rows == i).astype(column.dtype))[..., None]
        return q - scale[..., None, None] * v * (jnp.conj(v) * q).sum(-2, keepdims=True), None

    start = jnp.broadcast_to(jnp.eye(m, a.shape[-1], dtype=a.dtype), a.shape)
    columns = (jnp.moveaxis(a[..., :k], -1, 0), jnp.moveaxis(tau, -1, 0), jnp.arange(k))
    return jax.lax.scan(reflected, start, columns, reverse=True)[0]


@op(static="adjoint")
def _lu_solve(packed: Any, pivots: Any, b: Any, adjoint: BoolLike) -> Any:
    vector = b.ndim == packed.ndim - 1
    right = b[..., None] if vector else b
    shape = jnp.broadcast_shapes(packed.shape[:-2], right.shape[:-2])
    packed = jnp.broadcast_to(packed, (*shape, *packed.shape[-2:]))
    pivots = jnp.broadcast_to(pivots, (*shape, *pivots.shape[-1:]))
    right = jnp.broadcast_to(right, (*shape, *right.shape[-2:]))
    found = jsl.lu_solve((packed, pivots - 1), right, trans=2 if adjoint else 0)
    return found[..., 0] if vector else found


def lu_factor(A: Any, *, pivot: bool = True) -> Any:
    """Return the LU decomposition, packed for :func:`lu_solve`."""
    if not pivot:
        raise NotImplementedError("`lu_factor`: argument `pivot` must be True.")
    return return_types.linalg_lu_factor(*as_torch(_lu_factor(A)))


def lu_factor_ex(A: Any, *, pivot: bool = True, check_errors: bool = False) -> tuple[Any, Any, Any]:
    """Return the same, and zero."""
    packed, pivots = lu_factor(A, pivot=pivot)
    return packed, pivots, basic.zeros(A.shape[:-2], dtype=pivots.dtype)


def lu_solve(LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False) -> Any:
    """X of A X = B, of the decomposition of A; of X A = B if not `left`."""
    if left:
        return as_torch(_lu_solve(LU, pivots, B, adjoint))
    return as_torch(ops.conj(as_torch(_lu_solve(LU, pivots, as_torch(ops.conj(B.mT)), not adjoint)).mT))


def householder_product(A: Any, tau: Any) -> Any:
    """Return the product of Householder reflections."""
    return as_torch(_householder_product(A, tau))


def tensorinv(A: Any, ind: int = 2) -> Any:
    """Return the inverse of a map between tensors; its first `ind` dimensions are those of the results."""
    first, last = A.shape[:ind], A.shape[ind:]
    flat = basic.reshape(A, math.prod(first), math.prod(last))
    return basic.reshape(as_torch(ops.inverse(flat)), *last, *first)


def tensorsolve(A: Any, B: Any, dims: Any = None) -> Any:
    """X of tensordot(A, X) = B; the dimensions `dims` of A are moved to its end before."""
    if dims is not None:
        kept = [n for n in range(A.ndim) if n not in [d % A.ndim for d in dims]]
        A = basic.permute(A, *kept, *[d % A.ndim for d in dims])
    shape = A.shape[B.ndim :]
    flat = basic.reshape(A, B.numel(), math.prod(shape))
    return basic.reshape(solve(flat, basic.reshape(B, -1)), *shape)


def solve_ex(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    """X of A X = B, and for each matrix the number of the first pivot that is zero; 0 in compiled functions."""
    result = as_torch(_solve(A, B)) if left else as_torch(_solve(A.mT, B.mT)).mT
    found = linalg_errors.zero_pivots(A, result)
    if check_errors and found is not None and found.any():
        raise LinAlgError("torch.linalg.solve: The solver failed because the input matrix is singular.")
    return return_types.linalg_solve_ex(result, _info(A, found))


def _info(A: Any, found: Any) -> Any:
    if found is None:
        return basic.zeros(A.shape[:-2], dtype=basic.dtypes.int32)
    return basic.tensor(found, dtype=basic.dtypes.int32)


def pinv(A: Any, rcond: Any = None, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """The pseudo-inverse."""
    if hermitian:
        A = as_torch(_hermitian(A))
    if atol is not None or hermitian:
        return as_torch(ops.pinv(A, atol=atol, rtol=rtol or rcond, hermitian=hermitian))
    usual = max(A.shape[-2:]) * float(jnp.finfo(A.dtype.np).eps)
    return as_torch(_pinv(A, basic.tensor(rtol or rcond or usual, dtype=A.dtype)))


def matrix_rank(
    A: Any, tol: Any = None, *, atol: Any = None, rtol: Any = None, hermitian: bool = False
) -> Any:
    """Return the matrix rank: the number of singular values above the tolerance."""
    if hermitian:
        A = as_torch(_hermitian(A))
    if not A.shape[-1] * A.shape[-2]:
        return basic.zeros(*A.shape[:-2], dtype=basic.dtypes.int64)
    s = svdvals(A)
    usual = 0.0 if atol or tol else max(A.shape[-2:]) * float(jnp.finfo(A.dtype.np).eps)
    limit = basic.maximum(  # type: ignore[attr-defined]
        basic.amax(s, -1, True) * (usual if rtol is None else rtol), basic.tensor(atol or tol or 0.0)
    )
    return basic.sum(s > limit, -1)


def lstsq(A: Any, B: Any, rcond: Any = None, *, driver: Any = None) -> Any:
    """X with the least squares of A X - B; residuals are those of a matrix of full rank with more rows than columns."""
    x = pinv(A, rcond) @ B
    rows, columns = A.shape[-2:]
    real = A.dtype.to_real() if A.is_complex() else A.dtype
    there = rows > columns and (driver == "gels" or _is_full_rank(A))
    left = basic.sum(basic.square(basic.abs(A @ x - B)), -2) if there else basic.reshape(x, -1)[:0].abs()  # type: ignore[attr-defined]
    values = svdvals(A) if driver in ("gelsd", "gelss") else basic.empty(0, dtype=real)
    rank = basic.empty(0, dtype=basic.dtypes.int64) if driver == "gels" else matrix_rank(A.detach())
    return return_types.linalg_lstsq(x, left, rank, values)


def _is_full_rank(A: Any) -> bool:
    return bool(basic.all(matrix_rank(A.detach()) == min(A.shape[-2:])).item())


def multi_dot(tensors: Any) -> Any:
    """Multiply a chain of matrices; the first and the last may be vectors."""
    result = tensors[0]
    for each in tensors[1:]:
        result = result @ each
    return result


def inv_ex(A: Any, *, check_errors: bool = False) -> Any:
    """Return the inverse, and for each matrix the number of the first pivot that is zero; 0 in compiled functions."""
    linalg_errors.check_square("linalg.inv", A)
    result = as_torch(ops.inverse(A))
    found = linalg_errors.zero_pivots(A, result)
    if check_errors:
        text = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."
        linalg_errors.raise_at("linalg.inv", found, text)
    return return_types.linalg_inv_ex(result, _info(A, found))


def inv(A: Any) -> Any:
    """Return the inverse.

    Raises:
        LinAlgError: if it is singular; in compiled functions the result has infinities and NaN.
    """
    return inv_ex(A, check_errors=True).inverse


def cholesky(A: Any, *, upper: bool = False) -> Any:
    """Return the Cholesky factor of a Hermitian matrix; one triangle is read, the upper one if `upper`.

    Raises:
        LinAlgError: if it is not positive definite; in compiled functions the result is NaN.
    """
    return cholesky_ex(A, upper=upper, check_errors=True).L


def cholesky_ex(A: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    """Return the factor, and the order of the first leading minor that is not positive; 0 in compiled functions."""
    linalg_errors.check_square("linalg.cholesky", A)
    hermitian = as_torch(_hermitian(A, upper))
    factor = as_torch(ops.cholesky(hermitian, upper))
    found = linalg_errors.minors_without_factor(hermitian, factor)
    if check_errors:
        text = (
            "The factorization could not be completed because the input is not positive-definite "
            "(the leading minor of order {} is not positive-definite)."
        )
        linalg_errors.raise_at("linalg.cholesky", found, text)
    return return_types.linalg_cholesky_ex(factor, _info(A, found))


def matrix_power(A: Any, n: int) -> Any:
    """Return the n-th power of a square matrix; of its inverse if n is negative."""
    return as_torch(ops.matrix_power(inv(A) if n < 0 else A, abs(n)))


def _lapack(name: str, *arrays: Any) -> Any:
    return scipy.linalg.lapack.get_lapack_funcs((name,), arrays)[0]


def _by_matrix(compute: Callable, *given: Any) -> list[Any]:
    """Apply a function of NumPy's matrices to each of a batch."""
    shape = np.broadcast_shapes(*(each.shape[:-n] for each, n in given))
    flat = [np.broadcast_to(a, (*shape, *a.shape[-n:])).reshape(-1, *a.shape[-n:]) for a, n in given]
    found = [compute(*parts) for parts in zip(*flat, strict=True)]
    return [np.reshape(np.stack(part), (*shape, *part[0].shape)) for part in zip(*found, strict=True)]


def ldl_factor(A: Any, *, hermitian: bool = False) -> Any:
    """A = L D L^T, or L D L^H if `hermitian`, D of blocks of one or two: packed in a matrix, and the pivots."""
    matrices = np.asarray(A.numpy(force=True))
    factor = _lapack("hetrf" if hermitian and A.is_complex() else "sytrf", matrices)

    def factored(matrix: Any) -> tuple[Any, Any]:
        packed, pivots, info = factor(matrix, lower=1)
        if info < 0:
            raise RuntimeError(f"linalg.ldl_factor: argument {-info} of LAPACK's function is wrong.")
        return packed, pivots.astype(np.int32)

    if not matrices.size:
        return return_types.linalg_ldl_factor(
            A.detach(), basic.zeros(*A.shape[:-1], dtype=basic.dtypes.int32)
        )
    return return_types.linalg_ldl_factor(*map(basic.tensor, _by_matrix(factored, (matrices, 2))))


def ldl_factor_ex(A: Any, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """The same, and zero."""
    found = ldl_factor(A, hermitian=hermitian)
    return return_types.linalg_ldl_factor_ex(*found, basic.zeros(A.shape[:-2], dtype=basic.dtypes.int32))


def ldl_solve(LD: Any, pivots: Any, B: Any, *, hermitian: bool = False) -> Any:
    """X of A X = B, of the decomposition of A."""
    matrices, right = np.asarray(LD.numpy(force=True)), np.asarray(B.numpy(force=True))
    solve = _lapack("hetrs" if hermitian and LD.is_complex() else "sytrs", matrices)
    if not (right.size and matrices.size):
        return basic.zeros(*np.broadcast_shapes(LD.shape[:-2], B.shape[:-2]), *B.shape[-2:], dtype=B.dtype)
    numbers = np.asarray(pivots.numpy())
    (found,) = _by_matrix(
        lambda ld, p, b: solve(ld, p, b, lower=1)[:1], (matrices, 2), (numbers, 1), (right, 2)
    )
    return basic.tensor(np.ascontiguousarray(found))


@op(static="count")
def _powers(x: Any, count: int) -> Any:
    return x[..., None] ** jnp.arange(count)


def vander(x: Any, *, N: int | None = None) -> Any:
    """Powers of the elements as columns, ascending."""
    x = x if x.ndim else basic.reshape(x, 1)
    return as_torch(_powers(x, x.shape[-1] if N is None else N))


def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the norm of the elements, or of vectors along dimensions."""
    x = basic.abs(x) if x.is_complex() else x
    return as_torch(mint_linalg.vector_norm(x, ord, dim, keepdim, dtype=dtype))


def matrix_norm(
    A: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """Return the norm of matrices."""
    return _real(mint_linalg.matrix_norm(_sizes_only(A, ord), ord, dim, keepdim, dtype=dtype))


def norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the norm of the elements, of vectors or of matrices."""
    matrices = (A.ndim if dim is None else 1 if isinstance(dim, int) else len(dim)) == 2
    sizes = A if matrices and ord is not None else _sizes_only(A, 1)
    return _real(mint_linalg.norm(_sizes_only(sizes, ord), ord, dim, keepdim, dtype=dtype))


def _sizes_only(x: Any, ord: Any) -> Any:
    """Return the moduli of complex numbers, where the norm knows no more."""
    return basic.abs(x) if x.is_complex() and ord not in ("nuc", 2, -2) else x


def _real(result: Any) -> Any:
    return as_torch(ops.real(result) if result.is_complex() else result)


globals().update(spoken_all(globals(), __name__))


def __getattr__(name: str) -> Any:
    found = served_from_mint.find_in_module("torch.linalg", FUNCTIONS, name)
    globals()[name] = found
    return found
