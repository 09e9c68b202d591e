"""`torch.optim.Optimizer`: update rules in PyTorch's coat, and the optimizers that programs use most."""

import collections
import copy
import functools
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp

from msjax.core.autodiff.hooks import Handle, register
from msjax.core.autodiff.imperative import enable_grad
from msjax.core.tensor import tensor as core
from msjax.core.tensor.tensor import resolve, wrap
from msjax.optim_rules import updates
from msjax.torch.nn.module import clear
from msjax.torch.nn.state_dicts import detach_for_saving
from msjax.torch.tensors.tensor import Tensor, as_torch


class Group(dict):
    """Parameters and their settings; the rate stands in a Tensor too, so that compiled steps see it change."""

    def __init__(self, settings: dict[str, Any], known: Iterable[str]) -> None:
        super().__init__(settings)
        rate = settings.get("lr", 0.0)  # a rule of the program's own may have none
        self.rate = wrap(jnp.asarray(getattr(rate, "array", rate), jnp.float64))
        self.known = set(known) - {"lr"}
        self.varying: set[str] = set()
        self.changed = False

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        self.changed = self.changed or name in self.known
        if name in ("momentum", "betas") and name in self.known:
            self.varying.add(name)
        if name == "lr":
            self.rate._assign(jnp.asarray(getattr(value, "array", value), jnp.float64))

    def __reduce__(self) -> tuple:
        return Group, (dict(self), self.known), {"varying": set(self.varying), "changed": self.changed}

    def static(self) -> tuple:
        """All settings that are part of the compiled program."""
        moving = self.moving()
        return tuple(
            (name, value) for name, value in self.items() if name in self.known and name not in moving
        )

    def moving(self) -> dict[str, Any]:
        """Settings that a schedule changes, which are arguments of the program; 0 is another program."""
        return {name: self[name] for name in self.varying if self[name]}


_WHEN = ("before_save", "after_save", "before_load", "after_load")
_NOT_COPIED = ("_compiled", "_before_step", "_after_step", "_state_hooks")


