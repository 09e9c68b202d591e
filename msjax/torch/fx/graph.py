"""Node and Graph: calls in order, each with the nodes that it uses."""

import builtins
import keyword
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from msjax.public_api import torch_api

Target = str | Callable[..., Any]
Argument = Any
while_inserting: list[Callable[[], AbstractContextManager]] = []  # contexts that `inserting_before` enters
# What nodes of operators are called: Python's signs.
_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "matmul": "@", "and_": "&", "or_": "|",
    "xor": "^", "lshift": "<<", "rshift": ">>", "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=",
}  # fmt: skip


def map_arg(a: Any, fn: Callable[["Node"], Any]) -> Any:
    """Call a function with each node in arguments, inside of lists, tuples, dicts and slices too."""
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


def map_aggregate(a: Any, fn: Callable[[Any], Any]) -> Any:
    """Call a function with each thing in lists, tuples, dicts and slices."""
    if isinstance(a, tuple):
        parts = [map_aggregate(each, fn) for each in a]
        return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
    if isinstance(a, list):
        return [map_aggregate(each, fn) for each in a]
    if isinstance(a, dict):
        return {name: map_aggregate(each, fn) for name, each in a.items()}
    if isinstance(a, slice):
        return slice(*(map_aggregate(each, fn) for each in (a.start, a.stop, a.step)))
    return fn(a)


def _path(target: Any) -> str:
    """Return the name of a function in a program's text."""
    if isinstance(target, str):
        return target
    name = getattr(target, "__name__", type(target).__name__)
    module = getattr(target, "__module__", "") or ""
    if module == "_operator":
        return f"operator.{name}"
    if module.startswith("msjax."):
        inside = module == "msjax.torch.nn.functional" or name not in torch_api.recorded()["torch"]
        return f"torch.nn.functional.{name}" if inside else f"torch.{name}"
    return f"{module}.{name}"


