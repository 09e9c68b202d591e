"""Rounding functions: floor, ceil, trunc, fix, rint, around."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.dtype import as_np
from msjax.core.op.argument_types import ArrayLike
from msjax.numpy.array_function import define_function, elementwise_family, narrow
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import to_float

_HALF = (np.float16, as_np("bfloat16"))


def _as_real(fn: str, x: Array) -> Array:
    if jnp.iscomplexobj(x):
        checks.fail(TypeError, fn, "x", "be real", f"array of dtype {x.dtype}")
    return x


_real = elementwise_family(__name__, _as_real, "x")


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
    return jnp.trunc(narrow(_as_real("fix", x)))


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
        >>> print(ms.numpy.around([0.25, 0.5, 1.46], 1))
        [0.2 0.5 1.5]
    """
    checks.check_ints("around", decimals=decimals)
    if decimals < 0:
        checks.fail(ValueError, "around", "decimals", "be at least 0", decimals)
    x = _as_real("around", a)
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


# fmt: off
floor = _real("floor", lambda x: jnp.floor(to_float(x)),
    "Return the greatest whole number that is not greater than x.", "[-1.5, 2.5]", "[-2.  2.]")
ceil = _real("ceil", lambda x: jnp.ceil(to_float(x)).astype(np.float32),
    "Return the least whole number that is not less than x. Gives float32 whatever the dtype, as MindSpore does.",
    "[-1.5, 2.5]", "[-1.  3.]")
trunc = _real("trunc", lambda x: jnp.trunc(narrow(x)),
    "Return the whole number next to x towards 0, in float32 or a 16-bit float.", "[-1.5, 2.5]", "[-1.  2.]")
rint = _real("rint", lambda x: jnp.rint(to_float(x)),
    "Return the nearest whole number; halves go to the even one.", "[-1.5, 0.5, 2.6]", "[-2.  0.  3.]")
# fmt: on
