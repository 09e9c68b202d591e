"""Progress of compilations: after two seconds of compiling, stderr says what is compiled, and in the end how long it took.

On a terminal that is one line, rewritten each second; elsewhere one line when it begins and one when it ends. The
environment variable MSJAX_COMPILE_PROGRESS=0, or `set_context(compile_progress=False)`, silences it.
"""

import contextlib
import shutil
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Self

from msjax.config.context import get_context
from msjax.core.tensor.tensor import Tensor

SILENT_SECONDS = 2.0
REFRESH_SECONDS = 1.0  # between two rewritten lines
_MOST_SHAPES = 4
_running = threading.local()


class CompileProgress:
    """Announce what the block compiles, if that takes long. A block within another one is part of it.

    Args:
        fn: the function that is compiled.
        arguments: the Tensors that it is called with.
    """

    __slots__ = ("began", "done", "text", "thread")

    def __init__(self, fn: Callable, arguments: Sequence[Tensor]) -> None:
        self.thread: threading.Thread | None = None
        if not getattr(_running, "inside", False) and get_context("compile_progress"):
            self.text = f"{_name(fn)}{_shapes(arguments)}"
            self.done = threading.Event()
            self.thread = threading.Thread(target=self._watch, name="msjax-compile-progress", daemon=True)

    def __enter__(self) -> Self:
        if self.thread is not None:
            _running.inside = True
            self.began = time.perf_counter()
            self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if self.thread is not None:
            _running.inside = False
            self.done.set()
            self.thread.join()
            seconds = time.perf_counter() - self.began
            if seconds >= SILENT_SECONDS:
                _write(
                    f"msjax: {'compiled' if kind is None else 'stopped compiling'} {self.text}: {seconds:.1f} s",
                    "\n",
                )

    def _watch(self) -> None:
        wait = SILENT_SECONDS
        while not self.done.wait(wait):
            seconds = time.perf_counter() - self.began
            if not _is_terminal():
                _write(f"msjax: compiling {self.text} ...", "\n")
                return
            _write(f"msjax: compiling {self.text}: {seconds:.0f} s")
            wait = REFRESH_SECONDS


def _is_terminal() -> bool:
    with contextlib.suppress(ValueError, AttributeError):  # a closed stream, or none
        return sys.stderr.isatty()
    return False


def _write(text: str, end: str = "") -> None:
    if _is_terminal():
        width = shutil.get_terminal_size().columns - 1
        text = "\r\x1b[K" + (text if len(text) <= width or end else f"{text[: width - 4]} ...")
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text + end)
        sys.stderr.flush()


def _name(fn: object) -> str:
    owner = getattr(fn, "__self__", None)
    name = getattr(fn, "__name__", type(fn).__name__)
    return name if owner is None or isinstance(owner, type) else f"{type(owner).__name__}.{name}"


def _shapes(arguments: Sequence[Tensor]) -> str:
    if not arguments:
        return ""
    shown = ", ".join(f"{box.dtype}{list(box.shape)}" for box in arguments[:_MOST_SHAPES])
    more = len(arguments) - _MOST_SHAPES
    return f" for {shown}" + (f" and {more} more" if more > 0 else "")
