"""Compare an older checkout with this one: engine.py, compiled.py and eager.py of each, question by question, by turns.

    git worktree add OLD COMMIT
    python benchmarks/before_and_after.py OLD [--rounds 2] [--only warm,first] [--json FILE]

Each row is msjax's time (or memory) before and after, the least of the rounds, and the same as multiples of the row's own
floor (the hand-written step, a bare jitted call, torch), which were measured in the same processes: where the floor
itself moved, the machine did.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent
# Without `scratch`, which runs no program: it asks XLA for sizes.
QUESTIONS = [
    ("engine.py", ""),
    *[("compiled.py", q) for q in ("warm", "calls", "first", "linear", "memory", "options")],
    *[("eager.py", q) for q in ("step", "chain", "cold", "lengths", "memory")],
]
FLOORS = ("hand", "jax.jit + optax", "bare jitted call", "bare jitted calls", "bare forward",
          "import jax, optax", "torch", "plain")  # fmt: skip
Rows = dict[tuple[str, str], dict[str, float]]  # (question, row) -> peer -> seconds


def measure(checkout: Path, script: str, question: str) -> Rows:
    """Run one question of a script in a checkout."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [sys.executable, f"benchmarks/{script}", *[question] * bool(question), "--json", file.name]
        env = os.environ | {"PYTHONPATH": str(checkout)}
        done = subprocess.run(command, check=False, cwd=checkout, env=env, capture_output=True, text=True)
        if done.returncode:
            print(f"{checkout.name}: {script} {question} failed: {done.stderr[-300:]}", flush=True)
            return {}
        found: dict[str, Any] = json.loads(Path(file.name).read_text())
    answers = {"engine": found} if script == "engine.py" else {question: found.get(question, {})}
    return {(title, row): peers for title, rows in answers.items() for row, peers in rows.items()}


def least(rounds: list[Rows]) -> Rows:
    """Return the least of each figure."""
    found: Rows = {}
    for rows in rounds:
        for name, peers in rows.items():
            kept = found.setdefault(name, {})
            kept.update({peer: min(value, kept.get(peer, value)) for peer, value in peers.items()})
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path, help="a checkout of the older commit")
    parser.add_argument("--rounds", type=int, default=2, help="how often each question is asked of both")
    parser.add_argument("--only", default="", help="questions, with commas between; engine is one of them")
    parser.add_argument("--json", metavar="FILE", help="also write the figures there")
    chosen = parser.parse_args()
    only = set(filter(None, chosen.only.split(",")))
    checkouts = {"before": chosen.old.resolve(), "after": HERE}
    written: dict[str, Any] = {}
    print(f"{'':44}{'before':>12}{'after':>12}{'ratio':>8}{'floor before':>14}{'after':>8}")
    for script, question in QUESTIONS:
        if only and (question or "engine") not in only:
            continue
        rounds: dict[str, list[Rows]] = {name: [] for name in checkouts}
        order = list(checkouts)
        for _ in range(chosen.rounds):
            for name in order:
                rounds[name].append(measure(checkouts[name], script, question))
            order.reverse()
        before, after = least(rounds["before"]), least(rounds["after"])
        print(f"\n{script} {question}")
        for (title, row), peers in after.items():
            former = before.get((title, row), {})
            written[f"{script} {title}: {row}"] = {"before": former, "after": peers}
            floor = next((peer for peer in FLOORS if peer in peers and peer in former), "")
            for peer in peers:
                # Columns of `lengths` and `options` are none of peers: each is msjax's own.
                if (
                    peer == floor
                    or (floor and "msjax" not in peer and script != "compiled.py")
                    or peer not in former
                ):
                    continue
                if script == "compiled.py" and question != "options" and peer != "msjax":
                    continue
                line = f"{row[:28]:29}{peer[:14]:15}{former[peer]:12.6g}{peers[peer]:12.6g}"
                line += f"{peers[peer] / former[peer]:8.2f}" if former[peer] else f"{'':8}"
                if floor:
                    line += f"{former[peer] / former[floor]:14.2f}{peers[peer] / peers[floor]:8.2f}"
                print(line, flush=True)
        if chosen.json:
            Path(chosen.json).write_text(json.dumps(written, indent=1))


if __name__ == "__main__":
    main()
