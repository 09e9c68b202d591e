"""Activation, pooling and loss modules without Parameters (table-driven), dropout, max unpooling."""

from typing import Any

from msjax.ops.common.name_table import read_table
from msjax.torch.nn import functional as F
from msjax.torch.nn.making import empty_parameter, fill, with_device_and_dtype
from msjax.torch.nn.module import Module
from msjax.torch.tensors.call_conventions import reduction_of

# The class; its parameters, which are the function's too; the function of torch.nn.functional. `@` stands for the old
# and the new names of the reduction, `@old` for those with what came between them.
_ELEMENTWISE = """
ReLU(inplace=False) -> relu
ReLU6(inplace=False) -> relu6
LeakyReLU(negative_slope=0.01, inplace=False) -> leaky_relu
ELU(alpha=1.0, inplace=False) -> elu
CELU(alpha=1.0, inplace=False) -> celu
SELU(inplace=False) -> selu
GELU(approximate='none') -> gelu
SiLU(inplace=False) -> silu
Mish(inplace=False) -> mish
Sigmoid() -> sigmoid
Tanh() -> tanh
LogSigmoid() -> logsigmoid
Softplus(beta=1.0, threshold=20.0) -> softplus
Softsign() -> softsign
Tanhshrink() -> tanhshrink
Hardsigmoid(inplace=False) -> hardsigmoid
Hardswish(inplace=False) -> hardswish
Hardshrink(lambd=0.5) -> hardshrink
Softshrink(lambd=0.5) -> softshrink
Threshold(threshold, value, inplace=False) -> threshold
GLU(dim=-1) -> glu
Softmax(dim=None) -> softmax
LogSoftmax(dim=None) -> log_softmax
AvgPool1d(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True) -> avg_pool1d
AvgPool2d(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None) -> avg_pool2d
MaxPool1d(kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False) -> max_pool1d
MaxPool2d(kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False) -> max_pool2d
AdaptiveAvgPool1d(output_size) -> adaptive_avg_pool1d
AdaptiveAvgPool2d(output_size) -> adaptive_avg_pool2d
AdaptiveMaxPool1d(output_size, return_indices=False) -> adaptive_max_pool1d
AdaptiveMaxPool2d(output_size, return_indices=False) -> adaptive_max_pool2d
PixelShuffle(upscale_factor) -> pixel_shuffle
Unfold(kernel_size, dilation=1, padding=0, stride=1) -> unfold
Fold(output_size, kernel_size, dilation=1, padding=0, stride=1) -> fold
MSELoss(@) -> mse_loss
L1Loss(@) -> l1_loss
SmoothL1Loss(@, beta=1.0) -> smooth_l1_loss
HuberLoss(reduction='mean', delta=1.0) -> huber_loss
BCELoss(weight=None, @) -> binary_cross_entropy
BCEWithLogitsLoss(weight=None, @, pos_weight=None) -> binary_cross_entropy_with_logits
CrossEntropyLoss(@old, label_smoothing=0.0) -> cross_entropy
NLLLoss(@old) -> nll_loss
NLLLoss2d(@old) -> nll_loss
KLDivLoss(@, log_target=False) -> kl_div
CosineEmbeddingLoss(margin=0.0, @) -> cosine_embedding_loss
MarginRankingLoss(margin=0.0, @) -> margin_ranking_loss
SoftMarginLoss(@) -> soft_margin_loss
TripletMarginLoss(margin=1.0, p=2.0, eps=1e-06, swap=False, @) -> triplet_margin_loss
CosineSimilarity(dim=1, eps=1e-8) -> cosine_similarity
PairwiseDistance(p=2.0, eps=1e-6, keepdim=False) -> pairwise_distance
AvgPool3d(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None) -> avg_pool3d
MaxPool3d(kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False) -> max_pool3d
AdaptiveAvgPool3d(output_size) -> adaptive_avg_pool3d
AdaptiveMaxPool3d(output_size, return_indices=False) -> adaptive_max_pool3d
LPPool1d(norm_type, kernel_size, stride=None, ceil_mode=False) -> lp_pool1d
LPPool2d(norm_type, kernel_size, stride=None, ceil_mode=False) -> lp_pool2d
LPPool3d(norm_type, kernel_size, stride=None, ceil_mode=False) -> lp_pool3d
FractionalMaxPool2d(@part) -> fractional_max_pool2d
FractionalMaxPool3d(@part) -> fractional_max_pool3d
PixelUnshuffle(downscale_factor) -> pixel_unshuffle
ChannelShuffle(groups) -> channel_shuffle
Softmin(dim=None) -> softmin
LocalResponseNorm(size, alpha=0.0001, beta=0.75, k=1.0) -> local_response_norm
CrossMapLRN2d(size, alpha=0.0001, beta=0.75, k=1) -> local_response_norm
MultiMarginLoss(p=1, margin=1.0, weight=None, @) -> multi_margin_loss
MultiLabelMarginLoss(@) -> multilabel_margin_loss
MultiLabelSoftMarginLoss(weight=None, @) -> multilabel_soft_margin_loss
HingeEmbeddingLoss(margin=1.0, @) -> hinge_embedding_loss
PoissonNLLLoss(log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction='mean') -> poisson_nll_loss
GaussianNLLLoss(*, full=False, eps=1e-6, reduction='mean') -> gaussian_nll_loss
CTCLoss(blank=0, reduction='mean', zero_infinity=False) -> ctc_loss
"""


