"""The `seed` argument of random operators: a separate stream of the random state for each seed."""

from typing import Any

import jax
import numpy as np
from jax import Array

from msjax.ops.common import checks


def fold_in_seed(name: str, key: Array, seed: Any) -> Array:
    """Return the key, or another one for each `seed`; both advance with the random state."""
    if seed is None:
        return key
    checks.whole(name, seed=seed)
    if seed < 0:
        checks.fail(ValueError, name, "seed", "be at least 0", seed)
    return jax.random.fold_in(key, np.uint32(seed % 2**32))
