"""PyTorch's derivatives and values where the engine's operators have others: at poles, ties, infinities and NaN.

The engine's are MindSpore's and JAX's. A row of `_SLOPES` gives the derivatives of real numbers by each array; those of
complex numbers stay the engine's.
"""

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.custom_derivatives import SymbolicZero

from msjax import ops
from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayOrNumber
from msjax.core.op.op import op
from msjax.ops.common import checks, promotion
from msjax.ops.math.arithmetic import any_pow
from msjax.torch.tensors.tensor import Tensor


def sloped(operator: Any, *slopes: Callable | None, of_complex: bool = False) -> Any:
    """Return an operator of the same values, with other derivatives of real numbers.

    Args:
        operator: of the engine.
        *slopes: for each of its arrays, in order: the result, the arrays (of the result's dtype, and as many for each as it
            has; None for one that is not given) and the other arguments by name give the derivative. None: it is 0.
        of_complex: whether the derivatives are those of complex numbers, too.
    """
    record, parameters = operator.record, inspect.signature(operator)

    def pure(*args: Any, **named: Any) -> Any:
        bound = parameters.bind(*args, **named)
        bound.apply_defaults()
        given = {name: bound.arguments[name] for name in record.arrays if bound.arguments[name] is not None}
        others = {name: value for name, value in bound.arguments.items() if name not in given}
        statics = {name: others[name] for name in record.static}
        if not _has_slopes([*given.values()], of_complex):
            return record.pure(**given, **others)

        @jax.custom_jvp
        def compute(*arrays: Any) -> Any:
            return record.pure(**dict(zip(given, arrays, strict=True)), **others)

        def differentiate(primals: tuple, tangents: tuple) -> tuple[Any, Any]:
            out = compute(*primals)
            wide = {
                name: jnp.broadcast_to(jnp.asarray(each, out.dtype), out.shape)
                for name, each in zip(given, primals, strict=True)
            }
            arrays = [wide.get(name) for name in record.arrays]
            moved, by_name = jnp.zeros(out.shape, out.dtype), dict(zip(record.arrays, slopes, strict=True))
            for name, tangent in zip(given, tangents, strict=True):
                slope = by_name[name]
                if slope is not None and not isinstance(tangent, SymbolicZero):
                    moved += tangent.astype(out.dtype) * slope(out, *arrays, **statics)
            return out, moved

        compute.defjvp(differentiate, symbolic_zeros=True)
        return compute(*given.values())

    functools.update_wrapper(pure, record.pure)
    return op(pure, static=" ".join(record.static), promotes=record.promotes)


def _has_slopes(arrays: list[Any], of_complex: bool) -> bool:
    found = [jnp.result_type(each) for each in arrays]
    is_complex = any(jnp.issubdtype(each, jnp.complexfloating) for each in found)
    return of_complex if is_complex else any(jnp.issubdtype(each, jnp.floating) for each in found)


def _choose(condition: Any, first: Any, second: Any) -> Any:
    """Like `jnp.where`, in the dtype of the one that is an array."""
    kind = next(each.dtype for each in (first, second) if isinstance(each, jax.Array))
    return jnp.where(condition, jnp.asarray(first, kind), jnp.asarray(second, kind))


def _pow_by_base(out: Any, x: Any, y: Any) -> Any:
    return _choose(y == 0, 0.0, y * jnp.power(x, y - 1))


def _pow_by_exponent(out: Any, x: Any, y: Any) -> Any:
    return _choose((x == 0) & (y.real >= 0), 0.0, out * jnp.log(x))


def _larger(out: Any, x: Any, y: Any) -> Any:
    return _share(x, y, x < y)


def _smaller(out: Any, x: Any, y: Any) -> Any:
    return _share(x, y, x > y)


def _share(x: Any, y: Any, is_other: Any) -> Any:
    """1, 0 where the other one is taken, and half for each of two that are equal; NaN takes all."""
    return jnp.where(x == y, 0.5, jnp.where(is_other, 0, 1)).astype(x.dtype)


def _per_square(numerator: Any, x: Any, y: Any) -> Any:
    square = x * x + y * y
    return _choose(square == 0, 0.0, numerator / square)


def _copysign(out: Any, x: Any, y: Any) -> Any:
    return _choose(x == 0, 0.0, out / x)


def _sinc(out: Any, x: Any) -> Any:
    angle = math.pi * x
    below = angle * x
    return _choose(below == 0, 0.0, (angle * jnp.cos(angle) - jnp.sin(angle)) / below)


