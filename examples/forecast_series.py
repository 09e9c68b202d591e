"""Forecast a made series of daily and weekly rhythms with an LSTM, and compare with two simple rules.

    python forecast_series.py                    # 400 steps: an error of 0.32, where repeating the day before has 0.42
    python forecast_series.py --net transformer --steps 800

Needs MindSpore and matplotlib.
"""

import argparse
import time

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal, initializer

DAY, WEEK = 24, 7 * 24  # steps are hours


def make_series(hours, seed):
    """Hourly values (hours,): rhythms of a day and a week, a slow trend, events of a few hours, and noise."""
    generator = np.random.default_rng(seed)
    time_of = np.arange(hours)
    daily = np.sin(2 * np.pi * time_of / DAY) + 0.4 * np.sin(4 * np.pi * time_of / DAY + 1.0)
    weekend = 1.0 - 0.6 * ((time_of // DAY) % 7 >= 5)
    trend = np.cumsum(generator.normal(0, 0.02, hours))
    events = np.convolve(
        (generator.random(hours) < 0.02) * generator.normal(1.5, 0.5, hours), 0.8 ** np.arange(12)
    )
    return (daily * weekend + trend + events[:hours] + generator.normal(0, 0.1, hours)).astype(np.float32)


class Recurrent(nn.Cell):
    """Two LSTM layers over the past (N, past, 3); a dense layer gives the future (N, future)."""

    def __init__(self, width, past, future):
        super().__init__()
        self.lstm = nn.LSTM(3, width, num_layers=2, batch_first=True)
        self.head = nn.Dense(width, future)

    def construct(self, x):
        states, _ = self.lstm(x)
        return self.head(states[:, -1])


class Attentive(nn.Cell):
    """A transformer's encoder over the past (N, past, 3); a dense layer on its mean gives the future (N, future)."""

    def __init__(self, width, past, future):
        super().__init__()
        self.embed = nn.Dense(3, width)
        self.places = Parameter(initializer(Normal(0.02), (past, width)), name="places")
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.head = nn.Dense(width, future)

    def construct(self, x):
        return self.head(self.encoder(self.embed(x) + self.places).mean(axis=1))


def cut_windows(series, begins, past, future):
    """Inputs (N, past, 3): values and the phase of the day; targets (N, future); both relative to the last value (N, 1)."""
    places = begins[:, None] + np.arange(past)
    phase = 2 * np.pi * (places % DAY) / DAY
    last = series[places[:, -1:]]  # the series drifts: what matters is how far from here
    inputs = np.stack([series[places] - last, np.sin(phase), np.cos(phase)], axis=-1)
    return inputs.astype(np.float32), series[begins[:, None] + past + np.arange(future)] - last, last


def plot_forecast(past, truth, forecasts, path):
    """Draw the end of the past, what followed, and what was forecast."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4), constrained_layout=True)
    axes.plot(np.arange(-len(past), 0), past, color="gray", label="past")
    axes.plot(truth, color="black", label="what followed")
    for name, forecast in forecasts.items():
        axes.plot(forecast, label=name, linestyle="--")
    axes.set(xlabel="hours", title="A day ahead")
    axes.legend(loc="upper left", fontsize=8)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def parse_args(argv=None):
    parser = argparse.ArgumentParser(description="Forecast a made series a day ahead.")
    parser.add_argument("--net", choices=["lstm", "transformer"], default="lstm")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--past", type=int, default=WEEK // 2, help="hours that the net sees")
    parser.add_argument("--future", type=int, default=DAY, help="hours that it forecasts")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", default="forecast_series.png", help="where to save the picture")
    return parser.parse_args(argv)


def main(argv=None):
    """Train and draw; returns the mean absolute error on hours never seen, of the net and of each rule."""
    args = parse_args(argv)
    ms.set_seed(args.seed)
    generator = np.random.default_rng(args.seed)
    series = make_series(400 * DAY, args.seed)
    split = 320 * DAY

    make_net = Recurrent if args.net == "lstm" else Attentive
    net = make_net(args.width, args.past, args.future)
    schedule = nn.cosine_decay_lr(1e-5, args.lr, args.steps, 1, args.steps)
    optimizer = nn.Adam(net.trainable_params(), schedule)

    def forward(inputs, targets):
        return ops.l1_loss(net(inputs), targets)

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

    @ms.jit
    def train_step(inputs, targets):
        loss, grads = grad_fn(inputs, targets)
        optimizer(ops.clip_by_global_norm(grads, 1.0))
        return loss

    losses, start = [], time.time()
    for step in range(1, args.steps + 1):
        begins = generator.integers(0, split - args.past - args.future, args.batch_size)
        inputs, targets, _ = cut_windows(series, begins, args.past, args.future)
        losses.append(float(train_step(Tensor(inputs), Tensor(targets))))
        if step % 50 == 0 or step == args.steps:
            print(
                f"step {step:4d}/{args.steps}  loss {np.mean(losses[-50:]):.3f}  {time.time() - start:5.1f} s",
                flush=True,
            )

    begins = np.arange(split, len(series) - args.past - args.future, DAY // 2)
    inputs, targets, last = cut_windows(series, begins, args.past, args.future)
    net.set_train(False)
    now = begins[:, None] + args.past + np.arange(args.future)
    forecasts = {
        args.net: net(Tensor(inputs)).asnumpy(),
        "the week before": series[now - WEEK] - last,
        "the day before": series[now - DAY] - last,
    }
    errors = {name: float(np.abs(forecast - targets).mean()) for name, forecast in forecasts.items()}
    for name, error in errors.items():
        print(f"{name:<16} mean absolute error {error:.3f}")
    example = {name: forecast[5] for name, forecast in forecasts.items()}
    plot_forecast(inputs[5, :, 0], targets[5], example, args.plot)
    print(f"Saved the picture to {args.plot}")
    return errors


if __name__ == "__main__":
    main()
