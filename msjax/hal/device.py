"""Queries of the available devices, answered by JAX."""

from typing import Any

import jax

from msjax.config import context

_PLATFORMS = {"CPU": "cpu", "GPU": "gpu", "TPU": "tpu", "Ascend": None}
_started: set[str] = set()  # platforms whose devices have held arrays


def devices_of(fn: str, device_target: str | None) -> list[Any]:
    """Return JAX's devices of a kind, by default of the one in use; none if that kind is not at hand.

    Raises:
        TypeError: if the kind is not a str.
        ValueError: if there is no such kind.
    """
    kind = context.get_device() if device_target is None else device_target
    if not isinstance(kind, str):
        raise TypeError(
            f"`{fn}`: argument `device_target` must be a str. Received: {kind!r} ({type(kind).__name__})."
        )
    if kind.lower() not in {k.lower() for k in _PLATFORMS}:
        raise ValueError(
            f"`{fn}`: argument `device_target` must be one of {list(_PLATFORMS)}. Received: {device_target!r}."
        )
    platform = next(p for k, p in _PLATFORMS.items() if k.lower() == kind.lower())
    if platform is None:
        return []
    try:
        return jax.local_devices(backend=platform)
    except RuntimeError:
        return []


def _one(fn: str, device_id: int, device_target: str | None) -> Any:
    found = devices_of(fn, device_target)
    if isinstance(device_id, bool) or not isinstance(device_id, int):
        raise TypeError(
            f"`{fn}`: argument `device_id` must be an int. Received: {device_id!r} ({type(device_id).__name__})."
        )
    if not 0 <= device_id < len(found):
        raise ValueError(
            f"`{fn}`: argument `device_id` must be in [0, {len(found)}). Received: {device_id!r}."
        )
    return found[device_id]


def device_count(device_target: str | None = None) -> int:
    """Return the number of devices of a kind.

    Args:
        device_target: "CPU", "GPU", "TPU" or "Ascend" (of which there are none). Default: the kind in use.

    Raises:
        ValueError: if there is no such kind.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.device_count("Ascend")
        0
    """
    return len(devices_of("device_count", device_target))


def is_available(device_target: str) -> bool:
    """Return True if there is a device of a kind.

    Args:
        device_target: "CPU", "GPU", "TPU" or "Ascend".

    Raises:
        ValueError: if there is no such kind.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.is_available("CPU")
        True
    """
    return bool(devices_of("is_available", device_target))


def is_initialized(device_target: str) -> bool:
    """Return True if devices of a kind have held arrays.

    JAX does not say whether its devices are started, so the arrays that live when this is asked are counted: an array that
    came and went between two calls is not seen.

    Args:
        device_target: "CPU", "GPU", "TPU" or "Ascend".

    Raises:
        ValueError: if there is no such kind.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([1.0])
        >>> ms.hal.is_initialized("CPU"), ms.hal.is_initialized("Ascend")
        (True, False)
    """
    found = devices_of("is_initialized", device_target)
    if found and jax.live_arrays(found[0].platform):
        _started.add(found[0].platform)
    return bool(found) and found[0].platform in _started


def get_device_name(device_id: int, device_target: str | None = None) -> str:
    """Return the name of a device.

    Args:
        device_id: which one of its kind.
        device_target: the kind. Default: the one in use.

    Raises:
        ValueError: if there is no such device.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.get_device_name(0, "CPU")
        'CPU'
    """
    device = _one("get_device_name", device_id, device_target)
    return "CPU" if device.platform == "cpu" else device.device_kind


def get_device_capability(device_id: int, device_target: str | None = None) -> Any:
    """Return the compute capability of an NVIDIA device.

    Args:
        device_id: which one of its kind.
        device_target: the kind. Default: the one in use.

    Returns:
        (major, minor); None for devices that have none.

    Raises:
        ValueError: if there is no such device.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.get_device_capability(0, "CPU")
    """
    capability = getattr(_one("get_device_capability", device_id, device_target), "compute_capability", None)
    return None if capability is None else tuple(int(part) for part in str(capability).split("."))


def get_device_properties(device_id: int, device_target: str | None = None) -> Any:
    """Return the properties of a device.

    Args:
        device_id: which one of its kind.
        device_target: the kind. Default: the one in use.

    Returns:
        dict of name, total_memory (bytes, if known) and capability; None for the CPU, as in MindSpore.

    Raises:
        ValueError: if there is no such device.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.get_device_properties(0, "CPU")
    """
    device = _one("get_device_properties", device_id, device_target)
    if device.platform == "cpu":
        return None
    memory = (device.memory_stats() or {}).get("bytes_limit")
    capability = get_device_capability(device_id, device_target)
    return {"name": device.device_kind, "total_memory": memory, "capability": capability}


def get_arch_list(device_target: str | None = None) -> Any:
    """Return the architectures that programs can be compiled for: XLA compiles for the device itself, so there is no list.

    Args:
        device_target: the kind. Default: the one in use.

    Returns:
        None.

    Raises:
        ValueError: if there is no such kind.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.get_arch_list("CPU")
    """
    devices_of("get_arch_list", device_target)
