"""Side effects of compiled functions on attributes of Cells: they happen at each call, not when the program is made.

A frame notes which attributes were set while a function was traced. When the trace ends they get their old values back, and
the new ones become results of the program, which are set at each call (the journal of `trace.Traced`).
An attribute that holds Tensors then moves to the Cell's table `_held`. Those Tensors are inputs of the programs that are
made from then on, and take new values over as Parameters do, so that later calls find the same boxes and the same program.
Whoever reads such an attribute outside gets copies, which later calls leave alone.
"""

import types
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.core import Tracer

from msjax.core import ordered_trees
from msjax.core.identity import is_equal
from msjax.core.state import state
from msjax.core.tensor import scalar_inputs
from msjax.core.tensor.box import is_visible
from msjax.core.tensor.tensor import Tensor, is_tensor, node_of, resolve, tensors_in, wrap
from msjax.core.trace.frame import Frame

_MISSING = object()


class Change(NamedTuple):
    """An attribute that was set, with its value before."""

    owner: Any
    name: str
    before: Any
    held: bool

    def now(self) -> object:
        """Return the attribute's current value."""
        return vars(self.owner).get(self.name, _MISSING)


def record_change(owner: object, name: str) -> None:
    """Note in all running traces that an attribute is about to be set."""
    attributes = vars(owner)
    held = name not in attributes and name in attributes.get("_held", ())
    before = attributes["_held"][name] if held else attributes.get(name, _MISSING)
    frame = state.frame
    while frame is not None:
        # `setdefault`: the first value counts, the one before the trace.
        frame.attributes.setdefault((id(owner), name), Change(owner, name, before, held))
        frame = frame.outer


# What MindSpore's compiled functions return in place of iterators and views, whose content would be lost.
_LISTED: dict[type, type] = {map: list, filter: list, zip: tuple, enumerate: tuple, range: tuple}
_LISTED |= {type(iter([])): list, type(iter(())): tuple, type(reversed([])): list}
_LISTED |= {type({}.keys()): tuple, type({}.values()): tuple, type({}.items()): list}
_LISTED |= {types.GeneratorType: list}


def _list_items(kind: type, out: object) -> type:
    """Return list or tuple; for `map`, what its function is applied to."""
    return tuple if kind is map and type(out.__reduce__()[1][1]) is type(iter(())) else _LISTED[kind]


def materialize_iterators(out: Any) -> Any:
    """Replace iterators and dict views in a result by the lists and tuples that MindSpore returns for them."""
    if type(out) in _LISTED:
        return _list_items(type(out), out)(map(materialize_iterators, out))
    if type(out) in (list, tuple):
        return type(out)(map(materialize_iterators, out))
    # A constant of NumPy's is a Python number to a compiled function; one that `asnumpy` gave stays what it is.
    if isinstance(out, np.number | np.bool_) and state.known is None:
        return out.item()
    return (
        {key: materialize_iterators(value) for key, value in out.items()}
        if type(out) is dict
        else scalar_inputs.as_python_number(out)
    )


def restore(frame: Frame) -> None:
    """Give the attributes that were set under a frame their old values back."""
    for change in frame.attributes.values():
        if change.held or change.before is _MISSING:
            vars(change.owner).pop(change.name, None)
        else:
            vars(change.owner)[change.name] = change.before


def journal(frame: Frame, out: object) -> "tuple[Any, list[tuple[AttributeWrite, object]]]":
    """Return a function's result, and the attributes that it set with their values; held Tensors are assigned instead."""
    pairs: list[tuple[Tensor, Tensor]] = []
    kept: list[tuple[Change, Any]] = []
    for change in frame.attributes.values():
        now = change.now()
        # Tensors of an inner trace (a branch that was left) mean nothing out here.
        if now is change.before or now is _MISSING or not all(map(is_visible, tensors_in(now))):
            continue
        if change.held and _match_in_structure(change.before, now):
            pairs += zip(tensors_in(change.before), tensors_in(now), strict=True)
        elif tensors_in(now) or not is_equal(change.before, now):
            kept.append((change, now))
    # A result may be the very Tensor that is assigned to below: it must keep the value that it has now.
    if pairs:
        out, values = ordered_trees.map(_apart, (out, [now for _, now in kept]), is_leaf=is_tensor)
        kept = [(change, value) for (change, _), value in zip(kept, values, strict=True)]
        new = [(resolve(box)._value, node_of(resolve(box))) for _, box in pairs]
        for (old, _), (value, node) in zip(pairs, new, strict=True):
            old._assign(value, node)
    return out, [(AttributeWrite(change.owner, change.name), value) for change, value in kept]


class AttributeWrite(NamedTuple):
    """Assignment to an attribute of a Cell: an entry of the journal of a traced function."""

    owner: Any
    name: str

    def perform(self, value: object) -> None:
        """Set the attribute."""
        owner, name = self
        # In a trace around this one the value is a tracer: there the attribute is set as usual, and noted by that trace.
        if state.frame is not None:
            setattr(owner, name, value)
            return
        value = _count_changes(owner, name, value)
        if tensors_in(value):
            vars(owner).setdefault("_held", {})[name] = value
            vars(owner).pop(name, None)
            # The attribute's Tensors are inputs from now on, so programs that were made before do not fit any more.
            owner._invalidate()
        else:
            setattr(owner, name, value)


def copy_for_readers(value: object) -> object:
    """Return copies of an attribute's Tensors, for a reader outside: programs overwrite the originals."""
    return ordered_trees.map(_show_leaf, value, is_leaf=is_tensor)


def _show_leaf(leaf: object) -> object:
    box = _apart(leaf)
    if isinstance(box, scalar_inputs.Number) and not isinstance(box._value, Tracer):
        return box._value.item()
    return box


def overwrite(held: dict[str, object], name: str, value: object) -> bool:
    """Assign new values to the Tensors of a held attribute; drop it from the table if they do not match.

    Returns:
        True if they were assigned.
    """
    if not _match_in_structure(held[name], value):
        del held[name]
        return False
    for old, new in zip(tensors_in(held[name]), tensors_in(value), strict=True):
        old._assign(new.array, None)
    return True


def _count_changes(owner: object, name: str, value: object) -> object:
    """Return a number that changes repeatedly as a Tensor, so that a program need not be made for each value."""
    if type(value) not in (int, float):
        return value
    # The first change stays a number: many attributes are set once, and a static number makes a simpler program.
    changed = vars(owner).setdefault("_counted", set())
    if name in changed:
        return scalar_inputs.mark_as_number(Tensor(value))
    changed.add(name)
    return value


def _apart(leaf: object) -> object:
    """Return a Tensor with the same value, unaffected by later writes to this one."""
    if not isinstance(leaf, Tensor):
        return leaf
    box = resolve(leaf)
    box._owned = False
    return scalar_inputs.mark_like(leaf, wrap(box._value, node_of(box)))


def _match_in_structure(before: object, now: object) -> bool:
    """Return True if both hold Tensors of the same shapes and dtypes at the same places, and all else is equal."""
    old, old_tree = jax.tree.flatten(before, is_leaf=is_tensor)
    new, new_tree = jax.tree.flatten(now, is_leaf=is_tensor)
    if old_tree != new_tree or not any(map(is_tensor, old)):
        return False
    return all(
        is_visible(a) and (a.shape, a.dtype) == (b.shape, b.dtype)
        if isinstance(a, Tensor) and isinstance(b, Tensor)
        else is_equal(a, b)
        for a, b in zip(old, new, strict=True)
    )
