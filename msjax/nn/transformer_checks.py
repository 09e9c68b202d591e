"""Checks that layers written after MindSpore's old Transformers share with them (`parallel._transformer` of 2.0 to 2.7)."""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from msjax.nn.cell.cell import Cell


def _args_type_validator_check(**checks: Callable[[Any, str], Any]) -> Callable[[Callable], Callable]:
    """Decorate a function so that arguments are checked by name before it runs.

    Args:
        checks: for the name of an argument what gets its value and its name, and raises.

    Examples:
        >>> from msjax import _checkparam
        >>> from msjax.nn.transformer_checks import _args_type_validator_check
        >>> @_args_type_validator_check(size=_checkparam.check_positive_int)
        ... def make(size):
        ...     return size
        >>> make(3)
        3
    """

    def decorate(function: Callable) -> Callable:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                if name in checks:
                    checks[name](value, name)
            return function(*args, **kwargs)

        return checked

    return decorate


def _valid_type_checks(types: Sequence[type], class_name: str) -> Callable[[Any, str], Any]:
    """Return a check that a value is None or an instance of one of the types."""

    def check(value: Any, name: str) -> Any:
        if value is not None and not isinstance(value, tuple(types)):
            names = ", ".join(one.__name__ for one in types)
            raise TypeError(
                f"`{class_name}`: argument `{name}` must be of type {names}. Received: {value!r}."
            )
        return value

    return check


def _valid_value_checks(values: Sequence[Any], class_name: str) -> Callable[[Any, str], Any]:
    """Return a check that a value is one of `values`."""

    def check(value: Any, name: str) -> Any:
        _check_input_dtype(value, name, values, class_name)
        return value

    return check


def _check_input_dtype(input_dtype: Any, param_name: str, allow_dtypes: Sequence[Any], cls_name: str) -> bool:
    """Raise TypeError unless a dtype is among those allowed."""
    if input_dtype not in allow_dtypes:
        allowed = ", ".join(map(str, allow_dtypes))
        raise TypeError(f"`{cls_name}`: `{param_name}` must be one of {allowed}. Received: {input_dtype}.")
    return True


def _check_past_none_input_none(
    use_past: bool, param_name: str, func_name: str, default_value: Any, is_tensor: bool, is_default: bool
) -> bool:
    """Raise TypeError unless an input is a Tensor with `use_past`, and its default without."""
    if use_past and not is_tensor:
        raise TypeError(f"`{func_name}`: `{param_name}` must be a Tensor where `use_past` is True.")
    if not use_past and not is_default:
        raise TypeError(
            f"`{func_name}`: `{param_name}` must be {default_value!r}, its default, where `use_past` is False."
        )
    return True


class _LayerInputCheck:
    """Checks of shapes; each returns True or raises ValueError."""

    @staticmethod
    def check_shape_length(
        input_shape: Sequence[int], param_name: str, func_name: str, target_len: int | Sequence[int]
    ) -> bool:
        """The number of dimensions is one of those given."""
        lengths = [target_len] if isinstance(target_len, int) else [*target_len]
        if len(input_shape) not in lengths:
            raise ValueError(
                f"`{func_name}`: `{param_name}` must have {' or '.join(map(str, lengths))} dimensions. "
                f"Received: shape {tuple(input_shape)}."
            )
        return True

    @staticmethod
    def check_shape_equal(
        input_shape: Sequence[int], param_name: str, func_name: str, target_shape: Sequence[Any]
    ) -> bool:
        """The shape is the one given, or one of several."""
        several = bool(target_shape) and isinstance(target_shape[0], list | tuple)
        shapes = [[*shape] for shape in target_shape] if several else [[*target_shape]]
        if [*input_shape] not in shapes:
            raise ValueError(
                f"`{func_name}`: `{param_name}` must be of shape {' or '.join(str(tuple(s)) for s in shapes)}. "
                f"Received: shape {tuple(input_shape)}."
            )
        return True

    @staticmethod
    def check_shape_value_on_axis(
        input_shape: Sequence[int], dim: int, param_name: str, cls_name: str, target_value: int
    ) -> bool:
        """The size of a dimension is the one given."""
        if input_shape[dim] != target_value:
            raise ValueError(
                f"`{cls_name}`: `{param_name}` must have size {target_value} in dimension {dim}. "
                f"Received: shape {tuple(input_shape)}."
            )
        return True


def _check_config(config: Any) -> None:
    """Accept a configuration of parallel training, which has no effect."""


def _check_moe_config(moe_config: Any = None, parallel_config: Any = None) -> None:
    """Accept a configuration of experts; a layer that needs more than one refuses it."""


def _get_lambda_func(total_layer: int | None = None) -> Callable[..., None]:
    """Return what assigns layers to devices: here it does nothing.

    Args:
        total_layer: number of layers.
    """

    def assign(network: Cell, layer_id: int, offset: int, parallel_config: Any, layers: int) -> None:
        return None

    return assign
