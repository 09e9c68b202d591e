"""LeNet-5 on 32 x 32 images of one channel."""

from typing import Any

import numpy as np

from models import dense, named, normal

images = True
ROWS = 32


def parameters() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return named(
        conv1=[normal(rng, 6, 1, 5, 5)],
        conv2=[normal(rng, 16, 6, 5, 5)],
        fc1=dense(rng, 400, 120),
        fc2=dense(rng, 120, 84),
        fc3=dense(rng, 84, 10),
    )


def channels_last(p: dict) -> dict:
    rows = p["fc1.0"].reshape(120, 16, 5, 5).transpose(0, 2, 3, 1).reshape(120, 400)
    return {n: a.transpose(2, 3, 1, 0) if a.ndim == 4 else a.T for n, a in (p | {"fc1.0": rows}).items()}


def batch() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.normal(size=(ROWS, 1, 32, 32)).astype(np.float32), rng.integers(0, 10, ROWS).astype(np.int32)


def mindspore(ms: Any) -> Any:
    nn, ops = ms.nn, ms.ops

    class LeNet(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
            self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
            self.fc1, self.fc2, self.fc3 = nn.Dense(400, 120), nn.Dense(120, 84), nn.Dense(84, 10)
            self.pool, self.flat = nn.MaxPool2d(2, 2), nn.Flatten()

        def construct(self, x: Any) -> Any:
            x = self.pool(ops.relu(self.conv1(x)))
            x = self.flat(self.pool(ops.relu(self.conv2(x))))
            return self.fc3(ops.relu(self.fc2(ops.relu(self.fc1(x)))))

    return LeNet()


def by_hand(p: dict, x: Any) -> Any:
    import jax

    for layer in ("conv1", "conv2"):
        x = jax.nn.relu(jax.lax.conv_general_dilated(x, p[f"{layer}.0"], (1, 1), "VALID"))
        x = jax.lax.reduce_window(x, -np.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    x = x.reshape(len(x), -1)
    for layer in ("fc1", "fc2"):
        x = jax.nn.relu(x @ p[f"{layer}.0"].T + p[f"{layer}.1"])
    return x @ p["fc3.0"].T + p["fc3.1"]


def by_hand_last(p: dict, x: Any) -> Any:
    import jax

    names = ("NHWC", "HWIO", "NHWC")
    for layer in ("conv1", "conv2"):
        x = jax.lax.conv_general_dilated(x, p[f"{layer}.0"], (1, 1), "VALID", dimension_numbers=names)
        x = jax.lax.reduce_window(jax.nn.relu(x), -np.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    x = x.reshape(len(x), -1)
    for layer in ("fc1", "fc2"):
        x = jax.nn.relu(x @ p[f"{layer}.0"] + p[f"{layer}.1"])
    return x @ p["fc3.0"] + p["fc3.1"]


def nnx() -> Any:
    from flax import nnx

    class LeNet(nnx.Module):
        def __init__(self) -> None:
            rngs = nnx.Rngs(0)
            self.conv1 = nnx.Conv(1, 6, (5, 5), padding="VALID", use_bias=False, rngs=rngs)
            self.conv2 = nnx.Conv(6, 16, (5, 5), padding="VALID", use_bias=False, rngs=rngs)
            self.fc1, self.fc2 = nnx.Linear(400, 120, rngs=rngs), nnx.Linear(120, 84, rngs=rngs)
            self.fc3 = nnx.Linear(84, 10, rngs=rngs)

        def __call__(self, x: Any) -> Any:
            x = nnx.max_pool(nnx.relu(self.conv1(x)), (2, 2), (2, 2))
            x = nnx.max_pool(nnx.relu(self.conv2(x)), (2, 2), (2, 2)).reshape(len(x), -1)
            return self.fc3(nnx.relu(self.fc2(nnx.relu(self.fc1(x)))))

    return LeNet()


def equinox() -> Any:
    import equinox as eqx
    import jax

    class LeNet(eqx.Module):
        conv1: eqx.nn.Conv2d
        conv2: eqx.nn.Conv2d
        fc1: eqx.nn.Linear
        fc2: eqx.nn.Linear
        fc3: eqx.nn.Linear
        pool: eqx.nn.MaxPool2d

        def __init__(self) -> None:
            key = jax.random.key(0)
            self.conv1 = eqx.nn.Conv2d(1, 6, 5, use_bias=False, key=key)
            self.conv2 = eqx.nn.Conv2d(6, 16, 5, use_bias=False, key=key)
            self.fc1, self.fc2 = eqx.nn.Linear(400, 120, key=key), eqx.nn.Linear(120, 84, key=key)
            self.fc3, self.pool = eqx.nn.Linear(84, 10, key=key), eqx.nn.MaxPool2d(2, 2)

        def __call__(self, x: Any) -> Any:
            x = self.pool(jax.nn.relu(self.conv1(x)))
            x = self.pool(jax.nn.relu(self.conv2(x))).reshape(-1)
            return self.fc3(jax.nn.relu(self.fc2(jax.nn.relu(self.fc1(x)))))

    return LeNet()


def torch() -> Any:
    from torch import nn

    return nn.Sequential(
        nn.Conv2d(1, 6, 5, bias=False), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5, bias=False), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )  # fmt: skip
