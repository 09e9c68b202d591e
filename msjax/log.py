"""MindSpore's log: messages of programs, at the level of the variable GLOG_v (0 debug ... 4 critical; 2 by default)."""

import functools
import logging
import os
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["get_level", "get_log_config"]

_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL)
_KNOWN = (
    "GLOG_v GLOG_logtostderr GLOG_log_dir logger_maxBytes logger_backupCount GLOG_stderrthreshold".split()
)


def get_level() -> str:
    """Return the level below which messages are not shown.

    Returns:
        str: "0" (debug), "1" (info), "2" (warning), "3" (error) or "4" (critical).

    Raises:
        ValueError: if the variable GLOG_v holds anything else.

    Examples:
        >>> import msjax as ms
        >>> int(ms.get_level()) in range(5)
        True
    """
    given = os.environ.get("GLOG_v", "2")  # noqa: SIM112  MindSpore's own spelling
    if given not in ("0", "1", "2", "3", "4"):
        raise ValueError(
            f"The environment variable GLOG_v must be a number from 0 to 4. Received: {given!r}."
        )
    return given


def get_log_config() -> dict[str, str]:
    """Return the variables that configure the log: its level, whether it goes to standard error, and others if set.

    Returns:
        dict of str.

    Examples:
        >>> import msjax as ms
        >>> isinstance(ms.get_log_config(), dict)
        True
    """
    given = {name: os.environ[name] for name in _KNOWN if name in os.environ}
    return {"GLOG_v": get_level(), "GLOG_logtostderr": "1"} | given


class _Stderr(logging.StreamHandler):
    """Handler that writes to the present standard error; where the program has handlers, these do instead."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> Any:
        return sys.stderr

    def filter(self, record: logging.LogRecord) -> Any:
        return not logging.getLogger().handlers and super().filter(record)


def logger() -> logging.Logger:
    """Return the logger of MindSpore's messages."""
    logger = logging.getLogger("mindspore")
    logger.setLevel(_LEVELS[int(get_level())])
    if not logger.handlers:  # Python's own last resort would leave out what is below warnings
        logger.addHandler(_Stderr())
    return logger


def _at(level: str, about: str) -> Callable[..., None]:
    def write(msg: Any, *args: Any, **kwargs: Any) -> None:
        getattr(logger(), level)(msg, *args, **kwargs)

    write.__name__ = write.__qualname__ = level
    write.__doc__ = f"""{about}

    Args:
        msg: the message, with places for `args` as in Python's `logging`.
        args: what is put there.
        kwargs: as in Python's `logging`.

    Examples:
        >>> from msjax import log
        >>> log.{level}("step %d", 3)
    """
    return write


debug = _at("debug", "Log a message for debugging.")
info = _at("info", "Log what happens.")
warning = _at("warning", "Log what may be a mistake.")
error = _at("error", "Log an error.")
critical = _at("critical", "Log an error that ends the program.")

_get_logger = logger  # programs reach it as an attribute of `mindspore.log`


class _LogActionOnce:
    """Decorator: a function's warnings through a logger are logged only the first time that it runs, or never.

    Args:
        logger: what has a `warning`.
        key (str): functions with the same key warn once together.
        no_warning (bool): whether they never do. Default: ``False``.
    """

    is_logged: dict[str, bool] = {}

    def __init__(self, logger: Any, key: str, no_warning: bool = False) -> None:
        self.logger = logger
        self.key = key
        self.no_warning = no_warning

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def run(*args: Any, **kwargs: Any) -> Any:
            if not hasattr(self.logger, "warning"):
                return func(*args, **kwargs)
            if not self.no_warning and self.key not in self.is_logged:
                self.is_logged[self.key] = True
                return func(*args, **kwargs)
            said, self.logger.warning = self.logger.warning, lambda *args, **kwargs: None
            try:
                return func(*args, **kwargs)
            finally:
                self.logger.warning = said

        return run
