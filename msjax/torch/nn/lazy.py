"""Lazy modules (LazyLinear ...): the number of input features is inferred from the first input."""

from typing import Any

from msjax.torch.functions import basic
from msjax.torch.nn import convolution, layers
from msjax.torch.nn.module import Module, Parameter


class UninitializedParameter(Parameter):
    """Parameter whose shape is not known yet."""

    __slots__ = ()

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        """One without elements."""
        return super().__new__(cls, basic.empty(0, dtype=dtype), requires_grad)

    def __deepcopy__(self, memo: dict) -> Any:
        made = memo[id(self)] = type(self)(self.requires_grad)
        return made

    def __repr__(self) -> str:
        return "<UninitializedParameter>"

    __str__ = __repr__


def is_lazy(param: Any) -> bool:
    """Return True if a parameter's shape is not known yet."""
    return isinstance(param, UninitializedParameter)


class _Lazy(Module):
    """Base class of lazy modules: becomes another module at the first call, with the same settings, hooks and mode."""

    _becomes: Any
    _place = 0  # of the number of features among the other's arguments
    _held: tuple[str, ...] = ("weight", "bias")

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__()
        self._settings = (args, named)
        shown = self._make_module(0)
        for name in self._held:
            missing = getattr(shown, name, None) is None
            self.register_parameter(name, None if missing else UninitializedParameter())
        for name, buffer in shown._buffers.items():
            self.register_buffer(name, buffer)
        self._shown = shown.extra_repr()

    def _make_module(self, features: int) -> Any:
        args, named = self._settings
        return self._becomes(*args[: self._place], features, *args[self._place :], **named)

    def has_uninitialized_params(self) -> bool:
        """Return True until the first input has come."""
        return True

    def initialize_parameters(self, input: Any) -> None:
        """Turn into the other module, for inputs such as this one."""
        made = self._make_module(input.shape[-1 if self._becomes is layers.Linear else 1])
        if self._parameters.get("weight") is not None and not self.weight.requires_grad:
            made.requires_grad_(False)
        made.train(self.training)
        hooks = (self._forward_pre_hooks, self._forward_hooks, self._backward_pre_hooks, self._backward_hooks)
        for name in [*vars(self)]:
            object.__delattr__(self, name)
        vars(self).update(vars(made))
        self._forward_pre_hooks, self._forward_hooks, self._backward_pre_hooks, self._backward_hooks = hooks
        self.__class__ = type(made)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Turn into the other module, and call it."""
        self.initialize_parameters(args[0] if args else kwargs["input"])
        return self(*args, **kwargs)

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Raise RuntimeError: the shapes are not known before the first input."""
        raise RuntimeError(
            f"`{type(self).__name__}`: call it once with an input before a state is loaded; its shapes are not known yet."
        )

    def extra_repr(self) -> str:
        """Return the settings; the number of features is 0."""
        return self._shown


def _make_lazy(name: str, becomes: type[Module]) -> type[Module]:
    members = {"_becomes": becomes, "__module__": __name__}
    members["__doc__"] = (
        f":class:`msjax.torch.nn.{becomes.__name__}`, without the number of the input's features."
    )
    return type(f"Lazy{name}", (_Lazy,), members)


_WHOLE = "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d"
_NORMS = "BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d"
MADE = {f"Lazy{name}": _make_lazy(name, getattr(convolution, name)) for name in _WHOLE.split()}
MADE |= {f"Lazy{name}": _make_lazy(name, getattr(layers, name)) for name in _NORMS.split()}
MADE["LazyLinear"] = _make_lazy("Linear", layers.Linear)
globals().update(MADE)
