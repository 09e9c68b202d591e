"""Optimizers whose parameter groups, learning rates among them, may change from step to step."""

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import jax
import numpy as np

from msjax.core.jit.execution import interrupts_deferred
from msjax.core.op.op import op
from msjax.core.state import NO_GRAD, override_state
from msjax.core.tensor.parameter import Parameter, ParameterTuple
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.nn.optim.transforms import to_compute_dtype
from msjax.ops.state.assignment import assign
from msjax.optim_rules.updates import Rule


@functools.lru_cache(maxsize=256)
def _step(rule: Rule, settings: tuple) -> Callable:
    """Return one step of all parameters as a pure function; equal settings share it and its compiled programs.

    Args:
        rule: of one parameter.
        settings: for each parameter, the settings of its group, as a tuple of pairs.
    """

    def step(params: list, gradients: list, rates: list, count: Any, slots: tuple) -> tuple[list, Any, tuple]:
        count = count + 1
        new_params, columns = [], []
        for p, g, rate, own, *before in zip(params, gradients, rates, settings, *slots, strict=True):
            q = to_compute_dtype(p)
            g, rate, t = (_as_dtype_of(x, q) for x in (g.astype(p.dtype), rate, count))
            given = {name: _as_dtype_of(value, q) for name, value in own}
            named = {name: _as_dtype_of(slot, q) for name, slot in zip(rule.slots, before, strict=True)}
            change, new = rule.update(g, q, named, rate, t, given)
            new_params.append((q + change).astype(p.dtype))
            # None: a slot that stays as it is, which is no output of the program.
            columns.append(
                [
                    new[n].astype(s.dtype) if n in new else None
                    for n, s in zip(rule.slots, before, strict=True)
                ]
            )
        return new_params, count, tuple(map(list, zip(*columns, strict=True)))

    return step


def _as_dtype_of(value: Any, like: jax.Array) -> Any:
    """Return numbers in the dtype of an array: Python's would be float64 constants of the program."""
    if isinstance(value, jax.Array):
        return value.astype(like.dtype)
    if isinstance(value, tuple):
        return tuple(_as_dtype_of(each, like) for each in value)
    is_number = isinstance(value, int | float | np.number | Tensor) and not isinstance(value, bool)
    return like.dtype.type(value) if is_number else value


@op(static="step")
def apply(params: list, gradients: list, rates: list, count: Any, slots: tuple, step: Any) -> Any:
    """One step: new parameters, the number of steps made, and new slots."""
    return step(params, gradients, rates, count, slots)


