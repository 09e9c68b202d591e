"""A training step of each program of the gallery, in msjax and in PyTorch: same sizes, same weights, same batch.

    CLOCK=cpu python benchmarks/gallery.py [PROGRAM ...] [--rounds 9] [--table]

Needs msjax with its extra `examples`, and torch. The networks are those of `examples/`, and of `gallery_peers.py`; PyTorch
runs its step as its users write it, msjax compiles it, as the programs do. Without what is random in them, both give the
same loss to a thousandth on the same weights; the program stops otherwise. The steps take turns; `CLOCK=cpu` measures
processor time, PyTorch then on one thread. `--table` prints rows for docs/gallery.md.
"""

import argparse
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gallery_peers as peers
import numpy as np
import torch
from timing import ON_CPU_TIME, interleaved
from torch.nn import functional as F

import msjax

msjax.install_as("mindspore")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

import mindspore as ms  # noqa: E402 - only now there is one
from mindspore import nn, ops  # noqa: E402

GENERATOR = np.random.default_rng(0)
NEW_NAMES = {
    "gamma": "weight",
    "beta": "bias",
    "embedding_table": "weight",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
    "dense1": "linear1",
    "dense2": "linear2",
}


def normal(*shape: int) -> np.ndarray:
    return GENERATOR.standard_normal(shape).astype(np.float32)


def below(limit: int, *shape: int) -> np.ndarray:
    return GENERATOR.integers(0, limit, shape).astype(np.int32)


def copy_weights(net: Any, peer: torch.nn.Module) -> None:
    """Give PyTorch's module the weights of a Cell, which must have the same names and sizes."""
    state = {}
    for name, parameter in net.parameters_and_names():
        theirs = ".".join(NEW_NAMES.get(part, part) for part in name.split("."))
        state[theirs] = torch.tensor(parameter.asnumpy())
    places = {
        name: value for name, value in peer.state_dict().items() if not name.endswith("num_batches_tracked")
    }
    assert state.keys() == places.keys(), (state.keys() ^ places.keys(), type(peer))
    for name, value in places.items():
        assert value.numel() == state[name].numel(), (name, value.shape, state[name].shape)
        value.copy_(state[name].reshape(value.shape))


def msjax_step(net: Any, loss: Callable, optimizer: Any, clip: float | None) -> Callable:
    grad_fn = ms.value_and_grad(loss, None, optimizer.parameters)

    @ms.jit
    def step(*batch: Any) -> Any:
        value, grads = grad_fn(*batch)
        optimizer(grads if clip is None else ops.clip_by_global_norm(grads, clip))
        return value

    return step


def torch_step(net: Any, loss: Callable, optimizer: Any, clip: float | None) -> Callable:
    def step(*batch: Any) -> float:
        optimizer.zero_grad()
        value = loss(*batch)
        value.backward()
        if clip is not None:
            torch.nn.utils.clip_grad_norm_(net.parameters(), clip)
        optimizer.step()
        return value.item()

    return step


def classification(net: Any, logits: Callable = lambda out: out, **options: Any) -> Callable:
    loss_of = nn.CrossEntropyLoss(**options)
    return lambda x, y: loss_of(logits(net(x)), y)


def torch_classification(net: Any, **options: Any) -> Callable:
    return lambda x, y: F.cross_entropy(net(x), y, **options)


class Program:
    """One program of the gallery in both libraries.

    Args:
        net, peer: the networks.
        loss, peer_loss: functions of a batch; without random parts in evaluation, unless `check` and `peer_check` are given.
        optimizer, peer_optimizer: of both.
        batch: arrays.
        clip: the largest norm of the gradients.
        check, peer_check: what must agree, if the losses are random.
        step, peer_step: whole steps, where they are not of the common form.
    """

    def __init__(
        self, net: Any, peer: Any, batch: tuple, loss: Any = None, peer_loss: Any = None, optimizer: Any = None,
        peer_optimizer: Any = None, clip: float | None = None, check: Any = None, peer_check: Any = None,
        step: Any = None, peer_step: Any = None,
    ) -> None:  # fmt: skip
        copy_weights(net, peer)
        self.net, self.peer = net, peer
        self.ours = tuple(map(ms.Tensor, batch))
        self.theirs = tuple(
            torch.tensor(array).long() if array.dtype == np.int32 else torch.tensor(array) for array in batch
        )
        self.check, self.peer_check = check or loss, peer_check or peer_loss
        self.step = step or msjax_step(net, loss, optimizer, clip)
        self.peer_step = peer_step or torch_step(peer, peer_loss, peer_optimizer, clip)

    def compare(self) -> tuple[float, float]:
        """Return the loss of both without random parts: they must agree."""
        self.net.set_train(False)
        self.peer.eval()
        found = float(self.check(*self.ours)), self.peer_check(*self.theirs).item()
        assert abs(found[0] - found[1]) < 1e-3 * abs(found[1]), found
        self.net.set_train(True)
        self.peer.train()
        return found

    def ways(self) -> dict[str, Callable[[], Any]]:
        return {
            "msjax": lambda: float(np.sum([np.asarray(x) for x in _leaves(self.step(*self.ours))])),
            "torch": lambda: self.peer_step(*self.theirs),
        }


