"""Entries: the facts about one public name, and counts of many."""

import inspect
import re
import sys
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from msjax.public_api.placeholders import Missing
from msjax.status.signatures import differences

HERE, DIFFERS, MISSING = "here", "differs", "missing"
Reasons = dict[str, str]  # {why: pattern of full names}


@dataclass(frozen=True, slots=True)
class Entry:
    """Status of one name.

    Attributes:
        module: MindSpore's or PyTorch's, in full; or a class whose members are listed.
        name: in the module.
        kind: f (function), c (class), m (module) or v (value).
        status: `HERE`, `DIFFERS` (here with another signature) or `MISSING`.
        notes: the differences, or the reason.
        theirs: the signature there, "" if it has none.
        limits: what raises NotImplementedError, in the words of the documentation.
        cpu: whether the name works on MindSpore's CPU, as far as is known.
    """

    module: str
    name: str
    kind: str
    status: str
    notes: tuple[str, ...] = ()
    theirs: str = ""
    limits: str = ""
    cpu: bool = False


def describe_name(
    module: str, name: str, what: str, there: object, found: Any, reason: Callable[[str], str]
) -> Entry:
    """Return the status of a name.

    Args:
        module: that has the name, in full.
        name: in the module.
        what: its recorded kind and signature.
        there: the module or class here, or None.
        found: the object of that name here, or None.
        reason: (full name) -> why it is missing, if it is.
    """
    kind, theirs = what[0], what[1:]
    if found is None and hasattr(there, name):  # a value that is None
        return Entry(module, name, kind, HERE, (), theirs)
    if found is None or is_absent(found):
        said = vars(found).get("way_out", "") if inspect.isclass(found) else ""
        return Entry(module, name, kind, MISSING, (said.rstrip(".") or reason(f"{module}.{name}"),), theirs)
    notes = tuple(differences(theirs, found, inspect.isclass(there))) if kind in "fc" and theirs else ()
    return Entry(module, name, kind, DIFFERS if notes else HERE, notes, theirs, _limits(found))


def is_absent(found: Any) -> bool:
    """Return True if an object is a placeholder for a name that msjax does not have."""
    return isinstance(found, Missing) or (inspect.isclass(found) and "way_out" in vars(found))


def find_reason(reasons: Reasons, full: str) -> str:
    """Return the first reason whose pattern fits a full name; "to come" if none does."""
    return next((why for why, pattern in reasons.items() if re.search(pattern, full)), "to come")


def require_docstrings(tool: str) -> None:
    """Refuse to report from documentation that is not there.

    Raises:
        RuntimeError: under `python -OO`.
    """
    if sys.flags.optimize > 1:
        raise RuntimeError(
            f"`{tool}` reads docstrings, which Python has left out (-OO, PYTHONOPTIMIZE=2). Run it without that option."
        )


def _limits(found: Any) -> str:
    """Return the documented `Raises: NotImplementedError` of an object."""
    said = re.search(
        r"^\s+NotImplementedError: (.+?)(?=\n\s*\n|\n\s+\w+Error:|\Z)",
        found.__doc__ or "",
        re.MULTILINE | re.DOTALL,
    )
    return " ".join(said[1].split()) if said and not isinstance(found, types.ModuleType) else ""


def counts(entries: Sequence[Entry]) -> tuple[int, int, int, int]:
    """Count the names: all, present, present with another signature, missing."""
    missing = sum(e.status == MISSING for e in entries)
    return len(entries), len(entries) - missing, sum(e.status == DIFFERS for e in entries), missing


def on_cpu(entries: Sequence[Entry]) -> tuple[int, int]:
    """Count the names that work on MindSpore's CPU, and those of them that are here."""
    working = [e for e in entries if e.cpu]
    return len(working), sum(e.status != MISSING for e in working)


def percentage(entries: Sequence[Entry]) -> float:
    """Return the percentage of the names that work on MindSpore's CPU and are here; 100 if there are none."""
    working, here = on_cpu(entries)
    return 100 * here / working if working else 100.0


def by_module(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """Return the entries of each module."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.module, []).append(entry)
    return found
