"""Explains recompilations: which argument, flag or captured object changed.

Reports go to the logger `msjax.jit`: as warnings with the environment variable MSJAX_LOG_COMPILES=1 or with
`set_context(log_compiles=True)`, so that they are seen without any set-up, and otherwise at level DEBUG.
"""

import inspect
import logging
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from msjax.config.context import get_context
from msjax.core import dtype as dtypes
from msjax.core.jit import placement
from msjax.core.state import DEFAULT, ENABLED, NO_GRAD, state
from msjax.core.tensor.tensor import Tensor, node_of, resolve
from msjax.core.trace import trace

logger = logging.getLogger("msjax.jit")

_MODES = {NO_GRAD: "no_grad", DEFAULT: "the default", ENABLED: "enable_grad"}
_MOST_NAMED = 5


def log_level() -> int:
    """Return the log level of the reports."""
    return logging.WARNING if get_context("log_compiles") else logging.DEBUG


def report_compilation(
    compiled: Any, fn: Callable, key: tuple, args: tuple, kwargs: dict, arguments: Sequence[Tensor]
) -> None:
    """Log that a program is about to be compiled, and why no existing one fits.

    Args:
        compiled: the compiled function; its `_entries` are lists of programs by key.
        fn: the function that it was made of.
        key: structure and leaves of the arguments of this call.
        args: the arguments.
        kwargs: the keyword arguments.
        arguments: the Tensors among them.
    """
    # Explaining takes longer than many a call; it is not done unless somebody listens.
    if not logger.isEnabledFor(log_level()):
        return
    name, entries = compiled._name, compiled._entries
    if not entries:
        reasons = ["first call"]
    elif key in entries:
        reasons = _of_world(entries[key][-1], arguments, fn, args, kwargs)
    else:
        names = _names(fn, args, kwargs)
        # The most similar program gives the shortest explanation; of equally similar ones the latest.
        nearest = min(
            reversed(entries), key=lambda known: (known[0] != key[0], _count_differences(known, key))
        )
        reasons = _of_arguments(nearest, key, names)
    more = f" and {len(reasons) - _MOST_NAMED} more" if len(reasons) > _MOST_NAMED else ""
    logger.log(
        log_level(),
        "`%s`: compiling program %d: %s%s",
        name,
        compiled.programs + 1,
        "; ".join(reasons[:_MOST_NAMED]),
        more,
    )


def name_deciding_values(
    fn: Callable, entry: Any, args: tuple, kwargs: dict, arguments: Sequence[Tensor]
) -> list[str]:
    """Return names for the arguments and captured Tensors whose values a program is specialized for."""
    leaves = jax.tree.leaves((args, kwargs), is_leaf=trace.is_tensor)
    names = [n for n, leaf in zip(_names(fn, args, kwargs), leaves, strict=True) if trace.is_tensor(leaf)]
    by_box = {id(box): name for box, name in zip(arguments, names, strict=True)}
    boxes = [entry.traced.owner(slot, arguments) for slot, _ in entry.traced.decided]
    return [by_box.get(id(box)) or _captured_name(box) for box in boxes]


def warn_many_values(name: str, names: Sequence[str], count: int, most: int) -> None:
    """Warn that every new value of some Tensor makes another program."""
    logger.warning(
        "`%s`: %d programs have been made for different values of %s, which is needed in Python while a program is made "
        "(as a size, an index, a condition). Each new value costs a compilation, and %d programs are kept. Compute with "
        "the Tensor instead, or call the function outside of ms.jit.",
        name,
        count,
        " and ".join(names),
        most,
    )


def _captured_name(box: Tensor) -> str:
    name = getattr(box, "name", "")
    return f"captured `{name}`" if name else "a captured Tensor"


def _names(fn: Callable, args: tuple, kwargs: dict) -> list[str]:
    """Return a name for each leaf of the arguments."""
    try:
        parameters = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    plain = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    paths, _ = jax.tree_util.tree_flatten_with_path((args, kwargs), is_leaf=trace.is_tensor)
    found = []
    for (_, first, *rest), _ in paths:
        at = first.idx if hasattr(first, "idx") else first.key
        head = at if isinstance(at, str) else plain[at] if at < len(plain) else f"argument {at}"
        found.append(f"`{head}{jax.tree_util.keystr(tuple(rest))}`")
    return found


def _of_arguments(known: tuple, key: tuple, names: list[str]) -> list[str]:
    """Describe how the arguments of a call differ from those that a program was compiled for."""
    if known[0] != key[0]:
        now, was = (str(tree).removeprefix("PyTreeDef") for tree in (key[0], known[0]))
        return [f"the arguments have another structure: {now}, not {was}"]
    pairs = zip(names, known[1:], key[1:], strict=True)
    return [
        _difference(name, old, new) for name, old, new in pairs if old != new or type(old) is not type(new)
    ]


def _count_differences(known: tuple, key: tuple) -> int:
    return sum(old != new for old, new in zip(known[1:], key[1:], strict=False))


