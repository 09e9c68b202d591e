"""Gradients that parameters keep, for programs in which other functions than that with `backward` read `p.grad`.

`backward()` becomes the gradients of a function, which `add_gradients` adds to those that the parameters keep; `zero_grad`,
clipping and `step` work on these, as PyTorch's do. It says more than a program needs that uses its gradients where they are
computed, so it is for those alone that do not.
"""

from collections.abc import Sequence

import libcst as cst
from libcst import matchers as m

from msjax.cli.port.facts import MODULE, OPTIMIZER, dotted
from msjax.cli.port.flow import Statement, assigned_value, only_call
from msjax.cli.port.patterns import UnportableError, code
from msjax.cli.port.report import DIFFERS, DONE
from msjax.cli.port.training.blocks import Backward, own_statements
from msjax.cli.port.training.steps import StepRewriter

_CLIPS = {
    "torch.nn.utils.clip_grad_norm_": "clip_gradients",
    "torch.nn.utils.clip_grad_norm": "clip_gradients",
    "torch.nn.utils.clip_grad_value_": "clip_gradient_values",
}
_NAMES = {"max_norm": "limit", "clip_value": "limit", "norm_type": "order"}


class KeptGradients(StepRewriter):
    """Rewrites the statements about gradients that parameters keep."""

    @property
    def keeps(self) -> bool:
        """True if the gradients of the function at hand are kept by its parameters."""
        return self.facts.keeps and not self.scope.by_name

    def weights_for(self, statements: Sequence[Statement], backward: Backward) -> str:
        """Return the parameters that the gradients are for; those of the one module on the way, if no optimizer is here."""
        try:
            found = super().weights_for(statements, backward)
        except UnportableError:
            if not self.facts.keeps:
                raise
            found = self._weights_on_the_way(statements, backward)
            if not found:
                raise
        return found

    def of_several(self, optimizers: list[str]) -> str:
        """Return the parameters of several optimizers."""
        if not self.facts.keeps:
            return super().of_several(optimizers)
        return f"[{', '.join(f'*{each}.parameters' for each in optimizers)}]"

    def _weights_on_the_way(self, statements: Sequence[Statement], backward: Backward) -> str:
        """Return the parameters of the modules that the way to a loss calls, or of all optimizers."""
        stepped = list(dict.fromkeys(self.all_stepped()))
        if stepped:
            return self.of_several(stepped)
        nodes = [*(statements[i] for i in backward.way), backward.loss]
        called = [dotted(cst.ensure_type(c, cst.Call).func) for n in nodes for c in m.findall(n, m.Call())]
        modules = sorted({name for name in called if self.facts.kinds.get(name) == MODULE})
        parts = [f"*{name}.trainable_params()" for name in modules]
        return f"[{', '.join(parts)}]" if len(parts) > 1 else "".join(parts).removeprefix("*")

    def add_kept(self, weights: str, statement: Statement, condition: str = "") -> list[Statement]:
        """Return what follows the gradients of a loss: they are added to those that the parameters keep."""
        self.needed.add("add_gradients")
        note = "parameters that the loss does not reach have zeros for gradients, not None"
        self.report.add(self.line(statement), "Tensor.grad", DIFFERS, note)
        text = self.facts.ours("add_gradients(") + f"{weights}, grads)\n"
        return [cst.parse_statement(f"if {condition}:\n    {text}" if condition else text)]

    def rewrite_step(self, statement: Statement, simple: bool) -> list[Statement] | None:
        """Rewrite a statement about gradients; return None if it is about something else."""
        if not self.keeps:
            return super().rewrite_step(statement, simple)
        call, target = only_call(statement), ""
        if isinstance(statement, cst.SimpleStatementLine) and self.steps_closure(statement):
            return self._step_of_closure(statement)
        if call is None:
            value = assigned_value(statement)
            if not isinstance(value, cst.Call):
                return None
            call = value
            target = f"{code(cst.ensure_type(statement.body[0], cst.Assign).targets[0].target)} = "  # type: ignore[attr-defined]
        name = self.facts.torch_name(call.func)
        if name in _CLIPS:
            self.report_unchecked_clip(statement, call)
            self.needed.add("add_gradients")
            given = ", ".join(
                _argument(a) for a in call.args if _name(a) not in ("foreach", "error_if_nonfinite")
            )
            self.report.add(self.line(statement), name, DONE, _CLIPS[name])
            return [cst.parse_statement(f"{target}{self.facts.ours(_CLIPS[name] + '(')}{given})")]
        if not isinstance(call.func, cst.Attribute) or target:
            return None
        attr, holder = call.func.attr.value, dotted(call.func.value)
        if attr in ("step", "unscale_", "update") and "scaler" in holder.lower():
            return self._scaled(statement, call, attr, holder)
        if attr == "zero_grad" and holder in self.facts.own_optimizers and self._defines("zero_grad"):
            return None
        if attr == "zero_grad" and holder != "super":
            optimizer = self.facts.kinds.get(holder, "") == OPTIMIZER or "opt" in holder.lower()
            own = holder == "self" and bool(set(self.classes) & self.facts.project.optimizer_classes)
            weights = f"{holder}.parameters" if optimizer or own else f"{holder}.trainable_params()"
            self.needed.add("add_gradients")
            self.report.add(self.line(statement), "zero_grad", DONE, "clear_gradients")
            return [cst.parse_statement(self.facts.ours("clear_gradients(") + f"{weights})")]
        if attr == "step" and self.stepped_in(statement):
            if holder in self.facts.own_optimizers:
                self.report.add(self.line(statement), "Optimizer.step", DONE, "of a class of the program's")
                return None
            if call.args:
                raise UnportableError(
                    "an optimizer that calls a closure, and gradients that other functions read"
                )
            self.needed.add("add_gradients")
            given = f"{holder}({self.facts.ours('gradients_of(')}{holder}.parameters))"
            self.report.add(self.line(statement), "Optimizer.step", DONE, given)
            return [cst.parse_statement(given)]
        self.report_unknown_step(statement, call)
        return None

    def _defines(self, method: str) -> bool:
        """True if a class of optimizers of the program's has a method."""
        project = self.facts.project
        return any(method in project.methods.get(name, ()) for name in project.optimizer_classes)

    def _step_of_closure(self, statement: cst.SimpleStatementLine) -> list[Statement] | None:
        """`loss = optimizer.step(closure)`, where the closure leaves its gradients in the parameters."""
        call = only_call(statement)
        value = call if call is not None else assigned_value(statement)
        if not isinstance(value, cst.Call) or not isinstance(value.func, cst.Attribute):
            return None
        holder, closure = dotted(value.func.value), code(value.args[0].value)
        if holder in self.facts.own_optimizers:
            self.report.add(self.line(statement), "Optimizer.step", DONE, "of a class of the program's")
            return None
        makers = self.makers_of(holder)
        if not makers or "" in makers:
            raise UnportableError("an optimizer that calls a closure, and is not known here")
        target = "_"
        if call is None:
            target = code(cst.ensure_type(statement.body[0], cst.Assign).targets[0].target)
        self.needed.add("add_gradients")
        self.report.add(self.line(statement), "Optimizer.step", DONE, "of a closure")
        kept = self.facts.ours("gradients_of(") + f"{holder}.parameters)"
        if makers == {"torch.optim.LBFGS"}:
            self.facts.lbfgs.add(holder)
            return [cst.parse_statement(f"{target} = {holder}.step(lambda: ({closure}(), {kept}))")]
        return [cst.parse_statement(f"{target} = {closure}()"), cst.parse_statement(f"{holder}({kept})")]

    def _scaled(self, statement: Statement, call: cst.Call, attr: str, holder: str) -> list[Statement]:
        """Statements about a `GradScaler`: parameters keep what its scaled loss gave until `unscale_`, or `step`."""
        self.report.add(
            self.line(statement), f"GradScaler.{attr}", DONE, "of the gradients that parameters keep"
        )
        if attr == "update":
            return [cst.parse_statement(f"{holder}.adjust(finite)")]
        optimizer = code(call.args[0].value)
        self.needed |= {"add_gradients", "ms"}
        unscale = self.facts.ours("unscale_gradients(") + f"{optimizer}.parameters, {holder})\n"
        if attr == "unscale_":
            return [cst.parse_statement(unscale)]
        unscaled = any(
            f"{holder}.unscale_({optimizer})" in code(s) or unscale.strip() in code(s)
            for s in own_statements(self.scope.function)
        )
        kept = self.facts.ours("gradients_of(") + f"{optimizer}.parameters)"
        text = (
            self.facts.ours("finite = ms.amp.all_finite(") + f"{kept})\nif finite:\n    {optimizer}({kept})\n"
        )
        return list(cst.parse_module(("" if unscaled else unscale) + text).body)  # type: ignore[arg-type]

    def steps_alone(self, statements: list[Statement]) -> list[Statement]:
        """Rewrite the statements about gradients of a block in whose function there is no `backward`."""
        out: list[Statement | None] = list(statements)
        inserted: dict[int, list[Statement]] = {}
        self.rewrite_steps(statements, out, inserted, True)
        return [
            each
            for i, s in enumerate(out)
            for each in [*([s] if s is not None else []), *inserted.get(i, [])]
        ]


def _name(arg: cst.Arg) -> str:
    return arg.keyword.value if arg.keyword is not None else ""


def _argument(arg: cst.Arg) -> str:
    """Return an argument of `clip_grad_norm_` under the name that it has here."""
    name = _NAMES.get(_name(arg), "weights" if _name(arg) == "parameters" else _name(arg))
    return f"{name}={code(arg.value)}" if name else f"{arg.star}{code(arg.value)}"
