"""`capture_mode="bytecode"` (PIJit): a compiled function that can tell how it was compiled.

MindSpore captures such functions from their bytecode, in pieces where it must, and its test suites look at the pieces.
Here a function is one program in every mode.
"""

import weakref
from collections.abc import Callable
from typing import Any

from msjax.core.jit.compiled import Compiled


class Record:
    """Compilation record of one function: its number of programs, and of calls of the last one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.made = self.calls = 0
        self.broken = False


_records: weakref.WeakKeyDictionary[Any, Record] = weakref.WeakKeyDictionary()


class Captured(Compiled):
    """A compiled function that counts its calls."""

    _detaches = False

    def __init__(self, fn: Callable) -> None:
        super().__init__(fn)
        self._record = Record(self._name)
        code = getattr(fn, "__code__", None)
        if code is not None:
            _records[code] = self._record

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Call the function and update its record."""
        record = self._record
        record.broken = True
        if _in_itself((args, kwargs), ()):  # no program has arguments without an end
            return self._fn(*args, **kwargs)
        out = super().__call__(*args, **kwargs)
        record.broken = False
        made = self.programs
        record.calls = 1 if made != record.made else record.calls + 1
        record.made = made
        return out


def _in_itself(thing: object, around: tuple[int, ...]) -> bool:
    """Return True if a list, tuple or dict contains itself, at any depth."""
    if not isinstance(thing, list | tuple | dict):
        return False
    if id(thing) in around:
        return True
    inner = thing.values() if isinstance(thing, dict) else thing
    return any(_in_itself(one, (*around, id(thing))) for one in inner)


def get_code_extra(func: object) -> dict[str, object] | None:
    """Return how a function in bytecode mode was compiled; None for any other function.

    Args:
        func: the original function, not the compiled one.

    Returns:
        A dict of "stat", how many programs there are ("compile_count_"), whether the last call failed
        ("break_count_"), and about the last program how often it was called ("code").

    Examples:
        >>> import msjax as ms
        >>> from msjax.core.jit.pijit import get_code_extra
        >>> def f(x):
        ...     return x + 1
        >>> _ = ms.jit(f, capture_mode="bytecode")(ms.Tensor(1))
        >>> get_code_extra(f)["stat"], get_code_extra(f)["break_count_"]
        ('GRAPH_CALLABLE', 0)
    """
    code = getattr(func, "__code__", None)
    record = None if code is None else _records.get(code)
    if record is None or not (record.calls or record.broken):
        return None
    last = {"phase_": f"{record.name}.pi_jit", "guard_": "", "call_count_": record.calls}
    return {
        "code": {**last, "compiled_code_": code},
        "stat": "GRAPH_CALLABLE",
        "compile_count_": record.made,
        "break_count_": int(record.broken),
    }


class PIJitCaptureContext:
    """Compiles a function from its bytecode: `PIJitCaptureContext()(function)`.

    Args:
        fullgraph: kept, without effect: a function is always one program.
        jit_config: kept, without effect.
    """

    def __init__(self, fullgraph: object = False, jit_config: object = None) -> None:
        self.fullgraph, self.jit_config = fullgraph, jit_config

    def __call__(self, fn: Callable) -> Callable:
        """Return the compiled function."""
        return fn if isinstance(fn, Compiled) else Captured(fn)
