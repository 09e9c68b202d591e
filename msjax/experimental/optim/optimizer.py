"""Optimizers whose parameter groups, learning rates among them, may change from step to step."""

import functools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from msjax.core.op import op
from msjax.core.parameter import Parameter, ParameterTuple
from msjax.core.running import interrupts_deferred
from msjax.core.state import NO_GRAD, swapped
from msjax.core.tensor import Tensor
from msjax.nn.cell import Cell
from msjax.nn.optim.transforms import wide
from msjax.ops.assignment import assign

# (gradient, parameter, learning rate, number of the step, settings of the group, *slots) -> (update, *slots)
Rule = Callable[..., tuple]


class Slots(NamedTuple):
    """The state of a transformation: how many steps were made, and the slots, one list for each name."""

    count: jax.Array
    each: tuple[list[jax.Array], ...]


@functools.lru_cache(maxsize=256)
def transformation(rule: Rule, starts: tuple, settings: tuple) -> optax.GradientTransformationExtraArgs:
    """A rule for one parameter, as an optax transformation over a list of them.

    Args:
        rule: see `Rule`.
        starts: for each slot, the function (parameter, settings) -> first value.
        settings: for each parameter, the settings of its group, as a tuple of pairs.
    """

    def init(params: Any) -> Slots:
        each = tuple(
            [start(p, dict(own)) for p, own in zip(params, settings, strict=True)] for start in starts
        )
        return Slots(jnp.zeros((), jnp.int32), each)

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Slots]:
        count = state.count + 1
        changes, columns = [], []
        for g, p, rate, own, *slots in zip(
            updates, params, extra["learning_rate"], settings, *state.each, strict=True
        ):
            given, p = dict(own), wide(p)
            g = -wide(g) if given.get("maximize") else wide(g)
            step = count.astype(p.dtype)
            change, *new = rule(g, p, rate.astype(p.dtype), step, given, *map(wide, slots))
            changes.append(change)
            columns.append([n.astype(s.dtype) for n, s in zip(new, slots, strict=True)])
        return changes, Slots(count, tuple(map(list, zip(*columns, strict=True))) if columns[0] else ())

    return optax.GradientTransformationExtraArgs(init, update)


@op(static="step")
def apply(params: list, gradients: list, rates: list, slots: Any, step: Any) -> Any:
    """One step: new parameters and slots."""
    given = [g.astype(p.dtype) for g, p in zip(gradients, params, strict=True)]
    updates, after = step(given, Slots(*slots), params, learning_rate=rates)
    new = [(wide(p) + u).astype(p.dtype) for p, u in zip(params, updates, strict=True)]
    return new, tuple(after)


