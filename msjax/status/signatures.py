"""Signatures here against recorded ones, in words."""

import ast
import enum
import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

_OPEN = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
_STANDARD_LIBRARY = sys.stdlib_module_names - {"builtins"}
Parameters = dict[str, tuple[Any, str | None]]


def parse_signature(signature: str) -> Parameters:
    """Return a recorded signature as {name: (kind, default or None)}.

    Examples:
        >>> from msjax.status import signatures
        >>> list(signatures.parse_signature("(x, *, axis=None)"))
        ['x', 'axis']
    """
    text = re.sub(r"<[^<>]*>", "...", signature)
    arguments = ast.parse(f"def f{text}: pass").body[0].args  # type: ignore[attr-defined]
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + [ast.unparse(d) for d in arguments.defaults]
    found: Parameters = {
        a.arg: (inspect.Parameter.POSITIONAL_OR_KEYWORD, d) for a, d in zip(plain, defaults, strict=True)
    }
    if arguments.vararg:
        found[arguments.vararg.arg] = (inspect.Parameter.VAR_POSITIONAL, None)
    for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found[a.arg] = (inspect.Parameter.KEYWORD_ONLY, None if d is None else ast.unparse(d))
    if arguments.kwarg:
        found[arguments.kwarg.arg] = (inspect.Parameter.VAR_KEYWORD, None)
    return found


def parameters(value: Any) -> Parameters | None:
    """Return the parameters of a function or class, as :func:`parse_signature` does; None if they cannot be told."""
    try:
        given = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return None
    return {p.name: (p.kind, None if p.default is p.empty else _text(p.default)) for p in given}


def _text(default: Any) -> str:
    plain = isinstance(default, bool | int | float | str | type(None) | tuple | list | dict)
    shown = repr(default)
    return shown if (plain or shown.startswith("mindspore.")) and "<" not in shown else "..."


def differences(theirs: str, value: Any, method: bool = False) -> Iterator[str]:
    """Yield the differences between a signature here and a recorded one, in words.

    More parameters, if they may be left out, are no difference, nor is the name of a method's first one.

    Examples:
        >>> from msjax.status import signatures
        >>> list(signatures.differences("(x, axis=None, out=None)", lambda input, axis=-1: input))
        ['`input` for `x`', 'no `out`', '`axis=-1` for `axis=None`']
    """
    wanted, own = parse_signature(theirs), parameters(value)
    kinds = {kind for kind, _ in wanted.values()}
    # An enumeration has the constructor of Python's Enum, which Python 3.12 and later tell as `(*values)`.
    if own is None or kinds <= _OPEN or isinstance(value, enum.EnumType):
        return
    # Of what is Python's own, such as `multiprocessing.Process`, each Python has its signature.
    if (getattr(value, "__module__", None) or "").partition(".")[0] in _STANDARD_LIBRARY:
        return
    if method:
        wanted, own = _without_first(wanted), _without_first(own)
    renamed = _find_renamed(wanted, own)
    yield from (f"`{here}` for `{there}`" for here, there in renamed.items())
    own = {renamed.get(name, name): what for name, what in own.items()}
    own_kinds = {kind for kind, _ in own.values()}
    anything = inspect.Parameter.VAR_POSITIONAL in own_kinds
    for name, (kind, default) in wanted.items():
        taken = inspect.Parameter.VAR_KEYWORD in own_kinds or (anything and default is None)
        if kind not in _OPEN and name not in own and not taken:
            yield f"no `{name}`"
    if not anything:
        named = [
            n for n in _list_positional(wanted) if n in own and own[n][0] is inspect.Parameter.KEYWORD_ONLY
        ]
        yield from (f"`{name}` by name only" for name in named)
        order = [name for name in _list_positional(wanted) if name in own and name not in named]
        if [name for name in _list_positional(own) if name in order] != order:
            yield f"another order: {', '.join(_list_positional(own))}"
    for name, (kind, default) in own.items():
        there = wanted.get(name, (None, None))[1]
        unknown = name not in wanted
        if default is None and kind not in _OPEN and (there is not None or (unknown and not kinds & _OPEN)):
            yield f"needs `{name}`"
        elif default is not None and there is not None and not _equal(default, there):
            yield f"`{name}={default}` for `{name}={there}`"


def _list_positional(given: Parameters) -> list[str]:
    return [n for n, (kind, _) in given.items() if kind not in (inspect.Parameter.KEYWORD_ONLY, *_OPEN)]


def _without_first(given: Parameters) -> Parameters:
    first = next(iter(given), None)
    return {name: what for name, what in given.items() if name != first or what[0] in _OPEN}


def _find_renamed(wanted: Parameters, own: Parameters) -> dict[str, str]:
    """Return the parameters at equal positions whose names differ."""
    pairs = zip(_list_positional(own), _list_positional(wanted), strict=False)
    return {here: there for here, there in pairs if here not in wanted and there not in own}


def _equal(one: str, two: str) -> bool:
    if "..." in (one, two) or one == two:
        return True
    try:
        first, second = ast.literal_eval(one), ast.literal_eval(two)
        return first == second or (first in ([], ()) and second in ([], ()))
    except (ValueError, SyntaxError):
        return "mindspore." not in one + two  # an expression that cannot be read back
