"""The source of a network in nodes: what parsing, changes and code generation know of a `SymbolTree`."""

import ast
from collections.abc import Iterator
from typing import Any, Self

from msjax.nn.cell.cell import Cell
from msjax.rewrite import names
from msjax.rewrite.body import Body
from msjax.rewrite.given import expect
from msjax.rewrite.names import Namer
from msjax.rewrite.node import Node
from msjax.rewrite.scoped_value import NodeType


class TreeSource:
    """The parts of a `SymbolTree`: the network, its class, the nodes, and what they need beside them."""

    is_tree = True

    network: Cell
    class_def: ast.ClassDef
    class_name: str
    made_name: str
    body: Body
    variables: Namer
    externals: list[tuple[ast.FunctionDef, Any]]
    fathers: list[tuple[ast.ClassDef, type]]
    inserted: list[tuple[None, Any]]  # functions that were inserted
    imports: list[ast.stmt]
    modified: bool
    around: Any  # the tree around this one, or None
    init_def: Any  # the source of __init__
    own_methods: list[str]
    _file: str

    @classmethod
    def empty(cls, network: Cell, definition: ast.ClassDef) -> Self:
        """Return a tree that nothing was read into.

        Args:
            network: the network.
            definition: the source of its class.
        """
        tree: Self = object.__new__(cls)
        tree.network, tree.class_def = network, definition
        tree.class_name = type(network).__name__
        tree.made_name = names.classes.make_unique(tree.class_name)
        namer = Namer()
        namer.reserve("obj")
        tree.body = Body(tree, namer, tree.made_name)
        tree.variables = Namer()
        tree.externals = []
        tree.fathers = []
        tree.inserted = []
        tree.imports = []
        tree.modified = False
        tree.around = None
        tree.init_def = None
        tree.own_methods = []
        tree._file = "./network_define.py"
        return tree

    def modify(self) -> None:
        """Note that the tree, and so those around it, differ from the source."""
        self.modified = True
        if self.around is not None:
            self.around.modify()

    def all_nodes(self, subtree_nodes: bool = True) -> list[Node]:
        """Return the nodes with those inside of functions, branches and containers.

        Args:
            subtree_nodes (bool): also those of subtrees. Default: True.
        """
        found = [node for body in self.bodies() for node in body.nodes]
        if subtree_nodes:
            found += [node for tree in self.trees() for node in tree.all_nodes()]
        return found

    def bodies(self) -> Iterator[Body]:
        """Yield this tree's body and those of its nodes."""
        waiting = [self.body]
        while waiting:
            body = waiting.pop()
            yield body
            waiting.extend(node.body for node in body.nodes if node.body is not None)

    def trees(self) -> list[Self]:
        """Return the trees of Cells in this network."""

        def of(body: Body) -> Iterator[Self]:
            yield from (n.symbol_tree for n in body.nodes if n.node_type is NodeType.Tree)
            for node in body.nodes:
                if node.body is not None:
                    yield from of(node.body)

        return list(of(self.body))

    def unique_name(self, name: str = "output") -> str:
        """Return a name that no variable of the network has.

        Args:
            name (str): what it begins with. Default: "output".

        Raises:
            TypeError: if it is not a str.
        """
        expect("SymbolTree", "name", name, str)
        return self.variables.make_unique(name)
