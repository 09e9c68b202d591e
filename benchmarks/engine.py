"""Costs of the engine: an eager operator, a chain of them forward and backward, a compiled step, the import.

    python benchmarks/engine.py [--json FILE]

Peers run in the same process and take turns: jax, and torch and MindSpore's PyNative where they are installed.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from timing import interleaved, table

import msjax as ms
from msjax import nn, ops

DEPTH = 10


def operator() -> dict[str, float]:
    """a + b of two 8 x 8 matrices."""
    a = np.ones((8, 8), np.float32)
    x, y = ms.Tensor(a), ms.Tensor(a)
    p, q = jnp.asarray(a), jnp.asarray(a)
    bare = jax.jit(jnp.add)
    ways = {"bare jitted call": lambda: bare(p, q), "again": lambda: bare(p, q), "jnp": lambda: p + q,
            "msjax": lambda: ops.add(x, y), "msjax a + b": lambda: x + y}  # fmt: skip
    if importlib.util.find_spec("torch"):
        import torch

        s, t = torch.from_numpy(a), torch.from_numpy(a)
        ways["torch"] = lambda: s + t
    return interleaved(ways, 2000)


def chain() -> dict[str, dict[str, float]]:
    """tanh(h @ w), ten times, then the sum: forward, and forward with backward."""
    a = np.ones((32, 32), np.float32) / 32
    w = ms.Tensor(a)

    def net(w: ms.Tensor) -> ms.Tensor:
        h = w
        for _ in range(DEPTH):
            h = ops.tanh(ops.matmul(h, w))
        return h.sum()

    gradient = ms.grad(net)
    bare = [jax.jit(jnp.matmul), jax.jit(jnp.tanh), jax.jit(jnp.sum)]
    v = jnp.asarray(a)

    def bare_net() -> jax.Array:
        h = v
        for _ in range(DEPTH):
            h = bare[1](bare[0](h, v))
        return bare[2](h)

    def jax_net(v: jax.Array) -> jax.Array:
        h = v
        for _ in range(DEPTH):
            h = jnp.tanh(h @ v)
        return h.sum()

    forward = {"bare jitted calls": bare_net, "msjax": lambda: net(w)}
    both = {
        "bare forward": bare_net,
        "msjax": lambda: gradient(w),
        "jax.vjp": lambda: jax.vjp(jax_net, v)[1](1.0),
    }
    if importlib.util.find_spec("torch"):
        import torch

        t = torch.from_numpy(a).requires_grad_()

        def torch_net() -> torch.Tensor:
            h = t
            for _ in range(DEPTH):
                h = torch.tanh(h @ t)
            return h.sum()

        def torch_both() -> None:
            t.grad = None
            torch_net().backward()

        forward["torch"] = torch_net
        both["torch"] = torch_both
    both.pop("jax.vjp")
    return {"forward": interleaved(forward, 100), "forward and backward": interleaved(both, 50)}


class Net(nn.Cell):
    """The convolutional net of the demo, on 8 x 8 images."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, pad_mode="same")
        self.conv2 = nn.Conv2d(16, 32, 3, pad_mode="same")
        self.pool = nn.MaxPool2d(2, 2)
        self.flat = nn.Flatten()
        self.fc1 = nn.Dense(32 * 4 * 4, 64)
        self.fc2 = nn.Dense(64, 10)

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        x = self.pool(ops.relu(self.conv2(ops.relu(self.conv1(x)))))
        return self.fc2(ops.relu(self.fc1(self.flat(x))))


def step() -> dict[str, float]:
    """A compiled training step against the same one written by hand with jax.jit and optax."""
    rng = np.random.default_rng(0)
    images = rng.normal(size=(32, 1, 8, 8)).astype(np.float32)
    labels = rng.integers(0, 10, 32).astype(np.int32)
    net = Net()
    params = {name: p.asnumpy() for name, p in net.parameters_and_names()}
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

    @ms.jit
    def train(x: ms.Tensor, y: ms.Tensor) -> ms.Tensor:
        loss, grads = gradient(x, y)
        optimizer(grads)
        return loss

    def forward(p: dict, x: jax.Array) -> jax.Array:
        for layer in ("conv1", "conv2"):
            x = jax.nn.relu(jax.lax.conv_general_dilated(x, p[f"{layer}.weight"], (1, 1), "SAME"))
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
        x = jax.nn.relu(x.reshape(len(x), -1) @ p["fc1.weight"].T + p["fc1.bias"])
        return x @ p["fc2.weight"].T + p["fc2.bias"]

    def loss_of(p: dict, x: jax.Array, y: jax.Array) -> jax.Array:
        return optax.softmax_cross_entropy_with_integer_labels(forward(p, x), y).mean()

    rule = optax.sgd(np.float32(0.01), np.float32(0.9))

    def by_hand(p: dict, slots: object, x: jax.Array, y: jax.Array) -> tuple:
        loss, grads = jax.value_and_grad(loss_of)(p, x, y)
        updates, slots = rule.update(grads, slots)
        return optax.apply_updates(p, updates), slots, loss

    held = [jax.tree.map(jnp.asarray, params), rule.init(jax.tree.map(jnp.asarray, params))]
    compiled = jax.jit(by_hand, donate_argnums=(0, 1))
    x, y, u, v = ms.Tensor(images), ms.Tensor(labels), jnp.asarray(images), jnp.asarray(labels)

    def hand() -> None:
        held[0], held[1], loss = compiled(held[0], held[1], u, v)
        loss.block_until_ready()

    losses = [float(train(x, y)), float(compiled(*jax.tree.map(jnp.copy, held), u, v)[2])]
    if abs(losses[0] - losses[1]) > 1e-3 * abs(losses[1]):
        raise SystemExit(f"the two steps do not compute the same loss: {losses}")
    return interleaved(
        {"jax.jit + optax": hand, "again": hand, "msjax": lambda: train(x, y).array.block_until_ready()}, 50
    )


def imports(rounds: int = 7) -> dict[str, float]:
    """Seconds to start Python and import."""
    programs = {"import jax, optax": "import jax, jax.numpy, optax", "import msjax": "import msjax"}
    # Installed packages come with their bytecode, a checkout must be able to keep its own.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    times: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", program], check=True, env=env)
            times[name].append(time.perf_counter() - start)
    return {name: sorted(found)[len(found) // 2] for name, found in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", metavar="FILE", help="also write the seconds there")
    options = parser.parse_args()
    results = {"an eager operator": operator()}
    results |= {f"a chain of {2 * DEPTH + 1} operators, {name}": found for name, found in chain().items()}
    results["a compiled training step of the demo's net"] = step()
    results["import"] = imports()
    print(f"{jax.devices()[0].device_kind}, jax {jax.__version__}, Python {sys.version.split()[0]}")
    for title, seconds in results.items():
        print(table(title, seconds, next(iter(seconds))))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
