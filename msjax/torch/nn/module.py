"""Module and Parameter: containers of tensors that record."""

from collections.abc import Callable, Iterator
from typing import Any, Self

from msjax.core.hooks import Handle, register, with_backward_hooks
from msjax.core.state import flags_changed, state
from msjax.core.tensor import alias, mark_leaf, resolve
from msjax.torch.tensor import Tensor, dialect


class Parameter(Tensor):
    """A tensor that belongs to a module and records.

    Args:
        data: the tensor whose values it takes.
        requires_grad: whether it records.
    """

    __slots__ = ()

    def __new__(cls, data: Tensor, requires_grad: bool = True) -> Self:
        """The same memory under this class."""
        if requires_grad and not (data.is_floating_point() or data.is_complex()):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        made = alias(data.detach(), None, detached=True) if resolve(data)._view is not None else data.detach()
        made.__class__ = cls
        made._view = None
        if requires_grad:
            mark_leaf(made)
        return made  # type: ignore[return-value]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"

    __str__ = __repr__


class Module:
    """A function with Parameters: subclass, assign Parameters and Modules to attributes, define `forward`."""

    training = True

    def __init__(self) -> None:
        self._parameters: dict[str, Parameter] = {}
        self._modules: dict[str, Module] = {}
        self._pre_hooks: dict[int, Callable] = {}
        self._hooks: dict[int, Callable] = {}
        self._backward_pre_hooks: dict[int, Callable] = {}
        self._backward_hooks: dict[int, Callable] = {}

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._modules[name] = value
        super().__setattr__(name, value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call `forward`, and the hooks around it."""
        if state.frame is not None:
            state.frame.cells[id(self)] = self
        for hook in list(self._pre_hooks.values()):
            changed = hook(self, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        out = self._forward_recorded(args, kwargs)
        for hook in list(self._hooks.values()):
            changed = hook(self, args, out)
            out = out if changed is None else changed
        return dialect(out)

    def _forward_recorded(self, args: tuple, kwargs: dict) -> Any:
        if not self._backward_hooks and not self._backward_pre_hooks:
            return self.forward(*args, **kwargs)
        forward = lambda *given, **named: self.forward(*dialect(list(given)), **named)  # noqa: E731
        return with_backward_hooks(type(self).__name__, forward, args, kwargs, self._before, self._after)

    def _before(self, gradients: tuple) -> Any:
        for hook in list(self._backward_pre_hooks.values()):
            changed = hook(self, dialect(gradients))
            gradients = (
                gradients if changed is None else changed if isinstance(changed, tuple) else (changed,)
            )
        return gradients

    def _after(self, inputs: tuple, outputs: tuple) -> Any:
        for hook in list(self._backward_hooks.values()):
            changed = hook(self, dialect(inputs), dialect(outputs))
            inputs = inputs if changed is None else changed if isinstance(changed, tuple) else (changed,)
        return inputs

    def register_forward_pre_hook(self, hook: Callable) -> Handle:
        """Call `hook(module, args)` before `forward`; what it returns replaces the arguments."""
        return register(self._pre_hooks, hook, "register_forward_pre_hook")

    def register_forward_hook(self, hook: Callable) -> Handle:
        """Call `hook(module, args, output)` after `forward`; what it returns replaces the output."""
        return register(self._hooks, hook, "register_forward_hook")

    def register_full_backward_pre_hook(self, hook: Callable) -> Handle:
        """Call `hook(module, grad_output)` in the backward pass; what it returns replaces the gradients."""
        return register(self._backward_pre_hooks, hook, "register_full_backward_pre_hook")

    def register_full_backward_hook(self, hook: Callable) -> Handle:
        """Call `hook(module, grad_input, grad_output)`; what it returns replaces the gradients of the inputs."""
        return register(self._backward_hooks, hook, "register_full_backward_hook")

    def _flags(self) -> tuple:
        hooks = (self._pre_hooks, self._hooks, self._backward_pre_hooks, self._backward_hooks)
        return (
            self.training,
            *[tuple(table) for table in hooks],
            tuple(p.requires_grad for p in self.parameters()),
        )

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, "Module"]]:
        """This module and all inside it, with their names."""
        yield prefix, self
        for name, module in self._modules.items():
            yield from module.named_modules(f"{prefix}.{name}" if prefix else name)

    def modules(self) -> Iterator["Module"]:
        """This module and all inside it."""
        return (module for _, module in self.named_modules())

    def children(self) -> Iterator["Module"]:
        """The modules directly inside this one."""
        return iter(self._modules.values())

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """All Parameters with their names, each once."""
        seen = set()
        for prefix, module in self.named_modules():
            for name, parameter in module._parameters.items():
                if id(parameter) not in seen:
                    seen.add(id(parameter))
                    yield f"{prefix}.{name}" if prefix else name, parameter

    def parameters_and_names(self) -> Iterator[tuple[str, Parameter]]:
        """The same as :meth:`named_parameters`, under MindSpore's name."""
        return self.named_parameters()

    def parameters(self) -> Iterator[Parameter]:
        """All Parameters, each once."""
        return (parameter for _, parameter in self.named_parameters())

    def train(self, mode: bool = True) -> "Module":
        """Set train mode of this module and all inside it."""
        for module in self.modules():
            module.training = mode
        flags_changed()
        return self

    def eval(self) -> "Module":
        """Leave train mode."""
        return self.train(False)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all Parameters, or make them zero."""
        clear(self.parameters(), set_to_none)

    def requires_grad_(self, requires_grad: bool = True) -> "Module":
        """Set whether the Parameters record."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def state_dict(self) -> dict[str, Any]:
        """The values of all Parameters by name."""
        return {name: parameter.detach() for name, parameter in self.named_parameters()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over values by name.

        Raises:
            RuntimeError: if a name is missing or unknown.
        """
        own = dict(self.named_parameters())
        if set(own) != set(state_dict):
            raise RuntimeError(
                f"Error(s) in loading state_dict: missing {sorted(set(own) - set(state_dict))}, "
                f"unexpected {sorted(set(state_dict) - set(own))}."
            )
        for name, parameter in own.items():
            parameter.set_data(state_dict[name])


def clear(parameters: Any, set_to_none: bool) -> None:
    """Forget gradients, or make them zero in place."""
    for parameter in parameters:
        if set_to_none:
            parameter.grad = None
        elif parameter.grad is not None:
            parameter.grad.detach_().zero_()
