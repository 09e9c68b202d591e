"""The reference: a page for each family of names, written while the site is built from signatures, docstrings and tables.

`pages()` gives the pages, `Entry` is one of their sections. Names that are the same operator (`ops.hypot`, `ops.Hypot`,
`Tensor.hypot`) share a section. What MindSpore's names are, what differs and what has limits is `msjax.status`'s
knowledge; what PyTorch calls it, the tables of `msjax port` and `msjax.torch`.
"""

import functools
import importlib
import inspect
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msjax.cli.port import mapping
from msjax.nn.cell.cell import Cell
from msjax.public_api import torch_api
from msjax.status import entries as status
from msjax.status import mindspore_names
from msjax.torch.functions import served_from_mint

# MindSpore's modules below `mindspore`; an operator's section is titled by the first that has it.
SPACES = """
ops nn mint mint.nn mint.nn.functional mint.linalg mint.special mint.optim nn.optim nn.loss nn.learning_rate_schedule
nn.probability.distribution nn.probability.bijector nn.probability.bnn_layers experimental.optim
experimental.optim.lr_scheduler train train.callback train.metrics amp dataset dataset.vision dataset.transforms
dataset.text dataset.audio dataset.dataloader numpy scipy.linalg Tensor Parameter nn.Cell common.initializer
""".split()
OWN = ("interop", "extend")  # msjax's modules that MindSpore does not have
CLASSES = ("Tensor", "Parameter", "nn.Cell")  # spaces whose names are methods
FAMILIES_OF = ("ops", "nn")  # spaces with so many names that each family has a page
FEWEST = 12  # sections that a family must have for a page of its own
WIDEST = 100  # letters of a call on one line
_SECTIONS = [
    "Inputs and Outputs",
    *"Args Parameters Attributes Inputs Outputs Returns Yields Raises Examples References".split(),
]


@dataclass
class Entry:
    """Section of a page: an operator, layer or class under all its names.

    Attributes:
        name: the first name, "ops.hypot".
        thing: the object of that name.
        family: the folder that it comes from, "math".
        names: all of MindSpore's names of it, the first included.
        notes: what is different from MindSpore, and under which name.
    """

    name: str
    thing: Any
    family: str
    names: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass
class Page:
    """Page of the reference.

    Attributes:
        title: "ops: math".
        uri: its path below docs/.
        entries: its sections.
    """

    title: str
    uri: str
    entries: list[Entry]

    def markdown(self) -> str:
        """Return the text of the page."""
        intro = (
            f"{len(self.entries)} entries, from the signatures and docstrings of this version. "
            "What is missing is listed in [Every name](../api/README.md)."
        )
        own = {_space(entry) for entry in self.entries if short_example(entry)}
        beginnings = [f"```pycon\n{short_examples()[space]}\n```" for space in sorted(own)]
        begin = ["Examples that import nothing begin with:", *beginnings] if own else []
        return "\n\n".join([f"# {self.title}", intro, *begin, *map(render, self.entries)]) + "\n"


@functools.cache
def pages() -> list[Page]:
    """Return all pages, in the order of `SPACES`."""
    found: dict[str, list[Entry]] = {}
    entries = collect(SPACES)
    sizes = Counter((_space(entry), entry.family) for entry in entries)
    for entry in entries:
        space = _space(entry)
        if space in FAMILIES_OF:
            large = sizes[space, entry.family] >= FEWEST
            space += f": {entry.family.replace('_', ' ') if large else 'others'}"
        found.setdefault(space, []).append(entry)
    for module in OWN:
        found[module] = list(_own_entries(module))
    order = [*SPACES, *OWN]
    titles = sorted(
        found, key=lambda title: (order.index(title.partition(":")[0]), title.endswith("others"), title)
    )
    return [
        Page(
            title,
            f"reference/{title.replace(': ', '.').replace(' ', '_')}.md",
            sorted(found[title], key=_alphabetical),
        )
        for title in titles
    ]


