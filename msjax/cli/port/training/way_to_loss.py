"""The way to a loss: which statements of a block compute it from parameters."""

from collections.abc import Sequence

import libcst as cst
from libcst import matchers as m

from msjax.cli.port.facts import MODEL_NAMES, MODULE, PARAMETER, QUIET, Facts, dotted, gives_no_gradient
from msjax.cli.port.flow import (
    Detach,
    Statement,
    assigned_value,
    of_block,
    only_call,
    reads_and_writes,
    with_gradient,
)
from msjax.cli.port.patterns import UnportableError, closed, code, parse
from msjax.cli.port.report import DONE, Report
from msjax.cli.port.training.blocks import Backward, reads_outside
from msjax.cli.port.training.gradients import GradientRewriter

# What is read of a parameter without its gradient.
_NO_GRADIENT_OF_PARAMETER = (
    "data",
    "grad",
    "shape",
    "dtype",
    "device",
    "requires_grad",
    "size",
    "detach",
    "numel",
)


def _root(node: cst.BaseExpression) -> str:
    """Return the name that an expression begins with: "net" for `net.layers[0].weight`, "self.net" for `self.net.weight`."""
    while isinstance(node, cst.Attribute | cst.Subscript) and not m.matches(
        node, m.Attribute(value=m.Name("self"))
    ):
        node = node.value
    return dotted(node)


_LEAVES = (
    "train",
    "eval",
    "zero_grad",
    "set_train",
    "requires_grad_",
    "append",
    "log",
    "debug",
    "info",
    "update",
)


def _holder_of_method(statement: Statement) -> str:
    """Return `queue` of `queue.enqueue(keys)`, which may change what the way to a loss has read of it; "" if it cannot."""
    call = only_call(statement)
    if call is None or not isinstance(call.func, cst.Attribute) or call.func.attr.value in _LEAVES:
        return ""
    return dotted(call.func.value)


def _sum_of(losses: cst.BaseExpression) -> cst.BaseExpression:
    """Return the loss of `torch.autograd.backward`, the sum of several."""
    if not isinstance(losses, cst.Tuple | cst.List):
        return losses
    return parse(" + ".join(code(closed(each.value, False)) for each in losses.elements))


def _weighted(loss: cst.BaseExpression, given: Sequence[cst.Arg]) -> cst.BaseExpression:
    """Return what `loss.backward(gradient)` differentiates: the sum of `loss * gradient`."""
    names = ("gradient", "grad_tensors")
    weights = [a.value for a in given if a.keyword is None][:1]
    weights += [a.value for a in given if a.keyword is not None and a.keyword.value in names]
    if not weights or code(weights[0]) == "None":
        return loss
    return parse(f"({code(closed(loss, False))} * {code(closed(weights[0], False))}).sum()")