def _leaves(out: Any) -> list:
    return list(out) if isinstance(out, tuple) else [out]


def adam(net: Any, rate: float = 1e-3, **options: Any) -> Any:
    return nn.Adam(net.trainable_params(), rate, **options)


def train_digits() -> Program:
    module = importlib.import_module("train_digits")
    net, peer = module.DigitNet(), peers.DigitNet()
    return Program(
        net, peer, (normal(32, 1, 8, 8), below(10, 32)), classification(net), torch_classification(peer),
        nn.Momentum(net.trainable_params(), 0.01, 0.9), torch.optim.SGD(peer.parameters(), 0.01, 0.9),
    )  # fmt: skip


def resnet_digits() -> Program:
    module = importlib.import_module("resnet_digits")
    net, peer = module.ResNet(), peers.ResNet()
    return Program(
        net, peer, (normal(32, 1, 8, 8), below(10, 32)), classification(net), torch_classification(peer),
        nn.Momentum(net.trainable_params(), 0.02, 0.9, weight_decay=1e-4),
        torch.optim.SGD(peer.parameters(), 0.02, 0.9, weight_decay=1e-4),
    )  # fmt: skip


def vit_digits() -> Program:
    module = importlib.import_module("vit_digits")
    net, peer = module.ViT(2, 64, 4, 4), peers.ViT()
    return Program(
        net, peer, (normal(64, 1, 8, 8), below(10, 64)),
        classification(net, lambda out: out[0], label_smoothing=0.1), torch_classification(peer, label_smoothing=0.1),
        nn.AdamWeightDecay(net.trainable_params(), 1e-3, weight_decay=0.05),
        torch.optim.AdamW(peer.parameters(), 1e-3, weight_decay=0.05),
    )  # fmt: skip


def unet_shapes() -> Program:
    module = importlib.import_module("unet_shapes")
    net, peer = module.UNet(16, 2, 4), peers.UNet()
    return Program(
        net, peer, (normal(8, 1, 32, 32), below(4, 8, 32, 32)), classification(net), torch_classification(peer),
        adam(net, 3e-3), torch.optim.Adam(peer.parameters(), 3e-3),
    )  # fmt: skip


def vae_digits() -> Program:
    module = importlib.import_module("vae_digits")
    net, peer = module.VAE(8), peers.VAE()

    def rebuild(net: Any) -> Callable:
        return lambda images: (net.decoder(net.mean(net.encoder(images))) ** 2).mean()

    return Program(
        net, peer, (GENERATOR.random((64, 64), np.float32),), lambda x: module.negative_elbo(x, *net(x)),
        lambda x: peers.negative_elbo(peer, x), adam(net), torch.optim.Adam(peer.parameters(), 1e-3),
        check=rebuild(net), peer_check=rebuild(peer),
    )  # fmt: skip


