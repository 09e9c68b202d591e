"""In-place assignment to Tensors and Parameters: assign, assign_add, assign_sub.

As in MindSpore, a gradient sees no change of the variable: towards the variable it is one towards its new values, and
none flows to what was assigned. What `assign_add` and `assign_sub` return is an ordinary sum or difference.
"""

from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.state import state
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor, node_of, replace, resolve
from msjax.ops.common.docstrings import documented_by
from msjax.ops.math.arithmetic import add, sub
from msjax.ops.math.casts import cast


def fit_value(op_name: str, variable: Any, value: Any, name: str | None = None) -> Any:
    """Cast a value to the dtype of the Tensor that it is written to; raise TypeError if that would lose precision.

    Args:
        op_name: who asks.
        variable: Tensor that is changed.
        value: Tensor of the new values.
        name: the argument that holds `variable`, where messages of MindSpore's name it.

    Raises:
        TypeError: if the two promote to another dtype than that of `variable`.
    """
    kind, new = variable.dtype, value.dtype
    if new is kind:
        return value
    try:
        kept = dtypes.of(dtypes.promote(kind.np, new.np)) is kind
    except TypeError:
        kept = False
    if not kept:
        primitive = "".join(part.capitalize() for part in op_name.split("_"))
        where = f"the argument[{name}]'s data type of primitive[{primitive}] is" if name else "so data type"
        raise TypeError(
            f"`{op_name}`: Data type conversion is not supported for a 'Parameter', nor for the input tensor of an "
            f"in-place operator, {where} {kind}, which cannot be converted to data type {new} automatically. "
            f"Use `astype({kind.label})` on what is written."
        )
    return cast(value, kind)


def _change(op_name: str, variable: Any, value: Any) -> Any:
    here = resolve(variable)
    if value.shape != here._value.shape:
        raise ValueError(
            f"`{op_name}`: argument `value` must have the shape {here._value.shape} of `variable`. Received: {value.shape}."
        )
    value = fit_value(op_name, variable, value)
    changed = replace(variable, value)
    if op_name != "assign" and (state.frame is not None or node_of(resolve(value)) is not None):
        return value
    if not isinstance(changed, Parameter):
        return changed
    # What assign_add returns shares the Parameter's memory in MindSpore 2.10; what the others return does not.
    return Tensor(changed) if op_name == "assign_add" else changed.value()


def _check_target(op_name: str, variable: Any, value: Any) -> None:
    if not isinstance(variable, Tensor):
        raise TypeError(
            f"`{op_name}`: argument `variable` must be a Parameter or Tensor. Received: {type(variable).__name__}."
        )
    if not isinstance(value, Tensor | bool | int | float):
        raise TypeError(
            f"`{op_name}`: argument `value` must be a Tensor or a number. Received: {type(value).__name__}."
        )


def assign(variable: Any, value: Any) -> Any:
    """Assign new values to a Parameter or Tensor, in place; views of it see them.

    Args:
        variable: Parameter or Tensor of any shape.
        value: Tensor of that shape, or a number; it is converted to the dtype of `variable`.

    Returns:
        `variable`; of a Parameter, its values as a plain Tensor.

    Raises:
        TypeError: if an argument is neither, or `value` would not become of `variable`'s dtype beside it (`float32`
            for a `float16` Parameter).
        ValueError: if the shapes differ.

    Examples:
        >>> import msjax as ms
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> print(ms.ops.assign(p, ms.Tensor([3.0, 4.0])))
        [3. 4.]
    """
    _check_target("assign", variable, value)
    if not isinstance(value, Tensor):
        value = Tensor(value, dtypes.of(dtypes.scalar(value, variable.dtype.np)))
        if variable.shape:
            raise ValueError(
                f"`assign`: argument `value` must have the shape {variable.shape}. Received: {value}."
            )
    return _change("assign", variable, value)


@documented_by(assign)
def assign_add(variable: Any, value: Any) -> Any:
    """Add to a Parameter or Tensor in place.

    Args:
        value: Tensor that can be added to it, or a number.

    Raises:
        TypeError: if an argument is neither.
        ValueError: if the sum has another shape.

    Examples:
        >>> import msjax as ms
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> print(ms.ops.assign_add(p, 1))
        [2. 3.]
    """
    _check_target("assign_add", variable, value)
    return _change("assign_add", variable, add(variable, value))


@documented_by(assign)
def assign_sub(variable: Any, value: Any) -> Any:
    """Subtract from a Parameter or Tensor in place.

    Args:
        value: Tensor that can be subtracted from it, or a number.

    Raises:
        TypeError: if an argument is neither.
        ValueError: if the difference has another shape.

    Examples:
        >>> import msjax as ms
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> print(ms.ops.assign_sub(p, 1))
        [0. 1.]
    """
    _check_target("assign_sub", variable, value)
    return _change("assign_sub", variable, sub(variable, value))
