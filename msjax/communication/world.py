"""Joins the processes that a launcher started into one world, by `jax.distributed`."""

import atexit
import json
import os
import re
import socket
import sys
from collections.abc import Mapping
from types import TracebackType
from typing import NamedTuple

import jax

from msjax.communication.meeting import Meeting
from msjax.communication.roll_call import call_roll
from msjax.core.xla import collectives
from msjax.core.xla.collectives import world

_PORT = 8118  # msrun's
_JOINED = "MSJAX_JOINED_BY"  # the process that took the rank of this environment; those that it starts do not


class Place(NamedTuple):
    """Rank of this process, size of the world, and the address where all meet."""

    rank: int
    size: int
    address: str
    local_rank: int
    local_size: int
    seconds: int


_place: list[Place] = []
_failed: list[int] = []  # the exit status, once this process ends by an exception


def read_place(environment: Mapping[str, str]) -> Place | None:
    """Read what a launcher tells its processes: that of msrun (`msjax launch`), or of torchrun.

    Args:
        environment: variables.

    Returns:
        None if they name no world of several processes.

    Raises:
        RuntimeError: if they do, but not which process this is.
    """
    get = environment.get
    if get("MS_ROLE") == "MS_WORKER" and int(get("MS_WORKER_NUM") or 1) > 1:
        size, rank = int(environment["MS_WORKER_NUM"]), get("MS_NODE_ID") or get("RANK_ID")
        host, port = get("MS_SCHED_HOST", "127.0.0.1"), int(get("MS_SCHED_PORT", _PORT))
        local = int(get("LOCAL_RANK") or get("DEVICE_ID") or rank or 0)
    elif int(get("WORLD_SIZE") or 1) > 1 and "MASTER_ADDR" in environment:
        size, rank = int(environment["WORLD_SIZE"]), get("RANK")
        # torchrun's own store listens at MASTER_PORT.
        host = environment["MASTER_ADDR"]
        port = int(get("MASTER_PORT", 29500)) + (get("TORCHELASTIC_USE_AGENT_STORE") == "True")
        local = int(get("LOCAL_RANK") or rank or 0)
    else:
        return None
    return _place_of(environment, rank, size, f"{host}:{port}", local, int(get("LOCAL_WORLD_SIZE") or size))


def _place_of(
    environment: Mapping[str, str], rank: str | None, size: int, address: str, local: int, local_size: int
) -> Place:
    if rank is None:
        raise RuntimeError(
            "`init`: the environment names several processes, and not which one this is. Set MS_NODE_ID (msrun: "
            f"--node_rank), RANK or RANK_ID to a number below {size}."
        )
    seconds = int(environment.get("MS_TOPO_TIMEOUT") or 300)
    return Place(int(rank), size, address, local, local_size, seconds if seconds > 0 else 10**6)


def read_cluster(environment: Mapping[str, str]) -> Place | None:
    """Read what Open MPI, Slurm or the script of a rank table tell their processes, once a program asks to join them.

    Args:
        environment: variables. MS_SCHED_HOST and MS_SCHED_PORT, or MASTER_ADDR and MASTER_PORT, say where they meet, where
            the launcher does not.

    Returns:
        None if they name no world of several processes.

    Raises:
        RuntimeError: if they do, but not which process this is, or where they meet.
    """
    get = environment.get

    def count(name: str) -> int:
        return int(get(name) or 1)

    host = get("MS_SCHED_HOST") or get("MASTER_ADDR")
    if (size := count("OMPI_COMM_WORLD_SIZE")) > 1:
        rank, local = get("OMPI_COMM_WORLD_RANK"), get("OMPI_COMM_WORLD_LOCAL_RANK")
        local_size = int(get("OMPI_COMM_WORLD_LOCAL_SIZE") or size)
        host = host or ("127.0.0.1" if local_size == size else None)
    elif (size := count("SLURM_STEP_NUM_TASKS")) > 1:  # srun's: the batch script is no process of the job's
        rank, local, local_size = get("SLURM_PROCID"), get("SLURM_LOCALID"), size
        host = host or _first_node(get("SLURM_STEP_NODELIST") or "")
    elif get("RANK_TABLE_FILE") and (size := count("RANK_SIZE")) > 1:
        rank, local, local_size = get("RANK_ID"), get("DEVICE_ID"), size
        host = host or _first_server(environment["RANK_TABLE_FILE"])
    else:
        return None
    if not host:
        raise RuntimeError(
            f"`init`: the environment names {size} processes, and not where they meet. Set MS_SCHED_HOST (or MASTER_ADDR) "
            "to the machine of the first one."
        )
    port = get("MS_SCHED_PORT") or get("MASTER_PORT") or _PORT
    return _place_of(environment, rank, size, f"{host}:{port}", int(local or rank or 0), local_size)


def _first_node(nodes: str) -> str:
    """Return the first of Slurm's list of machines: "gpu[003-7,9],login" begins with gpu003."""
    found = re.match(r"([^,\[]*)(?:\[([^-,\]]*))?", nodes)
    return "".join(part or "" for part in found.groups()) if found else ""


