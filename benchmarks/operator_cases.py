"""The operators that `operators.py` measures; by itself, a process that measures them under MindSpore's PyNative.

    python benchmarks/operator_cases.py     then lines "NUMBER SIZE CALLS" on its input; it answers "answer SECONDS"

Nothing of JAX, torch or msjax is imported here: every case is the same expression in the text of each.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SIZES = {"small": 8, "large": 512}


@dataclass
class Case:
    """One operator: the same expression over `ops` and `ms` (MindSpore's names), `jnp` and `jax`, and `t` (torch)."""

    name: str
    msjax: str
    jax: str
    torch: str
    inputs: str = "x"  # x, y: square matrices of floats; i: ints; b: bools; v: image; w: kernel
    smooth: bool = True


def _same(names: str, inputs: str = "x", smooth: bool = True) -> list[Case]:
    """Operators of one name everywhere."""
    return [Case(n, f"ops.{n}", f"jnp.{n}", f"t.{n}", inputs, smooth) for n in names.split()]


CASES = [
    *_same("add multiply maximum minimum", "xy"),
    *_same("exp log sqrt abs sin cos tanh square reciprocal"),
    *_same("floor ceil sign round", smooth=False),
    *_same("equal less greater", "xy", smooth=False),
    Case("sub", "ops.sub", "jnp.subtract", "t.sub", "xy"),
    Case("div", "ops.div", "jnp.divide", "t.div", "xy"),
    Case("pow", "lambda x: ops.pow(x, 2.0)", "lambda x: x ** 2.0", "lambda x: x ** 2.0"),
    Case("x + 1.5", "lambda x: x + 1.5", "lambda x: x + 1.5", "lambda x: x + 1.5"),
    Case("rsqrt", "ops.rsqrt", "jax.lax.rsqrt", "t.rsqrt"),
    Case("sigmoid", "ops.sigmoid", "jax.nn.sigmoid", "t.sigmoid"),
    Case("relu", "ops.relu", "jax.nn.relu", "t.relu"),
    Case("gelu", "ops.gelu", "lambda x: jax.nn.gelu(x, approximate=False)", "t.nn.functional.gelu"),
    Case("silu", "ops.silu", "jax.nn.silu", "t.nn.functional.silu"),
    Case(
        "softmax",
        "lambda x: ops.softmax(x, -1)",
        "lambda x: jax.nn.softmax(x, -1)",
        "lambda x: t.softmax(x, -1)",
    ),
    Case(
        "log_softmax",
        "lambda x: ops.log_softmax(x, -1)",
        "jax.nn.log_softmax",
        "lambda x: t.log_softmax(x, -1)",
    ),
    Case("erf", "ops.erf", "jax.lax.erf", "t.erf"),
    Case(
        "clamp",
        "lambda x: ops.clamp(x, 0.2, 0.8)",
        "lambda x: jnp.clip(x, 0.2, 0.8)",
        "lambda x: t.clamp(x, 0.2, 0.8)",
    ),
    Case("matmul", "ops.matmul", "jnp.matmul", "t.matmul", "xy"),
    Case("sum", "lambda x: ops.sum(x, 1)", "lambda x: jnp.sum(x, 1)", "lambda x: t.sum(x, 1)"),
    Case("mean", "lambda x: ops.mean(x, 1)", "lambda x: jnp.mean(x, 1)", "lambda x: t.mean(x, 1)"),
    Case("amax", "lambda x: ops.amax(x, 1)", "lambda x: jnp.max(x, 1)", "lambda x: t.amax(x, 1)"),
    Case("prod", "lambda x: ops.prod(x, 1)", "lambda x: jnp.prod(x, 1)", "lambda x: t.prod(x, 1)"),
    Case(
        "logsumexp",
        "lambda x: ops.logsumexp(x, 1)",
        "lambda x: jax.nn.logsumexp(x, 1)",
        "lambda x: t.logsumexp(x, 1)",
    ),
    Case(
        "argmax",
        "lambda x: ops.argmax(x, 1)",
        "lambda x: jnp.argmax(x, 1)",
        "lambda x: t.argmax(x, 1)",
        smooth=False,
    ),
    Case("std", "lambda x: ops.std(x, 1)", "lambda x: jnp.std(x, 1)", "lambda x: t.std(x, 1, correction=0)"),
    Case("cumsum", "lambda x: ops.cumsum(x, 1)", "lambda x: jnp.cumsum(x, 1)", "lambda x: t.cumsum(x, 1)"),
    Case("sort", "lambda x: ops.sort(x, 1)[0]", "lambda x: jnp.sort(x, 1)", "lambda x: t.sort(x, 1)[0]"),
    Case(
        "topk", "lambda x: ops.topk(x, 4)[0]", "lambda x: jax.lax.top_k(x, 4)[0]", "lambda x: t.topk(x, 4)[0]"
    ),
    Case("reshape", "lambda x: ops.reshape(x, (-1,))", "jnp.ravel", "lambda x: t.reshape(x, (-1,))"),
    Case("transpose", "lambda x: ops.transpose(x, (1, 0))", "jnp.transpose", "lambda x: x.T.contiguous()"),
    Case("x[1]", "lambda x: x[1]", "lambda x: x[1]", "lambda x: x[1]"),
    Case("x[1:4]", "lambda x: x[1:4]", "lambda x: x[1:4]", "lambda x: x[1:4]"),
    Case("expand_dims", "lambda x: ops.expand_dims(x, 0)", "lambda x: x[None]", "lambda x: x[None]"),
    Case(
        "concat",
        "lambda x, y: ops.concat((x, y), 1)",
        "lambda x, y: jnp.concatenate((x, y), 1)",
        "lambda x, y: t.cat((x, y), 1)",
        "xy",
    ),
    Case(
        "stack",
        "lambda x, y: ops.stack((x, y))",
        "lambda x, y: jnp.stack((x, y))",
        "lambda x, y: t.stack((x, y))",
        "xy",
    ),
    Case(
        "split",
        "lambda x: ops.split(x, x.shape[1] // 2, 1)",
        "lambda x: jnp.split(x, 2, 1)",
        "lambda x: t.split(x, x.shape[1] // 2, 1)",
    ),
    Case(
        "tile",
        "lambda x: ops.tile(x, (1, 2))",
        "lambda x: jnp.tile(x, (1, 2))",
        "lambda x: t.tile(x, (1, 2))",
    ),
    Case(
        "broadcast_to",
        "lambda x: ops.broadcast_to(x, (2, *x.shape))",
        "lambda x: jnp.broadcast_to(x, (2, *x.shape))",
        "lambda x: x.expand(2, *x.shape).contiguous()",
    ),
    Case("flip", "lambda x: ops.flip(x, (0,))", "lambda x: jnp.flip(x, 0)", "lambda x: t.flip(x, (0,))"),
    Case("where", "ops.where", "jnp.where", "t.where", "bxy"),
    Case(
        "gather",
        "lambda x, i: ops.gather(x, i, 0)",
        "lambda x, i: jnp.take(x, i, 0)",
        "lambda x, i: x[i]",
        "xi",
    ),
    Case(
        "masked_fill",
        "lambda x, b: ops.masked_fill(x, b, 0.0)",
        "lambda x, b: jnp.where(b, 0.0, x)",
        "lambda x, b: x.masked_fill(b, 0.0)",
        "xb",
    ),
    Case(
        "one_hot",
        "lambda i: ops.one_hot(i, 16)",
        "lambda i: jax.nn.one_hot(i, 16)",
        "lambda i: t.nn.functional.one_hot(i, 16)",
        "i",
        smooth=False,
    ),
    Case("tril", "ops.tril", "jnp.tril", "t.tril"),
    Case(
        "cast",
        "lambda x: ops.cast(x, ms.float16)",
        "lambda x: x.astype(jnp.float16)",
        "lambda x: x.half()",
        smooth=False,
    ),
    Case(
        "layer_norm",
        "lambda x: ops.layer_norm(x, x.shape[-1:], eps=1e-05)",
        "norm",
        "lambda x: t.nn.functional.layer_norm(x, x.shape[-1:])",
    ),
    Case(
        "conv2d",
        'lambda v, w: ops.conv2d(v, w, pad_mode="same")',
        "conv",
        "lambda v, w: t.nn.functional.conv2d(v, w, padding=1)",
        "vw",
    ),
    Case(
        "conv2d, one place",
        'lambda v, k: ops.conv2d(v, k, pad_mode="same")',
        "conv",
        "lambda v, k: t.nn.functional.conv2d(v, k)",
        "vk",
    ),
    Case(
        "conv2d, each channel",
        'lambda v, d: ops.conv2d(v, d, pad_mode="same", groups=16)',
        "conv",
        "lambda v, d: t.nn.functional.conv2d(v, d, padding=1, groups=16)",
        "vd",
    ),
    Case(
        "conv2d, four groups",
        'lambda v, g: ops.conv2d(v, g, pad_mode="same", groups=4)',
        "conv",
        "lambda v, g: t.nn.functional.conv2d(v, g, padding=1, groups=4)",
        "vg",
    ),
    Case(
        "max_pool2d",
        "lambda v: ops.max_pool2d(v, 2, 2)",
        "pool",
        "lambda v: t.nn.functional.max_pool2d(v, 2)",
        "v",
    ),
]


def arrays(case: Case, size: int) -> list[np.ndarray]:
    """The inputs of a case."""
    rng = np.random.default_rng(0)
    side = max(8, size // 16)
    made = {
        "x": rng.uniform(0.1, 1, (size, size)), "y": rng.uniform(0.1, 1, (size, size)),
        "i": rng.integers(0, 8, size), "b": rng.uniform(size=(size, size)) > 0.5,
        "v": rng.uniform(0.1, 1, (8, 16, side, side)), "w": rng.uniform(-1, 1, (16, 16, 3, 3)),
        "k": rng.uniform(-1, 1, (16, 16, 1, 1)), "d": rng.uniform(-1, 1, (16, 1, 3, 3)),
        "g": rng.uniform(-1, 1, (16, 4, 3, 3)),
    }  # fmt: skip
    return [made[k].astype(np.float32) if made[k].dtype == np.float64 else made[k] for k in case.inputs]


def mindspore(case: Case, size: int) -> Callable[[], Any]:
    """A call of a case under MindSpore's PyNative, which does not wait for the result."""
    import mindspore as ms

    call = eval(case.msjax, {"ops": ms.ops, "ms": ms})
    boxes = [ms.Tensor(a) for a in arrays(case, size)]

    return lambda: call(*boxes)


def main() -> None:
    """Answer until the input ends."""
    from mindspore import runtime

    known: dict[tuple[int, int], Callable[[], Any]] = {}
    for line in sys.stdin:
        number, size, calls = map(int, line.split())
        try:
            if (number, size) not in known:
                known[number, size] = mindspore(CASES[number], size)
                known[number, size]()
            run, start = known[number, size], time.perf_counter()
            for _ in range(calls):
                run()
            runtime.synchronize()  # once, which is MindSpore's best
            print("answer", (time.perf_counter() - start) / calls, flush=True)
        except Exception:  # noqa: BLE001  it has no kernel
            print("answer", "nan", flush=True)


if __name__ == "__main__":
    main()
