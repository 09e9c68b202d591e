"""The function that MindSpore keeps in `mindspore.scipy.ops_wrapper`."""

from typing import Any

from msjax.ops.array import band_matrices
from msjax.ops.common import checks


def matrix_set_diag(input_x: Any, diagonal: Any, k: Any = 0, alignment: str = "RIGHT_LEFT") -> Any:
    """Matrices with some diagonals replaced (`ops.matrix_set_diag`, with other names).

    Args:
        input_x (Tensor): of shape (..., m, n).
        diagonal (Tensor): of shape (..., length), or (..., count, length) for several, the highest first.
        k (int, list, tuple): which diagonal, or the lowest and the highest.
        alignment (str): on which side the shorter ones stand: above and below the main one.

    Returns:
        Tensor of the shape and dtype of `input_x`.

    Raises:
        ValueError: if `k` is none of these.

    Examples:
        >>> import msjax as ms
        >>> from msjax.scipy.ops_wrapper import matrix_set_diag
        >>> print(matrix_set_diag(ms.Tensor([[7, 7], [7, 7]]), ms.Tensor([1, 2])))
        [[1 7]
         [7 2]]
    """
    if not isinstance(k, int | list | tuple):
        checks.fail(ValueError, "matrix_set_diag", "k", "be an int or two", f"{k!r} ({type(k).__name__})")
    return band_matrices.matrix_set_diag(input_x, diagonal, tuple(k) if isinstance(k, list) else k, alignment)
