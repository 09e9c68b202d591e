"""Parsing of a network's source into nodes: every statement of `construct` becomes one."""

import ast
import builtins
import inspect
import os
import sys
import sysconfig
from textwrap import dedent
from typing import Any, TypeVar

from msjax.nn.cell.cell import Cell
from msjax.nn.layers.containers import CellList, SequentialCell
from msjax.ops.primitive import Primitive
from msjax.rewrite import classes, names, syntax
from msjax.rewrite.body import Body
from msjax.rewrite.flattening import flatten
from msjax.rewrite.node import Node, is_subtree
from msjax.rewrite.scoped_value import NodeType, ScopedValue
from msjax.rewrite.tree_source import TreeSource

Tree = TypeVar("Tree", bound=TreeSource)
name_of = ScopedValue.create_naming_value


def read_tree(network: Cell, kind: type[Tree]) -> Tree:
    """Read the source of a network, and of those in it, into trees of a kind."""
    definition = ast.parse(dedent(inspect.getsource(type(network)))).body[0]
    if not isinstance(definition, ast.ClassDef):
        raise RuntimeError(f"`SymbolTree`: no class in the source of {type(network).__name__}.")
    tree = kind.empty(network, definition)
    for statement in definition.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "construct":
            flatten(statement.body)
    classes.prepare(tree)
    construct = classes.method(tree.class_def, "construct")
    if construct is not None:
        tree.body.function, tree.body.statements = construct, construct.body
        Reader(tree).function(construct, tree.body)
    classes.share_variables(tree)
    return tree


