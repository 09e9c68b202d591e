"""The most used operators against the same in jitted jnp: eager and in a compiled step, forward and with gradient.

    python benchmarks/operators.py [--json FILE] [--only NAME ...] [--rounds N] [--mindspore PYTHON]

For each operator and two sizes of its first input: how many times a bare `jax.jit` of the jnp expression an eager call
takes; at the large size how many times `jax.jit(jax.grad(...))` the gradient of the sum of squares under `ms.jit` takes; and
where torch is installed, how many times torch; with an interpreter that has MindSpore, how many times its PyNative.
"""

import argparse
import importlib.util
import json
import math
import os
import subprocess
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from operator_cases import CASES, SIZES, Case, arrays
from timing import in_turn, seconds_of

import msjax as ms
from msjax import ops


def conv(v: jax.Array, w: jax.Array) -> jax.Array:
    """A convolution of the same size, in as many groups as the kernel says."""
    groups = v.shape[1] // w.shape[1]
    return jax.lax.conv_general_dilated(v, w, (1, 1), "SAME", feature_group_count=groups)


def pool(v: jax.Array) -> jax.Array:
    """Maximum over 2 x 2."""
    return jax.lax.reduce_window(v, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")


def norm(x: jax.Array) -> jax.Array:
    """Layer normalization without weights."""
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)


class PyNative:
    """MindSpore in a process of its own, which times calls when it is told to; without an interpreter, nothing."""

    def __init__(self, python: str | None) -> None:
        self.process = python and subprocess.Popen(
            [python, str(Path(__file__).with_name("operator_cases.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | {"GLOG_v": "3", "ONEDNN_MAX_CPU_ISA": "AVX2"},
        )

    def seconds(self, case: Case, size: int, calls: int) -> float:
        """Seconds of one call; NaN once a call has ended the process."""
        try:
            self.process.stdin.write(f"{CASES.index(case)} {size} {calls}\n")
            self.process.stdin.flush()
            for line in self.process.stdout:
                if line.startswith("answer "):
                    return float(line.split()[1])
        except BrokenPipeError:
            pass
        return math.nan


def measured(case: Case, size: int, rounds: int, torch: Any, pynative: PyNative) -> dict[str, float]:
    """Ratios of one case."""
    given = arrays(case, size)
    boxes, bare = [ms.Tensor(a) for a in given], [jnp.asarray(a) for a in given]
    calls = 300 if size < 64 else 10
    names = {"jax": jax, "jnp": jnp, "conv": conv, "pool": pool, "norm": norm, "ops": ops, "ms": ms}
    plain, ours_of = eval(case.jax, names), eval(case.msjax, names)
    jitted = jax.jit(plain)
    ways = {"bare": lambda: jax.block_until_ready(jitted(*bare)), "msjax": lambda: wait(ours_of(*boxes))}
    if torch is not None:
        tensors = [torch.from_numpy(a) for a in given]
        theirs = eval(case.torch, {"t": torch})
        ways["torch"] = lambda: theirs(*tensors)
    timed = {name: _warm(way, calls) for name, way in ways.items()}
    if pynative.process:
        timed["mindspore"] = lambda: pynative.seconds(case, size, calls)
    seconds = in_turn(timed, rounds)
    found = {"eager": seconds["msjax"] / seconds["bare"]}
    for peer in ("torch", "mindspore"):
        if peer in seconds:
            found[f"eager / {peer}"] = seconds["msjax"] / seconds[peer]
    if case.smooth and size == SIZES["large"]:
        places = tuple(i for i, k in enumerate(case.inputs) if k not in "ib")
        gradient = jax.jit(jax.grad(lambda *a: squares(plain(*a)), places))
        ours = ms.jit(ms.grad(lambda *a: squares(ours_of(*a)), places))
        pair = {
            "bare": lambda: jax.block_until_ready(gradient(*bare)),
            "msjax": lambda: wait(ours(*boxes)),
        }
        seconds = in_turn({name: _warm(way, calls) for name, way in pair.items()}, rounds)
        found["compiled gradient"] = seconds["msjax"] / seconds["bare"]
    return found


def _warm(way: Any, calls: int) -> Any:
    """Return the times of a way, which has been gone a few times before."""
    for _ in range(max(3, calls // 10)):
        way()
    return seconds_of(way, calls)


def squares(results: Any) -> Any:
    """The sum of the squares of one result or of several."""
    each = results if isinstance(results, list | tuple) else [results]
    return sum((x**2).sum() for x in each)


def wait(result: Any) -> Any:
    """One Tensor, or several, whose computation is over."""
    for x in result if isinstance(result, tuple) else (result,):
        x.array.block_until_ready()
    return result


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--mindspore", help="an interpreter that has MindSpore")
    args = parser.parse_args()
    torch = None
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(jax.local_device_count())
    results: dict[str, dict[str, dict[str, float]]] = {}
    pynative = PyNative(args.mindspore)
    columns = ["eager", "compiled gradient", *(["eager / torch"] if torch else [])]
    columns += ["eager / mindspore"] if args.mindspore else []
    print(f"{jax.devices()[0].device_kind}, jax {jax.__version__}: times a bare jitted call")
    print(f"{'':14}" + "".join(f"{f'{column}, {size}':>26}" for column in columns for size in SIZES))
    for case in CASES:
        if args.only and case.name not in args.only:
            continue
        found = {name: measured(case, size, args.rounds, torch, pynative) for name, size in SIZES.items()}
        results[case.name] = found
        cells = [found[size].get(column, math.nan) for column in columns for size in SIZES]
        print(f"{case.name:14}" + "".join(f"{cell:26.2f}" for cell in cells), flush=True)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
