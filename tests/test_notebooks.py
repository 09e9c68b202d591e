"""The notebooks of the site run, and print what is stored in them."""

import json
from pathlib import Path

import pytest

from tests import notebooks

PATHS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_cells_print_what_is_stored(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for cell, printed in notebooks.run(json.loads(path.read_text("utf8"))):
        assert printed == notebooks.stored(cell), "".join(cell["source"])


def test_there_are_notebooks():
    assert len(PATHS) >= 3
