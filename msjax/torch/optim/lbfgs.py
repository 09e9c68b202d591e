"""L-BFGS: a quasi-Newton method that evaluates its closure several times a step (Liu and Nocedal, 1989)."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import jax.numpy as jnp

from msjax.core.autodiff.imperative import enable_grad
from msjax.core.tensor.tensor import resolve, wrap
from msjax.torch.optim.optimizer import Optimizer
from msjax.torch.tensors.tensor import as_torch


class _Point(NamedTuple):
    """A share of a direction, with the loss, the gradient, and its slope along the direction there."""

    share: float
    loss: float
    gradient: Any
    slope: float


class _Found(NamedTuple):
    at: _Point
    evaluations: int


def lowest_of_cubic(a: _Point, b: _Point, bounds: tuple[float, float] | None = None) -> float:
    """Return where the cubic through two points with their slopes is lowest, within bounds.

    Examples:
        >>> from msjax.torch.optim.lbfgs import _Point, lowest_of_cubic
        >>> lowest_of_cubic(_Point(0.0, 1.0, None, -2.0), _Point(2.0, 1.0, None, 2.0))  # (x - 1)^2
        1.0
    """
    low, high = bounds or (min(a.share, b.share), max(a.share, b.share))
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.share - b.share)
    square = d1**2 - a.slope * b.slope
    if square < 0:
        return (low + high) / 2.0
    d2 = square**0.5
    left, right = (a, b) if a.share <= b.share else (b, a)
    width = right.share - left.share
    at = right.share - width * ((right.slope + d2 - d1) / (right.slope - left.slope + 2 * d2))
    return min(max(at, low), high)


def strong_wolfe(
    evaluate: Callable[[float], _Point], start: _Point, share: float, size: float, c1: float = 1e-4, c2: float = 0.9,
    tolerance_change: float = 1e-9, most: int = 25,
) -> _Found:  # fmt: skip
    """Search a share that meets Wolfe's strong conditions: bracket it, then make the bracket smaller.

    Nocedal and Wright, Numerical Optimization, 2006, algorithms 3.5 and 3.6.

    Args:
        evaluate: gives the point at a share.
        start: the point at 0.
        share: where to begin.
        size: the largest number of the direction.
        c1: the part of the first slope by which the loss has to fall.
        c2: the part of the first slope that may remain.
        tolerance_change: the width of a bracket, times `size`, at which to stop.
        most: steps of each part.
    """

    def too_high(point: _Point) -> bool:
        return point.loss > start.loss + c1 * point.share * start.slope

    last, point, count, steps = start, evaluate(share), 1, 0
    bracket = [start, point]
    while True:
        if too_high(point) or (steps > 1 and point.loss >= last.loss):
            bracket = [last, point]
            break
        if abs(point.slope) <= -c2 * start.slope:
            return _Found(point, count)
        if point.slope >= 0:
            bracket = [last, point]
            break
        nearest = point.share + 0.01 * (point.share - last.share)
        following = lowest_of_cubic(last, point, (nearest, point.share * 10))
        last, point = point, evaluate(following)
        count, steps = count + 1, steps + 1
        if steps == most:
            bracket = [start, point]
            break
    low, high = (0, 1) if bracket[0].loss <= bracket[-1].loss else (1, 0)
    stuck = False
    while steps < most:
        width = abs(bracket[1].share - bracket[0].share)
        if width * size < tolerance_change:
            break
        at = lowest_of_cubic(bracket[0], bracket[1])
        ends = sorted(each.share for each in bracket)
        margin = 0.1 * width
        if min(ends[1] - at, at - ends[0]) < margin:
            # Near an end twice, or outside: a tenth of the width from it.
            if stuck or at >= ends[1] or at <= ends[0]:
                at = ends[1] - margin if abs(at - ends[1]) < abs(at - ends[0]) else ends[0] + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        point, count, steps = evaluate(at), count + 1, steps + 1
        if too_high(point) or point.loss >= bracket[low].loss:
            bracket[high] = point
            low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
        else:
            if abs(point.slope) <= -c2 * start.slope:
                return _Found(point, count)
            if point.slope * (bracket[high].share - bracket[low].share) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = point
    return _Found(bracket[low], count)


class LBFGS(Optimizer):
    """L-BFGS, with a fixed share of each direction or a line search.

    Args:
        params: tensors, in one group.
        lr: the share of each step.
        max_iter: iterations a step.
        max_eval: evaluations of the closure a step; 1.25 * max_iter if it is None.
        tolerance_grad: the largest gradient at which to stop.
        tolerance_change: the change at which to stop.
        history_size: differences that are kept.
        line_search_fn: None, or "strong_wolfe": the share is searched until it meets Wolfe's strong conditions.

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
        tensor(16., grad_fn=<SumBackward0>)
        >>> w.detach()
        tensor([1.])
    """

    def __init__(
        self, params: Iterable[Any], lr: float = 1.0, max_iter: int = 20, max_eval: int | None = None,
        tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "max_iter": max_iter, "max_eval": max_eval or max_iter * 5 // 4}
        settings |= {"tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change}
        super().__init__(params, {**settings, "history_size": history_size, "line_search_fn": line_search_fn})
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._history: list[tuple[Any, Any]] = []
        self._last: tuple[Any, Any, float] | None = None  # direction, gradient, share
        self._count = self._evaluations = 0

    def _keep(self, loss: float) -> None:
        """Put what steps remember into `state`, by PyTorch's names."""
        if self._last is None:
            return
        of = lambda array: as_torch(wrap(array))  # noqa: E731
        direction, gradient, share = self._last
        ratios = [jnp.dot(y, s) for y, s in self._history]
        last = self._history[-1][0] if self._history else None
        self.state[self.params[0]].update(
            func_evals=self._evaluations, n_iter=self._count, d=of(direction), t=share,
            old_dirs=[of(y) for y, _ in self._history], old_stps=[of(s) for _, s in self._history],
            ro=[of(1.0 / ratio) for ratio in ratios],
            H_diag=1 if last is None else of(ratios[-1] / jnp.dot(last, last)), prev_flat_grad=of(gradient),
            prev_loss=loss, al=[None] * self.param_groups[0]["history_size"],
        )  # fmt: skip

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load what `state_dict` returned, here or in PyTorch."""
        super().load_state_dict(state_dict)
        kept = self.state[self.params[0]]
        if "d" not in kept:
            return
        array = lambda tensor: resolve(tensor)._value  # noqa: E731
        self._count, self._evaluations = kept["n_iter"], kept["func_evals"]
        self._history = [
            (array(y), array(s)) for y, s in zip(kept["old_dirs"], kept["old_stps"], strict=True)
        ]
        self._last = array(kept["d"]), array(kept["prev_flat_grad"]), float(kept["t"])

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

    def _restore(self, values: list[Any]) -> None:
        for p, value in zip(self.params, values, strict=True):
            resolve(p)._assign(value)

    def _evaluate(
        self, closure: Callable[[], Any], start: list[Any], direction: Any, share: float
    ) -> "_Point":
        """Return the loss and the slope at a share of a direction."""
        self._restore(start)
        self._move(direction * share)
        with enable_grad():
            loss = float(closure())
        gradient = self._gradient()
        return _Point(share, loss, gradient, float(jnp.dot(gradient, direction)))

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
        if self.param_groups[0]["line_search_fn"] not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        with enable_grad():
            first = closure()
        loss, evaluations, group = float(first), 1, self.param_groups[0]
        before: float | None = None
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
            before = loss
            if group["line_search_fn"] is not None:
                start = [resolve(p)._value for p in self.params]
                found = strong_wolfe(
                    lambda at, d=direction, start=start: self._evaluate(closure, start, d, at),
                    _Point(0.0, loss, gradient, slope), share, float(jnp.abs(direction).max()),
                )  # fmt: skip
                self._restore(start)
                self._last = (direction, gradient, found.at.share)
                share, loss, gradient = found.at.share, found.at.loss, found.at.gradient
                evaluations += found.evaluations
                self._move(direction * share)
                if i == group["max_iter"] - 1:
                    break
            else:
                self._move(direction * share)
                self._last = (direction, gradient, share)
                if i == group["max_iter"] - 1:
                    break
                with enable_grad():
                    loss = float(closure())
                gradient, evaluations = self._gradient(), evaluations + 1
            small = float(jnp.abs(direction * share).max()) <= group["tolerance_change"]
            if evaluations >= group["max_eval"] or small or abs(loss - before) < group["tolerance_change"]:
                break
        self._evaluations += evaluations
        self._keep(before if before is not None else loss)
        return first
