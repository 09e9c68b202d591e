"""The table in docs/pytorch.md that says how many of PyTorch's operators msjax.torch answers as PyTorch does.

`python -m tests.torch.opinfo_report` writes it; tests/torch/test_opinfo.py holds it against the samples.
"""

from pathlib import Path
from typing import Any

from tests.goldens.opinfo_cases import DTYPES
from tests.goldens.packing import unpack
from tests.torch.opinfo_exceptions import EXCEPTIONS, NOT_RECORDED, reason

ROOT = Path(__file__).parents[2]
PAGE, GOLDEN = ROOT / "docs" / "pytorch.md", ROOT / "tests" / "goldens" / "opinfo.npz"
BEGIN, END = "<!-- PyTorch's samples: written by tests/torch/opinfo_report.py -->\n", "<!-- end -->\n"


def table(recorded: dict[str, Any]) -> str:
    """The table, and what is not as in PyTorch."""
    lines = [
        "| dtype | operators and variants | as PyTorch in values, dtypes, shapes, gradients and forms |",
        "|---|---|---|",
    ]
    for dtype in DTYPES:
        there = [name for name, by_dtype in recorded.items() if dtype in by_dtype]
        equal = [n for n in there if not any(reason(n, dtype, form) for form in recorded[n][dtype])]
        total = len(there) + len(NOT_RECORDED)
        lines.append(f"| {dtype} | {total} | {len(equal)} ({100 * len(equal) / total:.1f} %) |")
    lines += ["", "| not so | why |", "|---|---|"]
    before = ""
    for name, why in {**EXCEPTIONS, **NOT_RECORDED}.items():
        before = before if why == "the same" else why
        lines.append(f"| `{name}` | {before} |")
    return "\n".join(lines) + "\n"


def page(text: str, recorded: dict[str, Any]) -> str:
    """The page with the table of now."""
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return text[:start] + "\n" + table(recorded) + "\n" + text[end:]


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf8"), unpack(GOLDEN)), "utf8")
