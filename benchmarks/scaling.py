"""A data-parallel training step on several processes or devices: msjax, JAX written by hand, flax nnx and torch's DDP.

    python benchmarks/scaling.py [--model mlp|gpt|resnet] [--workers N | --devices N | --grid] [--strong]
                                 [--depth N] [--width N] [--calls N] [--rounds N] [--torch PYTHON] [--ways NAME ...]

The ways take turns, and before each turn the processes wait for each other; each process prints its table: microseconds a
step in the median round, by the clock, or with CLOCK=cpu the CPU time of the process, or with CLOCK=thread that of Python's
thread. "by hand" is `jax.shard_map`, "GSPMD" and "nnx"
leave the sum of gradients to the compiler; all three keep weights as arrays of all devices, and make one of each batch.
"alone" is msjax's step without communication. BatchNorm's mean is that of a part's rows, in GSPMD and nnx of all rows, and
so it is in msjax with --devices. --torch names the Python that has torch (gloo).

Each process has the model's batch, with --strong its part of it. --devices cuts the CPU of one process into so many virtual
devices, each with the batch or its part of it, as `msjax run --devices N` does. --grid runs one and two processes, two and
four devices, weak and strong, and prints one more table: milliseconds a step.
"""

import argparse
import functools
import importlib.util
import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import peers
from models import gpt, mlp, resnet
from timing import in_turn, seconds_of, table

RESULTS = "MSJAX_BENCHMARK_RESULTS"  # names the file to which the first process adds its figures


