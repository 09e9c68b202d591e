"""Reading and inspection of a dataset: iterators, sizes, shapes, types."""

import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from msjax.dataset.common import checks, placeholders
from msjax.dataset.pipeline import describing, saving
from msjax.dataset.pipeline.iterators import DictIterator, TupleIterator
from msjax.dataset.pipeline.nodes import Node, Project
from msjax.dataset.random.generators import Run


class DatasetInfo:
    """Reading half of a dataset: iterators, sizes, types.

    Args:
        node: the last step.
        children: the datasets whose rows it takes.
        **attributes: what it was made with, under MindSpore's names.

    Attributes:
        ahead: how many rows or batches are computed ahead; None: as `config` says.
    """

    num_parallel_workers: int | None = None
    ahead: int | None = None

    def __init__(self, node: Node, children: Iterable["DatasetInfo"] = (), **attributes: Any) -> None:
        self.node, self.children = node, list(children)
        self.parent: list[Any] = []
        self.dataset_size: int | None = None
        self.input_indexs: Any = ()  # MindSpore's spelling; kept for those who set it
        self.keep_attributes(attributes)
        for child in self.children:
            child.parent.append(weakref.ref(self))

    def keep_attributes(self, attributes: Mapping[str, Any]) -> None:
        """Keep what the dataset was made with, except for what has the name of a method or is there already."""
        for name, value in attributes.items():
            if getattr(type(self), name, None) is None:
                vars(self).setdefault(name, value)

    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False
    ) -> DictIterator:
        """Return an iterator whose rows are dicts from column name to Tensor.

        Args:
            num_epochs: how often the iterator can be gone through; -1: any number of times.
            output_numpy: give NumPy arrays instead of Tensors. Columns of strings are always NumPy arrays.
            do_copy: without effect: what is given out is never shared.

        Returns:
            DictIterator.

        Raises:
            TypeError, ValueError: for arguments of a wrong kind.
            RuntimeError: if `num_epochs` is 0.

        Examples:
            >>> import msjax.dataset as ds
            >>> data = ds.NumpySlicesDataset({"x": [1.0, 2.0]}, shuffle=False)
            >>> iterator = data.create_dict_iterator(num_epochs=2)
            >>> for epoch in range(2):
            ...     print([float(row["x"]) for row in iterator])
            [1.0, 2.0]
            [1.0, 2.0]
        """
        checks.check_bool("create_dict_iterator", "do_copy", do_copy)
        return DictIterator("create_dict_iterator", self, self.node, num_epochs, output_numpy)

    def create_tuple_iterator(
        self,
        columns: str | list[str] | None = None,
        num_epochs: int = -1,
        output_numpy: bool = False,
        do_copy: bool = False,
    ) -> TupleIterator:
        """Return an iterator whose rows are lists of Tensors.

        Args:
            columns: names of the columns to give, in this order. Default: all.
            num_epochs: how often the iterator can be gone through; -1: any number of times.
            output_numpy: give NumPy arrays instead of Tensors. Columns of strings are always NumPy arrays.
            do_copy: without effect: what is given out is never shared.

        Returns:
            TupleIterator.

        Raises:
            TypeError, ValueError: for arguments of a wrong kind.
            RuntimeError: if `num_epochs` is 0, and for unknown columns.
        """
        checks.check_bool("create_tuple_iterator", "do_copy", do_copy)
        node = self.node
        if columns is not None:
            node = Project(node, checks.check_column_names("create_tuple_iterator", "columns", columns))
        return TupleIterator("create_tuple_iterator", self, node, num_epochs, output_numpy)

    def __iter__(self) -> Iterator[Any]:
        return self.create_tuple_iterator(num_epochs=1)

    def reset(self) -> None:
        """Do nothing: every iterator has its own position in the data."""

    def to_json(self, filename: str = "") -> dict[str, Any]:
        """Describe the pipeline as a dict that JSON can hold, and write it to a file, as `serialize` does.

        Args:
            filename: the file. Default: none is written.

        Raises:
            TypeError: if `filename` is not a str.
            RuntimeError: for a step that has no form in JSON; if the file cannot be written.
        """
        return describing.write_description(self, filename)

    def save(self, file_name: str, num_files: int = 1, file_type: str = "mindrecord") -> None:
        """Write all rows into MindRecord files.

        Integers of fewer than 32 bits and bools become int32, uint32 and uint64 int64, float16 float32.

        Args:
            file_name: path of the file; with several of them, to which each adds its number.
            num_files: how many files, in [1, 1000].
            file_type: "mindrecord".

        Raises:
            TypeError, ValueError: for arguments of a wrong kind.
            RuntimeError: for columns of other kinds, no rows, and files that exist.

        Examples:
            >>> import os, tempfile
            >>> import msjax.dataset as ds
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = os.path.join(folder, "some.mindrecord")
            ...     ds.NumpySlicesDataset({"x": [[1, 2], [3, 4]]}, shuffle=False).save(path)
            ...     [row["x"].tolist() for row in ds.MindDataset(path, shuffle=False).create_dict_iterator(1, True)]
            [[1, 2], [3, 4]]
        """
        saving.save_dataset(self, file_name, num_files, file_type)

    # ------------------------------------------------------------------ what it is

    def get_col_names(self) -> list[str]:
        """Return the names of the columns."""
        return list(self.node.columns)

    def get_dataset_size(self) -> int:
        """Return the number of rows or batches of an epoch; for endless `repeat()`, those of one repetition.

        After a `filter`, a batch size that is a function, or a generator function, this goes through the
        data.
        """
        if self.dataset_size is None:
            self.dataset_size = self.node.size()
        return self.dataset_size

    def get_batch_size(self) -> int:
        """Rows per batch; 1 if there are no batches, -1 if a function decides."""
        return self.node.batch_size()

    def get_repeat_count(self) -> int:
        """Return the count of the last `repeat`; 1 if there is none, -1 if it has no end."""
        return self.node.repeat_count()

    def num_classes(self) -> int | None:
        """Return the number of classes of the files that the rows come from, of the last of several; None of other data."""
        return self.children[-1].num_classes() if self.children else None

    def get_class_indexing(self) -> dict[str, int]:
        """Return the numbers of the classes of the files that the rows come from, of the first of several data sets."""
        return self.children[0].get_class_indexing() if self.children else {}

    def is_shuffled(self) -> bool:
        """Return True if the order of rows changes from epoch to epoch."""
        return self.node.shuffled

    def is_sharded(self) -> bool:
        """Return True if other processes have the rest of the rows."""
        return self.node.sharded

    def output_types(self) -> list[np.dtype]:
        """Return the NumPy dtypes of the columns, of the first row."""
        return [_dtype(column) for column in self._first()]

    def output_shapes(self, estimate: bool = False) -> list[list[int | None]]:
        """Return the shapes of the columns, of the first row.

        Args:
            estimate: go through all rows, and give None for sizes that vary.

        Returns:
            A list of shapes, one for each column. Empty if there are no rows.

        Raises:
            TypeError: if `estimate` is not a bool.
        """
        if not checks.check_bool("output_shapes", "estimate", estimate):
            return [_shape(column) for column in self._first()]
        seen: list[list[int | None]] = []
        for row in self.node.rows(Run(silent=True)):
            shapes = [_shape(column) for column in row]
            seen = [
                [m if m == n else None for m, n in zip(old, new, strict=True)]
                for old, new in zip(seen or shapes, shapes, strict=True)
            ]
        return seen

    def _first(self) -> list[Any]:
        return next(iter(self.node.rows(Run(silent=True))), [])

    def __getattr__(self, name: str) -> Any:
        return placeholders.method_placeholder(type(self), name)


def _dtype(column: Any) -> np.dtype:
    dtype = np.dtype(object) if isinstance(column, dict) else column.dtype
    return np.dtype(dtype.kind) if dtype.kind in "US" else dtype


def _shape(column: Any) -> list[int | None]:
    return [0] if isinstance(column, dict) else list(column.shape)
