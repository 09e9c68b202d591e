"""`TCPStore`: a key-value store for the processes of a job; here there is one process, and the store is in it."""

from datetime import timedelta
from typing import Any

_KINDS = {
    "host_name": str, "port": int, "world_size": int, "is_master": bool, "timeout": timedelta, "wait_for_workers": bool,
}  # fmt: skip


def _check(method: str, **given: tuple[Any, type | tuple[type, ...]]) -> None:
    for name, (value, kinds) in given.items():
        if not isinstance(value, kinds):
            words = " or ".join(kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,)))
            raise TypeError(f"`{method}`: argument `{name}` must be of type {words}. Received: {value!r}.")


class TCPStore:
    """Key-value store of one process, under MindSpore's name for a store that many reach over a network.

    Args:
        host_name (str): kept as `host`.
        port (int): kept; from 0 to 65535.
        world_size (int): how many processes share it, which must be 1. Default: 1.
        is_master (bool): whether this process holds it, which must be so before it is used.
        timeout (timedelta): without effect, because no other process could set the key.
        wait_for_workers (bool): without effect.
        multi_tenant, master_listen_fd, use_libuv: without effect, as in MindSpore.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if the port or the number of processes cannot be.
        NotImplementedError: if other processes take part.

    Examples:
        >>> from msjax.mint.distributed import TCPStore
        >>> store = TCPStore("127.0.0.1", 1234, is_master=True)
        >>> store.set("key", "value")
        >>> store.get("key"), store.add("count", 1), store.add("count", 4), store.delete_key("key")
        (b'value', 1, 5, True)
    """

    def __init__(
        self,
        host_name: str,
        port: int,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: timedelta = timedelta(seconds=300),
        wait_for_workers: bool = True,
        multi_tenant: bool = False,
        master_listen_fd: Any = None,
        use_libuv: bool = True,
    ) -> None:
        size = 1 if world_size is None else world_size
        given = (host_name, port, size, is_master, timeout, wait_for_workers)
        _check("TCPStore", **{n: (v, kind) for (n, kind), v in zip(_KINDS.items(), given, strict=True)})
        if not 0 <= port <= 65535 or size < 1:
            raise ValueError(
                f"`TCPStore`: argument `port` must be from 0 to 65535 and `world_size` at least 1. Received: {port}, {size}."
            )
        if size > 1 or not is_master:
            raise NotImplementedError(
                "`TCPStore`: there is no other process, so `is_master` must be True and `world_size` 1. "
                f"Received: is_master={is_master}, world_size={size}."
            )
        self.host, self.port = host_name, port
        self._values: dict[str, bytes] = {}

    def add(self, key: str, amount: int) -> int:
        """Add to the number at a key, which begins at 0, and give the sum.

        Raises:
            TypeError: if the key is not a str or the amount not an int.
            RuntimeError: if what stands there is no number.
        """
        _check("TCPStore.add", key=(key, str), amount=(amount, int))
        try:
            total = int(self._values.get(key, b"0")) + amount
        except ValueError:
            raise RuntimeError(
                f"`TCPStore.add`: what stands at the key must be a number. Received: {self._values[key]!r}."
            ) from None
        self._values[key] = str(total).encode()
        return total

    def set(self, key: str, value: str | bytes) -> None:
        """Put a value at a key.

        Raises:
            TypeError: if the key is not a str or the value neither str nor bytes.
        """
        _check("TCPStore.set", key=(key, str), value=(value, (str, bytes)))
        self._values[key] = value.encode() if isinstance(value, str) else value

    def get(self, key: str) -> bytes:
        """The value at a key.

        Raises:
            TypeError: if the key is not a str.
            RuntimeError: if the key is missing, at once: no other process could set it.
        """
        _check("TCPStore.get", key=(key, str))
        if key not in self._values:
            raise RuntimeError(f"`TCPStore.get`: nothing was set at the key. Received: {key!r}.")
        return self._values[key]

    def delete_key(self, key: str) -> bool:
        """Delete a key; return True if it was there.

        Raises:
            TypeError: if the key is not a str.
        """
        _check("TCPStore.delete_key", key=(key, str))
        return self._values.pop(key, None) is not None
