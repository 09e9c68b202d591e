"""Dtypes for which PyTorch has no kernel of a function that the engine's operators could compute."""

import functools
from collections.abc import Callable
from typing import Any

from msjax.core import dtype as dtypes
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


def refusing(name: str, target: Callable) -> Callable:
    """Return a function that refuses the dtypes that PyTorch's of this name has no kernel for."""
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
