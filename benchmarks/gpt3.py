"""GPT-3 on machines that are not here: memory of each device and bytes over its links, from compiled programs.

    JAX_PLATFORMS=cpu python benchmarks/gpt3.py [--for v5e v6e h100] [--devices 4 64 256] [--models 1.3B 13B] [--full]

The network is a MindSpore one, taken out by `interop.as_jax` and trained by optax's AdamW: products in bfloat16,
weights and moments in float32, blocks recomputed, a sequence of 2,048 tokens for each device. Weights are cut by rows
or columns over "model" (four or eight devices), moments over "data" too; with `--full` both are cut over all devices, but
for the weights of embeddings and of the head, and weights are gathered where they are used. With `--layers 1 2 3` networks
of so few layers are compiled, and the whole is computed from the two largest, to which each layer adds the same; the row
of the smallest computed in this way shows how far that holds. CUDA's compiler makes the whole in minutes, and temporaries
are not on a line there: for h100 leave `--layers` out. No array of a network's size is made twice: Parameters of
one shape share their values, and programs are traced for shapes alone.
"""

import argparse
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import topologies
from accelerators import Figures, cells
from accelerators import count as count_figures
from jax.sharding import Mesh, NamedSharding

import msjax as ms
from msjax import interop, nn, ops

# Brown et al. (2020), table 2.1: layers, width, heads; and how many TPU chips share a row of the batch.
MODELS = {"1.3B": (24, 2048, 16, 4), "13B": (40, 5120, 40, 8)}
VOCABULARY, LENGTH = 50304, 2048
P = jax.P
# Dense keeps (outputs, inputs).
ROWS, COLUMNS = P("model", None), P(None, "model")
RULES = {f"*.{name}.weight": ROWS for name in ("q", "k", "v", "up")} | {
    "*.out.weight": COLUMNS,
    "*.down.weight": COLUMNS,
    "tokens.*": ROWS,
    "head.weight": ROWS,
}
# Moments are cut along the other axis too, among the devices that have the same weights.
CUT = {ROWS: P("model", "data"), COLUMNS: P("data", "model"), P(): P()}
# With `--full`. XLA gathers the activations of all rows where the head is cut, which needs more memory than a whole head.
FULL_RULES = {"head.weight": P(), "*.weight": P("data", None)}


@functools.cache
def zeros(*shape: int) -> Any:
    """Starting values that all Parameters of a shape share: nothing is computed with them."""
    return ms.ops.zeros(shape)


