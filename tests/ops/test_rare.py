"""The rarer operators, against what MindSpore prints for the programs in tests/goldens/ops_rare_cases.py.

Those for which MindSpore has no kernel on CPU are compared with PyTorch's numbers or their formulas in NumPy.
"""

import importlib
import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, ops
from msjax.ops.recurrent import gru_layer, lstm_layer
from tests.goldens.snippets import run, same

GOLDEN = json.loads((Path(__file__).parents[1] / "goldens" / "ops_rare.json").read_text())


@pytest.fixture(scope="module")
def names():
    with ms.install_as("mindspore"):
        return importlib.import_module("tests.goldens.ops_rare_prelude").NAMES


@pytest.mark.parametrize("name", GOLDEN)
def test_as_mindspore(name, names):
    expected = GOLDEN[name]
    with ms.install_as("mindspore"):
        found = run(expected["source"], name, names)
    assert expected.get("raises") in (None, *found.get("kinds", ())), found
    if "raises" in found and "raises" not in expected:
        pytest.fail(f"{expected['source']}\n{found['traceback']}", pytrace=False)
    assert same(expected["prints"], found["prints"], 5e-5), f"{expected['prints']}---\n{found['prints']}"


def wave(*shape):
    return np.sin(np.arange(np.prod(shape))).reshape(shape).astype(np.float32)


def close(found, expected, tolerance=1e-5):
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=tolerance, atol=tolerance)


def test_ctc_compiled():
    labels, times, lengths = (ms.Tensor(a) for a in ([[1, 2, 2], [3, 1, 3]], [5, 4], [3, 1]))
    places, values = ms.Tensor([[0, 0], [1, 0]], ms.int64), ms.Tensor([1, 2], ms.int32)

    def total(x):
        by_class = ops.CTCLoss()(x, places, values, times.astype(ms.int32))[0].sum()
        return ops.ctc_loss(ops.log_softmax(x), labels, times, lengths)[0] + by_class

    x = Tensor(wave(5, 2, 4))
    close(ms.jit(total)(x), total(x).asnumpy())
    close(ms.jit(ms.grad(total))(x), ms.grad(total)(x).asnumpy())
    with pytest.raises(RuntimeError, match="CTCGreedyDecoder"):
        ms.jit(lambda x: ops.ctc_greedy_decoder(x, times.astype(ms.int32))[1])(x)


def test_fractional_pooling_draws():
    ms.set_seed(1)
    x = Tensor(wave(2, 3, 9, 9))
    pool = ms.jit(lambda x: ops.fractional_max_pool2d(x, 2, 4, return_indices=True))
    y, at = pool(x)
    close(
        y,
        np.take_along_axis(x.asnumpy().reshape(2, 3, -1), at.asnumpy().reshape(2, 3, -1), 2).reshape(y.shape),
    )
    image = Tensor(wave(2, 9, 9, 3))
    tiled = ops.FractionalMaxPool([1.0, 1.4, 1.7, 1.0], deterministic=True, seed=2)
    y, rows, columns = tiled(image)
    parts = [(r, c) for r in itertools.pairwise(rows) for c in itertools.pairwise(columns)]
    expected = [image.asnumpy()[:, int(a) : int(b), int(c) : int(d)].max((1, 2)) for (a, b), (c, d) in parts]
    close(y.reshape(2, -1, 3), np.stack(expected, 1))
    close(tiled(image)[1], rows.asnumpy())


