"""Train a generative adversarial network on handwritten digits.

    python gan_digits.py                         # 60 epochs: a classifier is 72 % sure of what it sees, 8 different digits
    python gan_digits.py --epochs 10 --seed 1

How good the drawn digits are is told by a classifier that was trained on real ones: how sure it is of each (its entropy
low) and how many different digits it sees. Needs MindSpore, scikit-learn and matplotlib.
"""

import argparse
import time

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression


class Generator(nn.Cell):
    """Noise (N, noise) to images (N, 1, 8, 8) in [-1, 1]."""

    def __init__(self, noise, width):
        super().__init__()
        self.width = width
        self.dense = nn.Dense(noise, width * 2 * 2)
        self.layers = nn.SequentialCell(
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2dTranspose(width, width // 2, 4, stride=2, pad_mode="pad", padding=1),
            nn.BatchNorm2d(width // 2),
            nn.ReLU(),
            nn.Conv2dTranspose(width // 2, 1, 4, stride=2, pad_mode="pad", padding=1, has_bias=True),
            nn.Tanh(),
        )

    def construct(self, noise):
        return self.layers(self.dense(noise).reshape((-1, self.width, 2, 2)))


class Discriminator(nn.Cell):
    """Images (N, 1, 8, 8) to the logits of being real (N,)."""

    def __init__(self, width):
        super().__init__()
        self.layers = nn.SequentialCell(
            nn.Conv2d(1, width // 2, 3, stride=2, pad_mode="pad", padding=1, has_bias=True),
            nn.LeakyReLU(0.2),
            nn.Dropout(p=0.3),
            nn.Conv2d(width // 2, width, 3, stride=2, pad_mode="pad", padding=1, has_bias=True),
            nn.LeakyReLU(0.2),
            nn.Dropout(p=0.3),
            nn.Flatten(),
            nn.Dense(width * 2 * 2, 1),
        )

    def construct(self, images):
        return self.layers(images).reshape((-1,))


def make_train_step(generator, discriminator, optimizer, judge_optimizer, noise):
    """A function images -> (loss of the generator, loss of the discriminator), of two compiled halves.

    One compiled function cannot hold both optimizers: MindSpore refuses a graph with two Parameters of one name, and each
    optimizer has its own `global_step`.
    """
    loss_of = nn.BCEWithLogitsLoss()

    def judge(images, drawn):
        real, false = discriminator(images), discriminator(drawn)
        return loss_of(real, ops.full_like(real, 0.9)) + loss_of(false, ops.zeros_like(false))

    def deceive(codes):
        answers = discriminator(generator(codes))
        return loss_of(answers, ops.ones_like(answers))

    judge_and_grad = ms.value_and_grad(judge, None, judge_optimizer.parameters)
    deceive_and_grad = ms.value_and_grad(deceive, None, optimizer.parameters)

    @ms.jit
    def train_discriminator(images):
        codes = ops.standard_normal((images.shape[0], noise))
        judged, grads = judge_and_grad(images, ops.stop_gradient(generator(codes)))
        judge_optimizer(grads)
        return judged

    @ms.jit
    def train_generator(images):
        deceived, grads = deceive_and_grad(ops.standard_normal((images.shape[0], noise)))
        optimizer(grads)
        return deceived

    def train_step(images):
        judged = train_discriminator(images)
        return train_generator(images), judged

    return train_step


def assess(images, classifier):
    """How sure a classifier of real digits is of each image, and the effective number of different digits among them."""
    shares = classifier.predict_proba((images.reshape(-1, 64) + 1) / 2)
    mean = shares.mean(axis=0)
    return shares.max(axis=1).mean(), np.exp(-(mean * np.log(mean + 1e-12)).sum())


def plot_digits(images, path):
    """Draw images in a square."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(8, 8, figsize=(5, 5), constrained_layout=True)
    for axes, image in zip(grid.flat, images, strict=False):
        axes.imshow(image[0], cmap="gray_r", vmin=-1, vmax=1)
        axes.set_axis_off()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def parse_args(argv=None):
    parser = argparse.ArgumentParser(
        description="Train a generative adversarial network on handwritten digits."
    )
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--noise", type=int, default=32)
    parser.add_argument("--width", type=int, default=64, help="channels of the widest layers")
    parser.add_argument("--lr", type=float, default=5e-4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", default="gan_digits.png", help="where to save the picture")
    return parser.parse_args(argv)


def main(argv=None):
    """Train and draw; returns (how sure a classifier is of the drawn digits, how many different ones it sees)."""
    args = parse_args(argv)
    ms.set_seed(args.seed)
    ds.config.set_seed(args.seed)
    digits = load_digits()
    classifier = LogisticRegression(max_iter=200).fit(digits.data / 16, digits.target)
    images = (digits.images[:, None] / 8 - 1).astype(np.float32)
    dataset = ds.NumpySlicesDataset({"image": images}, shuffle=True).batch(
        args.batch_size, drop_remainder=True
    )

    generator, discriminator = Generator(args.noise, args.width), Discriminator(args.width)
    optimizer = nn.Adam(generator.trainable_params(), args.lr, beta1=0.5)
    judge_optimizer = nn.Adam(discriminator.trainable_params(), args.lr, beta1=0.5)
    train_step = make_train_step(generator, discriminator, optimizer, judge_optimizer, args.noise)
    codes = Tensor(np.random.default_rng(args.seed).standard_normal((512, args.noise)), ms.float32)
    batches, start = dataset.create_tuple_iterator(num_epochs=args.epochs), time.time()
    for epoch in range(1, args.epochs + 1):
        generator.set_train(True)
        discriminator.set_train(True)
        losses = [train_step(batch) for (batch,) in batches]
        generator.set_train(False)
        drawn = generator(codes).asnumpy()
        sure, different = assess(drawn, classifier)
        if epoch % 5 == 0 or epoch == args.epochs:
            first, second = (np.mean([float(pair[k]) for pair in losses]) for k in range(2))
            print(
                f"epoch {epoch:2d}/{args.epochs}  generator {first:.3f}  discriminator {second:.3f}  "
                f"classifier sure {sure:.1%} of {different:.1f} different digits  {time.time() - start:5.1f} s",
                flush=True,
            )
    plot_digits(drawn, args.plot)
    print(f"Saved the picture to {args.plot}")
    return sure, different


if __name__ == "__main__":
    main()
