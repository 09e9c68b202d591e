"""`train.callback._callback`: run state and callback manager, which users' training loops import."""

from contextlib import ExitStack
from typing import Any, Self

from msjax.core.tensor.tensor import Tensor
from msjax.train import callback as public
from msjax.train.callback import base
from msjax.train.callback.base import EVENTS, Callback, Callbacks, RunContext
from msjax.train.callback.base import RunParameters as InternalCallbackParam

__all__ = ["Callback", "CallbackManager", "InternalCallbackParam", "RunContext"]


class CallbackManager(Callback):
    """Callback manager: every event goes to all of several callbacks, in their order.

    Args:
        callbacks: None, one callback, or a list of them.

    Raises:
        TypeError: if anything else is among them.

    Examples:
        >>> from msjax.train.callback import LambdaCallback
        >>> from msjax.train.callback._callback import CallbackManager, InternalCallbackParam, RunContext
        >>> with CallbackManager([LambdaCallback(on_train_begin=lambda context: print("begins"))]) as callbacks:
        ...     callbacks.on_train_begin(RunContext(InternalCallbackParam(cur_epoch_num=0)))
        begins
    """

    def __init__(self, callbacks: Any) -> None:
        self._callbacks = Callbacks(callbacks).callbacks

    def __enter__(self) -> Self:
        with ExitStack() as entered:
            for callback in self._callbacks:
                entered.enter_context(callback)
            self._entered = entered.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._entered.__exit__(*error)  # type: ignore[arg-type]


def _to_all(name: str) -> Any:
    def told(self: CallbackManager, run_context: RunContext) -> None:
        for callback in self._callbacks:
            getattr(callback, name)(run_context)

    told.__name__ = name
    told.__doc__ = f"Call `{name}` of all of them."
    return told


for _event in EVENTS:
    for _name in (_event, f"on_train_{_event}", f"on_eval_{_event}"):
        setattr(CallbackManager, _name, _to_all(_name))


def _handle_loss(loss: Any) -> Any:
    """Give the loss that a step returned: the mean of a Tensor as a float, the first of several Tensors as it is.

    Training callbacks of MindSpore's model libraries import it.
    """
    if isinstance(loss, tuple | list):
        return loss[0] if isinstance(loss[0], Tensor) else loss
    return float(loss.asnumpy().mean()) if isinstance(loss, Tensor) else loss


def __getattr__(name: str) -> Any:
    return getattr(base, name, None) or getattr(public, name)
