"""`SymbolTree`: a network as editable nodes of its source."""

import sys
from collections.abc import Iterator
from typing import NamedTuple

from msjax.nn.cell.cell import Cell
from msjax.rewrite import changing, reading, writing
from msjax.rewrite.given import expect, expect_all
from msjax.rewrite.node import Node
from msjax.rewrite.scoped_value import NodeType
from msjax.rewrite.table import table
from msjax.rewrite.tree_source import TreeSource


class Position(NamedTuple):
    """A place before or after a node.

    Args:
        symbol_tree: where the node is.
        node: the node.
        before_node: on which side.
    """

    symbol_tree: "SymbolTree"
    node: Node
    before_node: bool


class SymbolTree(TreeSource):
    """The source of a network in nodes, one for each statement; the user's Cells in it have their own trees.

    Control flow and calls of the user's functions are nodes with nodes inside. What cannot be read is kept as code, in
    nodes of the type `NodeType.Python`. Nodes inside of a branch and outside of it do not know of each other.

    Args:
        handler: what stands for a tree, which is the tree itself; use `create`.

    Examples:
        >>> from msjax.rewrite import SymbolTree
        >>> SymbolTree.create(3)
        Traceback (most recent call last):
        TypeError: `SymbolTree`: argument `network` must be of type Cell. Received: 3 (int).
    """

    def __new__(cls, handler: "SymbolTree") -> "SymbolTree":  # noqa: PYI034
        """Return the tree itself."""
        expect("SymbolTree", "handler", handler, SymbolTree)
        return handler

    @classmethod
    def create(cls, network: Cell) -> "SymbolTree":
        """Read a network.

        Args:
            network (Cell): the network, an object of a class at the top of a module.

        Raises:
            TypeError: if it is not a Cell.
        """
        expect("SymbolTree", "network", network, Cell)
        return reading.read_tree(network, cls)

    def __repr__(self) -> str:
        return f"<SymbolTree of {self.class_name}>"

    def get_handler(self) -> "SymbolTree":
        """Return the tree itself, which MindSpore wraps."""
        return self

    def get_origin_network(self) -> Cell:
        """Return the network that was read."""
        return self.network

    # ------------------------------------------------------------------ nodes

    def nodes(self, all_nodes: bool = False) -> Iterator[Node]:
        """Return the nodes in the order of the source.

        Args:
            all_nodes (bool): also those inside of functions, branches, containers and subtrees. Default: False.

        Raises:
            TypeError: if `all_nodes` is not a bool.
        """
        expect("nodes", "all_nodes", all_nodes, bool)
        yield from self.all_nodes() if all_nodes else list(self.body.nodes)

    def get_node(self, node_name: str) -> Node | None:
        """Return the node of that name, or None.

        Args:
            node_name (str): the name.
        """
        expect("SymbolTree", "node_name", node_name, str)
        return next((n for n in (body.find(node_name) for body in self.bodies()) if n), None)

    get_node_from_name = get_node

    def get_inputs(self) -> list[Node]:
        """Return the nodes of the network's arguments."""
        return [node for node in self.body.nodes if node.node_type is NodeType.Input]

    # ------------------------------------------------------------------ changes

    def before(self, node: Node | str) -> Position:
        """Return the place before a node.

        Args:
            node (Union[Node, str]): the node or its name.

        Raises:
            TypeError: if it is neither.
        """
        return self._position(node, True)

    def after(self, node: Node | str) -> Position:
        """Return the place after a node.

        Args:
            node (Union[Node, str]): the node or its name.

        Raises:
            TypeError: if it is neither.
        """
        return self._position(node, False)

    def _position(self, node: Node | str, before: bool) -> Position:
        found = self._find_node(node)
        tree = found.get_symbol_tree()
        return Position(tree, found, before) if tree is not None else None  # type: ignore[return-value]

    def _find_node(self, node: Node | str) -> Node:
        expect("SymbolTree", "node", node, (Node, str))
        found = self.body.find(node) if isinstance(node, str) else node
        if found is None:
            raise RuntimeError(f"`SymbolTree`: there is no node {node!r} in {self!r}.")
        return found

    def insert(self, position: Position, node: Node) -> Node:
        """Put a node into the network.

        Args:
            position (Position): where, from `before` or `after`.
            node (Node): the node.

        Returns:
            The node.

        Raises:
            TypeError: if an argument has another type.
            ValueError: if the place is in another tree, or the node in a tree already.
            RuntimeError: if the place is before or between the arguments of the network.
        """
        expect("SymbolTree", "position", position, Position)
        expect("SymbolTree", "node", node, Node)
        return changing.insert(self, node, position.node, position.before_node)

    def erase(self, node: Node | str) -> Node:
        """Remove a node from the network.

        Args:
            node (Union[Node, str]): the node or its name.

        Returns:
            The node.

        Raises:
            TypeError: if it is neither.
        """
        return changing.erase(self, self._find_node(node))

    erase_node = erase

    def replace(self, old_node: Node, new_nodes: list[Node]) -> Node:
        """Put nodes in place of one.

        Args:
            old_node (Node): the node.
            new_nodes (list[Node]): what comes there, in this order.

        Returns:
            The last new node.

        Raises:
            TypeError: if an argument has another type.
        """
        expect("SymbolTree", "old_node", old_node, Node)
        expect_all("SymbolTree", "new_nodes", new_nodes, Node)
        base = old_node
        for node in new_nodes:
            base = changing.insert(self, node, base, False)
        changing.erase(self, old_node)
        return base

    def set_output(self, index: int, return_value: str) -> Node:
        """Replace a result of the network.

        Args:
            index (int): which argument of `return`.
            return_value (str): the name.
        """
        expect("SymbolTree", "index", index, int)
        expect("SymbolTree", "return_value", return_value, str)
        ends = [node for node in self.body.nodes if node.node_type is NodeType.Output]
        if not ends:
            raise RuntimeError(f"`set_output`: {self!r} has no `return` at its end.")
        ends[0].set_arg(index, return_value)
        return ends[0]

    def flatten_static_if_control_flow(self) -> None:
        """Replace every `if` whose condition follows from the network by the branch that is taken."""
        changing.take_static_branches(self)

    # ------------------------------------------------------------------ results

    def print_node_tabulate(self, all_nodes: bool = False) -> None:
        """Print the nodes in a table: type, name, code, where the arguments come from and who uses the results.

        Args:
            all_nodes (bool): also those inside of functions, branches, containers and subtrees. Default: False.

        Raises:
            TypeError: if `all_nodes` is not a bool.
        """
        expect("print_node_tabulate", "all_nodes", all_nodes, bool)
        sys.stdout.write(f"{self._table(all_nodes)}\n")

    def _table(self, all_nodes: bool) -> str:
        inner = list(self.bodies())[1:] if all_nodes else []
        trees = self.trees() if all_nodes else []
        shown = [table(self.body, self.body.name), *(table(body, body.path()) for body in inner)]
        return "".join([*shown, *(tree._table(True) for tree in trees)])

    def get_code(self) -> str:
        """Return the source of the network as it is now, with the functions and classes it needs."""
        return writing.Writer(self).code()

    def get_network(self) -> Cell:
        """Return the network as it is now. Its source is written into the folder `rewritten_network`.

        It shares Parameters and other attributes with the original one, which should no longer be used.
        """
        return writing.network(self)

    def set_saved_file_name(self, file_name: str) -> None:
        """Set the file that `save_network_to_file` writes to.

        Args:
            file_name (str): the file.
        """
        expect("Saving network", "file_name", file_name, str)
        self._file = file_name if file_name.endswith(".py") else f"{file_name}.py"

    def get_saved_file_name(self) -> str:
        """Return the file that `save_network_to_file` writes to."""
        return self._file

    def save_network_to_file(self) -> None:
        """Write the source to a file."""
        writing.save(self._file, self.get_code)


Node._build_tree = SymbolTree.create
