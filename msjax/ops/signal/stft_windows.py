"""Window functions, short-time Fourier transform (STFT), and FFTs of given sizes."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array


def _window(
    op_name: str, length: Any, periodic: Any, dtype: Any, shape: Callable[[np.ndarray, int], np.ndarray]
) -> Tensor:
    """Make a window from its formula, shape(places, last place); a periodic one is a longer symmetric one, less its end."""
    if isinstance(length, bool) or not isinstance(length, int):
        rule = (
            "be an int"
            if not isinstance(length, Tensor)
            else "be an int; the length decides the result's shape"
        )
        checks.fail(TypeError, op_name, "window_length", rule, f"{length!r} ({type(length).__name__})")
    if length < 0:
        checks.fail(ValueError, op_name, "window_length", "be at least 0", length)
    checks.check_bools(op_name, periodic=periodic)
    kind = dtypes.as_np(dtype)
    if not jnp.issubdtype(kind, jnp.floating):
        checks.fail(TypeError, op_name, "dtype", "be a floating dtype", dtype)
    last = length if periodic else length - 1
    values = np.ones(length) if length < 2 else shape(np.arange(length, dtype=np.float64), last)
    return Tensor.from_array(jnp.asarray(values.astype(kind)))


def _length(op_name: str, given: Any) -> Any:
    """Return the length that MindSpore's `bartlett_window` and `blackman_window` take as a Tensor."""
    if isinstance(given, Tensor):
        checks.check_integer(op_name, window_length=given.array)
        checks.check_rank(op_name, 0, window_length=given.array)
        return int(concrete(given, op_name))
    return given


def bartlett_window(window_length: Any, periodic: bool = True, *, dtype: Any = None) -> Tensor:
    """Bartlett's window, a triangle: 1 - |2 i / (n - 1) - 1| (Oppenheim and Schafer, 7.2).

    Args:
        window_length (int, Tensor): number of elements.
        periodic (bool): leave out the end, for periodic signals; n counts it.
        dtype (mindspore.dtype, None): a floating dtype. Default: float32.

    Returns:
        Tensor of shape (window_length,).

    Raises:
        TypeError: if `window_length` is not an integer, `periodic` not a bool or `dtype` not floating.
        ValueError: if `window_length` is negative.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.bartlett_window(ms.Tensor(4)))
        [0.  0.5 1.  0.5]
    """
    length = _length("bartlett_window", window_length)
    return _window(
        "bartlett_window", length, periodic, dtype or dtypes.float32, lambda i, n: 1 - np.abs(2 * i / n - 1)
    )


@documented_by(bartlett_window)
def blackman_window(window_length: Any, periodic: bool = True, *, dtype: Any = None) -> Tensor:
    """Blackman's window: 0.42 - 0.5 cos(2 pi i / (n - 1)) + 0.08 cos(4 pi i / (n - 1)) (Oppenheim and Schafer, 7.2).

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.blackman_window(ms.Tensor(2)).round(3))
        [-0.  1.]
    """

    def shape(i: np.ndarray, n: int) -> np.ndarray:
        return 0.42 - 0.5 * np.cos(2 * np.pi * i / n) + 0.08 * np.cos(4 * np.pi * i / n)

    length = _length("blackman_window", window_length)
    return _window("blackman_window", length, periodic, dtype or dtypes.float32, shape)


@documented_by(bartlett_window)
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: Any = None
) -> Tensor:
    """Hamming's window: alpha - beta cos(2 pi i / (n - 1)) (Oppenheim and Schafer, 7.2).

    Args:
        window_length (int): number of elements.
        alpha (float): the constant.
        beta (float): weight of the cosine.

    Raises:
        TypeError: if `window_length` is not an int, `periodic` not a bool or `dtype` not floating.
        ValueError: if `window_length` is negative.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.hamming_window(4))
        [0.08 0.54 1.   0.54]
    """
    return _window(
        "hamming_window",
        window_length,
        periodic,
        dtype or dtypes.float32,
        lambda i, n: float(alpha) - float(beta) * np.cos(2 * np.pi * i / n),
    )


def hamming_of(
    length: Any, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, dtype: Any = None
) -> Tensor:
    """Hamming's window, its length given as a Tensor (what `ops.HammingWindow` computes)."""
    if isinstance(length, Tensor) and length.ndim == 1 and length.size == 1:
        length = Tensor.from_array(length.array.reshape(()))
    return hamming_window(_length("HammingWindow", length), periodic, alpha, beta, dtype=dtype)


