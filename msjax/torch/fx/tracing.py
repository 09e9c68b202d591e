"""Tracing: a module's `forward` is called with proxies, and what it calls becomes a graph."""

import builtins
import contextlib
import dis
import functools
import inspect
import math
import operator
import sys
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from msjax.public_api import torch_api
from msjax.public_api.placeholders import Missing
from msjax.torch.fx.graph import Graph, Node, map_aggregate, while_inserting
from msjax.torch.fx.running import GraphModule, Interpreter, recording
from msjax.torch.nn.module import Module
from msjax.torch.tensors.tensor import Tensor

_BINARY = "add sub mul truediv floordiv mod pow matmul lshift rshift and or xor".split()
_COMPARED = "lt le eq ne gt ge".split()
_wrapped: list[tuple[dict[str, Any], str]] = []


class TraceError(ValueError):
    """A value was asked for that only a run has."""


class Proxy:
    """Stand-in for a value while a program is traced.

    Args:
        node: whose result it is.
        tracer: who traces.
    """

    def __init__(self, node: Node, tracer: Any = None) -> None:
        self.node, self.tracer = node, tracer or GraphAppendingTracer(node.graph)

    def __getattr__(self, name: str) -> "Attribute":
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Attribute(self, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Record the call."""
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self.tracer.create_proxy("call_function", operator.getitem, (self, key), {})

    def __iter__(self) -> Iterator[Any]:
        return self.tracer.iter(self)

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
            "torch.fx.wrap('len') at module scope"
        )

    def __index__(self) -> int:
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"


class Attribute(Proxy):
    """An attribute of a proxy: a node if it is used, a method if it is called."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        """The node of the attribute's value."""
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node  # type: ignore[return-value]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Record the call of the method."""
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


def _binary(function: Callable, swapped: bool = False) -> Callable:
    def call(self: Proxy, other: Any) -> Any:
        args = (other, self) if swapped else (self, other)
        return self.tracer.create_proxy("call_function", function, args, {})

    return call


def _unary(function: Callable) -> Callable:
    def call(self: Proxy) -> Any:
        return self.tracer.create_proxy("call_function", function, (self,), {})

    return call


for _word in _BINARY:
    _function = getattr(operator, _word if hasattr(operator, _word) else f"{_word}_")
    setattr(Proxy, f"__{_word}__", _binary(_function))
    setattr(Proxy, f"__r{_word}__", _binary(_function, swapped=True))
for _word in _COMPARED:
    setattr(Proxy, f"__{_word}__", _binary(getattr(operator, _word)))
for _word in ("neg", "pos", "invert", "abs"):
    setattr(Proxy, f"__{_word}__", _unary(getattr(operator, _word)))


def _find_proxy(*values: Any) -> Proxy | None:
    found: list[Proxy] = []
    map_aggregate(values, lambda each: found.append(each) if isinstance(each, Proxy) else None)
    return found[0] if found else None


def _record_with_proxies(function: Callable) -> Callable:
    """Return the function, which becomes a node if it is called with a proxy."""

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        found = _find_proxy(args, kwargs)
        if found is None:
            return function(*args, **kwargs)
        return found.tracer.create_proxy("call_function", call, args, kwargs)

    call._fx_function = function  # type: ignore[attr-defined]
    return call


def wrap(fn_or_name: Any) -> Any:
    """Let a function of the calling module become a node instead of being traced, by its name or as a decorator."""
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = sys._getframe(1)
    _wrapped.append((frame.f_globals, name))
    return fn_or_name


class _Patches:
    """Changes that are undone."""

    def __init__(self) -> None:
        self._undo: list[tuple[Any, str, Any, bool]] = []

    def set(self, place: Any, name: str, value: Any) -> None:
        names = place if isinstance(place, dict) else vars(place)
        self._undo.append((place, name, names.get(name), name in names))
        if isinstance(place, dict):
            place[name] = value
        else:
            setattr(place, name, value)

    def undo(self) -> None:
        while self._undo:
            place, name, value, was = self._undo.pop()
            if isinstance(place, dict):
                place.pop(name) if not was else place.update({name: value})
            elif was:
                setattr(place, name, value)
            else:
                delattr(place, name)


_FAMILIES = ("torch", "torch.nn.functional", "torch.special", "torch.linalg", "torch.fft")


@contextlib.contextmanager
def _watch_for_proxies(tracer: "Tracer | None", functions: list[Callable]) -> Iterator[None]:
    """Return a context in which functions and modules look for proxies."""
    patches, made, before = _Patches(), recording, dict(recording)
    try:
        for family in _FAMILIES:
            module = torch_api.module_named(family)
            _watch_module(patches, module, made)
        for name, value in list(vars(math).items()):
            if callable(value) and not name.startswith("_"):
                patches.set(math, name, made.setdefault(id(value), _record_with_proxies(value)))
        for function in functions:
            _watch_names(patches, function)
        for names, name in _wrapped:
            known = names.get(name, vars(builtins).get(name))
            if known is not None and not hasattr(known, "_fx_function"):
                patches.set(names, name, _record_with_proxies(known))
        for word in (*_BINARY, *_COMPARED):
            _watch_operator(patches, word)
        original = Module.__call__

        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            if tracer is not None:
                return tracer.call_module(self, functools.partial(original, self), args, kwargs)
            inside = _Patches()
            if _find_proxy(args, kwargs) is not None:
                _watch_names(inside, inspect.unwrap(type(self).forward))
            try:
                return original(self, *args, **kwargs)
            finally:
                inside.undo()

        patches.set(Module, "__call__", call)
        yield
    finally:
        patches.undo()
        made.clear()
        made.update(before)


def _watch_names(patches: _Patches, function: Any) -> None:
    """Let the functions that a function's module names look for proxies."""
    names = getattr(function, "__globals__", {})
    for name, value in list(names.items()):
        if id(value) in recording and not name.startswith("__"):
            patches.set(names, name, recording[id(value)])


def _watch_module(patches: _Patches, module: ModuleType, made: dict[int, Callable]) -> None:
    for name, value in list(vars(module).items()):
        function = callable(value) and not isinstance(value, type | ModuleType | Missing) and name[0] != "_"
        if (
            function
            and not hasattr(value, "_fx_function")
            and name not in ("tensor", "manual_seed", "no_grad", "device", "wrap")
        ):
            patches.set(module, name, made.setdefault(id(value), _record_with_proxies(value)))  # type: ignore[arg-type]
    find = vars(module).get("__getattr__")
    if find is None:
        return

    def found(name: str) -> Any:
        value = find(name)
        plain = isinstance(value, FunctionType | functools.partial)
        if plain and vars(module).get(name) is value:
            patches.set(module, name, made.setdefault(id(value), _record_with_proxies(value)))
        return made.setdefault(id(value), _record_with_proxies(value)) if plain else value

    patches.set(module, "__getattr__", found)


def _watch_operator(patches: _Patches, word: str) -> None:
    name = f"__{word}__"
    original = getattr(Tensor, name, None)
    if original is None:
        return

    def call(self: Any, other: Any) -> Any:
        if isinstance(other, Proxy):
            function = getattr(operator, word if hasattr(operator, word) else f"{word}_")
            return other.tracer.create_proxy("call_function", function, (self, other), {})
        return original(self, other)

    patches.set(Tensor, name, call)


while_inserting.append(functools.partial(_watch_for_proxies, None, []))  # proxies are used there, too


class TracerBase:
    """Maker of proxies."""

    graph: Graph
    root: Any

    def create_node(
        self, kind: str, target: Any, args: tuple, kwargs: dict, name: str | None = None, type_expr: Any = None
    ) -> Node:  # fmt: skip
        """Add a node to the graph."""
        return self.graph.create_node(kind, target, args, kwargs, name, type_expr)

    def proxy(self, node: Node) -> Proxy:
        """Return what stands for the result of a node."""
        return Proxy(node, self)

    def create_proxy(
        self, kind: str, target: Any, args: tuple, kwargs: dict, name: str | None = None, type_expr: Any = None,
        proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Any:  # fmt: skip
        """Add a node, and return what stands for its result."""
        target = getattr(target, "_fx_function", target)  # subclasses compare it in create_node
        args, kwargs = self.create_arg(args), self.create_arg(kwargs)
        node = self.create_node(kind, target, args, kwargs, name, type_expr)
        return (proxy_factory_fn or self.proxy)(node)

    def create_arg(self, a: Any) -> Any:
        """Return what stands for an argument in the graph."""
        return map_aggregate(a, self._leaf)

    def _leaf(self, a: Any) -> Any:
        return a.node if isinstance(a, Proxy) else a

    def to_bool(self, obj: Proxy) -> bool:
        """Refuse branches.

        Raises:
            TraceError: always.
        """
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """Yield the parts of a proxy that the calling line unpacks.

        Raises:
            TraceError: elsewhere, since their number is not known.
        """
        frame = sys._getframe(2)
        count = _count_unpacked(frame)
        if count is None:
            raise TraceError(
                "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args "
                "or **kwargs function argument."
            )
        return iter([obj[i] for i in range(count)])

    def keys(self, obj: Proxy) -> Any:
        """Return the keys of a proxy."""
        return Attribute(obj, "keys")()


def _count_unpacked(frame: Any) -> int | None:
    for one in dis.get_instructions(frame.f_code):
        if one.offset == frame.f_lasti:
            return one.argval if one.opname == "UNPACK_SEQUENCE" else None
    return None


class Tracer(TracerBase):
    """Makes a graph of a module or of a function.

    Args:
        autowrap_modules: of no effect; `math` is one.
        autowrap_functions: of no effect.
        param_shapes_constant: of no effect.
    """

    def __init__(
        self, autowrap_modules: Any = (math,), autowrap_functions: Any = (), param_shapes_constant: bool = False
    ) -> None:  # fmt: skip
        self.autowrap_functions = autowrap_functions
        self._paths: dict[int, str] = {}

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Return whether a module becomes one node: those of `torch.nn`, but for Sequential."""
        place = type(m).__module__
        return place.startswith(("torch.nn", "msjax.torch.nn")) and type(m).__name__ != "Sequential"

    def path_of_module(self, mod: Module) -> str:
        """Return the name of a module inside the root.

        Raises:
            NameError: if it is not there.
        """
        for name, module in self.root.named_modules():
            if module is mod:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(self, m: Module, forward: Callable, args: tuple, kwargs: dict) -> Any:
        """Record the call of a module, or trace into it."""
        name = self.path_of_module(m)
        if self.is_leaf_module(m, name):
            return self.create_proxy("call_module", name, args, kwargs)
        return forward(*args, **kwargs)

    def _leaf(self, a: Any) -> Any:
        if isinstance(a, Tensor):
            return self.create_node("get_attr", self._name_of(a), (), {})
        return super()._leaf(a)

    def _name_of(self, tensor: Tensor) -> str:
        for name, each in [*self.root.named_parameters(), *self.root.named_buffers()]:
            if each is tensor:
                return name
        number = 0
        while hasattr(self.root, f"_tensor_constant{number}"):
            if getattr(self.root, f"_tensor_constant{number}") is tensor:
                break
            number += 1
        setattr(self.root, f"_tensor_constant{number}", tensor)
        return f"_tensor_constant{number}"

    def trace(self, root: Any, concrete_args: dict[str, Any] | None = None) -> Graph:
        """Return the graph of a module's `forward`, or of a function.

        Args:
            root: it.
            concrete_args: values of some arguments, which become part of the graph.
        """
        if isinstance(root, Module):
            self.root, function = root, type(root).forward
            given: list[Any] = [root]
        else:
            self.root, function, given = Module(), root, []
        self.graph = Graph(tracer_cls=type(self))
        known = concrete_args or {}
        named: dict[str, Any] = {}
        parameters = list(inspect.signature(function).parameters.values())[len(given) :]
        if isinstance(root, GraphModule):
            parameters = root.list_inputs()
        for one in parameters:
            if one.name in known:
                named[one.name] = known[one.name]
                continue
            stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")  # type: ignore[call-overload]
            default = () if one.default is one.empty else (one.default,)
            proxy = self.create_proxy("placeholder", stars + one.name, default, {})
            if stars:
                given += [proxy] if stars == "*" else []
                continue
            named[one.name] = proxy
        functions = [function] + [
            type(m).forward for m in self.root.modules() if isinstance(type(m).forward, FunctionType)
        ]
        functions = [inspect.unwrap(each) for each in functions]
        with _watch_for_proxies(self, [each for each in functions if hasattr(each, "__globals__")]):
            result = _call_with_names(function, given, parameters, named)
        self.create_node("output", "output", (self.create_arg(result),), {})
        return self.graph


def _call_with_names(
    function: Callable, given: list[Any], parameters: list[Any], named: dict[str, Any]
) -> Any:
    """Call it, with what must come without a name so."""
    args, rest = list(given), dict(named)
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    args += [rest.pop(one.name) for one in parameters if one.kind in kinds and one.name in rest]
    return function(*args, **rest)


def symbolic_trace(root: Any, concrete_args: dict[str, Any] | None = None) -> GraphModule:
    """Trace a module or a function, and return a module that runs the graph.

    Args:
        root: the module or the function.
        concrete_args: values of some arguments, which become part of the graph.

    Raises:
        TraceError: if it branches on a value.

    Examples:
        >>> from msjax import torch
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
        >>> print(traced.graph)
        graph():
            %x : [num_users=1] = placeholder[target=x]
            %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})
            %add : [num_users=1] = call_function[target=operator.add](args = (%relu, 1), kwargs = {})
            return add
        >>> traced(torch.tensor([-1.0, 1.0]))
        tensor([1., 2.])
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else getattr(root, "__name__", "GraphModule")
    return GraphModule(tracer.root, graph, name)