class Node:
    """One call of a graph.

    Args:
        graph: whose it is.
        name: of its result.
        op: "placeholder", "get_attr", "call_function", "call_method", "call_module" or "output".
        target: what is called: a function, or a name.
        args: its arguments, nodes among them.
        kwargs: those by name.
        return_type: an annotation.
    """

    def __init__(
        self, graph: "Graph", name: str, op: str, target: Any, args: tuple, kwargs: dict, return_type: Any = None
    ) -> None:  # fmt: skip
        self.graph, self.name, self.op, self.target, self.type = graph, name, op, target, return_type
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self._args: tuple = ()
        self._kwargs: dict = {}
        self._set(args, kwargs)

    def _set(self, args: tuple, kwargs: dict) -> None:
        for node in self.all_input_nodes:
            node.users.pop(self, None)
        self._args, self._kwargs = args, kwargs
        for node in self.all_input_nodes:
            node.users[self] = None

    @property
    def args(self) -> tuple:
        """Its arguments."""
        return self._args

    @args.setter
    def args(self, value: tuple) -> None:
        self._set(value, self._kwargs)

    @property
    def kwargs(self) -> dict:
        """Its arguments by name."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, value: dict) -> None:
        self._set(self._args, value)

    def update_arg(self, idx: int, arg: Any) -> None:
        """Replace an argument."""
        self.args = (*self._args[:idx], arg, *self._args[idx + 1 :])

    def update_kwarg(self, key: str, arg: Any) -> None:
        """Replace an argument that has a name."""
        self.kwargs = {**self._kwargs, key: arg}

    @property
    def all_input_nodes(self) -> list["Node"]:
        """The nodes among its arguments, each once."""
        found: dict[Node, None] = {}
        map_arg((self._args, self._kwargs), lambda node: found.setdefault(node))
        return list(found)

    @property
    def next(self) -> "Node":
        """The node after it."""
        nodes = self.graph._nodes
        return nodes[(nodes.index(self) + 1) % len(nodes)]

    @property
    def prev(self) -> "Node":
        """The node before it."""
        nodes = self.graph._nodes
        return nodes[nodes.index(self) - 1]

    def append(self, x: "Node") -> None:
        """Move a node behind this one."""
        nodes = self.graph._nodes
        nodes.remove(x)
        nodes.insert(nodes.index(self) + 1, x)

    def prepend(self, x: "Node") -> None:
        """Move a node before this one."""
        nodes = self.graph._nodes
        nodes.remove(x)
        nodes.insert(nodes.index(self), x)

    def replace_input_with(self, old_input: "Node", new_input: "Node") -> None:
        """Use another node in place of one."""
        swap = lambda node: new_input if node is old_input else node  # noqa: E731
        self._set(map_arg(self._args, swap), map_arg(self._kwargs, swap))

    def replace_all_uses_with(
        self,
        replace_with: "Node",
        delete_user_cb: Callable[["Node"], bool] = lambda user: True,
        **others: Any,
    ) -> list["Node"]:
        """Let the nodes that use this one use another, those of which a function holds; return them."""
        users = [user for user in self.users if user is not replace_with and delete_user_cb(user)]
        for user in users:
            user.replace_input_with(self, replace_with)
        return users

    def is_impure(self) -> bool:
        """True if it may have effects."""
        return self.op in ("placeholder", "output")

    def format_node(self, *ignored: Any, **others: Any) -> str:
        """Return its line in the text of the graph."""
        if self.op == "output":
            return f"return {self.args[0]!r}"
        users = f"%{self.name} : [num_users={len(self.users)}] = {self.op}[target={_path(self.target)}]"
        if self.op == "placeholder":
            return users + (f"(default={self.args[0]})" if self.args else "")
        if self.op == "get_attr":
            return users
        return f"{users}(args = {_format_arguments(self.args)}, kwargs = {_format_arguments(self.kwargs)})"

    def __repr__(self) -> str:
        return self.name


def _format_arguments(value: Any) -> str:
    """Return the text of arguments, in which strings stand without quotes."""
    if isinstance(value, Node):
        return f"%{value.name}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {_format_arguments(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_format_arguments, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_format_arguments, value))}{',' * (len(value) == 1)})"
    return str(value)


class Graph:
    """Nodes in the order in which they run.

    Args:
        owning_module: of no effect.
        tracer_cls: the class of the tracer that made it.
        tracer_extras: of no effect.

    Examples:
        >>> from msjax import torch
        >>> graph = torch.fx.Graph()
        >>> x = graph.placeholder("x")
        >>> y = graph.call_function(torch.relu, (x,))
        >>> output = graph.output(y)
        >>> print(graph.python_code("self").src)
        def forward(self, x):
            relu = torch.relu(x);  x = None
            return relu
        >>> torch.fx.GraphModule(torch.nn.Module(), graph)(torch.tensor([-1.0, 1.0]))
        tensor([0., 1.])
    """

    def __init__(self, owning_module: Any = None, tracer_cls: Any = None, tracer_extras: Any = None) -> None:
        self.owning_module, self._tracer_cls = owning_module, tracer_cls
        self._nodes: list[Node] = []
        self._names: dict[str, int] = {}
        self._at: int | None = None

    @property
    def nodes(self) -> "_Nodes":
        """The nodes, in order."""
        return _Nodes(self._nodes)

    def _free_name(self, candidate: str) -> str:
        base = re.sub(r"\W", "_", candidate) or "_"
        base = f"_{base}" if base[0].isdigit() else base
        stem = re.sub(r"_\d+$", "", base)
        name = base
        while name in self._names or keyword.iskeyword(name) or name in vars(builtins):
            self._names[stem] = self._names.get(stem, 0) + 1
            name = f"{stem}_{self._names[stem]}"
        self._names.setdefault(name, 0)
        return name

    def create_node(
        self, op: str, target: Any, args: tuple | None = None, kwargs: dict | None = None, name: str | None = None,
        type_expr: Any = None,
    ) -> Node:  # fmt: skip
        """Add a node where :meth:`inserting_before` says, else at the end."""
        target = getattr(target, "_fx_function", target)  # of a function that looks for proxies, the function
        candidate = name or self._target_name(op, target)
        node = Node(self, self._free_name(candidate), op, target, args or (), kwargs or {}, type_expr)
        if self._at is None:
            self._nodes.append(node)
        else:
            self._nodes.insert(self._at, node)
            self._at += 1
        return node

    def _target_name(self, op: str, target: Any) -> str:
        if op == "output":
            return "output"
        word = target if isinstance(target, str) else _path(target).rpartition(".")[2]
        word = word.replace(".", "_").replace("*", "")
        return word if op != "call_function" else word.strip("_")

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        """Add an input."""
        return self.create_node("placeholder", name, () if default_value is ... else (default_value,))

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """Add a read of an attribute of the module."""
        return self.create_node("get_attr", qualified_name)

    def call_module(
        self, module_name: str, args: tuple | None = None, kwargs: dict | None = None, type_expr: Any = None
    ) -> Node:
        """Add a call of a module inside the module."""
        return self.create_node("call_module", module_name, args, kwargs)

    def call_method(
        self, method_name: str, args: tuple | None = None, kwargs: dict | None = None, type_expr: Any = None
    ) -> Node:
        """Add a call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs)

    def call_function(
        self, the_function: Callable, args: tuple | None = None, kwargs: dict | None = None, type_expr: Any = None,
        name: str | None = None,
    ) -> Node:  # fmt: skip
        """Add a call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name)

    def output(self, result: Any, type_expr: Any = None) -> Node:
        """Add the result."""
        return self.create_node("output", "output", (result,))

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Any] = lambda x: x) -> Node:
        """Add a copy of a node of another graph."""
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        made = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        made.meta = dict(node.meta)
        return made

    def graph_copy(self, g: "Graph", val_map: dict[Node, Any], return_output_node: bool = False) -> Any:
        """Add copies of all nodes of a graph but its output, and return what that is."""
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                found = map_arg(node.args[0], lambda n: val_map[n])
                return (found, node) if return_output_node else found
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    def erase_node(self, to_erase: Node) -> None:
        """Remove a node.

        Raises:
            RuntimeError: if others use it.
        """
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: "
                f"{to_erase.users}!"
            )
        place = self._nodes.index(to_erase)
        if self._at is not None and place < self._at:
            self._at -= 1
        to_erase._set((), {})
        self._nodes.pop(place)

    def inserting_before(self, n: Node | None = None) -> Any:
        """Return a context in which new nodes come before one."""
        return _Inserting(self, 0 if n is None else self._nodes.index(n))

    def inserting_after(self, n: Node | None = None) -> Any:
        """Return a context in which new nodes come behind one."""
        return _Inserting(self, len(self._nodes) if n is None else self._nodes.index(n) + 1)

    def find_nodes(self, *, op: str, target: Any = None, sort: bool = True) -> list[Node]:
        """Return the nodes of a kind."""
        return [n for n in self._nodes if n.op == op and target in (None, n.target)]

    def output_node(self) -> Node:
        """Return the result's node."""
        return self.find_nodes(op="output")[0]

    def eliminate_dead_code(self, is_impure_node: Callable | None = None) -> bool:
        """Remove the nodes that nothing uses; return whether there were any."""
        count = len(self._nodes)
        for node in reversed(list(self._nodes)):
            if not (is_impure_node or Node.is_impure)(node) and not node.users:
                self.erase_node(node)
        return len(self._nodes) < count

    def lint(self) -> None:
        """Check that nodes come before those that use them.

        Raises:
            RuntimeError: if not.
        """
        seen: set[Node] = set()
        for node in self._nodes:
            for used in node.all_input_nodes:
                if used not in seen:
                    raise RuntimeError(
                        f"Argument '{used}' of Node '{node}' was used before it has been defined! Please check that Nodes "
                        f"in the graph are topologically ordered\n{self}"
                    )
            seen.add(node)

    def print_tabular(self) -> None:
        """Print the nodes as a table."""
        rows = [("opcode", "name", "target", "args", "kwargs")]
        rows += [(n.op, n.name, str(n.target), str(n.args), str(n.kwargs)) for n in self._nodes]
        wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
        rows.insert(1, tuple("-" * each for each in wide))  # type: ignore[arg-type]
        for row in rows:
            print("  ".join(cell.ljust(w) for cell, w in zip(row, wide, strict=True)))  # noqa: T201 - what it is for

    def python_code(self, root_module: str, **others: Any) -> "PythonCode":
        """Return the graph as Python.

        Args:
            root_module: the name of the module in it.
            **others: of no effect.
        """
        last: dict[Node, list[str]] = {}
        seen: set[Node] = set()
        for node in reversed(self._nodes):
            for used in node.all_input_nodes:
                if used not in seen:
                    seen.add(used)
                    last.setdefault(node, []).append(used.name)
        names = {"torch": None}
        inputs, lines = [], []
        for node in self._nodes:
            if node.op == "placeholder":
                default = f" = {node.args[0]!r}" if node.args else ""
                stars = "*" * (len(node.target) - len(node.target.lstrip("*")))
                inputs.append(f"{stars}{node.name}{default}")
            elif node.op == "output":
                lines.append(f"return {node.args[0]!r}")
            else:
                if node.op == "call_function":
                    names[_path(node.target)] = node.target
                ends = last.get(node, []) + ([] if node.users else [node.name])
                drop = f";  {' = '.join([*ends, 'None'])}" if ends else ""
                lines.append(f"{node.name} = {_expression(node, root_module)}{drop}")
        head = f"def forward({', '.join([root_module, *inputs])}):"
        return PythonCode("\n".join([head, *(f"    {line}" for line in lines or ["pass"])]), names)

    def __deepcopy__(self, memo: Any = None) -> "Graph":
        twin = Graph(tracer_cls=self._tracer_cls)
        found = twin.graph_copy(self, {}, return_output_node=True)
        if found is not None:
            twin.output(found[0])
        return twin

    def __str__(self) -> str:
        return "\n".join(["graph():", *(f"    {node.format_node()}" for node in self._nodes)])


