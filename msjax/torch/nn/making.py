"""Factory arguments of modules with Parameters (device, dtype), and uniform initialization."""

import functools
import inspect
import math
import sys
from typing import Any

from msjax.torch.functions import basic
from msjax.torch.nn.module import Parameter


def with_device_and_dtype(cls: type) -> type:
    """Return a class of modules that takes `device`, a name, and `dtype` of its Parameters and buffers."""
    init = cls.__init__
    parameters = inspect.signature(init).parameters.values()
    listed = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    count = sys.maxsize if listed else sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters) - 1

    @functools.wraps(init)
    def started(self: Any, *args: Any, device: Any = None, dtype: Any = None, **named: Any) -> None:
        args, placed = args[:count], args[count:]
        if placed:  # the last two by their places
            _, dtype = (*placed, dtype)[:2]
        init(self, *args, **named)
        if dtype is not None:
            self.to(dtype=dtype)

    cls.__init__ = started
    return cls


def uniform_parameter(shape: tuple[int, ...], fan_in: int) -> Parameter:
    """Return a Parameter of numbers in ±1/sqrt(fan_in)."""
    bound = 1 / math.sqrt(fan_in) if fan_in else 0.0
    return Parameter((basic.rand(*shape) * 2 - 1) * bound)
