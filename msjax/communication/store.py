"""Key-value stores: how processes tell each other things without arrays, as MindSpore's and PyTorch's `TCPStore` do.

A store is a few steps over a dict (`_Table`). It lies in this process (`HashStore`), in the process that listens for the
others (`TCPStore`), or in a file that all can reach (`FileStore`).
"""

import contextlib
import errno
import fcntl
import json
import os
import socket
import socketserver
import threading
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

_KINDS = {
    "host_name": str, "port": int, "world_size": int, "is_master": bool, "timeout": timedelta, "wait_for_workers": bool,
}  # fmt: skip
_PAUSE = 0.02  # seconds between looks for a key that others set
_ARRIVED = "\0arrived"  # how many processes use a store; no key of a user's


class DistError(RuntimeError):
    """A failure of communication."""


class DistStoreError(DistError):
    """A key was not set in time."""


class DistNetworkError(DistError):
    """The process that holds a store cannot be reached."""


def _check(method: str, **given: tuple[Any, type | tuple[type, ...]]) -> None:
    for name, (value, kinds) in given.items():
        if not isinstance(value, kinds):
            words = " or ".join(kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,)))
            raise TypeError(f"`{method}`: argument `{name}` must be of type {words}. Received: {value!r}.")


class _Table:
    """The steps of a store over its content, texts by keys. Each is done as a whole; values are bytes as latin-1."""

    def __init__(self, content: dict[str, str]) -> None:
        self.content = content

    def set(self, key: str, value: str) -> None:
        self.content[key] = value

    def get(self, key: str) -> str | None:
        return self.content.get(key)

    def add(self, key: str, amount: int) -> int | None:
        before = self.content.get(key, "0")
        try:
            total = int(before) + amount
        except ValueError:
            return None
        self.content[key] = str(total)
        return total

    def append(self, key: str, value: str) -> None:
        self.content[key] = self.content.get(key, "") + value

    def compare_set(self, key: str, expected: str, wanted: str) -> str:
        if key not in self.content and expected:
            return expected
        if self.content.get(key, "") == expected:
            self.content[key] = wanted
        return self.content[key]

    def delete_key(self, key: str) -> bool:
        return self.content.pop(key, None) is not None

    def check(self, keys: list[str]) -> bool:
        return all(key in self.content for key in keys)

    def num_keys(self) -> int:
        return len(self.content)


class Store:
    """Key-value store. Reading a key that is not there waits until another process sets it, at most `timeout`.

    Args:
        timeout: of reading.
    """

    def __init__(self, timeout: timedelta = timedelta(seconds=300)) -> None:
        self.timeout = timeout

    def _do(self, step: str, *args: Any) -> Any:
        """Perform a step of `_Table` where the content lies."""
        raise NotImplementedError(f"`{type(self).__name__}` must define `_do`.")

    def _name(self, method: str) -> str:
        return f"{type(self).__name__}.{method}"

    def set_timeout(self, timeout: timedelta) -> None:
        """Set how long reading waits."""
        _check(self._name("set_timeout"), timeout=(timeout, timedelta))
        self.timeout = timeout

    def set(self, key: str, value: str | bytes) -> None:
        """Put a value at a key.

        Raises:
            TypeError: if the key is not a str or the value neither str nor bytes.
        """
        _check(self._name("set"), key=(key, str), value=(value, (str, bytes)))
        self._do("set", key, _text(value))

    def get(self, key: str) -> bytes:
        """Return the value at a key, once there is one.

        Raises:
            TypeError: if the key is not a str.
            RuntimeError: if nobody sets it in time.
        """
        _check(self._name("get"), key=(key, str))
        self.wait([key])
        return self._do("get", key).encode("latin-1")

    def add(self, key: str, amount: int) -> int:
        """Add to the number at a key, which begins at 0, and give the sum.

        Raises:
            TypeError: if the key is not a str or the amount not an int.
            RuntimeError: if what stands there is no number.
        """
        _check(self._name("add"), key=(key, str), amount=(amount, int))
        total = self._do("add", key, int(amount))
        if total is None:
            raise RuntimeError(
                f"`{self._name('add')}`: what stands at the key must be a number. Received: {self.get(key)!r}."
            )
        return total

    def append(self, key: str, value: str | bytes) -> None:
        """Add text to the end of the value at a key."""
        _check(self._name("append"), key=(key, str), value=(value, (str, bytes)))
        self._do("append", key, _text(value))

    def compare_set(self, key: str, expected_value: str | bytes, desired_value: str | bytes) -> bytes:
        """Replace the value at a key if it equals `expected` ("" for a missing key); return the value that is there then."""
        _check(self._name("compare_set"), key=(key, str))
        return self._do("compare_set", key, _text(expected_value), _text(desired_value)).encode("latin-1")

    def delete_key(self, key: str) -> bool:
        """Delete a key; return True if it was there.

        Raises:
            TypeError: if the key is not a str.
        """
        _check(self._name("delete_key"), key=(key, str))
        return self._do("delete_key", key)

    def check(self, keys: Sequence[str]) -> bool:
        """Return True if all of the keys are there."""
        return self._do("check", list(keys))

    def num_keys(self) -> int:
        """Return the number of keys; that of a `TCPStore` or `FileStore` counts a key of its own, as PyTorch's do."""
        return self._do("num_keys")

    def multi_set(self, keys: Sequence[str], values: Sequence[str | bytes]) -> None:
        """Put values at keys."""
        for key, value in zip(keys, values, strict=True):
            self.set(key, value)

    def multi_get(self, keys: Sequence[str]) -> list[bytes]:
        """Return the values at keys, once they are there."""
        return [self.get(key) for key in keys]

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        """Wait until all of the keys are there.

        Raises:
            RuntimeError: if they are not in time.
        """
        limit = self.timeout if timeout is None else timeout
        until = time.monotonic() + limit.total_seconds()
        while not self._do("check", list(keys)):
            if time.monotonic() >= until:
                missing = [key for key in keys if not self._do("check", [key])]
                raise DistStoreError(
                    f"`{self._name('wait')}`: nothing was set at {missing} within {limit.total_seconds():g} seconds."
                )
            time.sleep(_PAUSE)

    def has_extended_api(self) -> bool:
        """Return True: `append`, `multi_get` and `multi_set` are there."""
        return True


