"""Detection of silent data corruption, which Ascend devices have."""

import logging

_log = logging.getLogger(__name__)


def sdc_detect_start() -> None:
    """Start detection of silent data corruption on Ascend devices; warns that nothing is detected here.

    Examples:
        >>> import msjax as ms
        >>> ms.tools.sdc_detect_start()
    """
    _log.warning(
        "`sdc_detect_start`: only Ascend devices detect silent data corruption; nothing is detected."
    )


def sdc_detect_stop() -> None:
    """End it.

    Examples:
        >>> import msjax as ms
        >>> ms.tools.sdc_detect_stop()
    """


def get_sdc_detect_result() -> bool:
    """Return True if silent data corruption was detected: never here.

    Examples:
        >>> import msjax as ms
        >>> ms.tools.get_sdc_detect_result()
        False
    """
    return False
