"""Modules and Parameters in lists and by names."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msjax.torch.nn.module import Module, Parameter


def _place(index: int, length: int) -> int:
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length


def _kind(parameter: Any) -> str:
    return str(parameter.dtype).rpartition(".")[2].lower()


def _size(parameter: Any) -> str:
    return "x".join(map(str, parameter.shape))


class Sequential(Module):
    """Modules called one after another; given in order, or by name in a dict."""

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], Mapping):
            named: Iterable = modules[0].items()
        else:
            named = enumerate(modules)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, input: Any) -> Any:
        """The last output."""
        for module in self._modules.values():
            input = module(input)
        return input

    def append(self, module: Module) -> "Sequential":
        """One more at the end."""
        self.add_module(str(len(self)), module)
        return self

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(dict(list(self._modules.items())[index]))
        return list(self._modules.values())[_place(index, len(self))]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, list(self._modules)[_place(index, len(self))], module)


class ModuleList(Module):
    """Modules in a list."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def append(self, module: Module) -> "ModuleList":
        """One more at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> "ModuleList":
        """More at the end."""
        for module in modules:
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> None:
        """One before the place `index`."""
        listed = list(self)
        listed.insert(index, module)
        for i, each in enumerate(listed):
            self.add_module(str(i), each)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return list(self)[_place(index, len(self))]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, str(_place(index, len(self))), module)


class ModuleDict(Module):
    """Modules by name."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        self.update(modules or {})

    def update(self, modules: Any) -> None:
        """More of them, or others."""
        for name, module in dict(modules).items():
            self.add_module(name, module)

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def items(self) -> Any:
        """Both."""
        return self._modules.items()

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, name: str) -> bool:
        return name in self._modules

    def __getitem__(self, name: str) -> Any:
        return self._modules[name]

    def __setitem__(self, name: str, module: Module) -> None:
        self.add_module(name, module)

    def __delitem__(self, name: str) -> None:
        delattr(self, name)


class ParameterList(Module):
    """Parameters in a list."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        for value in values or ():
            self.append(value)

    def __repr__(self) -> str:
        rows = [
            f"    ({i}): Parameter containing: [torch.{_kind(p)} of size {_size(p)}]"
            for i, p in enumerate(self)
        ]
        return "\n".join(["ParameterList(", *rows, ")"]) if rows else "ParameterList()"

    def append(self, value: Any) -> "ParameterList":
        """One more at the end."""
        value = value if isinstance(value, Parameter) else Parameter(value)
        self.register_parameter(str(len(self)), value)
        return self

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parameters.values())

    def __getitem__(self, index: int) -> Any:
        return list(self)[_place(index, len(self))]


class ParameterDict(Module):
    """Parameters by name."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        for name, value in dict(parameters or {}).items():
            self[name] = value

    def keys(self) -> Any:
        """The names."""
        return self._parameters.keys()

    def values(self) -> Any:
        """The Parameters."""
        return self._parameters.values()

    def items(self) -> Any:
        """Both."""
        return self._parameters.items()

    def __len__(self) -> int:
        return len(self._parameters)

    def __contains__(self, name: str) -> bool:
        return name in self._parameters

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __getitem__(self, name: str) -> Any:
        return self._parameters[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.register_parameter(name, value if isinstance(value, Parameter) else Parameter(value))
