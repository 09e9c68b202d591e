"""Traces of programs (`mindspore.profiler`), over `jax.profiler`: TensorBoard's profile plugin and Perfetto show them."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