def targets() -> dict[str, str]:
    """Return where each name of MindSpore's stands: {"ops.hypot": "reference/ops.math.md#ops.hypot"}."""
    return {
        name: f"{page.uri}#{entry.name}" for page in pages() for entry in page.entries for name in entry.names
    }


def collect(spaces: Sequence[str]) -> list[Entry]:
    """Return an entry for each operator, class and function of some of MindSpore's modules."""
    found: dict[int, Entry] = {}
    for space in spaces:
        for one in mindspore_names.survey([f"mindspore.{space}"]):
            inherited = space == "Parameter" and hasattr(mindspore_names.holder("mindspore.Tensor"), one.name)
            if one.status == status.MISSING or one.kind not in "fc" or inherited:
                continue
            thing, name = mindspore_names.lookup(one.module, one.name), f"{space}.{one.name}"
            original = root(thing)
            entry = found.setdefault(id(original), Entry(name, thing, family_of(original)))
            if space == _space(entry) and entry.name[len(space) + 1].isupper() and one.name[0].islower():
                entry.name, entry.thing = name, thing  # functions rather than their class forms
            entry.names.append(name)
            entry.notes += [f"`{name}`: {note}" for note in one.notes]
            limit = f"`{name}` raises NotImplementedError {one.limits}"
            entry.notes += [limit] if one.limits else []
    return list(found.values())


