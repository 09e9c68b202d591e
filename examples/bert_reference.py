"""Pretrain a small BERT on the reference that ships with Python, then fine-tune it to tell which page a passage is from.

    python bert_reference.py                     # the right one of 8 pages for 7 of 10 passages
    python bert_reference.py --pretraining 0

Devlin and others, "BERT" (2018), have the method. Needs MindSpore and matplotlib.
"""

import argparse
import re
import time
from collections import Counter
from pydoc_data.topics import topics

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal, initializer

PADDING, UNKNOWN, CLASS, MASK = range(4)
IGNORED = -100


class Layer(nn.Cell):
    """Attention among words and a feed-forward net, each added to what came in and normalized."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.output = nn.Dense(width, 3 * width), nn.Dense(width, width)
        self.feed_forward = nn.SequentialCell(
            nn.Dense(width, 4 * width), nn.GELU(), nn.Dense(4 * width, width)
        )
        self.first_norm, self.second_norm = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.dropout = nn.Dropout(p=0.1)

    def construct(self, x, hidden):
        batch, length, width = x.shape
        qkv = self.qkv(x).reshape((batch, length, 3, self.heads, width // self.heads))
        query, key, value = qkv.transpose((2, 0, 3, 1, 4))
        scores = ops.matmul(query, key.swapaxes(-1, -2)) / (width // self.heads) ** 0.5 + hidden
        mixed = ops.matmul(ops.softmax(scores, axis=-1), value).swapaxes(1, 2).reshape(x.shape)
        x = self.first_norm(x + self.dropout(self.output(mixed)))
        return self.second_norm(x + self.dropout(self.feed_forward(x)))


class Bert(nn.Cell):
    """Words (N, L), the first of them CLASS, to vectors (N, L, width)."""

    def __init__(self, words, width, layers, heads, length):
        super().__init__()
        self.words = nn.Embedding(words, width, embedding_table=Normal(0.02))
        self.places = Parameter(initializer(Normal(0.02), (length, width)), name="places")
        self.norm = nn.LayerNorm((width,))
        self.layers = nn.CellList([Layer(width, heads) for _ in range(layers)])

    def construct(self, tokens):
        hidden = (tokens == PADDING).astype(ms.float32)[:, None, None] * -1e9
        x = self.norm(self.words(tokens) + self.places)
        for layer in self.layers:
            x = layer(x, hidden)
        return x


class Pretraining(nn.Cell):
    """The logits of the word at each place, with the table of words as the last layer's weight."""

    def __init__(self, bert):
        super().__init__()
        self.bert = bert

    def construct(self, tokens):
        return ops.matmul(self.bert(tokens), self.bert.words.embedding_table.T)


class Classifier(nn.Cell):
    """The logits of the page, from the mean of the words' vectors."""

    def __init__(self, bert, width, classes):
        super().__init__()
        self.bert = bert
        self.head = nn.SequentialCell(nn.Dropout(p=0.1), nn.Dense(width, classes))

    def construct(self, tokens):
        there = (tokens != PADDING).astype(ms.float32)[:, :, None]
        return self.head((self.bert(tokens) * there).sum(axis=1) / there.sum(axis=1))


def read_passages(length, pages):
    """Passages of the reference as words (N, length), the number of the page of each, -1 outside of the longest ones."""
    text_of = {name: re.findall(r"[a-z]+|[^a-z\\s]", text.lower()) for name, text in topics.items()}
    counts = Counter(word for words in text_of.values() for word in words)
    number_of = {word: number for number, (word, _) in enumerate(counts.most_common(3000), start=4)}
    longest = sorted(text_of, key=lambda name: -len(text_of[name]))[:pages]
    passages, labels = [], []
    for name in sorted(text_of):
        words = [number_of.get(word, UNKNOWN) for word in text_of[name]]
        for begin in range(0, len(words), length - 1):
            passage = [CLASS, *words[begin : begin + length - 1]]
            passages.append(passage + [PADDING] * (length - len(passage)))
            labels.append(longest.index(name) if name in longest else -1)
    return np.array(passages, np.int32), np.array(labels, np.int32), len(number_of) + 4


