"""Monitoring callbacks: loss, time, history, user functions."""

import math
import time
from collections.abc import Callable
from typing import Any

from msjax.train.callback.base import EVENTS, Callback, RunContext, first_output, loss_for_callbacks


class LossMonitor(Callback):
    """Prints the loss; after an evaluation in the course of training, its results too.

    Args:
        per_print_times: print every so many steps; 0 prints nothing. Default: 1.

    Raises:
        TypeError: if it is not an int.
        ValueError: if it is negative; and at a step whose loss is infinite or NaN, if it is the only output (a step with a
            loss scale has more, and goes on after an overflow).

    Examples:
        >>> from msjax.train import LossMonitor
        >>> monitor = LossMonitor(10)
    """

    def __init__(self, per_print_times: int = 1) -> None:
        if not isinstance(per_print_times, int) or isinstance(per_print_times, bool):
            raise TypeError(
                f"`LossMonitor`: argument `per_print_times` must be an int. Received: {per_print_times!r}."
            )
        if per_print_times < 0:
            raise ValueError(
                f"`LossMonitor`: argument `per_print_times` must not be negative. Received: {per_print_times}."
            )
        self._per_print_times = per_print_times
        self._last_print_time = 0

    def step_end(self, run_context: RunContext) -> None:
        """Print the loss if it is time to."""
        now = run_context.original_args()
        loss = loss_for_callbacks(now.net_outputs)
        epoch, step = now.get("cur_epoch_num") or 1, (now.cur_step_num - 1) % now.batch_num + 1
        if isinstance(loss, float) and not math.isfinite(loss):
            raise ValueError(
                f"In epoch: {epoch} step: {step}, loss is NAN or INF, training process cannot continue, "
                "terminating training."
            )
        if now.cur_step_num <= self._last_print_time:  # another run
            self._last_print_time = now.cur_step_num - 1
        if self._per_print_times and now.cur_step_num - self._last_print_time >= self._per_print_times:
            self._last_print_time = now.cur_step_num
            print(f"epoch: {epoch} step: {step}, loss is {loss}", flush=True)  # noqa: T201

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Print the results of an evaluation after this epoch."""
        now = run_context.original_args()
        if now.get("eval_results"):
            print(f"Eval result: epoch {now.cur_epoch_num}, metrics: {now.metrics}")  # noqa: T201


class TimeMonitor(Callback):
    """Prints how long an epoch, and on average a step of it, took, in milliseconds.

    Args:
        data_size: steps between two prints within an epoch's end; the steps of an epoch by default.
        data_time: print the time that waiting for data took as well. Default: False.

    Examples:
        >>> from msjax.train import TimeMonitor
        >>> monitor = TimeMonitor()
    """

    def __init__(self, data_size: int | None = None, data_time: bool = False) -> None:
        self.data_size = data_size
        self.data_time = self._reads_clock = data_time
        self._began = self._ended = time.perf_counter()
        self._waited = 0.0

    def epoch_begin(self, run_context: RunContext) -> None:
        """Record the time."""
        self._began = self._ended = time.perf_counter()
        self._waited = 0.0

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Record how long the data took."""
        self._waited += time.perf_counter() - self._ended

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Record the time."""
        self._ended = time.perf_counter()

    def epoch_end(self, run_context: RunContext) -> None:
        """Print the times."""
        now = run_context.original_args()
        total = (time.perf_counter() - self._began) * 1000
        steps = self.data_size or now.batch_num or 1
        kind = "Train" if now.mode == "train" else "Eval"
        line = f"{kind} epoch time: {total:5.3f} ms, per step time: {total / steps:5.3f} ms"
        if self.data_time:
            line += f" (data time: {self._waited * 1000:5.3f} ms)"
        print(line, flush=True)  # noqa: T201


class History(Callback):
    """Keeps the loss at the end of each epoch, and the results of evaluations.

    Attributes:
        epoch: dict with the numbers of the epochs, under "epoch".
        history: dict of lists: "net_output", and one for each metric.

    Examples:
        >>> from msjax.train import History
        >>> History().history
        {}
    """

    def __init__(self) -> None:
        self.history: dict[str, list[Any]] = {}
        self.epoch: dict[str, list[int]] = {"epoch": []}

    def begin(self, run_context: RunContext) -> None:
        """Reset the history of epochs."""
        self.epoch = {"epoch": []}

    def epoch_end(self, run_context: RunContext) -> None:
        """Record the values."""
        now = run_context.original_args()
        self.epoch["epoch"].append(now.get("cur_epoch_num", 1))
        first = first_output(now.get("net_outputs"))
        if first is not None:
            self.history.setdefault("net_output", []).append(float(first.asnumpy().mean()))
        for name, value in (now.get("metrics") or {}).items():
            self.history.setdefault(name, []).append(value)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Do nothing: results of an evaluation are recorded at the end of the epoch."""

    on_eval_epoch_end = on_eval_begin


class LambdaCallback(Callback):
    """Callback made of functions of a :class:`RunContext`, each for one event.

    Args:
        on_train_epoch_begin: called before an epoch; None for nothing, as for the others.
        on_train_epoch_end: after an epoch.
        on_train_step_begin: before a step.
        on_train_step_end: after a step.
        on_train_begin: before training.
        on_train_end: after training.
        on_eval_epoch_begin: before the epoch of an evaluation.
        on_eval_epoch_end: after it.
        on_eval_step_begin: before a step of an evaluation.
        on_eval_step_end: after one.
        on_eval_begin: before an evaluation.
        on_eval_end: after one.

    Examples:
        >>> from msjax.train import LambdaCallback
        >>> callback = LambdaCallback(on_train_end=lambda run_context: print("done"))
    """

    def __init__(
        self,
        on_train_epoch_begin: Callable | None = None,
        on_train_epoch_end: Callable | None = None,
        on_train_step_begin: Callable | None = None,
        on_train_step_end: Callable | None = None,
        on_train_begin: Callable | None = None,
        on_train_end: Callable | None = None,
        on_eval_epoch_begin: Callable | None = None,
        on_eval_epoch_end: Callable | None = None,
        on_eval_step_begin: Callable | None = None,
        on_eval_step_end: Callable | None = None,
        on_eval_begin: Callable | None = None,
        on_eval_end: Callable | None = None,
    ) -> None:
        given = locals()
        for mode in ("train", "eval"):
            for event in EVENTS:
                name = f"on_{mode}_{event}"
                setattr(self, name, given[name] if given[name] is not None else _do_nothing)
        self._reads_clock = on_train_step_end is not None or on_eval_step_end is not None


def _do_nothing(run_context: RunContext) -> None:
    """Do nothing: the default of events without a function."""
