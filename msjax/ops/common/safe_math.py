"""Functions with a derivative where mathematics has none, or where JAX's is not MindSpore's: at corners, ends and nan."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array
from jax.custom_derivatives import SymbolicZero


def with_slopes(fn: Callable[..., Array], *slopes: Callable[..., Array] | None) -> Callable[..., Array]:
    """Return an elementwise function with these partial derivatives.

    Args:
        fn: of real floating arrays of one dtype, whose shapes broadcast.
        slopes: for each argument, a function of (tangent, result, *arguments) that is linear in the tangent and has the
            result's shape; None for an argument that has no derivative.
    """
    made = jax.custom_jvp(fn)

    def jvp(primals: tuple, tangents: tuple) -> tuple[Array, Array]:
        out = made(*primals)
        # What is not differentiated adds nothing: 0 times an infinite slope would be nan.
        terms = [
            slope(tangent, out, *primals)
            for tangent, slope in zip(tangents, slopes, strict=True)
            if slope is not None and not isinstance(tangent, SymbolicZero)
        ]
        return out, sum(terms[1:], terms[0]).astype(out.dtype) if terms else jnp.zeros_like(out)

    made.defjvp(jvp, symbolic_zeros=True)
    return made


def sqrt_of_sum(total: Array) -> Array:
    """Return the square root with derivative 0 at 0, as that of a norm or a deviation is taken there.

    JAX's is infinite, which times the derivative 0 of squares gives NaN.
    """
    zero = total == 0
    return jnp.where(zero, total, jnp.sqrt(jnp.where(zero, jnp.ones_like(total), total)))


def magnitude(x: Array) -> Array:
    """Return |x| with derivative 0 at 0 and nan."""
    return x * jnp.where(x == x, jnp.sign(x), jnp.zeros_like(x))


def _shares(wins: Callable[[Array, Array], Array]) -> list[Callable[..., Array]]:
    """Return slopes of a choice: all of the gradient to what wins, half of it to equal ones, all to both at nan."""

    def slope(t: Array, mine: Array, other: Array) -> Array:
        return jnp.where(mine == other, 0.5 * t, jnp.where(wins(other, mine), jnp.zeros_like(t), t))

    return [lambda t, _, x, y: slope(t, x, y), lambda t, _, x, y: slope(t, y, x)]


_greater = with_slopes(jnp.maximum, *_shares(jnp.greater))
_lesser = with_slopes(jnp.minimum, *_shares(jnp.less))


def greater_of(x: Array, y: Array) -> Array:
    """Return the larger of two. At equal ones the gradient is halved, at nan both get all of it, as in MindSpore."""
    return _greater(x, y) if jnp.issubdtype(jnp.result_type(x, y), jnp.floating) else jnp.maximum(x, y)


def lesser_of(x: Array, y: Array) -> Array:
    """Return the smaller of two, with gradients as those of `greater_of`."""
    return _lesser(x, y) if jnp.issubdtype(jnp.result_type(x, y), jnp.floating) else jnp.minimum(x, y)


hypotenuse = with_slopes(jnp.hypot, lambda t, h, x, y: t * (x / h), lambda t, h, x, y: t * (y / h))


def log_of_sum(x: Array, y: Array) -> Array:
    """Return log(exp(x) + exp(y)). Beside infinity, the other one has no gradient."""
    return _log_of_sum(x, y) if jnp.issubdtype(jnp.result_type(x, y), jnp.floating) else jnp.logaddexp(x, y)


_log_of_sum = with_slopes(
    jnp.logaddexp, lambda t, _, x, y: t / (1 + jnp.exp(y - x)), lambda t, _, x, y: t / (1 + jnp.exp(x - y))
)
log2_of_sum = with_slopes(
    jnp.logaddexp2, lambda t, _, x, y: t / (1 + jnp.exp2(y - x)), lambda t, _, x, y: t / (1 + jnp.exp2(x - y))
)


def _slope_by_base(t: Array, _: Array, x: Array, y: Array) -> Array:
    return t * (y * jnp.power(x, y - 1))


def _slope_by_exponent(t: Array, power: Array, x: Array, y: Array) -> Array:
    return t * jnp.where((x == 0) & (y >= 0), jnp.zeros_like(power), power * jnp.log(x))


power_of = with_slopes(jnp.power, _slope_by_base, _slope_by_exponent)
