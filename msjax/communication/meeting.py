"""Meeting of all processes before a value that lies in parts is gathered or replaced, which none may do alone.

The first process has a connection to each other one. A thread of each answers how many programs of all processes its own has
called, and what the one of a number was; nothing is sent while nobody asks.
"""

import atexit
import contextlib
import json
import queue
import socket
import threading
import time
from collections.abc import Mapping
from typing import Any

from msjax.core.xla.collectives import world

_PAUSE, _LONGEST_PAUSE = 0.001, 0.05  # seconds between two questions


class Meeting:
    """The connections of a process, and what it answers.

    Args:
        connections: sockets to other processes, by their numbers: to all, of the first; to the first, of the others.
    """

    def __init__(self, connections: Mapping[int, socket.socket]) -> None:
        self._connections = dict(connections)
        self._answers: dict[int, queue.Queue] = {rank: queue.Queue() for rank in connections}
        self._ended = False
        self._sending = threading.Lock()  # the thread that asks and those that answer
        for rank, connection in self._connections.items():
            connection.settimeout(None)
            if (
                connection.family != socket.AF_UNIX
            ):  # else answers wait 40 ms for what TCP would send with them
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(rank, connection), daemon=True).start()
        atexit.register(self._end)  # before JAX's, which waits for all

    def _end(self) -> None:
        self._ended = True

    def _serve(self, rank: int, connection: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError), connection.makefile("r", encoding="utf8") as lines:
            for line in lines:
                message = json.loads(line)
                if "ask" in message:
                    calls, number = world.calls, message["ask"]
                    answer = {"count": calls.count, "what": calls.what(number), "ended": self._ended}
                    self._send(connection, answer)
                else:
                    self._answers[rank].put(message)
        self._answers[rank].put({"gone": True})

    def _send(self, connection: socket.socket, message: Mapping[str, Any]) -> None:
        with self._sending:
            connection.sendall(json.dumps(message).encode() + b"\n")

    def _ask(self, rank: int, number: int) -> dict[str, Any]:
        try:
            self._send(self._connections[rank], {"ask": number})
        except OSError:
            return {"gone": True}
        answer = self._answers[rank].get()
        if "gone" in answer:
            self._answers[rank].put(answer)  # for the next question
        return answer

    def meet(self, what: str, rule: str) -> None:
        """Wait until the others do as this process, which has just noted this in `world.calls`.

        Args:
            what: it does, with all others.
            rule: why all must, for the message.

        Raises:
            RuntimeError: if one of them did something else instead, or has ended.
        """
        number = world.calls.count
        for rank in self._connections:
            pause = _PAUSE
            while "gone" not in (answer := self._ask(rank, number)) and answer["count"] < number:
                if answer["ended"]:
                    break
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
            if answer.get("count", 0) < number:
                raise _alone(what, rule, rank, "has come to its end")
            if answer["what"] != what:
                raise _alone(what, rule, rank, f"called {answer['what'] or 'programs since'}")


def _alone(what: str, rule: str, rank: int, does: str) -> RuntimeError:
    return RuntimeError(
        f"{what}: {rule}, at the same place of the program. Process {rank} {does}. Do it in all processes, outside of "
        "conditions such as `if get_rank() == 0`."
    )
