"""`torch.utils._pytree`: nested lists, tuples and dicts as leaves and a structure."""

import functools
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

PyTree = Context = Any


class _Kind(NamedTuple):
    flatten: Callable[[Any], tuple[list[Any], Any]]
    unflatten: Callable[[Iterable[Any], Any], Any]


def _of_dict(tree: Any) -> tuple[list[Any], Any]:
    return list(tree.values()), list(tree)


class MappingKey(NamedTuple):
    """The place of a value in a dict."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"


class SequenceKey(NamedTuple):
    """The place of an element of a list or tuple."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"


class GetAttrKey(NamedTuple):
    """The place of a field of a named tuple."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"


def _list_flatten(tree: Any) -> tuple[list[Any], Any]:
    return list(tree), None


def _list_unflatten(parts: Iterable[Any], context: Any) -> list:
    return list(parts)


def _list_flatten_with_keys(tree: Any) -> tuple[list[Any], Any]:
    return [(SequenceKey(i), part) for i, part in enumerate(tree)], None


def _dict_flatten(tree: Any) -> tuple[list[Any], Any]:
    return _of_dict(tree)


def _dict_unflatten(parts: Iterable[Any], names: Any) -> Any:
    return dict(zip(names, parts, strict=True))


def _dict_flatten_with_keys(tree: Any) -> tuple[list[Any], Any]:
    return [(MappingKey(name), value) for name, value in tree.items()], list(tree)


SUPPORTED_NODES: dict[Any, _Kind] = {
    list: _Kind(_list_flatten, _list_unflatten),
    tuple: _Kind(_list_flatten, lambda parts, _: tuple(parts)),
    dict: _Kind(_of_dict, lambda parts, names: dict(zip(names, parts, strict=True))),
    OrderedDict: _Kind(_of_dict, lambda parts, names: OrderedDict(zip(names, parts, strict=True))),
    defaultdict: _Kind(
        lambda tree: (list(tree.values()), (tree.default_factory, list(tree))),
        lambda parts, context: defaultdict(context[0], zip(context[1], parts, strict=True)),
    ),
    deque: _Kind(lambda tree: (list(tree), tree.maxlen), lambda parts, limit: deque(parts, limit)),
}
_WITH_KEYS: dict[Any, Callable] = dict.fromkeys((list, tuple, deque), _list_flatten_with_keys)
_WITH_KEYS |= dict.fromkeys((dict, OrderedDict, defaultdict), _dict_flatten_with_keys)
_NAMED = _Kind(lambda tree: (list(tree), type(tree)), lambda parts, kind: kind(*parts))


def register_pytree_node(
    cls: type, flatten_fn: Callable, unflatten_fn: Callable, *, serialized_type_name: str | None = None,
    flatten_with_keys_fn: Callable | None = None, **others: Any,
) -> None:  # fmt: skip
    """Add a class of containers.

    Args:
        cls: the class.
        flatten_fn: from an object to its parts and a context.
        unflatten_fn: from these to an object.
        serialized_type_name: of no effect; so are `others`.
        flatten_with_keys_fn: from an object to (place, part) of its parts, and a context.
        **others: of no effect.
    """
    SUPPORTED_NODES[cls] = _Kind(flatten_fn, unflatten_fn)
    if flatten_with_keys_fn is not None:
        _WITH_KEYS[cls] = flatten_with_keys_fn


_register_pytree_node = register_pytree_node


class TreeSpec:
    """The structure of a tree.

    Args:
        type: the class of its root; None for a leaf.
        context: what else makes an object of the parts.
        children_specs: their structures.
    """

    def __init__(self, type: Any, context: Any, children_specs: list["TreeSpec"]) -> None:
        self.type, self.context, self.children_specs = type, context, children_specs
        self.num_leaves = sum(each.num_leaves for each in children_specs) if type is not None else 1

    def is_leaf(self) -> bool:
        """True if there is no structure."""
        return self.type is None

    @property
    def num_children(self) -> int:
        """The number of parts."""
        return len(self.children_specs)

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """Return the tree with these leaves."""
        return tree_unflatten(leaves, self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSpec):
            return NotImplemented
        mine = (self.type, self.context, self.children_specs)
        return mine == (other.type, other.context, other.children_specs)

    def __hash__(self) -> int:
        return hash((self.type, self.num_leaves))

    def __repr__(self) -> str:
        if self.is_leaf():
            return "*"
        return f"TreeSpec({self.type.__name__}, {self.context}, {self.children_specs})"


class LeafSpec(TreeSpec):
    """The structure of a leaf."""

    def __init__(self) -> None:
        super().__init__(None, None, [])


def _get_node_type(tree: Any) -> Any:
    """The class of an object; containers' are among SUPPORTED_NODES."""
    return type(tree)


def _kind_of(tree: Any, is_leaf: Callable | None) -> tuple[Any, _Kind | None]:
    if is_leaf is not None and is_leaf(tree):
        return None, None
    cls = type(tree)
    if cls in SUPPORTED_NODES:
        return cls, SUPPORTED_NODES[cls]
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return cls, _NAMED
    return None, None