class Block(nn.Cell):
    """A block of a decoder."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        dense = lambda into, out: nn.Dense(into, out, weight_init=zeros(out, into))  # noqa: E731
        self.heads, self.size = heads, width // heads
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.q, self.k, self.v, self.out = (dense(width, width) for _ in range(4))
        self.up, self.down = dense(width, 4 * width), dense(4 * width, width)

    def split(self, x: Any) -> Any:
        return x.reshape((-1, LENGTH, self.heads, self.size)).swapaxes(1, 2)

    def construct(self, x: Any) -> Any:
        y = self.norm1(x)
        q, k, v = (self.split(part(y)) for part in (self.q, self.k, self.v))
        scores = (ops.matmul(q, k.swapaxes(2, 3)) * self.size**-0.5).astype(ms.float32)
        at = ops.arange(LENGTH)
        shares = ops.softmax(scores.masked_fill(at[None, :] > at[:, None], -1e9), axis=-1)
        y = ops.matmul(shares.astype(v.dtype), v).swapaxes(1, 2).reshape((-1, LENGTH, self.heads * self.size))
        x = x + self.out(y)
        return x + self.down(ops.gelu(self.up(self.norm2(x)), approximate="tanh"))


class GPT(nn.Cell):
    """A decoder, and the cross entropy of what it predicts."""

    def __init__(self, layers: int, width: int, heads: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, width, embedding_table=zeros(VOCABULARY, width))
        self.places = nn.Embedding(LENGTH, width, embedding_table=zeros(LENGTH, width))
        self.blocks = nn.CellList([Block(width, heads).to_float(ms.bfloat16) for _ in range(layers)])
        for block in self.blocks:
            block.recompute()
        self.norm = nn.LayerNorm((width,))
        self.head = nn.Dense(width, VOCABULARY, weight_init=zeros(VOCABULARY, width), has_bias=False)
        self.head.to_float(ms.bfloat16)

    def construct(self, x: Any, label: Any) -> Any:
        x = self.tokens(x) + self.places(ops.arange(LENGTH))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x)).astype(ms.float32)
        return ops.cross_entropy(logits.reshape((-1, VOCABULARY)), label.reshape((-1,)))


def compile_step(net: Any, kind: str, count: int, model: int) -> Any:
    """Compile a training step for `count` devices, of which `model` share a row; 1: weights are cut over all."""
    model = min(count, model)
    mesh = Mesh(np.array(topologies.devices(kind, count)).reshape(-1, model), ("data", "model"))
    apply, params = interop.as_jax(net)
    places = interop.partition_parameters(net, FULL_RULES if model == 1 else RULES, mesh)
    params = {
        name: jax.ShapeDtypeStruct(v.shape, v.dtype, sharding=places[name]) for name, v in params.items()
    }
    rule = optax.adamw(1e-4)

    def like_parameters(path: Any, leaf: Any) -> Any:
        name = path[-1].key if hasattr(path[-1], "key") else ""
        place = places[name].spec if name in places else P()
        if model == 1 and place == P() and leaf.ndim == 2:
            place = P(None, "data")
        place = CUT.get(place, place)
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=NamedSharding(mesh, place))

    slots = jax.tree_util.tree_map_with_path(like_parameters, jax.eval_shape(rule.init, params))
    rows = jax.ShapeDtypeStruct((count, LENGTH), jnp.int32, sharding=NamedSharding(mesh, P("data")))

    def step(params: Any, slots: Any, x: Any, label: Any) -> Any:
        loss, gradients = jax.value_and_grad(apply)(params, x, label)
        updates, slots = rule.update(gradients, slots, params)
        return optax.apply_updates(params, updates), slots, loss

    back = [jax.tree.map(lambda leaf: leaf.sharding, given) for given in (params, slots)]
    compiled = jax.jit(step, donate_argnums=(0, 1), out_shardings=(*back, NamedSharding(mesh, P())))
    return compiled.lower(params, slots, rows, rows).compile()


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--for", nargs="+", choices=list(topologies.KINDS), default=["v5e"], dest="kinds")
    parser.add_argument("--devices", type=int, nargs="+", default=[4, 64, 256])
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--layers", type=int, nargs="+", help="networks of these depths instead of the whole")
    parser.add_argument("--full", action="store_true", help="cut weights and moments over all devices")
    options = parser.parse_args()
    heads = "GPT-3|devices|arguments, MB|temporaries, MB|GFLOP|bytes, MB|sent, MB|collectives|at least, ms"
    print(f"| {heads.replace('|', ' | ')} |\n|{'---|' * (heads.count('|') + 1)}")
    for name in options.models:
        layers, width, cut, model = MODELS[name]
        for kind in options.kinds:
            for count in options.devices:
                found: dict[int, Figures] = {}
                for depth in options.layers or [layers]:
                    net = GPT(depth, width, cut)
                    told = f"| {name}, {depth} layers | {count} {kind} |"
                    try:
                        sharing = 1 if options.full else 8 if kind == "h100" else model
                        program = compile_step(net, kind, count, sharing)
                        found[depth] = count_figures(count, program)
                        print(told, cells(kind, found[depth]), "|", flush=True)
                    except jax.errors.JaxRuntimeError as error:  # TPU's compiler says what does not fit
                        print(told, str(error).splitlines()[0], "|", flush=True)
                    jax.clear_caches()
                *_, few, many = [None, None, *sorted(found)]
                if few and many:
                    for depth in sorted({*found, layers} - {few, many}):
                        line = extrapolate(found[few], found[many], (depth - few) / (many - few))
                        print(
                            f"| {name}, {depth} layers, computed | {count} {kind} | {cells(kind, line)} |",
                            flush=True,
                        )


def extrapolate(few: Figures, many: Figures, at: float) -> Figures:
    """Figures on the line through those of two programs: 0 is the one, 1 the other."""

    def on(low: float, high: float) -> float:
        return low + at * (high - low)

    kinds = sorted({*few.collectives, *many.collectives})
    collectives = {kind: on(few.collectives.get(kind, 0), many.collectives.get(kind, 0)) for kind in kinds}
    return Figures(*map(on, few[:-1], many[:-1]), collectives)


if __name__ == "__main__":
    main()
