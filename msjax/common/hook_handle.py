"""`common.hook_handle`: what registering a hook returns."""

from msjax.core.autodiff.hooks import Handle as HookHandle

__all__ = ["HookHandle"]
