"""Every Python example in the texts runs, in order, and gives what the text says."""

import doctest
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
READER = Sybil(parsers=[PythonCodeBlockParser(doctest_optionflags=FLAGS), SkipParser()])


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_examples(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for example in READER.parse(path).examples():
        example.evaluate()