# The inputs of those that do not take `input`, or as losses `input` and `target`.
_INPUTS = {
    **dict.fromkeys(("CosineSimilarity", "PairwiseDistance"), "x1, x2"),
    **dict.fromkeys(("CosineEmbeddingLoss", "MarginRankingLoss"), "input1, input2, target"),
    "TripletMarginLoss": "anchor, positive, negative",
    "GaussianNLLLoss": "input, target, var",
    "PoissonNLLLoss": "log_input, target",
    "CTCLoss": "log_probs, targets, input_lengths, target_lengths",
}


class _Loss(Module):
    """Base of the losses.

    Args:
        size_average, reduce: what older programs give instead of `reduction`.
        reduction: "mean", "sum" or "none".
    """

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction_of(size_average, reduce, reduction)


class _WeightedLoss(_Loss):
    """Base of the losses with a weight for each class, which is a buffer."""

    def __init__(
        self, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


def _make_activation(name: str, function: str, signature: str) -> type[Module]:
    given = [part.split("=")[0].strip() for part in signature.split(",") if part.strip(" *")]
    spoken = [word for word in given if word not in ("size_average", "reduce")]
    quiet = [
        word
        for word in spoken
        if word not in ("inplace", "reduction", "weight", "pos_weight", "return_indices")
    ]

    def apply(self: Module, *inputs: Any) -> Any:
        return getattr(F, function)(*inputs, **{word: getattr(self, word) for word in spoken})

    if name.endswith("Loss"):  # PyTorch prints no settings of these
        quiet = []
    pool = "kernel_size" in spoken and "Pool" in name
    if pool:
        quiet = [w for w in quiet if w not in ("return_indices", "count_include_pad", "divisor_override")]
        quiet = quiet if "dilation" in quiet or name.startswith("LP") else quiet[:3]

    def extra_repr(self: Module) -> str:
        """The settings."""
        if name in ("Hardshrink", "Softshrink"):
            return str(self.lambd)
        show = repr if name == "GELU" else str
        shown = [f"{word}={show(getattr(self, word))}" for word in quiet]
        shown += ["inplace=True"] * bool(getattr(self, "inplace", False))
        return ", ".join(shown).removeprefix("size=")

    inputs = _INPUTS.get(name, "input, target" if name.endswith("Loss") else "input")
    scope: dict[str, Any] = {"Module": Module, "reduction_of": reduction_of, "_apply": apply}
    exec(f"def forward(self, {inputs}):\n    return _apply(self, {inputs})", scope)  # noqa: S102  programs name them
    scope["forward"].__doc__ = "Apply the function to the inputs."
    kept = "register_buffer({0!r}, {0})" if name.endswith("Loss") else "{0} = {0}"
    body = "".join(
        "\n    self." + (kept if word.endswith("weight") else "{0} = {0}").format(word) for word in spoken
    )
    if "reduce" in given:
        body += "\n    self.reduction = reduction_of(size_average, reduce, reduction)"
    if "stride=None" in signature and not name.startswith("LP"):
        body += "\n    self.stride = kernel_size if stride is None else stride"
    if name == "AvgPool1d":
        body += "".join(
            f"\n    self.{w} = (self.{w},) if isinstance(self.{w}, int) else self.{w}" for w in spoken[:3]
        )
    exec(f"def __init__(self, {signature}):\n    Module.__init__(self){body}", scope)  # noqa: S102  of the table above
    doc = f"Applies :func:`msjax.torch.nn.functional.{function}`."
    members = {"__init__": scope["__init__"], "forward": scope["forward"], "extra_repr": extra_repr}
    base: Any = Module
    if name.endswith("Loss"):
        base = _WeightedLoss if "weight" in spoken else _Loss
    return type(name, (base,), {**members, "__doc__": doc, "__module__": __name__})


_REDUCTIONS = {
    "@part": "kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None",
    "@old": "weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'",
    "@": "size_average=None, reduce=None, reduction='mean'",
}
for _sign, _words in _REDUCTIONS.items():
    _ELEMENTWISE = _ELEMENTWISE.replace(_sign, _words)
_ROWS = read_table(_ELEMENTWISE)
globals().update(
    {name: _make_activation(name, row.target, row.signature[1:-1]) for name, row in _ROWS.items()}
)
NAMES = list(_ROWS)


@with_device_and_dtype
class PReLU(Module):
    """max(x, 0) + weight * min(x, 0), with a learnt weight."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = empty_parameter(num_parameters)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weights to the first value."""
        fill(self.init, self.weight)

    def forward(self, input: Any) -> Any:
        """Elementwise."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Return the number of weights."""
        return f"num_parameters={self.num_parameters}"


class Hardtanh(Module):
    """Applies :func:`msjax.torch.nn.functional.hardtanh`.

    Args:
        min_val, max_val: the bounds.
        inplace: whether the input is changed.
        min_value, max_value: what older programs give instead.
    """

    def __init__(
        self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False, min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace

    def forward(self, input: Any) -> Any:
        """Elementwise."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)  # type: ignore[attr-defined]

    def extra_repr(self) -> str:
        """Return the bounds."""
        return f"min_val={self.min_val}, max_val={self.max_val}" + ", inplace=True" * self.inplace


class RReLU(Module):
    """x where it is positive, elsewhere times a slope drawn between two; in eval mode times their mean."""

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: Any) -> Any:
        """Elementwise."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Return the slopes."""
        return f"lower={self.lower}, upper={self.upper}"


class _Unpool(Module):
    """Max unpooling: puts the maxima back at their indices, with zeros elsewhere."""

    _dims = 2

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        each = lambda size: (size,) * self._dims if isinstance(size, int) else tuple(size)  # noqa: E731
        self.kernel_size, self.padding = each(kernel_size), each(padding)
        self.stride = self.kernel_size if stride is None else each(stride)

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        """Unpool values with their indices, as the pooling returned them."""
        unpool = getattr(F, f"max_unpool{self._dims}d")
        return unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


MaxUnpool1d = type(
    "MaxUnpool1d", (_Unpool,), {"_dims": 1, "__doc__": _Unpool.__doc__, "__module__": __name__}
)
MaxUnpool2d = type(
    "MaxUnpool2d", (_Unpool,), {"_dims": 2, "__doc__": _Unpool.__doc__, "__module__": __name__}
)
MaxUnpool3d = type(
    "MaxUnpool3d", (_Unpool,), {"_dims": 3, "__doc__": _Unpool.__doc__, "__module__": __name__}
)
NAMES += ["MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]


class TripletMarginWithDistanceLoss(_Loss):
    """Applies :func:`msjax.torch.nn.functional.triplet_margin_with_distance_loss`."""

    def __init__(
        self,
        *,
        distance_function: Any = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction=reduction)
        self.distance_function, self.margin, self.swap = distance_function, margin, swap

    def forward(self, anchor: Any, positive: Any, negative: Any) -> Any:
        """Compute the loss of anchor, positive and negative, three tensors of one shape."""
        options = {word: getattr(self, word) for word in ("distance_function", "margin", "swap", "reduction")}
        return F.triplet_margin_with_distance_loss(anchor, positive, negative, **options)


class Identity(Module):
    """Return the input; arguments are accepted and ignored, as in PyTorch."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Return the input."""
        return input


class Dropout(Module):
    """Dropout: in training, zero with probability p, else x / (1 - p)."""

    _function = "dropout"

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Any) -> Any:
        """Elementwise."""
        if not self.training:
            return input
        return getattr(F, self._function)(input, self.p, True, inplace=self.inplace)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout2d(Dropout):
    """The same for whole channels of a (n, c, h, w) tensor."""

    _function = "dropout2d"


class Dropout1d(Dropout):
    """The same for whole channels of a (n, c, length) tensor."""

    _function = "dropout1d"


class Dropout3d(Dropout):
    """The same for whole channels of a (n, c, d, h, w) tensor."""

    _function = "dropout3d"


class AlphaDropout(Dropout):
    """Dropout that keeps mean and variance after SELU."""

    _function = "alpha_dropout"


class FeatureAlphaDropout(Dropout):
    """The same for whole channels."""

    _function = "feature_alpha_dropout"
