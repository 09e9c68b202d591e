"""Samples of mint: one line is one call, under MindSpore's and PyTorch's common name (see `samples.py`).

The oracle is PyTorch 2.13 for all of them: most have no CPU kernel in MindSpore 2.10, and where they have one, mint's
documentation points at PyTorch's function. `EAGER` samples have results whose shape depends on values.
"""

from samples import DT, In, Sample, below, d, f, h, lit, s, spread, unit

NAN, INF = float("nan"), float("inf")
ODD = lit([NAN, INF, -INF, 0.0, -0.0, 1.5, -2.5])
F = "nn.functional."
AT_ZERO = lit([[0.0, 0.0, 0.0], [1.0, 0.0, -2.0]])


def i(*shape: int, dtype: str = "int64", high: int = 7):  # noqa: ANN201
    return below(high, *shape, dtype=dtype)


def b(*shape: int):  # noqa: ANN201
    return below(2, *shape, dtype="bool")


def _each(names: str, *rows: tuple, **options: object) -> list[Sample]:
    return [s(name, *row, **options) for name in names.split() for row in rows]


ELEMENTWISE = [
    *_each("sin cos tanh sigmoid erf exp expm1 square sinc", (f(2, 3),)),
    *_each("log log2 log10 log1p rsqrt sqrt reciprocal erfinv acos atanh", (unit(2, 3),)),
    *_each("abs ceil floor sign frac trunc neg round", (ODD,), (f(2, 3),), grad=False),
    *_each("sin sqrt exp reciprocal sigmoid tanh erf rsqrt log2 expm1 cosh sinc", (i(3, dtype="int32"),), grad=False, tol=1e-5),
    *_each("add sub mul div maximum fmod remainder", (f(2, 3), f(3))),
    *_each("add sub mul div", (i(3, dtype="int32"), i(3)), (i(3), f(3)), (f(3), 2), (i(3), 2), grad=False),
    s("add", f(2, 3), f(3), alpha=2), s("sub", f(2, 3), f(3), alpha=0.5), s("add", i(3), i(3), alpha=3),
    s("div", f(4), f(4), rounding_mode="floor", grad=False), s("div", i(4), lit([2, -3, 5, 2], "int64"), rounding_mode="trunc"),
    s("floor_divide", i(4), lit([2, -3, 5, 2], "int64")), s("remainder", i(4), lit([2, -3, 5, 2], "int64")),
    s("pow", unit(2, 3), 2.5), s("pow", i(3), 2), s("pow", unit(3), unit(3)), s("float_power", i(3), 2, grad=False),
    s("addcmul", f(2, 3), f(3), f(2, 1), value=2), s("addcdiv", f(2, 3), f(3), unit(2, 1), value=0.5),
    s("lerp", f(2, 3), f(2, 3), 0.3), s("lerp", f(2, 3), f(2, 3), unit(2, 3)), s("xlogy", unit(3), unit(3)),
    s("logaddexp", f(3), f(3)), s("logaddexp2", f(3), f(3)), s("gcd", i(4), i(4)),
    s("clamp", f(2, 3), -0.5, 0.5), s("clamp", f(2, 3), min=0.1), s("clamp", i(4), 2, 4), s("clip", f(3), max=0.0),
    s("nan_to_num", ODD, grad=False), s("nan_to_num", ODD, nan=1.0, posinf=2.0, neginf=-2.0, grad=False),
    *_each("isfinite isinf isneginf", (ODD,), grad=False), s("isclose", f(3), f(3), equal_nan=True),
    *_each("eq ne lt le gt ge greater_equal less", (i(4), i(4)), (f(3), 0.0), grad=False),
    *_each("logical_and logical_or logical_xor", (b(4), b(4)), (i(4), i(4)), grad=False),
    *_each("bitwise_and bitwise_or bitwise_xor", (i(4), i(4)), (b(4), b(4))), s("bitwise_not", i(3)),
    s("atan2", f(3), f(3)), s("round", f(4), decimals=2, grad=False),
    s("add", h(2, 3), h(3), tol=2e-3), *_each("add mul", (f(), f(2)), (f(0, 3), f(3)), (lit([1 + 2j, 3j], "complex64"), 2), grad=False), s("mul", d(2, 3), d(3)), s("add", f(2), f(3), fails="ValueError"),
]  # fmt: skip

