"""A data-parallel training step in two processes, against the same program written by hand with `jax.shard_map`.

    python benchmarks/scaling.py [--workers N] [--layers N] [--width N] [--calls N] [--rounds N]

The ways take turns; each process prints its table: microseconds a step in the best round, by the clock, or with CLOCK=cpu
the CPU time of the process, or with CLOCK=thread that of Python's thread. "alone" is msjax's step without communication,
"by hand" keeps its weights as arrays of all processes, and makes one of each batch.
"""

import argparse
import os
import socket
import subprocess
import sys

import jax
import jax.flatten_util
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from timing import in_turn, seconds_of, table

import msjax as ms
from msjax import communication, nn

RATE, MOMENTUM = 0.01, 0.9


def read_options(args=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in (("workers", 2), ("layers", 100), ("width", 16), ("calls", 10), ("rounds", 25)):
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser.parse_args(args)


def with_msjax(options, x, y, parallel):
    """A training step of msjax: `layers` layers, and so four times as many arrays with the optimizer's."""
    if parallel:
        ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    ms.set_seed(1)
    layers = [
        part for _ in range(options.layers) for part in (nn.Dense(options.width, options.width), nn.Tanh())
    ]
    net = nn.SequentialCell(*layers)
    optimizer = nn.Momentum(net.trainable_params(), RATE, MOMENTUM)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    ms.reset_auto_parallel_context()
    compiled, given = ms.jit(step), (ms.Tensor(x), ms.Tensor(y))
    return lambda: compiled(*given).array.block_until_ready()


def by_hand(options, x, y):
    """The same step on JAX alone, under `shard_map` over the processes."""
    devices = {d.process_index: d for d in reversed(jax.devices())}
    mesh = Mesh(np.array([devices[i] for i in sorted(devices)]), ("processes",))
    everywhere = NamedSharding(mesh, jax.P())

    def enter(array):
        return jax.make_array_from_single_device_arrays(array.shape, everywhere, [jnp.asarray(array)])

    draw = np.random.default_rng(1)
    width = options.width
    weights = [
        (draw.normal(size=(width, width)).astype(np.float32) / width**0.5, np.zeros(width, np.float32))
        for _ in range(options.layers)
    ]
    weights = jax.tree.map(enter, weights)
    slots = jax.tree.map(lambda w: enter(np.zeros(w.shape, np.float32)), weights)

    def loss(weights, x, y):
        for w, b in weights:
            x = jnp.tanh(x @ w.T + b)
        return jnp.mean((x - y) ** 2)

    def step(weights, slots, x, y):
        value, gradients = jax.value_and_grad(loss)(weights, x, y)
        flat, back = jax.flatten_util.ravel_pytree(gradients)
        gradients = back(jax.lax.pmean(flat, "processes"))
        slots = jax.tree.map(lambda s, g: MOMENTUM * s + g, slots, gradients)
        return jax.tree.map(lambda w, s: w - RATE * s, weights, slots), slots, value

    mapped = jax.shard_map(step, mesh=mesh, in_specs=jax.P(), out_specs=jax.P(), check_vma=False)
    compiled, state = jax.jit(mapped, donate_argnums=(0, 1)), [weights, slots]
    given = jnp.asarray(x), jnp.asarray(y)

    def run():
        *state[:], value = compiled(*state, *map(enter, given))  # a batch is this process's own
        value.block_until_ready()

    return run


def measure(options):
    communication.init()
    draw = np.random.default_rng(communication.get_rank())
    x, y = (draw.normal(size=(32, options.width)).astype(np.float32) for _ in range(2))
    ways = {
        "by hand": by_hand(options, x, y),
        "msjax": with_msjax(options, x, y, True),
        "alone": with_msjax(options, x, y, False),
    }
    for way in ways.values():
        for _ in range(3):
            way()
    # The least: other programs that use the machine only add, and differently in each round.
    seconds = in_turn(
        {name: seconds_of(way, options.calls) for name, way in ways.items()}, options.rounds, min
    )
    title = (
        f"Process {communication.get_rank()} of {communication.get_group_size()}, {4 * options.layers} arrays"
    )
    print(table(title, seconds, "by hand"))


def main():
    options = read_options()
    if "MS_NODE_ID" in os.environ:
        return measure(options)
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "msjax",
        "launch",
        f"--worker_num={options.workers}",
        f"--master_port={port}",
    ]
    command += ["--join=True", "--log_dir=.bench_logs", __file__, *sys.argv[1:]]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
