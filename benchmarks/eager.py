"""Eager steps against torch and MindSpore's PyNative: warm, the first one, nets of changing length, memory.

python benchmarks/eager.py [step] [chain] [cold] [lengths] [memory] [--json FILE] [--mindspore PYTHON]
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import peers
from compiled import first, show
from timing import ON_CPU_TIME, in_turn, seconds_of
from worker import Worker, find

import msjax as ms

STEPS = {"tiny MLP": ("mlp:TINY", 20), "MLP of 400 arrays": ("mlp:MANY", 2)}
Results = dict[str, dict[str, float]]


def step(mindspore: str | None, rounds: int = 9) -> Results:
    """An eager training step: forward, backward, the optimizer."""
    found = {}
    for name, (model, calls) in STEPS.items():
        ways = {"msjax": warmed(peers.build("msjax, eager", find(model)), calls)}
        others = {peer: Worker(peer, model) for peer in peers.installed(["torch"])}
        if mindspore:
            others["mindspore"] = Worker("mindspore, eager", model, mindspore)
        for peer, worker in others.items():
            worker.seconds(5)
            ways[peer] = lambda worker=worker, calls=calls: worker.seconds(calls)
        found[name] = in_turn(ways, rounds, min)
        for worker in others.values():
            worker.close()
    return found


def warmed(way: Callable[[], Any], calls: int) -> Callable[[], float]:
    for _ in range(6):  # the third walk over a tape compiles it
        way()
    return seconds_of(way, calls)


def chain(rounds: int = 15, calls: int = 50) -> Results:
    """Ten times tanh(h @ w), forward and backward: seconds of one of the 21 operators."""
    a = np.ones((32, 32), np.float32) / 32

    def ours() -> Callable[[], Any]:
        w = ms.Tensor(a)

        def net(w: ms.Tensor) -> ms.Tensor:
            h = w
            for _ in range(10):
                h = ms.ops.tanh(ms.ops.matmul(h, w))
            return h.sum()

        gradient = ms.grad(net)
        return lambda: gradient(w).array.block_until_ready()

    ways = {"msjax": warmed(ours(), calls)}
    if peers.installed(["torch"]):
        import torch

        if ON_CPU_TIME:
            torch.set_num_threads(1)
        t = torch.from_numpy(a.copy()).requires_grad_()

        def theirs() -> None:
            t.grad, h = None, t
            for _ in range(10):
                h = torch.tanh(h @ t)
            h.sum().backward()

        ways["torch"] = warmed(theirs, calls)
    return {"an operator of a chain": {n: s / 21 for n, s in in_turn(ways, rounds, min).items()}}


def cold(rounds: int = 2) -> Results:
    """The first eager step against the first compiled one and torch's, each in a new process without a cache on disk."""
    models = {
        "LeNet": "lenet",
        "GPT of two layers": "gpt:make:64:32:2:2",
        "MLP of 50 layers": "mlp:make:50:32",
    }
    names = peers.installed(["msjax", "msjax, eager", "torch"])
    return {
        name: in_turn({p: lambda m=model, p=p: first(m, p) for p in names}, rounds, min)
        for name, model in models.items()
    }


def lengths() -> Results:
    """A recurrent net over 40 lengths, eager, with gradients: how many programs were compiled after each length."""
    compiled = [0]

    def count(event: str, seconds: float, **more: Any) -> None:
        compiled[0] += event.endswith("backend_compile_duration")

    jax.monitoring.register_event_duration_secs_listener(count)
    rng = np.random.default_rng(0)
    u = ms.Parameter(ms.Tensor(rng.normal(size=(8, 16)).astype(np.float32) * 0.1), name="u")
    w = ms.Parameter(ms.Tensor(rng.normal(size=(16, 16)).astype(np.float32) * 0.1), name="w")

    def net(xs: list[ms.Tensor]) -> ms.Tensor:
        h = ms.ops.zeros((4, 16))
        for x in xs:
            h = ms.ops.tanh(ms.ops.matmul(x, u) + ms.ops.matmul(h, w))
        return (h * h).sum()

    gradient = ms.value_and_grad(net, None, (u, w))
    counts = {}
    for length in range(1, 41):
        gradient([ms.Tensor(rng.normal(size=(4, 8)).astype(np.float32)) for _ in range(length)])
        if length in (1, 2, 3, 5, 10, 20, 40):
            counts[f"up to length {length}"] = float(compiled[0])
    return {"programs compiled": counts}


def memory() -> Results:
    """The peak of memory of a process that makes eager steps of ResNet-20, in MB: five, and fifty.

    Then five with programs from the cache on disk, as `msjax run` has them from the second run on.
    """
    with tempfile.TemporaryDirectory() as folder:
        cached = {"JAX_COMPILATION_CACHE_DIR": folder, "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
        _peak("msjax, eager", cached, 5)
        ways = {
            "ResNet-20, five steps": ({}, 5),
            "fifty steps": ({}, 50),
            "five, programs from the cache": (cached, 5),
        }
        return {
            name: {peer: _peak(peer, *way) for peer in peers.installed(["msjax, eager", "torch"])}
            for name, way in ways.items()
        }


def _peak(peer: str, env: dict[str, str], steps: int) -> float:
    worker = Worker(peer, "resnet", env=env)
    worker.seconds(steps)
    peak = worker.peak()
    worker.close()
    return peak


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("questions", nargs="*", default=["step", "chain", "cold", "lengths", "memory"])
    parser.add_argument("--json", metavar="FILE", help="also write the figures there")
    parser.add_argument("--mindspore", metavar="PYTHON", help="an interpreter that has MindSpore")
    chosen = parser.parse_args()
    answers: dict[str, tuple[str, Callable[[], Results], str]] = {
        "step": ("An eager training step", lambda: step(chosen.mindspore), "torch"),
        "chain": ("A chain of operators", chain, "torch"),
        "cold": ("The first step (CPU seconds)", cold, "msjax"),
        "lengths": ("Programs for 40 lengths (a count, shown as if microseconds)", lengths, ""),
        "memory": ("The peak of memory (MB, shown as if microseconds)", memory, "torch"),
    }
    results: dict[str, Any] = {"device": jax.devices()[0].device_kind, "jax": jax.__version__}
    for question in chosen.questions:
        title, answer, floor = answers[question]
        results[question] = answer()
        show(title, results[question], floor)
    if chosen.json:
        with open(chosen.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    sys.exit(main())
