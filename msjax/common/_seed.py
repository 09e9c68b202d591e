"""`common.seed`: the global seed (`core.tensor.random_state`), and the seeds that users' layers derive from it."""

from typing import Any

from msjax.core.tensor import random_state as _random

_drawn: dict[tuple, int] = {}


def _truncate_seed(seed: int) -> int:
    """Return a seed within 64 bits."""
    return seed % 0xFFFFFFFF


def _get_op_seed(op_seed: int, kernel_name: str) -> int:
    """Return the next seed of an operator: a different one at every call."""
    key = (_random.times_seeded(), op_seed, kernel_name)
    _drawn[key] = _drawn.get(key, -1) + 1
    return _truncate_seed(_drawn[key] * 533697028 + op_seed)


def _get_graph_seed(op_seed: int, kernel_name: str) -> tuple[int, int]:
    """Return two seeds for an operator: the process's (0 if there is none) and its own.

    Examples:
        >>> import msjax as ms
        >>> from msjax.common._seed import _get_graph_seed
        >>> ms.set_seed(3)
        >>> _get_graph_seed(0, "dropout"), _get_graph_seed(0, "dropout")
        ((3, 0), (3, 533697028))
    """
    return _random.get_seed() or 0, _get_op_seed(op_seed, kernel_name)


def __getattr__(name: str) -> Any:
    return getattr(_random, name)
