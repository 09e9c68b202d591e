"""`common.hook_handle`: what registering a hook returns."""

from msjax.core.hooks import Handle as HookHandle

__all__ = ["HookHandle"]
