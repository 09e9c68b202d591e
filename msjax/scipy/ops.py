"""Class forms that MindSpore keeps beside its `scipy`, over the same functions."""

from typing import Any

from msjax.ops.common.name_table import attach_classes
from msjax.scipy import linalg


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


__getattr__, __dir__ = attach_classes(
    __name__,
    """
here: LU=lu_of_parts
scipy.optimize: LinearSumAssignment=linear_sum_assignment
Eig(compute_v=True)(...) -> ops.linalg.decompositions.eig_as
SolveTriangular(lower=False, unit_diagonal=False, trans='N')(a, b) -> scipy.linalg.solve_triangular
""",
    root="msjax",
)
