"""The training step: `zero_grad`, `backward` and `step` become a function, its gradients and an optimizer's call.

PyTorch keeps gradients in the parameters, MindSpore gives them as results. What leads to a loss becomes a function in
front of the loop; `backward()` becomes the call that gives the loss and the gradients; `step()` gets the gradients.
"""

import ast
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

import libcst as cst
from libcst import matchers as m

from msjax.cli.port.facts import MODEL_NAMES, MODULE, OPTIMIZER, PARAMETER, Facts, dotted
from msjax.cli.port.patterns import UnportableError, closed, code, parse
from msjax.cli.port.report import DIFFERS, DONE, LEFT, PAGE, Report

_CLIP = {
    "torch.nn.utils.clip_grad_norm_": "ops.clip_by_global_norm({grads}, {limit})",
    "torch.nn.utils.clip_grad_norm": "ops.clip_by_global_norm({grads}, {limit})",
    "torch.nn.utils.clip_grad_value_": "ops.clip_by_value({grads}, -{limit}, {limit})",
}
Loop = cst.For | cst.While
Statement = cst.BaseStatement


def parsed(node: cst.CSTNode) -> list[ast.stmt]:
    """Return statements, or an expression, as `ast` has them."""
    text = code(node)
    if isinstance(node, cst.BaseStatement | cst.BaseSmallStatement):
        return ast.parse(textwrap.dedent(text.lstrip("\n"))).body
    return ast.parse(f"({text})").body


def reads_and_writes(node: cst.CSTNode) -> tuple[set[str], set[str], set[str]]:
    """Return the names that a statement reads first, those that it binds, and those whose value it changes.

    Examples:
        >>> import libcst as cst
        >>> from msjax.cli.port import loop
        >>> [sorted(names) for names in loop.reads_and_writes(cst.parse_statement("a.b, c = f(d)"))]
        [['a', 'd', 'f'], ['c'], ['a']]
    """
    body = parsed(node)
    reads, writes = flow(body)
    return reads, writes, _changed(body)


_GROW = ("append", "extend", "insert", "update", "add")


_DETACHED = ("detach", "item", "tolist", "numpy")


def _with_gradient(node: cst.CSTNode) -> set[str]:
    """Return the names that a statement reads otherwise than in `x.detach()`."""
    found: set[str] = set()
    todo: list[ast.AST] = list(parsed(node))
    while todo:
        n = todo.pop()
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in _DETACHED:
            continue
        if isinstance(n, ast.Name):
            found.add(n.id)
        todo += ast.iter_child_nodes(n)
    return found


def _changed(body: list[ast.stmt]) -> set[str]:
    found = set()
    for n in (n for s in body for n in ast.walk(s)):
        base: ast.AST | None = None
        if isinstance(n, ast.Subscript | ast.Attribute) and isinstance(n.ctx, ast.Store):
            base = n
        elif isinstance(n, ast.AugAssign):
            base = n.target
        elif isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute):
            base = n.func.value if n.func.attr in _GROW or n.func.attr.endswith("_") else None
        while isinstance(base, ast.Subscript | ast.Attribute):
            base = base.value
        if isinstance(base, ast.Name):
            found.add(base.id)
    return found


def flow(body: Sequence[ast.stmt]) -> tuple[set[str], set[str]]:
    """Return the names that statements read before they bind them, and those that they bind."""
    reads: set[str] = set()
    writes: set[str] = set()
    for s in body:
        heads: list[ast.AST] = []
        bound: set[str] = set()
        inner: list[tuple[set[str], set[str]]] = []
        if isinstance(s, ast.For | ast.AsyncFor):
            heads, bound = [s.iter], _names(s.target, ast.Store)
            inner = [flow([*s.body, *s.orelse])]
        elif isinstance(s, ast.While | ast.If):
            heads = [s.test]
            inner = [flow(s.body), flow(s.orelse)]
        elif isinstance(s, ast.With | ast.AsyncWith):
            heads = [item.context_expr for item in s.items]
            bound = set().union(
                *[_names(item.optional_vars, ast.Store) for item in s.items if item.optional_vars]
            )
            inner = [flow(s.body)]
        elif isinstance(s, ast.Try):
            inner = [flow(s.body), *[flow(h.body) for h in s.handlers], flow([*s.orelse, *s.finalbody])]
        elif isinstance(s, ast.FunctionDef | ast.ClassDef):
            own = {
                a.arg for n in ast.walk(s) if isinstance(n, ast.arguments) for a in [*n.args, *n.kwonlyargs]
            }
            inner_reads, inner_writes = flow(s.body)
            reads |= inner_reads - own - inner_writes - writes
            writes.add(s.name)
            continue
        else:
            heads = [s]
            bound = _names(s, ast.Store)
            if isinstance(s, ast.AugAssign):
                reads |= _names(s.target, ast.Store) - writes
        for head in heads:
            reads |= _names(head, ast.Load) - writes
        for inside_reads, inside_writes in inner:
            reads |= inside_reads - writes - bound
            bound = bound | inside_writes
        writes |= bound
    return reads, writes