def _difference(name: str, old: Any, new: Any) -> str:
    if _is_array(old) and _is_array(new):
        if old[:2] != new[:2]:
            what = "shape" if old[0] != new[0] else "dtype"
            return f"{name} has another {what}: {_describe_part(new)}, not {_describe_part(old)}"
        return f"{name} {_marks(new)}, not {_marks(old)}"
    return f"{name} has another static value: {_describe_part(new)}, not {_describe_part(old)}"


def _is_array(part: object) -> bool:
    return isinstance(part, tuple) and len(part) in (2, 3) and isinstance(part[1], np.dtype)


def _marks(part: tuple) -> str:
    if len(part) == 2:
        return "does not require grad"
    return "requires grad" + (" and has no .grad" if part[2] else " and has a .grad")


def _describe_part(part: Any) -> str:
    if _is_array(part):
        return f"{dtypes.of(part[1])}{list(part[0])}"
    if hasattr(part, "thing"):
        return f"an object of {type(part.thing).__name__}"
    if isinstance(part, tuple) and part and part[0] is np.ndarray:
        return f"a NumPy array {part[2]}{list(part[1])} of certain values"
    if isinstance(part, tuple) and len(part) == 2 and isinstance(part[0], type):
        return repr(part[1])
    return repr(part)


def _of_world(entry: Any, arguments: Sequence[Tensor], fn: Callable, args: tuple, kwargs: dict) -> list[str]:
    """Describe how the engine's state differs from the one a program was compiled in, with the same arguments."""
    reasons = _of_values(entry, arguments, fn, args, kwargs)
    mode, cast = entry.mode
    if mode != state.mode:
        reasons.append(f"the gradient mode is {_MODES[state.mode]}, not {_MODES[mode]}")
    if cast != state.cast:
        reasons.append("mixed precision has changed")
    if entry.traced.describe_aliasing(arguments) != entry.linked:
        reasons.append("arguments share memory differently")
    if placement.of_program(entry.traced.cells) != entry.placement:
        reasons.append("arrays are spread over other devices")
    for cell, before in zip(entry.traced.cells, entry.flags, strict=True):
        reasons += _of_cell(cell, dict(before), dict(cell._flags()))
    reasons += _of_captured(entry, arguments)
    return reasons or ["the program before could not be kept: it holds values of the trace around it"]


def _of_values(entry: Any, arguments: Sequence[Tensor], fn: Callable, args: tuple, kwargs: dict) -> list[str]:
    """Describe which of the values that a program is specialized for have changed."""
    if not entry.traced.decided:
        return []
    names = dict(
        zip(
            [slot.key for slot, _ in entry.traced.decided],
            name_deciding_values(fn, entry, args, kwargs, arguments),
            strict=True,
        )
    )
    return [
        f"{names[slot.key]}, whose value the program needs, is {_value(now)}, not {_value(before)}"
        for slot, before, now in entry.find_mismatches(arguments)
    ]


def _value(array: Any) -> str:
    return "unknown" if array is None else np.array2string(array, threshold=8, separator=", ")


def _of_cell(cell: Any, before: dict, now: dict) -> list[str]:
    reasons = []
    for flag in {**before, **now}:
        old: Any = before.get(flag)
        new: Any = now.get(flag)
        if old != new:
            pairs = [(flag, old, new)]
            if flag in ("_params", "_cells", "_buffers") and old is not None and new is not None:
                pairs = _changed_items(dict(old), dict(new))
            reasons += [f"{type(cell).__name__}.{name} {_change(*pair)}" for name, *pair in pairs]
    return reasons


def _changed_items(before: dict, now: dict) -> list[tuple]:
    return [(k, before.get(k), now.get(k)) for k in {**before, **now} if before.get(k) != now.get(k)]


def _change(old: Any, new: Any) -> str:
    """Describe how the fingerprint of an attribute changed, with its values where they are simple."""
    if old is None or new is None:
        return "is new" if old is None else "is gone"
    if not all(isinstance(value, tuple) and len(value) == 2 for value in (old, new)):
        return "is another"
    if all(
        isinstance(value[0], type) and isinstance(value[1], bool | int | float | str) for value in (old, new)
    ):
        return f"is {new[1]!r}, not {old[1]!r}"
    if old[0] == new[0] and isinstance(new[1], bool):  # a Parameter
        return "now requires grad" if new[1] else "no longer requires grad"
    return "is another"


def _of_captured(entry: Any, arguments: Sequence[Tensor]) -> list[str]:
    reasons = []
    slots = zip(entry.traced.captured, entry.avals, entry.places, strict=True)
    for slot, (shape, dtype), leaf in slots:
        owner = entry.traced.owner(slot, arguments)
        name = _captured_name(owner)
        try:
            value = slot.read()._value
        except LookupError:
            reasons.append(f"the .grad of {name} is gone")
            continue
        if (value.shape, value.dtype) != (shape, dtype):
            was, now = _describe_part((shape, dtype)), _describe_part((value.shape, value.dtype))
            reasons.append(f"{name} has another shape or dtype: {now}, not {was}")
        if leaf is not (node_of(resolve(owner)) is not None):
            reasons.append(f"{name} {'no longer requires' if leaf else 'now requires'} grad")
    if [box._grad is None for box in entry.leaves] != entry.gradients:
        reasons.append("the .grad of captured Tensors came or went")
    return reasons
