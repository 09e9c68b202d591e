"""Hooks of MkDocs: change pages while the site is built.

The notebooks become pages; a link to a program of the gallery becomes the program, folded up.
The reference is written into the site without a file in docs/ (`site_reference.py`), and the pages in api/ link to it.
Links to files outside of docs/ become plain text on the site. A page without exactly one title, with a heading that skips a
level or with a picture that has no description is a mistake, which `make site` reports.
"""

import itertools
import json
import logging
import os
import posixpath
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]  # the package as it is here, whatever is installed
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import site_reference  # noqa: E402

log = logging.getLogger("mkdocs.hooks.msjax")  # warnings of MkDocs' own loggers fail a strict build


def on_config(config):
    """Put the pages of the reference into the navigation, after those that its section has."""
    reference = next(section["Reference"] for section in config.nav if "Reference" in section)
    groups: dict[str, list] = {}
    for page in site_reference.pages():
        groups.setdefault(page.title.partition(":")[0].partition(".")[0], []).append({page.title: page.uri})
    for group, pages in groups.items():
        reference += pages if len(pages) == 1 else [{group: pages}]
    return config


def on_files(files, config):
    """Add the pages of the reference."""
    from mkdocs.structure.files import File  # here, so that the tests need no MkDocs

    for page in site_reference.pages():
        files.append(File.generated(config, page.uri, content=page.markdown()))
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        text = notebook_as_markdown(json.loads(path.read_text("utf8")), path.name)
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=text))
    return files


def notebook_as_markdown(notebook: dict, name: str) -> str:
    """Return the cells of a notebook and what they print; the notebook itself is linked below the title."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        printed = "".join("".join(output["text"]) for output in cell.get("outputs", ())).strip("\n")
        parts += [f"```text\n{printed}\n```"] if printed else []
    title, _, rest = "\n\n".join(parts).partition("\n")
    return f"{title}\n\n[This page as a notebook]({name})\n{rest}\n"


def link_names(markdown: str, module: str, targets: dict[str, str]) -> str:
    """Make links of the names that a page in api/ lists as here; if there are some, the search shows what they lead to."""
    before, head, names = markdown.partition("\n## Here\n")

    def link(match: re.Match) -> str:
        places = (module, module.partition(".")[0])  # ops.functional has the names of ops
        target = next((found for place in places if (found := targets.get(f"{place}.{match[1]}"))), None)
        return f"[{match[0]}](../{target})" if target else match[0]

    linked = re.sub(r"`(\w+)`", link, names)
    return before + (head if linked == names else head.rstrip() + " { data-search-exclude }\n") + linked


def show_programs(markdown: str) -> str:
    """Put the programs that "The program" links to in the places of these links."""

    def show(match: re.Match) -> str:
        code = (ROOT / "examples" / match[1]).read_text("utf8")
        return f'??? example "examples/{match[1]}"\n' + textwrap.indent(f"\n```python\n{code}```", "    ")

    return re.sub(r"^\[The program\]\(\.\./examples/(\w+\.py)\)$", show, markdown, flags=re.MULTILINE)


def on_page_markdown(markdown: str, page, config, files) -> str:
    """Make plain text of links to the repository's other files; those that lead nowhere stay, and MkDocs reports them."""
    if page.file.src_uri.startswith("api/"):
        markdown = link_names(markdown, posixpath.basename(page.file.src_uri)[:-3], site_reference.targets())
    if page.file.src_uri == "gallery.md":
        return show_programs(markdown)
    if page.file.src_uri == "limits.md":
        markdown = f"{markdown.partition('On the site the counts')[0]}{site_reference.limits()}\n"
    present = {file.src_uri for file in files}
    folder = posixpath.dirname(page.file.src_uri)

    def keep_or_drop(match: re.Match) -> str:
        target = match[2].partition("#")[0]
        path = posixpath.normpath(posixpath.join("docs", folder, target))
        on_site = path.removeprefix("docs/") in present
        return match[0] if not target or on_site or not (ROOT / path).exists() else match[1]

    return re.sub(r"(?<!!)\[([^\]]+)\]\((?!https?:|mailto:)([^)\s]*)\)", keep_or_drop, markdown)


def on_page_content(html: str, page, config, files) -> str:
    """Report what a reader with a screen reader, or a table of contents, would stumble over."""
    for fault in find_faults(html):
        log.warning("%s: %s", page.file.src_uri, fault)
    return re.sub(r"<th([^>]*)></th>", r"<td\1></td>", html)  # an empty cell is no header


def on_post_page(output: str, page, config) -> str:
    """Name the dialog of the search, which Material leaves without a name."""
    dialog = 'data-md-component="search" role="dialog"'
    if dialog not in output:
        log.warning("%s: the search is not where it was in Material's template", page.file.src_uri)
    return output.replace(dialog, f'{dialog} aria-label="Search"')


def find_faults(html: str) -> list[str]:
    """Return what is wrong with the headings and pictures of a page."""
    levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", html)]
    faults = [] if levels.count(1) == 1 else [f"{levels.count(1)} titles"]
    faults += [
        f"h{below} follows h{above}" for above, below in itertools.pairwise(levels) if below > above + 1
    ]
    faults += [
        "a picture has no description"
        for tag in re.findall(r"<img [^>]*>", html)
        if not re.search('alt="[^"]', tag)
    ]
    return faults
