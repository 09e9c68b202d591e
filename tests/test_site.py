"""The site: what `make site` reports of a page, which links it keeps, and what it writes about a name."""

import doctest
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import msjax as ms

DOCS = Path(__file__).parent.parent / "docs"


def load(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REFERENCE = load("site_reference")
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


def test_an_empty_cell_is_no_header_and_the_search_has_a_name(caplog):
    page = SimpleNamespace(file=SimpleNamespace(src_uri="a.md"))
    html = '<h1>A</h1><th></th><th style="b"></th><th>c</th>'
    assert HOOKS.on_page_content(html, page, None, None) == '<h1>A</h1><td></td><td style="b"></td><th>c</th>'
    search = '<div class="md-search" data-md-component="search" role="dialog">'
    assert HOOKS.on_post_page(search, page, None) == search[:-1] + ' aria-label="Search">'
    assert not caplog.records
    HOOKS.on_post_page("<div>", page, None)
    assert "the search is not where it was" in caplog.text


def test_programs_of_the_gallery_are_shown():
    text = (DOCS / "gallery.md").read_text(encoding="utf-8")
    shown = HOOKS.show_programs(text)
    for path in (DOCS.parent / "examples").glob("*.py"):
        assert f"[The program](../examples/{path.name})" in text
        assert f'??? example "examples/{path.name}"\n\n    ```python\n    """' in shown
    assert "[The program]" not in shown


def test_names_of_one_operator_share_a_section():
    entries = {entry.name: entry for entry in REFERENCE.collect(["ops", "mint", "Tensor"])}
    assert "ops.Hypot" not in entries
    assert entries["ops.hypot"].names == ["ops.Hypot", "ops.hypot", "Tensor.hypot"]
    assert entries["ops.hypot"].family == "math"
    text = REFERENCE.render(entries["ops.hypot"])
    assert text.startswith("## ops.hypot { #ops.hypot }\n\n```python\nops.hypot(input, other)\n```\n")
    assert "**PyTorch**: `torch.hypot`" in text
    assert "**State**: here" in text
    assert "- `input` (Tensor, number): one leg." in text
    assert "```pycon\n>>> import msjax as ms" in text
    assert "`ops.LSTM` raises NotImplementedError for several layers." in REFERENCE.render(
        entries["ops.LSTM"]
    )


def test_the_pages_of_modules_lead_to_sections():
    text = "# mindspore.ops\n\n- to come: `gone`\n\n## Here\n\n`hypot` `pi`\n"
    linked = HOOKS.link_names(text, "ops", {"ops.hypot": "reference/ops.math.md#ops.hypot", "ops.gone": "no"})
    expected = text.replace("`hypot`", "[`hypot`](../reference/ops.math.md#ops.hypot)")
    assert linked == expected.replace("## Here", "## Here { data-search-exclude }")
    assert HOOKS.link_names(text, "hal", {}) == text


@pytest.mark.parametrize(
    ("name", "thing", "expected"),
    [
        ("ops.f", lambda x, *, dim=-1, **rest: 0, "ops.f(x, *, dim=-1, **rest)"),
        ("ops.f", lambda *size, dtype=object: 0, "ops.f(*size, dtype=...)"),
        ("Tensor.f", lambda self, n="a": 0, "Tensor.f(n='a')"),
        ("ops.f", int.from_bytes.__call__, "ops.f(*args, **kwargs)"),
        ("nn.SparseToDense", ms.nn.SparseToDense, "nn.SparseToDense()"),
    ],
)
def test_signatures(name, thing, expected):
    assert REFERENCE.signature(name, thing) == expected


def test_a_long_signature_takes_a_line_for_each_argument():
    name = "train." + "name" * 25
    assert REFERENCE.signature(name, lambda x, y=1: 0) == f"{name}(\n    x,\n    y=1,\n)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a * b, x*y*z, `x*y`", "a * b, x\\*y\\*z, `x*y`"),
        ("a[0] < b_c, see :func:`~msjax.f` or :class:`C`", "a&#91;0] &lt; b\\_c, see `msjax.f` or `C`"),
        ("- **weight** - of shape (n,)", "- **weight** - of shape (n,)"),
    ],
)
def test_what_markdown_would_take_for_its_own(text, expected):
    assert REFERENCE.escape(text) == expected


