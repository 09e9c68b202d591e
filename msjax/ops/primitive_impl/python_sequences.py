"""Operators on Python tuples and lists, in class form: those of `ops.operations._sequence_ops`."""

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor
from msjax.ops.array.joining import stack, unbind
from msjax.ops.common import checks
from msjax.ops.common.name_table import attach_classes, make_class
from msjax.ops.sparse.coo_classes import concrete_numbers


def _number(value: Any) -> Any:
    """Return a number, as an index: that of a Tensor is read."""
    return int(value) if isinstance(value, Tensor) else value


def _check_kind(name: str, argument: str, given: Any, *kinds: type) -> None:
    if not isinstance(given, kinds or (tuple, list)):
        rule = f"be a {' or '.join(kind.__name__ for kind in kinds or (tuple, list))}"
        checks.fail(TypeError, name, argument, rule, type(given).__name__)


def concatenate(input_0: Sequence, input_1: Sequence) -> Any:
    """One after the other (`SequenceAdd`)."""
    _check_kind("SequenceAdd", "input_0", input_0)
    _check_kind("SequenceAdd", "input_1", input_1, type(input_0))
    return input_0 + input_1  # type: ignore[operator]


def add_all(inputs: Sequence) -> Any:
    """Return the sum of the elements (`SequenceAddN`)."""
    return functools.reduce(operator.add, inputs)


def count(sequence: Sequence, target: Any) -> int:
    """Count the occurrences of a value (`SequenceCount`)."""
    return sum(_are_equal(each, target) for each in sequence)


def _are_equal(one: Any, other: Any) -> bool:
    if isinstance(one, Tensor) or isinstance(other, Tensor):
        a, b = concrete_numbers("InSequence", one), concrete_numbers("InSequence", other)
        return a.shape == b.shape and bool((a == b).all())
    return bool(one == other)


def position(sequence: Sequence, target: Any, start: Any, end: Any) -> int:
    """Return the first index of a value within a range (`SequenceIndex`).

    Raises:
        ValueError: if it does not.
    """
    begin, stop, _ = slice(_number(start), _number(end)).indices(len(sequence))
    for index in range(begin, stop):
        if _are_equal(sequence[index], target):
            return index
    return checks.fail(ValueError, "SequenceIndex", "target", f"be in {sequence!r}", target)


def times(sequence: Sequence, scalar: Any) -> Any:
    """Repeated (`SequenceMul`)."""
    return sequence * _number(scalar)  # type: ignore[operator]


def slice_sequence(sequence: Sequence, start: Any, stop: Any, step: Any) -> Any:
    """Every `step`-th element from one place to another (`SequenceSlice`)."""
    return sequence[slice(_number(start), _number(stop), _number(step))]


def set_slice(seq: Any, target: Any, start: Any, stop: Any, step: Any) -> Any:
    """Replace the elements of a slice (`SequenceSliceSetItem`)."""
    found = list(seq)
    found[slice(_number(start), _number(stop), _number(step))] = list(target)
    return type(seq)(found) if isinstance(seq, tuple | list) else tuple(found)


def zeros(sequence: Any) -> Any:
    """0 for every element (`SequenceZerosLike`)."""
    if isinstance(sequence, tuple | list):
        return type(sequence)(zeros(each) for each in sequence)
    return sequence * 0


def contains(target: Any, sequence: Sequence) -> bool:
    """Return True if a value occurs (`InSequence`)."""
    return count(sequence, target) > 0


def append(input_data: list, target: Any) -> list:
    """Return a list with one element more (`ListAppend`)."""
    return [*input_data, target]


def inserted(input_data: list, index: Any, target: Any) -> list:
    """Return a list with an element more at a place (`ListInsert`)."""
    found = list(input_data)
    found.insert(_number(index), target)
    return found


