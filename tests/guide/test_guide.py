"""The blocks of the porting guides' texts print what the texts say. How the texts are written: blocks.py.

`tests/goldens/guide.json` holds what the blocks print in MindSpore 2.10 and PyTorch 2.13 (OneFlow's too, with only
their import line changed).
"""

import functools
import json
from contextlib import ExitStack

import pytest

import msjax
from tests.guide.blocks import HERE, TEXTS, Outcome, agree, difference, run, sections, served_by

RECORDED = json.loads((HERE.parent / "goldens" / "guide.json").read_text())
FRAMEWORKS = ("mindspore", "torch", "oneflow")
BLOCKS = [(text, section) for text in TEXTS for section in sections(text)]
named = pytest.mark.parametrize(
    ("text", "section"), BLOCKS, ids=[f"{text}: {section.name}".replace(" ", "_") for text, section in BLOCKS]
)


def _imports_changed(framework: str, source: str) -> str:
    package = "msjax" if framework == "mindspore" else "msjax.torch"
    return served_by(package, [framework])(framework, source)


@functools.cache
def _outcomes(text: str, way: str) -> dict[str, Outcome]:
    if way == "imports changed":
        return run(text, _imports_changed)
    with ExitStack() as stack:
        for framework in {section.framework for section in sections(text)}:
            stack.enter_context(msjax.install_as(framework))
        if way == "graph mode":
            msjax.set_context(mode=msjax.GRAPH_MODE)
        return run(text, lambda framework, source: source)


@named
@pytest.mark.parametrize("way", ["imports changed", "unchanged", "graph mode"])
def test_prints_what_the_text_says(text, section, way):
    outcome = _outcomes(text, way)[section.name]
    expected = section.text if section.really is None else section.really
    if not agree(expected, outcome.printed) or outcome.failures:
        pytest.fail(difference(section, expected, outcome), pytrace=False)


@named
def test_differs_from_the_frameworks_only_where_noted(text, section):
    recorded = Outcome(RECORDED[text][section.name])
    expected = section.text if section.really is None else section.really
    if not agree(expected, recorded.printed):
        pytest.fail(difference(section, expected, recorded), pytrace=False)
    assert section.really is None or not agree(section.text, recorded.printed, exactly=True), "needs no note"
