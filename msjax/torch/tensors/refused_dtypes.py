"""Dtypes for which PyTorch has no kernel of a function that the engine's operators could compute."""

import functools
import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from msjax.core import dtype as dtypes
from msjax.torch.tensors.dtypes import scalar_type
from msjax.torch.tensors.tensor import Tensor

# Bools, whole numbers, floating numbers, complex ones; which kinds a function refuses: of its first argument,
_OF_FIRST = """
abs absolute ceil floor trunc fix round trace topk cov corrcoef positive mvlgamma trapezoid cumulative_trapezoid: b
max min mode cummax cummin sign signbit deg2rad rad2deg nansum relu6: c
median nanmedian kthvalue argmax argmin relu hardtanh threshold: bc
frac logcumsumexp slogdet hardswish leaky_relu: bi
histc multinomial: bic
imag: bif
"""
# and of what two arguments promote to.
_OF_PAIR = """
pow fmod dot vdot mm mv inner bmm addmm addmv baddbmm tensordot: b
atan2 arctan2 xlogy xlog1py clamp clip clamp_min clamp_max searchsorted bucketize maximum minimum: c
logaddexp logaddexp2 igamma igammac: bi
hypot mse_loss smooth_l1_loss huber_loss kl_div cosine_similarity: bic
"""
_KINDS = "bifc"
# Functions whose tensors have one dtype; of the second group those behind the first, of half precision, may have float32.
_ALIKE = frozenset(
    "lerp cross einsum tensordot bilinear prelu layer_norm batch_norm group_norm instance_norm".split()
)
_OR_FLOAT32 = frozenset("layer_norm batch_norm group_norm instance_norm".split())
# Functions that put a number among a tensor's elements; in the second group only a number of the tensor's own kind, since
# others change the dtype.
_FILL = frozenset("masked_fill index_fill scatter pad fill".split())
_BOUND = frozenset("clamp clip clamp_min clamp_max".split())


def _read_rows(table: str) -> dict[str, str]:
    rows = [line.partition(": ") for line in table.strip().splitlines()]
    return {name: letters for names, _, letters in rows for name in names.split()}


OF_FIRST, OF_PAIR = _read_rows(_OF_FIRST), _read_rows(_OF_PAIR)


def category(operand: Any) -> int:
    """Return 0 for bools, 1 for whole numbers, 2 for floating and 3 for complex ones.

    Args:
        operand: a tensor or a number.
    """
    if isinstance(operand, Tensor):
        kind = operand.dtype
        return 3 if kind.is_complex else 2 if kind.is_floating_point else 0 if kind == dtypes.bool_ else 1
    return (
        0
        if isinstance(operand, bool)
        else 1
        if isinstance(operand, int)
        else 3
        if isinstance(operand, complex)
        else 2
    )


def refuse(name: str, *operands: Any) -> None:
    """Raise PyTorch's error for a dtype that it has no kernel for.

    Raises:
        NotImplementedError: always.
    """
    given = ", ".join(str(each.dtype) if isinstance(each, Tensor) else repr(each) for each in operands)
    raise NotImplementedError(
        f"`{name}`: not implemented for tensors of this dtype, as in PyTorch. Received: {given}. Use `.to()` another dtype, "
        "such as torch.float32, on them."
    )


def refuse_overflow(value: Any, dtype: Any, of_floats: bool = True) -> None:
    """Raise PyTorch's error for a number that a dtype has no place for.

    Args:
        value: the number; nothing else is looked at.
        dtype: of the tensor that it is for.
        of_floats: False to leave floating dtypes, where it becomes infinite.

    Raises:
        RuntimeError: if it is too large; for whole numbers also for infinity and NaN.
    """
    if type(value) not in (int, float) or dtype == dtypes.bool_ or dtype.is_complex:
        return
    if dtype.is_floating_point:
        fits = (
            not of_floats
            or not math.isfinite(value)
            or abs(value) <= float(jnp.finfo(dtypes.as_np(dtype)).max)
        )
    else:
        limits = np.iinfo(dtypes.as_np(dtype))
        fits = (int(limits.min) or -int(limits.max)) <= value <= int(limits.max)
    if not fits:
        name = str(dtype).rpartition(".")[2]
        shown = _C_TYPES.get(name, f"{name}_t")
        raise RuntimeError(f"value cannot be converted to type {shown} without overflow")


_C_TYPES = {
    "int32": "int",
    "float32": "float",
    "float64": "double",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
}


def alike(name: str, target: Callable) -> Callable:
    """Return a function that refuses tensors of several dtypes, if PyTorch's of this name does."""
    if name not in _ALIKE:
        return target

    @functools.wraps(target)
    def call(*args: Any, **named: Any) -> Any:
        given = [*args, *named.values()]
        given += [each for one in given if isinstance(one, list | tuple) for each in one]
        kinds = [each.dtype for each in given if isinstance(each, Tensor)]
        half = name in _OR_FLOAT32 and kinds[0] in (dtypes.float16, dtypes.bfloat16)
        for kind in kinds[1:]:
            if kind != kinds[0] and not (half and kind == dtypes.float32):
                raise RuntimeError(
                    f"expected scalar type {scalar_type(kinds[0])} but found {scalar_type(kind)}"
                )
        return target(*args, **named)

    return call


def _refusing_numbers(target: Callable, own_kind: bool) -> Callable:
    """Return a function that refuses numbers which do not fit into its first argument."""

    @functools.wraps(target)
    def call(*args: Any, **named: Any) -> Any:
        first = args[0] if args else named.get("input")
        if isinstance(first, Tensor):
            for value in (*args[1:], *named.values()):
                if not own_kind or (type(value) in (int, float) and category(value) <= category(first)):
                    refuse_overflow(value, first.dtype)
        return target(*args, **named)

    return call


def refusing(name: str, target: Callable) -> Callable:
    """Return a function that refuses dtypes that PyTorch's of this name has no kernel for, and numbers that do not fit."""
    if name in _FILL or name in _BOUND:
        target = _refusing_numbers(target, name in _BOUND)
    letters, count = (OF_FIRST[name], 1) if name in OF_FIRST else (OF_PAIR.get(name, ""), 2)
    if not letters:
        return target
    refused = frozenset(map(_KINDS.index, letters))

    @functools.wraps(target)
    def call(*args: Any, **named: Any) -> Any:
        given = args if len(args) >= count else (*args, *named.values())
        operands = [each for each in given if isinstance(each, Tensor | int | float | complex)][:count]
        if operands and isinstance(operands[0], Tensor) and max(map(category, operands)) in refused:
            refuse(name, *operands)
        return target(*args, **named)

    return call