REDUCTIONS = [
    *_each("sum mean prod", (f(2, 3),), (f(2, 3), 1), (f(2, 3, 2), -1, True)),
    *_each("sum prod", (i(2, 3, dtype="int32"),), (b(2, 3), 0), grad=False),
    s("sum", f(2, 3), (0, 1)), s("sum", f(2, 3), dtype=DT("float64"), grad=False), s("sum", h(2, 3), tol=2e-3),
    s("mean", f(0, 3), 1), s("mean", f(2, 3), dtype=DT("float64"), grad=False), s("nansum", ODD, grad=False),
    *_each("sum mean prod cumsum", (f(0, 3), 0), (h(2, 3), 0), (d(2, 3), 1), tol=2e-3), *_each("std var", (f(2, 3),), (f(2, 3), 1), (f(2, 3, 2), (0, 2))),
    *_each("std var std_mean var_mean", (f(2, 5),), dim=1, correction=0, keepdim=True),
    *_each("all any", (b(2, 3),), (b(2, 3), 1), (f(2, 3), 0, True), (i(2, 3),), grad=False),
    *_each("amax amin", (spread(2, 3), 1), (spread(2, 3), (0, 1), True), (spread(2, 3),)),
    *_each("argmax argmin", (spread(2, 3),), (spread(2, 3), 1), (spread(2, 3), -1, True), grad=False),
    *_each("max min", (spread(2, 3),), (spread(2, 3), 1), (spread(2, 3), 0, True), (spread(4), f(4))),
    s("max", i(2, 3), 1), s("max", spread(2, 3), dim=1, keepdim=True), s("max", f(2, 3), 5, fails="ValueError"),
    *_each("median", (spread(7),), (spread(2, 5), 1), (spread(2, 4), 0, True)),
    s("kthvalue", spread(2, 5), 2), s("kthvalue", spread(3, 2), 1, 0, True), s("kthvalue", spread(3), 9, fails="RuntimeError"),
    s("count_nonzero", i(2, 3, high=2)), s("count_nonzero", f(2, 3), 1, grad=False), s("logsumexp", f(2, 3), 1),
    s("logsumexp", f(2, 3), (0, 1), True), s("norm", f(2, 3)), s("norm", lit([3 + 4j, 1j], "complex64"), grad=False), s("norm", f(2, 3), 1, 1), s("norm", f(2, 3), INF, 0),
    s("norm", f(2, 3), 3, (0, 1), True), s("linalg.norm", f(2, 3)), s("linalg.norm", f(2, 3), 2, 1),
    s("linalg.vector_norm", f(2, 3), 3), s("linalg.vector_norm", f(2, 3), dim=1, keepdim=True),
    s("linalg.matrix_norm", f(2, 3)), s("linalg.matrix_norm", f(2, 3), 1, keepdim=True),
    *_each("cumsum", (f(2, 3), 1), (f(2, 3), 0)), s("cumsum", i(4, dtype="int32"), 0), s("cumsum", b(4), 0),
    s("cumsum", i(4), 0, dtype=DT("float32")), s("cumprod", f(2, 3), 1), s("cumprod", i(4, dtype="int32"), 0),
    s("cummax", spread(2, 4), 1), s("cummin", spread(4, 2), 0), s("diff", f(5), 2), s("diff", f(2, 4), dim=0),
    s("histc", unit(9), 4, grad=False), s("histc", f(9), 4, -1, 1, grad=False),
    s("sort", spread(2, 4)), s("sort", spread(4, 2), dim=0, descending=True), s("argsort", spread(2, 4), 0, True, grad=False),
    s("topk", spread(2, 5), 2), s("topk", spread(5, 2), 3, 0, False), s("trace", f(3, 3)),
    s("searchsorted", lit([1.0, 3.0, 5.0]), f(4), grad=False), s("searchsorted", lit([1, 3, 5], "int64"), i(4), right=True, out_int32=True),
    *[s(name, row, **more) for name in ("std", "var", "std_mean", "var_mean") for row, more in (
        (f(1), {}), (f(2), {"correction": 3, "grad": False}), (lit([2.0, 2.0]), {}), (lit([2.0]), {"correction": 0}))],
    s("std", i(3), fails="TypeError"), s("sort", f(), dim=-1), s("argsort", f(), -1, grad=False), s("all", lit([1j, 1], "complex64"), grad=False),
    *[s("linalg.vector_norm", AT_ZERO, p, 1) for p in (0.5, 1, 2, 3, INF, -1)],
]  # fmt: skip

