"""What MkDocs does with the pages beside its own.

Links to files outside of docs/ become plain text on the site. A page without exactly one title, with a heading that skips a
level or with a picture that has no description is a mistake, which `make site` reports.
"""

import itertools
import logging
import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
log = logging.getLogger("mkdocs.hooks.msjax")  # warnings of MkDocs' own loggers fail a strict build


def on_page_markdown(markdown: str, page, config, files) -> str:
    """Make plain text of links to the repository's other files; those that lead nowhere stay, and MkDocs reports them."""
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
    return html


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