class Optimizer:
    """An update rule for Parameters, which it changes in place from their `.grad`.

    Each Parameter's slots stand in `state` by PyTorch's names.

    Args:
        params: tensors, or dicts with "params" and settings of their own.
        defaults: the settings.

    A subclass that defines `step` changes the Parameters itself, from `param_groups` and `state`, as in PyTorch.
    """

    # How one Parameter is updated, and whether its steps are counted; None for those that define `step`.
    _rule: updates.Rule | None = None
    _counts = True

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got a Tensor"
            )
        given = list(params)
        if not given:
            raise ValueError("optimizer got an empty parameter list")
        if isinstance(defaults.get("lr"), Tensor) and defaults["lr"].numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if defaults.get("lr", 0) < 0:
            raise ValueError(f"Invalid learning rate: {defaults['lr']}")
        if self._rule is not None:
            self._check_settings(defaults, self._rule)
        self.defaults = defaults
        self.param_groups: list[Group] = []
        self.state: dict[Tensor, dict[str, Any]] = collections.defaultdict(dict)
        self._begin()
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)

    def _begin(self) -> None:
        self._compiled = jax.jit(self._apply, static_argnums=0)
        self._before_step: dict[int, Callable] = {}
        self._after_step: dict[int, Callable] = {}
        self._state_hooks: dict[str, dict[int, Callable]] = {when: {} for when in _WHEN}

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        if "step" in vars(cls):
            cls.step = _wrap_step(cls.step)

    def __getstate__(self) -> dict[str, Any]:
        return {n: v for n, v in vars(self).items() if n not in _NOT_COPIED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    def register_step_pre_hook(self, hook: Callable) -> Handle:
        """Call `hook(optimizer, args, kwargs)` before each step; what it returns replaces the arguments."""
        return register(self._before_step, hook, "register_step_pre_hook")

    def register_step_post_hook(self, hook: Callable) -> Handle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return register(self._after_step, hook, "register_step_post_hook")

    def register_state_dict_pre_hook(self, hook: Callable, prepend: bool = False) -> Handle:
        """Call `hook(optimizer)` before :meth:`state_dict`; before the other hooks if `prepend`."""
        return self._register_state_hook("before_save", hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable, prepend: bool = False) -> Handle:
        """Call `hook(optimizer, state_dict)` after :meth:`state_dict`; what it returns replaces the result."""
        return self._register_state_hook("after_save", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable, prepend: bool = False) -> Handle:
        """Call `hook(optimizer, state_dict)` before :meth:`load_state_dict`; what it returns is loaded."""
        return self._register_state_hook("before_load", hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable, prepend: bool = False) -> Handle:
        """Call `hook(optimizer)` after :meth:`load_state_dict`."""
        return self._register_state_hook("after_load", hook, prepend)

    def _register_state_hook(self, when: str, hook: Callable, prepend: bool) -> Handle:
        hooks = self._state_hooks[when]
        before = list(hooks.items())
        handle = register(hooks, hook, when)
        if prepend:
            for number, other in before:
                del hooks[number]
                hooks[number] = other
        return handle

    def _check_settings(self, settings: dict[str, Any], rule: updates.Rule) -> None:
        for name in rule.at_least_zero:
            if settings.get(name, 0) < 0:
                raise ValueError(f"Invalid {name} value: {settings[name]}")
        if not 0.0 <= settings.get("rho", 0.0) <= 1.0:
            raise ValueError(f"Invalid rho value: {settings['rho']}")
        if len({isinstance(beta, Tensor) for beta in settings.get("betas", ())}) > 1:
            raise ValueError("betas must be either both floats or both Tensors")
        for i, beta in enumerate(settings.get("betas", ())):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")

    @property
    def params(self) -> list[Tensor]:
        """All Parameters."""
        return [p for group in self.param_groups for p in group["params"]]

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """More Parameters, with settings of their own."""
        params = param_group["params"]
        params = [params] if isinstance(params, Tensor) else list(params)
        if any(isinstance(each, tuple) for each in params):
            if not all(isinstance(each, tuple) for each in params):
                raise ValueError(
                    "all optimizer params should be with/without names. Some param names are missing"
                )
            param_group = {**param_group, "param_names": [name for name, _ in params]}
            params = [each for _, each in params]
        if len({id(each) for each in params}) < len(params):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error",
                stacklevel=3,
            )
        for each in params:
            if not isinstance(each, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(each)}")
            if not each.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
            if any(each is other for other in self.params):
                raise ValueError("some parameters appear in more than one parameter group")
        group = Group({**self.defaults, **param_group, "params": params}, self.defaults)
        self.param_groups.append(group)
        self._start_slots(group)

    def _start_slots(self, group: Group) -> None:
        """Make the slots that the settings of a group use, and that its Parameters do not have yet."""
        group.changed = False
        rule = self._rule
        if rule is None:
            return
        for parameter in group["params"]:
            there, value = self.state.get(parameter, {}), resolve(parameter)._value
            used = {n: s for n, s in rule.slots.items() if n not in there and s.is_used(group, value)}
            made = {name: slot.start(value, group) for name, slot in used.items()}
            if self._counts and "step" not in there:
                made = {"step": jnp.zeros((), jnp.float32)} | made
            if made:
                self.state[parameter] = there | {name: as_torch(wrap(slot)) for name, slot in made.items()}

    def _apply(
        self, settings: tuple, rates: list, params: list, grads: list, slots: list, moving: list
    ) -> tuple:
        rule: Any = self._rule
        new, after = [], []
        for (group, static), p, g, before in zip(settings, params, grads, slots, strict=True):
            q, g, *values = map(_as_real, (p, g.astype(p.dtype), *before.values()))
            named = dict(zip(before, values, strict=True))
            wide = jnp.promote_types(jnp.float32, q.dtype)
            t, counted = None, {}
            if self._counts:
                named["step"] += 1
                counted = {"step": named["step"]}
                t = named["step"].astype(wide)
            rate = rates[group].astype(wide)
            change, changed = rule.update(g, q, named, rate, t, dict(static) | moving[group])
            new.append(_cast_like(q + change, p))
            # Slots that stay as they are, are no outputs of the program.
            changed = counted | changed
            after.append(
                {name: _cast_like(changed[name], slot) for name, slot in before.items() if name in changed}
            )
        return new, after

    def _gradient(self, parameter: Any) -> Tensor:
        """Return the gradient of a Parameter for the rule."""
        return parameter.grad

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients, or set them to zero."""
        clear(self.params, set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the Parameters that have a gradient; all at once, or none if it raises.

        Args:
            closure: computes the loss and its gradients anew; it is called first.

        Returns:
            What `closure` returned.
        """
        if self._rule is None:
            raise NotImplementedError(f"{type(self).__name__} must define `step`")
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        chosen = [
            (i, p) for i, group in enumerate(self.param_groups) for p in group["params"] if p.grad is not None
        ]
        for group in self.param_groups:
            if group.changed:
                self._start_slots(group)
        settings = tuple((i, self.param_groups[i].static()) for i, _ in chosen)
        boxes = [self.state[p] for _, p in chosen]
        read = lambda box: resolve(box)._value  # noqa: E731
        slots = [{name: read(box) for name, box in own.items()} for own in boxes]
        rates = [read(group.rate) for group in self.param_groups]
        values, grads = [read(p) for _, p in chosen], [read(self._gradient(p)) for _, p in chosen]
        moving = [group.moving() for group in self.param_groups]
        new, after = self._compiled(settings, rates, values, grads, slots, moving)
        for (_, parameter), value in zip(chosen, new, strict=True):
            resolve(parameter)._assign(value)
        for own, values in zip(boxes, after, strict=True):
            for name, value in values.items():
                own[name]._assign(value)
        return loss

    def state_dict(self) -> dict[str, Any]:
        """Slots by the number of their Parameter, and the settings."""
        for hook in list(self._state_hooks["before_save"].values()):
            hook(self)
        numbers = {id(p): i for i, p in enumerate(self.params)}
        groups = [
            {**group, "params": [numbers[id(p)] for p in group["params"]]} for group in self.param_groups
        ]
        slots = {
            i: {
                name: detach_for_saving(p, as_torch(wrap(resolve(value)._value)))
                if isinstance(value, core.Tensor)
                else value
                for name, value in self.state[p].items()
            }
            for i, p in enumerate(self.params)
            if p in self.state
        }
        saved: dict[str, Any] = {
            "state": {i: found for i, found in slots.items() if found},
            "param_groups": groups,
        }
        for hook in list(self._state_hooks["after_save"].values()):
            changed = hook(self, saved)
            saved = saved if changed is None else changed
        return saved

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load what :meth:`state_dict` returned.

        Raises:
            ValueError: if the groups are others.
        """
        for hook in list(self._state_hooks["before_load"].values()):
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        groups = state_dict["param_groups"]
        if [len(g["params"]) for g in groups] != [len(g["params"]) for g in self.param_groups]:
            raise ValueError(
                "loaded state dict has a different number of parameter groups, or groups of another size"
            )
        for own, given in zip(self.param_groups, groups, strict=True):
            for name, value in given.items():
                if name != "params" and (name in own or name == "initial_lr"):
                    own[name] = tuple(value) if isinstance(value, list) else value
            self._start_slots(own)
        for i, parameter in enumerate(self.params):
            given = state_dict["state"].get(i, {})
            if "started" in self.state.get(parameter, ()) and given:  # which PyTorch's does not say
                given = {"started": True} | given
            for name, value in given.items():
                box = self.state[parameter].get(name)
                value = parameter.part_of(value) if hasattr(parameter, "part_of") else value
                if isinstance(box, core.Tensor) and value is not None:
                    new = jnp.asarray(getattr(value, "array", value))
                    box._assign(new.astype(resolve(box)._value.dtype))
                elif self._rule is None:  # what a rule of the program's own keeps
                    self.state[parameter][name] = copy.deepcopy(value)
        for hook in list(self._state_hooks["after_load"].values()):
            hook(self)

    def __repr__(self) -> str:
        lines = []
        for i, group in enumerate(self.param_groups):
            inside = "".join(f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params")
            lines.append(f"Parameter Group {i}\n{inside}")
        newline = "\n"
        return f"{type(self).__name__} (\n{newline.join(lines)})"


def _wrap_step(step: Callable) -> Callable:
    """Return a `step` with the hooks of its optimizer, once, however many classes define one."""

    @functools.wraps(step)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        # A wrapper that holds an optimizer may not have called `__init__`.
        hooked = getattr(self, "_before_step", None) or getattr(self, "_after_step", None)
        if not hooked or getattr(self, "_stepping", False):
            return step(self, *args, **named)
        self._stepping = True
        try:
            for hook in list(self._before_step.values()):
                args, named = hook(self, args, named) or (args, named)
            result = step(self, *args, **named)
            for hook in list(self._after_step.values()):
                hook(self, args, named)
        finally:
            del self._stepping
        return result

    return call


Optimizer.step = _wrap_step(Optimizer.step)


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum and weight decay.

    Examples:
        >>> from msjax import torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.8000], requires_grad=True)
    """

    _rule, _counts = updates.sgd, False

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-3, momentum: float = 0, dampening: float = 0,
        weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False, foreach: Any = None,
        differentiable: bool = False, fused: Any = None,
    ) -> None:  # fmt: skip
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        settings = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        settings |= {"nesterov": nesterov, "maximize": maximize, "foreach": foreach}
        super().__init__(params, {**settings, "differentiable": differentiable, "fused": fused})


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015); weight decay is added to the gradient, or apart from it if it is decoupled."""

    _rule = updates.adam

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, amsgrad: bool = False, *, foreach: Any = None, maximize: bool = False,
        capturable: bool = False, differentiable: bool = False, fused: Any = None,
        decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        if decoupled_weight_decay:
            self._rule = updates.adamw
        settings = {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay}
        settings |= {"amsgrad": amsgrad, "maximize": maximize, "foreach": foreach, "capturable": capturable}
        settings |= {"differentiable": differentiable, "fused": fused}
        super().__init__(params, {**settings, "decoupled_weight_decay": decoupled_weight_decay})


class AdamW(Adam):
    """Adam with weight decay apart from the gradient (Loshchilov and Hutter, 2019)."""

    _rule = updates.adamw

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False, foreach: Any = None,
        capturable: bool = False, differentiable: bool = False, fused: Any = None,
    ) -> None:  # fmt: skip
        kernels = {
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
        }
        settings = (lr, betas, eps, weight_decay, amsgrad)
        super().__init__(params, *settings, maximize=maximize, **kernels, decoupled_weight_decay=True)


class RMSprop(Optimizer):
    """Gradients over a running root mean square (Tieleman and Hinton, 2012)."""

    _rule = updates.rmsprop

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8,
        weight_decay: float = 0, momentum: float = 0, centered: bool = False, capturable: bool = False,
        foreach: Any = None, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay, "momentum": momentum}
        settings |= {"centered": centered, "capturable": capturable, "foreach": foreach, "maximize": maximize}
        super().__init__(params, {**settings, "differentiable": differentiable})


class Adagrad(Optimizer):
    """Gradients over the root of the sum of their squares (Duchi and others, 2011)."""

    _rule = updates.adagrad

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: Any = None, *, maximize: bool = False,
        differentiable: bool = False, fused: Any = None,
    ) -> None:  # fmt: skip
        settings = {
            "lr": lr,
            "lr_decay": lr_decay,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
        }
        settings |= {"eps": eps, "foreach": foreach, "maximize": maximize, "differentiable": differentiable}
        super().__init__(params, {**settings, "fused": fused})


def _as_real(x: jax.Array) -> jax.Array:
    """Complex numbers as pairs: to a rule they are two numbers each, as in PyTorch."""
    return jnp.stack([x.real, x.imag], -1) if jnp.iscomplexobj(x) else x


def _cast_like(x: jax.Array, old: jax.Array) -> jax.Array:
    """Return a result of a rule in the dtype of what it replaces."""
    return (jax.lax.complex(x[..., 0], x[..., 1]) if jnp.iscomplexobj(old) else x).astype(old.dtype)
