"""Four processes with one device each: what `four_processes.py` checks in them, started once by `msjax launch`."""

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "communication"))
from test_several import launch

SCRIPT = Path(__file__).with_name("four_processes.py")
NAMES = re.findall(r"^@check\ndef (\w+)", SCRIPT.read_text("utf8"), re.MULTILINE)


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("four")
    done = launch(folder, SCRIPT, folder, workers=4)
    found = [folder / f"{rank}.json" for rank in range(4)]
    assert all(path.exists() for path in found), done.stdout + done.stderr
    return [json.loads(path.read_text("utf8")) for path in found]


@pytest.mark.parametrize("name", NAMES)
def test_in_four_processes(reports, name):
    for rank, report in enumerate(reports):
        assert report.get(name, "was not reached") == "ok", f"process {rank}: {report.get(name)}"
