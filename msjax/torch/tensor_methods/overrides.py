"""`torch.overrides`, and the class whose methods subclasses of Tensor handle themselves."""

from collections.abc import Callable, Iterable
from typing import Any

from msjax.torch.tensor_methods import methods
from msjax.torch.tensors.tensor import Tensor
from msjax.torch.tensors.torch_function import TensorKind, find_handlers, handle

# What Python and the engine ask for themselves; and what says what a tensor is, which a subclass shares.
_KEPT = frozenset(
    """__init__ __new__ __class__ __init_subclass__ __subclasshook__ __torch_function__ __getattribute__ __getattr__
    __setattr__ __delattr__ __dir__ __sizeof__ __hash__ __jax_array__ __del__ __reduce__ __class_getitem__ __dict__ __doc__
    __module__ __slots__ __weakref__ __annotations__ __abstractmethods__ __static_attributes__ __firstlineno__
    as_subclass assign_value set_data asnumpy from_array from_numpy from_dlpack""".split()
)
_PROPERTIES = "T H mT mH data real imag".split()
NAMES = """has_torch_function has_torch_function_unary has_torch_function_variadic handle_torch_function is_tensor_like
is_tensor_method_or_property resolve_name""".split()


def _method_told(name: str) -> Callable:
    """Return the method that handlers are told of: of `+` that is `Tensor.add`, as in PyTorch."""
    if name[:2] != "__":
        return getattr(Tensor, name)
    bare = name.strip("_").removeprefix("r")
    plain = methods._OPERATORS.get(name.strip("_")) or (
        methods._OPERATORS.get(bare) if name[:3] == "__r" else None
    )
    return getattr(Tensor, plain if plain and hasattr(Tensor, plain) else name)


def _method(name: str) -> Callable:
    plain, told = getattr(Tensor, name), _method_told(name)
    turned = told is not plain and name[:3] == "__r"

    def method(self: Any, *args: Any, **named: Any) -> Any:
        found = find_handlers((self, *args, *named.values()), Tensor)
        if not found:
            return plain(self, *args, **named)
        if told is plain or not isinstance(args[0], methods._OPERANDS):
            return handle(plain, found, (self, *args), named)
        if not turned:
            return handle(told, found, (self, *args), named)
        both = isinstance(args[0], Tensor)  # a number has no method: its handlers are told of `__rsub__`
        return (
            handle(told, found, (args[0], self), named)
            if both
            else handle(plain, found, (self, *args), named)
        )

    method.__name__ = name
    method.__doc__ = plain.__doc__
    return method


def _property(name: str) -> property:
    plain: Any = next(vars(kind)[name] for kind in Tensor.__mro__ if name in vars(kind))

    def read(self: Any) -> Any:
        found = find_handlers((self,), Tensor)
        return handle(plain.__get__, found, (self,), {}) if found else plain.__get__(self)

    return property(read, plain.fset, doc=plain.__doc__)


def _name_method(name: str) -> None:
    """Give a method the name that handlers know it by, if it is not another method's."""
    plain = getattr(Tensor, name)
    if plain.__module__.startswith("msjax.torch") and getattr(Tensor, plain.__name__, None) is not plain:
        plain.__name__ = plain.__qualname__ = name


def install() -> None:
    """Make the class between Tensor and its subclasses, when all methods are there."""
    members: dict[str, Any] = {"__slots__": (), "__module__": __name__, "__hash__": Tensor.__hash__}
    members["__doc__"] = "Tensor, with methods that look for `__torch_function__`."
    for kind in reversed(Tensor.__mro__[:-1]):
        for name, value in vars(kind).items():
            special = name[:2] == "__" == name[-2:]
            if name in _KEPT or (name[0] == "_" and not special) or name in members:
                continue
            if name in _PROPERTIES:
                members[name] = _property(name)
            elif callable(getattr(Tensor, name)) and not isinstance(value, staticmethod | classmethod | type):
                _name_method(name)
                members[name] = _method(name)
    TensorKind.bases = (Tensor, TensorKind("Tensor", (Tensor,), members))


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Return True if the class of an argument handles functions."""
    return bool(find_handlers(relevant_args, Tensor, nested=False))


def has_torch_function_unary(obj: Any) -> bool:
    """Return True if the class of an argument handles functions."""
    return has_torch_function((obj,))


def has_torch_function_variadic(*args: Any) -> bool:
    """Return True if the class of an argument handles functions."""
    return has_torch_function(args)


def handle_torch_function(
    public_api: Callable, relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Let the classes of the relevant arguments handle a function.

    Raises:
        TypeError: if none of them does.
    """
    return handle(public_api, find_handlers(relevant_args, Tensor, nested=False), args, kwargs)


def is_tensor_like(inp: Any) -> bool:
    """Return True for tensors, and what handles PyTorch's functions as tensors do."""
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")


def is_tensor_method_or_property(func: Callable) -> bool:
    """Return True for what handlers are told of a method of Tensor."""
    name = getattr(func, "__name__", "")
    return name == "__get__" or getattr(Tensor, name, None) is func


def resolve_name(f: Callable) -> str:
    """Return the name by which a function of PyTorch's, or a method of Tensor, is called."""
    name = getattr(f, "__name__", str(f))
    return f"torch.Tensor.{name}" if is_tensor_method_or_property(f) else f"torch.{name}"
