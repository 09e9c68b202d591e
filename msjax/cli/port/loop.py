"""The training step: `zero_grad`, `backward` and `step` become a function, its gradients and an optimizer's call.

PyTorch keeps gradients in the parameters, MindSpore gives them as results. What leads to a loss becomes a function in
front of the loop; `backward()` becomes the call that gives the loss and the gradients; `step()` gets the gradients.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import libcst as cst
from libcst import matchers as m

from msjax.cli.port.facts import MODEL_NAMES, MODULE, OPTIMIZER, PARAMETER, QUIET, Facts, dotted
from msjax.cli.port.flow import (
    Detach,
    Statement,
    assigned_value,
    flattened,
    of_block,
    only_call,
    reads_and_writes,
    with_gradient,
)
from msjax.cli.port.gradients import ByName, GradientRewriter
from msjax.cli.port.patterns import UnportableError, closed, code, parse
from msjax.cli.port.report import DIFFERS, DONE, LEFT, PAGE, Report

_CLIP = {
    "torch.nn.utils.clip_grad_norm_": "ops.clip_by_global_norm({grads}, {limit})",
    "torch.nn.utils.clip_grad_norm": "ops.clip_by_global_norm({grads}, {limit})",
    "torch.nn.utils.clip_grad_value_": "ops.clip_by_value({grads}, -{limit}, {limit})",
}
Loop = cst.For | cst.While


@dataclass
class _Backward:
    """One `backward()` in a block."""

    at: int
    loss: cst.BaseExpression
    scaler: str = ""
    slice: list[int] = field(default_factory=list)
    since: int = -1  # where the one before it stands
    condition: str = ""  # under which it stands, while the way to the loss is computed either way


class LoopRewriter(GradientRewriter):
    """Rewrites training steps.

    Args:
        facts: what is known about the program.
        report: where decisions go.
        lines: the line in the input, of nodes that are the input's own.
    """

    def __init__(self, facts: Facts, report: Report, lines: dict[cst.CSTNode, int]) -> None:
        super().__init__(facts, report, lines)
        self.on_the_way: set[str] = set()  # the functions that are called on the way to a loss
        self._functions: list[cst.FunctionDef | cst.Module] = []
        self._loops: list[list[Loop]] = [[]]
        self._before: list[list[Statement]] = [[]]  # what goes in front of the outermost loop
        self._simple: list[bool] = []  # of each function: each step uses the gradients of its own block alone
        self._outside: set[int] = set()  # the statements of the block at hand, as they are in the input
        self._weights_of: list[str] = []  # of each function, the parameters of its gradients
        self._together: list[
            list[str]
        ] = []  # of each function, optimizers that share the gradients of one loss
        self._by_name: list[list[str]] = []  # of each function, Tensors whose `.grad` it reads
        self._waiting: set[int] = set()  # blocks whose `backward` belongs to the block around them
        self._conditions: dict[int, str] = {}  # of a `backward` that stood in an `if`, the condition

    # ------------------------------------------------------------------ where we are

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Look at statements as wholes: what is not visited stays the same node, whose line and names are known."""
        if isinstance(node, cst.SimpleStatementLine | cst.BaseExpression):
            return False
        return super().on_visit(node)

    def visit_Module(self, node: cst.Module) -> None:
        self._functions.append(node)
        self._simple.append(self._is_simple(node))
        self._together.append([])
        self._by_name.append([])
        self._weights_of.append("")
        self.taken.append(set().union(*of_block(_own(node))))

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._functions.append(node)
        self._simple.append(self._is_simple(node))
        self._together.append([])
        self._by_name.append([])
        self._weights_of.append("")
        self.taken.append(set().union(*of_block(_own(node))))
        self._loops.append([])
        self._before.append([])

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        self._functions.pop()
        self._together.pop()
        self._by_name.pop()
        self._simple.pop()
        self.taken.pop()
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
        if not self._has_training(self._functions[-1]):
            return self.differentiate(list(new))
        statements = self._hoisted(self.differentiate(list(new)))
        self._outside = {id(s) for s in old}
        backwards = [b for i, s in enumerate(statements) if (b := self._backward(i, s)) is not None]
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
            self._conditions[id(backward)] = code(cst.ensure_type(statement, cst.If).test)
            found += [backward, *([rest] if rest is not None else [])]
        return found

    def _inside_condition(self, statement: Statement) -> tuple[Statement, Statement | None] | None:
        """Return the `backward` of an `if` whose loss is computed in front of it, and the `if` without it."""
        if not isinstance(statement, cst.If) or not _is_pure(statement.test):
            return None
        block = statement.body
        if not isinstance(block, cst.IndentedBlock):
            return None
        body = list(block.body)
        at = next((i for i, s in enumerate(body) if self._backward(i, s) is not None), len(body))
        if at == len(body) or any(
            not self._is_zero_grad(s) and code(s).strip() != "grads = None" for s in body[:at]
        ):
            return None
        backward, rest = self._backward(at, body[at]), body[at + 1 :]
        if (
            backward is None
            or self._calls_model(backward.loss)
            or (statement.orelse is not None and not rest)
        ):
            return None
        return body[at], statement.with_changes(body=block.with_changes(body=rest)) if rest else None

    def visit_If(self, node: cst.If) -> None:
        if self._inside_condition(node) is not None:
            self._waiting.add(id(node.body))

    def _has_training(self, node: cst.CSTNode) -> bool:
        return any(
            m.findall(s, m.Call(func=m.Attribute(attr=m.Name("backward")))) or self._steps_closure(s)
            for s in _own(node)
        )

    def _steps_closure(self, node: cst.CSTNode) -> bool:
        """True if a node calls `optimizer.step(closure)`."""
        calls = m.findall(node, m.Call(func=m.Attribute(attr=m.Name("step")), args=[m.Arg()]))
        return bool(self._stepped(node)) and any(
            dotted(c.args[0].value) in self.facts.closures  # type: ignore[union-attr]
            and self.facts.kinds.get(dotted(c.func.value), OPTIMIZER) == OPTIMIZER  # type: ignore[union-attr]
            for c in calls
        )

    def _maker(self, holder: str) -> set[str]:
        """Return PyTorch's functions that make what a name holds, in this function or in the program."""
        own = {
            self.facts.torch_name(a.value.func)  # type: ignore[union-attr]
            for s in _own(self._functions[-1])
            for a in m.findall(s, m.Assign(value=m.Call()))
            if holder in [dotted(t.target) for t in a.targets]  # type: ignore[union-attr]
        }
        return own or self.facts.makers.get(holder, set())

    def _with_closure(self, holder: str, closure: str, target: str) -> list[Statement]:
        """`optimizer.step(closure)`, where `closure` gives the loss and the gradients."""
        makers = self._maker(holder)
        if not makers or "" in makers or "torch.optim.LBFGS" in makers:
            raise UnportableError("an optimizer that calls a closure, and is not known here")
        return [
            cst.parse_statement(f"{target or '_'}, grads = {closure}()"),
            cst.parse_statement(f"{holder}(grads)"),
        ]

    def _backward(self, at: int, statement: Statement) -> _Backward | None:
        call = only_call(statement)
        if call is None or not m.matches(call.func, m.Attribute(attr=m.Name("backward"))):
            return None
        loss = cst.ensure_type(call.func, cst.Attribute).value
        if (
            isinstance(loss, cst.Call)
            and isinstance(loss.func, cst.Attribute)
            and loss.func.attr.value == "scale"
        ):
            return _Backward(
                at,
                loss.args[0].value,
                dotted(loss.func.value),
                condition=self._conditions.get(id(statement), ""),
            )
        return _Backward(at, loss, condition=self._conditions.get(id(statement), ""))

    def _rewrite(self, statements: list[Statement], backwards: list[_Backward]) -> list[Statement]:
        carried = self._carries_gradient(statements)
        for backward in backwards:
            backward.slice = self._slice(statements, backward, carried)
        out: list[Statement | None] = list(statements)
        inserted: dict[int, list[Statement]] = {}
        simple = self._simple[-1]
        if backwards and not simple and len(set(self._all_stepped())) > 1:
            raise UnportableError("gradients of several optimizers add up over several blocks")
        for number, backward in enumerate(backwards):
            since = backwards[number - 1].at if number else -1
            backward.since = since
            again = sorted(i for i in backward.slice if i < since)
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
            more = number > 0 and self._same_step(statements, backwards[number - 1].at, backward.at)
            self._replace(statements, backward, out, inserted, "more" if more else "first", simple)
        self._steps(statements, out, inserted, simple)
        found: list[Statement] = []
        for i, statement in enumerate(out):
            if statement is not None:
                found.append(statement)
            found += inserted.get(i, [])
        if self._is_closure(self._functions[-1]) and self._has_training(self._functions[-1]):
            found = [cst.ensure_type(s.visit(_WithGradients()), cst.BaseStatement) for s in found]
        if backwards and self._by_name[-1]:
            by_name = ByName(self._by_name[-1])
            found = [each for s in found for each in flattened(by_name.rewritten(s))]
        return found

    # ------------------------------------------------------------------ what leads to a loss

    def _carries_gradient(self, statements: Sequence[Statement]) -> list[bool]:
        """For each statement of a block: does it compute something that depends on parameters?"""
        names: set[str] = set()
        found = []
        for statement in statements:
            reads, writes, changes = reads_and_writes(statement)
            quiet = self._is_quiet(statement)
            own = bool(reads & names) or (not quiet and self._calls_model(statement))
            call = only_call(statement)
            attr = call.func.attr.value if call is not None and isinstance(call.func, cst.Attribute) else ""
            if attr in ("backward", "step", "zero_grad", "update", "unscale_", "train", "eval"):
                own = False
            found.append(own)
            if own and not quiet and not self._without_gradient(statement):
                names |= writes | changes
        return found

    def _is_quiet(self, node: cst.CSTNode) -> bool:
        """True for a block of `with torch.no_grad()`: what it computes is a constant of the loss."""
        if not isinstance(node, cst.With):
            return False
        funcs = [getattr(item.item, "func", item.item) for item in node.items]
        return any(self.facts.torch_name(func) in QUIET for func in funcs)

    def _detached(self, statement: Statement) -> Statement | cst.FlattenSentinel:
        """A statement of a function of the loss, with `stop_gradient` in place of `no_grad`."""
        quiet = {node for node in m.findall(statement, m.With()) if self._is_quiet(node)}
        if not quiet:
            return statement
        self.needed.add("ops")
        self.report.add(self.line(statement), "torch.no_grad", DONE, "stop_gradient of what it computes")
        stop = self.facts.ours("ops.stop_gradient")
        return statement.visit(Detach(quiet, stop))  # type: ignore[return-value]

    def _without_gradient(self, statement: Statement) -> bool:
        """True for `x = y.item()`: its results carry no gradient."""
        value = assigned_value(statement)
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
                or name.removeprefix("self.") in self.facts.model_functions
                or self.facts.is_method_of_module(name)
            ):
                return True
        if isinstance(node, cst.FunctionDef):
            return False
        names = reads_and_writes(node)[0]
        grows = ".requires_grad = True" in code(node) or ".requires_grad_(" in code(node)
        return not grows and any(self.facts.kinds.get(n) == PARAMETER for n in names)

    def _slice(self, statements: Sequence[Statement], backward: _Backward, carried: list[bool]) -> list[int]:
        """Return the statements that compute a loss from the parameters, in order."""
        needed = with_gradient(backward.loss)
        found: list[int] = []
        for i in range(backward.at - 1, -1, -1):
            if not carried[i]:
                continue
            reads, writes, changes = reads_and_writes(statements[i])
            if (writes | changes) & needed:
                found.insert(0, i)
                if isinstance(statements[i], cst.SimpleStatementLine):
                    needed -= writes - reads - changes
                needed |= reads & with_gradient(statements[i])
        in_place = self._calls_model(backward.loss)
        if not any(self._calls_model(statements[i]) for i in found) and not in_place:
            raise UnportableError("what leads to the loss is not in this block: compute it in one function")
        for i in found:
            if isinstance(statements[i], cst.FunctionDef):
                continue
            jumps = m.findall(statements[i], m.Return() | m.Yield() | m.Break() | m.Continue())
            if any(isinstance(j, cst.Return | cst.Yield) for j in jumps):
                raise UnportableError("the way to the loss leaves the function")
            for quiet in m.findall(statements[i], m.With()):
                if self._is_quiet(quiet) and reads_and_writes(quiet)[2] & needed:
                    raise UnportableError("a change in place under no_grad on the way to the loss")
        return found

    # ------------------------------------------------------------------ the new statements

    def _replace(
        self, statements: Sequence[Statement], backward: _Backward, out: list[Statement | None],
        inserted: dict[int, list[Statement]], part: str, simple: bool,
    ) -> None:  # fmt: skip
        body = [statements[i] for i in backward.slice]
        reads, writes = of_block(body)
        for node in [*body, backward.loss]:
            calls = [dotted(c.func) for c in m.findall(node, m.Call())]  # type: ignore[union-attr]
            self.on_the_way |= {name.rpartition(".")[2] for name in calls if name}
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
        name = self.new_name("forward" if loss == "loss" else f"forward_{loss}")
        grad_fn = self.new_name("grad_fn" if loss == "loss" else f"grad_fn_{loss}")
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
        body = [each for s in body for each in flattened(self._detached(s))]
        function = function.with_changes(
            body=function.body.with_changes(body=[*body, *function.body.body])  # type: ignore[attr-defined]
        )
        weights = self._weights(statements, backward)
        self._weights_of[-1] = weights
        aux = ", has_aux=True" if len(returned) > 1 else ""
        value_and_grad = self.facts.ours("ms.value_and_grad")
        made = cst.parse_statement(f"{grad_fn} = {value_and_grad}({name}, None, {weights}{aux})")
        self.needed |= {"ms"}
        names = self._by_name[-1]
        fresh = bool(names or backward.condition)  # nothing adds up
        accumulates = not fresh and (part == "more" or not simple)
        grads = "new_grads" if accumulates else "grads"
        if names:
            grads = ", ".join(f"{name}_grad" for name in names)
            grads = f"({grads})" if len(names) > 1 else f"({grads},)"
        given = f"{grad_fn}({', '.join(arguments)})"
        values = ", ".join(["_", loss, *results]) if backward.scaler else ", ".join([loss, *results])
        target = f"({values}), {grads}" if aux else f"{values}, {grads}"
        call: list[Statement] = [cst.parse_statement(f"{target} = {given}")]
        if backward.condition:
            plain = f"{', '.join([loss, *results])} = {name}({', '.join(arguments)})"
            text = f"if {backward.condition}:\n    {target} = {given}\nelse:\n    {plain}\n"
            call = [cst.parse_statement(text)]
            if backward.scaler:
                raise UnportableError("a scaler, and gradients under a condition")
        if backward.scaler:
            call.append(cst.parse_statement(f"{grads} = {backward.scaler}.unscale({grads})"))
        if accumulates:
            self.needed |= {"ops"}
            added = self.facts.ours("tuple(map(ops.add, ") + f"grads, {grads}))"
            text = f"grads = {added}" if simple else f"grads = {grads} if grads is None else {added}"
            call.append(cst.parse_statement(text))
        old = statements[backward.at]
        call[0] = call[0].with_changes(leading_lines=old.leading_lines)  # type: ignore[attr-defined]
        inside = set(names) & changing  # Tensors that are made anew in each round
        if loops and not inside:
            definitions: list[Statement] = [function, made]
            if not simple and not fresh and not any("grads = None" in code(s) for s in self._before[-1]):
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
        self.report.add(self.line(old), "Tensor.backward", DONE, f"{given} of value_and_grad")

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
                if rest and of_block(rest)[0] & (writes | changes):
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
        slice_reads, _ = of_block([statements[i] for i in backward.slice])
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
            return self._of_several(list(dict.fromkeys(found)))
        if found:
            return f"{found[0]}.parameters"
        by_name = self._read_by_name(statements, backward)
        if by_name:
            return by_name
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
            holder = dotted(call.func.value)  # type: ignore[union-attr]
            closure = self._is_closure(self._functions[-1])
            optimizer = self.facts.kinds.get(holder) == OPTIMIZER or (closure and "opt" in holder.lower())
            return f"{holder}.parameters" if optimizer else f"{holder}.trainable_params()"
        raise UnportableError("there is no optimizer, nor a model whose gradients are set to zero")

    def _of_several(self, optimizers: list[str]) -> str:
        """Return the parameters of several optimizers, each of which gets its part of the gradients of one loss."""
        calls = [
            c
            for s in _own(self._functions[-1])
            for c in m.findall(s, m.Call(func=m.Attribute(attr=m.Name("backward"))))
        ]
        if len(calls) > 1 or not self._simple[-1]:
            raise UnportableError("which optimizer gets these gradients is not clear")
        self._together[-1] = optimizers
        return f"[{', '.join(f'*{each}.parameters' for each in optimizers)}]"

    def _part(self, optimizer: str) -> str:
        """Return the gradients that an optimizer gets."""
        together = self._together[-1]
        if optimizer not in together:
            return "grads"
        sizes = [f"len({each}.parameters)" for each in together]
        at = together.index(optimizer)
        first = " + ".join(sizes[:at])
        last = " + ".join(sizes[: at + 1]) if at + 1 < len(together) else ""
        return f"grads[{first}:{last}]"

    def _read_by_name(self, statements: Sequence[Statement], backward: _Backward) -> str:
        """Return the Tensors whose `.grad` the function reads itself: `w -= 0.1 * w.grad`."""
        text = "\n".join(code(s) for s in _own(self._functions[-1]))
        body = [statements[i] for i in backward.slice]
        reads = of_block(body)[0] | {n.value for n in m.findall(backward.loss, m.Name())}  # type: ignore[union-attr]
        names = [
            name
            for name in sorted(reads, key=lambda n: _first_place([*body, backward.loss], n))
            if self.facts.kinds.get(name) == PARAMETER and re.search(rf"\b{re.escape(name)}\.grad\b", text)
        ]
        for name in names if self._loops[-1] else ():
            zeroed = rf"\b{name}\.grad(\.data)?(\.zero_\(\)| = None)"
            if name not in _assigned_in(self._loops[-1][0]) and not re.search(zeroed, text):
                raise UnportableError(f"the gradients of `{name}` add up")
        self._by_name[-1] = names
        return f"[{', '.join(names)}]" if names else ""

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
        call = only_call(statement)
        return call is not None and m.matches(call.func, m.Attribute(attr=m.Name("zero_grad")))

    def _same_step(self, statements: Sequence[Statement], first: int, second: int) -> bool:
        return not any(self._stepped(s) or self._is_zero_grad(s) for s in statements[first:second])

    def _is_closure(self, function: cst.CSTNode) -> bool:
        """True for a function that an optimizer's `step` calls."""
        return isinstance(function, cst.FunctionDef) and function.name.value in self.facts.closures

    def _is_simple(self, function: cst.CSTNode) -> bool:
        """True if each block that computes gradients sets them to zero and uses them, and no other block does."""
        if self._is_closure(function):
            return True
        found: list[tuple[bool, bool, bool]] = []
        for body in _blocks(function):
            calls = [c for s in body if (c := only_call(s)) is not None and isinstance(c.func, cst.Attribute)]
            names = {c.func.attr.value for c in calls}  # type: ignore[union-attr]
            steps = any(
                self._stepped(s) and not self._steps_closure(s) for s in body if only_call(s) is not None
            )
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
        if self._by_name[-1] and self._is_zero_grad(statement):
            return []
        if isinstance(statement, cst.For):
            return self._update_by_hand(statement)
        if isinstance(statement, cst.SimpleStatementLine) and self._steps_closure(statement):
            holder = self._stepped(statement)[0]
            if self._maker(holder) == {"torch.optim.LBFGS"}:
                self.facts.lbfgs.add(holder)  # the class that the file gets is called as PyTorch's
                self.report.add(
                    self.line(statement), "LBFGS.step", DONE, "of a closure that gives gradients, too"
                )
                return None
        call = only_call(statement)
        target = ""
        if call is None:
            value = assigned_value(statement)
            if not isinstance(value, cst.Call):
                return None
            call = value
            target = code(cst.ensure_type(statement.body[0], cst.Assign).targets[0].target)  # type: ignore[attr-defined]
        name = self.facts.torch_name(call.func)
        if name in _CLIP and name.endswith(("norm_", "norm")) and self._in_part(call):
            return self._clip_in_part(statement, call, target)
        if name in _CLIP:
            limit = self._limit(call)
            self.needed |= {"ops"}
            self.report.add(self.line(statement), name, DONE, _CLIP[name].partition("(")[0])
            new = ["grads = " + self.facts.ours(_CLIP[name]).format(grads="grads", limit=limit)]
            if target:
                norm = self.facts.ours("ops.sqrt(sum(ops.sum(grad * grad) for grad in grads))")
                new.insert(0, f"{target} = {norm}")
            return [cst.parse_statement(line) for line in new]
        if isinstance(call.func, cst.Attribute) and call.args and self._steps_closure(statement):
            holder, closure = dotted(call.func.value), code(call.args[0].value)
            new_step = self._with_closure(holder, closure, target)
            self.report.add(self.line(statement), "Optimizer.step", DONE, "of a closure")
            return new_step
        if not isinstance(call.func, cst.Attribute) or target:
            return None
        attr, holder = call.func.attr.value, dotted(call.func.value)
        scales = "scaler" in holder.lower()
        if attr == "zero_grad":
            self.report.add(self.line(statement), "zero_grad", DONE, "gradients are results")
            return [] if simple else [cst.parse_statement("grads = None")]
        if attr == "step" and scales and self._together[-1]:
            raise UnportableError("a scaler, and several optimizers that share gradients")
        if attr == "step" and scales:
            self.needed |= {"ms"}
            self.report.add(self.line(statement), "GradScaler.step", DONE, "all_finite")
            optimizer = code(call.args[0].value)
            return list(
                cst.parse_module(
                    self.facts.ours("finite = ms.amp.all_finite(grads)\n")
                    + f"if finite:\n    {optimizer}(grads)\n"
                ).body
            )  # type: ignore[arg-type]
        if attr == "update" and scales:
            self.report.add(self.line(statement), "GradScaler.update", DONE, "adjust")
            return [cst.parse_statement(f"{holder}.adjust(finite)")]
        if attr == "unscale_" and scales:
            return []
        if attr == "step" and self._stepped(statement):
            if call.args:
                raise UnportableError("an optimizer that calls a closure")
            given = f"{holder}({self._part(holder)})"
            self.report.add(self.line(statement), "Optimizer.step", DONE, given)
            return [cst.parse_statement(given)]
        known = self.facts.kinds.get(holder, MODULE) != MODULE or any(
            word in holder.lower() for word in ("sched", "lr", "prof")
        )
        if attr == "step" and not call.args and not known:
            self.report.add(
                self.line(statement), "step", LEFT, f"whether `{holder}` is an optimizer is not known"
            )
        return None

    def _in_part(self, call: cst.Call) -> bool:
        """True if not all gradients at hand are clipped together by their norm of order 2."""
        given = _given(call)
        order = code(given["norm_type"]) if "norm_type" in given else "2"
        optimizer = self._weights_of[-1].removesuffix(".parameters")
        chosen = code(given["parameters"]).removeprefix("self.")
        every = self.facts.optimizes.get(optimizer, chosen).removeprefix("self.")
        part = "." in chosen.removesuffix(".parameters()").removesuffix(".module") and every == chosen
        part = part and optimizer not in self.facts.optimizes
        several = len(self._clipped()) > 1 or bool(self._together[-1])
        return not self._by_name[-1] and (order not in ("2", "2.0") or every != chosen or part or several)

    def _clipped(self) -> set[str]:
        """Return what the function at hand clips gradients of."""
        return {
            code(c.args[0].value)  # type: ignore[union-attr]
            for s in _own(self._functions[-1])
            for c in m.findall(s, m.Call())
            if self.facts.torch_name(c.func) in _CLIP and c.args  # type: ignore[union-attr]
        }

    def _clip_in_part(self, statement: Statement, call: cst.Call, target: str) -> list[Statement]:
        given = _given(call)
        limit = next((given[n] for n in ("limit", "max_norm") if n in given), None)
        if limit is None or not self._weights_of[-1]:
            raise UnportableError("gradients are clipped, and which is not known")
        chosen = code(given["parameters"]).replace(".parameters()", ".trainable_params()")
        order = f", {code(given['norm_type'])}" if "norm_type" in given else ""
        self.needed.add("clip_grad_norm")
        self.report.add(self.line(statement), "clip_grad_norm_", DONE, "clip_grad_norm of a part")
        made = (
            self.facts.ours("clip_grad_norm(")
            + f"grads, {self._weights_of[-1]}, {chosen}, {code(limit)}{order})"
        )
        return [cst.parse_statement(f"grads, {target or '_'} = {made}")]

    def _limit(self, call: cst.Call) -> str:
        """The limit of `clip_grad_norm_(net.parameters(), limit)`."""
        given = _given(call)
        limit = next((given[n] for n in ("limit", "max_norm", "clip_value") if n in given), None)
        if limit is None:
            raise UnportableError("gradients are clipped, and the limit is not known")
        order = code(given["norm_type"]) if "norm_type" in given else "2"
        if order not in ("2", "2.0"):
            raise UnportableError(
                f"gradients are clipped by their norm of order {order}; MindSpore's is of order 2"
            )
        owners = self._clipped()
        holder = code(given["parameters"]).removesuffix(".parameters()").removeprefix("self.")
        if len(owners) > 1 or self._together[-1] or "." in holder.removesuffix(".module"):
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
        self.report.add(self.line(statement), "Parameter.grad", DONE, "of the gradients that are results")
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
        self.report.add(self.line(statement), "Parameter.grad", DONE, "a tuple of gradients")
        text = f"grads = tuple({name}_grad {sign} {code(closed(change.value))} for {name}_grad in grads)"
        return [cst.parse_statement(text)]


class _WithGradients(cst.CSTTransformer):
    """`return loss` of a closure becomes `return loss, grads`."""

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def leave_Return(self, original_node: cst.Return, updated_node: cst.Return) -> cst.Return:
        if updated_node.value is None or code(updated_node.value).endswith(", grads"):
            return updated_node
        return updated_node.with_changes(value=parse(f"{code(closed(updated_node.value))}, grads"))


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


def _assigned_in(loop: Loop) -> set[str]:
    """All names that a loop binds or changes."""
    _, writes, _ = reads_and_writes(loop)
    return writes


def _given(call: cst.Call) -> dict[str, cst.BaseExpression]:
    """Return the arguments of `clip_grad_norm_` by name."""
    names = ("parameters", "limit", "norm_type")
    by_position = [a.value for a in call.args if not a.keyword]
    return dict(zip(names, by_position, strict=False)) | {
        a.keyword.value: a.value for a in call.args if a.keyword is not None
    }


def _is_pure(node: cst.BaseExpression) -> bool:
    """True for a condition that may be computed twice."""
    return not m.findall(node, m.Call() | m.NamedExpr() | m.Await())


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
