"""Samples of the operators that networks are made of: what to call, and what the oracle is (see `samples.py`)."""

from collections.abc import Callable

from samples import DT, Sample, below, d, dist, f, h, lit, s, sign, spread, unit

KINKS = [-7.0, -4.0, -3.0, -2.5, -1.0, -0.5, -1e-3, 0.0, 0.25, 0.5, 1.0, 2.75, 3.0, 5.0, 6.0, 7.0]
LOGITS = f(3, 5)


def _torch(name: str, fixed: tuple[int, ...] = ()) -> Callable:
    """The function of that name in torch.nn.functional is the oracle; it has no gradient for the arguments `fixed`."""

    def call(torch, *args, **kwargs):  # noqa: ANN001, ANN002, ANN003, ANN202
        args = [a.detach() if i in fixed and a is not None else a for i, a in enumerate(args)]
        return getattr(torch.nn.functional, name)(*args, **kwargs)

    return call


def _each(op: str, *more: Sample, scalar: bool = True, **options: object) -> list[Sample]:
    """A function of one array over the shapes and dtypes that every such function meets."""
    rows = [s(op, x, **options) for x in (f(3, 5), f(2, 3, 7), h(4, 3), *([f()] if scalar else []))]
    return [*rows, *more, s(op, lit(KINKS), why="corners", **({"tol": 1e-3 if "tanh" in op else None} | options))]


ACTIVATION = [
    *_each("relu", s("relu", lit([-2, 0, 3], "int32")), s("relu", d(3, 2)), s("relu", lit([-1.0, 0.0, 2.0]))),
    *_each("relu6", s("relu6", lit([1, 2], "int32"), fails=True)),
    *_each("leaky_relu", s("leaky_relu", f(4, 3), 0.01), s("leaky_relu", f(4, 3), alpha=2), s("leaky_relu", h(5), 0.3)),
    s("leaky_relu", f(2), "a", fails=True),
    s("prelu", f(2, 3, 4), f(3)),
    s("prelu", f(2, 3, 4, 5), f(1)),
    s("prelu", f(2, 3), f(3)),
    s("prelu", h(2, 3, 2), h(3)),
    s("prelu", f(7), f(1)),
    s("prelu", f(2, 3, 4), f(2), fails=True),
    *_each("elu", s("elu", lit([1, 2], "int32"), fails=True), s("elu", f(3), 2.0, torch=_torch("elu"), why="MindSpore takes 1.0 only")),
    # MindSpore's SeLU is right, but its CPU gradient is not the derivative of it.
    *_each("selu", torch=_torch("selu")),
    *_each("celu", s("celu", f(4, 3), 0.5), s("celu", f(4, 3), -1.5), s("celu", f(3), 0.0, fails=True)),
    s("celu", lit([1, 2], "int32"), fails=True),
    *_each("gelu", s("gelu", f(3, 5), approximate="tanh"), s("gelu", h(3, 5), approximate="tanh"), s("gelu", d(4))),
    s("gelu", f(2), "exact", fails=True),
    s("gelu", lit([1, 2], "int32"), fails=True),
    *_each("fast_gelu"),
    *_each("silu"),
    *_each("sigmoid", s("sigmoid", lit([-100.0, -20.0, 20.0, 100.0])), s("sigmoid", d(4))),
    s("sigmoid", lit([1, 2], "int32"), fails=True),
    *_each("logsigmoid", s("logsigmoid", lit([-100.0, -80.0, 80.0, 100.0]), torch=_torch("logsigmoid"), why="MindSpore gives -inf at -100")),
    *_each("tanh", s("tanh", d(4)), s("tanh", lit([-20.0, 20.0]))),  # MindSpore's float32 kernel is right to 1e-4
    *_each("softmax", s("softmax", f(2, 3, 4), axis=0), s("softmax", f(2, 3, 4), axis=-2), s("softmax", h(3, 4), 0), scalar=False),
    s("softmax", f(3, 4), dtype=DT("float16"), tol=2e-3),
    s("softmax", lit([[1, 2, 4]], "int32"), dtype=DT("float32")),
    s("softmax", lit([[1000.0, 1001.0, -1000.0]])),
    s("softmax", f(3, 4), axis=2, fails=True),
    s("softmax", f(3, 4), axis=0.5, fails=True),
    s("softmax", lit([1, 2], "int32"), fails=True),
    *_each("log_softmax", s("log_softmax", f(2, 3, 4), axis=1), s("log_softmax", lit([[1000.0, 1001.0, -1000.0]])), scalar=False),
    s("log_softmax", f(3, 4), axis=-3, fails=True),
    *_each("softmin", s("softmin", f(2, 3, 4), axis=1), scalar=False),
    *_each("softplus", s("softplus", f(3, 4), 2.5, 0.3), s("softplus", f(3, 4), beta=-1), s("softplus", f(9), 0.5, 1)),
    s("softplus", lit([-100.0, 19.0, 21.0, 100.0])),
    s("softplus", f(2), 0, fails=True),
    s("softplus", lit([1, 2], "int32"), fails=True),
    *_each("softsign"),
    *_each("hardswish"),
    *_each("hardsigmoid"),
    *_each("hardtanh", s("hardtanh", f(3, 5), -0.3, 0.6), s("hardtanh", f(3, 5), 1, 2), s("hardtanh", f(2), 1.0, -1.0)),
    s("hardtanh", f(2), "a", 1.0, fails=True),
    *_each("hardshrink", s("hardshrink", f(3, 5), 0.9), s("hardshrink", f(3, 5), 1), s("hardshrink", f(2), "a", fails=True)),
    *_each("softshrink", s("softshrink", f(3, 5), 0.2), s("softshrink", f(2), -1.0, fails=True)),
    *_each("mish", s("mish", lit([-100.0, 100.0]), torch=_torch("mish"), why="MindSpore gives nan"), tol=1e-3),
    *_each("tanhshrink"),
    s("threshold", f(3, 5), 0.1, 20.0),
    s("threshold", h(3, 5), 0.5, -1.0),
    s("threshold", lit([1.0, 2.0, 3.0]), 2, 9, why="corners"),
    s("threshold", f(2), "a", 1.0, fails=True),
    s("logit", unit(3, 5)),
    s("logit", unit(3, 5), 0.2),
    s("logit", unit(3, 5), eps=1e-5),
    s("glu", f(3, 4)),
    s("glu", f(4, 2, 3), axis=0),
    s("glu", f(2, 6, 3), 1),
    s("glu", h(3, 4)),
    s("glu", f(3, 5), fails=True),
    s("bias_add", f(2, 3), f(3)),
    s("bias_add", f(2, 3, 4, 5), f(3)),
    s("bias_add", h(2, 3, 4), h(3)),
    s("bias_add", f(2, 3, 4), f(4), fails=True),
]