def _names(node: ast.AST, context: type) -> set[str]:
    own = {
        n.id
        for c in ast.walk(node)
        if isinstance(c, ast.comprehension)
        for n in ast.walk(c.target)
        if isinstance(n, ast.Name)
    } | {a.arg for c in ast.walk(node) if isinstance(c, ast.Lambda) for a in c.args.args}
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}
    return found - own


@dataclass
class _Backward:
    """One `backward()` in a block."""

    at: int
    loss: cst.BaseExpression
    scaler: str = ""
    slice: list[int] = field(default_factory=list)
    since: int = -1  # where the one before it stands


class LoopRewriter(cst.CSTTransformer):
    """Rewrites training steps.

    Args:
        facts: what is known about the program.
        report: where decisions go.
        lines: the line in the input, of nodes that are the input's own.
    """

    def __init__(self, facts: Facts, report: Report, lines: dict[cst.CSTNode, int]) -> None:
        super().__init__()
        self.facts = facts
        self.report = report
        self.lines = lines
        self.needed: set[str] = set()
        self._functions: list[cst.FunctionDef | cst.Module] = []
        self._loops: list[list[Loop]] = [[]]
        self._before: list[list[Statement]] = [[]]  # what goes in front of the outermost loop
        self._simple: list[bool] = []  # of each function: each step uses the gradients of its own block alone
        self._outside: set[int] = set()  # the statements of the block at hand, as they are in the input
        self._weights_of: list[str] = []  # of each function, the parameters of its gradients
        self._taken: list[set[str]] = []  # of each function, its names

    # ------------------------------------------------------------------ where we are

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Look at statements as wholes: what is not visited stays the same node, whose line and names are known."""
        if isinstance(node, cst.SimpleStatementLine | cst.BaseExpression):
            return False
        return super().on_visit(node)

    def visit_Module(self, node: cst.Module) -> None:
        self._functions.append(node)
        self._simple.append(self._is_simple(node))
        self._weights_of.append("")
        self._taken.append(set().union(*_of_block(_own(node))))

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._functions.append(node)
        self._simple.append(self._is_simple(node))
        self._weights_of.append("")
        self._taken.append(set().union(*_of_block(_own(node))))
        self._loops.append([])
        self._before.append([])

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        self._functions.pop()
        self._simple.pop()
        self._taken.pop()
        self._weights_of.pop()
        self._loops.pop()
        self._before.pop()
        return updated_node

    def visit_For(self, node: cst.For) -> None:
        self._loops[-1].append(node)

    def visit_While(self, node: cst.While) -> None:
        self._loops[-1].append(node)

    def leave_For(self, original_node: cst.For, updated_node: cst.For):
        return self._leave_loop(updated_node)

    def leave_While(self, original_node: cst.While, updated_node: cst.While):
        return self._leave_loop(updated_node)

    def _leave_loop(self, updated: Loop):
        self._loops[-1].pop()
        if self._loops[-1] or not self._before[-1]:
            return updated
        before, self._before[-1] = self._before[-1], []
        blank = cst.EmptyLine(indent=False)
        lines = updated.leading_lines
        lines = lines if lines and lines[0].comment is None else [blank, *lines]
        before = [
            s if code(s).startswith("grads = ") else s.with_changes(leading_lines=[blank]) for s in before
        ]
        return cst.FlattenSentinel([*before, updated.with_changes(leading_lines=lines)])

    # ------------------------------------------------------------------ blocks

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        return updated_node.with_changes(body=self._block(original_node.body, updated_node.body))

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        return updated_node.with_changes(body=self._block(original_node.body, updated_node.body))

    def _block(self, old: Sequence[Statement], new: Sequence[Statement]) -> Sequence[Statement]:
        """Rewrite one block; `old` is as in the input, `new` has blocks inside rewritten."""
        if not self._has_training(self._functions[-1]):
            return new
        statements = list(new)
        self._outside = {id(s) for s in old}
        backwards = [b for i, s in enumerate(statements) if (b := self._backward(i, s)) is not None]
        try:
            return self._rewrite(statements, backwards)
        except UnportableError as reason:
            line = self.lines.get(old[backwards[0].at], 0) if backwards and len(old) == len(new) else 0
            self.report.add(line, "Tensor.backward", LEFT, str(reason))
            at = backwards[0].at if backwards else 0
            mark = cst.EmptyLine(comment=cst.Comment(f"# port: training step: {reason}; see {PAGE}"))
            statements[at] = statements[at].with_changes(
                leading_lines=[*statements[at].leading_lines, mark]  # type: ignore[attr-defined]
            )
            return statements

    def _has_training(self, node: cst.CSTNode) -> bool:
        return any(m.findall(s, m.Call(func=m.Attribute(attr=m.Name("backward")))) for s in _own(node))

    def _backward(self, at: int, statement: Statement) -> _Backward | None:
        call = _only_call(statement)
        if call is None or not m.matches(call.func, m.Attribute(attr=m.Name("backward"))):
            return None
        loss = cst.ensure_type(call.func, cst.Attribute).value
        if (
            isinstance(loss, cst.Call)
            and isinstance(loss.func, cst.Attribute)
            and loss.func.attr.value == "scale"
        ):
            return _Backward(at, loss.args[0].value, dotted(loss.func.value))
        return _Backward(at, loss)

    def _rewrite(self, statements: list[Statement], backwards: list[_Backward]) -> list[Statement]:
        carried = self._carries_gradient(statements)
        for backward in backwards:
            backward.slice = self._slice(statements, backward, carried)
        out: list[Statement | None] = list(statements)
        inserted: dict[int, list[Statement]] = {}
        simple = self._simple[-1]
        if not simple and len(set(self._all_stepped())) > 1:
            raise UnportableError("gradients of several optimizers add up over several blocks")
        for number, backward in enumerate(backwards):
            since = backwards[number - 1].at if number else -1
            backward.since = since
            again = sorted(i for i in backward.slice if i < since)
            if again:
                self.report.add(
                    self._line(statements[again[0]]), "Tensor.backward", DIFFERS,
                    "what two losses share is computed once for each",
                )  # fmt: skip
            more = number > 0 and self._same_step(statements, backwards[number - 1].at, backward.at)
            self._replace(statements, backward, out, inserted, "more" if more else "first", simple)
        self._steps(statements, out, inserted, simple)
        found: list[Statement] = []
        for i, statement in enumerate(out):
            if statement is not None:
                found.append(statement)
            found += inserted.get(i, [])
        return found

    # ------------------------------------------------------------------ what leads to a loss

    def _carries_gradient(self, statements: Sequence[Statement]) -> list[bool]:
        """For each statement of a block: does it compute something that depends on parameters?"""
        names: set[str] = set()
        found = []
        for statement in statements:
            reads, writes, changes = reads_and_writes(statement)
            own = bool(reads & names) or self._calls_model(statement)
            call = _only_call(statement)
            attr = call.func.attr.value if call is not None and isinstance(call.func, cst.Attribute) else ""
            if attr in ("backward", "step", "zero_grad", "update", "unscale_", "train", "eval"):
                own = False
            found.append(own)
            if own and not self._without_gradient(statement):
                names |= writes | changes
        return found

    def _without_gradient(self, statement: Statement) -> bool:
        """True for `x = y.item()`: its results carry no gradient."""
        value = _assigned_value(statement)
        text = code(value) if value is not None else ""
        return text.endswith((".item()", ".detach()", ".tolist()", ".numpy()", ".data"))

    def _calls_model(self, node: cst.CSTNode) -> bool:
        for call in m.findall(node, m.Call()):
            func = call.func  # type: ignore[union-attr]
            name = dotted(func)
            if not name or self.facts.imported(func):
                continue
            last = name.rpartition(".")[2]
            if (
                self.facts.kinds.get(name) == MODULE
                or last in MODEL_NAMES
                or name in self.facts.model_functions
            ):
                return True
        names = {n.value for n in m.findall(node, m.Name())}  # type: ignore[union-attr]
        return any(self.facts.kinds.get(n) == PARAMETER for n in names)

    def _slice(self, statements: Sequence[Statement], backward: _Backward, carried: list[bool]) -> list[int]:
        """Return the statements that compute a loss from the parameters, in order."""
        needed = _with_gradient(backward.loss)
        found: list[int] = []
        for i in range(backward.at - 1, -1, -1):
            if not carried[i]:
                continue
            reads, writes, changes = reads_and_writes(statements[i])
            if (writes | changes) & needed:
                found.insert(0, i)
                if isinstance(statements[i], cst.SimpleStatementLine):
                    needed -= writes - reads - changes
                needed |= reads & _with_gradient(statements[i])
        in_place = self._calls_model(backward.loss)
        if not any(self._calls_model(statements[i]) for i in found) and not in_place:
            raise UnportableError("what leads to the loss is not in this block: compute it in one function")
        for i in found:
            jumps = m.findall(statements[i], m.Return() | m.Yield() | m.Break() | m.Continue())
            if any(isinstance(j, cst.Return | cst.Yield) for j in jumps):
                raise UnportableError("the way to the loss leaves the function")
            if m.findall(
                statements[i],
                m.With(items=[m.WithItem(item=m.Call(func=m.Attribute(attr=m.Name("no_grad"))))]),
            ):
                raise UnportableError("no_grad on the way to the loss: use stop_gradient")
        return found

    # ------------------------------------------------------------------ the new statements

    def _replace(
        self, statements: Sequence[Statement], backward: _Backward, out: list[Statement | None],
        inserted: dict[int, list[Statement]], part: str, simple: bool,
    ) -> None:  # fmt: skip
        body = [statements[i] for i in backward.slice]
        reads, writes = _of_block(body)
        loss = dotted(backward.loss)
        if not loss or "." in loss:
            reads |= {n.value for n in m.findall(backward.loss, m.Name())} - writes  # type: ignore[union-attr]
            loss = "loss" if "loss" not in writes else "total_loss"
            bare = backward.loss.with_changes(lpar=(), rpar=())
            body = [*body, cst.parse_statement(f"{loss} = {code(bare)}")]
            writes |= {loss}
        others = self._read_elsewhere(statements, backward, writes) - {loss}
        loops = self._loops[-1]
        changing = _assigned_in(loops[0]) if loops else set()
        arguments = sorted(reads & (changing | writes), key=lambda n: _first_place(body, n))
        results = sorted(others, key=lambda n: _first_place(body, n))
        name = self._new_name("forward" if loss == "loss" else f"forward_{loss}")
        grad_fn = self._new_name("grad_fn" if loss == "loss" else f"grad_fn_{loss}")
        returned = (
            [f"{backward.scaler}.scale({loss})", loss, *results] if backward.scaler else [loss, *results]
        )
        first_comment = [
            line for s in body[:1] for line in getattr(s, "leading_lines", ()) if line.comment is not None
        ]
        function = cst.parse_statement(
            f"def {name}({', '.join(arguments)}):\n    return {', '.join(returned)}\n"
        )
        function = cst.ensure_type(function, cst.FunctionDef)
        body = [
            s.with_changes(leading_lines=()) if i == 0 and not first_comment else s
            for i, s in enumerate(body)
        ]
        function = function.with_changes(
            body=function.body.with_changes(body=[*body, *function.body.body])  # type: ignore[attr-defined]
        )
        weights = self._weights(statements, backward)
        self._weights_of[-1] = weights
        aux = ", has_aux=True" if len(returned) > 1 else ""
        value_and_grad = self.facts.ours("ms.value_and_grad")
        made = cst.parse_statement(f"{grad_fn} = {value_and_grad}({name}, None, {weights}{aux})")
        self.needed |= {"ms"}
        accumulates = part == "more" or not simple
        grads = "new_grads" if accumulates else "grads"
        given = f"{grad_fn}({', '.join(arguments)})"
        values = ", ".join(["_", loss, *results]) if backward.scaler else ", ".join([loss, *results])
        target = f"({values}), {grads}" if aux else f"{values}, {grads}"
        call = [cst.parse_statement(f"{target} = {given}")]
        if backward.scaler:
            call.append(cst.parse_statement(f"{grads} = {backward.scaler}.unscale({grads})"))
        if accumulates:
            self.needed |= {"ops"}
            added = self.facts.ours("tuple(map(ops.add, ") + f"grads, {grads}))"
            text = f"grads = {added}" if simple else f"grads = {grads} if grads is None else {added}"
            call.append(cst.parse_statement(text))
        old = statements[backward.at]
        call[0] = call[0].with_changes(leading_lines=old.leading_lines)  # type: ignore[attr-defined]
        if loops:
            definitions: list[Statement] = [function, made]
            if not simple and not any("grads = None" in code(s) for s in self._before[-1]):
                definitions.append(cst.parse_statement("grads = None"))
            self._before[-1] += definitions
        else:
            call = [function, made, *call]
        later = self._dependent(statements, backward)
        out[backward.at] = None
        inserted[backward.at] = [*call, *[statements[i] for i in later]]
        for i in [*backward.slice, *later]:
            if i > backward.since:  # others are needed where they stand, too
                out[i] = None
        self.report.add(self._line(old), "Tensor.backward", DONE, f"{given} of value_and_grad")

    def _line(self, node: cst.CSTNode) -> int:
        return self.lines.get(node, 0)

    def _new_name(self, wish: str) -> str:
        name, number = wish, 2
        while name in self._taken[-1]:
            name, number = f"{wish}_{number}", number + 1
        self._taken[-1].add(name)
        return name

    def _dependent(self, statements: Sequence[Statement], backward: _Backward) -> list[int]:
        """Find the statements after the call that need its results or change names that the function reads."""
        names: set[str] = set()
        taken: set[str] = set()
        found = []
        own = [i for i in backward.slice if i > backward.since]
        for i in range(min(own, default=backward.at), backward.at):
            reads, writes, changes = reads_and_writes(statements[i])
            if i in backward.slice:
                names |= writes | changes
                taken |= reads
            elif not self._is_zero_grad(statements[i]) and (reads & names or (writes | changes) & taken):
                rest = [statements[k] for k in backward.slice if k > i]
                if rest and _of_block(rest)[0] & (writes | changes):
                    raise UnportableError("names change their meaning on the way to the loss")
                found.append(i)
                names |= writes
        return found

    def _read_elsewhere(
        self, statements: Sequence[Statement], backward: _Backward, writes: set[str]
    ) -> set[str]:
        """Which of the names that the slice binds the rest of the function reads."""
        inside = [statements[i] for i in backward.slice] + [statements[backward.at]]
        rest: set[str] = set()
        # Names that the rest of the block binds before it reads them are its own.
        block_reads: set[str] = set()
        bound: set[str] = set()
        for i, s in enumerate(statements):
            if any(s is t for t in inside):
                if i in backward.slice:
                    bound -= reads_and_writes(s)[1]
                continue
            reads, wrote, _ = reads_and_writes(s)
            block_reads |= reads - bound
            bound |= wrote
        rest |= block_reads
        whole = self._functions[-1]
        around = _reads_outside(whole, self._outside)
        rest |= around
        slice_reads, _ = _of_block([statements[i] for i in backward.slice])
        return writes & (rest | (slice_reads & writes))

    def _weights(self, statements: Sequence[Statement], backward: _Backward) -> str:
        """Return the parameters that the gradients are for."""
        found: list[str] = []
        for statement in statements[backward.at + 1 :]:
            if self._backward(0, statement) is not None and found:
                break
            found += self._stepped(statement)
        if len(set(found)) == 1:
            return f"{found[0]}.parameters"
        if len(set(found)) > 1 and self._backwards_before_step(statements, backward):
            raise UnportableError("which optimizer gets these gradients is not clear")
        if found:
            return f"{found[0]}.parameters"
        found = self._all_stepped()
        if len(set(found)) == 1:
            return f"{found[0]}.parameters"
        if len(set(found)) > 1:
            raise UnportableError("which optimizer gets these gradients is not clear")
        zeros = [
            c
            for s in _own(self._functions[-1])
            for c in m.findall(s, m.Call(func=m.Attribute(attr=m.Name("zero_grad"))))
        ]
        for call in zeros:
            return f"{dotted(call.func.value)}.trainable_params()"  # type: ignore[union-attr]
        raise UnportableError("there is no optimizer, nor a model whose gradients are set to zero")

    def _backwards_before_step(self, statements: Sequence[Statement], backward: _Backward) -> bool:
        """True if several optimizers use the gradients of one `backward`, or of several at once."""
        rest = statements[backward.at + 1 :]
        steps = [i for i, s in enumerate(rest) if self._stepped(s)]
        between = rest[steps[0] : steps[1]] if len(steps) > 1 else []
        return bool(between) and not any(self._backward(0, s) is not None for s in between)

    def _stepped(self, node: cst.CSTNode) -> list[str]:
        """Return the optimizers whose `step` a node calls."""
        found = []
        for call in m.findall(node, m.Call(func=m.Attribute(attr=m.Name("step")))):
            holder = dotted(call.func.value)  # type: ignore[union-attr]
            kind = self.facts.kinds.get(holder, "")
            args = call.args  # type: ignore[union-attr]
            if "scaler" in holder.lower() and args:
                found.append(dotted(args[0].value))
            elif kind == OPTIMIZER or (kind == "" and "opt" in holder.lower()):
                found.append(holder)
        return found

    def _all_stepped(self) -> list[str]:
        return [name for s in _own(self._functions[-1]) for name in self._stepped(s)]

    def _is_zero_grad(self, statement: Statement) -> bool:
        call = _only_call(statement)
        return call is not None and m.matches(call.func, m.Attribute(attr=m.Name("zero_grad")))

    def _same_step(self, statements: Sequence[Statement], first: int, second: int) -> bool:
        return not any(self._stepped(s) or self._is_zero_grad(s) for s in statements[first:second])

    def _is_simple(self, function: cst.CSTNode) -> bool:
        """True if each block that computes gradients sets them to zero and uses them, and no other block does."""
        found: list[tuple[bool, bool, bool]] = []
        for body in _blocks(function):
            calls = [
                c for s in body if (c := _only_call(s)) is not None and isinstance(c.func, cst.Attribute)
            ]
            names = {c.func.attr.value for c in calls}  # type: ignore[union-attr]
            steps = any(self._stepped(s) for s in body if _only_call(s) is not None)
            by_hand = any(
                isinstance(s, cst.For) and "parameters()" in code(s.iter) and ".grad" in code(s) for s in body
            )
            found.append(("backward" in names, "zero_grad" in names, steps or by_hand))
        return all(back == zero == step for back, zero, step in found)

    # ------------------------------------------------------------------ steps, clipping, scalers

    def _steps(
        self, statements: Sequence[Statement], out: list[Statement | None], inserted: dict[int, list[Statement]],
        simple: bool,
    ) -> None:  # fmt: skip
        for i, statement in enumerate(statements):
            if out[i] is None:
                continue
            new = self._step(statement, simple)
            if new is not None:
                lines = statement.leading_lines  # type: ignore[attr-defined]
                out[i] = None
                if new:
                    new = [new[0].with_changes(leading_lines=lines), *new[1:]]
                    inserted[i] = [*new, *inserted.get(i, [])]
                elif (
                    any(line.comment is not None for line in lines)
                    and i + 1 < len(out)
                    and out[i + 1] is not None
                ):
                    following = out[i + 1]
                    out[i + 1] = following.with_changes(  # type: ignore[union-attr]
                        leading_lines=[*lines, *following.leading_lines]  # type: ignore[union-attr]
                    )

    def _step(self, statement: Statement, simple: bool) -> list[Statement] | None:
        """Rewrite a statement about gradients; return None if it is about something else."""
        if isinstance(statement, cst.For):
            return self._update_by_hand(statement)
        call = _only_call(statement)
        target = ""
        if call is None:
            value = _assigned_value(statement)
            if not isinstance(value, cst.Call):
                return None
            call = value
            target = code(cst.ensure_type(statement.body[0], cst.Assign).targets[0].target)  # type: ignore[attr-defined]
        name = self.facts.torch_name(call.func)
        if name in _CLIP:
            limit = self._limit(call)
            self.needed |= {"ops"}
            self.report.add(self._line(statement), name, DONE, _CLIP[name].partition("(")[0])
            new = ["grads = " + self.facts.ours(_CLIP[name]).format(grads="grads", limit=limit)]
            if target:
                norm = self.facts.ours("ops.sqrt(sum(ops.sum(grad * grad) for grad in grads))")
                new.insert(0, f"{target} = {norm}")
            return [cst.parse_statement(line) for line in new]
        if not isinstance(call.func, cst.Attribute) or target:
            return None
        attr, holder = call.func.attr.value, dotted(call.func.value)
        scales = "scaler" in holder.lower()
        if attr == "zero_grad":
            self.report.add(self._line(statement), "zero_grad", DONE, "gradients are results")
            return [] if simple else [cst.parse_statement("grads = None")]
        if attr == "step" and scales:
            self.needed |= {"ms"}
            self.report.add(self._line(statement), "GradScaler.step", DONE, "all_finite")
            optimizer = code(call.args[0].value)
            return list(
                cst.parse_module(
                    self.facts.ours("finite = ms.amp.all_finite(grads)\n")
                    + f"if finite:\n    {optimizer}(grads)\n"
                ).body
            )  # type: ignore[arg-type]
        if attr == "update" and scales:
            self.report.add(self._line(statement), "GradScaler.update", DONE, "adjust")
            return [cst.parse_statement(f"{holder}.adjust(finite)")]
        if attr == "unscale_" and scales:
            return []
        if attr == "step" and self._stepped(statement):
            if call.args:
                raise UnportableError("an optimizer that calls a closure")
            self.report.add(self._line(statement), "Optimizer.step", DONE, f"{holder}(grads)")
            return [cst.parse_statement(f"{holder}(grads)")]
        known = self.facts.kinds.get(holder, MODULE) != MODULE or any(
            word in holder.lower() for word in ("sched", "lr", "prof")
        )
        if attr == "step" and not call.args and not known:
            self.report.add(
                self._line(statement), "step", LEFT, f"whether `{holder}` is an optimizer is not known"
            )
        return None

    def _limit(self, call: cst.Call) -> str:
        """The limit of `clip_grad_norm_(net.parameters(), limit)`."""
        given = dict(
            zip(
                ("parameters", "limit", "norm_type"),
                [a.value for a in call.args if not a.keyword],
                strict=False,
            )
        )
        given |= {a.keyword.value: a.value for a in call.args if a.keyword is not None}
        limit = next((given[n] for n in ("limit", "max_norm", "clip_value") if n in given), None)
        if limit is None:
            raise UnportableError("gradients are clipped, and the limit is not known")
        order = code(given["norm_type"]) if "norm_type" in given else "2"
        if order not in ("2", "2.0"):
            raise UnportableError(
                f"gradients are clipped by their norm of order {order}; MindSpore's is of order 2"
            )
        owners = {
            code(c.args[0].value)  # type: ignore[union-attr]
            for s in _own(self._functions[-1])
            for c in m.findall(s, m.Call())
            if self.facts.torch_name(c.func) in _CLIP and c.args  # type: ignore[union-attr]
        }
        holder = code(given["parameters"]).removesuffix(".parameters()").removeprefix("self.")
        if len(owners) > 1 or "." in holder.removesuffix(".module"):
            raise UnportableError("only some of the gradients are clipped: they are one tuple here")
        return code(limit)

    def _update_by_hand(self, statement: cst.For) -> list[Statement] | None:
        """`for p in model.parameters(): p.data.add_(p.grad, alpha=-lr)`."""
        if not (m.matches(statement.iter, m.Call(func=m.Attribute(attr=m.Name("parameters"))))):
            return None
        name = dotted(statement.target)
        if f"{name}.grad" not in code(statement.body):
            return None
        own = code(statement.iter).replace(".parameters()", ".trainable_params()")
        weights = self._weights_of[-1] or own
        changed = m.findall(statement.body, m.AugAssign(target=m.Attribute(attr=m.Name("grad"))))
        if changed:
            return self._scale(statement, name, changed)
        if re.search(rf"\b{name}\.grad(\.data)?(\.\w+_\(|\s*=[^=])", code(statement.body)):
            raise UnportableError("gradients that are changed in place: they are a tuple here")
        body = statement.body.visit(_Grad(name))
        self.report.add(self._line(statement), "Parameter.grad", DONE, "of the gradients that are results")
        return [
            statement.with_changes(
                target=parse(f"{name}, {name}_grad"),
                iter=parse(f"zip({weights}, grads)"),
                body=body,
            )
        ]

    def _scale(self, statement: cst.For, name: str, changed: Sequence[cst.CSTNode]) -> list[Statement]:
        """`p.grad /= scale` for every parameter."""
        inner = statement.body.body
        if isinstance(inner[0], cst.If) and code(inner[0].test).strip() == f"{name}.grad is not None":
            inner = inner[0].body.body
        if len(inner) != 1 or len(changed) != 1:
            raise UnportableError("gradients that are changed in place: they are a tuple here")
        change = cst.ensure_type(changed[0], cst.AugAssign)
        sign = code(change.operator).strip().removesuffix("=")
        self.report.add(self._line(statement), "Parameter.grad", DONE, "a tuple of gradients")
        text = f"grads = tuple({name}_grad {sign} {code(closed(change.value))} for {name}_grad in grads)"
        return [cst.parse_statement(text)]


class _Grad(cst.CSTTransformer):
    """`p.grad` becomes `p_grad`, `p.data` the parameter itself."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        if m.matches(updated_node, m.Attribute(value=m.Name(self.name), attr=m.Name("grad"))):
            return cst.Name(f"{self.name}_grad")
        if m.matches(updated_node, m.Attribute(value=m.Name(self.name), attr=m.Name("data"))):
            return cst.Name(self.name)
        return updated_node


