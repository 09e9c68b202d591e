"""Hints that `msjax run` adds to an uncaught error: a function's signature, and the section that explains it."""

import ast
import inspect
import itertools
import linecache
import os
from types import FrameType, ModuleType, TracebackType
from typing import Any

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_SERVED = ("msjax", "mindspore", "torch")  # the names under which programs meet the package
_REFUSALS = ("got an unexpected keyword argument", "required positional argument", "positional arguments but")


def add_argument_hint(error: BaseException) -> None:
    """Add a note with the signature of the msjax function whose arguments an uncaught TypeError refuses.

    Python's own message names the refused argument alone, and programs from other versions or libraries need the
    name that stands for it here (`dim` for `axis`, `has_bias` for `bias`).

    Args:
        error: what the program raised. Anything but a TypeError about the arguments of a call is left as it is.
    """
    if not isinstance(error, TypeError) or not any(refusal in str(error) for refusal in _REFUSALS):
        return
    traceback = _last_outside_package(error.__traceback__)
    if traceback is None:
        return
    name, function = _find_callee(traceback)
    if getattr(function, "__module__", "").partition(".")[0] not in _SERVED:
        return
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # there is none to be had
        return
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name != "self"]
    error.add_note(
        f"`{name}` takes {signature.replace(parameters=parameters, return_annotation=signature.empty)}"
    )


def add_section_hint(error: BaseException) -> None:
    """Add a note that names the section of the documentation which explains an uncaught error, if there is one."""
    from msjax.cli import explanations  # only now that there is an error: it reads tables

    refused = any("` takes (" in note for note in getattr(error, "__notes__", ()))
    section = explanations.REFUSED_ARGUMENT if refused else explanations.find_section(error)
    if section is not None and "msjax explain" not in str(error):
        error.add_note(f"More about it: msjax explain {section}")


def _last_outside_package(traceback: TracebackType | None) -> TracebackType | None:
    last = None
    while traceback is not None:
        if not traceback.tb_frame.f_code.co_filename.startswith((_PACKAGE, "<string>")):
            last = traceback
        traceback = traceback.tb_next
    return last


def _find_callee(traceback: TracebackType) -> tuple[str, Any]:
    """Return the function that the failing expression calls, as written and as object; ("", None) if unknown."""
    positions = traceback.tb_frame.f_code.co_positions()  # one for each instruction of two bytes
    first, last, begin, end = next(itertools.islice(positions, traceback.tb_lasti // 2, None))
    if first is None or last is None:
        return "", None
    try:
        lines = [
            line.encode()
            for line in linecache.getlines(traceback.tb_frame.f_code.co_filename)[first - 1 : last]
        ]
        lines[-1] = lines[-1][:end]  # columns count bytes
        lines[0] = lines[0][begin:]
        call = ast.parse(b"".join(lines), mode="eval").body
    except (SyntaxError, IndexError, TypeError):
        return "", None
    if not isinstance(call, ast.Call):
        return "", None
    return ast.unparse(call.func), _value(call.func, traceback.tb_frame)


def _value(expression: ast.expr, frame: FrameType) -> Any:
    """Evaluate a dotted name; None for anything else, which might run something."""
    if isinstance(expression, ast.Attribute):
        owner = _value(expression.value, frame)
        look_up = getattr if isinstance(owner, ModuleType | type) else inspect.getattr_static
        return None if owner is None else look_up(owner, expression.attr, None)
    if isinstance(expression, ast.Name):
        return frame.f_locals.get(expression.id, frame.f_globals.get(expression.id))
    return None