def _pairs(op: str, **kwargs: object) -> list[Sample]:
    """A loss of two arrays of one shape, in each reduction."""
    return [
        s(op, f(4, 5), f(4, 5), **kwargs),
        s(op, f(4, 5), f(4, 5), reduction="none", **kwargs),
        s(op, f(2, 3, 7), f(2, 3, 7), reduction="sum", **kwargs),
        s(op, h(3, 5), h(3, 5), reduction="mean", **kwargs),
        s(op, f(2), f(2), reduction="average", fails=True),
    ]


LOSS = [
    *_pairs("mse_loss"),
    s("mse_loss", f(3, 4), h(3, 4)),
    s("mse_loss", f(3, 4), f(4)),
    s("mse_loss", f(3, 4), f(5), fails=True),
    s("mse_loss", lit([1, 2], "int32"), lit([2, 4], "int32")),
    *_pairs("l1_loss"),
    s("l1_loss", f(3, 4), f(4)),
    s("l1_loss", h(3, 4), f(3, 4)),
    *_pairs("smooth_l1_loss"),
    s("smooth_l1_loss", f(4, 5), f(4, 5), 0.5),
    s("smooth_l1_loss", f(4, 5), f(4, 5), beta=2.0, reduction="mean"),
    s("smooth_l1_loss", f(4, 5), f(4, 5), beta=0.0, reduction="mean", torch=_torch("smooth_l1_loss")),
    s("smooth_l1_loss", f(4), f(4), beta=-1.0, fails=True),
    *_pairs("huber_loss"),
    s("huber_loss", f(4, 5), f(4, 5), delta=0.5),
    s("huber_loss", f(4, 5), f(4, 5), "sum", 2.0),
    s("huber_loss", f(4), f(4), delta=0.0, fails=True),
    s("cross_entropy", LOGITS, below(5, 3)),
    s("cross_entropy", LOGITS, below(5, 3), reduction="none"),
    s("cross_entropy", LOGITS, below(5, 3), reduction="sum", label_smoothing=0.1),
    s("cross_entropy", LOGITS, below(5, 3), label_smoothing=0.2),
    s("cross_entropy", LOGITS, below(5, 3), unit(5)),
    s("cross_entropy", LOGITS, below(5, 3), unit(5), label_smoothing=0.1),
    s("cross_entropy", LOGITS, below(5, 3), weight=unit(5), reduction="none"),
    s("cross_entropy", f(4, 5), lit([1, 0, 1, 4], "int32"), ignore_index=1),
    s("cross_entropy", f(4, 5), lit([1, -100, 3, 4], "int32"), label_smoothing=0.1),
    s("cross_entropy", f(4, 5), lit([1, -100, 3, 4], "int32"), weight=unit(5), label_smoothing=0.1),
    s("cross_entropy", f(4, 5), lit([1, -100, 3, 4], "int32"), reduction="none"),
    s("cross_entropy", f(5), lit(3, "int32")),
    s("cross_entropy", f(2, 5, 3), below(5, 2, 3)),
    s("cross_entropy", f(2, 5, 3, 4), below(5, 2, 3, 4), weight=unit(5), reduction="sum"),
    s("cross_entropy", LOGITS, dist(3, 5)),
    s("cross_entropy", LOGITS, dist(3, 5), reduction="none", label_smoothing=0.1),
    s("cross_entropy", LOGITS, dist(3, 5), unit(5), label_smoothing=0.1),
    s("cross_entropy", f(2, 5, 3), dist(2, 5, 3), unit(5), reduction="sum"),
    s("cross_entropy", f(2, 5, 3), dist(2, 5, 3)),
    s("cross_entropy", h(3, 5), below(5, 3)),
    s("cross_entropy", LOGITS, below(5, 3, dtype="int64")),
    s("cross_entropy", LOGITS, below(5, 3), reduction="avg", fails=True),
    s("cross_entropy", LOGITS, below(5, 4), fails=True),
    s("nll_loss", f(3, 5), below(5, 3)),
    s("nll_loss", f(3, 5), below(5, 3), unit(5), reduction="sum"),
    s("nll_loss", f(3, 5), below(5, 3), reduction="none"),
    s("nll_loss", f(4, 5), lit([1, 0, 1, 4], "int32"), weight=unit(5), ignore_index=1),
    s("nll_loss", f(3, 5), below(5, 3), label_smoothing=0.1),
    s("nll_loss", f(2, 5, 3), below(5, 2, 3)),
    s("nll_loss", f(2, 5, 3, 2), below(5, 2, 3, 2), weight=unit(5)),
    s("nll_loss", h(3, 5), below(5, 3)),
    s("binary_cross_entropy", unit(4, 3), unit(4, 3)),
    s("binary_cross_entropy", unit(4, 3), unit(4, 3), unit(4, 3)),
    s("binary_cross_entropy", unit(4, 3), unit(4, 3), unit(4, 3), "none"),
    s("binary_cross_entropy", unit(2, 3, 2), unit(2, 3, 2), reduction="sum"),
    s("binary_cross_entropy", unit(4, 3, dtype="float16"), unit(4, 3, dtype="float16")),
    s("binary_cross_entropy", lit([0.0, 1.0, 0.5]), lit([1.0, 0.0, 1.0]), None, "none", grad=False),
    s("binary_cross_entropy", unit(4, 3), unit(4, 2), fails=True),
    s("binary_cross_entropy_with_logits", f(4, 3), unit(4, 3)),
    s("binary_cross_entropy_with_logits", f(4, 3), unit(4, 3), unit(4, 3), unit(3)),
    s("binary_cross_entropy_with_logits", f(4, 3), unit(4, 3), weight=unit(3), reduction="none"),
    s("binary_cross_entropy_with_logits", f(4, 3), unit(4, 3), pos_weight=unit(3), reduction="sum"),
    s("binary_cross_entropy_with_logits", h(4, 3), unit(4, 3, dtype="float16")),
    s("binary_cross_entropy_with_logits", lit([-100.0, 100.0, 0.0]), lit([1.0, 0.0, 1.0]), reduction="none"),
    s("kl_div", f(4, 3), dist(4, 3)),
    s("kl_div", f(4, 3), dist(4, 3), "none"),
    s("kl_div", f(4, 3), dist(4, 3), "sum"),
    s("kl_div", f(4, 3), dist(4, 3), "batchmean"),
    s("kl_div", f(2, 3), lit([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]]), "none", grad=False, why="0 log 0"),
    s("kl_div", f(4, 3), dist(4, 3), "avg", fails=True),
    s("cosine_embedding_loss", f(4, 3), f(4, 3), sign(4)),
    s("cosine_embedding_loss", f(4, 3), f(4, 3), sign(4), 0.3, "none"),
    s("cosine_embedding_loss", f(4, 3), f(4, 3), sign(4), reduction="sum"),
    s("cosine_embedding_loss", f(4, 3), f(4, 3), sign(4), 2.0, fails=True),
    s("hinge_embedding_loss", f(4, 3), sign(4, 3), torch=_torch("hinge_embedding_loss", (1,)), why="MindSpore has no gradient"),
    s("hinge_embedding_loss", f(4, 3), sign(4, 3), 2.0, "none"),
    s("hinge_embedding_loss", f(4, 3), sign(4, 3), reduction="sum"),
    s("margin_ranking_loss", f(4), f(4), sign(4)),
    s("margin_ranking_loss", f(4, 3), f(4, 3), sign(4, 3), 0.5, "none"),
    s("margin_ranking_loss", f(4), f(4), sign(4), reduction="sum"),
    s("soft_margin_loss", f(4, 3), sign(4, 3), torch=_torch("soft_margin_loss", (1,))),
    s("soft_margin_loss", f(4, 3), sign(4, 3), reduction="none", torch=_torch("soft_margin_loss", (1,))),
    s("triplet_margin_loss", f(4, 3), f(4, 3), f(4, 3), torch=_torch("triplet_margin_loss")),
    s("triplet_margin_loss", f(4, 3), f(4, 3), f(4, 3), margin=2.0, p=1, reduction="none", torch=_torch("triplet_margin_loss")),
    s("triplet_margin_loss", f(4, 3), f(4, 3), f(4, 3), swap=True, reduction="sum", torch=_torch("triplet_margin_loss")),
    s("multilabel_soft_margin_loss", f(4, 3), below(2, 4, 3, dtype="float32")),
    s("multilabel_soft_margin_loss", f(4, 3), below(2, 4, 3, dtype="float32"), weight=unit(3), reduction="none"),
    s("multi_margin_loss", f(4, 3), below(3, 4, dtype="int64")),
    s("multi_margin_loss", f(4, 3), below(3, 4, dtype="int64"), p=2, margin=2, reduction="sum"),
    s("multi_margin_loss", f(4, 3), below(3, 4, dtype="int64"), weight=unit(3), reduction="none"),
    s("multilabel_margin_loss", f(2, 4), lit([[1, 3, -1, 0], [2, -1, 1, 1]], "int32"), torch=_torch("multilabel_margin_loss")),
    s("multilabel_margin_loss", f(2, 4), lit([[1, 3, -1, 0], [2, -1, 1, 1]], "int32"), reduction="none", torch=_torch("multilabel_margin_loss")),
    s("gaussian_nll_loss", f(4, 3), f(4, 3), unit(4, 1)),
    s("gaussian_nll_loss", f(4, 3), f(4, 3), unit(4, 3), full=True, reduction="sum"),
    s("cosine_similarity", f(4, 3), f(4, 3)),
    s("cosine_similarity", f(4, 3), f(4, 3), dim=0),
    s("softmax_cross_entropy_with_logits", LOGITS, dist(3, 5), ms=lambda ms, x, y: ms.ops.SoftmaxCrossEntropyWithLogits()(x, y)[0]),
    s("sparse_softmax_cross_entropy_with_logits", LOGITS, below(5, 3), ms=lambda ms, x, y: ms.ops.SparseSoftmaxCrossEntropyWithLogits()(x, y)),
]


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
    s("conv2d", f(3, 7, 8), f(4, 3, 3, 3), torch=_torch("conv2d"), why="MindSpore takes batches only"),
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
        s(_t, _x, _w, torch=_torch(_t)),
        s(_t, _x, _w, f(3), stride=2, padding=1, output_padding=1, torch=_torch(_t)),
        s(_t, _x, f(4, 2, *[3] * _rank), stride=2, groups=2, dilation=2, torch=_torch(_t)),
        s(_t, _x, _w, f(3), padding=1, torch=_torch(_t)),
    ]
