"""Generic transforms: type cast, one-hot, fill, mask, padding, slicing, composition and random choice."""

import random
from enum import IntEnum
from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.dataset.common import checks
from msjax.dataset.common.arguments import KeepsArguments
from msjax.dataset.common.columns import to_column
from msjax.dataset.pipeline.batching import pad_end
from msjax.dataset.random.generators import apply_in_order, apply_nested, transform_generator
from msjax.dataset.transforms.base import (
    Transform,
    as_array,
    as_dtype,
    check_callables,
    is_pil,
    unwrap_single,
)
from msjax.ops.common.docstrings import documented_by


class Relational(IntEnum):
    """Comparison of `Mask`."""

    EQ = 0
    NE = 1
    GT = 2
    GE = 3
    LT = 4
    LE = 5


_COMPARE = {
    Relational.EQ: np.equal,
    Relational.NE: np.not_equal,
    Relational.GT: np.greater,
    Relational.GE: np.greater_equal,
    Relational.LT: np.less,
    Relational.LE: np.less_equal,
}


class TypeCast(Transform):
    """Convert the elements to another dtype.

    Args:
        data_type: MindSpore dtype, NumPy dtype or type, or a name; bool, integer, real or str.

    Raises:
        TypeError: for another `data_type`.
        RuntimeError: when called with strings for numbers, or the other way round.

    Examples:
        >>> import msjax as ms
        >>> from msjax.dataset import transforms
        >>> transforms.TypeCast(ms.int32)([1.7, 2.0])
        array([1, 2], dtype=int32)
    """

    def __init__(self, data_type: Any) -> None:
        self.dtype = as_dtype("TypeCast", "data_type", data_type, "biufU")

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the converted array."""
        if self.dtype.kind == "U" and array.dtype.kind == "U":
            return array
        if self.dtype.kind == "U" or array.dtype.kind in "US":
            raise RuntimeError(
                f"`TypeCast`: elements of dtype {array.dtype} do not become {self.dtype}. Received: {array!r}."
            )
        return array.astype(self.dtype)


class OneHot(Transform):
    """One-hot encoding: one label to shape (num_classes,), n labels to (n, num_classes); axes of length 1 go.

    MindSpore smooths the last of several labels only; here all of them are smoothed.

    Args:
        num_classes: int >= 1, above all labels.
        smoothing_rate: r in [0, 1]: give 1 - r + r / num_classes instead of 1, r / num_classes instead of 0.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with labels that are not integers or not in [0, num_classes), or in several
            rows.

    Examples:
        >>> from msjax.dataset import transforms
        >>> transforms.OneHot(3)(1)
        array([0, 1, 0])
    """

    def __init__(self, num_classes: int, smoothing_rate: float = 0.0) -> None:
        self.classes = checks.check_int("OneHot", "num_classes", num_classes, 1)
        self.rate = checks.check_number("OneHot", "smoothing_rate", smoothing_rate, 0, 1)

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the vectors: of the labels' dtype, with smoothing float64."""
        labels = array.squeeze()
        if array.dtype.kind not in "iu" or labels.ndim > 1:
            raise RuntimeError(
                f"`OneHot`: labels must be integers, one or a row of them. Received: {array!r}."
            )
        if array.size and not 0 <= array.min() <= array.max() < self.classes:
            raise RuntimeError(
                f"`OneHot`: labels must be in [0, num_classes={self.classes}). Received: {array!r}."
            )
        vectors = np.squeeze(np.eye(self.classes, dtype=array.dtype)[labels])
        return vectors * (1 - self.rate) + self.rate / self.classes if self.rate else vectors


