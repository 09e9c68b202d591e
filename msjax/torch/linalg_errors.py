"""LinAlgError of `torch.linalg`: singular matrices, and such that are not positive definite. Eager calls only."""

from typing import Any

import numpy as np
import scipy.linalg.lapack
from jax.core import Tracer

from msjax.core.tensor.box import peek


class LinAlgError(RuntimeError):
    """Raised where a matrix has no inverse or no factor."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"
LinAlgError.__module__ = "torch._C"


def check_square(op: str, A: Any) -> None:
    """Raise RuntimeError unless the last two dimensions of a tensor are equal."""
    if A.ndim < 2:
        raise RuntimeError(f"{op}: The input tensor A must have at least 2 dimensions.")
    rows, columns = A.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"{op}: A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )


def minors_without_factor(A: Any, factor: Any) -> np.ndarray | None:
    """Return for each matrix 0, or the order of its first leading minor that is not positive; None while tracing."""
    return _numbers(A, factor, _first_minor)


def zero_pivots(A: Any, result: Any) -> np.ndarray | None:
    """Return for each matrix 0, or the number of its first pivot that is zero; None while tracing."""
    return _numbers(A, result, _first_zero_pivot)


def raise_at(op: str, found: np.ndarray | None, text: str) -> None:
    """Raise LinAlgError for the first matrix with a number that is not 0.

    Args:
        op: the function, for the message.
        found: one number for each matrix; None: not known.
        text: what is wrong, with `{}` for the number.
    """
    if found is None or not found.any():
        return
    place = int(np.flatnonzero(found)[0])
    batch = f"(Batch element {place}): " if found.ndim else ""
    raise LinAlgError(f"{op}: {batch}{text.format(found.ravel()[place])}")


def raise_if_not_finite(op: str, A: Any) -> None:
    """Raise LinAlgError for numbers that are not finite."""
    values = _peek_value(A)
    if values is not None and not np.isfinite(values).all():
        raise LinAlgError(
            f"{op}: The algorithm failed to converge because the input matrix contained non-finite values."
        )


def _peek_value(x: Any) -> np.ndarray | None:
    value = peek(x)
    return None if isinstance(value, Tracer) else np.asarray(value)


def _numbers(A: Any, result: Any, number_of: Any) -> np.ndarray | None:
    """Return the errors' numbers. Only matrices whose result is not finite or has zeros on its diagonal are looked at."""
    matrices, results = _peek_value(A), _peek_value(result)
    if matrices is None or results is None:
        return None
    shape = matrices.shape[:-2]
    found = np.zeros(shape, np.int32)
    square = results.shape == matrices.shape
    if np.isfinite(results).all() and (not square or np.diagonal(results, 0, -2, -1).all()):
        return found
    for place in np.ndindex(shape):
        result = results[place]
        if not (np.isfinite(result).all() and (not square or np.diagonal(result).all())):
            found[place] = number_of(matrices[place])
    return found


def _first_minor(matrix: np.ndarray) -> int:
    """Return the order of the first leading minor of a matrix without factor that is not positive, or not a number."""
    factor = np.zeros_like(matrix)
    for i, row in enumerate(matrix):
        for j in range(i):
            factor[i, j] = (row[j] - factor[i, :j] @ factor[j, :j].conj()) / factor[j, j]
        pivot = (row[i] - factor[i, :i] @ factor[i, :i].conj()).real
        if not pivot > 0:
            return i + 1
        factor[i, i] = np.sqrt(pivot)
    return len(matrix)  # by another rounding


def _first_zero_pivot(matrix: np.ndarray) -> int:
    (factor,) = scipy.linalg.lapack.get_lapack_funcs(("getrf",), (matrix,))
    return int(factor(matrix)[2])
