"""Learn what an equation does to any beginning: a Fourier neural operator for Burgers' equation.

    python fourier_operator.py                   # 400 steps: relative error 1 % on beginnings never seen
    python fourier_operator.py --modes 24 --resolution 256

The net maps u(x, 0) to u(x, 1) for u_t + u u_x = v u_xx on a circle. What it has learnt on one grid holds on a finer one.
Li and others, "Fourier neural operator" (2020). Needs MindSpore and matplotlib.
"""

import argparse
import time

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Uniform, initializer


def make_beginnings(count, resolution, seed):
    """Smooth random functions (count, resolution) on a circle."""
    generator = np.random.default_rng(seed)
    waves = np.arange(1, 9)
    sizes = generator.normal(0, 1, (2, count, len(waves))) / (1 + 0.3 * waves**2)
    angles = 2 * np.pi * waves * np.linspace(0, 1, resolution, endpoint=False)[:, None]
    return sizes[0] @ np.sin(angles).T + sizes[1] @ np.cos(angles).T


def advance(u, viscosity, steps=400, until=1.0):
    """Burgers' equation from u(x, 0) to u(x, until): spectral in x, Runge and Kutta's fourth order in t, diffusion exact."""
    resolution, dt = u.shape[1], until / steps
    waves = 2 * np.pi * np.fft.rfftfreq(resolution, 1 / resolution)
    half = np.exp(-viscosity * waves**2 * dt / 2)
    kept = waves < waves.max() * 2 / 3  # products of waves that the grid cannot hold are left out

    def slope(spectrum):
        return -0.5j * waves * kept * np.fft.rfft(np.fft.irfft(spectrum, resolution) ** 2)

    spectrum = np.fft.rfft(u)
    for _ in range(steps):
        a = dt * slope(spectrum)
        b = dt * slope(half * (spectrum + a / 2))
        c = dt * slope(half * spectrum + b / 2)
        d = dt * slope(half * half * spectrum + half * c)
        spectrum = half * half * spectrum + (half * half * a + 2 * half * (b + c) + d) / 6
    return np.fft.irfft(spectrum, resolution)


class SpectralLayer(nn.Cell):
    """Multiply the first Fourier modes of functions (N, width, resolution) by learnt matrices."""

    def __init__(self, width, modes):
        super().__init__()
        self.modes = modes
        scale = 1 / width
        shape = (width, width, modes)
        self.real = Parameter(initializer(Uniform(scale), shape), name="real")
        self.imaginary = Parameter(initializer(Uniform(scale), shape), name="imaginary")

    def construct(self, x):
        resolution = x.shape[-1]
        spectrum = ops.rfft(x)[..., : self.modes]
        a, b = ops.real(spectrum), ops.imag(spectrum)
        real = mix(a, self.real) - mix(b, self.imaginary)
        imaginary = mix(a, self.imaginary) + mix(b, self.real)
        padding = ops.zeros((*real.shape[:2], resolution // 2 + 1 - self.modes), ms.float32)
        whole = ops.Complex()(ops.cat((real, padding), axis=-1), ops.cat((imaginary, padding), axis=-1))
        return ops.irfft(whole, resolution)


def mix(x, weights):
    """Sum over channels i of x (N, i, modes) times weights (i, o, modes): (N, o, modes)."""
    return ops.matmul(x.transpose((2, 0, 1)), weights.transpose((2, 0, 1))).transpose((1, 2, 0))


class FourierOperator(nn.Cell):
    """Functions u(x, 0) (N, resolution) to u(x, 1) (N, resolution), on any grid."""

    def __init__(self, width, modes, layers):
        super().__init__()
        self.lift = nn.Conv1d(2, width, 1, has_bias=True)
        self.spectral = nn.CellList([SpectralLayer(width, modes) for _ in range(layers)])
        self.local = nn.CellList([nn.Conv1d(width, width, 1, has_bias=True) for _ in range(layers)])
        self.project = nn.SequentialCell(
            nn.Conv1d(width, 2 * width, 1, has_bias=True),
            nn.GELU(),
            nn.Conv1d(2 * width, 1, 1, has_bias=True),
        )

    def construct(self, u, grid):
        x = self.lift(ops.stack((u, ops.broadcast_to(grid, u.shape)), axis=1))
        for k in range(len(self.spectral)):
            x = ops.gelu(self.spectral[k](x) + self.local[k](x))
        return self.project(x)[:, 0]


def relative_error(found, right):
    """Mean over functions of the distance, divided by the size, in the L2 norm."""
    return (ops.norm(found - right, dim=1) / ops.norm(right, dim=1)).mean()


def plot_functions(before, after, found, path):
    """Draw some beginnings, what they become, and what the net says."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, row = plt.subplots(1, len(before), figsize=(3 * len(before), 2.6), constrained_layout=True)
    for axes, first, last, guess in zip(row, before, after, found, strict=True):
        axes.plot(first, color="lightgray", label="t = 0")
        axes.plot(last, color="black", label="t = 1")
        axes.plot(guess, "--", color="tab:red", label="net")
    row[0].legend(fontsize=8)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def parse_args(argv=None):
    parser = argparse.ArgumentParser(description="A Fourier neural operator for Burgers' equation.")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--functions", type=int, default=512, help="beginnings to learn from")
    parser.add_argument("--resolution", type=int, default=64)
    parser.add_argument("--modes", type=int, default=16)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--viscosity", type=float, default=0.02)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", default="fourier_operator.png", help="where to save the picture")
    return parser.parse_args(argv)


def main(argv=None):
    """Train and draw; returns the relative errors on new beginnings, on the grid of training and on one twice as fine."""
    args = parse_args(argv)
    ms.set_seed(args.seed)
    generator = np.random.default_rng(args.seed)
    fine = make_beginnings(args.functions + 64, 2 * args.resolution, args.seed)
    data = np.stack([fine, advance(fine, args.viscosity)]).astype(np.float32)
    grids = [
        Tensor(np.linspace(0, 1, n, endpoint=False), ms.float32)
        for n in (args.resolution, 2 * args.resolution)
    ]

    net = FourierOperator(args.width, args.modes, args.layers)
    schedule = nn.cosine_decay_lr(1e-5, args.lr, args.steps, 1, args.steps)
    optimizer = nn.Adam(net.trainable_params(), schedule)

    def forward(before, after):
        return relative_error(net(before, grids[0]), after)

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

    @ms.jit
    def train_step(before, after):
        loss, grads = grad_fn(before, after)
        optimizer(grads)
        return loss

    losses, start = [], time.time()
    for step in range(1, args.steps + 1):
        chosen = generator.integers(0, args.functions, args.batch_size)
        losses.append(float(train_step(*map(Tensor, data[:, chosen, ::2]))))
        if step % 50 == 0 or step == args.steps:
            print(
                f"step {step:4d}/{args.steps}  error {np.mean(losses[-20:]):.2%}  {time.time() - start:5.1f} s",
                flush=True,
            )

    errors = []
    for grid, stride in zip(grids, (2, 1), strict=True):
        before, after = map(Tensor, np.ascontiguousarray(data[:, args.functions :, ::stride]))
        found = net(before, grid)
        errors.append(float(relative_error(found, after)))
        print(f"{before.shape[1]:4d} points: relative error {errors[-1]:.2%} on beginnings never seen")
    plot_functions(before.asnumpy()[:4], after.asnumpy()[:4], found.asnumpy()[:4], args.plot)
    print(f"Saved the picture to {args.plot}")
    return errors


if __name__ == "__main__":
    main()
