"""`Node`: a statement of a network, with its parts to query and change."""

import ast
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, ClassVar

from msjax.nn.cell.cell import Cell
from msjax.nn.layers.containers import CellList, SequentialCell
from msjax.ops.primitive import Primitive
from msjax.rewrite import syntax
from msjax.rewrite.body import Body
from msjax.rewrite.given import expect, expect_all, expect_items
from msjax.rewrite.scoped_value import NodeType, ScopedValue

_CALLS = (
    NodeType.CallCell,
    NodeType.CallPrimitive,
    NodeType.Tree,
    NodeType.CellContainer,
    NodeType.CallFunction,
)
_BUILTIN = type(abs)


# Classes whose Cells are one node each. Libraries append theirs (`mindspore.rewrite.common.namespace._subtree_black_list`).
WHOLE: list[type] = [CellList, SequentialCell]


def is_subtree(cell: Any) -> bool:
    """Return True if a Cell has source of the user's, which is read too."""
    ours = type(cell).__module__.partition(".")[0] in ("msjax", "mindspore")
    return isinstance(cell, Cell) and not ours and not isinstance(cell, tuple(WHOLE))


class Node:
    """One statement of a network: a call, a computation, an input, a `return`, a branch.

    Nodes come from a :class:`SymbolTree`, or from `create_call_cell` and `create_call_function`.

    Args:
        node: what stands for a node; it is the node itself.

    Examples:
        >>> from msjax import nn
        >>> from msjax.rewrite import Node, ScopedValue
        >>> x = ScopedValue.create_naming_value("x")
        >>> node = Node.create_call_cell(nn.ReLU(), ["y"], [x], name="act")
        >>> node.get_node_type(), node.get_args(), node.get_targets(), node.get_name()
        (<NodeType.CallCell: 1>, [x], [y], 'act')
    """

    is_tree = False
    _build_tree: ClassVar[
        Callable[[Cell], Any]
    ]  # `SymbolTree.create`, which stands on this class and sets it here

    node_type: NodeType
    name: str
    instance: Any
    syntax: Any
    targets: list[ScopedValue]
    function: ScopedValue | None
    values: dict[str, ScopedValue]
    positional: int
    attributes: dict[str, Any]
    stands_in: Body | None
    body: Body | None
    symbol_tree: Any
    is_method: bool
    made_class: Any  # of a Primitive that the statement makes, or names
    makes: bool
    test_result: bool | None
    is_orelse: bool
    body_node: "Node | None"
    orelse_node: "Node | None"
    providers: "dict[int, tuple[Node, int]]"
    users: "dict[int, list[tuple[Node, int]]]"

    def __new__(cls, node: "Node") -> "Node":  # noqa: PYI034
        """Return the node itself."""
        return node

    @classmethod
    def make(
        cls,
        node_type: NodeType,
        name: str,
        node_syntax: Any = None,
        targets: list[ScopedValue] | None = None,
        function: ScopedValue | None = None,
        args: list[ScopedValue] | None = None,
        kwargs: dict[str, ScopedValue] | None = None,
        instance: Any = None,
    ) -> "Node":
        """Return a node that stands nowhere yet.

        Args:
            node_type: what the statement does.
            name: of the node.
            node_syntax: the statement. Default: it is made when the node is inserted.
            targets: what it assigns to.
            function: what it calls.
            args: its arguments.
            kwargs: its arguments by name.
            instance: the object that it calls.
        """
        node = object.__new__(cls)
        node.node_type, node.name, node.syntax, node.instance = node_type, name, node_syntax, instance
        node.targets, node.function = targets or [], function
        node.positional = len(args or ())
        node.values = _by_name(instance, args or [], kwargs or {})
        node.attributes = _attributes_of(instance) if node_type in _CALLS[:2] else {}
        node.stands_in = None
        node.body = None
        node.symbol_tree = None
        node.is_method = False
        node.made_class = None
        node.makes = False
        node.test_result = None
        node.is_orelse = False
        node.body_node = None
        node.orelse_node = None
        node.providers = {}
        node.users = {}
        return node

    def __repr__(self) -> str:
        return f"<{self.node_type} {self.name}>"

    @staticmethod
    def create_call_cell(
        cell: Cell,
        targets: list,
        args: list[ScopedValue] | None = None,
        kwargs: dict[str, ScopedValue] | None = None,
        name: str = "",
        is_sub_net: bool = False,
    ) -> "Node":
        """Return a call of a Cell or Primitive, `targets = self.name(*args, **kwargs)`.

        Args:
            cell (Cell): what is called.
            targets (list[Union[ScopedValue, str]]): what is assigned to.
            args (list[ScopedValue]): the arguments. Default: none.
            kwargs (dict[str, ScopedValue]): arguments by name. Default: none.
            name (str): of the node and of the attribute that keeps the Cell. Default: the class's.
            is_sub_net (bool): whether the Cell has its own SymbolTree. Default: False.

        Raises:
            TypeError: if an argument has another type.
        """
        expect("Node", "cell", cell, (Cell, Primitive))
        expect("Node", "name", name, str)
        expect("Node", "is_sub_net", is_sub_net, bool)
        made_targets = _check_new_node(targets, args, kwargs, "Node")
        kind = NodeType.CallCell if isinstance(cell, Cell) else NodeType.CallPrimitive
        function = ScopedValue.create_naming_value(name)
        if is_sub_net and is_subtree(cell):
            node = Node.make(NodeType.Tree, name, None, made_targets, function, args, kwargs, cell)
            node.symbol_tree = Node._build_tree(cell)
            return node
        return Node.make(kind, name, None, made_targets, function, args, kwargs, cell)

    @staticmethod
    def create_call_function(
        function: FunctionType,
        targets: list,
        args: list[ScopedValue] | None = None,
        kwargs: dict[str, ScopedValue] | None = None,
    ) -> "Node":
        """Return a call of a function, whose own source is left as it is.

        Args:
            function (FunctionType): what is called.
            targets (list[Union[ScopedValue, str]]): what is assigned to.
            args (list[ScopedValue]): the arguments. Default: none.
            kwargs (dict[str, ScopedValue]): arguments by name. Default: none.

        Raises:
            TypeError: if an argument has another type.
        """
        if not isinstance(function, FunctionType | type | _BUILTIN) and not hasattr(function, "__name__"):
            raise TypeError(
                "`create_call_function`: argument `function` must be a function or a class. "
                f"Received: {function!r} ({type(function).__name__})."
            )
        made_targets = _check_new_node(targets, args, kwargs, "create_call_function")
        name = function.__name__
        called = ScopedValue.create_naming_value(name)
        return Node.make(NodeType.CallFunction, name, None, made_targets, called, args, kwargs, function)

    @staticmethod
    def create_input(param_name: str, default: ScopedValue | None = None) -> "Node":
        """Return a further argument of the network.

        Args:
            param_name (str): its name.
            default (ScopedValue): its default. Default: None.
        """
        expect("Node", "param_name", param_name, str)
        target = ScopedValue.create_naming_value(param_name)
        args = [default] if default is not None else []
        return Node.make(NodeType.Input, f"input_{param_name}", ast.arg(param_name), [target], None, args)

    # ------------------------------------------------------------------ what it is

    def get_handler(self) -> "Node":
        """Return the node itself, which MindSpore wraps."""
        return self

    def get_name(self) -> str:
        """Return the name, which no other node of its SymbolTree has."""
        return self.name

    def get_node_type(self) -> NodeType:
        """Return the type of the node: the kind of its statement."""
        return self.node_type

    def get_instance_type(self) -> Any:
        """Return the class of the object that is called; a function itself."""
        if self.node_type is NodeType.CallPrimitive and isinstance(self.instance, type):
            return self.instance
        return self.instance if inspect.isfunction(self.instance) else type(self.instance)

    def get_instance(self) -> Any:
        """Return the object that is called, or None."""
        return self.instance

    def get_targets(self) -> list[ScopedValue]:
        """Return the targets that the statement assigns to."""
        return self.targets

    def get_args(self) -> list[ScopedValue]:
        """Return the arguments that stand without a name."""
        return list(self.values.values())[: self.positional]

    def get_kwargs(self) -> dict[str, ScopedValue]:
        """Return the arguments that stand with their names."""
        return dict(list(self.values.items())[self.positional :])

    def get_normalized_args(self) -> dict[str, ScopedValue]:
        """All arguments by the names which the called Cell has for them."""
        return dict(self.values)

    def get_func_name(self) -> ScopedValue | None:
        """Return the name of the called function, as in the source."""
        return self.function

    def get_ast(self) -> Any:
        """Return the statement's syntax."""
        return self.syntax

    def get_source_code(self) -> str:
        """Return the statement; of a branch, its part."""
        code = syntax.text(self.syntax) if isinstance(self.syntax, ast.AST) else ""
        if self.node_type is NodeType.ControlFlow and self.orelse_node is not None and "else:" in code:
            at = code.index("else:")
            return (code[at:] if self.is_orelse else code[:at]).strip()
        return code

    # ------------------------------------------------------------------ where it stands

    def get_symbol_tree(self) -> Any:
        """Return the SymbolTree that the node is in."""
        owner = self.stands_in and self.stands_in.owner
        return owner if owner is None or owner.is_tree else owner.get_symbol_tree()

    get_belong_symbol_tree = get_symbol_tree

    def get_node_manager(self) -> Any:
        """Return the SymbolTree or the node that this one is in."""
        return self.stands_in and self.stands_in.owner

    def get_sub_tree(self) -> Any:
        """Return the SymbolTree of the network that is called.

        Raises:
            TypeError: if the node is none of type `NodeType.Tree`.
        """
        if self.node_type is not NodeType.Tree:
            raise TypeError(
                f"`get_sub_tree`: the node must have the type 'NodeType.Tree'. Received: {self.node_type}."
            )
        return self.symbol_tree

    def nodes(self) -> list["Node"]:
        """Return the nodes inside of a function, a branch or a container."""
        return list(self.body.nodes) if self.body is not None else []

    node_list = property(nodes)

    def get_inputs(self) -> list["Node"]:
        """Return the nodes whose results are arguments of this one."""
        return [node for node, _ in self._link().providers.values()]

    def get_users(self) -> list["Node"]:
        """Return the nodes that have results of this one as arguments."""
        users = [node for group in self._link().users.values() for node, _ in group]
        return list(dict.fromkeys(users))

    def get_arg_providers(self) -> dict[int, tuple["Node", int]]:
        """Return the node and result that each argument comes from."""
        return self._link().providers

    def get_target_users(self, index: int = -1) -> Any:
        """Return the nodes and arguments that use each result.

        Args:
            index (int): of one result. Default: -1, all.
        """
        expect("get_target_users", "index", index, int)
        users = self._link().users
        return users if index == -1 else users.get(index, [])

    def _link(self) -> "Node":
        if self.stands_in is not None:
            self.stands_in.link()
        return self

    # ------------------------------------------------------------------ what can be changed

    def set_arg(self, index: int, arg: ScopedValue | str) -> None:
        """Replace an argument.

        Args:
            index (int): which one.
            arg (Union[ScopedValue, str]): the value; a str is a name.

        Raises:
            TypeError: if an argument has another type.
            ValueError: if there is no argument of that index.
        """
        expect("Node", "index", index, int)
        expect("Node", "arg", arg, (ScopedValue, str))
        if not 0 <= index < self.positional:
            raise ValueError(
                f"`set_arg`: {self.name} has {self.positional} arguments. Received: index={index}."
            )
        value = ScopedValue.create_naming_value(arg) if isinstance(arg, str) else arg
        self._write(list(self.values)[index], value)

    def set_arg_by_node(self, arg_idx: int, src_node: "Node", out_idx: int | None = None) -> None:
        """A result of another node as an argument.

        Args:
            arg_idx (int): which argument.
            src_node (Node): the other node.
            out_idx (int): which result. Default: the only one.

        Raises:
            TypeError: if an argument has another type.
            ValueError: if there is no argument of that index, or for a node outside of all trees no such result.
            RuntimeError: if the other node has no such result, or several and `out_idx` is None.
        """
        expect("Node", "arg_idx", arg_idx, int)
        expect("Node", "src_node", src_node, Node)
        if out_idx is not None:
            expect("Node", "out_idx", out_idx, int)
        wrong = ValueError if self.stands_in is None else RuntimeError
        results = len(src_node.targets)
        if out_idx is None and results != 1:
            raise wrong(f"`set_arg_by_node`: `out_idx` is needed, {src_node.name} has {results} results.")
        if not 0 <= (out_idx or 0) < results:
            raise wrong(f"`set_arg_by_node`: {src_node.name} has {results} results. Received: {out_idx}.")
        self.set_arg(arg_idx, src_node.targets[out_idx or 0])

    def set_attribute(self, key: str, value: Any) -> None:
        """Set an attribute of the node.

        Args:
            key (str): under which name.
            value: what.
        """
        expect("Node attribute", "key", key, str)
        self.attributes[key] = value

    def get_attributes(self) -> dict[str, Any]:
        """Return the node's attributes; for calls of Cells and Primitives also the public attributes of these."""
        return self.attributes

    def get_attribute(self, key: str) -> Any:
        """Return an attribute of the node, or None."""
        expect("Node attribute", "key", key, str)
        return self.attributes.get(key)

    def _write(self, key: str, value: ScopedValue) -> None:
        self.values[key] = value
        self.sync()
        tree = self.get_symbol_tree()
        if tree is not None and self.stands_in is not None:
            self.stands_in.forget_links()
            tree.modify()

    def sync(self) -> None:
        """Write the arguments into the statement."""
        if self.syntax is None:
            return
        new = iter(self.values.values())
        if self.node_type is NodeType.Output:
            self.syntax.value = syntax.expression(next(new), self.syntax.value)
        elif self.node_type is NodeType.ControlFlow:
            part = "iter" if isinstance(self.syntax, ast.For) else "test"
            setattr(self.syntax, part, syntax.expression(next(new), getattr(self.syntax, part)))
        elif isinstance(self.syntax, ast.Assign):
            _write_arguments(self, self.syntax)
        if isinstance(self.syntax, ast.AST):
            ast.fix_missing_locations(self.syntax)

    def create_syntax(self) -> ast.Assign:
        """Return the statement of a node that was made by hand."""
        assert self.function is not None
        self.syntax = syntax.call(self.targets, self.function, self.get_args(), self.get_kwargs())
        return self.syntax


