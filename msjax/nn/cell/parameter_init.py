"""Parameter initialization and argument checks of the layers."""

import math
from typing import Any

import numpy as np

from msjax.common.initializer import HeUniform, Uniform, initializer
from msjax.core import dtype as dtypes
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor

_NUMPY = {int: np.integer, float: np.floating}


def make_parameter(
    layer: str, init: Any, shape: tuple[int, ...], dtype: Any, name: str, trained: bool = True
) -> Parameter:
    """Return a Parameter that an initializer, its name, a number or a Tensor fills.

    Args:
        layer: for messages.
        init: the initializer.
        shape: of the Parameter.
        dtype: of the Parameter.
        name: of the Parameter.
        trained: its `requires_grad`.

    Raises:
        ValueError: if `init` is a Tensor of another shape, or the name of no initializer.
    """
    if isinstance(init, Tensor):
        if init.shape != shape:
            raise ValueError(
                f"`{layer}`: the starting values of `{name}` must have shape {shape}. Received: {init.shape}."
            )
        return Parameter(Tensor(init), name=name, requires_grad=trained)
    return Parameter(initializer(init, shape, dtype), name=name, requires_grad=trained)


def he_uniform() -> Any:
    """Return the default initializer of weights: uniform in +-1 / sqrt(fan-in) (He uniform)."""
    return HeUniform(math.sqrt(5))  # type: ignore[call-arg]


def bias_uniform(weight_shape: tuple[int, ...]) -> Any:
    """Return the default initializer of biases: uniform in +-1 / sqrt(fan-in)."""
    fan_in = math.prod(weight_shape[1:])
    return Uniform(1 / math.sqrt(fan_in)) if fan_in else "zeros"  # type: ignore[call-arg]


def weight_and_bias(
    layer: str,
    shape: tuple[int, ...],
    outputs: int,
    weight_init: Any,
    bias_init: Any,
    has_bias: bool,
    dtype: Any,
) -> tuple[Parameter, Parameter | None]:
    """Return the Parameters of a linear map or convolution: `weight` of a shape, `bias` of as many outputs, or None.

    Both are uniform in +-1 / sqrt(fan-in) where no initializer is given.
    """
    weight = make_parameter(
        layer, he_uniform() if weight_init is None else weight_init, shape, dtype, "weight"
    )
    if not has_bias:
        return weight, None
    init = bias_uniform(shape) if bias_init is None else bias_init
    return weight, make_parameter(layer, init, (outputs,), dtype, "bias")


def check_positive_ints(layer: str, **values: Any) -> None:
    """Raise unless these are ints above 0."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise TypeError(f"`{layer}`: argument `{name}` must be an int. Received: {value!r}.")
        if value < 1:
            raise ValueError(f"`{layer}`: argument `{name}` must be positive. Received: {value}.")


def check_bools(layer: str, **values: Any) -> None:
    """Raise unless these are bools."""
    for name, value in values.items():
        if not isinstance(value, bool):
            raise TypeError(f"`{layer}`: argument `{name}` must be a bool. Received: {value!r}.")


def check_numbers(layer: str, *kinds: type, **values: Any) -> None:
    """Raise unless these are of one of the kinds, NumPy's among them: int and float by default (and never bool)."""
    kinds = kinds or (int, float)
    with_numpy = (*kinds, *(_NUMPY[kind] for kind in kinds if kind in _NUMPY))
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, with_numpy):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise TypeError(
                f"`{layer}`: argument `{name}` must be of type {wanted}. Received: {value!r} ({type(value).__name__})."
            )


def check_choice(layer: str, options: tuple, **values: Any) -> None:
    """Raise unless these are among the options."""
    for name, value in values.items():
        if value not in options:
            raise ValueError(
                f"`{layer}`: argument `{name}` must be one of {list(options)}. Received: {value!r}."
            )


def check_dtypes(layer: str, **values: Any) -> None:
    """Raise unless these are dtypes. MindSpore has another exception for None, without which nothing can start."""
    for name, value in values.items():
        if not isinstance(value, dtypes.DType):
            raise (ValueError if value is None else TypeError)(
                f"`{layer}`: argument `{name}` must be a dtype. Received: {value!r}."
            )


def check_tensor_dtypes(layer: str, allowed: tuple, **tensors: Any) -> None:
    """Raise unless these are Tensors of one of the dtypes."""
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor) or tensor.dtype not in allowed:
            given = tensor.dtype if isinstance(tensor, Tensor) else f"{tensor!r} ({type(tensor).__name__})"
            wanted = " or ".join(str(dtype) for dtype in allowed)
            raise TypeError(
                f"`{layer}`: input `{name}` must be a Tensor of dtype {wanted}. Received: {given}."
            )


def check_same_shape_and_dtype(layer: str, **tensors: Any) -> None:
    """Raise unless these Tensors have one shape and one dtype."""
    (first, x), *others = tensors.items()
    for name, tensor in others:
        if tensor.dtype != x.dtype:
            raise TypeError(
                f"`{layer}`: inputs `{first}` and `{name}` must have one dtype. Received: {x.dtype}, {tensor.dtype}."
            )
        if tensor.shape != x.shape:
            raise ValueError(
                f"`{layer}`: inputs `{first}` and `{name}` must have one shape. Received: {x.shape}, {tensor.shape}."
            )


def check_same_dtypes(cell: Any, **tensors: Any) -> None:
    """Raise unless these Tensors have one dtype, or the Cell casts them by itself (`to_float`)."""
    found = {name: tensor.dtype for name, tensor in tensors.items() if isinstance(tensor, Tensor)}
    if len(set(found.values())) > 1 and cell._cast is None:
        told = ", ".join(f"{name}: {dtype}" for name, dtype in found.items())
        raise TypeError(f"`{type(cell).__name__}`: inputs must have one dtype. Received: {told}.")


def integers_to_float32(*tensors: Any) -> tuple:
    """Integers as float32, other things as they are."""
    return tuple(
        t if not isinstance(t, Tensor) or t.dtype.is_floating_point else t.astype(dtypes.float32)
        for t in tensors
    )


def check_floating_tensors(layer: str, **tensors: Any) -> None:
    """Raise unless these are Tensors of floating numbers."""
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor) or not tensor.dtype.is_floating_point:
            given = tensor.dtype if isinstance(tensor, Tensor) else f"{tensor!r} ({type(tensor).__name__})"
            raise TypeError(f"`{layer}`: input `{name}` must be a floating Tensor. Received: {given}.")