@functools.cache
def short_examples() -> dict[str, str]:
    """Return the examples of `site_examples.txt`: of "ops.Argmax" its own, of "ops" what all of `ops` begin with."""
    text = Path(__file__).with_name("site_examples.txt").read_text("utf8")
    parts = re.split(r"^##? (\S+)\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))


def short_example(entry: Entry) -> str:
    """Return the example of a name whose docstring has none, or ""."""
    return "" if ">>>" in (inspect.getdoc(entry.thing) or "") else short_examples().get(entry.name, "")


def _own_entries(module: str) -> Iterator[Entry]:
    there = importlib.import_module(f"msjax.{module}")
    for name, thing in vars(there).items():
        if not name.startswith("_") and callable(thing) and getattr(thing, "__doc__", None):
            yield Entry(f"{module}.{name}", thing, "")


def root(thing: Any) -> Any:
    """Return the function that an adapter, a class form or a method calls in the end."""
    while callable(target := getattr(thing, "target", None)):
        thing = target
    return thing


def family_of(thing: Any) -> str:
    """Return the folder or file of msjax that something comes from: "math" for msjax.ops.math.fused_arithmetic."""
    parts = str(getattr(thing, "__module__", "")).split(".")
    name = (
        parts[2]
        if len(parts) > 2 and parts[0] == "msjax" and parts[1] in ("ops", "nn")
        else ".".join(parts[1:2])
    )
    return {"primitive_impl": "class forms", "primitives": "class forms", "mint": "collectives"}.get(
        name, name
    )


def _space(entry: Entry) -> str:
    return entry.name.rpartition(".")[0]


def _alphabetical(entry: Entry) -> tuple[str, str]:
    return entry.name.lower(), entry.name


def limits() -> str:
    """Return what the page about differences ends with: counts, names with limits, differences of ported programs."""
    entries = mindspore_names.survey()
    total, here, differ, missing = status.counts(entries)
    working, ours = status.on_cpu(entries)
    reasons = Counter(entry.notes[0] for entry in entries if entry.status == status.MISSING)
    limited = {
        f"`{entry.name}` {escape(entry.limits)}": entry
        for entry in entries
        if entry.limits and entry.status != status.MISSING
    }
    differing = [entry for entry in entries if entry.status == status.DIFFERS]
    ported = [row for row in mapping.rows().values() if row.differs]
    return "\n".join(
        [
            f"MindSpore 2.10.0 has {total} public names; {here} are here, {differ} of them with another signature.",
            f"{missing} are missing. Of the {working} that work on its CPU {ours} are here.",
            "",
            "| why names are missing | how many |",
            "|---|---|",
            *(f"| {escape(why)} | {count} |" for why, count in reasons.most_common()),
            "",
            "### Names that raise NotImplementedError in some cases",
            "",
            *(f"- {text}" for text in sorted(limited)),
            "",
            "### Names with another signature",
            "",
            *(
                f"- `{entry.module.removeprefix('mindspore.')}.{entry.name}`: {escape('; '.join(entry.notes))}"
                for entry in differing
            ),
            "",
            f"### What differs in programs that were ported from PyTorch ({len(ported)} of {len(mapping.rows())} names)",
            "",
            *(f"- `{row.name}`: {escape(row.differs)}" for row in ported),
        ]
    )


# ---------------------------------------------------------------------- text


def render(entry: Entry) -> str:
    """Return the section about one operator, layer or class."""
    facts = {
        "MindSpore": ", ".join(f"`{name}`" for name in entry.names),
        "PyTorch": pytorch_names(entry.names),
        "State": "; ".join(map(escape, entry.notes)) or "here",
    }
    parts = [
        f"## {entry.name} {{ #{entry.name} }}",
        f"```python\n{signature(entry.name, entry.thing)}\n```",
        "  \n".join(f"**{head}**: {text}" for head, text in facts.items() if text),  # two spaces: a new line
        docstring(inspect.getdoc(entry.thing) or ""),
        f"```pycon\n{example}\n```" if (example := short_example(entry)) else "",
    ]
    return "\n\n".join(part for part in parts if part)


def signature(name: str, thing: Any) -> str:
    """Return a call as users write it, without annotations."""
    try:
        given = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        return f"{name}(...)"
    if inspect.isclass(thing) and thing.__init__ is Cell.__init__:
        given = []  # `auto_prefix` and `flags`, which every Cell has
    if name.rpartition(".")[0] in CLASSES and given and given[0].name in ("self", "input", "x", "tensor"):
        given = given[1:]
    parts, keyword = [], False
    for one in given:
        if one.kind is one.VAR_POSITIONAL:
            keyword = True
        elif one.kind is one.KEYWORD_ONLY and not keyword:
            parts.append("*")
            keyword = True
        stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        shown = "..." if "<" in repr(one.default) else repr(one.default).replace("mindspore.", "ms.")
        parts.append(f"{stars}{one.name}" + ("" if one.default is one.empty else f"={shown}"))
    line = f"{name}({', '.join(parts)})"
    return line if len(line) <= WIDEST else f"{name}(\n    " + ",\n    ".join(parts) + ",\n)"


def docstring(text: str) -> str:
    """Return a docstring in Google's form as Markdown.

    Formulas stay as they are written, in TeX.
    """
    pieces = re.split(rf"^[ ]*({'|'.join(_SECTIONS)}):[ ]*$\n?", text, flags=re.MULTILINE)
    parts = [prose(pieces[0])]
    for head, below in zip(pieces[1::2], pieces[2::2], strict=True):
        body, after = _split_section(below)
        if head == "Examples":
            parts.append(examples(body))
        elif body:
            items = itemize(body) if head in ("Args", "Attributes", "Raises") else ""
            parts.append(f"**{head}**\n\n{items or prose(body)}")
        parts.append(prose(after))
    return "\n\n".join(part for part in parts if part)


def _split_section(text: str) -> tuple[str, str]:
    """Return what stands indented below a heading, and the text that follows it."""
    end = re.search(r"^\S", text, re.MULTILINE)
    body, after = (text[: end.start()], text[end.start() :]) if end else (text, "")
    return textwrap.dedent(body).strip("\n"), after


def examples(body: str) -> str:
    """Return interactive examples as blocks of code, and what stands between them as text."""
    blocks = re.split(r"\n[ ]*\n", body)
    return "\n\n".join(
        f"```pycon\n{block}\n```" if block.lstrip().startswith(">>>") else prose(block) for block in blocks
    )


def itemize(body: str) -> str:
    """Return the lines "name (type): what it is" as a list; "" if the text has another form."""
    items: list[str] = []
    for line in body.splitlines():
        start = re.match(r"([*\w][\w., *]*)( \([^:]*\))?:(?: |$)", line)
        if start:
            names = ", ".join(f"`{name.strip()}`" for name in start[1].split(","))
            items.append(f"- {names}{escape(start[2] or '')}: {escape(line[start.end() :])}")
        elif items:
            items.append(f"    {escape(line.strip())}" if line.strip() else "")
        else:
            return ""
    return "\n".join(items)


def prose(text: str) -> str:
    """Return paragraphs of a docstring as Markdown."""
    text = re.sub(r"^\.\. math::\n((?:[ \t]+.*\n?|\n)+)", _formula, text, flags=re.MULTILINE)
    text = re.sub(r"^(.*[^:\n])::\n\n((?:[ ]+.*\n?|\n)+)", _literal, text, flags=re.MULTILINE)
    lines: list[str] = []
    fenced = False
    for line in text.strip("\n").splitlines():
        if line.startswith("```"):
            fenced = not fenced
            lines.append(line)
        elif fenced:
            lines.append(line)
        else:
            item = re.match(r"\s*(?:[-*]|\d+\.) ", line)
            if item and lines and lines[-1].strip() and not re.match(r"\s*(?:[-*]|\d+\.) |\s+", lines[-1]):
                lines.append("")
            lines.append(escape(line))
    return "\n".join(lines)


def _formula(match: re.Match) -> str:
    return f"```tex\n{textwrap.dedent(match[1]).strip()}\n```\n\n"


def _literal(match: re.Match) -> str:
    return f"{match[1]}:\n\n```python\n{textwrap.dedent(match[2]).strip()}\n```\n\n"


def escape(text: str) -> str:
    """Return a line of a docstring with what Markdown would take for its own marked as text; code stays."""
    text = re.sub(r":\w+:`~?([^`<]*?)(?:\s*<[^`]*>)?`", r"`\1`", text).replace("``", "`")
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"(?<![*\\])\*(?![* ])|(?<=[^\s*\\])\*(?=\s)", r"\\*", parts[i])
        parts[i] = parts[i].replace("<", "&lt;").replace("[", "&#91;").replace("_", "\\_")
    return "".join(parts)


