"""Conversion passes over a function's syntax tree, which turn statements into calls; diastatic-malt's, extended by three."""

import ast
import types
from typing import Any

from malt.converters import (
    break_statements,
    call_trees,
    conditional_expressions,
    continue_statements,
    control_flow,
    functions,
    logical_expressions,
    return_statements,
    variables,
)
from malt.core import converter
from malt.pyct import anno, cfg, naming, parser, qual_names, transformer
from malt.pyct.static_analysis import activity, reaching_definitions

from msjax.core.autograph.jump_flags import is_jump_flag

_MUTATING = frozenset(
    # Methods that change their object: malt sees only assignments, so that a list which a branch appends to would not be
    # among the variables that are merged.
    "append extend insert pop remove clear update setdefault reverse sort add discard popitem".split()
)


class _Options:
    """Options that the passes ask for: convert built-in functions, nothing else."""

    def uses(self, feature: object) -> bool:
        return feature is converter.Feature.BUILTIN_FUNCTIONS

    def call_options(self) -> "_Options":
        return self

    def to_ast(self) -> ast.AST:
        return parser.parse_expression("None")


def rewrite(fn: types.FunctionType, node: ast.FunctionDef | ast.Lambda) -> tuple[str, ast.stmt]:
    """Return the name of the converted function, and the statement that binds it."""
    node = _Prepared(fn).visit(node)
    for part in ast.walk(node):
        if hasattr(part, "lineno"):
            anno.setanno(part, anno.Basic.ORIGIN, part.lineno)  # type: ignore[attr-defined]
    namespace = {**fn.__globals__, **dict.fromkeys(fn.__code__.co_freevars)}
    namer = naming.Namer(namespace)
    name = namer.new_symbol(f"ag__{'lam' if isinstance(node, ast.Lambda) else node.name}", ())
    info = transformer.EntityInfo(
        name=name,
        source_code="",
        source_file=fn.__code__.co_filename,
        future_features=(),
        namespace=namespace,
    )
    context: Any = transformer.Context(info, namer, converter.ProgramContext(options=_Options()))
    context.freevars = fn.__code__.co_freevars
    node = _passes(node, context)
    if isinstance(node, ast.Lambda):
        return name, ast.Assign(targets=[ast.Name(name, ctx=ast.Store())], value=node)
    node.name = name
    return name, node


def _passes(node: object, context: object) -> Any:
    """Run the passes in order."""
    # The order matters: jumps become flags before `if` and `while` become calls, and variables come last, for the other
    # passes make new ones.
    graphs = cfg.build(node)
    node = qual_names.resolve(node)
    node = activity.resolve(node, context, None)
    node = reaching_definitions.resolve(node, context, graphs)
    anno.dup(node, {anno.Static.DEFINITIONS: anno.Static.ORIG_DEFINITIONS})
    node = functions.transform(node, context)
    node = break_statements.transform(node, context)
    node = continue_statements.transform(node, context)
    node = return_statements.transform(node, context)
    node = call_trees.transform(node, context)
    node = _control_flow(node, context)
    node = _Conditional(context).visit(node)
    node = logical_expressions.transform(node, context)
    return variables.transform(node, context)