def _only_call(statement: cst.CSTNode) -> cst.Call | None:
    """Return the call that a statement consists of."""
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        expr = statement.body[0]
        if isinstance(expr, cst.Expr) and isinstance(expr.value, cst.Call):
            return expr.value
    return None


def _assigned_value(statement: cst.CSTNode) -> cst.BaseExpression | None:
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        assign = statement.body[0]
        if isinstance(assign, cst.Assign):
            return assign.value
    return None


def _of_block(statements: Sequence[cst.CSTNode]) -> tuple[set[str], set[str]]:
    """Return the names that statements read before they bind them, and those that they bind."""
    return flow([s for statement in statements for s in parsed(statement)])


def _assigned_in(loop: Loop) -> set[str]:
    """All names that a loop binds or changes."""
    _, writes, _ = reads_and_writes(loop)
    return writes


def _first_place(statements: Sequence[cst.CSTNode], name: str) -> int:
    text = "\n".join(code(s) for s in statements)
    found = re.search(rf"\b{re.escape(name)}\b", text)
    return found.start() if found else 0


def _reads_outside(function: cst.CSTNode, block: set[int]) -> set[str]:
    """Return the names that a function reads in statements that are not in a block, nor around it."""
    found: set[str] = set()

    def walk(statements: Sequence[cst.CSTNode]) -> None:
        for statement in statements:
            if id(statement) in block:
                continue
            bodies = _bodies(statement)
            if not bodies:
                found.update(reads_and_writes(statement)[0])
                continue
            for part in ("test", "iter"):
                value = getattr(statement, part, None)
                if value is not None:
                    found.update(reads_and_writes(value)[0])
            for body in bodies:
                walk(body)

    walk(_own(function))
    return found


