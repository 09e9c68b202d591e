"""Indices, views and broadcasting agree with NumPy for whatever Hypothesis comes up with.

The examples are the same in every run (`derandomize`). Shapes stay small: each new one is compiled.
"""

import chex
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import msjax as ms
from msjax import Tensor, ops

few = settings(derandomize=True, deadline=None, max_examples=20, database=None)
SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4)

OPERATORS = {
    "add": (ops.add, np.add),
    "minimum": (ops.minimum, np.minimum),
    "less": (ops.less, np.less),
    "where": (lambda x, y: ops.where(x > y, x, y), lambda x, y: np.where(x > y, x, y)),
}


def count(shape: tuple[int, ...]) -> np.ndarray:
    """0, 1, 2 ... in a shape: every element can be told from the others."""
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


@st.composite
def shapes_and_indices(draw: st.DrawFn) -> tuple[tuple[int, ...], object]:
    """A shape, and an index of numbers, slices, None, Ellipsis and lists of positions that suits it."""
    shape = draw(SHAPES)
    basic = hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True)
    positions = hnp.integer_array_indices(shape, result_shape=hnp.array_shapes(max_dims=2, max_side=3))
    return shape, draw(st.one_of(basic, positions))


@st.composite
def views(draw: st.DrawFn) -> tuple[tuple[int, ...], list[tuple[str, object]]]:
    """A shape, and up to three steps from an array of it to a view, each a name and its argument."""
    shape = draw(hnp.array_shapes(min_dims=2, max_dims=3, min_side=2, max_side=4))
    steps: list[tuple[str, object]] = []
    seen = np.empty(shape)
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["transpose", "cut", "expand"]))
        if kind == "transpose":
            argument: object = tuple(draw(st.permutations(range(seen.ndim))))
        elif kind == "cut":
            argument = tuple(draw(st.one_of(st.integers(0, n - 1), forward_slices(n))) for n in seen.shape)
        else:
            argument = draw(st.integers(0, seen.ndim))
        steps.append((kind, argument))
        seen = follow_numpy(seen, steps[-1:])
    return shape, steps


def forward_slices(length: int) -> st.SearchStrategy[slice]:
    """Slices that take something, forwards: NumPy's strides may be negative, MindSpore's may not."""
    return st.builds(
        lambda start, step: slice(start, None, step), st.integers(0, length - 1), st.integers(1, 2)
    )


def follow_numpy(array: np.ndarray, steps: list) -> np.ndarray:
    for kind, argument in steps:
        if kind == "transpose":
            array = array.transpose(argument)
        elif kind == "cut":
            array = array[(*argument, ...)]  # a view also where it is a single element
        else:
            array = np.expand_dims(array, argument)
    return array


def follow(tensor: Tensor, steps: list) -> Tensor:
    for kind, argument in steps:
        if kind == "transpose":
            tensor = tensor.permute(argument)
        elif kind == "cut":
            tensor = tensor[argument]
        else:
            tensor = tensor.expand_dims(argument)
    return tensor


@few
@given(shapes_and_indices())
def test_index_reads_what_numpy_reads(case):
    shape, index = case
    chex.assert_trees_all_equal(Tensor(count(shape))[index].asnumpy(), count(shape)[index])


@few
@given(shapes_and_indices())
def test_index_writes_where_numpy_writes(case):
    shape, index = case
    expected, tensor = count(shape), Tensor(count(shape))
    expected[index] = -1
    tensor[index] = -1
    chex.assert_trees_all_equal(tensor.asnumpy(), expected)


@few
@given(shapes_and_indices())
def test_gradient_of_an_index_counts_how_often_it_reads(case):
    shape, index = case
    expected = np.zeros(shape, np.float32)
    np.add.at(expected, index, 1)
    gradient = ms.grad(lambda x: x[index].sum())(Tensor(count(shape)))
    chex.assert_trees_all_equal(gradient.asnumpy(), expected)


@few
@given(views())
def test_views_share_memory_as_numpy_views_do(case):
    """Writes to the base show in the view, and the other way around."""
    shape, steps = case
    expected, base = count(shape), Tensor(count(shape))
    expected_view, view = follow_numpy(expected, steps), follow(base, steps)
    base.add_(100)
    expected += 100
    chex.assert_trees_all_equal(view.asnumpy(), expected_view)
    view.mul_(-1)
    expected_view *= -1
    chex.assert_trees_all_equal(base.asnumpy(), expected)


@few
@given(views())
def test_strides_of_views_are_those_of_numpy(case):
    shape, steps = case
    expected = count(shape)
    expected_view, view = follow_numpy(expected, steps), follow(Tensor(count(shape)), steps)
    strides = [s // expected.itemsize for s in expected_view.strides]
    free = [
        length == 1 for length in expected_view.shape
    ]  # NumPy's and MindSpore's strides differ where none is taken
    chex.assert_equal_shape([view, expected_view])
    assert [s for s, f in zip(view.stride(), free, strict=True) if not f] == [
        s for s, f in zip(strides, free, strict=True) if not f
    ]
    offset = expected_view.__array_interface__["data"][0] - expected.__array_interface__["data"][0]
    assert view.storage_offset() == offset // expected.itemsize
    assert view.is_contiguous() == expected_view.flags.c_contiguous


@pytest.mark.parametrize("name", OPERATORS)
@few
@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
def test_operands_broadcast_as_in_numpy(name, shapes):
    ours, theirs = OPERATORS[name]
    x, y = map(count, shapes.input_shapes)
    found = ours(Tensor(x), Tensor(y)).asnumpy()
    chex.assert_shape(found, shapes.result_shape)
    chex.assert_trees_all_equal(found, theirs(x, y))


@few
@given(SHAPES, SHAPES)
def test_shapes_that_numpy_refuses_are_refused(one, other):
    try:
        shape = np.broadcast_shapes(one, other)
    except ValueError:
        with pytest.raises(ValueError, match="add"):
            ops.add(Tensor(count(one)), Tensor(count(other)))
    else:
        assert ops.add(Tensor(count(one)), Tensor(count(other))).shape == shape


@few
@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
def test_gradients_have_the_shapes_of_the_operands(shapes):
    """The gradient of an operand that was stretched sums over the copies."""
    x, y = map(count, shapes.input_shapes)
    gradients = ms.grad(lambda x, y: ops.mul(x, y).sum(), (0, 1))(Tensor(x), Tensor(y))
    copies = [np.broadcast_to(a, shapes.result_shape) for a in (y, x)]
    for operand, factor, gradient in zip((x, y), copies, gradients, strict=True):
        extra = tuple(range(factor.ndim - operand.ndim))
        stretched = tuple(i for i, n in enumerate(operand.shape) if n == 1)
        expected = factor.sum(extra).sum(stretched, keepdims=True).reshape(operand.shape)
        chex.assert_trees_all_close(gradient.asnumpy(), expected)