class _Prepared(ast.NodeTransformer):
    """Rewrites what the passes do not know: annotations, zero-argument super, mangled names, raise."""

    def __init__(self, fn: types.FunctionType) -> None:
        owner = fn.__qualname__.split(".")[-2:-1]
        self.prefix = "_" + owner[0].lstrip("_") if owner and owner[0] != "<locals>" else ""
        self.first: list[str] = []
        self.guarded = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        node.type_params = []  # type: ignore[attr-defined]
        arguments = [*node.args.posonlyargs, *node.args.args]
        for argument in [*arguments, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]:
            if argument is not None:
                argument.annotation = None
        if not self.first:
            # Decorators and defaults belong to the original function; running them again could have effects.
            node.decorator_list = []
            node.args.defaults = [ast.copy_location(ast.Constant(None), d) for d in node.args.defaults]
            node.args.kw_defaults = [
                None if d is None else ast.copy_location(ast.Constant(None), d) for d in node.args.kw_defaults
            ]
        # Malt gives every function one exit: one that may fall off its end returns None there, explicitly.
        if _returns_a_value(node) and not _ends(node.body):
            node.body.append(
                ast.copy_location(
                    ast.Return(ast.copy_location(ast.Constant(None), node.body[-1])), node.body[-1]
                )
            )
        self.first.append(arguments[0].arg if arguments else "")
        self.generic_visit(node)
        self.first.pop()
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        if not self.first:
            node.args.defaults = [ast.copy_location(ast.Constant(None), d) for d in node.args.defaults]
            node.args.kw_defaults = [
                None if d is None else ast.copy_location(ast.Constant(None), d) for d in node.args.kw_defaults
            ]
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and self.first:
            # Without arguments `super` finds both in the frame of the method, which the converted code does not have.
            given = [ast.Name("__class__", ctx=ast.Load()), ast.Name(self.first[-1], ctx=ast.Load())]
            node.args = [ast.copy_location(name, node) for name in given]
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "has_key" and len(node.args) == 1:
            return self._make_call("has_key", [node.func.value, node.args[0]], node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Turn a subscript into a call if it reads by an index that may be a Tensor."""
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or isinstance(node.slice, ast.Slice | ast.Tuple | ast.Constant):
            return node
        return self._make_call("get_item", [node.value, node.slice], node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Turn an f-string into a call, which defers Tensors in it."""
        self.generic_visit(node)
        parts: list[ast.expr] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                spec = part.format_spec or ast.Constant("")
                part = ast.Tuple([part.value, ast.Constant(part.conversion), spec], ctx=ast.Load())
            parts.append(part)
        return self._make_call("format_fstring", parts, node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Turn `in`, and `is` for all but None, into calls, which compare Tensors and numbers at run time."""
        self.generic_visit(node)
        left, (right, *more) = node.left, node.comparators
        if more or not isinstance(node.ops[0], ast.In | ast.NotIn | ast.Is | ast.IsNot):
            return node
        if isinstance(node.ops[0], ast.In | ast.NotIn):
            found = self._make_call("contains", [right, left], node)
        elif any(isinstance(side, ast.Constant) and side.value is None for side in (left, right)):
            return node
        else:
            found = self._make_call("is_same", [left, right], node)
        if isinstance(node.ops[0], ast.In | ast.Is):
            return found
        return ast.copy_location(ast.UnaryOp(op=ast.Not(), operand=found), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        is_text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
        if not (is_text and isinstance(node.op, ast.Mod)):
            return node
        return self._make_call("format_percent", [node.left, node.right], node)

    def _make_call(self, name: str, args: list[ast.expr], node: ast.AST) -> ast.expr:
        """Return a call of one of the operators in `operators`, at the place of an expression."""
        call: Any = ast.parse(f"ag__.{name}()", mode="eval").body
        call.args = args
        for part in (call, call.func, call.func.value):
            ast.copy_location(part, node)
        return ast.fix_missing_locations(call)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        # The compiler mangles private names by the class around, and the converted function stands in none.
        if self.prefix and node.attr.startswith("__") and not node.attr.endswith("__"):
            node.attr = self.prefix + node.attr
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        made: ast.stmt = ast.Pass()
        if node.value is not None:
            made = ast.Assign(targets=[node.target], value=node.value)
        return self.generic_visit(ast.copy_location(made, node))

    def visit_Try(self, node: ast.Try) -> ast.AST:
        # An exception that the user catches must be Python's: in a `try` with handlers, `raise` stays as it is
        # (test_conversion.test_exceptions_that_are_caught_stay_python).
        self.guarded += bool(node.handlers)
        node.body = [self.visit(part) for part in node.body]
        self.guarded -= bool(node.handlers)
        for name in ("handlers", "orelse", "finalbody"):
            setattr(node, name, [self.visit(part) for part in getattr(node, name)])
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        self.generic_visit(node)
        if node.exc is not None and not self.guarded:
            call = ast.parse("ag__.raise_deferred(0)", mode="eval").body
            call.args = [node.exc]  # type: ignore[attr-defined]
            for part in (call, call.func, call.func.value):  # type: ignore[attr-defined]
                ast.copy_location(part, node)
            node.exc = call
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """Turn `assert` into `if not test: raise AssertionError(message)`."""
        arguments = [] if node.msg is None else [node.msg]
        error = ast.Call(func=ast.Name("AssertionError", ctx=ast.Load()), args=arguments, keywords=[])
        made = ast.If(
            test=ast.UnaryOp(op=ast.Not(), operand=node.test), body=[ast.Raise(exc=error)], orelse=[]
        )
        for part in (made, made.test, made.body[0], error, error.func):
            ast.copy_location(part, node)
        return self.visit(made)


def _returns_a_value(node: ast.AST) -> bool:
    """Return True if a function has a `return` with a value, not counting functions inside of it."""
    inner = [
        c
        for c in ast.iter_child_nodes(node)
        if not isinstance(c, ast.FunctionDef | ast.ClassDef | ast.Lambda)
    ]
    return any((isinstance(c, ast.Return) and c.value is not None) or _returns_a_value(c) for c in inner)


def _ends(body: list[ast.stmt]) -> bool:
    """Return True if no path leads past the end of these statements."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _ends(last.body) and _ends(last.orelse)
    if isinstance(last, ast.With):
        return _ends(last.body)
    if isinstance(last, ast.Try):
        ends = [_ends(last.orelse or last.body), *[_ends(handler.body) for handler in last.handlers]]
        return all(ends) or bool(last.finalbody and _ends(last.finalbody))
    if isinstance(last, ast.While):
        forever = isinstance(last.test, ast.Constant) and bool(last.test.value)
        return forever and not any(isinstance(part, ast.Break) for part in ast.walk(last))
    return isinstance(last, ast.Return | ast.Raise)


class _Conditional(conditional_expressions.ConditionalExpressionTransformer):
    """Malt's pass for conditional expressions, made to look into their parts as well."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        return super().visit_IfExp(node)


class _ControlFlow(control_flow.ControlFlowTransformer):
    """Malt's pass for control flow, with containers and objects that a statement changes in place among its variables."""

    def visit_If(self, node: ast.If) -> list[ast.AST]:  # noqa: N802
        self._note(node)
        names = {part.id for part in ast.walk(node.test) if isinstance(part, ast.Name)}
        made = super().visit_If(node)
        if names and all(map(is_jump_flag, names)):
            made[-1].value.func.attr = "guard_stmt"
        return made

    def visit_While(self, node: ast.While) -> list[ast.AST]:  # noqa: N802
        self._note(node)
        return super().visit_While(node)

    def visit_For(self, node: ast.For) -> list[ast.AST]:  # noqa: N802
        self._note(node)
        return super().visit_For(node)

    def _note(self, node: ast.AST) -> None:
        anno.setanno(node, "mutated", set(_mutated_names(node)))

    def _get_block_vars(self, node: ast.AST, modified: Any) -> Any:
        # Elements (`a[i]`) are not variables of their own: the whole list is, see `_mutated_names`.
        modified = frozenset(name for name in modified if not name.has_subscript())
        names, undefined, count = super()._get_block_vars(node, modified)
        found: Any = anno.getanno(node, "mutated")
        extra = sorted(name for name in found if name not in names and self._is_variable(name))
        return [*extra, *names], undefined, count + len(extra)

    def _is_variable(self, name: Any) -> bool:
        """Return True if a name is a variable of the function or of one around it, or an attribute of one."""
        root = name
        while root.is_composite():
            root = root.parent
        return name.is_composite() or str(root) in self.ctx.freevars or self._is_local(root)

    def _is_local(self, root: Any) -> bool:
        scope = self.state[control_flow._Function].scope
        while scope is not None:
            if root in scope.bound or root in scope.params:
                return True
            scope = scope.parent
        return False


def _mutated_names(node: ast.AST) -> Any:
    """Yield the names of what is changed in place under a node, by index or by a method of lists, dicts and sets."""
    for part in ast.walk(node):
        target = None
        if isinstance(part, ast.Subscript) and not isinstance(part.ctx, ast.Load):
            target = part
        elif (
            isinstance(part, ast.Call)
            and isinstance(part.func, ast.Attribute)
            and part.func.attr == "converted_call"
            and isinstance(part.args[0], ast.Attribute)
            and part.args[0].attr in _MUTATING
        ):
            target = part.args[0].value
        while isinstance(target, ast.Subscript):
            target = target.value
        name: Any = None if target is None else anno.getanno(target, anno.Basic.QN, default=None)
        if name is not None and not name.has_subscript():
            yield name


def _control_flow(node: object, context: object) -> Any:
    from malt.pyct.static_analysis import liveness, reaching_fndefs

    graphs = cfg.build(node)
    node = qual_names.resolve(node)
    node = activity.resolve(node, context, None)
    node = reaching_definitions.resolve(node, context, graphs)
    node = reaching_fndefs.resolve(node, context, graphs)
    node = liveness.resolve(node, context, graphs)
    return _ControlFlow(context).visit(node)
