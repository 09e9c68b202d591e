"""A decoder of six layers (Radford et al., 2019) over 256 tokens, every token predicting a label."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from models import dense, normal

LAYERS, HEADS, VOCABULARY = 6, 4, 256


def make(width: int, length: int = 64, rows: int = 4, layers: int = LAYERS) -> SimpleNamespace:
    """The model of one width."""

    def parameters() -> dict[str, np.ndarray]:
        rng = np.random.default_rng(0)
        p = {"tokens": normal(rng, VOCABULARY, width), "places": normal(rng, length, width)}

        def norm(name: str) -> None:
            p[f"{name}.0"], p[f"{name}.1"] = np.ones(width, np.float32), np.zeros(width, np.float32)

        for i in range(layers):
            norm(f"{i}.norm1")
            p[f"{i}.qkv.0"], p[f"{i}.qkv.1"] = dense(rng, width, 3 * width)
            p[f"{i}.out.0"], p[f"{i}.out.1"] = dense(rng, width, width)
            norm(f"{i}.norm2")
            p[f"{i}.up.0"], p[f"{i}.up.1"] = dense(rng, width, 4 * width)
            p[f"{i}.down.0"], p[f"{i}.down.1"] = dense(rng, 4 * width, width)
        norm("norm")
        p["head"] = normal(rng, VOCABULARY, width)
        return p

    def channels_last(p: dict) -> dict:
        return {name: a if name in ("tokens", "places") else a.T for name, a in p.items()}

    def batch() -> tuple[np.ndarray, np.ndarray]:
        tokens = np.random.default_rng(1).integers(0, VOCABULARY, (rows, length + 1)).astype(np.int32)
        return tokens[:, :-1].copy(), tokens[:, 1:].reshape(-1).copy()

    def mindspore(ms: Any) -> Any:
        nn, ops = ms.nn, ms.ops

        class Block(nn.Cell):
            def __init__(self) -> None:
                super().__init__()
                self.norm1, self.qkv = nn.LayerNorm((width,), epsilon=1e-5), nn.Dense(width, 3 * width)
                self.out, self.norm2 = nn.Dense(width, width), nn.LayerNorm((width,), epsilon=1e-5)
                self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)
                self.future = ms.Tensor(np.triu(np.ones((length, length), bool), 1))

            def heads(self, x: Any) -> Any:
                return x.reshape((-1, length, HEADS, width // HEADS)).swapaxes(1, 2)

            def attention(self, x: Any) -> Any:
                q, k, v = ops.split(self.qkv(x), width, axis=2)
                scores = ops.matmul(self.heads(q), self.heads(k).swapaxes(2, 3)) * (width // HEADS) ** -0.5
                shares = ops.softmax(scores.masked_fill(self.future, -1e9), axis=-1)
                y = ops.matmul(shares, self.heads(v))
                return self.out(y.swapaxes(1, 2).reshape((-1, length, width)))

            def construct(self, x: Any) -> Any:
                x = x + self.attention(self.norm1(x))
                return x + self.down(ops.gelu(self.up(self.norm2(x)), approximate="tanh"))

        class GPT(nn.Cell):
            def __init__(self) -> None:
                super().__init__()
                self.tokens, self.places = nn.Embedding(VOCABULARY, width), nn.Embedding(length, width)
                self.blocks = nn.SequentialCell([Block() for _ in range(layers)])
                self.norm = nn.LayerNorm((width,), epsilon=1e-5)
                self.head = nn.Dense(width, VOCABULARY, has_bias=False)
                self.numbers = ms.Tensor(np.arange(length, dtype=np.int32))

            def construct(self, x: Any) -> Any:
                x = self.tokens(x) + self.places(self.numbers)
                return self.head(self.norm(self.blocks(x))).reshape((-1, VOCABULARY))

        return GPT()

    def by_hand(p: dict, x: Any, last: bool = False, rows: bool = False, squares: bool = False) -> Any:
        """With `rows`, matrices are multiplied by rows of tokens; with `squares`, a variance is that of flax."""
        import jax
        import jax.numpy as jnp

        def affine(name: str, x: Any) -> Any:
            w, b = (p[f"{name}.0"] if last else p[f"{name}.0"].T), p[f"{name}.1"]
            return (x.reshape(-1, x.shape[-1]) @ w).reshape(*x.shape[:-1], -1) + b if rows else x @ w + b

        def norm(name: str, x: Any) -> Any:
            if squares:
                mean = x.mean(-1, keepdims=True)
                variance = (x * x).mean(-1, keepdims=True) - mean * mean
                scale = jax.lax.rsqrt(variance + np.float32(1e-5)) * p[f"{name}.0"]
                return (x - mean) * scale + p[f"{name}.1"]
            x = x - x.mean(-1, keepdims=True)
            scale = jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + np.float32(1e-5))
            return x * scale * p[f"{name}.0"] + p[f"{name}.1"]

        def attention(i: int, x: Any) -> Any:
            q, k, v = jnp.split(affine(f"{i}.qkv", x), 3, axis=2)
            q, k, v = (a.reshape(-1, length, HEADS, width // HEADS).swapaxes(1, 2) for a in (q, k, v))
            scores = q @ k.swapaxes(2, 3) * np.float32((width // HEADS) ** -0.5)
            shares = jax.nn.softmax(jnp.where(future, np.float32(-1e9), scores))
            return affine(f"{i}.out", (shares @ v).swapaxes(1, 2).reshape(-1, length, width))

        future = np.triu(np.ones((length, length), bool), 1)
        x = p["tokens"][x] + p["places"]
        for i in range(layers):
            x = x + attention(i, norm(f"{i}.norm1", x))
            x = x + affine(f"{i}.down", jax.nn.gelu(affine(f"{i}.up", norm(f"{i}.norm2", x))))
        head = p["head"] if last else p["head"].T
        return (norm("norm", x) @ head).reshape(-1, VOCABULARY)

    def by_hand_last(p: dict, x: Any) -> Any:
        return by_hand(p, x, last=True)

    def nnx() -> Any:
        import jax
        import jax.numpy as jnp
        from flax import nnx

        rngs = nnx.Rngs(0)

        class Block(nnx.Module):
            def __init__(self) -> None:
                self.norm1, self.qkv = norm(), nnx.Linear(width, 3 * width, rngs=rngs)
                self.out, self.norm2 = nnx.Linear(width, width, rngs=rngs), norm()
                self.up = nnx.Linear(width, 4 * width, rngs=rngs)
                self.down = nnx.Linear(4 * width, width, rngs=rngs)

            def __call__(self, x: Any) -> Any:
                parts = jnp.split(self.qkv(self.norm1(x)), 3, axis=2)
                q, k, v = (a.reshape(-1, length, HEADS, width // HEADS) for a in parts)
                y = jax.nn.dot_product_attention(q, k, v, is_causal=True)
                x = x + self.out(y.reshape(-1, length, width))
                return x + self.down(nnx.gelu(self.up(self.norm2(x))))

        def norm() -> Any:
            return nnx.LayerNorm(width, epsilon=1e-5, rngs=rngs)

        class GPT(nnx.Module):
            def __init__(self) -> None:
                self.tokens = nnx.Embed(VOCABULARY, width, rngs=rngs)
                self.places = nnx.Embed(length, width, rngs=rngs)
                self.blocks = nnx.List([Block() for _ in range(layers)])
                self.norm, self.head = norm(), nnx.Linear(width, VOCABULARY, use_bias=False, rngs=rngs)

            def __call__(self, x: Any) -> Any:
                x = self.tokens(x) + self.places(jnp.arange(length))
                for block in self.blocks:
                    x = block(x)
                return self.head(self.norm(x)).reshape(-1, VOCABULARY)

        return GPT()

    def equinox() -> Any:
        import equinox as eqx
        import jax
        import jax.numpy as jnp

        key = jax.random.key(0)

        class Block(eqx.Module):
            norm1: eqx.nn.LayerNorm
            qkv: eqx.nn.Linear
            out: eqx.nn.Linear
            norm2: eqx.nn.LayerNorm
            up: eqx.nn.Linear
            down: eqx.nn.Linear

            def __init__(self) -> None:
                self.norm1, self.qkv = eqx.nn.LayerNorm(width), eqx.nn.Linear(width, 3 * width, key=key)
                self.out, self.norm2 = eqx.nn.Linear(width, width, key=key), eqx.nn.LayerNorm(width)
                self.up = eqx.nn.Linear(width, 4 * width, key=key)
                self.down = eqx.nn.Linear(4 * width, width, key=key)

            def __call__(self, x: Any) -> Any:
                parts = jnp.split(jax.vmap(self.qkv)(jax.vmap(self.norm1)(x)), 3, axis=1)
                q, k, v = (a.reshape(length, HEADS, width // HEADS) for a in parts)
                y = jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(length, width)
                x = x + jax.vmap(self.out)(y)
                return x + jax.vmap(lambda row: self.down(jax.nn.gelu(self.up(self.norm2(row)))))(x)

        class GPT(eqx.Module):
            tokens: eqx.nn.Embedding
            places: eqx.nn.Embedding
            blocks: list
            norm: eqx.nn.LayerNorm
            head: eqx.nn.Linear

            def __init__(self) -> None:
                self.tokens = eqx.nn.Embedding(VOCABULARY, width, key=key)
                self.places = eqx.nn.Embedding(length, width, key=key)
                self.blocks, self.norm = [Block() for _ in range(layers)], eqx.nn.LayerNorm(width)
                self.head = eqx.nn.Linear(width, VOCABULARY, use_bias=False, key=key)

            def __call__(self, x: Any) -> Any:
                x = jax.vmap(self.tokens)(x) + self.places.weight
                for block in self.blocks:
                    x = block(x)
                return jax.vmap(lambda row: self.head(self.norm(row)))(x)

        return GPT()

    def torch() -> Any:
        import torch
        from torch import nn
        from torch.nn.functional import gelu, scaled_dot_product_attention

        class Block(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.norm1, self.qkv = nn.LayerNorm(width), nn.Linear(width, 3 * width)
                self.out, self.norm2 = nn.Linear(width, width), nn.LayerNorm(width)
                self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

            def forward(self, x: Any) -> Any:
                parts = self.qkv(self.norm1(x)).chunk(3, dim=2)
                q, k, v = (a.reshape(-1, length, HEADS, width // HEADS).transpose(1, 2) for a in parts)
                y = scaled_dot_product_attention(q, k, v, is_causal=True)
                x = x + self.out(y.transpose(1, 2).reshape(-1, length, width))
                return x + self.down(gelu(self.up(self.norm2(x)), approximate="tanh"))

        class GPT(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.tokens, self.places = nn.Embedding(VOCABULARY, width), nn.Embedding(length, width)
                self.blocks = nn.Sequential(*[Block() for _ in range(layers)])
                self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, VOCABULARY, bias=False)

            def forward(self, x: Any) -> Any:
                x = self.tokens(x) + self.places(torch.arange(length))
                return self.head(self.norm(self.blocks(x))).reshape(-1, VOCABULARY)

        return GPT()

    return SimpleNamespace(
        parameters=parameters, channels_last=channels_last, batch=batch, mindspore=mindspore, by_hand=by_hand,
        by_hand_last=by_hand_last, nnx=nnx, equinox=equinox, torch=torch, images=False,
    )  # fmt: skip


SMALL = make(128)
WIDE = make(256)
