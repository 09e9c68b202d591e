"""Precision of operators on Ascend."""

from msjax.device_context._settings import without_effect

_MODES = (
    "force_fp16",
    "allow_fp32_to_fp16",
    "allow_mix_precision",
    "must_keep_origin_dtype",
    "force_fp32",
    "allow_mix_precision_fp16",
    "allow_mix_precision_bf16",
)
precision_mode = without_effect(
    "ascend.op_precision.precision_mode", "Set the precision of operators.", "mode", str, _MODES, "force_fp32"
)
op_precision_mode = without_effect(
    "ascend.op_precision.op_precision_mode",
    "Set the file with the precision of each operator.",
    "path",
    str,
    (),
    "a.ini",
)
matmul_allow_hf32 = without_effect(
    "ascend.op_precision.matmul_allow_hf32", "Allow matrix products to round.", "value", bool, (), True
)
conv_allow_hf32 = without_effect(
    "ascend.op_precision.conv_allow_hf32", "Allow convolutions to round.", "value", bool, (), True
)
