"""Optimizers: which parameters a loss is differentiated for, and which optimizer gets the gradients."""

import re
from collections.abc import Sequence

import libcst as cst
from libcst import matchers as m

from msjax.cli.port.facts import OPTIMIZER, PARAMETER, dotted
from msjax.cli.port.flow import Statement, of_block, only_call, reads_and_writes
from msjax.cli.port.patterns import UnportableError, code
from msjax.cli.port.training.blocks import Backward, assigned_in, blocks_of, first_place, own_statements
from msjax.cli.port.training.way_to_loss import WayFinder


class OptimizerFinder(WayFinder):
    """Finds the optimizers that use the gradients of a loss."""

    def weights_for(self, statements: Sequence[Statement], backward: Backward) -> str:
        """Return the parameters that the gradients are for."""
        found: list[str] = []
        for statement in statements[backward.at + 1 :]:
            if self.backward_in(0, statement) is not None and found:
                break
            found += self.stepped_in(statement)
        by_hand = self._updated_by_hand()
        if by_hand and {self.facts.optimizes.get(name) for name in found} <= {by_hand}:
            return by_hand.replace(".parameters()", ".trainable_params()")
        if len(set(found)) == 1:
            return f"{found[0]}.parameters"
        if len(set(found)) > 1 and self.backwards_before_step(statements, backward):
            return self.of_several(list(dict.fromkeys(found)))
        if found:
            return f"{found[0]}.parameters"
        by_name = self.read_by_name(statements, backward)
        if by_name:
            return by_name
        found = self.all_stepped()
        if len(set(found)) == 1:
            return f"{found[0]}.parameters"
        if len(set(found)) > 1:
            raise UnportableError("which optimizer gets these gradients is not clear")
        zeros = [
            c
            for s in own_statements(self.scope.function)
            for c in m.findall(s, m.Call(func=m.Attribute(attr=m.Name("zero_grad"))))
        ]
        for call in zeros:
            holder = dotted(call.func.value)  # type: ignore[union-attr]
            closure = self.is_closure(self.scope.function)
            optimizer = self.facts.kinds.get(holder) == OPTIMIZER or (closure and "opt" in holder.lower())
            return f"{holder}.parameters" if optimizer else f"{holder}.trainable_params()"
        raise UnportableError("there is no optimizer, nor a model whose gradients are set to zero")

    def _updated_by_hand(self) -> str:
        """Return the parameters that the function changes by their gradients itself: "net.parameters()"."""
        found = {
            code(loop.iter)  # type: ignore[union-attr]
            for s in own_statements(self.scope.function)
            for loop in m.findall(s, m.For(iter=m.Call(func=m.Attribute(attr=m.Name("parameters")))))
            if re.search(r"\.(data\.)?(add|sub|copy)_\(|-=|\+=", code(loop)) and ".grad" in code(loop)
        }
        return found.pop() if len(found) == 1 else ""

    def of_several(self, optimizers: list[str]) -> str:
        """Return the parameters of several optimizers, each of which gets its part of the gradients of one loss."""
        calls = [
            c
            for s in own_statements(self.scope.function)
            for c in m.findall(s, m.Call(func=m.Attribute(attr=m.Name("backward"))))
        ]
        if len(calls) > 1 or not self.scope.simple:
            raise UnportableError("which optimizer gets these gradients is not clear")
        self.scope.together = optimizers
        return f"[{', '.join(f'*{each}.parameters' for each in optimizers)}]"

    def part_of_gradients(self, optimizer: str) -> str:
        """Return the gradients that an optimizer gets."""
        together = self.scope.together
        if optimizer not in together:
            return "grads"
        sizes = [f"len({each}.parameters)" for each in together]
        at = together.index(optimizer)
        first = " + ".join(sizes[:at])
        last = " + ".join(sizes[: at + 1]) if at + 1 < len(together) else ""
        return f"grads[{first}:{last}]"

    def read_by_name(self, statements: Sequence[Statement], backward: Backward) -> str:
        """Return the Tensors whose `.grad` the function reads itself: `w -= 0.1 * w.grad`."""
        text = "\n".join(code(s) for s in own_statements(self.scope.function))
        body = [statements[i] for i in backward.way]
        reads = of_block(body)[0] | reads_and_writes(backward.loss)[0]
        names = [
            name
            for name in sorted(reads, key=lambda n: first_place([*body, backward.loss], n))
            if self.facts.kinds.get(name) == PARAMETER and re.search(rf"\b{re.escape(name)}\.grad\b", text)
        ]
        for name in names if self.scope.loops else ():
            zeroed = rf"\b{name}\.grad(\.data)?(\.zero_\(\)| = None)"
            if name not in assigned_in(self.scope.loops[0]) and not re.search(zeroed, text):
                raise UnportableError(f"the gradients of `{name}` add up")
        self.scope.by_name = names
        return f"[{', '.join(names)}]" if names else ""

    def backwards_before_step(self, statements: Sequence[Statement], backward: Backward) -> bool:
        """True if several optimizers use the gradients of one `backward`, or of several at once."""
        rest = statements[backward.at + 1 :]
        steps = [i for i, s in enumerate(rest) if self.stepped_in(s)]
        between = rest[steps[0] : steps[1]] if len(steps) > 1 else []
        return bool(between) and not any(self.backward_in(0, s) is not None for s in between)

    def stepped_in(self, node: cst.CSTNode) -> list[str]:
        """Return the optimizers whose `step` a node calls, or which it calls with gradients, as it was rewritten already."""
        called = [dotted(c.func) for c in m.findall(node, m.Call(func=m.Name() | m.Attribute()))]  # type: ignore[union-attr]
        found = [name for name in called if self.facts.kinds.get(name) == OPTIMIZER]
        for call in m.findall(node, m.Call(func=m.Attribute(attr=m.Name("step")))):
            holder = dotted(call.func.value)  # type: ignore[union-attr]
            kind = self.facts.kinds.get(holder, "")
            args = call.args  # type: ignore[union-attr]
            if "scaler" in holder.lower() and args:
                found.append(dotted(args[0].value))
            elif kind == OPTIMIZER or (kind == "" and "opt" in holder.lower()):
                found.append(holder)
        return found

    def all_stepped(self) -> list[str]:
        return [name for s in own_statements(self.scope.function) for name in self.stepped_in(s)]

    def in_same_step(self, statements: Sequence[Statement], first: int, second: int) -> bool:
        return not any(self.stepped_in(s) or self.is_zero_grad(s) for s in statements[first:second])

    def is_closure(self, function: cst.CSTNode) -> bool:
        """True for a function that an optimizer's `step` calls."""
        return isinstance(function, cst.FunctionDef) and function.name.value in self.facts.closures

    def is_simple(self, function: cst.CSTNode) -> bool:
        """True if each block that computes gradients sets them to zero and uses them, and no other block does."""
        if self.is_closure(function):
            return True
        found: list[tuple[bool, bool, bool]] = []
        zeroed = self._zeroed_in_front(function)
        for body in blocks_of(function):
            calls = [c for s in body if (c := only_call(s)) is not None and isinstance(c.func, cst.Attribute)]
            names = {c.func.attr.value for c in calls}  # type: ignore[union-attr]
            steps = any(
                self.stepped_in(s) and not self.steps_closure(s) for s in body if only_call(s) is not None
            )
            by_hand = any(
                isinstance(s, cst.For) and "parameters()" in code(s.iter) and ".grad" in code(s) for s in body
            )
            of_this = {name for s in body for name in self.stepped_in(s)}
            first = id(body[0]) if body else 0
            passed_on = first in zeroed and "backward" not in names and not of_this & zeroed[first]
            zero = ("zero_grad" in names and not passed_on) or bool(of_this & zeroed.get(first, set()))
            found.append(("backward" in names, zero, steps or by_hand))
        return all(back == zero == step for back, zero, step in found)

    def _zeroed_in_front(self, function: cst.CSTNode) -> dict[int, set[str]]:
        """Return, of each block inside of `with` and `if`, the optimizers whose gradients were set to zero in front of it.

        Of the block that does so for another one, there is an empty set.
        """
        found: dict[int, set[str]] = {}
        for body in blocks_of(function):
            zeroed: set[str] = set()
            for statement in body:
                call = only_call(statement)
                name = (
                    call.func.attr.value if call is not None and isinstance(call.func, cst.Attribute) else ""
                )
                if name == "zero_grad":
                    assert call is not None
                    zeroed.add(dotted(cst.ensure_type(call.func, cst.Attribute).value))
                elif m.findall(statement, m.Call(func=m.Attribute(attr=m.Name("backward")))):
                    inside = _block_inside(statement)
                    if inside and zeroed:
                        found.setdefault(id(body[0]), set())
                        found[id(inside[0])] = set(zeroed)
                    zeroed.clear()
        return found

    def steps_closure(self, node: cst.CSTNode) -> bool:
        """True if a node calls `optimizer.step(closure)`."""
        calls = m.findall(node, m.Call(func=m.Attribute(attr=m.Name("step")), args=[m.Arg()]))
        return bool(self.stepped_in(node)) and any(
            dotted(c.args[0].value) in self.facts.closures  # type: ignore[union-attr]
            and self.facts.kinds.get(dotted(c.func.value), OPTIMIZER) == OPTIMIZER  # type: ignore[union-attr]
            for c in calls
        )

    def makers_of(self, holder: str) -> set[str]:
        """Return PyTorch's functions that make what a name holds, in this function or in the program."""
        own = {
            self.facts.torch_name(a.value.func)  # type: ignore[union-attr]
            for s in own_statements(self.scope.function)
            for a in m.findall(s, m.Assign(value=m.Call()))
            if holder in [dotted(t.target) for t in a.targets]  # type: ignore[union-attr]
        }
        return own or self.facts.makers.get(holder, set())

    def has_training(self, node: cst.CSTNode) -> bool:
        return any(
            m.findall(s, m.Call(func=m.Attribute(attr=m.Name("backward")))) or self.steps_closure(s)
            for s in own_statements(node)
        )


def _block_inside(statement: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """Return the block with the `backward()` inside of a statement, if only `with` and `if` are around it."""
    backward = m.Call(func=m.Attribute(attr=m.Name("backward")))
    while isinstance(statement, cst.If | cst.With) and isinstance(statement.body, cst.IndentedBlock):
        body = statement.body.body
        within = [each for each in body if m.findall(each, backward)]
        if len(within) != 1 or only_call(within[0]) is not None:
            return body if within else ()
        statement = within[0]
    return ()