class Reader:
    """Reads statements into the bodies of one SymbolTree.

    Args:
        tree: the SymbolTree.
    """

    def __init__(self, tree: TreeSource) -> None:
        self.tree = tree

    def function(self, definition: ast.FunctionDef, body: Body) -> None:
        """The arguments and statements of a function; what comes after a `return` is dropped."""
        arguments = definition.args
        if arguments.posonlyargs:
            self._python(arguments.posonlyargs, body)
        for arg in arguments.args:
            if arg.arg != "self":
                node = Node.make(NodeType.Input, f"input_{arg.arg}", arg, [name_of(arg.arg)])
                self._add(node, body)
        for other in (arguments.vararg, arguments.kwonlyargs, arguments.kwarg):
            if other:
                self._python(other, body)
        definition.body[:] = [s for s in definition.body if not classes.is_text(s)] or [ast.Pass()]
        self.statements(list(definition.body), body)
        ends = [i for i, node in enumerate(body.nodes) if node.node_type is NodeType.Output]
        for node in body.nodes[ends[0] + 1 :] if ends else ():
            body.remove(node)
            definition.body.remove(node.syntax)

    def statements(self, statements: list[ast.stmt], body: Body) -> None:
        """Statements, one after the other."""
        for statement in statements:
            match statement:
                case ast.Assign(targets=[_]):
                    self._assignment(statement, body)
                case ast.Return():
                    args = [syntax.value_of(statement.value)]
                    self._add(
                        Node.make(NodeType.Output, "return", statement, [], name_of("return"), args), body
                    )
                case ast.If() | ast.For() | ast.While():
                    self._control(statement, body)
                case _:
                    self._python(statement, body)

    def _add(self, node: Node, body: Body) -> Node:
        for target in node.targets:
            self.tree.variables.reserve(str(target))
        body.insert(node)
        return node

    def _python(self, statement: Any, body: Body) -> None:
        self._add(Node.make(NodeType.Python, type(statement).__name__, statement), body)

    # ------------------------------------------------------------------ branches and loops

    def _control(self, statement: Any, body: Body) -> None:
        kind = type(statement).__name__.lower()
        tested = statement.iter if kind == "for" else statement.test
        loop_variables = tuple(map(syntax.text, syntax.leaves(statement.target))) if kind == "for" else ()
        flatten(statement.body, self.tree.unique_name)
        if statement.orelse:
            flatten(statement.orelse, self.tree.unique_name)
        first = None
        for is_else, part in ((False, statement.body), (True, statement.orelse)):
            if not part:
                continue
            name = ("else_node" if kind == "if" else f"{kind}_else_node") if is_else else f"{kind}_node"
            node = Node.make(NodeType.ControlFlow, name, statement, args=[syntax.value_of(tested)])
            node.is_orelse = is_else
            node.body = Body(node, self.tree.body.namer, name, part)
            node.body.loop_variables = loop_variables
            self._add(node, body)
            node.body.name = node.name
            self.statements(list(part), node.body)
            if first is None:
                first = node
            first.orelse_node, node.orelse_node = (node, node) if is_else else (None, None)
            first.body_node = node.body_node = first
        if kind == "if" and first is not None:
            found = self._value_now(statement.test, body)
            first.test_result = found
            if first.orelse_node is not None:
                first.orelse_node.test_result = found

    def _value_now(self, test: ast.expr, body: Body) -> bool | None:
        """Return the value of a condition that follows from the network alone: `not self.include_top`."""
        if isinstance(test, ast.Name):
            made = next((n for n in reversed(body.nodes) if name_of(test.id) in n.targets), None)
            if made is None or not isinstance(made.syntax, ast.Assign):
                return None
            test = made.syntax.value
        if any(
            isinstance(n, ast.Name) and n.id not in ("self", *self._globals(body)) for n in ast.walk(test)
        ):
            return None
        code = compile(ast.fix_missing_locations(ast.Expression(test)), "<condition>", "eval")
        try:
            return bool(eval(code, {**self._globals(body), "self": self.tree.network}))  # noqa: S307
        except Exception:  # noqa: BLE001  the condition may do anything
            return None

    # ------------------------------------------------------------------ assignments

    def _assignment(self, statement: ast.Assign, body: Body) -> None:
        value = statement.value
        targets = [syntax.value_of(target) for target in syntax.leaves(statement.targets[0])]
        match value:
            case ast.Call():
                self._call(statement, value, targets, body)
            case ast.BinOp() | ast.UnaryOp() | ast.BoolOp() | ast.Compare():
                self._add(_computation(statement, value, targets), body)
            case ast.Subscript() | ast.Constant() | ast.Name() | ast.Attribute():
                found = self._attribute(value) if isinstance(value, ast.Attribute) else None
                if _is_cells(found):
                    self._add(
                        self._container(statement, targets, syntax.text(value), syntax.text(value), found),
                        body,
                    )
                    return
                kind = type(value).__name__.lower()
                name = f"{kind}_var" if kind == "subscript" else f"{kind}_assign"
                self._method(statement, targets, "pass_through", [syntax.value_of(value)], name, body)
            case ast.Tuple() | ast.List() if syntax.writable(value.elts):
                kind = type(value).__name__.lower()
                self._method(statement, targets, kind, [syntax.value_of(e) for e in value.elts], kind, body)
            case ast.Dict() if syntax.writable(value.values) and all(
                isinstance(k, ast.Constant) and isinstance(k.value, str) for k in value.keys
            ):
                kwargs = {
                    k.value: syntax.value_of(v)  # type: ignore[union-attr]
                    for k, v in zip(value.keys, value.values, strict=True)
                }
                node = Node.make(NodeType.CallMethod, "dict", statement, targets, name_of("dict"), [], kwargs)
                self._add(node, body)
            case _:
                self._python(statement, body)

    def _method(
        self, statement: ast.Assign, targets: list, kind: str, args: list, name: str, body: Body
    ) -> None:
        self._add(Node.make(NodeType.CallMethod, name, statement, targets, name_of(kind), args), body)

    def _attribute(self, node: ast.Attribute) -> Any:
        """Return the current value of an expression `self.a.b`."""
        scope, _, rest = syntax.text(node).partition(".")
        found: Any = self.tree.network if scope == "self" else None
        for name in rest.split("."):
            found = getattr(found, name, None)
        return found

    # ------------------------------------------------------------------ calls

    def _call(self, statement: ast.Assign, call: ast.Call, targets: list, body: Body) -> None:
        args = [syntax.value_of(arg) for arg in call.args]
        kwargs = {each.arg or "": syntax.value_of(each.value) for each in call.keywords}
        full = syntax.text(call.func)
        scope, _, name = full.rpartition(".")
        function = name_of(name, scope)

        def make(kind: NodeType, instance: Any = None, called: str = name) -> Node:
            return Node.make(kind, called, statement, targets, function, args, kwargs, instance)

        nested = any(isinstance(n, ast.Call) for n in ast.walk(call.func))
        if nested or full in dir(builtins) or full in body.loop_variables:
            self._add(make(NodeType.CallFunction), body)
            return
        own = vars(self.tree.network)
        cell = own.get("_cells", {}).get(name) if scope == "self" else None
        if cell is not None:
            self._cell(make, cell, body)
            return
        known = own.get(name) if scope == "self" else None
        if isinstance(known, Primitive):
            self._add(make(NodeType.CallPrimitive, known), body)
        elif scope in ("self", self.tree.made_name) and hasattr(self.tree.network, name):
            self._own_method(make, statement, name, body)
        else:
            self._other(make, statement, call, full, body)

    def _cell(self, make: Any, cell: Any, body: Body) -> None:
        node = make(NodeType.CallCell, cell)
        if isinstance(cell, SequentialCell):
            made = self._container(
                node.syntax, node.targets, node.function, node.name, cell, node.get_args(), node.get_kwargs()
            )
            self._add(made, body)
        elif is_subtree(cell):
            node = make(NodeType.Tree, cell)
            node.symbol_tree = read_tree(cell, type(self.tree))
            node.symbol_tree.around = self.tree
            classes.use_tree(self.tree, str(node.function), node.symbol_tree)
            self._add(node, body)
        else:
            self._add(node, body)

    def _own_method(self, make: Any, statement: ast.Assign, name: str, body: Body) -> None:
        method = getattr(self.tree.network, name)
        static = isinstance(inspect.getattr_static(self.tree.network, name, None), staticmethod)
        if inspect.isfunction(method) and not static:
            self._function(make, statement, method, f"self.{name}", body)
            return
        definition = classes.method(self.tree.class_def, name)
        node = make(NodeType.CallFunction, method if definition is not None else None)
        if not inspect.ismethod(method) or static or definition is None or self._calls_itself(method, body):
            node.instance = None
            self._add(node, body)
            return
        node.is_method = True
        self._open(node, definition, body)

    def _open(self, node: Node, definition: ast.FunctionDef, body: Body) -> None:
        """Read the source of a function that is called."""
        node.body = Body(node, self.tree.body.namer, node.name, definition.body, definition)
        self._add(node, body)
        node.body.name = node.name
        flatten(definition.body, self.tree.unique_name)
        self.function(definition, node.body)

    def _other(self, make: Any, statement: ast.Assign, call: ast.Call, full: str, body: Body) -> None:
        """A call of a local variable or of a function from the module."""
        source = self._local(full, body)
        if source is not None and source.made_class is not None:
            made = source.made_class
            if source.makes:
                self._add(make(NodeType.CallPrimitive, made), body)
                return
            node = self._add(make(NodeType.CallFunction), body)
            node.made_class, node.makes = made, True
            return
        if source is not None or self._local(full.partition(".")[0], body) is not None:
            self._add(make(NodeType.CallFunction), body)
            return
        named = syntax.text(call.args[0]) if full == "_get_cache_prim" and call.args else full
        found = _look_up(named, self._globals(body))
        if isinstance(found, Primitive):
            self._add(make(NodeType.CallPrimitive, found), body)
        elif isinstance(found, type):
            node = self._add(make(NodeType.CallFunction), body)
            if issubclass(found, Primitive):
                node.made_class, node.makes = found, named == full
        elif found is None or not inspect.isfunction(found):
            self._add(make(NodeType.CallFunction, found), body)
        else:
            self._function(make, statement, found, full, body)

    def _function(self, make: Any, statement: ast.Assign, found: Any, full: str, body: Body) -> None:
        if found.__module__.partition(".")[0] in ("msjax", "mindspore"):
            last = full.rpartition(".")[2]
            known = last if last == full else f"{last}_opt"
            self._add(make(NodeType.CallFunction, found, names.functions.make_unique(known)), body)
            return
        name = found.__name__ if found.__name__ == full else f"{found.__name__}_opt"
        definition = None
        if not is_third_party(found) and not self._calls_itself(found, body):
            definition = ast.parse(dedent(inspect.getsource(found))).body[0]
        if not isinstance(definition, ast.FunctionDef) or any(
            isinstance(s, ast.FunctionDef) for s in definition.body
        ):
            self._add(make(NodeType.CallFunction, found), body)
            return
        definition.name = names.functions.make_unique(name)
        call = statement.value
        assert isinstance(call, ast.Call)
        call.func = ast.Name(definition.name, ast.Load())
        self.tree.externals.append((definition, found))
        node = make(NodeType.CallFunction, found, definition.name)
        node.function = name_of(definition.name)
        self._open(node, definition, body)

    def _container(
        self,
        statement: Any,
        targets: list,
        function: Any,
        name: str,
        cells: Any,
        args: list | None = None,
        kwargs: dict | None = None,
    ) -> Node:
        """Return a node for a SequentialCell or a list of Cells, with a node for each of these."""
        called = name_of(function) if isinstance(function, str) else function
        node = Node.make(NodeType.CellContainer, name, statement, targets, called, args, kwargs, cells)
        node.body = Body(node, self.tree.body.namer, str(called))
        for index, cell in enumerate(cells):
            inner = type(cell).__name__
            place = f"{called}[{index}]"
            if isinstance(cell, SequentialCell):
                node.body.insert(self._container(statement, targets, place, inner, cell, args, kwargs))
                continue
            tree = read_tree(cell, type(self.tree)) if is_subtree(cell) else None
            kind = NodeType.Tree if tree else NodeType.CallCell
            made = Node.make(kind, inner, None, targets, name_of(inner), args, kwargs, cell)
            if tree is not None:
                made.symbol_tree, tree.around = tree, self.tree
                classes.use_tree(self.tree, place, tree)
            node.body.insert(made)
        return node

    # ------------------------------------------------------------------ what names mean

    def _globals(self, body: Body) -> dict[str, Any]:
        owner = body.outermost().owner
        return globals_of(type(owner.network) if owner.is_tree else owner.instance)

    def _local(self, name: str, body: Body) -> Node | None:
        """Return the node that assigns to a variable, if one does."""
        if name.startswith("self."):
            return next(
                (n for n in self.tree.body.nodes if n.made_class and name in map(str, n.targets)), None
            )
        for node in reversed(body.nodes):
            if name in map(str, node.targets):
                return node
        inside = not body.owner.is_tree and body.owner.node_type is NodeType.ControlFlow
        return self._local(name, body.owner.stands_in) if inside else None

    def _calls_itself(self, function: Any, body: Body) -> bool:
        owner = body.owner
        while not owner.is_tree:
            if owner.node_type is NodeType.CallFunction and owner.instance == function:
                return True
            owner = owner.stands_in.owner
        return False


