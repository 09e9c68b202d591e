"""Report of a port: each use of PyTorch in a file, what became of it, and the marks in the source."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

PAGE = "docs/porting.md"
DONE, DIFFERS, LEFT = "rewritten", "differs", "left"


@dataclass(frozen=True)
class Decision:
    """One decision.

    Attributes:
        line: of the input, from 1; 0 if it is about the whole file.
        name: what it is about: "torch.nn.Linear".
        verdict: `DONE`; `DIFFERS`, if the result is not quite the same; `LEFT`, if nothing was done.
        note: what came of it, or why not.
    """

    line: int
    name: str
    verdict: str
    note: str = ""

    def __str__(self) -> str:
        return f"{self.line}: {self.name}: {self.verdict}" + (f" ({self.note})" if self.note else "")


@dataclass
class Report:
    """The decisions about one file."""

    decisions: list[Decision] = field(default_factory=list)

    def add(self, line: int, name: str, verdict: str, note: str = "") -> None:
        """Add a decision."""
        self.decisions.append(Decision(line, name, verdict, note))

    def of(self, *verdicts: str) -> list[Decision]:
        """Return the decisions with one of these verdicts, by line."""
        return sorted((d for d in self.decisions if d.verdict in verdicts), key=lambda d: d.line)

    @property
    def rate(self) -> float:
        """The share of uses that were rewritten, 1 if there are none."""
        return 1 - len(self.of(LEFT)) / max(len(self.decisions), 1)


def locate(path: str, line: int, places: Sequence[tuple[int, int]] | None) -> tuple[str, int]:
    """Return file and line of a decision; of a notebook `a.ipynb[3]` and the line in cell 3.

    Args:
        path: the file.
        line: of the program; 0 for the whole.
        places: the cell and the line in it of each line of the program, if it is a notebook's.
    """
    if not places or not line:
        return path, line
    cell, line = places[line - 1]
    return f"{path}[{cell}]", line


def text(
    path: str, report: Report, every: bool = False, places: Sequence[tuple[int, int]] | None = None
) -> str:
    """Return the report about a file: the rate, what was left and what differs; with `every`, all decisions.

    Args:
        path: the file.
        report: the decisions.
        every: all of them.
        places: the cell and the line in it of each line of the program, if it is a notebook's.

    Examples:
        >>> from msjax.cli.port import report
        >>> found = report.Report()
        >>> found.add(3, "torch.nn.Linear", report.DONE, "nn.Dense")
        >>> print(report.text("net.py", found))
        net.py: 1 of 1 uses of PyTorch rewritten (100.0 %), 0 with a difference, 0 left
    """
    total = len(report.decisions)
    if not total:
        return f"{path}: no use of PyTorch was found"
    left = len(report.of(LEFT))
    rate = f"{total - left} of {total} uses of PyTorch rewritten ({100 * report.rate:.1f} %)"
    lines = [f"{path}: {rate}, {len(report.of(DIFFERS))} with a difference, {left} left"]
    shown: Sequence[Decision] = report.of(DONE, DIFFERS, LEFT) if every else report.of(DIFFERS, LEFT)
    for decision in shown:
        place, line = locate(path, decision.line, places)
        lines.append(f"  {place}:{replace(decision, line=line)}")
    return "\n".join(lines)
