"""Containers: Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from msjax.torch.nn.module import Module, Parameter
from msjax.torch.tensors.tensor import Tensor


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


def _as_parameter(value: Any) -> Any:
    """Return a Parameter of a Tensor; containers of Parameters keep all else as it is."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _not_called(self: Module, *args: Any, **kwargs: Any) -> Any:
    """Raise RuntimeError."""
    raise RuntimeError(f"{type(self).__name__} should not be called.")


class ParameterList(Module):
    """Parameters in a list, and whatever else is put there."""

    __call__ = _not_called

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        self.extend(values if values is not None else ())

    def extra_repr(self) -> str:
        """Return a line for each element."""
        return "\n".join(
            f"  ({i}): Parameter containing: [torch.{_describe_type(p)} of size {_describe_size(p)}]"
            if isinstance(p, Tensor)
            else f"  ({i}): Object of type: {type(p).__name__}"
            for i, p in enumerate(self)
        )

    def append(self, value: Any) -> "ParameterList":
        """One more at the end."""
        self._size += 1
        self[-1] = value
        return self

    def extend(self, values: Iterable[Any]) -> "ParameterList":
        """Append what an iterable gives; a Tensor is refused."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            given = type(values).__name__
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {given}")
        for value in values:
            self.append(value)
        return self

    __iadd__ = extend

    def pop(self, index: int = -1) -> Any:
        """Remove and return an element; those after it move up."""
        elements = list(self)
        taken = elements.pop(_normalize_index(index, len(self)))
        for i, value in enumerate(elements):
            self[i] = value
        delattr(self, str(len(elements)))
        self._size = len(elements)
        return taken

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, str(i)) for i in range(self._size))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return getattr(self, str(_normalize_index(index, len(self))))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, str(_normalize_index(index, len(self))), _as_parameter(value))


def _in_order(parameters: Any) -> Any:
    """Return what a ParameterDict is made of: the names of a plain dict are sorted in PyTorch, in none other."""
    plain = isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict)
    return dict(sorted(parameters.items())) if plain else parameters


class ParameterDict(_Named):
    """Parameters by name, and whatever else is put there."""

    __call__ = _not_called
    _held = property(lambda self: {name: getattr(self, name) for name in self._keys})

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        self._add(_in_order(parameters))

    def extra_repr(self) -> str:
        """Return a line for each element."""
        return "\n".join(
            f"  ({name}): Parameter containing: [{p.type()} of size {_describe_size(p)}]"
            if isinstance(p, Tensor)
            else f"  ({name}): Object of type: {type(p).__name__}"
            for name, p in self.items()
        )

    def update(self, parameters: Any) -> None:
        """Add or replace Parameters, those of a dict by their names' order."""
        self._add(_in_order(parameters))

    def get(self, key: str, default: Any = None) -> Any:
        """Return what a name stands for, or a default."""
        return getattr(self, key) if key in self._keys else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return what a name stands for; if it is not there, that is a default from now on."""
        if key not in self:
            self[key] = default
        return self[key]

    def popitem(self) -> tuple[str, Any]:
        """Remove and return the name that came last, with what it stands for."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> "ParameterDict":
        """Return a new container with a default under each of some names."""
        return type(self)(OrderedDict.fromkeys(keys, default))

    def copy(self) -> "ParameterDict":
        """Return a new container of the same elements."""
        return type(self)(OrderedDict(self.items()))

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __or__(self, other: Any) -> "ParameterDict":
        found = self.copy()
        found.update(other)
        return found

    def __ror__(self, other: Any) -> "ParameterDict":
        found = type(self)(other)
        found.update(self)
        return found

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        if not isinstance(name, str):
            raise TypeError(
                f"Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(name).__name__}')."
            )
        setattr(self, name, _as_parameter(value))
        self._keys[name] = None

    def __delitem__(self, name: str) -> None:
        del self._keys[name]
        delattr(self, name)

    def pop(self, key: str) -> Any:
        """Remove and return one."""
        taken = self[key]
        del self[key]
        return taken

    def clear(self) -> None:
        """Remove all."""
        for name in list(self._keys):
            del self[name]
