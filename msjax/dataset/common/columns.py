"""Rows of a pipeline: lists of columns, which are NumPy arrays or dicts of anything; conversion and stacking."""

import os
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.jit import placement
from msjax.core.tensor.tensor import Tensor

Column = Any  # np.ndarray, or a dict, whose values may be any objects
Row = list[Column]

_NUMBERS = "biuf"  # bool, signed, unsigned, float
_KINDS = f"{_NUMBERS}US"  # and str, bytes
_BLOCK_LIMIT = 2**30  # bytes; of a larger batch there may never be so many rows
_WHOLE = (
    np.ndarray,
    np.generic,
    dict,
    str,
    bytes,
    Tensor,
)  # what is one column although it can be iterated over


class _Block(np.ndarray):
    """Memory of a column of a batch, or of one row in it, whose `place` it knows; rows hold plain views of these."""

    place: int


class Blocks:
    """Memory of a column's rows in the layout of their batches, so that stacking moves no row.

    Threads may ask at once. A row whose shape or dtype is another one than the first row's has no place here.

    Args:
        length: rows of a batch.
        empty: makes an array of a shape and dtype.
    """

    def __init__(self, length: int, empty: Callable[..., np.ndarray] = np.empty) -> None:
        self.length, self._empty = length, empty
        self._kind: tuple[tuple[int, ...], np.dtype] | None = None
        self._blocks: dict[int, _Block] = {}
        self._asked: dict[int, int] = {}
        self._lock = threading.Lock()

    def slot(self, number: int) -> np.ndarray | None:
        """Return the place of a row, which is asked for once; None before any row was `placed`."""
        return None if self._kind is None else self._slot(number)

    def placed(self, number: int, column: Column, slot: np.ndarray | None) -> Column:
        """Return a row's value in its place if it fits there; else the value itself.

        Args:
            number: of the row.
            column: the value.
            slot: its place, if that is known.
        """
        if not isinstance(column, np.ndarray) or column.dtype.kind not in _NUMBERS:
            return column
        if column.nbytes * self.length > _BLOCK_LIMIT:
            return column
        if slot is None:
            with self._lock:
                self._kind = self._kind or (column.shape, column.dtype)
            slot = self._slot(number)
        if (column.shape, column.dtype) != self._kind:
            return column
        slot[...] = column
        return slot

    def _slot(self, number: int) -> np.ndarray:
        which, place = divmod(number, self.length)
        with self._lock:
            block = self._blocks.get(which)
            if block is None:
                assert self._kind is not None
                shape, dtype = self._kind
                block = self._blocks[which] = self._empty((self.length, *shape), dtype).view(_Block)
            asked = self._asked[which] = self._asked.get(which, 0) + 1
            if asked == self.length:
                del self._blocks[which], self._asked[which]
        slot: Any = block[place, ...]
        slot.place = place
        return slot.view(np.ndarray)


def _stacked_in_place(columns: Sequence[np.ndarray]) -> np.ndarray | None:
    """Return the rows as one array if they are a whole block of `Blocks`, in its order."""
    slots = [one.base for one in columns]
    block = slots[0].base if type(slots[0]) is _Block else None
    if block is None or len(block) != len(columns):
        return None
    for place, slot in enumerate(slots):
        if type(slot) is not _Block or slot.base is not block or slot.place != place:
            return None
    return block.view(np.ndarray)


class SourcedRow(list[Column]):
    """Columns of a row, and where it comes from.

    Args:
        columns: the columns.
        origin: what errors call the row: a text, or a function that gives it.
    """

    __slots__ = ("origin",)

    def __init__(self, columns: Iterable[Column], origin: str | Callable[[], str] = "") -> None:
        super().__init__(columns)
        self.origin = origin


def origin_of(row: Sequence[Column]) -> str:
    """Return what errors call a row; "" if that is not known, as for batches."""
    origin: Any = getattr(row, "origin", "")
    return str(origin() if callable(origin) else origin)


def to_column(value: Any, where: str) -> Column:
    """Convert a value that a source or a user's function gave to an array.

    Python numbers become int64, float64 and bool arrays of shape (), Tensors their contents. Dicts stay as they are.

    Raises:
        RuntimeError: for None, for objects that are not numbers or strings, and for ragged lists.
    """
    if isinstance(value, dict):
        return value
    if isinstance(value, str):
        return np.array(value)
    if isinstance(value, Tensor):
        value = value.asnumpy()
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise RuntimeError(f"{where} gave a list whose parts differ in shape: {error}") from error
    kind = array.dtype.kind
    if kind not in _KINDS:
        raise RuntimeError(
            f"{where} gave {value!r} ({type(value).__name__}), which no column can hold. "
            "Columns hold numbers, bools, str and bytes, lists, arrays and Tensors of them, and dicts of anything."
        )
    if kind in "US":
        return np.array(array.tolist(), kind)  # no wider than its longest string
    return array if array.flags.writeable else array.copy()


def spread_row(value: Any) -> tuple[Any, ...]:
    """Return the columns of what a source gave as a row: the elements of an iterable, or the value itself."""
    if isinstance(value, tuple):
        return value
    return (value,) if isinstance(value, _WHOLE) or not hasattr(value, "__iter__") else tuple(value)


def own_column(value: Any, where: str) -> Column:
    """Return `to_column` of a value that somebody else may still write to: a copy, unless it is a dict."""
    column = to_column(value, where)
    return column.copy() if isinstance(value, np.ndarray) and column is value else column