ARRAYS = [
    s("cat", [f(2, 3), f(1, 3)]), s("concat", [f(2, 3), f(2, 1)], 1), s("stack", [f(2, 3), f(2, 3)], 1), s("cat", [i(2), f(2)], grad=False),
    s("hstack", [f(2, 1), f(2, 2)]), s("dstack", [f(2, 1), f(2, 1)]), s("chunk", f(5, 2), 3), s("chunk", f(2, 5), 2, 1),
    s("split", f(5, 2), 2), s("split", f(2, 5), [1, 4], 1), s("unbind", f(2, 3), 1), s("flatten", f(2, 3, 2), 1),
    s("flatten", f(2, 3)), s("reshape", f(2, 3), (3, -1)), s("permute", f(2, 3, 4), (2, 0, 1)), s("transpose", f(2, 3, 4), 0, 2),
    s("t", f(2, 3)), s("squeeze", f(1, 3, 1)), s("squeeze", f(1, 3, 1), 0), s("unsqueeze", f(2, 3), -1), s("broadcast_to", f(1, 3), (2, 3)),
    s("tile", f(2, 3), (2, 2, 1)), s("repeat_interleave", f(2, 3), 2), s("repeat_interleave", f(2, 3), 2, 1), s("roll", f(2, 3), 1),
    s("roll", f(2, 3), (1, 2), (0, 1)), s("flip", f(2, 3), (1,)), s("narrow", f(4, 3), 0, 1, 2), s("select", f(4, 3), 1, -1),
    s("index_select", f(4, 3), 1, lit([2, 0], "int64")), s("gather", f(2, 3), 1, lit([[2, 0], [1, 1]], "int64")),
    s("index_add", f(4, 2), 0, lit([2, 0], "int64"), f(2, 2), alpha=2), s("scatter_add", f(2, 3), 1, lit([[2, 2], [1, 0]], "int64"), f(2, 2)),
    s("scatter", f(2, 3), 1, lit([[2, 0], [1, 0]], "int64"), f(2, 2)), s("scatter", f(2, 3), 1, lit([[2, 0]], "int64"), f(2, 3), grad=False),
    s("take", f(2, 3), lit([[5, 0]], "int64")), s("where", b(2, 3), f(2, 3), 0.0), s("where", b(3), f(2, 3), f(2, 1)), s("tril", f(3, 3), -1),
    s("triu", f(2, 3), 1), s("diag", f(3), 1), s("diag", f(3, 4), -1), s("ravel", f(2, 3)), s("clone", f(2, 3)), s("swapaxes", f(2, 3), 0, 1),
    s("meshgrid", f(2), f(3), indexing="ij"), s("meshgrid", f(2), f(3), indexing="xy"), s("bincount", i(9), minlength=9),
    s("ones_like", f(2, 3), grad=False), s("zeros_like", i(2), dtype=DT("float16")), s("full_like", f(2), 3.5, grad=False),
    s("arange", 5), s("arange", 1, 4, 0.5), s("arange", 5, dtype=DT("float32")), s("eye", 2, 3), s("full", (2, 2), 7), s("full", (2,), 1.5),
    s("full", (2,), True), s("linspace", 0, 1, 5), s("zeros", (2, 3)), s("ones", 3, dtype=DT("int32")), s("polar", unit(3), f(3), grad=False),
    s("meshgrid", f(), f(2)), s("meshgrid", f(), indexing="xy"),
    s("meshgrid", f(2), i(2), fails="ValueError"), s("cat", [f(2, 3), f(2, 2)], fails="ValueError"), s("reshape", f(2, 3), (4, 2), fails="ValueError"),
]  # fmt: skip

