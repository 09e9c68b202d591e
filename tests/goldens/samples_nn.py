"""Samples of the operators that networks are made of: what to call, and what the oracle is (see `samples.py`)."""

from samples import Sample, below, dist, f, h, lit, s, spread, unit
from samples_elementwise import ACTIVATION, LOGITS, LOSS, by_torch

# fmt: off


def _fold(ms, x, size, *args, **kwargs):
    return ms.ops.fold(x, ms.Tensor(size, ms.int32), *args, **kwargs)


CONVOLUTION = [
    s("conv2d", f(2, 3, 7, 8), f(4, 3, 3, 3)),
    s("conv2d", f(2, 3, 7, 8), f(4, 3, 3, 3), f(4)),
    s("conv2d", f(2, 3, 7, 8), f(4, 3, 3, 2), stride=2, pad_mode="same"),
    s("conv2d", f(2, 3, 7, 8), f(4, 3, 2, 4), stride=(2, 3), pad_mode="same"),
    s("conv2d", f(2, 3, 7, 8), f(4, 3, 3, 3), pad_mode="same", dilation=2),
    s("conv2d", f(2, 3, 7, 8), f(4, 3, 3, 3), f(4), stride=(2, 1), pad_mode="pad", padding=1),
    s("conv2d", f(2, 3, 7, 8), f(4, 3, 3, 3), pad_mode="pad", padding=(1, 2), dilation=(2, 1)),
    s("conv2d", f(2, 3, 7, 8), f(4, 3, 3, 3), pad_mode="pad", padding=(1, 0, 2, 1), ms=lambda ms, x, w, pad_mode, padding: ms.ops.Conv2D(4, 3, pad_mode=pad_mode, pad=padding)(x, w)),
    s("conv2d", f(2, 4, 7, 8), f(6, 2, 3, 3), pad_mode="valid", groups=2),
    s("conv2d", f(2, 4, 5, 5), f(4, 1, 3, 3), pad_mode="same", groups=4),
    s("conv2d", f(2, 4, 5, 5), f(8, 1, 3, 3), f(8), groups=4),
    s("conv2d", h(1, 2, 5, 5), h(3, 2, 3, 3)),
    s("conv2d", f(3, 7, 8), f(4, 3, 3, 3), torch=by_torch("conv2d"), why="MindSpore takes batches only"),
    s("conv2d", f(7, 8), f(4, 3, 3, 3), fails=True),
    s("conv2d", f(2, 3, 7, 8), f(4, 2, 3, 3), fails="ValueError"),
    s("conv2d", f(2, 3, 7, 8), f(4, 3, 3, 3), pad_mode="full", fails=True),
    s("conv2d", f(2, 3, 7, 8), f(4, 3, 3, 3), padding=1, fails=True),
    s("conv2d", f(2, 3, 7, 8), f(4, 3, 3, 3), stride=0, fails=True),
    s("conv2d", f(2, 3, 7, 8), f(4, 3, 3, 3), stride="a", fails=True),
    s("conv1d", f(2, 3, 9), f(4, 3, 3)),
    s("conv1d", f(2, 3, 9), f(4, 3, 3), f(4), stride=2, pad_mode="same"),
    s("conv1d", f(2, 3, 9), f(4, 3, 3), pad_mode="pad", padding=2, dilation=2),
    s("conv1d", f(2, 4, 9), f(4, 2, 3), groups=2),
    s("conv3d", f(1, 2, 5, 6, 4), f(3, 2, 3, 3, 2)),
    s("conv3d", f(1, 2, 5, 6, 4), f(3, 2, 3, 3, 2), f(3), stride=2, pad_mode="same"),
    s("conv3d", f(1, 2, 5, 6, 4), f(3, 2, 3, 3, 2), pad_mode="pad", padding=1, stride=(1, 2, 1)),
]
for _rank, _t in ((1, "conv_transpose1d"), (2, "conv_transpose2d"), (3, "conv_transpose3d")):
    _x, _w = f(2, 4, *[5, 4, 3][:_rank]), f(4, 3, *[3, 2, 3][:_rank])
    CONVOLUTION += [
        s(_t, _x, _w, torch=by_torch(_t)),
        s(_t, _x, _w, f(3), stride=2, padding=1, output_padding=1, torch=by_torch(_t)),
        s(_t, _x, f(4, 2, *[3] * _rank), stride=2, groups=2, dilation=2, torch=by_torch(_t)),
        s(_t, _x, _w, f(3), padding=1, torch=by_torch(_t)),
    ]