def test_a_docstring_becomes_markdown():
    text = """Sum of x * y.

.. math::
    a_b

For example::

    f(x)

Args:
    x, y (Tensor): two of
        them.

Inputs:
    - **x** - one.

Raises:
    ValueError: never.

Examples:
    >>> 1
    1

    And so on.
"""
    assert REFERENCE.docstring(text).split("\n\n") == [
        "Sum of x * y.",
        "```tex\na_b\n```",
        "For example:",
        "```python\nf(x)\n```",
        "**Args**",
        "- `x`, `y` (Tensor): two of\n    them.",
        "**Inputs**",
        "- **x** - one.",
        "**Raises**",
        "- `ValueError`: never.",
        "```pycon\n>>> 1\n1\n```",
        "And so on.",
    ]


def test_text_after_a_section_is_no_part_of_it():
    text = (
        "A set.\n\nArgs:\n    a_b: the folder.\n\nInputs and Outputs:\n    Two.\n\nThe rest is as in `b`.\n"
    )
    assert REFERENCE.docstring(text).split("\n\n") == [
        "A set.", "**Args**", "- `a_b`: the folder.", "**Inputs and Outputs**", "Two.", "The rest is as in `b`.",
    ]  # fmt: skip


def test_a_class_form_says_how_it_is_called():
    text = REFERENCE.docstring(ms.ops.ReduceProd.__doc__)
    assert "`ReduceProd(keep_dims=False)(x, axis=())`" in text
    assert "- `keep_dims` (bool): keep them with size 1." in text
    assert all(
        not line.startswith(" ") for line in ms.ops.UnravelIndex.__doc__.splitlines() if "Args" in line
    )


def test_the_page_about_limits_ends_with_what_the_tables_say():
    text = REFERENCE.limits()
    assert text.startswith("MindSpore 2.10.0 has ")
    assert "| an operator of Ascend devices |" in text
    assert "- `LSTM` for several layers." in text
    assert "- `torch.argmin`: indices are int32" in text


def test_a_notebook_becomes_a_page():
    cells = [
        {"cell_type": "markdown", "source": ["# A\n", "\n", "b"]},
        {"cell_type": "code", "source": ["print(1)"], "outputs": [{"text": ["1\n"]}]},
    ]
    assert HOOKS.notebook_as_markdown({"cells": cells}, "a.ipynb") == (
        "# A\n\n[This page as a notebook](a.ipynb)\n\nb\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n"
    )


SHORT = REFERENCE.short_examples()
MODULES = sorted({name.rpartition(".")[0] for name in SHORT} & set(SHORT))


@pytest.mark.parametrize("module", MODULES)
def test_short_examples_run(module):
    own = [text for name, text in SHORT.items() if name.rpartition(".")[0] == module and name not in MODULES]
    text = "\n\n".join([SHORT[module], *own])
    test = doctest.DocTestParser().get_doctest(text, {}, module, None, None)
    printed = []
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=printed.append)
    assert results.attempted > len(own)
    assert not results.failed, "".join(printed)


# In a process of its own: which of several names of one operator the reference lists hangs on what was imported before.
SHOWN_ONCE = """
import sys
sys.path.insert(0, "docs")
import site_reference as reference

short = reference.short_examples()
modules = {name.rpartition(".")[0] for name in short} & set(short)
entries = {entry.name: entry for page in reference.pages() for entry in page.entries}
missing = [name for name in sorted(set(short) - modules) if not reference.short_example(entries[name])]
assert missing == [], missing
text = reference.render(entries["ops.Argmax"])
assert "## ops.Argmax {" in text, text
assert text.endswith("```pycon\\n" + short["ops.Argmax"] + "\\n```"), text
page = next(page for page in reference.pages() if page.title == "dataset.vision").markdown()
assert "```pycon\\n" + short["dataset.vision"] + "\\n```" in page, page
"""


def test_each_short_example_is_shown_once_below_a_docstring_without():
    done = subprocess.run(
        [sys.executable, "-c", SHOWN_ONCE], cwd=DOCS.parent, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
