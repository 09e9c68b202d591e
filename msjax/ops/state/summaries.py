"""Summary operators (`ScalarSummary` ...): named values that an open `SummaryRecord` collects."""

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from msjax.core.state import invalidate_guards
from msjax.core.tensor.tensor import Tensor
from msjax.core.trace.stateful import Stateful
from msjax.ops.common import checks


class Notes(Stateful):
    """Recorded summary values since the last read; records nothing without a listener.

    A compiled function whose program records values depends on whether there is a listener, as on the mode of a Cell: it is
    compiled again when that changes, so without a listener it calls nothing on the host.
    """

    def __init__(self) -> None:
        self.listening = False
        self._values: dict[tuple[str, str], Any] = {}
        self._lock = threading.Lock()

    def listen(self, on: bool) -> None:
        """Start or stop recording; recorded values are dropped."""
        self.listening = on
        self.take()
        invalidate_guards()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Context in which nothing is recorded; recorded values stay."""
        before, self.listening = self.listening, False
        invalidate_guards()
        try:
            yield
        finally:
            self.listening = before
            invalidate_guards()

    def keep(self, kind: str, name: str, value: Any) -> None:
        """Record a value; it replaces the value recorded under this name."""
        with self._lock:
            if self.listening:
                self._values[kind, name] = value

    def take(self) -> dict[tuple[str, str], np.ndarray]:
        """Return the recorded values by kind and name and forget them; waits for programs that still run."""
        jax.effects_barrier()
        with self._lock:
            taken, self._values = self._values, {}
        return {key: np.asarray(value) for key, value in taken.items()}

    def _flags(self) -> tuple[tuple[str, Any], ...]:
        return (("listening", (bool, self.listening)),)

    def _reachable(self) -> list[Any]:
        return []


notes = Notes()


def _define_summary(kind: str, limits: str, fits: Callable[[tuple[int, ...]], bool]) -> Callable:
    owner = f"{kind.capitalize()}Summary"

    def note(name: str, value: Any) -> None:
        notes._record_use()
        if not notes.listening:  # as in MindSpore, values that are not collected are not checked
            return
        if not isinstance(name, str):
            checks.fail(TypeError, owner, "name", "be a str", f"{name!r} ({type(name).__name__})")
        if not isinstance(value, Tensor):
            checks.fail(TypeError, owner, "value", "be a Tensor", f"{value!r} ({type(value).__name__})")
        if not name:
            checks.fail(ValueError, owner, "name", "not be empty", repr(name))
        if not fits(value.shape):
            checks.fail(ValueError, owner, "value", limits, f"a Tensor of shape {value.shape}")
        if isinstance(value.array, Tracer):
            jax.debug.callback(functools.partial(notes.keep, kind, name), value.array)
        else:
            notes.keep(kind, name, value.array)

    note.__name__ = note.__qualname__ = owner
    note.__doc__ = f"""Record a value for the open SummaryRecord; without one, nothing happens.

    In a compiled function the value arrives when the function runs; the last one of a name counts.

    Args:
        name (str): under which it is noted.
        value (Tensor): the value; it must {limits}.

    Raises:
        TypeError: where a record is open, if the name is not a str or the value not a Tensor.
        ValueError: where a record is open, if the name is empty, or the value of another shape.
    """
    return note


scalar_summary = _define_summary("scalar", "have one dimension at most", lambda shape: len(shape) <= 1)
tensor_summary = _define_summary("tensor", "have a dimension", lambda shape: len(shape) > 0)
histogram_summary = _define_summary("histogram", "have a dimension", lambda shape: len(shape) > 0)
image_summary = _define_summary("image", "have the shape (N, C, H, W)", lambda shape: len(shape) == 4)
