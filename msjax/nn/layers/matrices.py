"""Matrix layers: determinant, inverse, diagonals, sparse matrices."""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.ops.array.band_matrices import matrix_diag, matrix_diag_part, matrix_set_diag
from msjax.ops.common.docstrings import documented_by
from msjax.ops.linalg.determinants import det
from msjax.ops.linalg.solving import inverse
from msjax.ops.sparse.coo import sparse_matmul
from msjax.ops.sparse.tensors import COOTensor

_HALF_OR_SINGLE = (dtypes.float16, dtypes.float32)
_DIAGONALS = (dtypes.float16, dtypes.float32, dtypes.int32, dtypes.int8, dtypes.uint8)


def _in_single(function: Any, x: Any) -> Any:
    return function(x.astype(dtypes.float32)).astype(x.dtype)


class MatDet(Cell):
    """The determinants of matrices. MindSpore's is for symmetric positive definite ones; this one for all.

    Inputs:
        - **a** (Tensor) - of shape (..., n, n), float16 or float32.

    Outputs:
        Tensor of shape (...).

    Raises:
        TypeError: for another dtype.
        ValueError: if the matrices are not square.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.MatDet()(ms.Tensor([[2.0, 1.0], [1.0, 2.0]])))
        3.0
    """

    def construct(self, a: Any) -> Any:
        """Return the determinant."""
        parameter_init.check_tensor_dtypes("MatDet", _HALF_OR_SINGLE, a=a)
        return _in_single(det, a)


@documented_by(MatDet)
class MatInverse(Cell):
    """The inverses of matrices. MindSpore's is for symmetric positive definite ones; this one for all.

    Outputs:
        Tensor of the same shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.MatInverse()(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [[0.5  0.  ]
         [0.   0.25]]
    """

    def construct(self, a: Any) -> Any:
        """Return the inverse."""
        parameter_init.check_tensor_dtypes("MatInverse", _HALF_OR_SINGLE, a=a)
        return _in_single(inverse, a)


class MatrixDiag(Cell):
    """Matrices with given diagonals and zeros elsewhere.

    Inputs:
        - **x** (Tensor) - of shape (..., n), float16, float32, int32, int8 or uint8.

    Outputs:
        Tensor of shape (..., n, n).

    Raises:
        TypeError: for another dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.MatrixDiag()(ms.Tensor([1.0, -1.0])))
        [[ 1.  0.]
         [ 0. -1.]]
    """

    def construct(self, input_x: Any) -> Any:
        """Diagonal matrices."""
        parameter_init.check_tensor_dtypes("MatrixDiag", _DIAGONALS, x=input_x)
        return matrix_diag(input_x)


class MatrixDiagPart(Cell):
    """The diagonals of matrices.

    Inputs:
        - **x** (Tensor) - of shape (..., m, n), float16, float32, int32, int8 or uint8.

    Outputs:
        Tensor of shape (..., min(m, n)).

    Raises:
        TypeError: for another dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.MatrixDiagPart()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [1. 4.]
    """

    def construct(self, input_x: Any) -> Any:
        """Return the main diagonals."""
        parameter_init.check_tensor_dtypes("MatrixDiagPart", _DIAGONALS, x=input_x)
        return matrix_diag_part(input_x, 0, 0)


class MatrixSetDiag(Cell):
    """Matrices with their diagonals replaced.

    Inputs:
        - **x** (Tensor) - of shape (..., m, n), float16, float32, int32, int8 or uint8.
        - **diagonal** (Tensor) - of shape (..., min(m, n)) and the same dtype.

    Outputs:
        Tensor of the shape and dtype of `x`.

    Raises:
        TypeError: for another dtype, or if the dtypes differ.
        ValueError: if the shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.MatrixSetDiag()(ms.ops.ones((2, 2)), ms.Tensor([3.0, 4.0])))
        [[3. 1.]
         [1. 4.]]
    """

    def construct(self, input_x: Any, diagonal: Any) -> Any:
        """Return the matrices with other diagonals."""
        parameter_init.check_tensor_dtypes("MatrixSetDiag", _DIAGONALS, x=input_x)
        parameter_init.check_tensor_dtypes("MatrixSetDiag", (input_x.dtype,), diagonal=diagonal)
        return matrix_set_diag(input_x, diagonal)


class SparseToDense(Cell):
    """A COOTensor as a Tensor.

    Inputs:
        - **sparse_tensor** (COOTensor) - of two dimensions.

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        AttributeError: if the input is not a COOTensor.

    Examples:
        >>> import msjax as ms
        >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 0]]), ms.Tensor([1.0, 2.0]), (2, 2))
        >>> print(ms.nn.SparseToDense()(x))
        [[0. 1.]
         [2. 0.]]
    """

    def construct(self, sparse_tensor: Any) -> Any:
        """Return the dense Tensor."""
        if not isinstance(sparse_tensor, COOTensor):
            raise AttributeError(
                f"`SparseToDense`: the input must be a COOTensor. Received: {type(sparse_tensor).__name__}."
            )
        return sparse_tensor.to_dense()


class SparseTensorDenseMatmul(Cell):
    """The product of a sparse matrix and a dense one.

    Args:
        adjoint_st (bool): transpose the sparse one first.
        adjoint_dt (bool): transpose the dense one first.

    Inputs:
        - **indices** (Tensor) - of shape (n, 2), int32 or int64: places of the values.
        - **values** (Tensor) - of shape (n,).
        - **sparse_shape** (tuple) - two ints.
        - **dense** (Tensor) - of two dimensions, of the dtype of the values.

    Outputs:
        Tensor, the product.

    Raises:
        TypeError: if an argument is not a bool, or an input of another type.

    Examples:
        >>> import msjax as ms
        >>> indices, values = ms.Tensor([[0, 1], [1, 0]]), ms.Tensor([1.0, 2.0])
        >>> print(ms.nn.SparseTensorDenseMatmul()(indices, values, (2, 2), ms.ops.ones((2, 1))))
        [[1.]
         [2.]]
    """

    def __init__(self, adjoint_st: bool = False, adjoint_dt: bool = False) -> None:
        super().__init__()
        parameter_init.check_bools("SparseTensorDenseMatmul", adjoint_st=adjoint_st, adjoint_dt=adjoint_dt)
        self.adj_st = adjoint_st
        self.adj_dt = adjoint_dt

    def construct(self, indices: Any, values: Any, sparse_shape: Any, dense: Any) -> Any:
        """Return the product."""
        parameter_init.check_tensor_dtypes(
            "SparseTensorDenseMatmul", (dtypes.int32, dtypes.int64), indices=indices
        )
        return sparse_matmul(indices, values, sparse_shape, dense, self.adj_st, self.adj_dt)
