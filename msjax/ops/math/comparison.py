"""Comparisons, logical operators and tests such as isnan and isclose, elementwise with bool results; `where`."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core.op.argument_types import ArrayOrBool, ArrayOrNumber
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.function_families import define_like
from msjax.ops.common.promotion import as_array, is_integer, promote_and_broadcast, widen_for_large_ints


@op(promotes=True)
def eq(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise input == other.

    Args:
        input (Tensor, number): of any shape and dtype. MindSpore 2.10 refuses a number here and in `lt`; 1.x took it.
        other (Tensor, number): of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape, bool.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.eq(ms.Tensor([1, 2, 3]), 2))
        [False  True False]
    """
    return jnp.equal(*promote_and_broadcast("eq", input=input, other=other))


@op(promotes=True)
@documented_by(eq)
def ne(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise input != other.

    Args:
        input (Tensor, number): of any shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ne(ms.Tensor([1, 2, 3]), 2))
        [ True False  True]
    """
    return jnp.not_equal(*promote_and_broadcast("ne", input=input, other=other))


def _as_ordered(op_name: str, input: Any, other: Any) -> list[Array]:
    given = promote_and_broadcast(op_name, input=input, other=other)
    if jnp.issubdtype(given[0].dtype, jnp.complexfloating):
        checks.fail(
            TypeError, op_name, "input", "not be complex, which has no order", f"dtype {given[0].dtype}"
        )
    return given


@widen_for_large_ints("int64")
@op(promotes=True)
@documented_by(eq)
def lt(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise input < other.

    Args:
        input (Tensor, number): of any shape and real dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.lt(ms.Tensor([1, 2, 3]), 2))
        [ True False False]
    """
    return jnp.less(*_as_ordered("lt", input, other))


@op(promotes=True)
@documented_by(eq)
def le(input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise input <= other.

    Args:
        input (Tensor, number): of any shape and real dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.le(ms.Tensor([1, 2, 3]), 2))
        [ True  True False]
    """
    return jnp.less_equal(*_as_ordered("le", input, other))


_order = define_like(le, _as_ordered)
# fmt: off
gt = _order("gt", jnp.greater, "Elementwise input > other.", "ms.Tensor([1, 2, 3]), 2", "[False False  True]")
ge = _order("ge", jnp.greater_equal,
    "Elementwise input >= other.", "ms.Tensor([1, 2, 3]), 2", "[False  True  True]")
# fmt: on


def _truths(op_name: str, input: Any, other: Any) -> list[Array]:
    return [x.astype(bool) for x in promote_and_broadcast(op_name, input=input, other=other)]


@op
def logical_and(input: ArrayOrBool, other: ArrayOrBool) -> Array:
    """Elementwise whether both are true, that is not zero.

    Args:
        input (Tensor, bool): of any shape and dtype.
        other (Tensor, bool): of a shape that broadcasts with `input`.

    Returns:
        Tensor of the broadcast shape, bool.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.logical_and(ms.Tensor([True, True]), ms.Tensor([True, False])))
        [ True False]
    """
    return jnp.logical_and(*_truths("logical_and", input, other))


_truth = define_like(logical_and, _truths)
# fmt: off
logical_or = _truth("logical_or", jnp.logical_or,
    "Elementwise whether at least one is true, that is not zero.",
    "ms.Tensor([False, True]), ms.Tensor([False, False])", "[False  True]")
logical_xor = _truth("logical_xor", jnp.logical_xor,
    "Elementwise whether exactly one is true, that is not zero.",
    "ms.Tensor([True, True]), ms.Tensor([True, False])", "[False  True]")
# fmt: on


@op
def logical_not(input: Array) -> Array:
    """Elementwise whether it is false, that is zero.

    Args:
        input (Tensor): of any shape and dtype.

    Returns:
        Tensor of `input`'s shape, bool.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.logical_not(ms.Tensor([True, False])))
        [False  True]
    """
    return jnp.logical_not(as_array("logical_not", "input", input).astype(bool))


# ---------------------------------------------------------------------- what kind of number


_test = define_like(logical_not, lambda name, input: as_array(name, "input", input))
# fmt: off
isnan = _test("isnan", jnp.isnan,
    "Elementwise whether it is nan.", 'ms.Tensor([1.0, float("nan")])', "[False  True]")
isinf = _test("isinf", jnp.isinf,
    "Elementwise whether it is infinite, of either sign.", 'ms.Tensor([1.0, float("-inf")])', "[False  True]")
isfinite = _test("isfinite", jnp.isfinite,
    "Elementwise whether it is neither nan nor infinite.",
    'ms.Tensor([1.0, float("nan"), float("inf")])', "[ True False False]")
# fmt: on


@op
def isposinf(input: Array) -> Array:
    """Elementwise whether it is inf.

    Args:
        input (Tensor): of any shape and real dtype.

    Returns:
        Tensor of `input`'s shape, bool.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.isposinf(ms.Tensor([float("inf"), float("-inf")])))
        [ True False]
    """
    return jnp.isposinf(as_array("isposinf", "input", input))


@op
@documented_by(isposinf)
def isneginf(input: Array) -> Array:
    """Elementwise whether it is -inf.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.isneginf(ms.Tensor([float("inf"), float("-inf")])))
        [False  True]
    """
    return jnp.isneginf(as_array("isneginf", "input", input))


# fmt: off
isreal = _test("isreal", jnp.isreal,
    "Elementwise whether the imaginary part is 0.", "ms.Tensor([1 + 0j, 2 + 1j])", "[ True False]")
# fmt: on


@op
@documented_by(isposinf)
def signbit(input: Array) -> Array:
    """Elementwise whether the number is below zero; -0.0 and nan are not.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.signbit(ms.Tensor([1.0, -2.0])))
        [False  True]
    """
    x = as_array("signbit", "input", input)
    return x < jnp.zeros_like(x)


# ---------------------------------------------------------------------- nearly equal


@op(static="rtol atol equal_nan", promotes=True)
@documented_by(eq)
def isclose(
    input: Array, other: Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Array:
    """Elementwise whether |input - other| <= atol + rtol * |other|.

    Args:
        other (Tensor): of a shape that broadcasts with `input`.
        rtol (float): relative tolerance.
        atol (float): absolute tolerance.
        equal_nan (bool): whether nan is close to nan.

    Raises:
        ValueError: if a tolerance is negative.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.isclose(ms.Tensor([1.0, 2.0]), ms.Tensor([1.000001, 2.1])))
        [ True False]
    """
    checks.check_numbers("isclose", rtol=rtol, atol=atol)
    checks.check_bools("isclose", equal_nan=equal_nan)
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if tolerance < 0:
            checks.fail(ValueError, "isclose", name, "be at least 0", tolerance)
    x, y = promote_and_broadcast("isclose", input=input, other=other)
    if is_integer(x) or x.dtype == bool:
        x, y = x.astype(jnp.float32), y.astype(jnp.float32)
    near = jnp.abs(x - y) <= atol + rtol * jnp.abs(y)
    near = jnp.logical_or(jnp.logical_and(near, jnp.isfinite(y)), x == y)
    return jnp.logical_or(near, jnp.logical_and(jnp.isnan(x), jnp.isnan(y))) if equal_nan else near


def allclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Return True if all elements are close (see `isclose`), as a Python bool.

    Args:
        input (Tensor): of any shape and dtype.
        other (Tensor): of a shape that broadcasts with `input`.
        rtol (float): relative tolerance.
        atol (float): absolute tolerance.
        equal_nan (bool): whether nan is close to nan.

    Examples:
        >>> import msjax as ms
        >>> ms.Tensor([1.0, 2.0]).allclose(ms.Tensor([1.0, 2.0000001]))
        True
    """
    return bool(isclose(input, other, rtol, atol, equal_nan).asnumpy().all())


