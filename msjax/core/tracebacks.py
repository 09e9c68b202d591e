"""Tracebacks that show the frames of the user, of layers and of operators, without the engine's between them."""

import sys
from pathlib import Path
from types import FrameType, TracebackType

import jax

_CORE = Path(__file__).parent
_PACKAGE = f"{_CORE.parent}/"
_JAX = f"{Path(jax.__file__).parent}/"
_BETWEEN = tuple(f"{_CORE / folder}/" for folder in ("op", "tape", "xla"))


def hide_engine(error: BaseException) -> None:
    """Take the frames between an operator's call and its function out of an error, and JAX's note that it did the same.

    `JAX_TRACEBACK_FILTERING=off`, which shows JAX's own frames, shows these, too.

    Args:
        error: an error that passes through the engine; changed in place.
    """
    if jax.config.jax_traceback_filtering == "off":  # type: ignore[attr-defined]
        return
    if notes := getattr(error, "__notes__", None):
        notes[:] = [note for note in notes if "JAX_TRACEBACK_FILTERING" not in note and set(note) != {"-"}]
    frames = []
    traceback = error.__traceback__
    while traceback is not None:
        frames.append(traceback)
        traceback = traceback.tb_next
    shown = None
    for frame in reversed(frames):
        # The last one says where the error comes from, wherever that is.
        if shown is None or not frame.tb_frame.f_code.co_filename.startswith(_BETWEEN):
            shown = TracebackType(shown, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    error.__traceback__ = shown


def level_outside_package() -> int:
    """Return the `stacklevel` by which the caller's warning names the line of the program that called the package."""
    return _caller_outside(_PACKAGE, "<string>")[1]


def find_caller_of_jax(module: str) -> int | None:
    """Return the `stacklevel` of the program's line that called JAX, which called the caller's module; None if none did.

    Args:
        module: file of the caller. JAX may have called it without a frame of Python's own, from a compiled function.
    """
    frame, level = _caller_outside(module, _JAX)
    return None if frame is None or frame.f_code.co_filename.startswith((_PACKAGE, "<string>")) else level


def _caller_outside(*files: str) -> tuple[FrameType | None, int]:
    """Return the first frame above the caller's caller that is in none of these files or folders, and its `stacklevel`."""
    frame: FrameType | None = sys._getframe(2)
    level = 1
    while frame is not None and frame.f_code.co_filename.startswith(files):
        frame, level = frame.f_back, level + 1
    return frame, level
