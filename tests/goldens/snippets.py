"""Short programs whose printed results are recorded with a real framework and replayed on msjax.

A file of programs is Python in cells, each headed by a line `# %% name`. A program prints with `show`, which tells
type, dtype, shape and values in one notation for every framework, or with `attempt`, which also prints the type of
an exception. What a program printed, and the exception that ended it, is its outcome.
"""

import contextlib
import io
import json
import linecache
import math
import os
import re
import signal
import sys
import traceback
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Outcome = dict[str, Any]
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\binf\b|\bnan\b)")


def cells(path: Path) -> dict[str, str]:
    """The programs of a file by name, in order."""
    parts = re.split(r"^# %% (.+)\n", path.read_text(), flags=re.MULTILINE)[1:]
    found = dict(zip(parts[::2], (source.strip() + "\n" for source in parts[1::2]), strict=True))
    assert len(found) == len(parts) // 2, f"two cells of {path.name} have one name"
    return found


def describe(thing: Any) -> str:
    """One notation for what frameworks print differently: `float32[2] [1, 2]`."""
    if isinstance(thing, dict):
        return "{" + ", ".join(f"{key}: {describe(value)}" for key, value in thing.items()) + "}"
    if isinstance(thing, tuple | list):
        # A container of the framework's own (ParameterTuple, namedtuples) is a tuple to its reader.
        inner = ", ".join(describe(item) for item in thing)
        return f"[{inner}]" if isinstance(thing, list) else f"({inner}{',' * (len(thing) == 1)})"
    if hasattr(thing, "dtype") and hasattr(thing, "shape"):
        return _array(thing)
    return str(thing)


def _array(thing: Any) -> str:
    kind = str(thing.dtype).rsplit(".", 1)[-1].lower()
    if kind == "bfloat16":
        thing = thing.float()
    if hasattr(thing, "asnumpy"):
        values = np.asarray(thing.asnumpy())
    else:
        values = (
            thing.detach().resolve_conj().resolve_neg().numpy()
            if hasattr(thing, "detach")
            else np.asarray(thing)
        )
    shape = ",".join(str(n) for n in thing.shape)
    return f"{kind}[{shape}] {_values(values)}"


def _values(values: np.ndarray) -> str:
    if values.ndim:
        return "[" + ", ".join(_values(row) for row in values) + "]"
    value = values.item()
    if isinstance(value, complex):
        return f"({value.real:.6g}{value.imag:+.6g}j)"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def run(source: str, name: str, prelude: dict[str, Any]) -> Outcome:
    """Run one program; return what it printed, the messages of exceptions it met, and the one that ended it."""
    messages: list[str] = []

    def show(*things: Any) -> None:
        print(*(thing if isinstance(thing, str) else describe(thing) for thing in things))

    def attempt(question: Callable[[], Any]) -> None:
        try:
            answer = question()
        except Exception as error:
            # Of exceptions of several kinds, the first of Python's.
            print(
                "raises", next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins").__name__
            )
            messages.append(_message(error))
        else:
            show(answer)

    # A module and lines that inspect finds, for those who read the source of functions.
    file = f"<{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    sys.modules["program"] = module = types.ModuleType("program")
    module.__dict__.update(prelude, show=show, attempt=attempt)
    outcome: Outcome = {"source": source}
    with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(source, file, "exec"), module.__dict__)  # noqa: S102
        except Exception as error:
            outcome["raises"] = type(error).__name__
            outcome["kinds"] = [kind.__name__ for kind in type(error).__mro__]
            outcome["traceback"] = traceback.format_exc()
            messages.append(_message(error))
    outcome["prints"] = printed.getvalue()
    if messages:
        outcome["messages"] = messages
    return outcome


def _message(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return re.sub(r"0x[0-9a-f]+", "0x...", lines[0])[:200] if lines else ""


def same(left: str, right: str, tolerance: float = 2e-5) -> bool:
    """Whether two texts agree, their numbers up to rounding."""
    if NUMBER.sub("#", left) != NUMBER.sub("#", right):
        return False
    numbers = zip(NUMBER.findall(left), NUMBER.findall(right), strict=True)
    return all(
        math.isclose(float(a), float(b), rel_tol=tolerance, abs_tol=tolerance) or a == b for a, b in numbers
    )


# ---------------------------------------------------------------------- recording


def record(
    cases: Path,
    recorded: dict[str, Outcome],
    prelude: dict[str, Any],
    reset: Callable[[], None],
    wanted: tuple,
) -> dict[str, Outcome]:
    """Run the programs of a file, each in a process of its own, and return all outcomes.

    Programs that have not changed and whose names begin with none of the `wanted` keep their recorded outcome.
    """

    def outcome(source: str, name: str) -> Outcome:
        reset()
        found = run(source, name, prelude)
        return {key: found[key] for key in ("prints", "raises", "messages") if key in found}

    found = {}
    for name, source in cells(cases).items():
        if not name.startswith(wanted) and recorded.get(name, {}).get("source") == source:
            found[name] = recorded[name]
            continue
        told, _ = isolate(lambda: outcome(source, name))  # noqa: B023
        died = {"prints": "", "raises": "crash", "messages": ["the process died"]}
        found[name] = {"source": source, **(told or died)}
    return found


def record_functions(module: types.ModuleType) -> dict[str, str]:
    """Call the functions of a module that take nothing, each in a process of its own, and return what they print."""

    def printed(function: Callable[[], None]) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            function()
        return re.sub(r"<mindspore[.\w]*\.(\w+) object at 0x[0-9a-f]+>", r"<\1>", out.getvalue())

    names = re.findall(r"^def (\w+)\(\):$", Path(str(module.__file__)).read_text(), re.MULTILINE)
    return {name: isolate(lambda n=name: printed(getattr(module, n)))[0] for name in names}


def isolate(ask: Callable[[], Any], seconds: int = 0) -> tuple[Any, int]:
    """Call `ask` in a child process, which a crash or the alarm after `seconds` may end.

    Returns what it gave, which must be JSON, or None if it ended early; and the exit status as `os.waitpid` has it.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
        signal.alarm(seconds)
        status = 1
        try:
            with open(writer, "w") as answer:
                json.dump(ask(), answer)
            status = 0
        finally:
            os._exit(status)  # nothing of the parent's is run or flushed a second time
    os.close(writer)
    with open(reader) as answer:
        text = answer.read()
    _, status = os.waitpid(child, 0)
    return (json.loads(text) if text and status == 0 else None), status
