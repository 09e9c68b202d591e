"""Every Python example in the texts runs, in order, and gives what the text says; what checks the front pages exists."""

import doctest
import re
from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

ROOT = Path(__file__).parent.parent
TEXTS = sorted(
    path
    for folder in ("", "docs", "docs/start", "migration_examples")
    for path in (ROOT / folder).glob("*.md")
)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
CLAIMS = (ROOT / "tests/README.md").read_text(encoding="utf-8").partition("## What the front pages claim")[2]
CLAIMS = CLAIMS.partition("\n## ")[0]
READER = Sybil(parsers=[PythonCodeBlockParser(doctest_optionflags=FLAGS), SkipParser()])


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_examples(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for example in READER.parse(path).examples():
        example.evaluate()


@pytest.mark.parametrize("place", sorted(set(re.findall(r"`(tests/[^`]+)`", CLAIMS))))
def test_what_checks_a_claim_is_there(place):
    path, _, name = place.partition("::")
    assert (ROOT / path).exists()
    assert not name or f"\ndef {name}(" in (ROOT / path).read_text(encoding="utf-8")


def test_the_front_page_says_how_fast_as_the_table_does():
    table = (ROOT / "docs/performance.md").read_text(encoding="utf-8").partition("## A warm compiled step")[2]
    rows = re.findall(r"^\| [^|]+ \| (\d+\.\d+) \|", table.partition("![")[0], re.MULTILINE)
    least, most = min(rows, key=float), max(rows, key=float)
    assert f"msjax is between {least} and {most}" in (ROOT / "docs/index.md").read_text(encoding="utf-8")
    assert f"a step takes {least} to {most} of one by hand" in CLAIMS


def test_the_walkthrough_shows_the_lines_that_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    text = text.partition("## A change from beginning to end")[2].partition("\n## ")[0]
    for step in text.split("\n**")[1:]:
        files = re.findall(r"`((?:msjax|tests)/[a-z_/]+\.pyi?)`", step)
        held = [line for name in files for line in (ROOT / name).read_text(encoding="utf-8").splitlines()]
        for line in filter(
            str.strip, "\n".join(re.findall(r"```text\n(.*?)```", step, re.DOTALL)).splitlines()
        ):
            assert any(line.strip() in each for each in held), (line, files)
