"""Linear algebra after SciPy: `mindspore.scipy.linalg`. Matrices have two dimensions; integers are taken as float64.

`check_finite` is accepted: what is in an array is not looked at, and inf or nan spread to the result. `overwrite_...` is
accepted as well: XLA decides itself which memory to use again.
"""

from typing import Any

import jax.numpy as jnp
import jax.scipy.linalg as jsl
from jax import Array, lax

from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op
from msjax.ops.common import checks, matrix_args
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, is_integer, promote, to_float
from msjax.ops.linalg.solving import pseudo_inverse

__all__ = [
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "det",
    "eigh",
    "inv",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_pivots_to_permutation",
    "lu_solve",
    "solve_triangular",
]

_KINDS = (jnp.int32, jnp.int64, jnp.float32, jnp.float64, jnp.complex64, jnp.complex128)
_TRANS = {0: 0, 1: 1, 2: 2, "N": 0, "T": 1, "C": 2}


def _tensors(fn: str, **given: Any) -> None:
    for name, x in given.items():
        if not hasattr(x, "dtype"):
            checks.fail(TypeError, fn, name, "be a Tensor", f"{x!r} ({type(x).__name__})")


def _matrix_of(fn: str, a: Any, square: bool = True, several: bool = False) -> Array:
    a = as_array(fn, "a", a)
    if a.dtype not in _KINDS:
        checks.fail(TypeError, fn, "a", "be int32, int64, float32, float64 or complex", f"array of {a.dtype}")
    checks.check_rank(fn, *(range(2, max(a.ndim, 2) + 1) if several else (2,)), a=a)
    if square:
        matrix_args.as_square_matrices(fn, whole=True, a=a)
    return a if jnp.issubdtype(a.dtype, jnp.inexact) else a.astype(jnp.float64)


@op
def _stack_blocks(arrs: Any) -> Array:
    given = promote("block_diag", **{f"arrs[{i}]": a for i, a in enumerate(arrs)})
    checks.check_rank("block_diag", 0, 1, 2, **{f"arrs[{i}]": a for i, a in enumerate(given)})
    return jsl.block_diag(*given)


def block_diag(*arrs: Any) -> Any:
    """Matrices along the diagonal of a larger one, and zeros elsewhere.

    Args:
        arrs (Tensor): of at most two dimensions; vectors count as rows.

    Returns:
        Tensor of two dimensions; of shape (1, 0) and dtype float32 without any matrix.

    Raises:
        TypeError: if an argument is not a Tensor.
        ValueError: if it has more dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.scipy.linalg.block_diag(ms.Tensor([[1, 2]]), ms.Tensor([3])))
        [[1 2 0]
         [0 0 3]]
    """
    for i, a in enumerate(arrs):
        if not hasattr(a, "dtype"):
            checks.fail(
                checks.NotATensorError,
                "block_diag",
                f"arrs[{i}]",
                "be a Tensor",
                f"{a!r} ({type(a).__name__})",
            )
    return _stack_blocks(list(arrs)) if arrs else _nothing()


@op
def _nothing() -> Array:
    return jnp.zeros((1, 0), jnp.float32)


@op(static="lower overwrite_a check_finite")
def cholesky(
    a: ArrayLike, lower: BoolLike = False, overwrite_a: BoolLike = False, check_finite: BoolLike = True
) -> Array:
    """Cholesky's decomposition of a positive-definite matrix: U of U^H U, or L of L L^H.

    Args:
        a (Tensor): of shape (n, n).
        lower (bool): give L.
        overwrite_a (bool): without effect.
        check_finite (bool): without effect.

    Returns:
        Tensor of shape (n, n); nan if the matrix is not positive-definite.

    Raises:
        TypeError: if `lower` is not a bool or the dtype is another one.
        ValueError: if `a` is not a square matrix.

    Examples:
        >>> import msjax as ms
        >>> print(ms.scipy.linalg.cholesky(ms.Tensor([[4.0, 2.0], [2.0, 5.0]]), lower=True))
        [[2. 0.]
         [1. 2.]]
    """
    checks.check_bools("cholesky", lower=lower, overwrite_a=overwrite_a, check_finite=check_finite)
    if jnp.iscomplexobj(a):
        checks.fail(TypeError, "cholesky", "a", "be int32, int64, float32 or float64", f"array of {a.dtype}")
    factor = jnp.linalg.cholesky(_matrix_of("cholesky", a))
    return factor if lower else matrix_args.adjoint(factor)