CONVOLUTION += [
    s("conv3d_transpose", f(1, 2, 3, 4, 3), f(2, 3, 3, 3, 2)),
    s("conv3d_transpose", f(1, 2, 3, 4, 3), f(2, 3, 3, 3, 2), "same", stride=2),
    s("conv3d_transpose", f(1, 2, 3, 4, 3), f(2, 3, 3, 3, 2), "valid", stride=(2, 3, 4)),
    s("conv3d_transpose", f(1, 2, 3, 4, 3), f(2, 3, 3, 3, 2), "pad", (1, 0, 1, 0, 1, 0), 2, 1, 1, 1),
    s("dense", f(2, 3), f(4, 3)),
    s("dense", f(2, 5, 3), f(4, 3), f(4)),
    s("dense", f(3), f(3)),
    s("dense", h(2, 3), h(4, 3), h(4)),
    s("dense", f(2, 3), f(4, 2), fails=True),
    s("unfold", f(2, 3, 5, 6), (2, 3)),
    s("unfold", f(2, 3, 5, 6), 2, dilation=2, padding=1, stride=2),
    s("fold", f(2, 12, 20), (5, 6), (2, 2), ms=_fold),
    s("fold", f(2, 12, 9), (5, 6), 2, dilation=2, padding=1, stride=2, ms=_fold),
    s("fold", f(2, 12, 9), (5, 6), (2, 2), fails=True, ms=_fold),
]

