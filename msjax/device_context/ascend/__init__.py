"""Ascend devices: properties and settings (JAX has none, so programs run on the best device available)."""

import sys

from msjax.hal import device as _device


def is_available() -> bool:
    """Return True if an Ascend device is available.

    Examples:
        >>> import msjax as ms
        >>> ms.device_context.ascend.is_available() in (True, False)
        True
    """
    return _device.is_available("Ascend")


def device_count() -> int:
    """Return the number of Ascend devices.

    Examples:
        >>> import msjax as ms
        >>> ms.device_context.ascend.device_count() >= 0
        True
    """
    return _device.device_count("Ascend")


from msjax.device_context.ascend import op_debug as op_debug  # noqa: E402
from msjax.device_context.ascend import op_precision as op_precision  # noqa: E402
from msjax.device_context.ascend import op_tuning as op_tuning  # noqa: E402

device = sys.modules[__name__]  # MindSpore has the functions in a module below, too.