class Optimizer(Cell):
    """Base class of the optimizers with parameter groups that may change.

    A subclass names a rule and its slots, or defines `construct(gradients)` over `param_groups` and `parameters`,
    where `group_start_id` says at which parameter each group begins.

    Args:
        params: Parameters, or dicts with `params` and settings of their own.
        defaults (dict): settings of groups that do not give them.

    Inputs:
        - **gradients** (tuple[Tensor]) - one for each of `parameters`, in their order.

    Outputs:
        True.

    Raises:
        TypeError: if `params` is not iterable or holds something else, or a setting is no number.
        ValueError: if there are no parameters, one is named twice, or a setting is out of range.
        KeyError: if a group lacks `params`.

    Examples:
        >>> import msjax as ms
        >>> from msjax.experimental import optim
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optimizer = optim.SGD([p], lr=0.5)
        >>> _ = ms.ops.assign(optimizer.param_groups[0]["lr"], 0.25)
        >>> optimizer((ms.Tensor([4.0, 0.0]),))
        True
        >>> print(p.asnumpy())
        [0. 2.]
    """

    # How one parameter is updated, slots whose names in checkpoints are not the rule's, and that of the count of steps.
    _rule: Rule | None = None
    _slot_names: dict[str, str] = {}
    _count_name = "step_t"

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        super().__init__(auto_prefix=False)
        self.defaults = defaults
        self.state: defaultdict[Parameter, dict] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self.parameters = ParameterTuple(())
        self.lrs: list[Parameter] = []
        self.group_start_id: list[int] = []
        self._known: dict[int, str] = {}
        for group in _groups(type(self).__name__, params):
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a parameter group; slots are made for it.

        Args:
            param_group (dict): `params` and settings of their own.

        Raises:
            KeyError: if it lacks `params`.
            TypeError: if these are no Parameters.
            ValueError: if one is in a group already, or a setting is out of range.
        """
        own = param_group["params"]
        own = [own] if isinstance(own, Parameter) else list(own)
        for p in own:
            if not isinstance(p, Parameter):
                raise TypeError(
                    f"`{self.cls_name}`: `params` must hold Parameters. Received: {type(p).__name__}."
                )
            if id(p) in self._known or sum(q is p for q in own) > 1:
                raise ValueError(f"`{self.cls_name}`: Parameter {p.name!r} is named twice in the groups.")
        names = [*self._known.values(), *(p.name for p in own)]
        repeated = sorted({n for n in names if names.count(n) > 1})
        if repeated:
            raise ValueError(
                f"`{self.cls_name}`: Parameters must have names of their own. Received twice: {repeated}."
            )
        group = param_group  # as in MindSpore, the caller's own
        group |= {**self.defaults, **param_group, "params": own}
        self._check_group(group)
        if "lr" in group:
            group["lr"] = _rate(self.cls_name, group["lr"], len(self.lrs))
            self.lrs.append(group["lr"])
        self.group_start_id.append(len(self.parameters))
        self._known.update({id(p): p.name for p in own})
        self.parameters = ParameterTuple((*self.parameters, *own))
        self.param_groups.append(group)
        if self._rule is not None:
            self._add_slots(group, self._rule)

    def _check_group(self, group: dict[str, Any]) -> None:
        """Raise for settings that are out of range."""
        names = ("weight_decay",) if self._rule is None else self._rule.at_least_zero
        at_least(self.cls_name, 0.0, **{n: group[n] for n in names if n in group})
        if self._rule is not None and "betas" in group:
            fractions(self.cls_name, "betas", group["betas"])

    def _slots(self, rule: Rule) -> list[str]:
        """Return the attributes, and the beginnings of names, of the rule's slots."""
        return [self._slot_names.get(name, name) for name in rule.slots]

    def _add_slots(self, group: dict[str, Any], rule: Rule) -> None:
        for name, slot in zip(self._slots(rule), rule.slots.values(), strict=True):
            starts = {p.name: slot.start(p._value, group).astype(p._value.dtype) for p in group["params"]}
            made = [
                Parameter(Tensor.from_array(start), name=f"{name}.{owner}", requires_grad=False)
                for owner, start in starts.items()
            ]
            setattr(self, name, ParameterTuple((*getattr(self, name, ()), *made)))
        if not hasattr(self, self._count_name):
            count = Parameter(Tensor(np.int32(0)), name=self._count_name, requires_grad=False)
            setattr(self, self._count_name, count)

    # ------------------------------------------------------------------ the update

    def construct(self, gradients: Any) -> bool:
        """Update all parameters and slots, in one compiled program that takes effect as a whole or not at all."""
        if self._rule is None:
            raise NotImplementedError(
                f"`{self.cls_name}`: an optimizer must define `construct` to be called."
            )
        self._check_gradients(gradients)
        rates = [group["lr"] for group in self.param_groups for _ in group["params"]]
        slots = tuple(list(getattr(self, name)) for name in self._slots(self._rule))
        count = getattr(self, self._count_name)
        step = _step(self._rule, self._settings())
        with override_state(mode=NO_GRAD, cast=None):
            new, after, columns = apply(list(self.parameters), list(gradients), rates, count, slots, step)
        boxes = [*self.parameters, count, *(box for column in slots for box in column)]
        values = [*new, after, *(value for column in columns for value in column)]
        with interrupts_deferred():
            for box, value in zip(boxes, values, strict=True):
                if value is not None:
                    box._assign(value._value)
        return True

    def _settings(self) -> tuple:
        """For each parameter, what its group says, but for its learning rate."""
        made = []
        for group in self.param_groups:
            own = {k: v for k, v in group.items() if k not in ("params", "lr", "initial_lr")}
            made += [tuple((k, tuple(v) if isinstance(v, list) else v) for k, v in own.items())] * len(
                group["params"]
            )
        return tuple(made)

    def _check_gradients(self, gradients: Any) -> None:
        if not isinstance(gradients, tuple | list):
            received = type(gradients).__name__
            raise TypeError(
                f"`{self.cls_name}`: argument `gradients` must be a tuple of Tensors, one for each Parameter. "
                f"Received: {received}."
            )
        if len(gradients) != len(self.parameters):
            raise ValueError(
                f"`{self.cls_name}`: argument `gradients` must have one Tensor for each of the "
                f"{len(self.parameters)} Parameters. Received: {len(gradients)}."
            )
        for gradient, parameter in zip(gradients, self.parameters, strict=True):
            if gradient.shape != parameter.shape:
                raise ValueError(
                    f"`{self.cls_name}`: the gradient of Parameter {parameter.name!r} must have its shape "
                    f"{parameter.shape}. Received: {gradient.shape}."
                )

    def __repr__(self) -> str:
        lines = []
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}\n")
            for key in sorted(key for key in group if key != "params"):
                value = group[key]
                lines.append(f"    {key}: {str(value.asnumpy()) if isinstance(value, Tensor) else value}\n")
            lines.append("\n")
        return f"{type(self).__name__} (\n{''.join(lines[:-1])})"