POOLING = [
    s("max_pool2d", spread(1, 2, 5, 6), 2),
    s("max_pool2d", spread(2, 3, 6, 6), 2, 2),
    s("max_pool2d", spread(1, 2, 5, 6), 3, 2, 1),
    s("max_pool2d", spread(1, 2, 5, 6), (2, 3), (1, 2)),
    s("max_pool2d", spread(1, 2, 5, 6), kernel_size=2, stride=3, ceil_mode=True),
    s("max_pool2d", spread(1, 2, 5, 7), kernel_size=3, stride=2, padding=1, ceil_mode=True),
    s("max_pool2d", spread(1, 2, 5, 6), kernel_size=2, stride=1, dilation=2),
    s("max_pool2d", spread(1, 2, 5, 6), 2, return_indices=True),
    s("max_pool2d", spread(1, 2, 5, 6), 3, 2, (1, 0), return_indices=True),
    s("max_pool2d", spread(1, 2, 5, 6, dtype="float16"), 3, 1, 1),
    s("max_pool2d", lit([[[[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]]]), 2, return_indices=True, why="ties"),
    s("max_pool2d", spread(2, 5, 6), 2, 2, torch=by_torch("max_pool2d"), why="MindSpore takes batches only"),
    s("max_pool2d", spread(1, 2, 9, 9), 7, 1, 3, return_indices=True),
    s("max_pool2d", f(1, 2, 5, 6), 2, padding=2, fails=True),
    s("max_pool2d", f(1, 2, 5, 6), 0, fails=True),
    s("max_pool2d", f(1, 2, 5, 6), 2.5, fails=True),
    s("max_pool3d", spread(1, 2, 5, 6, 4), 2),
    s("max_pool3d", spread(1, 2, 5, 6, 4), 3, 2, 1),
    s("max_pool3d", spread(1, 2, 5, 6, 4), (1, 2, 2), 1, dilation=(1, 2, 1), return_indices=True),
    s("max_pool3d", spread(1, 2, 5, 6, 5), 2, 2, ceil_mode=True),
    s("max_pool1d", spread(2, 3, 9), 3, 2, torch=by_torch("max_pool1d")),
    s("max_pool1d", spread(2, 3, 9), 3, 2, 1, ceil_mode=True, torch=by_torch("max_pool1d")),
    s("avg_pool2d", f(1, 2, 5, 6)),
    s("avg_pool2d", f(1, 2, 5, 6), 2, 2),
    s("avg_pool2d", f(1, 2, 5, 6), 3, 2, 1),
    s("avg_pool2d", f(1, 2, 5, 6), 3, 2, 1, count_include_pad=False),
    s("avg_pool2d", f(1, 2, 5, 6), 3, 2, ceil_mode=True),
    s("avg_pool2d", f(1, 2, 6, 7), (3, 2), 2, ceil_mode=True),
    s("avg_pool2d", f(1, 2, 5, 6), 3, 2, 1, True),
    s("avg_pool2d", f(1, 2, 6, 7), 3, 2, 1, True, False),
    s("avg_pool2d", f(1, 2, 5, 6), 2, divisor_override=3),
    s("avg_pool2d", f(1, 2, 5, 6), 2, 1, (1, 0, 1, 0)),
    s("avg_pool2d", h(1, 2, 5, 6), 2, 2),
    s("avg_pool2d", f(1, 2, 9, 9), 7, 1, 3, count_include_pad=False),
    s("avg_pool2d", spread(2, 5, 6), 2, 2, torch=by_torch("avg_pool2d"), why="MindSpore takes batches only"),
    s("avg_pool2d", f(1, 2, 5, 6), 0, fails=True),
    s("avg_pool1d", f(1, 2, 7)),
    s("avg_pool1d", f(1, 2, 7), 3, 2, 1),
    s("avg_pool1d", f(1, 2, 7), 3, 2, 1, count_include_pad=False),
    s("avg_pool1d", f(1, 2, 8), 3, 2, ceil_mode=True),
    s("avg_pool3d", f(1, 2, 5, 6, 4), 2, 2),
    s("avg_pool3d", f(1, 2, 5, 6, 4), 3, 2, 1, count_include_pad=False),
    s("avg_pool3d", f(1, 2, 5, 6, 4), 3, 1, (1, 0, 1, 0, 1, 1)),
    s("adaptive_avg_pool1d", f(1, 2, 6), 3),
    s("adaptive_avg_pool1d", f(1, 2, 7), 3, torch=by_torch("adaptive_avg_pool1d"), why="MindSpore divides evenly only"),
    s("adaptive_avg_pool2d", f(1, 2, 7, 5), 3),
    s("adaptive_avg_pool2d", f(2, 7, 5), (None, 3)),
    s("adaptive_avg_pool2d", f(1, 2, 4, 4), (5, 1)),
    s("adaptive_avg_pool2d", h(1, 2, 7, 5), (2, 3)),
    s("adaptive_avg_pool2d", f(7, 5), 2, fails=True),
    s("adaptive_avg_pool3d", f(1, 2, 7, 5, 4), (None, 3, 2)),
    s("adaptive_avg_pool3d", f(2, 5, 5, 4), 2),
    s("adaptive_max_pool1d", spread(1, 2, 6), 3),
    s("adaptive_max_pool1d", spread(1, 2, 7), 3, torch=by_torch("adaptive_max_pool1d")),
    s("adaptive_max_pool2d", spread(1, 2, 7, 5), 3),
    s("adaptive_max_pool2d", spread(1, 2, 7, 5), (None, 3), True),
    s("adaptive_max_pool2d", spread(2, 7, 5), (4, 3)),
    s("adaptive_max_pool3d", spread(1, 2, 7, 5, 4), (2, 3, 2), True),
    s("lp_pool2d", unit(1, 2, 6, 6), 2.0, 2),
    s("lp_pool2d", unit(1, 2, 6, 6), 3, (2, 3), 1),
    s("lp_pool1d", unit(1, 2, 6), 2, 2, 1, True),
    s("max_unpool2d", spread(1, 1, 2, 2), lit([[[[0, 3], [9, 10]]]], "int64"), 2, 2),
    s("max_unpool2d", spread(1, 1, 2, 2), lit([[[[0, 3], [9, 10]]]], "int64"), 2, 2, output_size=(1, 1, 5, 5)),
    s("max_unpool1d", spread(1, 2, 2), lit([[[0, 3], [1, 2]]], "int64"), 2),
    s("max_unpool3d", spread(1, 1, 1, 2, 2), lit([[[[[0, 3], [9, 12]]]]], "int64"), 2),
]

_ONES, _STATS = [1.0, 0.5, 2.0], ([0.1, -0.2, 0.3], [0.7, 1.0, 1.5])
NORMALIZATION = [
    s("batch_norm", f(4, 3), lit(_STATS[0]), lit(_STATS[1]), f(3), f(3)),
    s("batch_norm", f(2, 3, 4, 5), lit(_STATS[0]), lit(_STATS[1]), f(3), f(3), eps=1e-3),
    s("batch_norm", f(4, 3), lit(_STATS[0]), lit(_STATS[1]), f(3), f(3), training=True),
    s("batch_norm", f(2, 3, 4, 5), lit(_STATS[0]), lit(_STATS[1]), f(3), f(3), True, 0.3, 1e-3),
    s("batch_norm", f(2, 3, 5), lit(_STATS[0]), lit(_STATS[1]), f(3), f(3), training=True, torch=by_torch("batch_norm", (1, 2)), tol=1e-4),
    s("batch_norm", f(2, 3, 2, 2, 3), lit(_STATS[0]), lit(_STATS[1]), f(3), f(3), training=True, torch=by_torch("batch_norm", (1, 2)), tol=1e-4),
    s("batch_norm", f(2, 3, 5), lit(_STATS[0]), lit(_STATS[1]), None, None, training=True, torch=by_torch("batch_norm", (1, 2)), tol=1e-4),
    s("batch_norm", h(2, 3, 4, 5), lit(_STATS[0]), lit(_STATS[1]), lit(_ONES), lit(_ONES)),
    s("batch_norm", h(4, 3, 4, 5), lit(_STATS[0]), lit(_STATS[1]), lit(_ONES), lit(_ONES), training=True),
    s("batch_norm", f(4, 4), lit(_STATS[0]), lit(_STATS[1]), f(3), f(3), fails=True),
    s("layer_norm", f(4, 3, 5), (5,), torch=by_torch("layer_norm"), why="no CPU kernel of LayerNormExt"),
    s("layer_norm", f(4, 3, 5), (3, 5), f(3, 5), f(3, 5), torch=by_torch("layer_norm")),
    s("layer_norm", f(4, 3, 5), (5,), f(5), f(5), 1e-3, torch=by_torch("layer_norm")),
    s("layer_norm", h(4, 16), (16,), h(16), h(16), torch=by_torch("layer_norm")),
    s("layer_norm", f(4, 3, 5), (4,), fails=True),
    s("group_norm", f(2, 6, 3), 3),
    s("group_norm", f(2, 6, 3, 2), 2, f(6), f(6)),
    s("group_norm", f(2, 6), 2, f(6), f(6), 1e-3),
    s("group_norm", h(2, 6, 3), 1, h(6), h(6)),
    s("group_norm", f(2, 6, 3), 4, fails=True),
    s("instance_norm", f(2, 3, 4), torch=by_torch("instance_norm", (1, 2))),
    s("instance_norm", f(2, 3, 4, 5), None, None, f(3), f(3), eps=1e-3, torch=by_torch("instance_norm", (1, 2))),
    s("instance_norm", f(2, 3, 4, 5), lit(_STATS[0]), lit(_STATS[1]), f(3), f(3), False, torch=by_torch("instance_norm", (1, 2))),
    s("rms_norm", f(4, 3, 5), f(5), torch=lambda t, x, g: (t.nn.functional.rms_norm(x, (5,), g, 1e-6), t.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6))),
    s("lrn", f(2, 7, 3, 3)),
    s("lrn", f(2, 7, 3, 3), 2, 2.0, 0.5, 0.75),
    s("lrn", h(2, 7, 3, 3), 1),
    s("lrn", f(7, 3, 3), fails=True),
    s("l2_normalize", f(4, 3, 5), ms=lambda ms, x: ms.ops.L2Normalize(axis=0)(x)),
    s("l2_normalize", f(4, 3, 5), axis=1, ms=lambda ms, x, axis: ms.ops.L2Normalize(axis=axis)(x)),
    s("l2_normalize", h(4, 3), axis=-1, epsilon=1e-3, ms=lambda ms, x, axis, epsilon: ms.ops.L2Normalize(axis=axis, epsilon=epsilon)(x)),
    s("normalize", f(4, 3, 5), torch=by_torch("normalize")),
    s("normalize", f(4, 3, 5), 1.0, -1, torch=by_torch("normalize")),
    s("normalize", f(4, 3, 5), 3.0, 0, 0.5, torch=by_torch("normalize")),
]

