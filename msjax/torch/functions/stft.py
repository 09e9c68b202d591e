"""Short-time Fourier transform (stft, istft) and window functions."""

from typing import Any

import jax.numpy as jnp

from msjax import ops
from msjax.core.op.argument_types import BoolLike
from msjax.core.op.op import op
from msjax.ops.signal.stft_windows import stft_of
from msjax.torch.functions import basic as T
from msjax.torch.tensors.creation import finish_creation, get_default_dtype
from msjax.torch.tensors.tensor import as_torch


def _define_window(name: str) -> Any:
    def window(window_length: int, periodic: bool = True, *args: Any, dtype: Any = None, **named: Any) -> Any:
        kept = {key: named.pop(key) for key in ("alpha", "beta") if key in named}
        made = getattr(ops, name)(window_length, periodic, *args, dtype=dtype or get_default_dtype(), **kept)
        return finish_creation(name, made, **named)

    window.__name__ = name
    window.__doc__ = f"The {name.replace('_', ' ')}."
    return window


bartlett_window, blackman_window, hamming_window, hann_window, kaiser_window = map(
    _define_window, ("bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window")
)


def _center_window(window: Any, win_length: int, n_fft: int, like: Any) -> Any:
    window = T.ones(win_length, dtype=like.dtype) if window is None else window
    before = (n_fft - win_length) // 2
    return as_torch(ops.pad(window, [before, n_fft - win_length - before]))


def stft(
    input: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None,
    center: bool = True, pad_mode: str = "reflect", normalized: bool = False, onesided: bool | None = None,
    return_complex: bool | None = None, align_to_window: bool | None = None,
) -> Any:  # fmt: skip
    """Return the spectra of overlapping windows of a signal.

    Args:
        input: of shape (time,) or (n, time).
        n_fft: the length of the transforms.
        hop_length: from one window to the next; a quarter of `n_fft`.
        win_length: the length of the window, which is padded to `n_fft`.
        window: of that length; ones.
        center: whether windows are centred at multiples of the hop, with borders added.
        pad_mode: of the borders.
        normalized: whether to divide by the root of `n_fft`.
        onesided: whether to leave out what follows by symmetry; so for real signals.
        return_complex: whether the result is complex, or has real and imaginary parts in a last dimension.
        align_to_window: must be left out.

    Returns:
        A tensor of shape (..., frequencies, windows).

    Raises:
        RuntimeError: if `return_complex` is missing for a real signal.

    Examples:
        >>> from msjax import torch
        >>> torch.stft(torch.ones(8), 4, return_complex=True).shape
        torch.Size([3, 9])
    """
    complex_input = input.is_complex() or (window is not None and window.is_complex())
    if return_complex is None and not complex_input:
        raise RuntimeError("stft requires the return_complex parameter be given for real inputs.")
    width = win_length or n_fft
    x = input.unsqueeze(0) if input.ndim == 1 else input
    if center:
        x = T.squeeze(as_torch(ops.pad(T.unsqueeze(x, 1), [n_fft // 2, n_fft // 2], mode=pad_mode)), 1)
    onesided = not complex_input if onesided is None else onesided
    shaped = _center_window(window, width, n_fft, input)
    hop = hop_length or n_fft // 4
    found = as_torch(stft_of(x, shaped, n_fft, hop, n_fft, normalized, onesided, True))
    found = found.squeeze(0) if input.ndim == 1 else found
    return found if return_complex or complex_input else as_torch(ops.view_as_real(found))


@op(static="n_fft hop normalized onesided")
def _overlap_add(
    spectra: Any, window: Any, n_fft: int, hop: int, normalized: BoolLike, onesided: BoolLike
) -> Any:
    frames = jnp.swapaxes(spectra, -1, -2)
    norm = "ortho" if normalized else None
    if onesided:
        found = jnp.fft.irfft(frames[..., : n_fft // 2 + 1], n_fft, norm=norm)
    else:
        found = jnp.fft.ifft(frames, n_fft, norm=norm)
    count = frames.shape[-2]
    places = jnp.arange(count)[:, None] * hop + jnp.arange(n_fft)
    length = n_fft + hop * (count - 1)
    total = jnp.zeros((*found.shape[:-2], length), found.dtype).at[..., places].add(found * window)
    squares = (
        jnp.zeros(length, window.dtype)
        .at[places]
        .add(jnp.square(window) + jnp.zeros((count, 1), window.dtype))
    )
    return total / jnp.where(squares > 1e-11, squares, 1)


def istft(
    input: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None,
    center: bool = True, normalized: bool = False, onesided: bool | None = None, length: int | None = None,
    return_complex: bool = False,
) -> Any:  # fmt: skip
    """Return the signal from its spectra, as least squares over windows (Griffin and Lim, 1984): the inverse of `stft`."""
    x = input.unsqueeze(0) if input.ndim == 2 else input
    hop, width = hop_length or n_fft // 4, win_length or n_fft
    real = T.empty(0, dtype=as_torch(ops.real(x)).dtype)
    shaped = _center_window(window, width, n_fft, real)
    found = as_torch(_overlap_add(x, shaped, n_fft, hop, normalized, not return_complex))
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else found.shape[-1] - (n_fft // 2 if center else 0)
    cut = found[..., start:end]
    if length is not None and cut.shape[-1] < length:
        cut = as_torch(ops.pad(cut, [0, length - cut.shape[-1]]))
    return cut.squeeze(0) if input.ndim == 2 else cut


NAMES = [
    "bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window", "stft", "istft",
]  # fmt: skip
METHODS = ["stft", "istft"]
