"""The training step: `backward` and `step` become a function, its gradients and an optimizer's call.

PyTorch keeps gradients in the parameters, MindSpore gives them as results. What leads to a loss becomes a function in
front of the loop; `backward()` becomes the call that gives the loss and the gradients; `step()` gets the gradients.
"""

from collections.abc import Sequence

import libcst as cst
from libcst import matchers as m

from msjax.cli.port.facts import Facts, dotted
from msjax.cli.port.flow import Statement, flattened, of_block, reads_and_writes
from msjax.cli.port.patterns import UnportableError, closed, code, parse
from msjax.cli.port.report import DIFFERS, DONE, LEFT, PAGE, Report
from msjax.cli.port.training.blocks import (
    Backward,
    Loop,
    Scope,
    assigned_in,
    binds_any,
    first_place,
    is_pure,
    own_statements,
    surely_bound,
)
from msjax.cli.port.training.gradients import ByName
from msjax.cli.port.training.loss_function import LossFunction, without_blank_lines
from msjax.cli.port.training.recorded import Recorder


class LoopRewriter(Recorder):
    """Rewrites training steps.

    Args:
        facts: what is known about the program.
        report: where decisions go.
        lines: the line in the input, of nodes that are the input's own.
    """

    def __init__(self, facts: Facts, report: Report, lines: dict[cst.CSTNode, int]) -> None:
        super().__init__(facts, report, lines)
        self.on_the_way: set[str] = set()  # the functions that are called on the way to a loss
        self._waiting: set[int] = set()  # blocks whose `backward` belongs to the block around them

    # ------------------------------------------------------------------ where we are

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Look at statements as wholes: what is not visited stays the same node, whose line and names are known."""
        if isinstance(node, cst.SimpleStatementLine | cst.BaseExpression):
            return False
        return super().on_visit(node)

    def _enter(self, node: cst.FunctionDef | cst.Module) -> None:
        taken = set().union(*of_block(own_statements(node)))
        self.scopes.append(Scope(node, taken, self.is_simple(node)))

    def visit_Module(self, node: cst.Module) -> None:
        self.make_plan(node)
        self._enter(node)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._enter(node)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        self.scopes.pop()
        return updated_node

    def visit_For(self, node: cst.For) -> None:
        self.scope.loops.append(node)

    def visit_While(self, node: cst.While) -> None:
        self.scope.loops.append(node)

    def leave_For(self, original_node: cst.For, updated_node: cst.For):
        return self._leave_loop(original_node, updated_node)

    def leave_While(self, original_node: cst.While, updated_node: cst.While):
        return self._leave_loop(original_node, updated_node)

    def _leave_loop(self, original: Loop, updated: Loop):
        self.scope.loops.pop()
        before = self.scope.before.pop(id(original), [])
        if not before:
            return updated
        blank = cst.EmptyLine(indent=False)
        lines = updated.leading_lines
        lines = lines if lines and lines[0].comment is None else [blank, *lines]
        before = [
            s if code(s).startswith("grads = ") else s.with_changes(leading_lines=[blank]) for s in before
        ]
        return cst.FlattenSentinel([*before, updated.with_changes(leading_lines=lines)])

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        waits = id(original_node) in self._waiting
        return updated_node.with_changes(body=self._block(original_node.body, updated_node.body, waits))

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        return updated_node.with_changes(body=self._block(original_node.body, updated_node.body))

    def _block(
        self, old: Sequence[Statement], new: Sequence[Statement], waits: bool = False
    ) -> Sequence[Statement]:
        """Rewrite one block; `old` is as in the input, `new` has blocks inside rewritten.

        If it `waits`, the way to the loss of its `backward` stands in the block around it.
        """
        if not self.has_training(self.scope.function):
            found = self._kept(old, self.differentiate(list(new)))
            return self.steps_alone(found) if self.facts.keeps else found
        self.sources = self.plan.sources.get(id(self.scope.function), set())
        statements = self._hoisted(self.differentiate(list(new)))
        self.outside = {id(s) for s in old}
        backwards = [b for i, s in enumerate(statements) if (b := self.backward_in(i, s)) is not None]
        backwards = [] if waits else backwards
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

    def _kept(self, old: Sequence[Statement], new: list[Statement]) -> list[Statement]:
        """Rewrite a block that keeps something for the loss of another function."""
        self.sources = set()
        try:
            return self.recorded_block(old, new)
        except UnportableError as reason:
            self.report.add(self.line(old[0]), "Tensor.backward", LEFT, str(reason))
            mark = cst.EmptyLine(comment=cst.Comment(f"# port: {reason}; see {PAGE}"))
            lines = [*new[0].leading_lines, mark]  # type: ignore[attr-defined]
            return [new[0].with_changes(leading_lines=lines), *new[1:]]

    def _hoisted(self, statements: list[Statement]) -> list[Statement]:
        """Take `loss.backward()` out of `if training:`, where the way to the loss stands in front of the `if`.

        `if training: loss.backward(); step()` becomes `if training: gradients else: the loss alone`, then the `if`.
        """
        found: list[Statement] = []
        for statement in statements:
            moved = self._inside_condition(statement)
            if moved is None:
                found.append(statement)
                continue
            backward, rest = moved
            self.conditions[id(backward)] = code(cst.ensure_type(statement, cst.If).test)
            found += [backward, *([rest] if rest is not None else [])]
        return found

    def _inside_condition(self, statement: Statement) -> tuple[Statement, Statement | None] | None:
        """Return the `backward` of an `if` whose loss is computed in front of it, and the `if` without it."""
        if not isinstance(statement, cst.If) or not is_pure(statement.test):
            return None
        block = statement.body
        if not isinstance(block, cst.IndentedBlock):
            return None
        body = list(block.body)
        at = next((i for i, s in enumerate(body) if self.backward_in(i, s) is not None), len(body))
        if at == len(body) or any(
            not self.is_zero_grad(s) and code(s).strip() != "grads = None" for s in body[:at]
        ):
            return None
        backward, rest = self.backward_in(at, body[at]), body[at + 1 :]
        if backward is None or self.calls_model(backward.loss) or (statement.orelse is not None and not rest):
            return None
        return body[at], statement.with_changes(body=block.with_changes(body=rest)) if rest else None

    def visit_If(self, node: cst.If) -> None:
        if self._inside_condition(node) is not None:
            self._waiting.add(id(node.body))

    def _rewrite(self, statements: list[Statement], backwards: list[Backward]) -> list[Statement]:
        carried = self.carries_gradient(statements)
        for backward in backwards:
            backward.way = self.way_to(statements, backward, carried)
        out: list[Statement | None] = list(statements)
        inserted: dict[int, list[Statement]] = {}
        simple = self.scope.simple
        if backwards and not simple and len(set(self.all_stepped())) > 1 and not self.facts.keeps:
            raise UnportableError("gradients of several optimizers add up over several blocks")
        for number, backward in enumerate(backwards):
            since = backwards[number - 1].at if number else -1
            backward.since = since
            again = sorted(i for i in backward.way if i < since)
            shared = [reads_and_writes(statements[i]) for i in again]
            made = set().union(*[writes for _, writes, _ in shared])
            twice = set().union(*[changes for _, _, changes in shared]) - made
            if twice:
                raise UnportableError(
                    f"{min(twice)} is changed in place by what two losses share, which would happen twice"
                )
            if again:
                self.report.add(
                    self.line(statements[again[0]]), "Tensor.backward", DIFFERS,
                    "what two losses share is computed once for each",
                )  # fmt: skip
            more = number > 0 and self.in_same_step(statements, backwards[number - 1].at, backward.at)
            self._replace(statements, backward, out, inserted, more)
        self.rewrite_steps(statements, out, inserted, simple)
        found: list[Statement] = []
        for i, statement in enumerate(out):
            if statement is not None:
                found.append(statement)
            found += inserted.get(i, [])
        if self.is_closure(self.scope.function) and self.has_training(self.scope.function) and not self.keeps:
            found = [cst.ensure_type(s.visit(_WithGradients()), cst.BaseStatement) for s in found]
        if backwards and self.scope.by_name:
            by_name = ByName(self.scope.by_name)
            found = [each for s in found for each in flattened(by_name.rewritten(s))]
        return found

    def _replace(
        self, statements: Sequence[Statement], backward: Backward, out: list[Statement | None],
        inserted: dict[int, list[Statement]], more: bool,
    ) -> None:  # fmt: skip
        """Put the function of a loss in front, and the call that gives loss and gradients in the place of `backward`."""
        if backward.condition and backward.scaler:
            raise UnportableError("a scaler, and gradients under a condition")
        self.scope.weights = self.weights_for(statements, backward)
        function = self._loss_function(statements, backward)
        names, keeps = self.scope.by_name, self.keeps
        alone = bool(names or backward.condition or keeps)  # nothing adds up
        grads = "grads" if alone or (self.scope.simple and not more) else "new_grads"
        begun = any(self._sets_to_zero(s) for s in statements[: backward.at])
        if grads == "new_grads" and not self.scope.loops and not more and not begun:
            raise UnportableError("gradients add up over several calls of the function")
        target = f"({', '.join(f'{name}_grad' for name in names)},)" if len(names) == 1 else grads
        target = f"({', '.join(f'{name}_grad' for name in names)})" if len(names) > 1 else target
        call = [function.call(target, backward.condition)]
        old = statements[backward.at]
        call[0] = call[0].with_changes(leading_lines=old.leading_lines)  # type: ignore[attr-defined]
        if backward.scaler and not keeps:
            call.append(cst.parse_statement(f"{grads} = {backward.scaler}.unscale({grads})"))
        if keeps:
            call += self.add_kept(self.scope.weights, old, backward.condition)
        if grads == "new_grads":
            call.append(self._sum_of_gradients())
        call = [*self._placed(function, alone), *call]
        later = self.dependent_on(statements, backward)
        out[backward.at] = None
        inserted[backward.at] = [*call, *[statements[i] for i in later]]
        for i in [*backward.way, *later]:
            if i > backward.since:  # others are needed where they stand, too
                out[i] = None
        self.report.add(self.line(old), "Tensor.backward", DONE, f"{function.given} of value_and_grad")

    def _sets_to_zero(self, statement: Statement) -> bool:
        """True if a statement sets gradients to zero, or is what that became."""
        zero = m.Call(func=m.Attribute(attr=m.Name("zero_grad")))
        return bool(m.findall(statement, zero)) or code(statement).strip() == "grads = None"

    def _loss_function(self, statements: Sequence[Statement], backward: Backward) -> LossFunction:
        """Return the function of the statements that lead to a loss."""
        body = [statements[i] for i in backward.way]
        for node in [*body, backward.loss]:
            calls = [dotted(c.func) for c in m.findall(node, m.Call())]  # type: ignore[union-attr]
            self.on_the_way |= {name.rpartition(".")[2] for name in calls if name}
        reads, writes = of_block(body)
        loss = dotted(backward.loss)
        if not loss or "." in loss:
            reads |= reads_and_writes(backward.loss)[0] - writes
            loss = "loss" if "loss" not in writes | self.scope.taken else self.new_name("total_loss")
            bare = backward.loss.with_changes(lpar=(), rpar=())
            body = [*body, cst.parse_statement(f"{loss} = {code(bare)}")]
            writes |= {loss}
        others = self.read_elsewhere(statements, backward, writes) - {loss}
        loop = self._loop_of_training()
        loops = [loop] if loop is not None else self.scope.loops[:1]
        changing = assigned_in(loops[0]) if loops else set()
        arguments = sorted(reads & (changing | writes), key=lambda n: first_place(body, n))
        own = own_statements(self.scope.function)
        sure = surely_bound(own) | set(_parameters(self.scope.function))
        return LossFunction(
            name=self.new_name("forward" if loss == "loss" else f"forward_{loss}"),
            gradient=self.new_name("grad_fn" if loss == "loss" else f"grad_fn_{loss}"),
            loss=loss,
            arguments=arguments,
            results=sorted(others, key=lambda n: first_place(body, n)),
            body=[each for s in without_blank_lines(body) for each in flattened(self.detached_statement(s))],
            scaler=backward.scaler,
            unsure=frozenset(set(arguments) & of_block(own)[1] - sure),  # type: ignore[arg-type]
        )

    def _placed(self, function: LossFunction, alone: bool) -> list[Statement]:
        """Put the function in front of a loop, or return its definitions, which stand in front of the call."""
        aux = ", has_aux=True" if function.has_aux else ""
        recorded = any(map(self.reads_source, function.body))
        value_and_grad = self.facts.ours("recorded_value_and_grad(" if recorded else "ms.value_and_grad(")
        text = f"{function.gradient} = {value_and_grad}{function.name}, None, {self.scope.weights}{aux})"
        definitions = [function.definition(), cst.parse_statement(text)]
        self.needed.add("record" if recorded else "ms")
        loop = self._loop_of_training()
        if loop is None:
            return definitions
        before = self.scope.before.setdefault(id(loop), [])
        begun = any("grads = None" in code(s) for s in before)
        if not self.scope.simple and not alone and not begun:
            definitions.append(cst.parse_statement("grads = None"))
        before += definitions
        return []

    def _loop_of_training(self) -> Loop | None:
        """Return the outermost loop that trains the same parameters: not that of folds, each of which makes a net."""
        if self.facts.adds_groups:
            return None  # `optimizer.parameters` grow
        weights = ", ".join([self.scope.weights, *self.scope.by_name])
        return next((loop for loop in self.scope.loops if not binds_any(loop, weights)), None)

    def _sum_of_gradients(self) -> Statement:
        self.needed.add("ops")
        added = self.facts.ours("tuple(map(ops.add, grads, new_grads))")
        if self.scope.simple:
            return cst.parse_statement(f"grads = {added}")
        return cst.parse_statement(f"grads = new_grads if grads is None else {added}")


def _parameters(function: cst.FunctionDef | cst.Module) -> list[str]:
    """Return the names of a function's parameters."""
    if isinstance(function, cst.Module):
        return []
    return [cst.ensure_type(p, cst.Param).name.value for p in m.findall(function.params, m.Param())]


class _WithGradients(cst.CSTTransformer):
    """`return loss` of a closure becomes `return loss, grads`."""

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def leave_Return(self, original_node: cst.Return, updated_node: cst.Return) -> cst.Return:
        if updated_node.value is None or code(updated_node.value).endswith(", grads"):
            return updated_node
        return updated_node.with_changes(value=parse(f"{code(closed(updated_node.value))}, grads"))