def _own(function: cst.CSTNode) -> list[cst.CSTNode]:
    """Return the statements of a function, or of a module, without the definitions among them."""
    body = function.body if isinstance(function, cst.Module) else function.body.body  # type: ignore[attr-defined]
    return [s for s in body if not isinstance(s, cst.FunctionDef | cst.ClassDef)]


def _blocks(function: cst.CSTNode) -> list[Sequence[cst.CSTNode]]:
    """All blocks of a function, or of a module, without those of functions inside."""
    found: list[Sequence[cst.CSTNode]] = []
    todo: list[Sequence[cst.CSTNode]] = [_own(function)]
    while todo:
        found.append(todo.pop())
        todo += [inner for statement in found[-1] for inner in _bodies(statement)]
    return found


def _bodies(statement: cst.CSTNode) -> list[Sequence[cst.CSTNode]]:
    """Return the blocks of a statement that belong to the same function."""
    if isinstance(statement, cst.FunctionDef | cst.ClassDef):
        return []
    found = []
    for part in ("body", "orelse", "finalbody"):
        value = getattr(statement, part, None)
        if isinstance(value, cst.IndentedBlock):
            found.append(value.body)
        elif isinstance(value, cst.Else | cst.Finally) and isinstance(value.body, cst.IndentedBlock):
            found.append(value.body.body)
        elif isinstance(value, cst.If):
            found.append([value])
    return found
