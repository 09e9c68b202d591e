"""Waits until all processes of a world are there, and names those that are not: JAX's own start only says that it waited.

The first process listens where JAX will meet afterwards; each other one tells its rank and hears who is missing.
"""

import contextlib
import json
import socket
import time

_PAUSE = 0.1  # seconds between tries to reach the first process


def call_roll(address: str, rank: int, size: int, seconds: int) -> None:
    """Return when all processes have come.

    Args:
        address: host:port of the first.
        rank: the number of this one.
        size: how many there are.
        seconds: how long to wait.

    Raises:
        RuntimeError: if some have not come by then, with their ranks.
    """
    host, _, port = address.rpartition(":")
    until = time.monotonic() + seconds
    missing = _listen(host, int(port), size, until) if rank == 0 else _tell(host, int(port), rank, until)
    if missing:
        raise RuntimeError(
            f"`init`: of {size} processes, {', '.join(map(str, missing))} did not come to {address} within {seconds} "
            "seconds. This one is "
            f"{rank}. Were all machines started, with the same --master_addr, --master_port and --worker_num?"
        )


def _listen(host: str, port: int, size: int, until: float) -> list[int]:
    """Wait for the others, tell them who is missing, and return that."""
    came: dict[int, socket.socket] = {}
    with socket.socket() as server, contextlib.ExitStack() as connections:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind((host, port))
        except OSError:  # a name of this machine that is not its own address
            server.bind(("", port))
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
                one.sendall(json.dumps(missing).encode())
                one.shutdown(socket.SHUT_WR)
                one.recv(1)
    return missing


def _tell(host: str, port: int, rank: int, until: float) -> list[int]:
    """Tell the first process that this one is there, and return who is missing."""
    while time.monotonic() < until:
        try:
            with socket.create_connection((host, port), max(until - time.monotonic(), 1)) as connection:
                connection.sendall(str(rank).encode())
                connection.settimeout(max(until - time.monotonic(), 1) + 5)
                text = b""
                while part := connection.recv(4096):
                    text += part
            return json.loads(text)
        except (OSError, ValueError):
            time.sleep(_PAUSE)
    return [0]
