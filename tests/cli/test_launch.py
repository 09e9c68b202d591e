"""`msjax launch`: processes start, end together, and leave nothing behind."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from msjax import communication
from msjax.cli import launch
from msjax.communication.world import read_cluster, read_place

ASLEEP = "import os, time; print('here', os.environ['MS_NODE_ID'], flush=True); time.sleep(60)"
ENVIRONMENT = {**os.environ, "JAX_PLATFORMS": "cpu"}


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def start(folder, program, *options, joins=False):
    command = [
        sys.executable,
        "-m",
        "msjax",
        "launch",
        f"--log_dir={folder}",
        "--join=True",
        *options,
        "python",
        "-c",
        program,
    ]
    # Most need not join the others, which saves a second.
    environment = ENVIRONMENT | ({} if joins else {"MSJAX_JOINED_BY": "another"})
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def test_what_each_is_told(tmp_path):
    names = ("RANK_ID", "MS_WORKER_NUM", "LOCAL_RANK", "RANK_SIZE")
    program = f"import os; print('told', *[os.environ[n] for n in {names}])"
    running = start(
        tmp_path, program, "--worker_num=2", "--tail_worker_log=1", f"--master_port={free_port()}"
    )
    out, error = running.communicate(timeout=600)
    assert running.returncode == 0, error
    assert "told 0 2 0 2" in (tmp_path / "worker_0.log").read_text("utf8")
    assert "told 1 2 1 2" in out
    assert "told 0" not in out


def test_places():
    """Surroundings that msrun and torchrun give."""
    msrun = {
        "MS_ROLE": "MS_WORKER",
        "MS_WORKER_NUM": "4",
        "MS_SCHED_PORT": "9",
        "MS_NODE_ID": "2",
        "DEVICE_ID": "0",
    }
    assert read_place(msrun)[:4] == (2, 4, "127.0.0.1:9", 0)
    torchrun = {"WORLD_SIZE": "2", "RANK": "1", "MASTER_ADDR": "a", "MASTER_PORT": "7", "LOCAL_RANK": "1"}
    assert read_place(torchrun)[:4] == (1, 2, "a:7", 1)
    assert read_place({**torchrun, "TORCHELASTIC_USE_AGENT_STORE": "True"}).address == "a:8"
    assert read_place({"WORLD_SIZE": "1", "RANK": "0", "MASTER_ADDR": "a"}) is None
    with pytest.raises(RuntimeError, match="not which one this is"):
        read_place({"MS_ROLE": "MS_WORKER", "MS_WORKER_NUM": "4"})


def test_places_that_other_launchers_give(tmp_path):
    """Open MPI, Slurm, and the scripts that start a process for each row of a rank table."""
    mpi = {
        "OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_LOCAL_RANK": "1",
        "OMPI_COMM_WORLD_LOCAL_SIZE": "4",
    }  # fmt: skip
    assert read_cluster(mpi)[:5] == (3, 4, "127.0.0.1:8118", 1, 4)
    machines = mpi | {"OMPI_COMM_WORLD_LOCAL_SIZE": "2"}
    assert read_cluster(machines | {"MS_SCHED_HOST": "a", "MS_SCHED_PORT": "9"})[:5] == (3, 4, "a:9", 1, 2)
    with pytest.raises(RuntimeError, match="and not where they meet"):
        read_cluster(machines)
    slurm = {"SLURM_STEP_NUM_TASKS": "8", "SLURM_PROCID": "5", "SLURM_LOCALID": "1"}
    for nodes, first in (("gpu[003-7,9],login", "gpu003"), ("a1", "a1"), ("a,b[1-2]", "a"), ("n[4]", "n4")):
        assert read_cluster(slurm | {"SLURM_STEP_NODELIST": nodes})[:4] == (5, 8, f"{first}:8118", 1)
    assert read_cluster({"SLURM_NTASKS": "8", "SLURM_PROCID": "0"}) is None  # the batch script itself
    rows = [{"server_id": f"10.0.0.{i}", "device": [{"device_id": "0", "rank_id": str(i)}]} for i in range(2)]
    table = tmp_path / "table.json"
    given = {"RANK_TABLE_FILE": str(table), "RANK_SIZE": "2", "RANK_ID": "1", "DEVICE_ID": "0"}
    with pytest.raises(RuntimeError, match="must name a rank table"):
        read_cluster(given)
    for servers, host in ((rows, "10.0.0.0"), (rows[:1], "127.0.0.1")):
        table.write_text(json.dumps({"server_list": servers}), "utf8")
        assert read_cluster(given)[:4] == (1, 2, f"{host}:8118", 0)


def test_a_scheduler_has_nothing_to_do(monkeypatch, capsys):
    monkeypatch.setenv("MS_ROLE", "MS_SCHED")
    monkeypatch.setenv("MS_WORKER_NUM", "2")
    with pytest.raises(SystemExit) as status:
        communication.init()
    assert status.value.code == 0
    assert "nothing to do" in capsys.readouterr().err


def test_machines():
    options = launch.parser("msrun").parse_args(
        ["--worker_num=4", "--local_worker_num=2", "--node_rank=1", "x.py"]
    )
    assert list(launch.local_ranks(options)) == [2, 3]


def test_one_that_fails_ends_the_others(tmp_path):
    program = (
        f"import os, sys\nif os.environ['MS_NODE_ID'] == '1': raise ValueError('here it ends')\n{ASLEEP}"
    )
    running = start(tmp_path, program, "--worker_num=2", f"--master_port={free_port()}", joins=True)
    _, error = running.communicate(timeout=600)
    assert running.returncode == 1
    assert "Process 1 failed with exit code 1" in error
    assert "ValueError: here it ends" in error


def test_ctrl_c_ends_all(tmp_path):
    running = start(
        tmp_path,
        f"import os; print('pid', os.getpid(), flush=True)\n{ASLEEP}",
        "--worker_num=2",
        f"--master_port={free_port()}",
    )
    logs = [tmp_path / f"worker_{rank}.log" for rank in range(2)]
    until = time.monotonic() + 600
    while not all(log.exists() and "here" in log.read_text("utf8") for log in logs):
        assert time.monotonic() < until
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=600)
    assert running.returncode == 128 + signal.SIGINT
    for log in logs:
        with pytest.raises(ProcessLookupError):
            os.kill(int(log.read_text("utf8").split()[1]), 0)


def test_options_that_do_not_fit(capsys):
    for args, text in [
        (["--worker_num=4", "--local_worker_num=2", "x.py"], "--node_rank must say"),
        (["--worker_num=2", "--local_worker_num=2", "--node_rank=1", "x.py"], "goes beyond --worker_num=2"),
        (["--worker_num=0", "x.py"], "must be positive"),
        (["--sim_level=1", "x.py"], "dry runs"),
    ]:
        with pytest.raises(SystemExit) as status:
            launch.main(args)
        assert status.value.code == 2
        assert text in capsys.readouterr().err


def test_one_that_does_not_come_is_named(tmp_path):
    options = ("--worker_num=4", "--local_worker_num=2", "--node_rank=0", "--cluster_time_out=8")
    running = start(tmp_path, ASLEEP, *options, f"--master_port={free_port()}", joins=True)
    _, error = running.communicate(timeout=600)
    assert running.returncode == 1
    assert "of 4 processes, 2, 3 did not come" in error


def test_one_that_is_killed_ends_the_others(tmp_path):
    program = f"import os, signal\nif os.environ['MS_NODE_ID'] == '0': os.kill(os.getpid(), signal.SIGKILL)\n{ASLEEP}"
    running = start(tmp_path, program, "--worker_num=2", f"--master_port={free_port()}")
    _, error = running.communicate(timeout=600)
    assert running.returncode == 128 + signal.SIGKILL
    assert "Process 0 was ended by signal 9" in error


class Clock:
    """Time that passes only where the launcher sleeps, so that what it allows itself can be told on any machine."""

    now = 0.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


class Stubborn:
    """A process that only SIGKILL ends."""

    def __init__(self, pid, clock, dies_at=None):
        self.pid, self.clock, self.dies_at, self.returncode = pid, clock, dies_at, None

    def poll(self):
        if self.dies_at is not None and self.clock.now >= self.dies_at:
            self.returncode = -signal.SIGKILL
        return self.returncode


@pytest.mark.parametrize("dies_at", [0.0, 100.0], ids=["at once", "later"])
def test_all_have_ended_ten_seconds_after_one_was_killed(dies_at, tmp_path, monkeypatch, capsys):
    """Even those that do not end when they are asked to, as in a collective that waits for the killed one."""
    clock = Clock()
    processes = {pid: Stubborn(pid, clock, dies_at if pid == 2 else None) for pid in range(4)}

    def kill(pid, number):
        if processes[pid].poll() is None and number == signal.SIGKILL:
            processes[pid].returncode = -number

    monkeypatch.setattr(launch, "time", clock)
    monkeypatch.setattr(launch.os, "killpg", kill)
    (tmp_path / "log").write_text("its last words\n", "utf8")
    workers = [launch._Worker(pid, process, tmp_path / "log", False) for pid, process in processes.items()]
    assert launch._wait(workers) == 128 + signal.SIGKILL
    assert all(process.poll() is not None for process in processes.values())
    assert clock.now - dies_at < 10
    assert "Process 2 was ended by signal 9; the others were ended." in capsys.readouterr().err
