"""`raise` and `assert` under conditions that are known only when a compiled program runs.

A compiled program cannot raise. It writes the number of the exception into a box, a Tensor like any other that functions
write, and whoever put the results of the program back looks into it.
"""

from typing import Any

import jax.numpy as jnp

from msjax.core import tape
from msjax.core.op import places
from msjax.core.state import state, swapped
from msjax.core.tensor import Tensor, wrap

_exceptions: dict[tuple, tuple[int, BaseException]] = {}
_box: list[Tensor] = []


def box() -> Tensor:
    """Where programs write what they would raise; 0 is nothing."""
    if not _box:
        with swapped(frame=None, scope=None):
            _box.append(wrap(jnp.zeros((), jnp.int32)))
    return _box[0]


_MARK = tape.Program(
    lambda before, condition, code: jnp.where((before == 0) & condition.reshape(()), code, before), "raise"
)


def fail_if(condition: Tensor, error: BaseException) -> None:
    """Have the program raise an exception if the condition holds, unless it has already failed."""
    key = (type(error), str(error))
    code, _ = _exceptions.setdefault(key, (len(_exceptions) + 1, error.with_traceback(None)))
    failed = box()
    values, _ = places([failed, condition])
    failed._assign(_MARK.call(values[0], values[1].astype(bool), jnp.int32(code)))


def is_box(thing: Any) -> bool:
    """Whether this is the box."""
    return bool(_box) and thing is _box[0]


def known() -> list[tuple[int, BaseException]]:
    """The exceptions that programs may raise, with the numbers that they write."""
    return list(_exceptions.values())


def check() -> None:
    """Raise what a program wrote, in eager code.

    Raises:
        Exception: the exception of the program's `raise` or `assert`.
    """
    if state.frame is not None or not _box or not (code := int(_box[0].array)):
        return
    _box[0]._assign(jnp.zeros((), jnp.int32))
    for number, error in _exceptions.values():
        if number == code:
            raise type(error)(*error.args) if type(error).__init__ is BaseException.__init__ else error