class Fill(Transform):
    """Set all elements to one value, keeping shape and dtype.

    Args:
        fill_value: a number, bool, str or bytes.

    Raises:
        TypeError: for another value.
        RuntimeError: when called with strings to be filled with numbers, or the other way round.

    Examples:
        >>> from msjax.dataset import transforms
        >>> transforms.Fill(3)([1.5, 2.5])
        array([3., 3.])
    """

    def __init__(self, fill_value: Any) -> None:
        self.value = _scalar("Fill", "fill_value", fill_value)

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the filled array."""
        _same_kind("Fill", self.value, array)
        if array.dtype.kind in "US":
            return np.full(array.shape, self.value)
        return np.full(array.shape, np.array(self.value).astype(array.dtype))


class Mask(Transform):
    """Compare the elements with a constant.

    Args:
        operator: a `Relational`.
        constant: a number, bool or str.
        dtype: the dtype of the result. Default: bool.

    Raises:
        TypeError: for other arguments.
        RuntimeError: when called with strings to be compared with a number, or the other way round.

    Examples:
        >>> from msjax.dataset import transforms
        >>> transforms.Mask(transforms.Relational.GE, 2)([1, 2, 3])
        array([False,  True,  True])
    """

    def __init__(self, operator: Relational, constant: Any, dtype: Any = dtypes.bool_) -> None:
        if not isinstance(operator, Relational):
            checks.fail(TypeError, "Mask", "operator", "be a Relational", operator)
        self.compare = _COMPARE[operator]
        self.constant = _scalar("Mask", "constant", constant)
        self.dtype = as_dtype("Mask", "dtype", dtype)

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the mask."""
        _same_kind("Mask", self.constant, array)
        # MindSpore converts the constant to the elements' dtype first: 2.5 beside integers is 2.
        constant = self.constant if array.dtype.kind in "US" else np.array(self.constant).astype(array.dtype)
        return np.asarray(self.compare(array, constant)).astype(self.dtype)


class PadEnd(Transform):
    """Fill up behind the end of each axis, or cut there; a single number or str stays as it is.

    Args:
        pad_shape: list of ints >= 1, the shape of the result; a None keeps the size of its axis.
        pad_value: a number, bool, str or bytes. Default: 0, or an empty string.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with an array of another rank, or with strings for a number or the other way
            round.

    Examples:
        >>> from msjax.dataset import transforms
        >>> transforms.PadEnd([4], 10)([1, 2])
        array([ 1,  2, 10, 10])
    """

    def __init__(self, pad_shape: list[int | None], pad_value: Any = None) -> None:
        if not isinstance(pad_shape, list | tuple):
            checks.fail(TypeError, "PadEnd", "pad_shape", "be a list of ints", pad_shape)
        for size in pad_shape:
            if size is not None:
                checks.check_int("PadEnd", "pad_shape", size, 1)
        self.shape = list(pad_shape)
        self.value = None if pad_value is None else _scalar("PadEnd", "pad_value", pad_value)

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the padded array."""
        if array.ndim == 0:
            return array
        if array.ndim != len(self.shape):
            raise RuntimeError(
                f"`PadEnd`: `pad_shape` {self.shape} needs as many axes. Received: shape {array.shape}."
            )
        value = {"U": "", "S": b""}.get(array.dtype.kind, 0) if self.value is None else self.value
        _same_kind("PadEnd", value, array)
        return pad_end(
            array,
            [old if new is None else new for old, new in zip(array.shape, self.shape, strict=True)],
            value,
        )


class Duplicate(Transform):
    """Give the column twice; in `map` with two `output_columns`."""

    def apply(self, array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Twice the array."""
        return array, array.copy()


