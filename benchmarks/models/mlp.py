"""A multilayer perceptron of any depth."""

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np

from models import dense, named


def make(depth: int, width: int, rows: int = 32) -> SimpleNamespace:
    """`depth` layers of `width` with tanh between them; the last gives ten logits."""
    pairs = list(pairwise([width] * depth + [10]))

    def parameters() -> dict[str, np.ndarray]:
        rng = np.random.default_rng(0)
        return named(**{f"d{i}": dense(rng, *pair) for i, pair in enumerate(pairs)})

    def channels_last(p: dict) -> dict:
        return {name: a.T for name, a in p.items()}

    def batch() -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(1)
        return rng.normal(size=(rows, width)).astype(np.float32), rng.integers(0, 10, rows).astype(np.int32)

    def mindspore(ms: Any) -> Any:
        class Net(ms.nn.Cell):
            def __init__(self) -> None:
                super().__init__()
                self.layers = ms.nn.CellList([ms.nn.Dense(into, out) for into, out in pairs])

            def construct(self, x: Any) -> Any:
                for layer in self.layers[:-1]:
                    x = ms.ops.tanh(layer(x))
                return self.layers[-1](x)

        return Net()

    def by_hand(p: dict, x: Any) -> Any:
        import jax.numpy as jnp

        for i in range(depth - 1):
            x = jnp.tanh(x @ p[f"d{i}.0"].T + p[f"d{i}.1"])
        return x @ p[f"d{depth - 1}.0"].T + p[f"d{depth - 1}.1"]

    def nnx() -> Any:
        import jax.numpy as jnp
        from flax import nnx

        class Net(nnx.Module):
            def __init__(self) -> None:
                rngs = nnx.Rngs(0)
                self.layers = nnx.List([nnx.Linear(*pair, rngs=rngs) for pair in pairs])

            def __call__(self, x: Any) -> Any:
                for layer in self.layers[:-1]:
                    x = jnp.tanh(layer(x))
                return self.layers[-1](x)

        return Net()

    def equinox() -> Any:
        import equinox as eqx
        import jax
        import jax.numpy as jnp

        class Net(eqx.Module):
            layers: list

            def __init__(self) -> None:
                self.layers = [eqx.nn.Linear(*pair, key=jax.random.key(0)) for pair in pairs]

            def __call__(self, x: Any) -> Any:
                for layer in self.layers[:-1]:
                    x = jnp.tanh(layer(x))
                return self.layers[-1](x)

        return Net()

    def torch() -> Any:
        import torch

        class Net(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.layers = torch.nn.ModuleList([torch.nn.Linear(*pair) for pair in pairs])

            def forward(self, x: Any) -> Any:
                for layer in self.layers[:-1]:
                    x = torch.tanh(layer(x))
                return self.layers[-1](x)

        return Net()

    return SimpleNamespace(
        parameters=parameters, channels_last=channels_last, batch=batch, mindspore=mindspore, by_hand=by_hand,
        nnx=nnx, equinox=equinox, torch=torch, images=False,
    )  # fmt: skip


TINY = make(3, 64)
MANY = make(200, 32)
