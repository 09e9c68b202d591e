"""Containers: Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msjax.torch.nn.module import Module, Parameter


def _normalize_index(index: int, length: int) -> int:
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length


def _describe_type(parameter: Any) -> str:
    return str(parameter.dtype).rpartition(".")[2].lower()


def _describe_size(parameter: Any) -> str:
    return "x".join(map(str, parameter.shape))


class _Numbered(Module):
    """Base class of containers whose modules are numbered."""

    def _replace_all(self, modules: Iterable[Any]) -> None:
        for name in list(self._modules):
            delattr(self, name)
        for i, module in enumerate(modules):
            self.add_module(str(i), module)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def append(self, module: Module) -> Any:
        """One more at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """One before the place `index`."""
        listed = list(self._modules.values())
        listed.insert(index, module)
        self._replace_all(listed)
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Append modules."""
        for module in modules:
            self.add_module(str(len(self._modules)), module)
        return self

    def pop(self, key: int) -> Module:
        """Remove and return a module."""
        listed = list(self._modules.values())
        taken = listed.pop(_normalize_index(key, len(listed)))
        self._replace_all(listed)
        return taken

    def __delitem__(self, index: Any) -> None:
        listed = list(self._modules.values())
        del listed[index]
        self._replace_all(listed)

    def __iadd__(self, modules: Iterable[Module]) -> Any:
        return self.extend(modules)

    def __add__(self, modules: Iterable[Module]) -> Any:
        both = [*self._modules.values(), *modules]
        make: Any = type(self)
        return make(*both) if isinstance(self, Sequential) else make(both)


class Sequential(_Numbered):
    """Sequential: modules called one after another; given in order, or by name in a dict."""

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], Mapping):
            named: Iterable = modules[0].items()
        else:
            named = enumerate(modules)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, input: Any) -> Any:
        """Return the last output."""
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(dict(list(self._modules.items())[index]))
        return list(self._modules.values())[_normalize_index(index, len(self))]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, list(self._modules)[_normalize_index(index, len(self))], module)


class ModuleList(_Numbered):
    """Modules in a list."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def __repr__(self) -> str:
        runs: list[list[Any]] = []  # equal neighbours: [text, first, last]
        for i, module in enumerate(self):
            if runs and runs[-1][0] == repr(module):
                runs[-1][2] = i
            else:
                runs.append([repr(module), i, i])
        lines = [
            f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
            for text, first, last in runs
        ]
        inside = "".join(f"\n{line}" for line in lines).replace("\n", "\n  ")
        return f"{type(self).__name__}({inside}\n)" if lines else f"{type(self).__name__}()"

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return list(self)[_normalize_index(index, len(self))]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, str(_normalize_index(index, len(self))), module)


class _Named(Module):
    """Base class of containers whose modules or Parameters have names."""

    _held: Any  # the dict of them

    def _add(self, held: Any) -> None:
        for name, value in dict(held or {}).items():
            self[name] = value

    def keys(self) -> Any:
        """Return the names."""
        return self._held.keys()

    def values(self) -> Any:
        """Return the held modules or Parameters."""
        return self._held.values()

    def items(self) -> Any:
        """Return names and what they name."""
        return self._held.items()

    def pop(self, key: str) -> Any:
        """Remove and return one."""
        taken = self._held[key]
        delattr(self, key)
        return taken

    def clear(self) -> None:
        """Remove all."""
        for name in list(self._held):
            delattr(self, name)

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __contains__(self, name: str) -> bool:
        return name in self._held

    def __getitem__(self, name: str) -> Any:
        return self._held[name]

    def __setitem__(self, name: str, value: Any) -> None:
        raise NotImplementedError

    def __delitem__(self, name: str) -> None:
        delattr(self, name)


class ModuleDict(_Named):
    """Modules by name."""

    _held = property(lambda self: self._modules)

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        self._add(modules)

    def update(self, modules: Any) -> None:
        """Add or replace modules."""
        self._add(modules)

    def __setitem__(self, name: str, module: Module) -> None:
        self.add_module(name, module)


class ParameterList(Module):
    """Parameters in a list."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        for value in values or ():
            self.append(value)

    def __repr__(self) -> str:
        rows = [
            f"    ({i}): Parameter containing: [torch.{_describe_type(p)} of size {_describe_size(p)}]"
            for i, p in enumerate(self)
        ]
        return "\n".join(["ParameterList(", *rows, ")"]) if rows else "ParameterList()"

    def append(self, value: Any) -> "ParameterList":
        """One more at the end."""
        value = value if isinstance(value, Parameter) else Parameter(value)
        self.register_parameter(str(len(self)), value)
        return self

    def extend(self, values: Iterable[Any]) -> "ParameterList":
        """Append parameters."""
        for value in values:
            self.append(value)
        return self

    __iadd__ = extend

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parameters.values())

    def __getitem__(self, index: Any) -> Any:
        return (
            list(self)[index] if isinstance(index, slice) else list(self)[_normalize_index(index, len(self))]
        )

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(
            self,
            str(_normalize_index(index, len(self))),
            value if isinstance(value, Parameter) else Parameter(value),
        )


class ParameterDict(_Named):
    """Parameters by name."""

    _held = property(lambda self: self._parameters)

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._add(parameters)

    def update(self, parameters: Any) -> None:
        """Add or replace Parameters."""
        self._add(parameters)

    def __setitem__(self, name: str, value: Any) -> None:
        self.register_parameter(name, value if isinstance(value, Parameter) else Parameter(value))
