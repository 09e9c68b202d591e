"""What MkDocs does with the pages beside its own: links to files outside of docs/ become plain text on the site."""

import re


def on_page_markdown(markdown: str, page, config, files) -> str:
    """Take the links out of a page whose targets are not on the site; relative ones that are stay."""
    present = {file.src_uri for file in files}
    folder = page.file.src_uri.rpartition("/")[0]

    def keep_or_drop(match: re.Match) -> str:
        target = match[2].partition("#")[0]
        path = _join(folder, target)
        return match[0] if path is not None and (path in present or not target) else match[1]

    return re.sub(r"(?<!!)\[([^\]]+)\]\((?!https?:|mailto:)([^)\s]*)\)", keep_or_drop, markdown)


def _join(folder: str, target: str) -> str | None:
    """Return a path relative to docs/, or None if it leads out of it."""
    parts = folder.split("/") if folder else []
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
