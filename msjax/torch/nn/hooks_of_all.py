"""Global hooks, those of all modules: `torch.nn.modules.module.register_module_forward_hook` and its siblings."""

import warnings
from collections.abc import Callable
from typing import Any

from msjax.core.autodiff.hooks import Handle, register

FORWARD_PRE: dict[int, Callable] = {}
FORWARD: dict[int, Callable] = {}
BACKWARD_PRE: dict[int, Callable] = {}
BACKWARD: dict[int, Callable] = {}
CALLED = (FORWARD_PRE, FORWARD, BACKWARD_PRE, BACKWARD)
REGISTRATION: dict[str, dict[int, Callable]] = {"Parameter": {}, "Tensor": {}, "Module": {}}


def marked(hook: Callable, with_kwargs: bool, always_call: bool = False) -> Callable:
    """Return a hook that modules know to take `kwargs`, or to be called after errors."""
    if not with_kwargs and not always_call:
        return hook

    def marked_hook(*args: Any) -> Any:
        return hook(*args)

    marked_hook._with_kwargs, marked_hook._always = with_kwargs, always_call  # type: ignore[attr-defined]
    return marked_hook


def call(hook: Callable, module: Any, args: tuple, kwargs: dict, out: Any) -> Any:
    """Return the output, or what a hook after `forward` replaces it by."""
    named = getattr(hook, "_with_kwargs", False)
    changed = hook(module, args, kwargs, out) if named else hook(module, args, out)
    return out if changed is None else changed


def call_after_error(hook: Callable, module: Any, args: tuple, kwargs: dict, out: Any) -> Any:
    """As :func:`call`, while another error is on its way: an error of the hook's becomes a warning."""
    try:
        return call(hook, module, args, kwargs, out)
    except Exception as error:  # noqa: BLE001 - the error on its way matters more
        warnings.warn(
            "forward hook with ``always_call=True`` raised an exception that was silenced as another error was raised in "
            f"forward: {error}",
            stacklevel=4,
        )
        return out


def registered(kind: str, module: Any, name: str, value: Any) -> Any:
    """Return what a module registers under a name: the value, or what a hook replaces it by."""
    for hook in list(REGISTRATION[kind].values()):
        changed = hook(module, name, value)
        value = value if changed is None else changed
    return value


def register_module_forward_pre_hook(hook: Callable) -> Handle:
    """Call `hook(module, args)` before each module's `forward` and its own hooks; its result replaces the arguments.

    Examples:
        >>> from msjax import torch
        >>> of_all = torch.nn.modules.module
        >>> handle = of_all.register_module_forward_pre_hook(lambda module, args: print(type(module).__name__))
        >>> y = torch.nn.Sequential(torch.nn.ReLU())(torch.ones(1))
        Sequential
        ReLU
        >>> handle.remove()
    """
    return register(FORWARD_PRE, hook, "register_module_forward_pre_hook")


def register_module_forward_hook(
    hook: Callable, *, with_kwargs: bool = False, always_call: bool = False
) -> Handle:
    """Call `hook(module, args, output)` after each module's `forward`; its result replaces the output.

    Args:
        hook: the function; with `with_kwargs` it takes `(module, args, kwargs, output)`.
        with_kwargs: whether it takes the arguments by name, too.
        always_call: whether it is called, with None as the output, if `forward` raises, too.
    """
    return register(FORWARD, marked(hook, with_kwargs, always_call), "register_module_forward_hook")


def register_module_full_backward_pre_hook(hook: Callable) -> Handle:
    """Call `hook(module, grad_output)` in the backward pass of each module; its result replaces the gradients."""
    return register(BACKWARD_PRE, hook, "register_module_full_backward_pre_hook")


def register_module_full_backward_hook(hook: Callable) -> Handle:
    """Call `hook(module, grad_input, grad_output)` for each module; its result replaces the inputs' gradients."""
    return register(BACKWARD, hook, "register_module_full_backward_hook")


def register_module_parameter_registration_hook(hook: Callable) -> Handle:
    """Call `hook(module, name, parameter)` when a module takes a Parameter; its result replaces it."""
    return register(REGISTRATION["Parameter"], hook, "register_module_parameter_registration_hook")


def register_module_buffer_registration_hook(hook: Callable) -> Handle:
    """Call `hook(module, name, buffer)` when a module takes a buffer; its result replaces it."""
    return register(REGISTRATION["Tensor"], hook, "register_module_buffer_registration_hook")


def register_module_module_registration_hook(hook: Callable) -> Handle:
    """Call `hook(module, name, submodule)` when a module takes another one; its result replaces it."""
    return register(REGISTRATION["Module"], hook, "register_module_module_registration_hook")