def _elu(out: Any, x: Any, alpha: float = 1.0) -> Any:
    return _choose(x <= 0, alpha * jnp.exp(jnp.minimum(x, 0)), 1.0)


def _acosh(out: Any, x: Any) -> Any:
    if jnp.iscomplexobj(x):
        return 1 / (
            jnp.sqrt(x - 1) * jnp.sqrt(x + 1)
        )  # the root of the product is on the other side where Re x < 0
    return jax.lax.rsqrt(x * x - 1)


def _selu(out: Any, x: Any) -> Any:
    scale, alpha = 1.0507009873554805, 1.6732632423543772
    return _choose(x <= 0, scale * alpha * jnp.exp(jnp.minimum(x, 0)), scale)


def _celu(out: Any, x: Any, alpha: float) -> Any:
    return _choose(x <= 0, jnp.exp(jnp.minimum(x, 0) / alpha), 1.0)


_SLOPES: dict[str, tuple[Callable | None, ...]] = {
    "abs": (lambda out, x: _choose(x > 0, 1.0, _choose(x < 0, -1.0, jnp.zeros_like(x))),),
    "acosh": (_acosh,),
    "rsqrt": (lambda out, x: -0.5 * out * out * out,),
    "sinc": (_sinc,),
    "relu": (lambda out, x, inplace: _choose(out <= 0, 0.0, jnp.ones_like(x)),),
    "hardsigmoid": (lambda out, x: _choose((x > -3) & (x < 3), 1 / 6, jnp.zeros_like(x)),),
    "celu": (_celu,),
    "atan2": (lambda out, x, y: _per_square(y, x, y), lambda out, x, y: _per_square(-x, x, y)),
    "hypot": (lambda out, x, y: x / out, lambda out, x, y: y / out),
    "maximum": (_larger, lambda out, x, y: _larger(out, y, x)),
    "minimum": (_smaller, lambda out, x, y: _smaller(out, y, x)),
    "copysign": (_copysign, None),
    "nextafter": (lambda out, x, y: jnp.where(x == y, 0, 1).astype(x.dtype), None),
    "logaddexp": (lambda out, x, y: 1 / (1 + jnp.exp(y - x)), lambda out, x, y: 1 / (1 + jnp.exp(x - y))),
    "logaddexp2": (lambda out, x, y: 1 / (1 + jnp.exp2(y - x)), lambda out, x, y: 1 / (1 + jnp.exp2(x - y))),
}  # fmt: skip
_OF_COMPLEX = frozenset({"acosh"})


@op(promotes=True)
def heaviside(input: ArrayOrNumber, values: ArrayOrNumber) -> Any:
    """Return 1 above 0, `values` at 0, and 0 elsewhere."""
    found = ops.heaviside.pure(input, values)
    return jnp.where(jnp.isnan(input), jnp.zeros_like(found), found) if _is_floating(found) else found


@op
def _angle(input: Array) -> Any:
    found = ops.angle.pure(input)
    return jnp.where(input == 0, jnp.zeros_like(found), found) if _is_floating(input) else found


_angle.record.pure.__name__ = "angle"


@op(promotes=True)
def lerp(input: Any, end: Any, weight: ArrayOrNumber) -> Any:
    """Return what is `weight` of the way from one tensor to another, exact at both ends."""
    checks.check_inexact("lerp", input=input, end=end)
    x, y, w = promotion.promote_and_broadcast("lerp", input=input, end=end, weight=weight)
    way = y - x
    return jnp.where(jnp.abs(w) < 0.5, x + w * way, y - way * (1 - w))


@op(promotes=True)
def floor_divide(input: ArrayOrNumber, other: ArrayOrNumber) -> Any:
    """Return the quotient, rounded down; of infinities and by 0 what PyTorch's steps give."""
    found = ops.floor_divide.pure(input, other)
    if not _is_floating(found):
        return found
    wide = checks.compute_dtype(found.dtype)
    x, y = (
        jax.lax.stop_gradient(jnp.broadcast_to(jnp.asarray(each, wide), found.shape))
        for each in (input, other)
    )
    left = jax.lax.rem(x, y)
    quotient = (x - left) / y
    quotient = jnp.where((left != 0) & ((left < 0) != (y < 0)), quotient - 1, quotient)
    rounded = jnp.where(quotient == 0, jnp.copysign(0, x / y), jnp.floor(quotient))
    special = jnp.where(y == 0, x / y, rounded).astype(found.dtype)
    return jnp.where(jnp.isfinite(x) & jnp.isfinite(y) & (y != 0) & (found != 0), found, special)


