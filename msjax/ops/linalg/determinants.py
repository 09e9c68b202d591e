"""Determinants, powers, exponentials and logarithms of square matrices. Each operator works on batches of matrices."""

import jax.numpy as jnp
from jax import Array
from jax.scipy.linalg import expm

from msjax.core.op.op import op
from msjax.ops.common import checks, matrix_args
from msjax.ops.common.docstrings import documented_by
from msjax.ops.linalg.decompositions import eig


@op
def det(input: Array) -> Array:
    """Determinant of square matrices.

    Args:
        input (Tensor): of shape (..., n, n), floating or complex.

    Returns:
        Tensor of shape (...) and `input`'s dtype.

    Raises:
        TypeError: if `input` is not floating or complex.
        ValueError: if the matrices are not square.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.det(ms.Tensor([[2.0, 1.0], [0.0, 3.0]])))
        6.0
    """
    x = matrix_args.as_square_matrices("det", input=input)
    if not x.shape[-1]:  # JAX's has no derivative there
        return jnp.ones(x.shape[:-2], x.dtype)
    return matrix_args.apply_in_compute_dtype(jnp.linalg.det, x)


@op
@documented_by(det)
def slogdet(input: Array) -> tuple[Array, Array]:
    """Sign of the determinant of square matrices, and the logarithm of its modulus.

    Returns:
        Two Tensors of shape (...) and `input`'s dtype: sign (of a complex matrix a number of modulus 1; 0 if the
        matrix has no inverse), and logarithm.

    Examples:
        >>> import msjax as ms
        >>> sign, log = ms.ops.slogdet(ms.Tensor([[-1.0, 1.0], [0.0, 1.0]]))
        >>> print(sign, log)
        -1.0 0.0
    """
    x = matrix_args.as_square_matrices("slogdet", input=input)
    sign, log = matrix_args.apply_in_compute_dtype(lambda a: tuple(jnp.linalg.slogdet(a)), x)
    return sign, log.astype(x.dtype)


@op
@documented_by(det)
def logdet(input: Array) -> Array:
    """Logarithm of the determinant of square matrices.

    Returns:
        Tensor of shape (...) and `input`'s dtype; nan where a real determinant is negative, -inf where it is 0.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.logdet(ms.Tensor([[1.0, 5.0], [0.0, 1.0]])))
        0.0
    """
    x = matrix_args.as_square_matrices("logdet", input=input)
    sign, log = slogdet.pure(x)
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        return log + jnp.log(jnp.where(sign == 0, jnp.ones_like(sign), sign))
    none = jnp.asarray(jnp.nan, log.dtype)
    return log + jnp.where(sign < 0, none, jnp.zeros_like(none))


@op(static="n")
def matrix_power(input: Array, n: int) -> Array:
    """Integer power of square matrices.

    Args:
        input (Tensor): of shape (..., n, n), numeric.
        n (int): exponent; a negative one stands for a power of the inverse.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        TypeError: if `n` is not an int, or negative where `input` is of an integer dtype.
        ValueError: if the matrices are not square.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.matrix_power(ms.Tensor([[1.0, 1.0], [0.0, 1.0]]), 3))
        [[1. 3.]
         [0. 1.]]
    """
    x = matrix_args.as_square_matrices("matrix_power", whole=True, input=input)
    checks.check_ints("matrix_power", n=n)
    if n < 0:
        checks.check_inexact("matrix_power", input=x)
    return matrix_args.apply_in_compute_dtype(lambda a: jnp.linalg.matrix_power(a, n), x)


@op
@documented_by(det)
def matrix_exp(input: Array) -> Array:
    """Exponential of square matrices: the sum of their powers over factorials (Higham, SIAM J. Matrix Anal., 2005).

    Returns:
        Tensor of `input`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.matrix_exp(ms.Tensor([[0.0, 1.0], [0.0, 0.0]])))
        [[1. 1.]
         [0. 1.]]
    """
    x = matrix_args.as_square_matrices("matrix_exp", input=input)
    return matrix_args.apply_in_compute_dtype(expm, x) if x.size else x


@op
def matrix_logarithm(x: Array) -> Array:
    """Principal logarithm of square matrices, by their eigenvalues (what `ops.MatrixLogarithm` computes).

    Args:
        x (Tensor): of shape (..., n, n), complex; matrices with n independent eigenvectors.

    Returns:
        Tensor of `x`'s shape and dtype.

    Raises:
        TypeError: if `x` is not complex.
        ValueError: if the matrices are not square.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.MatrixLogarithm()(ms.Tensor([[1 + 0j, 0], [0, 1]])))
        [[0.+0.j 0.+0.j]
         [0.+0.j 0.+0.j]]
    """
    x = matrix_args.as_square_matrices("MatrixLogarithm", x=x)
    if not jnp.issubdtype(x.dtype, jnp.complexfloating):
        checks.fail(TypeError, "MatrixLogarithm", "x", "be complex", f"array of dtype {x.dtype}")
    values, vectors = eig.pure(x)
    # V diag(log w) V^-1, as the solution of Y V = V diag(log w).
    turned = jnp.swapaxes(vectors * jnp.log(values)[..., None, :], -1, -2)
    return jnp.swapaxes(jnp.linalg.solve(jnp.swapaxes(vectors, -1, -2), turned), -1, -2)
