"""L-BFGS: a quasi-Newton method that evaluates its closure several times a step (Liu and Nocedal, 1989)."""

from collections.abc import Callable, Iterable
from typing import Any

import jax.numpy as jnp

from msjax.core.autodiff.imperative import enable_grad
from msjax.core.tensor.tensor import resolve
from msjax.torch.optim.optimizer import Optimizer


class LBFGS(Optimizer):
    """L-BFGS without line search.

    Args:
        params: tensors, in one group.
        lr: the share of each step.
        max_iter: iterations a step.
        max_eval: evaluations of the closure a step; 1.25 * max_iter if it is None.
        tolerance_grad: the largest gradient at which to stop.
        tolerance_change: the change at which to stop.
        history_size: differences that are kept.
        line_search_fn: must be None.

    Examples:
        >>> from msjax import torch
        >>> w = torch.tensor([5.0], requires_grad=True)
        >>> optimizer = torch.optim.LBFGS([w])
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = ((w - 1) ** 2).sum()
        ...     loss.backward()
        ...     return loss
        >>> optimizer.step(closure)
        tensor(16., grad_fn=<SumBackward>)
        >>> w.detach()
        tensor([1.])
    """

    def __init__(
        self, params: Iterable[Any], lr: float = 1.0, max_iter: int = 20, max_eval: int | None = None,
        tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        if line_search_fn is not None:
            raise NotImplementedError("`LBFGS`: argument `line_search_fn` must be None in msjax.torch.")
        settings = {"lr": lr, "max_iter": max_iter, "max_eval": max_eval or max_iter * 5 // 4}
        settings |= {"tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change}
        super().__init__(params, {**settings, "history_size": history_size, "line_search_fn": None})
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._history: list[tuple[Any, Any]] = []
        self._last: tuple[Any, Any, float] | None = None  # direction, gradient, share
        self._count = 0

    def _gradient(self) -> Any:
        parts = [
            jnp.zeros(p.numel(), jnp.float32) if p.grad is None else resolve(p.grad)._value.reshape(-1)
            for p in self.params
        ]
        return jnp.concatenate(parts)

    def _move(self, change: Any) -> None:
        at = 0
        for p in self.params:
            box, size = resolve(p), p.numel()
            box._assign(box._value + change[at : at + size].reshape(box._value.shape))
            at += size

    def _direction(self, gradient: Any) -> Any:
        """Return the negative gradient times the approximate inverse Hessian."""
        q, shares = -gradient, []
        for y, s in reversed(self._history):
            share = jnp.dot(s, q) / jnp.dot(y, s)
            q = q - share * y
            shares.append(share)
        if self._history:
            y, s = self._history[-1]
            q = q * jnp.dot(y, s) / jnp.dot(y, y)
        for (y, s), share in zip(self._history, reversed(shares), strict=True):
            q = q + s * (share - jnp.dot(y, q) / jnp.dot(y, s))
        return q

    def _remember(self, gradient: Any) -> None:
        if self._last is None:
            return
        direction, before, share = self._last
        y, s = gradient - before, direction * share
        if float(jnp.dot(y, s)) > 1e-10:
            self._history = [*self._history, (y, s)][-self.param_groups[0]["history_size"] :]

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Several iterations.

        Args:
            closure: recomputes the loss and its gradients.

        Returns:
            The loss before them.
        """
        if closure is None:
            raise TypeError("LBFGS.step() missing 1 required positional argument: 'closure'")
        with enable_grad():
            first = closure()
        loss, evaluations, group = float(first), 1, self.param_groups[0]
        gradient = self._gradient()
        for i in range(group["max_iter"]):
            if float(jnp.abs(gradient).max()) <= group["tolerance_grad"]:
                break
            self._count += 1
            self._remember(gradient)
            direction = -gradient if self._count == 1 else self._direction(gradient)
            share = (
                min(1.0, 1.0 / float(jnp.abs(gradient).sum())) * group["lr"]
                if self._count == 1
                else group["lr"]
            )
            slope = float(jnp.dot(gradient, direction))
            if slope > -group["tolerance_change"]:
                break
            self._move(direction * share)
            self._last = (direction, gradient, share)
            before = loss
            if i == group["max_iter"] - 1:
                break
            with enable_grad():
                loss = float(closure())
            gradient, evaluations = self._gradient(), evaluations + 1
            small = float(jnp.abs(direction * share).max()) <= group["tolerance_change"]
            if evaluations >= group["max_eval"] or small or abs(loss - before) < group["tolerance_change"]:
                break
        return first