EAGER = [
    s("unique_consecutive", lit([1, 1, 2, 2, 1], "int64"), return_counts=True), s("nonzero", i(3, 2, high=2)), s("masked_select", f(2, 3), b(2, 3), grad=False),
    s("unique", i(9), return_inverse=True, return_counts=True), s("nonzero", i(4, high=2), as_tuple=True), s(F + "one_hot", i(4)),
    s("where", b(2, 3)), s("bincount", i(9)),
]  # fmt: skip

PRODUCTS = [
    s("matmul", f(2, 3), f(3, 2)), s("matmul", f(2, 2, 3), f(3)), s("mm", f(2, 3), f(3, 4)), s("bmm", f(2, 2, 3), f(2, 3, 2)), s("mv", f(2, 3), f(3)),
    s("dot", f(3), f(3)), s("vdot", f(3), f(3)), s("outer", f(2), f(3)), s("cross", f(2, 3), f(2, 3)), s("cross", f(3, 2), f(3, 2), dim=0),
    s("addmm", f(2, 2), f(2, 3), f(3, 2), beta=0.5, alpha=2), s("addmv", f(2), f(2, 3), f(3)), s("addbmm", f(2, 2), f(3, 2, 3), f(3, 3, 2)),
    s("baddbmm", f(2, 2, 2), f(2, 2, 3), f(2, 3, 2), beta=2), s("einsum", "ij,jk->ik", f(2, 3), f(3, 2)), s("cdist", f(3, 2), f(2, 2)),
    s("cdist", f(2, 3, 2), f(2, 2, 2), p=1.0), s("inverse", lit([[2.0, 1.0], [0.5, 3.0]])), s("linalg.inv", lit([[2.0, 1.0], [0.5, 3.0]])),
    s("triangular_solve", f(2, 2), lit([[2.0, 1.0], [0.0, 3.0]])), s("triangular_solve", f(2, 1), lit([[2.0, 0.0], [1.0, 3.0]]), False, True),
    s("conv_tbc", f(4, 2, 3), f(2, 3, 2), f(2), 1), s("mm", f(2, 3), f(2, 3), fails="ValueError"), s("vdot", f(2), f(3), fails="ValueError"),
    *[s(name, *rows, fails="RuntimeError") for name, *rows in (
        ("mv", f(2, 3), f(2)), ("mv", f(3), f(3)), ("mv", f(2, 3), f(3, 1)), ("baddbmm", f(2, 2), f(2, 3), f(2, 3, 2)),
        ("baddbmm", f(2, 2), f(2, 2, 3), f(2, 2, 3)), ("addbmm", f(2, 2), f(2, 2, 3), f(1, 3, 2)))],
    s("baddbmm", d(2, 2), f(2, 2, 3), f(2, 3, 2), fails="TypeError"), s("addmv", f(3), f(2, 3), f(3), fails="ValueError"),
    s("inverse", i(2, 2), fails="ValueError"), s("linalg.inv", b(2, 2), fails="ValueError"),
]  # fmt: skip

SPECIAL = [
    *_each("special.erfc special.exp2 special.expm1 special.sinc", (f(2, 3),)), s("special.log1p", unit(3)), s("special.round", f(3), grad=False),
    s("special.log_softmax", f(2, 3), 1), s("softmax", f(2, 3), 1), s("softmax", f(2, 3), 0, dtype=DT("float64"), grad=False),
    s("softmax", f(2, 3), None, torch=lambda torch, x, _: torch.softmax(x, 1)), s("softmax", f(), 0), s("special.log_softmax", f(), -1),
]  # fmt: skip

