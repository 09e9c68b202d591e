"""Rounding functions: floor, ceil, trunc, fix, rint, around."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.dtype import as_np
from msjax.core.op.argument_types import ArrayLike
from msjax.numpy.array_function import define_elementwise, define_function, narrow
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import to_float

_HALF = (np.float16, as_np("bfloat16"))


def _real(fn: str, x: Array) -> Array:
    if jnp.iscomplexobj(x):
        checks.fail(TypeError, fn, "x", "be real", f"array of dtype {x.dtype}")
    return x


@define_elementwise
def floor(x: Array) -> Array:
    """Return the greatest whole number that is not greater than x.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.floor([-1.5, 2.5]))
        [-2.  2.]
    """
    return jnp.floor(to_float(_real("floor", x)))


@define_elementwise
def ceil(x: Array) -> Array:
    """Return the least whole number that is not less than x. Gives float32 whatever the dtype, as MindSpore does.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.ceil([-1.5, 2.5]))
        [-1.  3.]
    """
    return jnp.ceil(to_float(_real("ceil", x))).astype(np.float32)


@define_elementwise
def trunc(x: Array) -> Array:
    """Return the whole number next to x towards 0, in float32 or a 16-bit float.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.trunc([-1.5, 2.5]))
        [-1.  2.]
    """
    return jnp.trunc(narrow(_real("trunc", x)))


@define_elementwise
def rint(x: Array) -> Array:
    """Return the nearest whole number; halves go to the even one.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.rint([-1.5, 0.5, 2.6]))
        [-2.  0.  3.]
    """
    return jnp.rint(to_float(_real("rint", x)))


@define_function
def fix(x: ArrayLike) -> Array:
    """Return the whole number next to x towards 0, in float32 or a 16-bit float.

    Args:
        x (Tensor): of any shape and real dtype.

    Returns:
        Tensor of the shape of `x`.

    Raises:
        TypeError: if `x` is not an array, or is complex.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.fix(ms.Tensor([-1.5, 2.5])))
        [-1.  2.]
    """
    return jnp.trunc(narrow(_real("fix", x)))


@define_function(static="decimals")
def around(a: ArrayLike, decimals: int = 0) -> Array:
    """Return the nearest numbers with so many decimals; halves go to the even digit.

    Args:
        a (Tensor, number, list, tuple): of any shape and real dtype.
        decimals (int): how many digits after the point, at least 0.

    Returns:
        Tensor of the shape and dtype of `a`.

    Raises:
        TypeError: if `a` is not an array or `decimals` not an int.
        ValueError: if `decimals` is negative.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.around([-1.3, 0.5, 1.55], 1))
        [-1.3000001  0.5        1.6      ]
    """
    checks.check_ints("around", decimals=decimals)
    if decimals < 0:
        checks.fail(ValueError, "around", "decimals", "be at least 0", decimals)
    x = _real("around", a)
    return jnp.round(x, decimals) if jnp.issubdtype(x.dtype, jnp.floating) else x


@documented_by(around)
def round(a: Any, decimals: int = 0) -> Any:  # noqa: A001
    """Return the nearest numbers with so many decimals (another name of `around`).

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.round([-1.3, 0.5, 1.5]))
        [-1.  0.  2.]
    """
    return around(a, decimals)
