"""ResNet-20 on 32 x 32 images of three channels (He et al., 2015), normalized by the batch."""

from typing import Any

import numpy as np

from models import dense, normal

images = True
ROWS = 32
# (channels in, channels out, stride) of the nine blocks.
BLOCKS = [(16, 16, 1)] * 3 + [(16, 32, 2)] + [(32, 32, 1)] * 2 + [(32, 64, 2)] + [(64, 64, 1)] * 2


def parameters() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    p: dict[str, np.ndarray] = {}

    def normalized(name: str, out: int, into: int, size: int) -> None:
        p[name] = normal(rng, out, into, size, size)
        p[f"{name}.scale"], p[f"{name}.shift"] = np.ones(out, np.float32), np.zeros(out, np.float32)

    normalized("first", 16, 3, 3)
    for i, (into, out, stride) in enumerate(BLOCKS):
        normalized(f"{i}.a", out, into, 3)
        normalized(f"{i}.b", out, out, 3)
        if stride == 2:
            normalized(f"{i}.way", out, into, 1)
    p["fc"], p["fc.bias"] = dense(rng, 64, 10)
    return p


def channels_last(p: dict) -> dict:
    return {name: a.transpose(2, 3, 1, 0) if a.ndim == 4 else a.T for name, a in p.items()}


def batch() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.normal(size=(ROWS, 3, 32, 32)).astype(np.float32), rng.integers(0, 10, ROWS).astype(np.int32)


