"""Starts the processes of one program, as MindSpore's `msrun` does: `msjax launch`, also installed as `msrun`."""

import argparse
import ast
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import click

_LAST_LINES = 30  # of the log of a process that failed
_GRACE = 3.0  # seconds between asking a process to end and ending it


def parser(name: str) -> argparse.ArgumentParser:
    """Return the options of msrun."""
    made = argparse.ArgumentParser(
        name,
        description="Run a program in several processes that communicate, on this machine or on several.",
    )
    add = made.add_argument
    add("--worker_num", type=int, default=8, help="processes on all machines together (default: 8)")
    add("--local_worker_num", type=int, help="processes on this machine (default: all)")
    add("--master_addr", default="127.0.0.1", help="where the first process is reached")
    add("--master_port", type=int, default=8118, help="a free port there (default: 8118)")
    add(
        "--node_rank",
        type=int,
        default=-1,
        help="which machine this is, from 0; needed where there are several",
    )
    add("--log_dir", default="", help="folder of the logs (default: this one)")
    add("--join", type=ast.literal_eval, choices=[True, False], default=False, help="wait for the processes")
    add(
        "--cluster_time_out", type=int, default=600, help="seconds in which all must have come (default: 600)"
    )
    add("--worker_log_name", default="worker", help="name of the logs; {ip} and {hostname} are filled in")
    add("--tail_worker_log", default="-1", help="whose logs to show with --join=True, as 0,2 (default: all)")
    add(
        "--as",
        dest="names",
        action="append",
        help="the package that msjax stands in for (default: mindspore)",
    )
    add("--bind_core", default="False", help="True: share out the cores among the processes")
    add("--bind_numa", default="False", help=argparse.SUPPRESS)
    add("--sim_level", type=int, default=-1, help=argparse.SUPPRESS)
    add("--sim_rank_id", type=int, default=-1, help=argparse.SUPPRESS)
    add("--rank_table_file", default="", help=argparse.SUPPRESS)
    add("task_script", help="the program; or `python`, with what follows it on a command line")
    add("task_script_args", nargs=argparse.REMAINDER, help="the program's own arguments")
    return made


class _Worker:
    """One process and its log."""

    def __init__(self, rank: int, process: subprocess.Popen, log: Path, shown: bool) -> None:
        self.rank, self.process, self.log = rank, process, log
        self.follower = threading.Thread(target=self._follow, daemon=True) if shown else None
        if self.follower is not None:
            self.follower.start()

    def _follow(self) -> None:
        """Copy the log to this process's output, until the process has ended."""
        with self.log.open(errors="replace") as log:
            while True:
                ended = self.process.poll() is not None
                sys.stdout.write(log.read())
                sys.stdout.flush()
                if ended:
                    return
                time.sleep(0.1)

    def last_lines(self) -> str:
        return "".join(self.log.read_text(errors="replace").splitlines(keepends=True)[-_LAST_LINES:])


def main(args: Sequence[str] | None = None, name: str = "msrun") -> None:
    """The entry point of the command.

    Args:
        args: the arguments after its name. Default: those of the process.
        name: its name, for messages.
    """
    sys.exit(launch(parser(name).parse_args(args)))


