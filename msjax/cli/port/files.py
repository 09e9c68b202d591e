"""Scripts, notebooks and folders: what `msjax port` reads and writes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import libcst as cst

from msjax.cli import usage_check
from msjax.cli.port import program, project, report
from msjax.cli.port.mapping import Api
from msjax.cli.source_files import (
    Notebook,
    UnreadableSourceError,
    detect_encoding,
    parse_source,
    read_program,
    read_source,
)


def port(
    source: str,
    out: str | None,
    in_place: bool,
    api: Api,
    every: bool,
    show: Callable[[str], object],
    tell: Callable[[str], object],
) -> int:
    """Rewrite a script, a notebook or a folder.

    Args:
        source: the script, notebook or folder.
        out: where the result goes; None for `show`.
        in_place: overwrite the source.
        api: the style.
        every: report every decision.
        show: gets the text of a script that goes nowhere else.
        tell: gets the reports.

    Returns:
        The number of uses that were left, and of files that could not be read.

    Raises:
        ValueError: if the result would overwrite what was not meant to be.
    """
    start = Path(source)
    if out is not None and in_place:
        raise ValueError("-o and --in-place exclude each other.")
    if out is not None and Path(out).resolve() == start.resolve():
        raise ValueError(f"-o {out} is the source itself; --in-place overwrites it.")
    if start.is_dir() and out is None and not in_place:
        raise ValueError("A folder needs -o FOLDER, or --in-place.")
    if start.suffix == ".ipynb" and out is None and not in_place:
        raise ValueError("A notebook needs -o NOTEBOOK, or --in-place.")
    left = 0
    targets = list(_targets(start, None if out is None else Path(out), in_place))
    if not targets:
        raise ValueError(f"No Python program or notebook is in {start}.")
    whole, chosen = _related(start)
    for path, target in targets:
        if path not in chosen:
            if out is not None and target is not None:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())
            tell(f"{path}: no use of PyTorch")
            continue
        try:
            ported = _port_file(path, api, whole)
        except UnreadableSourceError as error:
            tell(f"{path}:{error.line}: {error}")
            left += 1
            continue
        if target is None:
            show(ported.text.removesuffix("\n"))
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(ported.text, "utf8" if path.suffix == ".ipynb" else detect_encoding(path))
        tell(report.text(str(path), ported.report, every, ported.places))
        for cell, error in ported.errors.items():
            tell(f"  {path}[{cell}]:{error.line}: {error}")
        left += len(ported.report.of(report.LEFT)) + len(ported.errors)
    return left


@dataclass(frozen=True)
class _PortedFile:
    """A file after it was rewritten.

    Attributes:
        text: its new content.
        report: the decisions.
        places: of a notebook, the cell and the line in it of each line of the program.
        errors: of a notebook, the cells that are no Python.
    """

    text: str
    report: report.Report
    places: Sequence[tuple[int, int]] | None = None
    errors: Mapping[int, UnreadableSourceError] = field(default_factory=dict)


def _port_file(path: Path, api: Api, whole: project.Project) -> _PortedFile:
    notebook = Notebook(path) if path.suffix == ".ipynb" else None
    text = read_source(path) if notebook is None else notebook.program
    parse_source(text)
    try:
        ported = program.port_source(text, api, whole)
    except cst.ParserSyntaxError as error:  # of a Python that libcst does not know yet
        raise UnreadableSourceError(f"cannot be read: {error.message}", error.raw_line) from None
    if notebook is None:
        return _PortedFile(ported.text, ported.report)
    return _PortedFile(notebook.rewrite(ported.text), ported.report, notebook.places, notebook.errors)


_VERDICTS = {
    report.DONE: usage_check.PORTED,
    report.DIFFERS: usage_check.PORTED_ALMOST,
    report.LEFT: usage_check.NOT_PORTED,
}


def check(paths: Sequence[str | Path]) -> list[usage_check.Finding]:
    """Return what `msjax port` would do to each use of PyTorch, for `msjax check`.

    Args:
        paths: files and folders.
    """
    found: dict[usage_check.Finding, None] = {}
    for start in map(Path, paths):
        whole, chosen = _related(start)
        for path in usage_check.files([start]):
            if path not in chosen or (start.is_file() and not usage_check.uses_pytorch(path)):
                continue
            try:
                ported = _port_file(path, "mindspore", whole)
            except UnreadableSourceError:
                continue  # the check itself has said so
            for d in ported.report.of(report.DONE, report.DIFFERS, report.LEFT):
                place, line = report.locate(str(path), d.line, ported.places)
                found[usage_check.Finding(place, line, d.name, _VERDICTS[d.verdict], d.note)] = None
    return list(found)


def _related(start: Path) -> tuple[project.Project, set[Path]]:
    """Return what is known of the files that belong to a script or a folder, and those that PyTorch's Tensors may reach.

    These import PyTorch, or a file that does, or are imported by one; so do those that cannot be read.
    """
    if start.is_file():
        return project.read_files(project.beside(start)), {start}
    paths = list(usage_check.files([start]))
    uses = set(filter(usage_check.uses_pytorch, paths))
    beside = {path: set(project.beside(path)) for path in paths}
    reached = set().union(*[beside[path] for path in uses])
    chosen = {p for p in paths if p in uses | reached or beside[p] & uses or not _is_readable(p)}
    return project.read_files(paths), chosen


def _is_readable(path: Path) -> bool:
    try:
        parse_source(read_program(path))
    except UnreadableSourceError:
        return False
    return True


def _targets(start: Path, out: Path | None, in_place: bool) -> Iterator[tuple[Path, Path | None]]:
    if start.is_file():
        yield start, start if in_place else out
        return
    for path in usage_check.files([start]):
        yield path, path if in_place or out is None else out / path.relative_to(start)
