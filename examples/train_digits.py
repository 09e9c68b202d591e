"""Train a small convolutional network on handwritten digits: 1797 real images of 8 x 8 pixels, in digits.npz.

    python train_digits.py                      # the train step compiled with ms.jit
    python train_digits.py --eager              # the same step, operator by operator
    python train_digits.py --epochs 5 --seed 1 --plot curve.png

Needs MindSpore and Pillow. README.md says where the digits are from.
"""

import argparse
import time
from pathlib import Path

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import amp, nn, ops
from mindspore.common.initializer import HeNormal
from mindspore.dataset import transforms, vision
from PIL import Image, ImageDraw, ImageFont


class Digits:
    """A random-access source: one (image, label) pair per index."""

    def __init__(self, images, labels):
        self.images = images[..., np.newaxis].astype(
            np.float32
        )  # height, width, channel; grey levels 0 to 16
        self.labels = labels

    def __getitem__(self, index):
        return self.images[index], self.labels[index]

    def __len__(self):
        return len(self.labels)


def create_dataset(source, batch_size, training):
    """Batches of images (N, 1, 8, 8) in [-1, 1] and labels (N,); shuffled and slightly moved about for training."""
    dataset = ds.GeneratorDataset(source, column_names=["image", "label"], shuffle=training)
    image_transforms = [vision.Rescale(1 / 8, -1.0), vision.HWC2CHW()]
    if training:
        image_transforms.insert(0, vision.RandomCrop(8, padding=1))
    dataset = dataset.map(image_transforms, input_columns="image")
    dataset = dataset.map(transforms.TypeCast(ms.int32), input_columns="label")
    return dataset.batch(batch_size, drop_remainder=training)


class DigitNet(nn.Cell):
    """Two convolution blocks and a classifier."""

    def __init__(self, num_classes=10):
        super().__init__()
        self.features = nn.SequentialCell(
            nn.Conv2d(1, 16, 3, pad_mode="same", weight_init=HeNormal()),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, pad_mode="same", weight_init=HeNormal()),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.MaxPool2d(kernel_size=2, stride=2),
        )
        self.flatten = nn.Flatten()
        self.classifier = nn.SequentialCell(
            nn.Dense(32 * 4 * 4, 64, weight_init=HeNormal()),
            nn.ReLU(),
            nn.Dense(64, num_classes),
        )

    def construct(self, x):
        x = self.features(x)
        x = self.flatten(x)
        return self.classifier(x)


def make_train_step(net, loss_fn, optimizer, loss_scaler):
    """A function (images, labels) -> (loss, number of correct answers, whether the gradients were finite)."""

    def forward(images, labels):
        logits = net(images)
        loss = loss_fn(logits, labels)
        return loss_scaler.scale(loss), logits

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)

    def train_step(images, labels):
        (loss, logits), grads = grad_fn(images, labels)
        finite = amp.all_finite(grads)
        optimizer(loss_scaler.unscale(grads))
        correct = ops.equal(logits.argmax(axis=1), labels).astype(ms.float32).sum()
        return loss_scaler.unscale(loss), correct, finite

    return train_step


def train_epoch(train_step, net, batches):
    """One pass over the data; the losses of its steps and the share of right answers on the way."""
    net.set_train(True)
    losses, correct, seen = [], 0.0, 0
    for images, labels in batches:
        loss, right, finite = train_step(images, labels)
        if not finite:
            raise FloatingPointError("The gradients overflowed: try a smaller --loss-scale.")
        losses.append(float(loss))
        correct += float(right)
        seen += len(labels)
    return losses, correct / seen


def evaluate(net, dataset):
    """Share of right answers on a dataset."""
    net.set_train(False)
    correct, seen = 0, 0
    for batch in dataset.create_dict_iterator(num_epochs=1):
        predicted = net(batch["image"]).argmax(axis=1).asnumpy()
        correct += int((predicted == batch["label"].asnumpy()).sum())
        seen += len(predicted)
    return correct / seen


