"""Iterators over a pipeline, which return Tensors or NumPy arrays."""

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax

from msjax.dataset import config
from msjax.dataset.common import checks
from msjax.dataset.common.columns import Row, to_device, to_output, to_tensors, trim_traceback
from msjax.dataset.pipeline import profiling, resuming
from msjax.dataset.pipeline.callbacks import end_epoch
from msjax.dataset.pipeline.nodes import Node
from msjax.dataset.pipeline.prefetch import Pause, Prefetched
from msjax.dataset.pipeline.processes import end_processes
from msjax.dataset.pipeline.sync_wait import find_waits
from msjax.dataset.pipeline.tuning import Tuner
from msjax.dataset.random.generators import Run


class RowIterator:
    """Goes through a pipeline, epoch after epoch: a `for` loop over the iterator is one epoch.

    The next rows or batches are computed, and sent to the device in one transfer each, while the caller works on this
    one (unless `config.set_debug_mode` is on). An epoch is begun when its first row is asked for; where rows come from
    files and no function of the user's, before that, so that there is no pause.

    Args:
        dataset: the pipeline.
        node: its end, or a choice of its columns.
        num_epochs: how many epochs there are; -1: any number.
        output_numpy: give NumPy arrays instead of Tensors.

    Raises:
        TypeError, ValueError: for wrong arguments.
        RuntimeError: when more epochs are asked for than there are, and for whatever fails in the pipeline.
    """

    def __init__(self, op: str, dataset: Any, node: Node, num_epochs: int, output_numpy: bool) -> None:
        checks.check_int(op, "num_epochs", num_epochs, -1)
        if num_epochs == 0:
            raise RuntimeError(
                checks.argument_error_text(op, "num_epochs", "be -1 or at least 1", num_epochs)
            )
        self._node, self._epochs, self._numpy = (
            node,
            num_epochs,
            checks.check_bool(op, "output_numpy", output_numpy),
        )
        self._run = Run(inline=config.get_debug_mode() or bool(find_waits(node)))
        self._feed: Iterator[Any] | None = None
        self._stopped = False
        self._row = 0  # how many rows of this epoch were given
        self._start = b""  # what it began with
        tuned = config.get_enable_autotune() and not self._run.inline
        self._profile = profiling.current() or (profiling.Profile() if tuned else None)
        self._counting = self._profile and self._profile.of(node)
        self._given = 0.0  # when the last row was, if there is a profile
        ahead = dataset.ahead or config.items_ahead()
        self._tuner = Tuner(dataset, self._profile, ahead) if tuned and self._profile else None
        self._ahead = ahead

    def __iter__(self) -> "RowIterator":
        return self

    def __next__(self) -> Any:
        begin = time.perf_counter()
        if self._feed is None:
            self._feed = self._begin()
        try:
            row = next(self._feed)
        except Exception as error:  # an interrupt leaves the iterator where it is
            self._feed, self._row = None, 0
            if not isinstance(error, StopIteration):
                raise trim_traceback(error) from error.__cause__
            self._end_epoch()
            if self._run.epoch == self._epochs:
                self._run.settle(wanted=False)
                end_processes(self._run)
            raise
        if isinstance(row, _EpochEnd):
            self._row, self._start = 0, row.frozen
            self._end_epoch()
            raise StopIteration
        self._row += 1
        if self._profile is not None:
            self._measure(self._profile, begin)
        return self._shape(row if self._numpy else to_tensors(row))

    def _measure(self, profile: profiling.Profile, begin: float) -> None:
        now, before = time.perf_counter(), self._given
        profile.waited += now - begin
        profile.computed += begin - before if before else 0.0
        self._given = now
        if self._tuner is not None:
            self._enlarge(self._tuner.step())

    def _end_epoch(self) -> None:
        end_epoch(self._run)
        if self._tuner is not None:
            self._enlarge(self._tuner.end_epoch())

    def _enlarge(self, more: int) -> None:
        self._ahead += more
        if more and isinstance(self._feed, Prefetched):
            self._feed.enlarge(more)

    def _begin(self) -> Iterator[Any]:
        if self._stopped:
            raise RuntimeError("This iterator over a dataset was stopped. Make another one.")
        if 0 <= self._epochs <= self._run.epoch:
            raise RuntimeError(
                f"This iterator over a dataset has given the {self._epochs} epochs it was made for (`num_epochs`). "
                "Make another one, or use num_epochs=-1."
            )
        # JAX's default device may be a setting of this thread, and rows are made in another one.
        device = jax.config.jax_default_device  # type: ignore[attr-defined]
        epoch, node = self._run.epoch, self._counting or self._node
        self._run.cancel(wanted=True)
        self._start = resuming.freeze(self._run, epoch)
        make = partial(_rows, node, self._run, self._row, not self._numpy, device)
        if config.get_debug_mode():
            return make()
        if self._node.foreseen and not self._run.inline:
            again = partial(_rows, node, self._run, 0, not self._numpy, device)
            last = self._epochs - 1 if self._epochs > 0 else sys.maxsize
            make = partial(_flow, self._run, epoch, last, make, again)
        return Prefetched(make, self._run.cancel, self._ahead)

    def _shape(self, row: Row) -> Any:
        raise NotImplementedError

    def get_col_names(self) -> list[str]:
        """Return the names of the columns."""
        return list(self._node.columns)

    def get_state(self) -> str:
        """Return where the iterator is, for `set_state` of one over the same steps, also in another process.

        `save_checkpoint` can hold it (`append_dict`). It has a few kilobytes, and more where orders of many rows were
        shuffled.

        Returns:
            str.

        Examples:
            >>> import msjax.dataset as ds
            >>> data = ds.NumpySlicesDataset({"x": list(range(6))})
            >>> iterator = data.create_dict_iterator(num_epochs=1)
            >>> _ = next(iterator), next(iterator)
            >>> state = iterator.get_state()
            >>> again = data.create_dict_iterator(num_epochs=1)
            >>> again.set_state(state)
            >>> [int(row["x"]) for row in again] == [int(row["x"]) for row in iterator]
            True
        """
        frozen = self._start
        if self._feed is None:
            self._run.cancel(wanted=True)  # what the epoch left is read to its end
            frozen = resuming.freeze(self._run, self._run.epoch)
        return resuming.to_text(self._node, self._run, frozen, self._row)

    def set_state(self, state: str) -> None:
        """Go on where another iterator was, in the middle of an epoch too.

        The rows that follow are the other iterator's: their order in any case, random transforms if a seed was set. Then
        Python's and NumPy's random numbers are put back too, and the rows of the epoch that were given before are
        computed again, since what follows draws after them. What functions in processes of their own draw
        (`python_multiprocessing`) begins anew with the seed.

        Args:
            state: what `get_state` returned.

        Raises:
            TypeError: if it is not a str.
            ValueError: if it is another str, or the state of an iterator over other steps.
        """
        run, row = resuming.from_text("set_state", self._node, state, self._run.inline)
        self._drop()
        self._run, self._row, self._stopped = run, row, False

    def _drop(self) -> None:
        feed, self._feed = self._feed, None
        if isinstance(feed, Prefetched):
            feed.close()
        self._run.settle(wanted=False)
        end_processes(self._run)

    def stop(self) -> None:
        """Stop iterating: rows computed ahead are dropped, and no more can be asked for."""
        self._stopped = True
        self._drop()

    release = stop


