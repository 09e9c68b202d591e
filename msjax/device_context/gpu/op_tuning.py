"""Algorithms of convolutions on GPUs."""

from msjax.device_context._settings import without_effect

_MODES = (
    "normal",
    "performance",
    "implicit_gemm",
    "precomp_gemm",
    "gemm",
    "direct",
    "fft",
    "fft_tiling",
    "winograd",
)
_MODES += ("winograd_nonfused", "algo_0", "algo_1", "algo_3")
conv_fprop_algo = without_effect(
    "gpu.op_tuning.conv_fprop_algo", "Set the algorithm of convolutions.", "mode", str, _MODES, "gemm"
)
conv_dgrad_algo = without_effect(
    "gpu.op_tuning.conv_dgrad_algo", "Set the algorithm of input gradients.", "mode", str, _MODES, "normal"
)
conv_wgrad_algo = without_effect(
    "gpu.op_tuning.conv_wgrad_algo", "Set the algorithm of weight gradients.", "mode", str, _MODES, "normal"
)
