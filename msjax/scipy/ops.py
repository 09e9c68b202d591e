"""Class forms that MindSpore keeps beside its `scipy`, over the same functions."""

import functools
from typing import Any

from msjax.ops.common.name_table import make_class
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


_class = functools.partial(make_class, module=__name__)
Eig = _class("Eig(compute_v=True)(...)", decompositions.eig_as)
LU = _class("LU", lu_of_parts)
LinearSumAssignment = _class("LinearSumAssignment", optimize.linear_sum_assignment)
SolveTriangular = _class(
    "SolveTriangular(lower=False, unit_diagonal=False, trans='N')(a, b)", linalg.solve_triangular
)
