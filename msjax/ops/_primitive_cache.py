"""`_get_cache_prim`: cached instances of Primitives, under the path that published networks import it from."""

from collections.abc import Callable
from typing import Any


def _get_cache_prim(cls: Callable) -> Callable[..., Any]:
    """A Primitive's class, to be called with its attributes. What an operator compiled is kept for it, not for its object.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops._primitive_cache import _get_cache_prim
        >>> _get_cache_prim(ms.ops.Softmax)(-1)(ms.Tensor([0.0, 0.0])).asnumpy()
        array([0.5, 0.5], dtype=float32)
    """
    return cls