@documented_by(hamming_window)
def hann_window(window_length: int, periodic: bool = True, *, dtype: Any = None) -> Tensor:
    """Hann's window: 0.5 - 0.5 cos(2 pi i / (n - 1)) (Oppenheim and Schafer, 7.2).

    Args:
        dtype (mindspore.dtype, None): a floating dtype. Default: float64, as in MindSpore.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.hann_window(4))
        [0.  0.5 1.  0.5]
    """
    return _window(
        "hann_window",
        window_length,
        periodic,
        dtype or dtypes.float64,
        lambda i, n: 0.5 - 0.5 * np.cos(2 * np.pi * i / n),
    )


@documented_by(hann_window)
def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: Any = None
) -> Tensor:
    """Kaiser's window: I0(beta sqrt(1 - (2 i / (n - 1) - 1)^2)) / I0(beta) (Oppenheim and Schafer, 7.4.3).

    Args:
        beta (float): how narrow it is.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.kaiser_window(4).round(4))
        [1.000e-04 2.157e-01 1.000e+00 2.157e-01]
    """

    def shape(i: np.ndarray, n: int) -> np.ndarray:
        return np.i0(float(beta) * np.sqrt(np.maximum(1 - (2 * i / n - 1) ** 2, 0))) / np.i0(float(beta))

    return _window("kaiser_window", window_length, periodic, dtype or dtypes.float64, shape)


# ---------------------------------------------------------------------- transforms

_PAD = {"CONSTANT": "constant", "REFLECT": "reflect", "SYMMETRIC": "symmetric"}


