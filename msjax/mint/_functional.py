"""Names of `mint.nn.functional` whose signature is not the operator's (see `_tables`)."""

from msjax.mint._adapt import attach

_AVG = "stride = _window(kernel_size, stride)"
_AVG_ND = "(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None)"

ROWS: dict[str, tuple[str, ...]] = {
    # ------------------------------------------------------------------ activations
    "elu": ("ops.nn.activation_smooth.elu", "(input, alpha=1.0, inplace=False)", "input=input_x"),
    "elu_": ("ops.nn.activation_smooth.elu", "(input, alpha=1.0)", "input=input_x"),
    "gelu": ("ops.nn.activation_smooth.gelu", "(input, *, approximate='none')"),
    "glu": ("ops.nn.activation_smooth.glu", "(input, dim=-1)", "input=x dim=axis"),
    "hardtanh": ("mint._activations.hardtanh", "(input, min_val=-1.0, max_val=1.0, inplace=False)"),
    "hardtanh_": ("mint._activations.hardtanh", "(input, min_val=-1, max_val=1)"),
    "leaky_relu": ("mint._activations.leaky_relu", "(input, negative_slope=0.01)"),
    "log_softmax": (
        "ops.nn.activation_smooth.log_softmax", "(input, dim=None, *, dtype=None)", "input=logits dim=axis",
        "dim = _implicit(input, dim)\nif dtype is not None: input = _astype(input, dtype)",
    ),
    "logsigmoid": ("ops.nn.activation_smooth.logsigmoid", "(input)", "input=x"),
    "mish": ("ops.nn.activation_smooth.mish", "(input)", "input=x"),
    "relu_": ("ops.nn.activation_piecewise.relu", "(input)"),
    "relu6": ("mint._activations.relu6", "(input, inplace=False)"),
    "selu": ("ops.nn.activation_smooth.selu", "(input)", "input=input_x", "_no_whole('selu', input)"),
    "sigmoid_": ("ops.nn.activation_smooth.sigmoid", "(input)"),
    "silu": ("ops.nn.activation_smooth.silu", "(input, inplace=False)"),
    "softmax": (
        "ops.nn.activation_smooth.softmax", "(input, dim=None, dtype=None)", "dim=axis", "dim = _implicit(input, dim)",
    ),
    "threshold": ("mint._activations.thresholded", "(input, threshold, value, inplace=False)"),
    "threshold_": ("mint._activations.thresholded", "(input, threshold, value)"),
    # ------------------------------------------------------------------ convolution, pooling
    "avg_pool1d": (
        "ops.nn.pooling.avg_pool1d",
        "(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True)",
        "input=input_x", _AVG,
    ),
    "avg_pool2d": (
        "ops.nn.pooling.avg_pool2d", _AVG_ND, "input=input_x", f"{_AVG}\ndivisor_override = divisor_override or 0",
    ),
    "avg_pool3d": (
        "ops.nn.pooling.avg_pool3d", _AVG_ND, "input=input_x", f"{_AVG}\ndivisor_override = divisor_override or 0",
    ),
    "max_pool2d": (
        "ops.nn.pooling.max_pool2d",
        "(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)",
        "input=x", _AVG,
    ),
    "max_unpool2d": (
        "ops.nn.adaptive_pooling.max_unpool2d",
        "(input, indices, kernel_size, stride=None, padding=0, output_size=None)", "input=x",
    ),
    # ------------------------------------------------------------------ normalization, dropout
    "batch_norm": (
        "ops.nn.normalization.batch_norm",
        "(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05)",
        "input=input_x",
    ),
    "dropout": ("ops.nn.dropout.dropout", "(input, p=0.5, training=True, inplace=False)"),
    "dropout2d": ("ops.nn.dropout.dropout2d", "(input, p=0.5, training=True, inplace=False)"),
    # ------------------------------------------------------------------ losses
    "binary_cross_entropy": (
        "ops.nn.loss.binary_cross_entropy", "(input, target, weight=None, reduction='mean')",
        "input=logits target=labels",
    ),
    "binary_cross_entropy_with_logits": (
        "ops.nn.loss.binary_cross_entropy_with_logits",
        "(input, target, weight=None, reduction='mean', pos_weight=None)",
    ),
    "nll_loss": (
        "ops.nn.loss.nll_loss", "(input, target, weight=None, ignore_index=-100, reduction='mean')", "input=inputs",
        "_no_whole('nll_loss', input)",
    ),
    "smooth_l1_loss": ("ops.nn.loss.smooth_l1_loss", "(input, target, reduction='mean', beta=1.0)"),
    # ------------------------------------------------------------------ layout
    "pad": (
        "ops.array.padding.pad", "(input, pad, mode='constant', value=None)", "input=input_x pad=padding",
        "if mode != 'constant' and not value: value = None",
    ),
}  # fmt: skip

__getattr__ = attach(__name__, ROWS)
