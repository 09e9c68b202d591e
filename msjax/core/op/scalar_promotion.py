"""Python scalars beside arrays: their dtype by MindSpore's promotion, and a cached device array for each that recurs."""

from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from msjax.core import dtype as dtypes
from msjax.core.bounded_cache import keep
from msjax.core.state import state
from msjax.core.tape.pullbacks import array_types

SCALARS = (bool, int, float, complex, np.generic)
# (type, value, dtype) -> array; and, by the dtypes beside the number, (type, value) -> array: one lookup instead of
# promotion and lookup. Arrays are kept because sending a number to the device takes time in every call.
_constants: dict[tuple, np.ndarray | jax.Array] = {}
_beside: dict[tuple, dict[tuple[type, Any], np.ndarray | jax.Array]] = {}


def promote_scalars(values: list[Any]) -> None:
    """Replace the Python numbers among a call's values by arrays of the dtype that MindSpore gives them."""
    present = tuple([v.dtype for v in values if type(v) in array_types or not isinstance(v, SCALARS)])
    kept = _beside.get(present) if state.frame is None else None
    for i, v in enumerate(values):
        kind = type(v)
        if kind in array_types:
            continue
        if kind is not float and kind is not int and not isinstance(v, SCALARS):
            continue
        found = kept.get((kind, v)) if kept is not None and v else None  # 0.0 and -0.0 are equal
        values[i] = _promote_number(v, present) if found is None else found


def _promote_number(value: object, present: tuple) -> jax.Array | np.ndarray:
    """Convert a number beside arrays of these dtypes; cache it if it is on the device."""
    made = constant(value, dtypes.scalar(value, *present))
    if type(made) is not np.ndarray and state.frame is None and not isinstance(made, Tracer):
        keep(_beside.setdefault(present, {}), (type(value), value), made)
    return made


def constant(value: object, dtype: np.dtype) -> jax.Array | np.ndarray:
    """Return a 0-d array of a Python number. Outside traces the same number gives the same array."""
    if state.frame is not None:
        return _array(value, dtype)
    key = (type(value), value or repr(value), dtype)  # 0.0 and -0.0 are equal
    found = _constants.get(key)
    if found is None:
        found = keep(_constants, key, _array(value, dtype))
    elif type(found) is np.ndarray:  # the second time: it will come again, and the device may keep it
        on_device = jax.numpy.asarray(found)
        if not isinstance(on_device, Tracer):
            found = _constants[key] = on_device
    return found


def kept_ids() -> set[int]:
    """Return the ids of the arrays that are cached for Python's numbers."""
    return {id(value) for value in _constants.values()}


def _array(value: object, dtype: np.dtype) -> np.ndarray:
    """Convert a number; an int too large for the dtype keeps its lowest bits, as in MindSpore: -1 is 255 in uint8."""
    try:
        with np.errstate(over="ignore"):  # a float that it has no room for is infinite
            return np.asarray(value, dtype)
    except OverflowError:
        return np.asarray(value, np.int64).astype(dtype)
