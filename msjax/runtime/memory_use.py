"""Memory statistics of the current device: the functions of `hal.memory` without their argument."""

from collections.abc import Callable
from typing import Any

from msjax.hal import memory
from msjax.runtime.limits import set_memory as set_memory


def _of_current_device(function: Callable[..., Any], example: str = "{}()") -> Callable[[], Any]:
    """Make a function of `hal.memory` one without arguments; `example` is a call of it, and what that gives."""

    def call() -> Any:
        return function()

    name = call.__name__ = call.__qualname__ = function.__name__
    call.__annotations__["return"] = function.__annotations__["return"]
    first = (function.__doc__ or "").partition("\n")[0]
    shown = example.format(f"ms.runtime.{name}")
    call.__doc__ = f"{first}\n\nExamples:\n    >>> import msjax as ms\n    >>> {shown}\n"
    return call


_SIZE = "{}() >= 0\n    True"

empty_cache = _of_current_device(memory.empty_cache)
memory_allocated = _of_current_device(memory.memory_allocated, _SIZE)
memory_reserved = _of_current_device(memory.memory_reserved, _SIZE)
max_memory_allocated = _of_current_device(memory.max_memory_allocated, _SIZE)
max_memory_reserved = _of_current_device(memory.max_memory_reserved, _SIZE)
memory_stats = _of_current_device(memory.memory_stats, '"max_allocated_memory" in {}()\n    True')
memory_summary = _of_current_device(memory.memory_summary, '"Reserved" in {}()\n    True')
reset_max_memory_allocated = _of_current_device(memory.reset_max_memory_allocated)
reset_max_memory_reserved = _of_current_device(memory.reset_max_memory_reserved)
reset_peak_memory_stats = _of_current_device(memory.reset_peak_memory_stats)
