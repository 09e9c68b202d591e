"""The pages `docs/api/*.md`, and tables in print."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msjax.status import mindspore_names, torch_names
from msjax.status.entries import DIFFERS, MISSING, Entry, by_module, counts, on_cpu, percentage

FOLDER = Path(__file__).parents[2] / "docs" / "api"
PACKAGES = {"mindspore": "MindSpore 2.10.0", "torch": "PyTorch 2.13.0"}


def summary(entries: Sequence[Entry]) -> str:
    """Return a line for each module."""
    columns = _columns(entries)
    heads = "names here % differ missing on-cpu here %".split()[:columns]
    lines = [f"{'module':<44}" + "".join(f"{head:>9}" for head in heads)]
    for module, some in [*by_module(entries).items(), ("all", list(entries))]:
        total, here, differ, missing = counts(some)
        left = [total, here, f"{100 * here / max(total, 1):.1f}", differ, missing]
        cells = [*left, *on_cpu(some), f"{percentage(some):.1f}"][:columns]
        lines.append(f"{module:<44}" + "".join(f"{cell:>9}" for cell in cells))
    return "\n".join(lines)


def _columns(entries: Sequence[Entry]) -> int:
    # What works on whose CPU is recorded of MindSpore only.
    return 8 if any(entry.module.startswith("mindspore") for entry in entries) else 5


def page(module: str, entries: Sequence[Entry]) -> str:
    """Return the page about one module."""
    total, here, differ, missing = counts(entries)
    package = PACKAGES[module.partition(".")[0]]
    lines = [
        f"# {module}",
        "",
        f"{package} has {total} names here: {here} exist, {differ} with another signature; {missing} are missing.",
    ]
    working, ours = on_cpu(entries)
    if working:
        lines[-1] += f" Of {working} that work on its CPU, {ours} exist ({percentage(entries):.1f} %)."
    gone: dict[str, list[str]] = {}
    for e in entries:
        if e.status == MISSING:
            gone.setdefault(e.notes[0], []).append(f"`{e.name}`")
    if gone:
        lines += ["", "## Missing", ""]
        lines += [f"- {why}: {', '.join(names)}" for why, names in sorted(gone.items())]
    if differ:
        lines += [
            "",
            "## With another signature",
            "",
            f"| name | {package.split()[0]}'s | here |",
            "|---|---|---|",
        ]
        lines += [
            f"| `{e.name}` | `{_cell(e.theirs)}` | {_cell('; '.join(e.notes))} |"
            for e in entries
            if e.status == DIFFERS
        ]
    limited = [e for e in entries if e.limits and e.status != MISSING]
    if limited:
        lines += ["", "## With limits", ""]
        lines += [f"- `{e.name}` raises NotImplementedError {e.limits}" for e in limited]
    there = [f"`{e.name}`" for e in entries if e.status != MISSING]
    if there:
        lines += ["", "## Here", "", _wrap_names(there)]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _wrap_names(names: Sequence[str], width: int = 118) -> str:
    lines = [""]
    for name in names:
        if len(lines[-1]) + len(name) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + name
    return "\n".join(lines)


def file_of(module: str) -> str:
    """Return the name of the page about a module."""
    return (module.removeprefix("mindspore.") if module != "mindspore" else module) + ".md"


def pages(mindspore: Sequence[Entry], torch: Sequence[Entry]) -> dict[str, str]:
    """Return all pages: {file name: text}. PyTorch's modules without a name here have no page."""
    modules = by_module(mindspore)
    present, absent = _split_modules(by_module(torch))
    lines = [
        "# MindSpore's and PyTorch's public names",
        "",
        "Written by `python -m msjax.status --write`. A missing name can be imported, and raises when it is used.",
        "What a program uses is shown by `msjax check` (see [check.md](../check.md)).",
        "",
        "## MindSpore",
        "",
        "The last columns count the names of which MindSpore's documentation says, or the example in it shows, that they",
        "work on its CPU, and those of them that are here.",
        "",
        "| module | names | here | with another signature | missing | work on MindSpore's CPU | of these here |",
        "|---|---|---|---|---|---|---|",
        *[f"| [{module}]({file_of(module)}) | {_format_counts(some)} |" for module, some in modules.items()],
        f"| all | {_format_counts(mindspore)} |",
        "",
        "## PyTorch",
        "",
        "`msjax run --as torch` gives programs these names. What a module only repeats counts where it comes from.",
        "",
        "| module | names | here | with another signature | missing |",
        "|---|---|---|---|---|",
        *[f"| [{module}]({file_of(module)}) | {_format_counts(some)} |" for module, some in present.items()],
        "",
        "Of the names that come from these modules none is here; those raise when they are used:",
        "",
        _wrap_names([f"`{module}`" for module in absent]),
    ]
    texts = {"README.md": "\n".join(lines) + "\n"}
    return texts | {file_of(module): page(module, some) for module, some in (modules | present).items()}


def _split_modules(
    modules: Mapping[str, list[Entry]],
) -> tuple[dict[str, list[Entry]], list[str]]:
    """Return the modules with names beside their submodules, and the names of the other modules."""
    present = {
        module: some
        for module, some in modules.items()
        if any(e.status != MISSING and e.kind != "m" for e in some)
    }
    return present, [module for module in modules if module not in present]


def _format_counts(entries: Sequence[Entry]) -> str:
    if _columns(entries) == 5:
        return " | ".join(map(str, counts(entries)))
    working, here = on_cpu(entries)
    share = f"{here} ({percentage(entries):.1f} %)" if working else ""
    return " | ".join(map(str, [*counts(entries), working or "", share]))


def stale(folder: Path = FOLDER) -> list[str]:
    """Return the pages that are not as they would be written now."""
    return _list_changed(_survey_all(), folder)


def write(folder: Path = FOLDER) -> int:
    """Write the pages; those of modules that are gone are removed. Returns how many changed."""
    texts = _survey_all()
    changed = _list_changed(texts, folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in changed:
        if name in texts:
            (folder / name).write_text(texts[name])
        else:
            (folder / name).unlink()
    return len(changed)


def _survey_all() -> dict[str, str]:
    return pages(mindspore_names.survey(), torch_names.survey())


def _list_changed(texts: Mapping[str, str], folder: Path) -> list[str]:
    there = {path.name for path in folder.glob("*.md")}
    changed = [name for name, text in texts.items() if name in there and (folder / name).read_text() != text]
    return sorted({*changed, *(there ^ set(texts))})
