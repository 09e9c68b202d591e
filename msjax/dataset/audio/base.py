"""Base class of audio transforms, and shared checks. A signal is an array of shape (..., time)."""

from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.common.arguments import KeepsArguments


class AudioTransform(KeepsArguments):
    """A function of one signal of float16, float32 or float64. A subclass defines `apply`.

    Computed in float64, unless `in_own_dtype`, and given in the signal's dtype; but float16 becomes float32, unless it
    `keeps_half`. Integers and bools become float32 too, where a subclass `takes_integers`.
    """

    rank = 1
    keeps_half = False
    in_own_dtype = False
    takes_integers = True

    def __call__(self, *signals: Any) -> Any:
        """Return the transformed signal.

        Raises:
            TypeError: if it is not an array.
            RuntimeError: if it holds something else, or has fewer axes than needed.
        """
        op = type(self).__name__
        for signal in signals:
            if not isinstance(signal, np.ndarray):
                raise TypeError(f"`{op}`: takes an array. Received: {signal!r} ({type(signal).__name__}).")
            if signal.dtype.kind not in "biufSU":
                raise TypeError(f"`{op}`: takes an array of real numbers. Received: {signal.dtype}.")
        if len(signals) != 1:
            raise RuntimeError(f"`{op}`: takes one signal. Received: {len(signals)}.")
        signal = signals[0]
        if signal.dtype.kind not in ("biuf" if self.takes_integers else "f"):
            raise RuntimeError(f"`{op}`: takes floats. Received: {signal.dtype}.")
        if signal.ndim < self.rank:
            raise RuntimeError(f"`{op}`: takes at least {self.rank} axes. Received: shape {signal.shape}.")
        kept = signal.dtype == np.float64 or (self.keeps_half and signal.dtype == np.float16)
        dtype = signal.dtype if kept else np.dtype(np.float32)
        given = self.apply(signal.astype(dtype if self.in_own_dtype else np.float64))
        if isinstance(given, tuple):
            return tuple(np.asarray(one, dtype) for one in given)
        return np.asarray(given, dtype)

    def apply(self, signal: np.ndarray) -> Any:
        """Return the transformed signal."""
        raise NotImplementedError


def check_sample_rate(op: str, value: Any) -> int:
    """Return a sample rate: an int that is not 0.

    Raises:
        TypeError, ValueError: for anything else.
    """
    if checks.check_int(op, "sample_rate", value, -(2**31)) == 0:
        checks.fail(ValueError, op, "sample_rate", "not be 0", value)
    return value


def check_quality_factor(op: str, value: Any) -> float:
    """Return a quality factor in (0, 1].

    Raises:
        TypeError, ValueError: for anything else.
    """
    if checks.check_number(op, "Q", value, 0, 1) == 0:
        checks.fail(ValueError, op, "Q", "be in (0, 1]", value)
    return value


def check_enum(op: str, name: str, value: Any, kind: type) -> Any:
    """Return a member of an enum.

    Raises:
        TypeError: for anything else.
    """
    if not isinstance(value, kind):
        checks.fail(TypeError, op, name, f"be a {kind.__name__}", value)
    return value


def lfilter(b: Any, a: Any, signal: np.ndarray) -> np.ndarray:
    """Filter a signal along its last axis by the coefficients `b` and `a` of a difference equation."""
    import scipy.signal  # which takes longer to import than jax

    return np.asarray(scipy.signal.lfilter(b, a, signal))
