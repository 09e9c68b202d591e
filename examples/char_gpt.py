"""Train a small GPT on the language reference that ships with Python, and let it write.

It reads and writes letters, and the most common words as one token each.

    python char_gpt.py                           # 600 steps: 1.03 nats a letter of text it has not seen, and a text
    python char_gpt.py --words 0 --steps 2000    # letters only
    python char_gpt.py --text mine.txt --prompt "The "

Needs MindSpore and matplotlib.
"""

import argparse
import re
import time
from collections import Counter
from pathlib import Path
from pydoc_data.topics import topics

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal


class Block(nn.Cell):
    """Attention to earlier tokens and a feed-forward net, each normalized first and added to what came in."""

    def __init__(self, width, heads, length):
        super().__init__()
        self.heads = heads
        self.first_norm, self.second_norm = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.qkv = nn.Dense(width, 3 * width, weight_init=Normal(0.02))
        self.output = nn.Dense(width, width, weight_init=Normal(0.02))
        self.feed_forward = nn.SequentialCell(
            nn.Dense(width, 4 * width, weight_init=Normal(0.02)),
            nn.GELU(),
            nn.Dense(4 * width, width, weight_init=Normal(0.02)),
        )
        self.mask = Tensor(np.triu(np.full((length, length), -1e9, np.float32), 1))

    def attend(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(x).reshape((batch, length, 3, self.heads, width // self.heads))
        query, key, value = qkv.transpose((2, 0, 3, 1, 4))
        scores = ops.matmul(query, key.swapaxes(-1, -2)) / (width // self.heads) ** 0.5
        weights = ops.softmax(scores + self.mask[:length, :length], axis=-1)
        return self.output(ops.matmul(weights, value).swapaxes(1, 2).reshape((batch, length, width)))

    def construct(self, x):
        x = x + self.attend(self.first_norm(x))
        return x + self.feed_forward(self.second_norm(x))


class GPT(nn.Cell):
    """Tokens (N, L) to the logits of the token that follows each of them (N, L, V)."""

    def __init__(self, vocabulary, width, layers, heads, length):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width, embedding_table=Normal(0.02))
        self.places = Parameter(
            ms.common.initializer.initializer(Normal(0.02), (length, width)), name="places"
        )
        self.blocks = nn.SequentialCell(*(Block(width, heads, length) for _ in range(layers)))
        self.norm = nn.LayerNorm((width,))
        self.head = nn.Dense(width, vocabulary, has_bias=False, weight_init=Normal(0.02))

    def construct(self, tokens):
        x = self.tokens(tokens) + self.places[: tokens.shape[1]]
        return self.head(self.norm(self.blocks(x)))


class Tokenizer:
    """Text to numbers and back: the `words` most common words, with the space before them, and all letters."""

    def __init__(self, text, words):
        common = Counter(piece for piece in self.split(text) if len(piece) > 1).most_common(words)
        self.tokens = sorted(set(text)) + [piece for piece, _ in common]
        self.numbers = {token: number for number, token in enumerate(self.tokens)}

    def split(self, text):
        return re.findall(r" ?[^\W_]+|\s+|.", text)

    def encode(self, text):
        pieces = ([piece] if piece in self.numbers else piece for piece in self.split(text))
        return np.array([self.numbers[token] for piece in pieces for token in piece], np.int32)

    def decode(self, numbers):
        return "".join(self.tokens[number] for number in numbers)


def make_steps(net, optimizer):
    """Compiled functions (tokens, following tokens) -> loss in nats a token; the second changes the net."""

    @ms.jit
    def loss_of(tokens, targets):
        logits = net(tokens)
        return ops.cross_entropy(logits.reshape((-1, logits.shape[-1])), targets.reshape((-1,)))

    grad_fn = ms.value_and_grad(loss_of, None, optimizer.parameters)

    @ms.jit
    def train_step(tokens, targets):
        loss, grads = grad_fn(tokens, targets)
        optimizer(ops.clip_by_global_norm(grads, 1.0))
        return loss

    return loss_of, train_step


def write(net, prompt, count, length, temperature, generator):
    """Continue a prompt by `count` tokens; the net always sees `length` of them, so one program serves all."""

    @ms.jit
    def next_logits(tokens, last):
        return net(tokens)[0, last]

    tokens = list(prompt)
    for _ in range(count):
        window = tokens[-length:]
        last = len(window) - 1  # what follows is padding, which earlier tokens do not see
        padded = Tensor(np.array([window + [0] * (length - len(window))], np.int32))
        logits = next_logits(padded, Tensor(last, ms.int32)).asnumpy() / temperature
        weights = np.exp(logits - logits.max())
        tokens.append(int(generator.choice(len(weights), p=weights / weights.sum())))
    return tokens


def plot_losses(losses, path):
    """Draw the loss of every step."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4), constrained_layout=True)
    axes.plot(np.arange(1, len(losses) + 1), losses, linewidth=0.8)
    axes.set(xlabel="step", ylabel="loss (nats a letter)", title="A GPT of letters and common words")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def parse_args(argv=None):
    parser = argparse.ArgumentParser(description="Train a GPT of letters and common words, and let it write.")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--length", type=int, default=96, help="tokens that the net sees at once")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--text", type=Path, help="a file to learn from instead of Python's reference")
    parser.add_argument("--prompt", default="The value of")
    parser.add_argument("--words", type=int, default=2000, help="how many words are one token each")
    parser.add_argument("--tokens", type=int, default=150, help="how many to write")
    parser.add_argument("--temperature", type=float, default=0.7)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--plot", default="char_gpt_loss.png", help="where to save the picture of the loss curve"
    )
    return parser.parse_args(argv)


def main(argv=None):
    """Train and write; returns (losses of all steps, the loss on text kept aside, what was written)."""
    args = parse_args(argv)
    ms.set_seed(args.seed)
    generator = np.random.default_rng(args.seed)
    text = args.text.read_text() if args.text else "\n".join(topics[name] for name in sorted(topics))
    tokenizer = Tokenizer(text + args.prompt, args.words)
    tokens = tokenizer.encode(text)
    letters = len(text) / len(tokens)  # of a token, on average
    train, test = np.split(tokens, [len(tokens) * 9 // 10])
    print(f"{len(tokens)} tokens of {letters:.2f} letters, {len(tokenizer.tokens)} different ones")

    net = GPT(len(tokenizer.tokens), args.width, args.layers, args.heads, args.length)
    # AdamWeightDecay does not correct its moments, so its first steps are its longest: the rate begins small.
    warm = max(1, args.steps // 10)
    schedule = nn.warmup_lr(args.lr, warm, 1, warm)
    schedule += nn.cosine_decay_lr(args.lr / 20, args.lr, args.steps, 1, args.steps)[warm:]
    optimizer = nn.AdamWeightDecay(net.trainable_params(), schedule, beta2=0.99, weight_decay=0.01)
    loss_of, train_step = make_steps(net, optimizer)

    def take(tokens, begins):
        windows = tokens[begins[:, None] + np.arange(args.length + 1)]
        return Tensor(windows[:, :-1]), Tensor(windows[:, 1:])

    losses, start = [], time.time()
    for step in range(1, args.steps + 1):
        begins = generator.integers(0, len(train) - args.length - 1, args.batch_size)
        losses.append(float(train_step(*take(train, begins))) / letters)
        if step % 50 == 0 or step == args.steps:
            print(
                f"step {step:4d}/{args.steps}  loss {np.mean(losses[-50:]):.3f}  {time.time() - start:6.1f} s",
                flush=True,
            )
    begins = np.arange(0, len(test) - args.length - 1, args.length)
    begins = begins[: len(begins) // args.batch_size * args.batch_size].reshape(-1, args.batch_size)
    test_loss = np.mean([float(loss_of(*take(test, some))) for some in begins]) / letters
    print(f"{test_loss:.3f} nats a letter of the last tenth of the text, which was not learnt from")

    written = write(net, tokenizer.encode(args.prompt), args.tokens, args.length, args.temperature, generator)
    result = tokenizer.decode(written)
    print(f"\n{result}\n")
    plot_losses(losses, args.plot)
    print(f"Saved the loss curve to {args.plot}")
    return losses, test_loss, result


if __name__ == "__main__":
    main()
