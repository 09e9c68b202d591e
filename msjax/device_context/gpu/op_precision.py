"""Precision of operators on GPUs."""

from typing import Any

import jax


def _flag(fn: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"`{fn}`: argument `value` must be a bool. Received: value={value!r}.")


def matmul_allow_tf32(value: bool) -> None:
    """Allow tf32 in products of float32 matrices; sets JAX's `default_matmul_precision`.

    Args:
        value: whether.

    Raises:
        TypeError: if it is not a bool.

    Examples:
        >>> import jax
        >>> import msjax as ms
        >>> before = jax.config.jax_default_matmul_precision
        >>> ms.device_context.gpu.op_precision.matmul_allow_tf32(False)
        >>> jax.config.jax_default_matmul_precision
        'float32'
        >>> jax.config.update("jax_default_matmul_precision", before)
    """
    _flag("matmul_allow_tf32", value)
    jax.config.update("jax_default_matmul_precision", "tensorfloat32" if value else "float32")


def conv_allow_tf32(value: bool) -> None:
    """Allow tf32 in convolutions. Checked, and without effect: JAX has one setting (see `matmul_allow_tf32`).

    Args:
        value: whether.

    Raises:
        TypeError: if it is not a bool.

    Examples:
        >>> import msjax as ms
        >>> ms.device_context.gpu.op_precision.conv_allow_tf32(False)
    """
    _flag("conv_allow_tf32", value)
