"""Containers of nodes: the body of `construct`, of a function, of a branch or loop, or a container of Cells."""

import ast
from typing import Any

from msjax.rewrite.names import Namer
from msjax.rewrite.scoped_value import NodeType


class Body:
    """Nodes in the order of their statements, and which of them uses what another one gives.

    Args:
        owner: the SymbolTree, or the Node that has the body.
        namer: gives the nodes of one SymbolTree their names.
        name: of the body, as tables show it.
        statements: the source, or None for a container of Cells.
        function: the function whose body it is.
    """

    def __init__(
        self,
        owner: Any,
        namer: Namer,
        name: str,
        statements: list[ast.stmt] | None = None,
        function: ast.FunctionDef | None = None,
    ) -> None:
        self.owner = owner
        self.namer = namer
        self.name = name
        self.statements = statements
        self.function = function
        self.nodes: list[Any] = []  # of Node, which builds on this class
        self.loop_variables: tuple[str, ...] = ()
        self._linked = False

    def insert(self, node: Any, base: Any = None, before: bool = False) -> None:
        """Put a node before or after another one, or at the end, under a name that is free."""
        node.name = self.namer.make_unique(node.name or _default_name(node))
        index = len(self.nodes) if base is None else self.nodes.index(base) + (not before)
        self.nodes.insert(index, node)
        node.stands_in = self
        self.forget_links()

    def remove(self, node: Any) -> None:
        """Remove a node; users of its result get that of an earlier node with the same name."""
        self.link()
        self.nodes.remove(node)
        self.forget_links()

    def forget_links(self) -> None:
        """Mark the links between nodes as outdated; they are found again when asked for."""
        self._linked = False

    def link(self) -> None:
        """Find for each argument the node before that gives it."""
        if self._linked:
            return
        given: dict[Any, tuple[Any, int]] = {}
        for node in self.nodes:
            node.providers, node.users = {}, {}
        for node in self.nodes:
            for index, arg in enumerate(node.values.values()):
                source = given.get(_key(arg))
                if source is not None:
                    node.providers[index] = source
                    source[0].users.setdefault(source[1], []).append((node, index))
            for index, target in enumerate(node.targets):
                source = given.get(_key(target))
                if source is not None:
                    source[0].users.setdefault(source[1], [])
                given[_key(target)] = node, index
        self._linked = True

    def find(self, name: str) -> Any:
        """Return the node of that name."""
        return next((node for node in self.nodes if node.name == name), None)

    def outermost(self) -> "Body":
        """Return the body of the SymbolTree, or of the function, in which this one is."""
        owner = self.owner
        if owner.is_tree or (owner.node_type is NodeType.CallFunction and not owner.is_method):
            return self
        return owner.stands_in.outermost()

    def path(self) -> str:
        """Return the names of the bodies around this one, and its own."""
        around = "" if self.owner.is_tree else f"{self.owner.stands_in.path()}."
        return around + self.name


def _key(value: Any) -> tuple:
    return value.type, value.scope, repr(value.value)


_NAMES = {
    NodeType.Python: "python_node",
    NodeType.Input: "parameter",
    NodeType.Output: "return",
    NodeType.MathOps: "math_ops",
}


def _default_name(node: Any) -> str:
    return _NAMES.get(node.node_type) or type(node.instance).__name__
