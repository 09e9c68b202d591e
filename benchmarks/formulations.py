"""Costs of the way to write the same GPT: a hand-written step with one thing written otherwise at a time.

python benchmarks/formulations.py [--rounds N] [--json FILE]
"""

import argparse
import functools
import json
from types import SimpleNamespace

import peers
from compiled import show
from models import gpt
from timing import in_turn, seconds_of

# What is written otherwise: arguments of `by_hand`.
WAYS = {
    "rows of tokens": {"rows": True},
    "variance of squares": {"squares": True},
    "matrices (in, out)": {"last": True},
    "as in flax": {"squares": True, "last": True},
}


def measured(width: int, rounds: int) -> dict[str, float]:
    """Seconds of a step of each way, of the plain one (again as a control), and of msjax."""
    model = gpt.make(width)
    ways = {"hand": peers.hand(model), "hand again": peers.hand(model), "msjax": peers.msjax(model)}
    for name, options in WAYS.items():
        written = functools.partial(model.by_hand, **options)
        other = SimpleNamespace(**vars(model) | {"by_hand": written, "by_hand_last": written})
        ways[name] = peers.hand(other, last=options.get("last", False))
    for way in ways.values():
        for _ in range(3):
            way()
    return in_turn({name: seconds_of(way, 2) for name, way in ways.items()}, rounds, min)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--json")
    asked = parser.parse_args()
    found = {f"GPT, width {width}": measured(width, asked.rounds) for width in (128, 256)}
    show("The same GPT, written in other ways", found, "hand")
    if asked.json:
        with open(asked.json, "w") as file:
            json.dump({"formulations": found}, file, indent=1)


if __name__ == "__main__":
    main()
