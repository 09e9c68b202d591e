"""A bound for dicts that are caches and whose keys come from users' values: without one a long run fills the memory."""

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")

MOST_KEPT = 4096


# A function over dicts rather than a class derived from dict: `get` of such a class takes 100 ns more, and caches are
# looked up in every call of an operator.
def keep(cache: dict[K, V], key: K, value: V, most: int = MOST_KEPT) -> V:
    """Store a value in a cache, which is emptied before it would exceed its bound; return the value.

    Everything is evicted at once, and what is still needed is made again at its next use: so a look-up is that of a dict,
    without keeping order or age. Threads may share a cache, because each step is one of a dict's own, under the
    interpreter's lock: at worst two threads make the same value, or each adds an entry beyond the bound.

    Examples:
        >>> from msjax.core.bounded_cache import keep
        >>> squares = {}
        >>> for n in range(3):
        ...     _ = keep(squares, n, n * n, most=2)
        >>> squares
        {2: 4}
    """
    if len(cache) >= most and key not in cache:
        cache.clear()
    cache[key] = value
    return value
