"""`WaitedDSCallback`: a callback of a `map` that waits for the training."""

import threading
from typing import Any

from msjax.dataset import config
from msjax.dataset.pipeline.callbacks import DSCallback, DSRunContext
from msjax.train.callback.base import Callback


class WaitedDSCallback(Callback, DSCallback):
    """Base of callbacks of a `map` that run before a step or an epoch and after the training has done the one before.

    One object is given to `map(callbacks=)` and to `Model.train(callbacks=)`. A subclass overrides `sync_step_begin`,
    `sync_epoch_begin` or both; they are not called before the first step and the first epoch. The rows of a step are not
    computed before they return, so that nothing is computed ahead.

    Args:
        step_size (int): rows of a step: usually the size of the batches. Default: 1.

    Raises:
        ValueError: if it is less than 1.
        RuntimeError: in the training, if it waits for longer than `dataset.config.set_callback_timeout` says.

    Examples:
        >>> import msjax as ms
        >>> import msjax.dataset as ds
        >>> class Tell(ds.WaitedDSCallback):
        ...     def sync_step_begin(self, train_run_context, ds_run_context):
        ...         print("row", ds_run_context.cur_step_num)
        >>> class Told(ms.train.Callback):
        ...     def step_end(self, run_context):
        ...         print("trained", run_context.original_args().cur_step_num)
        >>> tell = Tell()
        >>> data = ds.NumpySlicesDataset(([1.0, 2.0], [0.0, 0.0]), ["x", "y"], shuffle=False)
        >>> data = data.map(lambda x: x, callbacks=tell)
        >>> class Net(ms.nn.Cell):
        ...     def construct(self, x, y):
        ...         return x
        >>> ms.train.Model(Net()).train(1, data, callbacks=[Told(), tell])
        trained 1
        row 2
        trained 2
    """

    def __init__(self, step_size: int = 1) -> None:
        DSCallback.__init__(self, step_size)
        self.step_event, self.epoch_event = threading.Event(), threading.Event()
        self.step_run_context: Any = None
        self.epoch_run_context: Any = None
        self.training_ended = False

    def sync_epoch_begin(self, train_run_context: Any, ds_run_context: DSRunContext) -> None:
        """Called before an epoch, but the first, when the training has ended the one before."""

    def sync_step_begin(self, train_run_context: Any, ds_run_context: DSRunContext) -> None:
        """Called before a step, but the first, when the training has ended the one before."""

    def epoch_end(self, run_context: Any) -> None:
        """Let the pipeline begin the next epoch; not to be overridden."""
        self.epoch_run_context = run_context
        self.epoch_event.set()

    def step_end(self, run_context: Any) -> None:
        """Let the pipeline begin the next step; not to be overridden."""
        self.step_run_context = run_context
        self.step_event.set()

    def end(self, run_context: Any) -> None:
        """Let the pipeline go on; not to be overridden."""
        self.epoch_end(run_context)
        self.step_end(run_context)
        self.training_ended = True

    def ds_epoch_begin(self, ds_run_context: DSRunContext) -> None:
        """Wait for the end of an epoch of the training; not to be overridden."""
        wanted = type(self).sync_epoch_begin is not WaitedDSCallback.sync_epoch_begin
        if wanted and ds_run_context.cur_epoch_num > 1:
            self._wait(self.epoch_event, "epoch")
            self.sync_epoch_begin(self.epoch_run_context, ds_run_context)

    def ds_step_begin(self, ds_run_context: DSRunContext) -> None:
        """Wait for the end of a step of the training; not to be overridden."""
        wanted = type(self).sync_step_begin is not WaitedDSCallback.sync_step_begin
        if wanted and ds_run_context.cur_step_num > self.step_size:
            self._wait(self.step_event, "step")
            self.sync_step_begin(self.step_run_context, ds_run_context)

    def _wait(self, event: threading.Event, what: str) -> None:
        if self.training_ended:
            return
        limit = config.get_callback_timeout()
        if not event.wait(limit):
            raise RuntimeError(
                f"`{type(self).__name__}`: the training has not ended its {what} within {limit} s. Give the callback to "
                "`Model.train` too, and `step_size` the number of rows of a step; `set_callback_timeout` sets the limit."
            )
        event.clear()