def globals_of(thing: Any) -> dict[str, Any]:
    """Return the names that the source of a class or function can mention."""
    inner = inspect.unwrap(getattr(thing, "construct", thing) if isinstance(thing, type) else thing)
    module = sys.modules.get(str(getattr(thing, "__module__", "")))
    return getattr(inner, "__globals__", None) or vars(module or builtins)


def is_third_party(function: Any) -> bool:
    """Return True if a function comes from Python itself or from an installed package."""
    file = getattr(inspect.getmodule(function), "__file__", None)
    if file is None:
        return True
    path = os.path.realpath(file)
    if path.startswith(os.path.realpath(sysconfig.get_path("stdlib")) + os.sep):
        return True
    return not path.startswith(os.getcwd() + os.sep) and "site-packages" in path.split(os.sep)


def _look_up(name: str, among: dict[str, Any]) -> Any:
    first, *rest = name.split(".")
    found = among.get(first)
    for each in rest:
        found = getattr(found, each, None)
    return found


def _is_cells(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(each, Cell) for each in value)
    return isinstance(value, CellList)


def _computation(statement: ast.Assign, value: Any, targets: list) -> Node:
    """Return a node for an operator of Python's: `binop_add`, `compare_gt`."""
    match value:
        case ast.BinOp():
            operators, parts = [value.op], [value.left, value.right]
        case ast.UnaryOp():
            operators, parts = [value.op], [value.operand]
        case ast.BoolOp():
            operators, parts = [value.op], value.values
        case _:
            operators, parts = value.ops, [value.left, *value.comparators]
    kind = type(value).__name__
    name = "_".join([kind, *(type(operator).__name__ for operator in operators)]).lower()
    args = [syntax.value_of(part) for part in parts]
    return Node.make(NodeType.MathOps, name, statement, targets, name_of(kind), args)