def _first_server(path: str) -> str:
    """Return where the first process of a rank table runs; this machine if there is no other.

    Raises:
        RuntimeError: if the file is no rank table.
    """
    try:
        with open(path, encoding="utf8") as file:
            servers = json.load(file)["server_list"]
        first = next(s["server_id"] for s in servers for device in s["device"] if int(device["rank_id"]) == 0)
    except (OSError, ValueError, KeyError, TypeError, StopIteration) as error:
        raise RuntimeError(
            f"`init`: RANK_TABLE_FILE must name a rank table with the process 0 in it. Received: {path!r} ({error!r})."
        ) from error
    return "127.0.0.1" if len(servers) == 1 else first


def join_at_start() -> None:
    """Join the world when msjax is imported, if a launcher started this process: JAX must not have a device before.

    Processes that this one starts inherit its variables; they are none of the world's.
    """
    if os.environ.get(_JOINED, str(os.getpid())) == str(os.getpid()):
        place = read_place(os.environ)
        if place is not None:
            _join(place)


def join(place: Place | None = None) -> None:
    """Join the world of the environment, or of `place`; do nothing if that has been done, or there is only one process.

    Raises:
        RuntimeError: if JAX has started its devices already, so that it cannot join, or a process does not come in time.
        ValueError: if the rank is none of the world's.
    """
    if _place and place is not None and place[:2] != _place[0][:2]:
        raise RuntimeError(
            f"`init`: this process is {_place[0].rank} of {_place[0].size} already. Received: {place.rank} of {place.size}."
        )
    if _place or world.size > 1:
        return
    if jax.distributed.is_initialized():  # the program did it
        world.rank, world.size = jax.process_index(), jax.process_count()
        return
    if place is None and os.environ.get("MS_ROLE") == "MS_SCHED":
        sys.stderr.write(
            "msjax: the processes meet in the first worker; this scheduler ends, with nothing to do.\n"
        )
        raise SystemExit(0)
    if place is None and os.environ.get(_JOINED, str(os.getpid())) == str(os.getpid()):
        place = read_place(os.environ) or read_cluster(os.environ)
    if place is not None and place.size > 1:
        _join(place)


def _join(place: Place) -> None:
    if not 0 <= place.rank < place.size:
        raise ValueError(f"`init`: the rank must be in [0, {place.size}). Received: {place.rank}.")
    _check_host_name()
    connections = call_roll(place.address, place.rank, place.size, place.seconds)
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.config.update("jax_enable_preemption_service", False)  # it would catch SIGTERM
    try:
        jax.distributed.initialize(
            place.address,
            place.size,
            place.rank,
            local_device_ids=[place.local_rank],
            cluster_detection_method="deactivate",
            initialization_timeout=max(place.seconds, 60),  # all have come
        )
    except RuntimeError as error:
        if "before" not in str(error):
            raise RuntimeError(
                f"`init`: process {place.rank} of {place.size} could not join the others at {place.address} within "
                f"{place.seconds} seconds: {error}"
            ) from error
        raise RuntimeError(
            "`init`: several processes must be joined before the first Tensor is made. Start the program with "
            "`msjax launch` (msrun), which joins them when msjax is imported, or call `init` first."
        ) from error
    _place.append(place)
    world.meet = Meeting(connections).meet
    _leave_at_once_if_failed()
    os.environ[_JOINED] = str(os.getpid())
    world.rank, world.size = place.rank, place.size
    compare = os.environ.get("MSJAX_CHECK_COLLECTIVES", "0")
    if compare not in ("", "0"):
        from msjax.communication import comparison  # a debugging aid, which compiles programs of its own

        comparison.turn_on()


def _check_host_name() -> None:
    """Refuse a machine whose name has no address: gloo listens there, and says no more than `rv == 0. -2 vs 0`."""
    name = socket.gethostname()
    try:
        socket.getaddrinfo(name, None)
    except OSError as error:
        raise RuntimeError(
            f"`init`: processes listen at the address of their machine's name, and {name!r} has none ({error}). "
            f"A line `127.0.0.1 {name}` in /etc/hosts gives it one for the processes of this machine."
        ) from error


def _leave_at_once_if_failed() -> None:
    """Make a process that ends by an exception end: JAX lets each wait at its end until all others have come to theirs."""
    show = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        show(kind, error, trace)
        note_failure(1)

    sys.excepthook = hook
    atexit.register(_leave)  # before JAX's, which were registered before


def note_failure(code: object) -> None:
    """Note that this process ends by an exception, or by `SystemExit` with this code."""
    if code is not None and code != 0:
        _failed.append(code if isinstance(code, int) else 1)


def _leave() -> None:
    if not _failed:
        try:
            collectives.wait_for_last_call()  # a program that never reads a result would not learn that it failed
        except RuntimeError as error:
            sys.excepthook(type(error), error, error.__traceback__)
    if _failed:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_failed[0])


def local_rank() -> int:
    """Return the number of this process on its machine."""
    return _place[0].local_rank if _place else 0


def local_size() -> int:
    """Return how many processes of the world are on this machine."""
    return _place[0].local_size if _place else 1