class Optimizer(Cell):
    """Base of the optimizers with parameter groups that may change.

    A subclass names a rule and its slots, or defines `construct(gradients)` over `param_groups` and `parameters`,
    where `group_start_id` says at which parameter each group begins.

    Args:
        params: Parameters, or dicts with `params` and their own settings.
        defaults (dict): settings of groups that do not give them.

    Inputs:
        - **gradients** (tuple[Tensor]) - one for each of `parameters`, in their order.

    Outputs:
        True.

    Raises:
        TypeError: if `params` is not iterable, or holds something else.
        ValueError: if there are no parameters, or one is named twice.
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

    # The update of one parameter, the slots' names and how they start, and the name of the count of steps.
    _rule: Rule | None = None
    _slot_names: tuple[str, ...] = ()
    _starts: tuple[Callable, ...] = ()
    _count_name = "step_t"

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        super().__init__(auto_prefix=False)
        self.defaults = defaults
        self.param_groups: list[dict[str, Any]] = []
        self.parameters = ParameterTuple(())
        self.lrs: list[Parameter] = []
        self.group_start_id: list[int] = []
        self._known: dict[int, str] = {}
        for group in _groups(type(self).__name__, params):
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Take in one more group; slots are made for it.

        Args:
            param_group (dict): `params` and their own settings.

        Raises:
            KeyError: if it lacks `params`.
            TypeError: if these are not Parameters.
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
                f"`{self.cls_name}`: Parameters must have different names. Received twice: {repeated}."
            )
        group = {**self.defaults, **param_group, "params": own}
        self._check_group(group)
        if "lr" in group:
            group["lr"] = _rate(self.cls_name, group["lr"], len(self.lrs))
            self.lrs.append(group["lr"])
        self.group_start_id.append(len(self.parameters))
        self._known.update({id(p): p.name for p in own})
        self.parameters = ParameterTuple((*self.parameters, *own))
        self.param_groups.append(group)
        if self._rule is not None:
            self._add_slots(group)

    def _check_group(self, group: dict[str, Any]) -> None:
        """Raise for settings that are out of range."""
        at_least(self.cls_name, 0.0, weight_decay=group.get("weight_decay", 0.0))

    def _add_slots(self, group: dict[str, Any]) -> None:
        for name, start in zip(self._slot_names, self._starts, strict=True):
            made = [
                Parameter(
                    Tensor.from_array(start(p._value, group)), name=f"{name}.{p.name}", requires_grad=False
                )
                for p in group["params"]
            ]
            setattr(self, name, ParameterTuple((*getattr(self, name, ()), *made)))
        if not hasattr(self, self._count_name):
            count = Parameter(Tensor(np.int32(0)), name=self._count_name, requires_grad=False)
            setattr(self, self._count_name, count)

    # ------------------------------------------------------------------ the update

    def construct(self, gradients: Any) -> bool:
        """Change all parameters and slots, as one compiled program that takes effect as a whole or not at all."""
        if self._rule is None:
            raise NotImplementedError(
                f"`{self.cls_name}`: an optimizer must define `construct` to be called."
            )
        self._check_gradients(gradients)
        rates = [group["lr"] for group in self.param_groups for _ in group["params"]]
        slots = [list(getattr(self, name)) for name in self._slot_names]
        count = getattr(self, self._count_name)
        step = transformation(type(self)._rule, self._starts, self._settings()).update
        with swapped(mode=NO_GRAD, cast=None):
            new, (after, columns) = apply(
                list(self.parameters), list(gradients), rates, (count, tuple(slots)), step
            )
        boxes = [*self.parameters, count, *(box for column in slots for box in column)]
        values = [*new, after, *(value for column in columns for value in column)]
        with interrupts_deferred():
            for box, value in zip(boxes, values, strict=True):
                box._assign(value._value)
        return True

    def _settings(self) -> tuple:
        """Return the settings of each parameter's group, but for its learning rate."""
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
                value = group[key].asnumpy() if isinstance(group[key], Tensor) else group[key]
                lines.append(f"    {key}: {value}\n")
            lines.append("\n")
        return f"{type(self).__name__} (\n{''.join(lines[:-1])})"


def _groups(owner: str, params: Any) -> list[dict[str, Any]]:
    """Parameters as one group, or groups as they are."""
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
                f"`{owner}`: argument `params` must hold only dicts. Received: {type(group).__name__}."
            )
        if "params" not in group:
            raise KeyError("params")
    return given


def _rate(owner: str, lr: Any, group: int) -> Parameter:
    """The learning rate of a group, which schedulers and users assign to."""
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


def zeros(p: jax.Array, group: dict[str, Any]) -> jax.Array:
    """Return zeros like the parameter, the initial value of most slots."""
    return jnp.zeros_like(p)


def scalars(like: jax.Array, *values: float) -> list[Any]:
    """Python numbers in the dtype of an array, for arithmetic without promotion."""
    return [like.dtype.type(v) for v in values]


def decayed(g: jax.Array, p: jax.Array, group: dict[str, Any]) -> jax.Array:
    """The gradient with the weight decay of its group (the L2 penalty)."""
    decay = group["weight_decay"]
    return g + p.dtype.type(decay) * p if decay else g


def set_rate(group: dict[str, Any], value: Any) -> None:
    """Give a group another learning rate."""
    assign(group["lr"], value if isinstance(value, Tensor) else Tensor(np.float32(value)))
