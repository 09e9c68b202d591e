"""`torch.library` and `torch.ops`: operators by names.

`torch.ops.aten` has PyTorch's functions, `torch.ops.torchvision` what torchvision compiles for PyTorch (without running
its library), and other names are those that a program defines with `custom_op` or `Library`.
"""

import contextlib
import os
from collections.abc import Callable, Iterable
from typing import Any

from msjax.torch import vision
from msjax.torch.autograd.function import Function
from msjax.torch.functions import served_from_mint

# The dispatch keys and devices whose kernels are the operator here; others are for shapes, autocast or other devices.
_REAL = (
    "",
    "CPU",
    "cpu",
    "default",
    "CompositeExplicitAutograd",
    "CompositeImplicitAutograd",
    "Autograd",
    "AutogradCPU",
)
# Forms that PyTorch tells apart by what they are given; the function here takes them all.
_OVERLOADS = frozenset(
    "Tensor Scalar int dim dim_IntList dtype dtype_layout out other self self_int stable values device Tensor_out".split()
)
_loaded: set[str] = set()


class OpOverload:
    """An operator under its whole name.

    Args:
        namespace: the first part.
        name: the second.
        fn: what it computes.
    """

    def __init__(self, namespace: str, name: str, fn: Callable | None = None) -> None:
        self._namespace, self.__name__, self._fn = namespace, name, fn
        self._backward: tuple[Callable, Callable | None] | None = None
        self._own = fn is not None  # then its gradient is known, too

    @property
    def default(self) -> "OpOverload":
        """The operator itself."""
        return self

    def __getattr__(self, name: str) -> "OpOverload":
        if name in _OVERLOADS:
            return self
        raise AttributeError(
            f"The underlying op of {self._namespace}.{self.__name__} has no overload name '{name}'"
        )

    def overloads(self) -> list[str]:
        """Return the names of its forms."""
        return ["default"]

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Compute it, and record the gradient that `register_autograd` gave."""
        if self._fn is None:
            raise NotImplementedError(
                f"`{self._namespace}::{self.__name__}` has no kernel for the CPU: register one with torch.library.impl."
            )
        if self._backward is None or named:
            return self._fn(*args, **named)
        return _make_function(self._fn, *self._backward).apply(*args)

    def register_kernel(self, device_types: Any, func: Callable | None = None) -> Callable:
        """Set what it computes, on devices of some kinds; here there is one."""
        return _decorate(func, lambda fn: setattr(self, "_fn", fn))

    def register_fake(self, fn: Callable | None = None) -> Callable:
        """Take a function of shapes alone, which nothing here needs."""
        return _decorate(fn, lambda fn: None)

    def register_autograd(self, backward: Callable, *, setup_context: Callable | None = None) -> None:
        """Set the gradient: `backward(ctx, *gradients)`, after `setup_context(ctx, inputs, output)`."""
        if not self._own:
            self._backward = backward, setup_context

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self._namespace}.{self.__name__}', overload='default')>"


CustomOpDef = OpOverload


def _make_function(fn: Callable, backward: Callable, setup: Callable | None) -> type[Function]:
    class Recorded(Function):
        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            output = fn(*args)
            if setup is not None:
                setup(ctx, args, output)
            return output

    Recorded.backward = staticmethod(backward)  # type: ignore[method-assign]
    return Recorded


def _decorate(fn: Callable | None, take: Callable[[Callable], Any]) -> Callable:
    """Take a function now, or as a decorator."""

    def decorate(fn: Callable) -> Callable:
        take(fn)
        return fn

    return decorate if fn is None else decorate(fn)


class _Namespace:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, op: str) -> OpOverload:
        if op.startswith("__"):
            raise AttributeError(op)
        fn = None
        if self._name == "aten":
            with contextlib.suppress(AttributeError):  # operators below PyTorch's functions are names here
                fn = served_from_mint.find_function(op)
            return self.__dict__.setdefault(op, OpOverload(self._name, op, fn))
        if self._name in _loaded:
            fn = getattr(vision, op, None)
        if fn is None and self._name not in _loaded:
            raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{op}'")
        return self.__dict__.setdefault(op, OpOverload(self._name, op, fn))


class _Ops:
    """`torch.ops`."""

    loaded_libraries: set[str] = set()

    def __getattr__(self, name: str) -> _Namespace:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.__dict__.setdefault(name, _Namespace(name))

    def load_library(self, path: Any) -> None:
        """Take torchvision's operators for those of its library; no other library can be loaded.

        Raises:
            OSError: for other libraries, which are compiled for PyTorch.
        """
        if "torchvision" not in os.fspath(path):
            raise OSError(f"{path}: libraries that are compiled for PyTorch cannot be loaded in msjax.torch.")
        _loaded.add("torchvision")


ops = _Ops()


def _operator(qualname: Any) -> OpOverload:
    """Return the operator of "namespace::name", made if it is not there."""
    if isinstance(qualname, OpOverload):
        return qualname
    namespace, _, name = qualname.partition("::")
    name = name.partition(".")[0]
    place = getattr(ops, namespace)
    try:
        return getattr(place, name)
    except (AttributeError, NotImplementedError):
        return place.__dict__.setdefault(name, OpOverload(namespace, name))


def _name_in(schema: str) -> str:
    return schema.partition("(")[0].strip()


class Library:
    """Definitions of operators in one namespace.

    Args:
        ns: the namespace.
        kind: "DEF", "IMPL" or "FRAGMENT"; of no effect.
        dispatch_key: what its kernels are for, unless `impl` says.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Define an operator by "name(arguments) -> results"; only its name has an effect."""
        name = _name_in(schema)
        _operator(f"{self.ns}::{name}")
        return name

    def impl(
        self, op_name: Any, fn: Callable, dispatch_key: str = "", *, with_keyset: bool = False,
        allow_override: bool = False,
    ) -> None:  # fmt: skip
        """Set what an operator computes; what is for shapes, autocast or other devices has no effect."""
        if (dispatch_key or self.dispatch_key) in _REAL:
            name = op_name if isinstance(op_name, OpOverload) or "::" in op_name else f"{self.ns}::{op_name}"
            _operator(name)._fn = fn


def define(qualname: str, schema: str, *, lib: Any = None, tags: Any = ()) -> None:
    """Define an operator "namespace::name"."""
    _operator(qualname)


def impl(qualname: Any, types: Any, func: Callable | None = None, *, lib: Any = None) -> Callable:
    """Set what an operator computes on devices of some kinds, or as a decorator."""
    given = [types] if isinstance(types, str) else types

    def take(fn: Callable) -> None:
        if any(one in _REAL for one in given):
            _operator(qualname)._fn = fn

    return _decorate(func, take)


def custom_op(
    name: str, fn: Callable | None = None, /, *, mutates_args: str | Iterable[str], device_types: Any = None,
    schema: str | None = None, tags: Any = None,
) -> Any:  # fmt: skip
    """Make an operator of a function.

    Args:
        name: "namespace::name".
        fn: what it computes; without it, a decorator.
        mutates_args: of no effect; tensors may be changed.
        device_types: of no effect.
        schema: of no effect.
        tags: of no effect.

    Examples:
        >>> from msjax import torch
        >>> @torch.library.custom_op("mine::double", mutates_args=())
        ... def double(x: torch.Tensor) -> torch.Tensor:
        ...     return x * 2
        >>> torch.ops.mine.double(torch.ones(1))
        tensor([2.])
    """

    def make(fn: Callable) -> OpOverload:
        made = _operator(name)
        made._fn = fn
        return made

    return make if fn is None else make(fn)


triton_op = custom_op  # its function is called like any other; a Triton kernel in it is not there


def register_fake(
    op: Any, func: Callable | None = None, /, *, lib: Any = None, _stacklevel: int = 1, allow_override: bool = True
) -> Callable:  # fmt: skip
    """Take a function of shapes alone, which nothing here needs."""
    return _operator(op).register_fake(func)


impl_abstract = register_fake


def register_kernel(
    op: Any, device_types: Any, func: Callable | None = None, /, *, lib: Any = None
) -> Callable:
    """Set what an operator computes on devices of some kinds."""
    return _operator(op).register_kernel(device_types, func)


def register_autograd(
    op: Any, backward: Callable, /, *, setup_context: Callable | None = None, lib: Any = None
) -> None:
    """Set the gradient of an operator: `backward(ctx, *gradients)`, after `setup_context(ctx, inputs, output)`."""
    _operator(op).register_autograd(backward, setup_context=setup_context)
