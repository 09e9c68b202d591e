"""Functions over nested structures, chosen by the types of their arguments: MultitypeFuncGraph, HyperMap, Map, partial."""

from collections.abc import Callable
from functools import partial as partial
from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.autograph.conversion import convert_callback
from msjax.core.tensor.tensor import Tensor

_NAMED = {
    "Tensor": lambda x: isinstance(x, Tensor),
    "Number": lambda x: isinstance(x, bool | int | float),
    "Int": lambda x: isinstance(x, int) and not isinstance(x, bool),
    "Float": lambda x: isinstance(x, float),
    "Bool": lambda x: isinstance(x, bool),
    "String": lambda x: isinstance(x, str),
    "Tuple": lambda x: isinstance(x, tuple),
    "List": lambda x: isinstance(x, list),
    "Dict": lambda x: isinstance(x, dict),
    "None": lambda x: x is None,
    "Function": callable,
    # Kinds of tensors that msjax does not have: their names are known, and no argument is one.
    "RowTensor": lambda x: False,
    "MapTensor": lambda x: False,
    "COOTensor": lambda x: type(x).__name__ == "COOTensor",
    "CSRTensor": lambda x: type(x).__name__ == "CSRTensor",
}
_SCALARS = {  # of Python's numbers; compiled, MindSpore calls a float Float32, and elsewhere Float64
    "Int64": _NAMED["Int"],
    "Float64": _NAMED["Float"],
    "Float32": _NAMED["Float"],
}
_OF_DTYPE = {dtypes.tensor_type: "Tensor", dtypes.number: "Number"}


def _test(kind: Any) -> Callable[[Any], bool]:
    """Return a predicate for one entry of a signature: a name, a dtype, or a Python type."""
    name = kind if isinstance(kind, str) else _OF_DTYPE.get(kind) if isinstance(kind, dtypes.DType) else None
    if name in _NAMED:
        return _NAMED[name]
    if isinstance(kind, str):
        return _scalar_or_tensor(kind)
    if isinstance(kind, type):
        return lambda x: isinstance(x, kind)
    if isinstance(kind, dtypes.DType):
        return lambda x: isinstance(x, Tensor) and x.dtype == kind
    raise _unknown(kind)


def _scalar_or_tensor(name: str) -> Callable[[Any], bool]:
    """Return a predicate for "Int64" (a Python number, or NumPy's scalar of the dtype) or "Tensor[Int64]"."""
    inner = name[len("Tensor[") : -1] if name.startswith("Tensor[") and name.endswith("]") else name
    dtype = getattr(dtypes, inner.lower(), None)
    if not isinstance(dtype, dtypes.DType) or str(dtype) != inner:
        raise _unknown(name)
    if inner != name:
        return lambda x: isinstance(x, Tensor) and x.dtype == dtype
    number = _SCALARS.get(name, lambda x: False)
    return lambda x: number(x) or (isinstance(x, np.generic) and x.dtype.name == inner.lower())


def _unknown(kind: Any) -> TypeError:
    names = sorted([*_NAMED, *_SCALARS, "Tensor[Float32]"])
    return TypeError(
        f"`MultitypeFuncGraph.register`: unknown type {kind!r}. Known names: {names}, other dtypes."
    )


class MultitypeFuncGraph:
    """A function with several implementations, chosen by the types of the arguments.

    One implementation alone is called whatever the types are.

    Args:
        name: for messages.
        read_value: accepted for MindSpore's signature; arguments are always passed as they are.
        doc_url: kept as an attribute.

    Raises:
        ValueError: on a call whose types none of several implementations takes.

    Examples:
        >>> import msjax as ms
        >>> from msjax import ops
        >>> add = ops.MultitypeFuncGraph("add")
        >>> @add.register("Number", "Number")
        ... def numbers(x, y):
        ...     return x + y
        >>> @add.register("Tensor", "Tensor")
        ... def tensors(x, y):
        ...     return x + y
        >>> add(1, 2)
        3
    """

    def __init__(self, name: str, read_value: bool = False, doc_url: str = "") -> None:
        self.name = name
        self.doc_url = doc_url
        self.entries: list[tuple[tuple, tuple[Callable, ...], Callable]] = []

    def register(self, *type_names: Any) -> Callable:
        """Return a decorator for the implementation for these types."""
        tests = tuple(_test(kind) for kind in type_names)

        def decorate(fn: Callable) -> Callable:
            self.entries.append((type_names, tests, fn))
            return fn

        return decorate

    def __call__(self, *args: Any) -> Any:
        """Call the first implementation, in the order of registration, that takes the arguments."""
        for _, tests, fn in self.entries:
            alone = len(self.entries) == 1  # programs register "Number" and pass Tensors
            if alone or (len(tests) == len(args) and all(map(lambda test, arg: test(arg), tests, args))):
                return convert_callback(fn)(*args)
        found = tuple(type(arg).__name__ for arg in args)
        known = ", ".join(str(names) for names, _, _ in self.entries)
        raise ValueError(f"`{self.name}`: no implementation for the types {found}. Registered: {known}.")

    def __repr__(self) -> str:
        return f"MultitypeFuncGraph({self.name!r})"


class HyperMap:
    """Apply a function to the elements of nested tuples and lists, all the way down; the results are tuples.

    Args:
        ops: function, MultitypeFuncGraph or None, in which case the first argument of the call is the function.
        reverse: kept as an attribute; the order of calls is not observable in the result.

    Raises:
        TypeError: if there is no function, or the sequences have different structures.

    Examples:
        >>> from msjax import ops
        >>> ops.HyperMap()(lambda x, y: x * y, ((1, 2), 3), ((10, 20), 30))
        ((10, 40), 90)
    """

    _deep = True

    def __init__(self, ops: Any = None, reverse: bool = False) -> None:
        if ops is not None and not callable(ops):
            raise TypeError(f"`{type(self).__name__}`: argument `ops` must be callable. Received: {ops!r}.")
        self.ops = ops
        self.reverse = reverse

    def __call__(self, *args: Any) -> Any:
        """Map over the arguments; the first of them is the function if none was given before."""
        fn, sequences = (self.ops, args) if self.ops is not None else (args[0] if args else None, args[1:])
        if not callable(fn):
            raise TypeError(
                f"`{type(self).__name__}`: the first argument must be callable. Received: {fn!r}."
            )
        if not sequences:
            raise TypeError(f"`{type(self).__name__}`: at least one sequence is needed. Received: none.")
        return self._map(fn, sequences, top=True)

    def _map(self, fn: Callable, items: tuple, top: bool = False) -> Any:
        first = items[0]
        if not isinstance(first, list | tuple) or not (self._deep or top):
            return convert_callback(fn)(*items)
        lengths = [len(item) if isinstance(item, list | tuple) else None for item in items]
        if len(set(lengths)) != 1:
            raise TypeError(
                f"`{type(self).__name__}`: all sequences must have one structure. Received lengths: {lengths}."
            )
        return tuple(self._map(fn, row) for row in zip(*items, strict=True))


class Map(HyperMap):
    """Apply a function to the elements of sequences, one level deep.

    Examples:
        >>> from msjax import ops
        >>> ops.Map()(lambda x, y: x + y, (1, 2), (10, 20))
        (11, 22)
    """

    _deep = False