class _Inserting:
    """Insert new nodes here from now on; as a context, until its end. Inside, functions look for proxies."""

    def __init__(self, graph: Graph, place: int) -> None:
        self._graph, self._before = graph, graph._at
        graph._at = place

    def __enter__(self) -> None:
        self._inside = ExitStack()
        for enter in while_inserting:
            self._inside.enter_context(enter())

    def __exit__(self, *error: object) -> None:
        self._inside.close()
        self._graph._at = self._before


class _Nodes:
    """The nodes of a graph, also while it changes."""

    def __init__(self, nodes: list[Node]) -> None:
        self._nodes = nodes

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(list(self._nodes))

    def __reversed__(self) -> Iterator[Node]:
        return reversed(list(self._nodes))


class PythonCode:
    """A graph as Python, and the functions that it names."""

    def __init__(self, src: str, names: dict[str, Any]) -> None:
        self.src, self.globals = src, names


def _call(args: tuple, kwargs: dict) -> str:
    return ", ".join(
        [*(repr(each) for each in args), *(f"{name} = {each!r}" for name, each in kwargs.items())]
    )


def _member(root: str, path: str) -> str:
    for name in path.split("."):
        root = f"{root}.{name}" if name.isidentifier() else f'getattr({root}, "{name}")'
    return root


def _expression(node: Node, root: str) -> str:
    args, kwargs = node.args, node.kwargs
    if node.op == "get_attr":
        return _member(root, node.target)
    if node.op == "call_module":
        return f"{_member(root, node.target)}({_call(args, kwargs)})"
    if node.op == "call_method":
        return f"{args[0]!r}.{node.target}({_call(args[1:], kwargs)})"
    path = _path(node.target)
    module, _, name = path.rpartition(".")
    if module == "operator" and name in _SIGNS and len(args) == 2:
        return f"{args[0]!r} {_SIGNS[name]} {args[1]!r}"
    if path == "operator.getitem":
        return f"{args[0]!r}[{args[1]!r}]"
    if path == "builtins.getattr" and len(args) == 2:
        return f"{args[0]!r}.{args[1]}"
    if not path.startswith(("torch.", "math.")):
        path = name if module == "builtins" else path.replace(".", "_")
    return f"{path}({_call(args, kwargs)})"
