"""Cosine transforms after SciPy: `mindspore.scipy.fft`. Integers and 16-bit floats are taken as float32."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import jax.scipy.fft as jsf
from jax import Array, lax

from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.promotion import as_array

__all__ = ["dct", "dctn", "idct", "idctn"]


def _signal(fn: str, x: Any, kind: Any, norm: Any) -> Array:
    x = as_array(fn, "x", x)
    if kind != 2:
        checks.fail(ValueError, fn, "type", "be 2", kind)
    if norm not in (None, "ortho"):
        checks.fail(ValueError, fn, "norm", "be None or 'ortho', which are the same here", repr(norm))
    wide = x.dtype in (jnp.float64, jnp.complex64, jnp.complex128)
    return x if wide else x.astype(jnp.float32)


def _along(fn: str, go: Callable, x: Array, lengths: Any, over: list[int]) -> Array:
    """Return the orthonormal transform along axes, of real and imaginary parts each."""
    if len(lengths) != len(over) or any(type(n) is not int or n < 1 for n in lengths):
        checks.fail(ValueError, fn, "s", f"hold a positive size for each of the axes {over}", lengths)
    if jnp.iscomplexobj(x):
        return lax.complex(
            _along(fn, go, jnp.real(x), lengths, over), _along(fn, go, jnp.imag(x), lengths, over)
        )
    for n, axis in zip(lengths, over, strict=True):
        x = go(x, 2, n, axis, "ortho").astype(x.dtype)
    return x


def _one(fn: str, go: Callable, x: Any, kind: Any, n: Any, axis: int, norm: Any) -> Array:
    for name, value in (("type", kind), ("n", n)):
        if type(value) is not int and not (name == "n" and value is None):
            checks.fail(TypeError, fn, name, "be an int", f"{value!r} ({type(value).__name__})")
    x = _signal(fn, x, kind, norm)
    one = checks.normalize_axis(fn, x.ndim, axis=axis)
    return _along(fn, go, x, [x.shape[one] if n is None else n], [one])


def _many(fn: str, go: Callable, x: Any, kind: Any, s: Any, axes: Any, norm: Any) -> Array:
    x = _signal(fn, x, kind, norm)
    if axes is None:
        axes = range(x.ndim) if s is None else range(-len(s), 0)
    over = [checks.normalize_axis(fn, x.ndim, axes=a) for a in ([axes] if isinstance(axes, int) else axes)]
    return _along(fn, go, x, [x.shape[a] for a in over] if s is None else list(s), over)


_ONE = """{what} (type II, orthonormal), along one axis.

    Args:
        x (Tensor): numeric, of at least one dimension.
        type (int): 2 only.
        n (int, None): length along the axis; what is longer is cut, what is shorter gets zeros. Default: the axis's own.
        axis (int): the axis.
        norm (str, None): None or "ortho", which are the same, as in MindSpore.

    Returns:
        Tensor, float32 or float64, or complex for complex `x`.

    Raises:
        ValueError: if an argument is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.scipy.fft.{name}(ms.Tensor({at})).round(4))
        {value}
    """
_MANY = """{what} (type II, orthonormal), along several axes.

    Args:
        x (Tensor): numeric, of at least one dimension.
        type (int): 2 only.
        s (tuple[int], None): lengths along the axes; what is longer is cut, what is shorter gets zeros.
        axes (tuple[int], None): the axes. Default: the last, as many as `s` names, or all.
        norm (str, None): None or "ortho", which are the same, as in MindSpore.

    Returns:
        Tensor, float32 or float64, or complex for complex `x`.

    Raises:
        ValueError: if an argument is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.scipy.fft.{name}(ms.Tensor({at})).round(4))
        {value}
    """


@op(static="type n axis norm")
def dct(x: ArrayLike, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None) -> Array:  # noqa: A002, D103
    return _one("dct", jsf.dct, x, type, n, axis, norm)


@op(static="type n axis norm")
def idct(x: ArrayLike, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None) -> Array:  # noqa: A002, D103
    return _one("idct", jsf.idct, x, type, n, axis, norm)


@op(static="type s axes norm")
def dctn(x: ArrayLike, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None) -> Array:  # noqa: A002, D103
    return _many("dctn", jsf.dct, x, type, s, axes, norm)


@op(static="type s axes norm")
def idctn(x: ArrayLike, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None) -> Array:  # noqa: A002, D103
    return _many("idctn", jsf.idct, x, type, s, axes, norm)


dct.__doc__ = _ONE.format(
    what="Cosine transform", name="dct", at="[1.0, 1.0, 1.0, 1.0]", value="[2. 0. 0. 0.]"
)
idct.__doc__ = _ONE.format(
    what="Inverse cosine transform", name="idct", at="[2.0, 0.0, 0.0, 0.0]", value="[1. 1. 1. 1.]"
)
dctn.__doc__ = _MANY.format(
    what="Cosine transform", name="dctn", at="[[1.0, 1.0], [1.0, 1.0]]", value="[[2. 0.]\n         [0. 0.]]"
)
idctn.__doc__ = _MANY.format(
    what="Inverse cosine transform",
    name="idctn",
    at="[[2.0, 0.0], [0.0, 0.0]]",
    value="[[1. 1.]\n         [1. 1.]]",
)
