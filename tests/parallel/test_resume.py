"""A run of two processes of which one is killed, and that goes on from its last checkpoint."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "communication"))
from test_several import launch

SCRIPT = Path(__file__).with_name("resumable.py")


def test_a_killed_run_goes_on_bit_for_bit(tmp_path):
    """The launcher ends those that wait for the killed one, says which it was, and leaves nothing behind."""
    done = launch(tmp_path, SCRIPT, tmp_path, "die")
    assert done.returncode == 128 + signal.SIGKILL, done.stdout + done.stderr
    assert "Process 1 was ended by signal 9; the others were ended." in done.stderr
    for rank in range(2):
        (pid,) = [
            line.split()[1]
            for line in (tmp_path / f"worker_{rank}.log").read_text("utf8").splitlines()
            if line.startswith("pid ")
        ]
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)
    done = launch(tmp_path, SCRIPT, tmp_path, "resume")
    assert done.returncode == 0, done.stdout + done.stderr
    for rank in range(2):
        report = json.loads((tmp_path / f"2.{rank}.json").read_text("utf8"))
        assert report["last"] == 2
        assert report["rest"] == report["whole"][3:]
        assert report["resumed"] == report["weights"]
