"""Fourier transforms (FFT). Integers and 16-bit floats are taken as float32; float64 gives complex128."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array

_NORMS = ("backward", "forward", "ortho")


def _signal(op_name: str, x: Any) -> Array:
    """Return an array that can be transformed: float32, float64 or complex."""
    x = as_array(op_name, "input", x)
    if x.dtype == bool:
        checks.fail(TypeError, op_name, "input", "be of a numeric dtype", "array of dtype bool")
    wide = x.dtype in (jnp.float32, jnp.float64) or jnp.issubdtype(x.dtype, jnp.complexfloating)
    return x if wide else x.astype(jnp.float32)


def _complex(x: Array) -> Array:
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        return x
    return x.astype(np.complex128 if x.dtype == jnp.float64 else np.complex64)


def _how(op_name: str, norm: Any) -> str:
    if norm is None:
        return "backward"
    checks.check_choice(op_name, _NORMS, norm=norm)
    return norm


def _one(op_name: str, x: Array, n: Any, dim: int) -> tuple[int | None, int]:
    """Length and axis of a transform along one axis."""
    if n is not None:
        checks.check_ints(op_name, n=n)
        if n < 1:
            checks.fail(ValueError, op_name, "n", "be at least 1", n)
    return n, checks.normalize_axis(op_name, x.ndim, dim=dim)


def _many(op_name: str, x: Array, s: Any, dim: Any) -> tuple[list[int], list[int]]:
    """Lengths and axes of a transform along several axes: without `dim` the last ones, or all."""
    if s is not None and not isinstance(s, tuple | list):
        checks.fail(TypeError, op_name, "s", "be a tuple of ints", f"{s!r} ({type(s).__name__})")
    if dim is None:
        dim = tuple(range(x.ndim)) if s is None else tuple(range(-len(s), 0))
    over = [
        checks.normalize_axis(op_name, x.ndim, dim=d)
        for d in (dim if isinstance(dim, tuple | list) else (dim,))
    ]
    if len(set(over)) != len(over):
        checks.fail(ValueError, op_name, "dim", "name each axis once", dim)
    if s is None:
        return [x.shape[d] for d in over], over
    if len(s) != len(over):
        checks.fail(ValueError, op_name, "s", f"hold one size for each of the axes {tuple(over)}", s)
    return [x.shape[d] if n == -1 else n for n, d in zip(s, over, strict=True)], over


def _of_halves(op_name: str, x: Array, s: Any, dim: Any) -> tuple[list[int], list[int]]:
    """Return the same, for an input that holds the first half of the last axis."""
    lengths, over = _many(op_name, x, s, dim)
    if s is None or s[-1] == -1:
        lengths[-1] = 2 * (x.shape[over[-1]] - 1)
    return lengths, over


def _forth(x: Array, lengths: Any, over: Any, how: str) -> Array:
    """Return the half that determines the transform of real numbers; complex ones are cut likewise."""
    if not jnp.issubdtype(x.dtype, jnp.complexfloating):
        return jnp.fft.rfftn(x, lengths, over, how)
    full = jnp.fft.fftn(x, lengths, over, how)
    return jnp.take(full, np.arange(lengths[-1] // 2 + 1), over[-1])


_FLIP = {"backward": "forward", "forward": "backward", "ortho": "ortho"}

_ONE = """{what}.

    Args:
        input (Tensor): numeric, of at least one dimension.
        n (int, None): length along the axis; what is longer is cut, what is shorter gets zeros. Default: {n}.
        dim (int): the axis.
        norm (str, None): which direction is divided by the length: "backward" (default), "forward", or each by its root
            for "ortho".

    Returns:
        {gives} Tensor.

    Raises:
        TypeError: if `input` is of dtype bool, or `n` or `dim` no int.
        ValueError: if `n`, `dim` or `norm` is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.{name}(ms.Tensor({at})))
        {value}
    """
_MANY = """{what}.

    Args:
        input (Tensor): numeric, of as many dimensions as `dim` names at least.
        s (tuple[int], None): lengths along the axes; what is longer is cut, what is shorter gets zeros. Default: {n}.
        dim (tuple[int]{optional}): the axes{default}.
        norm (str, None): which direction is divided by the size: "backward" (default), "forward", or each by its root
            for "ortho".

    Returns:
        {gives} Tensor.

    Raises:
        TypeError: if `input` is of dtype bool, or `s` no tuple.
        ValueError: if `s`, `dim` or `norm` is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.{name}(ms.Tensor({at})))
        {value}
    """


def _along(kind: str, x: Array, lengths: Any, over: Any, how: str) -> Array:
    """One of the six transforms."""
    match kind:
        case "fft":
            return jnp.fft.fftn(x, lengths, over, how)
        case "ifft":
            return jnp.fft.ifftn(x, lengths, over, how)
        case "rfft":
            return _forth(x, lengths, over, how)
        case "irfft":
            return jnp.fft.irfftn(_complex(x), lengths, over, how)
        case "hfft":
            return jnp.fft.irfftn(jnp.conj(_complex(x)), lengths, over, _FLIP[how])
        case _:  # ihfft
            return jnp.conj(_forth(x, lengths, over, _FLIP[how]))


_HALVES = ("irfft", "hfft")
_KINDS = {
    "fft": ("Discrete Fourier transform", "Complex"),
    "ifft": ("Inverse discrete Fourier transform", "Complex"),
    "rfft": ("Discrete Fourier transform of real numbers: the half that determines it", "Complex"),
    "irfft": ("Real numbers whose transform has the given half: the inverse of `rfft`", "Real"),
    "hfft": ("Discrete Fourier transform of a Hermitian signal, of which one half is given", "Real"),
    "ihfft": ("Half of the inverse transform of real numbers: the inverse of `hfft`", "Complex"),
}
_VALUES = {
    "fft": ("[1.0, 2.0, 3.0, 4.0]", "[10.+0.j -2.+2.j -2.+0.j -2.-2.j]"),
    "ifft": ("[4.0, 0.0, 0.0, 0.0]", "[1.+0.j 1.+0.j 1.+0.j 1.+0.j]"),
    "rfft": ("[1.0, 2.0, 3.0, 4.0]", "[10.+0.j -2.+2.j -2.+0.j]"),
    "irfft": ("[4.0, 0.0, 0.0]", "[1. 1. 1. 1.]"),
    "hfft": ("[1.0, 0.0, 0.0]", "[1. 1. 1. 1.]"),
    "ihfft": ("[4.0, 0.0, 0.0, 0.0]", "[1.-0.j 1.-0.j 1.-0.j]"),
}
_PAIRS = {
    "fft": ("[[1.0, 1.0], [1.0, 1.0]]", "[[4.+0.j 0.+0.j]\n         [0.+0.j 0.+0.j]]"),
    "ifft": ("[[4.0, 0.0], [0.0, 0.0]]", "[[1.+0.j 1.+0.j]\n         [1.+0.j 1.+0.j]]"),
    "rfft": ("[[1.0, 1.0], [1.0, 1.0]]", "[[4.+0.j 0.+0.j]\n         [0.+0.j 0.+0.j]]"),
    "irfft": ("[[4.0, 0.0], [0.0, 0.0]]", "[[1. 1.]\n         [1. 1.]]"),
    "hfft": ("[[1.0, 0.0], [0.0, 0.0]]", "[[1. 1.]\n         [1. 1.]]"),
    "ihfft": ("[[4.0, 0.0], [0.0, 0.0]]", "[[1.-0.j 1.-0.j]\n         [1.-0.j 1.-0.j]]"),
}


def _line(kind: str) -> Any:
    """Return the transform along one axis."""
    name = kind

    def transform(input: Array, n: Any = None, dim: int = -1, norm: Any = None) -> Array:
        x = _signal(name, input)
        length, axis = _one(name, x, n, dim)
        default = 2 * (x.shape[axis] - 1) if kind in _HALVES else x.shape[axis]
        return _along(kind, x, (length or default,), (axis,), _how(name, norm))

    what, gives = _KINDS[kind]
    at, value = _VALUES[kind]
    default = "that which `rfft` starts from" if kind in _HALVES else "the axis's own"
    return _publish(
        transform,
        name,
        _ONE.format(what=what, n=default, gives=gives, name=name, at=at, value=value),
        "n dim norm",
    )


def _grid(kind: str, suffix: str) -> Any:
    """Return the transform along several axes; those named "2" have two by default."""
    name = kind + suffix
    fixed = (-2, -1) if suffix == "2" else None

    def transform(input: Array, s: Any = None, dim: Any = fixed, norm: Any = None) -> Array:
        x = _signal(name, input)
        lengths, over = (_of_halves if kind in _HALVES else _many)(name, x, s, dim)
        if any(n < 1 for n in lengths):
            checks.fail(ValueError, name, "s", "hold sizes of at least 1", s)
        return _along(kind, x, lengths, over, _how(name, norm))

    what, gives = _KINDS[kind]
    at, value = _PAIRS[kind]
    text = _MANY.format(
        what=what + (" along two axes" if suffix == "2" else " along several axes"),
        n="those which `rfft` starts from" if kind in _HALVES else "the axes' own",
        optional="" if fixed else ", None",
        default="" if fixed else ". Default: the last, as many as `s` names, or all",
        gives=gives, name=name, at=at, value=value,
    )  # fmt: skip
    return _publish(transform, name, text, "s dim norm")


def _publish(fn: Any, name: str, text: str, static: str) -> Any:
    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = text
    return op(fn, static=static)


fft, ifft, rfft, irfft, hfft, ihfft = map(_line, _KINDS)
fft2, ifft2, rfft2, irfft2, hfft2, ihfft2 = (_grid(kind, "2") for kind in _KINDS)
fftn, ifftn, rfftn, irfftn, hfftn, ihfftn = (_grid(kind, "n") for kind in _KINDS)


@op(static="dim")
def fftshift(input: Array, dim: Any = None) -> Array:
    """Frequencies in ascending order: the one 0 in the middle.

    Args:
        input (Tensor): of any dtype.
        dim (int, tuple[int], None): axes. Default: all.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        ValueError: if an axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.fftshift(ms.Tensor([0, 1, 2, -2, -1])))
        [-2 -1  0  1  2]
    """
    x = as_array("fftshift", "input", input)
    return jnp.fft.fftshift(x, _many("fftshift", x, None, dim)[1])


@op(static="dim")
@documented_by(fftshift)
def ifftshift(input: Array, dim: Any = None) -> Array:
    """Undoes `fftshift`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ifftshift(ms.Tensor([-2, -1, 0, 1, 2])))
        [ 0  1  2 -2 -1]
    """
    x = as_array("ifftshift", "input", input)
    return jnp.fft.ifftshift(x, _many("ifftshift", x, None, dim)[1])


def _frequencies(op_name: str, n: int, d: float, dtype: Any, half: bool) -> Array:
    checks.check_ints(op_name, n=n)
    checks.check_numbers(op_name, d=d)
    if n < 1:
        checks.fail(ValueError, op_name, "n", "be at least 1", n)
    whole = np.arange(n // 2 + 1) if half else np.fft.ifftshift(np.arange(n) - n // 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = whole / np.float64(n * d)
    return jnp.asarray(values.astype(np.float32 if dtype is None else dtypes.as_np(dtype)))


@op(static="n d dtype")
def fftfreq(n: int, d: float = 1.0, dtype: Any = None) -> Array:
    """Frequencies to which the elements of `fft`'s result belong.

    Args:
        n (int): length of the signal.
        d (float): time between its elements.
        dtype (mindspore.dtype, None): of the result. Default: float32.

    Returns:
        Tensor of shape (n,): 0, 1, ... and then the negative ones, over n d.

    Raises:
        TypeError: if `n` is not an int.
        ValueError: if `n` is less than 1.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.fftfreq(4))
        [ 0.    0.25 -0.5  -0.25]
    """
    return _frequencies("fftfreq", n, d, dtype, half=False)


@op(static="n d dtype")
@documented_by(fftfreq)
def rfftfreq(n: int, d: float = 1.0, dtype: Any = None) -> Array:
    """Frequencies to which the elements of `rfft`'s result belong.

    Returns:
        Tensor of shape (n // 2 + 1,): 0, 1, ... over n d.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.rfftfreq(4))
        [0.   0.25 0.5 ]
    """
    return _frequencies("rfftfreq", n, d, dtype, half=True)