_IDS = lit([[1, 2], [0, 2]], "int32")
EMBEDDING = [
    s("embedding", _IDS, f(4, 3), torch=by_torch("embedding"), why="no CPU kernel"),
    s("embedding", _IDS, f(4, 3), padding_idx=2, torch=by_torch("embedding"), why="held"),
    s("embedding", _IDS, f(4, 3), padding_idx=-2, torch=by_torch("embedding"), why="held"),
    s("embedding", _IDS, f(4, 3), scale_grad_by_freq=True, torch=by_torch("embedding"), why="held"),
    s("embedding", lit([1.0]), f(4, 3), fails="TypeError", torch=by_torch("embedding")),
    s("embedding_lookup", f(4, 3), lit([1, 5, 2], "int32"), 0, grad=False, ms=lambda ms, *a: ms.ops.EmbeddingLookup()(*a)),
    s("embedding_lookup", f(4, 3), lit([[5, 3], [2, 9]], "int32"), 2, grad=False, ms=lambda ms, *a: ms.ops.EmbeddingLookup()(*a)),
    s("one_hot", lit([1, 2, -1, 7], "int64"), 4),
    s("one_hot", lit([[1, 2, 0]], "int32"), 4, axis=1),
    s("one_hot", lit([[1, 2, 0]], "int32"), 4, lit(2.5), lit(-1.0), 0),
    s("one_hot", lit([1, 2], "int32"), 3, 2.5, 0.5),
    s("one_hot", lit([1, 2], "int32"), 3, lit(1.0, "float16"), lit(0.0, "float16")),
    s("one_hot", lit([1.0, 2.0]), 3, fails=True),
    s("one_hot", lit([1, 2], "int32"), -1, fails=True),
    s("one_hot", lit([1, 2], "int32"), 3, axis=5, fails=True),
]


