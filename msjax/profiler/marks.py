"""Named marks and ranges in traces (`mstx`)."""

import itertools
import logging
from typing import Any

import jax

_log = logging.getLogger(__name__)
_numbers = itertools.count(1)
_open: dict[int, tuple[str, Any]] = {}


class Mstx:
    """Marks and ranges with names in the trace that is being recorded; without one, nothing happens.

    Examples:
        >>> from msjax.profiler import mstx
        >>> number = mstx.range_start("loading")
        >>> mstx.mark("half")
        >>> mstx.range_end(number)
    """

    @staticmethod
    def mark(message: str, stream: Any = None, domain: str = "default") -> None:
        """Mark a moment.

        Args:
            message (str): its name.
            stream (Stream): without effect: the mark is one of the host. Default: None.
            domain (str): stands before the name, unless it is the default. Default: "default".
        """
        if _valid("mark", message, domain):
            with jax.profiler.TraceAnnotation(_name(message, domain)):
                pass

    @staticmethod
    def range_start(message: str, stream: Any = None, domain: str = "default") -> int:
        """Start a range.

        Args:
            message (str): its name.
            stream (Stream): without effect. Default: None.
            domain (str): stands before the name, unless it is the default. Default: "default".

        Returns:
            int, the range's number; 0 if there is none, because an argument is wrong.
        """
        if not _valid("range_start", message, domain):
            return 0
        annotation = jax.profiler.TraceAnnotation(_name(message, domain))
        number = next(_numbers)
        _open[number] = (domain, annotation)
        annotation.__enter__()
        return number

    @staticmethod
    def range_end(range_id: int, domain: str = "default") -> None:
        """End a range.

        Args:
            range_id (int): what `range_start` gave; 0 for none.
            domain (str): the one that was given there. Default: "default".
        """
        if range_id == 0:
            return
        if range_id not in _open or _open[range_id][0] != domain:
            _log.warning("`mstx.range_end`: no range %r of the domain %r is open.", range_id, domain)
            return
        _open.pop(range_id)[1].__exit__(None, None, None)


def _valid(what: str, message: Any, domain: Any) -> bool:
    for name, value in (("message", message), ("domain", domain)):
        if not isinstance(value, str) or not value:
            _log.warning(
                "`mstx.%s`: argument `%s` must be a str that is not empty; nothing is marked.", what, name
            )
            return False
    return True


def _name(message: str, domain: str) -> str:
    return message if domain == "default" else f"{domain}: {message}"


mstx = Mstx
