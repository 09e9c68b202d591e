"""GPU devices: properties and settings."""

import sys

from msjax.hal import device as _device


def is_available() -> bool:
    """Return True if a GPU device is available.

    Examples:
        >>> import msjax as ms
        >>> ms.device_context.gpu.is_available() in (True, False)
        True
    """
    return _device.is_available("GPU")


def device_count() -> int:
    """Return the number of GPU devices.

    Examples:
        >>> import msjax as ms
        >>> ms.device_context.gpu.device_count() >= 0
        True
    """
    return _device.device_count("GPU")


from msjax.device_context.gpu import op_precision as op_precision  # noqa: E402
from msjax.device_context.gpu import op_tuning as op_tuning  # noqa: E402

device = sys.modules[__name__]  # MindSpore has the functions in a module below, too.