def test_dynamic_rnn():
    """MindSpore has it on Ascend alone; the layer of `nn` has other orders of gates."""
    x, h, c, w, b = wave(3, 2, 4), wave(1, 2, 2), wave(1, 2, 2), wave(6, 8), wave(8)
    found = ops.DynamicRNN(forget_bias=0.5)(*map(Tensor, (x, w, b)), None, Tensor(h), Tensor(c))
    i, j, f, o = np.split(w, 4, 1)
    bi, bj, bf, bo = np.split(b, 4)
    order = np.concatenate((i, f, j, o), 1).T
    biases = np.concatenate((bi, bf + 0.5, bj, bo))
    y, last, cell = lstm_layer(*map(Tensor, (x, h[0], c[0], order[:, :4], order[:, 4:], biases)))
    close(found[0], y.asnumpy())
    close(found[1][-1], last.asnumpy())
    close(found[2][-1], cell.asnumpy())
    close(found[6] * found[7], y.asnumpy())
    half = [Tensor(a).astype(ms.float16) for a in (x, w, h, c)]
    mixed = ops.DynamicRNN()(*half[:2], Tensor(b), None, *half[2:])
    assert [y.dtype for y in mixed] == [ms.float32, ms.float16, *[ms.float32] * 6]
    with pytest.raises(ValueError, match="`DynamicRNN`: argument `direction` must be 'UNIDIRECTIONAL'"):
        ops.DynamicRNN(direction="BIDIRECTIONAL")(*map(Tensor, (x, w, b)), None, Tensor(h), Tensor(c))


def test_dynamic_gru():
    """MindSpore has it on Ascend alone."""
    x, h, w, u, b, d = wave(3, 2, 4), wave(2, 2), wave(4, 6), wave(2, 6) * 0.7, wave(6), wave(6) * 0.3
    found = ops.DynamicGRUV2()(*map(Tensor, (x, w, u, b, d)), None, Tensor(h))
    y, last = gru_layer(*map(Tensor, (x, h, w.T.copy(), u.T.copy(), b, d)))
    close(found[0], y.asnumpy())
    close(found[1][-1], last.asnumpy())
    swapped = [np.concatenate((a[..., 2:4], a[..., :2], a[..., 4:]), -1) for a in (w, u, b, d)]
    again = ops.DynamicGRUV2(gate_order="zrh")(Tensor(x), *map(Tensor, swapped), None, Tensor(h))
    close(again[0], y.asnumpy())
    before = ops.DynamicGRUV2(reset_after=False)(*map(Tensor, (x, w, u)), None, None, None, Tensor(h))
    r = before[3][0].asnumpy()
    close(before[5][0], (r * h) @ u[:, 4:])


def test_rnnt_loss():
    """MindSpore has it on Ascend alone: against the sum over the alignments."""
    acts, labels = wave(1, 3, 3, 4), [2, 1]
    p = np.exp(acts[0]) / np.exp(acts[0]).sum(-1, keepdims=True)
    total = 0.0
    for order in set(itertools.permutations("bbll")):
        t, u, one = 0, 0, 1.0
        for move in (*order, "b"):
            one *= p[t, u, 0] if move == "b" else p[t, u, labels[u]]
            t, u = (t + 1, u) if move == "b" else (t, u + 1)
        total += one
    rest = Tensor([labels], ms.int32), Tensor([3], ms.int32), Tensor([2], ms.int32)
    loss, gradient = ops.RNNTLoss()(Tensor(acts), *rest)
    close(loss, [-np.log(total)])
    close(ms.grad(lambda x: 2 * ops.RNNTLoss()(x, *rest)[0].sum())(Tensor(acts)), 2 * gradient.asnumpy())
    close(gradient.sum(-1), np.zeros((1, 3, 3)))


def test_multilabel_margin_loss():
    """MindSpore's documented example; it has no kernel on CPU."""
    x = Tensor(np.array([[0.1, 0.2, 0.4, 0.8], [0.2, 0.3, 0.5, 0.7]], np.float32))
    loss, named = ops.MultilabelMarginLoss()(x, Tensor([[1, 2, 0, 3], [2, 3, -1, 1]], ms.int32))
    close(loss, 0.325)
    assert named.dtype == ms.int32
    assert named.asnumpy().tolist() == [[1, 1, 1, 1], [0, 0, 1, 1]]


def test_log_softmax_ext():
    x = wave(2, 3)
    close(ops.LogSoftmaxExt()(Tensor(x), 1), x - np.log(np.exp(x).sum(1, keepdims=True)))
    assert ops.LogSoftmaxExt()(Tensor(x), 0, ms.float64).dtype == ms.float64