@op(static="tolerance", promotes=True)
def approximate_equal(x: Array, y: Array, tolerance: float = 1e-5) -> Array:
    """Elementwise whether |x - y| < tolerance.

    Args:
        x (Tensor): of any shape and dtype.
        y (Tensor): of a shape that broadcasts with `x`.
        tolerance (float): how far apart they may be.

    Returns:
        Tensor of the broadcast shape, bool.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.approximate_equal(ms.Tensor([1.0, 2.0]), ms.Tensor([1.05, 2.5]), 0.1))
        [ True False]
    """
    checks.check_numbers("approximate_equal", tolerance=tolerance)
    a, b = promote_and_broadcast("approximate_equal", x=x, y=y)
    apart = jnp.abs(a - b)
    return apart < jnp.asarray(tolerance, jnp.float32 if is_integer(apart) else apart.dtype)


# ---------------------------------------------------------------------- choosing


@op(promotes=True)
def where(condition: Array, input: ArrayOrNumber, other: ArrayOrNumber) -> Array:
    """Elementwise input where the condition holds, other elsewhere.

    Args:
        condition (Tensor): bool.
        input (Tensor, number): of a shape that broadcasts with `condition`.
        other (Tensor, number): of a shape that broadcasts with both.

    Returns:
        Tensor of the broadcast shape and the dtype that `input` and `other` promote to.

    Raises:
        TypeError: if `condition` is not of dtype bool.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([-1.0, 2.0])
        >>> print(ms.ops.where(x > 0, x, 0.0))
        [0. 2.]
    """
    c = as_array("where", "condition", condition)
    if c.dtype != bool:
        checks.fail(TypeError, "where", "condition", "be of dtype bool", f"a Tensor of {c.dtype}")
    x, y = promote_and_broadcast("where", input=input, other=other)
    promote_and_broadcast("where", condition=c, input=x.astype(bool), other=y.astype(bool))
    return jnp.where(c, x, y)
