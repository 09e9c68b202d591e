"""Train a residual network with Model.train: mixed precision, callbacks, metrics, and resuming where a run ended.

    python resnet_digits.py                      # 12 epochs: 98.9 % of the test digits right
    python resnet_digits.py --epochs 6 && python resnet_digits.py --resume      # the same in two parts

Needs MindSpore, scikit-learn and matplotlib.
"""

import argparse
from pathlib import Path

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Callback, FixedLossScaleManager, Model
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

LOSS_SCALE = (
    1024.0  # small gradients are lost in 16 bits: multiplied on the way back, divided by the optimizer
)


class Residual(nn.Cell):
    """Two convolutions, added to what came in (He and others, "Deep Residual Learning", 2015)."""

    def __init__(self, channels, outputs, stride):
        super().__init__()
        self.layers = nn.SequentialCell(
            nn.Conv2d(channels, outputs, 3, stride=stride, pad_mode="pad", padding=1),
            nn.BatchNorm2d(outputs),
            nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, pad_mode="pad", padding=1),
            nn.BatchNorm2d(outputs),
        )
        self.shortcut = None
        if stride != 1 or channels != outputs:
            self.shortcut = nn.SequentialCell(
                nn.Conv2d(channels, outputs, 1, stride=stride), nn.BatchNorm2d(outputs)
            )

    def construct(self, x):
        before = x if self.shortcut is None else self.shortcut(x)
        return ops.relu(self.layers(x) + before)


class ResNet(nn.Cell):
    """Images (N, 1, H, W) to logits (N, classes): three stages of two blocks."""

    def __init__(self, width=16, classes=10):
        super().__init__()
        self.stem = nn.SequentialCell(
            nn.Conv2d(1, width, 3, pad_mode="pad", padding=1), nn.BatchNorm2d(width), nn.ReLU()
        )
        stages = [(width, width, 1), (width, 2 * width, 2), (2 * width, 4 * width, 2)]
        blocks = []
        for channels, outputs, stride in stages:
            blocks += [Residual(channels, outputs, stride), Residual(outputs, outputs, 1)]
        self.blocks = nn.SequentialCell(*blocks)
        self.head = nn.Dense(4 * width, classes)

    def construct(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


class Progress(Callback):
    """Prints and keeps each epoch's mean loss and test accuracy, and saves what a later run begins with."""

    def __init__(self, model, test_set, checkpoint):
        super().__init__()
        self.model, self.test_set, self.checkpoint = model, test_set, checkpoint
        self.losses, self.accuracies, self.epoch_losses = [], [], []

    def on_train_step_end(self, run_context):
        self.epoch_losses.append(float(run_context.original_args().net_outputs))

    def on_train_epoch_end(self, run_context):
        params = run_context.original_args()
        accuracy = self.model.eval(self.test_set, dataset_sink_mode=False)["accuracy"]
        self.losses += self.epoch_losses
        self.accuracies.append(accuracy)
        print(
            f"epoch {params.cur_epoch_num:2d}  loss {np.mean(self.epoch_losses):.4f}  "
            f"test accuracy {accuracy:.2%}",
            flush=True,
        )
        self.epoch_losses = []
        # The training network holds the net, the optimizer's moments and its step; `epoch` says how far it came.
        ms.save_checkpoint(params.train_network, self.checkpoint, append_dict={"epoch": params.cur_epoch_num})


def create_dataset(images, labels, batch_size, training):
    """Batches of images (N, 1, 8, 8) in [-1, 1] and labels (N,)."""
    columns = {"image": (images[:, None] / 8 - 1).astype(np.float32), "label": labels.astype(np.int32)}
    return ds.NumpySlicesDataset(columns, shuffle=training).batch(batch_size, drop_remainder=training)


def plot_curves(losses, accuracies, path):
    """Draw the loss of each step and the test accuracy after each epoch."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), constrained_layout=True)
    left.semilogy(losses, linewidth=0.8)
    left.set(xlabel="step", ylabel="training loss")
    right.plot(range(1, len(accuracies) + 1), [100 * accuracy for accuracy in accuracies], "o-")
    right.set(xlabel="epoch", ylabel="test accuracy (%)")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def parse_args(argv=None):
    parser = argparse.ArgumentParser(
        description="Train a residual network on handwritten digits with Model.train."
    )
    parser.add_argument("--epochs", type=int, default=12, help="up to which epoch to train")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--amp-level", default="O2", choices=["O0", "O1", "O2", "O3"])
    parser.add_argument("--resume", action="store_true", help="go on where the checkpoint ends")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--checkpoint", type=Path, default=Path("resnet_digits.ckpt"))
    parser.add_argument("--plot", default="resnet_digits.png", help="where to save the picture of the curves")
    return parser.parse_args(argv)


def main(argv=None):
    """Train; returns (losses of all steps, test accuracies of all epochs)."""
    args = parse_args(argv)
    ms.set_seed(args.seed)
    ds.config.set_seed(args.seed)
    digits = load_digits()
    train_images, test_images, train_labels, test_labels = train_test_split(
        digits.images, digits.target, test_size=0.2, stratify=digits.target, random_state=0
    )
    train_set = create_dataset(train_images, train_labels, args.batch_size, training=True)
    test_set = create_dataset(test_images, test_labels, 120, training=False)

    net = ResNet(args.width)
    optimizer = nn.Momentum(net.trainable_params(), args.lr, 0.9, weight_decay=1e-4, loss_scale=LOSS_SCALE)
    model = Model(
        net,
        nn.CrossEntropyLoss(),
        optimizer,
        metrics={"accuracy"},
        amp_level=args.amp_level,
        loss_scale_manager=FixedLossScaleManager(LOSS_SCALE, drop_overflow_update=False),
    )
    done = 0
    if args.resume:
        saved = ms.load_checkpoint(str(args.checkpoint))
        done = int(saved.pop("epoch").asnumpy())
        not_loaded, _ = ms.load_param_into_net(model.train_network, saved)
        if not_loaded:
            raise RuntimeError(f"{args.checkpoint} lacks {not_loaded}.")
        print(f"Going on after epoch {done}")
    progress = Progress(model, test_set, str(args.checkpoint))
    model.train(args.epochs, train_set, callbacks=[progress], dataset_sink_mode=False, initial_epoch=done)
    plot_curves(progress.losses, progress.accuracies, args.plot)
    print(f"Saved the curves to {args.plot}")
    return progress.losses, progress.accuracies


if __name__ == "__main__":
    main()
