"""CPU devices: properties and settings."""

import sys

from msjax.hal import device as _device


def is_available() -> bool:
    """Return True if a CPU device is available.

    Examples:
        >>> import msjax as ms
        >>> ms.device_context.cpu.is_available() in (True, False)
        True
    """
    return _device.is_available("CPU")


def device_count() -> int:
    """Return the number of CPU devices.

    Examples:
        >>> import msjax as ms
        >>> ms.device_context.cpu.device_count() >= 0
        True
    """
    return _device.device_count("CPU")


from msjax.device_context.cpu import op_tuning as op_tuning  # noqa: E402
from msjax.device_context.cpu.op_tuning import threads_num as threads_num  # noqa: E402

device = sys.modules[__name__]  # MindSpore has the functions in a module below, too.
