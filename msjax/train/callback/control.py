"""Callbacks that react to results: early stopping, learning rate schedules and reduction, stopping at a signal."""

import logging
import math
import signal
from collections.abc import Callable
from typing import Any

import numpy as np

from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import argument_checks
from msjax.train._load import load_param_into_net
from msjax.train._save import save_checkpoint
from msjax.train.callback.base import Callback, RunContext, loss_as_float

_log = logging.getLogger(__name__)


def _rate(owner: str, optimizer: Any) -> Parameter:
    """Return the Parameter that holds an optimizer's learning rate."""
    rate = getattr(optimizer, "learning_rate", None)
    if isinstance(rate, Parameter):
        return rate
    raise ValueError(
        f"`{owner}`: the optimizer must have one learning rate, which does not follow a schedule. Received: {rate!r}."
    )


class LearningRateScheduler(Callback):
    """Sets the learning rate after each step.

    Args:
        learning_rate_function: (learning rate, number of the step) -> learning rate.

    Examples:
        >>> from msjax.train import LearningRateScheduler
        >>> halving = LearningRateScheduler(lambda rate, step: rate / 2 if step % 1000 == 0 else rate)
    """

    _reads_clock = False

    def __init__(self, learning_rate_function: Callable[[float, int], float]) -> None:
        self.learning_rate_function = learning_rate_function

    def step_end(self, run_context: RunContext) -> None:
        """Set it."""
        now = run_context.original_args()
        rate = _rate("LearningRateScheduler", now.optimizer)
        new = self.learning_rate_function(float(rate), now.cur_step_num)
        if not math.isclose(new, float(rate), rel_tol=1e-10):
            rate.set_data(Tensor(np.float32(new)))

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Do nothing: an evaluation changes no learning rate."""


class _Watching(Callback):
    """Compares a value with the best of earlier epochs.

    Args:
        monitor: "loss", "eval_loss", or the name of a metric.
        mode: whether less is better ("min"), more ("max"), or what the name says ("auto").
        min_delta: a smaller change is no improvement.
        patience: epochs without improvement that are put up with.
        verbose: print what is done.
    """

    def __init__(self, monitor: str, mode: str, min_delta: float, patience: int, verbose: bool) -> None:
        name = type(self).__name__
        for what, given in (("monitor", monitor), ("mode", mode)):
            if not isinstance(given, str):
                raise TypeError(
                    f"`{name}`: argument `{what}` must be a str. Received: {given!r} ({type(given).__name__})."
                )
        argument_checks.check_number(name, (int, float), "min_delta", min_delta)
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"`{name}`: argument `mode` must be 'auto', 'min' or 'max'. Received: {mode!r}.")
        if not isinstance(patience, int) or isinstance(patience, bool):
            raise TypeError(f"`{name}`: argument `patience` must be an int. Received: {patience!r}.")
        if patience < 0:
            raise ValueError(f"`{name}`: argument `patience` must not be negative. Received: {patience}.")
        if not isinstance(verbose, bool):
            raise TypeError(f"`{name}`: argument `verbose` must be a bool. Received: {verbose!r}.")
        self.monitor, self.mode, self.min_delta = monitor, mode, abs(min_delta)
        self.patience, self.verbose = patience, verbose
        more = mode == "max" or (mode == "auto" and "acc" in monitor)
        self._sign = 1.0 if more else -1.0
        self.wait = 0
        self.best = -self._sign * math.inf

    def better(self, value: float, than: float) -> bool:
        """Return True if a value improves on another."""
        return self._sign * (value - than) > self.min_delta

    def value(self, now: Any) -> float | None:
        """Return the monitored value at the end of an epoch."""
        if self.monitor == "loss":
            return loss_as_float(now.net_outputs)
        results = now.get("eval_results") or {}
        if self.monitor in results:
            return results[self.monitor]
        _log.warning(
            "`%s`: `%s` was not among the results of this epoch: %s. Use Model.fit with that metric.",
            type(self).__name__, self.monitor, sorted(results),
        )  # fmt: skip
        return None


class EarlyStopping(_Watching):
    """Ends training when a value has stopped getting better.

    Args:
        monitor: "loss" (of the epoch's last step), "eval_loss", or the name of a metric of `Model.fit`'s evaluation.
        min_delta: a smaller change is no improvement. Default: 0.
        patience: epochs without improvement that are put up with. Default: 0.
        verbose: print when it happens. Default: False.
        mode: whether less is better ("min"), more ("max"), or what the name says ("auto"). Default: "auto".
        baseline: it must at least get better than this. Default: None.
        restore_best_weights: give the network the Parameters of its best epoch in the end. Default: False.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `mode` is unknown or a number is negative.

    Examples:
        >>> from msjax.train import EarlyStopping
        >>> callback = EarlyStopping(monitor="acc", patience=3, mode="max")
    """

    def __init__(
        self,
        monitor: str = "eval_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: bool = False,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        super().__init__(monitor, mode, min_delta, patience, verbose)
        if not isinstance(restore_best_weights, bool):
            raise TypeError(
                f"`EarlyStopping`: argument `restore_best_weights` must be a bool. Received: {restore_best_weights!r}."
            )
        self.baseline = baseline
        self.restore_best_weights = restore_best_weights
        self.best_epoch = 0
        self.stopped_epoch = 0
        self._weights: dict[str, Parameter] | None = None

    def on_train_begin(self, run_context: RunContext) -> None:
        """Reset the state."""
        self.wait = self.best_epoch = self.stopped_epoch = 0
        self.best = -self._sign * math.inf
        self._weights = None

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Look at the value."""
        now = run_context.original_args()
        value = self.value(now)
        if value is None:
            return
        network = now.train_network
        if self.restore_best_weights and self._weights is None:
            self._weights = _copy_parameters(network)
        self.wait += 1
        if self.better(value, self.best):
            self.best, self.best_epoch = value, now.cur_epoch_num
            if self.restore_best_weights:
                self._weights = _copy_parameters(network)
            if self.baseline is None or self.better(value, self.baseline):
                self.wait = 0
        if self.wait >= self.patience:
            self._stop(run_context, now)

    def _stop(self, run_context: RunContext, now: Any) -> None:
        self.stopped_epoch = now.cur_epoch_num
        run_context.request_stop()
        if self.restore_best_weights and self._weights is not None:
            if self.verbose:
                print("Restoring model weights from the end of the best epoch.", flush=True)  # noqa: T201
            load_param_into_net(now.train_network, self._weights)

    def on_train_end(self, run_context: RunContext) -> None:
        """Print the epoch of the early stop."""
        if self.stopped_epoch > 0 and self.verbose:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping", flush=True)  # noqa: T201


def _copy_parameters(network: Any) -> dict[str, Parameter]:
    return {name: Parameter(p.asnumpy(), name=name) for name, p in network.parameters_dict().items()}


class ReduceLROnPlateau(_Watching):
    """Lowers the learning rate when a value has stopped getting better.

    Args:
        monitor: "loss" (of the epoch's last step), "eval_loss", or the name of a metric of `Model.fit`'s evaluation.
        factor: what the learning rate is multiplied with, in (0, 1). Default: 0.1.
        patience: epochs without improvement that are put up with. Default: 10.
        verbose: print what it is set to. Default: False.
        mode: whether less is better ("min"), more ("max"), or what the name says ("auto"). Default: "auto".
        min_delta: a smaller change is no improvement. Default: 1e-4.
        cooldown: epochs after a change in which nothing is counted. Default: 0.
        min_lr: the learning rate does not go below this. Default: 0.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `mode` is unknown, a number negative, or `factor` out of range.

    Examples:
        >>> from msjax.train import ReduceLROnPlateau
        >>> callback = ReduceLROnPlateau(monitor="loss", factor=0.5, patience=2)
    """

    def __init__(
        self,
        monitor: str = "eval_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: bool = False,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:
        super().__init__(monitor, mode, min_delta, patience, verbose)
        if not isinstance(factor, float):
            raise TypeError(f"`ReduceLROnPlateau`: argument `factor` must be a float. Received: {factor!r}.")
        if not 0 < factor < 1:
            raise ValueError(f"`ReduceLROnPlateau`: argument `factor` must be in (0, 1). Received: {factor}.")
        argument_checks.check_number("ReduceLROnPlateau", int, "cooldown", cooldown)
        argument_checks.check_number("ReduceLROnPlateau", (int, float), "min_lr", min_lr)
        if cooldown < 0:
            raise ValueError(
                f"`ReduceLROnPlateau`: argument `cooldown` must not be negative. Received: {cooldown}."
            )
        self.factor, self.cooldown, self.min_lr = factor, cooldown, min_lr
        self.cooldown_counter = 0

    def on_train_begin(self, run_context: RunContext) -> None:
        """Reset the state."""
        self.wait = self.cooldown_counter = 0
        self.best = -self._sign * math.inf

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Look at the value."""
        now = run_context.original_args()
        value = self.value(now)
        if value is None:
            return
        rate = _rate("ReduceLROnPlateau", now.optimizer)
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self.better(value, self.best):
            self.best, self.wait = value, 0
        elif self.cooldown_counter == 0:
            self.wait += 1
            if self.wait >= self.patience:
                self._lower(rate, now)

    def _lower(self, rate: Parameter, now: Any) -> None:
        if float(rate) <= self.min_lr:
            return
        new = max(np.float32(rate.asnumpy()) * np.float32(self.factor), np.float32(self.min_lr))
        rate.set_data(Tensor(new))
        if self.verbose:
            shown = np.float32(rate.asnumpy())
            print(  # noqa: T201
                f"Epoch {now.cur_epoch_num:05d}: ReduceLROnPlateau reducing learning rate to {shown!s}.",
                flush=True,
            )
        self.cooldown_counter, self.wait = self.cooldown, 0


class OnRequestExit(Callback):
    """Ends a run on a signal, after its step, and saves the network.

    Args:
        save_ckpt: save a checkpoint then. Default: True.
        save_mindir: a MindIR file cannot be written here; the argument is accepted and the checkpoint is all there is.
        file_name: of the checkpoint, without its suffix. Default: "Net".
        directory: where it goes. Default: "./".
        config_file: not supported; must be None.
        sig: the signal. Default: SIGTERM.

    Raises:
        ValueError: if `config_file` is given, or the signal is SIGKILL.

    Examples:
        >>> from msjax.train import OnRequestExit
        >>> callback = OnRequestExit(file_name="interrupted")
    """

    _reads_clock = False

    def __init__(
        self,
        save_ckpt: bool = True,
        save_mindir: bool = True,
        file_name: str = "Net",
        directory: str = "./",
        config_file: str | None = None,
        sig: int = signal.SIGTERM,
    ) -> None:
        if config_file is not None:
            raise ValueError(
                f"`OnRequestExit`: argument `config_file` is not supported; send a signal. Received: {config_file!r}."
            )
        for name, value, kind in (
            ("save_ckpt", save_ckpt, bool),
            ("save_mindir", save_mindir, bool),
            ("sig", sig, int),
        ):
            if not isinstance(value, kind):
                raise ValueError(
                    f"`OnRequestExit`: argument `{name}` must be of type {kind.__name__}. Received: {value!r}."
                )
        if not isinstance(directory, str):
            raise TypeError(f"`OnRequestExit`: argument `directory` must be a str. Received: {directory!r}.")
        if sig == signal.SIGKILL:
            raise ValueError("`OnRequestExit`: SIGKILL cannot be caught. Choose another signal as `sig`.")
        self.save_ckpt, self.save_mindir = save_ckpt, save_mindir
        self.path = f"{directory.rstrip('/') or '/'}/{file_name}"
        self.sig = sig
        self.exit = False
        self._before: Any = None

    def on_train_begin(self, run_context: RunContext) -> None:
        """Listen for the signal."""
        self.exit = False
        self._before = signal.signal(self.sig, self._note)

    on_eval_begin = on_train_begin

    def _note(self, signum: int, frame: Any) -> None:
        self.exit = True

    def on_train_step_end(self, run_context: RunContext) -> None:
        """End the run if the signal has come."""
        if self.exit:
            run_context.request_stop()

    on_eval_step_end = on_train_step_end

    def on_train_end(self, run_context: RunContext) -> None:
        """Save, and listen no more."""
        signal.signal(self.sig, self._before)
        now = run_context.original_args()
        if self.exit and self.save_ckpt:
            kind = "train" if now.mode == "train" else "eval"
            save_checkpoint(now.network, f"{self.path}_{kind}.ckpt")

    on_eval_end = on_train_end
