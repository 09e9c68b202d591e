"""Edits of a network's source: insertion and removal of statements, and of branches that are decided."""

import ast
from typing import Any

from msjax.nn.layers.containers import SequentialCell
from msjax.rewrite import syntax, writing
from msjax.rewrite.body import Body
from msjax.rewrite.node import Node
from msjax.rewrite.scoped_value import NodeType, ScopedValue, ValueType
from msjax.rewrite.tree_source import TreeSource

_CELLS = (NodeType.CallCell, NodeType.CallPrimitive, NodeType.Tree)


def insert(tree: TreeSource, node: Node, base: Node, before: bool) -> Node:
    """Put a node before or after another one of a tree."""
    if node.get_symbol_tree() is not None:
        raise ValueError(
            f"`SymbolTree`: node {node.name} is in a SymbolTree already, and cannot be inserted."
        )
    body = base.stands_in
    if body is None or base.get_symbol_tree() is not tree:
        raise ValueError(f"`SymbolTree`: the position is not in {tree!r}, but in {base.get_symbol_tree()!r}.")
    _allow(node, base, before, body)
    for target in node.targets:
        tree.variables.reserve(str(target))
    _keep_objects(tree, node)
    container = not body.owner.is_tree and body.owner.node_type is NodeType.CellContainer
    index = body.nodes.index(base) + (not before)
    body.insert(node, base, before)
    if container:
        _into_container(tree, node, body, index)
    elif node.node_type is NodeType.Input:
        _argument(node, body)
    else:
        if node.node_type in _CELLS:
            _attribute(tree, node)
        else:
            tree.inserted.append((None, node.instance))
            assert node.function is not None
            tree.imports += writing.import_of(node.instance, str(node.function))
        node.create_syntax()
        _insert_statement(body, node.syntax, base, before)
    if node.symbol_tree is not None:
        node.symbol_tree.around = tree
    tree.modify()
    return node


def erase(tree: TreeSource, node: Node) -> Node:
    """Remove a node."""
    body = node.stands_in
    if body is None or node not in body.nodes:
        raise RuntimeError(f"`SymbolTree`: node {node.name} is in no SymbolTree.")
    container = not body.owner.is_tree and body.owner.node_type is NodeType.CellContainer
    index = body.nodes.index(node)
    body.remove(node)
    if container:
        tree.init_def.body.extend(ast.parse(f"del {body.owner.function}[{index}]").body)
    elif node.node_type is NodeType.ControlFlow:
        _drop_branch(body, node)
    elif node.node_type is NodeType.Input:
        raise RuntimeError(f"`SymbolTree`: the argument {node.name} of the network cannot be erased.")
    else:
        _drop(body, node.syntax)
    node.stands_in = None
    tree.modify()
    return node


def take_static_branches(tree: TreeSource) -> None:
    """Put the branch that is taken in place of each `if` that is decided."""
    for node in tree.all_nodes():
        owner = node.get_symbol_tree()
        if owner is None or node.test_result is None or node.is_orelse:
            continue
        other = node.orelse_node
        taken = node if node.test_result else other
        if taken is not None:
            _unfold(owner, taken)
        for branch in (other, node):
            if branch is not None and branch.stands_in is not None:
                erase(owner, branch)


def _unfold(tree: TreeSource, branch: Node) -> None:
    """The statements of a branch behind it; what comes after a `return` among them is dropped."""
    body = branch.stands_in
    assert body is not None
    assert branch.body is not None
    base = branch.orelse_node or branch
    inner = list(branch.body.nodes)
    for node in inner:
        branch.body.remove(node)
        body.insert(node, base)
        if not (node.node_type is NodeType.ControlFlow and node.is_orelse):
            _insert_statement(body, node.syntax, base, False)
        base = node
    body.forget_links()
    if any(node.node_type is NodeType.Output for node in inner):
        for node in body.nodes[body.nodes.index(base) + 1 :]:
            erase(tree, node)


def _allow(node: Node, base: Node, before: bool, body: Body) -> None:
    if base.node_type is NodeType.Input:
        following = body.nodes[body.nodes.index(base) + 1 :][:1]
        if before or (following and following[0].node_type is NodeType.Input):
            raise RuntimeError(f"`SymbolTree`: no node can come before or between arguments, at {base.name}.")
    if node.node_type not in (*_CELLS, NodeType.CallFunction, NodeType.Input):
        raise ValueError(
            "`SymbolTree`: nodes from `create_call_cell` and `create_call_function` can be inserted. "
            f"Received: {node.name} of type {node.node_type}."
        )
    inside = body.outermost().owner
    if node.node_type in _CELLS and not inside.is_tree:
        raise TypeError(
            f"`SymbolTree`: a Cell cannot be called in the function {inside.name}, which is not a method."
        )


def _keep_objects(tree: TreeSource, node: Node) -> None:
    """Arguments that are objects become attributes of the network."""
    for key, value in node.values.items():
        if value.type is ValueType.CustomObjValue:
            name = tree.unique_name(f"arg_{type(value.value).__name__}")
            setattr(tree.network, name, value.value)
            _say(tree, f"self.{name} = obj.{name}")
            node.values[key] = ScopedValue.create_naming_value(name, "self")


def _say(tree: TreeSource, statement: str) -> None:
    tree.init_def.body.extend(ast.parse(statement).body)


def _attribute(tree: TreeSource, node: Node) -> None:
    """Add the Cell of a new node to the network, under the node's name if that is free."""
    name, number = node.name, 0
    while hasattr(tree.network, name):
        number += 1
        name = f"{node.name}_{number}"
    node.function = ScopedValue.create_naming_value(name, "self")
    setattr(tree.network, node.name if name == node.name else name, node.instance)
    made = f"{node.symbol_tree.made_name}(obj.{name})" if node.symbol_tree else f"obj.{name}"
    _say(tree, f"self.{name} = {made}")


def _into_container(tree: TreeSource, node: Node, body: Body, index: int) -> None:
    """A Cell into a SequentialCell or CellList."""
    node.function = ScopedValue.create_naming_value(node.name)
    setattr(tree.network, node.name, node.instance)
    place, last = body.owner.function, index == len(body.nodes) - 1
    insert = "_insert" if isinstance(body.owner.instance, SequentialCell) else "insert"
    do = "append(" if last else f"{insert}({index}, "
    _say(tree, f"{place}.{do}self.{node.name})")


def _argument(node: Node, body: Body) -> None:
    if body.function is None:
        raise ValueError(
            "`SymbolTree`: an argument can be added to the network or a function, not to a branch."
        )
    body.function.args.args.append(node.syntax)
    given = node.get_args()
    body.function.args.defaults.append(syntax.expression(given[0]) if given else ast.Constant(None))


def _insert_statement(body: Body, statement: ast.stmt, base: Node, before: bool) -> None:
    assert body.statements is not None
    found = [i for i, s in enumerate(body.statements) if s is base.syntax]
    index = found[0] + (not before) if found else 0  # behind the arguments
    body.statements.insert(index, statement)
    ast.fix_missing_locations(statement)


def _drop(body: Body, statement: Any) -> None:
    assert body.statements is not None
    body.statements[:] = [s for s in body.statements if s is not statement]
    if not body.statements:
        body.statements.append(ast.Pass())


def _drop_branch(body: Body, node: Node) -> None:
    statement = node.syntax
    if node.is_orelse:
        statement.orelse = []
        if node.body_node is not None:
            node.body_node.orelse_node = None
    else:
        statement.body = [ast.Pass()]
    if len(statement.body) == 1 and isinstance(statement.body[0], ast.Pass) and not statement.orelse:
        _drop(body, statement)
