"""The porting guides' texts as programs: Markdown files whose code blocks are run one after another.

A section `## name` holds code and what it prints:

- ```` ```python mindspore ```` (or `torch`, `oneflow`): code of the text, its line breaks restored. All blocks of one
  framework in one text share a namespace, as the cells of a notebook do, and an exception ends only its section.
- ```` ```text ````: what the text says that the section prints. An exception that ends it prints its last line.
- ```` ```text really ````: what it prints with the framework itself, where the text has a slip or another version's
  printing. `...` stands for anything.
- ```` ```python check ````: not from the text; what must hold afterwards where printing tells too little.
"""

import contextlib
import difflib
import doctest
import io
import linecache
import re
import sys
import traceback
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.goldens.snippets import same

HERE = Path(__file__).parent
TEXTS = ("mindspore_1_5", "mindspore_2_1", "mindspore_2_3", "oneflow")
FENCE = re.compile(r"^```(\w+)(?: (\w+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Section:
    """One section of a text."""

    name: str
    framework: str = ""
    source: str = ""
    text: str = ""
    really: str | None = None
    check: str = ""


@dataclass
class Outcome:
    """Record of a section: its prints when it was run, and how its check failed."""

    printed: str
    failures: list[str] = field(default_factory=list)
    traceback: str = ""


def sections(text: str) -> list[Section]:
    """The sections of a text, in order."""
    _, *parts = re.split(r"^## (.+)\n", (HERE / f"{text}.md").read_text(), flags=re.MULTILINE)
    found = []
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        section = Section(name)
        for language, word, content in FENCE.findall(body):
            if language == "text" and word == "really":
                section.really = content
            elif language == "text":
                # Where OneFlow names the element type, PyTorch and msjax.torch do not.
                section.text = content.replace(", dtype=oneflow.float32", "")
            elif word == "check":
                section.check = content
            else:
                section.framework = word
                section.source += content
        found.append(section)
    return found


def run(text: str, rewritten: Callable[[str, str], str]) -> dict[str, Outcome]:
    """Run all sections of a text.

    Args:
        text: its name.
        rewritten: gives from a framework's name and a block of code what shall run in its place.
    """
    modules = {
        section.framework: types.ModuleType(f"guide_{section.framework}") for section in sections(text)
    }
    # Who reads the source of a function looks for its module, and for the lines of its file.
    sys.modules.update({module.__name__: module for module in modules.values()})
    try:
        return {
            section.name: _run(section, text, modules[section.framework].__dict__, rewritten)
            for section in sections(text)
        }
    finally:
        for module in modules.values():
            del sys.modules[module.__name__]


def _run(section: Section, text: str, namespace: dict, rewritten: Callable[[str, str], str]) -> Outcome:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        error = _execute(rewritten(section.framework, section.source), f"<{text}: {section.name}>", namespace)
        if error is not None:
            print(traceback.format_exception_only(error)[-1].strip())
    outcome = Outcome(printed.getvalue())
    if error is not None:
        outcome.traceback = "".join(traceback.format_exception(error))
    failure = _execute(section.check, f"<{text}: {section.name}, check>", namespace)
    if failure is not None:
        outcome.failures.append("".join(traceback.format_exception(failure)))
    return outcome


def _execute(source: str, file: str, namespace: dict) -> Exception | None:
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    try:
        exec(compile(source, file, "exec"), namespace)
    except Exception as error:  # noqa: BLE001
        return error
    return None


def served_by(package: str, frameworks: Iterable[str]) -> Callable[[str, str], str]:
    """For :func:`run`: lines that import one of the frameworks import the package instead."""

    def rewritten(framework: str, source: str) -> str:
        if framework not in frameworks:
            return source
        source = re.sub(
            rf"^import {framework}$", f"import {package} as {framework}", source, flags=re.MULTILINE
        )
        return re.sub(rf"^(import|from) {framework}\b", rf"\1 {package}", source, flags=re.MULTILINE)

    return rewritten


def agree(expected: str, printed: str, exactly: bool = False) -> bool:
    """Whether a text agrees with another, however it is broken into lines; numbers up to rounding, if not exactly."""
    expected, printed = (" ".join(each.split()) for each in (expected, printed))
    if "..." in expected:
        return doctest.OutputChecker().check_output(expected + "\n", printed + "\n", doctest.ELLIPSIS)
    if exactly or expected == printed:
        return expected == printed
    # Another last digit is another width of its column.
    expected, printed = (re.sub(r"(?<=\[) | (?=\])", "", each) for each in (expected, printed))
    exponents = [re.findall(r"\de[-+]\d+", each) for each in (expected, printed)]
    return exponents[0] == exponents[1] and same(expected, printed)


def difference(section: Section, expected: str, outcome: Outcome) -> str:
    """The code and what it printed beside what it should have printed."""
    lines = difflib.unified_diff(
        expected.splitlines(keepends=True),
        outcome.printed.splitlines(keepends=True),
        "expected",
        "printed",
        n=100,
    )
    return f"## {section.name}\n\n{section.source}\n{''.join(lines)}\n{outcome.traceback}{''.join(outcome.failures)}"
