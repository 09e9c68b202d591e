"""Device memory statistics, as XLA's allocator counts them. It counts none on CPUs: there all is 0."""

from typing import Any

from msjax.hal.device import devices_of

_forgotten: dict[str, int] = {}


def _stats(device_target: str | None = None) -> dict[str, int]:
    found = devices_of("memory_stats", device_target)
    return (found[0].memory_stats() or {}) if found else {}


def _maximum_since_reset(key: str, device_target: str | None) -> int:
    """Return a maximum since the last reset; XLA cannot reset its own."""
    most = _stats(device_target).get(key, 0)
    return 0 if most <= _forgotten.get(key, -1) else most


def memory_allocated(device_target: str | None = None) -> int:
    """Return the number of bytes that arrays occupy now.

    Args:
        device_target: the kind of device. Default: the one in use.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.memory_allocated("CPU")
        0
    """
    return _stats(device_target).get("bytes_in_use", 0)


def memory_reserved(device_target: str | None = None) -> int:
    """Return the number of bytes that the allocator holds now.

    Args:
        device_target: the kind of device. Default: the one in use.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.memory_reserved("CPU")
        0
    """
    stats = _stats(device_target)
    return stats.get("bytes_reserved", 0) or stats.get("pool_bytes", 0) or stats.get("bytes_in_use", 0)


def max_memory_allocated(device_target: str | None = None) -> int:
    """Return the largest number of bytes that arrays have occupied.

    Args:
        device_target: the kind of device. Default: the one in use.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.max_memory_allocated("CPU")
        0
    """
    return _maximum_since_reset("peak_bytes_in_use", device_target)


def max_memory_reserved(device_target: str | None = None) -> int:
    """Return the largest number of bytes that the allocator has held.

    Args:
        device_target: the kind of device. Default: the one in use.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.max_memory_reserved("CPU")
        0
    """
    return _maximum_since_reset("peak_pool_bytes", device_target) or _maximum_since_reset(
        "peak_bytes_in_use", device_target
    )


def _forget(device_target: str | None) -> None:
    stats = _stats(device_target)
    _forgotten.update({key: stats[key] for key in ("peak_pool_bytes", "peak_bytes_in_use") if key in stats})


def reset_max_memory_allocated(device_target: str | None = None) -> None:
    """Reset `max_memory_allocated`: until more is in use than before, it is 0.

    Args:
        device_target: the kind of device. Default: the one in use.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.reset_max_memory_allocated()
    """
    _forget(device_target)


def reset_max_memory_reserved(device_target: str | None = None) -> None:
    """Reset `max_memory_reserved`: until more is held than before, it is 0.

    Args:
        device_target: the kind of device. Default: the one in use.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.reset_max_memory_reserved()
    """
    _forget(device_target)


def reset_peak_memory_stats(device_target: str | None = None) -> None:
    """Reset all maxima.

    Args:
        device_target: the kind of device. Default: the one in use.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.reset_peak_memory_stats()
    """
    _forget(device_target)


def memory_stats(device_target: str | None = None) -> dict[str, Any]:
    """Return the memory statistics of the device under MindSpore's keys.

    Args:
        device_target: the kind of device. Default: the one in use.

    Returns:
        dict. XLA has one pool, so those of the pools hold nothing.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.memory_stats("CPU")["total_allocated_memory"]
        0
    """
    used, held = memory_allocated(device_target), memory_reserved(device_target)
    pool = {"block_unit_size": 0, "block_counts": 0, "blocks_info": {}}
    return {
        "total_reserved_memory": held,
        "total_allocated_memory": used,
        "total_idle_memory": held - used,
        "total_eager_free_memory": 0,
        "max_reserved_memory": max_memory_reserved(device_target),
        "max_allocated_memory": max_memory_allocated(device_target),
        "common_mem_pool_stats": dict(pool),
        "persistent_mem_pool_stats": dict(pool),
    }


def memory_summary(device_target: str | None = None) -> str:
    """Return the sizes of `memory_stats` as a table.

    Args:
        device_target: the kind of device. Default: the one in use.

    Examples:
        >>> import msjax as ms
        >>> print(ms.hal.memory_summary("CPU").splitlines()[5])
        | Reserved memory      |      0 B             |
    """
    rows = {
        "Reserved memory": "total_reserved_memory",
        "Allocated memory": "total_allocated_memory",
        "Idle memory": "total_idle_memory",
        "Eager free memory": "total_eager_free_memory",
        "Max reserved memory": "max_reserved_memory",
        "Max allocated memory": "max_allocated_memory",
    }
    stats = memory_stats(device_target)
    thick, thin = f"|{'=' * 45}|", f"|{'-' * 45}|"
    lines = [thick, f"|{'Memory summary':^45}|", thick, f"| {'Metric':<20} | {'Data':<20} |"]
    for title, key in rows.items():
        lines += [thin, f"| {title:<20} | {_readable(stats[key]):<20} |"]
    return "\n".join([*lines, thick, ""])


def _readable(size: int) -> str:
    """Format a number of bytes in the largest unit that leaves one or more."""
    power = min(max(size.bit_length() - 1, 0) // 10, 4)
    return f"{size >> (10 * power):>6} {('B', 'KB', 'MB', 'GB', 'TB')[power]}"


def empty_cache() -> None:
    """Release memory that is not in use. XLA decides that by itself, so nothing happens.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.empty_cache()
    """
