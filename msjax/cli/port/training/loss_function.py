"""The function of a loss: what stood on the way to a `backward`, its arguments and its results."""

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from msjax.cli.port.flow import Statement


@dataclass(frozen=True)
class LossFunction:
    """A function that gives a loss, and what else of its names the program reads.

    Attributes:
        name: what it is called.
        gradient: the name of the function that gives its gradients, too.
        loss: the name of the loss.
        body: the statements.
        arguments: the names that it gets.
        results: the names that it gives beside the loss.
        scaler: the name of the `GradScaler`, or "".
        unsure: arguments that only some branch binds, and the function, too, reads under a condition alone.
    """

    name: str
    gradient: str
    loss: str
    body: Sequence[Statement]
    arguments: Sequence[str]
    results: Sequence[str]
    scaler: str = ""
    unsure: frozenset[str] = frozenset()

    @property
    def returned(self) -> list[str]:
        """Return the names of its results; the first is differentiated."""
        scaled = [f"{self.scaler}.scale({self.loss})"] if self.scaler else []
        return [*scaled, self.loss, *self.results]

    @property
    def given(self) -> str:
        """The call of the function that gives the gradients, too."""
        return f"{self.gradient}({self._arguments})"

    @property
    def _arguments(self) -> str:
        return ", ".join(f'locals().get("{a}")' if a in self.unsure else a for a in self.arguments)

    @property
    def has_aux(self) -> bool:
        """True if it gives more than what is differentiated."""
        return len(self.returned) > 1

    def definition(self) -> cst.FunctionDef:
        """Return the function."""
        text = f"def {self.name}({', '.join(self.arguments)}):\n    return {', '.join(self.returned)}\n"
        function = cst.ensure_type(cst.parse_statement(text), cst.FunctionDef)
        block = cst.ensure_type(function.body, cst.IndentedBlock)
        return function.with_changes(body=block.with_changes(body=[*self.body, *block.body]))

    def call(self, grads: str, condition: str = "") -> Statement:
        """Return the statement that computes the loss and the gradients, the loss alone where a condition does not hold.

        Args:
            grads: where the gradients go.
            condition: under which there are gradients, "" for always.
        """
        values = ", ".join([*(["_"] if self.scaler else []), self.loss, *self.results])
        target = f"({values}), {grads}" if self.has_aux else f"{values}, {grads}"
        text = f"{target} = {self.given}"
        if condition:
            plain = f"{', '.join([self.loss, *self.results])} = {self.name}({self._arguments})"
            text = f"if {condition}:\n    {text}\nelse:\n    {plain}\n"
        return cst.parse_statement(text)


def without_blank_lines(body: Sequence[Statement]) -> list[Statement]:
    """Return statements whose first has no empty lines above it; comments stay."""
    if not body or any(line.comment is not None for line in getattr(body[0], "leading_lines", ())):
        return list(body)
    return [body[0].with_changes(leading_lines=()), *body[1:]]  # type: ignore[list-item]
