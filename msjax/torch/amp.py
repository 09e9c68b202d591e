"""`torch.amp`: gradient scaling, and autocast, which changes nothing here."""

import math
from collections.abc import Callable
from typing import Any, Self

from msjax.core.autodiff.imperative import no_grad
from msjax.torch.functions import basic, served_from_mint
from msjax.torch.tensors.call_conventions import change


class autocast:  # noqa: N801
    """Takes its arguments and changes no dtype: cast modules and tensors, or use `ms.amp`. `enabled` must be False.

    Raises:
        NotImplementedError: if it is enabled with a dtype that is not float32.
    """

    def __init__(
        self, device_type: str = "cpu", dtype: Any = None, enabled: bool = True, cache_enabled: Any = None
    ) -> None:
        if enabled:
            raise NotImplementedError(
                "`autocast`: argument `enabled` must be False in msjax.torch: dtypes are not chosen for single operators."
                " Cast modules and inputs with `.to(dtype)`, or use msjax.amp."
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __call__(self, fn: Callable) -> Callable:
        """The function as it is."""
        return fn


class GradScaler:
    """Gradient scaler: scales losses so that small gradients do not vanish, and skips steps whose gradients are not finite.

    Examples:
        >>> from msjax import torch
        >>> w = torch.ones(1, requires_grad=True)
        >>> optimizer, scaler = torch.optim.SGD([w], lr=0.5), torch.amp.GradScaler("cpu")
        >>> scaler.scale((w * w).sum()).backward()
        >>> _ = scaler.step(optimizer)
        >>> scaler.update()
        >>> w.detach()
        tensor([0.])
    """

    def __init__(
        self, device: str = "cuda", init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5,
        growth_interval: int = 2000, enabled: bool = True,
    ) -> None:  # fmt: skip
        self._scale, self._growth, self._backoff, self._interval = (
            init_scale,
            growth_factor,
            backoff_factor,
            growth_interval,
        )
        self._enabled, self._good, self._found, self._unscaled = enabled, 0, False, False

    def is_enabled(self) -> bool:
        """Return True if the scaler is enabled."""
        return self._enabled

    def get_scale(self) -> float:
        """The factor now."""
        return float(self._scale) if self._enabled else 1.0

    def scale(self, outputs: Any) -> Any:
        """The loss, or losses, times the factor."""
        if isinstance(outputs, tuple | list):
            return type(outputs)(self.scale(each) for each in outputs)
        return outputs * self.get_scale() if self._enabled else outputs

    @no_grad()
    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients by the factor."""
        if not self._enabled:
            return
        if self._unscaled:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        for parameter in optimizer.params:
            if parameter.grad is not None:
                change(parameter.grad, parameter.grad / self._scale)
                self._found |= not math.isfinite(float(basic.sum(parameter.grad.float())))
        self._unscaled = True

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's step, unless a gradient is not finite."""
        if self._enabled and not self._unscaled:
            self.unscale_(optimizer)
        return None if self._found else optimizer.step(*args, **kwargs)

    def update(self, new_scale: float | None = None) -> None:
        """Update the scale: smaller if a step was skipped, larger after many that were not."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif self._found:
            self._scale, self._good = self._scale * self._backoff, 0
        else:
            self._good += 1
            if self._good == self._interval:
                self._scale, self._good = self._scale * self._growth, 0
        self._found = self._unscaled = False

    def state_dict(self) -> dict[str, Any]:
        """Return the scale and its settings."""
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth,
            "backoff_factor": self._backoff,
            "growth_interval": self._interval,
            "_growth_tracker": self._good,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load what :meth:`state_dict` returned."""
        self._scale, self._good = state_dict["scale"], state_dict["_growth_tracker"]
        self._growth, self._backoff = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._interval = state_dict["growth_interval"]


def __getattr__(name: str) -> Any:
    return served_from_mint.missing("torch.amp", name)
