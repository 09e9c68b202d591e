"""Base class of callbacks, the context of a run, and the calls of callbacks."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any, Self

import jax

from msjax.core.tensor.tensor import Tensor, is_tensor

EVENTS = ("begin", "epoch_begin", "epoch_end", "step_begin", "step_end", "end")


class RunParameters(dict):
    """Parameters of a run for its callbacks: a dict whose entries are attributes too."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class RunContext:
    """Context of a run for its callbacks: its state, and the way to stop it.

    Args:
        original_args: dict of the run's state.

    Raises:
        TypeError: if that is not a dict.

    Examples:
        >>> from msjax.train import RunContext
        >>> context = RunContext({"cur_epoch_num": 4})
        >>> context.original_args()["cur_epoch_num"], context.get_stop_requested()
        (4, False)
    """

    def __init__(self, original_args: dict) -> None:
        if not isinstance(original_args, dict):
            raise TypeError(
                f"`RunContext`: argument `original_args` must be a dict. Received: {type(original_args).__name__}."
            )
        self._original_args = original_args
        self._stop_requested = False

    def original_args(self) -> Any:
        """The state of the run: `cur_epoch_num`, `cur_step_num`, `batch_num`, `net_outputs`, `network`, `optimizer` ..."""
        return self._original_args

    def request_stop(self) -> None:
        """End training after this step."""
        self._stop_requested = True

    def get_stop_requested(self) -> bool:
        """Return True if a stop was requested."""
        return self._stop_requested


class Callback:
    """Base class of callbacks: a subclass defines the methods of the events that it wants to see.

    `on_train_begin`, `on_train_epoch_begin`, `on_train_step_begin`, `on_train_step_end`, `on_train_epoch_end`,
    `on_train_end` and the same with `eval`. The names without `on_train_` and `on_eval_` (`begin`, `step_end` ...), of
    older programs, stand for both.

    Examples:
        >>> from msjax.train import Callback
        >>> class Steps(Callback):
        ...     def on_train_step_end(self, run_context):
        ...         print(run_context.original_args().cur_step_num)
    """

    # Of msjax's own, those that read no clock at the end of a step set it to False: no step waits for them.
    _reads_clock = True

    def _times_steps(self, mode: str) -> bool:
        """Return True if what it does at the end of a step may depend on how long that took."""
        names = f"on_{mode}_step_end", "step_end"
        return self._reads_clock and any(
            name in vars(self) or getattr(type(self), name) is not getattr(Callback, name) for name in names
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def begin(self, run_context: RunContext) -> None:
        """Run before everything."""

    def epoch_begin(self, run_context: RunContext) -> None:
        """Run before an epoch."""

    def epoch_end(self, run_context: RunContext) -> None:
        """Run after an epoch."""

    def step_begin(self, run_context: RunContext) -> None:
        """Run before a step."""

    def step_end(self, run_context: RunContext) -> None:
        """Run after a step."""

    def end(self, run_context: RunContext) -> None:
        """Run after everything."""


def _event(mode: str, event: str) -> Callable[[Callback, RunContext], None]:
    def call(self: Callback, run_context: RunContext) -> None:
        getattr(self, event)(run_context)

    call.__name__ = f"on_{mode}_{event}"
    call.__qualname__ = f"Callback.on_{mode}_{event}"
    call.__doc__ = (
        f"`{event}` while the run is one of mode {mode!r}; calls that method unless a subclass defines it."
    )
    return call


for _mode in ("train", "eval"):
    for _name in EVENTS:
        setattr(Callback, f"on_{_mode}_{_name}", _event(_mode, _name))


class Callbacks:
    """Several callbacks as one.

    Args:
        given: None, one callback, or a list of them.

    Raises:
        TypeError: if anything else is among them.
    """

    def __init__(self, given: Any) -> None:
        listed = [] if given is None else list(given) if isinstance(given, list | tuple) else [given]
        for callback in listed:
            if not isinstance(callback, Callback):
                raise TypeError(
                    f"`callbacks` must be a Callback, a list of them, or None. Received: {type(callback).__name__}."
                )
        self.callbacks: list[Callback] = listed
        self._entered = ExitStack()

    def __enter__(self) -> Self:
        """Enter all of them, as a run does before it begins: callbacks open files there."""
        with ExitStack() as entered:
            found = [(entered.enter_context(callback), callback) for callback in self.callbacks]
            self.callbacks = [own if isinstance(own, Callback) else callback for own, callback in found]
            self._entered = entered.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._entered.__exit__(*error)  # type: ignore[arg-type]

    def call(self, mode: str, event: str, run_context: RunContext) -> None:
        """Tell all of them, in their order; at the end of a step or an epoch when its outputs are there.

        A step returns when it has been dispatched. Callbacks that read the clock would time just that; nobody waits if no
        callback looks.
        """
        looked_at = event == "epoch_end" and self.callbacks
        if looked_at or (event == "step_end" and any(c._times_steps(mode) for c in self.callbacks)):
            _wait(run_context)
        for callback in self.callbacks:
            getattr(callback, f"on_{mode}_{event}")(run_context)

    def beyond(self, names: Iterable[str], kept: type) -> "Callbacks":
        """Return the callbacks whose class has none of some names, and those of one class."""
        return Callbacks([c for c in self.callbacks if type(c).__name__ not in names or isinstance(c, kept)])


def _wait(run_context: RunContext) -> None:
    outputs = jax.tree.leaves(run_context.original_args().get("net_outputs"), is_leaf=is_tensor)
    jax.block_until_ready([box.array for box in outputs if isinstance(box, Tensor)])


def first_output(outputs: Any) -> Tensor | None:
    """Return the output Tensor of a step, or the first of its outputs."""
    if isinstance(outputs, list | tuple) and outputs:
        outputs = outputs[0]
    return outputs if isinstance(outputs, Tensor) else None


def loss_as_float(outputs: Any) -> float | None:
    """Return the loss as a number: the mean of the first output; None if there is none."""
    first = first_output(outputs)
    return None if first is None else float(first.asnumpy().mean())


def loss_for_callbacks(loss: Any) -> Any:
    """Return the loss as callbacks write it: a Tensor's mean as a float; of several outputs the first, if it is a Tensor."""
    if isinstance(loss, tuple | list):
        return loss[0] if isinstance(loss[0], Tensor) else loss
    return float(loss.asnumpy().mean()) if isinstance(loss, Tensor) else loss
