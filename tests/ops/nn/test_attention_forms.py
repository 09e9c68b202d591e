"""The forms of fused attention that return what serves MindSpore's own backward pass beside the result."""

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, ops


def _qkv():
    rng = np.random.default_rng(0)
    return [Tensor(rng.standard_normal((1, 2, 3, 4)).astype(np.float32)) for _ in range(3)]


@pytest.mark.parametrize("compiled", [False, True])
def test_both_are_the_function(compiled):
    q, k, v = _qkv()
    hidden = Tensor(np.triu(np.ones((3, 3)), 1).astype(bool))
    shift = Tensor(np.arange(18, dtype=np.float32).reshape(1, 2, 3, 3) / 9)
    with ms.install_as("mindspore"):
        from mindspore.ops.auto_generate import FlashAttentionScore
        from mindspore.ops.operations.nn_ops import FlashAttentionScore as Same

    assert FlashAttentionScore is Same

    def both(q, k, v):
        score = FlashAttentionScore(2, scale_value=0.5, input_layout="BNSD")
        first = score(q, k, v, shift, None, None, hidden)[3]
        given = {"pse": shift, "atten_mask": hidden, "scale": 0.5}
        return first, *(
            ops.speed_fusion_attention(q, k, v, 2, "BNSD", pse_type=kind, **given)[0] for kind in (0, 1)
        )

    scores = q.asnumpy() @ k.asnumpy().swapaxes(-1, -2)
    wanted = []
    for raw in (scores / 2 + shift.asnumpy(), scores / 2 + shift.asnumpy() / 2):
        weights = np.exp(np.where(hidden.asnumpy(), -np.inf, raw))
        wanted.append(weights / weights.sum(-1, keepdims=True) @ v.asnumpy())
    for got, right in zip((ms.jit(both) if compiled else both)(q, k, v), (wanted[0], *wanted), strict=True):
        np.testing.assert_allclose(got.asnumpy(), right, rtol=1e-5, atol=1e-6)


def test_what_is_not_supported_raises():
    q, k, v = _qkv()
    with pytest.raises(ValueError, match="pse_type"):
        ops.speed_fusion_attention(q, k, v, 2, "BNSD", pse_type=2)
    with pytest.raises(ValueError, match="q_start_idx"):
        ops.speed_fusion_attention(q, k, v, 2, "BNSD", q_start_idx=3)


@pytest.mark.parametrize("compiled", [False, True])
def test_attention_of_half_precision(compiled):
    q, k, v = _qkv()
    halves = [x.astype(ms.float16) for x in (q, k, v)]

    def both(q, k, v):
        return ops.flash_attention_score(q, k, v, 2, input_layout="BNSD"), ms.grad(
            lambda q: ops.flash_attention_score(q, k, v, 2, input_layout="BNSD").sum()
        )(q)

    run = ms.jit(both) if compiled else both
    for half, whole in zip(run(*halves), run(q, k, v), strict=True):
        assert half.dtype == ms.float16
        np.testing.assert_allclose(half.asnumpy(), whole.asnumpy(), atol=2e-2)
