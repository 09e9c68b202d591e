"""Explanations: what `msjax explain` prints, and to which section of the documentation an uncaught error leads.

The wheel carries the pages (pyproject.toml), so that they can be read wherever msjax is installed.
"""

import difflib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from msjax.cli import usage_check
from msjax.public_api import recorded_api

_PACKAGE = Path(__file__).parents[1]
_FOLDERS = (_PACKAGE / "docs", _PACKAGE.parent / "docs")
SITE = ""  # address of the published site; set it, and errors show their section there too
NAMES = """
check control_flow data debugging extend limits porting precision pytorch saving scaling scaling-devices
""".split()

_FIRST = (
    "",
    "nn",
    "ops",
    "mint",
    "mint.nn",
    "mint.nn.functional",
    "Tensor",
    "train",
    "dataset",
)  # of several places

# Where an error is raised, and of which kind, to the page and the section that explain it; the first that fits counts.
SECTIONS: tuple[tuple[str, type[Exception], str], ...] = (
    ("torch", NotImplementedError, "pytorch#what-differs-on-purpose"),
    ("config", ValueError, "limits#devices-and-settings"),
    ("ops/state/scatter_update", TypeError, "limits#results-that-do-not-fit"),
    ("core/control", Exception, "control_flow#what-must-be-the-same"),
    ("core/autograph", Exception, "control_flow#what-can-depend-on-tensors"),
    ("communication", Exception, "scaling#when-processes-do-not-meet"),
    ("dataset", Exception, "data#when-a-row-fails"),
    ("mindrecord", Exception, "data#files"),
    ("onnx", NotImplementedError, "saving#onnx"),
    ("", NotImplementedError, "limits#what-is-not-there"),  # anywhere else
)
REFUSED_ARGUMENT = "limits#arguments-that-are-refused"


def find_section(error: BaseException) -> str | None:
    """Return "page#section" for an error that msjax raised, or None if the documentation has no section about it."""
    place = _find_origin(error.__traceback__)
    if place is None:
        return None
    fitting = (
        section for room, kind, section in SECTIONS if place.startswith(room) and isinstance(error, kind)
    )
    return next(fitting, None)


def locate(section: str) -> str:
    """Return how a reader gets to "page#section": the command that prints it, and its address if the site has one."""
    command = f"msjax explain {section}"
    page, _, heading = section.partition("#")
    return f"{command}, or {SITE.rstrip('/')}/{page}.html#{heading}" if SITE else command


def _find_origin(traceback: TracebackType | None) -> str | None:
    """Return the file of the package that an error comes from, relative to the package; None if it is none of its own."""
    place = None
    while traceback is not None:
        file = Path(traceback.tb_frame.f_code.co_filename)
        traceback = traceback.tb_next
        if file.is_relative_to(_PACKAGE) and not file.is_relative_to(_PACKAGE / "examples"):
            place = file.relative_to(_PACKAGE).as_posix()
    return None if place is None or place.startswith("cli/") else place


def explain(topic: str) -> str:
    """Return a page, a section of one ("limits#on-purpose"), or what is known of a name ("nn.Dense").

    Raises:
        LookupError: if there is no such page, section or name.

    Examples:
        >>> from msjax.cli import explanations
        >>> print(explanations.explain("data#files").splitlines()[0])
        ## Files
        >>> print(explanations.explain("boost.AutoBoost").splitlines()[0])
        mindspore.boost.AutoBoost: missing (...)
    """
    page, _, section = topic.removesuffix(".md").partition("#")
    if page in NAMES:
        return find_text(page, section)
    return _explain_name(topic)


def list_pages() -> list[str]:
    """Return a line for each page: its name and its title."""
    return [f"{name:<16} {_read_page(name).partition(chr(10))[0].removeprefix('# ')}" for name in NAMES]


