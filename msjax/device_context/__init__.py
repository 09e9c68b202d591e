"""MindSpore's `device_context`: properties and settings of each kind of device."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