CONVOLUTION += [
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
    s("max_pool2d", spread(2, 5, 6), 2, 2, torch=_torch("max_pool2d"), why="MindSpore takes batches only"),
    s("max_pool2d", spread(1, 2, 9, 9), 7, 1, 3, return_indices=True),
    s("max_pool2d", f(1, 2, 5, 6), 2, padding=2, fails=True),
    s("max_pool2d", f(1, 2, 5, 6), 0, fails=True),
    s("max_pool2d", f(1, 2, 5, 6), 2.5, fails=True),
    s("max_pool3d", spread(1, 2, 5, 6, 4), 2),
    s("max_pool3d", spread(1, 2, 5, 6, 4), 3, 2, 1),
    s("max_pool3d", spread(1, 2, 5, 6, 4), (1, 2, 2), 1, dilation=(1, 2, 1), return_indices=True),
    s("max_pool3d", spread(1, 2, 5, 6, 5), 2, 2, ceil_mode=True),
    s("max_pool1d", spread(2, 3, 9), 3, 2, torch=_torch("max_pool1d")),
    s("max_pool1d", spread(2, 3, 9), 3, 2, 1, ceil_mode=True, torch=_torch("max_pool1d")),
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
    s("avg_pool2d", spread(2, 5, 6), 2, 2, torch=_torch("avg_pool2d"), why="MindSpore takes batches only"),
    s("avg_pool2d", f(1, 2, 5, 6), 0, fails=True),
    s("avg_pool1d", f(1, 2, 7)),
    s("avg_pool1d", f(1, 2, 7), 3, 2, 1),
    s("avg_pool1d", f(1, 2, 7), 3, 2, 1, count_include_pad=False),
    s("avg_pool1d", f(1, 2, 8), 3, 2, ceil_mode=True),
    s("avg_pool3d", f(1, 2, 5, 6, 4), 2, 2),
    s("avg_pool3d", f(1, 2, 5, 6, 4), 3, 2, 1, count_include_pad=False),
    s("avg_pool3d", f(1, 2, 5, 6, 4), 3, 1, (1, 0, 1, 0, 1, 1)),
    s("adaptive_avg_pool1d", f(1, 2, 6), 3),
    s("adaptive_avg_pool1d", f(1, 2, 7), 3, torch=_torch("adaptive_avg_pool1d"), why="MindSpore divides evenly only"),
    s("adaptive_avg_pool2d", f(1, 2, 7, 5), 3),
    s("adaptive_avg_pool2d", f(2, 7, 5), (None, 3)),
    s("adaptive_avg_pool2d", f(1, 2, 4, 4), (5, 1)),
    s("adaptive_avg_pool2d", h(1, 2, 7, 5), (2, 3)),
    s("adaptive_avg_pool2d", f(7, 5), 2, fails=True),
    s("adaptive_avg_pool3d", f(1, 2, 7, 5, 4), (None, 3, 2)),
    s("adaptive_avg_pool3d", f(2, 5, 5, 4), 2),
    s("adaptive_max_pool1d", spread(1, 2, 6), 3),
    s("adaptive_max_pool1d", spread(1, 2, 7), 3, torch=_torch("adaptive_max_pool1d")),
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
    s("batch_norm", f(2, 3, 5), lit(_STATS[0]), lit(_STATS[1]), f(3), f(3), training=True, torch=_torch("batch_norm", (1, 2)), tol=1e-4),
    s("batch_norm", f(2, 3, 2, 2, 3), lit(_STATS[0]), lit(_STATS[1]), f(3), f(3), training=True, torch=_torch("batch_norm", (1, 2)), tol=1e-4),
    s("batch_norm", f(2, 3, 5), lit(_STATS[0]), lit(_STATS[1]), None, None, training=True, torch=_torch("batch_norm", (1, 2)), tol=1e-4),
    s("batch_norm", h(2, 3, 4, 5), lit(_STATS[0]), lit(_STATS[1]), lit(_ONES), lit(_ONES)),
    s("batch_norm", h(4, 3, 4, 5), lit(_STATS[0]), lit(_STATS[1]), lit(_ONES), lit(_ONES), training=True),
    s("batch_norm", f(4, 4), lit(_STATS[0]), lit(_STATS[1]), f(3), f(3), fails=True),
    s("layer_norm", f(4, 3, 5), (5,), torch=_torch("layer_norm"), why="no CPU kernel of LayerNormExt"),
    s("layer_norm", f(4, 3, 5), (3, 5), f(3, 5), f(3, 5), torch=_torch("layer_norm")),
    s("layer_norm", f(4, 3, 5), (5,), f(5), f(5), 1e-3, torch=_torch("layer_norm")),
    s("layer_norm", h(4, 16), (16,), h(16), h(16), torch=_torch("layer_norm")),
    s("layer_norm", f(4, 3, 5), (4,), fails=True),
    s("group_norm", f(2, 6, 3), 3),
    s("group_norm", f(2, 6, 3, 2), 2, f(6), f(6)),
    s("group_norm", f(2, 6), 2, f(6), f(6), 1e-3),
    s("group_norm", h(2, 6, 3), 1, h(6), h(6)),
    s("group_norm", f(2, 6, 3), 4, fails=True),
    s("instance_norm", f(2, 3, 4), torch=_torch("instance_norm", (1, 2))),
    s("instance_norm", f(2, 3, 4, 5), None, None, f(3), f(3), eps=1e-3, torch=_torch("instance_norm", (1, 2))),
    s("instance_norm", f(2, 3, 4, 5), lit(_STATS[0]), lit(_STATS[1]), f(3), f(3), False, torch=_torch("instance_norm", (1, 2))),
    s("rms_norm", f(4, 3, 5), f(5), torch=lambda t, x, g: (t.nn.functional.rms_norm(x, (5,), g, 1e-6), t.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6))),
    s("lrn", f(2, 7, 3, 3)),
    s("lrn", f(2, 7, 3, 3), 2, 2.0, 0.5, 0.75),
    s("lrn", h(2, 7, 3, 3), 1),
    s("lrn", f(7, 3, 3), fails=True),
    s("l2_normalize", f(4, 3, 5), ms=lambda ms, x: ms.ops.L2Normalize(axis=0)(x)),
    s("l2_normalize", f(4, 3, 5), axis=1, ms=lambda ms, x, axis: ms.ops.L2Normalize(axis=axis)(x)),
    s("l2_normalize", h(4, 3), axis=-1, epsilon=1e-3, ms=lambda ms, x, axis, epsilon: ms.ops.L2Normalize(axis=axis, epsilon=epsilon)(x)),
    s("normalize", f(4, 3, 5), torch=_torch("normalize")),
    s("normalize", f(4, 3, 5), 1.0, -1, torch=_torch("normalize")),
    s("normalize", f(4, 3, 5), 3.0, 0, 0.5, torch=_torch("normalize")),
]

_IDS = lit([[1, 2], [0, 2]], "int32")
EMBEDDING = [
    s("embedding", _IDS, f(4, 3), torch=_torch("embedding"), why="no CPU kernel"),
    s("embedding", _IDS, f(4, 3), padding_idx=2, torch=_torch("embedding"), why="held row"),
    s("embedding", _IDS, f(4, 3), padding_idx=-2, torch=_torch("embedding"), why="held row"),
    s("embedding", _IDS, f(4, 3), scale_grad_by_freq=True, torch=_torch("embedding"), why="held row"),
    s("embedding", lit([1.0]), f(4, 3), fails="TypeError", torch=_torch("embedding")),
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

FAMILIES = {
    "activation": ACTIVATION,
    "loss": LOSS,
    "convolution": CONVOLUTION,
    "pooling": POOLING,
    "normalization": NORMALIZATION,
    "embedding": EMBEDDING,
    "attention": ATTENTION,
    "clip": CLIP,
}
SAMPLES = [sample for family in FAMILIES.values() for sample in family]