def gan_digits() -> Program:
    module = importlib.import_module("gan_digits")

    class Both(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.generator, self.discriminator = module.Generator(32, 64), module.Discriminator(64)

    net, peer = Both(), peers.Gan()
    codes = normal(64, 32)

    def answers(net: Any, codes: Any) -> Callable:
        return lambda images: (net.discriminator(net.generator(codes)) + net.discriminator(images)).mean()

    optimizers = (adam(part, 5e-4, beta1=0.5) for part in (net.generator, net.discriminator))
    return Program(
        net, peer, (normal(64, 1, 8, 8),), step=module.make_train_step(net.generator, net.discriminator, *optimizers, 32),
        peer_step=peer.make_step(5e-4), check=answers(net, ms.Tensor(codes)), peer_check=answers(peer, torch.tensor(codes)),
    )  # fmt: skip


def char_gpt() -> Program:
    module = importlib.import_module("char_gpt")
    words = 2100
    net, peer = module.GPT(words, 128, 4, 4, 96), peers.GPT(words)
    optimizer = nn.AdamWeightDecay(net.trainable_params(), 2e-3, beta2=0.99, weight_decay=0.01)
    loss, step = module.make_steps(net, optimizer)

    def peer_loss(tokens: Any, targets: Any) -> Any:
        return F.cross_entropy(peer(tokens).flatten(0, 1), targets.flatten())

    return Program(
        net, peer, (below(words, 32, 96), below(words, 32, 96)), loss, peer_loss, step=step, clip=1.0,
        peer_optimizer=torch.optim.AdamW(peer.parameters(), 2e-3, (0.9, 0.99), weight_decay=0.01),
    )  # fmt: skip


def bert_reference() -> Program:
    module = importlib.import_module("bert_reference")
    words = 3004
    bert, peer = module.Bert(words, 96, 2, 4, 48), peers.Bert(words)
    net = module.Pretraining(bert)
    tokens = below(words, 32, 48)
    targets = np.where(GENERATOR.random(tokens.shape) < 0.15, tokens, module.IGNORED).astype(np.int32)

    def check(tokens: Any, targets: Any) -> Any:
        logits = net(tokens)
        return ops.cross_entropy(
            logits.reshape((-1, words)), targets.reshape((-1,)), ignore_index=module.IGNORED
        )

    def peer_loss(tokens: Any, targets: Any) -> Any:
        return F.cross_entropy(peer(tokens).flatten(0, 1), targets.flatten(), ignore_index=module.IGNORED)

    return Program(
        bert, peer, (tokens, targets), check, peer_loss, step=module.make_train_step(net, 1e-3, 800), clip=1.0,
        peer_optimizer=torch.optim.AdamW(peer.parameters(), 1e-3, weight_decay=0.01),
    )  # fmt: skip


def forecast_series(kind: str = "Recurrent") -> Program:
    module = importlib.import_module("forecast_series")
    net, peer = getattr(module, kind)(64, 84, 24), getattr(peers, kind)()
    return Program(
        net, peer, (normal(64, 84, 3), normal(64, 24)), lambda x, y: ops.l1_loss(net(x), y),
        lambda x, y: F.l1_loss(peer(x), y), adam(net, 3e-3), torch.optim.Adam(peer.parameters(), 3e-3), clip=1.0,
    )  # fmt: skip


def forecast_transformer() -> Program:
    return forecast_series("Attentive")


def pinn_burgers() -> Program:
    module = importlib.import_module("pinn_burgers")
    net, peer = module.Net(32, 4), peers.Net()
    x, t, beginning = (GENERATOR.random((count, 1), np.float32) for count in (1024, 1024, 256))
    return Program(
        net, peer, (x, t, beginning), module.make_loss(net, 0.05), lambda *batch: peers.burgers_loss(peer, *batch),
        adam(net, 3e-3), torch.optim.Adam(peer.parameters(), 3e-3),
    )  # fmt: skip


def fourier_operator() -> Program:
    module = importlib.import_module("fourier_operator")
    net, peer = module.FourierOperator(32, 16, 3), peers.FourierOperator()
    grid = ms.Tensor(np.linspace(0, 1, 64, endpoint=False), ms.float32)

    def peer_loss(before: Any, after: Any) -> Any:
        return ((peer(before) - after).norm(dim=1) / after.norm(dim=1)).mean()

    return Program(
        net, peer, (normal(32, 64), normal(32, 64)), lambda u, v: module.relative_error(net(u, grid), v), peer_loss,
        adam(net, 3e-3), torch.optim.Adam(peer.parameters(), 3e-3),
    )  # fmt: skip


def cartpole() -> Program:
    module = importlib.import_module("cartpole")
    net, peer = module.Agent(64), peers.Agent()
    batch = normal(512, 4), below(2, 512), 10 * GENERATOR.random(512, np.float32)

    def check(states: Any, pushes: Any, returns: Any) -> Any:
        logits, values = net(states)
        return (logits**2).mean() + ((values - returns) ** 2).mean()

    def peer_check(states: Any, pushes: Any, returns: Any) -> Any:
        logits, values = peer(states)
        return (logits**2).mean() + ((values - returns) ** 2).mean()

    return Program(
        net, peer, batch, peer_loss=lambda *batch: peers.policy_loss(peer, *batch), clip=0.5,
        step=module.make_train_step(net, adam(net, 2e-3)), peer_optimizer=torch.optim.Adam(peer.parameters(), 2e-3),
        check=check, peer_check=peer_check,
    )  # fmt: skip


_IN_ORDER = (
    train_digits, resnet_digits, vit_digits, unet_shapes, vae_digits, gan_digits, char_gpt, bert_reference,
    forecast_series, forecast_transformer, pinn_burgers, fourier_operator, cartpole,
)  # fmt: skip
PROGRAMS = {program.__name__: program for program in _IN_ORDER}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS), metavar="PROGRAM")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--table", action="store_true", help="rows of a table in Markdown")
    args = parser.parse_args()
    if ON_CPU_TIME:
        torch.set_num_threads(1)
    torch.manual_seed(0)
    ms.set_seed(0)
    for name in args.programs:
        program = PROGRAMS[name]()
        loss, _ = program.compare()
        ways = program.ways()
        for way in ways.values():
            way()
        times = interleaved(ways, calls=10, rounds=args.rounds)
        ratio = times["msjax"] / times["torch"]
        if args.table:
            print(
                f"| `{name}` | {times['msjax'] * 1e3:.1f} | {times['torch'] * 1e3:.1f} | {ratio:.2f} |",
                flush=True,
            )
        else:
            print(
                f"{name:22} check {loss:8.4f}  msjax {times['msjax'] * 1e3:7.2f} ms  "
                f"torch {times['torch'] * 1e3:7.2f} ms  ratio {ratio:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