def _rows(node: Node, run: Run, start: int, convert: bool, device: Any) -> Iterator[Any]:
    for row in node.rows_from(run, start) if start else node.rows(run):
        if convert:
            with jax.default_device(device):
                yield to_device(row)
        else:
            yield to_output(row)


class _EpochEnd(Pause):
    """The end of an epoch after which there is another one.

    Args:
        frozen: what that begins with.
    """

    def __init__(self, frozen: bytes) -> None:
        self.frozen = frozen


def _flow(
    run: Run, epoch: int, last: int, make: Callable[[], Iterator[Any]], again: Callable[[], Iterator[Any]]
) -> Iterator[Any]:
    """Yield the rows of all epochs up to the last one, or to one without rows."""
    yield from make()
    for following in range(epoch + 1, last + 1):
        yield _EpochEnd(resuming.freeze(run, following))
        empty = True
        for row in again():
            empty = False
            yield row
        if empty:
            return


class DictIterator(RowIterator):
    """Gives each row as a dict from column name to Tensor or array."""

    def _shape(self, row: Row) -> dict[str, Any]:
        return dict(zip(self._node.columns, row, strict=True))


class TupleIterator(RowIterator):
    """Gives each row as a list of Tensors or arrays, MindSpore's "tuple"."""

    def _shape(self, row: Row) -> list[Any]:
        return row
