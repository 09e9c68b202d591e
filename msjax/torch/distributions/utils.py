"""`torch.distributions.utils`: broadcasting of parameters, logits and probabilities, triangles as vectors."""

import functools
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from msjax.core.autodiff.imperative import enable_grad
from msjax.torch.functions import basic as T
from msjax.torch.functions import composed
from msjax.torch.functions.finfo_and_modes import finfo
from msjax.torch.nn import functional as F
from msjax.torch.tensors.creation import get_default_dtype
from msjax.torch.tensors.tensor import Tensor


def broadcast_all(*values: Any) -> tuple[Any, ...]:
    """Return tensors of one shape; numbers take the dtype of the first tensor, or the default one.

    Raises:
        ValueError: if one is neither a number nor a tensor.

    Examples:
        >>> from msjax import torch
        >>> torch.distributions.utils.broadcast_all(1, torch.zeros(2))
        (tensor([1., 1.]), tensor([0., 0.]))
    """
    if not all(isinstance(v, Tensor | numbers.Number) for v in values):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor or objects implementing "
                         "__torch_function__.")  # fmt: skip
    kind = next((v.dtype for v in values if isinstance(v, Tensor)), get_default_dtype())
    made = [v if isinstance(v, Tensor) else T.tensor(v, dtype=kind) for v in values]
    return tuple(composed.broadcast_tensors(*made))


def sum_rightmost(value: Any, count: int) -> Any:
    """Return the sum over the last `count` dimensions."""
    return value.sum(tuple(range(-count, 0))) if count else value


_sum_rightmost = sum_rightmost


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Any:
    return T.randn(*shape, dtype=dtype)  # type: ignore[attr-defined]


def logits_to_probs(logits: Any, is_binary: bool = False) -> Any:
    """Return the probabilities of log-odds, or of logarithms along the last dimension."""
    return F.sigmoid(logits) if is_binary else F.softmax(logits, dim=-1)


def clamp_probs(probs: Any) -> Any:
    """Return probabilities that are neither 0 nor 1."""
    eps = finfo(probs.dtype).eps
    return T.clamp(probs, min=eps, max=1 - eps)


def probs_to_logits(probs: Any, is_binary: bool = False) -> Any:
    """Return the log-odds of probabilities, or their logarithms."""
    inside = clamp_probs(probs)
    return inside.log() - (-inside).log1p() if is_binary else inside.log()


class lazy_property:  # noqa: N801
    """A property that is computed once, with gradients, when it is first asked for."""

    def __init__(self, wrapped: Callable) -> None:
        self.wrapped = wrapped
        functools.update_wrapper(self, wrapped)  # type: ignore[arg-type]

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def _lower(n: int, diag: int) -> tuple[Any, ...]:
    """Return the rows and columns of a lower triangle's elements."""
    return tuple(T.tensor(places) for places in np.tril_indices(n, diag))


def tril_matrix_to_vec(mat: Any, diag: int = 0) -> Any:
    """Return the lower triangles of matrices as vectors, row by row.

    Raises:
        ValueError: if the diagonal lies outside.
    """
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    rows, columns = _lower(n, diag)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Any, diag: int = 0) -> Any:
    """Return lower triangular matrices of vectors of their elements.

    Raises:
        ValueError: if no triangle has that many elements.
    """
    n = (-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(n) - n > finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower triangular part of a "
            "square D x D matrix."
        )
    size = round(n)
    made = T.zeros(*vec.shape[:-1], size, size, dtype=vec.dtype)
    rows, columns = _lower(size, diag)
    made[..., rows, columns] = vec
    return made