def _attended(t, q, k, v, attn_mask=None, is_causal=False, scale=None, **_):  # noqa: ANN001, ANN003, ANN202
    return t.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask, 0.0, is_causal, scale=scale)


def _flash(t, q, k, v, head_num, attn_mask=None, scalar_value=1.0, input_layout="BSH"):  # noqa: ANN001, ANN202
    """MindSpore's layouts and mask (true hides) said in PyTorch's words."""
    if input_layout in ("BSH", "SBH"):
        q, k, v = (x.unflatten(-1, (head_num, -1)) for x in (q, k, v))
    to = {"BSH": (0, 2, 1, 3), "BSND": (0, 2, 1, 3), "SBH": (1, 2, 0, 3), "BNSD": (0, 1, 2, 3)}[input_layout]
    q, k, v = (x.permute(to) for x in (q, k, v))
    mask = None if attn_mask is None else ~attn_mask.bool()
    out = t.nn.functional.scaled_dot_product_attention(q, k, v, mask, scale=scalar_value, enable_gqa=True)
    out = out.permute([to.index(i) for i in range(4)])
    return out.flatten(2) if input_layout in ("BSH", "SBH") else out


_LOW = [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
ATTENTION = [
    s("scaled_dot_product_attention", f(2, 2, 3, 4), f(2, 2, 5, 4), f(2, 2, 5, 4), torch=_attended),
    s("scaled_dot_product_attention", f(2, 3, 4), f(2, 3, 4), f(2, 3, 4), is_causal=True, torch=_attended),
    s("scaled_dot_product_attention", f(2, 2, 3, 4), f(2, 2, 3, 4), f(2, 2, 3, 4), lit([[True] * 3, [True, False, True], [False, True, True]], "bool"), torch=_attended),
    s("scaled_dot_product_attention", f(2, 2, 3, 4), f(2, 2, 3, 4), f(2, 2, 3, 6), f(3, 3), scale=0.3, torch=_attended),
    s("flash_attention_score", f(1, 3, 8), f(1, 3, 8), f(1, 3, 8), 2, scalar_value=0.5, torch=_flash),
    s("flash_attention_score", f(1, 3, 8), f(1, 3, 8), f(1, 3, 8), 2, attn_mask=lit(_LOW, "uint8"), torch=_flash),
    s("flash_attention_score", f(3, 2, 8), f(5, 2, 8), f(5, 2, 8), 2, input_layout="SBH", torch=_flash),
    s("flash_attention_score", f(1, 4, 3, 2), f(1, 2, 5, 2), f(1, 2, 5, 2), 4, input_layout="BNSD", torch=_flash),
    s("flash_attention_score", f(1, 3, 4, 2), f(1, 5, 4, 2), f(1, 5, 4, 2), 4, input_layout="BSND", torch=_flash),
]

_PAIR = (f(3), f(2, 2))
CLIP = [
    s("clip_by_value", f(3, 4), -0.3, 0.5),
    s("clip_by_value", f(3, 4), clip_value_max=0.5),
    s("clip_by_value", f(3, 4), -0.25),
    s("clip_by_value", f(2, 3), lit([-0.1, -0.2, 0.0]), lit(0.5)),
    s("clip_by_value", lit([0.0, 1.0, 2.0, 3.0, 4.0]), 1.0, 3.0, why="corners"),
    s("clip_by_value", lit([1.0, 5.0, 9.0]), 6.0, 3.5),
    s("clip_by_value", lit([1, 5, 9], "int32"), 2, 6.5),
    s("clip_by_value", lit([1, 5, 9], "float16"), 2.5, 6.5),
    s("clip_by_value", _PAIR, -0.5, 0.5),
    s("clip_by_value", list(_PAIR), lit(-0.5), lit(0.5)),
    s("clip_by_value", f(3), fails=True),
    s("clip_by_value", f(3), "a", fails=True),
    s("clamp", f(3, 4), -0.3, 0.5),
    s("clamp", lit([0.0, 1.0, 2.0, 3.0, 4.0]), 1.0, 3.0, why="corners"),
    s("clamp", f(2, 3), lit([-0.1, -0.2, 0.0]), lit(0.5)),
    s("clamp", lit([1, 5, 9], "int32"), 2, 6.5),
    s("clamp", lit([1, 5, 9], "float16"), 2.5, 6.5),
    s("clamp", lit([1, 5, 9], "int32"), max=6),
    s("clamp", f(3), fails=True),
    s("clip_by_norm", f(3, 4), 1.0),
    s("clip_by_norm", f(3, 4), 100),
    s("clip_by_norm", _PAIR, 0.5),
    s("clip_by_norm", [unit(3), unit(2, 2)], 0.5, 1),  # MindSpore forgets the absolute value for odd norms
    s("clip_by_norm", (unit(3), unit(2, 2)), 0.5, 3.0),
    s("clip_by_norm", f(3, 4), 0.5, float("inf")),
    s("clip_by_norm", h(3, 4), 1.0),
    s("clip_by_norm", lit([3, 4], "int32"), 1),
    s("clip_by_norm", lit([float("inf"), 1.0]), 1.0, grad=False),
    s("clip_by_norm", lit([float("nan"), 1.0]), 1.0, grad=False),
    s("clip_by_norm", lit([float("inf"), 1.0]), 1.0, 2.0, True, fails=True),
    s("clip_by_norm", f(3), "a", fails=True),
    s("clip_by_global_norm", _PAIR, 1.0),
    s("clip_by_global_norm", _PAIR),
    s("clip_by_global_norm", list(_PAIR), 100.0),
    s("clip_by_global_norm", (f(3), h(4)), 1, tol=1e-3),  # MindSpore squares in float16
    s("clip_by_global_norm", (lit([3.0, 4.0], "float16"),), 1.0),
    s("clip_by_global_norm", (lit([0.0, 0.0]),), 1.0, grad=False),
    s("clip_by_global_norm", (lit([float("inf"), 1.0]),), 1.0, grad=False),
    s("clip_by_global_norm", _PAIR, -1.0, fails=True),
    s("clip_by_global_norm", _PAIR, "a", fails=True),
    s("clip_by_global_norm", [], 1.0, fails=True),
    s("clip_by_global_norm", _PAIR, 1.0, lit(2.0), fails=True),
]

def _c(name: str, *args: object, **settings: object) -> Sample:
    """A sample of a class form."""
    options = {k: settings.pop(k) for k in ("fails", "tol", "grad", "why") if k in settings}
    return s(name, *args, new=settings, **options)


CLASSES = [
    *[_c(n, f(2, 3)) for n in "ReLU ReLU6 HSwish HSigmoid HShrink SoftShrink Sigmoid Elu CeLU FastGeLU Softplus".split()],
    *[_c(n, f(2, 3), tol=1e-3) for n in "Tanh GeLU Mish Softsign Softmax LogSoftmax Gelu FastGelu".split()],
    _c("Softmax", f(2, 3), axis=0),
    _c("LogSoftmax", f(2, 3), axis=0),
    _c("CeLU", f(2, 3), alpha=2.0),
    _c("HShrink", f(2, 3), lambd=1.0),
    _c("PReLU", f(2, 3, 2), f(3)),
    _c("GLU", f(2, 4), axis=0),
    _c("Logit", unit(3)),
    _c("Conv2D", f(2, 3, 6, 7), f(4, 3, 3, 3), out_channel=4, kernel_size=3),
    _c("Conv2D", f(2, 3, 6, 7), f(4, 3, 3, 2), out_channel=4, kernel_size=(3, 2), pad_mode="same", stride=2),
    _c("Conv2D", f(2, 4, 6, 7), f(4, 1, 3, 3), out_channel=4, kernel_size=3, pad_mode="pad", pad=1, group=4),
    _c("Conv2D", f(2, 3, 6, 7), f(4, 3, 3, 3), out_channel=4, kernel_size=3, pad_mode="full", fails=True),
    _c("Conv3D", f(1, 2, 5, 6, 4), f(3, 2, 3, 3, 2), out_channel=3, kernel_size=(3, 3, 2), pad_mode="same"),
    _c("Conv2DBackpropInput", f(2, 4, 4, 5), f(4, 3, 3, 3), (2, 3, 6, 7), out_channel=4, kernel_size=3, grad=False),
    _c("Conv2DTranspose", f(2, 4, 3, 4), f(4, 3, 3, 3), (2, 3, 6, 7), out_channel=4, kernel_size=3, pad_mode="same",
       stride=2, grad=False),
    _c("Conv3DTranspose", f(1, 2, 3, 4, 3), f(2, 3, 3, 3, 2), in_channel=2, out_channel=3, kernel_size=(3, 3, 2),
       stride=2),
    _c("Dense", f(2, 3), f(4, 3), f(4)),
    _c("BiasAdd", f(2, 3, 4), f(3)),
    _c("MaxPool", spread(1, 2, 5, 6), kernel_size=3, strides=2),
    _c("MaxPool", spread(1, 2, 5, 6), kernel_size=3, strides=2, pad_mode="same"),
    _c("MaxPool", spread(1, 2, 5, 6), kernel_size=3, strides=2, pad_mode="SAME"),
    _c("MaxPool", spread(1, 2, 5, 6), kernel_size=3, strides=2, pad_mode="pad", fails=True),
    _c("MaxPool", spread(1, 2, 5, 6), kernel_size=0, fails=True),
    _c("MaxPool3D", spread(1, 2, 5, 6, 4), kernel_size=3, strides=2, pad_mode="same"),
    _c("MaxPool3D", spread(1, 2, 5, 6, 4), kernel_size=2, strides=2),
    _c("MaxPoolWithArgmax", spread(1, 2, 5, 6), kernel_size=2, strides=2, pad_mode="same"),
    _c("MaxPoolWithArgmaxV2", spread(1, 2, 5, 6), kernel_size=3, strides=2, pads=1),
    _c("AvgPool", f(1, 2, 5, 6), kernel_size=3, strides=2),
    _c("AvgPool", f(1, 2, 5, 6), kernel_size=3, strides=2, pad_mode="same"),
    _c("AvgPool3D", f(1, 2, 5, 6, 4), kernel_size=3, strides=2, pad_mode="same"),
    _c("AvgPool3D", f(1, 2, 5, 6, 4), kernel_size=3, strides=2, pad_mode="pad", pad=1),
    _c("AvgPool3D", f(1, 2, 5, 6, 4), kernel_size=3, strides=2, pad_mode="pad", pad=1, count_include_pad=False),
    _c("AdaptiveAvgPool2D", f(1, 2, 5, 6), output_size=(2, 3)),
    _c("AdaptiveMaxPool2D", spread(1, 2, 5, 6), output_size=(2, 3)),
    _c("LayerNorm", f(2, 3, 4), f(3, 4), f(3, 4), why="held"),
    _c("LayerNorm", f(2, 3, 4), f(4), f(4), begin_norm_axis=-1, begin_params_axis=-1, epsilon=1e-3, why="held"),
    _c("L2Normalize", f(2, 3), axis=1),
    _c("LRN", f(2, 7, 2, 2), depth_radius=2, bias=2.0),
    _c("SoftmaxCrossEntropyWithLogits", LOGITS, dist(3, 5), why="held"),
    _c("SparseSoftmaxCrossEntropyWithLogits", LOGITS, below(5, 3)),
    _c("SparseSoftmaxCrossEntropyWithLogits", LOGITS, below(5, 3), is_grad=True, grad=False),
    _c("SigmoidCrossEntropyWithLogits", f(3, 4), unit(3, 4)),
    _c("NLLLoss", f(3, 5), below(5, 3), unit(5)),
    _c("NLLLoss", f(3, 5), below(5, 3), unit(5), reduction="none"),
    _c("BinaryCrossEntropy", unit(3, 4), unit(3, 4), unit(3, 4), reduction="sum"),
    _c("BCEWithLogitsLoss", f(3, 4), unit(3, 4), unit(3, 4), unit(4)),
    _c("KLDivLoss", f(3, 4), dist(3, 4), reduction="none"),
    _c("SmoothL1Loss", f(3, 4), f(3, 4), beta=0.5),
    _c("EmbeddingLookup", f(4, 3), lit([1, 5, 2], "int32"), 0, grad=False),
]

FAMILIES = {
    "activation": ACTIVATION,
    "loss": LOSS,
    "convolution": CONVOLUTION,
    "pooling": POOLING,
    "normalization": NORMALIZATION,
    "embedding": EMBEDDING,
    "attention": ATTENTION,
    "clip": CLIP,
    "classes": CLASSES,
}
SAMPLES = [sample for family in FAMILIES.values() for sample in family]
