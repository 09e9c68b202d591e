"""`torch.nn.attention.flex_attention` against the attention that it generalizes; numbers of blocks are PyTorch 2.13's."""

import numpy as np
import pytest

from msjax import torch
from msjax.public_api import torch_api
from msjax.torch.nn import flex_attention as flex

# Rows that differ much: gradients of scores cancel where keys are alike, and what is left is rounding.
Q, K, V = (torch.sin(torch.arange(2 * 4 * 6 * 8.0) * (1.3 + i)).reshape(2, 4, 6, 8) for i in range(3))


def causal(b, h, q, k):
    return q >= k


def near(found, expected):
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), 1e-5, 1e-6)


MASK = torch.ones(6, 6, dtype=torch.bool).tril()
BIAS = torch.linspace(-1, 1, 6)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {}),
        ({"scale": 0.3}, {"scale": 0.3}),
        ({"mask": causal}, {"attn_mask": MASK}),
        ({"score_mod": lambda s, b, h, q, k: s + BIAS[k]}, {"attn_mask": BIAS.expand(6, 6)}),
        (
            {"mask": causal, "score_mod": lambda s, b, h, q, k: torch.where(q - k > 1, -float("inf"), s)},
            {"attn_mask": MASK.triu(-1)},
        ),
    ],
)
def test_values_and_gradients(options, expected):
    options = dict(options)
    mask = options.pop("mask", None)
    blocks = None if mask is None else flex.create_block_mask(mask, None, None, 6, 6)
    results = []
    for attend in (
        lambda *x: flex.flex_attention(*x, block_mask=blocks, **options),
        lambda *x: torch.nn.functional.scaled_dot_product_attention(*x, **expected),
    ):
        inputs = [x.clone().requires_grad_() for x in (Q, K, V)]
        out = attend(*inputs)
        out.square().sum().backward()
        results.append([out, *(x.grad for x in inputs)])
    for found, wanted in zip(*results, strict=True):
        near(found, wanted)


def test_heads_may_share_keys():
    expected = flex.flex_attention(Q, K[:, :2].repeat_interleave(2, 1), V[:, :2].repeat_interleave(2, 1))
    near(flex.flex_attention(Q, K[:, :2], V[:, :2], enable_gqa=True), expected)


def test_the_log_sum_exp():
    _, found = flex.flex_attention(Q, K, V, return_lse=True)
    near(found, torch.logsumexp(Q @ K.transpose(-2, -1) * 8**-0.5, -1))


def test_a_query_that_sees_nothing_gets_zeros():
    x = Q.clone().requires_grad_()
    blocks = flex.create_block_mask(lambda b, h, q, k: q > k, None, None, 6, 6)
    out = flex.flex_attention(x, K, V, block_mask=blocks)
    out.sum().backward()
    assert out[:, :, 0].tolist() == [[[0.0] * 8] * 4] * 2
    assert bool(torch.isfinite(x.grad).all())


def test_masks_join():
    near_diagonal = lambda b, h, q, k: q - k <= 1  # noqa: E731
    both = flex.create_mask(flex.and_masks(causal, near_diagonal), None, None, 4, 4)
    assert both[0, 0].int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    one = flex.create_mask(flex.or_masks(causal, lambda b, h, q, k: k == 3), 1, 1, 4, 4)
    assert one[0, 0].int().tolist() == [[1, 0, 0, 1], [1, 1, 0, 1], [1, 1, 1, 1], [1, 1, 1, 1]]


def test_blocks_that_show_something():
    blocks = flex.create_block_mask(causal, None, None, 300, 300)
    assert blocks.shape == (1, 1, 300, 300)
    assert blocks.kv_num_blocks.tolist() == [[[1, 1, 3]]]
    assert blocks.kv_indices.tolist() == [[[[0, 1, 2], [1, 0, 2], [0, 1, 2]]]]
    assert blocks.full_kv_num_blocks.tolist() == [[[0, 1, 0]]]
    assert blocks.to_dense().tolist() == [[[[1, 0, 0], [1, 1, 0], [1, 1, 1]]]]
    assert blocks.sparsity() == pytest.approx(-9.2266667)


def test_wrong_calls_are_refused():
    with pytest.raises(ValueError, match="enable_gqa"):
        flex.flex_attention(Q, K[:, :2], V[:, :2])
    with pytest.raises(ValueError, match="q_len=6"):
        flex.flex_attention(Q, K, V, block_mask=flex.create_block_mask(causal, None, None, 4, 4))
    with pytest.raises(RuntimeError, match="callable"):
        flex.and_masks(causal, 3)


def test_a_star_import_gives_the_names_that_are_there():
    exported = torch_api.absent_module("torch.nn.attention.flex_attention").__all__
    assert {"flex_attention", "create_block_mask"} <= set(exported)
    assert "FlexKernelOptions" not in exported


def test_causal_biases():
    bias = torch_api.module_named("torch.nn.attention.bias")
    lower, upper = bias.causal_lower_right(2, 3), bias.causal_upper_left(2, 3)
    assert lower.tolist() == [[1, 1, 0], [1, 1, 1]]
    assert upper.tolist() == [[1, 0, 0], [1, 1, 0]]
    assert (lower.variant, lower.seq_len_q, lower.seq_len_kv) == (bias.CausalVariant.LOWER_RIGHT, 2, 3)
    query, keys = torch.ones(1, 1, 2, 4), torch.arange(12.0).reshape(1, 1, 3, 4)
    out = torch.nn.functional.scaled_dot_product_attention(query, keys, keys, attn_mask=upper)
    assert type(out) is torch.Tensor
    torch.testing.assert_close(out[0, 0, 0], keys[0, 0, 0])
    with pytest.warns(UserWarning, match="NaNs"):
        bias.causal_lower_right(3, 2)
    with pytest.raises(AssertionError, match="2D"):
        bias.causal_upper_left(1, 2, 3)
