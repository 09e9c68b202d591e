"""The `seed` argument of random operators: a random state of its own for each operator and seed."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import Array

from msjax.core.state import state
from msjax.core.tensor import random_state
from msjax.ops.common import checks


def fold_in_seed(name: str, key: Array, seed: Any) -> Array:
    """Return the key, or another one for each `seed`: a key from outside (`.pure`) then serves several. 0 is none."""
    if seed is None:
        return key
    checks.check_ints(name, seed=seed)
    if seed == 0:
        return key
    if seed < 0:
        checks.fail(ValueError, name, "seed", "be at least 0", seed)
    return jax.random.fold_in(key, np.uint32(seed % 2**32))


def restart_with(names: str, unset: tuple) -> Callable[[Callable], Any]:
    """A decorator: every eager call with the same seeds draws the same, because MindSpore makes an operator for each call.

    In a compiled function the operator stays, in MindSpore too: its calls go on drawing.

    Args:
        names: of the parameters that are seeds, separated by blanks.
        unset: their values that stand for none: the random state of the process is drawn from.

    Examples:
        >>> import msjax as ms
        >>> a, b = (ms.ops.random_categorical(ms.ops.ones((1, 100)), 5, seed=3) for _ in range(2))
        >>> bool((a == b).all())
        True
    """
    seeds = names.split()

    def restarting(fn: Callable) -> Any:
        signature = inspect.signature(fn)

        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind(*args, **kwargs)
            given.apply_defaults()
            values = tuple(given.arguments[name] for name in seeds)
            if values == unset or state.frame is not None or random_state.is_lent():
                return fn(*args, **kwargs)
            for name, value in zip(seeds, values, strict=True):
                checks.check_ints(fn.__name__, **{name: value})
            with random_state.drawing_from(random_state.new_stream(fn.__name__, values)):
                return fn(*args, **kwargs)

        return call

    return restarting
