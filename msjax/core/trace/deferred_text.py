"""Deferred text: strings with values of Tensors that are known only when a compiled program runs.

Converted functions make them of f-strings, `str`, `format` and `%`. They are pytrees with the Tensors as leaves. In the
result of a program, in what it prints and in its exceptions, `resolve_texts` replaces them by strings.
"""

import builtins
import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from msjax.core import ordered_trees
from msjax.core.op.op import values_and_refs
from msjax.core.state import override_state, state
from msjax.core.tensor import printing, scalar_inputs
from msjax.core.tensor.box import peek
from msjax.core.tensor.tensor import Tensor, is_tensor


class Text:
    """A string to be: a function and its arguments, some of them Tensors without values yet."""

    def __init__(self, make: Callable[..., str], values: tuple) -> None:
        self.make, self.values = make, values

    def __str__(self) -> str:
        return self.make(*self.values)

    def __add__(self, other: object) -> "Text | str":
        return (
            defer_text(_join_parts, (self, -1, ""), other)
            if isinstance(other, str | Text)
            else NotImplemented
        )

    def __radd__(self, other: object) -> "Text | str":
        return defer_text(_join_parts, other, (self, -1, "")) if isinstance(other, str) else NotImplemented


jax.tree_util.register_pytree_node(
    Text, lambda text: (text.values, text.make), lambda make, values: Text(make, tuple(values))
)


def contains_texts(tree: object) -> bool:
    """Return True if there are `Text`s in a tree."""
    return any(isinstance(leaf, Text) for leaf in jax.tree.leaves(tree, is_leaf=_may_wait))


def resolve_texts(tree: object) -> Any:
    """Return a tree with strings in place of the `Text`s whose values are known; inside of traces, the tree itself."""
    return tree if state.frame is not None else ordered_trees.map(_resolve_text, tree, is_leaf=_may_wait)


def _resolve_text(leaf: object) -> object:
    if not isinstance(leaf, Text):
        return leaf
    values = resolve_texts(leaf.values)
    waits = any(isinstance(x, Text) or is_unknown(x) for x in jax.tree.leaves(values, is_leaf=_may_wait))
    return leaf if waits else leaf.make(*values)


def _may_wait(leaf: object) -> bool:
    return isinstance(leaf, Tensor | Text)


def is_unknown(leaf: object) -> bool:
    """Return True if a leaf is a Tensor whose value is not known yet."""
    try:
        return isinstance(leaf, Tensor) and isinstance(peek(leaf), Tracer)
    except RuntimeError:  # of a branch that was left by an exception
        return True


def defer_text(make: Callable[..., str], *values: object) -> Text | str:
    """Call `make` with the values; return a `Text` if some of them are not known."""
    try:
        waits = any(map(is_unknown, jax.tree.leaves(values, is_leaf=is_tensor)))
    except ValueError:  # keys of a dict that jax.tree cannot sort
        waits = False
    return Text(make, values) if waits else make(*values)


_CONVERSIONS: dict[int, Callable[[Any], Any]] = {115: str, 114: repr, 97: ascii}


def _join_parts(*parts: str | tuple[object, int, str]) -> str:
    return "".join([part if isinstance(part, str) else _format_value(*part) for part in parts])


def _format_value(value: object, conversion: int, spec: str) -> str:
    if conversion == -1 and not spec and type(value) in (list, tuple):
        return _format_sequence(value)
    value, spec = as_python_number(value), str(spec)
    if isinstance(value, Tensor):
        spec = ""  # which MindSpore's compiled functions do not look at
    if conversion in _CONVERSIONS:
        value = _CONVERSIONS[conversion](value)
    return format(str(value) if isinstance(value, Text) else value, spec)


def _format_sequence(value: object) -> str:
    """Format a list or tuple within an f-string, with the Tensors in it as `str` shows them."""
    if not (type(value) is list or type(value) is tuple):
        value = as_python_number(value)
        return str(value) if isinstance(value, Tensor) else repr(value)
    inner = ", ".join(map(_format_sequence, value)) + (
        "," if type(value) is tuple and len(value) == 1 else ""
    )
    return f"[{inner}]" if type(value) is list else f"({inner})"


def as_python_number(value: object) -> object:
    """Return a marked number as a Python number, if it has a value."""
    if type(value) is not scalar_inputs.Number:
        return value
    return str(value) if is_unknown(value) else peek(value).item()


def format_fstring(*parts: object) -> Text | str:
    """Evaluate an f-string: strings, and (value, conversion, format) for each part in braces."""
    return defer_text(_join_parts, *parts)


def format_percent(template: Any, values: object) -> Any:
    """Evaluate the expression `template % values`."""
    return defer_text(_percent, template, values) if isinstance(template, str) else template % values


def _percent(template: str, values: object) -> str:
    return template % (
        tuple(map(as_python_number, values)) if isinstance(values, tuple) else as_python_number(values)
    )


def to_str(*given: object) -> Text | str:
    """Evaluate the call `str(value)`."""
    return defer_text(lambda value: str(as_python_number(value)), *given) if len(given) == 1 else str(*given)


def call_format(value: object, spec: object = "") -> Text | str:
    """Evaluate the call `format(value, spec)`."""
    return defer_text(_format_value, value, -1, spec)


def call_str_format(template: str, args: tuple, kwargs: dict) -> Text | str:
    """Evaluate the call `template.format(...)`."""
    return defer_text(_format, template, args, kwargs)


