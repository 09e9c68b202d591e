"""Layers of `mint.nn` that are a function with settings: name, function, settings, shown, inputs."""

from typing import Any

from msjax.nn.cell.cell import Cell
from msjax.nn.cell.function_layers import function_layer
from msjax.ops.common.name_table import import_path

_SIZED = "output_size, return_indices=False"
_LOSS = "reduction='mean'"


def _padding(mode: str, dims: int) -> tuple[str, ...]:
    settings = "padding, value" if mode == "constant" else "padding"
    return f"mint.nn._padding.{mode}{dims}d", settings


ROWS: dict[str, tuple[str, ...]] = {
    # ------------------------------------------------------------------ activations
    "ELU": ("mint._functional.elu", "alpha=1.0, inplace=False"),
    "GELU": ("mint._functional.gelu", "approximate='none'"),
    "GLU": ("mint._functional.glu", "dim=-1"),
    "Hardshrink": ("ops.nn.activation_piecewise.hardshrink", "lambd=0.5"),
    "Hardsigmoid": ("ops.nn.activation_piecewise.hardsigmoid",),
    "Hardswish": ("ops.nn.activation_piecewise.hardswish",),
    "Hardtanh": ("mint._functional.hardtanh", "min_val=-1.0, max_val=1.0, inplace=False"),
    "LogSigmoid": ("mint._functional.logsigmoid",),
    "Mish": ("mint._functional.mish",),
    "ReLU": ("ops.nn.activation_piecewise.relu",),
    "ReLU6": ("mint._functional.relu6", "inplace=False"),
    "SELU": ("mint._functional.selu",),
    "SiLU": ("mint._functional.silu", "inplace=False", "", "x"),
    "Sigmoid": ("ops.nn.activation_smooth.sigmoid",),
    "Softmax": ("mint._functional.softmax", "dim=None"),
    "Softshrink": ("ops.nn.activation_piecewise.softshrink", "lambd=0.5"),
    "Tanh": ("ops.nn.activation_smooth.tanh",),
    "Threshold": ("mint._functional.threshold", "threshold, value, inplace=False"),
    # ------------------------------------------------------------------ pooling
    "AdaptiveAvgPool1d": ("ops.nn.adaptive_pooling.adaptive_avg_pool1d", "output_size", "output_size"),
    "AdaptiveAvgPool2d": ("ops.nn.adaptive_pooling.adaptive_avg_pool2d", "output_size", "output_size"),
    "AdaptiveAvgPool3d": ("ops.nn.adaptive_pooling.adaptive_avg_pool3d", "output_size"),
    "AdaptiveMaxPool1d": ("ops.nn.adaptive_pooling.adaptive_max_pool1d", _SIZED, "output_size return_indices"),
    "AdaptiveMaxPool2d": ("ops.nn.adaptive_pooling.adaptive_max_pool2d", _SIZED),
    # ------------------------------------------------------------------ losses
    "BCELoss": ("mint._functional.binary_cross_entropy", "weight=None, reduction='mean'"),
    "BCEWithLogitsLoss": (
        "mint._functional.binary_cross_entropy_with_logits", "weight=None, reduction='mean', pos_weight=None",
    ),
    "CosineEmbeddingLoss": ("mint._neural.cosine_embedding_loss", "margin=0.0, reduction='mean'"),
    "CrossEntropyLoss": (
        "ops.nn.loss.cross_entropy", "weight=None, ignore_index=-100, reduction='mean', label_smoothing=0.0",
    ),
    "KLDivLoss": ("mint._neural.kl_div", "reduction='mean', log_target=False"),
    "MSELoss": ("ops.nn.loss.mse_loss", _LOSS),
    "NLLLoss": ("mint._functional.nll_loss", "weight=None, ignore_index=-100, reduction='mean'"),
    "SmoothL1Loss": ("mint._functional.smooth_l1_loss", "reduction='mean', beta=1.0"),
    "SoftMarginLoss": ("ops.nn.loss_margin.soft_margin_loss", _LOSS, "", "logits, labels"),
    # ------------------------------------------------------------------ layout
    "Flatten": ("mint._tables.flatten", "start_dim=1, end_dim=-1"),
    "Fold": ("ops.nn.convolution.fold", "output_size, kernel_size, dilation=1, padding=0, stride=1"),
    "Unfold": ("ops.nn.convolution.unfold", "kernel_size, dilation=1, padding=0, stride=1"),
    "PixelShuffle": ("ops.array.space_to_depth.pixel_shuffle", "upscale_factor"),
    **{f"ConstantPad{n}d": _padding("constant", n) for n in (1, 2, 3)},
    **{f"ZeroPad{n}d": _padding("zero", n) for n in (1, 2, 3)},
    **{f"ReflectionPad{n}d": _padding("reflection", n) for n in (1, 2, 3)},
    **{f"ReplicationPad{n}d": _padding("replication", n) for n in (1, 2, 3)},
}  # fmt: skip

# Other names of classes, which a network shows when it is printed.
PRINTED = {
    "Hardshrink": "HShrink", "Hardsigmoid": "HSigmoid", "Hardswish": "HSwish", "Softshrink": "SoftShrink",
    "Softmax": "SoftmaxExt", "Unfold": "UnfoldExt",
}  # fmt: skip


def _shows(names: str) -> Any:
    def extend_repr(self: Any) -> str:
        """Return the settings that MindSpore shows."""
        return ", ".join(f"{name}={getattr(self, name)}" for name in names.split())

    return extend_repr


def __getattr__(name: str) -> type:
    if name not in ROWS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    path, settings, shown, inputs = (*ROWS[name], "", "", "")[:4]
    made = function_layer(
        Cell, __name__, name, import_path(f"msjax.{path}"), settings, inputs=inputs, extend_repr=_shows(shown)
    )
    made.__name__ = PRINTED.get(name, name)
    globals()[name] = made
    return made
