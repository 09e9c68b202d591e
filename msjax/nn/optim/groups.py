"""Parameter groups, learning rates and weight decays as users give them to an optimizer."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from msjax.core.op.op import op
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import argument_checks
from msjax.nn.cell.cell import Cell
from msjax.nn.learning_rate_schedule import LearningRateSchedule

_UNNAMED = re.compile(r"Parameter(#\d+)?")
_KEYS = ("params", "lr", "weight_decay", "grad_centralization", "order_params")


@dataclass
class GroupMember:
    """One parameter, and what its group says of it; None where the optimizer's own setting counts."""

    parameter: Parameter
    rate: "Rate | None" = None
    decay: "float | Cell | None" = None
    centralized: bool = False


Rate = Parameter | LearningRateSchedule


@dataclass
class GroupMembers:
    """All parameters of an optimizer in the order in which it takes their gradients."""

    each: list[GroupMember]
    grouped: bool
    ordered: bool = False
    own_rates: bool = False


def split_params(owner: str, parameters: Any) -> GroupMembers:
    """Sort out an optimizer's argument `params`.

    Args:
        owner: the optimizer's name.
        parameters: Parameters, or groups of them as dicts.

    Raises:
        TypeError: if it holds other things, or groups hold settings of another type.
        ValueError: if it or a group is empty, a setting is out of its range, or `order_params` has another length.
        KeyError: if a group has no `params` or an unknown key.
        RuntimeError: if a parameter is in two groups.
    """
    if parameters is None:
        raise ValueError(
            f"`{owner}`: argument `params` must be Parameters or groups of them. Received: None."
        )
    rule = f"`{owner}`: argument `params` must be a list of Parameters or a list of dicts."
    if isinstance(parameters, Tensor) or not isinstance(parameters, Iterable):
        raise TypeError(f"{rule} Received: {argument_checks.describe_value(parameters)}.")
    given = list(parameters)
    if not given:
        raise ValueError(f"{rule} Received an empty one: does the network have trainable Parameters?")
    if all(isinstance(p, Parameter) for p in given):
        return GroupMembers([GroupMember(p) for p in _name_parameters(given)], grouped=False)
    if not all(isinstance(group, dict) for group in given):
        odd = next(p for p in given if not isinstance(p, Parameter) or isinstance(given[0], dict))
        raise TypeError(f"{rule} Received an element {argument_checks.describe_value(odd)}.")
    return _group_parameters(owner, given)


def _name_parameters(parameters: list[Parameter]) -> list[Parameter]:
    """Return the parameters, those without a name being numbered, because slots are named after them."""
    number = 0
    for parameter in parameters:
        if _UNNAMED.fullmatch(parameter.name):
            number += 1
            parameter.name = f"Parameter${number}"
    return parameters


def _group_parameters(owner: str, groups: list[dict]) -> GroupMembers:
    found: dict[int, GroupMember] = {}
    order: list[Parameter] | None = None
    own_rates = False
    for number, group in enumerate(groups):
        unknown = [key for key in group if key not in _KEYS]
        if unknown:
            raise KeyError(
                f"`{owner}`: the keys of a group must be among {list(_KEYS)}. Received: {unknown[0]!r}."
            )
        if "order_params" in group:
            order = _order(owner, group)
            continue
        settings = _settings(owner, group, number)
        own_rates |= "lr" in group
        for parameter in _params(owner, group):
            if id(parameter) in found:
                raise RuntimeError(f"`{owner}`: Parameter {parameter.name!r} must be in only one group.")
            found[id(parameter)] = GroupMember(parameter, **settings)
    if order is None:
        _name_parameters([member.parameter for member in found.values()])
        return GroupMembers(list(found.values()), True, False, own_rates)
    if len(order) != len(found) or {id(p) for p in order} != set(found):
        raise ValueError(
            f"`{owner}`: `order_params` must hold the {len(found)} Parameters of all groups, each once. "
            f"Received: {len(order)} Parameters."
        )
    return GroupMembers([found[id(p)] for p in _name_parameters(order)], True, True, own_rates)


def _order(owner: str, group: dict) -> list[Parameter]:
    if len(group) > 1:
        raise ValueError(
            f"`{owner}`: the group with `order_params` must have no other key. Received: {sorted(group)}."
        )
    order = group["order_params"]
    if isinstance(order, Tensor) or not isinstance(order, Iterable):
        raise TypeError(
            f"`{owner}`: `order_params` must be a list of Parameters. Received: {argument_checks.describe_value(order)}."
        )
    return list(order)


def _params(owner: str, group: dict) -> list[Parameter]:
    if "params" not in group:
        raise KeyError(f"`{owner}`: a group must have the key 'params'. Received: {sorted(group)}.")
    params = group["params"]
    listed = [] if isinstance(params, Tensor) or not isinstance(params, Iterable) else list(params)
    if isinstance(params, list | tuple) and not listed:
        raise ValueError(f"`{owner}`: `params` of a group must not be empty.")
    if not listed or not all(isinstance(p, Parameter) for p in listed):
        raise TypeError(f"`{owner}`: `params` of a group must be a list of Parameters. Received: {params!r}.")
    return listed


