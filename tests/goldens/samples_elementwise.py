"""Samples of activations and losses: what to call, and what the oracle is (see `samples.py`)."""

from collections.abc import Callable

from samples import DT, Sample, below, d, dist, f, h, lit, s, sign, unit

# fmt: off
KINKS = [-7.0, -4.0, -3.0, -2.5, -1.0, -0.5, -1e-3, 0.0, 0.25, 0.5, 1.0, 2.75, 3.0, 5.0, 6.0, 7.0]
LOGITS = f(3, 5)


def by_torch(name: str, fixed: tuple[int, ...] = ()) -> Callable:
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
    s("prelu", lit(-2.0), f(1)),
    s("prelu", f(2, 3, 4), f(2), fails=True),
    *_each("elu", s("elu", lit([1, 2], "int32"), fails=True), s("elu", f(3), 2.0, torch=by_torch("elu"), why="MindSpore takes 1.0 only")),
    # MindSpore's SeLU is right, but its CPU gradient is not the derivative of it.
    *_each("selu", torch=by_torch("selu")),
    *_each("celu", s("celu", f(4, 3), 0.5), s("celu", f(4, 3), -1.5), s("celu", f(3), 0.0, fails=True)),
    s("celu", lit([1, 2], "int32"), fails=True),
    *_each("gelu", s("gelu", f(3, 5), approximate="tanh"), s("gelu", h(3, 5), approximate="tanh"), s("gelu", d(4))),
    s("gelu", f(2), "exact", fails=True),
    s("gelu", lit([1, 2], "int32"), fails=True),
    *_each("fast_gelu"),
    *_each("silu"),
    *_each("sigmoid", s("sigmoid", lit([-100.0, -20.0, 20.0, 100.0])), s("sigmoid", d(4))),
    s("sigmoid", lit([1, 2], "int32"), fails=True),
    *_each("logsigmoid", s("logsigmoid", lit([-100.0, -80.0, 80.0, 100.0]), torch=by_torch("logsigmoid"), why="MindSpore gives -inf at -100")),
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
    *_each("mish", s("mish", lit([-100.0, 100.0]), torch=by_torch("mish"), why="MindSpore gives nan"), tol=1e-3),
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
    s("smooth_l1_loss", f(4, 5), f(4, 5), beta=0.0, reduction="mean", torch=by_torch("smooth_l1_loss")),
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
    s("hinge_embedding_loss", f(4, 3), sign(4, 3), torch=by_torch("hinge_embedding_loss", (1,)), why="MindSpore has no gradient"),
    s("hinge_embedding_loss", f(4, 3), sign(4, 3), 2.0, "none"),
    s("hinge_embedding_loss", f(4, 3), sign(4, 3), reduction="sum"),
    s("margin_ranking_loss", f(4), f(4), sign(4)),
    s("margin_ranking_loss", f(4, 3), f(4, 3), sign(4, 3), 0.5, "none"),
    s("margin_ranking_loss", f(4), f(4), sign(4), reduction="sum"),
    s("soft_margin_loss", f(4, 3), sign(4, 3), torch=by_torch("soft_margin_loss", (1,))),
    s("soft_margin_loss", f(4, 3), sign(4, 3), reduction="none", torch=by_torch("soft_margin_loss", (1,))),
    s("triplet_margin_loss", f(4, 3), f(4, 3), f(4, 3), torch=by_torch("triplet_margin_loss")),
    s("triplet_margin_loss", f(4, 3), f(4, 3), f(4, 3), margin=2.0, p=1, reduction="none", torch=by_torch("triplet_margin_loss")),
    s("triplet_margin_loss", f(4, 3), f(4, 3), f(4, 3), swap=True, reduction="sum", torch=by_torch("triplet_margin_loss")),
    s("multilabel_soft_margin_loss", f(4, 3), below(2, 4, 3, dtype="float32")),
    s("multilabel_soft_margin_loss", f(4, 3), below(2, 4, 3, dtype="float32"), weight=unit(3), reduction="none"),
    s("multi_margin_loss", f(4, 3), below(3, 4, dtype="int64")),
    s("multi_margin_loss", f(4, 3), below(3, 4, dtype="int64"), p=2, margin=2, reduction="sum"),
    s("multi_margin_loss", f(4, 3), below(3, 4, dtype="int64"), weight=unit(3), reduction="none"),
    s("multilabel_margin_loss", f(2, 4), lit([[1, 3, -1, 0], [2, -1, 1, 1]], "int32"), torch=by_torch("multilabel_margin_loss")),
    s("multilabel_margin_loss", f(2, 4), lit([[1, 3, -1, 0], [2, -1, 1, 1]], "int32"), reduction="none", torch=by_torch("multilabel_margin_loss")),
    s("gaussian_nll_loss", f(4, 3), f(4, 3), unit(4, 1)),
    s("gaussian_nll_loss", f(4, 3), f(4, 3), unit(4, 3), full=True, reduction="sum"),
    s("cosine_similarity", f(4, 3), f(4, 3)),
    s("cosine_similarity", f(4, 3), f(4, 3), dim=0),
    s("softmax_cross_entropy_with_logits", LOGITS, dist(3, 5), ms=lambda ms, x, y: ms.ops.SoftmaxCrossEntropyWithLogits()(x, y)[0]),
    s("sparse_softmax_cross_entropy_with_logits", LOGITS, below(5, 3), ms=lambda ms, x, y: ms.ops.SparseSoftmaxCrossEntropyWithLogits()(x, y)),
]
