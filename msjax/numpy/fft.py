"""Discrete Fourier transforms: `mindspore.numpy.fft`.

`a` transforms to A[k] = sum over n of a[n] exp(-2 pi i k n / N) (https://en.wikipedia.org/wiki/Discrete_Fourier_transform);
the r-forms take real numbers and leave out the half of the result that follows by symmetry, the h-forms take such a
half and give real numbers, and those that begin with i go back.
"""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor
from msjax.numpy.array_function import define_function, element_dtype
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by

_SWAPPED = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _cast_input(a: Array, takes: str) -> Array:
    """Floating or complex, at least 32 bits: complex where the transform takes that, real where it takes that."""
    x = a if a.dtype in (np.float64, np.complex64, np.complex128) else a.astype(np.float32)
    if takes == "real" and jnp.iscomplexobj(x):
        return jnp.real(x)
    if takes == "real" or jnp.iscomplexobj(x):
        return x
    return x.astype(np.complex128 if x.dtype == np.float64 else np.complex64)


def _sizes(fn: str, name: str, sizes: Any) -> None:
    for n in sizes if isinstance(sizes, tuple) else () if sizes is None else (sizes,):
        checks.check_ints(fn, **{name: n})
        if n < 1:
            checks.fail(ValueError, fn, name, "be at least 1", sizes)


def _norm(fn: str, norm: Any) -> None:
    if norm not in _SWAPPED:
        checks.fail(ValueError, fn, "norm", "be 'backward', 'ortho', 'forward' or None", repr(norm))


_TAIL = """
        norm (str, None): what the result is divided by: "backward" for N on the way back only, "forward" for N on the
            way there only, "ortho" for the root of N both ways. Default: None, "backward".

    Returns:
        Tensor of {gives} numbers.

    Raises:
        TypeError: if `a` is not an array, or a size or axis not an int.
        ValueError: if a size is less than 1, an axis out of range, or `norm` none of these.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.fft.{name}(ms.numpy.ones((2, 4))).shape
        {shape}
    """
_ONE = """{sentence}

    Args:
        a (Tensor, list, tuple): of at least one dimension; integers become float32.
        n (int, None): how many elements count, with zeros added if there are fewer{half}. Default: None.
        axis (int): along which axis."""
_MANY = """{sentence}

    Args:
        a (Tensor, list, tuple): of at least {least}; integers become float32.
        s (tuple[int], None): how many elements count along each axis, with zeros added if there are fewer{half}.
            Default: None.
        axes (tuple[int], None): which axes."""
_HALF = " (of a half: how many the result has)"


def _complete_doc(name: str, text: str, sentence: str, takes: str, gives: str, shape: str, axes: Any) -> str:
    half = _HALF if takes == "half" else ""
    least = "two dimensions" if axes == (-2, -1) else "one dimension"
    return (text + _TAIL).format(
        sentence=sentence, half=half, least=least, gives=gives, name=name, shape=shape
    )


