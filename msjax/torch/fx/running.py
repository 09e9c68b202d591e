"""Graphs that run: Interpreter and GraphModule."""

import copy
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from msjax.torch.fx.graph import Graph, Node, map_arg
from msjax.torch.nn.module import Module

recording: dict[int, Callable] = {}  # while something is traced: what stands for the function of an id


def _attribute(module: Any, path: str) -> Any:
    found = module
    for name in path.split("."):
        if not hasattr(found, name):
            raise RuntimeError(f"Node referenced nonexistent target {path}")
        found = getattr(found, name)
    return found


class Interpreter:
    """Runs a graph node by node; subclasses say what a node of some kind does.

    Args:
        module: a GraphModule.
        garbage_collect_values: of no effect.
        graph: another graph in place of the module's.
    """

    def __init__(self, module: Any, garbage_collect_values: bool = True, graph: Graph | None = None) -> None:
        self.module, self.graph = module, module.graph if graph is None else graph
        self.submodules = dict(module.named_modules())
        self.env: dict[Node, Any] = {}
        self.args_iter: Iterator[Any] = iter(())

    def run(
        self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True
    ) -> Any:
        """Return the result for these inputs."""
        self.env = dict(initial_env or {})
        self.args_iter = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            self.env[node] = self.run_node(node)
            if node.op == "output":
                return self.env[node]
        return None

    def run_node(self, n: Node) -> Any:
        """Return the result of a node."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(recording.get(id(n.target), n.target), args, kwargs)

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple, dict]:
        """Return the arguments of a node."""
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args: Any, n: Node) -> Any:
        """Put the results of nodes in their place."""
        return map_arg(args, lambda node: self.env[node])

    def placeholder(self, target: str, args: tuple, kwargs: dict) -> Any:
        """Return the next input.

        Raises:
            RuntimeError: if there is none.
        """
        if target.startswith("*"):
            return list(self.args_iter)
        for value in self.args_iter:
            return value
        if args:
            return args[0]
        raise RuntimeError(f"Expected positional argument for parameter {target}, but one was not passed in!")

    def get_attr(self, target: str, args: tuple, kwargs: dict) -> Any:
        """Return an attribute of the module."""
        return _attribute(self.module, target)

    def call_function(self, target: Any, args: tuple, kwargs: dict) -> Any:
        """Call a function."""
        return target(*args, **kwargs)

    def call_method(self, target: str, args: tuple, kwargs: dict) -> Any:
        """Call a method."""
        return getattr(args[0], target)(*args[1:], **kwargs)

    def call_module(self, target: str, args: tuple, kwargs: dict) -> Any:
        """Call a module inside the module."""
        return _attribute(self.module, target)(*args, **kwargs)

    def output(self, target: str, args: tuple, kwargs: dict) -> Any:
        """Return the result."""
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        """Return an attribute of the module."""
        return _attribute(self.module, target)


class GraphModule(Module):
    """A module that runs a graph.

    Args:
        root: the module whose attributes the graph names; or these by name.
        graph: the graph.
        class_name: what it is printed as.
    """

    def __init__(self, root: Any, graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        self.__dict__["_graph"], self.__dict__["_class_name"] = graph, class_name
        graph.owning_module = self
        if isinstance(root, Module):
            self.training = root.training
        for node in graph.nodes:
            if node.op in ("get_attr", "call_module"):
                value = _attribute(root, node.target) if isinstance(root, Module) else root[node.target]
                self._take(root, node.target, value)

    def _take(self, root: Any, path: str, value: Any) -> None:
        place: Any = self
        *above, last = path.split(".")
        for name in above:
            if not hasattr(place, name):
                place.add_module(name, Module())
            place = getattr(place, name)
        if isinstance(root, Module) and path in dict(root.named_buffers()):
            if last not in place._buffers:
                place.register_buffer(last, value)
        else:
            setattr(place, last, value)

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        self.__dict__["_graph"] = g

    @property
    def code(self) -> str:
        """The graph as Python."""
        return f"\n\n\n{self.graph.python_code('self').src}\n    "

    def recompile(self) -> Any:
        """Return the graph as Python; what runs is the graph itself."""
        return self.graph.python_code("self")

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the graph."""
        if kwargs:
            names = [n.target for n in self.graph.nodes if n.op == "placeholder"]
            unknown = [name for name in kwargs if name not in names[len(args) :]]
            if unknown:
                raise TypeError(f"forward() got an unexpected keyword argument {unknown[0]!r}")
            args, rest = tuple(args), dict(kwargs)
            inputs = [n for n in self.graph.nodes if n.op == "placeholder"][len(args) :]
            for node in inputs:
                if node.target in rest:
                    args = (*args, rest.pop(node.target))
                elif node.args:
                    args = (*args, node.args[0])
        return Interpreter(self).run(*args)

    def list_inputs(self) -> list[inspect.Parameter]:
        """Return the inputs of the graph as parameters of a function."""
        found = []
        for node in self.graph.nodes:
            if node.op == "placeholder":
                kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
                if node.target.startswith("*"):
                    kind = inspect.Parameter.VAR_POSITIONAL
                default = node.args[0] if node.args else inspect.Parameter.empty
                found.append(inspect.Parameter(node.target.lstrip("*"), kind, default=default))
        return found

    def add_submodule(self, target: str, m: Module) -> bool:
        """Add a module under a dotted name."""
        self._take({}, target, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Remove the module of a dotted name; return whether it was there."""
        path, _, last = target.rpartition(".")
        try:
            delattr(self.get_submodule(path), last)
        except AttributeError:
            return False
        return True

    def delete_all_unused_submodules(self) -> None:
        """Remove the modules that the graph does not call."""
        used = {node.target for node in self.graph.nodes if node.op == "call_module"}
        for name, _ in list(self.named_modules()):
            if name and not any(
                one == name or one.startswith(f"{name}.") or name.startswith(f"{one}.") for one in used
            ):
                self.delete_submodule(name)

    def print_readable(self, print_output: bool = True, **others: Any) -> str:
        """Print the graph as the class that it is, and return that."""
        body = self.graph.python_code("self").src.replace("\n", "\n    ")
        text = f"class {self._class_name}(torch.nn.Module):\n    {body}"
        if print_output:
            print(text)  # noqa: T201 - what it is for
        return text

    def __deepcopy__(self, memo: dict) -> "GraphModule":
        twin = GraphModule.__new__(type(self))
        Module.__init__(twin)
        for name, module in self._modules.items():
            twin.add_module(name, copy.deepcopy(module, memo))
        for name, parameter in self._parameters.items():
            twin.register_parameter(name, copy.deepcopy(parameter, memo))
        for name, buffer in self._buffers.items():
            twin.register_buffer(name, copy.deepcopy(buffer, memo))
        twin.training = self.training
        twin.__dict__["_graph"], twin.__dict__["_class_name"] = copy.deepcopy(self._graph), self._class_name
        return twin

    def __repr__(self) -> str:
        return f"{super().__repr__()}\n{self.code}\n# To see more debug info, please use `graph_module.print_readable()`"
