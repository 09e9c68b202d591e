"""Class forms that MindSpore keeps beside its `scipy`, over the same functions."""

from typing import Any

from msjax.ops.common.adapters import primitive
from msjax.ops.linalg import decompositions
from msjax.scipy import linalg, optimize


def lu_of_parts(x: Any) -> tuple[Any, Any, Any]:
    """LU decomposition with partial pivoting: both factors in one matrix, the rows exchanged, and P of A = P L U.

    Args:
        x (Tensor): of shape (n, n).

    Returns:
        Tensors of shape (n, n), (n,) and (n, n); the second and third are int32.

    Examples:
        >>> import msjax as ms
        >>> from msjax.scipy.ops import LU
        >>> factors, pivots, permutation = LU()(ms.Tensor([[1.0, 2.0], [2.0, 2.0]]))
        >>> print(factors, pivots)
        [[2.  2. ]
         [0.5 1. ]] [1 1]
    """
    return *linalg.lu_factor(x), linalg.lu(x)[0]


Eig = primitive("Eig", decompositions.eig_as, "(compute_v=True)", module=__name__)
LU = primitive("LU", lu_of_parts, module=__name__)
LinearSumAssignment = primitive("LinearSumAssignment", optimize.linear_sum_assignment, module=__name__)
SolveTriangular = primitive(
    "SolveTriangular",
    linalg.solve_triangular,
    "(lower=False, unit_diagonal=False, trans='N')",
    "(a, b)",
    module=__name__,
)
