"""Training steps and operators on TPUs and GPUs, from programs that their compilers make on a machine without one.

    pip install libtpu                  # or jax[cuda13], for h100
    JAX_PLATFORMS=cpu python benchmarks/accelerators.py [--for v5e v6e h100] [--chips 1 4 256] [--steps digits GPT-768 ...]
    JAX_PLATFORMS=cpu python benchmarks/accelerators.py --for v5e --operators

Each step is a MindSpore program, lowered by `msjax.interop.lower(step, ..., devices=...)`. Memory, FLOP and bytes are
those of one device, as the compiler counts them; the time is the least that its arithmetic and memory allow
(roofline), without communication. `--operators` compiles every operator and its gradient, those of the tests, by
family; for TPU without singular values, whose program (JAX's) multiplies by 64-bit integers there. Stops if a program
has arrays of float64.
"""

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
import topologies
from models import gpt, resnet50

import msjax as ms
from msjax import interop, nn
from msjax.parallel.auto_parallel import AutoParallel

TESTS = Path(__file__).parents[1] / "tests"
Model = tuple[Any, list[Any]]


def digits(chips: int) -> Model:
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
    rows = 64 * chips
    return net, [np.zeros((rows, 1, 8, 8), np.float32), np.zeros(rows, np.int32)]


def images(chips: int) -> Model:
    """ResNet-50 at 224 x 224."""
    rows = 32 * chips
    return resnet50.mindspore(ms), [np.zeros((rows, 3, 224, 224), np.float32), np.zeros(rows, np.int32)]


def language(width: int, layers: int) -> Callable[[int], Model]:
    """The GPT of the other benchmarks, over 512 tokens."""

    def make(chips: int) -> Model:
        model = gpt.make(width, length=512, rows=8 * chips, layers=layers)
        return model.mindspore(ms), list(model.batch())

    return make


STEPS = {
    "digits": digits,
    "ResNet-50": images,
    "GPT-768": language(768, 12),
    "GPT-2048": language(2048, 4),
}


class Loss(nn.Cell):
    """Cross entropy, in float32 whatever the network computes in."""

    def __init__(self, net: Any) -> None:
        super().__init__()
        self.net, self.loss = net, nn.CrossEntropyLoss()

    def construct(self, x: Any, label: Any) -> Any:
        return self.loss(self.net(x).astype(ms.float32), label)


def make_step(net: Any, narrow: bool, in_parts: bool) -> Any:
    """A training step as users write it."""
    if narrow:
        net.to_float(ms.bfloat16)
    loss: Any = Loss(net)
    if in_parts:
        loss = AutoParallel(loss)
        loss.hsdp(threshold=4)
    return nn.TrainOneStepCell(loss, nn.AdamWeightDecay(net.trainable_params(), 1e-3)).set_train()


def compile_steps(kind: str, chips: list[int], names: list[str], dtypes: list[str]) -> None:
    """Print a table."""
    heads = "step|dtype|devices|Parameters|arguments, MB|temporaries, MB|GFLOP|bytes, MB|sent, MB|collectives|at least, ms"
    print(f"| {heads.replace('|', ' | ')} |\n|{'---|' * (heads.count('|') + 1)}")
    for name in names:
        for dtype in dtypes:
            for number in chips:
                net, batch = STEPS[name](number)
                for in_parts in (False, True)[: 1 + (number > 1)]:
                    step = make_step(net, dtype == "bfloat16", in_parts)
                    given = [ms.Tensor(part) for part in batch]
                    program = interop.lower(step, *given, devices=topologies.devices(kind, number)).compile()
                    where = "in parts" if in_parts else "whole"
                    print(
                        f"| {name} | {dtype} | {number} {kind} | {where} | {cells(kind, count(number, program))} |",
                        flush=True,
                    )
                jax.clear_caches()


class Figures(NamedTuple):
    """What a program needs of each device: bytes, FLOP (0 where the compiler does not count them), and what it sends."""

    arguments: float
    temporaries: float
    flop: float
    moved: float
    sent: float
    collectives: dict[str, float]


def count(devices: int, program: Any) -> Figures:
    """The figures of a program. Stops if it has arrays of float64."""
    text = program.as_text()
    if re.search(r"\bf64\[\d", text):
        raise SystemExit("A program has arrays of float64.")
    memory, cost = (
        program.memory_analysis(),
        program.cost_analysis() or {},
    )  # CUDA's counts nothing without a device
    counts, sent = topologies.collectives(text, devices)
    sizes = memory.argument_size_in_bytes, memory.temp_size_in_bytes
    return Figures(*sizes, cost.get("flops", 0), cost.get("bytes accessed", 0), sent, counts)


def cells(kind: str, found: Figures) -> str:
    """The cells of a table."""
    told = ", ".join(f"{number:.0f} {what}" for what, number in found.collectives.items()) or "none"
    sizes = f"{found.arguments / 1e6:.1f} | {found.temporaries / 1e6:.1f}"
    if not found.flop:
        return f"{sizes} | | | {found.sent / 1e6:.1f} | {told} |"
    speed = topologies.KINDS[kind]
    least = 1e3 * max(found.flop / speed.flops, found.moved / speed.bandwidth)
    work = f"{found.flop / 1e9:.1f} | {found.moved / 1e6:.0f}"
    return f"{sizes} | {work} | {found.sent / 1e6:.1f} | {told} | {least:.2f}"


def compile_operators(kind: str, families: list[str]) -> bool:
    """Compile the samples of the tests with their gradients, and print what fails; return whether all compile."""
    sys.path[:0] = [str(TESTS.parent), str(TESTS / "goldens"), str(TESTS / "ops")]
    import golden
    import together

    device = topologies.devices(kind, 1)
    wrong = []
    for family in families or golden.FAMILIES:
        narrow = golden.one_each(family, lambda sample: not together.is_wide(sample), most=1)
        without = {*together.SHAPES_OF_VALUES, *(together.SINGULAR_VALUES if kind != "h100" else ())}
        samples = [sample for sample in narrow if sample.op not in without]
        try:
            together.one_by_one(lambda some: together.compiles(some, device[0]), samples)
            print(f"{family}: {len(samples)} operators compile for {kind}", flush=True)
        except AssertionError as error:
            wrong.append(family)
            print(f"{family}: {error}", flush=True)
        jax.clear_caches()
    return not wrong


def main() -> int:
    """Compile what the options name."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--for", nargs="+", choices=list(topologies.KINDS), default=["v5e"], dest="kinds")
    parser.add_argument("--chips", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--steps", nargs="*", choices=list(STEPS), default=["digits", "GPT-768"])
    parser.add_argument(
        "--dtypes", nargs="+", choices=["float32", "bfloat16"], default=["float32", "bfloat16"]
    )
    parser.add_argument(
        "--operators", nargs="*", metavar="FAMILY", help="these families; all, if none is named"
    )
    options = parser.parse_args()
    good = True
    for kind in options.kinds:
        if options.operators is None:
            compile_steps(kind, options.chips, options.steps, options.dtypes)
        else:
            good &= compile_operators(kind, options.operators)
    return not good


if __name__ == "__main__":
    sys.exit(main())
