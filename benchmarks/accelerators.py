"""Training steps on TPUs, from programs that TPU's own compiler makes on a machine without one.

    pip install libtpu
    JAX_PLATFORMS=cpu python benchmarks/accelerators.py [--chips 1 4] [--widths 768 2048] [--layers 12]

Each step is a MindSpore program, lowered by `msjax.interop.lower(step, ..., devices=...)`. Memory and FLOP are those of one
chip, as the compiler counts them; the time is the least that the chip's arithmetic and memory allow (roofline), without
communication. Stops if a program computes in float64.
"""

import argparse
import collections
import os
import re
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")

import jax
import numpy as np
from jax.experimental import topologies
from models import gpt

import msjax as ms
from msjax import interop, nn
from msjax.parallel.auto_parallel import AutoParallel

# A v5e chip, by Google's description: bfloat16 arithmetic and memory bandwidth a second.
FLOPS, BANDWIDTH = 197e12, 819e9
COLLECTIVE = re.compile(r" (all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)(?:-start)?\(")


def digits() -> tuple[Any, list[Any]]:
    """A network like that of `make demo`: two convolutions over images of 8 x 8."""
    net = nn.SequentialCell(
        nn.Conv2d(1, 16, 3),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Flatten(),
        nn.Dense(512, 10),
    )
    return net, [np.zeros((64, 1, 8, 8), np.float32), np.zeros(64, np.int32)]


def language(width: int, layers: int, rows: int = 8, length: int = 512) -> tuple[Any, list[Any]]:
    """The GPT of the other benchmarks."""
    model = gpt.make(width, length=length, rows=rows, layers=layers)
    return model.mindspore(ms), list(model.batch())


def steps(widths: list[int], layers: int) -> Iterator[tuple[str, Any, list[Any], bool]]:
    """Name, training step, arguments, and whether Parameters are in parts."""
    models = {"digits": digits()} | {f"GPT {width} x {layers}": language(width, layers) for width in widths}
    for name, (net, batch) in models.items():
        for in_parts in (False, True):
            loss: Any = nn.WithLossCell(net, nn.CrossEntropyLoss())
            if in_parts:
                loss = AutoParallel(loss)
                loss.hsdp(threshold=4)
            step = nn.TrainOneStepCell(loss, nn.AdamWeightDecay(net.trainable_params(), 1e-3)).set_train()
            yield name, step, [ms.Tensor(part) for part in batch], in_parts


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chips", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--widths", type=int, nargs="*", default=[768])
    parser.add_argument("--layers", type=int, default=12)
    options = parser.parse_args()
    chips = topologies.get_topology_desc(platform="tpu", topology_name="v5e:2x2").devices
    print(
        "| step | chips | Parameters | arguments, MB | temporaries, MB | GFLOP | bytes, MB | collectives | at least, ms |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, step, batch, in_parts in steps(options.widths, options.layers):
        for count in options.chips:
            if count == 1 and in_parts:
                continue
            program = interop.lower(step, *batch, devices=chips[:count]).compile()
            print(row(name, count, in_parts, program), flush=True)
        jax.clear_caches()


def row(name: str, count: int, in_parts: bool, program: Any) -> str:
    """One line of the table."""
    text = program.as_text()
    if re.search(r"\bf64\[", text):
        raise SystemExit(f"{name} computes in float64.")
    memory, cost = program.memory_analysis(), program.cost_analysis()
    flop, moved = cost["flops"], cost["bytes accessed"]
    found = collections.Counter(COLLECTIVE.findall(text))
    told = ", ".join(f"{number} {kind}" for kind, number in sorted(found.items())) or "none"
    least = 1e3 * max(flop / FLOPS, moved / BANDWIDTH)
    sizes = f"{memory.argument_size_in_bytes / 1e6:.1f} | {memory.temp_size_in_bytes / 1e6:.1f}"
    where = "in parts" if in_parts else "whole"
    return f"| {name} | {count} | {where} | {sizes} | {flop / 1e9:.1f} | {moved / 1e6:.0f} | {told} | {least:.2f} |"


if __name__ == "__main__":
    main()
