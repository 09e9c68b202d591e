"""Dataset: the user's class. Every method here returns another dataset with one more node."""

import copy
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from msjax.dataset import config
from msjax.dataset.common import checks
from msjax.dataset.common.cache import check_cache
from msjax.dataset.pipeline import splitting
from msjax.dataset.pipeline import sync_wait as sync_wait_steps
from msjax.dataset.pipeline.batching import Batch, BatchInfo, Bucket, Padding
from msjax.dataset.pipeline.callbacks import DSCallback
from msjax.dataset.pipeline.concatenation import Concat
from msjax.dataset.pipeline.dataset_info import DatasetInfo
from msjax.dataset.pipeline.map_node import Map
from msjax.dataset.pipeline.nodes import (
    Filter,
    Node,
    Part,
    Project,
    RandomAccess,
    Rename,
    Repeat,
    Shuffle,
    Skip,
    Take,
    Zip,
    as_mappable,
)
from msjax.dataset.random import generators
from msjax.dataset.random.samplers import DistributedSampler, RandomSampler, Share

# Arguments that steer how a pipeline runs; all but one only MindSpore's.
_NO_EFFECT = ("num_parallel_workers", "python_multiprocessing", "max_rowsize", "cache", "offload")


class Dataset(DatasetInfo):
    """A pipeline of steps over rows of named columns, each row computed when it is needed.

    Datasets are made by `GeneratorDataset`, `NumpySlicesDataset` and the methods here, and gone through by
    iterators: `for row in dataset`, `create_dict_iterator`, `create_tuple_iterator`. A step does not change
    the dataset that it is made of; unlike in MindSpore, several may be made of one.

    Rows are computed ahead of the one who iterates. Image transforms of arrays run in `num_parallel_workers` threads,
    and with `python_multiprocessing=True` functions in Python run in as many processes, which are programs of their own:
    what a function changes outside of itself stays there. Other steps run in one thread. Order and values do not depend
    on it, except that each worker of a `map` draws its own random numbers, as in MindSpore. `offload` is
    accepted and has no effect.

    A failure within the pipeline is a RuntimeError, as in MindSpore, whose `__cause__` is the user's
    exception.

    What a step or a source was made with is an attribute, under MindSpore's names: `batch_size`, `operations`,
    `column_names`, `num_parallel_workers` ...; `dataset_size` is None until `get_dataset_size` was asked.

    Args:
        node: the last step.
        children: the datasets whose rows it takes.
        **attributes: what it was made with.
    """

    # ------------------------------------------------------------------ columns of a row

    def map(
        self,
        operations: Any,
        input_columns: str | list[str] | None = None,
        output_columns: str | list[str] | None = None,
        column_order: list[str] | None = None,
        num_parallel_workers: int | None = None,
        *,
        callbacks: DSCallback | Sequence[DSCallback] | None = None,
        **no_effect: Any,
    ) -> "Dataset":
        """Apply functions or transforms to columns of every row.

        Args:
            operations: a callable or a list of callables. The first is called with the input columns as NumPy
                arrays, each further one with what the one before gave. A tuple is several columns, anything
                else is one.
            input_columns: names. Default: the first column.
            output_columns: names of what the last operation gives. Default: those of the input. As many
                outputs as inputs take the inputs' places; otherwise the outputs come first, then the other
                columns.
            column_order: the names of the columns to keep, in order (MindSpore 1.x; today `project` does
                this).
            num_parallel_workers: number of workers, each with its own random numbers. Default: the configured one.
            callbacks: told when epochs and steps begin and end.
            **no_effect: python_multiprocessing, which runs functions in a process for each worker; max_rowsize, how
                many MB of shared memory a row may take on its way there, or [there, and back]; larger ones go through
                a pipe (-1: none); cache, which needs MindSpore's cache server; and offload, without effect.

        Returns:
            Dataset.

        Raises:
            TypeError, ValueError: for arguments of a wrong kind.
            RuntimeError: for unknown columns or no operations; when the data is read, if an operation raises
                or gives the wrong number of columns.

        Examples:
            >>> import msjax.dataset as ds
            >>> data = ds.NumpySlicesDataset({"x": [1, 2], "y": [3, 4]}, shuffle=False)
            >>> data = data.map(lambda x, y: (x + y, x - y), ["x", "y"], ["sum", "difference"])
            >>> [list(map(int, row)) for row in data.create_tuple_iterator(num_epochs=1)]
            [[4, -2], [6, -2]]
        """
        checks.check_no_unknown_keywords("map", no_effect, _NO_EFFECT)
        for name in ("python_multiprocessing", "offload"):
            if no_effect.get(name) is not None:
                checks.check_bool("map", name, no_effect[name])
        checks.check_num_workers("map", num_parallel_workers)
        check_cache("map", no_effect.get("cache"))
        listed = operations if isinstance(operations, list | tuple) else [operations]
        if operations is None or not listed:
            raise RuntimeError(
                checks.argument_error_text("map", "operations", "hold at least one callable", operations)
            )
        for one in listed:
            if not callable(one):
                raise ValueError(checks.argument_error_text("map", "operations", "hold callables only", one))
        told: Any = callbacks if isinstance(callbacks, list | tuple) else [callbacks] if callbacks else []
        for one in told:
            if not isinstance(one, DSCallback):
                raise TypeError(
                    checks.argument_error_text("map", "callbacks", "be a DSCallback or a list of them", one)
                )
        inputs, outputs = (
            names if names is None else checks.check_column_names("map", name, names)
            for name, names in (("input_columns", input_columns), ("output_columns", output_columns))
        )
        processes = bool(no_effect.get("python_multiprocessing"))
        sizes = checks.check_row_sizes("map", no_effect.get("max_rowsize"))
        node = Map(self.node, listed, inputs, outputs, told, num_parallel_workers, processes, sizes)
        mapped = self._then(
            node,
            operations=list(listed),
            input_columns=inputs or [],
            output_columns=outputs or inputs or [],
            callbacks=list(told),
            num_parallel_workers=num_parallel_workers,
            python_multiprocessing=processes,
            max_rowsize=sizes,
            offload=no_effect.get("offload"),
        )
        return mapped if column_order is None else mapped.project(column_order)

    def filter(
        self,
        predicate: Callable[..., Any],
        input_columns: str | list[str] | None = None,
        num_parallel_workers: int | None = None,
    ) -> "Dataset":
        """Keep the rows for which a predicate holds.

        Args:
            predicate: called with the input columns as NumPy arrays; its result counts as a bool.
            input_columns: names. Default: all columns.
            num_parallel_workers: without effect.

        Returns:
            Dataset.

        Raises:
            TypeError: if `predicate` cannot be called.
            RuntimeError: for unknown columns; when the data is read, if the predicate raises.

        Examples:
            >>> import msjax.dataset as ds
            >>> data = ds.NumpySlicesDataset([1, 2, 3, 4], ["x"], shuffle=False).filter(lambda x: x % 2 == 0)
            >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
            [2, 4]
        """
        checks.check_callable("filter", "predicate", predicate)
        checks.check_num_workers("filter", num_parallel_workers)
        names = (
            None
            if input_columns is None
            else checks.check_column_names("filter", "input_columns", input_columns)
        )
        node = Filter(self.node, predicate, names)
        return self._then(
            node, predicate=predicate, input_columns=names or [], num_parallel_workers=num_parallel_workers
        )

    def project(self, columns: str | list[str]) -> "Dataset":
        """Keep some columns, in the order given.

        Args:
            columns: names.

        Returns:
            Dataset.

        Raises:
            TypeError, ValueError: for names of a wrong kind.
            RuntimeError: for unknown columns.
        """
        names = checks.check_column_names("project", "columns", columns)
        return self._then(Project(self.node, names), columns=names)

    def rename(self, input_columns: str | list[str], output_columns: str | list[str]) -> "Dataset":
        """Rename columns.

        Args:
            input_columns: names.
            output_columns: as many names.

        Returns:
            Dataset.

        Raises:
            TypeError, ValueError: for names of a wrong kind or number.
            RuntimeError: for unknown columns, and if two columns would have one name.
        """
        old = checks.check_column_names("rename", "input_columns", input_columns)
        new = checks.check_column_names("rename", "output_columns", output_columns)
        if len(old) != len(new):
            rule = f"hold as many names as `input_columns`, {len(old)}"
            raise ValueError(checks.argument_error_text("rename", "output_columns", rule, output_columns))
        node = Rename(self.node, dict(zip(old, new, strict=True)))
        return self._then(node, input_column_names=old, output_column_names=new)

    # ------------------------------------------------------------------ batches

    def batch(
        self,
        batch_size: int | Callable[[BatchInfo], int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        *,
        per_batch_map: Callable[..., Any] | None = None,
        input_columns: str | list[str] | None = None,
        output_columns: str | list[str] | None = None,
        **no_effect: Any,
    ) -> "Dataset":
        """Stack rows: columns of shape S become columns of shape (batch size, *S).

        Args:
            batch_size: how many rows; or a function that is told the number of the batch and of the epoch
                (`BatchInfo`).
            drop_remainder: leave out a last batch with fewer rows.
            num_parallel_workers: how many processes run `per_batch_map` with `python_multiprocessing`.
            per_batch_map: a function called with the lists of the input columns' values, and a `BatchInfo`;
                it gives as many lists or arrays, one for each output column, whose values are stacked.
            input_columns: names, for `per_batch_map`. Default: all columns.
            output_columns: names, for `per_batch_map`. Default: those of the input.
            **no_effect: python_multiprocessing, which runs `per_batch_map` in processes; max_rowsize, as for `map`.

        Returns:
            Dataset.

        Raises:
            TypeError, ValueError: for arguments of a wrong kind.
            RuntimeError: when the data is read, if rows differ in shape or dtype or a function fails.

        Examples:
            >>> import msjax.dataset as ds
            >>> data = ds.NumpySlicesDataset([1, 2, 3, 4, 5], ["x"], shuffle=False).batch(2)
            >>> [row["x"].tolist() for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]
            [[1, 2], [3, 4], [5]]
        """
        checks.check_no_unknown_keywords("batch", no_effect, ("python_multiprocessing", "max_rowsize"))
        checks.check_bool("batch", "python_multiprocessing", no_effect.get("python_multiprocessing", False))
        _check_batch("batch", batch_size, drop_remainder, num_parallel_workers)
        names = {"input_columns": input_columns, "output_columns": output_columns}
        if per_batch_map is None and input_columns is not None:
            raise ValueError(
                f"`batch`: argument `input_columns` needs `per_batch_map`. Received: {input_columns!r} alone."
            )
        if per_batch_map is None and output_columns is not None:
            warnings.warn(
                "`batch`: argument `output_columns` has no effect without `per_batch_map`, as in MindSpore. Use `rename`.",
                stacklevel=2,
            )
        inputs, outputs = (
            n if n is None else checks.check_column_names("batch", k, n) for k, n in names.items()
        )
        if per_batch_map is not None:
            if inputs is None and not callable(per_batch_map):  # MindSpore's type of error here
                raise ValueError(
                    checks.argument_error_text("batch", "per_batch_map", "be a function", per_batch_map)
                )
            checks.check_callable("batch", "per_batch_map", per_batch_map)
        node = sync_wait_steps.count_batches(self.node, batch_size)
        elsewhere = no_effect.get("python_multiprocessing") and per_batch_map is not None
        processes = (num_parallel_workers or config.get_num_parallel_workers()) if elsewhere else 0
        rows = batch_size if isinstance(batch_size, int) else 1
        sizes = [
            max(size * rows, -1) for size in checks.check_row_sizes("batch", no_effect.get("max_rowsize"))
        ]
        return self._then(
            Batch(
                node,
                "batch",
                batch_size,
                drop_remainder,
                per_batch_map,
                inputs,
                outputs,
                workers=processes,
                row_sizes=sizes,
            ),
            **_batch_attributes(batch_size, drop_remainder, num_parallel_workers),
            per_batch_map=per_batch_map,
            input_columns=inputs or [],
            output_columns=outputs or [],
            python_multiprocessing=no_effect.get("python_multiprocessing", False),
            max_rowsize=sizes,
        )

    def padded_batch(
        self,
        batch_size: int | Callable[[BatchInfo], int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        pad_info: dict[str, Any] | None = None,
    ) -> "Dataset":
        """Pad rows to one shape and stack them.

        Args:
            batch_size: as for `batch`.
            drop_remainder: as for `batch`.
            num_parallel_workers: without effect.
            pad_info: column name -> (shape, value). A None in the shape stands for the longest row of the
                batch, as does None instead of the pair, which pads with 0. Longer rows are cut. {}: all
                columns. None: nothing is padded.

        Returns:
            Dataset.

        Raises:
            TypeError, ValueError: for arguments of a wrong kind.
            RuntimeError: for unknown columns; when the data is read, if shapes differ or have another rank.

        Examples:
            >>> import msjax.dataset as ds
            >>> data = ds.GeneratorDataset([([1],), ([1, 2],)], ["x"], shuffle=False)
            >>> data = data.padded_batch(2, pad_info={"x": ([None], -1)})
            >>> [row["x"].tolist() for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]
            [[[1, -1], [1, 2]]]
        """
        _check_batch("padded_batch", batch_size, drop_remainder, num_parallel_workers)
        padding = None if pad_info is None else Padding("padded_batch", self.node.columns, pad_info)
        node = sync_wait_steps.count_batches(self.node, batch_size)
        return self._then(
            Batch(node, "padded_batch", batch_size, drop_remainder, padding=padding),
            **_batch_attributes(batch_size, drop_remainder, num_parallel_workers),
            pad=True,
            pad_info=pad_info,
        )

    def bucket_batch_by_length(
        self,
        column_names: list[str],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        element_length_function: Callable[..., int] | None = None,
        pad_info: dict[str, Any] | None = None,
        pad_to_bucket_boundary: bool = False,
        drop_remainder: bool = False,
    ) -> "Dataset":
        """Batch rows of similar length together, padded to one shape.

        Args:
            column_names: the columns that the length is taken of.
            bucket_boundaries: increasing ints >= 1. A row goes into the first bucket whose boundary its
                length is below.
            bucket_batch_sizes: rows per batch of each bucket; one more than there are boundaries.
            element_length_function: from those columns to the length. Default: the size of the one column's
                first axis (in MindSpore that of the row's first column, whichever is named).
            pad_info: as for `padded_batch`.
            pad_to_bucket_boundary: fill a None in the shapes of `pad_info` up to the bucket's boundary less
                one, not to the longest row. Then no row may be as long as the last boundary. Columns without a
                shape are filled up to the longest row.
            drop_remainder: leave out what is left in the buckets at the end.

        Returns:
            Dataset.

        Raises:
            TypeError, ValueError: for arguments of a wrong kind.
            RuntimeError: when the data is read, if rows of a batch differ in shape or are beyond the last
                boundary.
        """
        op = "bucket_batch_by_length"
        if not isinstance(column_names, list):
            raise TypeError(checks.argument_error_text(op, "column_names", "be a list of str", column_names))
        names = checks.check_column_names(op, "column_names", column_names)
        for name, values in (
            ("bucket_boundaries", bucket_boundaries),
            ("bucket_batch_sizes", bucket_batch_sizes),
        ):
            if not isinstance(values, list | tuple):
                raise TypeError(checks.argument_error_text(op, name, "be a list of ints", values))
            for value in values:
                checks.check_int(op, name, value, 1)
        if not bucket_boundaries or sorted(set(bucket_boundaries)) != list(bucket_boundaries):
            raise ValueError(
                checks.argument_error_text(op, "bucket_boundaries", "be increasing ints", bucket_boundaries)
            )
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            rule = f"have {len(bucket_boundaries) + 1} elements, one more than `bucket_boundaries`"
            raise ValueError(checks.argument_error_text(op, "bucket_batch_sizes", rule, bucket_batch_sizes))
        if element_length_function is None and len(names) > 1:
            raise ValueError(
                f"`{op}`: argument `element_length_function` is needed for several columns: {names}."
            )
        checks.check_bool(op, "drop_remainder", drop_remainder)
        checks.check_bool(op, "pad_to_bucket_boundary", pad_to_bucket_boundary)
        length = len if element_length_function is None else element_length_function
        checks.check_callable(op, "element_length_function", length)
        limits = [*bucket_boundaries, None] if pad_to_bucket_boundary else [0] * len(bucket_batch_sizes)
        paddings = [_bucket_padding(self.node.columns, pad_info, limit) for limit in limits]
        return self._then(
            Bucket(self.node, length, names, bucket_boundaries, bucket_batch_sizes, paddings, drop_remainder),
            column_names=names,
            bucket_boundaries=bucket_boundaries,
            bucket_batch_sizes=bucket_batch_sizes,
            element_length_function=element_length_function,
            pad_info=pad_info or {},
            pad_to_bucket_boundary=pad_to_bucket_boundary,
            drop_remainder=drop_remainder,
        )

    # ------------------------------------------------------------------ which rows

    def shuffle(self, buffer_size: int) -> "Dataset":
        """Shuffle rows, in another order in each epoch.

        Args:
            buffer_size: each row is drawn from the next `buffer_size` ones, at least 2; the size of the
                dataset mixes completely.

        Returns:
            Dataset.

        Raises:
            TypeError, ValueError: for another `buffer_size`.
        """
        checks.check_int("shuffle", "buffer_size", buffer_size, 2)
        return self._then(Shuffle(self.node, buffer_size), buffer_size=buffer_size, reshuffle_each_epoch=True)

    def repeat(self, count: int | None = None) -> "Dataset":
        """Go through the data several times in one epoch, shuffled differently each time.

        Args:
            count: how often; None or -1: endlessly.

        Returns:
            Dataset.

        Raises:
            TypeError, ValueError: for another `count`.
        """
        times = -1 if count is None else checks.check_int("repeat", "count", count, -1)
        if times == 0:
            raise ValueError(checks.argument_error_text("repeat", "count", "be -1 or at least 1", count))
        return self._then(Repeat(self.node, times), count=times)

    def take(self, count: int = -1) -> "Dataset":
        """Keep the first rows.

        Args:
            count: how many at most; -1: all.

        Returns:
            Dataset.

        Raises:
            TypeError, ValueError: for another `count`.
        """
        if checks.check_int("take", "count", count, -1) == 0:
            raise ValueError(checks.argument_error_text("take", "count", "be -1 or at least 1", count))
        return self._then(Take(self.node, count), count=count)

    def skip(self, count: int) -> "Dataset":
        """Leave out the first rows.

        Args:
            count: how many.

        Returns:
            Dataset.

        Raises:
            TypeError, ValueError: if it is not an int >= 0.
        """
        checks.check_int("skip", "count", count, 0)
        return self._then(Skip(self.node, count), count=count)

    def split(self, sizes: list[int] | list[float], randomize: bool = True) -> tuple["Dataset", ...]:
        """Cut the data into disjoint shares.

        After a seed the shares are MindSpore's: disjoint in each epoch, and the same ones in all epochs unless the
        source is shuffled. Without a seed the cut is made once and a row stays in its share in every epoch
        (MindSpore's shares then overlap); if the source is shuffled, each share gives its rows in another order in
        every epoch. A share of rows with random access has `use_sampler` and `add_sampler` as its source has.

        Args:
            sizes: ints that sum to the size of the dataset, or floats that sum to 1.
            randomize: cut a random permutation of the rows.

        Returns:
            A tuple of datasets, one for each size.

        Raises:
            TypeError, ValueError: for sizes of a wrong kind.
            RuntimeError: if ints do not sum to the size of the dataset, a share would be empty, or the dataset is a shard.

        Examples:
            >>> import msjax.dataset as ds
            >>> train, test = ds.NumpySlicesDataset(list(range(10)), ["x"]).split([0.8, 0.2])
            >>> train.get_dataset_size(), test.get_dataset_size()
            (8, 2)
        """
        checks.check_bool("split", "randomize", randomize)
        if self.is_sharded():
            raise RuntimeError(
                "`split`: other processes have a part of the rows. Split first: each share takes a sampler."
            )
        counts = splitting.split_sizes(sizes, self.get_dataset_size)
        seed = generators.seed_or_random()
        ends = np.cumsum(counts).tolist()
        starts = [end - count for count, end in zip(counts, ends, strict=True)]
        if as_mappable(self.node) is not None:
            shares = [
                Share(start, count, seed, randomize) for start, count in zip(starts, counts, strict=True)
            ]
            return tuple(self._only(share) for share in shares)
        return tuple(
            self._then(Part(self.node, start, end, ends[-1], seed, randomize), count=end - start)
            for start, end in zip(starts, ends, strict=True)
        )

    def _only(self, share: Share) -> "Dataset":
        given, node = copy.copy(self), copy.copy(self.node)
        assert isinstance(node, RandomAccess)
        share.add_child(node.sampler)
        node.sampler, given.node = share, node
        given.parent, given.dataset_size = [], None
        return given

    def _then(self, node: Node, **attributes: Any) -> "Dataset":
        """Return the dataset with one step more, which has what the step was made with as attributes."""
        return Dataset(node, [self], **attributes)

    # ------------------------------------------------------------------ several datasets

    def zip(self, datasets: "Dataset | tuple[Dataset, ...]") -> "Dataset":
        """Put the rows of other datasets beside these, as many as the shortest has.

        Args:
            datasets: a dataset or a tuple of datasets, with other column names.

        Returns:
            Dataset.

        Raises:
            TypeError: if there is something else among them.
            RuntimeError: if two columns have one name.
        """
        others = datasets if isinstance(datasets, tuple) else (datasets,)
        return zip_datasets((self, *others))

    def concat(self, datasets: "Dataset | list[Dataset]") -> "Dataset":
        """Append the rows of other datasets; `dataset + other` does the same.

        Args:
            datasets: a dataset or a list of datasets, with the same columns in the same order.

        Returns:
            Dataset.

        Raises:
            TypeError: if there is something else among them.
            ValueError: if one of them has no rows.
            RuntimeError: if there are no others, or the columns differ; when the data is read, if their dtypes or ranks do.
        """
        others = datasets if isinstance(datasets, list) else [datasets]
        if not others:
            checks.fail(RuntimeError, "concat", "datasets", "hold at least one dataset", datasets)
        for other in others:
            if not isinstance(other, Dataset):
                raise TypeError(
                    checks.argument_error_text("concat", "datasets", "be a Dataset or a list of them", other)
                )
        return join_datasets([self, *others])

    def __add__(self, datasets: "Dataset | list[Dataset]") -> "Dataset":
        return self.concat(datasets)

    def flat_map(self, func: Callable[..., "Dataset"]) -> "Dataset":
        """Replace each row by the rows of a dataset made of it.

        As in MindSpore, `func` is called at once, for the rows that an iterator would give first, and all epochs have the
        datasets that it made. Each of them has an order of its own, which goes on from epoch to epoch.

        Args:
            func: called with the columns as NumPy arrays, gives a dataset.

        Returns:
            The concatenation of the datasets, or the only one.

        Raises:
            TypeError: if `func` cannot be called, or gives something else, or there are no rows.
            ValueError: if one of the datasets has no rows.
        """
        checks.check_callable("flat_map", "func", func)
        made = []
        for row in self.node.rows(generators.Run(silent=True)):
            one = func(*row)
            if not isinstance(one, Dataset):
                raise TypeError(
                    f"`flat_map`: `func` must give a Dataset. Received: {one!r} ({type(one).__name__})."
                )
            made.append(one)
        if not made:
            raise TypeError(
                "`flat_map`: `func` must give a Dataset. Received: no row that it could be called with."
            )
        return made[0] if len(made) == 1 else join_datasets(made, appended=True)

    def sync_wait(
        self, condition_name: str, num_batch: int = 1, callback: Callable[[Any], Any] | None = None
    ) -> "Dataset":
        """Wait between rows until `sync_update` releases them.

        Args:
            condition_name: a name for `sync_update`.
            num_batch: how many rows or batches pass at the beginning of an epoch. Default: 1.
            callback: called with the data that `sync_update` gets. Default: none.

        Returns:
            Dataset.

        Raises:
            TypeError, ValueError: for arguments of a wrong kind.
            RuntimeError: if there is a condition of that name.

        Examples:
            >>> import msjax.dataset as ds
            >>> seen = []
            >>> data = ds.NumpySlicesDataset([1, 2, 3], "x", shuffle=False).sync_wait("step", callback=seen.append)
            >>> for row in data.create_dict_iterator(1):
            ...     data.sync_update("step", data=int(row["x"]))
            >>> seen
            [1, 2, 3]
        """
        return self._then(sync_wait_steps.add_wait(self.node, condition_name, num_batch, callback))

    def sync_update(self, condition_name: str, num_batch: int | None = None, data: Any = None) -> None:
        """Release further rows of a `sync_wait`.

        Args:
            condition_name: its name.
            num_batch: how many. Default: as many as it has.
            data: what its callback gets.

        Raises:
            RuntimeError: if there is no such condition, or `num_batch` is not positive.
        """
        sync_wait_steps.release_rows(self.node, condition_name, num_batch, data)

    def disable_sync(self) -> None:
        """Release all rows of every `sync_wait`."""
        for each in sync_wait_steps.find_waits(self.node).values():
            each.disable()

    def is_sync(self) -> bool:
        """Return True if the pipeline has a `sync_wait`."""
        return bool(sync_wait_steps.find_waits(self.node))

    def get_sync_notifiers(self) -> dict[str, Callable[..., None]]:
        """Return the functions that `sync_update` calls, by the names of their conditions."""
        return {name: each.update for name, each in sync_wait_steps.find_waits(self.node).items()}

    def apply(self, apply_func: Callable[["Dataset"], "Dataset"]) -> "Dataset":
        """Apply a function to the dataset and return the dataset that it makes.

        Args:
            apply_func: from a Dataset to a Dataset.

        Returns:
            Dataset.

        Raises:
            TypeError: if it cannot be called or gives something else.
        """
        made = checks.check_callable("apply", "apply_func", apply_func)(self)
        if not isinstance(made, Dataset):
            raise TypeError(
                f"`apply`: `apply_func` must give a Dataset. Received: {made!r} ({type(made).__name__})."
            )
        return made


def zip_datasets(datasets: tuple[Dataset, ...]) -> Dataset:
    """Put the rows of several datasets side by side, as many as the shortest has.

    Args:
        datasets: a tuple of at least two datasets with different column names.

    Returns:
        Dataset.

    Raises:
        TypeError: if it is not a tuple of datasets.
        ValueError: if it holds fewer than two.
        RuntimeError: if two columns have one name.

    Examples:
        >>> import msjax.dataset as ds
        >>> left, right = (ds.NumpySlicesDataset({name: [1, 2]}, shuffle=False) for name in "xy")
        >>> [list(map(int, row)) for row in ds.zip((left, right))]
        [[1, 1], [2, 2]]
    """
    if not isinstance(datasets, tuple):
        raise TypeError(checks.argument_error_text("zip", "datasets", "be a tuple of datasets", datasets))
    if len(datasets) < 2:
        raise ValueError(
            checks.argument_error_text("zip", "datasets", "hold at least two datasets", datasets)
        )
    for one in datasets:
        if not isinstance(one, Dataset):
            raise TypeError(checks.argument_error_text("zip", "datasets", "hold datasets only", one))
    return Dataset(Zip([one.node for one in datasets]), datasets)


class Joined(Dataset):
    """Dataset that `concat` returns."""

    def use_sampler(self, sampler: RandomSampler | DistributedSampler) -> None:
        """Mix the datasets, or cut shards of all rows as if they were of one dataset.

        A RandomSampler chooses, for each row, which of the datasets gives its next one; each keeps its own order. Shards
        are cut of the sources by samplers in place of theirs. Other datasets are read whole, and their rows dealt out; as
        in MindSpore, the next epoch goes on dealing where the last one ended.

        Args:
            sampler: a RandomSampler without `replacement`, or a DistributedSampler that does not shuffle; both without
                `num_samples`.

        Raises:
            TypeError: if it is another one, or shards are cut of batches.
            ValueError: if it has such arguments, or shards are cut of a source with `num_samples`.
        """
        op = "use_sampler"
        if not isinstance(sampler, DistributedSampler | RandomSampler):
            rule = "be a DistributedSampler or a RandomSampler"
            raise TypeError(checks.argument_error_text(op, "sampler", rule, sampler))
        name = "replacement" if isinstance(sampler, RandomSampler) else "shuffle"
        if getattr(sampler, name) or sampler.get_num_samples() is not None:
            raise ValueError(
                f"`{op}`: argument `sampler` must have neither `{name}` nor `num_samples`, since datasets were joined. "
                f"Received: {name}={getattr(sampler, name)}, num_samples={sampler.get_num_samples()}."
            )
        assert isinstance(self.node, Concat)
        self.node.use_sampler(sampler)
        self.dataset_size = None


def join_datasets(datasets: list[Dataset], appended: bool = False) -> Joined:
    """Return datasets one after the other.

    Args:
        datasets: them.
        appended: as for `Concat`.

    Raises:
        ValueError: if one of them has no rows.
        RuntimeError: if their columns differ.
    """
    sizes = [one.get_dataset_size() for one in datasets]
    if 0 in sizes:
        raise ValueError(
            f"`concat`: each dataset must have rows. Received: none in dataset {sizes.index(0)}."
        )
    return Joined(Concat([one.node for one in datasets], sizes, appended), datasets, datasets=datasets)


def _batch_attributes(
    batch_size: Any, drop_remainder: bool, num_parallel_workers: int | None
) -> dict[str, Any]:
    decided = callable(batch_size)
    return {
        "batch_size": 1 if decided else batch_size,
        "batch_size_func": batch_size if decided else None,
        "drop_remainder": drop_remainder,
        "num_parallel_workers": num_parallel_workers,
    }


def _check_batch(op: str, batch_size: Any, drop_remainder: Any, num_parallel_workers: Any) -> None:
    if callable(batch_size):
        if checks.count_parameters(batch_size) not in (1, None):
            raise ValueError(
                checks.argument_error_text(
                    op, "batch_size", "be a function of one argument, a BatchInfo", batch_size
                )
            )
    elif not isinstance(batch_size, int):
        raise TypeError(checks.argument_error_text(op, "batch_size", "be an int or a function", batch_size))
    elif batch_size == -1:
        raise RuntimeError(
            f"`{op}`: argument `batch_size` can be -1 only with a batch sampler, which batches by itself."
        )
    else:
        checks.check_int(op, "batch_size", int(batch_size), 1)
    checks.check_bool(op, "drop_remainder", drop_remainder)
    checks.check_num_workers(op, num_parallel_workers)


def _bucket_padding(columns: list[str], info: dict[str, Any] | None, limit: int | None) -> Padding | None:
    """Return the padding of one bucket. A limit of 0 stands for none, None for a bucket without a boundary."""
    filled: dict[str, Any] = {}
    for name, one in (info or {}).items():
        shape, value = one or (None, None)
        if shape is not None and None in shape and limit is None:
            return None
        filled[name] = (shape and [(limit and limit - 1) if size is None else size for size in shape], value)
    return Padding("bucket_batch_by_length", columns, info or {} if limit == 0 else filled)