def stack_column(
    columns: Sequence[Column], name: str, op: str, empty: Callable[..., np.ndarray] = np.empty
) -> Column:
    """One column of a batch.

    Args:
        columns: the column of each row.
        name: of the column.
        op: of the step.
        empty: makes an array of a shape and dtype.

    Raises:
        RuntimeError: if shapes or dtypes differ.
    """
    first = columns[0]
    if isinstance(first, dict):
        if any(not isinstance(one, dict) or one.keys() != first.keys() for one in columns):
            raise RuntimeError(f"`{op}`: the dicts of a batch differ in their keys in column `{name}`.")
        parts = {
            key: [to_column(one[key], f"`{op}`: column `{name}[{key!r}]`") for one in columns]
            for key in first
        }
        return {key: stack_column(part, f"{name}[{key!r}]", op, empty) for key, part in parts.items()}
    for one in columns:
        if one.shape != first.shape:
            raise RuntimeError(
                f"`{op}`: the rows of a batch differ in shape in column `{name}`: {first.shape} and {one.shape}. "
                "Use `padded_batch`, or a `map` that gives them one shape."
            )
        if one.dtype != first.dtype and not first.dtype.kind == one.dtype.kind in "US":
            raise RuntimeError(
                f"`{op}`: the rows of a batch differ in dtype in column `{name}`: {first.dtype} and {one.dtype}. "
                "Use a `map` with `TypeCast`."
            )
    whole = _stacked_in_place(columns)
    if whole is not None:
        return whole
    if first.dtype.kind not in _NUMBERS:
        return np.stack(columns)  # as wide as its longest string
    return np.stack(columns, out=empty((len(columns), *first.shape), first.dtype.newbyteorder("=")))


def call_user_function(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    where: str,
    row: Sequence[Column] = (),
    made: str = "",
) -> Any:
    """Call a function of the user's.

    Args:
        function: what is called.
        arguments: its arguments.
        where: names it in errors.
        row: which it is called for.
        made: the user's line that made the step; named where no other line of the user's was running.

    Raises:
        RuntimeError: MindSpore's type for whatever goes wrong in there; it names the row and the user's line and has the
            user's exception with its traceback as its cause.
    """
    try:
        return function(*arguments)
    except Exception as error:
        raise failed(error, where, row, made) from error


def failed(error: Exception, where: str, row: Sequence[Column] = (), made: str = "") -> RuntimeError:
    """Return the error for an exception of the user's function."""
    origin = origin_of(row)
    at = f"{where}{f', given {origin},' if origin else ''} raised {type(error).__name__}"
    return RuntimeError(f"{at}: {error}{_line(error, made)}")


def name_of(function: Any) -> str:
    """Return the name of a function or transform for error messages."""
    return getattr(function, "__name__", type(function).__name__)


_OWN = str(Path(__file__).parents[2]) + os.sep
_LIBRARIES = ("site-packages", "dist-packages", os.path.dirname(os.__file__) + os.sep)


def _line(error: BaseException, made: str = "") -> str:
    """Return the innermost of the user's lines; if there is none, the one that made the step, or another library's."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not one.filename.startswith(_OWN)]
    own = [one for one in frames if not any(part in one.filename for part in _LIBRARIES)]
    if not own and (made or not frames):
        return made
    return f" ({(own or frames)[-1].filename}, line {(own or frames)[-1].lineno})"


def trim_traceback(error: BaseException) -> BaseException:
    """Take this package's frames off the tracebacks of an error and of its causes, up to the first of somebody else."""
    error.__traceback__ = None
    cause = error.__cause__
    while cause is not None:
        trace = cause.__traceback__
        while (
            trace is not None
            and trace.tb_next is not None
            and trace.tb_frame.f_code.co_filename.startswith(_OWN)
        ):
            trace = trace.tb_next  # the last one stays in any case
        cause.__traceback__, cause = trace, cause.__cause__
    return error


# ---------------------------------------------------------------- out of the pipeline


def to_output(row: Sequence[Column]) -> list[Any]:
    """Return a row as it is given out: numbers and strings within dicts become arrays, other objects stay."""
    return [_convert_column(column, _array_leaf) if isinstance(column, dict) else column for column in row]


def to_device(row: Sequence[Column]) -> list[Any]:
    """Transfer the numbers of rows to their devices in one transfer; strings and objects stay as they are."""
    numbers: list[np.ndarray] = []

    def collect(leaf: Any) -> Any:
        leaf = _array_leaf(leaf)
        if _is_number(leaf):
            numbers.append(leaf.astype(dtypes.canonical(leaf.dtype), copy=False))
        return leaf

    collected = [_convert_column(column, collect) for column in row]
    sent: Iterator[Any] = iter(jax.device_put(numbers, placement.of_rows(numbers)))
    return [
        _convert_column(column, lambda leaf: next(sent) if _is_number(leaf) else leaf) for column in collected
    ]


def to_tensors(row: list[Any]) -> list[Any]:
    """Convert arrays to Tensors; strings remain NumPy arrays."""
    return [_convert_column(column, _tensor_leaf) for column in row]


def _convert_column(column: Any, convert: Callable[[Any], Any]) -> Any:
    """Return a column with a function applied to what dicts, lists and tuples in it hold."""
    if isinstance(column, dict):
        return {key: _convert_column(value, convert) for key, value in column.items()}
    if isinstance(column, list | tuple):
        parts = [_convert_column(value, convert) for value in column]
        return parts if isinstance(column, list) else tuple(parts)
    return convert(column)


def _array_leaf(leaf: Any) -> Any:
    return np.asarray(leaf) if isinstance(leaf, bool | int | float | str | np.generic) else leaf


def _is_number(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray) and leaf.dtype.kind in "biuf"


def _tensor_leaf(leaf: Any) -> Any:
    return Tensor.from_array(leaf) if isinstance(leaf, jax.Array) else leaf
