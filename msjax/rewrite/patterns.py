"""Pattern matching: find a chain or tree of layers in a network and replace it."""

import abc
from collections import OrderedDict
from typing import Any

from msjax.nn.cell.cell import Cell
from msjax.ops.primitive import Primitive
from msjax.rewrite.given import expect, expect_all
from msjax.rewrite.node import Node
from msjax.rewrite.scoped_value import NodeType
from msjax.rewrite.symbol_tree import SymbolTree

_MATCHED = (NodeType.CallCell, NodeType.CallPrimitive, NodeType.Input)


class PatternNode:
    """A layer of a pattern, and those whose results it takes.

    Args:
        pattern_node_name (str): its name, by which a match tells the node that was found.
        match_type (Type): the class of the layer.
        inputs (list[PatternNode]): the layers before. Default: any.

    Examples:
        >>> from msjax import nn
        >>> from msjax.rewrite import PatternNode
        >>> pattern = PatternNode("norm", nn.BatchNorm2d, [PatternNode("conv", nn.Conv2d)])
        >>> pattern.get_inputs()[0].name()
        'conv'
    """

    def __init__(
        self,
        pattern_node_name: str,
        match_type: Any = type[None],
        inputs: "list[PatternNode] | None" = None,
    ) -> None:
        expect("PatternNode", "pattern_node_name", pattern_node_name, str)
        if inputs is not None:
            expect_all("PatternNode", "inputs", inputs, PatternNode)
        self._name = pattern_node_name
        self._type = match_type
        self._inputs = list(inputs or ())

    @staticmethod
    def from_node(node: Node) -> "PatternNode":
        """Return a pattern for a node alone.

        Args:
            node (Node): the node.
        """
        expect("PatternNode", "node", node, Node)
        kind = node.get_instance_type() if node.get_node_type() is NodeType.CallCell else type[None]
        return PatternNode(str(node.get_targets()[0]), kind)

    @staticmethod
    def create_pattern_from_node(node: Node) -> "PatternNode":
        """Return a pattern for a node and all that comes before it.

        Args:
            node (Node): the node.
        """
        pattern = PatternNode.from_node(node)
        pattern.set_inputs([PatternNode.create_pattern_from_node(each) for each in node.get_inputs()])
        return pattern

    @staticmethod
    def create_pattern_from_list(type_list: list) -> "PatternNode":
        """Return a pattern for layers one after the other.

        Args:
            type_list (list[type]): their classes.
        """
        expect("PatternNode", "type_list", type_list, list)
        last: PatternNode | None = None
        for index, kind in enumerate(type_list):
            last = PatternNode(f"{index}-{kind}", kind, [] if last is None else [last])
        return last  # type: ignore[return-value]

    def add_input(self, node: "PatternNode") -> None:
        """One more layer before.

        Args:
            node (PatternNode): the layer.
        """
        expect("PatternNode", "node", node, PatternNode)
        self._inputs.append(node)

    def set_inputs(self, inputs: "list[PatternNode]") -> None:
        """Set the layers whose results this one takes.

        Args:
            inputs (list[PatternNode]): the layers.
        """
        expect_all("PatternNode", "inputs", inputs, PatternNode)
        self._inputs = inputs

    def match(self, node: Node) -> bool:
        """Return True if a node calls a layer of the pattern's class.

        Args:
            node (Node): the node.
        """
        expect("PatternNode", "node", node, Node)
        return self._type == node.get_instance_type()

    def get_inputs(self) -> "list[PatternNode]":
        """Return the layers before."""
        return self._inputs

    def name(self) -> str:
        """Return the name."""
        return self._name

    def type(self) -> Any:
        """Return the class of the layer."""
        return self._type


class VarNode(PatternNode):
    """Stands for anything in a pattern."""

    def __init__(self) -> None:
        super().__init__("placeholder", Cell, [])

    def match(self, node: Node) -> bool:
        """Always."""
        return node is not None