# ---------------------------------------------------------------------- PyTorch


def pytorch_names(names: Iterable[str]) -> str:
    """Return PyTorch's names of something, and what differs, from the tables of `msjax port` and `msjax.torch`."""
    found: dict[str, str] = {}
    for name in names:
        for torch, differs in _ported().get(name, ()):
            found[torch] = found.get(torch, "") or differs
        same = (
            [f"torch.{name.removeprefix('mint.')}"] if name.startswith("mint.") else _served().get(name, ())
        )
        for torch in filter(_torch_has, same):
            found.setdefault(torch, "")
    return ", ".join(
        f"`{name}`" + (f" ({escape(differs)})" if differs else "") for name, differs in found.items()
    )


@functools.cache
def _ported() -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for row in mapping.rows().values():
        for api in mapping.APIS:
            place = re.sub(r"^self\.", "Tensor.", mapping.place(row, api))
            pair = (row.name, row.differs)
            if re.fullmatch(r"[\w.]+", place) and pair not in found.setdefault(place, []):
                found[place].append(pair)
    return found


@functools.cache
def _served() -> dict[str, list[str]]:
    """PyTorch's functions that are served from `ops` and `mint` as they are."""
    found: dict[str, list[str]] = {}
    for name, row in served_from_mint.FUNCTIONS.items():
        found.setdefault(row.target.replace("ops.functional.", "ops."), []).append(f"torch.{name}")
    return found


def _torch_has(name: str) -> bool:
    module, _, last = name.rpartition(".")
    return last in torch_api.recorded().get(module, {})
