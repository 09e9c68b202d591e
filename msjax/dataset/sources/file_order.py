"""Order in which the rows of several files come: workers read the files, and give a row each by turns."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from msjax.dataset import config
from msjax.dataset.common import checks
from msjax.dataset.common.columns import Row
from msjax.dataset.pipeline.nodes import RandomAccess, shuffle_rows
from msjax.dataset.random.generators import Run
from msjax.dataset.random.mindspore_rng import Mt19937Long, ShuffleState
from msjax.dataset.random.samplers import BuiltinSampler, Shuffle
from msjax.dataset.sources.generator import GeneratorDataset

_BUFFER = 10000  # rows through which all are shuffled, at most
_FILES = 4  # of so many files


class FileOrder(BuiltinSampler):
    """Rows of files by turns: worker i reads the files i, i + workers, ... one after the other.

    Args:
        op: the dataset, for errors.
        counts: the rows of each file.
        workers: how many workers there are. None: as many as `dataset.config` says.
        shuffle: True or `Shuffle.GLOBAL`: all rows in random order; `Shuffle.FILES`: the files; False: neither.
        num_samples: how many rows an epoch has at most. None or 0: all.
        num_shards: give one of so many shares: runs of rows, all equally long, the last one with rows of the first.
        shard_id: which.
        whole_files: whether shares are of files instead.
    """

    def __init__(
        self,
        op: str,
        counts: Sequence[int],
        workers: int | None,
        shuffle: Any,
        num_samples: int | None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        whole_files: bool = False,
    ) -> None:
        if num_samples is not None:
            checks.check_int(op, "num_samples", num_samples, 0, checks.INT64_MAX)
        super().__init__(num_samples)
        self.shuffle, self.whole_files = check_shuffle(op, shuffle), whole_files
        self.shares, self.share = _share(op, num_shards, shard_id)
        self.counts = np.array(counts, np.int64)
        self.workers = workers or config.get_num_parallel_workers()

    @property
    def buffer(self) -> int | None:
        """Number of rows through which all are shuffled; None if they are not."""
        if self.shuffle is not Shuffle.GLOBAL:
            return None
        rows = -(-int(self.counts.sum()) // self.shares) // len(self.counts) * _FILES
        return min(rows or _BUFFER, _BUFFER)

    def is_shuffled(self) -> bool:
        """Return True if files or rows are shuffled."""
        return self.shuffle is not Shuffle.FALSE

    def is_sharded(self) -> bool:
        """Return True if there are several shares."""
        return self.shares > 1

    def indices(self, size: int, run: Run) -> Iterable[int]:
        """Return the numbers of the rows of one epoch, counted through all files; `Shuffle.GLOBAL` comes after that."""
        runs = list(self._runs(self._files(run)))
        lanes = [np.concatenate(part) for i in range(self.workers) if (part := runs[i :: self.workers])]
        turns = np.concatenate([np.arange(len(lane)) for lane in lanes]) if lanes else np.array([], int)
        numbers = np.concatenate(lanes) if lanes else turns
        return numbers[np.argsort(turns, kind="stable")][: self.num_samples or None].tolist()

    def _files(self, run: Run) -> Sequence[int]:
        """Return the files in the order of this epoch."""
        if self.shuffle is Shuffle.FALSE:
            return range(len(self.counts))
        if self.shares > 1:  # MindSpore's shares know no seed
            return run.kept(lambda seed: ShuffleState(1)).permuted(len(self.counts))
        return run.kept(ShuffleState).reshuffled(list(range(len(self.counts))))

    def _runs(self, files: Sequence[int]) -> Iterable[np.ndarray]:
        """Yield the rows of each file that belong to the share, as often as the files have to be gone through."""
        begins = np.cumsum(self.counts) - self.counts
        if self.whole_files:
            for file in files[self.share :: self.shares]:
                yield begins[file] + np.arange(self.counts[file])
            return
        length = -(-int(self.counts.sum()) // self.shares)
        first, last, before = self.share * length, (self.share + 1) * length, 0
        while before < last:
            for file in files:
                low, high = max(first - before, 0), min(last - before, int(self.counts[file]))
                if low < high:
                    yield begins[file] + np.arange(low, high)
                before += int(self.counts[file])

    def count(self, size: int) -> int:
        """Return the number of rows of an epoch; shares of files that are shuffled have others in some epochs."""
        if self.whole_files:
            there = int(self.counts[self.share :: self.shares].sum())
        else:
            there = -(-int(self.counts.sum()) // self.shares)
        return min(there, self.num_samples or there)


class FilesNode(RandomAccess):
    """Rows of files in a `FileOrder`."""

    mappable = False
    sampler: Any

    def rows_from(self, run: Run, start: int) -> Any:
        """Return the rows without the first ones."""
        if self.sampler.buffer is None:
            return super().rows_from(run, start)
        return self._shuffle_rows(run, start)

    def draws(self, run: Run) -> bool:
        """Return True if the rows are shuffled."""
        return self.sampler.buffer is not None

    def _shuffle_rows(self, run: Run, start: int) -> Iterable[Row]:
        rows = super().rows_from(run.child(), 0)
        for place, row in enumerate(shuffle_rows(rows, self.sampler.buffer or 1, run.kept(Mt19937Long))):
            if place >= start:
                yield row


class FilesDataset(GeneratorDataset):
    """Rows of files, in the order in which workers give them.

    Args:
        source: the rows, those of one file after the other.
        column_names: their columns.
        order: the order.
    """

    def __init__(self, source: Any, column_names: list[str], order: FileOrder) -> None:
        super().__init__(source, column_names, sampler=order)
        node = FilesNode(type(self).__name__, source, column_names, None, order)
        node.made, self.node = self.node.made, node

    def _sampled(self, op: str, sampler: BuiltinSampler) -> Any:
        raise AttributeError(
            f"`{type(self).__name__}` has no `{op}`: rows come file by file. Use `shuffle`, `num_samples` and `num_shards`."
        )


def check_shuffle(op: str, value: Any) -> Shuffle:
    """Return what is shuffled.

    Raises:
        TypeError, ValueError: for what is no bool or a mode for other data.
    """
    if not isinstance(value, bool | Shuffle):
        checks.fail(TypeError, op, "shuffle", "be a bool or a Shuffle", value)
    if isinstance(value, bool):
        return Shuffle.GLOBAL if value else Shuffle.FALSE
    if value not in (Shuffle.GLOBAL, Shuffle.FILES, Shuffle.FALSE):
        checks.fail(ValueError, op, "shuffle", "be Shuffle.GLOBAL, Shuffle.FILES or a bool", value)
    return value


def _share(op: str, count: int | None, number: int | None) -> tuple[int, int]:
    if count is None and number is None:
        return 1, 0
    if count is None or number is None:
        raise RuntimeError(f"`{op}`: arguments `num_shards` and `shard_id` must come together.")
    checks.check_int(op, "num_shards", count, 1)
    return count, checks.check_int(op, "shard_id", number, 0, count - 1)
