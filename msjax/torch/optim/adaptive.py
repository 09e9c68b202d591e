"""Adadelta, Adamax, NAdam, RAdam, ASGD and Rprop, each as a rule (gradient, Parameter, slots, settings) -> (step, slots)."""

from collections.abc import Callable, Iterable
from typing import Any

import jax.numpy as jnp
import optax

from msjax.torch.optim.optimizer import Optimizer, _at_least_zero


def written_out(
    start: Callable[[Any], dict[str, Any]],
    step: Callable[[Any, Any, dict[str, Any]], tuple[Any, dict[str, Any]]],
) -> optax.GradientTransformation:
    """A transformation of its slots' first values and of one step, which gives what is added to the Parameter.

    Args:
        start: the slots of a Parameter, by PyTorch's names; beside them stands `step`, which counts.
        step: (gradient, Parameter, slots) -> (what is added, slots).

    Returns:
        The transformation.
    """

    def init(params: Any) -> dict[str, Any]:
        return {"step": jnp.zeros((), jnp.float32), **start(params)}

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        counted = {**state, "step": state["step"] + 1}
        change, new = step(updates, params, counted)
        return change.astype(updates.dtype), {**counted, **new}

    return optax.GradientTransformation(init, update)


def _zeros(*names: str) -> Callable[[Any], dict[str, Any]]:
    return lambda p: {name: jnp.zeros_like(p) for name in names}