def _settings(owner: str, group: dict, number: int) -> dict[str, Any]:
    centralized = group.get("grad_centralization", False)
    argument_checks.check_bools(owner, grad_centralization=centralized)
    return {
        "rate": as_rate(owner, group["lr"], f"learning_rate_group_{number}") if "lr" in group else None,
        "decay": as_weight_decay(owner, group["weight_decay"]) if "weight_decay" in group else None,
        "centralized": centralized,
    }


# ------------------------------------------------------------------------------------------ learning rates


@op
def rate_at_step(rates: Any, step: Any) -> Any:
    """Return the rate of each step, in the shape of those; after the last one, that."""
    return rates.at[step].get(mode="clip")


@op
def scalar_rate(rate: Any) -> Any:
    """Return a learning rate of shape () or (1,) as a float32 scalar."""
    return rate.reshape(()).astype(np.float32)


class _IteratorLearningRate(LearningRateSchedule):
    """A learning rate for each step, from a list."""

    def __init__(self, rates: np.ndarray, name: str) -> None:
        super().__init__(auto_prefix=False)
        self.learning_rate = Parameter(Tensor(rates), name=name)
        self.length = len(rates)

    def construct(self, global_step: Any) -> Any:
        return rate_at_step(self.learning_rate, global_step)


class _ConvertToCell(LearningRateSchedule):
    """A constant learning rate as a Cell, where other groups have schedules."""

    def __init__(self, learning_rate: Parameter) -> None:
        super().__init__(auto_prefix=False)
        self.learning_rate = learning_rate

    def construct(self, global_step: Any) -> Any:
        return self.learning_rate


def as_rate(owner: str, value: Any, name: str) -> Rate:
    """Return a learning rate as the optimizer keeps it: a Parameter if it is one number, else a schedule.

    Args:
        owner: the optimizer's name.
        value: number, Tensor of 0 or 1 dimensions, iterable of numbers, or schedule.
        name: of the Parameter.

    Raises:
        TypeError: if it is of another type.
        ValueError: if a number is negative or not finite, an element not a number, or a Tensor has more dimensions.
    """
    if isinstance(value, int | float):
        argument_checks.check_number(owner, float, "learning_rate", float(value), (">=", 0))
        return Parameter(Tensor(np.float32(value)), name=name)
    if isinstance(value, LearningRateSchedule):
        return value
    if isinstance(value, Tensor):
        if value.ndim > 1:
            raise ValueError(
                f"`{owner}`: argument `learning_rate`, if it is a Tensor, must have 0 or 1 dimensions. "
                f"Received: shape={value.shape}."
            )
        numbers = value.asnumpy().astype(np.float32)
        return _IteratorLearningRate(numbers, name) if value.ndim else Parameter(Tensor(numbers), name=name)
    if isinstance(value, Iterable) and not isinstance(value, Cell):
        try:
            rates = np.array([float(rate) for rate in value], np.float32)
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"`{owner}`: argument `learning_rate`, if it is an iterable, must give numbers. "
                f"Received: {argument_checks.describe_value(value)}."
            ) from None
        return _IteratorLearningRate(rates, name)
    raise TypeError(
        f"`{owner}`: argument `learning_rate` must be a float, an int, a Tensor, an iterable of floats or a "
        f"LearningRateSchedule. Received: {argument_checks.describe_value(value)}."
    )


# ------------------------------------------------------------------------------------------ weight decay


@op(static="scale")
def scale_weight_decay(value: Any, scale: float) -> Any:
    """Return a weight decay, for the gradients of a loss that was multiplied by `scale`."""
    return value.astype(np.float32) * np.float32(scale)


class _WrappedWeightDecay(Cell):
    """A user's weight decay Cell, times the loss scale."""

    def __init__(self, weight_decay: Cell, loss_scale: float) -> None:
        super().__init__(auto_prefix=False)
        self.weight_decay = weight_decay
        self.loss_scale = loss_scale

    def construct(self, global_step: Any) -> Any:
        return scale_weight_decay(self.weight_decay(global_step), self.loss_scale)


def as_weight_decay(owner: str, value: Any) -> float | Cell:
    """Return a weight decay: a float, or a Cell that gives it for a step.

    Raises:
        TypeError: if it is neither a number nor a Cell.
        ValueError: if it is negative.
    """
    if isinstance(value, Cell):
        return value
    if not isinstance(value, int | float):
        raise TypeError(
            f"`{owner}`: argument `weight_decay` must be a float, an int or a Cell. "
            f"Received: {argument_checks.describe_value(value)}."
        )
    return argument_checks.check_number(owner, float, "weight_decay", float(value), (">=", 0))
