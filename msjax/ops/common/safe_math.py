"""Functions with a derivative where mathematics has none."""

import jax.numpy as jnp
from jax import Array


def sqrt_of_sum(total: Array) -> Array:
    """Return the square root with derivative 0 at 0, as that of a norm or a deviation is taken there.

    JAX's is infinite, which times the derivative 0 of squares gives NaN.
    """
    zero = total == 0
    return jnp.where(zero, total, jnp.sqrt(jnp.where(zero, jnp.ones_like(total), total)))
