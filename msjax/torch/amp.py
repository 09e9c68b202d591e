"""`torch.amp`: gradient scaling and autocast."""

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any, Self

from msjax.core import dtype as dtypes
from msjax.core.autodiff.imperative import no_grad
from msjax.torch.functions import basic, served_from_mint
from msjax.torch.tensors import dtypes as kinds
from msjax.torch.tensors.call_conventions import AUTOCAST, replace_value
from msjax.torch.tensors.tensor import Tensor

_USUAL = {"cpu": kinds.named("bfloat16"), "cuda": kinds.named("float16")}


class autocast:  # noqa: N801
    """A context, or decorator, in which products and convolutions are computed in bfloat16 and losses in float32.

    As PyTorch does on the CPU; of other devices' names it warns and changes nothing, as PyTorch does where they are missing.

    Args:
        device_type: "cpu".
        dtype: bfloat16 or float16.
        enabled: whether it changes anything.
        cache_enabled: of no effect.

    Examples:
        >>> from msjax import torch
        >>> with torch.autocast("cpu"):
        ...     (torch.ones(2, 2) @ torch.ones(2, 2)).dtype
        torch.bfloat16
    """

    def __init__(
        self, device_type: str = "cpu", dtype: Any = None, enabled: bool = True, cache_enabled: Any = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if device_type not in _USUAL:
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        if enabled and device_type != "cpu":
            warnings.warn(
                f"User provided device_type of {device_type!r}, but that is not available. Disabling",
                stacklevel=2,
            )
            enabled = False
        wanted = dtype or _USUAL[device_type]
        if enabled and wanted not in (dtypes.bfloat16, dtypes.float16):
            warnings.warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.", stacklevel=2
            )
            enabled = False
        self.device, self.fast_dtype = device_type, wanted
        self.dtype = wanted if enabled else None
        self._before: list[Any] = []

    def __enter__(self) -> Self:
        self._before.append(AUTOCAST.dtype)
        if self.device == "cpu":
            AUTOCAST.dtype = self.dtype
        return self

    def __exit__(self, *error: object) -> None:
        AUTOCAST.dtype = self._before.pop()

    def __call__(self, fn: Callable) -> Callable:
        """Return the function, called in the context."""

        @functools.wraps(fn)
        def call(*args: Any, **named: Any) -> Any:
            with self:
                return fn(*args, **named)

        return call


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Return True inside of :class:`autocast` of that device."""
    return device_type == "cpu" and AUTOCAST.dtype is not None


def is_autocast_cpu_enabled() -> bool:
    """Return True inside of :class:`autocast`."""
    return is_autocast_enabled("cpu")


def get_autocast_dtype(device_type: str) -> Any:
    """Return the dtype of products inside of :class:`autocast`."""
    return (AUTOCAST.dtype if device_type == "cpu" else None) or _USUAL[device_type]


def get_autocast_cpu_dtype() -> Any:
    """Return the dtype of products inside of :class:`autocast`."""
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype() -> Any:
    """Return float16."""
    return get_autocast_dtype("cuda")


def is_autocast_cache_enabled() -> bool:
    """Return True."""
    return True


def is_autocast_available(device_type: str) -> bool:
    """Return True of the CPU."""
    return device_type in _USUAL


QUERIES = """is_autocast_enabled is_autocast_cpu_enabled get_autocast_dtype get_autocast_cpu_dtype get_autocast_gpu_dtype
is_autocast_cache_enabled is_autocast_available""".split()


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: Any = None) -> Callable:
    """Decorate the `forward` of a Function of the program's own that is called under :class:`autocast`.

    Args:
        fwd: the method.
        device_type: whose autocast is meant.
        cast_inputs: the dtype that floating tensors get, with autocast off; None: as autocast says.

    Examples:
        >>> from msjax import torch
        >>> class Double(torch.autograd.Function):
        ...     @staticmethod
        ...     @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
        ...     def forward(ctx, x):
        ...         return x * 2
        ...     @staticmethod
        ...     @torch.amp.custom_bwd(device_type="cpu")
        ...     def backward(ctx, gradient):
        ...         return gradient * 2
        >>> with torch.autocast("cpu"):
        ...     Double.apply(torch.ones(2, dtype=torch.bfloat16)).dtype
        torch.float32
    """
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def forward(*args: Any, **named: Any) -> Any:
        running = is_autocast_enabled(device_type)
        args[0]._dtype = get_autocast_dtype(device_type)
        args[0]._fwd_used_autocast = running and cast_inputs is None
        if cast_inputs is None or not running:
            return fwd(*args, **named)
        with autocast(device_type, enabled=False):
            return fwd(*_cast_floats(args, cast_inputs), **_cast_floats(named, cast_inputs))

    return forward


def custom_bwd(bwd: Any = None, *, device_type: str) -> Callable:
    """Decorate the `backward` that belongs to :func:`custom_fwd`: it runs under autocast as `forward` did."""
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def backward(*args: Any, **named: Any) -> Any:
        with autocast(device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **named)

    return backward


def _cast_floats(value: Any, dtype: Any) -> Any:
    """Return a tree whose floating tensors, but for those of 64 bits, have another dtype."""
    if isinstance(value, Tensor):
        return value.to(dtype) if value.is_floating_point() and value.dtype != dtypes.float64 else value
    if isinstance(value, dict):
        return {name: _cast_floats(part, dtype) for name, part in value.items()}
    return type(value)(_cast_floats(part, dtype) for part in value) if type(value) in (list, tuple) else value


class OfDevice(autocast):
    """`torch.cpu.amp.autocast` and `torch.cuda.amp.autocast`, which take `enabled` first."""

    device = "cpu"

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        super().__init__(type(self).device, dtype, enabled, cache_enabled)


OfCpu = type("autocast", (OfDevice,), {"__doc__": OfDevice.__doc__})
OfCuda = type("autocast", (OfDevice,), {"device": "cuda", "__doc__": OfDevice.__doc__})


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
        if enabled and str(device).partition(":")[0] == "cuda":
            warnings.warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available. Disabling.", stacklevel=2
            )
            enabled = False
        self._enabled, self._good, self._found, self._unscaled = enabled, 0, False, False

    def is_enabled(self) -> bool:
        """Return True if the scaler is enabled."""
        return self._enabled

    def get_scale(self) -> float:
        """Return the factor now."""
        return float(self._scale) if self._enabled else 1.0

    def scale(self, outputs: Any) -> Any:
        """Return the loss, or losses, times the factor."""
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
                replace_value(parameter.grad, parameter.grad / self._scale)
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
    return served_from_mint.make_placeholder("torch.amp", name)
