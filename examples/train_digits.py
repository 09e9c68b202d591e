"""Train a small convolutional network on scikit-learn's handwritten digits (1797 real images of 8 x 8 pixels).

    python train_digits.py                      # the train step compiled with ms.jit
    python train_digits.py --eager              # the same step, operator by operator
    python train_digits.py --epochs 5 --seed 1 --plot curve.png

Needs MindSpore, scikit-learn and matplotlib.
"""

import argparse
import time

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import amp, nn, ops
from mindspore.common.initializer import HeNormal
from mindspore.dataset import transforms, vision
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


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
    """Draw the loss of every step and the test accuracy after every epoch."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    steps_per_epoch = len(losses) // len(accuracies)
    epoch_ends = np.arange(1, len(accuracies) + 1) * steps_per_epoch
    figure, left = plt.subplots(figsize=(7, 4), constrained_layout=True)
    left.semilogy(np.arange(1, len(losses) + 1), losses, color="tab:blue", linewidth=0.8)
    left.set(xlabel="step", title="Handwritten digits: training loss and test accuracy")
    left.set_ylabel("training loss", color="tab:blue")
    right = left.twinx()
    right.plot(epoch_ends, [100 * a for a in accuracies], "o-", color="tab:orange", markersize=4)
    right.set_ylabel("test accuracy (%)", color="tab:orange")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def parse_args(argv=None):
    parser = argparse.ArgumentParser(description="Train a small CNN on scikit-learn's handwritten digits.")
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

    digits = load_digits()
    split = train_test_split(
        digits.images, digits.target, test_size=0.2, stratify=digits.target, random_state=0
    )
    train_images, test_images, train_labels, test_labels = split
    train_set = create_dataset(Digits(train_images, train_labels), args.batch_size, training=True)
    test_set = create_dataset(Digits(test_images, test_labels), 120, training=False)
    print(
        f"{len(train_labels)} training and {len(test_labels)} test images, "
        f"{train_set.get_dataset_size()} steps per epoch"
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
