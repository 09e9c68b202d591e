"""A training step written for PyTorch, as `msjax run --as torch` runs it, against PyTorch: the first and a warm one.

    python benchmarks/torch_programs.py [lenet] [resnet] [gpt] [--torch PYTHON] [--json FILE]

The same lines (`peers.torch`) run in two processes, which take turns. The losses must agree to a thousandth. PYTHON is an
interpreter that has PyTorch; by default this one.
"""

import argparse
import json
import sys

from timing import in_turn
from worker import Worker

PROGRAMS = {"lenet": ("lenet", 20), "resnet": ("resnet", 3), "gpt": ("gpt:make:32", 5)}


def measure(model: str, calls: int, python: str, rounds: int) -> dict[str, dict[str, float]]:
    """Seconds of the first and of a warm step of both."""
    workers = {"msjax.torch": Worker("msjax.torch", model), "torch": Worker("torch", model, python)}
    first = {name: worker.built + worker.seconds(1) for name, worker in workers.items()}
    for worker in workers.values():
        worker.seconds(5)  # the third walk over a tape compiles it
    ours, theirs = (worker.loss for worker in workers.values())
    assert abs(ours - theirs) < 1e-3 * max(1, abs(theirs)), f"{model}: losses {ours} and {theirs}"
    ways = {name: lambda worker=worker: worker.seconds(calls) for name, worker in workers.items()}
    warm = in_turn(ways, rounds)
    for worker in workers.values():
        worker.close()
    return {"first": first, "warm": warm}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS), metavar="PROGRAM")
    parser.add_argument("--torch", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json")
    args = parser.parse_args()
    found = {name: measure(*PROGRAMS[name], args.torch, args.rounds) for name in args.programs}
    print(f"{'':10}{'':8}{'msjax.torch ms':>16}{'torch ms':>12}{'ratio':>8}")
    for name, parts in found.items():
        for part, seconds in parts.items():
            ours, theirs = seconds["msjax.torch"], seconds["torch"]
            print(f"{name:10}{part:8}{ours * 1e3:16.1f}{theirs * 1e3:12.1f}{ours / theirs:8.2f}")
    if args.json:
        with open(args.json, "w") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
