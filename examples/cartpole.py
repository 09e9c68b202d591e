"""Learn to balance a pole on a cart by policy gradients with a learnt baseline.

    python cartpole.py                           # 120 updates: the pole stays up for more than 450 of 500 steps
    python cartpole.py --carts 64 --seed 3

The cart is simulated here, many at once (the equations and bounds of Barto, Sutton and Anderson, 1983, as in CartPole-v1).
Needs MindSpore and matplotlib.
"""

import argparse
import time

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

GRAVITY, CART, POLE, HALF_LENGTH, FORCE, DT = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
LONGEST = 500  # steps of an episode


class Carts:
    """Carts with poles: state (carts, 4) of place, speed, angle and its speed; a fallen one begins anew."""

    def __init__(self, count, generator):
        self.generator = generator
        self.state = generator.uniform(-0.05, 0.05, (count, 4))
        self.age = np.zeros(count, np.int64)

    def step(self, right):
        """Push each cart right or left; returns which fell, which ran out of time, states and ages then."""
        _, speed, angle, turning = self.state.T
        force = np.where(right, FORCE, -FORCE)
        sine, cosine = np.sin(angle), np.cos(angle)
        push = (force + POLE * HALF_LENGTH * turning**2 * sine) / (CART + POLE)
        turn = (GRAVITY * sine - cosine * push) / (HALF_LENGTH * (4 / 3 - POLE * cosine**2 / (CART + POLE)))
        move = push - POLE * HALF_LENGTH * turn * cosine / (CART + POLE)
        self.state = self.state + DT * np.stack([speed, move, turning, turn], axis=1)
        self.age += 1
        fell = (abs(self.state[:, 0]) > 2.4) | (abs(self.state[:, 2]) > np.radians(12))
        timed_out = ~fell & (self.age >= LONGEST)
        ended = fell | timed_out
        last_states, ages = self.state.copy(), self.age[ended]
        self.state[ended] = self.generator.uniform(-0.05, 0.05, (ended.sum(), 4))
        self.age[ended] = 0
        return fell, timed_out, last_states, ages


class Agent(nn.Cell):
    """States (N, 4) to the logits of the two pushes (N, 2) and what is expected to follow (N,)."""

    def __init__(self, width):
        super().__init__()
        self.policy = nn.SequentialCell(
            nn.Dense(4, width), nn.Tanh(), nn.Dense(width, width), nn.Tanh(), nn.Dense(width, 2)
        )
        self.value = nn.SequentialCell(
            nn.Dense(4, width), nn.Tanh(), nn.Dense(width, width), nn.Tanh(), nn.Dense(width, 1)
        )

    def construct(self, states):
        return self.policy(states), self.value(states)[:, 0]


def make_train_step(agent, optimizer):
    """A compiled function (states, pushes, returns) -> loss."""

    def forward(states, pushes, returns):
        logits, values = agent(states)
        log_shares = ops.log_softmax(logits, axis=1)
        advantage = ops.stop_gradient(returns - values)
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
        chosen = ops.gather_elements(log_shares, 1, pushes.reshape((-1, 1)))[:, 0]
        surprise = -(ops.exp(log_shares) * log_shares).sum(axis=1).mean()
        return -(chosen * advantage).mean() + 0.5 * ops.mse_loss(values, returns) / 100 - 0.01 * surprise

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

    @ms.jit
    def train_step(states, pushes, returns):
        loss, grads = grad_fn(states, pushes, returns)
        optimizer(ops.clip_by_global_norm(grads, 0.5))
        return loss

    return train_step


def play(agent, carts, steps, discount, generator):
    """Let the agent play; returns states, pushes and discounted returns (steps x carts), and the ages of ended episodes."""
    states, pushes, rewards, ages = [], [], [], []
    for _ in range(steps):
        logits, _ = agent(Tensor(carts.state, ms.float32))
        shares = 1 / (1 + np.exp(logits.asnumpy() @ [1.0, -1.0]))  # of the second push
        right = generator.random(len(shares)) < shares
        states.append(carts.state)
        pushes.append(right)
        fell, timed_out, last_states, ended = carts.step(right)
        rewards.append((fell, timed_out, last_states))
        ages += ended.tolist()
    following = agent(Tensor(carts.state, ms.float32))[1].asnumpy()
    returns = []
    for fell, timed_out, last_states in reversed(rewards):
        if timed_out.any():  # who ran out of time would have gone on
            following = np.where(timed_out, agent(Tensor(last_states, ms.float32))[1].asnumpy(), following)
        following = 1 + discount * np.where(fell, 0.0, following)
        returns.append(following)
    return np.concatenate(states), np.concatenate(pushes), np.concatenate(returns[::-1]), ages


def plot_ages(ages, path):
    """Draw for how long the pole stayed up."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4), constrained_layout=True)
    axes.plot(range(1, len(ages) + 1), ages, "o-", markersize=3)
    axes.set(xlabel="update", ylabel="steps until it fell (500 at most)", title="A pole on a cart")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def parse_args(argv=None):
    parser = argparse.ArgumentParser(description="Balance a pole on a cart by policy gradients.")
    parser.add_argument("--updates", type=int, default=120)
    parser.add_argument("--carts", type=int, default=32)
    parser.add_argument("--steps", type=int, default=64, help="steps of each cart between updates")
    parser.add_argument("--discount", type=float, default=0.99)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", default="cartpole.png", help="where to save the picture")
    return parser.parse_args(argv)


def main(argv=None):
    """Train and draw; returns the mean age of ended episodes after each update."""
    args = parse_args(argv)
    ms.set_seed(args.seed)
    generator = np.random.default_rng(args.seed)
    carts, agent = Carts(args.carts, generator), Agent(args.width)
    schedule = nn.polynomial_decay_lr(args.lr, args.lr / 10, 4 * args.updates, 1, 4 * args.updates, 1.0)
    train_step = make_train_step(agent, nn.Adam(agent.trainable_params(), schedule))
    mean_ages, start = [], time.time()
    for update in range(1, args.updates + 1):
        states, pushes, returns, ages = play(agent, carts, args.steps, args.discount, generator)
        order = generator.permutation(len(states)).reshape(4, -1)
        for chosen in order:
            train_step(
                Tensor(states[chosen], ms.float32),
                Tensor(pushes[chosen], ms.int32),
                Tensor(returns[chosen], ms.float32),
            )
        # Where no episode ended, the oldest that goes on counts.
        mean_ages.append(float(np.mean(ages)) if ages else float(carts.age.max()))
        if update % 10 == 0 or update == args.updates:
            print(
                f"update {update:3d}/{args.updates}  up for {np.mean(mean_ages[-10:]):5.1f} steps  "
                f"{time.time() - start:5.1f} s",
                flush=True,
            )
    plot_ages(mean_ages, args.plot)
    print(f"Saved the picture to {args.plot}")
    return mean_ages


if __name__ == "__main__":
    main()
