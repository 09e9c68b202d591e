"""Tests that need many devices: those in `eight_devices/`, run by one process that has 8 virtual ones."""

import ast
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).with_name("eight_devices")


def _names():
    for file in sorted(FOLDER.glob("*.py")):
        tree = ast.parse(file.read_text("utf8"))
        yield from (
            f"{file.stem}.{node.name}"
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        )


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    report = tmp_path_factory.mktemp("eight") / "report.xml"
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=8"
    files = [str(file) for file in sorted(FOLDER.glob("*.py"))]
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--junitxml={report}"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *files],
        cwd=ROOT,
        env={**os.environ, "XLA_FLAGS": flags},
        capture_output=True,
        text=True,
    )
    assert report.exists(), run.stdout + run.stderr
    found = {}
    for case in ET.parse(report).iter("testcase"):
        name = f"{case.get('classname', '').rpartition('.')[2]}.{case.get('name', '').partition('[')[0]}"
        faults = [
            case.get("name", "") + "\n" + (fault.text or "")
            for fault in case
            if fault.tag in ("failure", "error")
        ]
        found.setdefault(name, []).extend(faults)
    return found


@pytest.mark.parametrize("name", list(_names()))
def test_on_eight_devices(name, outcomes):
    assert name in outcomes, f"{name} did not run"
    assert not outcomes[name], "\n".join(outcomes[name])
