"""Steps from a template are those of a trace, and where code could ask what a symbol cannot answer, there is none."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import msjax as ms
from msjax import nn, ops
from msjax.core.xla import shape_templates
from msjax.core.xla.numpy_evaluator import Fingerprints
from msjax.core.xla.shape_templates import LEAST, ShapeTemplates

F = np.dtype(np.float32)
I = np.dtype(np.int32)  # noqa: E741


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> list[tuple]:
    """The numbers of traces as they are made; those with symbols hold no ints alone."""
    found: list[tuple] = []
    trace = ShapeTemplates._trace

    def counting(self: ShapeTemplates, flat: Any, *more: Any) -> Any:
        found.append(tuple(flat))
        return trace(self, flat, *more)

    monkeypatch.setattr(ShapeTemplates, "_trace", counting)
    return found


def templates_of(fn: Callable) -> ShapeTemplates:
    return ShapeTemplates(lambda _: fn)


# A function, and the shapes of its arguments for a length.
FUNCTIONS: dict[str, tuple[Callable, Callable[[int], list[tuple]]]] = {
    "elementwise": (lambda x, y: jnp.tanh(x) * y, lambda n: [(2, n), (n,)]),
    "softmax": (lambda x: jax.nn.softmax(x, -1), lambda n: [(3, n, n)]),
    "a mean over the length": (lambda x: x.mean(-1), lambda n: [(2, n)]),
    "a variance": (lambda x: x.var(), lambda n: [(2, n)]),
    "products": (lambda x, w: x @ w.T + x.sum(), lambda n: [(1, n, 64), (32, 64)]),
    "attention": (lambda q, k: jnp.einsum("bqd,bkd->bqk", q, k), lambda n: [(2, n, 24), (2, n, 24)]),
    "one more": (lambda x, y: jnp.concatenate([x, y], 1), lambda n: [(1, n), (1, 1)]),
    "halves": (lambda x: x.reshape(2, -1), lambda n: [(2 * n, 4)]),
    "a triangle": (lambda x: jnp.tril(x), lambda n: [(n, n)]),
    "gradients": (jax.grad(lambda x: (jax.nn.softmax(x, -1) ** 2).mean()), lambda n: [(2, n)]),
    "two lengths": (lambda x, y: x[:, None] * y + x.size, lambda n: [(n,), (n + 20,)]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_template_has_the_steps_of_each_trace(name: str, traced: list[tuple]) -> None:
    fn, shapes = FUNCTIONS[name]
    templates = templates_of(fn)
    for n in range(10, 16):
        key = tuple([(shape, F) for shape in shapes(n)])
        steps = templates.steps((), key)
        prints = Fingerprints()
        flat = [length for shape in shapes(n) for length in shape]
        alone = templates_of(fn)._trace(flat, tuple([(len(shape), F) for shape in shapes(n)]))
        assert prints.of(steps.evaluation) == prints.of(alone.evaluation)
        arrays = [jax.random.normal(jax.random.key(n), shape, F) for shape in shapes(n)]
        np.testing.assert_array_equal(steps.run(arrays), alone.run(arrays))
    # Three lengths, two of which the template is held against, and the template; the others are this test's own.
    assert len(traced) == 3 + 1 + 6


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x * 2 if x.shape[0] < 14 else x * 3,  # JAX cannot tell for all lengths
        lambda x: x * sum(range(x.shape[0])),
        lambda x: x * 2 if isinstance(x.shape[0], int) else x * 3,  # a symbol is none: the traces differ
        lambda x: x * 2 if x.shape[0] % 2 else x * 3,
    ],
)
def test_functions_that_ask_for_more_are_traced_each_time(fn: Callable, traced: list[tuple]) -> None:
    templates = templates_of(fn)
    for n in range(10, 16):
        x = np.ones(n, np.float32)
        np.testing.assert_array_equal(templates.steps((), (((n,), F),)).run([x]), fn(x))
    assert sum(all(type(k) is int for k in flat) for flat in traced) >= 6


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x * 2 if x.shape[0] % 2 == 0 else x * 3,
        lambda x: x * 2 if x.shape[0] // 2 * 2 != x.shape[0] else x * 3,
        lambda x: x * 2 if x.shape[0] == 16 else x * 3,
        lambda x: x * 2 if x.shape[0] in (16, 32) else x * 3,
    ],
)
def test_what_holds_for_some_lengths_alone_is_no_template(fn: Callable) -> None:
    """JAX says that a symbol equals no other number; the first lengths agree with that."""
    templates = templates_of(fn)
    for n in (9, 11, 13, 15, 17, 16, 18, 20, 32):
        x = np.ones(n, np.float32)
        np.testing.assert_array_equal(templates.steps((), (((n,), F),)).run([x]), fn(x))


def test_lengths_that_may_mean_something_else_are_traced(traced: list[tuple]) -> None:
    templates = templates_of(lambda x, y: x + y)
    for n in (10, 11, 12, 13):
        templates.steps((), (((n, 20), F), ((20,), F)))
    del traced[:]
    # Small ones, and one that is equal to another one.
    for n in (1, 2, LEAST - 1, 20):
        x, y = np.ones((n, 20), np.float32), np.arange(20, dtype=np.float32)
        steps = templates.steps((), (((n, 20), F), ((20,), F)))
        np.testing.assert_array_equal(steps.run([x, y]), x + y)
    assert [flat[0] for flat in traced] == [1, 2, LEAST - 1, 20]
    templates.steps((), (((14, 20), F), ((20,), F)))
    assert len(traced) == 4


def test_other_dtypes_and_ranks_are_other_functions() -> None:
    templates = templates_of(lambda x: x / 2)
    for n in range(10, 16):
        for shape, dtype in (((n,), F), ((n,), I), ((2, n), F)):
            x = np.ones(shape, dtype)
            out = templates.steps((), ((shape, dtype),)).run([x])
            assert (out.shape, out.dtype) == (shape, (jnp.ones(shape, dtype) / 2).dtype)


def test_numbers_among_static_arguments(traced: list[tuple]) -> None:
    def make(numbers: tuple[int, ...]) -> Callable:
        return lambda x: jnp.broadcast_to(x, (numbers[0], 3)) + numbers[0]

    templates = ShapeTemplates(make)
    for n in range(10, 16):
        out = templates.steps((n,), (((3,), F),)).run([np.ones(3, np.float32)])
        np.testing.assert_array_equal(out, np.full((n, 3), 1 + n, np.float32))
    assert len(traced) == 3 + 1


def test_too_many_changes_at_once_are_traced() -> None:
    templates = templates_of(lambda x: x + 1)
    for n in range(10, 16):
        x = np.zeros((n, 2 * n, 3 * n), np.float32)
        assert (templates.steps((), ((x.shape, F),)).run([x]) == 1).all()
    assert shape_templates._MOST_SYMBOLS == 2


class Block(nn.Cell):
    """Attention over a text, and a layer."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(11, 16)
        self.norm = nn.LayerNorm((16,))
        self.into, self.out = nn.Dense(16, 48), nn.Dense(16, 11)

    def construct(self, words: ms.Tensor) -> ms.Tensor:
        length = words.shape[1]
        q, k, v = self.into(self.norm(self.table(words))).reshape(1, length, 3, 2, 8).permute(2, 0, 3, 1, 4)
        scores = ops.matmul(q, k.swapaxes(-1, -2))
        scores = scores.masked_fill(ops.tril(ops.ones((length, length))) == 0, float("-inf"))
        mixed = ops.matmul(ops.softmax(scores, -1), v).permute(0, 2, 1, 3).reshape(1, length, 16)
        return self.out(mixed)


def test_a_text_that_grows(traced: list[tuple]) -> None:
    """Values and gradients of every length are those of the compiled net, and hardly anything is traced for it."""
    net, loss_fn = Block(), nn.CrossEntropyLoss()

    def loss(words: ms.Tensor) -> ms.Tensor:
        return loss_fn(net(words)[0], words[0])

    eager = ms.value_and_grad(loss, None, net.trainable_params())
    compiled = ms.jit(ms.value_and_grad(loss, None, net.trainable_params()))
    counts = []
    for length in range(9, 21):
        words = ms.Tensor(np.arange(length)[None] * 7 % 11, ms.int32)
        value, gradients = eager(words)
        counts.append(len(traced))
        if length in (9, 15, 16, 20):  # 16 is also the width, which is not taken for the length
            want, wanted = compiled(words)
            for a, b in zip((value, *gradients), (want, *wanted), strict=True):
                np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-4, atol=2e-6)
    # Of some 60 operators and their derivatives one has no template, or two, as the version of JAX has it.
    assert counts[-1] - counts[-4] <= 6
