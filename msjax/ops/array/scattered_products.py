"""Scatter-multiply with a gradient for repeated indices, which JAX does not have."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array


def multiply_at(x: Array, where: Any, factors: Array) -> Array:
    """`x.at[where].multiply(factors)`, differentiable by both, also where factors are zero.

    The derivative by one factor is the product of all others that go to its place. That comes from the product of those
    that are not zero, and from how many are.

    Args:
        x (Array): of any dtype.
        where: what `x.at` takes: a tuple of arrays of an integer dtype and slices, or one array.
        factors (Array): of a shape that broadcasts to that of `x[where]`. Those outside of `x` are left out.

    Examples:
        >>> import jax, jax.numpy as jnp
        >>> from msjax.ops.array.scattered_products import multiply_at
        >>> twice = jnp.array([0, 0])
        >>> print(jax.grad(lambda f: multiply_at(jnp.array([2.0, 5.0]), twice, f).sum())(jnp.array([3.0, 0.0])))
        [0. 6.]
    """
    x = jnp.asarray(x)
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        return x.at[where].multiply(factors)
    places = where if isinstance(where, tuple) else (where,)
    moving = [i for i, place in enumerate(places) if not isinstance(place, slice)]

    def at(indices: Any) -> tuple:
        each = dict(zip(moving, indices, strict=True))
        return tuple(each.get(i, place) for i, place in enumerate(places))

    @jax.custom_jvp
    def product(x: Array, factors: Array, *indices: Array) -> Array:
        return x.at[at(indices)].multiply(factors)

    @product.defjvp
    def _(primals: Any, tangents: Any) -> tuple[Array, Array]:
        x, factors, *indices = primals
        there = at(indices)
        whole = product(_nonzero(x), _nonzero(factors), *indices)
        zeros = (x == 0).astype(jnp.int32).at[there].add((factors == 0).astype(jnp.int32))
        tangent = tangents[0] * _others(x, whole, zeros)
        by_factors = tangents[1] * _others(factors, whole[there], zeros[there])
        return product(*primals), tangent.at[there].add(by_factors)

    factors = jnp.broadcast_to(factors, jax.eval_shape(lambda x: x[places], x).shape).astype(x.dtype)
    return product(x, factors, *[jnp.asarray(places[i]) for i in moving])


def _nonzero(x: Array) -> Array:
    return jnp.where(x == 0, jnp.ones_like(x), x)


def _others(factor: Array, whole: Array, zeros: Array) -> Array:
    """The product of the other factors, of the product of those that are not zero and the number of those that are."""
    nothing = jnp.zeros_like(whole)
    where_zero = jnp.where(zeros == 1, whole, nothing)
    return jnp.where(factor == 0, where_zero, jnp.where(zeros == 0, whole / _nonzero(factor), nothing))
