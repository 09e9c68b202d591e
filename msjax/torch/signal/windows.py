"""`torch.signal.windows`: windows for spectral analysis and filters."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.torch.tensors.creation import get_default_dtype, strided, tensor
from msjax.torch.tensors.tensor import Tensor


def _window(
    name: str, shape: Callable, M: int, sym: bool, dtype: Any = None, layout: Any = strided, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The values of a function of places 0 ... M - 1 and of the last place; of a period of M + 1 places unless `sym`."""
    kind = dtype or get_default_dtype()
    if M < 0:
        raise ValueError(f"`{name}`: argument `M` must not be negative. Received: {M}.")
    if layout != strided:
        raise ValueError(f"`{name}`: argument `layout` must be torch.strided. Received: {layout}.")
    if kind not in (dtypes.float32, dtypes.float64):
        raise ValueError(
            f"`{name}`: argument `dtype` must be torch.float32 or torch.float64. Received: {kind}."
        )
    last = max(M - 1 if sym else M, 1)
    values = np.ones(M) if M == 1 else shape(np.arange(M, dtype=np.float64), last)
    return tensor(np.asarray(values, dtypes.as_np(kind)), requires_grad=requires_grad)


def _check_positive(name: str, argument: str, value: float, zero: bool = False) -> None:
    if value < 0 or (value == 0 and not zero):
        raise ValueError(f"`{name}`: argument `{argument}` must be positive. Received: {value}.")


def _cosines(a: Iterable[float]) -> Callable:
    return lambda k, last: sum((-1) ** i * c * np.cos(2 * math.pi * i * k / last) for i, c in enumerate(a))


def bartlett(M: int, *, sym: bool = True, **where: Any) -> Tensor:
    """A triangle that is zero at its ends.

    Args:
        M: the number of places.
        sym: whether the window is symmetric, for filters; else it is one period of a longer one, for spectra.
        where: dtype, layout, device and requires_grad.

    Examples:
        >>> from msjax import torch
        >>> torch.signal.windows.bartlett(5)
        tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return _window("bartlett", lambda k, last: 1 - np.abs(2 * k / last - 1), M, sym, **where)


def blackman(M: int, *, sym: bool = True, **where: Any) -> Tensor:
    """Blackman's window: three cosines."""
    return _window("blackman", _cosines((0.42, 0.5, 0.08)), M, sym, **where)


def cosine(M: int, *, sym: bool = True, **where: Any) -> Tensor:
    """The half wave of a sine."""
    return _window("cosine", lambda k, last: np.sin(math.pi * (k + 0.5) / (last + 1)), M, sym, **where)


def exponential(
    M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, **where: Any
) -> Tensor:
    """exp(-|k - center| / tau); the centre is in the middle unless it is given and the window is not symmetric."""
    _check_positive("exponential", "tau", tau)
    if sym and center is not None:
        raise ValueError("`exponential`: argument `center` must be None for a symmetric window.")
    middle = lambda last: last / 2 if center is None else center  # noqa: E731
    return _window("exponential", lambda k, last: np.exp(-np.abs(k - middle(last)) / tau), M, sym, **where)


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, **where: Any) -> Tensor:
    """exp(-((k - middle) / std)² / 2)."""
    _check_positive("gaussian", "std", std)
    return _window("gaussian", lambda k, last: np.exp(-(((k - last / 2) / std) ** 2) / 2), M, sym, **where)


def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, **where: Any) -> Tensor:
    """A sum of cosines with the weights `a`, of changing signs."""
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    return _window("general_cosine", _cosines(a), M, sym, **where)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **where: Any) -> Tensor:
    """alpha - (1 - alpha) cos(2 pi k / last)."""
    return _window("general_hamming", _cosines((alpha, 1 - alpha)), M, sym, **where)


def hamming(M: int, *, sym: bool = True, **where: Any) -> Tensor:
    """Hamming's window: 0.54 - 0.46 cos(2 pi k / last)."""
    return _window("hamming", _cosines((0.54, 0.46)), M, sym, **where)


def hann(M: int, *, sym: bool = True, **where: Any) -> Tensor:
    """Hann's window: sin²(pi k / last)."""
    return _window("hann", _cosines((0.5, 0.5)), M, sym, **where)


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, **where: Any) -> Tensor:
    """Kaiser's window, of Bessel functions."""
    _check_positive("kaiser", "beta", beta, zero=True)
    arch = lambda k, last: np.sqrt(np.maximum(0, 1 - (2 * k / last - 1) ** 2))  # noqa: E731
    return _window("kaiser", lambda k, last: np.i0(beta * arch(k, last)) / np.i0(beta), M, sym, **where)


def nuttall(M: int, *, sym: bool = True, **where: Any) -> Tensor:
    """Nuttall's window: four cosines."""
    return _window("nuttall", _cosines((0.3635819, 0.4891775, 0.1365995, 0.0106411)), M, sym, **where)
