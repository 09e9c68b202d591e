"""The rarer operators, against what MindSpore prints for the programs in tests/goldens/ops_rare_cases.py.

Those for which MindSpore has no kernel on CPU are compared with PyTorch's numbers or their formulas in NumPy.
"""

import itertools

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, ops
from msjax.core.state import override_state
from msjax.ops.generated import gradients
from msjax.ops.nn.recurrent import gru_layer, lstm_layer
from tests.goldens.replaying import replayed

names, test_as_mindspore = replayed("ops_rare", 5e-5)


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
    close(ms.jit(ms.grad(total))(x), ms.grad(total)(x).asnumpy())
    with pytest.raises(RuntimeError, match="CTCGreedyDecoder"), override_state(specializes=False):
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


# What MindSpore has on Ascend alone is compared with its documented examples and with NumPy.


def test_normalized_sums():
    x = Tensor([[1.0, 2.0, 3.0]] * 2)
    y, mean, scale, total = ops.add_layer_norm(x, x, ops.ones(3), ops.zeros(3), 1e-7)
    close(y, [[-1.2247448, 0, 1.2247448]] * 2)
    close(mean, [[4]] * 2)
    close(scale, [[0.6123724]] * 2)
    close(total, [[2, 4, 6]] * 2)
    found = ops.add_rms_norm(x / 2, x / 2, ops.ones(3))
    close(found[0], [[0.46290997, 0.92581993, 1.3887299]] * 2)
    close(found[1], [[0.46290997]] * 2)
    half = ops.add_rms_norm(x.half(), x.half(), ops.ones(3).half())
    assert [a.dtype for a in half] == [ms.float16, ms.float32, ms.float16]
    weights = Tensor(wave(2, 3))
    by_x = ms.grad(lambda x: (ops.add_layer_norm(x, x, ops.ones(3), ops.zeros(3))[0] * weights).sum())(x)
    by_sum = ms.grad(lambda x: (ops.layer_norm(2 * x, (3,), eps=1e-5) * weights).sum())(x)
    close(by_x, by_sum.asnumpy(), 1e-4)
    with pytest.raises(RuntimeError, match="`add_rms_norm`: argument `x2` must have the shape of x1"):
        ops.add_rms_norm(x, x[0], ops.ones(3))


def test_swiglu():
    x = Tensor([[-0.12, 0.123, 31.122], [2.1223, 4.1212121217, 0.3123]])
    close(ops.swiglu(x, 0), [[-0.11970687, 0.2690224, 9.7194]], 1e-4)
    with pytest.raises(RuntimeError, match="axis of even size"):
        ops.swiglu(x)


@pytest.mark.parametrize("mode", [0, 1])
def test_rotary_position_embedding(mode):
    """Angles of complex numbers add up."""
    x, angle = wave(1, 2, 3, 4), wave(1, 1, 3, 2)
    pairs = (x[..., :2], x[..., 2:]) if mode == 0 else (x[..., ::2], x[..., 1::2])
    turned = (pairs[0] + 1j * pairs[1]) * np.exp(1j * angle)
    both = (turned.real, turned.imag)
    expected = np.concatenate(both, -1) if mode == 0 else np.stack(both, -1).reshape(x.shape)
    wide = np.concatenate((angle, angle), -1) if mode == 0 else np.repeat(angle, 2, -1)
    close(ops.rotary_position_embedding(*map(Tensor, (x, np.cos(wide), np.sin(wide))), mode), expected)


def test_routing():
    tokens = Tensor([[1.0] * 3, [7.0] * 3, [2.0] * 3, [1.0] * 3, [2.0] * 3, [3.0] * 3], ms.bfloat16)
    y, places = ops.moe_token_permute(tokens, Tensor([5, 0, 3, 1, 2, 4], ms.int32))
    assert y.dtype == ms.bfloat16
    assert y.float().asnumpy()[:, 0].tolist() == [7, 1, 2, 2, 3, 1]
    assert places.asnumpy().tolist() == [5, 0, 3, 1, 2, 4]
    x, experts, probs = wave(4, 2), Tensor([[2, 0], [1, 2], [0, 1], [2, 1]]), wave(4, 2)
    y, places = ops.moe_token_permute(Tensor(x), experts)
    assert y.shape == (8, 2)
    close(y[:2], x[[0, 2]])
    close(ops.moe_token_unpermute(y, places, Tensor(probs)), x * probs.sum(1, keepdims=True))
    kept, places = ops.moe_token_permute(Tensor(x), experts, 5)
    assert kept.shape == (5, 2)
    dropped = places.asnumpy().reshape(4, 2) < 5
    close(ops.moe_token_unpermute(kept, places, Tensor(probs)), x * (probs * dropped).sum(1, keepdims=True))
    with pytest.raises(ValueError, match="`moe_token_permute`: argument `padded_mode` must be False"):
        ops.moe_token_permute(Tensor(x), experts, None, True)


