"""`torch.device`: names of devices. Only `meta` makes a difference: its tensors have no elements."""

import threading
from collections.abc import Sequence
from typing import Any, Self

from msjax.core.tensor.tensor import look, wrap
from msjax.core.xla import shapes_only
from msjax.torch.tensors.tensor import Tensor, as_torch, is_meta

_DEVICES = ("cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy",
            "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone")  # fmt: skip


class device(str):  # noqa: N801
    """A device's name. JAX places arrays: only "meta", of tensors without elements, makes a difference.

    As a context it is the device of what is made without naming one.

    Examples:
        >>> from msjax import torch
        >>> torch.device("cuda", 1), torch.device("cpu") == torch.zeros(1).device
        (device(type='cuda', index=1), True)
        >>> with torch.device("meta"):
        ...     net = torch.nn.Linear(10 ** 6, 10 ** 6, bias=False)
        >>> net(torch.empty(2, 10 ** 6, device="meta"))
        tensor(..., device='meta', size=(2, 1000000))
    """

    __slots__ = ()

    def __new__(cls, type: Any = "cpu", index: int | None = None) -> Self:
        """Return the name, with a number if there is one."""
        if isinstance(type, int):
            type, index = "cuda", type
        kind, _, number = str.__str__(type).partition(":")
        if kind not in _DEVICES or (number and not number.isdigit()):
            raise RuntimeError(
                f"Expected one of {', '.join(_DEVICES)} device type at start of device string: {type}"
            )
        return super().__new__(cls, type if index is None else f"{type}:{index}")

    def __enter__(self) -> Self:
        _default.stack.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        _default.stack.pop()

    def __reduce__(self) -> Any:
        return device, (str(self),)

    __str__ = str.__str__

    @property
    def type(self) -> str:
        """The kind of device."""
        return str.__str__(self).partition(":")[0]

    @property
    def index(self) -> int | None:  # type: ignore[override]
        """Its number."""
        number = str.__str__(self).partition(":")[2]
        return int(number) if number else None

    def __repr__(self) -> str:
        number = "" if self.index is None else f", index={self.index}"
        return f"device(type={self.type!r}{number})"


class _Default(threading.local):
    """The devices of contexts in the running thread, the innermost last; before them that of `set_default_device`."""

    def __init__(self) -> None:
        self.stack: list[device] = [device("cpu")]


_default = _Default()


def get_default_device() -> device:
    """Return the device of what is made without naming one."""
    return _default.stack[-1]


def set_default_device(device: Any) -> None:
    """Set the device of what is made without naming one; JAX places arrays, so that only "meta" makes a difference."""
    _default.stack[0] = as_device("cpu" if device is None else device)


def wants_meta(place: Any) -> bool:
    """Return True if a new tensor has no elements: its device, named or by default, is `meta`.

    Args:
        place: the device that was named, or None.
    """
    if place is None:
        return _default.stack[-1].type == "meta"
    return not isinstance(place, int) and str.__str__(place).startswith("meta")


def to_meta(made: Any) -> Tensor:
    """Return a tensor of the device `meta`, of the shape and dtype of another one."""
    return empty_meta(look(made).shape, look(made).dtype).requires_grad_(made.requires_grad)


def empty_meta(shape: Sequence[int], dtype: Any) -> Tensor:
    """Return a tensor of the device `meta`."""
    return as_torch(wrap(shapes_only.make(shape, dtype)))


def device_in(args: tuple, named: dict[str, Any]) -> Any:
    """Return the device among the arguments of `to`, None if there is none; that of a tensor like which to be."""
    for value in (*args, named.get("device"), named.get("tensor")):
        if isinstance(value, Tensor):
            return value.device  # type: ignore[attr-defined]
        if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            return device(value)
    return None


def check_device(name: Any) -> None:
    """Refuse what is no device's name; which of them it is makes no difference."""
    if isinstance(name, str | int) and not isinstance(name, bool | device):
        device(name)


def is_made_on_meta(named: dict[str, Any], args: tuple) -> bool:
    """Return True if a call makes a tensor without elements: it names `meta`, or that is the default and none is given."""
    place = named.get("device")
    if place is None and (_default.stack[-1].type != "meta" or any(isinstance(a, Tensor) for a in args)):
        return False
    return wants_meta(place) and not any(is_meta(a) for a in args)


as_device = device  # where a parameter has the name