def _write_arguments(node: Node, statement: ast.Assign) -> None:
    """The arguments of a node into the right side of an assignment."""
    values, right = list(node.values.values()), statement.value
    if isinstance(right, ast.Call) and node.node_type in _CALLS:
        right.args = [syntax.expression(v, old) for v, old in zip(node.get_args(), right.args, strict=True)]
        for each in right.keywords:
            each.value = syntax.expression(node.values[each.arg or ""], each.value)
    elif node.node_type is NodeType.MathOps:
        if isinstance(right, ast.BinOp):
            right.left, right.right = (
                syntax.expression(values[0], right.left),
                syntax.expression(values[1], right.right),
            )
        elif isinstance(right, ast.UnaryOp):
            right.operand = syntax.expression(values[0], right.operand)
        elif isinstance(right, ast.BoolOp):
            right.values = [syntax.expression(v, old) for v, old in zip(values, right.values, strict=True)]
        elif isinstance(right, ast.Compare):
            right.left = syntax.expression(values[0], right.left)
            right.comparators = [
                syntax.expression(v, old) for v, old in zip(values[1:], right.comparators, strict=True)
            ]
    elif node.node_type is NodeType.CallMethod:
        if isinstance(right, ast.Dict):
            right.values = [syntax.expression(v, old) for v, old in zip(values, right.values, strict=True)]
        elif node.function is not None and node.function.value in ("tuple", "list"):
            assert isinstance(right, ast.Tuple | ast.List)
            right.elts = [syntax.expression(v, old) for v, old in zip(values, right.elts, strict=True)]
        elif values:
            statement.value = syntax.expression(values[0], right)


