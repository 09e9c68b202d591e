"""`raise` and `assert` under conditions that are known only when a compiled program runs.

A compiled program cannot raise. It writes the number of the exception into a box, a Tensor like any other that functions
write, and whoever put the results of the program back looks into it.
"""

from typing import Any

import jax
import jax.numpy as jnp

from msjax.core import mutable, tape, texts
from msjax.core.op import places
from msjax.core.state import state, swapped
from msjax.core.tensor import Tensor, is_tensor, wrap

_exceptions: dict[tuple, tuple[int, BaseException]] = {}
_box: list[Tensor] = []
_arguments: dict[int, tuple] = {}  # of exceptions that a program has raised, with values of Tensors in them


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
    leaves, tree = jax.tree.flatten(error.args, is_leaf=is_tensor)
    waiting = [leaf for leaf in leaves if texts.hidden(leaf)]
    key: Any = (type(error), object()) if waiting else (type(error), str(error))
    code, _ = _exceptions.setdefault(key, (len(_exceptions) + 1, error.with_traceback(None)))
    if waiting:
        _tell(code, leaves, tree, waiting, condition)
    failed = box()
    values, _ = places([failed, condition])
    failed._assign(_MARK.call(values[0], values[1].astype(bool), jnp.int32(code)))


def unknown(error: BaseException) -> bool:
    """Whether an exception has Tensors among its arguments whose values are not known yet."""
    return any(map(texts.hidden, jax.tree.leaves(error.args, is_leaf=is_tensor)))


def _tell(code: int, leaves: list[Any], tree: Any, waiting: list[Tensor], condition: Tensor) -> None:
    """Have the program tell the host the arguments of an exception, where it fails."""
    hidden = [texts.hidden(leaf) for leaf in leaves]

    def host(failed: Any, *values: Any) -> None:
        if not failed.any():
            return
        each = iter(values)
        with swapped(frame=None, scope=None, watch=None):
            found = [
                texts.plain(mutable.like(leaf, Tensor(next(each)))) if waits else leaf
                for leaf, waits in zip(leaves, hidden, strict=True)
            ]
            _arguments[code] = jax.tree.unflatten(tree, found)

    values, _ = places([condition, *waiting])
    jax.debug.callback(host, *values)


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
            jax.effects_barrier()
            if code in _arguments:
                raise type(error)(*_arguments.pop(code))
            raise type(error)(*error.args) if type(error).__init__ is BaseException.__init__ else error