def hide_words(tokens, words, generator):
    """Hide 15 % of the words: 8 of 10 become MASK, one another word; targets are IGNORED elsewhere."""
    chosen = (generator.random(tokens.shape) < 0.15) & (tokens > MASK)
    fate = generator.random(tokens.shape)
    shown = np.where(chosen & (fate < 0.8), MASK, tokens)
    shown = np.where(chosen & (fate > 0.9), generator.integers(4, words, tokens.shape), shown)
    return shown.astype(np.int32), np.where(chosen, tokens, IGNORED).astype(np.int32)


def make_train_step(net, rate, steps):
    """A compiled function (tokens, targets) -> loss."""
    warm = max(steps // 10, 1)
    schedule = (
        nn.warmup_lr(rate, warm, 1, warm)
        + nn.polynomial_decay_lr(rate, rate / 50, steps, 1, steps, 1.0)[warm:]
    )
    optimizer = nn.AdamWeightDecay(net.trainable_params(), schedule, weight_decay=0.01)

    def forward(tokens, targets):
        logits = net(tokens)
        return ops.cross_entropy(
            logits.reshape((-1, logits.shape[-1])), targets.reshape((-1,)), ignore_index=IGNORED
        )

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

    @ms.jit
    def train_step(tokens, targets):
        loss, grads = grad_fn(tokens, targets)
        optimizer(ops.clip_by_global_norm(grads, 1.0))
        return loss

    return train_step


def train(net, batches, rate, steps, name):
    """Train on `steps` batches; returns the losses."""
    net.set_train(True)
    train_step, losses, start = make_train_step(net, rate, steps), [], time.time()
    for step in range(1, steps + 1):
        losses.append(float(train_step(*map(Tensor, next(batches)))))
        if step % 50 == 0 or step == steps:
            print(
                f"{name} {step:4d}/{steps}  loss {np.mean(losses[-50:]):.3f}  {time.time() - start:6.1f} s",
                flush=True,
            )
    net.set_train(False)
    return losses


def plot_losses(losses, path):
    """Draw the losses of both parts."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, row = plt.subplots(1, 2, figsize=(9, 3.5), constrained_layout=True)
    for axes, (name, values) in zip(row, losses.items(), strict=True):
        axes.plot(values, linewidth=0.8)
        axes.set(title=name, xlabel="step", ylabel="loss (nats)")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def parse_args(argv=None):
    parser = argparse.ArgumentParser(description="Pretrain and fine-tune a small BERT.")
    parser.add_argument("--pretraining", type=int, default=800, help="steps")
    parser.add_argument("--fine-tuning", type=int, default=200, help="steps")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--length", type=int, default=48, help="words of a passage")
    parser.add_argument("--width", type=int, default=96)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--pages", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--plot", default="bert_reference.png", help="where to save the picture of the losses"
    )
    return parser.parse_args(argv)


def main(argv=None):
    """Train twice; returns the share of passages that were never seen with their labels and put on the right page."""
    args = parse_args(argv)
    ms.set_seed(args.seed)
    generator = np.random.default_rng(args.seed)
    passages, labels, words = read_passages(args.length, args.pages)
    labelled = generator.permutation(np.flatnonzero(labels >= 0))
    known, unknown = np.split(labelled, [len(labelled) // 2])
    print(f"{len(passages)} passages, {words} words; {len(known)} passages with labels to learn from")

    def draw_hidden():
        while True:
            yield hide_words(
                passages[generator.integers(0, len(passages), args.batch_size)], words, generator
            )

    def draw_labelled():
        while True:
            chosen = generator.choice(known, args.batch_size)
            yield passages[chosen], labels[chosen]

    bert = Bert(words, args.width, args.layers, args.heads, args.length)
    losses = {"pretraining": [], "fine-tuning": []}
    if args.pretraining:
        losses["pretraining"] = train(Pretraining(bert), draw_hidden(), 5e-4, args.pretraining, "pretraining")
    classifier = Classifier(bert, args.width, args.pages)
    losses["fine-tuning"] = train(classifier, draw_labelled(), 1e-3, args.fine_tuning, "fine-tuning")
    right = classifier(Tensor(passages[unknown])).argmax(axis=1).asnumpy() == labels[unknown]
    print(f"the right page for {right.mean():.1%} of {len(right)} passages")
    plot_losses(losses, args.plot)
    print(f"Saved the picture to {args.plot}")
    return float(right.mean())


if __name__ == "__main__":
    main()
