"""`torch.nn.attention.bias`: masks of causal attention, aligned at the upper left or the lower right corner."""

import enum
import warnings
from typing import Any, Self

from msjax import mint
from msjax.torch.tensors import creation, torch_function
from msjax.torch.tensors.tensor import Tensor, as_torch

NAMES = ("CausalVariant", "CausalBias", "causal_upper_left", "causal_lower_right")


class CausalVariant(enum.IntEnum):
    """Where the diagonal of a :class:`CausalBias` begins, or ends."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """Mask of causal attention; XLA's one kernel gets it as a mask of truth values.

    Args:
        variant: which corner the diagonal goes through.
        seq_len_q: length of the queries.
        seq_len_kv: length of the keys.

    Examples:
        >>> from msjax import torch
        >>> from msjax.torch.nn.attention_bias import causal_lower_right
        >>> causal_lower_right(2, 3)
        tensor([[ True,  True, False],
                [ True,  True,  True]])
    """

    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int

    # What is computed with it is a plain tensor.
    __torch_function__ = torch_function.handle_nothing  # type: ignore[assignment]

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> Self:
        """Make the mask."""
        assert isinstance(variant, CausalVariant), (
            f"variant must be a CausalVariant, got {type(variant).__name__}"
        )
        offset = seq_len_kv - seq_len_q if variant == CausalVariant.LOWER_RIGHT else 0
        if offset < 0:
            warnings.warn(
                "Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!",
                stacklevel=3,
            )
        whole = creation.ones(seq_len_q, seq_len_kv, dtype="bool")
        mask = as_torch(mint.tril(whole, offset)).as_subclass(cls)
        mask.variant, mask.seq_len_q, mask.seq_len_kv = variant, seq_len_q, seq_len_kv
        return mask

    def __init__(self, *given: Any, **named: Any) -> None:
        pass


def _sized(name: str, variant: CausalVariant, size: tuple) -> CausalBias:
    assert len(size) == 2, f"{name} only supports 2D tensors"
    return CausalBias(variant, *size)


def causal_upper_left(*size: int) -> CausalBias:
    """Return the mask in which the first query sees the first key."""
    return _sized("causal_upper_left", CausalVariant.UPPER_LEFT, size)


def causal_lower_right(*size: int) -> CausalBias:
    """Return the mask in which the last query sees all keys."""
    return _sized("causal_lower_right", CausalVariant.LOWER_RIGHT, size)
