"""Compiled training steps of five models against JAX by hand, flax nnx, equinox, torch and MindSpore.

    python benchmarks/compiled.py [warm] [calls] [first] [linear] [memory] [options] [scratch] [--json FILE]
                                    [--mindspore PYTHON]

JAX's peers take turns in this process; torch and MindSpore, whose threads would stay in the way, take theirs in
processes of their own. The hand-written step runs twice: what differs between "hand" and "hand again" is chance.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import jax
import options
import peers
from timing import in_turn, seconds_of, table
from worker import HERE, Worker, find

MODELS = {
    "tiny MLP": "mlp:TINY",
    "LeNet": "lenet",
    "ResNet-20": "resnet",
    "GPT, width 128": "gpt:SMALL",
    "GPT, width 256": "gpt:WIDE",
    "MLP of 400 arrays": "mlp:MANY",
}
FLOOR = ["hand", "hand again", "hand, last", "nnx", "nnx, cached", "equinox"]
STARTING = ["msjax", "hand", "hand again", "nnx", "equinox"]
Results = dict[str, dict[str, float]]


def of(name: str) -> list[str]:
    """The peers in this process that a model has."""
    names = peers.installed(["msjax", *FLOOR])
    return names if hasattr(find(MODELS[name]), "by_hand_last") else [n for n in names if n != "hand, last"]


def warm(mindspore: str | None, models: dict[str, str], rounds: int = 15, turn: float = 0.1) -> Results:
    """Seconds of a step after the first ones; the losses of all peers must be equal to a thousandth."""
    found = {}
    for name, model in models.items():
        steps = {peer: peers.build(peer, find(model)) for peer in of(name)}
        losses = {peer: [float(step()) for _ in range(4)][-1] for peer, step in steps.items()}
        ways = {peer: seconds_of(step, calls_for(seconds_of(step, 1), turn)) for peer, step in steps.items()}
        others = {peer: Worker(peer, model) for peer in peers.installed(["torch"])}
        if mindspore:
            others["mindspore"] = Worker("mindspore", model, mindspore)
        for peer, worker in others.items():
            worker.seconds(4)
            losses[peer] = worker.loss
            calls = calls_for(lambda worker=worker: worker.seconds(1), turn)
            ways[peer] = lambda worker=worker, calls=calls: worker.seconds(calls)
        agree(name, losses)
        found[name] = in_turn(ways, rounds, min)
        for worker in others.values():
            worker.close()
        show("", {name: found[name]})
    return found


def calls_for(measure: Callable[[], float], turn: float) -> int:
    """How many steps take `turn` seconds."""
    return max(1, int(turn / max(1e-5, *(measure() for _ in range(3)))))


def agree(name: str, losses: dict[str, float]) -> None:
    """Stop if two peers do not compute the same."""
    if max(losses.values()) - min(losses.values()) > 1e-3 * abs(losses["hand"]):
        raise SystemExit(f"{name}: the losses differ: {losses}")


def calls(rounds: int = 9) -> Results:
    """Seconds that Python needs for a call (of this thread, which on CPU also computes what is tiny)."""
    found = {}
    for name, count in (("tiny MLP", 100), ("MLP of 400 arrays", 10)):
        steps = {peer: peers.build(peer, find(MODELS[name])) for peer in of(name)}
        for step in steps.values():
            for _ in range(5):
                step()
        ways = {peer: overhead(step, count) for peer, step in steps.items()}
        found[name] = in_turn(ways, rounds, min)
    return found


def overhead(step: Any, count: int) -> Callable[[], float]:
    def measure() -> float:
        spent = 0.0
        for _ in range(count):
            start = time.thread_time()
            step.call()
            spent += time.thread_time() - start
            step()  # waits for both
        return spent / count

    return measure


def first(model: str, peer: str) -> float:
    """CPU seconds of the first step (tracing and compiling; the model is there) in a new process."""
    program = (
        f"import sys, time; sys.path[:0] = [{str(HERE)!r}, {str(HERE.parent)!r}]\n"
        "import peers, jax; from worker import find\n"
        "jax.jit(lambda x: x + 1)(1.0).block_until_ready()\n"
        f"step = peers.build({peer!r}, find({model!r}))\n"
        "start = time.process_time(); step(); print('seconds', time.process_time() - start)"
    )
    out = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    return float(out.split("seconds")[1])


def firsts(names: list[str], models: dict[str, str], rounds: int) -> Results:
    found = {}
    for name, model in models.items():
        ways = {peer: lambda m=model, p=peer: first(m, p) for peer in peers.installed(names)}
        found[name] = in_turn(ways, rounds, min)
        show("", {name: found[name]})
    return found


def linear(rounds: int = 1) -> Results:
    """The first step of MLPs of 10 to 800 layers."""
    sizes = {f"{n} layers": f"mlp:make:{n}:32" for n in (10, 50, 200, 800)}
    return firsts(["msjax", "hand"], sizes, rounds)


def memory() -> Results:
    """The peak of memory of a process that makes five steps, in MB; the hand-written one also with nothing of msjax."""
    found: Results = {}
    for name in ("ResNet-20", "GPT, width 256", "MLP of 400 arrays"):
        found[name] = {}
        for peer in peers.installed(["msjax", "hand", "nnx", "equinox"]):
            worker = Worker(peer, MODELS[name])
            worker.seconds(5)
            found[name][peer] = worker.peak()
            worker.close()
    return found


def show(title: str, found: Results, floor: str = "hand") -> None:
    print(f"\n## {title}")
    for name, seconds in found.items():
        print(table(name, seconds, floor if floor in seconds else next(iter(seconds))), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "questions", nargs="*", default=["warm", "calls", "first", "linear", "memory", "options", "scratch"]
    )
    parser.add_argument("--json", metavar="FILE", help="also write the figures there")
    parser.add_argument("--mindspore", metavar="PYTHON", help="an interpreter that has MindSpore")
    parser.add_argument("--models", default="", help="parts of the names of models, with commas between")
    parser.add_argument("--rounds", type=int, help="how often all peers take their turn")
    chosen = parser.parse_args()
    models = {n: m for n, m in MODELS.items() if any(part in n for part in chosen.models.split(","))}
    answers: dict[str, tuple[str, Callable[[], Results]]] = {
        "warm": ("A warm step", lambda: warm(chosen.mindspore, models, chosen.rounds or 15)),
        "calls": ("Python's time for a call", lambda: calls(chosen.rounds or 9)),
        "first": (
            "The first step: tracing and compiling",
            lambda: firsts(STARTING, models, chosen.rounds or 3),
        ),
        "linear": ("The first step of deep models", lambda: linear(chosen.rounds or 1)),
        "memory": ("The peak of memory (MB, shown as if microseconds)", memory),
        "options": ("What msjax's options cost and save", options.rows),
        "scratch": ("Memory that their programs need (MB, shown as if microseconds)", options.memory),
    }
    print(f"{jax.devices()[0].device_kind}, jax {jax.__version__}, Python {sys.version.split()[0]}")
    results: dict[str, Any] = {"device": jax.devices()[0].device_kind, "jax": jax.__version__}
    for question in chosen.questions:
        title, answer = answers[question]
        results[question] = answer()
        show(title, results[question])
        if chosen.json:
            with open(chosen.json, "w") as file:
                json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