@op(promotes=True)
def _limited(input: ArrayOrNumber, min: ArrayOrNumber | None = None, max: ArrayOrNumber | None = None) -> Any:
    found = ops.clamp.pure(input, min, max)
    for limit in (min, max):
        if limit is not None and _is_floating(limit) and _is_floating(found):
            found = jnp.where(jnp.isnan(limit), jnp.nan, found).astype(found.dtype)
    return found


_limited.record.pure.__name__ = "clamp"


def _inside(out: Any, x: Any, low: Any, high: Any) -> Any:
    inside = jnp.ones_like(x) if low is None else jnp.where(x >= low, 1, 0).astype(x.dtype)
    return inside if high is None else jnp.where(x <= high, inside, 0)


def _at_low(out: Any, x: Any, low: Any, high: Any) -> Any:
    below = x < low if high is None else (x < low) & (low < high)
    return jnp.where(below, 1, 0).astype(x.dtype)


def _at_high(out: Any, x: Any, low: Any, high: Any) -> Any:
    above = x > high if low is None else (x > high) | (high < low)
    return jnp.where(above, 1, 0).astype(x.dtype)


clamp = sloped(_limited, _inside, _at_low, _at_high)
_power = sloped(any_pow, _pow_by_base, _pow_by_exponent, of_complex=True)


def pow(input: Any, exponent: Any) -> Any:  # noqa: A001
    """Return the power; its derivatives are 0 at 0 to the power of 0."""
    is_whole = type(exponent) is int or (type(exponent) is float and exponent.is_integer() and exponent > 0)
    return ops.pow(input, exponent) if is_whole and isinstance(input, Tensor) else _power(input, exponent)


def float_power(input: Any, exponent: Any) -> Any:
    """Return the power in double precision."""
    return pow(_to_double(input), _to_double(exponent))


def _to_double(x: Any) -> Any:
    if isinstance(x, Tensor):
        return ops.cast(x, dtypes.complex128 if x.is_complex() else dtypes.float64)
    return complex(x) if isinstance(x, complex) else float(x)


_ELU, _SELU = sloped(ops.elu, _elu), sloped(ops.selu, _selu)


def elu(input: Any, alpha: float = 1.0) -> Any:
    """Return x where it is positive, alpha (exp(x) - 1) elsewhere."""
    return _ELU(input, alpha)


def selu(input: Any) -> Any:
    """Return :func:`elu`, scaled so that mean and variance stay."""
    return _SELU(input)


FORMS: dict[str, Any] = {
    "pow": pow,
    "float_power": float_power,
    "elu": elu,
    "selu": selu,
    "angle": sloped(_angle, None),
    "heaviside": heaviside,
    "lerp": sloped(lerp, lambda out, x, y, w: 1 - w, lambda out, x, y, w: w, lambda out, x, y, w: y - x, of_complex=True),
    "floor_divide": floor_divide,
}  # fmt: skip


@functools.cache
def adjust(operator: Any) -> Any:
    """Return an operator of the engine as PyTorch has it: the same one, if they agree.

    Args:
        operator: the function.
    """
    name = getattr(getattr(operator, "record", None), "name", operator.__name__)
    if name in FORMS:
        return FORMS[name]
    if name not in _SLOPES:
        return operator
    return sloped(operator, *_SLOPES[name], of_complex=name in _OF_COMPLEX)


def _extreme_of_all(name: str) -> Any:
    """Return the largest or least of all elements; those that are equal to it, or NaN as it is, share its gradient."""

    def pure(input: Array) -> Any:
        if not input.size:
            raise RuntimeError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
        return _extreme(input, name == "max")

    pure.__name__ = name
    return op(pure)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _extreme(x: Any, largest: bool) -> Any:
    return jnp.max(x) if largest else jnp.min(x)


@_extreme.defjvp
def _extreme_jvp(largest: bool, primals: tuple, tangents: tuple) -> tuple[Any, Any]:
    (x,) = primals
    found = _extreme(x, largest)
    equal = (x == found) | (jnp.isnan(x) & jnp.isnan(found))
    return found, jnp.where(equal, tangents[0], 0).sum() / equal.sum().astype(x.dtype)


LARGEST, LEAST = map(_extreme_of_all, ("max", "min"))


def _is_floating(x: Any) -> bool:
    return jnp.issubdtype(jnp.result_type(x), jnp.floating)
