"""Static guess of captured variables: the boxes that a function will probably read, found without running it.

A good guess saves a second run of the trace: Cells and Tensors in closures, globals, `self` and arguments are nearly
all that programs read (test_first_call.test_tensors_that_cells_hold_are_found_before_the_trace).
"""

import functools
import itertools
import types
from typing import Any

import jax

from msjax.core import ordered_trees
from msjax.core.tensor import random_state
from msjax.core.tensor.box import is_visible
from msjax.core.tensor.tensor import Tensor, is_tensor, resolve
from msjax.core.trace.frame import Slot
from msjax.core.trace.stateful import Stateful


def guess_captures(fn: object, args: object = ()) -> list[Slot]:
    """Guess the slots that `fn` will read: those of Cells and Tensors in its closure, its globals, `self` and `args`."""
    found: dict[int, Slot] = {}
    seen: set[int] = set()
    stack: list[Any] = [
        fn,
        random_state.source(),
        *jax.tree.leaves(ordered_trees.sortable(args), is_leaf=is_tensor),
    ]
    while stack:
        thing = stack.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, Tensor):
            # A box of another trace would raise as soon as its slot is read.
            if is_visible(thing):
                found[id(thing)] = Slot(thing)
        elif isinstance(thing, types.MethodType):
            stack += [thing.__self__, thing.__func__]
        elif isinstance(thing, types.FunctionType):
            stack += _reachable_values(thing)
        elif isinstance(thing, functools.partial):
            stack += [thing.func, *thing.args, *thing.keywords.values()]
        elif isinstance(thing, list | tuple):
            stack += thing
        # The contents of containers, without asking what they are for: a wrong guess costs an unused input, which
        # `Traced` drops again.
        elif isinstance(thing, dict):
            stack += thing.values()
        elif isinstance(thing, Stateful):
            stack += vars(thing).values()
        elif isinstance(wrapped := getattr(thing, "__wrapped__", None), types.FunctionType):
            stack.append(wrapped)
    # A step that calls `backward` reads the `.grad` of what it reads.
    for slot in list(found.values()):
        if (gradient := resolve(slot.box)._grad) is not None:
            found[id(gradient)] = Slot(slot.box, "grad")
    return list(found.values())


def _reachable_values(fn: types.FunctionType) -> list[object]:
    """Return what a function's code can reach by name: closure, defaults, and mentioned globals."""
    closure = [cell.cell_contents for cell in fn.__closure__ or () if not _empty(cell)]
    names = [fn.__globals__[name] for name in _mentioned_names(fn.__code__) if name in fn.__globals__]
    globals_ = [thing for thing in names if not isinstance(thing, types.ModuleType | type)]
    return [*closure, *(fn.__defaults__ or ()), *globals_]


@functools.cache
def _mentioned_names(code: types.CodeType) -> tuple[str, ...]:
    """Return the globals and attributes that code, or functions inside of it, mention."""
    inner = [_mentioned_names(part) for part in code.co_consts if isinstance(part, types.CodeType)]
    return tuple(dict.fromkeys(itertools.chain(code.co_names, *inner)))


def _empty(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return True
    return False
