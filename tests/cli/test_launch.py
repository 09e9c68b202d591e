"""`msjax launch`: processes start, end together, and leave nothing behind."""

import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from msjax.cli import launch
from msjax.communication.world import read_place

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