def to_tensor(input_sequence: Sequence, dtype: Any = None) -> Tensor:
    """Numbers as a Tensor (`TupleToTensor`, `ListToTensor`)."""
    _check_kind("TupleToTensor", "input_sequence", input_sequence)
    given = dtype or (
        dtypes.float32 if any(isinstance(each, float) for each in input_sequence) else dtypes.int64
    )
    return Tensor(input_sequence, given) if input_sequence else Tensor(np.zeros(0), given)


def numbers(input_tensor: Tensor) -> tuple:
    """Return the numbers of a Tensor (`TensorToTuple`)."""
    _check_kind("TensorToTuple", "input_tensor", input_tensor, Tensor)
    found = concrete_numbers("TensorToTuple", input_tensor).tolist()
    return tuple(found) if isinstance(found, list) else (found,)


def to_list(input_tensor: Tensor) -> list:
    """Return the numbers of a Tensor (`TensorToList`)."""
    return list(numbers(input_tensor))


def number(input_tensor: Tensor) -> Any:
    """Return the number in a Tensor (`TensorToScalar`)."""
    _check_kind("TensorToScalar", "input_tensor", input_tensor, Tensor)
    return concrete_numbers("TensorToScalar", input_tensor).item()


def stack_elements(input_x: Sequence, axis: int = 0) -> Tensor:
    """Return the elements along a new axis (`SequenceStack`)."""
    return stack(tuple(each if isinstance(each, Tensor) else Tensor(each) for each in input_x), axis)


def unstack(input_x: Tensor, axis: int = 0, num: int | None = None) -> tuple:
    """Return the parts of a Tensor along an axis (`SequenceUnstack`)."""
    _check_kind("SequenceUnstack", "input_x", input_x, Tensor)
    return unbind(input_x, axis)


def largest(sequence: Sequence) -> Any:
    """Return the largest element (`SequenceMax`)."""
    return max(sequence)


def smallest(sequence: Sequence) -> Any:
    """Return the smallest element (`SequenceMin`)."""
    return min(sequence)


def length(sequence: Sequence) -> int:
    """Return the number of elements (`sequence_len`)."""
    return len(sequence)


def row(start: Any, limit: Any, delta: Any) -> Any:
    """Numbers in even steps (`make_range`)."""
    return tuple(range(*map(_number, (start, limit, delta))))


def product(input_x: Sequence) -> Any:
    """Return the product of sizes (`shape_mul`)."""
    return functools.reduce(operator.mul, input_x, 1)


def _define_comparison(name: str, compare: Callable) -> type:
    kind = list if name.startswith("list") else tuple

    def compared(x: Any, y: Any) -> bool:
        _check_kind(name, "x", x, kind)
        _check_kind(name, "y", y, kind)
        return compare(x, y)

    return make_class(name, compared, module=__name__)


tuple_equal, list_equal = (_define_comparison(name, operator.eq) for name in ("tuple_equal", "list_equal"))
tuple_lt, list_lt = (_define_comparison(name, operator.lt) for name in ("tuple_lt", "list_lt"))
tuple_le, list_le = (_define_comparison(name, operator.le) for name in ("tuple_le", "list_le"))
tuple_greater_than, list_greater_than = (
    _define_comparison(name, operator.gt) for name in ("tuple_greater_than", "list_greater_than")
)
tuple_greater_equal, list_greater_equal = (
    _define_comparison(name, operator.ge) for name in ("tuple_greater_equal", "list_greater_equal")
)


__getattr__, __dir__ = attach_classes(
    __name__,
    """
here: SequenceAdd=concatenate SequenceAddN=add_all SequenceCount=count SequenceIndex=position SequenceMul=times
    SequenceMax=largest SequenceMin=smallest SequenceSlice=slice_sequence SequenceSliceSetItem=set_slice
    SequenceZerosLike=zeros InSequence=contains ListAppend=append ListInsert=inserted TupleToTensor=to_tensor
    ListToTensor=to_tensor TensorToList=to_list TensorToScalar=number make_range=row sequence_len=length
    shape_mul=product
SequenceStack(axis=0)(...) -> stack_elements
SequenceUnstack(axis=0, num=None)(...) -> unstack
""",
)
