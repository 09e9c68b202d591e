"""Factory arguments of modules with Parameters (device, dtype), and what `reset_parameters` does."""

import contextlib
import functools
import inspect
import math
import sys
from collections.abc import Iterable
from typing import Any

from msjax.core.autodiff.imperative import no_grad
from msjax.torch.functions import basic
from msjax.torch.nn.module import Parameter
from msjax.torch.tensors.call_conventions import replace_value
from msjax.torch.tensors.devices import as_device


def with_device_and_dtype(cls: type) -> type:
    """Return a class of modules that takes `device`, a name, and `dtype` of its Parameters and buffers."""
    init = cls.__init__
    signature = inspect.signature(init)
    parameters = signature.parameters.values()
    listed = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    count = sys.maxsize if listed else sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters) - 1

    @functools.wraps(init)
    def started(self: Any, *args: Any, device: Any = None, dtype: Any = None, **named: Any) -> None:
        args, placed = args[:count], args[count:]
        if placed:  # the last two by their places
            device, dtype = (*placed, dtype)[:2]
        with contextlib.nullcontext() if device is None else as_device(device):
            init(self, *args, **named)
        if dtype is not None:
            self.to(dtype=dtype)

    started.__signature__ = _add_device_and_dtype(signature)  # type: ignore[attr-defined]
    cls.__init__ = started
    return cls


def _add_device_and_dtype(signature: inspect.Signature) -> inspect.Signature:
    """Return a signature with PyTorch's two arguments in their place: after all others that have one."""
    before = [p for p in signature.parameters.values() if p.kind < inspect.Parameter.KEYWORD_ONLY]
    after = [p for p in signature.parameters.values() if p.kind >= inspect.Parameter.KEYWORD_ONLY]
    open_ended = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in before)
    kind = inspect.Parameter.KEYWORD_ONLY if open_ended else inspect.Parameter.POSITIONAL_OR_KEYWORD
    added = [inspect.Parameter(name, kind, default=None) for name in ("device", "dtype")]
    return signature.replace(parameters=[*before, *added, *after])


def empty_parameter(*shape: int) -> Parameter:
    """A Parameter that `reset_parameters` fills."""
    return Parameter(basic.empty(*shape))


@no_grad()
def draw_uniform(parameters: Iterable[Any], fan_in: int) -> None:
    """Fill Parameters with numbers in ±1/sqrt(fan_in), one after the other; None is passed over."""
    bound = 1 / math.sqrt(fan_in) if fan_in else 0.0
    for parameter in parameters:
        if parameter is not None:
            whole = getattr(parameter, "whole_shape", parameter.shape)
            drawn = (basic.rand(*whole, device=parameter.device) * 2 - 1) * bound
            replace_rows(parameter, drawn.to(parameter.dtype))


def replace_rows(tensor: Any, whole: Any) -> Any:
    """Set the value of a tensor; one in parts (`fully_shard`) keeps its own rows of it.

    All rows are drawn for it: processes with one seed would have the same rows otherwise.
    """
    cut = getattr(tensor, "cut", None)
    return replace_value(tensor, whole if cut is None else cut(whole))


@no_grad()
def fill(value: float, *tensors: Any) -> None:
    """Fill tensors with one number; None is passed over."""
    for tensor in tensors:
        if tensor is not None:
            replace_value(tensor, basic.full_like(tensor, value))