class Concatenate(Transform):
    """Join columns, and arrays before and behind them, along their only axis.

    Args:
        axis: 0 or -1.
        prepend: array to come first, of rank 1.
        append: array to come last, of rank 1.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with arrays of another rank or of different dtypes.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import transforms
        >>> transforms.Concatenate(0, np.array([1]), np.array([9]))([5, 6])
        array([1, 5, 6, 9])
    """

    def __init__(
        self, axis: int = 0, prepend: np.ndarray | None = None, append: np.ndarray | None = None
    ) -> None:
        if isinstance(axis, bool) or not isinstance(axis, int):
            checks.fail(TypeError, "Concatenate", "axis", "be an int", axis)
        if axis not in (0, -1):
            checks.fail(ValueError, "Concatenate", "axis", "be 0 or -1, as columns must have one axis", axis)
        for name, array in (("prepend", prepend), ("append", append)):
            if array is not None and not isinstance(array, np.ndarray):
                checks.fail(TypeError, "Concatenate", name, "be a NumPy array", array)
        self.before = [] if prepend is None else [prepend]
        self.after = [] if append is None else [append]

    def __call__(self, *columns: Any) -> np.ndarray:
        """Return the transformed columns."""
        parts = [*self.before, *(as_array("Concatenate", column) for column in columns), *self.after]
        kinds = {part.dtype if part.dtype.kind not in "US" else part.dtype.kind for part in parts}
        if any(part.ndim != 1 for part in parts) or len(kinds) != 1:
            found = ", ".join(f"{part.dtype} {part.shape}" for part in parts)
            raise RuntimeError(
                f"`Concatenate`: arrays must be of rank 1 and of one dtype. Received: {found}."
            )
        return np.concatenate(parts)


