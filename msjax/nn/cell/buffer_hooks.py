"""Global hooks that run when a buffer is registered with any Cell."""

from collections.abc import Callable
from typing import Any

from msjax.core.autodiff.hooks import HookHandle, register
from msjax.core.tensor.tensor import Tensor

_hooks: dict[int, Callable] = {}


def register_cell_buffer_registration_hook(hook: Callable) -> HookHandle:
    """Register a hook that sees, and may replace, each buffer given to `Cell.register_buffer`.

    Args:
        hook (Callable): called with the Cell, the name and the buffer; what it returns, unless that is None, becomes the
            buffer.

    Returns:
        A handle, whose `remove()` takes the hook away.

    Raises:
        TypeError: if `hook` cannot be called.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.cell.cell import register_cell_buffer_registration_hook
        >>> handle = register_cell_buffer_registration_hook(lambda cell, name, buffer: buffer * 2)
        >>> net = ms.nn.Cell()
        >>> net.register_buffer("count", ms.Tensor([1.0]))
        >>> handle.remove()
        >>> print(net.count)
        [2.]
    """
    return register(_hooks, hook, "register_cell_buffer_registration_hook")


def run_buffer_hooks(cell: Any, name: str, buffer: Tensor | None) -> Tensor | None:
    """Run the registered hooks on a buffer and return the buffer to register."""
    for hook in list(_hooks.values()):
        changed = hook(cell, name, buffer)
        if changed is not None:
            buffer = changed
    return buffer