def read_options(args=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", choices=("mlp", "gpt", "resnet"), default="mlp")
    for name, default in (("workers", 2), ("depth", 100), ("width", 16), ("calls", 10), ("rounds", 25)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--devices", type=int, default=0)
    parser.add_argument("--ways", nargs="*", help="of those of JAX: 'by hand', GSPMD, nnx, msjax, alone")
    for name in ("strong", "grid"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--torch")
    return parser.parse_args(args)


def make_model(options, rank):
    """The model, with the batch of this process: of all its devices."""
    model = {
        "mlp": lambda: mlp.make(options.depth, options.width),
        "gpt": lambda: gpt.make(options.width),
        "resnet": lambda: resnet,
    }[options.model]()
    x, y = model.batch()
    labels = y.reshape(len(x), -1)  # GPT's are flat
    rows = np.arange(len(x))
    if not options.strong:
        rows = np.tile(rows, options.devices or 1)
    elif not options.devices:
        rows = rows[rank :: options.workers]
    batch = x[rows], labels[rows].reshape(-1)
    return SimpleNamespace(**vars(model) | {"batch": lambda: batch})


def with_msjax(model, parallel):
    import msjax as ms
    from msjax import nn

    if parallel:
        ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    ms.set_seed(1)
    net = model.mindspore(ms)
    optimizer = nn.Momentum(net.trainable_params(), peers.RATE, peers.MOMENTUM)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
    ms.reset_auto_parallel_context()
    compiled, given = ms.jit(step), tuple(map(ms.Tensor, model.batch()))
    return lambda: compiled(*given).array.block_until_ready()


def by_hand(model, mesh):
    """Under `shard_map` over the processes; the gradients travel as one array."""
    import jax
    import jax.flatten_util

    whole, rows = jax.P(), jax.P("parts")

    def average(grads):
        flat, back = jax.flatten_util.ravel_pytree(grads)
        return back(jax.lax.pmean(flat, "parts"))

    def enter(array):
        """Make the rows of this process, which lie on its one device already, a part of the whole batch."""
        if mesh.size == len(mesh.local_devices):
            return jax.device_put(array, jax.NamedSharding(mesh, rows))
        shape = (len(array) * mesh.size, *array.shape[1:])
        return jax.make_array_from_single_device_arrays(shape, jax.NamedSharding(mesh, rows), [array])

    step, state, batch = peers.hand_step(model, average=average)
    specs = (whole, whole, whole, rows, rows)
    mapped = jax.shard_map(step, mesh=mesh, in_specs=specs, out_specs=whole, check_vma=False)
    return stepping(mapped, jax.tree.map(placing(mesh), state), batch, enter)


def spread(model, mesh):
    """The step of one device under `jax.jit`: the batch lies in parts, the compiler sums gradients."""
    step, state, batch = peers.hand_step(model)
    import jax

    return stepping(step, jax.tree.map(placing(mesh), state), batch, placing(mesh, "parts"))


def placing(mesh, *axes):
    """A function that makes a global array of what each process has: the same, or its rows."""
    import jax

    sharding = jax.NamedSharding(mesh, jax.P(*axes))
    return lambda array: jax.make_array_from_process_local_data(sharding, np.asarray(array))


def stepping(step, state, batch, enter):
    import jax

    compiled = jax.jit(step, donate_argnums=(0, 1, 2))

    def run():
        *state[:], value = compiled(*state, *map(enter, batch))  # a batch is this process's own
        value.block_until_ready()

    return run


def measure(options):
    """Time a step in this process: one of several, or one that drives several devices."""
    import jax
    from jax.experimental.multihost_utils import sync_global_devices
    from jax.sharding import Mesh

    if options.devices:
        jax.config.update("jax_num_cpu_devices", options.devices)
        rank, devices, meet = 0, jax.devices(), None
    else:
        from msjax import communication

        communication.init()
        rank, meet = communication.get_rank(), functools.partial(sync_global_devices, "the next turn")
        first = {d.process_index: d for d in reversed(jax.devices())}
        devices = [first[i] for i in sorted(first)]
    mesh = Mesh(np.array(devices), ("parts",))
    model = make_model(options, rank)
    makers = {"by hand": lambda: by_hand(model, mesh), "GSPMD": lambda: spread(model, mesh)}
    if importlib.util.find_spec("flax"):
        makers["nnx"] = lambda: peers.nnx(model, enter=placing(mesh), feed=placing(mesh, "parts"))
    makers["msjax"] = lambda: with_msjax(model, not options.devices)
    if options.devices:
        from msjax.core.jit import placement

        placement.place_everywhere(placement.Placement(options.devices))
    else:
        makers["alone"] = lambda: with_msjax(model, False)
    ways = {name: make() for name, make in makers.items() if name in (options.ways or makers)}
    report(options, rank, ways, next(iter(ways)), meet)


def measure_torch(options):
    import torch

    torch.distributed.init_process_group("gloo")
    rank = torch.distributed.get_rank()
    model = make_model(options, rank)
    ways = {
        "torch": peers.torch(model, torch.nn.parallel.DistributedDataParallel),
        "torch, alone": peers.torch(model),
    }
    report(options, rank, ways, "torch", torch.distributed.barrier)
    torch.distributed.destroy_process_group()


def report(options, rank, ways, floor, meet=None):
    """Time the ways and print a table; `meet` lets a process wait for the others."""
    for way in ways.values():
        for _ in range(3):
            way()

    def together(way):
        measure = seconds_of(way, options.calls)

        def start():
            if meet is not None:
                meet()  # who comes first would wait inside of the way that is timed
            return measure()

        return start

    seconds = in_turn({name: together(way) for name, way in ways.items()}, options.rounds)
    arrays = 2 * len(make_model(options, rank).parameters())
    print(table(f"Process {rank} of {options.workers}, {describe(options)}, {arrays} arrays", seconds, floor))
    if rank == 0 and RESULTS in os.environ:
        with open(os.environ[RESULTS], "a", encoding="utf8") as file:
            print(json.dumps([describe(options), seconds]), file=file)


def describe(options):
    parts = f"{options.devices} devices" if options.devices else f"{options.workers} processes"
    return f"{options.model}, {parts}, {'strong' if options.strong else 'weak'}"


def run_grid():
    """Run this benchmark once for each number of processes and devices, and print the figures as one table."""
    rest = [given for given in sys.argv[1:] if given != "--grid"]
    settings = [["--workers=1"]]
    settings += [
        [size, *how] for size in ("--workers=2", "--devices=2", "--devices=4") for how in ([], ["--strong"])
    ]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "results")
        results.touch()
        for setting in settings:
            command = [sys.executable, __file__, *rest, *setting]
            failed |= subprocess.run(
                command, check=False, env=os.environ | {RESULTS: str(results)}
            ).returncode
        found = {}
        for line in results.read_text("utf8").splitlines():
            name, seconds = json.loads(line)
            found.setdefault(name, {}).update({way: 1e3 * value for way, value in seconds.items()})
    names = list(dict.fromkeys(name for row in found.values() for name in row))
    print("".join([f"\n{'milliseconds a step':28}", *(f"{name:>14}" for name in names)]))
    for setting, row in found.items():
        print("".join([f"{setting:28}", *(f"{row[n]:14.1f}" if n in row else f"{'':14}" for n in names)]))
    return failed


def main():
    options = read_options()
    if options.grid:
        return run_grid()
    if "MS_NODE_ID" in os.environ or options.devices:
        return measure(options)
    if "TORCHELASTIC_RUN_ID" in os.environ:
        return measure_torch(options)
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    launch = [sys.executable, "-m", "msjax", "launch", f"--worker_num={options.workers}", "--join=True"]
    launch += [f"--master_port={port}", "--log_dir=.bench_logs", __file__, *sys.argv[1:]]
    failed = subprocess.run(launch, check=False).returncode
    if options.torch:
        run = [options.torch, "-m", "torch.distributed.run", f"--nproc_per_node={options.workers}"]
        failed |= subprocess.run(
            [*run, f"--master_port={port}", __file__, *sys.argv[1:]], check=False
        ).returncode
    return failed


if __name__ == "__main__":
    sys.exit(main())
