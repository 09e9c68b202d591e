"""Memory statistics of the current device (see `hal.memory`)."""

from typing import Any

from msjax.hal import memory
from msjax.runtime.limits import set_memory as set_memory


def empty_cache() -> None:
    """Release memory that is not in use. XLA decides that by itself, so nothing happens.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.empty_cache()
    """
    memory.empty_cache()


def max_memory_allocated() -> int:
    """Return the largest number of bytes that arrays have occupied.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.max_memory_allocated() >= 0
        True
    """
    return memory.max_memory_allocated()


def max_memory_reserved() -> int:
    """Return the largest number of bytes that the allocator has held.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.max_memory_reserved() >= 0
        True
    """
    return memory.max_memory_reserved()


def memory_allocated() -> int:
    """Return the number of bytes that arrays occupy now.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.memory_allocated() >= 0
        True
    """
    return memory.memory_allocated()


def memory_reserved() -> int:
    """Return the number of bytes that the allocator holds now.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.memory_reserved() >= 0
        True
    """
    return memory.memory_reserved()


def memory_stats() -> dict[str, Any]:
    """Return the memory statistics of the device, under MindSpore's keys.

    Examples:
        >>> import msjax as ms
        >>> "max_allocated_memory" in ms.runtime.memory_stats()
        True
    """
    return memory.memory_stats()


def memory_summary() -> str:
    """The sizes of `memory_stats` as a table.

    Examples:
        >>> import msjax as ms
        >>> "Reserved" in ms.runtime.memory_summary()
        True
    """
    return memory.memory_summary()


def reset_max_memory_allocated() -> None:
    """Reset `max_memory_allocated`.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.reset_max_memory_allocated()
    """
    memory.reset_max_memory_allocated()


def reset_max_memory_reserved() -> None:
    """Reset `max_memory_reserved`.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.reset_max_memory_reserved()
    """
    memory.reset_max_memory_reserved()


def reset_peak_memory_stats() -> None:
    """Reset all maxima.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.reset_peak_memory_stats()
    """
    memory.reset_peak_memory_stats()
