"""Pytrees that keep the order of dicts: `jax.tree` sorts their keys, and returns them sorted."""

from collections.abc import Callable
from typing import Any

import jax


# MindSpore keeps the order in which a dict was written, in results and gradients; `jax.tree` sorts keys. The order is
# therefore taken off before flattening, and put back with `reorder` afterwards.
def order(tree: object) -> Any:
    """Return the order of the dicts in a nesting of tuples, lists and dicts; None if sorting keys changes nothing.

    Examples:
        >>> from msjax.core import ordered_trees
        >>> ordered_trees.order((1, {"b": 2, "a": 3})), ordered_trees.order([{"a": 2, "b": 3}])
        ([None, {'b': None, 'a': None}], None)
    """
    if type(tree) is dict:
        keys = {key: order(value) for key, value in tree.items()}
        return keys if any(value is not None for value in keys.values()) or not _is_sorted(keys) else None
    if type(tree) is Mixed:
        return {key: order(value) for key, value in tree.table.items()}
    if type(tree) is list or isinstance(tree, tuple):
        inner = [order(value) for value in tree]
        return inner if any(value is not None for value in inner) else None
    return None


def _is_sorted(keys: dict) -> bool:
    listed = list(keys)
    try:
        return sorted(listed) == listed
    except TypeError:  # jax.tree refuses them too
        return True


def reorder(tree: Any, order: Any) -> Any:
    """Return the same tree with its dicts in an order from :func:`order`.

    Examples:
        >>> from msjax.core import ordered_trees
        >>> ordered_trees.reorder({"a": 3, "b": 2}, ordered_trees.order({"b": 0, "a": 0}))
        {'b': 2, 'a': 3}
    """
    if order is None:
        return tree
    if isinstance(order, dict):
        return {key: reorder(tree[key], inner) for key, inner in order.items()}
    values = [reorder(value, inner) for value, inner in zip(tree, order, strict=True)]
    return type(tree)(*values) if hasattr(tree, "_fields") else type(tree)(values)


def map(fn: Callable, tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Map like `jax.tree.map`, with dicts in their order.

    Examples:
        >>> from msjax.core import ordered_trees
        >>> ordered_trees.map(lambda x: -x, {"b": 2, "a": 3})
        {'b': -2, 'a': -3}
    """
    return reorder(jax.tree.map(fn, sortable(tree), is_leaf=is_leaf), order(tree))


class Mixed:
    """Pytree node for a dict whose keys `jax.tree` cannot sort; rebuilt, it is that dict."""

    def __init__(self, table: dict) -> None:
        self.table = table


def _as_dict(keys: Any, values: Any) -> Any:
    return dict(zip(keys, values, strict=True))


jax.tree_util.register_pytree_node(
    Mixed, lambda mixed: (list(mixed.table.values()), tuple(mixed.table)), _as_dict
)


def sortable(tree: Any) -> Any:
    """Prepare a tree for `jax.tree`: dicts with keys of several types become `Mixed`.

    Examples:
        >>> import jax
        >>> from msjax.core import ordered_trees
        >>> jax.tree.leaves(ordered_trees.sortable({"b": 2, 1: 3, (): 4}))
        [2, 3, 4]
    """
    if type(tree) is dict:
        values = {key: sortable(value) for key, value in tree.items()}
        return values if _are_sortable(tree) else Mixed(values)
    if type(tree) in (list, tuple):
        return type(tree)([sortable(value) for value in tree])
    return tree


def _are_sortable(keys: dict) -> bool:
    try:
        sorted(keys)
    except TypeError:
        return False
    return True