def _format(template: str, args: tuple, kwargs: dict) -> str:
    return template.format(
        *map(as_python_number, args), **{name: as_python_number(value) for name, value in kwargs.items()}
    )


# ---------------------------------------------------------------------- print


plain_print = builtins.print
_lock = threading.Lock()
_tracing = 0


def call_in_order(host: Callable[..., None], *arrays: object) -> None:
    """Make a program call a host function with the values of arrays, in the program's order.

    JAX keeps that order only in programs for a single device.
    """
    jax.debug.callback(host, *arrays, ordered=jax.device_count() == 1)


def print_in_order(
    *things: object, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False
) -> None:
    """Replace `print` in traced code: print each time that the program runs, and only if it reaches the call.

    In a compiled function (MindSpore's graph mode) each argument has lines of its own, but not beside strings with values
    of Tensors, which MindSpore leaves to Python, nor where the settings of Python's `print` say otherwise.
    """
    if state.frame is None:
        return plain_print(*things, sep=sep, end=end, file=file, flush=flush)
    plain = sep in (None, " ") and end in (None, "\n") and file is None and not flush
    if plain and in_graph() and not contains_texts(things):
        return print_lines(*things)

    def show(given: tuple, _: object) -> None:
        plain_print(*given, sep=sep, end=end, file=file, flush=flush)

    return _call_later(show, things, as_python_number)


def print_lines(*things: object) -> None:
    """Print each argument on lines of its own, as MindSpore's compiled programs do: when the program runs."""

    def show(given: tuple, constants: set[int]) -> None:
        for thing in given:
            for line in _lines(thing, constants, outermost=True):
                plain_print(line)

    _call_later(show, things)


def in_graph() -> bool:
    """Return True in a compiled function that stands for MindSpore's graph mode."""
    frame = state.frame if state.graph else None
    while frame is not None and not frame.graph:
        frame = frame.outer
    return frame is not None


def _call_later(
    show: Callable[[Any, set[int]], object],
    things: tuple,
    convert: Callable[[Tensor], object] = lambda box: box,
) -> None:
    """Make a program call a function with the things, whose values are known then, and the ids of constant Tensors.

    `convert` is called with each Tensor among the things.
    """
    leaves, tree = jax.tree.flatten(things, is_leaf=is_tensor)
    boxes = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
    waits = [is_unknown(box) for box in boxes]
    held = [_is_constant(box, wait) for box, wait in zip(boxes, waits, strict=True)]
    # A Tensor that was made here belongs to this trace, which is over when the program runs: its array is kept instead.
    arrays = [None if wait else peek(box) for box, wait in zip(boxes, waits, strict=True)]
    order = ordered_trees.order(things)

    def host(*values: jax.Array) -> None:
        each = iter(values)
        with override_state(frame=None, scope=None, watch=None):
            shown = [
                scalar_inputs.mark_like(box, Tensor(next(each) if array is None else array))
                for box, array in zip(boxes, arrays, strict=True)
            ]
            constants = {id(box) for box, constant in zip(shown, held, strict=True) if constant}
            each = iter([convert(box) for box in shown])
            given = jax.tree.unflatten(
                tree, [next(each) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
            )
            show(resolve_texts(ordered_trees.reorder(given, order)), constants)

    values, _ = values_and_refs([box for box, wait in zip(boxes, waits, strict=True) if wait])
    call_in_order(host, *values)


def _is_constant(box: Tensor, waits: bool) -> bool:
    """Return True for a Tensor that is no input of the function being compiled, which may have been computed already."""
    frame = state.frame
    if type(box) is not Tensor:
        return False
    if not waits or id(box) in state.constants:
        return True
    if box._home is not None:
        return False
    while frame is not None:
        if any(box is argument for argument in frame.arguments):
            return False
        frame = frame.outer
    return True


def _lines(thing: Any, constants: set[int], outermost: bool) -> list[str]:
    """Return the lines that MindSpore's graph mode prints of a thing: containers are printed element by element.

    Those of integers alone, or of floating numbers alone, are constant Tensors to it unless they are in another one.
    """
    if isinstance(thing, Tensor):
        return [printing.compiled_text(np.asarray(thing.array), id(thing) in constants)]
    if isinstance(thing, dict | tuple | list | range):
        each = list(thing.values() if isinstance(thing, dict) else thing)
        kinds = set(map(type, each))
        if outermost and (kinds == {int} or kinds == {float}):
            return [printing.compiled_text(np.array(each, np.int64 if int in kinds else np.float32), True)]
        return [line for part in each for line in _lines(part, constants, False)] or ["()"] * (not each)
    if isinstance(thing, bool | int | float | complex):
        return [printing.number_text(thing)]
    return [thing.decode(errors="replace") if isinstance(thing, bytes) else str(thing)]


@contextlib.contextmanager
def printing_deferred() -> Iterator[None]:
    """Replace `print` by `print_in_order` while something is traced: what is traced twice must not print twice."""
    global _tracing
    with _lock:
        # A count, because several threads may trace at once; the last one puts the original back, unless somebody
        # else has replaced `print` meanwhile.
        _tracing += 1
        builtins.print = print_in_order
    try:
        yield
    finally:
        with _lock:
            _tracing -= 1
            if not _tracing and builtins.print is print_in_order:
                builtins.print = plain_print
