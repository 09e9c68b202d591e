"""Solve Burgers' equation with a physics-informed network: no data but the equation, its beginning and its ends.

    u_t + u u_x = v u_xx  for x in [-1, 1], t in [0, 1];  u(x, 0) = -sin(pi x);  u(-1, t) = u(1, t) = 0

    python pinn_burgers.py                       # 3000 steps: relative error below 1 % (v = 0.05)
    python pinn_burgers.py --viscosity 0.1 --steps 1000

The exact solution, for comparison, is the one of Cole and Hopf. Raissi, Perdikaris and Karniadakis, "Physics-informed neural
networks" (2019), have the method. Needs MindSpore and matplotlib.
"""

import argparse
import time

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops


class Net(nn.Cell):
    """Places x and times t (N, 1) to u (N, 1), which is zero at both ends by its form."""

    def __init__(self, width, layers):
        super().__init__()
        cells = [nn.Dense(2, width, weight_init="xavier_normal"), nn.Tanh()]
        for _ in range(layers - 1):
            cells += [nn.Dense(width, width, weight_init="xavier_normal"), nn.Tanh()]
        self.layers = nn.SequentialCell(*cells, nn.Dense(width, 1, weight_init="xavier_normal"))

    def construct(self, x, t):
        return (1 - x * x) * self.layers(ops.cat((x, t), axis=1))


def make_loss(net, viscosity):
    """A function (x, t, x at the beginning) -> mean square of what the equation and the beginning leave over."""

    def total(x, t):
        return net(x, t).sum()

    first = ms.grad(total, (0, 1))

    def slope(x, t):
        return first(x, t)[0].sum()

    second = ms.grad(slope, 0)

    def loss(x, t, beginning):
        u = net(x, t)
        u_x, u_t = first(x, t)
        left_over = u_t + u * u_x - viscosity * second(x, t)
        wrong = net(beginning, ops.zeros_like(beginning)) + ops.sin(np.pi * beginning)
        return (left_over**2).mean() + 10 * (wrong**2).mean()

    return loss


def solve_exactly(x, t, viscosity):
    """The solution of Cole and Hopf on a grid (times, places), its integrals by Gauss and Hermite's quadrature."""
    nodes, weights = np.polynomial.hermite.hermgauss(100)
    x, t = x[None, :, None], t[:, None, None]
    shifted = x - nodes * np.sqrt(4 * viscosity * t)
    # exp of large numbers: the largest of each place is divided out above and below
    exponents = -np.cos(np.pi * shifted) / (2 * np.pi * viscosity)
    shares = weights * np.exp(exponents - exponents.max(axis=-1, keepdims=True))
    return -(np.sin(np.pi * shifted) * shares).sum(-1) / shares.sum(-1)


def plot_solution(x, t, exact, found, path):
    """Draw the solution over place and time, and three moments of it beside the exact one."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), constrained_layout=True)
    image = left.pcolormesh(t, x, found.T, cmap="RdBu", shading="nearest")
    figure.colorbar(image, ax=left)
    left.set(xlabel="t", ylabel="x", title="u of the network")
    for k in (0, len(t) // 3, len(t) - 1):
        right.plot(x, exact[k], color="black", linewidth=0.8)
        right.plot(x, found[k], "--", label=f"t = {t[k]:.2f}")
    right.set(xlabel="x", title="network (dashed) and exact")
    right.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def parse_args(argv=None):
    parser = argparse.ArgumentParser(description="Solve Burgers' equation with a physics-informed network.")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--points", type=int, default=1024, help="places and times of a step")
    parser.add_argument("--viscosity", type=float, default=0.05)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", default="pinn_burgers.png", help="where to save the picture")
    return parser.parse_args(argv)


def main(argv=None):
    """Train and draw; returns (losses of all steps, relative error in the L2 norm)."""
    args = parse_args(argv)
    ms.set_seed(args.seed)
    generator = np.random.default_rng(args.seed)
    net = Net(args.width, args.layers)
    schedule = nn.cosine_decay_lr(args.lr / 100, args.lr, args.steps, 1, args.steps)
    optimizer = nn.Adam(net.trainable_params(), schedule)
    grad_fn = ms.value_and_grad(make_loss(net, args.viscosity), None, optimizer.parameters)

    @ms.jit
    def train_step(x, t, beginning):
        loss, grads = grad_fn(x, t, beginning)
        optimizer(grads)
        return loss

    losses, start = [], time.time()
    for step in range(1, args.steps + 1):
        x, beginning = generator.uniform(-1, 1, (2, args.points, 1)).astype(np.float32)
        t = generator.uniform(0, 1, (args.points, 1)).astype(np.float32)
        losses.append(float(train_step(Tensor(x), Tensor(t), Tensor(beginning[: args.points // 4]))))
        if step % 250 == 0 or step == args.steps:
            print(
                f"step {step:5d}/{args.steps}  loss {np.mean(losses[-50:]):.2e}  {time.time() - start:6.1f} s",
                flush=True,
            )

    x, t = np.linspace(-1, 1, 101), np.linspace(0, 1, 51)
    exact = solve_exactly(x, t, args.viscosity)
    times, places = (grid.reshape(-1, 1).astype(np.float32) for grid in np.meshgrid(t, x, indexing="ij"))
    found = net(Tensor(places), Tensor(times)).asnumpy().reshape(exact.shape)
    error = float(np.linalg.norm(found - exact) / np.linalg.norm(exact))
    print(f"relative error {error:.2%}")
    plot_solution(x, t, exact, found, args.plot)
    print(f"Saved the picture to {args.plot}")
    return losses, error


if __name__ == "__main__":
    main()