def test_gradient_operators_compose():
    x, d = Tensor(wave(4) * 2), Tensor(wave(4) + 2)
    close(gradients.SeluGrad()(d, ops.selu(x)), ms.grad(lambda x: (ops.selu(x) * d).sum())(x).asnumpy())
    close(gradients.GluGrad(0)(d[:2], x), ms.grad(lambda x: (ops.glu(x, 0) * d[:2]).sum())(x).asnumpy())
    silu = gradients.SiLUGrad()
    twice = ms.grad(lambda x: ms.grad(lambda y: ops.silu(y).sum())(x).sum())(x)
    close(ms.grad(lambda x: silu(ops.ones(4), x).sum())(x), twice.asnumpy())
    close(ms.jit(lambda d, x: silu(d, x))(d, x), silu(d, x).asnumpy())


def test_notes_on_primitives():
    product = ops.MatMul()
    assert product.add_prim_attr("one", 1) is product
    product.add_attr("two", 2)
    assert product.get_attr_dict() == {**product.attrs, "two": 2}
    assert "two" not in product.attrs
    product.del_attr("two")
    assert product.get_attr_dict() == product.attrs
    assert product.set_prim_instance_name(instance_name="mine").instance_name == "mine"
    product.set_user_data("key", [1])
    assert product.get_user_data("key") == [1]
    assert product.get_user_data("other") is None
    assert not product.update_parameter
    assert product.add_prim_attr("side_effect_mem", True).update_parameter


def test_a_blank_ends_the_labels_of_ctc():
    """As MindSpore 2.10 on CPU, which gives sequences without labels more than their probability."""
    x = Tensor([[[0.3, 0.6, 0.6], [0.4, 0.3, 0.9]], [[0.9, 0.4, 0.2], [0.9, 0.9, 0.1]]], ms.float32)
    places, times = Tensor([[0, 0], [1, 0], [1, 1]], ms.int64), Tensor([2, 2], ms.int32)
    loss, gradient = ops.CTCLoss()(x, places[:2], Tensor([2, 2], ms.int32), times)
    np.testing.assert_allclose(loss.asnumpy(), [0.79628, 0.5995158], rtol=1e-5)
    first, second = gradient.asnumpy().reshape(2, 6)
    np.testing.assert_allclose(
        first, [0.27029088, 0.36485454, -0.6351454, 0.28140804, 0.25462854, -0.5360366], rtol=1e-5
    )
    np.testing.assert_allclose(
        second, [0.47548494, 0.2883962, 0.04510255, 0.4082751, 0.4082751, 0.02843709], rtol=1e-5
    )
    with pytest.raises(RuntimeError, match="after a blank"):
        ops.CTCLoss()(x, places, Tensor([0, 2, 1], ms.int32), times)


def test_compiled_ctc_refuses_lengths_when_it_runs():
    labels = ms.Tensor([[0, 0]], ms.int64), ms.Tensor([1], ms.int32)
    x = ms.ops.ones((3, 1, 4))
    compiled = ms.jit(lambda x, times: ms.ops.CTCLoss()(x, *labels, times)[0])
    expected = ms.ops.CTCLoss()(x, *labels, ms.Tensor([3], ms.int32))[0]
    np.testing.assert_allclose(compiled(x, ms.Tensor([3], ms.int32)).asnumpy(), expected.asnumpy(), rtol=1e-6)
    for wrong in (4, -1):
        with pytest.raises(RuntimeError, match=r"`CTCLoss`: argument `sequence_length` must be at most 3"):
            compiled(x, ms.Tensor([wrong], ms.int32))


def test_labels_that_are_no_classes():
    log_probs = ms.ops.log_softmax(ms.ops.ones((3, 1, 4)))
    targets, times = ms.Tensor([[1, 7]], ms.int32), ms.Tensor([3], ms.int32)
    with pytest.raises(ValueError, match=r"`ctc_loss`: argument `targets` must hold classes in \[0, 4\)"):
        ms.ops.ctc_loss(log_probs, targets, times, ms.Tensor([2], ms.int32))
    ms.ops.ctc_loss(log_probs, targets, times, ms.Tensor([1], ms.int32))  # the second label is not read