class Transformer(Interpreter):
    """Makes a new graph of an old one; subclasses say what becomes of a node of some kind.

    Args:
        module: a GraphModule.
    """

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph, self.tracer = Graph(), Tracer()
        self.tracer.root, self.tracer.graph = module, self.new_graph

    def placeholder(self, target: str, args: tuple, kwargs: dict) -> Any:
        """Add an input."""
        return self.tracer.create_proxy("placeholder", target, args, kwargs)

    def get_attr(self, target: str, args: tuple, kwargs: dict) -> Any:
        """Add a read of an attribute."""
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_function(self, target: Any, args: tuple, kwargs: dict) -> Any:
        """Add a call of a function."""
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def call_method(self, target: str, args: tuple, kwargs: dict) -> Any:
        """Add a call of a method."""
        return self.tracer.create_proxy("call_method", target, args, kwargs)

    def call_module(self, target: str, args: tuple, kwargs: dict) -> Any:
        """Add a call of a module."""
        return self.tracer.create_proxy("call_module", target, args, kwargs)

    def transform(self) -> GraphModule:
        """Return the new module."""
        with _watch_for_proxies(self.tracer, [type(self).call_function, type(self).call_method]):
            result = self.run()
        if result is not None:
            self.new_graph.output(self.tracer.create_arg(result))
        return GraphModule(self.module, self.new_graph)


class GraphAppendingTracer(TracerBase):
    """A tracer of proxies whose nodes are added to a graph that is there.

    Args:
        graph: it.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