def find_text(page: str, section: str) -> str:
    """Return a page, or one section with those below it, without the addresses of links.

    Raises:
        LookupError: if the page has no such section.
    """
    lines, kept, level = _read_page(page).splitlines(), [], 0
    in_code = False
    for line in lines if section else ():
        in_code ^= line.startswith("```")
        heading = None if in_code else re.match("(#+) (.*)", line)
        if heading and level and len(heading[1]) <= level:
            break
        if heading and not level and anchor(heading[2]) == section:
            level = len(heading[1])
        if level:
            kept.append(line)
    if section and not kept:
        there = ", ".join(anchor(text) for text in re.findall(r"^##+ (.*)", "\n".join(lines), re.MULTILINE))
        raise LookupError(f"The page {page!r} has no section {section!r}. It has: {there}.")
    return re.sub(r"\[([^\]]+)\]\([^)\s]*\)", r"\1", "\n".join(kept or lines)).strip()


def anchor(heading: str) -> str:
    """Return the part of a heading's address after the "#", as the site has it."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def _read_page(page: str) -> str:
    for folder in _FOLDERS:
        if (folder / f"{page}.md").is_file():
            return (folder / f"{page}.md").read_text(encoding="utf-8")
    raise LookupError(f"This installation of msjax has no page {page!r}.")


def _explain_name(name: str) -> str:
    """Return the state, the signature and the documentation of a name of MindSpore's, and its other places."""
    name = re.sub("^(msjax|ms)[.]", "", name)
    places = _find_places(name)
    if places:
        elsewhere = f"\n\nAlso: {', '.join(places[1:])}" if places[1:] else ""
        return _explain_name(places[0]) + elsewhere
    full = name if name.partition(".")[0] == recorded_api.NAME else f"{recorded_api.NAME}.{name}"
    found, there = usage_check.find(full)
    finding = usage_check.judge(usage_check.Use("", 0, full))
    if not there and "not public in MindSpore" in finding.note:
        raise LookupError(
            f"{name!r} is neither a page ({', '.join(NAMES)}) nor a name of MindSpore's.{_name_near(name)}"
        )
    state = str(finding).partition(":0: ")[2]
    if name.startswith("torch."):
        state = state.removeprefix(f"{recorded_api.NAME}.")
    if not there:
        return f"{state}\nMore: msjax explain limits#what-is-not-there"
    try:
        shown = f"\n\n{name}{_format_signature(found)}" if callable(found) else ""
    except (TypeError, ValueError):  # there is no signature to be had
        shown = ""
    return f"{state}{shown}\n\n{inspect.getdoc(found) or ''}".rstrip()


def _format_signature(function: Callable) -> str:
    """Return a signature as a caller reads it: types without their modules, Tensor where an operator gets its array."""
    text = re.sub(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])", "", str(inspect.signature(function)))
    text = re.sub(r"Annotated\[Array, <Accepts\.\w+: '([^']*)'>\]", r"\1", text)
    return re.sub(r"\bArray\b", "Tensor", text).removesuffix(" -> None")


def _find_places(name: str) -> list[str]:
    """Return where a name without a module stands ("Dense": "nn.Dense"), the most used first; [] if at the top."""
    names = recorded_api.recorded()
    if "." in name or name in names[recorded_api.NAME] or name == recorded_api.NAME:
        return []
    modules = [module.partition(".")[2] for module, held in names.items() if name in held]
    return sorted((f"{module}.{name}" for module in modules), key=_rank)


def _name_near(name: str) -> str:
    *path, last = name.split(".")
    held = {
        (f"{module}.{other}").partition(".")[2]: other
        for module, others in recorded_api.recorded().items()
        if not path or module.endswith("." + ".".join(path))
        for other in others
    }
    spelled = difflib.get_close_matches(last, set(held.values()), 3)
    near = [min((full for full in held if held[full] == other), key=_rank) for other in spelled]
    return f" Did you mean {', '.join(near)}?" if near else ""


def _rank(full: str) -> tuple[int, str]:
    module = full.rpartition(".")[0]
    return (_FIRST.index(module) if module in _FIRST else len(_FIRST), full)