@documented_by(cholesky)
def cho_factor(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Any, bool]:
    """Cholesky's decomposition, for `cho_solve`.

    Args:
        a (Tensor): of shape (n, n), positive-definite.
        lower (bool): give L of L L^H rather than U of U^H U.

    Returns:
        Tensor of shape (n, n), and `lower`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.scipy.linalg.cho_factor(ms.Tensor([[4.0]]))[0])
        [[2.]]
    """
    return cholesky(a, lower, overwrite_a, check_finite), lower


@op(static="lower")
def _cho_solved(c: ArrayLike, b: ArrayLike, lower: BoolLike) -> Array:
    c, b = as_array("cho_solve", "c", c), as_array("cho_solve", "b", b)
    checks.check_same_dtype("cho_solve", c=c, b=b)
    checks.check_rank("cho_solve", 2, c=c)
    matrix_args.as_square_matrices("cho_solve", c=c)
    return jsl.cho_solve((c, lower), b)


def cho_solve(
    c_and_lower: tuple[Any, bool], b: Any, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    """Solution of A x = b, given what `cho_factor` makes of A.

    Args:
        c_and_lower (tuple): the factor, and whether it is the lower one.
        b (Tensor): of shape (n,) or (n, k) and the same dtype.
        overwrite_b (bool): without effect.
        check_finite (bool): without effect.

    Returns:
        Tensor of `b`'s shape.

    Raises:
        TypeError: if the dtypes differ.
        ValueError: if the shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> factor = ms.scipy.linalg.cho_factor(ms.Tensor([[4.0]]))
        >>> print(ms.scipy.linalg.cho_solve(factor, ms.Tensor([8.0])))
        [2.]
    """
    checks.check_bools("cho_solve", overwrite_b=overwrite_b, check_finite=check_finite)
    c, lower = c_and_lower
    _tensors("cho_solve", c=c, b=b)
    checks.check_bools("cho_solve", lower=lower)
    return _cho_solved(c, b, lower)


@op(static="overwrite_a check_finite")
@documented_by(cholesky)
def det(a: ArrayLike, overwrite_a: BoolLike = False, check_finite: BoolLike = True) -> Array:
    """Determinant of a matrix.

    Returns:
        Tensor without dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.scipy.linalg.det(ms.Tensor([[2.0, 1.0], [0.0, 3.0]])))
        6.0
    """
    checks.check_bools("det", overwrite_a=overwrite_a, check_finite=check_finite)
    return jnp.linalg.det(_matrix_of("det", a))


@op(static="overwrite_a check_finite")
@documented_by(det)
def inv(a: ArrayLike, overwrite_a: BoolLike = False, check_finite: BoolLike = True) -> Array:
    """Inverse of a matrix.

    Returns:
        Tensor of shape (n, n); inf or nan if there is none.

    Examples:
        >>> import msjax as ms
        >>> print(ms.scipy.linalg.inv(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [[0.5  0.  ]
         [0.   0.25]]
    """
    checks.check_bools("inv", overwrite_a=overwrite_a, check_finite=check_finite)
    return jnp.linalg.inv(_matrix_of("inv", a))


@op(static="lower eigvals_only")
def _eigh(a: ArrayLike, lower: BoolLike, eigvals_only: BoolLike) -> Any:
    x = _matrix_of("eigh", a)
    there = jnp.tril(x) if lower else jnp.triu(x)
    other = jnp.conj((jnp.tril(x, -1) if lower else jnp.triu(x, 1)).T)
    values, vectors = lax.linalg.eigh(there + other)[::-1]
    return values if eigvals_only else (values, vectors)


def eigh(
    a: Any,
    b: Any = None,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    turbo: bool = True,
    eigvals: Any = None,
    type: int = 1,  # noqa: A002
    check_finite: bool = True,
) -> Any:
    """Eigenvalues and eigenvectors of a symmetric matrix: A v = v diag(w).

    Args:
        a (Tensor): of shape (n, n), symmetric.
        b (None): None only.
        lower (bool): look at the lower triangle alone, or the upper one. The other has no gradient.
        eigvals_only (bool): give the eigenvalues alone.
        overwrite_a (bool): without effect.
        overwrite_b (bool): without effect.
        turbo (bool): without effect.
        eigvals (None): None only.
        type (int): 1, 2 or 3, which are the same without `b`.
        check_finite (bool): without effect.

    Returns:
        Eigenvalues of shape (n,), ascending, and eigenvectors as columns of shape (n, n).

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `a` is not a square matrix, or an argument is none of the values above.

    Examples:
        >>> import msjax as ms
        >>> print(ms.scipy.linalg.eigh(ms.Tensor([[2.0, 0.0], [0.0, 1.0]]), eigvals_only=True))
        [1. 2.]
    """
    checks.check_bools("eigh", lower=lower, eigvals_only=eigvals_only, turbo=turbo, check_finite=check_finite)
    checks.check_bools("eigh", overwrite_a=overwrite_a, overwrite_b=overwrite_b)
    checks.check_choice("eigh", (1, 2, 3), type=type)
    for name, value in (("b", b), ("eigvals", eigvals)):
        if value is not None:
            checks.fail(ValueError, "eigh", name, "be None", repr(value))
    return _eigh(a, lower, eigvals_only)


@op(static="permute_l overwrite_a check_finite")
def lu(
    a: ArrayLike, permute_l: BoolLike = False, overwrite_a: BoolLike = False, check_finite: BoolLike = True
) -> Any:
    """LU decomposition A = P L U, with exchanged rows.

    Args:
        a (Tensor): of shape (m, n).
        permute_l (bool): give P L and U.
        overwrite_a (bool): without effect.
        check_finite (bool): without effect.

    Returns:
        P of shape (m, m) and dtype int32, L of shape (m, k) and U of shape (k, n), with k = min(m, n).

    Raises:
        ValueError: if `a` is not a matrix.

    Examples:
        >>> import msjax as ms
        >>> print(ms.scipy.linalg.lu(ms.Tensor([[1.0, 2.0], [2.0, 2.0]]))[2])
        [[2. 2.]
         [0. 1.]]
    """
    checks.check_bools("lu", permute_l=permute_l, overwrite_a=overwrite_a, check_finite=check_finite)
    found = jsl.lu(_matrix_of("lu", a, square=False), permute_l)
    return tuple(found) if permute_l else (found[0].astype(jnp.int32), *found[1:])


@op(static="overwrite_a check_finite")
@documented_by(det)
def lu_factor(
    a: ArrayLike, overwrite_a: BoolLike = False, check_finite: BoolLike = True
) -> tuple[Array, Array]:
    """LU decomposition in LAPACK's form, for `lu_solve`.

    Returns:
        L below the diagonal and U above, of shape (n, n), and which row each row was exchanged with, counted from 0.

    Examples:
        >>> import msjax as ms
        >>> print(ms.scipy.linalg.lu_factor(ms.Tensor([[1.0, 2.0], [2.0, 2.0]]))[1])
        [1 1]
    """
    checks.check_bools("lu_factor", overwrite_a=overwrite_a, check_finite=check_finite)
    found, pivots = jsl.lu_factor(_matrix_of("lu_factor", a))
    return found, pivots.astype(jnp.int32)


@op(static="trans")
def _lu_solved(found: ArrayLike, pivots: ArrayLike, b: ArrayLike, trans: int) -> Array:
    found, b = as_array("lu_solve", "lu", found), as_array("lu_solve", "b", b)
    if pivots.dtype != jnp.int32:
        checks.fail(TypeError, "lu_solve", "pivots", "be int32", f"array of {pivots.dtype}")
    checks.check_rank("lu_solve", 2, lu=found)
    checks.check_same_dtype("lu_solve", lu=found, b=b)
    return jsl.lu_solve((found, pivots), b, trans)


@documented_by(cho_solve)
def lu_solve(
    lu_and_piv: tuple[Any, Any], b: Any, trans: int = 0, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    """Solution of A x = b, given what `lu_factor` makes of A.

    Args:
        lu_and_piv (tuple): the decomposition.
        trans (int): 0 for A, 1 for A^T, 2 for A^H in its place.

    Raises:
        TypeError: if the dtypes differ.
        ValueError: if `trans` is none of these, or the shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> found = ms.scipy.linalg.lu_factor(ms.Tensor([[4.0]]))
        >>> print(ms.scipy.linalg.lu_solve(found, ms.Tensor([8.0])))
        [2.]
    """
    found, pivots = lu_and_piv
    _tensors("lu_solve", lu_and_piv=found, pivots=pivots, b=b)
    if not isinstance(trans, int) or trans not in (0, 1, 2):
        checks.fail(ValueError, "lu_solve", "trans", "be one of (0, 1, 2)", repr(trans))
    checks.check_bools("lu_solve", overwrite_b=overwrite_b, check_finite=check_finite)
    return _lu_solved(found, pivots, b, trans)


@op(static="permutation_size")
def lu_pivots_to_permutation(pivots: ArrayLike, permutation_size: int) -> Array:
    """Return the order of rows that the exchanges of an LU decomposition make.

    Args:
        pivots (Tensor): which row each row was exchanged with, counted from 0.
        permutation_size (int): number of rows.

    Returns:
        Tensor of shape (permutation_size,) and dtype int32.

    Raises:
        TypeError: if `pivots` holds no integers.

    Examples:
        >>> import msjax as ms
        >>> print(ms.scipy.linalg.lu_pivots_to_permutation(ms.Tensor([2, 2, 2]), 3))
        [2 0 1]
    """
    pivots = as_array("lu_pivots_to_permutation", "pivots", pivots)
    checks.check_integer("lu_pivots_to_permutation", pivots=pivots)
    return lax.linalg.lu_pivots_to_permutation(pivots.astype(jnp.int32), permutation_size)


@op(static="trans lower unit_diagonal overwrite_b debug check_finite")
@documented_by(cho_solve)
def solve_triangular(
    a: ArrayLike,
    b: ArrayLike,
    trans: Any = 0,
    lower: BoolLike = False,
    unit_diagonal: BoolLike = False,
    overwrite_b: BoolLike = False,
    debug: Any = None,
    check_finite: BoolLike = True,
) -> Array:
    """Solution of A x = b with triangular A.

    Args:
        a (Tensor): of shape (..., n, n); the other triangle is not looked at. int64 is taken as float64, int32 as
            float32.
        b (Tensor): of shape (..., n) or (..., n, k) and the same dtype.
        trans (int, str): 0 or "N" for A, 1 or "T" for A^T, 2 or "C" for A^H in its place.
        lower (bool): A is lower triangular.
        unit_diagonal (bool): take the diagonal as ones.
        debug (None): without effect.

    Raises:
        TypeError: if the dtypes differ, or `trans` is neither int nor str.
        ValueError: if `trans` is none of these strings, or the shapes do not fit.
        RuntimeError: if `trans` is none of these ints.

    Examples:
        >>> import msjax as ms
        >>> a, b = ms.Tensor([[1.0, 0.0], [1.0, 2.0]]), ms.Tensor([1.0, 5.0])
        >>> print(ms.scipy.linalg.solve_triangular(a, b, lower=True))
        [1. 2.]
    """
    if not isinstance(trans, int | str) or trans not in _TRANS:
        kind = {str: ValueError, int: RuntimeError}.get(type(trans), TypeError)
        checks.fail(kind, "solve_triangular", "trans", f"be one of {list(_TRANS)}", repr(trans))
    checks.check_bools("solve_triangular", lower=lower, unit_diagonal=unit_diagonal)
    a, b = (as_array("solve_triangular", name, x) for name, x in (("a", a), ("b", b)))
    a, b = (x.astype(float) if is_integer(x) and x.dtype.itemsize == 8 else to_float(x) for x in (a, b))
    checks.check_same_dtype("solve_triangular", a=a, b=b)
    matrix_args.as_square_matrices("solve_triangular", a=a)
    vector = b.ndim == a.ndim - 1
    columns = b[..., None] if vector else b
    if columns.shape[:-1] != a.shape[:-1]:
        checks.fail(ValueError, "solve_triangular", "b", f"fit `a` of shape {a.shape}", f"of shape {b.shape}")
    way = _TRANS[trans]
    found = lax.linalg.triangular_solve(
        a, columns, left_side=True, lower=lower, transpose_a=way > 0, conjugate_a=way == 2,
        unit_diagonal=unit_diagonal,
    )  # fmt: skip
    return found[..., 0] if vector else found


@op(static="rcond driver")
@documented_by(cho_solve)
def lstsq(
    A: ArrayLike, B: ArrayLike, rcond: Any = None, driver: Any = None
) -> tuple[Array, Array, Array, Array]:
    """Least-squares solution of A x = B, the one of least norm where there are many.

    Args:
        A (Tensor): of shape (..., m, n).
        B (Tensor): of shape (..., m) or (..., m, k) and the same dtype.
        rcond (float, None): singular values up to this part of the greatest count as 0. Default: the dtype's precision
            times max(m, n).
        driver (str, None): which of the other results are given: "gelss" and "gelsd" give all, "gels" no rank and no
            singular values, "gelsy" and None the rank alone. The computation is the same.

    Returns:
        Solution of shape (..., n) or (..., n, k); sums of squared residues (..., k) if m > n; the rank of A (...), int64;
        the singular values of A (..., min(m, n)). What the driver does not give is a Tensor of shape (0,).

    Raises:
        TypeError: if the dtypes differ.
        ValueError: if the shapes do not fit, or for another driver.

    Examples:
        >>> import msjax as ms
        >>> x = ms.scipy.linalg.lstsq(ms.Tensor([[1.0], [1.0]]), ms.Tensor([1.0, 3.0]))[0]
        >>> print(x.round(4))
        [2.]
    """
    if driver is not None:
        checks.check_choice("lstsq", ("gels", "gelss", "gelsd", "gelsy"), driver=driver)
    a, b = _matrix_of("lstsq", A, square=False, several=True), as_array("lstsq", "B", B)
    b = b if jnp.issubdtype(b.dtype, jnp.inexact) else b.astype(jnp.float64)
    checks.check_same_dtype("lstsq", A=a, B=b)
    vector = b.shape == a.shape[:-1]
    if not vector and b.shape[:-1] != a.shape[:-1]:
        rule = f"have shape {a.shape[:-1]} or {(*a.shape[:-1], 'k')}, as `A` has"
        checks.fail(ValueError, "lstsq", "B", rule, f"of shape {b.shape}")
    kind = jnp.finfo(a.dtype)
    part = float(kind.eps) * max(a.shape[-2:]) if rcond is None else float(rcond)
    limits = jnp.asarray(0, kind.dtype), jnp.asarray(part, kind.dtype)
    sizes = jnp.linalg.svd(lax.stop_gradient(a), compute_uv=False)
    nothing = jnp.zeros((0,), kind.dtype)
    right = b[..., None] if vector else b
    x = pseudo_inverse(a, *limits, False) @ right
    full = driver in ("gelss", "gelsd")
    known = (full or driver == "gels") and a.shape[-2] > a.shape[-1]
    residues = jnp.sum(jnp.abs(right - a @ x) ** 2, -2) if known else nothing
    rank = jnp.sum(sizes > limits[1] * sizes[..., :1], -1, dtype=jnp.int64)
    rank = jnp.zeros((0,), jnp.int64) if driver == "gels" else rank
    return x[..., 0] if vector else x, residues, rank, sizes if full else nothing
