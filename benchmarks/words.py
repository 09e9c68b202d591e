"""Generate a text word by word with a GPT, without a cache of keys, so that each call has a new length: against torch.

    python benchmarks/words.py [--layers 4] [--words 200] [--rounds 2] [--old CHECKOUT] [--torch PYTHON]

CPU seconds and memory, each peer in processes of its own, by turns; torch with one thread. `--old` is an older msjax.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

WIDTH, HEADS, VOCABULARY, MOST = 64, 4, 256, 1024
HERE = Path(__file__).resolve().parent.parent


def msjax(layers: int) -> Callable[[Any], Any]:
    import msjax as ms
    from msjax import nn, ops

    class Block(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.qkv = nn.LayerNorm((WIDTH,), epsilon=1e-5), nn.Dense(WIDTH, 3 * WIDTH)
            self.out, self.norm2 = nn.Dense(WIDTH, WIDTH), nn.LayerNorm((WIDTH,), epsilon=1e-5)
            self.up, self.down = nn.Dense(WIDTH, 4 * WIDTH), nn.Dense(4 * WIDTH, WIDTH)

        def heads(self, x: Any) -> Any:
            return x.reshape((*x.shape[:2], HEADS, WIDTH // HEADS)).swapaxes(1, 2)

        def attention(self, x: Any) -> Any:
            n = x.shape[1]
            q, k, v = ops.split(self.qkv(x), WIDTH, axis=2)
            scores = ops.matmul(self.heads(q), self.heads(k).swapaxes(2, 3)) * (WIDTH // HEADS) ** -0.5
            future = ops.triu(ops.ones((n, n), ms.float32), 1).astype(ms.bool_)
            shares = ops.softmax(scores.masked_fill(future, -1e9), axis=-1)
            return self.out(ops.matmul(shares, self.heads(v)).swapaxes(1, 2).reshape((-1, n, WIDTH)))

        def construct(self, x: Any) -> Any:
            x = x + self.attention(self.norm1(x))
            return x + self.down(ops.gelu(self.up(self.norm2(x)), approximate="tanh"))

    tokens, places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(MOST, WIDTH)
    blocks, norm = [Block() for _ in range(layers)], nn.LayerNorm((WIDTH,), epsilon=1e-5)
    head = nn.Dense(WIDTH, VOCABULARY, has_bias=False)

    def step(text: Any) -> Any:
        text = ms.Tensor(np.array([[1, 2, 3, 4, 5]], np.int32)) if text is None else text
        x = tokens(text) + places(ops.arange(text.shape[1]))
        for block in blocks:
            x = block(x)
        word = ops.argmax(head(norm(x))[:, -1, :], dim=-1).astype(ms.int32)
        return ops.concat([text, word.reshape((1, 1))], axis=1)

    return step


def torch(layers: int) -> Callable[[Any], Any]:
    import torch
    from torch import nn
    from torch.nn.functional import gelu

    torch.set_num_threads(1)
    torch.set_grad_enabled(False)

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.qkv = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH)
            self.out, self.norm2 = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH)
            self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def heads(self, x: Any) -> Any:
            return x.reshape(*x.shape[:2], HEADS, WIDTH // HEADS).transpose(1, 2)

        def attention(self, x: Any) -> Any:
            n = x.shape[1]
            q, k, v = self.qkv(x).split(WIDTH, 2)
            scores = self.heads(q) @ self.heads(k).transpose(2, 3) * (WIDTH // HEADS) ** -0.5
            shares = torch.softmax(scores.masked_fill(torch.triu(torch.ones(n, n), 1).bool(), -1e9), -1)
            return self.out((shares @ self.heads(v)).transpose(1, 2).reshape(-1, n, WIDTH))

        def forward(self, x: Any) -> Any:
            x = x + self.attention(self.norm1(x))
            return x + self.down(gelu(self.up(self.norm2(x)), approximate="tanh"))

    tokens, places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(MOST, WIDTH)
    blocks, norm = [Block() for _ in range(layers)], nn.LayerNorm(WIDTH)
    head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def step(text: Any) -> Any:
        text = torch.tensor([[1, 2, 3, 4, 5]]) if text is None else text
        x = tokens(text) + places(torch.arange(text.shape[1]))
        for block in blocks:
            x = block(x)
        return torch.cat([text, head(norm(x))[:, -1, :].argmax(-1).reshape(1, 1)], 1)

    return step


def memory() -> float:
    """The memory in MB that this process holds."""
    line = next(
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS")
    )
    return int(line.split()[1]) / 1024


def generate(peer: str, layers: int, words: int) -> None:
    """Print what the table needs: CPU seconds of the first three words, of all; memory after 20 words, and at the end."""
    step = {"msjax": msjax, "torch": torch}[peer](layers)
    text, start, marks = None, time.process_time(), {}
    for word in range(1, words + 1):
        text = step(text)
        if word in (3, 20, words):
            marks[word] = time.process_time() - start, memory()
    print("figures", marks[3][0], marks[words][0], marks[20][1], marks[words][1])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--words", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--old", help="an older checkout of msjax")
    parser.add_argument("--torch", default=sys.executable, help="an interpreter that has torch")
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.peer:
        return generate(chosen.peer, chosen.layers, chosen.words)
    ways = {"msjax": (sys.executable, str(HERE), "msjax"), "torch": (chosen.torch, "", "torch")}
    if chosen.old:
        ways["before"] = sys.executable, chosen.old, "msjax"
    print(
        f"{'':10}{'3 words (s)':>14}{f'{chosen.words} words (s)':>16}{'20 words (MB)':>16}{'in the end':>12}"
    )
    for _ in range(chosen.rounds):
        for name, (python, path, peer) in ways.items():
            command = [
                python,
                __file__,
                "--peer",
                peer,
                "--layers",
                str(chosen.layers),
                "--words",
                str(chosen.words),
            ]
            done = subprocess.run(
                command, check=True, capture_output=True, text=True, cwd="/", env=os.environ | {"PYTHONPATH": path}
            )  # fmt: skip
            first, total, early, late = map(float, done.stdout.split("figures")[1].split())
            print(f"{name:10}{first:14.2f}{total:16.2f}{early:16.0f}{late:12.0f}", flush=True)
    return None


if __name__ == "__main__":
    main()
