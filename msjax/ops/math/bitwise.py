"""Bitwise operators on integers, elementwise; logical ones on bools."""

from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.argument_types import ArrayOrNumber
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.function_families import define_like
from msjax.ops.common.promotion import as_array, is_integer, promote, promote_and_broadcast


def _bits(op_name: str, *, bools: bool = True, **arrays: Any) -> list[Array]:
    given = promote(op_name, **arrays)
    if not (is_integer(given[0]) or (bools and given[0].dtype == bool)):
        rule = "be of an integer dtype or bool" if bools else "be of an integer dtype"
        checks.fail(
            TypeError, op_name, next(iter(arrays)), rule, f"arrays that promote to dtype {given[0].dtype}"
        )
    return promote_and_broadcast(op_name, **dict(zip(arrays, given, strict=True)))


@op(promotes=True)
def bitwise_and(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise bits that are set in both.

    Args:
        input (Tensor, int): of any shape, integer or bool.
        other (Tensor, int): of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.bitwise_and(ms.Tensor([5, 6]), 3))
        [1 2]
    """
    return jnp.bitwise_and(*_bits("bitwise_and", input=input, other=other))


_of_bits = define_like(bitwise_and, lambda name, input, other: _bits(name, input=input, other=other))
# fmt: off
bitwise_or = _of_bits("bitwise_or", jnp.bitwise_or,
    "Elementwise bits that are set in at least one.", "ms.Tensor([5, 6]), 3", "[7 7]")
bitwise_xor = _of_bits("bitwise_xor", jnp.bitwise_xor,
    "Elementwise bits that are set in exactly one.", "ms.Tensor([5, 6]), 3", "[6 5]")
# fmt: on


@op
def invert(x: Array) -> Array:
    """Elementwise complement of all bits, -1 - x for signed integers.

    Args:
        x (Tensor): of any shape, integer or bool.

    Returns:
        Tensor of `x`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.invert(ms.Tensor([0, 5])))
        [-1 -6]
    """
    return jnp.bitwise_not(*_bits("invert", x=x))


@op(promotes=True)
def bitwise_left_shift(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise input * 2^other, dropping what does not fit.

    Args:
        input (Tensor, int): of any shape, integer.
        other (Tensor, int): how far, of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.bitwise_left_shift(ms.Tensor([1, 3]), 2))
        [ 4 12]
    """
    return jnp.left_shift(*_bits("bitwise_left_shift", bools=False, input=input, other=other))


@op(promotes=True)
@documented_by(bitwise_left_shift)
def bitwise_right_shift(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise input / 2^other, rounded down.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.bitwise_right_shift(ms.Tensor([4, -5]), 1))
        [ 2 -3]
    """
    return jnp.right_shift(*_bits("bitwise_right_shift", bools=False, input=input, other=other))


@op
def population_count(input_x: Array) -> Array:
    """Elementwise number of bits that are set.

    Args:
        input_x (Tensor): of any shape, integer.

    Returns:
        Tensor of `input_x`'s shape, uint8.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.population_count(ms.Tensor([0, 7, 8])))
        [0 3 1]
    """
    x = as_array("population_count", "input_x", input_x)
    checks.check_integer("population_count", input_x=x)
    return lax.population_count(x).astype(jnp.uint8)


@op(promotes=True)
def gcd(input: Array, other: Array) -> Array:
    """Elementwise greatest common divisor.

    Args:
        input (Tensor): of any shape, integer.
        other (Tensor): of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.gcd(ms.Tensor([12, 9]), ms.Tensor([8, 6])))
        [4 3]
    """
    return jnp.gcd(*_bits("gcd", bools=False, input=input, other=other))


@op(promotes=True)
@documented_by(bitwise_and)
def lcm(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise least common multiple.

    Args:
        input (Tensor, int): of any shape, integer.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.lcm(ms.Tensor([4, 6]), ms.Tensor([6, 9])))
        [12 18]
    """
    return jnp.lcm(*_bits("lcm", bools=False, input=input, other=other))