class _Written(Optimizer):
    """An optimizer whose rule is written out in `change`; gradients come with sign and decay applied."""

    _slots_at_start: Any = staticmethod(_zeros())

    def __init__(self, params: Iterable[Any], settings: dict[str, Any], maximize: bool = False) -> None:
        _at_least_zero(**{n: settings[n] for n in ("eps", "weight_decay", "rho") if n in settings})
        for i, beta in enumerate(settings.get("betas", ())):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        super().__init__(params, {**settings, "maximize": maximize})

    def rule(self, lr: Any, maximize: bool = False, weight_decay: float = 0.0, **settings: Any) -> Any:
        apart = settings.pop("decoupled_weight_decay", False)

        def step(g: Any, p: Any, s: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
            g = -g if maximize else g
            shrunk = -lr * weight_decay * p if apart and weight_decay else 0.0
            g = g + weight_decay * p if weight_decay and not apart else g
            change, new = self.change(g, p + shrunk, s, lr, **settings)
            return change + shrunk, new

        return written_out(lambda p: self.start(p, **settings), step)

    def start(self, p: Any, **settings: Any) -> dict[str, Any]:
        """The slots of a Parameter."""
        return type(self)._slots_at_start(p)

    def change(
        self, g: Any, p: Any, s: dict[str, Any], lr: Any, **settings: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Compute the step to add to the Parameter, and the slots that change."""
        raise NotImplementedError


class Adadelta(_Written):
    """Steps of the size of earlier steps over gradients (Zeiler, 2012)."""

    _slots_at_start = staticmethod(_zeros("square_avg", "acc_delta"))

    def __init__(
        self, params: Iterable[Any], lr: float = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0.0,
        foreach: Any = None, *, capturable: bool = False, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay}, maximize)

    def change(self, g: Any, p: Any, s: Any, lr: Any, rho: float, eps: float) -> Any:  # noqa: D102
        square = rho * s["square_avg"] + (1 - rho) * g * g
        delta = jnp.sqrt(s["acc_delta"] + eps) / jnp.sqrt(square + eps) * g
        return -lr * delta, {"square_avg": square, "acc_delta": rho * s["acc_delta"] + (1 - rho) * delta**2}


class Adamax(_Written):
    """Adam with the largest gradient in place of the mean square (Kingma and Ba, 2015)."""

    _slots_at_start = staticmethod(_zeros("exp_avg", "exp_inf"))

    def __init__(
        self, params: Iterable[Any], lr: float = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0.0, foreach: Any = None, *, maximize: bool = False, differentiable: bool = False,
        capturable: bool = False,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, settings, maximize)

    def change(self, g: Any, p: Any, s: Any, lr: Any, betas: tuple, eps: float) -> Any:  # noqa: D102
        mean = betas[0] * s["exp_avg"] + (1 - betas[0]) * g
        largest = jnp.maximum(betas[1] * s["exp_inf"], jnp.abs(g) + eps)
        return -lr / (1 - betas[0] ** s["step"]) * mean / largest, {"exp_avg": mean, "exp_inf": largest}


def _moments(g: Any, s: dict[str, Any], betas: tuple) -> tuple[Any, Any]:
    mean = betas[0] * s["exp_avg"] + (1 - betas[0]) * g
    return mean, betas[1] * s["exp_avg_sq"] + (1 - betas[1]) * g * g


class NAdam(_Written):
    """Adam with Nesterov's momentum (Dozat, 2016)."""

    def __init__(
        self, params: Iterable[Any], lr: float = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0.0, momentum_decay: float = 4e-3, decoupled_weight_decay: bool = False, *,
        foreach: Any = None, maximize: bool = False, capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay}
        settings |= {"momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay}
        super().__init__(params, settings, maximize)

    def start(self, p: Any, **settings: Any) -> dict[str, Any]:  # noqa: D102
        return {**_zeros("exp_avg", "exp_avg_sq")(p), "mu_product": jnp.ones((), jnp.float32)}

    def change(  # noqa: D102
        self, g: Any, p: Any, s: Any, lr: Any, betas: tuple, eps: float, momentum_decay: float
    ) -> Any:
        mean, square = _moments(g, s, betas)
        share = lambda step: betas[0] * (1 - 0.5 * 0.96 ** (step * momentum_decay))  # noqa: E731
        now, then = share(s["step"]), share(s["step"] + 1)
        product = s["mu_product"] * now
        root = jnp.sqrt(square / (1 - betas[1] ** s["step"])) + eps
        change = -lr * ((1 - now) / (1 - product) * g + then / (1 - product * then) * mean) / root
        return change, {"exp_avg": mean, "exp_avg_sq": square, "mu_product": product}


class RAdam(_Written):
    """Adam that waits with its second moment until that can be trusted (Liu and others, 2020)."""

    _slots_at_start = staticmethod(_zeros("exp_avg", "exp_avg_sq"))

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0.0, decoupled_weight_decay: bool = False, *, foreach: Any = None, maximize: bool = False,
        capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "decoupled_weight_decay": decoupled_weight_decay}, maximize)

    def change(self, g: Any, p: Any, s: Any, lr: Any, betas: tuple, eps: float) -> Any:  # noqa: D102
        mean, square = _moments(g, s, betas)
        first, second = 1 - betas[0] ** s["step"], 1 - betas[1] ** s["step"]
        limit = 2 / (1 - betas[1]) - 1
        length = limit - 2 * s["step"] * betas[1] ** s["step"] / second
        known = (length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)
        adapted = jnp.sqrt(jnp.maximum(known, 0)) * jnp.sqrt(second) / (jnp.sqrt(square) + eps)
        return -lr * mean / first * jnp.where(length > 5, adapted, 1.0), {
            "exp_avg": mean,
            "exp_avg_sq": square,
        }


class ASGD(_Written):
    """Gradient descent that keeps the mean of the Parameters in `state[p]["ax"]` (Polyak and Juditsky, 1992)."""

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6,
        weight_decay: float = 0.0, foreach: Any = None, maximize: bool = False, differentiable: bool = False,
        capturable: bool = False,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay}
        super().__init__(params, settings, maximize)

    def start(self, p: Any, **settings: Any) -> dict[str, Any]:  # noqa: D102
        return {"ax": jnp.zeros_like(p), "mu": jnp.ones((), jnp.float32)}

    def change(  # noqa: D102
        self, g: Any, p: Any, s: Any, lr: Any, lambd: float, alpha: float, t0: float
    ) -> Any:
        rate = lr / (1 + lambd * lr * (s["step"] - 1)) ** alpha
        rate = jnp.where(s["step"] == 1, lr, rate)
        change = -rate * (g + lambd * p)
        mean = jnp.where(s["mu"] == 1, p + change, s["ax"] + (p + change - s["ax"]) * s["mu"])
        return change, {"ax": mean, "mu": 1 / jnp.maximum(1, s["step"] - t0)}


class Rprop(_Written):
    """Steps that grow while the sign of the gradient stays (Riedmiller and Braun, 1993)."""

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50), *, capturable: bool = False, foreach: Any = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        settings = {"lr": lr, "etas": tuple(etas), "step_sizes": tuple(step_sizes)}
        super().__init__(params, settings, maximize)

    def start(self, p: Any, **settings: Any) -> dict[str, Any]:  # noqa: D102
        return _zeros("prev", "step_size")(p)

    def change(self, g: Any, p: Any, s: Any, lr: Any, etas: tuple, step_sizes: tuple) -> Any:  # noqa: D102
        turn = jnp.sign(g * s["prev"])
        factor = jnp.where(turn > 0, etas[1], jnp.where(turn < 0, etas[0], 1.0))
        size = jnp.where(s["step"] == 1, lr, s["step_size"])
        size = jnp.clip(size * factor, *step_sizes)
        g = jnp.where(turn < 0, 0.0, g)
        return -jnp.sign(g) * size, {"prev": g, "step_size": size}
