"""Optimizers: compositions of optax transformations with PyTorch's interface."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from msjax.core.autograd import enable_grad
from msjax.core.tensor import resolve, wrap
from msjax.torch.nn.module import clear
from msjax.torch.tensor import Tensor, dialect

# The names that PyTorch's state dicts have for optax's slots.
_SLOTS = {"count": "step", "mu": "exp_avg", "nu": "exp_avg_sq", "trace": "momentum_buffer", "sum": "sum"}


class Group(dict):
    """Parameters and their settings; the rate stands in a Tensor too, so that compiled steps see it change."""

    def __init__(self, settings: dict[str, Any], known: Iterable[str]) -> None:
        super().__init__(settings)
        self.rate = wrap(jnp.asarray(settings["lr"], jnp.float32))
        self.known = set(known) - {"lr"}
        self.varying: set[str] = set()

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        if name in ("momentum", "betas") and name in self.known:
            self.varying.add(name)
        if name == "lr":
            self.rate._assign(jnp.asarray(getattr(value, "array", value), jnp.float32))

    def static(self) -> tuple:
        """All settings that are part of the compiled program."""
        return tuple(
            (name, value) for name, value in self.items() if name in self.known and name not in self.varying
        )

    def moving(self) -> dict[str, Any]:
        """Settings that a schedule changes, which are arguments of the program."""
        return {name: self[name] for name in self.varying}


class Optimizer:
    """An optax transformation over Parameters, which it changes in place from their `.grad`.

    Args:
        params: tensors, or dicts with "params" and their own settings.
        defaults: the settings; `lr` among them.
    """

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got a Tensor"
            )
        given = list(params)
        if not given:
            raise ValueError("optimizer got an empty parameter list")
        lr = defaults["lr"]
        if lr < 0:
            raise ValueError(f"Invalid learning rate: {lr}")
        self.defaults = defaults
        self.param_groups: list[Group] = []
        self.state: dict[Tensor, Any] = {}
        self._compiled = jax.jit(self._apply, static_argnums=0)
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)

    def rule(self, lr: Any, **settings: Any) -> optax.GradientTransformation:
        """The transformation of one group."""
        raise NotImplementedError

    @property
    def params(self) -> list[Tensor]:
        """All Parameters."""
        return [p for group in self.param_groups for p in group["params"]]

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of Parameters with its own settings."""
        params = param_group["params"]
        params = [params] if isinstance(params, Tensor) else list(params)
        for each in params:
            if not isinstance(each, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(each)}")
            if not each.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
            if any(each is other for other in self.params):
                raise ValueError("some parameters appear in more than one parameter group")
        group = Group({**self.defaults, **param_group, "params": params}, self.defaults)
        self.param_groups.append(group)
        rule = self.rule(np.float32(0), **dict(group.static()), **group.moving())
        for each in params:
            self.state[each] = jax.tree.map(wrap, rule.init(resolve(each)._value))

    def _apply(
        self, settings: tuple, rates: list, params: list, grads: list, slots: list, moving: list
    ) -> tuple:
        new, after = [], []
        for (group, static), p, g, s in zip(settings, params, grads, slots, strict=True):
            updates, s = self.rule(rates[group], **dict(static), **moving[group]).update(
                g.astype(p.dtype), s, p
            )
            new.append(optax.apply_updates(p, updates))
            after.append(s)
        return new, after

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, or make them zero."""
        clear(self.params, set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the Parameters that have a gradient; all at once, or none if it raises.

        Args:
            closure: recomputes the loss and its gradients; it is called first.

        Returns:
            What `closure` returned.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        chosen = [
            (i, p) for i, group in enumerate(self.param_groups) for p in group["params"] if p.grad is not None
        ]
        settings = tuple((i, self.param_groups[i].static()) for i, _ in chosen)
        boxes = [self.state[p] for _, p in chosen]
        read = lambda box: resolve(box)._value  # noqa: E731
        slots = [jax.tree.map(read, box, is_leaf=_is_box) for box in boxes]
        rates = [read(group.rate) for group in self.param_groups]
        values, grads = [read(p) for _, p in chosen], [read(p.grad) for _, p in chosen]
        moving = [group.moving() for group in self.param_groups]
        new, after = self._compiled(settings, rates, values, grads, slots, moving)
        for (_, parameter), value in zip(chosen, new, strict=True):
            resolve(parameter)._assign(value)
        for box, value in zip(jax.tree.leaves(boxes, is_leaf=_is_box), jax.tree.leaves(after), strict=True):
            box._assign(value)
        return loss

    def _slots(self, parameter: Tensor) -> dict[str, Any]:
        paths = jax.tree_util.tree_flatten_with_path(self.state[parameter], is_leaf=_is_box)[0]
        return {_slot(path[-1]): box for path, box in paths}

    def state_dict(self) -> dict[str, Any]:
        """Slots by the number of their Parameter, and the settings."""
        numbers = {id(p): i for i, p in enumerate(self.params)}
        groups = [
            {**group, "params": [numbers[id(p)] for p in group["params"]]} for group in self.param_groups
        ]
        slots = {
            i: {name: dialect(wrap(resolve(box)._value)) for name, box in self._slots(p).items()}
            for i, p in enumerate(self.params)
        }
        return {"state": {i: found for i, found in slots.items() if found}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` gave.

        Raises:
            ValueError: if the groups are others.
        """
        groups = state_dict["param_groups"]
        if [len(g["params"]) for g in groups] != [len(g["params"]) for g in self.param_groups]:
            raise ValueError(
                "loaded state dict has a different number of parameter groups, or groups of another size"
            )
        for own, given in zip(self.param_groups, groups, strict=True):
            for name, value in given.items():
                if name != "params" and (name in own or name == "initial_lr"):
                    own[name] = tuple(value) if isinstance(value, list) else value
        for i, parameter in enumerate(self.params):
            given = state_dict["state"].get(i, {})
            for name, box in self._slots(parameter).items():
                if name in given:
                    old = resolve(box)._value
                    box._assign(jnp.asarray(getattr(given[name], "array", given[name])).astype(old.dtype))

    def __repr__(self) -> str:
        lines = []
        for i, group in enumerate(self.param_groups):
            inside = "".join(f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params")
            lines.append(f"Parameter Group {i}\n{inside}")
        return f"{type(self).__name__} (\n{''.join(lines)})"


def _slot(key: Any) -> str:
    own = getattr(key, "key", None)  # of a dict, whose names are PyTorch's
    name = str(getattr(key, "name", key))
    return own if isinstance(own, str) else _SLOTS.get(name, name)


def _is_box(thing: Any) -> bool:
    return hasattr(thing, "_view")


def _signed(maximize: bool, *rules: optax.GradientTransformation) -> optax.GradientTransformation:
    return optax.chain(*[optax.scale(-1.0)] * maximize, *rules)


def _decay(weight_decay: float) -> list[optax.GradientTransformation]:
    return [optax.add_decayed_weights(weight_decay)] if weight_decay else []


class Damped(NamedTuple):
    """The state of PyTorch's momentum."""

    momentum_buffer: Any
    started: Any


def _momentum(momentum: float, dampening: float, nesterov: bool) -> optax.GradientTransformation:
    if not dampening:
        return optax.trace(momentum, nesterov)

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        g = updates
        buffer = jnp.where(state.started, momentum * state.momentum_buffer + (1 - dampening) * g, g)
        return buffer, Damped(buffer, jnp.ones_like(state.started))

    def init(params: Any) -> Any:
        return Damped(jnp.zeros_like(params), jnp.zeros((), bool))

    return optax.GradientTransformation(init, update)


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

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-3, momentum: float = 0.0, dampening: float = 0.0,
        weight_decay: float = 0.0, nesterov: bool = False, *, maximize: bool = False, foreach: Any = None,
        differentiable: bool = False, fused: Any = None,
    ) -> None:  # fmt: skip
        _at_least_zero(momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        settings = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "nesterov": nesterov, "maximize": maximize})

    def rule(  # noqa: D102
        self, lr: Any, momentum: float, dampening: float, weight_decay: float, nesterov: bool, maximize: bool
    ) -> optax.GradientTransformation:
        trace = [_momentum(momentum, dampening, nesterov)] if _there(momentum) else []
        return _signed(maximize, *_decay(weight_decay), *trace, optax.scale_by_learning_rate(lr))


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015); weight decay is added to the gradient."""

    _decoupled, _usual_decay = False, 0.0

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float | None = None, amsgrad: bool = False, *, foreach: Any = None, maximize: bool = False,
        capturable: bool = False, differentiable: bool = False, fused: Any = None,
    ) -> None:  # fmt: skip
        weight_decay = self._usual_decay if weight_decay is None else weight_decay
        _at_least_zero(eps=eps, weight_decay=weight_decay)
        for i, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        settings = {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "amsgrad": amsgrad, "maximize": maximize})

    def rule(  # noqa: D102
        self, lr: Any, betas: tuple, eps: float, weight_decay: float, amsgrad: bool, maximize: bool
    ) -> optax.GradientTransformation:
        scaled = _by_largest(betas, eps) if amsgrad else optax.scale_by_adam(betas[0], betas[1], eps)
        parts = [*_decay(weight_decay), scaled]
        parts = parts[::-1] if self._decoupled else parts
        return _signed(maximize, *parts, optax.scale_by_learning_rate(lr))


class AdamW(Adam):
    """Adam with weight decay apart from the gradient (Loshchilov and Hutter, 2019)."""

    _decoupled, _usual_decay = True, 0.01


class RMSprop(Optimizer):
    """Gradients over a running root mean square (Tieleman and Hinton, 2012)."""

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8,
        weight_decay: float = 0.0, momentum: float = 0.0, centered: bool = False, capturable: bool = False,
        foreach: Any = None, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        _at_least_zero(alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum)
        settings = {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay, "momentum": momentum}
        super().__init__(params, {**settings, "centered": centered, "maximize": maximize})

    def rule(  # noqa: D102
        self,
        lr: Any,
        alpha: float,
        eps: float,
        weight_decay: float,
        momentum: float,
        centered: bool,
        maximize: bool,
    ) -> optax.GradientTransformation:
        trace = [optax.trace(momentum)] if _there(momentum) else []
        scaled = _by_deviation(alpha, eps) if centered else optax.scale_by_rms(alpha, eps, eps_in_sqrt=False)
        return _signed(maximize, *_decay(weight_decay), scaled, *trace, optax.scale_by_learning_rate(lr))


class Deviation(NamedTuple):
    """The state of a centred :class:`RMSprop`."""

    square_avg: Any
    grad_avg: Any


def _by_deviation(alpha: float, eps: float) -> optax.GradientTransformation:
    def init(params: Any) -> Any:
        return Deviation(jnp.zeros_like(params), jnp.zeros_like(params))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        square = alpha * state.square_avg + (1 - alpha) * updates * updates
        mean = alpha * state.grad_avg + (1 - alpha) * updates
        return updates / (jnp.sqrt(square - mean * mean) + eps), Deviation(square, mean)

    return optax.GradientTransformation(init, update)


class Largest(NamedTuple):
    """The state of Adam with the largest second moment so far."""

    step: Any
    exp_avg: Any
    exp_avg_sq: Any
    max_exp_avg_sq: Any


def _by_largest(betas: tuple, eps: float) -> optax.GradientTransformation:
    """AMSGrad (Reddi and others, 2018)."""

    def init(params: Any) -> Any:
        return Largest(jnp.zeros((), jnp.float32), *(jnp.zeros_like(params) for _ in range(3)))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        step = state.step + 1
        mean = betas[0] * state.exp_avg + (1 - betas[0]) * updates
        square = betas[1] * state.exp_avg_sq + (1 - betas[1]) * updates * updates
        largest = jnp.maximum(state.max_exp_avg_sq, square)
        root = jnp.sqrt(largest) / jnp.sqrt(1 - betas[1] ** step) + eps
        change = (mean / (1 - betas[0] ** step) / root).astype(updates.dtype)
        return change, Largest(step, mean, square, largest)

    return optax.GradientTransformation(init, update)


class Summed(NamedTuple):
    """The state of :class:`Adagrad`."""

    sum: Any
    step: Any


def _by_sum(start: float, eps: float, lr_decay: float) -> optax.GradientTransformation:
    def init(params: Any) -> Any:
        return Summed(jnp.full_like(params, start), jnp.zeros((), jnp.float32))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        total = state.sum + updates * updates
        slower = 1 + state.step * lr_decay
        change = updates / (jnp.sqrt(total) + eps) / slower
        return change.astype(updates.dtype), Summed(total, state.step + 1)

    return optax.GradientTransformation(init, update)


class Adagrad(Optimizer):
    """Gradients over the root of the sum of their squares (Duchi and others, 2011)."""

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-2, lr_decay: float = 0.0, weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0, eps: float = 1e-10, foreach: Any = None, *, maximize: bool = False,
        differentiable: bool = False, fused: Any = None,
    ) -> None:  # fmt: skip
        _at_least_zero(
            weight_decay=weight_decay, initial_accumulator_value=initial_accumulator_value, eps=eps
        )
        settings = {
            "lr": lr,
            "lr_decay": lr_decay,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
        }
        super().__init__(params, {**settings, "eps": eps, "maximize": maximize})

    def rule(  # noqa: D102
        self,
        lr: Any,
        lr_decay: float,
        weight_decay: float,
        initial_accumulator_value: float,
        eps: float,
        maximize: bool,
    ) -> optax.GradientTransformation:
        scaled = _by_sum(initial_accumulator_value, eps, lr_decay)
        return _signed(maximize, *_decay(weight_decay), scaled, optax.scale_by_learning_rate(lr))


def _there(momentum: Any) -> bool:
    return not isinstance(momentum, int | float) or momentum != 0


def _at_least_zero(**settings: float) -> None:
    for name, value in settings.items():
        if value < 0:
            raise ValueError(f"Invalid {name} value: {value}")