NEURAL = [
    *_each(f"{F}elu {F}silu {F}relu6 {F}logsigmoid {F}mish {F}selu {F}softplus {F}tanh {F}sigmoid {F}gelu {F}leaky_relu", (f(2, 3),)),
    *_each(f"{F}hardshrink {F}softshrink {F}hardsigmoid {F}hardswish {F}hardtanh {F}relu", (f(2, 3),)),
    s(F + "gelu", f(2, 3), approximate="tanh"), s(F + "leaky_relu", f(4), 0.3), s(F + "threshold", f(4), 0.1, -7.0), s(F + "glu", f(2, 4)),
    s(F + "softmax", f(2, 3), 1), s(F + "log_softmax", f(2, 3, 2), 1), s(F + "prelu", f(2, 3), unit(3)), s(F + "elu", f(4), 0.5),
    s(F + "linear", f(2, 3), f(4, 3), f(4)), s(F + "conv1d", f(2, 2, 5), f(3, 2, 3), f(3), 2, 1), s(F + "conv1d", f(2, 5), f(3, 2, 3), padding="same"),
    s("conv2d", f(1, 2, 4, 5), f(4, 1, 2, 3), f(4), (2, 1), (1, 2), 1, 2), s(F + "conv2d", f(1, 2, 5, 5), f(2, 2, 2, 2), padding="same", dilation=2),
    s(F + "conv3d", f(1, 1, 3, 3, 3), f(2, 1, 2, 2, 2), f(2), padding=1), s(F + "conv_transpose2d", f(1, 2, 3, 3), f(2, 3, 2, 2), f(3), 2, 1, 1),
    s(F + "avg_pool1d", f(1, 2, 6), 2), s(F + "avg_pool2d", f(1, 1, 5, 5), 3, 2, 1, True, False), s(F + "avg_pool2d", f(1, 1, 4, 4), 2, divisor_override=3),
    s(F + "avg_pool3d", f(1, 1, 4, 4, 4), 2), s(F + "max_pool2d", spread(1, 1, 4, 4), 2), s(F + "max_pool2d", spread(1, 1, 5, 5), 3, 2, 1, return_indices=True),
    s(F + "max_pool2d", spread(1, 2, 5, 5), 2, 1, 0, 2, True), s(F + "adaptive_avg_pool1d", f(1, 2, 7), 3), s(F + "adaptive_avg_pool2d", f(1, 1, 5, 7), (2, 3)),
    s(F + "adaptive_max_pool1d", spread(1, 2, 7), 3), s(F + "adaptive_max_pool2d", spread(1, 1, 5, 7), (2, 3)),
    s(F + "layer_norm", f(2, 3), (3,), f(3), f(3)), s(F + "group_norm", f(2, 4, 3), 2, f(4), f(4)),
    s(F + "batch_norm", f(2, 3, 2), f(3), unit(3), f(3), f(3), grad=False), s(F + "normalize", f(2, 3)), s(F + "normalize", f(2, 3), 1.0, 0), s(F + "nll_loss", f(4, 3), i(4, high=3)),
    s(F + "mse_loss", f(2, 3), f(2, 3)), s(F + "l1_loss", f(2, 3), f(2, 3), reduction="sum"), s(F + "smooth_l1_loss", f(2, 3), f(2, 3), beta=0.5),
    s(F + "binary_cross_entropy", unit(2, 3), unit(2, 3)), s(F + "binary_cross_entropy_with_logits", f(2, 3), unit(2, 3), pos_weight=unit(3), grad=False),
    s(F + "cross_entropy", f(4, 3), i(4, high=3), label_smoothing=0.1), s(F + "cross_entropy", f(2, 3, 2), i(2, 2, high=3), weight=unit(3), reduction="none", grad=False),
    s(F + "nll_loss", f(4, 3), i(4, high=3), weight=unit(3), ignore_index=1, grad=False), s(F + "kl_div", f(2, 3), unit(2, 3)), s(F + "kl_div", f(2, 3), unit(2, 3), reduction="batchmean"),
    s(F + "kl_div", f(2, 3), f(2, 3), reduction="sum", log_target=True), s(F + "soft_margin_loss", f(4), lit([1.0, -1.0, 1.0, -1.0]), grad=False),
    s(F + "cosine_embedding_loss", f(2, 3), f(2, 3), lit([1.0, -1.0]), 0.2, grad=False), s(F + "one_hot", i(2, 2, high=4), 4), s(F + "pad", f(2, 3), (1, 2)),
    s(F + "pad", f(1, 2, 3), (1, 1), "reflect"), s(F + "pad", f(1, 2, 3), (1, 1), "replicate"), s(F + "pad", f(2, 3), (1, 0, 0, 2), value=2.5),
    s(F + "embedding", i(2, 3, high=5), f(5, 2)), s(F + "unfold", f(1, 2, 3, 3), 2), s(F + "fold", f(1, 8, 4), (3, 3), 2),
    s(F + "pixel_shuffle", f(1, 4, 2, 2), 2), s(F + "dropout", f(2, 3), 0.5, False), s(F + "flatten", f(2, 3), torch=lambda torch, x: torch.flatten(x)),
    *_each(f"{F}leaky_relu {F}relu6 {F}hardtanh {F}softshrink {F}hardshrink {F}elu {F}selu", (lit([-1.0, 0.0, 1.0, 6.0]),)),
    s(F + "leaky_relu", lit([-1.0, 0.0, 2.0]), -0.5), s(F + "hardtanh", lit([0.0, 0.5, 1.0]), 0, 1), s(F + "leaky_relu", i(3), fails="TypeError"),
    s(F + "threshold", lit([NAN, 0.5, 0.7]), 0.5, 9.0), s(F + "group_norm", f(0, 4, 2), 2), s(F + "normalize", lit(-2.5), 1.0, 0),
    *[s(F + "normalize", lit([[1.0, 0.0, -2.0], [3.0, 4.0, 0.0]]), p) for p in (0.5, 1.0, 3.0, INF, -INF)],
    s(F + "cosine_embedding_loss", f(3), f(3), lit(-1.0), 0.2, grad=False), s(F + "cosine_embedding_loss", f(2, 3), f(2, 3), lit([1.0, -1.0]), 2.0, grad=False), s(F + "smooth_l1_loss", lit([1.0, 2.0]), lit([1.0, 0.0]), beta=0.0),
    s(F + "nll_loss", i(2, 3), i(2, high=3), fails="TypeError"),
]  # fmt: skip

