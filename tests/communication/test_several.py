"""Two processes on this machine: what `several.py` checks in them, started once by `msjax launch`."""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NAMES = re.findall(r"^@check\ndef (\w+)", (HERE / "several.py").read_text("utf8"), re.MULTILINE)


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def launch(folder, script, *args, workers=2, seconds=900, options=(), **environment):
    try:
        socket.getaddrinfo(socket.gethostname(), None)
    except OSError:
        pytest.skip(
            f"processes listen at the address of {socket.gethostname()!r}, which has none in /etc/hosts"
        )
    command = [
        sys.executable, "-m", "msjax", "launch", f"--worker_num={workers}", f"--master_port={free_port()}",
        f"--log_dir={folder}", "--join=True", *options, str(script), *map(str, args),
    ]  # fmt: skip
    # With the XLA_FLAGS of all tests: a collective must stand XLA's older code generators too.
    variables = os.environ | {"JAX_PLATFORMS": "cpu"} | environment
    return subprocess.run(
        command, capture_output=True, text=True, timeout=seconds, env=variables, check=False
    )


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("several")
    done = launch(folder, HERE / "several.py", folder)
    found = [folder / f"{rank}.json" for rank in range(2)]
    assert all(path.exists() for path in found), done.stdout + done.stderr
    return [json.loads(path.read_text("utf8")) for path in found]


@pytest.mark.parametrize("name", NAMES)
def test_in_two_processes(reports, name):
    for rank, report in enumerate(reports):
        assert report.get(name, "was not reached") == "ok", f"process {rank}: {report.get(name)}"


def test_examples_of_the_page(tmp_path):
    """Those of docs/scaling.md, as two processes: all end with the same weights."""
    text = (HERE.parent.parent / "docs" / "scaling.md").read_text("utf8")
    script = tmp_path / "script.py"
    script.write_text("\n".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)), "utf8")
    done = launch(tmp_path, script, options=("--as=mindspore", "--as=torch"))
    assert done.returncode == 0, done.stderr
    logs = [(tmp_path / f"worker_{rank}.log").read_text("utf8") for rank in range(2)]
    lines = [
        [line[2:] for line in log.splitlines() if line.startswith(f"{rank} ")]
        for rank, log in enumerate(logs)
    ]
    assert lines[0] == lines[1]
    assert len(lines[0]) == 4
