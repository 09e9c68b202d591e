"""Schedulers of the learning rates of mindspore.experimental.optim. `lr_scheduler.pyi` names them."""

from msjax.public_api.stubs import attach

__getattr__, __dir__, __all__ = attach(__name__)
