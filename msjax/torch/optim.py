"""`torch.optim`: optimizers over optax, for imperative training loops."""

from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from msjax.core.tensor import resolve, wrap
from msjax.torch.nn.module import clear
from msjax.torch.tensor import Tensor


class Optimizer:
    """An optax transformation over Parameters, which it changes in place from their `.grad`."""

    def __init__(
        self, params: Iterable[Tensor], lr: float, make: Callable[[Any], optax.GradientTransformation]
    ) -> None:
        self.params = [params] if isinstance(params, Tensor) else list(params)
        if not self.params:
            raise ValueError("optimizer got an empty parameter list")
        if lr < 0:
            raise ValueError(f"Invalid learning rate: {lr}")
        self.param_groups = [{"params": self.params, "lr": lr}]
        self._rule = make
        start = make(np.float32(lr)).init([resolve(p)._value for p in self.params])
        self.state = jax.tree.map(wrap, start)
        self._update = jax.jit(self._apply)

    def _apply(self, lr: Any, params: list[Any], grads: list[Any], slots: Any) -> tuple[list[Any], Any]:
        whole = [jnp.zeros_like(p) if g is None else g for p, g in zip(params, grads, strict=True)]
        updates, after = self._rule(lr).update(whole, slots, params)
        new = list(optax.apply_updates(params, updates))  # type: ignore[arg-type]
        return [p if g is None else n for p, g, n in zip(params, grads, new, strict=True)], after

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, or make them zero."""
        clear(self.params, set_to_none)

    def step(self) -> None:
        """Change the Parameters that have a gradient; all at once, or none if it raises."""
        grads = [None if p.grad is None else resolve(p.grad)._value for p in self.params]
        values = [resolve(p)._value for p in self.params]
        slots = jax.tree.map(
            lambda box: resolve(box)._value, self.state, is_leaf=lambda x: hasattr(x, "_view")
        )
        new, after = self._update(np.float32(self.param_groups[0]["lr"]), values, grads, slots)
        for parameter, value, gradient in zip(self.params, new, grads, strict=True):
            if gradient is not None:
                parameter._assign(value)
        boxes = jax.tree.leaves(self.state, is_leaf=lambda x: hasattr(x, "_view"))
        for box, value in zip(boxes, jax.tree.leaves(after), strict=True):
            box._assign(value)


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum and weight decay."""

    def __init__(
        self, params: Iterable[Tensor], lr: float = 1e-3, momentum: float = 0.0, weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:  # fmt: skip
        def make(rate: Any) -> optax.GradientTransformation:
            decay = [optax.add_decayed_weights(weight_decay)] if weight_decay else []
            trace = [optax.trace(momentum, nesterov)] if momentum else []
            return optax.chain(*decay, *trace, optax.scale_by_learning_rate(rate))

        super().__init__(params, lr, make)


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015)."""

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
    ) -> None:
        super().__init__(
            params,
            lr,
            lambda rate: optax.chain(optax.scale_by_adam(*betas, eps), optax.scale_by_learning_rate(rate)),
        )