class Replacement(abc.ABC):
    """Makes the nodes that come in place of what a pattern found."""

    @abc.abstractmethod
    def build(self, pattern: PatternNode, is_chain_pattern: bool, matched: OrderedDict) -> list[Node]:
        """Return the new nodes; none leaves the network as it is.

        Args:
            pattern (PatternNode): the last layer of the pattern.
            is_chain_pattern (bool): whether the pattern is a list of classes.
            matched (OrderedDict): the nodes by the names of the layers of the pattern.
        """

    def __call__(self, pattern: PatternNode, is_chain_pattern: bool, matched: OrderedDict) -> list[Node]:
        """See `build`."""
        return self.build(pattern, is_chain_pattern, matched)


class PatternEngine:
    """Finds a pattern in a network and replaces what it finds.

    Args:
        pattern (Union[PatternNode, list]): the last layer of the pattern, or the classes of layers one after the other.
        replacement (Replacement): makes what comes in the place.

    Raises:
        TypeError: if an argument has another type.
    """

    def __init__(self, pattern: PatternNode | list, replacement: Replacement | None = None) -> None:
        expect("PatternEngine", "replacement", replacement, Replacement)
        self._is_chain = isinstance(pattern, list)
        if isinstance(pattern, list):
            for kind in pattern:
                if not issubclass(kind, Cell | Primitive):
                    raise TypeError(
                        "`PatternEngine`: argument `pattern` must hold classes of Cells and Primitives. "
                        f"Received: {kind!r}."
                    )
            pattern = PatternNode.create_pattern_from_list(pattern)
        expect("PatternEngine", "pattern", pattern, PatternNode)
        self._pattern = pattern
        self._replacement = replacement

    def pattern(self) -> PatternNode:
        """Return the last layer of the pattern."""
        return self._pattern

    def apply(self, stree: SymbolTree) -> bool:
        """Replace all matches in a network, in those inside of it too.

        Args:
            stree (SymbolTree): the network.

        Returns:
            Whether something was replaced.
        """
        expect("PatternEngine", "stree", stree, SymbolTree)
        changed = False
        waiting, visited = stree.get_inputs(), []
        while waiting:
            node = waiting.pop(0)
            if node in visited:
                continue
            visited.append(node)
            if node.get_node_type() is NodeType.Tree:
                self.apply(node.get_sub_tree())
            elif node.get_node_type() is NodeType.CellContainer:
                self._in_container(stree, node)
            else:
                matched = match(self._pattern, node)
                if matched and _is_closed(self._pattern, matched):
                    last = self._replace(stree, node, matched)
                    if last is not None:
                        changed = True
                        waiting.append(last)
                        continue
            waiting.extend(node.get_users())
        return changed

    def _replace(self, stree: SymbolTree, node: Node, matched: OrderedDict) -> Node | None:
        new = self._replacement(self._pattern, self._is_chain, matched) if self._replacement else []
        if not new:
            return None
        last = stree.replace(node, new)
        for each in reversed(matched.values()):
            if each is not node:
                stree.erase(each)
        return last

    def _in_container(self, stree: SymbolTree, container: Node) -> None:
        for node in container.nodes():
            if node.get_node_type() is NodeType.Tree:
                self.apply(node.get_sub_tree())
                continue
            matched = match(self._pattern, node)
            if matched:
                self._replace(stree, node, matched)


def match(pattern: PatternNode, node: Node) -> OrderedDict | None:
    """Return the nodes which fit a pattern that ends at a node, by the names in the pattern; None if it does not fit."""
    if node.get_node_type() not in _MATCHED or not pattern.match(node):
        return None
    if isinstance(pattern, VarNode):
        return OrderedDict()
    wanted, given = pattern.get_inputs(), node.get_inputs()
    found: OrderedDict = OrderedDict()
    if wanted and len(wanted) != len(given):
        return None
    for each, source in zip(wanted, given, strict=False):
        inner = match(each, source)
        if inner is None:
            return None
        found.update(inner)
    found[pattern.name()] = node
    return found


def _is_closed(pattern: PatternNode, matched: OrderedDict) -> bool:
    """Return True if nothing outside of a match uses results from within."""
    nodes = list(matched.values())
    return all(
        user in nodes for name, node in matched.items() if name != pattern.name() for user in node.get_users()
    )