def tree_flatten(tree: Any, is_leaf: Callable | None = None) -> tuple[list[Any], TreeSpec]:
    """Return the leaves of a tree, in order, and its structure.

    Args:
        tree: lists, tuples, dicts and registered classes.
        is_leaf: what else is a leaf.

    Examples:
        >>> from msjax.torch.utils import _pytree
        >>> leaves, spec = _pytree.tree_flatten({"a": 1, "b": (2, [3])})
        >>> leaves, _pytree.tree_unflatten([x * 2 for x in leaves], spec)
        ([1, 2, 3], {'a': 2, 'b': (4, [6])})
    """
    cls, kind = _kind_of(tree, is_leaf)
    if kind is None:
        return [tree], LeafSpec()
    parts, context = kind.flatten(tree)
    leaves, specs = [], []
    for part in parts:
        below, spec = tree_flatten(part, is_leaf)
        leaves += below
        specs.append(spec)
    return leaves, TreeSpec(cls, context, specs)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """Return the tree of a structure with given leaves.

    Raises:
        ValueError: if they are too few or too many.
    """
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(
            f"tree_unflatten(leaves, treespec): `leaves` has length {len(leaves)} but the spec refers to a pytree that "
            f"holds {treespec.num_leaves} items ({treespec})."
        )
    rest = iter(leaves)

    def build(spec: TreeSpec) -> Any:
        if spec.is_leaf():
            return next(rest)
        kind = SUPPORTED_NODES.get(spec.type, _NAMED)
        return kind.unflatten([build(each) for each in spec.children_specs], spec.context)

    return build(treespec)


def tree_map(func: Callable, tree: Any, *rests: Any, is_leaf: Callable | None = None) -> Any:
    """Call a function with each leaf, and with those at the same places of further trees."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [_leaves_like(spec, rest) for rest in rests]
    return tree_unflatten([func(*each) for each in zip(leaves, *others, strict=True)], spec)


def _leaves_like(spec: TreeSpec, tree: Any) -> list[Any]:
    """Return the subtrees of a tree at the leaves of a structure."""
    if spec.is_leaf():
        return [tree]
    cls, kind = _kind_of(tree, None)
    parts = kind.flatten(tree)[0] if kind is not None else []
    if cls is not spec.type or len(parts) != spec.num_children:
        raise ValueError(f"Node type mismatch; expected {spec.type!r}, but got {type(tree)!r}.")
    return [
        leaf
        for below, part in zip(spec.children_specs, parts, strict=True)
        for leaf in _leaves_like(below, part)
    ]


def tree_leaves(tree: Any, is_leaf: Callable | None = None) -> list[Any]:
    """Return the leaves of a tree."""
    return tree_flatten(tree, is_leaf)[0]


def tree_iter(tree: Any, is_leaf: Callable | None = None) -> Iterable[Any]:
    """Iterate over the leaves of a tree."""
    return iter(tree_leaves(tree, is_leaf))


def tree_structure(tree: Any, is_leaf: Callable | None = None) -> TreeSpec:
    """Return the structure of a tree."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map_(func: Callable, tree: Any, *rests: Any, is_leaf: Callable | None = None) -> Any:
    """Call a function with each leaf, and return the tree."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def map_only(kind: Any) -> Callable[[Callable], Callable]:
    """Return a decorator that lets a function leave alone what is no instance of a class or of some."""

    def decorate(func: Callable) -> Callable:
        @functools.wraps(func)
        def call(x: Any) -> Any:
            return func(x) if isinstance(x, kind) else x

        return call

    return decorate


def tree_map_only(kind: Any, func: Callable, tree: Any, is_leaf: Callable | None = None) -> Any:
    """Call a function with the leaves of a class or of some classes."""
    return tree_map(map_only(kind)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable, tree: Any, is_leaf: Callable | None = None) -> bool:
    """Return whether something holds for all leaves."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Callable, tree: Any, is_leaf: Callable | None = None) -> bool:
    """Return whether something holds for some leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_is_leaf(tree: Any, is_leaf: Callable | None = None) -> bool:
    """Return True for what has no parts."""
    return _kind_of(tree, is_leaf)[1] is None


def tree_flatten_with_path(tree: Any, is_leaf: Callable | None = None) -> tuple[list[tuple], TreeSpec]:
    """Return (places, leaf) of the leaves, in order, and the structure.

    Raises:
        ValueError: if a registered class does not say where its parts are.
    """
    return list(_with_paths((), tree, is_leaf)), tree_structure(tree, is_leaf)


def tree_leaves_with_path(tree: Any, is_leaf: Callable | None = None) -> list[tuple]:
    """Return (places, leaf) of the leaves, in order."""
    return list(_with_paths((), tree, is_leaf))


def _with_paths(path: tuple, tree: Any, is_leaf: Callable | None) -> Iterable[tuple]:
    cls, kind = _kind_of(tree, is_leaf)
    if kind is None:
        yield path, tree
        return
    if kind is _NAMED:
        parts = [(GetAttrKey(name), getattr(tree, name)) for name in tree._fields]
    elif cls in _WITH_KEYS:
        parts = _WITH_KEYS[cls](tree)[0]
    else:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {cls}. Please pass a flatten_with_keys_fn argument."
        )
    for key, part in parts:
        yield from _with_paths((*path, key), part, is_leaf)


def tree_map_with_path(func: Callable, tree: Any, *rests: Any, is_leaf: Callable | None = None) -> Any:
    """Call a function with the places of each leaf and the leaf, and with those at the same places of further trees."""
    found, spec = tree_flatten_with_path(tree, is_leaf)
    others = [_leaves_like(spec, rest) for rest in rests]
    return tree_unflatten(
        [func(path, leaf, *more) for (path, leaf), *more in zip(found, *others, strict=True)], spec
    )


def keystr(kp: Iterable[Any]) -> str:
    """Return places as text."""
    return "".join(map(str, kp))
