"""Train a vision transformer on handwritten digits: patches, attention, a class token.

    python vit_digits.py                         # 40 epochs: 93 % of the test digits right
    python vit_digits.py --layers 6 --width 96 --plot attention.png

The picture shows where the class token looks. Needs MindSpore, scikit-learn and matplotlib.
"""

import argparse
import time

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import TruncatedNormal, initializer
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


class Encoder(nn.Cell):
    """Self-attention and a feed-forward net, normalized first; also gives the attention (N, heads, L, L)."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.CellList([nn.LayerNorm((width,)), nn.LayerNorm((width,))])
        self.qkv, self.output = nn.Dense(width, 3 * width), nn.Dense(width, width)
        self.feed_forward = nn.SequentialCell(
            nn.Dense(width, 2 * width),
            nn.GELU(approximate=False),
            nn.Dropout(p=0.1),
            nn.Dense(2 * width, width),
        )

    def construct(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(self.norms[0](x)).reshape((batch, length, 3, self.heads, width // self.heads))
        query, key, value = qkv.transpose((2, 0, 3, 1, 4))
        weights = ops.softmax(ops.matmul(query, key.swapaxes(2, 3)) / (width // self.heads) ** 0.5)
        mixed = ops.matmul(weights, value).transpose((0, 2, 1, 3)).reshape(x.shape)
        x = x + self.output(mixed)
        return x + self.feed_forward(self.norms[1](x)), weights


class ViT(nn.Cell):
    """Images (N, 1, 8, 8) to logits (N, classes) (Dosovitskiy and others, 2020)."""

    def __init__(self, patch, width, layers, heads, classes=10):
        super().__init__()
        self.patches = nn.Conv2d(1, width, patch, stride=patch, pad_mode="valid", has_bias=True)
        places = (8 // patch) ** 2 + 1
        self.class_token = Parameter(initializer(TruncatedNormal(0.02), (1, 1, width)), name="class_token")
        self.places = Parameter(initializer(TruncatedNormal(0.02), (1, places, width)), name="places")
        self.encoders = nn.CellList([Encoder(width, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm((width,))
        self.head = nn.Dense(width, classes)

    def construct(self, images):
        x = self.patches(images)
        x = x.reshape((*x.shape[:2], -1)).swapaxes(1, 2)
        x = ops.cat((self.class_token.broadcast_to((x.shape[0], 1, x.shape[2])), x), axis=1) + self.places
        weights = None
        for encoder in self.encoders:
            x, weights = encoder(x)
        return self.head(self.norm(x[:, 0])), weights


def create_dataset(images, labels, batch_size, training):
    """Batches of images (N, 1, 8, 8) in [-1, 1], in training moved about by a pixel, and labels (N,)."""
    columns = {"image": (images[..., None] / 8 - 1).astype(np.float32), "label": labels.astype(np.int32)}
    dataset = ds.NumpySlicesDataset(columns, shuffle=training)
    moves = [ds.vision.RandomCrop(8, padding=1)] if training else []
    dataset = dataset.map([*moves, ds.vision.HWC2CHW()], input_columns="image")
    return dataset.batch(batch_size, drop_remainder=training)


def plot_attention(images, weights, path):
    """Draw images and, below them, how much the class token attends to each patch in the last layer."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    count = len(images)
    seen = weights.mean(axis=1)[:, 0, 1:]
    side = int(seen.shape[1] ** 0.5)
    figure, rows = plt.subplots(2, count, figsize=(count * 0.8, 1.8), constrained_layout=True)
    for column in range(count):
        rows[0, column].imshow(images[column, 0], cmap="gray_r")
        rows[1, column].imshow(seen[column].reshape(side, side), cmap="viridis")
    for axes in rows.flat:
        axes.set(xticks=[], yticks=[])
    figure.savefig(path, dpi=120)
    plt.close(figure)


def parse_args(argv=None):
    parser = argparse.ArgumentParser(description="Train a vision transformer on handwritten digits.")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--patch", type=int, default=2, choices=[1, 2, 4])
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", default="vit_digits.png", help="where to save the picture of the attention")
    return parser.parse_args(argv)


def main(argv=None):
    """Train and draw; returns (mean losses of the epochs, final test accuracy)."""
    args = parse_args(argv)
    ms.set_seed(args.seed)
    ds.config.set_seed(args.seed)
    digits = load_digits()
    train_images, test_images, train_labels, test_labels = train_test_split(
        digits.images, digits.target, test_size=0.2, stratify=digits.target, random_state=0
    )
    train_set = create_dataset(train_images, train_labels, args.batch_size, training=True)
    (test_images, test_labels), *_ = create_dataset(test_images, test_labels, 360, training=False)

    net = ViT(args.patch, args.width, args.layers, args.heads)
    steps = train_set.get_dataset_size()
    total, warm = args.epochs * steps, args.epochs * steps // 10
    # AdamWeightDecay does not correct its moments, so its first steps are its longest: the rate begins small.
    schedule = nn.warmup_lr(args.lr, warm, 1, warm) + nn.cosine_decay_lr(0.0, args.lr, total, 1, total)[warm:]
    optimizer = nn.AdamWeightDecay(net.trainable_params(), schedule, weight_decay=0.05)
    loss_of = nn.CrossEntropyLoss(label_smoothing=0.1)

    def forward(images, labels):
        return loss_of(net(images)[0], labels)

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

    @ms.jit
    def train_step(images, labels):
        loss, grads = grad_fn(images, labels)
        optimizer(grads)
        return loss

    @ms.jit
    def count_right(images, labels):
        return (net(images)[0].argmax(axis=1) == labels).sum()

    batches, losses, accuracy, start = (
        train_set.create_tuple_iterator(num_epochs=args.epochs),
        [],
        0.0,
        time.time(),
    )
    for epoch in range(1, args.epochs + 1):
        net.set_train(True)
        losses.append(float(ops.stack([train_step(*batch) for batch in batches]).mean()))
        net.set_train(False)
        accuracy = int(count_right(test_images, test_labels)) / len(test_labels)
        if epoch % 5 == 0 or epoch == args.epochs:
            print(
                f"epoch {epoch:2d}/{args.epochs}  loss {losses[-1]:.4f}  test accuracy {accuracy:.2%}  "
                f"{time.time() - start:5.1f} s",
                flush=True,
            )
    shown = test_images[:12]
    plot_attention(shown.asnumpy(), net(Tensor(shown))[1].asnumpy(), args.plot)
    print(f"Saved the picture to {args.plot}")
    return losses, accuracy


if __name__ == "__main__":
    main()