class WayFinder(GradientRewriter):
    """Finds the statements that lead to a loss."""

    def __init__(self, facts: Facts, report: Report, lines: dict[cst.CSTNode, int]) -> None:
        super().__init__(facts, report, lines)
        self.outside: set[int] = set()  # the statements of the block at hand, as they are in the input
        self.conditions: dict[int, str] = {}  # of a `backward` that stood in an `if`, the condition
        # Names in which the function at hand finds what another kept of a network; attributes begin with a dot.
        self.sources: set[str] = set()

    def reads_source(self, node: cst.CSTNode) -> bool:
        """True if a node reads, for gradients, what another function kept of a network."""
        attributes = {name.removeprefix(".") for name in self.sources if name.startswith(".")}
        read = {n.attr.value for n in m.findall(node, m.Attribute())}  # type: ignore[union-attr]
        return bool(with_gradient(node) & self.sources or read & attributes) and not self.without_gradient(
            node
        )

    def backward_in(self, at: int, statement: Statement) -> Backward | None:
        call = only_call(statement)
        if call is None or not m.matches(call.func, m.Attribute(attr=m.Name("backward"))):
            return None
        given = call.args
        loss = cst.ensure_type(call.func, cst.Attribute).value
        if self.facts.torch_name(call.func) == "torch.autograd.backward":
            loss, given = _sum_of(given[0].value), given[1:]
        loss = _weighted(loss, given)
        if (
            isinstance(loss, cst.Call)
            and isinstance(loss.func, cst.Attribute)
            and loss.func.attr.value == "scale"
        ):
            return Backward(
                at,
                loss.args[0].value,
                dotted(loss.func.value),
                condition=self.conditions.get(id(statement), ""),
            )
        return Backward(at, loss, condition=self.conditions.get(id(statement), ""))

    def has_gradient(self, before: Sequence[Statement], value: cst.BaseExpression) -> bool:
        """True if a value has a gradient after some statements."""
        # As the last of them, whose names tell.
        statement = cst.parse_statement("_value = _")
        line = cst.ensure_type(statement, cst.SimpleStatementLine)
        line = line.with_changes(body=[cst.ensure_type(line.body[0], cst.Assign).with_changes(value=value)])
        probe = cst.parse_statement("_value")
        return self.carries_gradient([*before, line, probe])[-1]

    def carries_gradient(self, statements: Sequence[Statement]) -> list[bool]:
        """For each statement of a block: does it compute something that depends on parameters?"""
        names: set[str] = set()
        found = []
        for statement in statements:
            reads, writes, changes = reads_and_writes(statement)
            if isinstance(statement, cst.ClassDef):
                found.append(False)
                continue
            quiet = self.is_quiet(statement)
            own = (
                bool(reads & names)
                or (not quiet and self.calls_model(statement))
                or self.reads_source(statement)
            )
            call = only_call(statement)
            attr = call.func.attr.value if call is not None and isinstance(call.func, cst.Attribute) else ""
            if attr in ("backward", "step", "zero_grad", "update", "unscale_", "train", "eval"):
                own = False
            follows = (
                with_gradient(statement) & names
                or self.calls_model(statement)
                or self.reads_source(statement)
            )
            own = own and bool(follows or call is None)  # `history.append(loss.item())` is on no way
            found.append(own)
            if own and follows and not quiet and not self.without_gradient(statement):
                names |= (writes | changes) - self._numbers_in(statement)
        return found

    def _numbers_in(self, statement: Statement) -> set[str]:
        """Return the names that a statement binds to what a function of the program's gives without a gradient."""
        value = assigned_value(statement)
        without = self.facts.numbers_of(value) if isinstance(value, cst.Call) else ()
        if not without:
            return set()
        target = (
            cst.ensure_type(cst.ensure_type(statement, cst.SimpleStatementLine).body[0], cst.Assign)
            .targets[0]
            .target
        )
        targets = [e.value for e in target.elements] if isinstance(target, cst.Tuple | cst.List) else [target]
        if len(targets) != len(without):
            return {name for each in targets for name in [dotted(each)] if all(without)}
        return {dotted(each) for each, quiet in zip(targets, without, strict=True) if quiet}

    def is_quiet(self, node: cst.CSTNode) -> bool:
        """True for a block of `with torch.no_grad()`: what it computes is a constant of the loss."""
        if not isinstance(node, cst.With):
            return False
        funcs = [getattr(item.item, "func", item.item) for item in node.items]
        return any(self.facts.torch_name(func) in QUIET for func in funcs)

    def detached_statement(self, statement: Statement) -> Statement | cst.FlattenSentinel:
        """A statement of a function of the loss, with `stop_gradient` in place of `no_grad`."""
        quiet = {node for node in m.findall(statement, m.With()) if self.is_quiet(node)}
        if not quiet:
            return statement
        self.report.add(self.line(statement), "torch.no_grad", DONE, "stop_gradient of what it computes")
        return statement.visit(Detach(quiet, self._stop_gradient))  # type: ignore[return-value]

    def _stop_gradient(self, of: cst.BaseExpression) -> str:
        return self.facts.stop_gradient(of, self.needed)

    def is_quiet_name(self, node: cst.BaseExpression) -> bool:
        """True for `torch.no_grad()`, and without the parentheses."""
        return self.facts.torch_name(getattr(node, "func", node)) in QUIET

    def without_gradient(self, statement: cst.CSTNode) -> bool:
        """True for `x = y.item()`: its results carry no gradient."""
        value = assigned_value(statement) if isinstance(statement, cst.BaseStatement) else None
        return value is not None and gives_no_gradient(value)

    def calls_model(self, node: cst.CSTNode) -> bool:
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
                or (last in self.facts.functions and self._gets_module(call))  # type: ignore[arg-type]
                or self.facts.may_be_module(name)
            ):
                return True
        if isinstance(node, cst.FunctionDef):
            return False
        if self._reads_parameters(node):
            return True
        names = reads_and_writes(node)[0]
        grows = ".requires_grad = True" in code(node) or ".requires_grad_(" in code(node)
        return not grows and any(self.facts.kinds.get(n) == PARAMETER for n in names)

    def _reads_parameters(self, node: cst.CSTNode) -> bool:
        """Return True for a penalty: `net.fc.weight.norm()`, `sum(map(norm, net.parameters()))`; not for shapes."""
        reads = m.findall(node, m.Attribute())
        without = {a.value for a in reads if a.attr.value in _NO_GRADIENT_OF_PARAMETER}  # type: ignore[union-attr]
        for each in reads:
            read = cst.ensure_type(each, cst.Attribute)
            of_module = self.facts.kinds.get(_root(read)) == MODULE or _root(read) in MODEL_NAMES
            if read.attr.value in ("parameters", "named_parameters") and read not in without:
                return True
            if of_module and read.attr.value in ("weight", "bias") and read not in without:
                return True
        return False

    def _gets_module(self, call: cst.Call) -> bool:
        """True for `compute_loss(net, x)`: a function that gets a module is taken to call it."""
        given = [dotted(a.value) for a in call.args]
        return any(
            self.facts.kinds.get(n) == MODULE or n.rpartition(".")[2] in MODEL_NAMES for n in given if n
        )

    def way_to(self, statements: Sequence[Statement], backward: Backward, carried: list[bool]) -> list[int]:
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
        found = sorted({*self._containers(statements, found, backward.at), *found})
        found = self._with_new_meanings(statements, found, backward.at)
        parts = [*(statements[i] for i in found), backward.loss]
        if not any(self.calls_model(each) or self.reads_source(each) for each in parts):
            raise UnportableError("what leads to the loss is not in this block: compute it in one function")
        for i in found:
            if isinstance(statements[i], cst.FunctionDef):
                continue
            jumps = m.findall(statements[i], m.Return() | m.Yield() | m.Break() | m.Continue())
            if any(isinstance(j, cst.Return | cst.Yield) for j in jumps):
                raise UnportableError("the way to the loss leaves the function")
            for quiet in m.findall(statements[i], m.With()):
                if self.is_quiet(quiet) and reads_and_writes(quiet)[2] & needed:
                    raise UnportableError("a change in place under no_grad on the way to the loss")
        return found

    def _with_new_meanings(self, statements: Sequence[Statement], way: list[int], end: int) -> list[int]:
        """Add assignments that give a name of the way a new meaning: `y = net(x)`, `x = norm(x)`, `z = vgg(x)`.

        And those between two parts of it: `fake = net(z).detach()`, `mixed = (fake + x) / 2`, `out = net(mixed)`.
        """
        way = list(way)
        for i in range(min(way, default=end), end):
            if i in way or assigned_value(statements[i]) is None:
                continue
            reads, writes, changes = reads_and_writes(statements[i])
            before, made = of_block([statements[k] for k in way if k < i])
            after = of_block([statements[k] for k in way if k > i])[0]
            if ((writes & before & after) or (reads & made and writes & after)) and not changes:
                way.append(i)
                way.sort()
        return way

    def _containers(self, statements: Sequence[Statement], way: list[int], end: int) -> list[int]:
        """Return the statements that bind a new container which only the way fills: `losses = []`.

        MindSpore refuses a function of a loss that fills a list which it gets.
        """
        uses = [set().union(*reads_and_writes(each)) for each in statements[:end]]
        found = []
        for i, statement in enumerate(statements[:end]):
            value = assigned_value(statement)
            empty = value is not None and code(value) in ("[]", "{}", "list()", "dict()", "deque()")
            if i not in way and empty and of_block([statements[k] for k in way if k > i])[0] & uses[i]:
                users = {k for k in range(i + 1, end) if uses[k] & reads_and_writes(statement)[1]}
                found += [i] if users <= set(way) else []
        return found

    def dependent_on(self, statements: Sequence[Statement], backward: Backward) -> list[int]:
        """Find the statements after the call that need its results or change names that the function reads."""
        names: set[str] = set()
        taken: set[str] = set()
        found = []
        own = [i for i in backward.way if i > backward.since]
        for i in range(min(own, default=backward.at), backward.at):
            reads, writes, changes = reads_and_writes(statements[i])
            if i in backward.way:
                names |= writes | changes
                taken |= reads
            elif not self.is_zero_grad(statements[i]) and (reads & names or (writes | changes) & taken):
                rest = [statements[k] for k in backward.way if k > i]
                if rest and of_block(rest)[0] & (writes | changes):
                    raise UnportableError("names change their meaning on the way to the loss")
                found.append(i)
                names |= writes
            elif (
                _holder_of_method(statements[i])
                in taken - of_block([statements[k] for k in backward.way if k > i])[0]
            ):
                found.append(i)
        return found

    def read_elsewhere(
        self, statements: Sequence[Statement], backward: Backward, writes: set[str]
    ) -> set[str]:
        """Which of the names that the slice binds the rest of the function reads."""
        inside = [statements[i] for i in backward.way] + [statements[backward.at]]
        rest: set[str] = set()
        # Names that the rest of the block binds before it reads them are its own.
        block_reads: set[str] = set()
        bound: set[str] = set()
        for i, s in enumerate(statements):
            if any(s is t for t in inside):
                if i in backward.way:
                    bound -= reads_and_writes(s)[1]
                continue
            reads, wrote, _ = reads_and_writes(s)
            block_reads |= reads - bound
            bound |= wrote
        rest |= block_reads
        whole = self.scope.function
        around = reads_outside(whole, self.outside)
        rest |= around
        slice_reads, _ = of_block([statements[i] for i in backward.way])
        return writes & (rest | (slice_reads & writes))

    def is_zero_grad(self, statement: Statement) -> bool:
        call = only_call(statement)
        return call is not None and m.matches(call.func, m.Attribute(attr=m.Name("zero_grad")))