def _groups(owner: str, params: Any) -> list[dict[str, Any]]:
    """Return parameters as one group, or groups as they are."""
    if isinstance(params, Parameter) or not isinstance(params, Iterable):
        raise TypeError(
            f"`{owner}`: argument `params` must be an iterable of Parameters or dicts. Received: {type(params).__name__}."
        )
    given = list(params)
    if not given:
        raise ValueError(f"`{owner}`: argument `params` must not be empty. Received: {params!r}.")
    if not isinstance(given[0], dict):
        return [{"params": given}]
    for group in given:
        if not isinstance(group, dict):
            raise TypeError(
                f"`{owner}`: argument `params` must hold dicts alone. Received: {type(group).__name__}."
            )
        if "params" not in group:
            raise KeyError("params")
    return given


def _rate(owner: str, lr: Any, group: int) -> Parameter:
    """Return the learning rate of a group, which schedulers and users assign to."""
    if isinstance(lr, bool) or not isinstance(lr, int | float | np.number | Tensor):
        raise TypeError(
            f"`{owner}`: `lr` must be a number or a Tensor. Received: {lr!r} ({type(lr).__name__})."
        )
    at_least(owner, 0.0, lr=lr)
    value = lr.asnumpy() if isinstance(lr, Tensor) else lr
    return Parameter(Tensor(np.float32(value)), name=f"learning_rate_group_{group}", requires_grad=False)


def at_least(owner: str, low: float, **values: Any) -> None:
    """Raise unless these are numbers of at least `low`."""
    for name, value in values.items():
        number = float(value) if isinstance(value, int | float | np.number | Tensor) else None
        if number is None:
            raise TypeError(
                f"`{owner}`: `{name}` must be a number. Received: {value!r} ({type(value).__name__})."
            )
        if not number >= low:
            raise ValueError(f"`{owner}`: `{name}` must be at least {low}. Received: {value}.")


def fractions(owner: str, name: str, values: Any) -> None:
    """Raise unless these are numbers in [0, 1)."""
    if not isinstance(values, tuple | list) or len(values) != 2:
        raise ValueError(f"`{owner}`: `{name}` must be two numbers. Received: {values!r}.")
    for value in values:
        if not 0.0 <= value < 1.0:
            raise ValueError(f"`{owner}`: `{name}` must be in [0, 1). Received: {values}.")


def set_rate(group: dict[str, Any], value: Any) -> None:
    """Set the learning rate of a group."""
    assign(group["lr"], value if isinstance(value, Tensor) else Tensor(np.float32(value)))
