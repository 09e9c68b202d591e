"""`DatasetCache`: settings of MindSpore's cache server, a program of MindSpore's that there is not here."""

from typing import Any, NoReturn

from msjax.dataset.common import checks

_PORTS = 1025, 65535


class DatasetCache:
    """Settings of a connection to MindSpore's cache server. They are checked; rows cannot be kept there.

    Args:
        session_id: an int of 1 or more.
        size: MB of memory. Default: 0, no limit.
        spilling: whether to spill to a disk.
        hostname: of the server. Default: this machine.
        port: of the server.
        num_connections: how many connections there are.
        prefetch_size: how many rows are fetched at once.

    Raises:
        TypeError, ValueError: for other arguments.

    Examples:
        >>> import msjax.dataset as ds
        >>> ds.DatasetCache(1, size=100).size
        100
    """

    def __init__(
        self,
        session_id: int,
        size: int = 0,
        spilling: bool = False,
        hostname: str | None = None,
        port: int | None = None,
        num_connections: int | None = None,
        prefetch_size: int | None = None,
    ) -> None:
        op = "DatasetCache"
        self.session_id = checks.check_int(op, "session_id", session_id, 1, 2**32 - 1)
        self.size = checks.check_int(op, "size", size, 0, 2**64 - 1)
        self.spilling = checks.check_bool(op, "spilling", spilling)
        if hostname is not None and not isinstance(hostname, str):
            checks.fail(TypeError, op, "hostname", "be a str", hostname)
        for name, value, ends in (
            ("port", port, _PORTS),
            ("num_connections", num_connections, (1,)),
            ("prefetch_size", prefetch_size, (1,)),
        ):
            if value is not None:
                checks.check_int(op, name, value, *ends)
        self.hostname, self.port = hostname, port
        self.num_connections, self.prefetch_size = num_connections, prefetch_size

    def get_stat(self) -> NoReturn:
        """Raise RuntimeError, as in MindSpore before the cache is used."""
        raise RuntimeError("`DatasetCache.get_stat`: the cache is not in use: there is no cache server.")


def check_cache(op: str, cache: Any) -> None:
    """Raise unless no cache is asked for.

    Raises:
        TypeError: for something else than a DatasetCache.
        RuntimeError: MindSpore's type where no cache server answers, for a DatasetCache.
    """
    if cache is None:
        return
    if not isinstance(cache, DatasetCache):
        checks.fail(TypeError, op, "cache", "be a DatasetCache", cache)
    raise RuntimeError(
        f"`{op}`: argument `cache` needs MindSpore's cache server, a program that msjax does not have. Leave it out: "
        "files that were read once are kept in memory by the system."
    )