def _text(value: str | bytes) -> str:
    """Return bytes as text, one character for each."""
    return (value.encode() if isinstance(value, str) else bytes(value)).decode("latin-1")


class HashStore(Store):
    """Store in this process, for its threads.

    Examples:
        >>> from msjax import torch
        >>> store = torch.distributed.HashStore()
        >>> store.add("steps", 3)
        3
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock, self._table = threading.Lock(), _Table({})

    def _do(self, step: str, *args: Any) -> Any:
        with self._lock:
            return getattr(self._table, step)(*args)


class FileStore(Store):
    """Store in a file, which all processes can reach.

    Args:
        file_name: the file; what an earlier run left in it counts.
        world_size: accepted, without effect: nobody deletes the file.

    Examples:
        >>> import os, tempfile
        >>> from msjax import torch
        >>> store = torch.distributed.FileStore(os.path.join(tempfile.mkdtemp(), "store"), 1)
        >>> store.set("who", "me")
        >>> store.get("who")
        b'me'
    """

    def __init__(self, file_name: str, world_size: int = -1) -> None:
        super().__init__()
        _check("FileStore", file_name=(file_name, (str, os.PathLike)), world_size=(world_size, int))
        self.path = os.fspath(file_name)
        os.makedirs(os.path.dirname(os.path.abspath(self.path)), exist_ok=True)
        self.add(_ARRIVED, 1)

    def _do(self, step: str, *args: Any) -> Any:
        with open(self.path, "a+", encoding="utf8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            text = file.read()
            table = _Table(json.loads(text) if text else {})
            result = getattr(table, step)(*args)
            if step not in ("get", "check", "num_keys"):
                file.seek(0)
                file.truncate()
                json.dump(table.content, file)
            return result


class PrefixStore(Store):
    """Another store, whose keys begin with a prefix.

    Args:
        prefix: the prefix.
        store: the store.

    Examples:
        >>> from msjax import torch
        >>> inner = torch.distributed.HashStore()
        >>> torch.distributed.PrefixStore("a", inner).set("b", "c")
        >>> inner.get("a/b")
        b'c'
    """

    def __init__(self, prefix: str, store: Store) -> None:
        super().__init__(store.timeout)
        _check("PrefixStore", prefix=(prefix, str), store=(store, Store))
        self.prefix, self.underlying_store = prefix, store

    def _do(self, step: str, *args: Any) -> Any:
        if step == "num_keys":
            return self.underlying_store._do(step)
        first, *others = args
        named = [f"{self.prefix}/{key}" for key in first] if step == "check" else f"{self.prefix}/{first}"
        return self.underlying_store._do(step, named, *others)


class _Handler(socketserver.StreamRequestHandler):
    """Answers one process: a line of JSON for each step."""

    def handle(self) -> None:
        server: Any = self.server
        with contextlib.suppress(ConnectionError, ValueError):
            for line in self.rfile:
                step, *args = json.loads(line)
                with server.lock:
                    result = getattr(server.table, step)(*args)
                self.wfile.write(json.dumps(result).encode() + b"\n")


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int]) -> None:
        self.lock, self.table = threading.Lock(), _Table({})
        super().__init__(address, _Handler)


class TCPStore(Store):
    """Key-value store that one process holds and others reach over the network.

    Args:
        host_name (str): where it is; kept as `host`.
        port (int): its port; 0 for any that is free, which is kept as `port`.
        world_size (int): how many processes use it; with `wait_for_workers` the one that holds it waits for them.
            Default: any number.
        is_master (bool): whether this process holds it. Default: False.
        timeout (timedelta): how long to wait for the others, and for keys.
        wait_for_workers (bool): whether to wait for the others.
        multi_tenant, master_listen_fd, use_libuv: without effect, as in MindSpore.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if the port or the number of processes cannot be.
        RuntimeError: if nobody holds it there, or not all come in time.

    Examples:
        >>> from msjax.mint.distributed import TCPStore
        >>> store = TCPStore("127.0.0.1", 0, is_master=True)
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
        if not 0 <= port <= 65535 or (world_size is not None and size < 1 and size != -1):
            raise ValueError(
                f"`TCPStore`: argument `port` must be from 0 to 65535 and `world_size` at least 1. Received: {port}, {size}."
            )
        super().__init__(timeout)
        self.host, self.port = host_name, port
        self._server = self._listen() if is_master else None
        self._lock = threading.Lock()
        self._process = 0
        self._connect()
        arrived = self.add(_ARRIVED, 1)
        if is_master and wait_for_workers and size > 1:
            until = time.monotonic() + timeout.total_seconds()
            while arrived < size:
                if time.monotonic() >= until:
                    raise DistStoreError(
                        f"`TCPStore`: of {size} processes, {arrived} came within {timeout.total_seconds():g} seconds."
                    )
                time.sleep(_PAUSE)
                arrived = self.add(_ARRIVED, 0)

    def _listen(self) -> _Server:
        try:
            server = _Server((self.host, self.port))
        except OSError as error:
            if error.errno != errno.EADDRNOTAVAIL:  # a name of this machine that is not its own address
                raise DistNetworkError(
                    f"`TCPStore`: port {self.port} cannot be listened at: {error}."
                ) from error
            server = _Server(("", self.port))
        self.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def _connect(self) -> None:
        until = time.monotonic() + self.timeout.total_seconds()
        while True:
            try:
                self._socket = socket.create_connection((self.host, self.port), 5)
                break
            except OSError as error:
                if time.monotonic() >= until:
                    raise DistNetworkError(
                        f"`TCPStore`: nobody holds a store at {self.host}:{self.port} within "
                        f"{self.timeout.total_seconds():g} seconds: {error}."
                    ) from error
                time.sleep(_PAUSE)
        self._socket.settimeout(None)
        self._answers = self._socket.makefile("rb")
        self._process = os.getpid()

    def _do(self, step: str, *args: Any) -> Any:
        with self._lock:
            if self._process != os.getpid():  # a fork: the connection is its parent's
                self._connect()
            try:
                self._socket.sendall(json.dumps([step, *args]).encode() + b"\n")
                line = self._answers.readline()
            except OSError as error:
                raise DistNetworkError(
                    f"`{self._name(step)}`: {self.host}:{self.port} is gone: {error}."
                ) from error
            if not line:
                raise DistNetworkError(f"`{self._name(step)}`: the process that holds the store is gone.")
            return json.loads(line)


def meet(store: Store, rank: int) -> str:
    """Return where processes meet, as host:port: the first of them tells the others through a store.

    Args:
        store: of all of them.
        rank: the number of this one.
    """
    key = "msjax/address"
    if rank == 0:
        inner = store
        while isinstance(inner, PrefixStore):
            inner = inner.underlying_store
        host = _own_address(inner.host, inner.port) if isinstance(inner, TCPStore) else _own_address()
        with socket.socket() as found:
            found.bind(("", 0))
            port = found.getsockname()[1]
        store.set(key, f"{host}:{port}")
    return store.get(key).decode()


def _own_address(host: str = "", port: int = 1) -> str:
    """Return the address of this machine, as another one sees it."""
    try:
        if not host:
            return socket.gethostbyname(socket.gethostname())
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
            found.connect((host, port))
            return found.getsockname()[0]
    except OSError:
        return "127.0.0.1"
