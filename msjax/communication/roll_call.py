"""Wait for all processes of a world, and name the missing ones: JAX's own start only says that it waited.

The first process listens where JAX will meet afterwards; each other one tells its rank and hears who is missing. The first
keeps a connection to each (`meeting.py`).
"""

import contextlib
import errno
import json
import socket
import time

_PAUSE = 0.1  # seconds between tries to reach the first process


def call_roll(address: str, rank: int, size: int, seconds: int) -> dict[int, socket.socket]:
    """Return when all processes have come: connections from the first to each, which each has to the first.

    Args:
        address: host:port of the first.
        rank: the number of this one.
        size: how many there are.
        seconds: how long to wait.

    Raises:
        RuntimeError: if some have not come by then, with their ranks; if the first process's port is taken.
    """
    host, _, port = address.rpartition(":")
    until = time.monotonic() + seconds
    if rank == 0:
        with socket.create_server(("", 0), backlog=size) as server:
            missing = _listen(host, int(port), size, until, server.getsockname()[1])
            connections = {} if missing else _accept(server, size, until)
    else:
        missing, own_port = _tell(host, int(port), rank, until)
        connections = {} if missing else {0: _connect(host, own_port, rank, until)}
    if missing:
        raise RuntimeError(
            f"`init`: of {size} processes, {', '.join(map(str, missing))} did not come to {address} within {seconds} "
            "seconds. This one is "
            f"{rank}. Were all machines started, with the same --master_addr, --master_port and --worker_num?"
        )
    return connections


def _accept(server: socket.socket, size: int, until: float) -> dict[int, socket.socket]:
    """Return connections to all others, which are about to come."""
    found: dict[int, socket.socket] = {}
    while len(found) < size - 1:
        server.settimeout(max(until - time.monotonic(), 5))
        one = server.accept()[0]
        with contextlib.suppress(OSError, ValueError):
            one.settimeout(5)
            found[int(one.recv(16))] = one
    return found


def _connect(host: str, port: int, rank: int, until: float) -> socket.socket:
    connection = socket.create_connection((host, port), max(until - time.monotonic(), 5))
    connection.sendall(str(rank).encode())
    return connection


def _listen(host: str, port: int, size: int, until: float, own_port: int) -> list[int]:
    """Wait for the others, tell them who is missing and where this process listens, and return who is missing."""
    came: dict[int, socket.socket] = {}
    with socket.socket() as server, contextlib.ExitStack() as connections:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _bind(server, host, port)
        server.listen(size)
        while len(came) < size - 1 and (left := until - time.monotonic()) > 0:
            server.settimeout(left)
            try:
                one = connections.enter_context(server.accept()[0])
                one.settimeout(max(until - time.monotonic(), 1))
                came[int(one.recv(16))] = one
            except (TimeoutError, ValueError, ConnectionError):
                continue
        missing = sorted(set(range(1, size)) - set(came))
        for one in came.values():
            # Those who called close first: whoever does keeps the port for minutes.
            with contextlib.suppress(OSError):
                one.sendall(json.dumps([missing, own_port]).encode())
                one.shutdown(socket.SHUT_WR)
                one.recv(1)
    return missing


def _bind(server: socket.socket, host: str, port: int) -> None:
    for address in (host, ""):  # a name of this machine may not be its own address
        try:
            return server.bind((address, port))
        except OSError as error:
            failed = error
    if failed.errno != errno.EADDRINUSE:
        raise failed
    raise RuntimeError(
        f"`init`: another program listens at the port {port} of this machine, where the processes were to meet; it may be "
        "an earlier run of this one. End it, or name another port on all machines: --master_port, or MASTER_PORT."
    ) from failed


def _tell(host: str, port: int, rank: int, until: float) -> tuple[list[int], int]:
    """Tell the first process that this one is there, and return who is missing, and where the first listens."""
    while time.monotonic() < until:
        try:
            with socket.create_connection((host, port), max(until - time.monotonic(), 1)) as connection:
                connection.sendall(str(rank).encode())
                connection.settimeout(max(until - time.monotonic(), 1) + 5)
                text = b""
                while part := connection.recv(4096):
                    text += part
            missing, own_port = json.loads(text)
            return missing, own_port
        except (OSError, ValueError):
            time.sleep(_PAUSE)
    return [0], 0
