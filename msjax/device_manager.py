"""MindSpore's `device_manager`: the device in use."""

from typing import NamedTuple

from msjax.config import context
from msjax.config.context import set_deterministic as set_deterministic
from msjax.config.context import set_device as set_device


class DeviceInfo(NamedTuple):
    """The kind and number of a device: a pair whose parts have names.

    Args:
        device_target (str): the kind.
        device_id (int): the number.
    """

    device_target: str
    device_id: int

    def __repr__(self) -> str:
        return repr(tuple(self))


def get_current_device() -> DeviceInfo:
    """Return the kind and number of the device in use.

    Returns:
        (device_target, device_id), which are attributes as well.

    Examples:
        >>> import msjax as ms
        >>> kind, number = ms.get_current_device()
        >>> number, ms.get_current_device().device_id
        (0, 0)
    """
    return DeviceInfo(context.get_device(), context.get_context("device_id"))