def plot_curve(losses, accuracies, path):
    """Draw the loss of every step (blue, logarithmic) and the test accuracy after every epoch (orange)."""
    x0, x1, y0, y1 = 160, 1500, 850, 100  # twice as large as it is saved, for smooth lines
    blue, orange = "#1f77b4", "#d95f02"
    picture = Image.new("RGB", (1680, 960), "white")
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(34)
    decades = np.arange(np.floor(np.log10(min(losses))), np.floor(np.log10(max(losses))) + 2)
    percents = np.linspace(min(10 * np.floor(10 * min(accuracies)), 90), 100, 6)

    def place(step, value, axis):
        height = (value - axis[0]) / (axis[-1] - axis[0])
        return x0 + (x1 - x0) * step / len(losses), y0 + (y1 - y0) * height

    for decade in decades:
        left, right = place(0, decade, decades), place(len(losses), decade, decades)
        pen.line([left, right], fill="#dddddd", width=2)
        pen.text((left[0] - 14, left[1]), f"{10**decade:g}", blue, font, "rm")
    for percent in percents:
        x, y = place(len(losses), percent, percents)
        pen.text((x + 20, y), f"{percent:.0f} %", orange, font, "lm")
    for step in np.linspace(0, len(losses), 6).astype(int):
        pen.text((place(step, 0, percents)[0], y0 + 14), str(step), "black", font, "mt")
    pen.rectangle([x0, y1, x1, y0], outline="black", width=2)
    pen.line([place(step, np.log10(loss), decades) for step, loss in enumerate(losses, 1)], blue, 3)
    ends = np.linspace(0, len(losses), len(accuracies) + 1)[1:]
    tested = [place(end, 100 * share, percents) for end, share in zip(ends, accuracies, strict=True)]
    pen.line(tested, orange, 4)
    for x, y in tested:
        pen.ellipse([x - 9, y - 9, x + 9, y + 9], orange)
    pen.text((x0, 60), "training loss of each step", blue, font, "lm")
    pen.text((x1, 60), "test accuracy", orange, font, "rm")
    picture.resize((840, 480), Image.Resampling.LANCZOS).save(path)


def parse_args(argv=None):
    parser = argparse.ArgumentParser(description="Train a small CNN on handwritten digits.")
    parser.add_argument("--data", default=Path(__file__).with_name("digits.npz"))
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument(
        "--lr", type=float, default=0.01, help="learning rate at the start (default: %(default)s)"
    )
    parser.add_argument("--loss-scale", type=float, default=1024.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--eager", action="store_true", help="do not compile the train step")
    parser.add_argument("--checkpoint", default="digits.ckpt", help="where to save the trained net")
    parser.add_argument(
        "--plot", default="digits_loss.png", help="where to save the picture of the loss curve"
    )
    return parser.parse_args(argv)


def main(argv=None):
    """Train, save, load again and evaluate; returns (losses of all steps, final test accuracy)."""
    args = parse_args(argv)
    ms.set_seed(args.seed)
    ds.config.set_seed(args.seed)

    with np.load(args.data) as digits:
        train, test = (
            Digits(digits[f"{part}_images"], digits[f"{part}_labels"]) for part in ("train", "test")
        )
    train_set = create_dataset(train, args.batch_size, training=True)
    test_set = create_dataset(test, 120, training=False)
    print(
        f"{len(train)} training and {len(test)} test images, {train_set.get_dataset_size()} steps per epoch"
    )

    net = DigitNet()
    loss_fn = nn.CrossEntropyLoss()
    steps = train_set.get_dataset_size()
    schedule = nn.cosine_decay_lr(0.0, args.lr, args.epochs * steps, steps, args.epochs)
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=schedule, momentum=0.9, weight_decay=1e-4)
    train_step = make_train_step(net, loss_fn, optimizer, amp.StaticLossScaler(args.loss_scale))
    if not args.eager:
        train_step = ms.jit(train_step)

    # One iterator for all epochs: each epoch is shuffled anew. Several iterators under one seed would all be the same.
    batches = train_set.create_tuple_iterator(num_epochs=args.epochs)
    losses, accuracies = [], []
    for epoch in range(1, args.epochs + 1):
        start = time.time()
        epoch_losses, train_accuracy = train_epoch(train_step, net, batches)
        losses += epoch_losses
        accuracies.append(evaluate(net, test_set))
        print(
            f"epoch {epoch:2d}/{args.epochs}  loss {np.mean(epoch_losses):.6f}  "
            f"train accuracy {train_accuracy:6.2%}  test accuracy {accuracies[-1]:6.2%}  "
            f"{time.time() - start:5.2f} s",
            flush=True,
        )

    ms.save_checkpoint(net, args.checkpoint)
    restored = DigitNet()
    not_loaded, _ = ms.load_param_into_net(restored, ms.load_checkpoint(args.checkpoint))
    if not_loaded:
        raise RuntimeError(f"The checkpoint lacks {not_loaded}.")
    accuracy = evaluate(restored, test_set)
    print(f"Test accuracy of the net loaded from {args.checkpoint}: {accuracy:.2%}")

    plot_curve(losses, accuracies, args.plot)
    print(f"Saved the loss curve to {args.plot}")
    return losses, accuracy


if __name__ == "__main__":
    main()
