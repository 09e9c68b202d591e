"""Dropout with packed bit masks: `DropoutGenMask` draws a mask, `DropoutDoMask` applies it."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.promotion import as_array

_BLOCK = 128


@op(random=True, static="shape")
def mask_of_bits(_key: Array, shape: Any, keep_prob: Array) -> Array:
    """One bit for each element, 1 with a probability, eight to a byte, in whole blocks of 128 bits (`DropoutGenMask`).

    Args:
        shape (tuple[int]): of the array that is to be masked.
        keep_prob (Tensor): probability of 1.

    Returns:
        Tensor, uint8, one-dimensional.

    Raises:
        TypeError: if `shape` is not a tuple of ints.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.DropoutGenMask()((2, 4, 5), ms.Tensor(0.5)).shape
        (16,)
    """
    if not isinstance(shape, tuple) or not all(type(n) is int for n in shape):
        checks.fail(TypeError, "DropoutGenMask", "shape", "be a tuple of ints", shape)
    bits = -(-math.prod(shape) // _BLOCK) * _BLOCK
    drawn = jax.random.uniform(_key, (bits,), np.float32) < keep_prob.astype(np.float32)
    return jnp.packbits(drawn, bitorder="little")


@op
def masked_by_bits(input_x: Array, mask: Array, keep_prob: Array) -> Array:
    """Elements whose bit is 1, divided by the probability of that, and 0 for the others (`DropoutDoMask`).

    Args:
        input_x (Tensor): floating.
        mask (Tensor): what `DropoutGenMask` gave for its shape.
        keep_prob (Tensor): the probability.

    Returns:
        Tensor like `input_x`.

    Raises:
        TypeError: if `input_x` is not floating or the mask not uint8.
        ValueError: if the mask is too short.

    Examples:
        >>> import msjax as ms
        >>> mask = ms.ops.DropoutGenMask()((3,), ms.Tensor(1.0))
        >>> print(ms.ops.DropoutDoMask()(ms.Tensor([1.0, 2.0, 3.0]), mask, ms.Tensor(1.0)))
        [1. 2. 3.]
    """
    x, bits = as_array("DropoutDoMask", "input_x", input_x), as_array("DropoutDoMask", "mask", mask)
    checks.check_floating("DropoutDoMask", input_x=x)
    if bits.dtype != np.uint8:
        checks.fail(TypeError, "DropoutDoMask", "mask", "be of dtype uint8", f"array of dtype {bits.dtype}")
    if bits.size * 8 < x.size:
        checks.fail(ValueError, "DropoutDoMask", "mask", f"have a bit for {x.size} elements", bits.shape)
    stays = jnp.unpackbits(bits.reshape(-1), count=x.size, bitorder="little").astype(bool).reshape(x.shape)
    return jnp.where(stays, x / keep_prob.astype(x.dtype), jnp.zeros_like(x))
