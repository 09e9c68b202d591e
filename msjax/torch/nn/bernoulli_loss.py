"""Binary cross entropy of probabilities, by PyTorch's formula."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from msjax.core.op.op import op
from msjax.core.tensor.tensor import resolve
from msjax.ops.common.index_parsing import known_values
from msjax.torch.tensors.tensor import as_torch

_LEAST_LOGARITHM = -100.0


@jax.custom_jvp
def _entropy(p: Array, y: Array) -> Array:
    """Return -(y log(p) + (1 - y) log(1 - p)) with logarithms of at least -100."""
    return -(
        y * jnp.maximum(jnp.log(p), _LEAST_LOGARITHM) + (1 - y) * jnp.maximum(jnp.log1p(-p), _LEAST_LOGARITHM)
    )


@_entropy.defjvp
def _entropy_jvp(primals: tuple, tangents: tuple) -> tuple[Array, Array]:
    """The slope (p - y) / (p (1 - p)) is 0 where the probability is right, also of 0 and 1."""
    (p, y), (dp, dy) = primals, tangents
    slope = (p - y) / jnp.maximum(p * (1 - p), 1e-12)
    return _entropy(p, y), slope * dp + (jnp.log1p(-p) - jnp.log(p)) * dy


@op
def _bernoulli_loss(p: Array, y: Array) -> Array:
    return _entropy(p, y)


def bernoulli_loss(input: Any, target: Any) -> Any:
    """Return the binary cross entropy of each element.

    Args:
        input: probabilities.
        target: of the same shape and dtype.

    Raises:
        ValueError: if the shapes differ.
        RuntimeError: if the dtypes differ, or an element of `input` is outside of [0, 1] where that is known.

    Examples:
        >>> from msjax import torch
        >>> torch.nn.functional.binary_cross_entropy(torch.tensor([0.0]), torch.tensor([1.0]))
        tensor(100.)
    """
    if target.shape != input.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
            "Please ensure they have the same size."
        )
    if target.dtype != input.dtype:
        raise RuntimeError(
            f"`binary_cross_entropy`: `target` must have `input`'s dtype {input.dtype}, not {target.dtype}"
        )
    known = known_values(resolve(input)._value)
    if known is not None and not ((known >= 0) & (known <= 1)).all():
        raise RuntimeError("`binary_cross_entropy`: all elements of `input` should be between 0 and 1.")
    return as_torch(_bernoulli_loss(input, target))
