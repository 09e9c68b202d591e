"""`torch.nn.utils.parametrize`: Parameters computed from others."""

import contextlib
from collections.abc import Iterator
from typing import Any

from msjax.core.autodiff.imperative import no_grad
from msjax.torch.nn.containers import ModuleDict, ModuleList
from msjax.torch.nn.module import Module, Parameter
from msjax.torch.tensors.tensor import Tensor

_kept: dict[tuple[int, str], Any] = {}
_depth = [0]


@contextlib.contextmanager
def cached() -> Iterator[None]:
    """Inside, each parametrized tensor is computed once."""
    _depth[0] += 1
    try:
        yield
    finally:
        _depth[0] -= 1
        if not _depth[0]:
            _kept.clear()


class ParametrizationList(ModuleList):
    """Parametrizations of one tensor, applied in order, with the original tensors that they compute it from.

    Args:
        modules: the parametrizations.
        original: the tensor as it was.
        unsafe: whether shape and dtype may change.
    """

    def __init__(self, modules: Any, original: Tensor, unsafe: bool = False) -> None:
        super().__init__(modules)
        self.unsafe = unsafe
        sources: Any = original
        with no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    sources = module.right_inverse(sources)
        self.is_tensor = isinstance(sources, Tensor)
        self.ntensors = 1 if self.is_tensor else len(sources)
        records = isinstance(original, Parameter)
        for name, source in zip(self._names(), [sources] if self.is_tensor else sources, strict=True):
            if records:
                self.register_parameter(name, Parameter(source.detach(), original.requires_grad))
            else:
                self.register_buffer(name, source)
        found = self()
        if not unsafe and (found.shape != original.shape or found.dtype != original.dtype):
            raise ValueError(
                f"A parametrization must keep shape and dtype unless it is unsafe. Received: {tuple(original.shape)}, "
                f"{original.dtype}; it gives {tuple(found.shape)}, {found.dtype}."
            )

    def _names(self) -> list[str]:
        return ["original"] if self.is_tensor else [f"original{i}" for i in range(self.ntensors)]

    def right_inverse(self, value: Tensor) -> None:
        """Set the originals such that `value` is computed from them."""
        with no_grad():
            sources: Any = value
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                sources = module.right_inverse(sources)
            for name, source in zip(self._names(), [sources] if self.is_tensor else sources, strict=True):
                getattr(self, name).copy_(source)

    def forward(self) -> Any:
        """Return the tensor."""
        first, *rest = self
        found = first(*[getattr(self, name) for name in self._names()])
        for module in rest:
            found = module(found)
        return found


def _property(name: str) -> property:
    def read(self: Module) -> Any:
        if not _depth[0]:
            return self.parametrizations[name]()
        key = (id(self), name)
        if key not in _kept:
            _kept[key] = self.parametrizations[name]()
        return _kept[key]

    def write(self: Module, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(read, write)


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Compute a Parameter or buffer of a module by another module.

    Args:
        module: the module, which is changed.
        tensor_name: of the Parameter or buffer.
        parametrization: from the tensor that is learnt to the one that is used; with `right_inverse` it starts from
            what that gives of the present value, which may be several tensors.
        unsafe: whether shape and dtype may change.

    Returns:
        The module.

    Raises:
        ValueError: if there is no such tensor, or shape or dtype change.

    Examples:
        >>> from msjax import torch
        >>> from msjax.torch.nn.utils import parametrize
        >>> net = parametrize.register_parametrization(torch.nn.Linear(1, 1), "weight", torch.nn.Softplus())
        >>> bool(net.weight > 0), [name for name, _ in net.named_parameters()]
        (True, ['bias', 'parametrizations.weight.original'])
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        entry = module.parametrizations[tensor_name]
        before = getattr(module, tensor_name)
        after = parametrization(before)
        if not unsafe and (after.shape != before.shape or after.dtype != before.dtype):
            raise ValueError("A parametrization must keep shape and dtype unless it is unsafe.")
        entry.append(parametrization)
        return module
    if module._parameters.get(tensor_name) is None and module._buffers.get(tensor_name) is None:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'"
        )
    entry = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        old = type(module)
        members = {"__module__": __name__, "_plain": old}
        module.__class__ = type(f"Parametrized{old.__name__}", (old,), members)
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, _property(tensor_name))
    module.parametrizations[tensor_name] = entry
    return module


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Return True if a module has a parametrization of the given tensor, or of any."""
    held = module._modules.get("parametrizations")
    if not isinstance(held, ModuleDict):
        return False
    return len(held) > 0 if tensor_name is None else tensor_name in held


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Remove the parametrizations of a tensor: it keeps its current value, or gets back the original.

    Raises:
        ValueError: if it is not parametrized, or if several original tensors would remain.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    entry = module.parametrizations[tensor_name]
    if not leave_parametrized and not entry.is_tensor:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor of several originals."
        )
    names = entry._names()
    learnt = names[0] in entry._parameters
    with no_grad():
        value = getattr(module, tensor_name).clone() if leave_parametrized else entry.original.detach()
    records = any(getattr(entry, name).requires_grad for name in names)
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if learnt:
        module.register_parameter(tensor_name, Parameter(value, records))
    else:
        module.register_buffer(tensor_name, value)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = module._plain
    return module


def type_before_parametrizations(module: Module) -> type:
    """Return the class that a module had before it was parametrized."""
    return module._plain if is_parametrized(module) else type(module)