class Unique(Transform):
    """The different elements of an array of rank >= 2, in the order of their first appearance.

    Returns:
        A tuple of the elements, for each element of the flattened input the index of its equal among them
        (int32), and how often each appears (int32).

    Raises:
        RuntimeError: when called with an array of rank below 2.
    """

    def apply(self, array: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Elements, indices and numbers."""
        if array.ndim < 2:
            raise RuntimeError(
                f"`Unique`: the array must have at least 2 axes. Received: shape {array.shape}."
            )
        values, first, inverse, counts = np.unique(
            array, return_index=True, return_inverse=True, return_counts=True
        )
        order = np.argsort(first, kind="stable")
        rank = np.argsort(order, kind="stable")
        indices = rank[inverse.reshape(-1)]
        return values[order], indices.astype(np.int32), counts[order].astype(np.int32)


class Slice(Transform):
    """Take a part of an array; every axis stays.

    Args:
        slices: for each axis, from the first on, an int, a list of ints, a slice, or None for all of it;
            `...` stands for the axes in the middle.

    Raises:
        TypeError: for anything else.
        RuntimeError: when called with an array that has fewer axes, or lacks an element.

    Examples:
        >>> from msjax.dataset import transforms
        >>> transforms.Slice(slice(1, 3))([1, 2, 3, 4])
        array([2, 3])
        >>> transforms.Slice(1)([1, 2, 3, 4])
        array([2])
    """

    def __init__(self, *slices: Any) -> None:
        for one in slices:
            ints = isinstance(one, list) and all(isinstance(i, int) for i in one)
            if not ints and not isinstance(one, int | slice) and one is not None and one is not ...:
                rule = "be an int, a list of ints, a slice, None or ..."
                checks.fail(TypeError, "Slice", "slices", rule, one)
        if not slices or sum(one is ... for one in slices) > 1:
            checks.fail(ValueError, "Slice", "slices", "hold something, and `...` once at most", slices)
        self.slices = slices

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the part."""
        wanted = list(self.slices)
        if ... in wanted:
            place = wanted.index(...)
            wanted[place : place + 1] = [None] * (array.ndim - len(wanted) + 1)
        if len(wanted) > array.ndim:
            raise RuntimeError(f"`Slice`: {len(wanted)} axes are asked for. Received: shape {array.shape}.")
        try:
            for axis, one in enumerate(wanted):
                if one is not None:
                    index = [one] if isinstance(one, int) else one
                    array = array[(slice(None),) * axis + (index,)]
        except IndexError as error:
            raise RuntimeError(f"`Slice`: {error}. Received: shape {array.shape}.") from error
        return array


def not_random(function: Any) -> Any:
    """Mark a Python function as one that gives the same for the same row, and return it; MindSpore's cache asks for that."""
    function.random = False
    return function


class Compose(KeepsArguments):
    """Several transforms and functions, one after the other.

    Args:
        transforms: list of callables.

    Raises:
        TypeError, ValueError: for anything else.

    Examples:
        >>> import msjax as ms
        >>> from msjax.dataset import transforms
        >>> transforms.Compose([transforms.TypeCast(ms.float32), lambda x: x / 2])([1, 2])
        array([0.5, 1. ], dtype=float32)
    """

    def __init__(self, transforms: list[Any]) -> None:
        self.transforms = check_callables("Compose", transforms)

    def __call__(self, *columns: Any) -> Any:
        """Return the transformed columns: arrays; or in a tuple whatever came out, where MindSpore computes in Python."""
        given = apply_nested(self.transforms, columns, inner=False)
        if (len(columns) == 1 and is_pil(columns[0])) or any(map(runs_in_python, self.transforms)):
            return given
        return unwrap_single(tuple(to_column(column, "`Compose`") for column in given))


def runs_in_python(transform: Any) -> bool:
    """Return True if MindSpore has a transform, or one that it applies, in Python only."""
    if isinstance(transform, Compose | RandomApply | RandomChoice):
        return any(map(runs_in_python, transform.transforms))
    return getattr(transform, "python_only", False)


@documented_by(Compose)
class RandomApply(KeepsArguments):
    """Several transforms and functions, one after the other, or none of them.

    Args:
        prob: the probability that they are applied, in [0, 1].
    """

    def __init__(self, transforms: list[Any], prob: float = 0.5) -> None:
        self.transforms = check_callables("RandomApply", transforms)
        self.prob = checks.check_number("RandomApply", "prob", prob, 0, 1)

    def __call__(self, *columns: Any) -> Any:
        """Return the transformed columns."""
        if any(is_pil(column) for column in columns):
            return unwrap_single(
                columns if self.prob < random.random() else apply_in_order(self.transforms, columns)
            )
        applied = transform_generator(self).fraction() <= self.prob
        given = apply_nested(self.transforms, columns) if applied else columns
        return unwrap_single(tuple(to_column(column, "`RandomApply`") for column in given))


@documented_by(Compose)
class RandomChoice(KeepsArguments):
    """One of several transforms and functions."""

    def __init__(self, transforms: list[Any]) -> None:
        self.transforms = check_callables("RandomChoice", transforms)

    def __call__(self, *columns: Any) -> Any:
        """Return the transformed columns."""
        if any(is_pil(column) for column in columns):
            return unwrap_single(apply_in_order([random.choice(self.transforms)], columns))
        chosen = self.transforms[transform_generator(self).below(len(self.transforms))]
        given = apply_nested([chosen], columns)
        return unwrap_single(tuple(to_column(column, "`RandomChoice`") for column in given))


@documented_by(Compose)
class RandomOrder(KeepsArguments):
    """Several transforms and functions in a random order."""

    in_python = python_only = True

    def __init__(self, transforms: list[Any]) -> None:
        self.transforms = check_callables("RandomOrder", transforms)

    def __call__(self, *columns: Any) -> Any:
        """Return the transformed columns."""
        random.shuffle(self.transforms)
        return unwrap_single(apply_in_order(self.transforms, columns))


def _scalar(op: str, name: str, value: Any) -> Any:
    if not isinstance(value, bool | int | float | str | bytes):
        checks.fail(TypeError, op, name, "be a number, bool, str or bytes", value)
    return value


def _same_kind(op: str, value: Any, array: np.ndarray) -> None:
    if isinstance(value, str | bytes) != (array.dtype.kind in "US"):
        raise RuntimeError(f"`{op}`: {value!r} and elements of dtype {array.dtype} do not go together.")