def _check_new_node(targets: Any, args: Any, kwargs: Any, what: str) -> list[ScopedValue]:
    """Check the arguments of a new node and return its targets."""
    expect_all(what, "targets", targets, (ScopedValue, str))
    if not isinstance(targets, list):
        raise TypeError(f"`{what}`: argument `targets` must be a list. Received: {targets!r}.")
    if args is not None:
        expect_all(what, "args", args, ScopedValue)
    if kwargs is not None:
        expect_items(what, "kwargs", kwargs, str, ScopedValue)
    made = []
    for target in targets:
        scope, _, name = target.rpartition(".") if isinstance(target, str) else ("", "", "")
        made.append(ScopedValue.create_naming_value(name, scope) if isinstance(target, str) else target)
    return made


def _attributes_of(instance: Any) -> dict[str, Any]:
    if instance is None or isinstance(instance, type):
        return {}
    public = {key: value for key, value in vars(instance).items() if not key.startswith("_")}
    return {**public, "cls": type(instance)}


def _by_name(
    instance: Any, args: list[ScopedValue], kwargs: dict[str, ScopedValue]
) -> dict[str, ScopedValue]:
    """Return the arguments under the names that `construct` has for them, or `arg`, `arg_1` ... for anything but a Cell."""
    construct = None if isinstance(instance, type) else getattr(type(instance), "construct", None)
    if construct is None or not (args or kwargs):
        return {**_number_arguments(args, kwargs), **kwargs}
    parameters = list(inspect.signature(construct).parameters.values())[1:]
    plain = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    many = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)
    order = [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL]
    if len(args) > len(plain) and many is None:
        raise RuntimeError(
            f"`rewrite`: {type(instance).__name__} takes {len(plain)} arguments. Received: {len(args)}."
        )
    found = {plain[i] if i < len(plain) else f"{many}_{i}": arg for i, arg in enumerate(args)}
    ours = type(instance).__module__.partition(".")[0] in ("msjax", "mindspore")
    free = ours or any(p.kind is p.VAR_KEYWORD for p in parameters)
    for key in kwargs:
        if key in found or not (key in order or free):
            raise RuntimeError(
                f"`rewrite`: {type(instance).__name__} takes no further argument {key!r}. It takes {order}."
            )
    place = {name: i for i, name in enumerate(order)}
    return found | {key: kwargs[key] for key in sorted(kwargs, key=lambda k: place.get(k, len(order)))}


def _number_arguments(args: list[ScopedValue], kwargs: dict[str, ScopedValue]) -> dict[str, ScopedValue]:
    found: dict[str, ScopedValue] = {}
    number = 0
    for arg in args:
        while f"arg_{number}" in kwargs or f"arg_{number}" in found:
            number += 1
        found[f"arg_{number}"] = arg
    return found