def launch(given: argparse.Namespace) -> int:
    """Start the processes and, with `join`, wait for them.

    Args:
        given: the options.

    Returns:
        The exit status: 0, or that of the first process that failed.

    Raises:
        SystemExit: with status 2, if the options do not fit together.
    """
    ranks = local_ranks(given)
    folder = Path(given.log_dir or ".")
    folder.mkdir(parents=True, exist_ok=True)
    workers: list[_Worker] = []
    # Ctrl-C and SIGTERM end all processes; without this the second would leave them behind.
    before = {number: signal.signal(number, _interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        for local, rank in enumerate(ranks):
            workers.append(_start(given, rank, local, len(ranks), folder))
            click.echo(f"Start worker process with rank id:{rank}, log file:{workers[-1].log}.")
        return _wait(workers) if given.join else 0
    except BaseException:
        _end(workers)
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, _: FrameType | None) -> Any:
    click.echo(f"signal {number}: ending all processes", err=True)
    sys.exit(128 + number)


def _refuse(text: str) -> Any:
    click.echo(f"msrun: error: {text}", err=True)
    raise SystemExit(2)


def local_ranks(given: argparse.Namespace) -> range:
    """Return the ranks of the processes that are started here."""
    count = (
        given.worker_num if given.local_worker_num is None else min(given.local_worker_num, given.worker_num)
    )
    if count < 1:
        _refuse(
            f"--worker_num and --local_worker_num must be positive. Received: {given.worker_num}, {count}."
        )
    if given.sim_level >= 0 or given.sim_rank_id >= 0:
        _refuse("--sim_level and --sim_rank_id are dry runs of MindSpore's own compiler, which is not here.")
    if count < given.worker_num and given.node_rank < 0:
        _refuse(
            f"--node_rank must say which machine this is, since {count} of {given.worker_num} processes are started."
        )
    first = max(given.node_rank, 0) * count
    if first + count > given.worker_num:
        _refuse(
            f"--node_rank={given.node_rank} with {count} processes goes beyond --worker_num={given.worker_num}."
        )
    return range(first, first + count)


def _start(given: argparse.Namespace, rank: int, local: int, count: int, folder: Path) -> _Worker:
    environment = os.environ | {
        "MS_ROLE": "MS_WORKER",
        "MS_WORKER_NUM": str(given.worker_num),
        "MS_NODE_ID": str(rank),
        "MS_SCHED_HOST": given.master_addr,
        "MS_SCHED_PORT": str(given.master_port),
        "MS_TOPO_TIMEOUT": str(given.cluster_time_out),
        "RANK_ID": str(rank),
        "RANK_SIZE": str(given.worker_num),
        "DEVICE_ID": str(local),
        "RANK": str(rank),
        "WORLD_SIZE": str(given.worker_num),
        "LOCAL_RANK": str(local),
        "LOCAL_WORLD_SIZE": str(count),
        "MASTER_ADDR": given.master_addr,
        "MASTER_PORT": str(given.master_port),
        "PYTHONUNBUFFERED": "1",
    }
    if given.rank_table_file:
        environment["RANK_TABLE_FILE"] = given.rank_table_file
    names = [part for package in given.names or ["mindspore"] for part in ("--as", package)]
    # As msrun: `msrun ... python script.py` and `msrun ... script.py` are the same.
    program = given.task_script_args
    if not Path(given.task_script).name.startswith("python"):
        program = [given.task_script, *program]
    command = [sys.executable, "-m", "msjax", "run", *names, *program]
    host = socket.gethostname()
    name = given.worker_log_name.replace("{hostname}", host)
    if "{ip}" in name:
        name = name.replace("{ip}", socket.gethostbyname(host))
    log = folder / f"{name}_{rank}.log"
    shown = given.join and (given.tail_worker_log == "-1" or str(local) in given.tail_worker_log.split(","))
    with log.open("w") as output:
        # A session of its own: a signal ends what the process started, too.
        process = subprocess.Popen(
            command, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=given.join
        )
    if given.bind_core.lower() == "true":
        _bind(process.pid, local, count)
    return _Worker(rank, process, log, shown)


def _bind(pid: int, local: int, count: int) -> None:
    """Give a process its share of the cores."""
    cores = sorted(os.sched_getaffinity(0))
    share = max(len(cores) // count, 1)
    os.sched_setaffinity(pid, {cores[(local * share + i) % len(cores)] for i in range(share)})


def _wait(workers: list[_Worker]) -> int:
    """Wait for all processes; when one fails, end the others and tell how its log ends."""
    while True:
        codes = [worker.process.poll() for worker in workers]
        failed = [worker for worker, code in zip(workers, codes, strict=True) if code]
        if failed:
            time.sleep(0.5)  # one that fails often takes others along; which was first shows its log
            # One that was killed is no consequence of another's failure, but others fail of it at once.
            killed = [worker for worker in workers if worker.process.poll() == -signal.SIGKILL]
            _end(workers)
            for worker in workers:
                if worker.follower is not None:
                    worker.follower.join(1)
            first = (killed or failed)[0]
            code = first.process.returncode
            how = f"was ended by signal {-code}" if code < 0 else f"failed with exit code {code}"
            click.echo(
                f"Process {first.rank} {how}; the others were ended. {first.log} ends:\n{first.last_lines()}",
                err=True,
            )
            return code if code > 0 else 128 - code
        if all(code == 0 for code in codes):
            for worker in workers:
                if worker.follower is not None:
                    worker.follower.join(5)
            return 0
        time.sleep(0.1)


def _end(workers: list[_Worker]) -> None:
    """End what still runs, with all that it started."""
    for number, seconds in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, 5.0)):
        for worker in workers:
            try:
                os.killpg(worker.process.pid, number)
            except (ProcessLookupError, PermissionError):
                continue
        until = time.monotonic() + seconds
        while time.monotonic() < until and any(worker.process.poll() is None for worker in workers):
            time.sleep(0.05)