def _along_one(name: str, sentence: str, takes: str, gives: str, shape: str, of: Callable) -> Any:
    def pure(a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
        _sizes(name, "n", n)
        _norm(name, norm)
        return of(_cast_input(a, takes), n, checks.normalize_axis(name, a.ndim, axis=axis), norm)

    pure.__name__ = pure.__qualname__ = name
    pure.__doc__ = _complete_doc(name, _ONE, sentence, takes, gives, shape, None)
    return define_function(pure, static="n axis norm")


def _along_many(
    name: str, sentence: str, takes: str, gives: str, shape: str, of: Callable, default: Any
) -> Any:
    def pure(a: ArrayLike, s: Any = None, axes: Any = default, norm: str | None = None) -> Array:
        if s is not None and not isinstance(s, tuple):
            checks.fail(TypeError, name, "s", "be a tuple of ints", s)
        _sizes(name, "s", s)
        _norm(name, norm)
        named = axes
        if named is None:
            named = tuple(range(a.ndim - (a.ndim if s is None else len(s)), a.ndim))
        over = tuple(
            checks.normalize_axis(name, a.ndim, axes=i)
            for i in (named if isinstance(named, tuple) else (named,))
        )
        if s is not None and len(s) != len(over):
            checks.fail(ValueError, name, "s", f"hold {len(over)} sizes", s)
        return of(_cast_input(a, takes), s, over, norm)

    pure.__name__ = pure.__qualname__ = name
    pure.__doc__ = _complete_doc(name, _MANY, sentence, takes, gives, shape, default)
    return define_function(pure, static="s axes norm")


def _hfftn(x: Array, s: Any, axes: Any, norm: Any) -> Array:
    return jnp.fft.irfftn(jnp.conj(x), s, axes, _SWAPPED[norm])


def _ihfftn(x: Array, s: Any, axes: Any, norm: Any) -> Array:
    return jnp.conj(jnp.fft.rfftn(x, s, axes, _SWAPPED[norm]))


_LAST = (-2, -1)
_WHOLE, _THREE, _SIX = "(2, 4)", "(2, 3)", "(2, 6)"
_1D, _2D, _ND = ("along an axis", "over two axes", "over several axes, by default all")

fft = _along_one("fft", f"The Fourier transform {_1D}.", "complex", "complex", _WHOLE, jnp.fft.fft)
ifft = _along_one("ifft", f"The inverse of `fft` {_1D}.", "complex", "complex", _WHOLE, jnp.fft.ifft)
rfft = _along_one(
    "rfft",
    f"The Fourier transform of real numbers {_1D}, half of it.",
    "real",
    "complex",
    _THREE,
    jnp.fft.rfft,
)
irfft = _along_one("irfft", f"The inverse of `rfft` {_1D}.", "half", "real", _SIX, jnp.fft.irfft)
hfft = _along_one(
    "hfft", f"The Fourier transform of half a symmetric sequence {_1D}.", "half", "real", _SIX, jnp.fft.hfft
)
ihfft = _along_one("ihfft", f"The inverse of `hfft` {_1D}.", "real", "complex", _THREE, jnp.fft.ihfft)

fft2 = _along_many("fft2", f"The Fourier transform {_2D}.", "complex", "complex", _WHOLE, jnp.fft.fftn, _LAST)
ifft2 = _along_many(
    "ifft2", f"The inverse of `fft2` {_2D}.", "complex", "complex", _WHOLE, jnp.fft.ifftn, _LAST
)
rfft2 = _along_many(
    "rfft2",
    f"The Fourier transform of real numbers {_2D}, half of it.",
    "real",
    "complex",
    _THREE,
    jnp.fft.rfftn,
    _LAST,
)
irfft2 = _along_many("irfft2", f"The inverse of `rfft2` {_2D}.", "half", "real", _SIX, jnp.fft.irfftn, _LAST)
hfft2 = _along_many(
    "hfft2", f"The Fourier transform of half a symmetric array {_2D}.", "half", "real", _SIX, _hfftn, _LAST
)
ihfft2 = _along_many("ihfft2", f"The inverse of `hfft2` {_2D}.", "real", "complex", _THREE, _ihfftn, _LAST)

fftn = _along_many("fftn", f"The Fourier transform {_ND}.", "complex", "complex", _WHOLE, jnp.fft.fftn, None)
ifftn = _along_many(
    "ifftn", f"The inverse of `fftn` {_ND}.", "complex", "complex", _WHOLE, jnp.fft.ifftn, None
)
rfftn = _along_many(
    "rfftn",
    f"The Fourier transform of real numbers {_ND}, half of it.",
    "real",
    "complex",
    _THREE,
    jnp.fft.rfftn,
    None,
)
irfftn = _along_many("irfftn", f"The inverse of `rfftn` {_ND}.", "half", "real", _SIX, jnp.fft.irfftn, None)
hfftn = _along_many(
    "hfftn", f"The Fourier transform of half a symmetric array {_ND}.", "half", "real", _SIX, _hfftn, None
)
# MindSpore 2.10 computes this, and shows it in its example; the inverse is `ops.ihfftn`.
ihfftn = _along_many(
    "ihfftn", f"The same as `hfftn`, as in MindSpore 2.10, {_ND}.", "half", "real", _SIX, _hfftn, None
)


def _shift_axes(fn: str, x: Array, axes: Any) -> tuple[int, ...]:
    named = range(x.ndim) if axes is None else axes if isinstance(axes, tuple) else (axes,)
    return tuple(checks.normalize_axis(fn, x.ndim, axes=i) for i in named)


@define_function(static="axes")
def fftshift(x: ArrayLike, axes: Any = None) -> Array:
    """Return the result of a transform with the frequency 0 in the middle.

    Args:
        x (Tensor, list, tuple): of any shape.
        axes (int, tuple[int], None): along which axes. Default: None, all.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        TypeError: if an axis is not an int.
        ValueError: if an axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.fft.fftshift(ms.Tensor([0, 1, 2, -2, -1])))
        [-2 -1  0  1  2]
    """
    return jnp.fft.fftshift(x, _shift_axes("fftshift", x, axes))


@define_function(static="axes")
@documented_by(fftshift)
def ifftshift(x: ArrayLike, axes: Any = None) -> Array:
    """Return the inverse of `fftshift`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.fft.ifftshift(ms.Tensor([-2, -1, 0, 1, 2])))
        [ 0  1  2 -2 -1]
    """
    return jnp.fft.ifftshift(x, _shift_axes("ifftshift", x, axes))


@op(static="n d dtype half")
def _frequencies(n: int, d: float, dtype: Any, half: BoolLike) -> Array:
    return jnp.asarray((np.fft.rfftfreq if half else np.fft.fftfreq)(n, d).astype(dtype))


def _check_spacing(fn: str, n: Any, d: Any, dtype: Any) -> tuple:
    checks.check_ints(fn, n=n)
    checks.check_numbers(fn, d=d)
    if n < 1:
        checks.fail(ValueError, fn, "n", "be at least 1", n)
    return n, float(d), element_dtype(fn, dtype or dtypes.float32)


def fftfreq(n: int, d: float = 1.0, dtype: Any = None) -> Tensor:
    """Return the frequencies that the elements of `fft` stand for, in turns per unit.

    Args:
        n (int): how many elements were transformed.
        d (float): the distance at which they were taken.
        dtype (mindspore.dtype, None): Default: None, float32.

    Returns:
        Tensor of n elements.

    Raises:
        TypeError: if `n` is not an int or `d` not a number.
        ValueError: if `n` is less than 1.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.fft.fftfreq(4))
        [ 0.    0.25 -0.5  -0.25]
    """
    return _frequencies(*_check_spacing("fftfreq", n, d, dtype), False)


@documented_by(fftfreq)
def rfftfreq(n: int, d: float = 1.0, dtype: Any = None) -> Tensor:
    """Return the frequencies that the elements of `rfft` stand for, in turns per unit.

    Returns:
        Tensor of n // 2 + 1 elements.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.fft.rfftfreq(4))
        [0.   0.25 0.5 ]
    """
    return _frequencies(*_check_spacing("rfftfreq", n, d, dtype), True)
