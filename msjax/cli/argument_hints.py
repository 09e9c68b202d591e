"""Hints that `msjax run` adds to an uncaught error: a signature, what PyTorch's name is here, near names, sections."""

import ast
import difflib
import inspect
import itertools
import linecache
import os
import sys
from types import FrameType, ModuleType, TracebackType
from typing import Any

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_SERVED = ("msjax", "mindspore", "torch")  # the names under which programs meet the package
_OWN_WORDS = {
    "parameters": "get_parameters()",
    "named_parameters": "parameters_and_names()",
    "forward": "construct",
}
_TORCH_MODULES = {"": "torch.", "nn": "torch.nn.", "ops": "torch.nn.functional.", "mint": "torch."}
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


def add_name_hint(error: BaseException) -> None:
    """Add a note on a name that is not there: what PyTorch's stands for in MindSpore, or the nearest that can be imported.

    Args:
        error: what the program raised. Anything but an error about a name of PyTorch's or of msjax's is left as it is.
    """
    note = ""
    if isinstance(error, ModuleNotFoundError) and error.name == "torch":
        note = (
            "A program for PyTorch: `msjax run --as torch` runs it, `msjax port` rewrites it for MindSpore."
        )
    elif isinstance(error, ImportError) and (error.name or "").partition(".")[0] in _SERVED:
        note = _nearest_imports(error)
    elif isinstance(error, AttributeError) and error.name:
        note = _in_mindspore(error.obj, error.name)
        error.name = None if note else error.name  # or Python adds the name that is spelled most like it
    if note:
        error.add_note(note)


def _nearest_imports(error: ImportError) -> str:
    names = str(error).split("'")[1:2]  # cannot import name 'Denze' from ...
    module = sys.modules.get(error.name or "")
    if not names or module is None:
        return ""
    near = difflib.get_close_matches(names[0], dir(module))
    return f"Did you mean {', '.join(near)}?" if near else ""


def _in_mindspore(owner: Any, name: str) -> str:
    from msjax.cli.port import mapping  # only now that there is an error: it reads tables
    from msjax.core.tensor.tensor import Tensor
    from msjax.nn.cell.cell import Cell

    kinds = {Cell: mapping.MODULE, Tensor: mapping.TENSOR}
    prefix = next((prefix for kind, prefix in kinds.items() if isinstance(owner, kind)), None)
    if isinstance(owner, ModuleType):
        package, _, folder = owner.__name__.partition(".")
        prefix = _TORCH_MODULES.get(folder) if package in _SERVED else None
    row = mapping.rows().get(f"{prefix}{name}")
    if prefix == mapping.MODULE and name in _OWN_WORDS:
        target = _OWN_WORDS[name]
    elif row is None:
        return ""
    elif row.targets["mindspore"][0] in ("WITHOUT", "self"):
        return f"`{name}` is PyTorch's: in MindSpore nothing takes its place, leave it out."
    else:
        target = row.targets["mindspore"][0].removeprefix("self.")
        target = target.partition("(")[0] if isinstance(owner, ModuleType) else target
    return "" if target in mapping.OWN else f"`{name}` is PyTorch's: in MindSpore it is `{target}`."


def add_section_hint(error: BaseException) -> None:
    """Add a note that names the section of the documentation which explains an uncaught error, if there is one."""
    from msjax.cli import explanations  # only now that there is an error: it reads tables

    refused = any("` takes (" in note for note in getattr(error, "__notes__", ()))
    section = explanations.REFUSED_ARGUMENT if refused else explanations.find_section(error)
    if section is not None and "msjax explain" not in str(error):
        error.add_note(f"More about it: {explanations.locate(section)}")


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
