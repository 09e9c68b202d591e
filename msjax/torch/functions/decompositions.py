"""Matrix decompositions under `torch`'s own older names (svd, qr, lu ...); `torch.linalg` has newer ones."""

from typing import Any

from msjax import ops
from msjax.torch import linalg, return_types
from msjax.torch.functions import basic as T
from msjax.torch.tensors.tensor import as_torch


def cholesky(input: Any, upper: bool = False) -> Any:
    """Return the Cholesky factor of a Hermitian matrix; one triangle is read, the upper one if `upper`."""
    return linalg.cholesky(input, upper=upper)


def inverse(input: Any) -> Any:
    """Return the inverse of a matrix."""
    return linalg.inv(input)


def svd(input: Any, some: bool = True, compute_uv: bool = True) -> Any:
    """input = U diag(S) V^H; without `compute_uv`, U and V are zeros."""
    if compute_uv:
        u, s, vh = linalg.svd(input, full_matrices=not some)
        return return_types.svd(u, s, as_torch(ops.conj(vh.mT)))
    m, n = input.shape[-2:]
    zeros = lambda size: T.zeros(*input.shape[:-2], size, size, dtype=input.dtype)  # noqa: E731
    return return_types.svd(zeros(m), linalg.svdvals(input), zeros(n))


def qr(input: Any, some: bool = True) -> Any:
    """Compute the QR decomposition: an orthogonal and an upper triangular matrix whose product is the input."""
    return return_types.qr(*linalg.qr(input, "reduced" if some else "complete"))


def slogdet(input: Any) -> Any:
    """Sign of the determinant of a matrix, and the logarithm of its modulus."""
    return return_types.slogdet(*linalg.slogdet(input))


def geqrf(input: Any) -> Any:
    """Compute the QR decomposition as R and Householder reflections in one matrix, and the factors of the reflections."""
    return return_types.geqrf(*as_torch(ops.geqrf(input)))


def lu_unpack(LU_data: Any, LU_pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """Return P, L and U of a packed LU decomposition."""
    return return_types.lu_unpack(*as_torch(ops.lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots)))


def lu(A: Any, pivot: bool = True, get_infos: bool = False) -> tuple:
    """Return the LU decomposition, both triangles packed in one matrix, and the pivots."""
    packed, pivots = linalg.lu_factor(A, pivot=pivot)
    return (packed, pivots, T.zeros(A.shape[:-2], dtype=pivots.dtype)) if get_infos else (packed, pivots)


def lu_solve(b: Any, LU_data: Any, LU_pivots: Any) -> Any:
    """x of A x = b, of the decomposition of A."""
    return linalg.lu_solve(LU_data, LU_pivots, b)


def triangular_solve(
    b: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """x of A x = b with a triangular A."""
    matrix, above = (A.mT, not upper) if transpose else (A, upper)
    return return_types.triangular_solve(
        linalg.solve_triangular(matrix, b, upper=above, unitriangular=unitriangular), A
    )


def orgqr(input: Any, tau: Any) -> Any:
    """Return the product of Householder reflections."""
    return linalg.householder_product(input, tau)


def ormqr(input: Any, tau: Any, other: Any, left: bool = True, transpose: bool = False) -> Any:
    """Return the product of the full orthogonal matrix of Householder reflections with another matrix."""
    m, k = input.shape[-2:]
    wide = as_torch(ops.pad(input, [0, m - k])) if m > k else input
    all_tau = as_torch(ops.pad(tau, [0, m - tau.shape[-1]])) if m > tau.shape[-1] else tau
    q = orgqr(wide, all_tau)
    q = as_torch(ops.conj(q.mT)) if transpose else q
    return q @ other if left else other @ q


def svd_lowrank(A: Any, q: int | None = 6, niter: int | None = 2, M: Any = None) -> Any:
    """Return the q largest singular values, and their vectors; of the full decomposition, not by drawing."""
    u, s, v = svd(A if M is None else A - M)
    return u[..., :q], s[..., :q], v[..., :q]


def pca_lowrank(A: Any, q: int | None = None, center: bool = True, niter: int = 2) -> Any:
    """Return the principal components: :func:`svd_lowrank` of the centred rows."""
    count = min(6, *A.shape[-2:]) if q is None else q
    return svd_lowrank(A - A.mean(-2, keepdim=True) if center else A, count)


NAMES = """cholesky inverse svd qr slogdet geqrf lu_unpack lu lu_solve triangular_solve orgqr ormqr svd_lowrank
    pca_lowrank""".split()
METHODS = "cholesky svd qr slogdet geqrf lu lu_solve triangular_solve orgqr ormqr".split()
