"""The site: what `make site` reports of a page, and which links it keeps."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pytest

DOCS = Path(__file__).parent.parent / "docs"


def load(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HOOKS = load("site_hooks")


@pytest.mark.parametrize(
    ("html", "faults"),
    [
        ('<h1 id="a">A</h1><h2>B</h2><h3>C</h3><h2>D</h2><img alt="E" src="f">', []),
        ("<h2>A</h2>", ["0 titles"]),
        ("<h1>A</h1><h1>B</h1>", ["2 titles"]),
        ("<h1>A</h1><h3>B</h3>", ["h3 follows h1"]),
        ('<h1>A</h1><img alt="" src="f"><img src="g">', ["a picture has no description"] * 2),
    ],
)
def test_faults_of_a_page_are_found(html, faults):
    assert HOOKS.find_faults(html) == faults


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](b.md)", "[a](b.md)"),  # is on the site
        ("[a](../index.md#x)", "[a](../index.md#x)"),
        ("[a](#x)", "[a](#x)"),
        ("[a](../../README.md)", "a"),  # outside of docs/
        ("[a](gone.md)", "[a](gone.md)"),  # leads nowhere, and MkDocs reports it
        ("![a](gone.svg)", "![a](gone.svg)"),  # a picture that is missing stays, and MkDocs reports it
        ("[a](https://b.example)", "[a](https://b.example)"),
    ],
)
def test_links_off_the_site_become_text(text, expected):
    page = SimpleNamespace(file=SimpleNamespace(src_uri="start/a.md"))
    files = [SimpleNamespace(src_uri=uri) for uri in ("index.md", "start/b.md", "start/a.md")]
    assert HOOKS.on_page_markdown(text, page, None, files) == expected