@op(static="n_fft hop_length win_length center pad_mode normalized onesided return_complex", promotes=True)
def stft(
    x: Array,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Array | None = None,
    center: bool = True,
    pad_mode: str = "REFLECT",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
) -> Array:
    """Short-time Fourier transform: of a signal's frames, each times a window (Oppenheim and Schafer, 10.3).

    Args:
        x (Tensor): signals, of shape (t,) or (b, t), floating or complex.
        n_fft (int): length of the transform.
        hop_length (int, None): steps from frame to frame. Default: n_fft // 4.
        win_length (int, None): length of the window, which is filled up with zeros to n_fft. Default: n_fft.
        window (Tensor, None): of shape (win_length,). Default: ones.
        center (bool): frames are centred, for which n_fft // 2 elements are added at both ends.
        pad_mode (str): how: "REFLECT", "SYMMETRIC" or "CONSTANT" (zeros).
        normalized (bool): divide by the root of n_fft.
        onesided (bool, None): give the half that determines the result. Default: of real signals.
        return_complex (bool, None): give complex numbers; otherwise real and imaginary parts along a last axis. Default:
            of complex signals or windows.

    Returns:
        Tensor of shape (b, n_fft or n_fft // 2 + 1, frames), with a last axis of size 2 for parts.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if the signal has another number of dimensions or is shorter than n_fft, or a setting is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.stft(ms.ops.ones((8,)), 4, center=False, return_complex=True).shape)
        (3, 5)
    """
    x = as_array("stft", "x", x)
    checks.check_inexact("stft", x=x)
    checks.check_rank("stft", 1, 2, x=x)
    checks.check_ints("stft", n_fft=n_fft)
    if n_fft < 1:
        checks.fail(ValueError, "stft", "n_fft", "be at least 1", n_fft)
    width = n_fft if win_length is None else win_length
    hop = n_fft // 4 if hop_length is None else hop_length
    checks.check_ints("stft", hop_length=hop, win_length=width)
    if center:
        checks.check_choice("stft", tuple(_PAD), pad_mode=pad_mode)
        x = jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(n_fft // 2,) * 2], _PAD[pad_mode])
    if n_fft > x.shape[-1]:
        checks.fail(ValueError, "stft", "n_fft", f"be in [1, {x.shape[-1]}]", n_fft)
    if hop < 1:
        checks.fail(ValueError, "stft", "hop_length", "be at least 1", hop)
    if not 0 < width <= n_fft:
        checks.fail(ValueError, "stft", "win_length", f"be in [1, {n_fft}]", width)
    shape = jnp.ones(width, x.dtype) if window is None else as_array("stft", "window", window)
    if shape.shape != (width,):
        checks.fail(ValueError, "stft", "window", f"be of shape ({width},)", f"array of shape {shape.shape}")
    is_complex = any(jnp.issubdtype(a.dtype, jnp.complexfloating) for a in (x, shape))
    before = (n_fft - width) // 2
    shape = jnp.pad(shape, (before, n_fft - width - before))
    starts = np.arange(0, x.shape[-1] - n_fft + 1, hop)
    met = dtypes.promote(x.dtype, shape.dtype)
    frames = x.astype(met)[..., starts[:, None] + np.arange(n_fft)] * shape.astype(met)
    half = not is_complex if onesided is None else onesided
    if half and is_complex:
        checks.fail(ValueError, "stft", "onesided", "be False for a complex signal or window", onesided)
    found = (jnp.fft.rfft if half else jnp.fft.fft)(frames, norm="ortho" if normalized else None)
    found = jnp.swapaxes(found, -1, -2)
    as_complex = is_complex if return_complex is None else return_complex
    return found if as_complex else jnp.stack([jnp.real(found), jnp.imag(found)], -1)


@op(static="n_fft hop_length win_length normalized onesided return_complex")
def stft_of(
    x: ArrayLike,
    window: ArrayLike,
    n_fft: int,
    hop_length: int,
    win_length: int,
    normalized: BoolLike,
    onesided: BoolLike,
    return_complex: BoolLike,
) -> Array:
    """Short-time Fourier transform of a signal as it is (what `ops.STFT` computes)."""
    return stft.pure(
        x, n_fft, hop_length, win_length, window, False, "REFLECT", normalized, onesided, return_complex
    )


@op(static="signal_ndim inverse real norm onesided signal_sizes")
def fft_of_size(
    x: Array,
    signal_ndim: int,
    inverse: bool,
    real: bool,
    norm: str = "backward",
    onesided: bool = True,
    signal_sizes: Any = (),
) -> Array:
    """Fourier transform of the last axes in one of four forms (what `ops.FFTWithSize` computes).

    Args:
        x (Tensor): complex, or floating for the forward transform of real numbers.
        signal_ndim (int): along how many axes, 1 to 3.
        inverse (bool): the inverse transform.
        real (bool): of real numbers: forth the half that determines the result, back real numbers.
        norm (str): which direction is divided by the size: "backward", "forward", or "ortho" for each by its root.
        onesided (bool): with `real`, whether the transformed side holds that half alone, or all.
        signal_sizes (tuple[int]): sizes of the result of the inverse transform to real numbers.

    Returns:
        Tensor, complex or, of the inverse transform to real numbers, floating.

    Raises:
        TypeError: if `x` is of a dtype that does not fit.
        ValueError: if `x` has fewer dimensions than `signal_ndim`, or that is none of 1, 2, 3.

    Examples:
        >>> import msjax as ms
        >>> transform = ms.ops.FFTWithSize(signal_ndim=1, inverse=False, real=True)
        >>> print(transform(ms.Tensor([2.0, 1.0, 2.0])))
        [5. +0.j        0.5+0.8660254j]
    """
    x = as_array("FFTWithSize", "x", x)
    if signal_ndim not in (1, 2, 3) or x.ndim < signal_ndim:
        checks.fail(
            ValueError, "FFTWithSize", "signal_ndim", f"be 1, 2 or 3, and at most {x.ndim}", signal_ndim
        )
    forth = real and not inverse
    if jnp.issubdtype(x.dtype, jnp.complexfloating) == forth:
        rule = "be floating" if forth else "be complex"
        checks.fail(TypeError, "FFTWithSize", "x", rule, f"array of dtype {x.dtype}")
    over = tuple(range(-signal_ndim, 0))
    if forth:
        x = x if x.dtype.itemsize >= 4 else x.astype(jnp.float32)
        return (jnp.fft.rfftn if onesided else jnp.fft.fftn)(x, None, over, norm)
    if not real:
        return (jnp.fft.ifftn if inverse else jnp.fft.fftn)(x, None, over, norm)
    if not onesided:
        return jnp.real(jnp.fft.ifftn(x, None, over, norm))
    return jnp.fft.irfftn(x, tuple(signal_sizes) or None, over, norm)
