"""Statements about gradients: `zero_grad`, `step`, clipping, scalers, and updates by hand."""

import re
from collections.abc import Sequence

import libcst as cst
from libcst import matchers as m

from msjax.cli.port.facts import MODULE, dotted
from msjax.cli.port.flow import Statement, assigned_value, only_call
from msjax.cli.port.patterns import UnportableError, closed, code, parse
from msjax.cli.port.report import DIFFERS, DONE, LEFT
from msjax.cli.port.training.blocks import own_statements
from msjax.cli.port.training.optimizers import OptimizerFinder

_CLIP = {
    "torch.nn.utils.clip_grad_norm_": "ops.clip_by_global_norm({grads}, {limit})",
    "torch.nn.utils.clip_grad_norm": "ops.clip_by_global_norm({grads}, {limit})",
    "torch.nn.utils.clip_grad_value_": "ops.clip_by_value({grads}, -{limit}, {limit})",
}


class StepRewriter(OptimizerFinder):
    """Rewrites the statements about gradients in a block."""

    def rewrite_steps(
        self, statements: Sequence[Statement], out: list[Statement | None], inserted: dict[int, list[Statement]],
        simple: bool,
    ) -> None:  # fmt: skip
        for i, statement in enumerate(statements):
            if out[i] is None:
                continue
            new = self.rewrite_step(statement, simple)
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

    def rewrite_step(self, statement: Statement, simple: bool) -> list[Statement] | None:
        """Rewrite a statement about gradients; return None if it is about something else."""
        if self.scope.by_name and self.is_zero_grad(statement):
            return []
        if isinstance(statement, cst.For):
            return self._update_by_hand(statement)
        if isinstance(statement, cst.SimpleStatementLine) and self.steps_closure(statement):
            holder = self.stepped_in(statement)[0]
            if self.makers_of(holder) == {"torch.optim.LBFGS"}:
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
        if name in _CLIP:
            self.report_unchecked_clip(statement, call)
        if name in _CLIP and name.endswith(("norm_", "norm")) and self.in_part(call):
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
        if isinstance(call.func, cst.Attribute) and call.args and self.steps_closure(statement):
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
        if attr == "step" and scales and self.scope.together:
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
        if attr == "step" and self.stepped_in(statement):
            if call.args:
                raise UnportableError("an optimizer that calls a closure")
            given = f"{holder}({self.part_of_gradients(holder)})"
            self.report.add(self.line(statement), "Optimizer.step", DONE, given)
            return [cst.parse_statement(given)]
        self.report_unknown_step(statement, call)
        return None

    def report_unknown_step(self, statement: Statement, call: cst.Call) -> None:
        """Report `x.step()` where `x` may be an optimizer."""
        func = cst.ensure_type(call.func, cst.Attribute)
        holder = dotted(func.value)
        known = self.facts.kinds.get(holder, MODULE) != MODULE or any(
            word in holder.lower() for word in ("sched", "lr", "prof")
        )
        if func.attr.value == "step" and not call.args and not known:
            self.report.add(
                self.line(statement), "step", LEFT, f"whether `{holder}` is an optimizer is not known"
            )

    def _with_closure(self, holder: str, closure: str, target: str) -> list[Statement]:
        """`optimizer.step(closure)`, where `closure` gives the loss and the gradients."""
        makers = self.makers_of(holder)
        if not makers or "" in makers or "torch.optim.LBFGS" in makers:
            raise UnportableError("an optimizer that calls a closure, and is not known here")
        return [
            cst.parse_statement(f"{target or '_'}, grads = {closure}()"),
            cst.parse_statement(f"{holder}(grads)"),
        ]

    def report_unchecked_clip(self, statement: Statement, call: cst.Call) -> None:
        """Report a call that was to raise for gradients that are not finite: nothing checks them here."""
        checks = _given(call).get("error_if_nonfinite")
        if checks is not None and code(checks) != "False":
            note = "no error for gradients that are infinite or NaN (`error_if_nonfinite`)"
            self.report.add(self.line(statement), "clip_grad_norm_", DIFFERS, note)

    def in_part(self, call: cst.Call) -> bool:
        """True if not all gradients at hand are clipped together by their norm of order 2."""
        given = _given(call)
        order = code(given["norm_type"]) if "norm_type" in given else "2"
        optimizer = self.scope.weights.removesuffix(".parameters")
        chosen = code(given["parameters"]).removeprefix("self.")
        every = self.facts.optimizes.get(optimizer, chosen).removeprefix("self.")
        part = "." in chosen.removesuffix(".parameters()").removesuffix(".module") and every == chosen
        part = part and optimizer not in self.facts.optimizes
        several = len(self.clipped()) > 1 or bool(self.scope.together)
        return not self.scope.by_name and (order not in ("2", "2.0") or every != chosen or part or several)

    def clipped(self) -> set[str]:
        """Return what the function at hand clips gradients of."""
        return {
            code(c.args[0].value)  # type: ignore[union-attr]
            for s in own_statements(self.scope.function)
            for c in m.findall(s, m.Call())
            if self.facts.torch_name(c.func) in _CLIP and c.args  # type: ignore[union-attr]
        }

    def _clip_in_part(self, statement: Statement, call: cst.Call, target: str) -> list[Statement]:
        given = _given(call)
        limit = next((given[n] for n in ("limit", "max_norm") if n in given), None)
        if limit is None or not self.scope.weights:
            raise UnportableError("gradients are clipped, and which is not known")
        chosen = code(given["parameters"]).replace(".parameters()", ".trainable_params()")
        order = f", {code(given['norm_type'])}" if "norm_type" in given else ""
        self.needed.add("clip_grad_norm")
        self.report.add(self.line(statement), "clip_grad_norm_", DONE, "clip_grad_norm of a part")
        made = (
            self.facts.ours("clip_grad_norm(")
            + f"grads, {self.scope.weights}, {chosen}, {code(limit)}{order})"
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
        owners = self.clipped()
        holder = code(given["parameters"]).removesuffix(".parameters()").removeprefix("self.")
        if len(owners) > 1 or self.scope.together or "." in holder.removesuffix(".module"):
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
        weights = self.scope.weights or own
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
        if m.findall(change.value, m.Name(name)):
            raise UnportableError("gradients that are changed by their parameters: they are a tuple here")
        sign = code(change.operator).strip().removesuffix("=")
        self.report.add(self.line(statement), "Parameter.grad", DONE, "a tuple of gradients")
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


def _given(call: cst.Call) -> dict[str, cst.BaseExpression]:
    """Return the arguments of `clip_grad_norm_` by name."""
    names = ("parameters", "limit", "norm_type")
    by_position = [a.value for a in call.args if not a.keyword]
    return dict(zip(names, by_position, strict=False)) | {
        a.keyword.value: a.value for a in call.args if a.keyword is not None
    }