R = F + "interpolate"
G = F + "grid_sample"
RESIZING = [
    s(R, f(1, 2, 5), 7), s(R, f(1, 2, 5), scale_factor=2.0), s(R, f(1, 2, 5), 3, mode="linear"), s(R, f(1, 1, 5), 8, mode="linear", align_corners=True),
    s(R, f(1, 1, 3, 4), (5, 7), mode="bilinear"), s(R, f(1, 1, 3, 4), scale_factor=2.5, mode="bilinear"), s(R, f(1, 1, 6, 5), (4, 3), mode="area"),
    s(R, f(1, 1, 3, 4), scale_factor=(1.5, 2.3), mode="bilinear", recompute_scale_factor=True), s(R, f(1, 1, 4, 4), (6, 7), mode="bicubic"),
    s(R, f(1, 1, 4, 4), (3, 9), mode="bicubic", align_corners=True), s(R, f(1, 1, 2, 3, 2), (3, 4, 4), mode="trilinear"), s(R, f(1, 1, 2, 3, 2), 4),
    s(R, f(1, 1, 5, 5), (7, 3), mode="nearest-exact"), s(R, f(1, 1, 3), mode="bilinear", size=3, fails=True),
    *[s(G, f(2, 2, 3, 4), small, mode=m, padding_mode=p, align_corners=a, why="corners") for small in [In("normal", (2, 2, 3, 2), "float32")]
      for m in ("bilinear", "nearest") for p in ("zeros", "border", "reflection") for a in (False, True)],
    s(G, f(1, 1, 2, 3, 3), unit(1, 2, 2, 2, 3), align_corners=False),
]  # fmt: skip

FAMILIES = {
    "elementwise": ELEMENTWISE, "reductions": REDUCTIONS, "arrays": ARRAYS, "eager": EAGER, "products": PRODUCTS, "special": SPECIAL, "resizing": RESIZING,
    "neural": NEURAL,
}  # fmt: skip
SAMPLES = [sample for rows in FAMILIES.values() for sample in rows]
