"""MindSpore's `device_manager`: the device in use."""

from msjax.core import context
from msjax.core.context import set_deterministic as set_deterministic
from msjax.core.context import set_device as set_device


def get_current_device() -> tuple[str, int]:
    """The kind and number of the device in use.

    Returns:
        (device_target, device_id).

    Examples:
        >>> import msjax as ms
        >>> kind, number = ms.get_current_device()
        >>> number
        0
    """
    return context.get_device(), context.get_context("device_id")