def mindspore(ms: Any) -> Any:
    nn, ops = ms.nn, ms.ops

    class Normalized(nn.Cell):
        def __init__(self, into: int, out: int, size: int, stride: int = 1) -> None:
            super().__init__()
            self.conv = nn.Conv2d(into, out, size, stride, pad_mode="pad", padding=size // 2)
            self.norm = nn.BatchNorm2d(out)

        def construct(self, x: Any) -> Any:
            return self.norm(self.conv(x))

    class Block(nn.Cell):
        def __init__(self, into: int, out: int, stride: int) -> None:
            super().__init__()
            self.a, self.b = Normalized(into, out, 3, stride), Normalized(out, out, 3)
            self.way = Normalized(into, out, 1, stride) if stride == 2 else nn.Identity()

        def construct(self, x: Any) -> Any:
            return ops.relu(self.b(ops.relu(self.a(x))) + self.way(x))

    class ResNet(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.first = Normalized(3, 16, 3)
            self.blocks = nn.SequentialCell([Block(*sizes) for sizes in BLOCKS])
            self.fc = nn.Dense(64, 10)

        def construct(self, x: Any) -> Any:
            return self.fc(self.blocks(ops.relu(self.first(x))).mean((2, 3)))

    return ResNet().set_train()


def _by_hand(p: dict, x: Any, state: dict, names: tuple[str, str, str]) -> tuple[Any, dict]:
    import jax
    import jax.numpy as jnp

    axis = names[0].index("C")
    over = tuple(i for i in range(4) if i != axis)
    shape = [-1 if i == axis else 1 for i in range(4)]
    after = {}

    def normalized(name: str, x: Any, stride: int = 1) -> Any:
        half = (p[name].shape[names[1].index("H")] // 2,) * 2
        x = jax.lax.conv_general_dilated(x, p[name], (stride,) * 2, (half, half), dimension_numbers=names)
        mean, variance = x.mean(over), x.var(over)
        moving = state[name]
        after[name] = [
            np.float32(0.9) * m + np.float32(0.1) * n for m, n in zip(moving, (mean, variance), strict=True)
        ]
        scale = p[f"{name}.scale"] * jax.lax.rsqrt(variance + np.float32(1e-5))
        return (x - mean.reshape(shape)) * scale.reshape(shape) + p[f"{name}.shift"].reshape(shape)

    x = jax.nn.relu(normalized("first", x))
    for i, (_, _, stride) in enumerate(BLOCKS):
        y = normalized(f"{i}.b", jax.nn.relu(normalized(f"{i}.a", x, stride)))
        x = jax.nn.relu(y + (normalized(f"{i}.way", x, stride) if stride == 2 else x))
    fc = p["fc"].T if axis == 1 else p["fc"]
    return jnp.mean(x, over[1:]) @ fc + p["fc.bias"], jax.lax.stop_gradient(after)


def state(p: dict) -> dict:
    """The moving means and variances of the hand-written model."""
    names = [name.removesuffix(".scale") for name in p if name.endswith(".scale")]
    return {
        n: [np.zeros(len(p[f"{n}.scale"]), np.float32), np.ones(len(p[f"{n}.scale"]), np.float32)]
        for n in names
    }


def by_hand(p: dict, x: Any, state: dict) -> tuple[Any, dict]:
    return _by_hand(p, x, state, ("NCHW", "OIHW", "NCHW"))


def by_hand_last(p: dict, x: Any, state: dict) -> tuple[Any, dict]:
    return _by_hand(p, x, state, ("NHWC", "HWIO", "NHWC"))


def nnx() -> Any:
    from flax import nnx

    rngs = nnx.Rngs(0)

    class Normalized(nnx.Module):
        def __init__(self, into: int, out: int, size: int, stride: int = 1) -> None:
            pad = [(size // 2,) * 2] * 2
            self.conv = nnx.Conv(into, out, (size, size), stride, padding=pad, use_bias=False, rngs=rngs)
            self.norm = nnx.BatchNorm(out, momentum=0.9, rngs=rngs)

        def __call__(self, x: Any) -> Any:
            return self.norm(self.conv(x))

    class Block(nnx.Module):
        def __init__(self, into: int, out: int, stride: int) -> None:
            self.a, self.b = Normalized(into, out, 3, stride), Normalized(out, out, 3)
            self.way = Normalized(into, out, 1, stride) if stride == 2 else lambda x: x

        def __call__(self, x: Any) -> Any:
            return nnx.relu(self.b(nnx.relu(self.a(x))) + self.way(x))

    class ResNet(nnx.Module):
        def __init__(self) -> None:
            self.first = Normalized(3, 16, 3)
            self.blocks = nnx.List([Block(*sizes) for sizes in BLOCKS])
            self.fc = nnx.Linear(64, 10, rngs=rngs)

        def __call__(self, x: Any) -> Any:
            x = nnx.relu(self.first(x))
            for block in self.blocks:
                x = block(x)
            return self.fc(x.mean((1, 2)))

    return ResNet()


def equinox() -> Any:
    import equinox as eqx
    import jax

    key = jax.random.key(0)

    class Normalized(eqx.Module):
        conv: eqx.nn.Conv2d
        norm: eqx.nn.BatchNorm

        def __init__(self, into: int, out: int, size: int, stride: int = 1) -> None:
            self.conv = eqx.nn.Conv2d(into, out, size, stride, size // 2, use_bias=False, key=key)
            self.norm = eqx.nn.BatchNorm(out, axis_name="batch", momentum=0.9, mode="batch")

        def __call__(self, x: Any, state: Any) -> tuple[Any, Any]:
            return self.norm(self.conv(x), state)

    class Block(eqx.Module):
        a: Normalized
        b: Normalized
        way: Normalized | None

        def __init__(self, into: int, out: int, stride: int) -> None:
            self.a, self.b = Normalized(into, out, 3, stride), Normalized(out, out, 3)
            self.way = Normalized(into, out, 1, stride) if stride == 2 else None

        def __call__(self, x: Any, state: Any) -> tuple[Any, Any]:
            y, state = self.a(x, state)
            y, state = self.b(jax.nn.relu(y), state)
            if self.way is not None:
                x, state = self.way(x, state)
            return jax.nn.relu(x + y), state

    class ResNet(eqx.Module):
        first: Normalized
        blocks: list
        fc: eqx.nn.Linear

        def __init__(self) -> None:
            self.first, self.blocks = Normalized(3, 16, 3), [Block(*sizes) for sizes in BLOCKS]
            self.fc = eqx.nn.Linear(64, 10, key=key)

        def __call__(self, x: Any, state: Any) -> tuple[Any, Any]:
            x, state = self.first(x, state)
            x = jax.nn.relu(x)
            for block in self.blocks:
                x, state = block(x, state)
            return self.fc(x.mean((1, 2))), state

    return eqx.nn.make_with_state(ResNet)()


def torch() -> Any:
    from torch import nn
    from torch.nn.functional import relu

    def normalized(into: int, out: int, size: int, stride: int = 1) -> nn.Module:
        return nn.Sequential(nn.Conv2d(into, out, size, stride, size // 2, bias=False), nn.BatchNorm2d(out))

    class Block(nn.Module):
        def __init__(self, into: int, out: int, stride: int) -> None:
            super().__init__()
            self.a, self.b = normalized(into, out, 3, stride), normalized(out, out, 3)
            self.way = normalized(into, out, 1, stride) if stride == 2 else nn.Identity()

        def forward(self, x: Any) -> Any:
            return relu(self.b(relu(self.a(x))) + self.way(x))

    class ResNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = normalized(3, 16, 3)
            self.blocks = nn.Sequential(*[Block(*sizes) for sizes in BLOCKS])
            self.fc = nn.Linear(64, 10)

        def forward(self, x: Any) -> Any:
            return self.fc(self.blocks(relu(self.first(x))).mean((2, 3)))

    return ResNet()
