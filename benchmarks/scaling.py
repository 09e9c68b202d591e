"""A data-parallel training step in several processes: msjax, JAX written by hand, flax nnx and torch's DDP.

    python benchmarks/scaling.py [--model mlp|gpt|resnet] [--workers N] [--strong] [--depth N] [--width N]
                                 [--calls N] [--rounds N] [--torch PYTHON]

The ways take turns; each process prints its table: microseconds a step in the best round, by the clock, or with CLOCK=cpu
the CPU time of the process, or with CLOCK=thread that of Python's thread. "by hand" is `jax.shard_map`, "GSPMD" and "nnx"
leave the sum of gradients to the compiler; all three keep weights as arrays of all processes, and make one of each batch.
"alone" is msjax's step without communication. BatchNorm's mean is that of a process's rows, in GSPMD and nnx of all rows.
Each process has the model's batch, with --strong its part of it. --torch names the Python that has torch (gloo).
"""

import argparse
import importlib.util
import os
import socket
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import peers
from models import gpt, mlp, resnet
from timing import in_turn, seconds_of, table


def read_options(args=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", choices=("mlp", "gpt", "resnet"), default="mlp")
    for name, default in (("workers", 2), ("depth", 100), ("width", 16), ("calls", 10), ("rounds", 25)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--strong", action="store_true")
    parser.add_argument("--torch")
    return parser.parse_args(args)


def make_model(options, rank):
    """The model, with this process's batch."""
    model = {
        "mlp": lambda: mlp.make(options.depth, options.width),
        "gpt": lambda: gpt.make(options.width),
        "resnet": lambda: resnet,
    }[options.model]()
    x, y = model.batch()
    labels = y.reshape(len(x), -1)  # GPT's are flat
    part = slice(rank, None, options.workers) if options.strong else slice(None)
    batch = np.ascontiguousarray(x[part]), labels[part].reshape(-1)
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

    everywhere = jax.NamedSharding(mesh, jax.P())

    def average(grads):
        flat, back = jax.flatten_util.ravel_pytree(grads)
        return back(jax.lax.pmean(flat, "processes"))

    def enter(array):
        return jax.make_array_from_single_device_arrays(array.shape, everywhere, [array])

    step, state, batch = peers.hand_step(model, average=average)
    mapped = jax.shard_map(step, mesh=mesh, in_specs=jax.P(), out_specs=jax.P(), check_vma=False)
    return stepping(mapped, jax.tree.map(enter, state), batch, enter)


def spread(model, mesh):
    """The step of one device under `jax.jit`: the batch lies in parts, the compiler sums gradients."""
    step, state, batch = peers.hand_step(model)
    import jax

    return stepping(step, jax.tree.map(placing(mesh), state), batch, placing(mesh, "processes"))


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
    import jax
    from jax.sharding import Mesh

    from msjax import communication

    communication.init()
    rank = communication.get_rank()
    devices = {d.process_index: d for d in reversed(jax.devices())}
    mesh = Mesh(np.array([devices[i] for i in sorted(devices)]), ("processes",))
    model = make_model(options, rank)
    ways = {"by hand": by_hand(model, mesh), "GSPMD": spread(model, mesh), "msjax": with_msjax(model, True)}
    if importlib.util.find_spec("flax"):
        ways["nnx"] = peers.nnx(model, enter=placing(mesh), feed=placing(mesh, "processes"))
    ways["alone"] = with_msjax(model, False)
    report(options, rank, ways, "by hand")


def measure_torch(options):
    import torch

    torch.distributed.init_process_group("gloo")
    rank = torch.distributed.get_rank()
    model = make_model(options, rank)
    ways = {
        "torch": peers.torch(model, torch.nn.parallel.DistributedDataParallel),
        "alone": peers.torch(model),
    }
    report(options, rank, ways, "torch")
    torch.distributed.destroy_process_group()


def report(options, rank, ways, floor):
    for way in ways.values():
        for _ in range(3):
            way()
    # The least: other programs that use the machine only add, and differently in each round.
    seconds = in_turn(
        {name: seconds_of(way, options.calls) for name, way in ways.items()}, options.rounds, min
    )
    arrays = 2 * len(make_model(options, rank).parameters())
    print(table(f"Process {rank} of {options.workers}, {options.model}, {arrays} arrays", seconds, floor))


def main():
    options = read_options()
    if "MS_NODE_ID" in os.environ:
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
