"""Callbacks of a `map`, called at the begin and end of epochs and steps of the pipeline."""

from collections.abc import Sequence

from msjax.dataset.common import checks
from msjax.dataset.random.generators import Run


class DSRunContext:
    """Position in a pipeline, counted from 1.

    Attributes:
        cur_epoch_num: the epoch.
        cur_step_num_in_epoch: the row within the epoch.
        cur_step_num: the row since the beginning.
    """

    def __init__(self) -> None:
        self.cur_epoch_num = self.cur_step_num_in_epoch = self.cur_step_num = 0


class DSCallback:
    """Base of callbacks for `map`. A subclass overrides the methods it needs.

    The rows are prefetched, so steps are reported a little before the training loop sees them.

    Args:
        step_size: report every `step_size`-th step, beginning with the first.

    Raises:
        ValueError: if it is less than 1.

    Examples:
        >>> import msjax.dataset as ds
        >>> class Tell(ds.DSCallback):
        ...     def ds_epoch_begin(self, ds_run_context):
        ...         print("epoch", ds_run_context.cur_epoch_num)
        >>> data = ds.NumpySlicesDataset([1, 2], ["x"]).map(lambda x: x, callbacks=Tell())
        >>> for row in data.create_dict_iterator(num_epochs=1):
        ...     pass
        epoch 1
    """

    def __init__(self, step_size: int = 1) -> None:
        self.step_size = checks.check_int("DSCallback", "step_size", step_size, 1)

    def ds_begin(self, ds_run_context: DSRunContext) -> None:
        """Called once, before the first row."""

    def ds_epoch_begin(self, ds_run_context: DSRunContext) -> None:
        """Called before the first row of an epoch."""

    def ds_epoch_end(self, ds_run_context: DSRunContext) -> None:
        """Called after the last row of an epoch."""

    def ds_step_begin(self, ds_run_context: DSRunContext) -> None:
        """Called before a row."""

    def ds_step_end(self, ds_run_context: DSRunContext) -> None:
        """Called after a row."""


class Reporter:
    """Counts for the callbacks of one `map` in one run, and calls them."""

    def __init__(self, callbacks: Sequence[DSCallback]) -> None:
        self.callbacks = callbacks
        self.context = DSRunContext()
        for callback in callbacks:
            callback.ds_begin(self.context)

    @staticmethod
    def of(run: Run, callbacks: Sequence[DSCallback]) -> "Reporter":
        """The reporter at a place of a run; begins an epoch if the iterator has begun one."""
        known = run.memory.get(run.path)
        reporter = known if isinstance(known, Reporter) else Reporter(callbacks)
        run.memory[run.path] = reporter
        context = reporter.context
        if context.cur_epoch_num <= run.epoch:
            context.cur_epoch_num, context.cur_step_num_in_epoch = run.epoch + 1, 0
            for callback in callbacks:
                callback.ds_epoch_begin(context)
        return reporter

    def step_begins(self) -> None:
        """Count a row."""
        self.context.cur_step_num_in_epoch += 1
        self.context.cur_step_num += 1
        for callback in self._due():
            callback.ds_step_begin(self.context)

    def step_ends(self) -> None:
        """The row has been taken."""
        for callback in self._due():
            callback.ds_step_end(self.context)

    def epoch_ends(self) -> None:
        """The iterator has reached the end."""
        for callback in self.callbacks:
            callback.ds_epoch_end(self.context)

    def _due(self) -> list[DSCallback]:
        step = self.context.cur_step_num_in_epoch - 1
        return [callback for callback in self.callbacks if step % callback.step_size == 0]


def end_epoch(run: Run) -> None:
    """Tell all reporters of a run that its epoch is over, and go on to the next."""
    for kept in list(run.memory.values()):
        if isinstance(kept, Reporter):
            kept.epoch_ends()
    run.next_epoch()
